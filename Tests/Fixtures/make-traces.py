#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the simulated traces in this folder, with the same bytes on every run.

A trace has a header and lines with the time in seconds and the acceleration in m/s² in the frame of the display: x to
the right edge, y to the top edge, z out of the screen. A device that stands upright reads y = +9.81.
"""
import math
import random
from pathlib import Path

GRAVITY = 9.80665
RATE = 15

# Movements of a person: (start and end in seconds, roll and tilt in degrees at the end, description).
# Roll turns the device counter-clockwise about the screen's normal: 0 is portrait, 90 has the right edge up.
# Tilt leans it back: 0 is upright, 90 face up, -90 face down.
TURNING = [
    (0.0, 0.0, 2, 28, "portrait, in the hand"),
    (2.0, 2.5, 87, 25, "landscape-left"),
    (4.2, 4.7, 183, 22, "portrait-upside-down"),
    (6.4, 6.9, 266, 27, "landscape-right"),
    (8.6, 9.1, 361, 24, "portrait"),
    (10.6, 11.3, 359, 89, "laid on a table, face up"),
    (13.6, 14.5, 358, -89, "turned over, face down"),
    (16.2, 17.0, 362, 30, "picked up again"),
    (18.0, 18.5, 448, 26, "landscape-left"),
]
TURNING_END = 20.0

# What docs/tablet.svg shows: docs/tablet.sh replays it and calls orientctl meanwhile.
TABLET = [
    (0.0, 0.0, 1, 25, "portrait, in the hand"),
    (1.8, 2.5, 90, 23, "landscape-left"),
    (4.2, 4.9, 2, 26, "portrait"),
    (7.0, 7.7, 89, 24, "landscape-left"),
    (15.4, 16.1, 1, 25, "portrait"),
]
TABLET_END = 18.0

FLAT_FROM = 80  # degrees of tilt from which the device lies flat and no hand shakes it


def minimum_jerk(share):
    """Returns the completed share of a natural movement after a share of its duration."""
    share = min(max(share, 0.0), 1.0)
    return share**3 * (10 - 15 * share + 6 * share**2)


def pose(movements, time):
    """Returns roll and tilt at a time."""
    _, _, roll, tilt, _ = movements[0]
    for begin, end, next_roll, next_tilt, _ in movements[1:]:
        done = minimum_jerk((time - begin) / (end - begin))
        roll += (next_roll - roll) * done
        tilt += (next_tilt - tilt) * done
    return roll, tilt


def noise(source, deviation):
    """Returns a nearly normal deviate. Uses random(), the only generator that Python keeps stable."""
    return deviation * (sum(source.random() for _ in range(12)) - 6)


def tremor(source, amplitude):
    """Returns a function of time for a hand's tremor of 4 to 12 Hz."""
    waves = [(source.uniform(4, 12), source.uniform(0, 2 * math.pi)) for _ in range(4)]
    return lambda time: amplitude / 2 * sum(math.sin(2 * math.pi * f * time + p) for f, p in waves)


def trace(movements, end, seed):
    """Yields the lines of a trace of movements, with a hand's tremor and a sensor's noise, offset and resolution."""
    source = random.Random(seed)
    shake_roll, shake_tilt = tremor(source, 0.8), tremor(source, 0.8)
    push = [tremor(source, 0.12) for _ in "xyz"]
    offset = [source.uniform(-0.12, 0.12) for _ in "xyz"]
    resolution = GRAVITY / 1024
    yield "t_seconds,x,y,z"
    for step in range(int(end * RATE) + 1):
        time = step / RATE
        roll, tilt = pose(movements, time)
        held = abs(tilt) < FLAT_FROM
        roll = math.radians(roll + held * shake_roll(time))
        tilt = math.radians(tilt + held * shake_tilt(time))
        up = (math.sin(roll) * math.cos(tilt), math.cos(roll) * math.cos(tilt), math.sin(tilt))
        values = []
        for axis in range(3):
            value = GRAVITY * up[axis] + offset[axis] + held * push[axis](time) + noise(source, 0.03)
            values.append(round(value / resolution) * resolution)
        yield f"{time:.4f}," + ",".join(f"{value:.4f}" for value in values)


def main():
    """Writes every trace."""
    folder = Path(__file__).parent
    for name, movements, end in (("turning", TURNING, TURNING_END), ("tablet", TABLET, TABLET_END)):
        lines = trace(movements, end, seed=20)
        (folder / f"{name}.csv").write_text("".join(f"{line}\n" for line in lines))


if __name__ == "__main__":
    main()
