#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: debian/build.sh FOLDER [ARCH]
# Builds the Debian packages of this tree and its source package into FOLDER and checks them with lintian, if that is
# installed. For another ARCH than this machine's, cross-builds the packages, with the libraries of cross/build-tree.sh
# instead of the build dependencies. Builds in a copy of the tree, FOLDER/orientd, and keeps it: the next time only what
# has changed is compiled. DEB_BUILD_OPTIONS is "nocheck" unless it is set. Called by `make deb`.
set -eu
cd "$(dirname "$0")/.."
mkdir -p "$1"
out=$(cd "$1" && pwd) tree=$out/orientd
if [ $# -gt 1 ]; then cross="-a$2 -d"; else cross=; fi
mkdir -p "$tree"
rm -f "$out"/*.deb "$out"/*.dsc "$out"/*.tar.* "$out"/*.changes "$out"/*.buildinfo

archive=$(make --no-print-directory dist)
version=${archive##*-}
cp "$archive" "$out/orientd_${version%.tar.xz}.orig.tar.xz"

# Copy the same files, and debian/, with their times, and keep what was built from them.
find "$tree" -mindepth 1 -maxdepth 1 ! -name .build -exec rm -rf {} +
if [ -e .git ]; then
    git ls-files -z | tar --null -T - -cf -
else
    tar --exclude=./.build -cf - .
fi | tar -C "$tree" -xf -

profiles=pkg.orientd.swift
if dpkg-query -W -f '${db:Status-Status}\n' swiftlang 2>/dev/null | grep -qx installed; then profiles=; fi
# shellcheck disable=SC2086
(cd "$tree" && DEB_BUILD_OPTIONS=${DEB_BUILD_OPTIONS-nocheck} \
    dpkg-buildpackage --build=full -us -uc -nc ${profiles:+-P$profiles} $cross)

if command -v lintian >/dev/null; then
    set -- --pedantic --display-info --fail-on error,warning,info,pedantic
    # An older lintian than that of the Standards-Version asks at these levels for what Debian no longer has.
    lintian-explain-tags redundant-priority-optional-field >/dev/null 2>&1 ||
        set -- --fail-on error,warning \
            --suppress-tags newer-standards-version,missing-debian-watch-file-standard,recommended-field
    lintian "$@" "$out"/*.changes
fi
(cd "$out" && ls -- *.deb)
