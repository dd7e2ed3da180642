#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: docs/build.sh ORIENTD OUTPUT_FOLDER
# Builds the manual pages into OUTPUT_FOLDER and checks them; the settings in orientd.conf(5) are those that the
# program ORIENTD prints. Any error, and any warning of man or mandoc where they are installed, is a failure.
set -eu

[ $# -eq 2 ] || { echo "usage: docs/build.sh ORIENTD OUTPUT_FOLDER" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
orientd=$1
output=$2
mkdir -p "$output"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

cp "$here"/*.scd "$work"
"$orientd" --settings >"$work/settings"
[ -s "$work/settings" ] || { echo "$orientd prints no settings" >&2; exit 1; }
sed -e "/^@SETTINGS@\$/{r $work/settings" -e 'd}' "$here/orientd.conf.5.scd.in" >"$work/orientd.conf.5.scd"

for source in "$work"/*.scd; do
    page=$(basename "$source" .scd)
    scdoc <"$source" >"$work/$page" || { echo "$page: scdoc fails" >&2; exit 1; }
    if command -v man >/dev/null; then
        MANROFFSEQ='' LC_ALL=C.UTF-8 man --warnings -l "$work/$page" 2>&1 >/dev/null | sed "s|^|$page: |" >"$work/warnings"
    else
        : >"$work/warnings"
    fi
    if command -v mandoc >/dev/null; then
        # Each paragraph that scdoc writes has an empty one before it, which harms nothing.
        { mandoc -Tlint -W warning "$work/$page" || :; } | grep -v 'skipping paragraph macro' >>"$work/warnings" || :
    fi
    if [ -s "$work/warnings" ]; then
        cat "$work/warnings" >&2
        exit 1
    fi
    install -m 644 "$work/$page" "$output/$page"
done
