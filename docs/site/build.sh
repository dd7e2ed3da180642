#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: docs/site/build.sh MAN_FOLDER MODULES_FOLDER OUTPUT_FOLDER
# Builds the documentation into OUTPUT_FOLDER as a web site: the Markdown files of this source tree and the manual pages
# in MAN_FOLDER, by pandoc, and the reference of OrientationClient, whose compiled module is in MODULES_FOLDER, by docc.
# Any warning, any link that leads nowhere, any heading without one, any list of a manual page that is none in its page
# and anything that a page would load from elsewhere is a failure. BASE is the path of the site on its web server, such
# as /orientd; the reference depends on it.
set -eu

[ $# -eq 3 ] || { echo "usage: docs/site/build.sh MAN_FOLDER MODULES_FOLDER OUTPUT_FOLDER" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
catalog=$root/Sources/OrientationClient/OrientationClient.docc
man=$1 modules=$2 output=$3
work=$(mktemp -d)
site=$work/site
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
# linkchecker changes to another user if root calls it.
chmod 755 "$work"
mkdir "$site"

page() {  # page FORMAT SOURCE NAME [OPTION...]: writes NAME.html
    format=$1 source=$2 name=$3
    shift 3
    pandoc --from="$format" --to=html5 --template="$here/page.html" --lua-filter="$here/page.lua" \
        --metadata=manual:"$man" --toc --toc-depth=3 --wrap=none --fail-if-warnings "$@" --output="$work/page" "$source"
    sed "s|^  <li><a href=\"$name.html\"|& aria-current=\"page\"|" "$work/page" >"$site/$name.html"
}

page gfm "$root/README.md" index --metadata=index
page gfm "$catalog/OrientationClient.md" OrientationClient \
    --metadata=reference:reference/documentation/orientationclient/
for source in "$root/NEWS.md" "$root/CONTRIBUTING.md" "$root"/docs/*.md; do
    page gfm "$source" "$(basename "$source" .md)"
done
# Not those that are another name of a page.
for source in "$man"/*.[158]; do
    grep -q '^\.so ' "$source" || page man "$source" "$(basename "$source")"
done
cp "$here/style.css" "$here/icon.svg" "$root"/docs/*.svg "$site"
cp "$root/LICENSE" "$site/LICENSE.txt"

# The library exports OrientationCore, whose types its users meet.
target() { swift -print-target-info | sed -n "s/.*\"$1\": \"\\(.*\\)\".*/\\1/p"; }
swift symbolgraph-extract -module-name OrientationClient -experimental-allowed-reexported-modules=OrientationCore \
    -I "$modules" -I "$root/Sources/CLinux" -I "$root/Sources/CSystemd" -skip-synthesized-members -skip-inherited-docs \
    -target "$(target unversionedTriple)" -output-dir "$work"
mkdir "$work/symbols"
"$here/symbols.py" "$catalog/OrientationClient.md" <"$work/OrientationClient.symbols.json" >"$work/symbols/OrientationClient.symbols.json"
"$(target runtimeResourcePath)/../../bin/docc" convert "$catalog" --additional-symbol-graph-dir "$work/symbols" \
    --output-path "$site/reference" --hosting-base-path "${BASE-}/reference" --warnings-as-errors \
    --fallback-bundle-identifier org.orientd1.OrientationClient --fallback-default-module-kind Library
# Its pages are empty until their scripts have run.
advice='This page needs JavaScript and a web server: <code>python3 -m http.server -d .build/site</code>'
find "$site/reference" -name index.html -exec sed -i "s|<div id=\"app\">|&<p>$advice</p>|" {} +

# A page of docc has its text in a file of the same path. docc has checked the links between its pages.
links=$(grep -hoE '"reference/[^"#]*' "$site"/*.html) || { echo "no page has a link to the reference" >&2; exit 1; }
for link in $links; do
    path=${link#*/}
    [ -e "$site/reference/data/${path%/}.json" ] || { echo "reference/$path has no text" >&2; exit 1; }
done
linkchecker --no-status --config="$here/linkchecker.ini" --no-follow-url=/reference/ "$site/index.html" \
    >"$work/links" 2>&1 || { cat "$work/links" >&2; exit 1; }
if sed -n '/<details>/,/<\/details>/p' "$site"/*.html | grep '<li>[^<]'; then
    echo "each line of \"On this page\" must be a link" >&2
    exit 1
fi
if grep -nE '<p>(·|[0-9]+\.)</p>' "$site"/*.html; then
    echo "the mark of a list's item must not be a paragraph" >&2
    exit 1
fi
loading='<(script|link|img|iframe)[^>]*(src|href)="?(https?:)?//'
if grep -rnE --include='*.html' "$loading" "$site" ||
    grep -nE 'url\([^#]|@import|<image' "$site"/*.css "$site"/*.svg; then
    echo "the pages must not load anything from elsewhere" >&2
    exit 1
fi
rm -rf "$output"
mv "$site" "$output"
