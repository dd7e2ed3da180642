#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: Tests/make/check.sh
# Tests what the Makefile does where something is missing, and that building needs neither the network nor root nor a
# package manager. Prints "ok: ..." or "FAILED: ..." for each check, then "N passed, N failed"; exits with 1 if a check
# failed. Needs a user namespace or root, and an earlier `make build`, which it repeats.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
# Not those of the make that calls this.
unset MAKEFLAGS MAKELEVEL MFLAGS DESTDIR PREFIX WITH FILTER PROGRAMS

# shellcheck source=Tests/counting.sh
. "$(dirname "$0")/../counting.sh"

# A checkout without sources, in which each fake program is written to a folder that precedes the others.
tree=$work/tree
mkdir "$tree" "$work/fake" "$work/all"
cp "$root/Makefile" "$root/requirements.sh" "$tree/"
fake() {  # fake NAME BODY
    printf '#!/bin/sh\n%s\n' "$2" >"$work/fake/$1" && chmod 755 "$work/fake/$1"
}
reset() {
    rm -rf "$work/fake" "$tree/.build" && mkdir "$work/fake"
    # shellcheck disable=SC2016
    fake swift 'case $1 in --version) echo "Swift version 6.3.1 (swift-6.3.1-RELEASE)" ;; *) echo "compiling" >&2; exit 9 ;; esac'
    fake pkg-config 'exit 0'
}
# All programs of this machine but those that say which distribution it is.
for folder in $(echo "$PATH" | tr : ' '); do
    find "$folder/" -maxdepth 1 ! -type d -exec ln -s -t "$work/all" {} + 2>/dev/null
done
rm -f "$work/all/dnf" "$work/all/pacman"
without() {  # without NAME: removes a program
    rm -f "$work/fake/$1"
    hidden=$1
}
made() {  # made TARGET [ARGUMENT...]: prints what make prints in the tree
    [ -z "${hidden:-}" ] || mv "$work/all/$hidden" "$work/hidden" || return
    PATH="$work/fake:$work/all" make --no-print-directory -C "$tree" "$@" 2>&1
    status=$?
    [ -z "${hidden:-}" ] || mv "$work/hidden" "$work/all/$hidden"
    hidden=
    return $status
}
says() {  # says TARGET TEXT...: the target fails with one line, which contains each text
    target=$1
    shift
    made "$target" >"$work/said" && { cat "$work/said"; echo "it succeeded"; return 1; }
    cat "$work/said"
    [ "$(grep -vc '^make: ' "$work/said")" -eq 1 ] || return
    grep -q '^error: ' "$work/said" || return
    for text; do grep -vF 'make: ' "$work/said" | grep -qF -- "$text" || { echo "not found: $text"; return 1; }; done
}
compiles() { made build >"$work/said"; cat "$work/said"; grep -qx compiling "$work/said"; }

# --- the toolchain ----------------------------------------------------------------------------------------------------
reset
check "the compiler is called if nothing is missing" compiles
reset && without swift
check "no Swift: one line says where to get it" says build "swift is not in PATH" "install Swift 6.2 or later" swift.org/install
for version in 5.10.1 6.0.3 6.1; do
    reset && fake swift "echo 'Swift version $version (swift-$version-RELEASE)'"
    check "Swift $version: one line names it and the version that is needed" \
        says build "Swift $version" "$work/fake/swift" "too old" "6.2 or later"
done
for version in 6.2 6.2.3 6.10; do
    # shellcheck disable=SC2016
    reset && fake swift 'case $1 in --version) echo "Swift version '$version'-dev" ;; *) echo compiling >&2; exit 9 ;; esac'
    check "Swift $version is accepted" compiles
done
reset && fake swift 'exit 1'
check "a Swift that does not run: one line says so" says build "does not tell its version"

# --- the libraries ----------------------------------------------------------------------------------------------------
reset && without pkg-config
check "no pkg-config: one line names it" says build "pkg-config is not in PATH" "install pkg-config"
# shellcheck disable=SC2016
lacking() { reset && fake pkg-config 'case "$*" in *"'"$1"'"*) exit 1 ;; esac'; }
lacking json-c
check "no json-c: one line names module and package" says build "pkg-config does not find json-c; try: sudo apt install libjson-c-dev"
lacking libiio
check "no libiio: one line says which version is needed" says build "libiio < 1" "sudo apt install libiio-dev"
lacking xcb && fake dnf 'exit 1'
check "Fedora: one line names all modules, and each package once" \
    says build "find xcb, xcb-dpms, xcb-randr, xcb-xinput; try: sudo dnf install libxcb-devel"
lacking wayland && fake pacman 'exit 1'
check "Arch: one line names the package" says build "try: sudo pacman -S wayland"
real() { PATH="$work/all" "$root/requirements.sh" libraries "libiio:x:x:x" && PATH="$work/all" pkg-config --exists 'libiio < 1'; }
check "the real pkg-config accepts the real libiio" real

# --- a checkout that was moved ----------------------------------------------------------------------------------------
reset
made build >/dev/null
check "the second build calls the compiler" compiles
mv "$tree" "$work/elsewhere" && tree=$work/elsewhere
check "moved: one line names both the old path and the remedy" says build "was built in $work/tree" "run: make clean"
check "moved: also the tests say so" says test "run: make clean"
cleaned() { made clean && compiles; }
check "moved: after make clean, the compiler is called" cleaned

# --- packages ---------------------------------------------------------------------------------------------------------
# shellcheck disable=SC2016
recorder='echo "$0 $*" >>'$work/called
reset && without scdoc
# shellcheck disable=SC2016
fake swift 'case $1 in --version) echo "Swift version 6.3.1" ;; esac' && mkdir -p "$tree/.build/release" &&
    touch "$tree/.build/release/orientd" "$tree/.build/release/orient-agent" "$tree/.build/release/orientctl" \
    "$tree/.build/release/orientd-tablet-switch"
no_scdoc() { made docs EMBEDDED=no >"$work/said" && return 1; cat "$work/said"; grep -q '^error: scdoc is not in PATH' "$work/said"; }
check "no scdoc: make docs names it" no_scdoc
reset
announced() { made docs EMBEDDED=no >"$work/said"; cat "$work/said"; head -n 1 "$work/said" | grep -q 'builds the programs first: minutes'; }
check "make docs says first that it builds the programs" announced
reset && fake dpkg-query 'exit 1' && fake apt-get "$recorder" && fake sudo 'exec "$@"' && : >"$work/called"
made build >/dev/null
check "packages are missing: make build does not call apt" [ ! -s "$work/called" ]
lint_needs() { made check-needs; cat "$work/called"; grep -q 'install .* shellcheck' "$work/called"; }
check "packages are missing: tests install them" lint_needs
: >"$work/called"
run_needs() { made run; grep -q 'install .* libiio-dev .* dbus-daemon' "$work/called" && ! grep -q umockdev "$work/called"; }
check "packages are missing: make run installs what it needs" run_needs
: >"$work/called" && without swift
run_without_swift() { ! made run >"$work/said" && cat "$work/said" && grep -q 'swift is not in PATH' "$work/said" && [ ! -s "$work/called" ]; }
check "without Swift, make run says so before it installs anything" run_without_swift
: >"$work/called"
deps() { made deps && cat "$work/called" && grep -q 'install .* libiio-dev .* scdoc' "$work/called" && ! grep -q umockdev "$work/called"; }
check "make deps installs what building needs" deps
more() { made deps WITH="check peer vm session" && cat "$work/called" && grep -q 'install .* libiio-dev .* umockdev .* mmdebstrap' "$work/called"; }
check "make deps WITH=... installs what tests need, too" more
reset && fake apt-get "$recorder" && : >"$work/called"
# shellcheck disable=SC2016
fake dpkg-query 'echo installed'
nothing() { made deps && [ ! -s "$work/called" ]; }
check "make deps does nothing if nothing is missing" nothing

# --- a filter ---------------------------------------------------------------------------------------------------------
reset
# shellcheck disable=SC2016
fake swift 'case $1 in --version) echo "Swift version 6.3.1" ;; *) echo "Test run with 0 tests in 0 suites passed" ;; esac'
no_match() { ! made test FILTER=nosuch >"$work/said" && cat "$work/said" && grep -qx 'error: no test matches FILTER=nosuch' "$work/said"; }
check "a filter that matches no test is an error, which says so" no_match
# shellcheck disable=SC2016
fake swift 'case $1 in --version) echo "Swift version 6.3.1" ;; *) echo "Test run with 2 tests in 1 suite passed" ;; esac'
check "one that matches is none" made test FILTER=such

# --- the version and the Debian package ---------------------------------------------------------------------------------
version=$(sed -n 's/.*current: StaticString = "\(.*\)"/\1/p' "$root/Sources/OrientationConfiguration/Version.swift")
check "NEWS.md begins with the version of the programs" same "$version" "$(sed -n 's/^## \([0-9.]*\).*/\1/p;T;q' "$root/NEWS.md")"
check "the metainfo begins with the version of the programs" same "$version" \
    "$(sed -n 's/.*<release version="\([^"]*\)".*/\1/p;T;q' "$root/systemd/xdg/metainfo/org.orientd.orientd.metainfo.xml")"
build_depends() {
    reset && fake dpkg-query 'exit 1' && fake apt-get "$recorder" && fake sudo 'exec "$@"' && : >"$work/called"
    made deps >/dev/null
    wanted=$(sed -n 's/.* --no-install-recommends //p' "$work/called" | tr ' ' '\n' | sed 's/^pkg-config$/pkgconf/' | sort)
    sed -n '/^Build-Depends:/,/^$/s/^ \([^ ,]*\).*/\1/p' "$root/debian/control" | sort >"$work/depends"
    same "$wanted" "$(grep -vE '^(debhelper-compat|dh-sequence-.*|swiftlang)$' "$work/depends")"
}
# A release has no debian/.
if [ -d "$root/debian" ]; then
    check "debian/changelog has the version of the programs" same "$version" "$(sed -n '1s/.*(\([0-9.]*\)-.*/\1/p' "$root/debian/changelog")"
    check "debian/control depends on what make deps installs, on debhelper and on swiftlang" build_depends
fi

# --- a release ----------------------------------------------------------------------------------------------------------
# Times, owners and modes are those of no machine.
archive=$root/.build/orientd-$version.tar.xz
twice() {
    (umask 077 && TZ=Pacific/Auckland make --no-print-directory -C "$root" dist) && cp "$archive" "$work/first.tar.xz" &&
        make --no-print-directory -C "$root" dist && cmp "$work/first.tar.xz" "$archive"
}
check "make dist writes the same archive twice" twice
unpacked() {
    mkdir "$work/release" && tar -C "$work/release" -xf "$archive" && make --no-print-directory -C "$work/release/orientd-$version" dist &&
        cmp "$archive" "$work/release/orientd-$version/.build/orientd-$version.tar.xz"
}
check "and so does make dist in that archive, without git" unpacked

# --- the real build ---------------------------------------------------------------------------------------------------
rm -rf "$work/fake" && mkdir "$work/fake"
for name in apt apt-get aptitude dpkg dnf pacman sudo su doas pkexec curl wget; do fake "$name" "$recorder; exit 1"; done
: >"$work/called"
isolated() {
    for enter in 'unshare --net' 'unshare --map-root-user --net'; do
        # shellcheck disable=SC2086
        if $enter true 2>/dev/null; then
            PATH="$work/fake:$PATH" $enter make --no-print-directory -C "$root" build && [ ! -s "$work/called" ]
            return
        fi
    done
    echo "no network namespace: neither root nor user namespaces"
    return 1
}
check "make build needs no network and calls no package manager and no sudo" isolated

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
