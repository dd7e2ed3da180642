#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: Tests/sid/check.sh
# Builds the packages in Debian sid, as its archive would, with the distribution's Swift and the unit tests, and checks
# them: lintian, a second build in another folder, and the tests of debian/tests in a system without any of the build's
# packages. Prints "ok: ..." or "FAILED: ..." for each check, then "N passed, N failed"; exits with 1 if a check failed.
# Unpacks sid into .build/sid and needs root. Called by `make check-sid`.
set -eu
cd "$(dirname "$0")/../.."
work=$PWD/.build/sid
rm -rf "$work"
mkdir -p "$work"
# shellcheck source=Tests/counting.sh
. Tests/counting.sh
mirror='Acquire::Check-Valid-Until "false"'  # the signature of a mirror's copy of sid expires within days
unpack() {  # unpack TREE VARIANT PACKAGES
    mmdebstrap --quiet --mode=root --variant="$2" --include="$3" --aptopt="$mirror" \
        --aptopt='Acquire::Languages "none"' sid "$work/$1"
}
inside() {  # inside TREE COMMAND...
    tree=$1
    shift
    # The kernel lets nobody make a user namespace below chroot.
    # shellcheck disable=SC2016
    unshare --mount --pid --fork sh -c 'mount --bind "$1" "$1" && cd "$1" && shift && mount -t proc proc proc &&
        mount --rbind /dev dev && mount --rbind /sys sys && pivot_root . mnt && umount --lazy mnt &&
        exec env -i HOME=/root LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"' sh "$work/$tree" "$@"
}
silent() {
    "$@" >"$work/noise" 2>&1 || { cat "$work/noise"; return 1; }
    same '' "$(cat "$work/noise")"
}

# --- build ------------------------------------------------------------------------------------------------------------
unpack build buildd lintian
archive=$(make --no-print-directory dist)
version=${archive##*-} version=${version%.tar.xz}
for folder in one another/place; do
    mkdir -p "$work/build/$folder/orientd-$version"
    cp "$archive" "$work/build/$folder/orientd_$version.orig.tar.xz"
    tar -C "$work/build/$folder" -xf "$archive"
    cp -r debian "$work/build/$folder/orientd-$version"
done
inside build sh -c "apt-get -q update && DEBIAN_FRONTEND=noninteractive apt-get -q -y build-dep /one/orientd-$version" \
    >"$work/build-dep.log"
build() {  # build FOLDER VARIABLE=VALUE...
    folder=$1
    shift
    inside build env -C "/$folder/orientd-$version" "$@" dpkg-buildpackage -us -uc
}
tested() {
    build one >"$work/one.log" 2>&1 || { tail -n 40 "$work/one.log"; return 1; }
    grep "Test run with [1-9].* passed" "$work/one.log"
}
check "dpkg-buildpackage builds the packages and runs the unit tests" tested
files() { (cd "$work/build/$1" && sha256sum -- *.deb *.dsc *.tar.*); }
twice() {
    (umask 077 && build another/place TZ=Pacific/Auckland LC_ALL=C DEB_BUILD_OPTIONS=nocheck) &&
        same "$(files one)" "$(files another/place)"
}
check "another folder, umask, time zone and language give the same packages" twice
check "lintian prints nothing" silent inside build sh -c \
    'lintian --allow-root --pedantic --display-info --fail-on error,warning,info,pedantic /one/*.changes'

# --- use --------------------------------------------------------------------------------------------------------------
unpack use minbase autopkgtest,uidmap
unpack use/testbed.tar minbase apt
mkdir "$work/use/packages"
find "$work/build/one" -maxdepth 1 -type f -exec cp -t "$work/use/packages" {} +
# autopkgtest links the packages, which takes their owner.
inside use sh -c 'useradd --create-home tester && chown -R tester /packages'
check "autopkgtest passes" inside use runuser -u tester -- env HOME=/home/tester TMPDIR=/home/tester \
    sh -c 'autopkgtest --apt-upgrade /packages/*.changes -- unshare --tarball /testbed.tar'

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
