#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: Tests/vm/packages.sh FOLDER
# Builds the packages of `make deb` into FOLDER, and the same as an earlier version into FOLDER/earlier, unless they are
# there. Called by scenario.sh.
set -eu
cd "$(dirname "$0")/../.."
[ ! -e "$1/earlier" ] || exit 0
make --no-print-directory deb >.build/deb.log 2>&1 || { cat .build/deb.log; exit 1; }
mkdir "$1/new"
for package in orientd orient-agent; do
    cp .build/deb/${package}_*.deb "$1"
    dpkg-deb -R .build/deb/${package}_*.deb "$1/$package"
    version=$(dpkg-deb -f .build/deb/${package}_*.deb Version)
    sed -i -E "/^(Version|Depends):/s/$version/0.1.0~dev/" "$1/$package/DEBIAN/control"
    dpkg-deb --root-owner-group -b "$1/$package" "$1/new" >/dev/null
    rm -r "${1:?}/$package"
done
mv "$1/new" "$1/earlier"
