# SPDX-License-Identifier: Apache-2.0
"""A sensor of another machine: Debian's iiod serving a mocked device on 127.0.0.1."""

import socket

from rig import LANDSCAPE_LEFT, PORTRAIT, RigTestCase, UPSIDE_DOWN, accelerometer, wait_until
from test_buffer import buffered


def unused_port():
    """Returns a TCP port on which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Network(RigTestCase):
    def open_rig(self):
        super().open_rig()
        self.port = unused_port()

    def start_iiod(self):
        """Starts iiod on the mocked devices and waits until it listens."""
        server = self.rig.spawn(
            ["/usr/sbin/iiod", "--port", str(self.port)], env=self.rig.mocked_environment()
        )
        wait_until(self.is_served, "iiod listens")
        return server

    def is_served(self):
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
        except OSError:
            return False
        return True

    def start_orientd(self):
        """Starts orientd without a sensor of its own: without umockdev's preload, on the network only."""
        return self.rig.start_orientd(
            "--source", f"iio:ip:127.0.0.1:{self.port}", environment={"LD_PRELOAD": "", "UMOCKDEV_DIR": ""}
        )

    def test_sensor_is_polled_over_the_network(self):
        self.rig.add_device(accelerometer())
        self.start_iiod()
        self.start_orientd()
        self.client.claim()
        self.assertEqual(self.client.get("DeviceOrientation"), "portrait")
        self.assertEqual(self.client.sensor()["Mode"], "poll")
        self.assertEqual(self.client.sensor()["SysfsPath"], "")
        self.rig.turn(LANDSCAPE_LEFT)
        self.assert_orientation("landscape-left")

    def test_report_of_doctor_names_the_sensor(self):
        self.rig.add_device(accelerometer(name="bma253"))
        self.start_iiod()
        self.start_orientd()
        report = self.rig.orientctl("doctor", "--report=-", timeout=30).stdout
        self.assertIn("\n  bma253 (place unknown), idle\n", report)

    def test_offset_scale_and_matrix_of_the_other_machine(self):
        # (1014 + 10, -20 + 20, -5 + 5) * 0.009577 = (9.807, 0, 0); in_mount_matrix gives (0, -9.807, 0): upright.
        self.rig.add_fixture("polled-full")
        self.start_iiod()
        self.start_orientd()
        self.client.claim()
        self.assertEqual(self.client.get("DeviceOrientation"), "portrait")

    def test_buffered_sensor_is_polled_where_no_descriptor_exists(self):
        self.rig.add_device(buffered("le:s16/16>>0"))
        self.start_iiod()
        self.start_orientd()
        self.client.claim()
        self.assertEqual(self.client.get("DeviceOrientation"), "portrait")
        self.assertEqual(self.client.sensor()["Mode"], "poll")

    def test_server_that_ends_and_comes_back(self):
        self.rig.add_device(accelerometer())
        server = self.start_iiod()
        self.start_orientd()
        self.client.claim()
        server.kill()
        server.wait()
        self.client.wait_for("SensorState", "lost")
        self.assertEqual(self.client.get("DeviceOrientation"), "portrait")
        self.assertEqual(self.client.get("Claims"), 1)
        self.assert_bus_answers()
        self.rig.turn(UPSIDE_DOWN)
        self.start_iiod()
        self.client.wait_for("SensorState", "sampling", timeout=20)
        self.assert_orientation("portrait-upside-down")

    def test_server_that_comes_later(self):
        self.rig.add_device(accelerometer(raw=PORTRAIT))
        self.start_orientd()
        self.assertFalse(self.client.get("HasAccelerometer"))
        self.client.claim()
        self.start_iiod()
        self.client.wait_for("SensorState", "sampling", timeout=20)
        self.assert_orientation("portrait")

    def test_libiio_speaks_to_who_asks_for_details(self):
        # Without a host it asks Avahi, which is not on the private bus.
        for arguments, speaks in (((), False), (("-v",), True)):
            with self.case(arguments=arguments):
                daemon = self.rig.start_orientd("--source", "iio:ip:", *arguments)
                wait_until(lambda: daemon.log_lines("cannot open ip:"), "it has looked for sensors")
                self.assertEqual("Unable to create Avahi" in daemon.log(), speaks)

    def test_server_that_hangs_leaves_the_bus_answered(self):
        with socket.create_server(("127.0.0.1", self.port)):
            daemon = self.start_orientd()
            self.assert_bus_answers()
            self.assertLess(daemon.stop(), 1)

    def test_claim_before_the_first_look_at_the_sensors_waits_for_it(self):
        # As when the bus starts the daemon for the claim: it was answered at once, with nothing known.
        with socket.create_server(("127.0.0.1", self.port)):
            daemon = self.rig.start_orientd(
                "--source",
                f"iio:ip:127.0.0.1:{self.port}",
                environment={"LD_PRELOAD": "", "UMOCKDEV_DIR": ""},
                wait=False,
            )
            wait_until(lambda: self.client.owner(), "orientd is on the bus")
            call = self.client.start_call("Claim")
            self.client.wait_for("Claims", 1)
            self.assertFalse(call.done or daemon.is_ready())
            wait_until(lambda: call.done, "the claim is answered")
