# SPDX-License-Identifier: Apache-2.0
"""One client that calls without pause, and wants no replies: others are answered, and no memory is lost."""

import os
import pathlib
import socket

from gi.repository import Gio, GLib

from rig import BUS_NAME, MANAGER, OBJECT_MANAGER, ROOT_PATH, RigTestCase, accelerometer

CALLS = 40_000
REQUEST = GLib.Variant("(sua{sv})", ("org.example.App", 30, {}))


def encoded(method, interface=MANAGER, arguments=None, path=ROOT_PATH, destination=BUS_NAME, wants_reply=False):
    """Returns a call as it is sent."""
    message = Gio.DBusMessage.new_method_call(destination, path, interface, method)
    message.set_serial(1)
    if arguments:
        message.set_body(arguments)
    if not wants_reply:
        message.set_flags(Gio.DBusMessageFlags.NO_REPLY_EXPECTED)
    return message.to_blob(Gio.DBusCapabilityFlags.NONE)


def memory(daemon):
    """Returns how much memory a program has written to, in kB."""
    lines = pathlib.Path(f"/proc/{daemon.pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Private_Dirty:"))


class Floods(RigTestCase):
    def flood(self, call):
        """Makes a call many times, as fast as the bus accepts it, over a connection of its own."""
        bus = "org.freedesktop.DBus"
        hello = encoded("Hello", bus, path="/org/freedesktop/DBus", destination=bus, wants_reply=True)
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(self.rig.address.partition("unix:path=")[2].partition(",")[0])
            connection.sendall(b"\0AUTH EXTERNAL " + str(os.getuid()).encode().hex().encode() + b"\r\n")
            connection.recv(100)
            connection.sendall(b"BEGIN\r\n" + hello)
            connection.recv(100)
            for _ in range(CALLS // 100):
                connection.sendall(100 * call)
            self.client.get("RotationLock")

    def check(self):
        calls = {
            "SetRotationLock": encoded("SetRotationLock", arguments=GLib.Variant("(s)", ("off",))),
            "Rotate": encoded("Rotate", arguments=GLib.Variant("(s)", ("portrait",))),
            "SetApplicationMask": encoded("SetApplicationMask", arguments=GLib.Variant("(su)", ("org.example.App", 30))),
            "Request": encoded("Request", arguments=REQUEST),
            "Claim": encoded("Claim"),
            "GetManagedObjects": encoded("GetManagedObjects", OBJECT_MANAGER),
        }
        self.rig.add_device(accelerometer())
        daemon = self.rig.start_orientd()
        for name, call in calls.items():
            with self.subTest(name):
                before = memory(daemon)
                self.flood(call)
                self.assertLess(memory(daemon) - before, 2000)
                self.client.wait_for("Claims", 0)

    def test_without_polkit(self):
        """orientd waited for the bus daemon to name the caller's user, and read all other calls into memory: 346 MB."""
        self.check()

    def test_with_polkit(self):
        self.rig.start_polkit(allowed=tuple(f"org.orientd1.{name}" for name in ("claim", "lock", "rotate", "request")))
        self.check()
