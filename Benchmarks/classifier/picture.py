# SPDX-License-Identifier: Apache-2.0
"""Draws classifiers by their latency and their false changes: a dot for each, the better the further down and left."""

import math
import statistics
from xml.sax.saxutils import escape

STYLE = """
text { font: 12px system-ui, "Segoe UI", Cantarell, "DejaVu Sans", sans-serif; fill: #1f2328; }
.title { font-weight: 600; font-size: 13px; }
.label { fill: #59636e; font-size: 11px; }
.middle { text-anchor: middle; }
.end { text-anchor: end; }
.page { fill: #ffffff; stroke: #d1d9e0; }
.grid { stroke: #d1d9e0; }
.peer { fill: #bc8b50; }
.ours { fill: #0969da; }
text.ours { font-weight: 600; }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc; }
  .label { fill: #9198a1; }
  .page { fill: #0d1117; stroke: #3d444d; }
  .grid { stroke: #3d444d; }
  .peer { fill: #9a6f3a; }
  .ours { fill: #4493f8; }
}
"""
WIDTH, HEIGHT = 640, 380
LEFT, RIGHT, TOP, BOTTOM = 64, WIDTH - 24, 48, HEIGHT - 52
# Every so many ms a line.
LATENCY_STEP = 100


def draw_synthetic(figures):
    """Returns the SVG of the synthetic traces."""
    kinds = "flaps", "disturbed", "faults", "near"
    dots = {name: (row["p50"], statistics.fmean(row[kind] for kind in kinds)) for name, row in figures.items()}
    return draw("Synthetic traces: false changes an hour, mean of four kinds", dots)


def draw_real(figures):
    """Returns the SVG of the trials of BROAD."""
    dots = {name: (row["p50"], row["false"]) for name, row in figures.items()}
    return draw("BROAD: false changes an hour", dots)


def draw(title, dots):
    """Returns the SVG of {name: (latency in ms, false changes an hour)}; the first is drawn as ours."""
    # A rate of nearly nothing has a place, too.
    rates = [max(0.1, rate) for _, rate in dots.values()]
    lowest, highest = math.floor(math.log10(min(rates))), math.ceil(math.log10(max(rates)))
    longest = LATENCY_STEP * math.ceil((max(latency for latency, _ in dots.values()) + 50) / LATENCY_STEP)

    def place(latency, rate):
        height = (math.log10(max(0.1, rate)) - lowest) / (highest - lowest)
        return LEFT + (RIGHT - LEFT) * latency / longest, BOTTOM - (BOTTOM - TOP) * height

    elements = []
    for power in range(lowest, highest + 1):
        _, y = place(0, 10.0**power)
        elements.append(f'<path class="grid" d="M{LEFT} {y:.1f}H{RIGHT}"/>')
        elements.append(f'<text class="label end" x="{LEFT - 8}" y="{y + 4:.1f}">{10.0**power:g}</text>')
    for latency in range(0, longest + 1, LATENCY_STEP):
        x, _ = place(latency, 1)
        elements.append(f'<path class="grid" d="M{x:.1f} {TOP}V{BOTTOM}"/>')
        elements.append(f'<text class="label middle" x="{x:.1f}" y="{BOTTOM + 18}">{latency}</text>')
    places = {name: place(*dot) for name, dot in dots.items()}
    taken = [(x - 8, y - 8, x + 8, y + 8) for x, y in places.values()]
    for index, (name, (x, y)) in enumerate(places.items()):
        kind = "peer" if index else "ours"
        elements.append(f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{5 if index else 7}"/>')
        elements.append(label(name, x, y, "" if index else "ours", taken))
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
            f'viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
            "<!-- SPDX-License-Identifier: Apache-2.0 -->",
            f"<title>{escape(title)}, against the latency of a turn</title>",
            f"<style>{STYLE}</style>",
            f'<rect class="page" x="0.5" y="0.5" width="{WIDTH - 1}" height="{HEIGHT - 1}" rx="6"/>',
            f'<text class="title" x="{LEFT}" y="22">{escape(title)}</text>',
            f'<text class="label" x="{LEFT}" y="39">lower left is better; base: the dominant axis of each sample</text>',
            f'<text class="label middle" x="{(LEFT + RIGHT) / 2}" y="{BOTTOM + 38}">',
            "latency of a turn, median, ms</text>",
            *elements,
            "</svg>",
            "",
        ]
    )


def label(name, x, y, style, taken):
    """Returns the name beside its dot, where it covers nothing that is taken: boxes, to which its own is added."""
    width = 6.8 * len(name)
    for rise in (0, -14, 14, -28, 28):
        for left, anchor in ((x + 12, ""), (x - 12 - width, "end")):
            box = left, y - rise - 7, left + width, y - rise + 7
            is_free = all(box[2] < a or c < box[0] or box[3] < b or d < box[1] for a, b, c, d in taken)
            if is_free and LEFT <= box[0] and box[2] <= WIDTH:
                taken.append(box)
                at = left + width if anchor else left
                return f'<text class="{anchor} {style}" x="{at:.1f}" y="{y - rise + 4:.1f}">{escape(name)}</text>'
    raise ValueError(f"no place for {name}")
