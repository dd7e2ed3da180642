#!/usr/bin/python3 -B
# SPDX-License-Identifier: Apache-2.0
"""Measures orientd next to iio-sensor-proxy with mocked accelerometers on private buses; prints a table, draws it.

Writes costs.json, costs.md and costs.svg to .build/bench. Every program, kind of sensor and instance has a process, a
bus and a device of its own. They run at the same time: a loaded machine affects all of them.

wake-ups    voluntary context switches of all threads
CPU         run time of all threads
memory      smaps_rollup
start       from fork until HasAccelerometer of net.hadess.SensorProxy is true
latency     from the moment at which a natural turn crosses 45 degrees until PropertiesChanged is received
in motion   held in a swaying hand; turns follow each other
at rest     40 s after the last movement

All figures include the overhead of umockdev's preload: a little memory, and some time for each sysfs access.
"""

import argparse
import ctypes
import datetime
import json
import os
import pathlib
import platform
import resource
import signal
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SOURCE_ROOT = HERE.parent
INTEGRATION = SOURCE_ROOT / "Tests" / "integration"
OUTPUT = SOURCE_ROOT / ".build" / "bench"
sys.path.insert(0, str(INTEGRATION))

from chart import draw  # noqa: E402
from preload import PR_SET_PDEATHSIG, is_preloaded, run_with_preload  # noqa: E402
from programs import programs, provide_peers  # noqa: E402
from report import table  # noqa: E402

FULL = {
    "starts": 40,
    "instances": 3,
    "unclaimed": 10,
    "motion": 30,
    "turns": 34,
    "rest": 60,
    "rest turns": 7,
    "subscribers": [1, 10, 100, 1000],
    "requests": [1, 100, 10_000],
    "growth turns": 5,
}
QUICK = FULL | {
    "starts": 10,
    "instances": 1,
    "unclaimed": 5,
    "motion": 10,
    "turns": 8,
    "rest": 20,
    "rest turns": 1,
    "subscribers": [1, 10, 100],
    "requests": [1, 100, 1000],
    "growth turns": 2,
}
SENSORS = ("sensitive-hub", "hub", "polled", "input")
HINGES = ("accelerometers", "hinge")


def run_together(jobs):
    """Runs scripts, each with its options, at the same time, and yields what they print."""
    libc = ctypes.CDLL(None)
    processes = [
        subprocess.Popen(
            ["/usr/bin/python3", "-B", HERE / script, json.dumps(options)],
            env=dict(os.environ, PYTHONPATH=str(INTEGRATION)),
            stdout=subprocess.PIPE,
            preexec_fn=lambda: libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL),
        )
        for script, options in jobs
    ]
    for process, (script, options) in zip(processes, jobs):
        output = process.communicate()[0]
        if process.returncode != 0:
            sys.exit(f"{script} failed with {options}")
        yield json.loads(output)


def merge(results, more):
    """Adds {program: {sensor: {figure: values}}} to results of the same form."""
    for program, sensors in more.items():
        for sensor, figures in sensors.items():
            merged = results.setdefault(program, {}).setdefault(sensor, {})
            for figure, values in figures.items():
                merged.setdefault(figure, []).extend(values)


def measure(options):
    """Takes all measurements and returns {program: {sensor: {figure: values}}}."""
    found = programs()
    results = {title: {"": {"stripped B": [program.stripped_size()]}} for title, program in found.items()}
    sensing = [
        ("sensing.py", options | {"program": title, "sensor": sensor, "seed": instance})
        for instance in range(options["instances"])
        for sensor in SENSORS
        for title in found
    ]
    hinge = [("hinge.py", options | {"sensor": sensor}) for sensor in HINGES]
    alone = [("libiio.py", options | {"sensor": sensor, "seed": 0}) for sensor in ("hub", "polled")]
    subscribers = [("growth.py", options | {"program": title, "kind": "subscribers"}) for title in found]
    requests = [("growth.py", options | {"program": "orientd", "kind": "requests"})]
    for what, jobs in (
        ("start", [("start.py", options)]),
        ("subscribers", subscribers),
        ("requests", requests),
        ("sensors", sensing + alone + hinge),
    ):
        print(f"{datetime.datetime.now():%H:%M:%S} {what}", file=sys.stderr)
        for more in run_together(jobs):
            merge(results, more)
    return results


def machine():
    """Returns a description of this machine."""
    model = [line for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    processor = platform.machine()
    if model:
        # The picture of the costs is narrow.
        processor = model[0].split(":")[1].replace("(R)", "").strip().removesuffix(" Processor")
    return {
        "date": f"{datetime.date.today()}",
        "system": platform.freedesktop_os_release()["PRETTY_NAME"],
        "kernel": platform.release().split("-")[0],
        "processors": f"{os.cpu_count()} × {processor}",
    }


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    default = os.environ.get("ORIENTD_BUILD", SOURCE_ROOT / ".build" / "bin")
    parser.add_argument("build", nargs="?", default=default, help="folder of orientd (%(default)s)")
    parser.add_argument("--quick", action="store_true", help="three minutes instead of ten, with fewer repetitions")
    return parser.parse_args()


def main(arguments):
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))  # 1000 subscribers
    OUTPUT.mkdir(parents=True, exist_ok=True)
    provide_peers()
    options = QUICK if arguments.quick else FULL
    report = {"machine": machine(), "options": options}
    report["results"] = measure(options)
    (OUTPUT / "costs.json").write_text(json.dumps(report, indent=1) + "\n")
    text = table(report)
    (OUTPUT / "costs.md").write_text(text)
    (OUTPUT / "costs.svg").write_text(draw(report))
    print(text)


if __name__ == "__main__":
    parsed = parse_arguments()
    if is_preloaded():
        main(parsed)
    else:
        sys.exit(run_with_preload(pathlib.Path(parsed.build).resolve(), sys.argv[1:]))
