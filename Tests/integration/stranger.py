# SPDX-License-Identifier: Apache-2.0
"""Another user of the computer: what it sends over a bus with Debian's policy for the system bus.

Only root can be another user; for anybody else it is another connection of the same one.
"""

import json
import os
import pathlib
import re
import subprocess
import sys

from gi.repository import Gio, GLib

# nobody
USER = 65534

DAEMON = "org.freedesktop.DBus"
DAEMON_PATH = "/org/freedesktop/DBus"
PROPERTIES = "org.freedesktop.DBus.Properties"
POLKIT = "org.freedesktop.PolicyKit1"
LOGIND = "org.freedesktop.login1"
LOGIND_PATH = "/org/freedesktop/login1"
LOGIND_MANAGER = "org.freedesktop.login1.Manager"
BUS_NAME = "org.orientd1"
ROOT_PATH = "/org/orientd1"
MANAGER = "org.orientd1.Manager"

CHANGES = "{'DeviceOrientation': <'portrait-upside-down'>, 'OutputTransform': <'180'>, 'RotationLock': <'portrait'>}"

# What Debian's configuration says about the machine, not about who may do what; its folders have other services.
MACHINE = r"<(user|servicehelper|pidfile|listen)>.*?</\1>|<(fork|syslog|standard_system_servicedirs)/>|<include[^>]*>.*?</include(dir)?>"

TOP = """
  <listen>unix:path={socket}</listen>
  <limit name="max_connections_per_user">1024</limit>
"""
# Tests own the names of other services, and call what they like.
BOTTOM = f"""
  <policy user="{os.getuid()}">
    <allow own="*"/>
    <allow send_destination="*"/>
  </policy>
"""


def bus_configuration(source_root):
    """Returns the configuration of a bus with Debian's policy and ours; a socket is to be filled in."""
    debian = open("/usr/share/dbus-1/system.conf", encoding="utf-8").read()
    debian = re.sub(r"<!--.*?-->", "", debian, flags=re.DOTALL)
    debian = re.sub(MACHINE, "", debian, flags=re.DOTALL)
    ours = (source_root / "systemd/dbus-1/system.d/org.orientd1.conf").read_text(encoding="utf-8")
    policies = "".join(re.findall(r"<policy (?:user=\"root\"|context=\"default\")>.*?</policy>", ours, flags=re.DOTALL))
    head, tail = debian.split("<busconfig>"), "</busconfig>"
    return head[0] + "<busconfig>" + TOP + head[1].replace(tail, BOTTOM + policies + tail)


class Signal:
    """A forged signal; `values` is the text of its arguments' types and of these, as GLib writes variants."""

    def __init__(self, path, interface, member, values=None):
        self.description = [path, interface, member, values]


def name_owner_changed(name, old="", new=""):
    return Signal(DAEMON_PATH, DAEMON, "NameOwnerChanged", f"('{name}', '{old}', '{new}')")


def forged(claimant):
    """Returns signals of every kind that our programs subscribe to, with arguments as they would be, and malformed."""
    signals = [
        Signal(DAEMON_PATH, DAEMON, "NameLost", f"('{BUS_NAME}',)"),
        *(name_owner_changed(name, ":1.0") for name in (BUS_NAME, LOGIND, POLKIT, claimant)),
        *(name_owner_changed(name, ":1.0", ":1.1") for name in (BUS_NAME, LOGIND, POLKIT)),
        Signal(LOGIND_PATH, LOGIND_MANAGER, "PrepareForSleep", "(true,)"),
        Signal(ROOT_PATH, PROPERTIES, "PropertiesChanged", f"('{MANAGER}', {CHANGES}, @as [])"),
        Signal(
            LOGIND_PATH + "/session/_1", PROPERTIES, "PropertiesChanged",
            f"('{LOGIND}.Session', {{'Active': <false>}}, @as [])",
        ),
        Signal(ROOT_PATH, MANAGER, "WillTransition", "('portrait', 'portrait-upside-down', 'sensor')"),
        Signal(ROOT_PATH, MANAGER, "DidTransition", "('portrait', 'portrait-upside-down', 'sensor')"),
    ]
    malformed = [Signal(*signal.description[:3], values) for signal in signals for values in (None, "(uint32 7,)")]
    # Only the argument that is matched is as it should be.
    for name in (BUS_NAME, LOGIND, POLKIT, claimant):
        malformed.append(Signal(DAEMON_PATH, DAEMON, "NameOwnerChanged", f"('{name}',)"))
        malformed.append(Signal(DAEMON_PATH, DAEMON, "NameOwnerChanged", f"('{name}', uint32 1, uint32 2)"))
    for path, interface in ((ROOT_PATH, MANAGER), (LOGIND_PATH + "/session/_1", LOGIND + ".Session")):
        malformed.append(Signal(path, PROPERTIES, "PropertiesChanged", f"('{interface}',)"))
        malformed.append(Signal(path, PROPERTIES, "PropertiesChanged", f"('{interface}', 'text')"))
    malformed.append(Signal(LOGIND_PATH, LOGIND_MANAGER, "PrepareForSleep", "('yes',)"))
    return signals + malformed


class Stranger:
    """Acts as another user, in a process of its own."""

    def __init__(self, rig):
        self.rig = rig

    def start(self, action, *arguments):
        """Starts an action; its standard output is a pipe."""
        # By its text: another user may not be able to read the file.
        text = pathlib.Path(__file__).read_text(encoding="utf-8")
        command = ["/usr/bin/python3", "-c", text, self.rig.address, action, json.dumps(arguments)]
        options = {"user": USER, "group": USER, "extra_groups": []} if os.getuid() == 0 else {}
        return self.rig.spawn(command, stdout=subprocess.PIPE, cwd="/", **options)

    def send(self, *signals):
        """Sends signals to every connection of the bus; returns when the bus daemon has passed them on."""
        process = self.start("send", *(signal.description for signal in signals))
        output = process.communicate(timeout=30)[0]
        if process.returncode != 0:
            raise AssertionError(f"the stranger fails: {output}")

    def occupy(self, connections, calls, repeats=False):
        """Claims over many connections, which stay, and `repeats` each call that is answered.

        Returns the process when all calls are sent.
        """
        process = self.start("occupy", connections, calls, repeats)
        if process.stdout.readline() != b"sent\n":
            raise AssertionError("the stranger cannot call")
        return process


# The rest is the other process.


def connect(address):
    flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
    return Gio.DBusConnection.new_for_address_sync(address, flags, None, None)


def call(connection, member, arguments=None):
    return connection.call_sync(DAEMON, DAEMON_PATH, DAEMON, member, arguments, None, 0, 10000, None).unpack()


def connections_of(connection):
    """Returns the unique names of all other connections."""
    own = connection.get_unique_name()
    return [name for name in call(connection, "ListNames")[0] if name.startswith(":") and name != own]


def send(address, *signals):
    connection = connect(address)
    for destination in connections_of(connection):
        for path, interface, member, values in signals:
            message = Gio.DBusMessage.new_signal(path, interface, member)
            message.set_destination(destination)
            if values:
                message.set_body(GLib.Variant.parse(None, values, None, None))
            connection.send_message(message, Gio.DBusSendMessageFlags.NONE)
        # An answer that nobody has asked for.
        for serial in range(1, 30):
            answer = Gio.DBusMessage()
            answer.set_message_type(Gio.DBusMessageType.METHOD_RETURN)
            answer.set_reply_serial(serial)
            answer.set_destination(destination)
            connection.send_message(answer, Gio.DBusSendMessageFlags.NONE)
    connection.flush_sync(None)
    call(connection, "GetId")


def occupy(address, count, calls, repeats):
    connections = [connect(address) for _ in range(count)]

    def claim(connection, *_):
        done = claim if repeats else None
        connection.call(BUS_NAME, ROOT_PATH, MANAGER, "Claim", None, None, 0, -1, None, done)

    for connection in connections:
        for _ in range(calls):
            claim(connection)
        connection.flush_sync(None)
        call(connection, "GetId")
    print("sent", flush=True)
    GLib.MainLoop().run()


if __name__ == "__main__":
    bus_address, action_name, values = sys.argv[1:]
    {"send": send, "occupy": occupy}[action_name](bus_address, *json.loads(values))
    os._exit(0)
