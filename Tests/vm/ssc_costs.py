#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a reader of the accelerometer of sensor_core.py costs.

usage: ssc_costs.py measure UNIT FIFO FILE | table FILE

"measure" starts UNIT, which serves net.hadess.SensorProxy, moves the device by commands to FIFO as the benchmarks do,
and appends its figures to FILE, one line of JSON. "table" prints these lines in Markdown.
"""
import json
import pathlib
import random
import statistics
import subprocess
import sys
import threading
import time

from gi.repository import Gio, GLib
from loop import run_for, run_until
from movement import Movement
from usage import Window, memory

NAME, PATH = "net.hadess.SensorProxy", "/net/hadess/SensorProxy"
G = 9.80665
# Seconds without a movement before the device counts as at rest; seconds of a count of wake-ups.
REST, PERIOD = 40, 40
TURNS, REST_TURNS = 20, 4
UNITS = ["orientd", "iio-sensor-proxy"]


class Device(threading.Thread):
    """Tells the mock 20 times a second what the accelerometer reads, while the device moves."""

    def __init__(self, fifo):
        super().__init__(daemon=True)
        self.fifo = open(fifo, "w", buffering=1, encoding="ascii")
        self.movement = Movement(1)
        self.start()

    def run(self):
        while True:
            # At rest the reading stays as it is, so that the mock's own work does not count.
            if self.movement.is_held or time.monotonic() < sum(self.movement.last_turn[2:]) + 0.2:
                x, y, z = (-G * value for value in self.movement.acceleration())
                self.fifo.write(f"accel {x:.4f} {y:.4f} {z:.4f}\n")
            time.sleep(0.05)


class Measurement:
    def __init__(self, unit, fifo):
        self.bus = Gio.bus_get_sync(Gio.BusType.SYSTEM, None)
        self.announced = []  # when each change of the orientation was received
        self.figures = {"unit": unit, "in motion: delay ms": [], "at rest: delay ms": []}
        self.random = random.Random(1)
        self.bus.signal_subscribe(
            None, "org.freedesktop.DBus.Properties", "PropertiesChanged", PATH, NAME, Gio.DBusSignalFlags.NONE,
            lambda *signal: self.receive(signal[5].unpack()[1]),
        )
        self.device = Device(fifo)
        self.movement = self.device.movement
        began = time.monotonic()
        subprocess.run(["systemctl", "start", f"{unit}.service"], check=True)
        self.pid = int(subprocess.check_output(["systemctl", "show", "-P", "MainPID", f"{unit}.service"]))
        while not self.get("HasAccelerometer"):
            if time.monotonic() > began + 120:
                raise TimeoutError(f"{unit} finds no accelerometer")
            run_for(0.1)

    def receive(self, changes):
        if "AccelerometerOrientation" in changes:
            self.announced.append(time.monotonic())

    def call(self, interface, method, arguments=None):
        return self.bus.call_sync(
            NAME, PATH, interface, method, arguments, None, Gio.DBusCallFlags.NONE, 60000, None
        ).unpack()

    def get(self, name):
        try:
            return self.call("org.freedesktop.DBus.Properties", "Get", GLib.Variant("(ss)", (NAME, name)))[0]
        except GLib.Error as error:
            print(f"not yet: {error.message}")
            return None

    def observe(self, state):
        window = Window(self.pid)
        run_for(PERIOD)
        elapsed, run_time, switches = window.end()
        self.figures[f"{state}: wake-ups"] = switches * 60 / elapsed
        self.figures[f"{state}: CPU ms"] = run_time / 1e6 * 60 / elapsed
        self.figures[f"{state}: resident kB"], self.figures[f"{state}: private dirty kB"] = memory(self.pid)

    def turn(self, state):
        """Turns the device and notes how long after the crossing of 45 degrees the signal comes."""
        count = len(self.announced)
        crossed, ended = self.movement.turn()
        if not run_until(lambda: len(self.announced) > count, 20):
            raise TimeoutError(f"{state}: no signal after a turn")
        self.figures[f"{state}: delay ms"].append((self.announced[count] - crossed) * 1e3)
        run_for(max(0, ended - time.monotonic()))

    def run(self):
        run_for(2)
        self.observe("unclaimed")
        self.movement.is_held = True
        self.call(NAME, "ClaimAccelerometer")
        run_until(lambda: self.get("AccelerometerOrientation") == "right-up", 20)
        self.turn("in motion")
        self.figures["in motion: delay ms"].clear()
        run_for(2)
        self.observe("in motion")
        for _ in range(TURNS):
            run_for(self.random.uniform(0.3, 1.4))
            self.turn("in motion")
        self.movement.is_held = False
        run_for(REST)
        self.observe("at rest")
        for number in range(REST_TURNS):
            run_for(self.random.uniform(0, 1.5) + (REST if number > 0 else 0))
            self.turn("at rest")
        return self.figures


def measure(unit, fifo, file):
    figures = Measurement(unit, fifo).run()
    with open(file, "a", encoding="ascii") as lines:
        print(json.dumps(figures), file=lines)
    print(figures)


def table(file):
    lines = [json.loads(line) for line in pathlib.Path(file).read_text(encoding="ascii").splitlines()]
    figures = {line["unit"]: line for line in lines}

    def cell(figure, kind=statistics.median):
        found = [figures[unit][figure] for unit in UNITS]
        values = [kind(value) if isinstance(value, list) else value for value in found]
        return " | ".join(f"{value:.0f}" if value >= 100 else f"{value:.1f}" for value in values)

    print("|  | " + " | ".join(UNITS) + " |\n| --- | --- | --- |")
    for figure in ("wake-ups", "CPU ms"):
        for state in ("unclaimed", "at rest", "in motion"):
            print(f"| {figure} a minute, {state} | {cell(f'{state}: {figure}')} |")
    for state, number in (("at rest", REST_TURNS), ("in motion", TURNS)):
        what = "from rest" if state == "at rest" else state
        print(f"| delay of a turn {what}, ms, median of {number} | {cell(f'{state}: delay ms')} |")
        print(f"| delay of a turn {what}, ms, longest | {cell(f'{state}: delay ms', max)} |")
    for figure in ("resident kB", "private dirty kB"):
        print(f"| {figure}, claimed | {cell(f'at rest: {figure}')} |")


if __name__ == "__main__":
    {"measure": measure, "table": table}[sys.argv[1]](*sys.argv[2:])
