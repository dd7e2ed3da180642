# SPDX-License-Identifier: Apache-2.0
"""The benchmark of the classifier: its score of changes, and what it makes of rules whose behaviour is known."""

import math
import sys
import types
import unittest

from rig import SOURCE_ROOT

sys.path.insert(0, str(SOURCE_ROOT / "Benchmarks" / "classifier"))

import broad  # noqa: E402
import rules  # noqa: E402
from rules import LANDSCAPE_LEFT, LANDSCAPE_RIGHT, PORTRAIT, STANDARD_GRAVITY, UPSIDE_DOWN  # noqa: E402
from scenarios import SCENARIOS, Trace  # noqa: E402
from score import percentile, score, summarize  # noqa: E402
from truth import Truth  # noqa: E402

import numpy as np  # noqa: E402


def trace_of(*poses):
    """Returns a trace for scoring that holds poses, (seconds, roll), one after the other."""
    rolls = np.concatenate([np.full(round(seconds * 100), math.radians(roll)) for seconds, roll in poses])
    up = np.stack([np.sin(rolls), np.cos(rolls), np.zeros_like(rolls)], 1)
    times = np.arange(len(rolls)) / 100
    return types.SimpleNamespace(truth=Truth(times, up), end=float(times[-1]))


class ScoreTests(unittest.TestCase):
    """A device that is turned from portrait to landscape-left after ten seconds, for ten seconds."""

    def setUp(self):
        self.trace = trace_of((10, 0), (10, 90))

    def test_a_late_change_is_latency_and_wrong_after_the_grace(self):
        result = score(self.trace, [(0.1, PORTRAIT), (11.0, LANDSCAPE_LEFT)])
        self.assertEqual(len(result.latencies), 1)
        self.assertAlmostEqual(result.latencies[0], 1.0)
        self.assertAlmostEqual(result.wrong, 0.4, delta=0.02)
        self.assertEqual((result.false_changes, result.missed), (0, 0))

    def test_no_change_is_missed_and_wrong(self):
        result = score(self.trace, [(0.1, PORTRAIT)])
        self.assertEqual((result.false_changes, result.missed, result.latencies), (0, 1, []))
        self.assertAlmostEqual(result.wrong, 9.4, delta=0.02)

    def test_each_change_that_no_turn_explains_is_false(self):
        flaps = [(15.0, PORTRAIT), (15.1, LANDSCAPE_LEFT), (17.0, UPSIDE_DOWN), (17.1, LANDSCAPE_LEFT)]
        result = score(self.trace, [(0.1, PORTRAIT), (10.1, LANDSCAPE_LEFT), *flaps])
        self.assertEqual((result.false_changes, result.missed), (4, 0))
        self.assertAlmostEqual(result.wrong, 0.2, delta=0.02)

    def test_a_turn_is_followed_once_its_edge_stays_for_half_a_second(self):
        for shown, latency in ((0.2, 2.0), (0.9, 0.1)):
            changes = [(0.1, PORTRAIT), (10.1, LANDSCAPE_LEFT), (10.1 + shown, PORTRAIT), (12.0, LANDSCAPE_LEFT)]
            self.assertAlmostEqual(score(self.trace, changes).latencies[0], latency)

    def test_either_edge_is_accepted_close_to_a_diagonal_and_a_change_is_false(self):
        trace = trace_of((5, 0), (5, 40))
        result = score(trace, [(0.1, PORTRAIT), (7.0, LANDSCAPE_LEFT)])
        self.assertEqual((result.wrong, result.false_changes), (0, 1))

    def test_percentiles_are_interpolated_in_milliseconds(self):
        self.assertEqual(percentile([0.3, 0.1], 50), 200)
        self.assertEqual(percentile([0.1], 95), 100)


class RuleTests(unittest.TestCase):
    CLASSES = rules.LowPassed, rules.SensorProxy, rules.PolledSensorProxy, rules.Android, rules.ChromeOS

    def test_each_rule_follows_clear_turns_both_ways(self):
        edges = [PORTRAIT, LANDSCAPE_LEFT, UPSIDE_DOWN, LANDSCAPE_RIGHT, PORTRAIT, LANDSCAPE_RIGHT]
        axes = {PORTRAIT: (0, 1), LANDSCAPE_LEFT: (1, 0), UPSIDE_DOWN: (0, -1), LANDSCAPE_RIGHT: (-1, 0)}
        samples = []
        for index in range(len(edges) * 60):
            x, y = axes[edges[index // 60]]
            samples.append((index / 20, STANDARD_GRAVITY * x, STANDARD_GRAVITY * y, 0.0))
        for rule in self.CLASSES:
            with self.subTest(rule.__name__):
                self.assertEqual([edge for _, edge in rules.changes(rule(), samples) if edge], edges)

    def test_each_rule_keeps_the_edge_while_the_device_lies_flat(self):
        samples = [(index / 20, 0.0, STANDARD_GRAVITY, 0.0) for index in range(40)]
        samples += [(2 + index / 20, 0.5, -0.3, STANDARD_GRAVITY) for index in range(40)]
        for rule in self.CLASSES:
            with self.subTest(rule.__name__):
                self.assertEqual([edge for _, edge in rules.changes(rule(), samples) if edge], [PORTRAIT])


class ScenarioTests(unittest.TestCase):
    def test_a_seed_makes_the_same_trace_again(self):
        first, again, other = (Trace(SCENARIOS[0], 0, seed) for seed in (1, 1, 2))
        self.assertEqual(first.samples, again.samples)
        self.assertNotEqual(first.samples, other.samples)

    def test_rules_differ_as_their_designs_do(self):
        """A filter costs latency and saves changes, and waiting costs and saves more."""
        names = "turn-0.6s", "turn-1.2s", "diagonal-noisy", "set-down", "near-miss-30-38-slow"
        traces = [Trace(scenario, 0, 1) for scenario in SCENARIOS if scenario.name in names]
        self.assertEqual(len(traces), len(names))
        figures = [
            summarize((trace.scenario, score(trace, rules.changes(rule(), trace.samples))) for trace in traces)
            for rule in (rules.SensorProxy, rules.ChromeOS, rules.LowPassed, rules.Android)
        ]
        proxy, chrome_os, filtered, android = figures
        self.assertLess(proxy["p50"], chrome_os["p50"])
        self.assertLess(chrome_os["p50"], filtered["p50"])
        self.assertLess(filtered["p50"], android["p50"])
        self.assertEqual(android["flaps"], 0)
        self.assertGreater(filtered["flaps"], 1000)
        self.assertEqual(android["near"], 0)
        self.assertGreater(proxy["near"], 100)
        for row in figures:
            self.assertGreater(row["p50"], 0)
            self.assertLess(row["p95"], 1000)
            self.assertLess(row["wrong"], 5)


class BroadTests(unittest.TestCase):
    """A sensor whose y axis is up for five seconds, then its x axis, of which the cameras miss a part."""

    def setUp(self):
        self.times = np.arange(2800) / 280
        self.up = np.where((self.times < 5)[:, None], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0])
        self.is_seen = (self.times < 8) | (self.times > 9)

    def trial(self, axes):
        up = self.up @ axes.T
        return broad.Trial(self.times, STANDARD_GRAVITY * up, up, self.is_seen, 15.0)

    def test_a_change_is_late_and_what_the_cameras_do_not_show_is_false_or_not_judged(self):
        trial = self.trial(np.eye(3))
        self.assertEqual(len(trial.turns), 1)
        changes = [(0.1, PORTRAIT), (5.5, LANDSCAPE_LEFT), (6.5, PORTRAIT), (6.6, LANDSCAPE_LEFT), (8.5, PORTRAIT)]
        result = trial.score(changes)
        self.assertEqual((len(result.latencies), result.missed, result.false_changes), (1, 0, 1))
        self.assertAlmostEqual(result.latencies[0], 0.5)
        # Before the first change, late, false for 0.1 s, and in the last second.
        self.assertAlmostEqual(result.wrong, 0.1 + 0.5 + 0.1 + 1.0, delta=0.03)
        self.assertAlmostEqual(result.judged, 9, delta=0.02)

    def test_frames_are_rotations_whose_screens_face_every_way(self):
        frames = list(broad.frames())
        for axes in frames:
            np.testing.assert_allclose(axes @ axes.T, np.eye(3))
            self.assertAlmostEqual(np.linalg.det(axes), 1)
        self.assertEqual(len({tuple(axes[2]) for axes in frames}), 6)

    def test_quaternions_give_the_axis_that_is_up(self):
        half = math.sqrt(0.5)
        # At rest, and turned about x so that y is up.
        up = broad.directions_up(np.array([[1.0, 0, 0, 0], [half, half, 0, 0]]))
        np.testing.assert_allclose(up, [[0, 0, 1], [0, 1, 0]], atol=1e-9)


if __name__ == "__main__":
    unittest.main()
