# SPDX-License-Identifier: Apache-2.0
"""Real motion: the trials of BROAD (github.com/dlaidig/broad, CC BY 4.0) as traces, and how they are scored.

An inertial sensor was turned and moved by hand, nearly without a pause, while cameras recorded its orientation.
"""

import numpy as np

from motion import averaged, interpolated
from rules import EDGES
from score import Score
from truth import FLAT

# An edge that the cameras show clearly for so many seconds must be followed: so many degrees from a diagonal.
CLEAR, CLEAR_MARGIN = 0.5, 10.0
# Closer to a diagonal no edge is wrong.
WRONG_MARGIN = 5.0
# A change is false if the cameras do not show its edge within so many seconds.
FALSE_MARGIN = 0.5
# A change may be so many seconds early, or late after the edge ended.
EARLY, LATE = 0.3, 0.3


def frames():
    """Yields six devices that the sensor may be in, each as the axes x, y and z: the screen faces every way."""
    for normal in range(3):
        for sign in (1, -1):
            z = sign * np.eye(3)[normal]
            y = np.eye(3)[(normal + 2) % 3]
            yield np.stack([np.cross(y, z), y, z])


def directions_up(quaternions):
    """Returns the direction that is up in the axes of the sensor, NaN where the cameras did not see it."""
    w, x, y, z = (quaternions / np.linalg.norm(quaternions, axis=1)[:, None]).T
    return np.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], 1)


def runs(values):
    """Returns the runs of equal values, (begin, end, value)."""
    bounds = [0, *(np.flatnonzero(np.diff(values)) + 1), len(values)]
    return [(begin, end, values[begin]) for begin, end in zip(bounds, bounds[1:])]


class Trial:
    """The samples of a trial in one frame, (time, x, y, z), and what the cameras saw; edges are indices of EDGES."""

    def __init__(self, times, forces, up, is_seen, rate):
        self.times = times
        taken = np.arange(1, int(times[-1] * rate)) / rate
        mean = averaged(forces, round(1 / (rate * times[1])))
        self.samples = list(zip(taken.tolist(), *interpolated(taken, times, mean).T.tolist()))
        self.end = float(taken[-1])
        self.look(up, is_seen)

    def look(self, up, is_seen):
        x, y, z = up.T
        from_diagonal = np.abs(np.degrees(np.arctan2(np.abs(x), np.abs(y))) - 45)
        edges = np.where(np.abs(y) >= np.abs(x), np.where(y > 0, 0, 1), np.where(x > 0, 2, 3))
        is_upright = np.abs(z) < FLAT
        # The base rule: the edge stays while the device lies flat.
        latest = np.maximum.accumulate(np.where(is_upright, np.arange(len(edges)), 0))
        self.edges = np.where(is_upright[latest], edges[latest], -1)
        self.is_seen = is_seen
        self.is_judged = is_seen & is_upright & (from_diagonal >= WRONG_MARGIN)
        clear = np.where(is_seen & is_upright & (from_diagonal >= CLEAR_MARGIN), edges, -1)
        interval = self.times[1]
        lasting = [run for run in runs(clear) if run[2] >= 0 and (run[1] - run[0]) * interval >= CLEAR]
        self.turns = list(self.find_turns(lasting))

    def find_turns(self, lasting):
        """Yields the changes to follow: (crossing, end, edge) in seconds."""
        held = runs(self.edges)
        for (_, left, before), (clear, _, edge) in zip(lasting, lasting[1:]):
            if edge != before:
                begin, end, _ = next(run for run in held if run[0] <= clear < run[1])
                yield self.times[max(begin, left)], self.times[end - 1], edge

    def score(self, changes):
        """Returns the score of the changes, (time, edge)."""
        result = Score(duration=self.end, judged=self.is_judged.sum() * self.times[1])
        times = np.array([time for time, _ in changes])
        edges = np.array([EDGES.index(edge) for _, edge in changes])
        shown = np.concatenate([[-1], edges])[np.searchsorted(times, self.times, side="right")]
        result.wrong = (shown != self.edges)[self.is_judged].sum() * self.times[1]
        for time, edge in zip(times[1:], edges[1:]):
            near = slice(*np.searchsorted(self.times, (time - FALSE_MARGIN, time + FALSE_MARGIN)))
            result.false_changes += bool(self.is_seen[near].all() and not (self.edges[near] == edge).any())
        ends = np.concatenate([times[1:], [self.end]])
        for crossing, end, edge in self.turns:
            followed = np.flatnonzero((edges == edge) & (ends > crossing - EARLY) & (times <= end + LATE))
            if len(followed):
                result.latencies.append(max(0.0, times[followed[0]] - crossing))
            else:
                result.missed += 1
        return result


def read(path, rate):
    """Yields the trials of a file, one for each frame."""
    from scipy.io import loadmat  # the tests of the rest do without SciPy

    data = loadmat(path, variable_names=["imu_acc", "opt_quat", "sampling_rate"])
    times = np.arange(len(data["imu_acc"])) / data["sampling_rate"].item()
    up = directions_up(data["opt_quat"])
    is_seen = ~np.isnan(up).any(1)
    up = interpolated(times, times[is_seen], up[is_seen])
    for axes in frames():
        yield Trial(times, data["imu_acc"] @ axes.T, up @ axes.T, is_seen, rate)
