#!/usr/bin/python3 -B
# SPDX-License-Identifier: Apache-2.0
"""Draws what costs.py measured as an SVG: chart.py COSTS.JSON"""

import json
import pathlib
import sys
from xml.sax.saxutils import escape

from figures import SENSORS, Figures
from report import cell

STYLE = """
text { font: 12px system-ui, "Segoe UI", Cantarell, "DejaVu Sans", sans-serif; fill: #1f2328; }
.title { font-weight: 600; font-size: 13px; }
.label, .note { fill: #59636e; }
.label, .value { font-size: 11px; }
.page { fill: #ffffff; stroke: #d1d9e0; }
.ours { fill: #0969da; }
.peer { fill: #bc8b50; }
.newer { fill: #8250df; }
.whisker { stroke: #59636e; }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc; }
  .label, .note { fill: #9198a1; }
  .page { fill: #0d1117; stroke: #3d444d; }
  .ours { fill: #4493f8; }
  .peer { fill: #9a6f3a; }
  .newer { fill: #a475f9; }
  .whisker { stroke: #9198a1; }
}
"""
# The styles of the programs.
STYLES = "ours", "peer", "newer"
MARGIN, PANEL = 24, 420
LABEL, BAR, BARS_GAP, TITLE = 165, 11, 8, 28
# The longest bar leaves room for its value.
LONGEST = PANEL - LABEL - 55


class Panel:
    """Bars of one figure: a group for each sensor, with a value for each program, and whiskers up to further values."""

    def __init__(self, title, values, whiskers=None):
        self.title = title
        whiskers = whiskers or (lambda _: [None] * len(STYLES))
        self.groups = [(sensor, values(sensor), whiskers(sensor)) for sensor in SENSORS]

    @property
    def height(self):
        return TITLE + len(self.groups) * (len(STYLES) * BAR + BARS_GAP)

    def draw(self, left, top):
        """Yields the elements."""
        yield f'<text class="title" x="{left}" y="{top + 12}">{escape(self.title)}</text>'
        everything = [value for _, values, whiskers in self.groups for value in [*values, *whiskers] if value]
        scale = LONGEST / max(everything, default=1)
        y = top + TITLE
        for sensor, values, whiskers in self.groups:
            yield f'<text class="label" x="{left}" y="{y + len(STYLES) * BAR / 2 + 4}">{escape(SENSORS[sensor])}</text>'
            for name, value, whisker in zip(STYLES, values, whiskers):
                if value is not None:
                    yield from self.draw_bar(name, left + LABEL, y, value, whisker, scale)
                y += BAR
            y += BARS_GAP

    def draw_bar(self, name, x, y, value, whisker, scale):
        width = max(1, value * scale)
        yield f'<rect class="{name}" x="{x}" y="{y}" width="{width:.1f}" height="{BAR - 1}"/>'
        end = width
        if whisker is not None:
            end = max(width, whisker * scale)
            middle = y + (BAR - 1) / 2
            yield f'<path class="whisker" d="M{x + width:.1f} {middle}H{x + end:.1f}m0 -3v6"/>'
        text = cell(value) if whisker is None else f"{cell(value)} ({cell(whisker)})"
        yield f'<text class="value" x="{x + end + 5:.1f}" y="{y + BAR - 2}">{text}</text>'


def panels(figures):
    """Returns the panels in reading order."""
    def percentiles(figure, percent):
        """Returns a function from a sensor to the values of the programs."""
        return lambda sensor: [figures.percentile(program, sensor, figure, percent) for program in figures.programs]

    drawn = []
    for unit, title in (("wake-ups/min", "Wake-ups a minute"), ("CPU ms/min", "CPU time a minute, ms")):
        for state in ("at rest", "in motion"):
            drawn.append(Panel(f"{title}, {state}", percentiles(f"{state}: {unit}", 50)))
    for state, described in (("at rest", "from rest"), ("in motion", "in motion")):
        figure = f"{state}: latency ms"
        title = f"Delay of a turn {described}, ms: median (p90)"
        drawn.append(Panel(title, percentiles(figure, 50), percentiles(figure, 90)))
    return drawn


def draw(report):
    """Returns the SVG."""
    figures = Figures(report)
    elements = []
    top = MARGIN + 34
    for panel in panels(figures):
        elements += panel.draw(MARGIN, top)
        top += panel.height + 18
    width, height = 2 * MARGIN + PANEL, top + 30
    legend = []
    x = MARGIN
    for name, title in zip(STYLES, figures.programs):
        legend.append(f'<rect class="{name}" x="{x}" y="{MARGIN}" width="12" height="12"/>')
        legend.append(f'<text x="{x + 18}" y="{MARGIN + 11}">{escape(title)}</text>')
        x += 30 + 7 * len(title)
    machine = figures.machine
    notes = "Mocked sensors; shorter is better.", f"{machine['date']}, {machine['system']}, {machine['processors']}"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}">',
            "<!-- SPDX-License-Identifier: Apache-2.0 -->",
            f"<title>What orientd costs, next to iio-sensor-proxy</title>",
            f"<style>{STYLE}</style>",
            f'<rect class="page" x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="6"/>',
            *legend,
            *elements,
            *(
                f'<text class="note" x="{MARGIN}" y="{height - 30 + 16 * index}">{escape(note)}</text>'
                for index, note in enumerate(notes)
            ),
            "</svg>",
            "",
        ]
    )


if __name__ == "__main__":
    print(draw(json.loads(pathlib.Path(sys.argv[1]).read_text())), end="")
