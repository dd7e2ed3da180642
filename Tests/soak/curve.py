# SPDX-License-Identifier: Apache-2.0
"""What was measured over time, whether it is flat, and a picture of it."""

import csv
import statistics

# By the end of a column's name: how much the last quarter of the samples may exceed the first one after the warm-up, as
# a factor and in the column's unit. Memory comes in pages, and glibc's heap settles for a long time; the processor time
# depends on what happens by chance.
TOLERANCES = {"kB": (1.03, 200), "descriptors": (1, 0), "match rules": (1, 0), "ms": (1.5, 1)}
WIDTH, HEIGHT, LEFT, TOP, GAP = 900, 90, 220, 30, 26


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

    def picture(self):
        """Returns an SVG picture with one strip for each column; the warm-up is grey."""
        end = max(self.times, default=1) or 1
        height = TOP + len(self.columns) * (HEIGHT + GAP)
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 20}" height="{height}" '
            'font-family="sans-serif" font-size="12">',
            f'<rect width="100%" height="100%" fill="white"/><text x="10" y="18">{end:.0f} seconds</text>',
        ]
        for index, column in enumerate(self.columns):
            top = TOP + index * (HEIGHT + GAP)
            values = [sample[column] for sample in self.samples]
            most = max(values) or 1
            points = " ".join(
                f"{LEFT + time / end * WIDTH:.1f},{top + HEIGHT - value / most * HEIGHT:.1f}"
                for time, value in zip(self.times, values)
            )
            parts += [
                f'<rect x="{LEFT}" y="{top}" width="{WIDTH}" height="{HEIGHT}" fill="#f8f8f8"/>',
                f'<rect x="{LEFT}" y="{top}" width="{self.warm_up / end * WIDTH:.1f}" height="{HEIGHT}" fill="#e4e4e4"/>',
                f'<text x="10" y="{top + 14}">{column}</text><text x="10" y="{top + 30}">up to {most:.0f}</text>',
                f'<polyline points="{points}" fill="none" stroke="#1f5fbf" stroke-width="1.2"/>',
            ]
        return "\n".join([*parts, "</svg>", ""])
