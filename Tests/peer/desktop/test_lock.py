# SPDX-License-Identifier: Apache-2.0
"""Tests that real desktops, their rotation switch and orientd's lock stay the same, with orient-agent and dconf."""

import subprocess

from rig import BUILD, PORTRAIT, UPSIDE_DOWN, wait_until
from test_mutter import MutterTestCase
from test_phosh import PhoshTestCase

SCHEMA = ("org.gnome.settings-daemon.peripherals.touchscreen", "orientation-lock")


class LockTestCase:
    """Tests of a shell, which has started; mixed into its test case."""

    settings = "dconf"

    def start_agent(self, desktop):
        """Starts orient-agent after the shell, and returns when it has begun."""
        wait_until(lambda: self.transform() == "270", "the shell starts in the device's orientation", 40)
        self.environment["XDG_CURRENT_DESKTOP"] = desktop
        self.start([BUILD / "orient-agent", "--bus", self.rig.address])
        status = (BUILD / "orientctl", "--bus", self.rig.address, "status")
        wait_until(lambda: "synchronises" in self.run_in_session(*status), "orient-agent has begun")

    def switch(self):
        path = "/" + "/".join([SCHEMA[0].replace(".", "/"), SCHEMA[1]])
        return self.run_in_session("dconf", "read", path)

    def run_in_session(self, *command):
        run = subprocess.run(command, env=self.environment, capture_output=True, text=True, check=True)
        return run.stdout.strip()

    def set_switch(self, value):
        self.run_in_session("gsettings", "set", *SCHEMA, value)

    def check_that_both_locks_are_one(self):
        """Locks on one side and unlocks on the other one; only unlocking turns the output."""
        shown = ["270"]

        def wait_for(wanted):
            def is_shown():
                if (now := self.transform()) != shown[-1]:
                    shown.append(now)
                return now == wanted

            wait_until(is_shown, f"the output's transform is {wanted}")

        # Some shells release the sensor while their switch is locked.
        self.client.claim()
        self.set_switch("true")
        self.client.wait_for("RotationLock", "current")
        self.turn(PORTRAIT, "portrait")
        self.control("unlock")
        wait_until(lambda: self.switch() == "false", "the switch is off")
        wait_for("normal")
        self.control("lock")
        wait_until(lambda: self.switch() == "true", "the switch is on")
        self.turn(UPSIDE_DOWN, "portrait-upside-down")
        self.set_switch("false")
        self.client.wait_for("RotationLock", "off")
        wait_for("180")
        self.assertEqual(shown, ["270", "normal", "180"])


class MutterLockTests(LockTestCase, MutterTestCase):
    def test_switch_of_mutter_and_lock_are_one(self):
        self.start_mutter()
        self.start_agent("GNOME")
        self.check_that_both_locks_are_one()


class PhoshLockTests(LockTestCase, PhoshTestCase):
    def test_switch_of_phosh_and_lock_are_one(self):
        self.start_phosh()
        self.start_agent("Phosh:GNOME")
        self.check_that_both_locks_are_one()
