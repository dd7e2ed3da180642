# SPDX-License-Identifier: Apache-2.0
"""What devices and the files of orientd say is bounded: how many, how long, of which form."""

import os
import pathlib

from rig import DEVICE, LANDSCAPE_LEFT, RigTestCase, accelerometer, wait_until
from test_sensors import device


class Devices(RigTestCase):
    def test_of_hundreds_the_first_are_used(self):
        # Each took a few descriptors, of which a process has 1024.
        self.rig.add_device(accelerometer("display"))
        for number in range(100, 300):
            path = f"/sys/devices/platform/many/iio:device{number}"
            self.rig.add_device(device(path, {"name": f"light{number}", "in_illuminance_raw": 1}))
        daemon = self.rig.start_orientd()
        self.client.claim()
        self.rig.turn(LANDSCAPE_LEFT)
        self.assert_orientation("landscape-left")
        daemon.wait_for_log("warning: light163 at /sys/.*/iio:device163 is not used, nor are others: there are 64")
        self.assertEqual(len(daemon.log_lines("found light sensor")), 63)
        self.assertEqual(len(daemon.log_lines("is not used")), 1, daemon.log())
        descriptors = pathlib.Path(f"/proc/{daemon.pid}/fd")
        wait_until(lambda: len(list(descriptors.iterdir())) < 100, "few descriptors are open")

    def test_texts_are_shown_on_one_line_and_cut(self):
        long = "0" * 4000
        cases = (
            ("name", "a\n<3>b\x1b[31m\x9b", "a\ufffd<3>b\ufffd[31m\ufffd", ""),
            ("name", long, long[:80], ""),
            ("name", long + long, "", ""),
            ("in_accel_scale", "1\x1b2" + long, "test", r'in_accel_scale: "1\?20*…" is not a usable scale, using 1$'),
            ("in_accel_mount_matrix", "1, 0, 0; " * 400, "test", 'in_accel_mount_matrix: ".*…" is singular'),
            ("in_accel_mount_matrix", "1," + " " * 3900 + "0, 0; 0, 1, 0; 0, 0, 1", "test", ""),
            ("sampling_frequency_available", "7 " * 2000, "test", ""),
            ("location", long, "test", ""),
            ("label", long, "test", ""),
        )
        for attribute, text, name, warning in cases:
            with self.case(attribute=attribute, text=text[:20]):
                self.rig.add_device(accelerometer(attributes={attribute: "", "sampling_frequency": 15}))
                self.rig.path(DEVICE, attribute).write_text(text + "\n", encoding="utf-8")
                daemon = self.rig.start_orientd()
                self.client.claim()
                self.assertEqual(self.client.sensor()["Name"], name)
                self.assertEqual(len(daemon.log_lines(warning or "warning: .*:device0/")), bool(warning), daemon.log())
                lines = daemon.log().splitlines()
                self.assertLess(max(len(line) for line in lines), 400)
                self.assertTrue(all(line.startswith("orientd: ") for line in lines), lines)


class SettingsFile(RigTestCase):
    def recover(self, text="", link=None, warning=None):
        """Starts orientd with a settings file of the device, and waits until it was read, with a warning or without."""
        folder = self.rig.directory / "run"
        folder.mkdir(exist_ok=True)
        file = folder / "iio:device0.settings"
        if link:
            file.symlink_to(link)
        else:
            file.write_text(f"inode={os.stat(self.rig.path(DEVICE)).st_ino}\n{text}")
        daemon = self.rig.start_orientd(environment={"RUNTIME_DIRECTORY": str(folder)})
        if warning:
            daemon.wait_for_log(warning)
        else:
            wait_until(lambda: not file.exists(), "the file is removed")
        daemon.stop()
        self.assertEqual(len(daemon.log_lines("warning: test: ")), 1 if warning else 0, daemon.log())

    def test_of_a_device_is_restored(self):
        self.rig.add_device(accelerometer(attributes={"sampling_frequency": 50}))
        self.recover(f"{DEVICE}/sampling_frequency=25\n")
        self.assertEqual(self.rig.read("sampling_frequency"), "25")

    def test_leads_nowhere_else(self):
        # It had orientd write any file that orientd may write.
        victim = self.rig.directory / "victim"
        victim.write_text("mine")
        to_victim = os.path.relpath(victim, self.rig.path(DEVICE))
        self.rig.add_device(accelerometer(attributes={"sampling_frequency": 50}))
        os.symlink(victim, self.rig.path(DEVICE, "link"))
        os.symlink(victim.parent, self.rig.path(DEVICE, "folder"))
        refused = "is no setting of " + DEVICE + ", ignored; the sensor keeps the settings it has"
        cases = (
            (f"{DEVICE}/{to_victim}=x", refused),
            (f"{DEVICE}/sampling_frequency=25\n{DEVICE}/../{to_victim}=x", refused),
            (f"{DEVICE}/link=x", f"cannot write x to {DEVICE}/link: Too many levels of symbolic links"),
            (f"{DEVICE}/folder/victim=x", f"cannot write x to {DEVICE}/folder/victim: Not a directory"),
            (f"{victim}=x", refused),
            (f"{DEVICE}/sampling_frequency={'2' * 100}", refused),
            (f"{DEVICE}/sampling_frequency=25\n" * 500, "larger than 8192 bytes, ignored"),
        )
        for text, warning in cases:
            with self.subTest(text=text[:200]):
                self.recover(text + "\n", warning=warning)
                self.assertEqual(victim.read_text(), "mine")
                self.assertEqual(self.rig.read("sampling_frequency"), "50")

    def test_that_is_a_link_is_refused(self):
        self.rig.add_device(accelerometer(attributes={"sampling_frequency": 50}))
        other = self.rig.directory / "other"
        other.write_text(f"inode={os.stat(self.rig.path(DEVICE)).st_ino}\n{DEVICE}/sampling_frequency=25\n")
        self.recover(link=other, warning="Too many levels of symbolic links, ignored")
        self.assertEqual(self.rig.read("sampling_frequency"), "50")
        self.assertTrue(other.exists())
