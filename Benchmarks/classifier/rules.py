# SPDX-License-Identifier: Apache-2.0
"""Rules of other programs that decide which edge is up, written anew from public descriptions of them.

A rule is a class whose `step` takes a sample, a time in seconds and specific force in m/s² in the axes of Linux's IIO
(portrait is +y, landscape-left +x, face up +z), and returns the edge, or None while it is unknown.
"""

import collections
import math

STANDARD_GRAVITY = 9.80665
PORTRAIT, UPSIDE_DOWN = "portrait", "portrait-upside-down"
LANDSCAPE_LEFT, LANDSCAPE_RIGHT = "landscape-left", "landscape-right"
EDGES = PORTRAIT, UPSIDE_DOWN, LANDSCAPE_LEFT, LANDSCAPE_RIGHT

# Clockwise, each by 90° from the one before.
TURNS = PORTRAIT, LANDSCAPE_LEFT, UPSIDE_DOWN, LANDSCAPE_RIGHT


def nearest_edge(x, y):
    """Returns the edge whose axis points up most; a tie goes to y."""
    if abs(y) >= abs(x):
        return PORTRAIT if y > 0 else UPSIDE_DOWN
    return LANDSCAPE_LEFT if x > 0 else LANDSCAPE_RIGHT


class LowPassed:
    """The base rule after a low-pass filter with one pole: what a plain filter buys and costs."""

    TIME_CONSTANT = 0.2
    FLAT = 0.75 * STANDARD_GRAVITY

    def __init__(self):
        self.edge = self.time = None

    def step(self, time, *sample):
        if not all(map(math.isfinite, sample)):
            return self.edge
        if self.time is None:
            self.time, self.filtered = time, sample
        interval = max(0.0, time - self.time)
        share = interval / (self.TIME_CONSTANT + interval)
        self.filtered = [old + share * (new - old) for old, new in zip(self.filtered, sample)]
        self.time = max(self.time, time)
        x, y, z = self.filtered
        if abs(z) < self.FLAT:
            self.edge = nearest_edge(x, y)
        return self.edge


class SensorProxy:
    """iio-sensor-proxy's: an axis that rises by more than 35° is up, x before y; else the edge stays."""

    THRESHOLD = 35

    def __init__(self):
        self.edge = None

    def step(self, time, x, y, z):
        if not all(map(math.isfinite, (x, y, z))):
            return self.edge
        if self.rise(x, y, z) > self.THRESHOLD:
            self.edge = LANDSCAPE_LEFT if x > 0 else LANDSCAPE_RIGHT
        elif self.rise(y, x, z) > self.THRESHOLD:
            self.edge = PORTRAIT if y > 0 else UPSIDE_DOWN
        return self.edge

    @staticmethod
    def rise(axis, *others):
        """Returns the angle between an axis and the horizontal plane, in whole degrees."""
        return round(math.degrees(math.atan2(abs(axis), math.hypot(*others))))


class PolledSensorProxy(SensorProxy):
    """iio-sensor-proxy's for a sensor that it polls: a sample every 0.7 s."""

    PERIOD = 0.7

    def __init__(self):
        super().__init__()
        self.next_poll = -math.inf

    def step(self, time, x, y, z):
        if time >= self.next_poll:
            self.next_poll = max(self.next_poll + self.PERIOD, time + self.PERIOD / 2)
            super().step(time, x, y, z)
        return self.edge


class Android:
    """Android's, for a device without a sensor of its own for orientation (WindowOrientationListener).

    Filters the samples, and follows an edge that was predicted for a while and not soon after the device lay flat, was
    swung away or was accelerated. The edge stays while the device is held overhead, and within a gap at the diagonals.
    """

    TIME_CONSTANT, GREATEST_INTERVAL = 0.2, 1.0
    NEAR_ZERO, ACCELERATION_TOLERANCE = 1.0, 4.0
    # Angles of tilt are positive while the screen faces up.
    GREATEST_TILT = 80
    OVERHEAD_ENTER, OVERHEAD_EXIT = -40, -15
    TILTS = {PORTRAIT: (-25, 70), LANDSCAPE_LEFT: (-25, 65), UPSIDE_DOWN: (-25, 60), LANDSCAPE_RIGHT: (-25, 65)}
    # Between the edges, half of it on either side of a diagonal.
    GAP = 45
    FLAT_TILT, FLAT_TIME = 80, 1.0
    SWING_TILT, SWING_TIME = 20, 0.3
    SETTLE_TIME = 0.04
    AFTER_FLAT, AFTER_SWING, AFTER_ACCELERATION = 0.5, 0.3, 0.5

    def __init__(self):
        self.edge = self.predicted = self.time = None
        self.overhead = False
        self.tilts = collections.deque(maxlen=200)
        self.was_flat = self.was_swinging = self.was_accelerated = -math.inf

    def step(self, time, *sample):
        if not all(map(math.isfinite, sample)):
            return self.edge
        interval = 0.0 if self.time is None else time - self.time
        if self.time is None or not 0 < interval <= self.GREATEST_INTERVAL or sample == (0, 0, 0):
            self.filtered = sample
            self.restart()
        else:
            share = interval / (self.TIME_CONSTANT + interval)
            self.filtered = [old + share * (new - old) for old, new in zip(self.filtered, sample)]
            self.predict(time, *self.filtered)
        self.time = time
        if self.predicted and self.is_settled(time):
            self.edge = self.predicted
        return self.edge

    def restart(self):
        self.predicted = None
        self.overhead = False
        self.tilts.clear()
        self.was_flat = self.was_swinging = self.was_accelerated = -math.inf

    def predict(self, time, x, y, z):
        magnitude = math.sqrt(x * x + y * y + z * z)
        if magnitude < self.NEAR_ZERO:
            self.predicted = None
            return
        if abs(magnitude - STANDARD_GRAVITY) > self.ACCELERATION_TOLERANCE:
            self.was_accelerated = time
        tilt = round(math.degrees(math.asin(z / magnitude)))
        self.note_tilt(time, tilt)
        if tilt <= self.OVERHEAD_ENTER:
            self.overhead = True
        elif tilt >= self.OVERHEAD_EXIT:
            self.overhead = False
        predicted = None
        if not self.overhead and abs(tilt) <= self.GREATEST_TILT:
            angle = round(math.degrees(math.atan2(x, y))) % 360
            edge = TURNS[(angle + 45) // 90 % 4]
            low, high = self.TILTS[edge]
            if low <= tilt <= high and not self.is_in_gap(edge, angle):
                predicted = edge
        if predicted != self.predicted:
            self.predicted, self.predicted_since = predicted, time

    def is_in_gap(self, edge, angle):
        """Whether the angle is so close to a diagonal of the present edge that the device may be on its way back."""
        if self.edge is None:
            return False
        turn = (TURNS.index(edge) - TURNS.index(self.edge)) % 4
        offset = (angle - 90 * TURNS.index(edge) + 180) % 360 - 180
        bound = (90 - self.GAP) // 2
        return turn in (0, 1) and offset < -bound or turn in (0, 3) and offset > bound

    def note_tilt(self, time, tilt):
        """Adds to the history of tilts and looks for a device that lies flat or is swung away."""
        self.tilts.append((time, tilt))
        for earlier, value in reversed(self.tilts):
            if value < self.FLAT_TILT:
                break
            if earlier + self.FLAT_TIME <= time:
                self.was_flat = time
                break
        recent = (value for earlier, value in self.tilts if earlier + self.SWING_TIME >= time)
        if any(value + self.SWING_TILT <= tilt for value in recent):
            self.was_swinging = time

    def is_settled(self, time):
        return (
            time >= self.predicted_since + self.SETTLE_TIME
            and time >= self.was_flat + self.AFTER_FLAT
            and time >= self.was_swinging + self.AFTER_SWING
            and time >= self.was_accelerated + self.AFTER_ACCELERATION
        )


class ChromeOS:
    """ChromeOS's: the edge changes once gravity in the plane of the screen is 60° away from the present edge.

    Ignores samples that are 1 m/s² or more off gravity, and those with less than 4.2 m/s² in the plane.
    """

    STICKY_ANGLE = 60
    LEAST_IN_PLANE = 4.2
    TOLERANCE = 1.0
    AXES = {PORTRAIT: (0, 1), LANDSCAPE_LEFT: (1, 0), UPSIDE_DOWN: (0, -1), LANDSCAPE_RIGHT: (-1, 0)}

    def __init__(self):
        self.edge = None

    def step(self, time, x, y, z):
        deviation = abs(math.sqrt(x * x + y * y + z * z) - STANDARD_GRAVITY)
        in_plane = math.hypot(x, y)
        # A comparison with NaN is false.
        if deviation <= self.TOLERANCE and in_plane >= self.LEAST_IN_PLANE:
            if self.edge is None or self.angle(x, y) >= self.STICKY_ANGLE:
                self.edge = nearest_edge(x, y)
        return self.edge

    def angle(self, x, y):
        """Returns the angle between gravity and the present edge, in degrees."""
        right, up = self.AXES[self.edge]
        return math.degrees(math.acos(max(-1.0, min(1.0, (x * right + y * up) / math.hypot(x, y)))))


def changes(rule, samples):
    """Returns the changes of the edge that a new rule reports, (time, edge), the first included."""
    found, last = [], None
    for time, x, y, z in samples:
        edge = rule.step(time, x, y, z)
        if edge != last:
            found.append((time, edge))
            last = edge
    return found
