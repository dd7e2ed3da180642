# SPDX-License-Identifier: Apache-2.0
"""The notification that offers a rotation under the lock, with dbusmock's notification service."""

import time

from agent_session import AgentTestCase
from gi.repository import Gio, GLib
from rig import PYTHON, wait_until
from rotation import mask
from x11 import XServer

NAME = "org.freedesktop.Notifications"
PATH = "/org/freedesktop/Notifications"
BUS = "org.freedesktop.DBus"
MOCK = "org.freedesktop.DBus.Mock"

NOTIFY = """
<node><interface name="org.freedesktop.Notifications"><method name="Notify">
  <arg type="s" direction="in"/><arg type="u" direction="in"/><arg type="s" direction="in"/>
  <arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="as" direction="in"/>
  <arg type="a{sv}" direction="in"/><arg type="i" direction="in"/><arg type="u" direction="out"/>
</method></interface></node>"""


class Call:
    """A call of the notification service."""

    def __init__(self, name, arguments):
        self.time = time.monotonic()
        self.name = name
        self.arguments = arguments


class SuggestionTestCase(AgentTestCase):
    def start_notifications(self):
        """Starts the notification service; its calls are appended to `self.calls`."""
        variables = self.rig.plain_environment | {"DBUS_SESSION_BUS_ADDRESS": f"unix:path={self.runtime}/bus"}
        command = [PYTHON, "-m", "dbusmock", "--session", "--template", "notification_daemon"]
        self.service = self.rig.spawn(command, env=variables)
        wait_until(lambda: self.session.owner(NAME), "the notification service is on the bus")
        self.calls = []

        def append(_connection, _sender, _path, _interface, _signal, arguments):
            self.calls.append(Call(*arguments.unpack()))

        self.session.connection.signal_subscribe(NAME, MOCK, "MethodCalled", PATH, None, 0, append)
        self.session.round_trip()

    def start_locked(self, *heads, settings=("Suggest=notify",), has_service=True):
        """Starts a session whose interface is locked in portrait, and returns the agent."""
        self.session = self.start_session_bus()
        if has_service:
            self.start_notifications()
        agent = self.start_session(*heads, settings=settings)
        self.client.wait_for("DeviceOrientation", "portrait")
        self.control("lock")
        return agent

    def tilt(self, held):
        """Turns the device under the lock; returns the time before."""
        before = time.monotonic()
        self.turn(held)
        return before

    def notifications(self):
        """Returns the arguments of every Notify so far."""
        return [call.arguments for call in self.calls if call.name == "Notify"]

    def wait_for_calls(self, *names):
        """Waits for calls of the service, checks that there are no others, and returns them."""
        wait_until(lambda: len(self.calls) >= len(names), f"the calls {names}")
        self.assertEqual([call.name for call in self.calls], list(names))
        return self.calls

    def emit(self, name, signature, *values):
        """Makes the notification service send a signal."""
        arguments = GLib.Variant(
            "(sssav)", (NAME, name, signature, [GLib.Variant(kind, value) for kind, value in zip(signature, values)])
        )
        self.session.call("EmitSignal", MOCK, PATH, arguments, NAME)


class Suggestion(SuggestionTestCase):
    def test_another_orientation_for_a_second_is_one_notification(self):
        self.start_locked()
        turned = self.tilt("landscape-left")
        shown, closed = self.wait_for_calls("Notify", "CloseNotification")
        application, replaced, icon, summary, body, actions, hints, timeout = shown.arguments
        self.assertEqual((application, replaced, timeout), ("orient-agent", 0, 5000))
        self.assertEqual(actions[::2], ["default"])
        self.assertIn("landscape-right", summary + body)
        self.assertTrue(icon)
        self.assertIs(hints["transient"], True)
        self.assertGreaterEqual(shown.time - turned, 1)
        self.assertEqual(closed.arguments, (1,) if isinstance(closed.arguments, tuple) else [1])
        self.assertGreaterEqual(closed.time - shown.time, 4.9)
        self.assertEqual(self.compositor.applied(), [])

    def test_device_that_is_turned_back_gets_none(self):
        self.start_locked()
        self.tilt("landscape-left")
        self.tilt("portrait")
        turned = self.tilt("landscape-right")
        (shown,) = self.wait_for_calls("Notify")
        self.assertGreaterEqual(shown.time - turned, 1)
        self.assertIn("landscape-left", shown.arguments[3] + shown.arguments[4])

    def test_forbidden_orientation_is_not_offered(self):
        self.start_locked()
        view = self.view(mask("portrait"))
        self.tilt("landscape-left")
        allowed = time.monotonic()
        view.release()
        (shown,) = self.wait_for_calls("Notify")
        self.assertGreaterEqual(shown.time - allowed, 1)

    def test_nothing_is_offered_without_a_lock(self):
        self.start_locked()
        self.control("unlock")
        self.show("landscape-left")
        self.control("lock", "portrait")
        self.wait_for_transform("normal")
        (shown,) = self.wait_for_calls("Notify")
        self.assertIn("landscape-right", shown.arguments[3] + shown.arguments[4])

    def test_next_one_replaces_the_last(self):
        self.start_locked()
        self.tilt("landscape-left")
        self.wait_for_calls("Notify")
        self.tilt("landscape-right")
        self.wait_for_calls("Notify", "Notify")
        self.tilt("portrait")
        self.wait_for_calls("Notify", "Notify", "CloseNotification")
        self.tilt("landscape-left")
        self.wait_for_calls("Notify", "Notify", "CloseNotification", "Notify")
        self.assertEqual([arguments[1] for arguments in self.notifications()], [0, 1, 1])

    def test_notification_is_closed_when_it_is_no_longer_true(self):
        for name, end in (
            ("turned back", lambda: self.tilt("portrait")),
            ("unlocked", lambda: self.control("unlock")),
            ("forbidden", lambda: self.view(mask("portrait"))),
            ("orientd has stopped", lambda: self.rig.daemons[0].stop()),
        ):
            with self.case(name):
                agent = self.start_locked()
                self.tilt("landscape-left")
                self.wait_for_calls("Notify")
                end()
                shown, closed = self.wait_for_calls("Notify", "CloseNotification")
                self.assertLess(closed.time - shown.time, 4)
                if name == "orientd has stopped":
                    agent.wait_for_warning("orientd")

    def test_action_rotates_once_and_the_lock_stays(self):
        agent = self.start_locked()
        self.tilt("landscape-left")
        self.wait_for_calls("Notify")
        self.emit("ActionInvoked", "us", 7, "default")
        self.emit("ActionInvoked", "us", 1, "settings")
        self.wait_until_idle(agent)
        self.assertEqual(self.client.get("InterfaceOrientation"), "portrait")
        self.emit("ActionInvoked", "us", 1, "default")
        self.wait_for_transform("270")
        self.assertNotEqual(self.client.get("RotationLock"), "off")
        self.wait_for_calls("Notify", "CloseNotification")
        self.emit("ActionInvoked", "us", 1, "default")
        self.tilt("portrait")
        self.wait_until_idle(agent)
        self.assertEqual(self.transforms(), ["270"])

    def test_signals_of_other_programs_are_ignored(self):
        agent = self.start_locked()
        self.tilt("landscape-left")
        self.wait_for_calls("Notify")
        other = GLib.Variant("(us)", (1, "default"))
        self.session.connection.emit_signal(None, PATH, NAME, "ActionInvoked", other)
        self.session.round_trip()
        self.tilt("landscape-right")
        self.wait_for_calls("Notify", "Notify")
        self.wait_until_idle(agent)
        self.assertEqual(self.compositor.applied(), [])

    def test_notification_that_the_user_closes_is_not_shown_again(self):
        self.start_locked()
        self.tilt("landscape-left")
        self.wait_for_calls("Notify")
        self.emit("NotificationClosed", "uu", 1, 2)
        self.tilt("portrait")
        self.tilt("landscape-right")
        self.wait_for_calls("Notify", "Notify")


class Services(SuggestionTestCase):
    def assert_goes_on(self):
        """Checks that the panel follows without the lock."""
        self.control("unlock")
        self.show("landscape-right")

    def test_missing_notification_service_is_one_warning(self):
        agent = self.start_locked(has_service=False)
        self.tilt("landscape-left")
        agent.wait_for_warning("cannot suggest a rotation", NAME)
        self.assert_goes_on()

    def test_service_that_refuses_is_one_warning(self):
        agent = self.start_locked(has_service=False)
        calls = self.refuse_notifications()
        self.tilt("landscape-left")
        agent.wait_for_warning("cannot suggest a rotation", "no room")
        self.tilt("landscape-right")
        wait_until(lambda: len(calls) == 2, "another suggestion")
        self.wait_until_idle(agent)
        self.assertEqual(agent.new_warnings(), [])
        self.assert_goes_on()

    def refuse_notifications(self):
        """Serves notifications with errors; returns a list of the calls."""
        calls = []

        def handle(_connection, _sender, _path, _interface, method, _arguments, invocation):
            calls.append(method)
            invocation.return_dbus_error("org.example.Error", "no room")

        (interface,) = Gio.DBusNodeInfo.new_for_xml(NOTIFY).interfaces
        self.session.connection.register_object(PATH, interface, handle, None, None)
        self.session.call("RequestName", BUS, "/", GLib.Variant("(su)", (NAME, 0)), BUS)
        return calls

    def test_missing_session_bus_is_one_warning(self):
        agent = self.start_session(settings=["Suggest=notify"])
        agent.wait_for_warning("session bus")
        self.control("lock")
        self.tilt("landscape-left")
        self.assert_goes_on()

    def test_session_bus_that_ends_is_one_warning(self):
        agent = self.start_locked()
        self.session.close()
        self.session_bus.kill()
        self.session_bus.wait()
        self.tilt("landscape-left")
        agent.wait_for_warning()
        self.assert_goes_on()

    def test_session_bus_is_not_used_without_suggestions(self):
        for settings, connections in ((("Suggest=no",), 0), ((), 0), (("Suggest=notify",), 1)):
            with self.case(settings=settings):
                agent = self.start_locked(settings=settings)
                names = self.session.call("ListNames", BUS, "/", None, BUS)[0]
                processes = [self.process(name) for name in names if name.startswith(":")]
                self.assertEqual(processes.count(agent.pid), connections)

    def process(self, name):
        """Returns the process of a connection to the session's bus."""
        arguments = GLib.Variant("(s)", (name,))
        return self.session.call("GetConnectionUnixProcessID", BUS, "/", arguments, BUS)[0]


class Dunst(SuggestionTestCase):
    """With the notification service dunst."""

    COMMANDS = "org.dunstproject.cmd0"

    def start_locked(self):
        self.session = self.start_session_bus()
        server = XServer(self.rig, "Xvfb", "-screen", "0", "800x600x24")
        variables = self.rig.plain_environment | {
            "DISPLAY": server.name,
            "HOME": str(self.home),
            "DBUS_SESSION_BUS_ADDRESS": f"unix:path={self.runtime}/bus",
        }
        dunst = self.rig.spawn(["dunst", "-conf", "/dev/null"], env=variables)
        self.rig.on_close(dunst.kill)
        wait_until(lambda: self.session.owner(NAME), "dunst is on the bus")
        agent = self.start_session(settings=["Suggest=notify"])
        self.control("lock")
        return agent

    def shown(self):
        """Returns the number of notifications on the screen."""
        arguments = GLib.Variant("(ss)", (self.COMMANDS, "displayedLength"))
        return self.session.call("Get", "org.freedesktop.DBus.Properties", PATH, arguments, NAME)[0]

    def test_default_action_rotates_once(self):
        self.start_locked()
        self.tilt("landscape-left")
        wait_until(lambda: self.shown() == 1, "the notification is shown")
        self.session.call("NotificationAction", self.COMMANDS, PATH, GLib.Variant("(u)", (0,)), NAME)
        self.wait_for_transform("270")
        wait_until(lambda: self.shown() == 0, "the notification is closed")

    def test_notification_is_shown_for_five_seconds(self):
        self.start_locked()
        self.tilt("landscape-left")
        wait_until(lambda: self.shown() == 1, "the notification is shown")
        shown = time.monotonic()
        wait_until(lambda: self.shown() == 0, "the notification is closed")
        self.assertGreaterEqual(time.monotonic() - shown, 4)
        self.assertEqual(self.compositor.applied(), [])
