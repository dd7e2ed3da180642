#!/usr/bin/python3 -B
# SPDX-License-Identifier: Apache-2.0
"""Records docs/fold.trace: fold.py FOLDER

A mocked convertible stands as a laptop, is folded to a tablet, turned to portrait and back, and opened again. FOLDER has
the orientd that reads its accelerometer and its hinge.
"""

import itertools
import math
import pathlib
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "Tests" / "integration"))

from preload import is_preloaded, run_with_preload  # noqa: E402

HINGE = "/sys/devices/platform/test/iio:device1"
# Seconds, and what the hand has reached then: the angle of the hinge, and the turn of the device, counter-clockwise, in degrees.
MOVES = ((0, 110, 0), (1.8, 110, 0), (3.8, 330, 0), (6.6, 330, 0), (7.7, 330, -90), (9.8, 330, -90), (10.9, 330, 0),
         (11.6, 330, 0), (13.6, 110, 0), (17.6, 110, 0))  # fmt: skip
# How far the display leans back from the vertical, in degrees.
LEAN = 20


def reached(now):
    """Returns the angle of the hinge and the turn of the device at a time; a hand moves gently at both ends."""
    for (begin, *old), (end, *new) in itertools.pairwise(MOVES):
        if now < end:
            done = (1 - math.cos(math.pi * (now - begin) / (end - begin))) / 2
            return [before + (after - before) * done for before, after in zip(old, new)]
    return MOVES[-1][1:]


def gravity(turn):
    """Returns what the accelerometer reads, in steps of 0.001 g."""
    up = math.cos(math.radians(LEAN))
    x, y = math.sin(math.radians(turn)) * up, math.cos(math.radians(turn)) * up
    return [round(-1000 * value) for value in (x, y, math.sin(math.radians(LEAN)))]


def record():
    from rig import Rig, accelerometer

    rig = Rig()
    try:
        rig.add_device(accelerometer("accel_3d", raw=gravity(0)))
        attributes = "A: name=cros-ec-lid-angle\\n\nA: in_angl_raw=110\\n\n\n"
        rig.add_device(f"P: {HINGE.removeprefix('/sys')}\nE: SUBSYSTEM=iio\nE: DEVTYPE=iio_device\n{attributes}")
        trace = rig.directory / "trace"
        settings = "[Orientation]\nNaturalOrientation=landscape-left\nAutorotate=tablet-mode\n"
        daemon = rig.start_orientd("--record", trace, configuration=settings)
        rig.client.claim()
        rig.client.wait_for("TabletMode", "laptop")
        rig.client.wait_for("DeviceOrientation", "landscape-left")
        begin = time.monotonic()
        while (now := time.monotonic() - begin) < MOVES[-1][0]:
            hinge, turn = reached(now)
            rig.write("in_angl_raw", round(hinge), HINGE)
            rig.turn(gravity(turn))
            time.sleep(0.02)
        daemon.stop()
        (HERE / "fold.trace").write_text(trace.read_text())
    finally:
        rig.close()


if __name__ == "__main__":
    if not is_preloaded():
        sys.exit(run_with_preload(pathlib.Path(sys.argv[1]).resolve(), sys.argv[1:]))
    record()
