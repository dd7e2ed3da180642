# SPDX-License-Identifier: Apache-2.0
"""The daemon's log: its prefixes, and what it does with text from outside."""

from rig import RigTestCase


class Log(RigTestCase):
    def test_control_characters_of_a_value_forge_no_line(self):
        # The bytes went into the log as they were: a vertical tab or an escape sequence could move the cursor.
        daemon = self.rig.start_orientd(configuration="[Sensor]\nRate=\x1b[2J\x0bforged\n")
        (warning,) = daemon.log_lines("warning: .*Rate=")
        self.assertIn("Rate=\ufffd[2J\ufffdforged: takes a number", warning)

    def test_prefixes_are_for_the_journal_only(self):
        # A program that a service starts inherits JOURNAL_STREAM, whatever its standard error is.
        daemon = self.rig.start_orientd("-v", environment={"JOURNAL_STREAM": "1:2"})
        self.assertTrue(daemon.log_lines("^orientd: "))
        self.assertFalse(daemon.log_lines("^<[0-9]>"))
