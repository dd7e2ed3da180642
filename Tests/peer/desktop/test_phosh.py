# SPDX-License-Identifier: Apache-2.0
"""Tests Phosh, a shell for phones."""

import re
import subprocess

from desktop import ShellTestCase, tablet
from rig import LANDSCAPE_LEFT


class PhoshTestCase(ShellTestCase):
    def transform(self):
        """Returns the transform of phoc's one output."""
        listing = subprocess.run(
            ["wlr-randr"], env=self.environment, capture_output=True, text=True, check=True
        ).stdout
        return re.search(r"Transform: (\S+)", listing)[1]

    def start_phosh(self):
        self.rig.add_device(tablet(LANDSCAPE_LEFT))
        self.start_daemon()
        self.start_phoc()
        self.start(["/usr/libexec/phosh", "-U"])


class PhoshTests(PhoshTestCase):
    def test_output_of_phosh_follows_the_device(self):
        self.start_phosh()
        self.check_that_output_follows(self.transform)

    def test_output_of_phosh_obeys_the_rules(self):
        self.start_phosh()
        self.check_that_output_obeys(self.transform)
