# SPDX-License-Identifier: Apache-2.0
"""How the simulated device is moved: natural turns between two edges, a hand that holds it, and noise."""

import math
import random
import time

# Seconds. The edge is crossed halfway, 0.3 to 0.5 s after the beginning.
SHORTEST_TURN, LONGEST_TURN = 0.6, 1.0
# A hand leans the device to and fro: degrees to each side, and times a second.
SWAY, SWAY_FREQUENCY = 4, 0.7
# Standard deviation of the sensor's noise, in g on each axis.
NOISE = 0.003


class Movement:
    """The pose of the device over time, on the clock of time.monotonic().

    A turn by 90 degrees accelerates and brakes smoothly, between portrait and landscape-left. While `is_held`, a hand
    sways the device; otherwise it lies still.
    """

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.noise = random.Random(seed)
        self.is_held = False
        self.last_turn = (math.pi / 2, 0, 0, 1)

    def turn(self):
        """Begins a turn to the other edge. Returns when it crosses 45 degrees and when it ends."""
        _, angle, _, _ = self.last_turn
        started, duration = time.monotonic(), self.random.uniform(SHORTEST_TURN, LONGEST_TURN)
        self.last_turn = (angle, math.pi / 2 - angle, started, duration)
        return started + duration / 2, started + duration

    def acceleration(self):
        """Returns x, y and z now, in g, in the desktop convention (see rig.py), with noise."""
        now = time.monotonic()
        before, after, started, duration = self.last_turn
        progress = min(1, max(0, (now - started) / duration))
        angle = before + (after - before) * (1 - math.cos(math.pi * progress)) / 2
        lean = math.radians(SWAY) * math.sin(2 * math.pi * SWAY_FREQUENCY * now) if self.is_held else 0
        upright = (-math.sin(angle) * math.cos(lean), -math.cos(angle) * math.cos(lean), math.sin(lean))
        return [value + self.noise.gauss(0, NOISE) for value in upright]
