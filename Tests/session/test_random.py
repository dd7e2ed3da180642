# SPDX-License-Identifier: Apache-2.0
"""Random events on real compositors; after each, the display shows what `orientctl status` says.

`Tests/session/run --events NUMBER --seed NUMBER` repeats a run. Headless outputs refuse no change; the fakes of
Tests/integration do. Only sway can plug in and unplug headless outputs.
"""

import json
import os
import random
import signal
import time

from compositor import COLOURS, NEIGHBOUR, PANEL, Labwc, Sway
from rig import wait_until
from rotation import HELD, ORIENTATIONS
from session import TURNED, SessionTestCase, overlap, seen, touch

TRANSFORMS = ("normal", "90", "180", "270")
MOST_OUTPUTS = 4
# How often each event happens, a method of RandomTests.
WEIGHTS = {
    "turn_device": 6,
    "command": 5,
    "power": 4,
    "foreign": 2,
    "foreign_transform": 1,
    "race": 1,
    "reload": 1,
    "hang": 1,
    "restart": 1,
    "end": 1,
    "crash": 1,
}
# Seconds after a reload in which the agent takes other changes for a part of it.
RELOAD = 1.5
# Seconds after the panel was switched on or a hotplug in which it takes another transform for the compositor's.
CHANGE = 5.5


def is_tidy(heads):
    """Returns whether no outputs overlap, and all are connected."""
    areas = [head.rectangle for head in heads.values() if head.enabled]
    reached, waiting = areas[:1], areas[1:]
    if any(overlap(one, other) for index, one in enumerate(areas) for other in areas[:index]):
        return False
    while near := [area for area in waiting if any(touch(area, other) for other in reached)]:
        reached += near
        waiting = [area for area in waiting if area not in near]
    return not waiting


def arrangement(heads):
    """Returns the areas of the outputs relative to the panel's place."""
    x, y = heads[PANEL].position
    areas = {name: head.rectangle for name, head in heads.items() if head.enabled}
    return {name: (left - x, top - y, right - x, bottom - y) for name, (left, top, right, bottom) in areas.items()}


class RandomTests:
    """Turns, commands and whatever else happens to a session, in a random order."""

    def test_display_shows_what_the_status_says(self):
        events, seed = int(os.environ["SESSION_EVENTS"]), int(os.environ["SESSION_SEED"])
        self.random = random.Random(seed)
        # What the panel has without the agent; several where that is not known exactly.
        self.bases = {"normal"}
        # What other programs may have found, and what the panel had then without the agent.
        self.replaced = []
        # All outputs without the agent; None while that is not known exactly.
        self.before = None
        self.is_foreign = False  # whether another program may have the say
        self.is_drawn = True  # sway no longer draws on a headless output that was off
        self.is_kept = False  # whether it certainly has
        self.was_tidy = True
        self.reloaded, self.changed = -RELOAD, -CHANGE
        self.held = "portrait"
        self.history, self.counts, self.longest = [], {}, 0
        self.agent = self.start_session()
        self.before = self.compositor.heads()
        names = [name for name, weight in self.WEIGHTS.items() for _ in range(weight)]
        try:
            for number in range(events):
                signal.alarm(60)
                self.live(number, self.random.choice(names))
            self.live(events, "end")
        except BaseException:
            print(f"\nseed {seed}, events:", *self.history[-12:], sep="\n")
            raise
        counts = ", ".join(f"{count} {name}" for name, count in sorted(self.counts.items()))
        print(f"seed {seed}: {counts}; the longest wait was {self.longest:.1f} s ... ", end="")

    def live(self, number, name):
        self.history.append(f"{number} {name}")
        self.counts[name] = self.counts.get(name, 0) + 1
        getattr(self, name)()
        began = time.monotonic()
        self.settle(self.agent)
        seen_last = []

        def is_right():
            seen_last[:] = [self.problem()]
            return seen_last == [None]

        try:
            # The second look finds what the first one has only not seen yet.
            for _ in range(2):
                wait_until(is_right, "")
                self.settle(self.agent)
        except AssertionError:
            raise AssertionError(f"after event {number}, {name}: {seen_last[0]}") from None
        self.longest = max(self.longest, time.monotonic() - began)
        self.history[-1] += f": {self.activity}, {self.found}"

    def note(self, text):
        self.history[-1] += f" {text}"

    # --- what must hold

    def blanked(self):
        """Returns the names of the outputs that are off."""
        return {line.split()[0] for line in self.compositor.run("wlopm").splitlines() if line.split()[1:] == ["off"]}

    def problem(self):
        """Returns what is wrong now, or None."""
        result = self.rig.orientctl("status", "--json", environment=self.compositor.environment())
        status = json.loads(result.stdout)
        heads, blanked = self.compositor.heads(), self.blanked()
        self.activity = status["Agents"][0]["activity"] if status["Agents"] else "no agent"
        panel = heads.get(PANEL)
        shown = panel.transform if panel and panel.enabled else None
        self.found = {name: (head.transform, head.rectangle) for name, head in heads.items() if head.enabled}
        wanted = status["OutputTransform"]
        text = f"status says {wanted} and '{self.activity}', the panel has {shown}, off are {blanked}: {heads}"
        if self.activity == f"rotates {PANEL}":
            if shown != wanted:
                return text
        elif self.activity == f"rotates {PANEL} when it is on again":
            if PANEL not in blanked:
                return text
        elif self.activity == f"leaves {PANEL} as another program has set it":
            if not self.is_foreign or shown not in self.bases:
                return text
        else:
            return text
        if self.is_kept and shown not in (None, *self.bases):
            return f"what another program has set is not kept: {text}"
        if self.was_tidy and shown is not None and not is_tidy(heads):
            return f"there is a gap or an overlap: {text}"
        if PANEL in blanked and self.COMPOSITOR is Sway:
            self.is_drawn = False
        # The wallpaper of an output that overlaps the panel covers a part of it.
        if shown is not None and PANEL not in blanked and self.is_drawn and is_tidy(heads):
            try:
                corners = self.compositor.corners()
            except (ConnectionError, TimeoutError) as failure:
                return f"no picture: {failure}: {text}"
            (held,) = [held for held, (transform, _) in TURNED.items() if transform == shown]
            if seen(corners, held) != COLOURS:
                return f"the panel shows {corners}: {text}"
        return None

    # --- the device and commands

    def goal_may_change(self, action):
        """Does something, after which another program has no say if that changes the goal."""
        before = self.client.get("OutputTransform")
        action()
        self.flush()
        if self.client.get("OutputTransform") != before:
            self.give_back()

    def turn_device(self):
        self.held = self.random.choice(list(HELD))
        self.note(self.held)
        self.goal_may_change(lambda: self.turn(self.held))

    def command(self):
        words = self.random.choice(
            (("align",), ("rotate", self.random.choice(ORIENTATIONS)), ("lock", "current"), ("unlock",), ("unlock",))
        )
        self.note(words)
        self.control(*words)
        self.give_back()

    # --- other programs

    def foreign(self):
        """Sets the panel and places all others around it, as a tool with a profile does."""
        heads = {name: head for name, head in self.lit_heads().items() if head.enabled}
        old = arrangement(heads)
        panel = heads.pop(PANEL)
        present = panel.transform
        panel.transform = self.random.choice(TRANSFORMS)
        panel.scale = self.random.choice((1, 1.25, 2))
        width, height = panel.size
        side = self.random.choice(("right", "left", "below", "above"))
        arguments = ["--transform", panel.transform, "--scale", str(panel.scale), "--pos", "1000,1000"]
        chain = 0
        for name, head in heads.items():
            across, down = head.size
            x, y = {
                "right": (1000 + width + chain, 1000),
                "left": (1000 - across - chain, 1000),
                "below": (1000, 1000 + height + chain),
                "above": (1000, 1000 - down - chain),
            }[side]
            arguments += ["--output", name, "--pos", f"{x},{y}"]
            chain += across if side in ("right", "left") else down
        self.note((panel.transform, panel.scale, side))
        self.compositor.set_output(PANEL, *arguments)
        # Outputs that moved together keep, for the agent, what they had without it.
        self.was_tidy = self.was_tidy or arrangement(self.compositor.heads()) != old
        self.take_over(panel.transform, {present})
        self.before = self.compositor.heads() if self.is_kept else None

    def foreign_transform(self):
        """Only sets the transform; what others then do with their places is not the agent's fault."""
        present = self.lit_heads()[PANEL].transform
        transform = self.random.choice(TRANSFORMS)
        self.note(transform)
        self.compositor.set_output(PANEL, "--transform", transform)
        self.was_tidy, self.before = False, None
        self.take_over(transform, {present})

    def race(self):
        """Somebody sets the transform while the device turns."""
        transform, self.held = self.random.choice(TRANSFORMS), self.random.choice(list(HELD))
        self.note((transform, self.held))
        present = self.lit_heads()[PANEL].transform
        process = self.compositor.spawn("wlr-randr", "--output", PANEL, "--transform", transform)
        self.turn(self.held)
        process.wait()
        self.compositor.processes.remove(process)
        self.was_tidy, self.before = False, None
        self.take_over(transform, {present, transform, self.client.get("OutputTransform")})

    def lit_heads(self):
        """Returns the outputs after switching the panel on: sway changes an output that is off only later."""
        if PANEL in self.blanked():
            self.compositor.run("wlopm", "--on", PANEL)
            self.changed = time.monotonic()
            wait_until(lambda: self.problem() is None, "the panel is on and turned")
        return self.compositor.heads()

    def take_over(self, transform, found):
        """Another program has set a transform, where one of `found` was set.

        The agent notices no change of nothing, and what was found earlier is put back.
        """
        old = [bases for earlier, bases in self.replaced if transform in earlier]
        if not self.is_kept:
            self.replaced.append((found, self.bases))
        self.is_foreign = True
        is_certain = transform not in found and not old
        self.is_kept = is_certain and time.monotonic() > max(self.reloaded + RELOAD, self.changed + CHANGE)
        self.bases = {transform} if self.is_kept else self.bases.union({transform}, *old)

    def give_back(self):
        """The agent has the say again."""
        self.is_foreign = self.is_kept = False
        self.replaced = []

    # --- power and the compositor

    def power(self):
        name = self.random.choice((PANEL, PANEL, NEIGHBOUR))
        if name in self.compositor.heads():
            state = self.random.choice(("--on", "--off"))
            self.note((name, state))
            self.compositor.run("wlopm", state, name)
            if (name, state) == (PANEL, "--on"):
                self.changed = time.monotonic()

    def hang(self):
        """The compositor stands still while the device turns."""
        self.compositor.process.send_signal(signal.SIGSTOP)
        try:
            self.turn_device()
            self.settle(self.agent)
        finally:
            self.compositor.process.send_signal(signal.SIGCONT)

    def restart(self):
        self.compositor.stop()
        self.compositor.start(arrange=False)
        self.is_drawn = True
        self.bases = self.bases | {"normal"}
        self.was_tidy, self.before = True, None
        self.give_back()

    # --- the agent

    def end(self):
        """Ends the agent, which restores all."""
        self.lit_heads()
        self.assertEqual(self.agent.stop(), 0, self.agent.log())
        self.give_back()
        heads, blanked = self.compositor.heads(), self.blanked()
        # After the next change, labwc reports an output that is off as disabled.
        changed = [name for name, head in (self.before or {}).items() if heads[name] != head and name not in blanked]
        if changed or heads[PANEL].transform not in self.bases or self.was_tidy and not is_tidy(heads):
            raise AssertionError(f"{heads} instead of {self.before or self.bases} after the end")
        self.client.wait_for("Claims", 0)
        self.agent = self.start_agent()

    def crash(self):
        self.agent.stop(signal.SIGKILL)
        self.give_back()
        self.client.wait_for("Claims", 0)
        self.agent = self.start_agent()


class SwayRandomTests(RandomTests, SessionTestCase):
    COMPOSITOR = Sway
    WEIGHTS = WEIGHTS | {"plug": 2, "unplug": 2}

    def reload(self):
        self.compositor.run("swaymsg", "reload")
        self.reloaded = time.monotonic()
        self.give_back()
        self.bases, self.before = self.bases | {"normal"}, None

    def plug(self):
        if len(self.compositor.heads()) < MOST_OUTPUTS:
            self.compositor.run("swaymsg", "create_output")
            self.changed = time.monotonic()
            self.before = None

    def unplug(self):
        others = sorted(self.compositor.heads().keys() - {PANEL})
        if others:
            name = self.random.choice(others)
            self.note(name)
            self.compositor.run("swaymsg", "output", name, "unplug")
            self.changed = time.monotonic()
            self.was_tidy, self.before = self.was_tidy and is_tidy(self.compositor.heads()), None


class LabwcRandomTests(RandomTests, SessionTestCase):
    COMPOSITOR = Labwc
    WEIGHTS = WEIGHTS

    def reload(self):
        self.compositor.process.send_signal(signal.SIGHUP)
        self.before = None
