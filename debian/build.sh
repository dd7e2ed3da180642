#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: debian/build.sh FOLDER
# Builds the Debian packages of this tree and its source package into FOLDER and checks them with lintian, if that is
# installed: any tag that is not overridden is a failure. Builds in a copy of the tree, FOLDER/orientd, and keeps it: the
# next time only what has changed is compiled. DEB_BUILD_OPTIONS is "nocheck" unless it is set. Called by `make deb`.
set -eu
cd "$(dirname "$0")/.."
out=$1 tree=$1/orientd
mkdir -p "$tree"
rm -f "$out"/*.deb "$out"/*.dsc "$out"/*.tar.* "$out"/*.changes "$out"/*.buildinfo

# Copy the files that are not ignored, with their times, and keep what was built from them.
find "$tree" -mindepth 1 -maxdepth 1 ! -name .build -exec rm -rf {} +
if [ -e .git ]; then
    git ls-files -z --cached --others --exclude-standard --deduplicate |
        tar --null --ignore-failed-read -T - -cf - 2>/dev/null
else
    tar --exclude=./.build -cf - .
fi | tar -C "$tree" -xf -

profiles=pkg.orientd.swift
if dpkg-query -W -f '${db:Status-Status}\n' swiftlang 2>/dev/null | grep -qx installed; then profiles=; fi
(cd "$tree" && DEB_BUILD_OPTIONS=${DEB_BUILD_OPTIONS-nocheck} dpkg-buildpackage --build=full -us -uc -nc ${profiles:+-P$profiles})

if command -v lintian >/dev/null; then
    # That tag finds pieces of machine code, in one build and not in the next.
    lintian --pedantic --display-info --suppress-tags spelling-error-in-binary \
        --fail-on error,warning,info,pedantic "$out"/*.changes
fi
(cd "$out" && ls -- *.deb)
