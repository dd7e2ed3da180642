#!/usr/bin/python3 -B
# SPDX-License-Identifier: Apache-2.0
"""Reduces the symbol graph of OrientationClient to what its users meet: symbols.py <GRAPH >GRAPH

The library exports all of OrientationCore. These types of it are kept: those that the declarations of OrientationClient
name, and those that their declarations name in turn.
"""

import json
import sys


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


if __name__ == "__main__":
    main()
