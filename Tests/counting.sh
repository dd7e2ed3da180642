# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
# Counts checks. Sourced by Tests/make/check.sh and Tests/systemd/check.sh, which set $work to a temporary folder.

# What the checked programs inherit is the same everywhere.
export LC_ALL=C.UTF-8
umask 022
passed=0 failed=0
check() {  # check WHAT COMMAND...
    what=$1
    shift
    # shellcheck disable=SC2154  # work is set where this is sourced
    if "$@" >"$work/output" 2>&1; then
        passed=$((passed + 1))
        echo "ok: $what"
    else
        failed=$((failed + 1))
        echo "FAILED: $what"
        sed 's/^/    /' "$work/output"
    fi
}
same() { [ "$1" = "$2" ] || { printf 'expected: %s\nfound:    %s\n' "$1" "$2"; false; }; }
