#!/usr/bin/python3 -B
# SPDX-License-Identifier: Apache-2.0
"""Compares orientd's classifier with the rules of other programs; called by `make bench-classifier`.

Prints the tables of docs/classifier.md and draws its pictures. The synthetic traces are made from seeds, in memory.
"""

import argparse
import collections
import itertools
import multiprocessing
import os
import pathlib
import subprocess

import broad
import picture
import rules
from scenarios import RATES, SCENARIOS, Trace
from score import Score, percentile, score, summarize

PROGRAMS = {"orientd": [], "base": ["--classifier=base"]}
RULES = {
    "base, filtered": rules.LowPassed,
    "iio-sensor-proxy, each sample": rules.SensorProxy,
    "iio-sensor-proxy, every 700 ms": rules.PolledSensorProxy,
    "Android": rules.Android,
    "ChromeOS": rules.ChromeOS,
}
NAMES = [*PROGRAMS, *RULES]
SEEDS = 1, 2, 3, 4


def replay(orientctl, options, samples):
    """Returns the changes that `orientctl replay` prints for the samples, (time, edge)."""
    lines = (f"{time:.6f},{x:.6g},{y:.6g},{z:.6g}\n" for time, x, y, z in samples)
    command = [orientctl, "replay", *options, "-"]
    text = "t_seconds,x,y,z\n" + "".join(lines)
    output = subprocess.run(command, input=text, stdout=subprocess.PIPE, text=True, check=True).stdout
    return [(float(time), edge) for time, edge in map(str.split, output.splitlines())]


def changes(orientctl, samples):
    """Returns the changes that each classifier reports, {name: changes}."""
    found = {name: replay(orientctl, options, samples) for name, options in PROGRAMS.items()}
    return found | {name: rules.changes(rule(), samples) for name, rule in RULES.items()}


def score_trace(arguments):
    """Makes a trace and returns its scenario and scores, {name: score}."""
    orientctl, seed, index, number = arguments
    trace = Trace(SCENARIOS[number], index, seed)
    return number, {name: score(trace, found) for name, found in changes(orientctl, trace.samples).items()}


def compare_synthetic(pool, orientctl, seeds):
    """Returns the figures of each classifier, {name: {figure: value}}, and how many traces there are."""
    work = [(orientctl, *each) for each in itertools.product(seeds, range(len(RATES)), range(len(SCENARIOS)))]
    results = pool.map(score_trace, work, chunksize=1)
    figures = {name: summarize((SCENARIOS[number], scores[name]) for number, scores in results) for name in NAMES}
    return figures, len(work)


def synthetic_table(figures):
    yield (
        "| rule | wrong % | flaps/h | disturbed/h | faults/h | near misses/h | p50 / p95 ms | slow turn p50 ms "
        "| running, wrong % |"
    )
    yield "|---|---:|---:|---:|---:|---:|---:|---:|---:|"
    for name, row in figures.items():
        rates = " | ".join(rate(row[figure]) for figure in ("flaps", "disturbed", "faults", "near"))
        latencies = f"{row['p50']:.0f} / {row['p95']:.0f} | {row['slow']:.0f}"
        yield f"| {name} | {row['wrong']:.2f} | {rates} | {latencies} | {row['running']:.1f} |"


def score_file(arguments):
    """Returns the score of each classifier over a file's trials, {name: score}, and the number of turns."""
    orientctl, path, hertz = arguments
    scores, turns = collections.defaultdict(Score), 0
    for trial in broad.read(path, hertz):
        turns += len(trial.turns)
        for name, found in changes(orientctl, trial.samples).items():
            scores[name].add(trial.score(found))
    return dict(scores), turns


def compare_real(pool, orientctl, folder, hertz):
    """Returns the figures of each classifier, {name: {figure: value}}, and how many files and turns there are."""
    paths = sorted(folder.glob("*.mat"))
    if not paths:
        raise SystemExit(f"{folder} has no .mat files: give the folder data_mat of github.com/dlaidig/broad")
    totals, turns = collections.defaultdict(Score), 0
    for scores, count in pool.map(score_file, [(orientctl, path, hertz) for path in paths], chunksize=1):
        turns += count
        for name in NAMES:
            totals[name].add(scores[name])
    figures = {
        name: {
            "wrong": total.wrong_percent,
            "false": total.false_per_hour,
            "missed": total.missed,
            "p50": percentile(total.latencies, 50),
            "p95": percentile(total.latencies, 95),
        }
        for name, total in totals.items()
    }
    return figures, len(paths), turns


def real_table(figures):
    yield "| rule | wrong % | false/h | missed | p50 / p95 ms |"
    yield "|---|---:|---:|---:|---:|"
    for name, row in figures.items():
        latency = f"{row['p50']:.0f} / {row['p95']:.0f}"
        yield f"| {name} | {row['wrong']:.1f} | {rate(row['false'])} | {row['missed']} | {latency} |"


def rate(value):
    return f"{value:.0f}" if value >= 10 or value == 0 else f"{value:.1f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path, help="the folder of orientctl")
    parser.add_argument("--seeds", type=int, nargs="+", default=SEEDS, help="of the synthetic traces (%(default)s)")
    parser.add_argument("--data", type=pathlib.Path, help="the folder data_mat of github.com/dlaidig/broad")
    parser.add_argument("--rate", type=float, default=15.0, help="of the samples of --data, in Hz (%(default)s)")
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True, help="the folder for the pictures")
    arguments = parser.parse_args()
    orientctl = arguments.folder.resolve() / "orientctl"
    arguments.output.mkdir(parents=True, exist_ok=True)

    with multiprocessing.Pool(len(os.sched_getaffinity(0))) as pool:
        figures, traces = compare_synthetic(pool, orientctl, arguments.seeds)
        print(f"{traces} synthetic traces of the seeds {' '.join(map(str, arguments.seeds))}:\n")
        print(*synthetic_table(figures), sep="\n", flush=True)
        (arguments.output / "classifier-synthetic.svg").write_text(picture.draw_synthetic(figures))
        if arguments.data:
            figures, files, turns = compare_real(pool, orientctl, arguments.data, arguments.rate)
            print(f"\n{files} trials of BROAD in 6 frames, {turns} turns, {arguments.rate:g} Hz:\n")
            print(*real_table(figures), sep="\n")
            (arguments.output / "classifier-broad.svg").write_text(picture.draw_real(figures))


if __name__ == "__main__":
    main()
