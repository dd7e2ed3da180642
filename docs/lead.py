#!/usr/bin/python3 -B
# SPDX-License-Identifier: Apache-2.0
"""Draws docs/lead.svg, the first picture of the README: lead.py FOLDER

A convertible and a tablet, as docs/fold.trace and docs/tablet.trace recorded them; docs/tablet.py has the parts, and
FOLDER the orientctl that replays them. Below each are four moments of the recording, for those who see no animation.
"""

import math

from tablet import (
    CHANGE,
    DISPLAY,
    DRAWINGS,
    FRAME,
    Animation,
    Recording,
    changes,
    document,
    escaped,
    parse_arguments,
)

WIDTH, HEIGHT = 640, 438
COLUMN = WIDTH // 2
TITLE, DEVICE, CAPTION, STILLS, LABELS = 28, 160, 307, 364, 424
STILL_SCALE, STILL_PITCH, STILL_FRAME = 0.27, 76, 66
# How far the base of the convertible reaches below the hinge when it lies flat, and where it is seen from the side.
BASE, SIDE = 64, (42, 122)
# What notes of the recording are called here, where there is less room.
SENTENCES = {
    "org.example.Player requests landscape.": "A video player needs landscape.",
    "org.example.Player ends.": "The video player ends.",
}
FOLLOWS, HELD = "Turned: the picture follows.", "Turned: the lock holds the picture."
# The second that people see who want no motion, and the moments of the small pictures.
CONVERTIBLE = ("fold", 9.2, ((0, "laptop"), (6.02, "folded"), (8.9, "turned"), (11.9, "and back")))
TABLET = ("tablet", 3.4, ((0, "upright"), (3, "turned"), (8.2, "locked"), (9.8, "video")))

STYLE = """
text{font-family:system-ui,-apple-system,"Segoe UI","DejaVu Sans",sans-serif;font-size:16px;fill:#b4bfcc;\
text-anchor:middle}
.title{font-size:19px;font-weight:600;fill:#e3e9f0}
.caption{fill:#ffc66d}
.command{font-family:ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace}
.case{fill:#0a0e13;stroke:#5d6b7c;stroke-width:2}
.key{fill:#3b4757}
.half{fill:#3b4757;stroke:#b4bfcc;stroke-width:1.5}
.now{fill:none;stroke:#ffc66d;stroke-width:2}
.lines{stroke:#b9bdb8;stroke-width:5;stroke-linecap:round}
""".strip()


def between(points, time):
    """Returns the value at a time of (time, value), on the lines that connect them."""
    for (begin, old), (end, new) in zip(points, points[1:]):
        if time < end:
            return old + (new - old) * max(0, time - begin) / (end - begin)
    return points[-1][1]


def latest(entries, time):
    """Returns the last of (time, ...) that has begun at a time."""
    return [entry for entry in entries if entry[0] <= time][-1]


class Tablet:
    """A column: the device as it is held with what it shows, what happens, and four moments."""

    title, display, middle, center = "A tablet", DISPLAY, COLUMN // 2, 0

    def __init__(self, orientctl, name, still, moments):
        self.recording = Recording(name, orientctl)
        self.name, self.still, self.moments = name, still, moments
        self.animation = Animation(self.recording.duration, still, name[0])

    def shown(self):
        """Yields (time, angle, drawing), as Recording.shown() does."""
        return self.recording.shown()

    def captions(self):
        """Yields (time, sentence): what happens."""
        yield 0, "It is held upright."
        for time, note in self.recording.notes():
            if note == "The device is turned.":
                note = HELD if latest(self.recording.states, time)[1]["InterfaceRule"] == "lock" else FOLLOWS
            yield time, SENTENCES.get(note, note)

    def case(self):
        """Yields what is around the display, and turns with it."""
        width, height = self.display
        yield (
            f'<rect x="{-width / 2 - FRAME:g}" y="{-height / 2 - FRAME - 8:g}" width="{width + 2 * FRAME}" '
            f'height="{height + 2 * FRAME + 16}" rx="16" class="case"/>'
        )
        yield f'<circle cy="{-height / 2 - FRAME:g}" r="3.5" fill="#ffc66d"/>'

    def back(self, _time=None):
        """Yields what is behind the case, moving, or as it is at a time."""
        return ()

    def turned(self, angle):
        return f"transform:rotate({angle:.1f}deg)"

    def device(self):
        """Yields the device with its animations."""
        held = self.animation.name([(time, self.turned(-angle)) for time, angle in self.recording.angles])
        yield f'<g transform="translate({self.middle} {DEVICE + self.center})"><g class="{held}">'
        yield from self.back()
        yield from self.case()
        spins = []
        for time, angle, _ in changes(self.shown()):
            if spins:
                spins.append((time, spins[-1][1]))
            spins.append((time + (CHANGE if spins else 0), angle))
        spins.append((self.recording.duration, spins[-1][1]))
        spin = self.animation.name([(time, self.turned(angle)) for time, angle in spins])
        yield f'<g clip-path="url(#{self.name})"><g class="{spin}">'
        states = changes((time, drawing) for time, _, drawing in self.shown())
        for drawing, intervals in self.animation.steps(states).items():
            yield f'<use href="#{drawing}" class="{self.animation.visible(intervals, CHANGE / 2)}"/>'
        yield "</g></g></g></g>"

    def caption(self):
        for caption, intervals in self.animation.steps(list(self.captions())).items():
            style = "caption command" if caption.startswith("$") else "caption"
            visible = self.animation.visible(intervals)
            yield f'<text x="{self.middle}" y="{CAPTION}" class="{style} {visible}">{escaped(caption)}</text>'

    def situations(self):
        """Yields (time, situation): moments with equal ones look the same."""
        for time, now in self.recording.states:
            yield time, [now[name] for name in ("DeviceOrientation", "OutputTransform", "AskedRequest")]

    def shown_large(self):
        """Returns the intervals in which each moment is shown large: device and picture are as they are then."""
        states = changes(self.situations())
        begins = [0] + [time for time, _ in states[1:]]
        intervals = list(zip(begins, begins[1:] + [self.recording.duration], (state for _, state in states)))
        then = [latest(states, time)[1] for time, _ in self.moments]
        large = [[] for _ in self.moments]
        for begin, end, state in intervals:
            equal = [index for index, other in enumerate(then) if other == state]
            # Of moments that look the same, the one that this is.
            within = [index for index in equal if begin <= self.moments[index][0] < end]
            for index in (within or equal)[:1]:
                large[index].append((begin, end))
        return large

    def small(self):
        """Yields the moments, with a frame around the one that is shown large."""
        large = self.shown_large()
        for index, (time, label) in enumerate(self.moments):
            x = COLUMN / 2 + (index - (len(self.moments) - 1) / 2) * STILL_PITCH
            _, angle, drawing = latest(self.shown(), time)
            held = -between(self.recording.angles, time)
            yield f'<g transform="translate({x:g} {STILLS + self.center * STILL_SCALE:g}) scale({STILL_SCALE})">'
            yield f'<g transform="rotate({held:.1f})">'
            yield from self.back(time)
            yield from self.case()
            yield f'<use href="#{drawing}" transform="rotate({angle:g})"/></g></g>'
            frame = self.animation.visible(large[index])
            yield (
                f'<rect x="{x - STILL_FRAME / 2:g}" y="{STILLS - 42}" width="{STILL_FRAME}" height="84" rx="8" '
                f'class="now {frame}"/>'
            )
            yield f'<text x="{x:g}" y="{LABELS}">{label}</text>'
            if index:
                arrow = f"M{x - STILL_PITCH / 2 - 2:g} {STILLS - 4}l4 4l-4 4"
                yield f'<path d="{arrow}" stroke="#b4bfcc" stroke-width="2" fill="none"/>'

    def draw(self, left):
        width, height = self.display
        yield f'<g transform="translate({left} 0)" class="{self.name}">'
        yield (
            f'<clipPath id="{self.name}"><rect x="{-width / 2:g}" y="{-height / 2:g}" width="{width}" '
            f'height="{height}"/></clipPath>'
        )
        yield f'<text x="{self.middle}" y="{TITLE}" class="title">{self.title}</text>'
        yield from self.device()
        yield from self.caption()
        yield from self.small()
        yield "</g>"


class Convertible(Tablet):
    """A display that is wider than high, with a base that is folded back."""

    title, display, middle, center = "A convertible", DISPLAY[::-1], COLUMN // 2 + 28, -14

    def __init__(self, *arguments):
        super().__init__(*arguments)
        begin = self.recording.begin
        self.hinge = [
            (max(0, time - begin), float(fields[1].partition("=")[2]))
            for time, fields in self.recording.events
            if fields[0] == "hinge"
        ]

    def shown(self):
        for time, angle, drawing in super().shown():
            kind, _, shape = drawing.partition("-")
            yield time, angle, f"{kind}-{'tall' if shape == 'wide' else 'wide'}"

    def movements(self):
        """Yields (time, whether the angle grows) for each time when the hinge begins to move."""
        grew = None
        for (time, old), (_, new) in zip(self.hinge, self.hinge[1:]):
            if new != old and (new > old) != grew:
                grew = new > old
                yield time, grew

    def situations(self):
        movements = [(0, False), *self.movements()]
        states = list(super().situations())
        for time in sorted({time for time, _ in [*movements, *states]}):
            yield time, [*latest(states, time)[1], latest(movements, time)[1]]

    def captions(self):
        moving = {True: "It is folded back.", False: "It is opened again."}
        sentences = [(time, moving[grows]) for time, grows in self.movements()]
        before = {"TabletMode": "laptop", "DeviceOrientation": "landscape-left"}
        for time, now in self.recording.states:
            now = before | now
            if now["TabletMode"] == "tablet" != before["TabletMode"]:
                sentences.append((time, "Folded back, it is a tablet."))
            elif now["DeviceOrientation"] != before["DeviceOrientation"]:
                sentences.append((time, FOLLOWS))
            before = now
        return [(0, "It is used as a laptop."), *sorted(sentences)]

    def case(self):
        width, height = self.display
        yield (
            f'<rect x="{-width / 2 - FRAME:g}" y="{-height / 2 - FRAME:g}" width="{width + 2 * FRAME}" '
            f'height="{height + 2 * FRAME}" rx="10" class="case"/>'
        )

    def back(self, time=None):
        """The base, seen from the front: it is as high as the cosine of its angle, and narrower when it leads away."""

        def seen(angle):
            return 1 - 0.2 * max(0, min(1, (angle - 180) / 60)), -math.cos(math.radians(angle))

        width, height = self.display
        edge, front = width / 2 + FRAME - 6, width / 2 + FRAME + 14
        keys = "".join(
            f'<rect x="{-80 + 27 * column}" y="{8 + 15 * row}" width="23" height="11" rx="2" class="key"/>'
            for row in range(3)
            for column in range(6)
        )
        base = f'<path d="M{-edge:g} 0H{edge:g}L{front:g} {BASE}H{-front:g}Z" class="case"/>{keys}'
        yield f'<g transform="translate(0 {height / 2 + FRAME:g})">'
        moving = ""
        if time is None:
            frames = self.folds(lambda angle: "transform:scale({:.3f},{:.3f})".format(*seen(angle)))
            moving = f' class="{self.animation.name(frames)}"'
        # For viewers that do not know the property.
        scale = "{:.3f} {:.3f}".format(*seen(between(self.hinge, self.still if time is None else time)))
        yield f'<g transform="scale({scale})"{moving}>{base}</g></g>'

    def folds(self, declaration):
        """Returns frames of the hinge, a few between two readings that differ, as the cosine is no line."""
        times = [0.0]
        for (begin, old), (end, new) in zip(self.hinge, self.hinge[1:]):
            steps = max(1, round(abs(new - old) / 15))
            times += [begin + (end - begin) * step / steps for step in range(0 if steps > 1 else 1, steps + 1)]
        times = sorted({time for time in times if time < self.recording.duration} | {self.recording.duration})
        return [(time, declaration(between(self.hinge, time))) for time in times]

    def device(self):
        yield from super().device()
        x, y = SIDE
        folding = self.animation.name(self.folds(self.turned))
        yield f'<text x="44" y="{y - 68}">from the<tspan x="44" dy="18">side</tspan></text>'
        yield f'<g transform="translate({x} {y}) rotate(-15) scale(1.1)">'
        # The half with the keys turns about the hinge; the other one shows the picture.
        start = between(self.hinge, self.still)
        yield f'<g class="{folding}" transform="rotate({start:.0f})"><rect x="-3" y="-36" width="6" height="36" rx="2" '
        yield 'class="half"/><path d="M-4.5 -32v4m0 3v4m0 3v4m0 3v4" stroke="#b4bfcc" stroke-width="2.5"/></g>'
        yield '<rect x="-2.5" y="-36" width="5" height="36" rx="2" class="half"/>'
        yield '<path d="M3.5 -33v28" stroke="#9fd0ee" stroke-width="3"/><circle r="3" fill="#b4bfcc"/></g>'


def picture(orientctl):
    columns = Convertible(orientctl, *CONVERTIBLE), Tablet(orientctl, *TABLET)
    body = [line for index, column in enumerate(columns) for line in column.draw(index * COLUMN)]
    rules = [rule for column in columns for rule in column.animation.rules]
    still = "".join(
        f".{column.name} *{{animation-delay:-{column.still:g}s!important;animation-play-state:paused!important}}"
        for column in columns
    )
    style = "\n".join([*rules, STYLE, f"@media(prefers-reduced-motion:reduce){{{still}}}"])
    title = "A laptop is folded back and turned, and its picture follows; a tablet is turned, locked, and plays a video"
    return document((WIDTH, HEIGHT), title, style, DRAWINGS, body)


def main():
    arguments = parse_arguments(__doc__)
    (arguments.output / "lead.svg").write_text(picture(arguments.folder / "orientctl"))


if __name__ == "__main__":
    main()
