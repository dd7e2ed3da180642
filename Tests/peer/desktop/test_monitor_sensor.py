# SPDX-License-Identifier: Apache-2.0
"""Tests monitor-sensor, the command of iio-sensor-proxy, and the one of this project, which prints the same."""

import os
import pwd
import re
import signal
import subprocess

from desktop import CONFIGURATION, DesktopTestCase, tablet
from feed import Feed
from rig import LANDSCAPE_LEFT, LANDSCAPE_RIGHT, PORTRAIT, SOURCE_ROOT, UPSIDE_DOWN, wait_until

PEER = "monitor-sensor"
OURS = str(SOURCE_ROOT / "Sources" / "monitor-sensor" / "monitor-sensor")

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
    program = PEER

    def start_monitor(self, environment=None):
        self.output = self.rig.directory / "monitor-sensor"
        with open(self.output, "wb") as output:
            self.rig.spawn(
                ["stdbuf", "-oL", self.program],
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


class OurMonitorSensorTests(MonitorSensorTests):
    """The same tests with the command of this project."""

    program = OURS

    def test_unauthorized_user_gets_one_line(self):
        self.rig.add_device(tablet())
        self.rig.start_polkit(allowed=())
        self.rig.start_orientd(configuration=CONFIGURATION)
        run = subprocess.run([OURS], env=self.rig.plain_environment, capture_output=True, text=True, timeout=20)
        self.assertEqual(run.returncode, 1)
        self.assertRegex(run.stderr, r"^Failed to claim accelerometer: .*AccessDenied.*\n$")

    def test_ctrl_c_ends_it_quietly(self):
        self.rig.add_device(tablet())
        self.start_daemon()
        with subprocess.Popen(
            [OURS], env=self.rig.plain_environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process:
            while not process.stdout.readline().startswith("=== "):
                pass
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(10), -signal.SIGINT)
            self.assertEqual(process.stderr.read(), "")

    def test_ends_quietly_once_nobody_reads_its_lines(self):
        # It kept its claim and wrote a traceback for each change: GIO ignores SIGPIPE.
        self.rig.add_device(tablet())
        self.start_daemon()
        with subprocess.Popen(
            [OURS, "--accel"], env=self.rig.plain_environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process:
            while not process.stdout.readline().startswith("    Accelerometer orientation changed: normal"):
                pass
            process.stdout.close()
            self.rig.turn(LANDSCAPE_LEFT)
            self.assertEqual(process.wait(10), -signal.SIGPIPE)
            self.assertEqual(process.stderr.read(), "")


class SameLinesTests(DesktopTestCase):
    """Both commands at the same orientd print the same lines, in the same order for each sensor."""

    WORDS = ("iio-sensor-proxy", "accelerometer", "tilt", "light", "proximity")

    def start_both(self, name):
        """Starts both commands, and returns the files with their lines."""
        files = [self.rig.directory / f"{name}-{whose}" for whose in ("peer", "ours")]
        for program, file in zip((PEER, OURS), files):
            with file.open("wb") as output:
                self.rig.spawn(["stdbuf", "-oL", program], env=self.rig.plain_environment, stdout=output, stderr=output)
        return files

    def wait_for(self, files, line):
        """Waits until both have printed a line with this beginning last among those of its sensor."""
        (word,) = [word for word in self.WORDS if word in line.lower()]
        for file in files:
            wait_until(lambda: self.lines(file, word)[-1:] == [line], f"{file.name} ends with {line!r}")

    def wait_for_claims(self, count):
        wait_until(lambda: len(self.client.get("SensorProxyClients")) == count, f"{count} clients claim")

    def lines(self, file, word):
        return [line for line in file.read_text().splitlines() if word in line.lower()]

    def assert_same(self, files):
        peer, ours = files
        # Version 3.0 does not print the tilt.
        has_tilt = "tilt" in peer.read_text().lower()
        if not has_tilt:
            ours.write_text(re.sub(r", tilt: [\w-]+", "", ours.read_text()))
        for word in self.WORDS:
            if word == "tilt" and not has_tilt:
                continue
            with self.subTest(word):
                self.assertEqual(self.lines(peer, word), self.lines(ours, word))
                self.assertNotEqual(self.lines(peer, word), [])

    def print_logs(self):
        super().print_logs()
        for file in sorted(self.rig.directory.glob("*-peer")) + sorted(self.rig.directory.glob("*-ours")):
            print(f"\n{file.name}:\n{file.read_text()}")

    def test_prints_what_the_command_of_iio_sensor_proxy_prints(self):
        first = self.start_both("first")
        for file in first:
            wait_until(file.read_text, f"{file.name} waits")
        self.start_daemon()
        self.wait_for_claims(2)
        self.rig.add_device(tablet())
        self.wait_for(first, "    Accelerometer orientation changed: normal")
        self.rig.add_device(LIGHT_AND_PROXIMITY)
        self.wait_for(first, "    Light changed: 120.000000 (lux)")
        self.rig.turn(LANDSCAPE_LEFT)
        self.wait_for(first, "    Accelerometer orientation changed: right-up")
        self.rig.write("in_proximity_raw", 200, PROXIMITY)
        self.wait_for(first, "    Proximity value changed: 1")
        second = self.start_both("second")
        self.wait_for(second, "=== Has proximity sensor (near: 1)")
        self.wait_for_claims(4)
        self.rig.remove_device()
        self.wait_for(first + second, "--- Accelerometer disappeared")
        self.rig.add_device(tablet(UPSIDE_DOWN))
        self.wait_for(first + second, "    Accelerometer orientation changed: bottom-up")
        self.rig.daemons[-1].stop()
        self.wait_for(first + second, "--- iio-sensor-proxy vanished, waiting for it to appear")
        self.assert_same(first)
        self.assert_same(second)
