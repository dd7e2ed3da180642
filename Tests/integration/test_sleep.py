# SPDX-License-Identifier: Apache-2.0
"""The machine goes to sleep and wakes up, as logind tells of it."""

import os
import select

from gi.repository import Gio, GLib

from feed import ReadCounter
from rig import LANDSCAPE_LEFT, wait_until
from rotation import HELD, RotationTestCase

BUS = "org.freedesktop.DBus"
SERVICE = "org.freedesktop.login1"
PATH = "/org/freedesktop/login1"
MANAGER = "org.freedesktop.login1.Manager"
INTERFACE = f"""<node><interface name="{MANAGER}">
    <method name="Inhibit">
        <arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="s" direction="in"/>
        <arg type="s" direction="in"/><arg type="h" direction="out"/>
    </method>
    <signal name="PrepareForSleep"><arg type="b"/></signal>
</interface></node>"""


class Logind:
    """A systemd-logind; `calls` are the arguments of Inhibit."""

    def __init__(self, rig):
        self.calls = []
        self.waiting = []
        self.connection = rig.connect().connection
        (interface,) = Gio.DBusNodeInfo.new_for_xml(INTERFACE).interfaces
        self.connection.register_object(PATH, interface, self.handle, None, None)
        self.name("RequestName", GLib.Variant("(su)", (SERVICE, 0)))

    def name(self, method, arguments):
        self.connection.call_sync(BUS, "/", BUS, method, arguments, None, Gio.DBusCallFlags.NONE, 5000, None)

    def handle(self, _connection, _sender, _path, _interface, _method, arguments, invocation):
        self.calls.append(arguments.unpack())
        self.answer(invocation)

    def answer(self, invocation):
        reading, writing = os.pipe()
        self.waiting.append(reading)
        invocation.return_value_with_unix_fd_list(GLib.Variant("(h)", (0,)), Gio.UnixFDList.new_from_array([writing]))

    def is_held_up(self):
        """Says whether somebody has the other end of what Inhibit has given."""
        ends = select.poll()  # select() knows no descriptor from 1024 on
        for reading in self.waiting:
            ends.register(reading)
        for reading, _ in ends.poll(0):
            self.waiting.remove(reading)
            os.close(reading)
        return bool(self.waiting)

    def prepare_for_sleep(self, is_asleep):
        self.connection.emit_signal(None, PATH, MANAGER, "PrepareForSleep", GLib.Variant("(b)", (is_asleep,)))

    def vanish(self):
        self.name("ReleaseName", GLib.Variant("(s)", (SERVICE,)))


class Sleep(RotationTestCase):
    def start_with_logind(self, **options):
        self.logind = Logind(self.rig)
        daemon = self.start(**options)
        wait_until(self.logind.is_held_up, "orientd wants to be waited for")
        return daemon

    def fall_asleep(self):
        self.logind.prepare_for_sleep(True)
        self.client.wait_for("SensorState", "suspended")
        wait_until(lambda: not self.logind.is_held_up(), "the machine may sleep")

    def wake_up(self):
        self.logind.prepare_for_sleep(False)
        self.client.wait_for("SensorState", "sampling")
        wait_until(self.logind.is_held_up, "orientd wants to be waited for again")

    def test_logind_waits_until_the_sensor_rests(self):
        self.start_with_logind()
        self.assertEqual([(call[0], call[1], call[3]) for call in self.logind.calls], [("sleep", "orientd", "delay")])
        counter = ReadCounter(self.rig, "in_accel_x_raw")
        wait_until(lambda: counter.reads() >= 3, "the sensor is read")
        self.fall_asleep()
        before = counter.reads()
        with self.assertRaises(AssertionError, msg="it is still read"):
            wait_until(lambda: counter.reads() > before, "a read", timeout=0.1)

    def test_sampling_goes_on_afterwards_for_who_claims(self):
        self.start_with_logind()
        for held in ("landscape-left", "portrait"):
            self.fall_asleep()
            self.assertEqual(self.client.get("Claims"), 1)
            self.wake_up()
            self.turn(held)
            self.assert_shown(HELD[held][1], reason="sensor")

    def test_a_read_that_outlasts_the_sleep_gives_up_nothing_that_the_next_sleep_needs(self):
        # The end of a hung read let logind go that was asked to wait for the next sleep.
        self.start_with_logind()
        self.rig.block("in_accel_x_raw")
        hanging = self.client.start_call("Claim")
        wait_until(lambda: hanging.done, "a claim of a sensor that samples is answered")
        self.logind.prepare_for_sleep(True)
        self.logind.prepare_for_sleep(False)
        self.rig.unblock("in_accel_x_raw", 0)
        self.client.wait_for("SensorState", "sampling")
        self.client.release()
        self.client.release()
        self.client.wait_for("SensorState", "idle")
        self.assertTrue(self.logind.is_held_up())

    def test_turn_during_the_sleep_is_seen_after_it(self):
        self.start_with_logind()
        self.fall_asleep()
        events = self.record_events()
        self.rig.turn(LANDSCAPE_LEFT)
        self.assert_shown("portrait")
        self.wake_up()
        self.assert_orientation("landscape-left")
        self.assertEqual(self.transitions(events), [("portrait", "landscape-right", "sensor")])

    def test_first_reading_afterwards_counts_as_a_turn(self):
        self.start_with_logind()
        self.client.ask("Rotate", "s", "landscape-left")
        self.fall_asleep()
        self.assert_shown("landscape-left", reason="manual")
        self.wake_up()
        self.client.wait_for("InterfaceOrientation", "portrait")
        self.assert_shown("portrait", reason="sensor")

    def test_lock_holds_across_a_sleep(self):
        self.start_with_logind()
        self.client.ask("SetRotationLock", "s", "landscape-left")
        self.fall_asleep()
        self.wake_up()
        self.turn("portrait-upside-down")
        self.assert_shown("landscape-left")

    def test_requests_are_answered_and_shown_while_it_sleeps(self):
        self.start_with_logind()
        self.fall_asleep()
        view = self.view(16)
        self.assert_shown("landscape-left", reason="request", asked=view)
        view.release()
        self.assertEqual(self.client.get("SensorState"), "suspended")

    def test_claim_is_answered_while_it_sleeps_and_served_afterwards(self):
        self.start_with_logind(claim=False)
        self.fall_asleep()
        self.client.claim()
        self.assertEqual(self.client.get("SensorState"), "suspended")
        self.wake_up()
        self.assert_orientation("portrait")

    def test_unclaimed_sensor_rests_afterwards(self):
        self.start_with_logind(claim=False)
        self.fall_asleep()
        self.logind.prepare_for_sleep(False)
        self.client.wait_for("SensorState", "idle")

    def test_logind_that_vanishes_in_the_middle_leaves_it_awake(self):
        self.start_with_logind()
        self.fall_asleep()
        self.logind.vanish()
        self.client.wait_for("SensorState", "sampling")

    def test_logind_that_comes_later_waits_too(self):
        self.start()
        self.logind = Logind(self.rig)
        wait_until(self.logind.is_held_up, "orientd wants to be waited for")

    def test_logind_that_refuses_to_wait_is_one_warning_and_the_sleep_is_followed(self):
        self.logind = Logind(self.rig)
        self.logind.answer = lambda invocation: invocation.return_dbus_error(BUS + ".Error.AccessDenied", "not for you")
        daemon = self.start()
        for _ in range(2):
            self.logind.prepare_for_sleep(True)
            self.client.wait_for("SensorState", "suspended")
            self.logind.prepare_for_sleep(False)
            self.client.wait_for("SensorState", "sampling")
        wait_until(lambda: len(self.logind.calls) == 3, "orientd asks each time")
        self.flush()
        self.assertEqual(len(daemon.log_lines("warning: sleep will not wait")), 1, daemon.log())

    def test_without_logind_there_is_no_warning(self):
        daemon = self.start()
        self.assertEqual(daemon.log_lines("warning: sleep will not wait"), [])
