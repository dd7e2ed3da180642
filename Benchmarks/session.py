#!/usr/bin/python3 -B
# SPDX-License-Identifier: Apache-2.0
"""Measures orient-agent in the sessions of headless compositors; orientd reads one mocked accelerometer.

latency     from orientd's DidTransition to the compositor's announcement of the panel's new transform (wl_output.done),
            both as this process receives them, with real-time priority: otherwise it would handle both at once when it
            is scheduled after both
memory      smaps_rollup of the agent after all turns
wake-ups    voluntary context switches of the agent per minute while nothing changes

Needs root: the compositors run in a tree of Debian packages, see Tests/session/run.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
SESSION = HERE.parent / "Tests" / "session"
sys.path[:0] = [str(SESSION), str(HERE.parent / "Tests" / "integration")]

from preload import is_preloaded, run_with_preload  # noqa: E402

if is_preloaded():
    from gi.repository import GLib

    from agent import SessionRig
    from compositor import PANEL, Labwc, Phoc, Sway
    from figures import percentile
    from loop import run_for, run_until
    from rig import ACTIONS, BUS_NAME, MANAGER, TIMEOUT, accelerometer, wait_until
    from rotation import HELD
    from usage import Window, memory

TURNS = ("landscape-left", "portrait-upside-down", "landscape-right", "portrait")


def use_real_time_priority(wanted):
    """Gives all threads of this process real-time priority, or the usual one; children inherit it."""
    for thread in os.listdir("/proc/self/task"):
        if wanted:
            os.sched_setscheduler(int(thread), os.SCHED_FIFO, os.sched_param(1))
        else:
            os.sched_setscheduler(int(thread), os.SCHED_OTHER, os.sched_param(0))


class Measurement:
    """The agent in one compositor. `results` maps titles to lists of values."""

    def __init__(self, compositor_class, results):
        self.results = results
        self.rig = SessionRig(compositor_class)
        self.announced = []
        self.shown = []
        self.watch = None

    def add(self, title, value):
        self.results.setdefault(title, []).append(value)

    def start(self):
        """Starts orientd, the compositor and the agent, and returns the agent once it has claimed the sensor."""
        rig = self.rig
        rig.start_polkit(allowed=ACTIONS)
        rig.add_device(accelerometer(raw=HELD["portrait"][0]))
        rig.start_orientd("--rate", "100", configuration="[Orientation]\nClassifier=base\n")
        rig.compositor.start()
        agent = rig.spawn_agent(f"--output={PANEL}")
        wait_until(lambda: rig.client.get("Claims") == 1, "the agent claims the sensor")
        rig.client.connection.signal_subscribe(
            BUS_NAME, MANAGER, "DidTransition", None, None, 0, lambda *_: self.announced.append(time.monotonic())
        )
        rig.client.round_trip()
        self.display = rig.compositor.display()
        self.transforms = self.display.transforms(PANEL)
        self.watch = GLib.io_add_watch(self.display.fileno(), GLib.PRIORITY_HIGH, GLib.IO_IN, self.receive)
        return agent

    def receive(self, *_):
        before = len(self.transforms)
        self.display.receive()
        if len(self.transforms) > before:
            self.shown.append(time.monotonic())
        return True

    def run(self, turns, window):
        """Takes all measurements."""
        try:
            agent = self.start()
            use_real_time_priority(True)
            for turn in range(turns):
                self.announced.clear()
                self.shown.clear()
                started = time.monotonic()
                self.rig.turn(HELD[TURNS[turn % len(TURNS)]][0])
                if not run_until(lambda: self.announced and self.shown, TIMEOUT):
                    raise AssertionError(f"the panel does not turn within {TIMEOUT} s")
                self.add("turn, ms", (self.shown[-1] - started) * 1e3)
                self.add("latency, ms", (self.shown[-1] - self.announced[-1]) * 1e3)
            use_real_time_priority(False)
            rss, dirty = memory(agent.process.pid)
            self.add("RSS, kB", rss)
            self.add("private dirty, kB", dirty)
            run_for(1)
            observed = Window(agent.process.pid)
            run_for(window)
            seconds, _, switches = observed.end()
            self.add("wake-ups per minute", switches * 60 / seconds)
        finally:
            use_real_time_priority(False)
            if self.watch:
                GLib.source_remove(self.watch)
            self.rig.close()


def summary(values):
    """Returns the median, the 95th percentile and the maximum."""
    return " / ".join(f"{value:.1f}" for value in (percentile(values, 50), percentile(values, 95), max(values)))


def print_table(results):
    """Prints a table with a row for each figure and a column for each compositor."""
    titles = list(dict.fromkeys(title for figures in results.values() for title in figures))
    print(f"{'median / p95 / max':24}" + "".join(f"{name:>28}" for name in results))
    for title in titles:
        print(f"{title:24}" + "".join(f"{summary(figures[title]):>28}" for figures in results.values()))


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    default = os.environ.get("ORIENTD_BUILD", HERE.parent / ".build" / "bin")
    parser.add_argument("build", nargs="?", default=default, help="folder of the programs (%(default)s)")
    parser.add_argument("--suite", default="trixie", help="Debian suite of the compositors (%(default)s)")
    parser.add_argument("--turns", type=int, default=40, help="turns per compositor (%(default)s)")
    parser.add_argument("--window", type=float, default=20, help="seconds of the period at rest (%(default)s)")
    return parser.parse_args()


def main(options):
    results = {}
    for compositor_class in (Sway, Labwc, Phoc):
        print(compositor_class.name, file=sys.stderr)
        Measurement(compositor_class, results.setdefault(compositor_class.name, {})).run(options.turns, options.window)
    print_table(results)


if __name__ == "__main__":
    arguments = parse_arguments()
    if is_preloaded():
        main(arguments)
    else:
        tree = HERE.parent / ".build" / "session" / arguments.suite
        subprocess.run([SESSION / "build-tree.sh", tree, arguments.suite], check=True)
        os.environ["SESSION_TREE"] = str(tree)
        sys.exit(run_with_preload(pathlib.Path(arguments.build).resolve(), sys.argv[1:]))
