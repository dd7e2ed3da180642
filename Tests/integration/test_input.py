# SPDX-License-Identifier: Apache-2.0
"""Accelerometers that are input devices."""

from evdev import EventNode, event_node
from rig import DEVICE, LANDSCAPE_LEFT, RigTestCase, UPSIDE_DOWN, accelerometer, wait_until

ACCELEROMETER = {"ID_INPUT_ACCELEROMETER": "1"}
NODE = "/sys/devices/platform/test/input/input3/event3"

# Of 256 units in 1 g, in the desktop convention.
UPRIGHT = (0, -256, 0)
RIGHT_EDGE_UP = (-256, 0, 0)


class InputAccelerometer(RigTestCase):
    def plug(self, axes=UPRIGHT, resolution=0, attributes=None, properties=ACCELEROMETER):
        """Plugs a node in; it is no accelerometer for a daemon that looks before all is there that answers for it."""
        self.rig.add_device(event_node(attributes=attributes))
        node = EventNode(self.rig, axes, resolution)
        for key, value in properties.items():
            self.rig.testbed.set_property(NODE, key, value)
        self.rig.testbed.uevent(NODE, "add")
        return node

    def test_poses_have_the_signs_of_the_desktop_convention(self):
        for axes, orientation, face in (
            (UPRIGHT, "portrait", "none"),
            ((0, 256, 0), "portrait-upside-down", "none"),
            (RIGHT_EDGE_UP, "landscape-left", "none"),
            ((256, 0, 0), "landscape-right", "none"),
            ((0, 0, 256), "unknown", "face-up"),
            ((0, 0, -256), "unknown", "face-down"),
        ):
            with self.case(axes=axes):
                self.plug(axes)
                self.rig.start_orientd()
                self.client.claim()
                self.client.wait_for("DeviceOrientation", orientation)
                self.client.wait_for("FaceOrientation", face)

    def test_it_is_an_object_on_the_bus_that_is_polled(self):
        self.plug()
        self.rig.start_orientd()
        sensor = self.client.sensor()
        self.assertEqual((sensor["Name"], sensor["SysfsPath"], sensor["Mode"]), ("test", NODE, "poll"))
        self.assertEqual((sensor["Location"], sensor["State"]), ("unknown", "idle"))

    def test_it_is_open_only_while_it_is_claimed(self):
        node = self.plug()
        daemon = self.rig.start_orientd()
        self.assertFalse(node.is_open(daemon))
        self.client.claim()
        self.assertTrue(node.is_open(daemon))
        node.axes = RIGHT_EDGE_UP
        self.client.wait_for("DeviceOrientation", "landscape-left")
        self.client.release()
        wait_until(lambda: not node.is_open(daemon), "the node is closed")

    def test_resolution_counts_where_the_device_says_that_it_is_an_accelerometer(self):
        for attributes, gravity in (({"properties": "40"}, -0.5), ({"properties": "0"}, -1)):
            with self.case(attributes=attributes):
                self.plug(resolution=512, attributes=attributes)
                self.rig.start_orientd()
                self.client.claim()
                wait_until(lambda: abs(self.client.get("Gravity")[1] - gravity) < 1e-6, f"gravity is {gravity} g")

    def test_matrix_and_location_are_the_nodes(self):
        self.plug(properties=ACCELEROMETER | {"ACCEL_MOUNT_MATRIX": "0, 1, 0; 1, 0, 0; 0, 0, 1"})
        self.rig.start_orientd()
        self.client.claim()
        self.client.wait_for("DeviceOrientation", "landscape-left")
        with self.case("base"):
            self.plug(properties=ACCELEROMETER | {"ACCEL_LOCATION": "base"})
            self.rig.start_orientd()
            self.assertEqual(self.client.sensor()["Location"], "base")
            self.assertFalse(self.client.get("HasAccelerometer"))

    def test_which_nodes_are_accelerometers_of_this_device(self):
        # One that a program makes of a gamepad's, such as a 3DS that turned the laptop's display, is virtual.
        usb, bluetooth, virtual, host = ({"id/bustype": number} for number in ("0003", "0005", "0006", "0019"))
        for attributes, properties, is_ours in (
            ({}, {}, False),
            ({}, {"ID_INPUT_KEYBOARD": "1"}, False),
            (host, ACCELEROMETER, True),
            (usb, ACCELEROMETER, False),
            (bluetooth, ACCELEROMETER, False),
            (virtual, ACCELEROMETER, False),
            (virtual, ACCELEROMETER | {"ACCEL_LOCATION": "display"}, True),
            # iio-sensor-proxy's rule sets it for each.
            (usb, ACCELEROMETER | {"IIO_SENSOR_PROXY_TYPE": "input-accel"}, False),
            (usb, {"IIO_SENSOR_PROXY_TYPE": "input-accel"}, False),
            (virtual, ACCELEROMETER | {"IIO_SENSOR_PROXY_TYPE": "input-accel"}, True),
            # That of a handheld, on a USB of its own.
            (usb, ACCELEROMETER | {"ACCEL_MOUNT_MATRIX": "0, -1, 0; 1, 0, 0; 0, 0, 1"}, True),
            (usb, ACCELEROMETER | {"ACCEL_LOCATION": "display"}, True),
            (bluetooth, ACCELEROMETER | {"ACCEL_LOCATION": "display"}, True),
            (usb, ACCELEROMETER | {"ACCEL_LOCATION": "base"}, False),
            (usb, ACCELEROMETER | {"ACCEL_MOUNT_MATRIX": ""}, False),
            (usb, {"ACCEL_LOCATION": "display"}, False),
            ({}, {"IIO_SENSOR_PROXY_TYPE": "x input-accel y"}, True),
            ({}, {"IIO_SENSOR_PROXY_TYPE": "not-input-accel"}, False),
        ):
            with self.case(attributes=attributes, properties=properties):
                self.plug(attributes=attributes, properties=properties)
                self.rig.start_orientd()
                self.assertEqual(self.client.get("HasAccelerometer"), is_ours)

    def test_node_that_hwdb_marks_later_is_used_at_once(self):
        self.plug(attributes={"id/bustype": "0003"})
        self.rig.start_orientd()
        self.client.claim()
        self.assertFalse(self.client.get("HasAccelerometer"))
        self.rig.testbed.set_property(NODE, "ACCEL_MOUNT_MATRIX", "1, 0, 0; 0, 1, 0; 0, 0, 1")
        self.rig.testbed.uevent(NODE, "change")
        self.client.wait_for("DeviceOrientation", "portrait")

    def test_it_gives_way_to_one_of_iio_and_takes_its_place(self):
        self.plug(UPRIGHT)
        self.rig.start_orientd()
        self.client.claim()
        self.client.wait_for("DeviceOrientation", "portrait")
        self.rig.add_device(accelerometer(raw=LANDSCAPE_LEFT, parent="/devices/platform/test"))
        self.client.wait_for("DeviceOrientation", "landscape-left")
        self.rig.remove_device(DEVICE)
        self.client.wait_for("DeviceOrientation", "portrait")
        with self.case("both at the start"):
            self.rig.add_device(accelerometer(raw=UPSIDE_DOWN))
            self.plug(UPRIGHT)
            self.rig.start_orientd()
            self.client.claim()
            self.assertEqual(self.client.get("DeviceOrientation"), "portrait-upside-down")

    def test_one_that_is_plugged_in_later_answers_the_claim(self):
        self.rig.start_orientd()
        self.client.claim()
        self.plug()
        self.client.wait_for("DeviceOrientation", "portrait")
        self.assertTrue(self.client.get("HasAccelerometer"))

    def test_keyboards_that_come_and_go_are_not_looked_at(self):
        daemon = self.rig.start_orientd("-v")
        looks = len(daemon.log_lines("looking for"))
        self.rig.add_device(event_node(number=4, properties={"ID_INPUT_KEYBOARD": "1"}))
        self.plug()
        self.client.wait_for("HasAccelerometer", True)
        self.assertEqual(len(daemon.log_lines("looking for")), looks + 1)
