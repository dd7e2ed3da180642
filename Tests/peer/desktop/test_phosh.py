# SPDX-License-Identifier: Apache-2.0
"""Phosh, the shell of Debian on phones."""

import re
import subprocess

from desktop import ShellTestCase, tablet
from rig import LANDSCAPE_LEFT


class PhoshTests(ShellTestCase):
    def transform(self):
        """Returns the transform of phoc's one output, or None while it is starting."""
        names = (path.name for path in self.runtime_folder.iterdir())
        display = next((name for name in names if re.fullmatch(r"wayland-\d+", name)), "none")
        listing = subprocess.run(
            ["wlr-randr"],
            env=dict(self.environment, WAYLAND_DISPLAY=display),
            capture_output=True,
            text=True,
            check=False,
        ).stdout
        match = re.search(r"Transform: (\S+)", listing)
        return match and match[1]

    def test_phosh_has_its_output_follow_the_device(self):
        self.rig.add_device(tablet(LANDSCAPE_LEFT))
        self.start_daemon()
        self.start_in_phoc("/usr/libexec/phosh -U")
        self.check_that_output_follows(self.transform)
