# SPDX-License-Identifier: Apache-2.0
"""Compares the changes that a classifier reports with the truth of a trace, and sums up many traces."""

import collections
import dataclasses
import statistics

# Seconds at the beginning of a trace that do not count.
WARM_UP = 1.0
# A change may come so many seconds before the crossing, and after the next one.
EARLY, LATE = 0.3, 0.6
# For so many seconds an edge must stay to count as a turn that was followed.
LASTING = 0.5

# The groups of scenarios in which a share of the time is wrong, but for running, which has a figure of its own; the
# device is not turned in a near miss.
TIMED = "turn", "slow", "disturbed", "rest", "fault"


@dataclasses.dataclass
class Score:
    """What is summed up of one trace; times are in seconds."""

    wrong: float = 0.0
    # The time in which an edge can be wrong, and all of it.
    judged: float = 0.0
    duration: float = 0.0
    false_changes: int = 0
    missed: int = 0
    latencies: list = dataclasses.field(default_factory=list)

    def add(self, other):
        self.wrong += other.wrong
        self.judged += other.judged
        self.duration += other.duration
        self.false_changes += other.false_changes
        self.missed += other.missed
        self.latencies += other.latencies

    @property
    def wrong_percent(self):
        return 100 * self.wrong / self.judged

    @property
    def false_per_hour(self):
        return 3600 * self.false_changes / self.duration


def score(trace, changes):
    """Returns the score of the changes, (time, edge), that a classifier reports for a trace."""
    duration = trace.end - WARM_UP
    result = Score(judged=duration, duration=duration)
    result.wrong = wrong_time(trace, changes)
    result.false_changes = count_false(trace, changes)
    for turn in trace.truth.turns:
        if turn.is_required:
            latency = find_latency(trace, changes, turn)
            if latency is None:
                result.missed += 1
            else:
                result.latencies.append(latency)
    return result


def held(changes, end):
    """Returns what each change holds, (begin, end, edge)."""
    ends = [time for time, _ in changes[1:]] + [end]
    return [(begin, until, edge) for (begin, edge), until in zip(changes, ends)]


def wrong_time(trace, changes):
    """Returns for how many seconds the classifier gives an edge that the truth does not accept."""
    spans = iter([(WARM_UP, WARM_UP, None), *held([(0.0, None), *changes], trace.end)])
    begin, end, edge = next(spans)
    wrong = 0.0
    for since, until, accepted in trace.truth.accepted:
        since, until = max(since, WARM_UP), min(until, trace.end)
        while since < until:
            while end <= since:
                begin, end, edge = next(spans)
            now = min(end, until)
            if accepted and edge not in accepted:
                wrong += now - since
            since = now
    return wrong


def count_false(trace, changes):
    """Counts the changes that follow no turn; a turn explains one change."""
    turns = list(trace.truth.turns)
    count = 0
    for time, edge in changes[1:]:
        if time < WARM_UP:
            continue
        for turn in turns:
            if turn.edge == edge and turn.crossing - EARLY <= time <= turn.next + LATE:
                turns.remove(turn)
                break
        else:
            count += 1
    return count


def find_latency(trace, changes, turn):
    """Returns the seconds from the crossing of the diagonal to the change, or None if it is missed."""
    earliest, latest = turn.crossing - EARLY, turn.end + EARLY
    for begin, end, edge in held(changes, trace.end):
        begin = max(begin, earliest)
        if edge != turn.edge or end <= earliest or begin > latest:
            continue
        if end - begin >= LASTING or end >= min(trace.end, turn.next):
            return begin - turn.crossing
    return None


def percentile(values, percent):
    """Returns a percentile in ms, interpolated, or NaN without values."""
    if not values:
        return float("nan")
    values = sorted(values)
    position = (len(values) - 1) * percent / 100
    index = int(position)
    rest = values[min(index + 1, len(values) - 1)] - values[index]
    return 1000 * (values[index] + (position - index) * rest)


def summarize(scores):
    """Returns the figures of (scenario, score): rates are means over the scenarios, latencies over all turns."""
    totals = collections.defaultdict(Score)
    groups = collections.defaultdict(list)
    for scenario, part in scores:
        if scenario.name not in totals:
            groups[scenario.group].append(scenario.name)
        totals[scenario.name].add(part)

    def values(figure, *names):
        return [getattr(totals[scenario], figure) for name in names for scenario in groups[name]]

    def mean(figure, *names):
        return statistics.fmean(values(figure, *names) or [float("nan")])

    latencies = sum(values("latencies", "turn"), [])
    return {
        "wrong": mean("wrong_percent", *TIMED),
        "flaps": mean("false_per_hour", "rest"),
        "disturbed": mean("false_per_hour", "disturbed"),
        "faults": mean("false_per_hour", "fault"),
        "near": mean("false_per_hour", "near"),
        "running": mean("wrong_percent", "running"),
        "p50": percentile(latencies, 50),
        "p95": percentile(latencies, 95),
        "slow": percentile(sum(values("latencies", "slow"), []), 50),
    }
