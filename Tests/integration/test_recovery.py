# SPDX-License-Identifier: Apache-2.0
"""Sensors that go, fail, hang and come back: nothing is forgotten and the bus stays answered."""

import json
import os
import pathlib
import time

from feed import Feed, ReadCounter
from rig import (
    DEVICE,
    LANDSCAPE_LEFT,
    LANDSCAPE_RIGHT,
    OBJECT_MANAGER,
    PORTRAIT,
    SENSOR,
    UPSIDE_DOWN,
    RigTestCase,
    accelerometer,
    wait_until,
)
from test_buffer import buffered


class Unplugging(RigTestCase):
    def test_claims_and_orientation_stay_and_reading_resumes(self):
        self.rig.add_device(accelerometer())
        self.rig.start_orientd()
        self.client.claim()
        self.rig.turn(LANDSCAPE_LEFT)
        self.assert_orientation("landscape-left")
        changes = self.client.record_changes()
        self.rig.remove_device()
        self.client.wait_for("SensorState", "lost")
        self.assertEqual(self.client.get("DeviceOrientation"), "landscape-left")
        self.assertEqual(self.client.get("Claims"), 1)
        self.rig.add_device(accelerometer(raw=UPSIDE_DOWN))
        self.assert_orientation("portrait-upside-down")
        self.client.wait_for("SensorState", "sampling")
        self.assertTrue(self.client.get("HasAccelerometer"))
        self.assertEqual(self.client.get("Claims"), 1)
        states = [change.changed["SensorState"] for change in changes if "SensorState" in change.changed]
        self.assertEqual(states, ["lost", "sampling"])
        told = {value for change in changes for name, value in change.changed.items() if name == "DeviceOrientation"}
        self.assertEqual(told, {"portrait-upside-down"})

    def test_buffered_sensor_comes_back(self):
        # Without an N: line umockdev takes the device away and back; the FIFO stands for the node all the time.
        description = "".join(
            line for line in buffered("le:s16/16>>0").splitlines(keepends=True) if not line.startswith("N:")
        )
        self.rig.add_device(description)
        feed = Feed(self.rig, DEVICE, PORTRAIT)
        self.rig.start_orientd()
        self.client.claim()
        self.client.wait_for_sensor("Mode", "buffer")
        self.rig.remove_device()
        self.client.wait_for("SensorState", "lost")
        self.assert_bus_answers()
        feed.turn(LANDSCAPE_RIGHT)
        self.rig.add_device(description)
        self.assert_orientation("landscape-right")
        self.assertEqual(self.client.get("Claims"), 1)

    def test_unclaimed_sensor_comes_back_idle(self):
        self.rig.add_device(accelerometer())
        self.rig.start_orientd()
        self.assertEqual(self.client.get("SensorState"), "idle")
        self.rig.remove_device()
        wait_until(lambda: self.client.get("SensorState") != "idle", "the loss is noticed")
        self.rig.add_device(accelerometer())
        self.client.wait_for("SensorState", "idle")
        self.client.claim()
        self.assertEqual(self.client.get("DeviceOrientation"), "portrait")

    def test_one_that_comes_back_at_another_path(self):
        path = self.rig.directory / "moved.trace"
        self.rig.add_device(accelerometer())
        daemon = self.rig.start_orientd("--record", path)
        self.client.claim()
        self.assert_orientation("portrait")
        self.rig.remove_device()
        self.client.wait_for("SensorState", "lost")
        other = DEVICE.replace("device0", "device1")
        self.rig.add_device(accelerometer(raw=LANDSCAPE_LEFT, index=1))
        self.assert_orientation("landscape-left")
        (sensor,) = self.client.sensors().values()
        self.assertEqual((sensor["SysfsPath"], sensor["State"]), (other, "sampling"))
        self.rig.turn(LANDSCAPE_RIGHT, other)
        self.assert_orientation("landscape-right")
        daemon.stop()
        replay = self.rig.orientctl("replay", "--devices", "--json", path).stdout
        changes = [json.loads(line) for line in replay.splitlines()]
        self.assertEqual([each["SysfsPath"] for each in changes if "SysfsPath" in each], [DEVICE, other])
        self.assertEqual([each["State"] for each in changes if "State" in each][-2:], ["lost", "sampling"])

    def test_one_whose_opening_hangs(self):
        # It stayed lost until orientd was restarted, even when it was plugged in again.
        description = accelerometer(attributes={"sampling_frequency": 50})
        self.rig.add_device(description)
        self.rig.start_orientd()
        wait_until(lambda: self.client.get("SensorState") == "idle", "the sensor is found")
        self.rig.block("sampling_frequency")
        writer = os.open(self.rig.path(DEVICE, "sampling_frequency"), os.O_RDWR)
        self.client.claim()
        self.client.wait_for("SensorState", "lost")
        self.rig.remove_device()
        self.rig.add_device(description)
        self.client.wait_for("SensorState", "sampling")
        self.rig.turn(LANDSCAPE_LEFT)
        self.assert_orientation("landscape-left")
        os.close(writer)
        # The call that hung has returned, and leaves the device alone.
        self.rig.turn(LANDSCAPE_RIGHT)
        self.assert_orientation("landscape-right")
        self.client.release()
        # The state changes before the helper has restored the device.
        wait_until(lambda: self.rig.read("sampling_frequency") == "50", "the rate is restored")

    def test_one_that_is_plugged_in_while_the_opening_of_its_predecessor_hangs_is_left_alone(self):
        # Once the read returned, the new device's rate was set, and its buffer enabled.
        def description(rate):
            attributes = {"sampling_frequency": rate, "sampling_frequency_available": "10 20 50"}
            lines = buffered("le:s32/32>>0", attributes).splitlines(keepends=True)
            # Without an N: line the FIFO stands for the node all the time.
            return "".join(line for line in lines if not line.startswith("N:"))

        self.rig.add_device(description(10))
        Feed(self.rig, DEVICE, PORTRAIT)
        daemon = self.rig.start_orientd(configuration="[Sensor]\nRate=50\n")
        threads = pathlib.Path(f"/proc/{daemon.pid}/task")
        wait_until(lambda: len(list(threads.iterdir())) == 1, "the sensor is prepared")
        self.rig.block("sampling_frequency_available")
        pipe = os.open(self.rig.path(DEVICE, "sampling_frequency_available"), os.O_RDWR)
        self.client.claim()
        self.client.wait_for("SensorState", "lost")
        self.client.release()
        self.rig.remove_device()
        self.rig.add_device(description(20))
        self.client.wait_for("SensorState", "idle")
        os.write(pipe, b"10 20 50\n")
        wait_until(lambda: len(list(threads.iterdir())) == 1, "the call that hung has returned")
        os.close(pipe)
        self.assertEqual(self.rig.read("sampling_frequency"), "20")
        self.assertEqual(self.rig.read("buffer/enable"), "0")
        self.assertEqual(self.rig.read("buffer/length"), "2")

    def test_one_that_failed_is_restored_before_the_end_although_another_has_taken_its_place(self):
        # The daemon ended while the restoring was under way.
        self.rig.add_device(accelerometer(attributes={"sampling_frequency": 12}))
        daemon = self.rig.start_orientd()
        self.client.claim()
        self.assertEqual(self.rig.read("sampling_frequency"), "15")
        self.rig.block("sampling_frequency")
        pipe = os.open(self.rig.path(DEVICE, "sampling_frequency"), os.O_RDWR)
        self.rig.path(DEVICE, "in_accel_x_raw").unlink()
        self.client.wait_for("SensorState", "lost")
        self.rig.add_device(accelerometer(index=1))
        self.client.wait_for("SensorState", "sampling")
        daemon.process.terminate()
        wait_until(lambda: "STOPPING=1" in daemon.notifications, "orientd ends")
        self.assert_bus_answers()
        # Restored is only what still reads as orientd has written it.
        os.write(pipe, b"15\n")
        self.assertEqual(daemon.wait_for_end(), 0)
        self.assertEqual(os.read(pipe, 64), b"12\n")
        os.close(pipe)

    def test_many_times(self):
        self.rig.add_device(accelerometer())
        self.rig.start_orientd()
        self.client.claim()
        for _ in range(5):
            self.rig.remove_device()
            self.rig.add_device(accelerometer())
        self.rig.turn(LANDSCAPE_LEFT)
        self.assert_orientation("landscape-left")
        self.assertEqual(self.client.get("SensorState"), "sampling")

    def test_object_of_a_sensor_unplugged_long_ago_is_removed(self):
        self.rig.start_orientd()
        removed = self.client.record_signals(OBJECT_MANAGER, "InterfacesRemoved")
        for number in range(10):
            self.rig.add_device(accelerometer(name=f"test{number}"))
            self.client.wait_for("SensorState", "idle")
            self.rig.remove_device()
            self.client.wait_for("SensorState", "lost")
        wait_until(lambda: removed, "an object is removed")
        ((path, interfaces),) = removed
        self.assertEqual(path, "/org/orientd1/sensor/0")
        self.assertIn(SENSOR, interfaces)
        names = [found["Name"] for found in self.client.sensors().values()]
        self.assertEqual(sorted(names), [f"test{number}" for number in range(1, 10)])

    def test_display_sensor_found_beside_a_base_sensor_later(self):
        self.rig.add_device(accelerometer(raw=LANDSCAPE_LEFT, attributes={"location": "base"}))
        self.rig.start_orientd()
        self.client.claim()
        self.assertFalse(self.client.get("HasAccelerometer"))
        self.rig.add_device(accelerometer(index=1, attributes={"location": "lid"}))
        self.assert_orientation("portrait")
        self.assertTrue(self.client.get("HasAccelerometer"))


class ReadErrors(RigTestCase):
    def lose_sensor(self, break_attribute, *arguments):
        """Breaks an attribute of a sensor in use and checks what the bus shows."""
        self.rig.add_device(accelerometer())
        daemon = self.rig.start_orientd(*arguments)
        self.client.claim()
        break_attribute(self.rig.path(DEVICE, "in_accel_y_raw"))
        self.client.wait_for("SensorState", "lost")
        self.assertIn("in_accel_y_raw", self.client.sensor()["LastError"])
        self.assertEqual(self.client.get("DeviceOrientation"), "portrait")
        self.assertEqual(self.client.get("Claims"), 1)
        return daemon

    def mend(self):
        self.rig.turn(LANDSCAPE_LEFT)
        self.client.wait_for("SensorState", "sampling")
        self.assert_orientation("landscape-left")
        self.assertEqual(self.client.sensor()["LastError"], "")

    def test_attribute_that_goes_and_comes_back(self):
        self.lose_sensor(lambda path: path.unlink())
        self.mend()

    def test_attribute_that_cannot_be_read(self):
        def replace_by_folder(path):
            path.unlink()
            path.mkdir()

        self.lose_sensor(replace_by_folder)
        self.rig.path(DEVICE, "in_accel_y_raw").rmdir()
        self.mend()

    def test_attribute_that_is_empty(self):
        self.lose_sensor(lambda path: path.write_text(""))
        self.mend()

    def test_sensor_stays_lost_until_a_sample_comes(self):
        # Every attempt made it sampling, without an error, and lost again at once.
        self.rig.add_device(accelerometer())
        counter = ReadCounter(self.rig, "in_accel_x_raw")
        self.rig.start_orientd()
        self.client.claim()
        self.rig.write("in_accel_x_raw", "garbage")
        self.client.wait_for("SensorState", "lost")
        changes = self.client.record_changes()
        before = counter.reads()
        wait_until(lambda: counter.reads() > before + 1, "two more attempts")
        self.assertEqual([change for change in changes if "SensorState" in change.changed], [])
        self.assertIn("in_accel_x_raw", self.client.sensor()["LastError"])
        self.rig.write("in_accel_x_raw", 0)
        self.client.wait_for("SensorState", "sampling")
        self.assertEqual(self.client.sensor()["LastError"], "")

    def test_single_failed_reads_are_skipped(self):
        # Each made the sensor lost for a while, and the back-off grew to 30 s.
        self.rig.add_device(accelerometer())
        counter = ReadCounter(self.rig, "in_accel_x_raw")
        self.rig.start_orientd()
        self.client.claim()
        changes = self.client.record_changes()
        for _ in range(10):
            before = counter.reads()
            self.rig.write("in_accel_x_raw", "garbage")
            wait_until(lambda: counter.reads() > before, "a read fails")
            self.rig.write("in_accel_x_raw", 0)
            before = counter.reads()
            wait_until(lambda: counter.reads() > before, "a read succeeds")
        self.assertEqual([change for change in changes if "SensorState" in change.changed], [])
        self.rig.turn(LANDSCAPE_LEFT)
        self.assert_orientation("landscape-left")

    def test_failing_reads_are_retried_with_back_off_and_logged_once(self):
        daemon = self.lose_sensor(lambda path: path.write_text(""), "--verbose")
        tries = []
        for number in (2, 3, 4):
            wait_until(lambda: len(daemon.log_lines("looking for sensors")) >= number, "it is tried again")
            tries.append(time.monotonic())
        self.assertGreater(tries[2] - tries[1], 1.2 * (tries[1] - tries[0]))
        self.assert_bus_answers()
        self.assertEqual(len(daemon.log_lines("in_accel_y_raw")), 1, daemon.log())
        self.mend()


class Blocking(RigTestCase):
    def test_bus_answers_while_a_read_hangs(self):
        self.rig.add_device(accelerometer())
        self.rig.start_orientd()
        self.client.claim()
        self.rig.block("in_accel_x_raw")
        counter = ReadCounter(self.rig, "in_accel_y_raw")
        with self.assertRaises(AssertionError, msg="reading goes on"):
            wait_until(lambda: counter.reads() > 3, "reads of y", timeout=0.5)
        self.assert_bus_answers()
        self.assertEqual(self.client.get("DeviceOrientation"), "portrait")
        other = self.rig.connect()
        other.claim()
        self.assertEqual(self.client.get("Claims"), 2)
        self.rig.unblock("in_accel_x_raw", 0)
        self.rig.turn(LANDSCAPE_LEFT)
        self.assert_orientation("landscape-left")

    def test_sigterm_ends_it_within_a_second_while_a_read_hangs(self):
        self.rig.add_device(accelerometer())
        daemon = self.rig.start_orientd()
        self.rig.block("in_accel_x_raw")
        self.client.start_call("Claim")
        self.client.wait_for("Claims", 1)
        self.assertLess(daemon.stop(), 1)
        self.assertEqual(daemon.process.returncode, 0)

    def test_release_and_unplugging_while_a_read_hangs(self):
        self.rig.add_device(accelerometer())
        self.rig.start_orientd()
        self.rig.block("in_accel_x_raw")
        self.client.start_call("Claim")
        self.client.wait_for("Claims", 1)
        self.client.release()
        self.assert_bus_answers()
        self.rig.unblock("in_accel_x_raw", 0)
        self.rig.remove_device()
        self.rig.add_device(accelerometer(raw=LANDSCAPE_LEFT))
        self.client.wait_for("SensorState", "idle")
        self.client.claim()
        self.assert_orientation("landscape-left")


class Stuck(RigTestCase):
    def test_a_sensor_with_noise_that_stops_changing_is_started_anew(self):
        self.rig.add_device(buffered("le:s32/32>>0"))
        feed = Feed(self.rig, DEVICE, PORTRAIT, noise=1)
        daemon = self.rig.start_orientd("--verbose")
        self.client.claim()
        wait_until(lambda: feed.scans > 150, "three seconds of noise")
        feed.noise = 0
        self.client.wait_for_sensor("LastError", "stuck: the very same reading for 10 s", timeout=20)
        self.assertEqual(len(daemon.log_lines("test: stuck: the very same reading for 10 s; starting it anew")), 1)
        wait_until(lambda: len(daemon.log_lines("sampling by buffer")) == 2, "the buffer is started anew")
        self.assertEqual(self.client.get("DeviceOrientation"), "portrait")
        feed.turn(LANDSCAPE_LEFT)
        self.client.wait_for("DeviceOrientation", "landscape-left")
        self.assertEqual(self.client.sensor()["LastError"], "")
        self.assertEqual(len(daemon.log_lines("test: no longer stuck")), 1)
