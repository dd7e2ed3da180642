# SPDX-License-Identifier: Apache-2.0
"""Tests orient-agent on labwc."""

import session
from compositor import Labwc
from rig import wait_until


class LabwcTests(session.SessionTests):
    COMPOSITOR = Labwc

    def test_film_has_no_say_while_another_workspace_is_shown(self):
        _, display, has_focus = self.start_film()
        for name, has_say in (("2", False), ("1", True), ("2", False)):
            display.show_workspace(name)
            wait_until(lambda: has_focus() == has_say, "the focus has followed")
            wait_until(lambda: (self.client.get("AskedRequest") != "/") == has_say, "the film decides while it is shown")
            if not has_say:
                self.wait_until_shown("portrait")
