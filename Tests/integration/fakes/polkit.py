# SPDX-License-Identifier: Apache-2.0
"""polkit, which allows everything to its own user and nothing to others: python3 polkit.py ADDRESS SECONDS

It takes SECONDS to refuse a question, one after the other, as polkitd does; "never" keeps others waiting for ever.
"""

import os
import sys
import time

from gi.repository import Gio, GLib

NAME = "org.freedesktop.PolicyKit1"
PATH = "/org/freedesktop/PolicyKit1/Authority"
INTERFACE = """<node><interface name="org.freedesktop.PolicyKit1.Authority"><method name="CheckAuthorization">
    <arg type="(sa{sv})" direction="in"/><arg type="s" direction="in"/><arg type="a{ss}" direction="in"/>
    <arg type="u" direction="in"/><arg type="s" direction="in"/><arg type="(bba{ss})" direction="out"/>
</method></interface></node>"""

BUS = "org.freedesktop.DBus"


def main(address, seconds):
    flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
    connection = Gio.DBusConnection.new_for_address_sync(address, flags, None, None)
    held = []

    def call(member, arguments):
        return connection.call_sync(BUS, "/org/freedesktop/DBus", BUS, member, arguments, None, 0, -1, None).unpack()

    def answer(_connection, _sender, _path, _interface, _method, arguments, invocation):
        subject = arguments.unpack()[0][1]["name"]
        try:
            is_allowed = call("GetConnectionUnixUser", GLib.Variant("(s)", (subject,)))[0] == os.getuid()
        except GLib.Error as error:
            return invocation.return_dbus_error(f"{NAME}.Error.Failed", error.message)
        if not is_allowed:
            if seconds == "never":
                return held.append(invocation)
            time.sleep(float(seconds))
        return invocation.return_value(GLib.Variant("((bba{ss}))", ((is_allowed, False, {}),)))

    (interface,) = Gio.DBusNodeInfo.new_for_xml(INTERFACE).interfaces
    connection.register_object(PATH, interface, answer, None, None)
    call("RequestName", GLib.Variant("(su)", (NAME, 0)))
    GLib.MainLoop().run()


if __name__ == "__main__":
    main(*sys.argv[1:])
