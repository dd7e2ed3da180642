#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: turn.py FIFO SECONDS

Turns the sensor of uhid_accel.py from portrait to landscape-left, as a hand does: 90 degrees in SECONDS, with minimum
jerk. Prints the time at which 45 degrees were crossed, in seconds since 1970.
"""
import math
import sys
import time

duration = float(sys.argv[2])
crossed = None
with open(sys.argv[1], "w", buffering=1) as fifo:
    begin = time.monotonic()
    share = 0
    while share < 1:
        share = min(1, (time.monotonic() - begin) / duration)
        degrees = 90 * share**3 * (10 - 15 * share + 6 * share * share)
        angle = math.radians(degrees)
        fifo.write("%.5f %.5f 0\n" % (-math.sin(angle), -math.cos(angle)))
        if crossed is None and degrees >= 45:
            crossed = time.time()
        time.sleep(0.01)
print("%.3f" % crossed)
