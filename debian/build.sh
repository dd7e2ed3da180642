#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: debian/build.sh FOLDER [ARCH]
# Builds the Debian packages of this tree and its source package into FOLDER and checks them with lintian, if that is
# installed: any tag that is not overridden is a failure. For another ARCH than this machine's, cross-builds the
# packages, with the libraries of cross/build-tree.sh instead of the build dependencies. Builds in a copy of the tree,
# FOLDER/orientd, and keeps it: the next time only what has changed is compiled. DEB_BUILD_OPTIONS is "nocheck" unless it
# is set. Called by `make deb`.
set -eu
cd "$(dirname "$0")/.."
out=$1 tree=$1/orientd
if [ $# -gt 1 ]; then cross="-a$2 -d"; else cross=; fi
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
# shellcheck disable=SC2086
(cd "$tree" && DEB_BUILD_OPTIONS=${DEB_BUILD_OPTIONS-nocheck} \
    dpkg-buildpackage --build=full -us -uc -nc ${profiles:+-P$profiles} $cross)

if command -v lintian >/dev/null; then
    # This tag finds pieces of machine code, in one build and not in the next.
    suppressed=spelling-error-in-binary
    # The daemon is started by udev and D-Bus through systemd and needs no init script. Debian 12's lintian asks for one;
    # later ones do not know the tag, and reject it.
    no_script=package-supports-alternative-init-but-no-init.d-script
    if lintian-explain-tags "$no_script" >/dev/null 2>&1; then suppressed=$suppressed,$no_script; fi
    lintian --pedantic --display-info --suppress-tags "$suppressed" --fail-on error,warning,info,pedantic "$out"/*.changes
fi
(cd "$out" && ls -- *.deb)
