# SPDX-License-Identifier: Apache-2.0
"""What was measured over time, whether it is flat, and a picture of it."""

import csv
import statistics

from chart import MARGIN, PANEL, STYLE, TITLE

# By the end of a column's name: how much the last quarter of the samples may exceed the first one after the warm-up, as
# a factor and in the column's unit. Memory comes in pages, and glibc's heap settles for a long time; the processor time
# depends on what happens by chance.
TOLERANCES = {"kB": (1.03, 200), "descriptors": (1, 0), "match rules": (1, 0), "ms": (1.5, 1)}
HEIGHT, POINTS = 60, 210
CURVES = """
.curve { fill: none; stroke: #0969da; stroke-width: 1.2; }
.axis { stroke: #8c959f; }
.warm-up { fill: #8c959f; fill-opacity: 0.2; }
@media (prefers-color-scheme: dark) { .curve { stroke: #4493f8; } }
"""


def span(seconds):
    """Returns a time in words, such as "an hour" for the 3595 s until the last sample of an hour."""
    minutes = round(seconds / 60)
    if minutes == 60:
        return "an hour"
    return f"{minutes} minutes" if minutes > 1 else f"{seconds:.0f} seconds"


class Curve:
    """The samples of a run, which are dictionaries with the same keys."""

    def __init__(self, warm_up):
        self.warm_up = warm_up
        self.times = []
        self.samples = []

    def add(self, time, sample):
        self.times.append(time)
        self.samples.append(sample)

    @property
    def columns(self):
        return list(self.samples[0]) if self.samples else []

    def ends(self, column):
        """Returns the medians of the first and of the last quarter after the warm-up; None without enough samples."""
        values = [sample[column] for time, sample in zip(self.times, self.samples) if time >= self.warm_up]
        quarter = len(values) // 4
        if not quarter:
            return None
        return statistics.median(values[:quarter]), statistics.median(values[-quarter:])

    def problems(self):
        """Returns what is not flat, as lines."""
        found = []
        for column in self.columns:
            ends = self.ends(column)
            if ends is None:
                found.append(f"{column}: too few samples after {self.warm_up:.0f} s")
                continue
            factor, allowance = next(value for end, value in TOLERANCES.items() if column.endswith(end))
            if ends[1] > ends[0] * factor + allowance:
                found.append(f"{column} grows from {ends[0]:.1f} to {ends[1]:.1f}")
        return found or ([] if self.samples else ["nothing was measured"])

    def summary(self):
        """Returns the figures of each column as lines."""
        lines = [f"{len(self.samples)} samples; medians of the first and last quarter after {self.warm_up:.0f} s:"]
        for column in self.columns:
            values = [sample[column] for sample in self.samples]
            first, last = self.ends(column) or (float("nan"),) * 2
            lines.append(f"  {column}: {first:.1f} -> {last:.1f} (least {min(values):.1f}, most {max(values):.1f})")
        return "\n".join(lines)

    def write(self, folder):
        """Writes soak.csv and soak.svg."""
        with open(folder / "soak.csv", "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["seconds", *self.columns])
            for time, sample in zip(self.times, self.samples):
                writer.writerow([f"{time:.1f}", *(f"{value:.3f}" for value in sample.values())])
        (folder / "soak.svg").write_text(self.picture(), encoding="utf-8")

    def highest(self, column):
        """Returns the highest value in each of POINTS parts of the time, (part, value); a part may have none."""
        end = max(self.times, default=1) or 1
        parts = {}
        for time, sample in zip(self.times, self.samples):
            part = min(POINTS - 1, int(time / end * POINTS))
            parts[part] = max(sample[column], parts.get(part, 0))
        return sorted(parts.items())

    def draw(self, column, left, top):
        """Yields the elements of a panel: a curve from 0 to the highest value, over the grey warm-up."""
        points = self.highest(column)
        most = max(value for _, value in points) or 1
        line = " ".join(
            f"{left + part / POINTS * PANEL:.0f},{top + TITLE + HEIGHT - value / most * HEIGHT:.1f}"
            for part, value in points
        )
        width = self.warm_up / (max(self.times) or 1) * PANEL
        text = f"{most:.0f}" if most >= 10 or most == round(most) else f"{most:.1f}"
        yield f'<text class="title" x="{left}" y="{top + 12}">{column}</text>'
        yield f'<text class="value" x="{left + PANEL}" y="{top + 12}" text-anchor="end">up to {text}</text>'
        yield f'<rect class="warm-up" x="{left}" y="{top + TITLE}" width="{width:.0f}" height="{HEIGHT}"/>'
        yield f'<path class="axis" d="M{left} {top + TITLE + HEIGHT}h{PANEL}"/>'
        yield f'<polyline class="curve" points="{line}"/>'

    def picture(self):
        """Returns an SVG picture with one panel for each column."""
        step = TITLE + HEIGHT + 18
        elements = []
        for index, column in enumerate(self.columns):
            elements += self.draw(column, MARGIN, MARGIN + 30 + index * step)
        width, height = 2 * MARGIN + PANEL, MARGIN + 30 + len(self.columns) * step
        use = f"{span(max(self.times, default=0))} of use"
        note = f"{use[0].upper()}{use[1:]}, from left to right; grey is the warm-up"
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
                f'viewBox="0 0 {width} {height}">',
                "<!-- SPDX-License-Identifier: Apache-2.0 -->",
                f"<title>What orientd and orient-agent take in {use}, as in a day at speed</title>",
                f"<style>{STYLE}{CURVES}</style>",
                f'<rect class="page" x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="6"/>',
                f'<text class="note" x="{MARGIN}" y="{MARGIN + 10}">{note}</text>',
                *elements,
                "</svg>",
                "",
            ]
        )
