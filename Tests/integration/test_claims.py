# SPDX-License-Identifier: Apache-2.0
"""Claim and Release: when sensing runs, when a claim is answered, how claims are counted."""

import os
import subprocess

from gi.repository import GLib

from feed import ReadCounter
from rig import (
    ACCESS_DENIED,
    BUS_NAME,
    CLAIM_ACTION,
    LANDSCAPE_LEFT,
    LIMIT_EXCEEDED,
    MANAGER,
    PYTHON,
    ROOT_PATH,
    RigTestCase,
    accelerometer,
    wait_until,
)

CLAIMS_PER_CONNECTION = 64
CONNECTIONS_IN_ALL = 400

CLAIM_AND_WAIT = f"""
import sys, time
from gi.repository import Gio
bus = Gio.bus_get_sync(Gio.BusType.SYSTEM, None)
bus.call_sync("{BUS_NAME}", "{ROOT_PATH}", "{MANAGER}", "Claim", None, None, 0, -1, None)
time.sleep(60)
"""


class Claims(RigTestCase):
    def test_unclaimed_sensor_is_not_read(self):
        self.rig.add_device(accelerometer())
        counter = ReadCounter(self.rig, "in_accel_x_raw")
        self.rig.start_orientd()
        self.assertTrue(self.client.get("HasAccelerometer"))
        self.assertEqual(self.client.get("SensorState"), "idle")
        self.client.claim()
        self.assertEqual(self.client.get("SensorState"), "sampling")
        wait_until(lambda: counter.reads() >= 5, "the claimed sensor is read")
        self.client.release()
        self.client.wait_for("SensorState", "idle")
        self.assert_reading_stopped(counter)

    def assert_reading_stopped(self, counter):
        """Checks that no read comes for five sampling periods."""
        before = counter.reads()
        with self.assertRaises(AssertionError, msg="it is still read"):
            wait_until(lambda: counter.reads() > before + 1, "a read", timeout=0.35)

    def test_first_answer_is_there_when_the_reply_comes(self):
        self.rig.add_device(accelerometer(raw=LANDSCAPE_LEFT))
        self.rig.start_orientd()
        self.assertEqual(self.client.get("DeviceOrientation"), "unknown")
        self.client.claim()
        self.assertEqual(self.client.get("DeviceOrientation"), "landscape-left")

    def test_reply_waits_for_the_first_sample(self):
        self.rig.add_device(accelerometer())
        self.rig.start_orientd()
        self.rig.block("in_accel_y_raw")
        call = self.client.start_call("Claim")
        self.client.wait_for("Claims", 1)
        self.assertFalse(call.done)
        self.rig.unblock("in_accel_y_raw", -1000)
        wait_until(lambda: call.done, "the claim is answered")
        self.assertIsNone(call.error)
        self.assertEqual(self.client.get("DeviceOrientation"), "portrait")

    def test_reply_waits_at_most_a_second(self):
        # All zero is never taken for a measurement.
        self.rig.add_device(accelerometer(raw=(0, 0, 0)))
        self.rig.start_orientd()
        call = self.client.start_call("Claim")
        wait_until(lambda: call.done, "the claim is answered")
        self.assertIsNone(call.error)
        self.assertGreater(call.seconds, 0.5)
        self.assertLess(call.seconds, 2)
        self.assertEqual(self.client.get("DeviceOrientation"), "unknown")

    def test_reply_comes_when_the_daemon_ends(self):
        self.rig.add_device(accelerometer(raw=(0, 0, 0)))
        daemon = self.rig.start_orientd()
        call = self.client.start_call("Claim")
        self.client.wait_for("Claims", 1)
        daemon.stop()
        wait_until(lambda: call.done, "the claim is answered")
        self.assertIsNone(call.error)

    def test_release_while_the_sensor_is_being_started(self):
        # The start reported its success to nobody, and the state stayed at sampling.
        self.rig.add_device(accelerometer(attributes={"sampling_frequency": "20"}))
        counter = ReadCounter(self.rig, "in_accel_x_raw")
        self.rig.start_orientd()
        changes = self.client.record_changes()
        self.rig.block("sampling_frequency")
        self.client.start_call("Claim")
        self.client.wait_for("Claims", 1)
        self.client.release()
        self.rig.unblock("sampling_frequency", 20)
        self.assert_reading_stopped(counter)
        self.assertEqual(self.client.get("SensorState"), "idle")
        self.assertEqual([change for change in changes if "SensorState" in change.changed], [])

    def test_claim_without_a_sensor_succeeds_and_is_told_later(self):
        self.rig.start_orientd()
        self.assertFalse(self.client.get("HasAccelerometer"))
        self.assertEqual(self.client.get("SensorState"), "none")
        changes = self.client.record_changes()
        self.client.claim()
        self.rig.add_device(accelerometer(raw=LANDSCAPE_LEFT))
        self.assert_orientation("landscape-left")
        told = {}
        for change in changes:
            told.update(change.changed)
        self.assertIs(told["HasAccelerometer"], True)
        self.assertEqual(told["DeviceOrientation"], "landscape-left")
        self.assertEqual(told["SensorState"], "sampling")

    def test_claims_are_counted(self):
        self.rig.add_device(accelerometer())
        self.rig.start_orientd()
        other = self.rig.connect()
        for client, expected in [(self.client, 1), (self.client, 2), (other, 3)]:
            client.claim()
            self.assertEqual(self.client.get("Claims"), expected)
        for client, expected in [(self.client, 2), (other, 1), (other, 1), (self.client, 0)]:
            client.release()
            self.assertEqual(self.client.get("Claims"), expected)
        self.client.wait_for("SensorState", "idle")

    def test_release_without_a_claim_succeeds(self):
        self.rig.start_orientd()
        self.client.release()
        self.assertEqual(self.client.get("Claims"), 0)

    def test_claims_of_a_closed_connection_go(self):
        self.rig.add_device(accelerometer())
        self.rig.start_orientd()
        other = self.rig.connect()
        other.claim()
        other.claim()
        self.client.claim()
        self.assertEqual(self.client.get("Claims"), 3)
        other.close()
        self.client.wait_for("Claims", 1)
        self.assertEqual(self.client.get("SensorState"), "sampling")

    def test_killed_client_stops_sensing(self):
        self.rig.add_device(accelerometer())
        counter = ReadCounter(self.rig, "in_accel_x_raw")
        self.rig.start_orientd()
        claimer = self.rig.spawn([PYTHON, "-c", CLAIM_AND_WAIT])
        self.client.wait_for("Claims", 1)
        claimer.kill()
        self.client.wait_for("Claims", 0)
        self.client.wait_for("SensorState", "idle")
        self.assert_reading_stopped(counter)

    def test_client_that_goes_before_the_answer_leaves_no_claim(self):
        self.rig.add_device(accelerometer())
        self.rig.start_orientd()
        self.rig.block("in_accel_x_raw")
        other = self.rig.connect()
        other.start_call("Claim")
        self.client.wait_for("Claims", 1)
        other.close()
        self.client.wait_for("Claims", 0)
        self.rig.unblock("in_accel_x_raw", 0)
        self.client.claim()
        self.assertEqual(self.client.get("Claims"), 1)

    def test_released_before_the_answer(self):
        self.rig.add_device(accelerometer())
        self.rig.start_orientd()
        self.rig.block("in_accel_x_raw")
        call = self.client.start_call("Claim")
        self.client.wait_for("Claims", 1)
        self.client.release()
        wait_until(lambda: call.done, "the claim is answered")
        self.assertEqual(self.client.get("Claims"), 0)
        self.rig.unblock("in_accel_x_raw", 0)


class Limits(RigTestCase):
    def claim_often(self, client, count):
        """Claims `count` times without waiting in between and returns the calls' errors."""
        calls = [client.start_call("Claim") for _ in range(count)]
        wait_until(lambda: all(call.done for call in calls), f"{count} claims are answered")
        return [call.error for call in calls]

    def test_64_claims_a_connection(self):
        self.rig.start_orientd()
        self.assertEqual(set(self.claim_often(self.client, CLAIMS_PER_CONNECTION)), {None})
        self.assertEqual(self.client.error_of("Claim"), LIMIT_EXCEEDED)
        self.assertEqual(self.client.get("Claims"), CLAIMS_PER_CONNECTION)
        other = self.rig.connect()
        other.claim()
        self.client.release()
        self.client.claim()
        self.assertEqual(self.client.error_of("Claim"), LIMIT_EXCEEDED)

    def test_400_connections_in_all(self):
        # Each has a match rule, of which dbus-daemon allows 512: one more, and it closed our connection.
        self.rig.start_orientd()
        # In a process of its own: this one has descriptors enough already.
        code = f"""
import time
from gi.repository import Gio
flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
holders = []
for _ in range({CONNECTIONS_IN_ALL}):
    bus = Gio.DBusConnection.new_for_address_sync("{self.rig.address}", flags, None, None)
    bus.call_sync("{BUS_NAME}", "{ROOT_PATH}", "{MANAGER}", "Claim", None, None, 0, -1, None)
    holders.append(bus)
print("claimed", flush=True)
time.sleep(60)
"""
        holder = self.rig.spawn([PYTHON, "-c", code], stdout=subprocess.PIPE)
        self.assertEqual(holder.stdout.readline(), b"claimed\n")
        self.assertEqual(self.client.error_of("Claim"), LIMIT_EXCEEDED)
        holder.kill()
        self.client.wait_for("Claims", 0)
        self.client.claim()


class Polkit(RigTestCase):
    def test_refuses(self):
        self.rig.add_device(accelerometer())
        self.rig.start_polkit(allowed=())
        self.rig.start_orientd()
        self.assertEqual(self.client.error_of("Claim"), ACCESS_DENIED)
        self.assertEqual(self.client.get("Claims"), 0)
        self.assertEqual(self.client.get("SensorState"), "idle")

    def test_allows_the_action_by_its_name(self):
        self.rig.add_device(accelerometer())
        self.rig.start_polkit(allowed=(CLAIM_ACTION,))
        self.rig.start_orientd()
        self.client.claim()
        self.assertEqual(self.client.get("Claims"), 1)

    def test_properties_and_release_need_no_permission(self):
        self.rig.start_polkit(allowed=())
        self.rig.start_orientd()
        self.assertEqual(self.client.get("DeviceOrientation"), "unknown")
        self.client.release()

    def test_absent_allows_the_daemons_own_user_with_one_warning(self):
        daemon = self.rig.start_orientd()
        self.client.claim()
        self.client.claim()
        self.assertEqual(self.client.get("Claims"), 2)
        self.assertEqual(len(daemon.log_lines("(?i)polkit")), 1, daemon.log())

    def test_absent_refuses_other_users(self):
        if os.getuid() != 0:
            return  # only root can be another user too
        self.rig.start_orientd()
        command = ["busctl", f"--address={self.rig.address}", "call", BUS_NAME, ROOT_PATH]
        read = [*command, "org.freedesktop.DBus.Properties", "Get", "ss", MANAGER, "Claims"]
        claim = [*command, MANAGER, "Claim"]
        options = {"env": self.rig.plain_environment, "user": "nobody", "capture_output": True, "text": True}
        self.assertEqual(subprocess.run(read, check=False, **options).stdout.strip(), "v u 0")
        answer = subprocess.run(claim, check=False, **options)
        self.assertNotEqual(answer.returncode, 0)
        self.assertRegex(answer.stderr, "(?i)denied|not (authorized|allowed)|permission")
        self.assertEqual(self.client.get("Claims"), 0)

    def test_hanging_polkit_makes_only_the_claim_wait(self):
        self.rig.start_polkit()
        self.rig.start_orientd()
        self.rig.call_polkit("SimulateHang", GLib.Variant("(b)", (True,)))
        call = self.client.start_call("Claim")
        wait_until(lambda: self.rig.call_polkit("HaveHangingCalls")[0], "polkit is asked")
        self.assert_bus_answers()
        self.assertFalse(call.done)
        self.assertEqual(self.client.get("Claims"), 0)
        self.rig.call_polkit("ReleaseHangingCalls")
        wait_until(lambda: call.done, "the claim is answered")
        self.assertIsNone(call.error)
        self.assertEqual(self.client.get("Claims"), 1)

    def test_release_counts_for_an_earlier_claim_if_polkit_refuses_the_latest(self):
        """The earlier claim stayed, although its release had succeeded."""
        self.rig.start_polkit()
        self.rig.start_orientd()
        self.client.claim()
        self.rig.allow()
        self.rig.call_polkit("SimulateHang", GLib.Variant("(b)", (True,)))
        call = self.client.start_call("Claim")
        wait_until(lambda: self.rig.call_polkit("HaveHangingCalls")[0], "polkit is asked")
        self.client.release()
        self.assertEqual(self.client.get("Claims"), 1)
        self.rig.call_polkit("SimulateHang", GLib.Variant("(b)", (False,)))
        self.rig.call_polkit("ReleaseHangingCalls")
        wait_until(lambda: call.done, "the claim is answered")
        self.assertEqual((call.error, self.client.get("Claims")), (ACCESS_DENIED, 0))

    def test_client_gone_while_polkit_thinks(self):
        self.rig.start_polkit()
        self.rig.start_orientd()
        self.rig.call_polkit("SimulateHang", GLib.Variant("(b)", (True,)))
        other = self.rig.connect()
        other.start_call("Claim")
        wait_until(lambda: self.rig.call_polkit("HaveHangingCalls")[0], "polkit is asked")
        other.close()
        self.rig.call_polkit("SimulateHang", GLib.Variant("(b)", (False,)))
        self.rig.call_polkit("ReleaseHangingCalls")
        self.client.claim()
        self.assertEqual(self.client.get("Claims"), 1)

    def test_limit_holds_for_claims_that_polkit_has_not_answered(self):
        self.rig.start_polkit()
        self.rig.start_orientd()
        self.rig.call_polkit("SimulateHang", GLib.Variant("(b)", (True,)))
        calls = [self.client.start_call("Claim") for _ in range(CLAIMS_PER_CONNECTION + 1)]
        wait_until(lambda: self.rig.call_polkit("HaveHangingCalls")[0], "polkit is asked")
        self.rig.call_polkit("SimulateHang", GLib.Variant("(b)", (False,)))
        self.assert_bus_answers()

        def all_answered():
            self.rig.call_polkit("ReleaseHangingCalls")
            return all(call.done for call in calls)

        wait_until(all_answered, "the claims are answered")
        self.assertEqual([call.error for call in calls].count(LIMIT_EXCEEDED), 1)
        self.assertEqual(self.client.get("Claims"), CLAIMS_PER_CONNECTION)
