#!/usr/bin/python3 -B
# SPDX-License-Identifier: Apache-2.0
"""Draws the animated pictures of a tablet, docs/tablet.svg, lock.svg and run.svg: tablet.py FOLDER

FOLDER has the orientctl that replays docs/tablet.trace and the others, which docs/tablet.sh recorded. The angle of the
device is that of the recorded samples; the interface, the lock and the status lines are the properties that orientd
announced. The turn of the interface on the display, within 0.4 s, is drawn as a compositor may animate it.
Call `docs/tablet.py .build/bin` after a change of a recording or of this file.
"""

import argparse
import itertools
import json
import math
import pathlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
# The pictures by the name of their recording: what they show, and the second that people see who want no motion.
PICTURES = {
    "tablet": (
        "A device is turned, locked and asked for landscape by an application; orientd turns its interface",
        10.5,
    ),
    "lock": ("The lock holds the interface while the device is turned, until orientctl align or unlock", 3),
    "run": ("A film is shown in landscape while orientctl run plays it, however the device is held", 5.5),
}

# What orientd has announced before the recording begins.
DEFAULTS = {
    "DeviceOrientation": "unknown",
    "InterfaceOrientation": "portrait",
    "InterfaceReason": "startup",
    "InterfaceRule": "unknown",
    "RotationLock": "off",
    "OutputTransform": "normal",
    "AskedRequest": "/",
    "SupportedOrientations": 30,
}
MASKS = {24: "landscape"}
UPPER_EDGES = {
    "portrait": "top",
    "portrait-upside-down": "bottom",
    "landscape-left": "right",
    "landscape-right": "left",
}

# Narrow, so that the text can be read where a small screen scales the picture down.
WIDTH, HEIGHT = 480, 518
# The display of the device, held upright, and the frame around it.
DISPLAY = (124, 186)
FRAME = 9
# The middle of the device and of the interface, their titles, the time line, the note above it, and the status.
DEVICE, INTERFACE = (137, 186), (367, 186)
TITLES, NOTE, TIME_LINE, STATUS, STATUS_LINE = 28, 325, 344, 364, 24
LEFT, RIGHT = 24, WIDTH - 24
# The columns of a label, as on a terminal.
LABEL = 12
# The columns of the status, in the widest of the fonts.
COLUMNS = 44
# For how many seconds a change of the interface is animated, and over how many samples the angle is smoothed.
CHANGE, SMOOTHING = 0.4, 5

STYLE = """
text{font-family:system-ui,-apple-system,"Segoe UI","DejaVu Sans",sans-serif;font-size:16px;fill:#b4bfcc}
.code text,.code{font-family:ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#e3e9f0}
.code .faint{fill:#9aa6b5}
.title{text-anchor:middle}
.name{font-weight:600;fill:#e3e9f0}
.note{fill:#ffc66d;text-anchor:middle}
.note.code{font-size:15px}
.lines{stroke:#b9bdb8;stroke-width:5;stroke-linecap:round}
@media(prefers-reduced-motion:reduce){*{animation-delay:-STILLs!important;animation-play-state:paused!important}}
""".strip()

# What is shown on the display, by kind and shape: a page, or the film of a player.
DRAWINGS = """
<g id="page-tall"><rect x="-62" y="-93" width="124" height="186" fill="#fbfaf6"/>
<rect x="-62" y="-93" width="124" height="22" fill="#3b6ea5"/><circle cx="-50" cy="-82" r="4" fill="#cfe0f2"/>
<rect x="-40" y="-85" width="50" height="6" rx="3" fill="#cfe0f2"/><use href="#photo" x="-50" y="-60"/>
<path d="M-50 22H50M-50 36H46M-50 50H50M-50 64H30" class="lines"/></g>
<g id="page-wide"><rect x="-93" y="-62" width="186" height="124" fill="#fbfaf6"/>
<rect x="-93" y="-62" width="186" height="22" fill="#3b6ea5"/><circle cx="-81" cy="-51" r="4" fill="#cfe0f2"/>
<rect x="-71" y="-54" width="50" height="6" rx="3" fill="#cfe0f2"/><use href="#photo" x="-82" y="-26"/>
<path d="M30 -20H80M30 -4H76M30 12H80M30 28H64" class="lines"/></g>
<g id="photo"><rect width="100" height="68" rx="3" fill="#9fd0ee"/><circle cx="74" cy="20" r="10" fill="#ffd85c"/>
<path d="M0 68V48L26 24L52 50L68 36L100 62V65Q100 68 97 68Z" fill="#5b8c5a"/></g>
<g id="film-wide"><rect x="-93" y="-62" width="186" height="124" fill="#0b0d10"/>
<rect x="-93" y="-50" width="186" height="100" fill="#b8553a"/><circle cx="34" cy="8" r="24" fill="#ffd08a"/>
<path d="M-93 50V16Q-56 -10 -16 18T93 14V50Z" fill="#55283a"/><path d="M-12 -16L18 2L-12 20Z" fill="#fff"/></g>
<g id="lock"><path d="M-3.5 -1V-4.5A3.5 3.5 0 0 1 3.5 -4.5V-1" fill="none" stroke="#ffc66d" stroke-width="2"/>
<rect x="-6" y="-2" width="12" height="9" rx="2" fill="#ffc66d"/></g>
""".strip()


def parse_trace(text):
    """Returns the samples as (time, angle), counter-clockwise in degrees from upright, and the events as (time, words).

    Angles do not jump at a full turn.
    """
    samples, events = [], []
    for line in text.splitlines()[1:]:
        time, *fields = line.split(",")
        if fields[0][0].isalpha():
            events.append((float(time), fields))
            continue
        x, y, _ = map(float, fields)
        angle = math.degrees(math.atan2(x, y))
        if samples:
            angle += 360 * round((samples[-1][1] - angle) / 360)
        samples.append((float(time), angle))
    return samples, events


def filled(samples, rate=15):
    """Yields the samples, and repeats each until the next one where orientd has read the sensor less often, at rest."""
    for (begin, angle), (end, _) in zip(samples, samples[1:]):
        missing = round((end - begin) * rate) if end - begin > 2.5 / rate else 1
        for step in range(missing):
            yield begin + step / rate, angle
    yield samples[-1]


def smoothed(samples):
    """Returns the samples with the mean angle of each and its neighbours."""
    reach = SMOOTHING // 2
    for index, (time, _) in enumerate(samples):
        near = samples[max(0, index - reach) : index + reach + 1]
        yield time, sum(angle for _, angle in near) / len(near)


def simplified(points, tolerance=0.7):
    """Returns the fewest of the points whose connecting lines stay that close to all (Ramer, Douglas and Peucker)."""
    (first, low), (last, high) = points[0], points[-1]

    def distance(point):
        return abs(low + (high - low) * (point[0] - first) / (last - first) - point[1])

    farthest = max(range(len(points)), key=lambda index: distance(points[index]))
    if distance(points[farthest]) <= tolerance:
        return [points[0], points[-1]]
    return simplified(points[: farthest + 1], tolerance)[:-1] + simplified(points[farthest:], tolerance)


class Recording:
    """What the picture shows, with times in seconds from the first sample."""

    def __init__(self, name, orientctl):
        trace = HERE / f"{name}.trace"
        samples, self.events = parse_trace(trace.read_text())
        samples = list(filled(samples))
        self.begin = samples[0][0]
        self.duration = samples[-1][0] - self.begin
        self.angles = simplified([(time - self.begin, angle) for time, angle in smoothed(samples)])
        replay = subprocess.run(
            [orientctl, "replay", "--all", "--json", trace], stdout=subprocess.PIPE, text=True, check=True
        )
        self.states = self.read_states(json.loads(line) for line in replay.stdout.splitlines())

    def read_states(self, changes):
        """Returns every state of the properties as (time, properties)."""
        properties, states = dict(DEFAULTS), []
        for change in changes:
            time = max(0, change["time"] - self.begin)
            if time >= self.duration:
                break
            properties = properties | change
            if states and states[-1][0] == time:
                states.pop()
            states.append((time, properties))
        return states

    def application(self, properties):
        """Returns the application of the deciding request, or None."""
        number = int(properties["AskedRequest"].rpartition("/")[2] or 0)
        requests = [fields for _, fields in self.events if fields[0] == "request"]
        return dict(field.split("=") for field in requests[number - 1][1:])["app"] if number else None

    def status(self, properties):
        """Returns lines of `orientctl status`, as (label, value)."""
        device, interface = properties["DeviceOrientation"], properties["InterfaceOrientation"]
        rules = {
            "device": "following the device",
            "lock": "held by the lock",
            "mask": f"{self.application(properties)} allows {MASKS.get(properties['SupportedOrientations'])} only",
        }
        lock = properties["RotationLock"]
        if lock == "current":
            lock = f"on ({interface})" if properties["InterfaceRule"] == "lock" else "on"
        return [
            ("Device", f"{device} ({UPPER_EDGES[device]} edge up)"),
            ("Interface", f"{interface}, {rules[properties['InterfaceRule']]}"),
            ("Lock", lock),
        ]

    def notes(self):
        """Yields (time, sentence): what happened, for each recorded event that changes what is shown."""
        commands = {"current": "$ orientctl lock", "off": "$ orientctl unlock"}
        for before, (time, now) in zip([self.states[0][1]] + [state for _, state in self.states], self.states):
            if now["DeviceOrientation"] != before["DeviceOrientation"]:
                yield time, "The device is turned."
            elif now["AskedRequest"] != before["AskedRequest"] and self.application(now):
                yield time, self.asked(self.application(now), MASKS[now["SupportedOrientations"]])
            elif now["AskedRequest"] != before["AskedRequest"]:
                yield time, f"{self.application(before)} ends."
            elif now["RotationLock"] != before["RotationLock"]:
                yield time, commands[now["RotationLock"]]
            elif now["InterfaceReason"] == "manual" != before["InterfaceReason"]:
                yield time, "$ orientctl align"

    def asked(self, application, mask):
        """Returns what the person or the application did that requests a mask."""
        if application == "mpv":
            return f"$ orientctl run --supported={mask} mpv film.mkv"
        return f"{application} requests {mask}."

    def shown(self):
        """Yields (time, angle, drawing): the clockwise angle of the interface on the display, and what it shows."""
        for time, now in self.states:
            angle = -int(now["OutputTransform"].replace("normal", "0")) % 360
            kind = "film" if self.application(now) else "page"
            yield time, (angle + 180) % 360 - 180, f"{kind}-{'wide' if angle % 180 else 'tall'}"


def changes(states):
    """Returns the first of equal successive states, each (time, ...)."""
    return [next(group) for _, group in itertools.groupby(states, key=lambda state: state[1:])]


class Animation:
    """Collects CSS animations over the recording's duration; the names of their classes begin with a prefix.

    Where nothing is animated, everything is as it is `still` seconds after the start.
    """

    def __init__(self, duration, still, prefix="a"):
        self.duration, self.still, self.prefix = duration, still, prefix
        self.rules = []
        self.names = {}

    def percent(self, time):
        return f"{100 * min(time, self.duration) / self.duration:.2f}".rstrip("0").rstrip(".") + "%"

    def name(self, frames, timing="linear"):
        """Returns the class that runs keyframes, (time, declaration)."""
        body = "".join(f"{self.percent(time)}{{{declaration}}}" for time, declaration in frames)
        if (body, timing) not in self.names:
            name = f"{self.prefix}{len(self.names)}"
            self.names[body, timing] = name
            self.rules.append(f"@keyframes {name}{{{body}}}")
            still = [declaration for time, declaration in frames if time <= self.still][-1]
            self.rules.append(f".{name}{{{still};animation:{name} {self.duration:.2f}s {timing} infinite}}")
        return self.names[body, timing]

    def visible(self, intervals, fade=0.0):
        """Returns the classes of something that is visible in intervals, (begin, end)."""
        frames = [] if intervals[0][0] == 0 else [(0, "opacity:0")]
        for begin, end in intervals:
            if fade and begin:
                frames.append((begin, "opacity:0"))
            frames.append((begin + (fade if begin else 0), "opacity:1"))
            if end < self.duration:
                if fade:
                    frames.append((end, "opacity:1"))
                frames.append((end + fade, "opacity:0"))
        # Without a last frame, a browser fades to the value outside the animation, which is that of the still picture.
        if fade:
            frames.append((self.duration, f"opacity:{int(intervals[-1][1] >= self.duration)}"))
        if frames == [(0, "opacity:1")]:
            return "always"
        return self.name(frames, "linear" if fade else "step-end")

    def steps(self, states):
        """Returns {value: intervals} of (time, value)."""
        intervals = {}
        ends = [time for time, *_ in states[1:]] + [self.duration]
        for (begin, value), end in zip(states, ends):
            intervals.setdefault(value, []).append((begin, end))
        return intervals


def escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;")


class Picture:
    def __init__(self, recording, title, still):
        self.recording, self.title, self.still = recording, title, still
        self.animation = Animation(recording.duration, still)

    def rotating(self, angles):
        """Returns the class of something that is rotated to each of (time, angle), clockwise."""
        frames = [(time, f"transform:rotate({angle:.1f}deg)") for time, angle in angles]
        return self.animation.name(frames)

    def device(self):
        """Yields the device as it is held; what it shows turns on its display."""
        width, height = DISPLAY
        held = self.rotating([(time, -angle) for time, angle in self.recording.angles])
        spins = []
        for time, angle, _ in changes(self.recording.shown()):
            if spins:
                spins.append((time, spins[-1][1]))
            spins.append((time + (CHANGE if spins else 0), angle))
        spins.append((self.recording.duration, spins[-1][1]))
        x, y = DEVICE
        yield f'<g transform="translate({x} {y})"><g class="{held}">'
        yield (
            f'<rect x="{-width / 2 - FRAME:g}" y="{-height / 2 - FRAME - 8:g}" width="{width + 2 * FRAME}" '
            f'height="{height + 2 * FRAME + 16}" rx="16" fill="#0a0e13" stroke="#5d6b7c" stroke-width="2"/>'
        )
        yield f'<circle cy="{-height / 2 - FRAME:g}" r="3.5" fill="#ffc66d"/>'
        yield f'<g clip-path="url(#display)"><g class="{self.rotating(spins)}">'
        yield from self.drawings()
        yield "</g></g></g></g>"

    def drawings(self):
        states = changes((time, drawing) for time, _, drawing in self.recording.shown())
        for drawing, intervals in self.animation.steps(states).items():
            yield f'<use href="#{drawing}" class="{self.animation.visible(intervals, CHANGE / 2)}"/>'

    def interface(self):
        """Yields the interface as applications draw it: always upright."""
        x, y = INTERFACE
        states = changes((time, drawing) for time, _, drawing in self.recording.shown())
        yield f'<g transform="translate({x} {y})">'
        for drawing, intervals in self.animation.steps(states).items():
            width, height = DISPLAY if drawing.endswith("tall") else reversed(DISPLAY)
            yield f'<g class="{self.animation.visible(intervals, CHANGE / 2)}"><use href="#{drawing}"/>'
            yield (
                f'<rect x="{-width / 2:g}" y="{-height / 2:g}" width="{width}" height="{height}" fill="none" '
                'stroke="#5d6b7c" stroke-width="2"/></g>'
            )
        yield "</g>"

    def titles(self):
        for (x, _), name, rest in ((DEVICE, "Device", "as it is held"), (INTERFACE, "Interface", "as orientd decides")):
            yield f'<text x="{x}" y="{TITLES}" class="title name">{name}</text>'
            yield f'<text x="{x}" y="{TITLES + 20}" class="title">{rest}</text>'
        states = changes((time, now["RotationLock"] != "off") for time, now in self.recording.states)
        locked = self.animation.steps(states).get(True)
        if locked:
            visible = self.animation.visible(locked)
            yield f'<use href="#lock" x="{INTERFACE[0] + 56}" y="{TITLES - 6}" class="{visible}"/>'

    def time_line(self):
        """Yields the line along which the recording passes, with a mark at each note, and the note itself."""
        duration = self.recording.duration
        length = RIGHT - LEFT
        passing = self.animation.name([(0, "transform:scaleX(0)"), (duration, "transform:scaleX(1)")])
        line = f'<rect y="-1" width="{length}" height="2" '
        yield f'<g transform="translate({LEFT} {TIME_LINE})">{line}fill="#3b4757"/>'
        yield f'{line}fill="#ffc66d" class="{passing}"/>'
        notes = list(self.recording.notes())
        for time, _ in notes:
            passed = self.animation.visible([(time, duration)])
            x = f"{length * time / duration:.1f}"
            yield f'<circle cx="{x}" r="4" fill="#1b232d" stroke="#3b4757" stroke-width="2"/>'
            yield f'<circle cx="{x}" r="5" fill="#ffc66d" class="{passed}"/>'
        yield "</g>"
        for note, intervals in self.animation.steps([(0, ""), *notes]).items():
            if note:
                style = "note code" if note.startswith("$") else "note"
                visible = self.animation.visible(intervals)
                yield f'<text x="{WIDTH // 2}" y="{NOTE}" class="{style} {visible}">{escaped(note)}</text>'

    def rows(self, properties):
        """Yields the rows of the status, (label, text): a line with a comma is too long for one and takes two."""
        for label, value in self.recording.status(properties):
            first, comma, rest = value.partition(", ")
            yield f"{label:{LABEL}}", first + comma.rstrip()
            if comma:
                yield " " * min(LABEL, COLUMNS - len(rest)), rest

    def status(self):
        states = [(time, list(self.rows(properties))) for time, properties in self.recording.states]
        count = len(states[0][1])
        x, y = LEFT, STATUS + 25
        width, height = RIGHT - LEFT + 24, (count + 1) * STATUS_LINE + 18
        yield f'<rect x="{LEFT - 12}" y="{STATUS}" width="{width}" height="{height}" rx="8" fill="#0d1219"/>'
        yield f'<g class="code"><text x="{x}" y="{y}" class="faint">$ orientctl status</text>'
        for row in range(count):
            y += STATUS_LINE
            for (label, text), intervals in self.animation.steps(
                changes((time, rows[row]) for time, rows in states)
            ).items():
                visible = self.animation.visible(intervals)
                # Without the attribute, the blanks of the label are dropped.
                yield (
                    f'<text x="{x}" y="{y}" class="{visible}" xml:space="preserve">'
                    f'<tspan class="faint">{label}</tspan>{escaped(text)}</text>'
                )
        yield "</g>"

    def svg(self):
        width, height = DISPLAY
        body = [*self.titles(), *self.device(), *self.interface(), *self.time_line(), *self.status()]
        style = "\n".join([*self.animation.rules, STYLE.replace("STILL", f"{self.still:g}")])
        clip = (
            f'<clipPath id="display"><rect x="{-width / 2:g}" y="{-height / 2:g}" width="{width}" '
            f'height="{height}"/></clipPath>'
        )
        return document((WIDTH, HEIGHT), self.title, style, f"{clip}\n{DRAWINGS}\n", body)


def document(size, title, style, definitions, body):
    """Returns the text of a picture whose background has round corners."""
    width, height = size
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
            'role="img">',
            "<!-- SPDX-License-Identifier: Apache-2.0 -->",
            f"<title>{title}</title>",
            f"<style>\n{style}\n</style>",
            f"<defs>{definitions}</defs>",
            f'<rect width="{width}" height="{height}" rx="14" fill="#1b232d"/>',
            *body,
            "</svg>",
            "",
        ]
    )


def parse_arguments(description):
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path, help="the folder of orientctl")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=HERE, help="the folder to write to")
    return parser.parse_args()


def main():
    arguments = parse_arguments(__doc__)
    for name, (title, still) in PICTURES.items():
        recording = Recording(name, arguments.folder / "orientctl")
        (arguments.output / f"{name}.svg").write_text(Picture(recording, title, still).svg())


if __name__ == "__main__":
    main()
