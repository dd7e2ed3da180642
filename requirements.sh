#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: ./requirements.sh checkout
#        ./requirements.sh toolchain
#        ./requirements.sh libraries MODULE:DEBIAN:FEDORA:ARCH...
#        ./requirements.sh command COMMAND DEBIAN_PACKAGE
# Checks one requirement of a target and installs nothing. If it is not met, prints one line, which says what is missing
# and how to get it, and exits with 1. Called by the Makefile.
set -u
minimum=6.2

fail() { echo "error: $*" >&2; exit 1; }
# oldest VERSION VERSION
oldest() { printf '%s\n' "$@" | sort -V | head -n 1; }

# The modules in .build contain the path of the checkout, and the compiler rejects them under another.
checkout() {
    mkdir -p .build || exit 1
    here=$(pwd -P)
    # Another make may be about to write it.
    [ -s .build/checkout ] || echo "$here" >.build/checkout
    built=$(cat .build/checkout)
    [ "${built:-$here}" = "$here" ] || fail "this checkout was built in $built; after moving or copying it, run: make clean"
}

toolchain() {
    get="install Swift $minimum or later: https://swift.org/install"
    command -v swift >/dev/null || fail "swift is not in PATH; $get"
    version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9][0-9.]*\).*/\1/p')
    [ -n "$version" ] || fail "$(command -v swift) does not tell its version; $get"
    [ "$(oldest "$minimum" "$version")" = "$minimum" ] || fail "Swift $version ($(command -v swift)) is too old; $get"
}

libraries() {
    if command -v dnf >/dev/null; then column=3 install='sudo dnf install'
    elif command -v pacman >/dev/null; then column=4 install='sudo pacman -S'
    else column=2 install='sudo apt install'
    fi
    command -v pkg-config >/dev/null || fail "pkg-config is not in PATH; try: $install pkg-config"
    modules='' packages=''
    for library; do
        module=${library%%:*}
        # libiio 1.0 has another interface.
        case $module in libiio) wanted='libiio < 1' ;; *) wanted=$module ;; esac
        if ! pkg-config --exists "$wanted"; then
            modules="$modules${modules:+, }$wanted"
            package=$(echo "$library" | cut -d : -f $column)
            case " $packages " in *" $package "*) ;; *) packages="$packages $package" ;; esac
        fi
    done
    [ -z "$modules" ] || fail "pkg-config does not find $modules; try: $install$packages"
}

what=$1
shift
case $what in
    checkout | toolchain | libraries) "$what" "$@" ;;
    command) command -v "$1" >/dev/null || fail "$1 is not in PATH; try: sudo apt install $2, or the package with it" ;;
    *) echo "usage: requirements.sh checkout|toolchain|libraries|command ..." >&2; exit 2 ;;
esac
