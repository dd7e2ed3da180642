# SPDX-License-Identifier: Apache-2.0
"""Simulates how a device is moved, and the accelerometer that senses it.

Axes and signs are those of Linux's IIO: a device at rest reads +9.8 m/s² on the axis that points up.
"""

import numpy as np

from rules import STANDARD_GRAVITY

# Samples of the simulated motion a second.
RATE = 200.0


def smoothstep(progress):
    """Returns the share of a movement that is done, from 0 to 1, with the least jerk, as a hand moves."""
    progress = np.clip(progress, 0, 1)
    return progress**3 * (10 - 15 * progress + 6 * progress**2)


def band_noise(random, count, lowest, highest, rms):
    """Returns Gaussian noise of an RMS value that is flat between two frequencies in Hz."""
    size = 1 << (count - 1).bit_length()
    frequencies = np.fft.rfftfreq(size, 1 / RATE)
    spectrum = np.fft.rfft(random.standard_normal(size))
    spectrum[(frequencies < lowest) | (frequencies > highest)] = 0
    noise = np.fft.irfft(spectrum, size)[:count]
    return noise * (rms / noise.std())


class Motion:
    """The pose and the acceleration of a device over time; angles are in degrees.

    Roll is 0 in portrait and 90 with the x axis up; tilt is 0 upright and 90 face up; yaw turns about the vertical.
    First `hold` and `turn` say how the device is moved; `finish` makes the arrays, to which disturbances are added.
    """

    def __init__(self, random, roll=0.0, tilt=20.0, lever=0.05):
        self.random = random
        self.pose = np.array([roll, tilt, 0.0])
        self.seconds = 0.0
        self.segments = []
        self.falls = []
        # From the centre of rotation to the sensor, in metres.
        direction = random.standard_normal(3) * [1, 1, 0.2]
        self.lever = lever * direction / np.linalg.norm(direction)

    @property
    def roll(self):
        """Where the last segment ends."""
        return self.pose[0]

    def hold(self, seconds):
        self.turn(seconds)

    def turn(self, seconds, roll=None, tilt=None, yaw=None):
        """Moves to the angles that are given within so many seconds."""
        before = self.pose
        self.pose = np.array([old if new is None else new for old, new in zip(before, (roll, tilt, yaw))])
        self.segments.append((self.seconds, seconds, before, self.pose))
        self.seconds += seconds

    def finish(self):
        count = round(self.seconds * RATE) + 1
        self.times = np.arange(count) / RATE
        self.angles = np.empty((count, 3))
        for start, seconds, before, after in self.segments:
            span = slice(round(start * RATE), min(count, round((start + seconds) * RATE) + 1))
            done = smoothstep((self.times[span] - start) / seconds)
            self.angles[span] = before + np.outer(done, after - before)
        self.acceleration = np.zeros((count, 3))

    # What is added after `finish`.

    def noise(self, lowest, highest, rms):
        return band_noise(self.random, len(self.times), lowest, highest, rms)

    def envelope(self, begin, end, ramp):
        """Returns a window that rises and falls within `ramp` seconds."""
        return smoothstep((self.times - begin) / ramp) * smoothstep((end - self.times) / ramp)

    def add_tremor(self, shiver=0.5, sway=1.0):
        """Adds a hand's tremor and its slow sway, in degrees RMS."""
        for axis in (0, 1):
            self.angles[:, axis] += self.noise(4, 12, shiver)
            self.angles[:, axis] += self.noise(0.05, 0.6, sway)
        for axis in range(3):
            self.acceleration[:, axis] += self.noise(4, 12, 0.008 * STANDARD_GRAVITY * shiver / 0.5)

    def add_impulses(self, times, amplitudes, widths, direction=None, ringing=0.0):
        """Adds blows, each of an amplitude in g and a width in seconds from the ranges.

        With `ringing`, in Hz, a blow is an oscillation that fades; otherwise a push and the stop that follows.
        """
        for time in times:
            way = np.array(self.random.standard_normal(3) if direction is None else direction, float)
            way /= np.linalg.norm(way)
            amplitude = self.random.uniform(*amplitudes) * STANDARD_GRAVITY * self.random.choice([-1, 1])
            width = self.random.uniform(*widths)
            since = self.times - time
            if ringing:
                fading = np.exp(-np.maximum(since, 0) / width)
                pulse = np.where(since >= 0, fading * np.sin(2 * np.pi * ringing * since), 0)
            else:
                pulse = np.exp(-0.5 * (since / width) ** 2) - np.exp(-0.5 * ((since - 3 * width) / width) ** 2)
            self.acceleration += amplitude * pulse[:, None] * way

    def readings(self):
        """Returns what an ideal sensor reads, and the direction that is up, both in the axes of the device."""
        roll, tilt, yaw = np.radians(self.angles).T
        zero = np.zeros_like(roll)

        def turned(vectors):
            x, y, z = vectors
            return np.stack([np.cos(yaw) * x - np.sin(yaw) * y, np.sin(yaw) * x + np.cos(yaw) * y, z], 1)

        # The axes of the device in the world: x to the right, y away from the user, z up.
        right = np.stack([np.ones_like(roll), zero, zero])
        top = np.stack([zero, np.sin(tilt), np.cos(tilt)])
        x_axis = turned(np.cos(roll) * right + np.sin(roll) * top)
        y_axis = turned(-np.sin(roll) * right + np.cos(roll) * top)
        z_axis = turned(np.stack([zero, -np.cos(tilt), np.sin(tilt)]))
        axes = x_axis, y_axis, z_axis

        position = sum(length * axis for length, axis in zip(self.lever, axes))
        velocity = np.gradient(position, 1 / RATE, axis=0)
        force = np.gradient(velocity, 1 / RATE, axis=0) + self.acceleration
        force[:, 2] += STANDARD_GRAVITY
        for begin, end in self.falls:
            force[(self.times >= begin) & (self.times < end)] = 0
        return np.stack([(force * axis).sum(1) for axis in axes], 1), np.stack([axis[:, 2] for axis in axes], 1)


class Sensor:
    """An accelerometer; what is not given is drawn at random.

    Noise and bias are in thousandths of g, the full scale in g, the jitter in sample periods; `dropped` is the share of
    samples that get lost.
    """

    def __init__(self, noise=None, bits=None, full_scale=None, bias=None, dropped=0.0, jitter=None, fault=None):
        self.noise, self.bits, self.full_scale, self.bias = noise, bits, full_scale, bias
        self.dropped, self.jitter, self.fault = dropped, jitter, fault

    def sense(self, random, times, forces, rate):
        """Returns the times and the readings of its samples."""
        noise = random.choice([0.5, 1, 2, 5, 10]) if self.noise is None else self.noise
        bits = random.choice([10, 12, 14, 16]) if self.bits is None else self.bits
        full_scale = random.choice([2, 4, 8]) if self.full_scale is None else self.full_scale
        bias = random.uniform(-25, 25, 3) if self.bias is None else random.choice([-1, 1], 3) * self.bias
        scale = 1 + random.normal(0, 0.01, 3)
        jitter = random.choice([0.0, 0.02, 0.05]) if self.jitter is None else self.jitter
        # Half of the chips average over a sample period, half alias.
        if random.random() < 0.5:
            forces = averaged(forces, max(1, int(RATE / rate)))
        taken = self.sample_times(random, times[-1], rate, jitter)
        readings = interpolated(taken, times, forces) / STANDARD_GRAVITY
        readings = readings * scale + bias / 1000 + random.standard_normal(readings.shape) * noise / 1000
        step = 2 * full_scale / 2**bits
        readings = np.clip(np.round(readings / step) * step, -full_scale, full_scale - step)
        if self.fault:
            self.fail(random, rate, taken, readings, full_scale)
        return taken, readings * STANDARD_GRAVITY

    def sample_times(self, random, end, rate, jitter):
        count = np.arange(1, int(end * rate))
        times = count / rate + random.normal(0, 1, len(count)) * jitter / rate
        times = np.maximum.accumulate(np.clip(times, 0.001, end)) + np.arange(len(times)) * 1e-6
        if self.dropped:
            times = times[random.random(len(times)) >= self.dropped]
        if self.fault == "gap":
            for begin in np.arange(12, end - 8, 17):
                times = times[(times < begin) | (times > begin + random.uniform(1.5, 4))]
        return times

    def fail(self, random, rate, times, readings, full_scale):
        """Changes some samples as the fault does."""
        if self.fault == "stuck":
            for begin in np.arange(8, times[-1] - 4, 11):
                stuck = np.flatnonzero((times > begin) & (times < begin + random.uniform(0.3, 2)))
                if len(stuck):
                    readings[stuck] = readings[stuck[0]]
        elif self.fault != "gap":
            # About one every two or three seconds.
            chosen = random.random(len(times)) < (0.3 if self.fault == "spike" else 0.5) / rate
            count = chosen.sum()
            if self.fault == "spike":
                readings[chosen] = random.uniform(-1, 1, (count, 3)) * full_scale
            elif self.fault == "nan":
                readings[chosen] = np.where(random.random((count, 3)) < 0.6, np.nan, readings[chosen])
            elif self.fault == "zero":
                readings[chosen] = 0
            elif self.fault == "backwards":
                times[chosen] -= random.uniform(0, 0.3, count)


def averaged(values, count):
    """Returns the mean of each value and those before it, `count` in all."""
    sums = np.cumsum(np.vstack([np.zeros((1, values.shape[1])), values]), 0)
    means = values.copy()
    means[count - 1 :] = (sums[count:] - sums[:-count]) / count
    return means


def interpolated(wanted, times, values):
    """Returns the columns of values at other times."""
    return np.stack([np.interp(wanted, times, column) for column in values.T], 1)
