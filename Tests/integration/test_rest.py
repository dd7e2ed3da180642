# SPDX-License-Identifier: Apache-2.0
"""Sensing levels: what is asked of a sensor while the device rests."""

import os

from feed import Feed
from rig import LANDSCAPE_LEFT, RigTestCase, accelerometer, wait_until

HID = "/sys/devices/platform/test-hid/HID-SENSOR-200073/iio:device0"
HID_PORTRAIT = (0, -1000000, 0)
HID_LANDSCAPE_LEFT = (-1000000, 0, 0)


class Hub(Feed):
    """A sensor hub that honours its change sensitivity: it reports when an axis differs by more from the last report."""

    honours = True
    reported = None

    def scan(self):
        # In g, as the scale of the fixture is 9.807e-6.
        sensitivity = float(self.text("in_accel_hysteresis") or 0)
        new = [self.values[f"in_accel_{axis}"] * 1e-6 for axis in "xyz"]
        if self.honours and sensitivity > 0 and self.reported:
            if all(abs(a - b) <= sensitivity for a, b in zip(new, self.reported)):
                return b""
        self.reported = new
        return super().scan()


class Rest(RigTestCase):
    def hub(self, **options):
        self.rig.add_fixture("buffered-trigger")
        return Hub(self.rig, HID, HID_PORTRAIT, **options)

    def level_is(self, level):
        return wait_until(lambda: self.client.sensor()["SensingLevel"] == level, f"the level is {level}")

    def sensitivity(self):
        # A mocked attribute that is being written may be read empty.
        return float(self.rig.read("in_accel_hysteresis", HID) or -1)

    def test_hub_reports_changes_only_at_rest_and_streams_in_motion(self):
        hub = self.hub()
        self.rig.write("in_accel_hysteresis", "0.100000", HID)
        daemon = self.rig.start_orientd()
        self.client.claim()
        self.assertEqual((self.client.sensor()["SensingLevel"], self.sensitivity()), ("stream", 0))
        self.level_is("watch")
        wait_until(lambda: self.sensitivity() == 0.03, "the hub is asked for changes")
        hub.turn(HID_LANDSCAPE_LEFT)
        self.assert_orientation("landscape-left")
        self.level_is("watch")
        wait_until(lambda: self.sensitivity() == 0.03, "the hub is asked for changes again")
        self.client.release()
        wait_until(lambda: self.sensitivity() == 0.1, "the sensitivity is put back")
        self.assertEqual(daemon.log_lines("warning: accel_3d"), [])

    def test_slow_turn_from_rest_is_seen(self):
        hub = self.hub()
        self.rig.start_orientd()
        self.client.claim()
        self.level_is("watch")
        wait_until(lambda: self.sensitivity() == 0.03, "the hub is asked for changes")
        for step in range(1, 4):
            hub.turn((step * -16000, -1000000, 0))
            self.client.round_trip()
        self.level_is("stream")

    def test_hub_that_ignores_its_sensitivity_is_read_by_timer(self):
        hub = self.hub()
        hub.honours = False
        self.rig.start_orientd()
        self.client.claim()
        self.level_is("watch")
        wait_until(lambda: int(self.rig.read("buffer/length", HID) or 0) > 8, "the buffer is long enough")
        wait_until(lambda: self.sensitivity() == 0, "the sensitivity is 0 again")
        hub.turn(HID_LANDSCAPE_LEFT)
        self.assert_orientation("landscape-left")
        self.assertTrue(hub.is_enabled())

    def test_crash_at_rest_leaves_nothing_behind(self):
        hub = self.hub()
        self.rig.write("in_accel_hysteresis", "0.100000", HID)
        folder = self.rig.directory / "run"
        folder.mkdir()
        environment = {"RUNTIME_DIRECTORY": str(folder)}
        daemon = self.rig.start_orientd(environment=environment)
        self.client.claim()
        wait_until(lambda: self.sensitivity() == 0.03, "the hub is asked for changes")
        daemon.kill()
        self.assertEqual(self.sensitivity(), 0.03)
        # It may have been replacing the file.
        self.assertIn("iio:device0.settings", os.listdir(folder))
        self.rig.start_orientd(environment=environment)
        wait_until(lambda: self.sensitivity() == 0.1, "the sensitivity is put back")
        wait_until(lambda: float(self.rig.read("in_accel_sampling_frequency", HID) or 0) == 10, "and the rate")
        wait_until(lambda: os.listdir(folder) == [], "nothing is left to put back")
        self.assertFalse(hub.is_enabled())

    def test_sensitivity_is_set_although_it_cannot_be_kept(self):
        hub = self.hub()
        self.rig.write("in_accel_hysteresis", "0.100000", HID)
        folder = self.rig.directory / "run"
        folder.write_text("no folder")
        daemon = self.rig.start_orientd(environment={"RUNTIME_DIRECTORY": str(folder)})
        self.client.claim()
        daemon.wait_for_log("warning: accel_3d: cannot replace .*; a crash would leave the sensor's settings changed")
        self.assertEqual(self.sensitivity(), 0)
        self.level_is("watch")
        wait_until(lambda: self.sensitivity() == 0.03, "the hub is asked for changes")
        # A lean of 5° is less than the sensitivity that was found.
        hub.turn((-85000, -1000000, 0))
        wait_until(lambda: abs(self.client.get("Gravity")[0] + 0.085) < 0.001, "the lean is seen")
        self.client.release()
        wait_until(lambda: self.sensitivity() == 0.1, "the sensitivity is put back")

    def test_polled_sensor_rests_and_moves(self):
        self.rig.add_device(accelerometer())
        self.rig.start_orientd()
        self.client.claim()
        self.level_is("watch")
        self.rig.turn(LANDSCAPE_LEFT)
        self.assert_orientation("landscape-left")
        self.level_is("watch")
        result = self.rig.orientctl("sensors")
        self.assertIn("sampling (watch)", result.stdout)

    def test_responsive_never_rests(self):
        self.rig.add_device(accelerometer())
        daemon = self.rig.start_orientd(
            f"--record={self.rig.directory}/trace", configuration="[Sensor]\nPower=responsive\nRate=100\n"
        )
        self.client.claim()
        trace = self.rig.directory / "trace"
        wait_until(lambda: trace.read_text().count("\n") > 300, "three seconds were recorded")
        self.assertNotIn("level", trace.read_text())
        self.assertEqual(self.client.sensor()["SensingLevel"], "stream")
        daemon.stop()

    def test_recording_has_the_levels(self):
        self.rig.add_device(accelerometer())
        trace = self.rig.directory / "trace"
        daemon = self.rig.start_orientd(f"--record={trace}")
        self.client.claim()
        self.level_is("watch")
        self.rig.turn(LANDSCAPE_LEFT)
        self.assert_orientation("landscape-left")
        daemon.stop()
        self.assertRegex(trace.read_text(), r"(?s)level,role=display,level=watch.*level,role=display,level=stream")
        result = self.rig.orientctl("replay", "--all", str(trace))
        self.assertIn("DeviceOrientation=landscape-left", result.stdout)

