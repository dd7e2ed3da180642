#!/usr/bin/python3 -B
# SPDX-License-Identifier: Apache-2.0
"""Measures one program with one kind of sensor: unclaimed, held in a hand, turned, and at rest.

usage: sensing.py OPTIONS, as JSON; called by costs.py.
"""

import json
import random
import sys
import time

from daemon import Bench
from loop import run_for
from programs import programs
from sensors import KINDS
from usage import Window, memory

# Seconds without a movement before the device counts as at rest.
REST = 40


class Sensing:
    """The measurements of one program; `figures` maps names to lists of values."""

    def __init__(self, options):
        self.options = options
        self.random = random.Random(options["seed"])
        kind = KINDS[options["sensor"]]
        self.bench = Bench(programs()[options["program"]], lambda rig: kind(rig, options["seed"]))
        self.movement = self.bench.sensor.movement
        self.figures = {}

    def add(self, figure, value):
        self.figures.setdefault(figure, []).append(value)

    def observe(self, pid, state, seconds):
        """Measures wake-ups, run time and memory over a period."""
        readings = self.bench.sensor.readings()
        window = Window(pid)
        run_for(seconds)
        elapsed, run_time, switches = window.end()
        if readings is not None:
            readings = self.bench.sensor.readings() - readings
        self.add(f"{state}: wake-ups/min", switches * 60 / elapsed)
        self.add(f"{state}: CPU ms/min", run_time / 1e6 * 60 / elapsed)
        if readings:
            self.add(f"{state}: CPU us/reading", run_time / 1e3 / readings)
        resident, dirty = memory(pid)
        self.add(f"{state}: resident kB", resident)
        self.add(f"{state}: private dirty kB", dirty)

    def turn(self, state):
        """Turns the device and measures how long after the crossing of 45 degrees the program announces it."""
        crossed, ended, announced = self.bench.turn()
        if announced is None:
            self.add(f"{state}: missed turns", 1)
        else:
            self.add(f"{state}: latency ms", (announced - crossed) * 1e3)
        run_for(max(0, ended - time.monotonic()))

    def run(self):
        """Takes all measurements and returns them."""
        options = self.options
        try:
            process, _ = self.bench.start()
            run_for(2)
            self.observe(process.pid, "unclaimed", options["unclaimed"])
            self.movement.is_held = True
            self.bench.claim()
            self.bench.turn()  # tells which orientation comes next
            run_for(2)
            self.observe(process.pid, "in motion", options["motion"])
            for _ in range(options["turns"]):
                # Never for so long that a program finds the device at rest; in every phase of its period.
                run_for(self.random.uniform(0.3, 1.4))
                self.turn("in motion")
            self.movement.is_held = False
            run_for(REST)
            self.observe(process.pid, "at rest", options["rest"])
            for number in range(options["rest turns"]):
                run_for(self.random.uniform(0, 1.5) + (REST if number > 0 else 0))
                self.turn("at rest")
            self.bench.stop(process)
        finally:
            self.bench.close()
        return {options["program"]: {options["sensor"]: self.figures}}


if __name__ == "__main__":
    print(json.dumps(Sensing(json.loads(sys.argv[1])).run()))
