#!/usr/bin/python3 -B
# SPDX-License-Identifier: Apache-2.0
"""Measures how one program grows with subscribers, or orientd with the requests of applications.

usage: growth.py OPTIONS, as JSON; called by costs.py.
"""

import json
import sys

from gi.repository import GLib

from daemon import Bench
from figures import counted
from loop import run_for
from programs import programs
from rig import MANAGER, PROPERTIES, REQUEST
from sensors import Polled
from usage import Window, memory

# orientd allows 64 requests of one connection and 256 in total.
REQUESTS_OF_A_CONNECTION, HELD_REQUESTS = 64, 250
ALL_ORIENTATIONS = 0b11110


class Growth:
    """The measurements of one program; `figures` maps names to lists of values."""

    def __init__(self, options):
        self.options = options
        self.bench = Bench(programs()[options["program"]], lambda rig: Polled(rig, seed=1))
        self.figures = {}

    def add(self, what, pid, run_time_figure, run_time):
        resident, dirty = memory(pid)
        self.figures[f"{what}: resident kB"] = [resident]
        self.figures[f"{what}: private dirty kB"] = [dirty]
        self.figures[f"{what}: {run_time_figure}"] = [run_time]

    def subscribe(self):
        """Adds a connection that receives changes."""
        client = self.bench.rig.connect()
        name = self.bench.program.name
        client.connection.signal_subscribe(name, PROPERTIES, "PropertiesChanged", None, None, 0, lambda *_: None)
        client.round_trip()
        if not self.bench.program.broadcasts:
            self.bench.claim(client)

    def measure_subscribers(self, counts):
        process, _ = self.bench.start()
        self.bench.sensor.movement.is_held = True
        self.bench.claim()
        connected = 0
        for count in counts:
            while connected < count:
                self.subscribe()
                connected += 1
            run_for(1)
            window = Window(process.pid)
            for _ in range(self.options["growth turns"]):
                if self.bench.turn()[2] is None:
                    raise AssertionError(f"{self.bench.program.title} misses a turn with {count} subscribers")
                run_for(1)
            seconds, run_time, _ = window.end()
            self.add(counted(count, "subscribers"), process.pid, "CPU ms/min", run_time / 1e6 * 60 / seconds)
        self.bench.stop(process)

    def measure_requests(self, counts):
        """Makes requests one after the other; of more than HELD_REQUESTS, the oldest are released."""
        process, _ = self.bench.start()
        clients = [self.bench.rig.connect() for _ in range(HELD_REQUESTS // REQUESTS_OF_A_CONNECTION + 1)]
        options = {"should-autorotate": GLib.Variant("b", False)}
        held = []
        made = 0
        for count in counts:
            already = made
            window = Window(process.pid)
            while made < count:
                client = clients[made % len(clients)]
                if len(held) == HELD_REQUESTS:
                    owner, path = held.pop(0)
                    owner.ask("Release", interface=REQUEST, path=path)
                arguments = ("org.example.App", ALL_ORIENTATIONS, options)
                (path,) = client.ask("Request", "sua{sv}", *arguments, interface=MANAGER)
                held.append((client, path))
                made += 1
            _, run_time, _ = window.end()
            self.add(counted(count, "requests"), process.pid, "CPU us/request", run_time / 1e3 / (made - already))
        self.bench.stop(process)

    def run(self):
        """Takes all measurements and returns them."""
        try:
            if self.options["kind"] == "subscribers":
                self.measure_subscribers(self.options["subscribers"])
            else:
                self.measure_requests(self.options["requests"])
        finally:
            self.bench.close()
        return {self.bench.program.title: {"": self.figures}}


if __name__ == "__main__":
    print(json.dumps(Growth(json.loads(sys.argv[1])).run()))
