# SPDX-License-Identifier: Apache-2.0
"""From a polled sensor's attributes to an orientation: offset, scale, matrix, frames, location.

Each expected orientation is worked out by hand: acceleration = M * ((raw + offset) * scale) in the desktop convention,
where upright is (0, -9.81, 0) and right edge up, landscape-left, is (-9.81, 0, 0).
"""

import contextlib
import os
import pathlib

from feed import Feed
from rig import (
    DEVICE,
    FACE_NONE,
    LANDSCAPE_LEFT,
    LANDSCAPE_RIGHT,
    MINUS_Z,
    PLUS_Z,
    PORTRAIT,
    RigTestCase,
    UPSIDE_DOWN,
    accelerometer,
    wait_until,
)

IDENTITY = [1, 0, 0, 0, 1, 0, 0, 0, 1]


class ReadingTestCase(RigTestCase):
    def claim_with(self, *arguments, **options):
        """Starts orientd and claims: its first answer is there now."""
        daemon = self.rig.start_orientd(*arguments, **options)
        self.client.claim()
        return daemon

    def assert_gravity(self, expected):
        """Waits until the published gravity is as expected to 0.01 g."""

        def is_near():
            return all(abs(a - b) < 0.01 for a, b in zip(self.client.get("Gravity"), expected))

        wait_until(is_near, f"gravity is {expected}")


class Fixtures(ReadingTestCase):
    def test_offset_scale_and_udev_matrix(self):
        # (1014 + 10, -20 + 20, -5 + 5) * 0.009577 = (9.807, 0, 0); the matrix gives (0, -9.807, 0): upright.
        self.rig.add_fixture("polled-full")
        self.claim_with()
        self.assertEqual(self.client.get("DeviceOrientation"), "portrait")
        self.assertEqual(self.client.get("OutputTransform"), "normal")
        self.assert_gravity((0, -1, 0))
        sensor = self.client.sensor()
        self.assertEqual(sensor["Name"], "test-accel")
        self.assertEqual(sensor["Mode"], "poll")
        self.assertEqual(sensor["Location"], "display")
        self.assertEqual(sensor["MountMatrix"], [0, -1, 0, -1, 0, 0, 0, 0, 1])
        self.assertEqual(sensor["SysfsPath"], "/sys/devices/platform/test-i2c/i2c-1/1-0018/iio:device0")
        self.assertEqual(sensor["State"], "sampling")
        self.assertEqual(sensor["LastError"], "")

    def test_offset_counts_in_polled_mode(self):
        # (600 - 600, -400 - 624, 0) * 0.009577 = (0, -9.807, 0): upright. Without the offset: left edge up.
        self.rig.add_fixture("polled-offset")
        self.claim_with()
        self.assertEqual(self.client.get("DeviceOrientation"), "portrait")
        self.assert_gravity((0, -1, 0))

    def test_scale_of_each_axis_comes_before_the_matrix(self):
        # (-1000 * 0.009807, 300 * 0.001, 0) = (-9.807, 0.3, 0); the matrix (x, y) -> (-y, x) gives (-0.3, -9.807, 0):
        # upright. The matrix first would give (-300 * 0.009807, -1000 * 0.001) = (-2.9, -1): right edge up.
        self.rig.add_fixture("axis-scale")
        self.claim_with()
        self.assertEqual(self.client.get("DeviceOrientation"), "portrait")
        self.assert_gravity((-0.0306, -1, 0))

    def test_kernel_matrix_of_the_accel_channels(self):
        # (0, 16384, 0) * 0.000598 = (0, 9.798, 0); diag(1, -1, -1) gives (0, -9.798, 0): upright.
        self.rig.add_fixture("accel-mount-matrix")
        self.claim_with()
        self.assertEqual(self.client.get("DeviceOrientation"), "portrait")
        self.assertEqual(self.client.sensor()["MountMatrix"], [1, 0, 0, 0, -1, 0, 0, 0, -1])

    def test_display_sensor_drives_and_base_sensor_is_ignored(self):
        # The display reads (0, -9.798, 0): upright. The base lies flat, and then reads (-9.798, 0, 0).
        self.rig.add_fixture("base-display-pair")
        self.claim_with()
        self.assertEqual(self.client.get("DeviceOrientation"), "portrait")
        locations = {sensor["SysfsPath"]: sensor["Location"] for sensor in self.client.sensors().values()}
        base = "/sys/devices/platform/test-ec/base/iio:device0"
        lid = "/sys/devices/platform/test-ec/lid/iio:device1"
        self.assertEqual(locations[lid], "display")
        self.assertEqual(locations.get(base, "base"), "base")
        self.rig.turn((-16384, 0, 0), base)
        self.rig.turn((0, 16384, 0), lid)
        self.assert_orientation("portrait-upside-down")

    def test_base_sensor_alone_is_no_accelerometer(self):
        self.rig.add_device(accelerometer(attributes={"location": "base"}))
        self.claim_with()
        self.assertFalse(self.client.get("HasAccelerometer"))
        self.assertEqual(self.client.get("SensorState"), "none")
        self.assertEqual(self.client.get("DeviceOrientation"), "unknown")

    def test_without_a_scale_one_is_taken_with_a_warning(self):
        # (0, -10, 0) * 1: upright, at about 1 g.
        self.rig.add_fixture("no-scale")
        daemon = self.claim_with()
        self.assertEqual(self.client.get("DeviceOrientation"), "portrait")
        self.assertEqual(len(daemon.log_lines("iio:device0.*scale")), 1, daemon.log())

    def test_rate_under_10_hz_is_raised_at_discovery(self):
        # 5.2 Hz, of 3 6 12 25 50 100: the smallest of at least 10 is 12.
        self.rig.add_fixture("polled-full")
        device = "/sys/devices/platform/test-i2c/i2c-1/1-0018/iio:device0"
        self.rig.start_orientd()
        wait_until(lambda: self.rig.read("sampling_frequency", device) == "12", "the rate is raised")

    def test_claim_asks_for_15_hz_and_the_last_release_restores(self):
        self.rig.add_fixture("polled-full")
        device = "/sys/devices/platform/test-i2c/i2c-1/1-0018/iio:device0"
        self.claim_with()
        self.assertEqual(self.rig.read("sampling_frequency", device), "25")
        self.client.release()
        wait_until(lambda: self.rig.read("sampling_frequency", device) == "12", "the rate is restored")


class Sign(ReadingTestCase):
    # A hub gave 64497 for -1039, and the picture was upside down.
    def test_values_without_a_sign_have_that_of_the_scans(self):
        attributes = {}
        for index, axis in enumerate("xyz"):
            attributes[f"scan_elements/in_accel_{axis}_en"] = "0"
            attributes[f"scan_elements/in_accel_{axis}_index"] = str(index)
            attributes[f"scan_elements/in_accel_{axis}_type"] = "le:s16/32>>0"
        attributes.update({"buffer/enable": "0", "buffer/length": "2"})
        self.rig.add_device(accelerometer(scale="0.009807", raw=(62, 64497, 65369), attributes=attributes, node=True))
        # No scan ever comes.
        Feed(self.rig, DEVICE, (0, 0, 0), muted=True)
        daemon = self.claim_with()
        self.client.wait_for("DeviceOrientation", "portrait")
        self.assertEqual(self.client.sensor()["Mode"], "poll")
        self.assertEqual(daemon.log_lines("scale"), [])

    def test_values_that_no_device_could_bear_have_a_sign(self):
        for scale, raw, edge in (
            # 64497 would be 64 g.
            ("0.009807", (62, 64497, 65369), "portrait"),
            # 40000 is 1 g.
            ("0.000245", (0, 40000, 0), "portrait-upside-down"),
        ):
            with self.case(scale=scale):
                self.rig.add_device(accelerometer(scale=scale, raw=raw))
                self.claim_with()
                self.assertEqual(self.client.get("DeviceOrientation"), edge)


class Poses(ReadingTestCase):
    def test_all_edges_and_both_faces(self):
        self.rig.add_device(accelerometer())
        self.claim_with()
        edges = [
            (PORTRAIT, "portrait", "normal"),
            (LANDSCAPE_LEFT, "landscape-left", "270"),
            (UPSIDE_DOWN, "portrait-upside-down", "180"),
            (LANDSCAPE_RIGHT, "landscape-right", "90"),
            (UPSIDE_DOWN, "portrait-upside-down", "180"),
            (PORTRAIT, "portrait", "normal"),
        ]
        for raw, orientation, transform in edges:
            self.rig.turn(raw)
            self.assert_orientation(orientation)
            self.assertEqual(self.client.get("OutputTransform"), transform)
            self.assertEqual(self.client.get("FaceOrientation"), FACE_NONE)
        for raw, face in [(PLUS_Z, "face-up"), (MINUS_Z, "face-down")]:
            self.rig.turn(raw)
            self.client.wait_for("FaceOrientation", face)
            self.assertEqual(self.client.get("DeviceOrientation"), "portrait")
        self.rig.turn(LANDSCAPE_LEFT)
        self.assert_orientation("landscape-left")
        self.client.wait_for("FaceOrientation", FACE_NONE)

    def test_gravity_has_the_signs_of_core_motion(self):
        self.rig.add_device(accelerometer())
        self.claim_with()
        for raw, gravity in [
            (PORTRAIT, (0, -1, 0)),
            (LANDSCAPE_LEFT, (-1, 0, 0)),
            (PLUS_Z, (0, 0, -1)),
        ]:
            self.rig.turn(raw)
            self.assert_gravity(gravity)

    def test_flat_start_answers_the_face_and_no_edge(self):
        self.rig.add_device(accelerometer(raw=PLUS_Z))
        self.claim_with()
        self.assertEqual(self.client.get("FaceOrientation"), "face-up")
        self.assertEqual(self.client.get("DeviceOrientation"), "unknown")

    def test_hid_and_chromebook_sensors_read_minus_face_up(self):
        turned = {"ACCEL_MOUNT_MATRIX": "-1, 0, 0; 0, -1, 0; 0, 0, -1"}  # systemd's hwdb, for every Chromebook
        for name, raw, properties in (("accel_3d", MINUS_Z, {}), ("cros-ec-accel", PLUS_Z, turned)):
            with self.case(name):
                self.rig.add_device(accelerometer(name=name, raw=raw, properties=properties))
                self.claim_with()
                self.assertEqual(self.client.get("FaceOrientation"), "face-up")
                self.assertEqual(self.client.sensor()["FaceUp"], "-z")

    def test_natural_orientation_is_the_built_in_panels(self):
        # A panel wider than high: its own top up is called landscape-left, a quarter turn on is upside down.
        self.rig.add_device(
            "P: /devices/pci0000:00/0000:00:02.0/drm/card0/card0-eDP-1\n"
            "E: SUBSYSTEM=drm\nE: DEVTYPE=drm_connector\n"
            "A: status=connected\\n\nA: enabled=enabled\\n\nA: modes=1920x1200\\n1280x720\\n\n\n"
        )
        self.rig.add_device(accelerometer())
        self.claim_with()
        self.assertEqual(self.client.get("NaturalOrientation"), "landscape-left")
        self.assertEqual(self.client.get("DeviceOrientation"), "landscape-left")
        self.assertEqual(self.client.get("OutputTransform"), "normal")
        self.rig.turn(LANDSCAPE_LEFT)
        self.assert_orientation("portrait-upside-down")
        self.assertEqual(self.client.get("OutputTransform"), "270")

    def test_display_whose_driver_comes_late(self):
        # Its modes may be known only when it has a console.
        def text(modes):
            return f"P: /devices/card0/card0-eDP-1\nE: SUBSYSTEM=drm\nA: modes={modes}\n\n"

        console = "P: /devices/card0/graphics/fb0\nE: SUBSYSTEM=graphics\n\n"
        modes = "1920x1200\\n"
        for name in ("driver", "console"):
            with self.case(name):
                self.rig.add_device(accelerometer())
                self.rig.start_orientd()
                self.client.wait_for("HasAccelerometer", True)
                self.assertEqual(self.client.get("NaturalOrientation"), "portrait")
                self.rig.add_device(text(modes if name == "driver" else ""))
                if name != "driver":
                    self.rig.testbed.set_attribute("/sys/devices/card0/card0-eDP-1", "modes", "1920x1200\n")
                    self.rig.add_device(console)
                self.client.wait_for("NaturalOrientation", "landscape-left")
                self.client.wait_for("InterfaceOrientation", "landscape-right")
                self.assertEqual(self.client.get("OutputTransform"), "normal")

    def test_laptop_orientation_is_that_of_the_kernels_console(self):
        # Each row: fbcon/rotate, the orientation in laptop mode on a panel that is higher than wide, its transform.
        rows = (
            ("0", "portrait", "normal"),
            ("1", "landscape-right", "270"),
            ("2", "portrait-upside-down", "180"),
            ("3", "landscape-left", "90"),
        )
        for rotate, orientation, transform in rows:
            with self.case(rotate):
                self.rig.add_device(
                    f"P: /devices/virtual/graphics/fbcon\nE: SUBSYSTEM=graphics\nA: rotate={rotate}\\n\n"
                )
                self.rig.add_device(accelerometer())
                self.claim_with(configuration="[Orientation]\nAutorotate=tablet-mode\n")
                self.client.ask("SetTabletMode", "s", "laptop")
                self.client.wait_for("InterfaceOrientation", orientation)
                self.assertEqual(self.client.get("OutputTransform"), transform)


class Matrices(ReadingTestCase):
    # Both turn (9.807, 0, 0) into something upright and something else: left edge up stays so by the identity.
    UDEV = "0, -1, 0; -1, 0, 0; 0, 0, 1"
    KERNEL = "1, 0, 0; 0, 1, 0; 0, 0, 1"

    def test_udevs_matrix_comes_before_the_kernels(self):
        for attribute in ("in_accel_mount_matrix", "in_mount_matrix", "mount_matrix"):
            with self.case(attribute):
                self.rig.add_device(
                    accelerometer(
                        raw=(1000, 0, 0),
                        attributes={attribute: self.KERNEL},
                        properties={"ACCEL_MOUNT_MATRIX": self.UDEV},
                    )
                )
                self.claim_with()
                self.assertEqual(self.client.get("DeviceOrientation"), "portrait")

    def test_the_kernels_three_places(self):
        for attribute in ("in_accel_mount_matrix", "in_mount_matrix", "mount_matrix"):
            with self.case(attribute):
                self.rig.add_device(accelerometer(raw=(1000, 0, 0), attributes={attribute: self.UDEV}))
                self.claim_with()
                self.assertEqual(self.client.get("DeviceOrientation"), "portrait")

    def udev_changes(self, **properties):
        """Has udev say something else of the device, as after a new hwdb."""
        for key, value in properties.items():
            self.rig.testbed.set_property(DEVICE, key, value)
        self.rig.testbed.uevent(DEVICE, "change")

    def test_matrix_that_udev_changes_counts_at_once(self):
        for is_claimed in (False, True):
            with self.case(is_claimed):
                self.rig.add_device(accelerometer(raw=(1000, 0, 0)))
                daemon = self.claim_with()
                self.assertEqual(self.client.get("DeviceOrientation"), "landscape-right")
                if not is_claimed:
                    self.client.release()
                self.udev_changes(ACCEL_MOUNT_MATRIX=self.UDEV)
                self.client.wait_for_sensor("MountMatrix", [0, -1, 0, -1, 0, 0, 0, 0, 1])
                if not is_claimed:
                    self.client.claim()
                self.client.wait_for("DeviceOrientation", "portrait")
                self.assertEqual(self.client.sensor()["State"], "sampling")
                self.assertEqual(len(daemon.log_lines("mount matrix")), 1, daemon.log())
                self.assertEqual(daemon.log_lines("warning: test"), [])

    def test_matrix_that_udev_changes_before_a_device_that_is_announced_again_is_closed_counts(self):
        # The one before was used, while the new one was published.
        self.rig.add_device(accelerometer(raw=(1000, 0, 0), attributes={"sampling_frequency": 12}))
        daemon = self.claim_with()
        self.rig.block("sampling_frequency")
        path = str(self.rig.path(DEVICE, "sampling_frequency"))
        pipe = os.open(path, os.O_RDWR)
        self.rig.on_close(lambda: os.close(pipe))
        self.rig.testbed.uevent(DEVICE, "add")
        descriptors = pathlib.Path(f"/proc/{daemon.pid}/fd")

        def is_being_read():
            with contextlib.suppress(FileNotFoundError):  # another one is closed meanwhile
                return path in [str(each.readlink()) for each in descriptors.iterdir()]

        wait_until(is_being_read, "it is being closed")
        self.udev_changes(ACCEL_MOUNT_MATRIX=self.UDEV)
        self.client.wait_for_sensor("MountMatrix", [0, -1, 0, -1, 0, 0, 0, 0, 1])
        self.rig.unblock("sampling_frequency", 15)
        self.client.wait_for("DeviceOrientation", "portrait")

    def test_change_of_anything_else_leaves_the_sensor_alone(self):
        self.rig.add_device(accelerometer(properties={"ACCEL_MOUNT_MATRIX": self.KERNEL}))
        daemon = self.claim_with("--verbose")
        self.udev_changes(ACCEL_COLOUR="green")
        wait_until(lambda: len(daemon.log_lines("looking for sensors")) == 2, "it looks again")
        self.rig.turn(LANDSCAPE_LEFT)
        self.client.wait_for("DeviceOrientation", "landscape-left")
        self.assertEqual(len(daemon.log_lines("sampling by")), 1, daemon.log())

    def test_sensor_that_udev_places_elsewhere_counts_or_not(self):
        self.rig.add_device(accelerometer(attributes={"sampling_frequency": "12"}))
        self.claim_with()

        def is_there(location, state):
            sensors = self.client.sensors().values()
            return any((sensor["Location"], sensor["State"]) == (location, state) for sensor in sensors)

        self.udev_changes(ACCEL_LOCATION="base")
        wait_until(lambda: is_there("base", "idle"), "it is in the base")
        self.client.wait_for("HasAccelerometer", False)
        wait_until(lambda: float(self.rig.read("sampling_frequency") or 0) == 12, "the rate is restored")
        for location, raw, held in (
            ("display", LANDSCAPE_LEFT, "landscape-left"),
            ("neither", LANDSCAPE_RIGHT, "landscape-right"),
        ):
            self.udev_changes(ACCEL_LOCATION=location)
            wait_until(lambda: is_there(location.replace("neither", "unknown"), "sampling"), "it is read")
            self.rig.turn(raw)
            self.client.wait_for("DeviceOrientation", held)
            self.assertTrue(self.client.get("HasAccelerometer"))
            # The device was as it was found before it was opened anew.
            self.assertEqual(float(self.rig.read("sampling_frequency")), 15)

    def test_unusable_matrix_is_refused_with_one_warning(self):
        bad = ["1, 2", "1, 0, 0; 0, 1, 0; 0, 0, x", "1, 0, 0; 2, 0, 0; 0, 0, 1", "", "nan, 0, 0; 0, 1, 0; 0, 0, 1"]
        for matrix in bad:
            with self.case(matrix):
                self.rig.add_device(accelerometer(attributes={"in_accel_mount_matrix": matrix}))
                daemon = self.claim_with()
                self.assertEqual(self.client.get("DeviceOrientation"), "portrait")
                self.assertEqual(self.client.sensor()["MountMatrix"], IDENTITY)
                warnings = daemon.log_lines("mount_matrix")
                self.assertEqual(len(warnings), 1, daemon.log())
                self.assertIn(matrix, warnings[0])
                self.assertIn(DEVICE, warnings[0])

    def test_unusable_matrix_of_udev_names_its_source(self):
        self.rig.add_device(accelerometer(properties={"ACCEL_MOUNT_MATRIX": "1, 2, 3"}))
        daemon = self.claim_with()
        self.assertEqual(self.client.get("DeviceOrientation"), "portrait")
        (warning,) = daemon.log_lines("ACCEL_MOUNT_MATRIX")
        self.assertIn("1, 2, 3", warning)

    def test_dependent_third_row_is_replaced_with_a_warning(self):
        # Rows one and two are (x, y); their cross product is (0, 0, 1).
        self.rig.add_device(accelerometer(raw=PLUS_Z, attributes={"in_mount_matrix": "1, 0, 0; 0, 1, 0; 0, 1, 0"}))
        daemon = self.claim_with()
        self.assertEqual(self.client.sensor()["MountMatrix"], IDENTITY)
        self.assertEqual(self.client.get("FaceOrientation"), "face-up")
        self.assertEqual(len(daemon.log_lines("mount_matrix")), 1, daemon.log())


class Garbage(ReadingTestCase):
    def test_unusable_scale_is_one_with_a_warning_and_repaired(self):
        # The scale is 1 then, so upright reads 1000 m/s²: the classifier finds the wrong norm, and follows.
        for scale in ("abc", "nan", "inf", "0", "-0.0098", ""):
            with self.case(scale):
                self.rig.add_device(accelerometer(scale=scale))
                daemon = self.claim_with()
                self.assertEqual(self.client.get("DeviceOrientation"), "portrait")
                warnings = daemon.log_lines("in_accel_scale")
                self.assertEqual(len(warnings), 1, daemon.log())
                self.assertIn(f"{DEVICE}/in_accel_scale", warnings[0])
                self.assertIn(scale, warnings[0])

    def test_orientation_is_followed_in_spite_of_a_wrong_scale(self):
        self.rig.add_device(accelerometer(scale="0.26"))
        daemon = self.claim_with()
        daemon.wait_for_log("scale")
        self.rig.turn(LANDSCAPE_LEFT)
        self.assert_orientation("landscape-left")
        self.assertEqual(len(daemon.log_lines("scale")), 1, daemon.log())

    def test_wrong_scale_is_not_called_right_and_wrong_at_each_claim(self):
        self.rig.add_device(accelerometer(scale="0.09807"))
        daemon = self.rig.start_orientd()
        for _ in range(2):
            self.client.claim()
            daemon.wait_for_log("scale looks wrong")
            self.client.release()
        self.client.claim()
        wait_until(lambda: self.client.get("DeviceOrientation") == "portrait", "portrait")
        self.assertEqual(len(daemon.log_lines("scale looks wrong")), 1, daemon.log())

    def test_unusable_offset_is_zero_with_a_warning(self):
        self.rig.add_device(accelerometer(attributes={"in_accel_x_offset": "soon"}))
        daemon = self.claim_with()
        self.assertEqual(self.client.get("DeviceOrientation"), "portrait")
        (warning,) = daemon.log_lines("in_accel_x_offset")
        self.assertIn("soon", warning)

    def test_garbage_raw_values_are_a_read_error(self):
        self.rig.add_device(accelerometer())
        self.claim_with()
        self.rig.write("in_accel_y_raw", "many")
        self.client.wait_for("SensorState", "lost")
        self.assertEqual(self.client.get("DeviceOrientation"), "portrait")
        self.assertIn("in_accel_y_raw", self.client.sensor()["LastError"])
        self.rig.turn(LANDSCAPE_LEFT)
        self.client.wait_for("SensorState", "sampling")
        self.assert_orientation("landscape-left")

    def test_unusable_rates_are_survived(self):
        rates = [("sampling_frequency", "fast"), ("sampling_frequency_available", "[1 x"), ("sampling_frequency", "0")]
        for attribute, text in rates:
            with self.case(attribute=attribute, text=text):
                attributes = {"sampling_frequency": "5"}
                attributes[attribute] = text
                self.rig.add_device(accelerometer(attributes=attributes))
                self.claim_with()
                self.assertEqual(self.client.get("DeviceOrientation"), "portrait")
