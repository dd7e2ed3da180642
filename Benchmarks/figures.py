# SPDX-License-Identifier: Apache-2.0
"""The figures that costs.py measured: {program: {sensor: {figure: values}}}; "" stands for no particular sensor."""

import math

OURS, LIBIIO = "orientd", "libiio alone"
SENSORS = {
    "sensitive-hub": "HID hub, change sensitivity",
    "hub": "HID hub without sensitivity",
    "polled": "polled chip",
    "input": "input device",
}


def percentile(values, percent):
    """Returns the smallest value that `percent` of the values do not exceed."""
    return sorted(values)[max(0, math.ceil(len(values) * percent / 100) - 1)]


def counted(count, kind):
    """Returns, for example, "1 request" or "10 requests"."""
    return f"{count} {kind if count > 1 else kind.removesuffix('s')}"


class Figures:
    """The figures of one report of costs.py."""

    def __init__(self, report):
        self.results = report["results"]
        self.options = report["options"]
        self.machine = report["machine"]
        self.programs = [program for program in self.results if program != LIBIIO]

    def values(self, program, sensor, figure):
        return self.results.get(program, {}).get(sensor, {}).get(figure, [])

    def median(self, program, sensor, figure):
        """Returns the median, or None if nothing was measured."""
        return self.percentile(program, sensor, figure, 50)

    def percentile(self, program, sensor, figure, percent):
        """Returns a percentile, or None if nothing was measured."""
        values = self.values(program, sensor, figure)
        return percentile(values, percent) if values else None
