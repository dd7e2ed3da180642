#!/usr/bin/python3 -B
# SPDX-License-Identifier: Apache-2.0
"""Reduces the symbol graph of OrientationClient to what its users meet: symbols.py PAGE <GRAPH >GRAPH

The library exports all of OrientationCore. These types of it are kept: those that the declarations of OrientationClient
name, and those that their declarations name in turn. A type that is in no topic of PAGE is an error: the types that are
kept, and those inside a type that the declarations of another one name.
"""

import json
import pathlib
import re
import sys


def without_topic(symbols, page):
    """Returns the types that are missing in the topics of a page."""
    paths = {symbol["identifier"]["precise"]: "/".join(symbol["pathComponents"]) for symbol in symbols}
    named = {
        path
        for symbol in symbols
        for fragment in symbol["declarationFragments"]
        if (path := paths.get(fragment.get("preciseIdentifier")))
        and path.partition("/")[0] != symbol["pathComponents"][0]
    }
    types = named | {path.partition("/")[0] for path in paths.values()}
    topics = pathlib.Path(page).read_text().partition("\n## Topics\n")[2]
    return sorted(types - set(re.findall(r"^- ``(.*)``$", topics, re.M)))


def main():
    graph = json.load(sys.stdin)
    declared = {}
    for symbol in graph["symbols"]:
        declared.setdefault(symbol["pathComponents"][0], []).append(symbol)
    types = {symbol["identifier"]["precise"]: symbol["pathComponents"][0] for symbol in graph["symbols"]}
    found = {
        name
        for name, symbols in declared.items()
        if any("/OrientationClient/" in symbol.get("location", {}).get("uri", "") for symbol in symbols)
    }
    kept = set()
    while found:
        kept |= found
        named = {
            types.get(fragment.get("preciseIdentifier"))
            for name in found
            for symbol in declared[name]
            for fragment in symbol["declarationFragments"]
        }
        found = named - kept - {None}
    graph["symbols"] = [symbol for name in sorted(kept) for symbol in declared[name]]
    precise = {symbol["identifier"]["precise"] for symbol in graph["symbols"]}
    graph["relationships"] = [relation for relation in graph["relationships"] if relation["source"] in precise]
    json.dump(graph, sys.stdout)
    missing = without_topic(graph["symbols"], sys.argv[1])
    if missing:
        sys.exit(f"{sys.argv[1]}: no topic has {', '.join(missing)}")


if __name__ == "__main__":
    main()
