#!/usr/bin/python3 -B
# SPDX-License-Identifier: Apache-2.0
"""Measures what libiio alone costs: a program that takes the same readings, 15 a second, and does nothing with them.

usage: libiio.py OPTIONS, as JSON; called by costs.py.
"""

import json
import subprocess
import sys

from programs import SOURCE_ROOT
from rig import Rig
from sensors import KINDS

PROGRAM = SOURCE_ROOT / ".build" / "benchmarks" / "release" / "libiio-alone"


def main(options):
    rig = Rig()
    try:
        sensor = KINDS[options["sensor"]](rig, options["seed"])
        sensor.movement.is_held = True
        if options["sensor"] == "hub":
            rig.write("in_accel_sampling_frequency", 15, sensor.DEVICE)
        result = subprocess.run(
            [PROGRAM, "poll" if options["sensor"] == "polled" else "buffer", str(options["motion"])],
            env=rig.mocked_environment(),
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        rig.close()
    if result.returncode != 0:
        sys.exit(f"{PROGRAM} failed: {result.stderr}")
    return {"libiio alone": {options["sensor"]: {"in motion: CPU us/reading": [float(result.stdout.split()[0])]}}}


if __name__ == "__main__":
    print(json.dumps(main(json.loads(sys.argv[1]))))
