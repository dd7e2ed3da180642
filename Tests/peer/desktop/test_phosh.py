# SPDX-License-Identifier: Apache-2.0
"""Phosh, the shell of Debian on phones, and its compositor phoc, in a window of a virtual X server."""

import os
import re
import subprocess

from desktop import DesktopTestCase, tablet
from rig import LANDSCAPE_LEFT, LANDSCAPE_RIGHT, PORTRAIT, UPSIDE_DOWN, wait_until

PHOSH = "/usr/libexec/phosh"

# How long a shell may take to come up on a loaded machine.
START = 60


class PhoshTests(DesktopTestCase):
    def start_phosh(self):
        """Starts it on a session bus of its own."""
        runtime = self.rig.directory / "runtime"
        runtime.mkdir(mode=0o700)
        self.environment = dict(
            self.rig.plain_environment,
            XDG_RUNTIME_DIR=str(runtime),
            HOME=str(self.rig.directory),
            GSETTINGS_BACKEND="memory",
            NO_AT_BRIDGE="1",
            WLR_BACKENDS="x11",
            WLR_RENDERER="pixman",
            DISPLAY=self.start_x_server(),
            DBUS_SESSION_BUS_ADDRESS=self.start_session_bus(),
        )
        log = open(self.rig.directory / "phosh.log", "wb")
        self.addCleanup(log.close)
        self.rig.spawn(["phoc", "-E", f"{PHOSH} -U"], env=self.environment, stdout=log, stderr=log)

    def start_x_server(self):
        """Returns the display of an X server that shows nothing; phosh needs a keyboard, which a headless phoc lacks."""
        server = self.rig.spawn(["Xvfb", "-displayfd", "1", "-nolisten", "tcp"], stdout=subprocess.PIPE)
        self.rig.on_close(server.terminate)  # not killed: it has files in /tmp to remove
        self.rig.on_close(server.wait)
        return f":{server.stdout.readline().decode().strip()}"

    def start_session_bus(self):
        bus = self.rig.spawn(["dbus-daemon", "--session", "--nofork", "--print-address"], stdout=subprocess.PIPE)
        return bus.stdout.readline().decode().strip()

    def transform(self):
        """Returns the transform of the one output as phoc has it, or None while it is starting."""
        sockets = [name for name in os.listdir(self.environment["XDG_RUNTIME_DIR"]) if re.fullmatch(r"wayland-\d+", name)]
        if not sockets:
            return None
        listing = subprocess.run(
            ["wlr-randr"],
            env=dict(self.environment, WAYLAND_DISPLAY=sockets[0]),
            capture_output=True,
            text=True,
            check=False,
        ).stdout
        match = re.search(r"Transform: (\S+)", listing)
        return match and match[1]

    def test_its_output_follows_the_device(self):
        self.rig.add_device(tablet(raw=LANDSCAPE_LEFT))
        self.start_daemon()
        self.start_phosh()
        wait_until(lambda: self.transform() == "270", "the shell starts in the device's orientation", START)
        for raw, transform in (
            (PORTRAIT, "normal"),
            (LANDSCAPE_RIGHT, "90"),
            (UPSIDE_DOWN, "180"),
            (LANDSCAPE_LEFT, "270"),
            (PORTRAIT, "normal"),
        ):
            with self.subTest(transform=transform):
                self.rig.turn(raw)
                wait_until(lambda: self.transform() == transform, f"the output's transform is {transform}")
