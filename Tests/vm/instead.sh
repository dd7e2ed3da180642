#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: Tests/vm/instead.sh arm64|address FOLDER
# Puts another build of orientd into FOLDER, with the libraries that it needs, for the scenarios that begin with
# run_instead: that for arm64, under qemu-user, or that with the address sanitizer. Builds it first.
set -eu
out=$2
mkdir -p "$out/lib"
# In the machine, the folder is elsewhere.
# shellcheck disable=SC2016
here='here=$(dirname "$0")'
libraries() { sed -n "s,.* => \([^ ]*/[^ ]*\) .*,\1,p"; }  # the files that a loader names
case $1 in
    arm64)
        make --no-print-directory build ARCH=arm64
        tree=.build/arm64/tree lib=lib/aarch64-linux-gnu
        cp "$(command -v qemu-aarch64-static)" "$out/qemu"
        cp -L "$tree/lib/ld-linux-aarch64.so.1" "$out/loader"
        cp .build/arm64/bin/orientd "$out/program"
        "$out/qemu" "$out/loader" --library-path "$tree/$lib:$tree/usr/$lib" --list "$out/program" | libraries |
            xargs cp -Lt "$out/lib"
        # shellcheck disable=SC2016
        start='"$here/qemu" "$here/loader" --library-path "$here/lib" "$here/program"'
        ;;
    address)
        swift build --product orientd --sanitize address --scratch-path .build/address --cache-path .build/cache \
            --config-path .build/config --security-path .build/security --manifest-cache local
        cp .build/address/debug/orientd "$out/program"
        # The machine's own C library is older or newer than the one that it was linked with.
        cp -L /lib64/ld-linux-x86-64.so.2 "$out/loader"
        ldd "$out/program" | libraries | xargs cp -Lt "$out/lib"
        # Leaks are not looked for: names of functions, by which some are allowed, need a program that the machine lacks.
        # shellcheck disable=SC2016
        start='env ASAN_OPTIONS=detect_leaks=0 "$here/loader" --library-path "$here/lib" "$here/program"'
        ;;
    *) echo "usage: Tests/vm/instead.sh arm64|address FOLDER" >&2; exit 2 ;;
esac
printf '#!/bin/sh\n%s\nexec %s "$@"\n' "$here" "$start" >"$out/orientd"
chmod 755 "$out/orientd"
