#!/usr/bin/python3 -B
# SPDX-License-Identifier: Apache-2.0
"""Measures how long the programs take from fork until a desktop knows the accelerometer; they start alternately.

usage: start.py OPTIONS, as JSON; called by costs.py.
"""

import contextlib
import json
import sys

from daemon import Bench
from programs import programs
from sensors import Polled


def main(options):
    found = programs()
    seconds = {title: [] for title in found}
    with contextlib.ExitStack() as stack:
        benches = []
        for program in found.values():
            benches.append(Bench(program, lambda rig: Polled(rig, seed=1)))
            stack.callback(benches[-1].close)
        for number in range(options["starts"]):
            for bench in benches if number % 2 == 0 else benches[::-1]:
                process, duration = bench.start()
                seconds[bench.program.title].append(duration)
                bench.stop(process)
    return {title: {"": {"start s": values}} for title, values in seconds.items()}


if __name__ == "__main__":
    print(json.dumps(main(json.loads(sys.argv[1]))))
