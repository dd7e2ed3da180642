# SPDX-License-Identifier: Apache-2.0
"""libiio is loaded for the sensors of another machine only."""

import pathlib

from feed import Feed
from rig import LANDSCAPE_LEFT, RigTestCase, accelerometer


def has_libiio(daemon):
    """Returns whether libiio is in the daemon's memory."""
    return "/libiio.so" in pathlib.Path(f"/proc/{daemon.pid}/maps").read_text()


class Libiio(RigTestCase):
    def test_is_not_in_memory_for_a_sensor_that_is_polled(self):
        self.rig.add_device(accelerometer())
        daemon = self.rig.start_orientd()
        self.client.claim()
        self.rig.turn(LANDSCAPE_LEFT)
        self.assert_orientation("landscape-left")
        self.assertFalse(has_libiio(daemon))

    def test_is_not_in_memory_while_a_buffer_is_read(self):
        self.rig.add_fixture("buffered-trigger")
        device = "/sys/devices/platform/test-hid/HID-SENSOR-200073/iio:device0"
        Feed(self.rig, device, (0, -1000000, 0))
        daemon = self.rig.start_orientd()
        self.client.claim()
        self.assert_orientation("portrait")
        self.assertEqual(self.client.sensor()["Mode"], "buffer")
        self.assertFalse(has_libiio(daemon))

    def test_that_is_missing_matters_for_another_machine_only(self):
        self.rig.add_device(accelerometer())
        folder = self.rig.directory / "libraries"
        folder.mkdir()
        # The loader stops at the first file of that name, which is no library.
        (folder / "libiio.so.0").write_text("")
        for arguments, warnings in (((), 0), (("--source=iio:ip:127.0.0.1",), 1)):
            daemon = self.rig.start_orientd(*arguments, environment={"LD_LIBRARY_PATH": str(folder)})
            self.assertEqual(len(daemon.log_lines("cannot load libiio.so.0")), warnings, daemon.log())
            self.assertEqual(self.client.get("HasAccelerometer"), warnings == 0)
            self.assert_bus_answers()
            daemon.stop()
