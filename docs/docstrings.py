#!/usr/bin/python3 -B
# SPDX-License-Identifier: Apache-2.0
"""Writes what docs/org.orientd1.md says of each member into the introspection data: docstrings.py

The annotation is that of gdbus-codegen; other code generators ignore it. Of the text of a method it has the paragraphs
before the first table, list or example; of a property that has a table of its values, those too.
"""

import itertools
import pathlib
import re
from xml.sax.saxutils import quoteattr

ROOT = pathlib.Path(__file__).resolve().parents[1]
REFERENCE = ROOT / "docs" / "org.orientd1.md"
INTERFACES = ROOT / "systemd" / "dbus-1" / "interfaces"
ANNOTATION = "org.gtk.GDBus.DocString"
ELEMENT = re.compile(r'( *)<(interface|property|method|signal) name="([\w.]+)"([^>]*?)( /)?>')


def plain(text):
    """Returns a text in one line, without the links of Markdown."""
    text = re.sub(r"\[([^]]*)\]\(#[^)]*\)", r"section \1 of org.orientd1.md", text)
    return re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", " ".join(text.split()))


def documented(interface):
    """Returns the texts of an interface and its members, as {(element, name): text}."""
    (section,) = re.findall(rf"^## Interface `{re.escape(interface)}`\n\n(.*?)(?=^## |\Z)", REFERENCE.read_text(), re.M | re.S)
    texts = {("interface", interface): section.partition("\n\n")[0]}
    for title, element in (("Properties", "property"), ("Signals", "signal")):
        for part in re.findall(rf"^### {title}\n(.*?)(?=^##|\Z)", section, re.M | re.S):
            rows = re.findall(r"^\| `(\w+)` \|.* \| (.*) \|$", part, re.M)
            texts |= {(element, name): text for name, text in rows}
    for name, body in re.findall(r"^### Values of `(\w+)`\n(.*?)(?=^##|\Z)", section, re.M | re.S):
        values = re.findall(r"^\| (`[\w-]+`) \| (.*) \|$", body, re.M)
        listed = " · ".join(f"{value} {text}" for value, text in values)
        texts["property", name] = re.sub(r" \(\[values\].*", f": {listed}.", texts["property", name])
    for name, body in re.findall(r"^### Method `(\w+)\([^\n]*\)`\n\n(.*?)(?=^#|\Z)", section, re.M | re.S):
        paragraphs = body.strip().split("\n\n")
        texts["method", name] = " ".join(itertools.takewhile(lambda text: text[0] not in "|-`", paragraphs))
    return {member: plain(text) for member, text in texts.items()}


def annotated(data, interface):
    """Returns introspection data with the texts of this interface in place of those that it has."""
    texts = documented(interface)
    lines = []
    for line in data.splitlines():
        if ANNOTATION in line:
            continue
        found = ELEMENT.fullmatch(line)
        if not found:
            lines.append(line)
            continue
        indent, element, name, attributes, is_empty = found.groups()
        text = quoteattr(texts[element, name])
        lines.append(f'{indent}<{element} name="{name}"{attributes}>')
        lines.append(f'{indent} <annotation name="{ANNOTATION}" value={text} />')
        if is_empty:
            lines.append(f"{indent}</{element}>")
    return "\n".join(lines) + "\n"


def main():
    for path in INTERFACES.glob("org.orientd1.*.xml"):
        path.write_text(annotated(path.read_text(), path.stem))


if __name__ == "__main__":
    main()
