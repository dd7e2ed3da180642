# SPDX-License-Identifier: Apache-2.0
"""What a trace asks of a classifier, from the direction that is really up: the edges it accepts, and the turns."""

import dataclasses

import numpy as np

from rules import LANDSCAPE_LEFT, LANDSCAPE_RIGHT, PORTRAIT, UPSIDE_DOWN

# The base rule does not decide from this |z| in g on.
FLAT = 0.75
# Close to a diagonal, in degrees, and close to flat, in g, more than one edge is accepted.
DIAGONAL_MARGIN = 15.0
CLEARLY_UPRIGHT, CLEARLY_FLAT = 0.71, 0.79
# For so many seconds of a clear pose the edge before is accepted, too.
GRACE = 0.6
# For so many seconds a clear pose must last to require a change.
REQUIRED = 1.5


@dataclasses.dataclass
class Turn:
    """A change of the edge that is really up; times are in seconds."""

    edge: str
    # When the diagonal was crossed.
    crossing: float
    # When the pose was clear for the last time, and when the next turn begins.
    end: float
    next: float
    # The longest time for which the pose was clear.
    clear: float = 0.0

    @property
    def is_required(self):
        return self.clear >= REQUIRED


class Truth:
    """The accepted edges, (begin, end, edges), and the turns of a trace."""

    def __init__(self, times, up):
        self.turns = []
        self.accepted = []
        self.edge = None
        self.edges = frozenset()
        # Since when the base rule gives the same edge, and for how long the pose is clear.
        self.rule_edge, self.rule_since = None, 0.0
        self.clear_edge, self.clear_for = None, 0.0

        x, y, z = up.T
        vertical = np.where(y > 0, PORTRAIT, UPSIDE_DOWN).tolist()
        horizontal = np.where(x > 0, LANDSCAPE_LEFT, LANDSCAPE_RIGHT).tolist()
        from_diagonal = np.abs(np.degrees(np.arctan2(np.abs(x), np.abs(y))) - 45)
        is_diagonal = (from_diagonal < DIAGONAL_MARGIN).tolist()
        is_vertical = (np.abs(y) >= np.abs(x)).tolist()
        steps = zip(times.tolist(), vertical, horizontal, is_vertical, is_diagonal, np.abs(z).tolist())
        interval = float(times[1] - times[0])
        for time, *pose in steps:
            self.add(time, interval, *pose)
            if not self.accepted or self.accepted[-1][2] != self.edges:
                if self.accepted:
                    self.accepted[-1][1] = time
                self.accepted.append([time, time, self.edges])
        self.accepted[-1][1] = float(times[-1])
        for turn, following in zip(self.turns, self.turns[1:]):
            turn.next = following.crossing
        if self.turns:
            self.turns[-1].next = float(times[-1])
        # The first is no turn, but where the trace begins.
        del self.turns[:1]

    def add(self, time, interval, vertical, horizontal, is_vertical, is_diagonal, z):
        edge = vertical if is_vertical else horizontal
        if z < FLAT:
            if self.rule_edge != edge:
                self.rule_edge, self.rule_since = edge, time
        elif z >= CLEARLY_FLAT:
            self.rule_edge = None
        if z <= CLEARLY_UPRIGHT and not is_diagonal:
            self.add_clear(time, interval, edge)
            return
        if z >= CLEARLY_FLAT:
            self.clear_edge = None
        elif z > CLEARLY_UPRIGHT:
            self.edges |= {vertical, horizontal} if is_diagonal else {edge}
        else:
            edges = frozenset((vertical, horizontal))
            # Past the diagonal on the other side of the edge before.
            crossed_now = self.edge not in edges and time - self.rule_since < GRACE
            self.edges = edges | self.edges if crossed_now else edges

    def add_clear(self, time, interval, edge):
        if self.clear_edge != edge:
            self.clear_edge, self.clear_for = edge, 0.0
        self.clear_for += interval
        if self.edge != edge:
            self.edge = edge
            crossing = self.rule_since if self.rule_edge == edge else time
            self.turns.append(Turn(edge, crossing, time, time))
        turn = self.turns[-1]
        turn.end = time
        turn.clear = max(turn.clear, self.clear_for)
        if self.clear_for >= GRACE or not self.edges:
            self.edges = frozenset((edge,))
        else:
            self.edges |= {edge}
