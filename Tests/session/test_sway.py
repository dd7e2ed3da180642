# SPDX-License-Identifier: Apache-2.0
"""Tests orient-agent on sway."""

import session
from compositor import NEIGHBOUR, PANEL, Sway


class SwayTests(session.SessionTests):
    COMPOSITOR = Sway

    def test_output_that_is_plugged_in_gets_the_present_orientation(self):
        self.start_session(held="landscape-left", output="HEADLESS-3")
        self.compositor.run("swaymsg", "create_output")
        heads = self.wait_for_transform("270", "HEADLESS-3")
        self.assertEqual((heads[PANEL].transform, heads[NEIGHBOUR].transform), ("normal", "normal"))

    def test_configuration_that_is_read_again_keeps_the_picture(self):
        # sway then sets what its configuration says, which knows nothing of the rotation.
        self.start_session(held="landscape-left")
        self.wait_for_transform("270")
        self.compositor.run("swaymsg", "reload")
        # sway answers this after it has read the configuration.
        self.compositor.run("swaymsg", "-t", "get_version")
        self.wait_for_transform("270")
