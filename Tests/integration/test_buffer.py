# SPDX-License-Identifier: Apache-2.0
"""Buffered sensors: scan formats, switching on and off, and what to do when no scan comes."""

import ctypes
import errno
import os
import platform
import struct

from feed import Feed
from rig import DEVICE, LANDSCAPE_LEFT, LIBC, MINUS_Z, PORTRAIT, RigTestCase, accelerometer, wait_until

HID = "/sys/devices/platform/test-hid/HID-SENSOR-200073/iio:device0"
HID_PORTRAIT = (0, -1000000, 0)
HID_LANDSCAPE_LEFT = (-1000000, 0, 0)

OPEN_AT = {"x86_64": 257, "aarch64": 56}


def buffered(scan_type, attributes=None):
    """Returns a device like the HID one with another scan type, scale 0.009807."""
    values = {
        "buffer/enable": "0",
        "buffer/length": "2",
        "buffer/watermark": "1",
        "buffer/data_available": "0",
        "trigger/current_trigger": "",
    }
    for index, axis in enumerate("xyz"):
        values[f"scan_elements/in_accel_{axis}_en"] = "0"
        values[f"scan_elements/in_accel_{axis}_index"] = str(index)
        values[f"scan_elements/in_accel_{axis}_type"] = scan_type
    values.update(attributes or {})
    return accelerometer(attributes=values, node=True)


def refuse_opening_the_node():
    """Makes open(…, O_RDWR | O_CLOEXEC | O_NONBLOCK), as a device node is opened, answer EBUSY (seccomp)."""
    pr_set_no_new_privileges, pr_set_seccomp, seccomp_mode_filter = 38, 22, 2
    load, jump_if_equal, give_back = 0x20, 0x15, 0x06  # classic BPF: LD W ABS, JMP JEQ K, RET K
    allow, fail = 0x7FFF0000, 0x00050000 | errno.EBUSY
    number_offset, third_argument_offset = 0, 16 + 2 * 8  # of struct seccomp_data
    instructions = [
        (load, 0, 0, number_offset),
        (jump_if_equal, 0, 3, OPEN_AT[platform.machine()]),
        (load, 0, 0, third_argument_offset),
        (jump_if_equal, 0, 1, os.O_RDWR | os.O_CLOEXEC | os.O_NONBLOCK),
        (give_back, 0, 0, fail),
        (give_back, 0, 0, allow),
    ]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *one) for one in instructions))
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(instructions), ctypes.addressof(code)))
    LIBC.prctl(pr_set_no_new_privileges, 1, 0, 0, 0)
    LIBC.prctl(pr_set_seccomp, seccomp_mode_filter, program)


class Buffer(RigTestCase):
    def test_hid_sensor_is_followed_through_its_buffer(self):
        self.rig.add_fixture("buffered-trigger")
        feed = Feed(self.rig, HID, HID_PORTRAIT)
        self.rig.start_orientd()
        self.client.claim()
        self.assertEqual(self.client.get("DeviceOrientation"), "portrait")
        self.assertEqual(self.client.sensor()["Mode"], "buffer")
        self.assertTrue(feed.is_enabled())
        self.assertEqual(self.rig.read("trigger/current_trigger", HID), "accel_3d-dev0")
        feed.turn(HID_LANDSCAPE_LEFT)
        self.assert_orientation("landscape-left")
        feed.turn((0, 0, -1000000))
        self.client.wait_for("FaceOrientation", "face-up")

    # Another program had asked to be woken for 64 scans at a time, and the screen turned seconds later.
    def test_watermark_of_another_program_does_not_delay_scans(self):
        self.rig.add_device(buffered("le:s16/16>>0", {"buffer/watermark": "64"}))
        Feed(self.rig, DEVICE, (0, -1000, 0))
        self.rig.start_orientd()
        self.client.claim()
        self.assertEqual(self.client.sensor()["Mode"], "buffer")
        self.assertEqual(self.rig.read("buffer/watermark", DEVICE), "1")

    def test_matrix_that_udev_changes_counts_at_once(self):
        self.rig.add_fixture("buffered-trigger")
        feed = Feed(self.rig, HID, HID_PORTRAIT)
        daemon = self.rig.start_orientd("--verbose")
        self.client.claim()
        self.rig.testbed.set_property(HID, "ACCEL_MOUNT_MATRIX", "-1, 0, 0; 0, -1, 0; 0, 0, 1")
        self.rig.testbed.uevent(HID, "change")
        self.client.wait_for("DeviceOrientation", "portrait-upside-down")
        self.assertEqual(self.client.sensor()["Mode"], "buffer")
        self.assertTrue(feed.is_enabled())
        self.assertEqual(daemon.log_lines("polling|warning: accel_3d"), [])

    def test_last_release_switches_off_and_restores_the_rate(self):
        self.rig.add_fixture("buffered-trigger")
        feed = Feed(self.rig, HID, HID_PORTRAIT)
        self.rig.start_orientd()
        before = self.rig.read("in_accel_sampling_frequency", HID)
        self.assertEqual(float(before), 10)
        other = self.rig.connect()
        self.client.claim()
        other.claim()
        self.assertEqual(float(self.rig.read("in_accel_sampling_frequency", HID)), 15)
        self.client.release()
        self.client.wait_for("Claims", 1)
        self.assertTrue(feed.is_enabled())
        other.release()
        wait_until(lambda: not feed.is_enabled(), "the buffer is off")
        # A mocked attribute that is being written may be read empty.
        wait_until(lambda: float(self.rig.read("in_accel_sampling_frequency", HID) or 0) == 10, "the rate is restored")
        self.client.wait_for("SensorState", "idle")
        self.client.claim()
        wait_until(feed.is_enabled, "the buffer is on again")

    def test_device_that_udev_announces_again_keeps_its_rates(self):
        # The old source was closed after the new one had opened, and left the device at the rate that it had found.
        for is_buffered in (True, False):
            with self.case(is_buffered=is_buffered):
                self.rig.add_fixture("buffered-trigger")
                feed = Feed(self.rig, HID, HID_PORTRAIT)
                if not is_buffered:
                    self.rig.path("/dev/iio:device0").unlink()
                daemon = self.rig.start_orientd("--verbose")
                self.client.claim()
                for number in (2, 3):
                    self.rig.testbed.uevent(HID, "add")
                    wait_until(lambda: len(daemon.log_lines("sampling by")) == number, "it is opened again")
                    self.assertEqual(float(self.rig.read("in_accel_sampling_frequency", HID)), 15)
                    self.assertEqual(self.client.get("SensorState"), "sampling")
                self.client.release()
                wait_until(lambda: not feed.is_enabled(), "the buffer is off")
                wait_until(lambda: float(self.rig.read("in_accel_sampling_frequency", HID) or 0) == 10, "the old rate")
                daemon.stop()
                self.assertEqual(float(self.rig.read("in_accel_sampling_frequency", HID)), 10)

    # It was lowered to 25 Hz for the game that had set it, and what a game set later was overwritten at the end.
    def test_rate_of_another_program_is_neither_lowered_nor_overwritten(self):
        rate = "in_accel_sampling_frequency"
        attributes = {rate: "400", rate + "_available": "12.5 25 400 1600", "in_accel_hysteresis": "0.5"}
        for later in ("400", "1600"):
            with self.case(later=later):
                self.rig.add_device(buffered("le:s16/16>>0", attributes))
                feed = Feed(self.rig, DEVICE, PORTRAIT)
                self.rig.start_orientd()
                self.client.claim()
                self.assertEqual((self.rig.read(rate), float(self.rig.read("in_accel_hysteresis"))), ("400", 0))
                self.rig.write(rate, later)
                self.client.release()
                wait_until(lambda: not feed.is_enabled(), "the buffer is off")
                self.client.wait_for("SensorState", "idle")
                wait_until(lambda: self.rig.read("in_accel_hysteresis") == "0.5", "the sensitivity is restored")
                self.assertEqual(self.rig.read(rate), later)

    def test_sensitivity_that_another_program_sets_meanwhile_stays(self):
        self.rig.add_device(buffered("le:s16/16>>0", {"in_accel_hysteresis": "0.5"}))
        feed = Feed(self.rig, DEVICE, PORTRAIT)
        self.rig.start_orientd()
        self.client.claim()
        self.rig.write("in_accel_hysteresis", "0.25")
        self.client.release()
        wait_until(lambda: not feed.is_enabled(), "the buffer is off")
        self.client.wait_for("SensorState", "idle")
        self.assertEqual(self.rig.read("in_accel_hysteresis"), "0.25")

    def test_stopping_the_daemon_switches_off(self):
        self.rig.add_fixture("buffered-trigger")
        feed = Feed(self.rig, HID, HID_PORTRAIT)
        daemon = self.rig.start_orientd()
        self.client.claim()
        self.assertTrue(feed.is_enabled())
        daemon.stop()
        self.assertFalse(feed.is_enabled())

    def test_scan_formats(self):
        # Unsigned ones count from the middle of their range, by the offset.
        formats = [
            ("le:s32/32>>0", 0),
            ("le:s16/32>>0", 0),
            ("be:s16/16>>0", 0),
            ("le:s12/16>>4", 0),
            ("be:u12/16>>4", 2048),
            ("le:u16/16>>0", 32768),
            ("be:s24/32>>8", 0),
            ("le:s64/64>>0", 0),
            ("be:u64/64>>0", 32768),
            ("le:s16/16X2>>0", 0),
        ]
        for scan_type, middle in formats:
            with self.case(scan_type):
                self.rig.add_device(buffered(scan_type, {"in_accel_offset": str(-middle)}))
                feed = Feed(self.rig, DEVICE, [value + middle for value in PORTRAIT], stray=True)
                self.rig.start_orientd()
                self.client.claim()
                self.assertEqual(self.client.sensor()["Mode"], "buffer")
                self.assertEqual(self.client.get("DeviceOrientation"), "portrait")
                feed.turn([value + middle for value in LANDSCAPE_LEFT])
                self.assert_orientation("landscape-left")

    def test_eight_bits(self):
        # 8 bits hold 1 g only with a coarser scale: 100 * 0.09807 = 9.807.
        self.rig.add_device(buffered("le:s8/8>>0", {"in_accel_scale": "0.09807"}))
        Feed(self.rig, DEVICE, (0, -100, 0))
        self.rig.start_orientd()
        self.client.claim()
        self.assertEqual(self.client.sensor()["Mode"], "buffer")
        self.assertEqual(self.client.get("DeviceOrientation"), "portrait")

    def test_timestamp_channel_keeps_the_axes_in_place(self):
        timestamp = {
            "scan_elements/in_timestamp_en": "1",
            "scan_elements/in_timestamp_index": "3",
            "scan_elements/in_timestamp_type": "le:s64/64>>0",
        }
        self.rig.add_device(buffered("le:s16/16>>0", timestamp))
        feed = Feed(self.rig, DEVICE, PORTRAIT)
        self.rig.start_orientd()
        self.client.claim()
        self.assertEqual(self.client.get("DeviceOrientation"), "portrait")
        feed.turn(LANDSCAPE_LEFT)
        self.assert_orientation("landscape-left")


class NoScans(RigTestCase):
    def test_scans_that_end(self):
        # It stayed sampling, without an error and with the old orientation, for as long as it was watched.
        self.rig.add_device(buffered("le:s16/16>>0"))
        feed = Feed(self.rig, DEVICE, PORTRAIT)
        daemon = self.rig.start_orientd(configuration="[Sensor]\nPower=responsive\n")
        self.client.claim()
        self.assert_orientation("portrait")
        feed.muted = True
        self.rig.turn(LANDSCAPE_LEFT)
        self.assert_orientation("landscape-left")
        self.client.wait_for_sensor("Mode", "poll")
        daemon.wait_for_log("no scan came")

    def test_silent_buffer_falls_back_to_polling(self):
        self.rig.add_device(buffered("le:s16/16>>0"))
        feed = Feed(self.rig, DEVICE, MINUS_Z, muted=True)
        daemon = self.rig.start_orientd()
        self.client.claim()
        self.assert_orientation("portrait")
        self.assertEqual(self.client.sensor()["Mode"], "poll")
        self.assertFalse(feed.is_enabled())
        self.assertTrue(daemon.log_lines("poll"), daemon.log())
        self.rig.turn(LANDSCAPE_LEFT)
        self.assert_orientation("landscape-left")

    def test_without_a_device_node_it_is_polled(self):
        self.rig.add_device(buffered("le:s16/16>>0"))
        self.rig.path("/dev/iio:device0").unlink()
        self.rig.start_orientd()
        self.client.claim()
        self.assertEqual(self.client.get("DeviceOrientation"), "portrait")
        self.assertEqual(self.client.sensor()["Mode"], "poll")

    def test_unknown_scan_format_falls_back_to_polling(self):
        for scan_type in ("le:x16/16>>0", "", "le:s0/0>>0", "le:s99/16>>0", "le:s16/16X0>>0"):
            with self.case(scan_type):
                self.rig.add_device(buffered(scan_type))
                self.rig.start_orientd()
                self.client.claim()
                self.assert_orientation("portrait")
                self.assertEqual(self.client.sensor()["Mode"], "poll")

    def test_bmc150_without_an_interrupt_is_polled(self):
        # Opening its buffer dereferences NULL in kernels before 3aa385a9c75c.
        parent = "P: /devices/platform/test\nE: SUBSYSTEM=i2c\nE: DRIVER=bmc150_accel_i2c\n\n"
        trigger = "P: {}/trigger0\nE: SUBSYSTEM=iio\nE: DEVTYPE=iio_trigger\nA: name={}\\n\n\n"
        for name, has_parent, trigger_name, mode in (
            ("test", True, None, "poll"),
            ("bma253", False, None, "poll"),
            ("test", True, "test-any-motion-dev0", "poll"),
            ("test", True, "test-dev0", "buffer"),
            ("test", False, None, "buffer"),
        ):
            with self.case(name, has_parent=has_parent, trigger=trigger_name):
                if has_parent:
                    self.rig.add_device(parent)
                self.rig.add_device(buffered("le:s16/16>>0").replace("name=test", f"name={name}"))
                if trigger_name:
                    self.rig.add_device(trigger.format("/devices/platform/test", trigger_name))
                feed = Feed(self.rig, DEVICE, PORTRAIT)
                self.rig.start_orientd()
                self.client.claim()
                self.assertEqual(self.client.sensor()["Mode"], mode)
                self.assertEqual(feed.is_enabled(), mode == "buffer")

    def test_node_in_use_has_values_that_are_polled(self):
        self.rig.add_device(buffered("le:s16/16>>0"))
        Feed(self.rig, DEVICE, PORTRAIT)
        daemon = self.rig.start_orientd(before_exec=refuse_opening_the_node)
        self.client.claim()
        self.assert_orientation("portrait")
        self.assertEqual(self.client.sensor()["Mode"], "poll")
        self.assertRegex(daemon.log(), "iio:device0: Device or resource busy; polling instead")

    def test_node_in_use_keeps_the_scans_of_who_uses_it(self):
        # The buffer was stopped before the node was opened, and so was that of the program that had it open.
        self.rig.add_device(buffered("le:s16/16>>0", {"buffer/enable": "1", "scan_elements/in_accel_x_en": "1"}))
        feed = Feed(self.rig, DEVICE, PORTRAIT)
        self.rig.start_orientd(before_exec=refuse_opening_the_node)
        self.client.claim()
        self.assert_orientation("portrait")
        self.assertTrue(feed.is_enabled())

    def test_node_in_use_leaves_the_rate_as_it_was_found(self):
        # Each attempt asked for 15 Hz and left the device at that when the node could not be opened.
        self.rig.add_device(buffered("le:s16/16>>0", {"in_accel_sampling_frequency": "12.5"}))
        Feed(self.rig, DEVICE, PORTRAIT)
        self.rig.start_orientd(before_exec=refuse_opening_the_node)
        self.client.claim()
        self.assert_orientation("portrait")
        self.client.release()
        wait_until(lambda: self.rig.read("in_accel_sampling_frequency") == "12.5", "the rate is restored")

    def test_scans_that_stop_and_come_again(self):
        self.rig.add_device(buffered("le:s16/16>>0"))
        feed = Feed(self.rig, DEVICE, PORTRAIT)
        self.rig.start_orientd()
        self.client.claim()
        feed.muted = True
        self.assert_bus_answers()
        self.assertEqual(self.client.get("DeviceOrientation"), "portrait")
        feed.turn(LANDSCAPE_LEFT)
        feed.muted = False
        self.assert_orientation("landscape-left")
