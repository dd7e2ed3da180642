#!/usr/bin/python3 -B
# SPDX-License-Identifier: Apache-2.0
"""Draws how the axes of a chip lie behind the screen, and which sign of z is face up, as docs/semantics.md derives it.

Call `docs/face-up.py >docs/face-up.svg` after a change of this file. Each panel is the mount matrix of a real device.
With a matrix, it draws the panel of that one: face-up.py [--hub] "0, 1, 0; 1, 0, 0; 0, 0, 1"
"""

import sys

DEVICES = [
    ("StarLite V", "1, 0, 0; 0, -1, 0; 0, 0, 1", False),
    ("Chuwi FreeBook", "0, -1, 0; 1, 0, 0; 0, 0, 1", False),
    ("HP OmniBook Ultra Flip", "1, 0, 0; 0, 1, 0; 0, 0, -1", True),
]
# The size of a panel: the device, and the steps to the right of it.
WIDTH, PANEL, STEPS = 520, 262, 245
STYLE = """
@media (prefers-color-scheme: dark) {
  svg { fill: #f0f6fc; }
  [fill="#ffffff"] { fill: #0d1117; }
  [fill="#57606a"] { fill: #9198a1; }
  [fill="#b91c1c"] { fill: #ff7b72; }
  [fill="#1d4ed8"] { fill: #79c0ff; }
  [stroke="#57606a"] { stroke: #9198a1; }
  [stroke="#b91c1c"] { stroke: #ff7b72; }
  [stroke="#1d4ed8"] { stroke: #79c0ff; }
  [fill="#eef2f7"] { fill: #161b22; }
  [fill="#15803d"] { fill: #56d364; }
  [stroke="#15803d"] { stroke: #56d364; }
  [stroke="#d0d7de"] { stroke: #3d444d; }
}
"""
AXES = (("x", "#b91c1c"), ("y", "#15803d"), ("z", "#1d4ed8"))
# The screen and the chip in it, relative to the panel.
SCREEN = (45, 52, 160, 182)
CHIP, REACH = (125, 132), 54


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def shown(vector):
    return "(" + ", ".join(f"{value:g}".replace("-", "−") for value in vector) + ")"


def text(x, y, words, **attributes):
    styles = "".join(f' {key.replace("_", "-")}="{value}"' for key, value in attributes.items())
    return f'<text x="{x:g}" y="{y:g}"{styles}>{words}</text>'


def axis(name, colour, right, top, front):
    """Draws an axis of the chip that points `right` and to the `top` of the screen, and out of its `front`."""
    x, y = CHIP
    if abs(right) + abs(top) < 0.5:
        # Towards the reader a dot, away from him a cross.
        mark = (
            f'<circle cx="{x}" cy="{y}" r="3.5" fill="{colour}"/>'
            if front > 0
            else f'<path d="M{x - 7} {y - 7}L{x + 7} {y + 7}M{x - 7} {y + 7}L{x + 7} {y - 7}" stroke="{colour}"/>'
        )
        where = "towards you" if front > 0 else "away from you"
        return [
            f'<circle cx="{x}" cy="{y}" r="10" fill="#ffffff" stroke="{colour}" stroke-width="2"/>{mark}',
            text(x, y + REACH + 30, f"{name} {where}", text_anchor="middle", fill=colour, font_size=12),
        ]
    end = (x + right * REACH, y - top * REACH)
    side = (-top * 5, -right * 5)
    back = (end[0] - right * 10, end[1] + top * 10)
    points = f"{end[0]:g},{end[1]:g} {back[0] + side[0]:g},{back[1] + side[1]:g} {back[0] - side[0]:g},{back[1] - side[1]:g}"
    return [
        f'<path d="M{x} {y}L{back[0]:g} {back[1]:g}" stroke="{colour}" stroke-width="2.5"/>',
        f'<polygon points="{points}" fill="{colour}"/>',
        text(end[0] + right * 10 + top * 10 - 4, end[1] - top * 8 + 4 + abs(right) * -10, name, fill=colour, font_weight="bold"),
    ]


def panel(title, words, is_hub, place):
    """Draws one device with its chip, and the steps to the sign of z."""
    matrix = [[float(number) for number in row.split(",")] for row in words.split(";")]
    product = cross(*matrix[:2])
    is_singular = not sum(a * b for a, b in zip(matrix[2], product))
    if is_singular:
        matrix[2] = product
    sign = 1 if is_hub else -1
    right, top = ([sign * value + 0.0 for value in row] for row in matrix[:2])
    front = [value + 0.0 for value in cross(right, top)]
    z = sum(a * b for a, b in zip(matrix[2], front)) * (-1 if is_hub else 1)
    x, y, width, height = SCREEN
    lines = [
        f'<g transform="translate(0 {place})">',
        text(125, 20, title, text_anchor="middle", font_weight="bold"),
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="12" fill="#eef2f7" stroke="#57606a"/>',
        f'<rect x="{x + 10}" y="{y + 10}" width="{width - 20}" height="{height - 20}" fill="#ffffff" stroke="#d0d7de"/>',
        text(125, y - 5, "top", text_anchor="middle", fill="#57606a", font_size=11),
        text(x + width + 4, CHIP[1] + 4, "right", fill="#57606a", font_size=11),
    ]
    # Those that point out of the picture or into it are drawn last.
    axes = sorted(range(3), key=lambda index: abs(front[index]))
    for index in axes:
        lines += axis(*AXES[index], right[index], top[index], front[index])
    steps = [
        "ACCEL_MOUNT_MATRIX=",
        words.replace("-", "−"),
        f"right = {'' if is_hub else '−'}row x = {shown(right)}",
        f"top = {'' if is_hub else '−'}row y = {shown(top)}",
        f"front = right × top = {shown(front)}",
        f"row z{' = row x × row y, ·' if is_singular else ' ·'} front = {shown([z if not is_hub else -z])[1:-1]}",
    ]
    what = "the hub reads against the force" if is_hub else "the chip reads along the force"
    lines += [text(STEPS, 64 + 22 * index, step, font_size=14) for index, step in enumerate(steps)]
    lines += [
        text(STEPS, 196, what, font_size=14),
        text(STEPS, 224, f"face up reads {'+z' if z > 0 else '−z'}", font_weight="bold", fill="#1d4ed8"),
        "</g>",
    ]
    return lines


def picture(devices):
    height = PANEL * len(devices) + 6
    head = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" '
        'font-family="sans-serif" font-size="14" fill="#24292f">',
        "<!-- SPDX-License-Identifier: Apache-2.0 -->",
        f"<style>{STYLE}</style>",
        "<title>The axes of two chips and a sensor hub behind their screens, and the sign of z that follows</title>",
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
    ]
    body = [line for index, device in enumerate(devices) for line in panel(*device, PANEL * index + 4)]
    return "\n".join([*head, *body, "</svg>"]) + "\n"


def main():
    arguments = sys.argv[1:]
    devices = [("", arguments[-1], "--hub" in arguments)] if arguments else DEVICES
    sys.stdout.write(picture(devices))


if __name__ == "__main__":
    main()
