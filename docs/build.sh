#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: docs/build.sh BUILD_FOLDER OUTPUT_FOLDER
# Builds the manual pages into OUTPUT_FOLDER and checks them. The settings in orientd.conf(5) and orient-agent.conf(5) are
# the output of the programs in BUILD_FOLDER, which are called with --settings, by the command EMULATOR if that is set.
# Any error is a failure, and so is any warning of man or mandoc, if they are installed.
set -eu

[ $# -eq 2 ] || { echo "usage: docs/build.sh BUILD_FOLDER OUTPUT_FOLDER" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
programs=$1
output=$2
mkdir -p "$output"
work=$(mktemp -d "$output/build.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

cp "$here"/*.scd "$work"
settings() {  # settings PROGRAM PAGE
    ${EMULATOR-} "$programs/$1" --settings >"$work/settings"
    [ -s "$work/settings" ] || { echo "$1 printed no settings" >&2; exit 1; }
    sed -e "/^@SETTINGS@\$/{r $work/settings" -e 'd}' "$here/$2.scd.in" >"$work/$2.scd"
}
settings orientd orientd.conf.5
settings orient-agent orient-agent.conf.5

for source in "$work"/*.scd; do
    page=$(basename "$source" .scd)
    scdoc <"$source" >"$work/plain" || { echo "$page: scdoc failed" >&2; exit 1; }
    # What scdoc does not write: the first line of a page with tables, which tells man to format them with tbl; a date
    # without backslashes, for mandoc; and that the text of tables need not be adjusted, of which groff may complain.
    { ! grep -q '^\.TS' "$work/plain" || echo "'\\\" t"
      sed -e '/^\.TH/s/\\-/-/g' -e '/^\.TS/i .na' -e '/^\.TE/a .ad l' "$work/plain"; } >"$work/$page"
    if command -v man >/dev/null; then
        MANROFFSEQ='' LC_ALL=C.UTF-8 man --warnings -l "$work/$page" 2>&1 >/dev/null | sed "s|^|$page: |" >"$work/warnings"
    else
        : >"$work/warnings"
    fi
    if command -v mandoc >/dev/null; then
        # scdoc writes an empty paragraph before each paragraph, which is harmless.
        { mandoc -Tlint -W warning "$work/$page" || :; } | grep -v 'skipping paragraph macro' >>"$work/warnings" || :
    fi
    if [ -s "$work/warnings" ]; then
        cat "$work/warnings" >&2
        exit 1
    fi
    install -m 644 "$work/$page" "$output/$page"
done
# The page is named after the program, unlike its file, by whose name it is found as well.
echo '.so man5/orient-agent.conf.5' >"$output/agent.conf.5"
