#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: Tests/session/build-tree.sh TREE SUITE [OPTION...]
# Installs compositors and their clients from the Debian suite SUITE into the folder TREE, unless TREE has been built
# with the same list of packages. Options are passed to mmdebstrap. Needs root.
set -eu
tree=$1 suite=$2
shift 2
packages=sway,swaybg,labwc,phoc,wlr-randr,wlopm,foot,fuzzel,fonts-dejavu-core

built="$suite $packages"
[ "$(cat "$tree.packages" 2>/dev/null || :)" != "$built" ] || exit 0

mkdir -p "$(dirname "$tree")"
rm -rf --one-file-system "$tree" "$tree.packages" "$tree.new"
trap 'rm -rf --one-file-system "$tree.new"' EXIT
trap 'exit 1' HUP INT TERM
# What mmdebstrap mounts in its own mount namespace disappears with it, however it ends.
unshare --mount --propagation=private mmdebstrap --quiet --mode=root --variant=apt --include="$packages" \
    --aptopt='Acquire::Languages "none"' \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
    --dpkgopt='path-exclude=/usr/share/locale/*' \
    "$@" "$suite" "$tree.new"
rm -rf "$tree.new"/var/cache/apt/* "$tree.new"/var/lib/apt/lists/*
mv "$tree.new" "$tree"
echo "$built" >"$tree.packages"
