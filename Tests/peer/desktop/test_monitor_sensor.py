# SPDX-License-Identifier: Apache-2.0
"""Tests monitor-sensor, the command of iio-sensor-proxy."""

import os
import pwd

from desktop import DesktopTestCase, tablet
from feed import Feed
from rig import LANDSCAPE_LEFT, LANDSCAPE_RIGHT, PORTRAIT, UPSIDE_DOWN, wait_until

LIGHT = "/sys/devices/platform/light/iio:device1"
PROXIMITY = "/sys/devices/platform/proximity/iio:device2"
COMPASS = "/sys/devices/platform/compass/iio:device0"
HEADING = "in_rot_from_north_magnetic_tilt_comp"

LIGHT_AND_PROXIMITY = """P: /devices/platform/light/iio:device1
E: SUBSYSTEM=iio
E: DEVTYPE=iio_device
E: IIO_SENSOR_PROXY_TYPE=iio-poll-als
A: name=light\\n
A: in_illuminance_raw=120\\n

P: /devices/platform/proximity/iio:device2
E: SUBSYSTEM=iio
E: DEVTYPE=iio_device
E: IIO_SENSOR_PROXY_TYPE=iio-poll-proximity
A: name=proximity\\n
A: in_proximity_raw=10\\n
A: in_proximity_nearlevel=100\\n

"""

ROTATION_SENSOR = f"""P: /devices/platform/compass/iio:device0
N: iio:device0
E: DEVNAME=/dev/iio:device0
E: MAJOR=240
E: MINOR=0
E: SUBSYSTEM=iio
E: DEVTYPE=iio_device
E: IIO_SENSOR_PROXY_TYPE=iio-buffer-compass
A: name=dev_rotation\\n
A: buffer/enable=0\\n
A: buffer/length=2\\n
A: buffer/watermark=1\\n
A: trigger/current_trigger=\\n
A: in_rot_scale=0.1\\n
A: scan_elements/{HEADING}_en=0\\n
A: scan_elements/{HEADING}_index=0\\n
A: scan_elements/{HEADING}_type=le:s32/32>>0\\n

P: /devices/platform/compass/trigger0
E: SUBSYSTEM=iio
E: DEVTYPE=iio_trigger
A: name=dev_rotation-dev0\\n

"""


class Compass(Feed):
    """Serves a compass; turn() takes the heading in tenths of a degree."""

    def turn(self, raw):
        self.values = {HEADING: raw}


class MonitorSensorTests(DesktopTestCase):
    def start_monitor(self, environment=None):
        self.output = self.rig.directory / "monitor-sensor"
        with open(self.output, "wb") as output:
            self.rig.spawn(
                ["stdbuf", "-oL", "monitor-sensor"],
                env=dict(self.rig.plain_environment, **(environment or {})),
                stdout=output,
            )

    def wait_for_line(self, beginning, after=0):
        """Waits for a line with this beginning and returns its number; skips the first `after` lines."""

        def count():
            lines = self.output.read_text().splitlines()
            return next((n for n, line in enumerate(lines, 1) if n > after and line.startswith(beginning)), None)

        return wait_until(count, f"monitor-sensor prints {beginning!r}")

    def test_receives_orientation_light_and_proximity(self):
        self.rig.add_device(tablet())
        self.rig.add_device(LIGHT_AND_PROXIMITY)
        self.start_monitor()
        self.wait_for_line("    Waiting for iio-sensor-proxy to appear")
        self.start_daemon()
        self.wait_for_line("+++ iio-sensor-proxy appeared")
        self.wait_for_line("=== Has accelerometer (orientation: ")
        self.wait_for_line("=== Has ambient light sensor (value: ")
        self.wait_for_line("=== Has proximity sensor (near: 0)")

        self.rig.write("in_illuminance_raw", 300, LIGHT)
        self.wait_for_line("    Light changed: 300.000000 (lux)")
        self.rig.write("in_proximity_raw", 200, PROXIMITY)
        near = self.wait_for_line("    Proximity value changed: 1")
        self.rig.write("in_proximity_raw", 10, PROXIMITY)
        self.wait_for_line("    Proximity value changed: 0", after=near)
        for raw, orientation in (
            (LANDSCAPE_LEFT, "right-up"),
            (UPSIDE_DOWN, "bottom-up"),
            (LANDSCAPE_RIGHT, "left-up"),
        ):
            self.rig.turn(raw)
            seen = self.wait_for_line(f"    Accelerometer orientation changed: {orientation}")
        self.rig.turn(PORTRAIT)
        self.wait_for_line("    Accelerometer orientation changed: normal", after=seen)

    def test_receives_what_the_interface_is_to_show(self):
        self.rig.add_device(tablet(LANDSCAPE_LEFT))
        self.start_daemon()
        self.start_monitor()
        lines = [self.wait_for_line("=== Has accelerometer (orientation: ")]
        names = {"normal": "normal", "90": "left-up", "180": "bottom-up", "270": "right-up"}

        def wait_for(transform):
            wanted = f"    Accelerometer orientation changed: {names[transform]}"
            lines.append(self.wait_for_line("    Accelerometer orientation changed: ", after=lines[-1]))
            self.assertEqual(self.output.read_text().splitlines()[lines[-1] - 1], wanted)

        self.check_that_rules_apply(wait_for)

    def test_receives_the_heading(self):
        self.rig.add_device(ROTATION_SENSOR)
        compass = Compass(self.rig, COMPASS, 900)
        self.start_daemon()
        self.start_monitor(self.named_geoclue())
        self.wait_for_line("=== Has compass (heading: ")
        compass.turn(1800)
        self.wait_for_line("    Compass heading changed: 180.0")

    def named_geoclue(self):
        """Returns variables that name this user geoclue: some versions watch the compass only for that user."""
        user = pwd.getpwuid(os.getuid())
        names = self.rig.directory / "passwd"
        names.write_text(f"geoclue:x:{user.pw_uid}:{user.pw_gid}::{user.pw_dir}:{user.pw_shell}\n")
        return {
            "LD_PRELOAD": "libnss_wrapper.so",
            "NSS_WRAPPER_PASSWD": str(names),
            "NSS_WRAPPER_GROUP": "/etc/group",
        }

    def print_logs(self):
        super().print_logs()
        print(f"\nmonitor-sensor:\n{self.output.read_text()}")
