# SPDX-License-Identifier: Apache-2.0
"""Labelled traces of simulated devices: turns, disturbances, rest on a threshold, faults and near misses."""

import dataclasses
import math
import zlib

import numpy as np

from motion import RATE, Motion, Sensor, smoothstep
from rules import STANDARD_GRAVITY
from truth import Truth

# The tilt at which |z| is 0.75 g.
FLAT_TILT = math.degrees(math.asin(0.75))


def turns(seconds, count=8, tilts=(0, 35), shiver=0.4, holds=(2, 4), inaccuracy=8):
    """Quarter turns of so many seconds, with a pause after each."""

    def move(random):
        motion = Motion(random, random.uniform(-5, 5), random.uniform(*tilts), random.uniform(0.01, 0.08))
        motion.hold(2.5)
        quarter = 0
        for _ in range(count):
            quarter += random.choice([-1, 1])
            duration = seconds * random.uniform(0.9, 1.1)
            motion.turn(duration, roll=90 * quarter + random.uniform(-inaccuracy, inaccuracy))
            motion.hold(random.uniform(*holds))
        motion.finish()
        motion.add_tremor(shiver, 0.8)
        return motion

    return move


def picked_up(random):
    """Laid down, spun on the table and picked up again."""
    motion = Motion(random, 0, 15)
    motion.hold(2.5)
    quarter = 0
    for _ in range(6):
        motion.turn(random.uniform(0.6, 1.1), tilt=89)
        motion.hold(random.uniform(2, 3))
        quarter += random.choice([-1, 0, 1])
        motion.turn(0.8, roll=90.0 * quarter + random.uniform(-10, 10))
        motion.hold(1)
        motion.turn(random.uniform(0.5, 0.9), tilt=random.uniform(10, 35))
        motion.hold(random.uniform(3, 4))
    motion.finish()
    motion.add_tremor(0.4, 0.8)
    return motion


def half_turns(is_in_plane):
    """Half turns in the plane of the screen, or over the top edge."""

    def move(random):
        motion = Motion(random, 0, 15, 0.06)
        motion.hold(2.5)
        for index in range(6):
            duration = random.uniform(0.7, 1.4)
            if is_in_plane:
                motion.turn(duration, roll=motion.roll + random.choice([-180, 180]))
            else:
                motion.turn(duration, tilt=15 if index % 2 else 165)
            motion.hold(3)
        motion.finish()
        motion.add_tremor(0.4, 0.8)
        return motion

    return move


def on_table(random):
    """Lies on a table, where it is nudged, spun and lifted a little."""
    motion = Motion(random, 0, 20)
    motion.hold(2.5)
    lying = 90 + random.uniform(-2, 2)
    motion.turn(0.9, tilt=lying)
    nudges = []
    for _ in range(40):
        kind = random.integers(3)
        if kind == 0:
            motion.hold(random.uniform(1, 2))
            nudges.append(motion.seconds - 0.5)
        elif kind == 1:
            motion.turn(random.uniform(0.5, 2), yaw=motion.pose[2] + random.uniform(-360, 360))
            motion.hold(1)
        else:
            lift = random.uniform(5, 18)
            motion.turn(0.3, tilt=lying - lift, roll=random.uniform(-180, 180))
            motion.turn(0.12, tilt=lying)
            motion.hold(1)
            nudges.append(motion.seconds - 1)
    motion.finish()
    motion.add_impulses(nudges, (0.1, 0.6), (0.03, 0.08))
    motion.add_impulses(nudges, (0.1, 0.5), (0.03, 0.06), (0, 0, 1), ringing=30)
    return motion


def set_down(random):
    """Set down firmly, and picked up with the same edge up."""
    motion = Motion(random, random.uniform(-15, 15), 20)
    motion.hold(2.5)
    blows = []
    for _ in range(7):
        motion.turn(random.uniform(0.3, 0.7), tilt=88)
        blows.append(motion.seconds)
        motion.hold(random.uniform(1.5, 3))
        motion.turn(random.uniform(0.4, 0.8), tilt=random.uniform(10, 40), roll=random.uniform(-20, 20))
        motion.hold(2)
    motion.finish()
    motion.add_impulses(blows, (0.4, 1.5), (0.01, 0.03), (0, 0, 1), ringing=25)
    motion.add_tremor(0.4, 0.8)
    return motion


def in_bed(random):
    """Held overhead, screen down."""
    motion = Motion(random, 0, 15)
    motion.hold(2.5)
    for _ in range(5):
        motion.turn(random.uniform(0.8, 2), tilt=-random.uniform(25, 45), roll=random.uniform(-12, 12))
        motion.hold(random.uniform(3, 8))
        motion.turn(random.uniform(0.8, 2), tilt=-random.uniform(52, 85))
        motion.hold(1)
        motion.turn(random.uniform(1, 3), roll=random.uniform(-50, 50), tilt=-random.uniform(58, 88))
        motion.hold(random.uniform(2, 5))
        motion.turn(random.uniform(0.8, 1.5), roll=random.uniform(-12, 12))
        motion.hold(0.5)
    motion.turn(1.2, tilt=10, roll=0)
    motion.hold(3)
    motion.finish()
    motion.add_tremor(0.6, 2.0)
    return motion


def walking(roll=0, tilts=(25, 45)):
    """Held while walking."""

    def move(random):
        motion = Motion(random, roll, random.uniform(*tilts))
        motion.hold(90)
        motion.finish()
        cadence = 1.8 * random.uniform(0.92, 1.08)
        phase = 2 * np.pi * np.cumsum(cadence * (1 + motion.noise(0.05, 0.5, 0.03))) / RATE
        begun = smoothstep((motion.times - 2) / 2)
        height = random.uniform(0.2, 0.4) * STANDARD_GRAVITY
        second, third = np.sin(2 * phase + random.uniform(0, 6)), np.sin(3 * phase + random.uniform(0, 6))
        motion.acceleration[:, 2] += begun * height * (np.sin(phase) + 0.35 * second + 0.15 * third)
        forwards = random.uniform(0.08, 0.16) * STANDARD_GRAVITY
        motion.acceleration[:, 1] += begun * forwards * np.sin(phase + random.uniform(0, 6))
        sideways = random.uniform(0.06, 0.14) * STANDARD_GRAVITY
        motion.acceleration[:, 0] += begun * sideways * np.sin(phase / 2 + random.uniform(0, 6))
        is_step = np.diff(np.floor(phase / (2 * np.pi)), prepend=0) > 0
        steps = motion.times[is_step & (motion.times > 3)]
        motion.add_impulses(steps, (0.1, 0.35), (0.015, 0.03), ringing=15)
        motion.angles[:, 0] += begun * random.uniform(1.5, 4) * np.sin(phase / 2 + 1)
        motion.angles[:, 1] += begun * random.uniform(1.5, 4) * np.sin(phase + 2)
        motion.add_tremor(0.5, 2.0)
        return motion

    return move


def running(random):
    """Held in a swinging hand while running, and turned meanwhile."""
    motion = Motion(random, random.choice([0, 90, -90]), random.uniform(5, 30), random.uniform(0.02, 0.10))
    motion.hold(15)
    for _ in range(5):
        motion.turn(random.uniform(0.4, 0.8), roll=motion.roll + random.choice([-90, 90]))
        motion.hold(15)
    motion.finish()
    cadence = random.uniform(2.5, 3.0)
    phase = 2 * np.pi * np.cumsum(cadence * (1 + motion.noise(0.05, 0.5, 0.03))) / RATE
    begun = smoothstep((motion.times - 2) / 1.5)
    # Both feet are off the ground for a third of the time: nothing is felt then, and up to 3 g on the ground.
    height = random.uniform(1.2, 1.9) * STANDARD_GRAVITY
    motion.acceleration[:, 2] += begun * height * (np.sin(phase) + 0.3 * np.sin(2 * phase + random.uniform(0, 6)))
    swing = random.uniform(0.3, 0.8) * STANDARD_GRAVITY
    motion.acceleration[:, 1] += begun * swing * np.sin(phase / 2 + random.uniform(0, 6))
    motion.acceleration[:, 0] += begun * 0.5 * swing * np.sin(phase / 2 + random.uniform(0, 6))
    steps = motion.times[(np.diff(np.floor(phase / (2 * np.pi)), prepend=0) > 0) & (motion.times > 3)]
    motion.add_impulses(steps, (0.8, 2.5), (0.015, 0.04), ringing=15)
    motion.angles[:, 0] += begun * random.uniform(4, 12) * np.sin(phase / 2 + 1)
    motion.angles[:, 1] += begun * random.uniform(4, 12) * np.sin(phase / 2 + 2)
    motion.add_tremor(0.5, 2.0)
    return motion


def on_bus(tilts=(25, 45)):
    """Held on a bus, which shakes, brakes and corners."""

    def move(random):
        motion = Motion(random, random.choice([0, 90, -90]), random.uniform(*tilts))
        motion.hold(120)
        motion.finish()
        for axis in range(3):
            slow = motion.noise(0.8, 3, random.uniform(0.03, 0.07) * STANDARD_GRAVITY)
            fast = motion.noise(8, 25, random.uniform(0.03, 0.12) * STANDARD_GRAVITY)
            motion.acceleration[:, axis] += slow + fast
        begin = 5.0
        while begin < 112:
            duration = random.uniform(2, 5)
            way = random.uniform(0, 2 * np.pi)
            force = random.uniform(0.12, 0.3) * STANDARD_GRAVITY * motion.envelope(begin, begin + duration, 0.7)
            motion.acceleration[:, 0] += force * np.cos(way)
            motion.acceleration[:, 1] += force * np.sin(way)
            begin += duration + random.uniform(2, 8)
        motion.add_impulses(random.uniform(5, 115, 12), (0.3, 0.8), (0.03, 0.08), (0, 0, 1))
        motion.add_tremor(0.6, 1.5)
        return motion

    return move


def typing(random):
    """Typed on."""
    motion = Motion(random, 0, random.uniform(10, 35), 0.15)
    motion.hold(90)
    motion.finish()
    keys = np.cumsum(random.exponential(1 / 5.0, 430))
    keys = keys[(keys > 2) & (keys < 88)]
    motion.add_impulses(keys, (0.02, 0.12), (0.03, 0.06), ringing=random.uniform(20, 45))
    motion.angles[:, 1] += motion.noise(4, 6, random.uniform(0.3, 1.5))
    motion.add_tremor(0.15, 0.8)
    return motion


def shaken(random):
    motion = Motion(random, random.choice([0, 90]), random.uniform(10, 35))
    motion.hold(60)
    motion.finish()
    for begin in np.arange(4, 56, 7):
        strength = motion.envelope(begin, begin + random.uniform(1.5, 4), 0.3)
        way = random.standard_normal(3)
        way /= np.linalg.norm(way)
        phase = 2 * np.pi * np.cumsum(random.uniform(3, 6) * (1 + motion.noise(0.2, 2, 0.1))) / RATE
        force = random.uniform(1, 2.5) * STANDARD_GRAVITY * strength * np.sin(phase)
        motion.acceleration += force[:, None] * way
        motion.angles[:, 0] += strength * random.uniform(2, 12) * np.sin(phase + 1)
    motion.add_tremor(0.6, 1)
    return motion


def dropped(random):
    """Falls, and is hit by the ground."""
    motion = Motion(random, random.choice([0, 90, -90]), random.uniform(10, 40))
    motion.hold(60)
    motion.finish()
    for begin in np.arange(4, 56, 6):
        end = begin + random.uniform(0.15, 0.4)
        motion.falls.append((begin, end))
        motion.add_impulses([end], (3, 8), (0.008, 0.02), ringing=25)
    motion.add_tremor(0.5, 1)
    return motion


def resting(roll, tilt, shiver=None, sway=None, comes_from_portrait=False):
    """Held for ten minutes on a threshold, where no edge is wrong but each change annoys."""

    def move(random):
        motion = Motion(random, 0 if comes_from_portrait else roll, 15 if comes_from_portrait else tilt)
        if comes_from_portrait:
            motion.hold(3)
            motion.turn(1.5, roll=roll, tilt=tilt)
        motion.hold(600 - motion.seconds)
        motion.finish()
        motion.add_tremor(
            random.uniform(0.3, 1.2) if shiver is None else shiver, random.uniform(0.5, 3) if sway is None else sway
        )
        return motion

    return move


def near_misses(least, greatest, durations):
    """Turns that stop before the diagonal and come back: every change is wrong."""

    def move(random):
        motion = Motion(random, random.uniform(-6, 6), random.uniform(0, 45), random.uniform(0.02, 0.15))
        motion.hold(2.5)
        for _ in range(16):
            duration = random.uniform(*durations)
            motion.turn(duration, roll=random.choice([-1, 1]) * random.uniform(least, greatest))
            motion.hold(random.choice([0.0, 0.1, 0.4, 1.0]) + 0.005)
            motion.turn(random.uniform(*durations), roll=random.uniform(-6, 6))
            motion.hold(random.uniform(0.6, 1.5))
        motion.finish()
        motion.add_tremor(0.5, 0.8)
        return motion

    return move


def gestures(random):
    """Handed over and gestured with, never rolled by more than 33 degrees."""
    motion = Motion(random, 0, random.uniform(10, 35), random.uniform(0.05, 0.3))
    motion.hold(2.5)
    for _ in range(14):
        motion.turn(random.uniform(0.3, 0.9), roll=random.uniform(-33, 33), tilt=random.uniform(-5, 44))
        motion.hold(random.uniform(0.05, 1.0))
        motion.turn(random.uniform(0.3, 0.9), roll=random.uniform(-10, 10), tilt=random.uniform(10, 35))
        motion.hold(random.uniform(0.3, 1))
    motion.finish()
    for axis in range(3):
        motion.acceleration[:, axis] += motion.noise(0.4, 2.5, random.uniform(0.03, 0.10) * STANDARD_GRAVITY)
    motion.add_tremor(0.6, 1.0)
    return motion


@dataclasses.dataclass
class Scenario:
    """`group` is the column that it counts in."""

    name: str
    group: str
    move: callable
    sensor: Sensor = dataclasses.field(default_factory=Sensor)


SCENARIOS = [
    *(Scenario(f"turn-{seconds}s", "turn", turns(seconds)) for seconds in (0.3, 0.6, 1.2)),
    *(
        Scenario(f"turn-tilted-{tilt}", "turn", turns(0.8, 6, (tilt, tilt), shiver=0.3, inaccuracy=6))
        for tilt in (20, 30, 45)
    ),
    Scenario("slow-turn", "slow", turns(5.0, 4, holds=(3, 4))),
    Scenario("picked-up", "turn", picked_up),
    Scenario("half-turn", "turn", half_turns(is_in_plane=True)),
    Scenario("half-turn-over-top", "turn", half_turns(is_in_plane=False)),
    Scenario("table", "disturbed", on_table),
    Scenario("set-down", "disturbed", set_down),
    Scenario("bed", "disturbed", in_bed),
    Scenario("walk", "disturbed", walking()),
    Scenario("walk-landscape", "disturbed", walking(90)),
    Scenario("walk-tilted", "disturbed", walking(0, (47, 53))),
    Scenario("bus", "disturbed", on_bus()),
    Scenario("bus-tilted", "disturbed", on_bus((46, 50))),
    Scenario("typing", "disturbed", typing),
    Scenario("shaken", "disturbed", shaken),
    Scenario("dropped", "disturbed", dropped),
    Scenario("diagonal", "rest", resting(45, 0)),
    Scenario("diagonal-tilted-30", "rest", resting(-45, 30)),
    Scenario("diagonal-tilted-44", "rest", resting(135, 44)),
    Scenario("diagonal-noisy", "rest", resting(45, 20, shiver=0.5, sway=0.8), Sensor(noise=30, bits=8, full_scale=2)),
    Scenario("flat", "rest", resting(90, FLAT_TILT, comes_from_portrait=True)),
    Scenario("flat-diagonal", "rest", resting(45, FLAT_TILT, comes_from_portrait=True)),
    Scenario("flat-noisy", "rest", resting(48, FLAT_TILT, shiver=0.5, sway=1), Sensor(noise=30)),
    *(Scenario(f"noise-{noise}", "turn", turns(0.6, 5), Sensor(noise=noise, bits=16)) for noise in (0.5, 3, 10, 30)),
    Scenario("8-bit", "turn", turns(0.6, 5), Sensor(bits=8, full_scale=4)),
    Scenario("12-bit", "turn", turns(0.6, 5), Sensor(bits=12, full_scale=2)),
    Scenario("bias", "turn", turns(0.6, 5, (0, 30)), Sensor(bias=80.0)),
    Scenario("lost-samples", "turn", turns(0.6, 5), Sensor(dropped=0.2)),
    Scenario("jitter", "turn", turns(0.6, 5), Sensor(jitter=0.3)),
    Scenario("gap", "turn", turns(0.6, 8), Sensor(fault="gap")),
    *(
        Scenario(f"fault-{fault}", "fault", turns(0.8, 8, holds=(3, 5)), Sensor(fault=fault))
        for fault in ("stuck", "spike", "nan", "zero", "backwards")
    ),
    *(
        Scenario(f"near-miss-{least}-{greatest}-{speed}", "near", near_misses(least, greatest, durations))
        for least, greatest in ((20, 30), (30, 38))
        for speed, durations in (("fast", (0.2, 0.5)), ("slow", (0.4, 1.2)))
    ),
    Scenario("gestures", "near", gestures),
    Scenario("running", "running", running),
]

# In Hz, for a scenario's traces; ten minutes of rest are enough at 50 Hz.
RATES = 15.0, 15.0, 15.0, 50.0, 100.0
REST_RATES = 15.0, 15.0, 15.0, 15.0, 50.0


class Trace:
    """The samples of a scenario, (time, x, y, z) in seconds and m/s², and the truth about them."""

    def __init__(self, scenario, index, seed):
        self.scenario = scenario
        self.rate = (REST_RATES if scenario.group == "rest" else RATES)[index]
        random = np.random.default_rng([seed, index, zlib.crc32(scenario.name.encode())])
        motion = scenario.move(random)
        forces, up = motion.readings()
        # A label every 10 ms.
        self.truth = Truth(motion.times[::2], up[::2])
        times, readings = scenario.sensor.sense(random, motion.times, forces, self.rate)
        self.samples = list(zip(times.tolist(), *readings.T.tolist()))
        self.end = float(times[-1])
