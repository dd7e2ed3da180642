# SPDX-License-Identifier: Apache-2.0
"""net.hadess.SensorProxy: the name, the accelerometer, and who is told what."""

import json
import os
import signal
from pathlib import Path

from gi.repository import GLib

from feed import ReadCounter
from rig import (
    ACCESS_DENIED,
    INVALID_ARGS,
    LANDSCAPE_LEFT,
    LANDSCAPE_RIGHT,
    LIMIT_EXCEEDED,
    MINUS_Z,
    PLUS_Z,
    PORTRAIT,
    PYTHON,
    UPSIDE_DOWN,
    accelerometer,
    handle_events,
    wait_until,
)
from rotation import LANDSCAPE, View
from sensor_proxy import COMPASS, COMPASS_PATH, NAME, PATH, SERVED, SensorProxyTestCase

ACTION = "net.hadess.SensorProxy.claim-sensor"
UNKNOWN_METHOD = "org.freedesktop.DBus.Error.UnknownMethod"
CLAIMS_PER_CONNECTION = 64

# The values before any claim, without a sensor.
AT_REST = {
    "HasAccelerometer": False,
    "AccelerometerOrientation": "undefined",
    "AccelerometerTilt": "undefined",
    "HasAmbientLight": False,
    "LightLevelUnit": "lux",
    "LightLevel": 0.0,
    "HasProximity": False,
    "ProximityNear": False,
}

OWN_THE_NAME = f"""
import sys
from gi.repository import Gio, GLib
Gio.bus_own_name(Gio.BusType.SYSTEM, "{NAME}", 0, None, lambda *_: print("owned", flush=True), None)
GLib.MainLoop().run()
"""


class Name(SensorProxyTestCase):
    def test_it_is_served_where_that_is_configured(self):
        daemon = self.start()
        self.assertEqual(self.client.owner(NAME), self.client.owner())
        self.assertEqual(daemon.log_lines("SensorProxy"), [])

    def test_it_is_left_alone_where_that_is_configured(self):
        self.rig.start_orientd(configuration="[Bus]\nSensorProxy=no\n")
        self.assertIsNone(self.client.owner(NAME))

    def test_another_owner_keeps_it_until_it_ends(self):
        other = self.rig.spawn([PYTHON, "-c", OWN_THE_NAME], stdout=-1)
        other.stdout.readline()
        owner = self.client.owner(NAME)
        daemon = self.start()
        (line,) = daemon.log_lines(NAME)
        self.assertIn(f"process {other.pid} (", line)
        self.assertEqual(self.client.owner(NAME), owner)
        other.kill()
        wait_until(lambda: self.client.owner(NAME) == self.client.owner(), "the name is orientd's")
        self.assertEqual(self.get_all(), AT_REST)

    def test_it_is_taken_when_the_daemon_is_ready(self):
        # Clients looked at HasAccelerometer the moment the name came, and only then: it was false still.
        self.rig.add_device(accelerometer())
        hostnamed = self.rig.spawn([PYTHON, "-c", OWN_THE_NAME.replace(NAME, "org.freedesktop.hostname1")], stdout=-1)
        hostnamed.stdout.readline()
        hostnamed.send_signal(signal.SIGSTOP)  # what kind of machine this is stays open
        daemon = self.start(wait=False)
        wait_until(lambda: self.client.owner(), "orientd is on the bus")
        self.assertIsNone(self.client.owner(NAME))
        self.assertFalse(daemon.is_ready())
        hostnamed.kill()
        wait_until(lambda: self.client.owner(NAME), "the name is taken")
        self.assertTrue(self.get("HasAccelerometer"))

    def test_a_daemon_that_replaces_another_takes_it_over(self):
        first = self.start()
        self.start_replacing()
        self.assertEqual(first.wait_for_end(), 0)
        wait_until(lambda: self.client.owner(NAME) == self.client.owner(), "the name is the new one's")

    def start_replacing(self):
        return self.rig.start_orientd("--replace", configuration=SERVED)


class Members(SensorProxyTestCase):
    def test_values_before_any_claim(self):
        self.start()
        self.assertEqual(self.get_all(), AT_REST)
        self.assertEqual(self.get_all(COMPASS, COMPASS_PATH), {"HasCompass": False, "CompassHeading": 0.0})

    def test_claims_without_a_sensor_succeed(self):
        self.start()
        for sensor in ("Accelerometer", "Light", "Proximity"):
            self.call("Claim" + sensor)
            self.call("Release" + sensor)
        self.call("ClaimCompass", interface=COMPASS, path=COMPASS_PATH)
        self.call("ReleaseCompass", interface=COMPASS, path=COMPASS_PATH)

    def test_release_without_a_claim_succeeds(self):
        self.start()
        self.call("ReleaseAccelerometer")

    def test_what_is_wrong_is_refused(self):
        self.start()
        self.assertEqual(self.error_of("Foo"), UNKNOWN_METHOD)
        self.assertEqual(self.error_of("ClaimCompass"), UNKNOWN_METHOD)
        self.assertEqual(self.error_of("ClaimLight", interface=COMPASS, path=COMPASS_PATH), UNKNOWN_METHOD)
        self.assertEqual(self.error_of("ClaimLight", arguments=GLib.Variant("(s)", ("x",))), INVALID_ARGS)


class Accelerometer(SensorProxyTestCase):
    def test_orientation_and_tilt(self):
        self.rig.add_device(accelerometer())
        self.start()
        self.assertTrue(self.get("HasAccelerometer"))
        self.call("ClaimAccelerometer")
        # In the desktop convention: upright (0, -9.81, 0), right edge up (-9.81, 0, 0), face up (0, 0, +9.81).
        for raw, name, expected in (
            (PORTRAIT, "AccelerometerOrientation", "normal"),
            (LANDSCAPE_LEFT, "AccelerometerOrientation", "right-up"),
            (UPSIDE_DOWN, "AccelerometerOrientation", "bottom-up"),
            (LANDSCAPE_RIGHT, "AccelerometerOrientation", "left-up"),
            (LANDSCAPE_RIGHT, "AccelerometerTilt", "vertical"),
            (PLUS_Z, "AccelerometerTilt", "face-up"),
            (PLUS_Z, "AccelerometerOrientation", "left-up"),
            (MINUS_Z, "AccelerometerTilt", "face-down"),
            ((0, -766, 643), "AccelerometerTilt", "tilted-up"),
            ((0, -766, -643), "AccelerometerTilt", "tilted-down"),
        ):
            with self.subTest(raw=raw, expected=expected):
                self.rig.turn(raw)
                self.wait_for_value(name, expected)

    def test_positive_z_is_face_up_whatever_the_sensor_is(self):
        # A HID sensor reads -9.81 on z while it faces up, which org.orientd1 knows and this name never did.
        self.rig.add_device(accelerometer(name="accel_3d", raw=PLUS_Z))
        self.start()
        self.call("ClaimAccelerometer")
        self.assertEqual(self.get("AccelerometerTilt"), "face-up")
        self.assertEqual(self.client.get("FaceOrientation"), "face-down")

    def test_natural_orientation_does_not_rename_it(self):
        self.rig.add_device(accelerometer())
        self.rig.start_orientd(configuration=SERVED + "[Orientation]\nNaturalOrientation=landscape-left\n")
        self.call("ClaimAccelerometer")
        self.assertEqual(self.get("AccelerometerOrientation"), "normal")
        self.assertEqual(self.client.get("DeviceOrientation"), "landscape-left")

    def test_value_is_there_when_the_reply_comes_and_told_before_it(self):
        self.rig.add_device(accelerometer(raw=LANDSCAPE_LEFT))
        self.start()
        changes = self.record(self.client)
        self.call("ClaimAccelerometer")
        handle_events()
        self.assertEqual(changes, [{"AccelerometerOrientation": "right-up"}, {"AccelerometerTilt": "vertical"}])

    # GNOME's extension screen-rotate waits 100 ms for the reply, and gave up; the reply came after a second.
    def test_reply_waits_for_a_slow_reading_for_80_ms_and_the_value_follows(self):
        self.rig.add_device(accelerometer(raw=(0, 0, 0)))
        self.start()
        changes = self.record(self.client)
        started = GLib.get_monotonic_time()
        self.call("ClaimAccelerometer")
        seconds = (GLib.get_monotonic_time() - started) / 1e6
        self.assertGreater(seconds, 0.05)
        # The timeout of org.orientd1 is a second; a busy machine adds to either.
        self.assertLess(seconds, 0.9)
        self.assertEqual(self.get("AccelerometerOrientation"), "undefined")
        self.rig.turn(LANDSCAPE_LEFT)
        wait_until(lambda: {"AccelerometerOrientation": "right-up"} in changes, "the value follows")

    def test_claim_of_our_own_name_waits_for_a_second(self):
        self.rig.add_device(accelerometer(raw=(0, 0, 0)))
        self.start()
        started = GLib.get_monotonic_time()
        self.client.claim()
        self.assertGreater((GLib.get_monotonic_time() - started) / 1e6, 0.9)

    def test_kwin_gets_the_value_at_once_and_then_signals(self):
        """The calls of KWin 6.7, in its order; without `asks`, those of clients that do not ask for the sensor."""
        for asks in (True, False):
            with self.case(asks=asks):
                self.rig.add_device(accelerometer(raw=LANDSCAPE_LEFT))
                self.start()
                changes = self.record(self.client)
                if asks:
                    self.assertIs(self.get("HasAccelerometer"), True)
                self.call("ClaimAccelerometer")
                self.assertEqual(self.get("AccelerometerOrientation"), "right-up")
                handle_events()
                changes.clear()
                self.rig.turn(UPSIDE_DOWN)
                wait_until(lambda: {"AccelerometerOrientation": "bottom-up"} in changes, "the turn")

    def test_kwin_that_claims_before_there_is_a_sensor_needs_no_other_claim(self):
        self.start()
        changes = self.record(self.client)
        self.call("ClaimAccelerometer")
        self.assertEqual(self.get("AccelerometerOrientation"), "undefined")
        self.rig.add_device(accelerometer(raw=LANDSCAPE_LEFT))
        wait_until(lambda: {"AccelerometerOrientation": "right-up"} in changes, "the first edge")

    def test_only_claimants_are_told_and_only_of_changes(self):
        self.rig.add_device(accelerometer())
        self.start()
        claimer, second, listener = (self.rig.connect() for _ in range(3))
        heard = {client: self.record(client) for client in (claimer, second, listener)}
        self.call("ClaimAccelerometer", claimer)
        self.call("ClaimAccelerometer", second)
        self.rig.turn(LANDSCAPE_LEFT)
        wait_until(lambda: {"AccelerometerOrientation": "right-up"} in heard[second], "the second claimant is told")
        listener.round_trip()
        handle_events()
        turned = [{"AccelerometerOrientation": "right-up"}]
        self.assertEqual(heard[claimer][2:], turned)
        # What the first claim brought is nothing new: the second claimant reads it.
        self.assertEqual(heard[second], turned)
        self.assertEqual(heard[listener], [])

    def test_a_client_that_claims_again_is_told_what_has_changed_meanwhile(self):
        """Desktops with a lock of their own release the sensor, keep the last value, and show it after the next claim."""
        self.rig.add_device(accelerometer())
        self.start()
        claimer = self.rig.connect()
        heard = self.record(claimer)

        def claim_again():
            """Claims, releases, and returns what was received."""
            heard.clear()
            self.call("ClaimAccelerometer", claimer)
            self.call("ReleaseAccelerometer", claimer)
            handle_events()
            return heard

        self.assertEqual(claim_again(), [{"AccelerometerOrientation": "normal"}, {"AccelerometerTilt": "vertical"}])
        self.assertEqual(claim_again(), [])
        self.client.claim()
        self.rig.turn(LANDSCAPE_LEFT)
        self.assert_orientation("landscape-left")
        self.assertEqual(heard, [])
        self.assertEqual(claim_again(), [{"AccelerometerOrientation": "right-up"}])
        self.assertEqual(claim_again(), [])
        # Also what another claimant of this name has heard.
        self.call("ClaimAccelerometer")
        self.rig.turn(UPSIDE_DOWN)
        self.assert_orientation("portrait-upside-down")
        self.assertEqual(claim_again(), [{"AccelerometerOrientation": "bottom-up"}])
        self.assertEqual(claim_again(), [])

    def test_a_client_claims_once_however_often(self):
        self.rig.add_device(accelerometer())
        counter = ReadCounter(self.rig, "in_accel_x_raw")
        self.start()
        self.call("ClaimAccelerometer")
        self.call("ClaimAccelerometer")
        self.assertEqual(self.client.get("SensorState"), "sampling")
        self.call("ReleaseAccelerometer")
        self.client.wait_for("SensorState", "idle")
        before = counter.reads()
        with self.assertRaises(AssertionError, msg="it is still read"):
            wait_until(lambda: counter.reads() > before + 1, "a read", timeout=0.35)

    def test_the_claimants_are_listed_in_the_order_of_their_claims(self):
        self.start()
        first, second = self.rig.connect(), self.rig.connect()
        names = [client.connection.get_unique_name() for client in (first, second)]
        changes = self.client.record_changes()
        self.call("ClaimLight", first)
        for client in (first, second, first):
            self.call("ClaimAccelerometer", client)
        self.assertEqual(self.client.get("SensorProxyClients"), names)
        program = f"process {os.getpid()} ({Path('/proc/self/comm').read_text().strip()})"
        line = f"Claims: 0, and over net.hadess.SensorProxy: {program}, {program}\n"
        self.assertIn(line, self.rig.orientctl().stdout)
        self.assertEqual(json.loads(self.rig.orientctl("--json").stdout)["SensorProxyClients"], names)
        self.call("ReleaseAccelerometer", first)
        second.close()
        self.client.wait_for("SensorProxyClients", [])
        announced = [change.changed["SensorProxyClients"] for change in changes if "SensorProxyClients" in change.changed]
        self.assertEqual(announced, [names[:1], names, names[1:], []])

    def test_one_claimant_of_two_releases(self):
        self.rig.add_device(accelerometer())
        self.start()
        other = self.rig.connect()
        self.call("ClaimAccelerometer")
        self.call("ClaimAccelerometer", other)
        self.call("ReleaseAccelerometer", other)
        self.rig.turn(LANDSCAPE_LEFT)
        self.wait_for_value("AccelerometerOrientation", "right-up")

    def test_claims_of_both_names_keep_the_sensor_running(self):
        self.rig.add_device(accelerometer())
        self.start()
        self.client.claim()
        self.call("ClaimAccelerometer")
        self.assertEqual(self.client.get("Claims"), 1)
        self.client.release()
        self.assertEqual(self.client.get("SensorState"), "sampling")
        self.call("ReleaseAccelerometer")
        self.client.wait_for("SensorState", "idle")

    def test_values_stay_when_nobody_claims(self):
        self.rig.add_device(accelerometer(raw=LANDSCAPE_LEFT))
        self.start()
        self.call("ClaimAccelerometer")
        self.call("ReleaseAccelerometer")
        self.client.wait_for("SensorState", "idle")
        self.assertEqual(self.get("AccelerometerOrientation"), "right-up")
        self.assertEqual(self.get("AccelerometerTilt"), "vertical")

    def test_a_killed_claimant_releases(self):
        self.rig.add_device(accelerometer())
        self.start()
        code = f"""
import time
from gi.repository import Gio
bus = Gio.bus_get_sync(Gio.BusType.SYSTEM, None)
bus.call_sync("{NAME}", "{PATH}", "{NAME}", "ClaimAccelerometer", None, None, 0, -1, None)
print("claimed", flush=True)
time.sleep(60)
"""
        claimer = self.rig.spawn([PYTHON, "-c", code], stdout=-1)
        claimer.stdout.readline()
        self.assertEqual(self.client.get("SensorState"), "sampling")
        claimer.send_signal(signal.SIGKILL)
        self.client.wait_for("SensorState", "idle")

    def test_a_replugged_sensor_needs_no_new_claim(self):
        self.rig.add_device(accelerometer())
        self.start()
        changes = self.record(self.client)
        self.call("ClaimAccelerometer")
        del changes[:]
        self.rig.remove_device()
        wait_until(lambda: {"HasAccelerometer": False} in changes, "the claimant is told of the loss")
        self.assertEqual(self.get("AccelerometerOrientation"), "normal")
        self.rig.add_device(accelerometer(raw=LANDSCAPE_LEFT))
        wait_until(lambda: {"AccelerometerOrientation": "right-up"} in changes, "the claimant is told of the return")
        self.assertIn({"HasAccelerometer": True}, changes)

    def test_a_sensor_that_comes_later_is_told_to_who_claimed_before(self):
        self.start()
        changes = self.record(self.client)
        self.call("ClaimAccelerometer")
        self.rig.add_device(accelerometer())
        wait_until(lambda: {"AccelerometerTilt": "vertical"} in changes, "the claimant is told")
        self.assertIn({"HasAccelerometer": True}, changes)
        self.assertIn({"AccelerometerOrientation": "normal"}, changes)

    def test_a_sensor_in_the_base_is_none(self):
        self.rig.add_device(accelerometer(properties={"ACCEL_LOCATION": "base"}))
        self.start()
        self.assertFalse(self.get("HasAccelerometer"))


class ReportedOrientation(SensorProxyTestCase):
    """AccelerometerOrientation is the edge for which the interface is upright."""

    def start_claimed(self, *lines, raw=PORTRAIT):
        """Starts orientd and returns a list of the changes that a claimant receives from now on."""
        self.rig.add_device(accelerometer(raw=raw))
        self.rig.start_orientd(configuration="\n".join([SERVED, *lines, ""]))
        changes = self.record(self.client)
        self.call("ClaimAccelerometer")
        handle_events()
        del changes[:]
        return changes

    def turn(self, raw, held):
        self.rig.turn(raw)
        self.client.wait_for("DeviceOrientation", held)

    def assert_changes(self, changes, *orientations):
        """Checks which orientations a claimant has received since the last check."""
        self.get("AccelerometerOrientation")  # what was sent before the reply has arrived
        handle_events()
        found = [change["AccelerometerOrientation"] for change in changes if "AccelerometerOrientation" in change]
        self.assertEqual(found, list(orientations))
        del changes[:]

    def test_the_lock_holds_it_until_it_is_lifted(self):
        changes = self.start_claimed()
        self.client.ask("SetRotationLock", "s", "current")
        self.turn(LANDSCAPE_LEFT, "landscape-left")
        self.assert_changes(changes)
        self.client.ask("SetRotationLock", "s", "landscape-left")
        self.assert_changes(changes, "left-up")
        self.client.ask("SetRotationLock", "s", "off")
        self.assert_changes(changes, "right-up")
        self.turn(UPSIDE_DOWN, "portrait-upside-down")
        self.assert_changes(changes, "bottom-up")

    def test_the_tilt_is_the_device_s_under_a_lock(self):
        changes = self.start_claimed()
        self.client.ask("SetRotationLock", "s", "current")
        self.rig.turn(PLUS_Z)
        self.wait_for_value("AccelerometerTilt", "face-up")
        self.assert_changes(changes)

    def test_a_rotation_by_hand_turns_it_until_the_device_turns(self):
        changes = self.start_claimed()
        self.client.ask("Rotate", "s", "landscape-left")
        self.assert_changes(changes, "left-up")
        self.turn(LANDSCAPE_LEFT, "landscape-left")
        self.assert_changes(changes, "right-up")

    def test_a_request_turns_it_and_gives_it_back(self):
        changes = self.start_claimed()
        view = View(self.client, LANDSCAPE, preferred="landscape-left")
        self.assert_changes(changes, "left-up")
        self.turn(LANDSCAPE_LEFT, "landscape-left")
        self.turn(UPSIDE_DOWN, "portrait-upside-down")
        self.assert_changes(changes, "right-up")
        view.release()
        self.assert_changes(changes, "bottom-up")

    def test_it_keeps_to_what_the_device_supports(self):
        changes = self.start_claimed("[Orientation]", "SupportedOrientations=all-but-upside-down")
        self.turn(UPSIDE_DOWN, "portrait-upside-down")
        self.assert_changes(changes)
        self.turn(LANDSCAPE_RIGHT, "landscape-right")
        self.assert_changes(changes, "left-up")

    def test_it_is_relative_to_the_panel(self):
        changes = self.start_claimed("[Orientation]", "NaturalOrientation=landscape-left")
        self.assertEqual(self.get("AccelerometerOrientation"), "normal")
        self.client.ask("SetRotationLock", "s", "portrait")
        self.assert_changes(changes, "left-up")
        self.client.ask("SetRotationLock", "s", "landscape-right")
        self.assert_changes(changes, "normal")

    def test_a_lock_of_the_last_run_is_reported_without_any_reading(self):
        variables = {"STATE_DIRECTORY": str(self.rig.directory)}
        daemon = self.start(environment=variables)
        self.client.ask("SetRotationLock", "s", "landscape-right")
        daemon.stop()
        self.start(environment=variables)
        self.assertEqual(self.get("AccelerometerOrientation"), "right-up")

    def test_it_is_the_device_s_where_that_is_configured(self):
        changes = self.start_claimed("SensorProxyOrientation=device")
        self.client.ask("SetRotationLock", "s", "current")
        self.turn(LANDSCAPE_LEFT, "landscape-left")
        self.assert_changes(changes, "right-up")
        self.assertEqual(self.client.get("InterfaceOrientation"), "portrait")


class Permission(SensorProxyTestCase):
    def test_polkit_decides_on_claim_and_release(self):
        self.rig.start_polkit(allowed=())
        self.start()
        for method in ("ClaimAccelerometer", "ReleaseAccelerometer", "ClaimLight", "ClaimProximity"):
            self.assertEqual(self.error_of(method), ACCESS_DENIED)
        self.assertEqual(self.error_of("ClaimCompass", interface=COMPASS, path=COMPASS_PATH), ACCESS_DENIED)
        self.rig.allow(ACTION)
        self.call("ClaimAccelerometer")
        self.call("ReleaseAccelerometer")

    def test_everybody_may_read(self):
        self.rig.start_polkit(allowed=())
        self.start()
        self.assertEqual(self.get_all(), AT_REST)

    def test_claims_that_wait_for_polkit_are_limited(self):
        polkit = self.rig.spawn([PYTHON, "-c", OWN_THE_NAME.replace(NAME, "org.freedesktop.PolicyKit1")], stdout=-1)
        polkit.stdout.readline()
        polkit.send_signal(signal.SIGSTOP)  # it never answers
        self.start()
        for _ in range(CLAIMS_PER_CONNECTION):
            self.client.start_call("ClaimAccelerometer", NAME, PATH)
        self.assertEqual(self.error_of("ClaimAccelerometer"), LIMIT_EXCEEDED)
