# SPDX-License-Identifier: Apache-2.0
"""Neighbours keep touching the panel at every scale that fractional-scale-v1 can name."""

import signal

from compositor import NEIGHBOUR, PANEL, Labwc, Sway
from rig import wait_until
from session import SessionTestCase

SCALES = [number / 120 for number in range(120, 361)]
SIZE = (1366, 769)  # which few scales divide


class ScaleTests:
    def test_neighbour_touches_the_panel_at_every_scale(self):
        signal.alarm(180)
        agent = self.start_session()
        self.compositor.set_output(PANEL, "--custom-mode", "{}x{}".format(*SIZE))
        sides = [("landscape-right", 1), ("portrait", 0)]  # and which length of the mode is then the panel's width
        turned = 0
        for index, scale in enumerate(SCALES):
            with self.subTest(scale=scale):
                # The compositor may round otherwise: then its own width counts.
                self.set_scale(scale, int(SIZE[turned] / scale))
                width = self.compositor.areas()[PANEL][2]
                if width != int(SIZE[turned] / scale):
                    self.set_scale(scale, width)
                before = self.compositor.areas()
                self.assertEqual(before[PANEL][2], before[NEIGHBOUR][0])
                self.settle(agent)
                orientation, turned = sides[index % 2]
                self.client.ask("Rotate", "s", orientation)
                found = []

                def touches():
                    found[:] = [self.compositor.areas()]
                    panel = found[0][PANEL]
                    return panel[2:] != before[PANEL][2:] and panel[2] == found[0][NEIGHBOUR][0]

                try:
                    wait_until(touches, "")
                except AssertionError:
                    raise AssertionError(f"the outputs are {found[0]} instead of touching, before {before}") from None


class SwayScaleTests(ScaleTests, SessionTestCase):
    COMPOSITOR = Sway

    def set_scale(self, scale, width):
        commands = f"output {PANEL} scale {scale}; output {NEIGHBOUR} position {width} 0"
        self.compositor.run("swaymsg", commands)


class LabwcScaleTests(ScaleTests, SessionTestCase):
    COMPOSITOR = Labwc

    def set_scale(self, scale, width):
        self.compositor.set_output(PANEL, "--scale", str(scale), "--output", NEIGHBOUR, "--pos", f"{width},0")
