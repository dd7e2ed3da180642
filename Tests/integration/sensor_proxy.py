# SPDX-License-Identifier: Apache-2.0
"""A client of net.hadess.SensorProxy."""

from gi.repository import Gio, GLib

from rig import PROPERTIES, RigTestCase, wait_until

NAME = "net.hadess.SensorProxy"
PATH = "/net/hadess/SensorProxy"
COMPASS = NAME + ".Compass"
COMPASS_PATH = PATH + "/Compass"
SERVED = "[Bus]\nSensorProxy=yes\n"


class SensorProxyTestCase(RigTestCase):
    def start(self, **options):
        return self.rig.start_orientd(configuration=SERVED, **options)

    def call(self, method, client=None, interface=NAME, path=PATH, arguments=None):
        """Calls a method of the proxy's object."""
        return (client or self.client).call(method, interface, path, arguments, destination=NAME)

    def error_of(self, method, client=None, **options):
        """Calls a method and returns the name of the D-Bus error, or None if it succeeds."""
        try:
            self.call(method, client, **options)
        except GLib.Error as error:
            return Gio.DBusError.get_remote_error(error)
        return None

    def get(self, name, interface=NAME, path=PATH):
        return self.call("Get", None, PROPERTIES, path, GLib.Variant("(ss)", (interface, name)))[0]

    def get_all(self, interface=NAME, path=PATH):
        return self.call("GetAll", None, PROPERTIES, path, GLib.Variant("(s)", (interface,)))[0]

    def wait_for_value(self, name, expected, **where):
        wait_until(lambda: self.get(name, **where) == expected, f"{name} == {expected!r}")

    def record(self, client):
        """Returns a list to which every later change of a property that the client receives is appended."""
        changes = []

        def append(_connection, _sender, _path, _interface, _signal, arguments):
            changes.append(arguments.unpack()[1])

        for path in (PATH, COMPASS_PATH):
            client.connection.signal_subscribe(NAME, PROPERTIES, "PropertiesChanged", path, None, 0, append)
        client.round_trip()
        return changes
