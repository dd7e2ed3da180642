#!/usr/bin/python3 -B
# SPDX-License-Identifier: Apache-2.0
"""Measures orientd with the virtual tablet switch on, unclaimed, on a convertible that is used as a laptop.

usage: hinge.py OPTIONS, as JSON; called by costs.py. `sensor` is what measures the hinge: accelerometers or hinge.
"""

import json
import os
import random
import socket
import sys
import threading
import time

from loop import run_for
from rig import BASE, DEVICE, Rig, accelerometer, wait_until
from usage import Window

UNITS = 1000  # in 1 g, as in rig.accelerometer()
NOISE = 3
# Seconds until the device counts as at rest, while it is read rarely.
REST = 40


class Still(threading.Thread):
    """Two chips that convert 10 times a second, with noise, of a laptop on a table; or one of the hinge's angle."""

    def __init__(self, rig, files):
        super().__init__(daemon=True)
        self.files = {os.open(rig.path(folder, name), os.O_WRONLY): value for folder, name, value in files}
        self.random = random.Random(1)
        self.is_held = True
        self.running = True

    def run(self):
        while self.running:
            for file, value in self.files.items():
                spread = 20 * NOISE if self.is_held else NOISE
                # In place and of one length, so that readers see no empty attribute and may keep it open.
                os.pwrite(file, f"{round(self.random.gauss(value, spread)):<8}\n".encode(), 0)
            time.sleep(0.1)


def add_accelerometers(rig):
    """Adds both accelerometers; returns their files with their values."""
    files = []
    for index, (folder, raw) in enumerate(((DEVICE, (0, -UNITS, 0)), (BASE, (0, 0, -UNITS)))):
        properties = {"ACCEL_LOCATION": "base" if index else "display"}
        rig.add_device(accelerometer(f"chip{index}", raw, index=index, properties=properties))
        files += [(folder, f"in_accel_{axis}_raw", value) for axis, value in zip("xyz", raw)]
    return files


def add_hinge(rig):
    """Adds a hinge sensor; its angle has no noise."""
    lines = ["P: /devices/platform/test/iio:device0", "E: SUBSYSTEM=iio", "E: DEVTYPE=iio_device"]
    rig.add_device("\n".join([*lines, "A: name=cros-ec-lid-angle\\n", "A: in_angl_raw=110\\n", "", ""]))
    return []


def serve(listener):
    """Confirms every state, as orientd-tablet-switch does."""
    connection = listener.accept()[0]
    while state := connection.recv(1):
        connection.send(state)


def main(options):
    rig = Rig()
    try:
        rig.start_polkit(allowed=("org.orientd1.claim",))
        path = str(rig.directory / "switch")
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(path)
        listener.listen(1)
        threading.Thread(target=serve, args=(listener,), daemon=True).start()
        sensor = Still(rig, (add_accelerometers if options["sensor"] == "accelerometers" else add_hinge)(rig))
        sensor.start()
        daemon = rig.start_orientd(
            configuration="[Tablet]\nTabletSwitch=yes\n", environment={"ORIENTD_TABLET_SWITCH_SOCKET": path}
        )
        wait_until(lambda: rig.client.get("TabletMode") == "laptop", "the hinge is measured")
        figures = {}
        for state in ("in motion", "at rest"):
            sensor.is_held = state == "in motion"
            run_for(2 if sensor.is_held else REST)
            window = Window(daemon.process.pid)
            run_for(options["motion" if sensor.is_held else "rest"])
            elapsed, run_time, switches = window.end()
            figures[f"switch, {state}: wake-ups/min"] = [switches * 60 / elapsed]
            figures[f"switch, {state}: CPU ms/min"] = [run_time / 1e6 * 60 / elapsed]
        sensor.running = False
        sensor.join()
    finally:
        rig.close()
    return {"orientd": {options["sensor"]: figures}}


if __name__ == "__main__":
    print(json.dumps(main(json.loads(sys.argv[1]))))
