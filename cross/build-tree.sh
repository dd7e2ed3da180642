#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: cross/build-tree.sh TREE ARCH
# Unpacks what building and running orientd for the architecture ARCH needs, from Debian 12, into the folder TREE,
# unless TREE was made from the same list of packages. Nothing of it is run or installed. TREE/shlibs says which package
# has which library, as deb-shlibs(5) defines it. Needs a Debian mirror, but not root.
set -eu
tree=$1 arch=$2
suite=bookworm
# libgcc has what begins and ends every program; umockdev is for the tests only.
packages=libc6-dev,libgcc-12-dev,libsystemd-dev,libjson-c-dev,libwayland-dev,libxcb-dpms0-dev
packages=$packages,libxcb-randr0-dev,libxcb-xinput-dev,libiio-dev,umockdev

# shellcheck disable=SC2016
shlibs='for package in "$1"/var/cache/apt/archives/*.deb; do dpkg-deb -I "$package" shlibs 2>/dev/null || :; done >"$1/shlibs"'
made="$suite $arch $packages $shlibs"
[ "$(cat "$tree.packages" 2>/dev/null || :)" != "$made" ] || exit 0

if ! command -v mmdebstrap >/dev/null; then
    echo "$0: mmdebstrap is not installed; it unpacks Debian's $arch packages" >&2
    exit 1
fi
rm -rf "$tree" "$tree.new" "$tree.packages"
mkdir -p "$tree.new"
trap 'rm -rf "$tree.new" "$tree.tar"' EXIT
trap 'exit 1' HUP INT TERM
echo "unpacking Debian's $arch packages into $tree"
# chrootless, which root must not use, needs neither root nor user namespaces: extracting runs nothing in the tree.
if [ "$(id -u)" -eq 0 ]; then mode=root; else mode=chrootless; fi
if ! mmdebstrap --quiet --mode="$mode" --variant=extract --architectures="$arch" --include="$packages" --format=tar \
    --extract-hook="$shlibs" --aptopt='Acquire::Languages "none"' "$suite" "$tree.tar"; then
    echo "$0: mmdebstrap has failed; it needs a Debian mirror" >&2
    exit 1
fi
tar -x -C "$tree.new" -f "$tree.tar" --no-same-owner --exclude='./dev/*' --exclude=./usr/share/doc \
    --exclude=./usr/share/man --exclude=./usr/share/locale
# Absolute links, as that from ld.so to the loader, lead out of the tree.
find "$tree.new" -type l -lname '/*' | while read -r link; do
    ln -sfn "$(realpath --relative-to="$(dirname "$link")" -s "$tree.new$(readlink "$link")")" "$link"
done
mv "$tree.new" "$tree"
echo "$made" >"$tree.packages"
