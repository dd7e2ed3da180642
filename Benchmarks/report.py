#!/usr/bin/python3 -B
# SPDX-License-Identifier: Apache-2.0
"""Prints what costs.py measured as Markdown: report.py [--update] COSTS.JSON

With --update, replaces the text between <!-- costs --> and <!-- end of costs --> in docs/costs.md, and in README.md by
a summary, instead; there the delay is between <!-- delay --> and <!-- end of delay -->.
"""

import argparse
import json
import pathlib
import re

from figures import LIBIIO, OURS, SENSORS, Figures, counted

ROOT = pathlib.Path(__file__).resolve().parents[1]
HINGES = ("accelerometers", "hinge")
START = "start until a desktop knows the accelerometer"


def cell(value, scale=1):
    """Returns a number with at most one decimal place, or a dash if there is none."""
    if value is None:
        return "-"
    value /= scale
    return f"{value:.0f}" if value >= 100 or value == round(value) else f"{value:.1f}"


def row(*cells):
    return f"| {' | '.join(cells)} |"


def sensor_rows(figures):
    """Yields the rows of the figures that depend on the sensor; a cell has a value for each program."""
    yield row(" / ".join(figures.programs), *SENSORS.values())
    yield row("---", *["---"] * len(SENSORS))

    def compare(title, value):
        return row(
            title, *(" / ".join(cell(value(program, sensor)) for program in figures.programs) for sensor in SENSORS)
        )

    def medians(figure):
        return lambda program, sensor: figures.median(program, sensor, figure)

    states = {"unclaimed": "unclaimed", "at rest": "claimed, at rest", "in motion": "claimed, in motion"}
    for unit, title in (("wake-ups/min", "wake-ups a minute"), ("CPU ms/min", "CPU ms a minute")):
        for state, described in states.items():
            yield compare(f"{title}, {described}", medians(f"{state}: {unit}"))
    for state, described in (("at rest", "from rest"), ("in motion", "in motion")):
        for percent in (50, 90, 99):
            figure = f"{state}: latency ms"
            yield compare(
                f"delay of a turn {described}, ms, p{percent}",
                lambda program, sensor: figures.percentile(program, sensor, figure, percent),
            )
        missed = f"{state}: missed turns"
        if any(figures.values(program, sensor, missed) for program in figures.programs for sensor in SENSORS):
            yield compare(
                f"missed turns {described}", lambda program, sensor: len(figures.values(program, sensor, missed))
            )
    for unit, title in (("resident kB", "resident memory, kB"), ("private dirty kB", "private dirty memory, kB")):
        for state in ("unclaimed", "in motion"):
            yield compare(f"{title}, {states[state].split(',')[0]}", medians(f"{state}: {unit}"))
    figure = "in motion: CPU us/reading"
    values = (
        [cell(figures.median(program, sensor, figure)) for program in (OURS, LIBIIO)]
        if figures.values(LIBIIO, sensor, figure)
        else ["-"]
        for sensor in SENSORS
    )
    yield row("CPU µs a reading, orientd / libiio alone", *(" / ".join(pair) for pair in values))


def hinge_rows(figures):
    """Yields the rows of the virtual tablet switch, which iio-sensor-proxy does not have."""
    yield row("the virtual tablet switch is on, unclaimed", "two polled accelerometers", "hinge sensor")
    yield row("---", "---", "---")
    for unit, title in (("wake-ups/min", "wake-ups a minute"), ("CPU ms/min", "CPU ms a minute")):
        for state in ("in motion", "at rest"):
            yield row(
                f"{title}, {state}",
                *(cell(figures.median(OURS, sensor, f"switch, {state}: {unit}")) for sensor in HINGES),
            )


def program_rows(figures):
    """Yields the rows of the figures that do not depend on the sensor."""
    yield row("", *figures.programs)
    yield row("---", *["---"] * len(figures.programs))
    for percent in (50, 90):
        starts = [figures.percentile(program, "", "start s", percent) for program in figures.programs]
        yield row(
            f"{START}, ms, p{percent}",
            *(cell(None if start is None else start * 1000) for start in starts),
        )
    yield row(
        "executable without symbols, kB",
        *(cell(figures.median(program, "", "stripped B"), 1000) for program in figures.programs),
    )
    for kind, cpu, unit in (
        ("subscribers", "CPU ms/min", "CPU ms a minute"),
        ("requests", "CPU us/request", "CPU µs a request"),
    ):
        for count in figures.options[kind]:
            what = counted(count, kind)
            cells = []
            for program in figures.programs:
                parts = [
                    cell(figures.median(program, "", f"{what}: {figure}"))
                    for figure in ("resident kB", "private dirty kB", cpu)
                ]
                cells.append("-" if set(parts) == {"-"} else " / ".join(parts))
            yield row(f"{what}: kB resident / kB private dirty / {unit}", *cells)


def table(report):
    """Returns the Markdown."""
    figures = Figures(report)
    machine, options = figures.machine, figures.options
    turns = [options["instances"] * options[name] for name in ("turns", "rest turns")]
    return "\n".join(
        [
            f"{machine['date']}, {machine['system']}, Linux {machine['kernel']}, {machine['processors']};",
            f"medians of {options['instances']} runs, {turns[0]} turns in motion and {turns[1]} from rest for each "
            "cell.",
            "",
            *sensor_rows(figures),
            "",
            *hinge_rows(figures),
            "",
            *program_rows(figures),
            "",
        ]
    )


def summary(report):
    """Returns two tables of the README, the delay and the rest, with the range of the medians for kinds of sensors."""
    figures = Figures(report)

    def span(program, figure, unit):
        medians = [figures.median(program, sensor, figure) for sensor in SENSORS]
        least, most = (f"{value:.0f}" if value >= 1 else f"{value:.1f}" for value in (min(medians), max(medians)))
        return (least if least == most else f"{least} to {most}") + unit

    rows = (
        ("delay of a turn from rest", "at rest: latency ms", " ms"),
        ("wake-ups a minute at rest", "at rest: wake-ups/min", ""),
        ("wake-ups a minute in motion", "in motion: wake-ups/min", ""),
        ("CPU time a minute at rest", "at rest: CPU ms/min", " ms"),
        ("CPU time a minute in motion", "in motion: CPU ms/min", " ms"),
    )
    head = [
        row("medians for four kinds of mocked sensors", *figures.programs),
        row("---", *["---"] * len(figures.programs)),
    ]
    delay, *rest = (
        row(title, *(span(each, figure, unit) for each in figures.programs)) for title, figure, unit in rows
    )
    start = row(START, *(f"{cell(figures.median(each, '', 'start s'), 1e-3)} ms" for each in figures.programs))
    return "\n".join([*head, delay, ""]), "\n".join([*head, *rest, start, ""])


def update(path, text, mark="costs"):
    """Replaces the figures in a document."""
    begin, end = f"<!-- {mark} -->\n", f"<!-- end of {mark} -->"
    after, count = re.subn(f"{begin}.*?{end}", lambda _: begin + text + end, path.read_text(), flags=re.DOTALL)
    if count != 1:
        raise SystemExit(f"{path} has no place for the table")
    path.write_text(after)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("costs", type=pathlib.Path)
    parser.add_argument("--update", action="store_true", help="update docs/costs.md and README.md instead")
    arguments = parser.parse_args()
    report = json.loads(arguments.costs.read_text())
    if arguments.update:
        update(ROOT / "docs" / "costs.md", table(report))
        delay, rest = summary(report)
        update(ROOT / "README.md", delay, "delay")
        update(ROOT / "README.md", rest)
    else:
        print(table(report))


if __name__ == "__main__":
    main()
