# SPDX-License-Identifier: Apache-2.0
"""Tests Mutter, the compositor of GNOME: nested, because only then its monitor counts as built in."""

from desktop import ShellTestCase, tablet
from gi.repository import GLib
from rig import LANDSCAPE_LEFT, Client

DISPLAY_CONFIG = "org.gnome.Mutter.DisplayConfig"
TRANSFORMS = ("normal", "90", "180", "270")


class MutterTestCase(ShellTestCase):
    def transform(self):
        """Returns the transform of the one logical monitor, or None while mutter is starting."""
        try:
            _serial, _monitors, logical_monitors, _properties = self.session.call(
                "GetCurrentState",
                interface=DISPLAY_CONFIG,
                path="/org/gnome/Mutter/DisplayConfig",
                destination=DISPLAY_CONFIG,
            )
        except GLib.Error:
            return None
        return TRANSFORMS[logical_monitors[0][3]]

    def start_mutter(self):
        self.rig.add_device(tablet(LANDSCAPE_LEFT))
        self.start_daemon()
        self.start_phoc()
        self.start_x_server("Xwayland")
        self.start(["mutter", "--wayland", "--nested", "--no-x11", "--wayland-display=wayland-1"])
        self.environment["WAYLAND_DISPLAY"] = "wayland-1"
        self.session = Client(self.session_bus)
        self.addCleanup(self.session.close)


class MutterTests(MutterTestCase):
    def test_output_of_mutter_follows_the_device(self):
        self.start_mutter()
        self.check_that_output_follows(self.transform)

    def test_output_of_mutter_obeys_the_rules(self):
        self.start_mutter()
        self.check_that_output_obeys(self.transform)
