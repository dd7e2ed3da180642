# SPDX-License-Identifier: Apache-2.0
"""orientctl calibrate, with poses and with recordings, and the resulting hwdb records."""

import json
import os
import pathlib
import signal
import subprocess

from feed import Feed
from rig import BUILD, PYTHON, RigTestCase, accelerometer, wait_until

DONE, FAILED = range(2)
PARENT = "/devices/platform/80860F41:00/i2c-0/i2c-BOSC0200:00"
HID = "/sys/devices/platform/test-hid/HID-SENSOR-200073/iio:device0"
SYSPATH = f"/sys{PARENT}/iio:device0"
MACHINE = "dmi:bvnAMI:bvr1.07:bd01/31/2016:br5.11:svnExample:pnTablet10:pvr1:rvnExample:rnBoard:"
MATCH = "sensor:modalias:acpi:BOSC0200:BOSC0200::dmi:*:svnExample:pnTablet10:*"
KEY = f"sensor:modalias:acpi:BOSC0200:BOSC0200::{MACHINE}"
STANDARD = "hwdb.d/61-sensor-local.hwdb"

# In g, through the right matrix, in the desktop convention: upright, on the left edge, face up.
MOUNTED = ((0, -1, 0), (-1, 0, 0), (0, 0, 1))
MATRIX = ((0, -1, 0), (1, 0, 0), (0, 0, 1))
VALUE = "0, -1, 0; 1, 0, 0; 0, 0, 1"
HEADER = "t_seconds,x,y,z\n"


def reading(mounted, matrix=MATRIX):
    """Returns the raw values that `matrix` maps to `mounted`."""
    return [sum(1000 * matrix[row][axis] * mounted[row] for row in range(3)) for axis in range(3)]


def trace(*poses):
    """Returns a trace in the device's frame: each pose, in g, for two seconds, half a second of turning in between."""
    lines, time, last = [], 0.0, None
    for pose in poses:
        steps = [] if last is None else [step / 8 for step in range(1, 8)]
        turning = [[9.81 * (a + (b - a) * share) for a, b in zip(last, pose)] for share in steps]
        for sample in turning + [[9.81 * part for part in pose]] * 30:
            lines.append(f"{time:.3f}," + ",".join(f"{value:.3f}" for value in sample) + "\n")
            time += 1 / 15
        last = pose
    return HEADER + "".join(lines)


class CalibrateTestCase(RigTestCase):
    def add_machine(self, **options):
        """Adds an accelerometer with a modalias to a machine with a DMI modalias."""
        self.rig.add_device(f"P: {PARENT}\nE: SUBSYSTEM=i2c\nA: modalias=acpi:BOSC0200:BOSC0200:\\n\n\n")
        self.rig.add_device(f"P: /devices/virtual/dmi/id\nE: SUBSYSTEM=dmi\nA: modalias={MACHINE}\\n\n\n")
        self.rig.add_device(accelerometer(name="bma253", parent=PARENT, raw=reading(MOUNTED[2]), **options))

    def calibrate(self, *arguments, text=None):
        """Runs it without a terminal, never writing to this machine's hwdb."""
        return self.rig.orientctl(
            "calibrate", "--output=-", *arguments, text=text, environment=self.rig.mocked_environment()
        )

    def write_trace(self, *poses):
        path = self.rig.directory / "trace.csv"
        path.write_text(trace(*poses))
        return path

    def hwdb(self, text, key=KEY):
        """Returns what systemd's hwdb, with a file of that text alone, finds for a key."""
        root = self.rig.directory / "root"
        folder = root / "etc/udev/hwdb.d"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "61-sensor-local.hwdb").write_text(text)
        environment = self.rig.plain_environment
        update = subprocess.run(
            ["systemd-hwdb", "update", "--strict", f"--root={root}"], env=environment, capture_output=True, check=False
        )
        self.assertEqual((update.returncode, update.stderr), (0, b""))
        return subprocess.run(
            ["systemd-hwdb", "query", f"--root={root}", key],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        ).stdout


class Person(CalibrateTestCase):
    """The test holds the device."""

    def start(self, *arguments, command=(), environment=None):
        """Starts it on a terminal, with a pipe as standard output."""
        self.controller, terminal = os.openpty()
        os.set_blocking(self.controller, False)
        self.addCleanup(os.close, self.controller)
        self.said = ""
        self.process = self.rig.spawn(
            [*command, BUILD / "orientctl", "calibrate", *arguments],
            env=dict(self.rig.mocked_environment(), **(environment or {})),
            stdin=terminal,
            stdout=subprocess.PIPE,
            stderr=terminal,
        )
        os.close(terminal)

    def listen(self):
        """Returns everything printed to the terminal so far."""
        try:
            while chunk := os.read(self.controller, 65536):
                self.said += chunk.decode()
        except OSError:
            pass  # nothing more, or the terminal is closed
        return self.said

    def hold(self, number, mounted):
        """Holds the device in the pose that is asked for, and presses Enter."""
        wait_until(lambda: f"{number} of 3" in self.listen(), f"pose {number} is asked for")
        self.rig.turn(reading(mounted), SYSPATH)
        os.write(self.controller, b"\n")

    def finish(self):
        """Returns its exit status and its standard output."""
        wait_until(lambda: (self.listen(), self.process.poll())[1] is not None, "it ends")
        self.listen()
        return self.process.returncode, self.process.stdout.read().decode()

    def test_three_poses_make_a_record_that_hwdb_takes(self):
        self.add_machine()
        self.start("--output=-")
        for number, mounted in enumerate(MOUNTED, start=1):
            self.hold(number, mounted)
        status, answer = self.finish()
        self.assertEqual(status, DONE, self.said)
        self.assertEqual(answer, f"# bma253\n{MATCH}\n ACCEL_MOUNT_MATRIX={VALUE}\n")
        self.assertEqual(self.hwdb(answer), f"ACCEL_MOUNT_MATRIX={VALUE}\n")
        self.assertEqual(self.hwdb(answer, KEY.replace("Tablet10", "Tablet11")), "")
        self.assertIn("Before: 1, 0, 0; 0, 1, 0; 0, 0, 1 (no matrix set)", self.said)
        self.assertIn(f"After:  {VALUE}", self.said)
        self.assertIn("FaceUp: +z, from the matrix", self.said)
        self.assertIn("face up: face-up", self.said)
        self.assertIn("upright: was landscape-left, now portrait", self.said)
        self.assertIn("on its left edge: was portrait-upside-down, now landscape-left", self.said)

    def test_matrix_in_effect_is_ignored_and_a_conflict_is_a_warning(self):
        self.add_machine(
            properties={"ACCEL_MOUNT_MATRIX": "1, 0, 0; 0, -1, 0; 0, 0, 1"},
            attributes={"in_accel_mount_matrix": "0, 1, 0; 1, 0, 0; 0, 0, 1"},
        )
        self.start("--output=-")
        for number, mounted in enumerate(MOUNTED, start=1):
            self.hold(number, mounted)
        status, answer = self.finish()
        self.assertEqual(status, DONE, self.said)
        self.assertIn(f" ACCEL_MOUNT_MATRIX={VALUE}\n", answer)
        self.assertIn("Before: 1, 0, 0; 0, -1, 0; 0, 0, 1 (ACCEL_MOUNT_MATRIX of ", self.said)
        self.assertIn("warning: the kernel's matrix 0, 1, 0; 1, 0, 0; 0, 0, 1 differs from hwdb's", self.said)

    def test_moving_device_is_waited_for(self):
        self.add_machine()
        self.start("--output=-")
        wait_until(lambda: "1 of 3" in self.listen(), "the first pose is asked for")
        os.write(self.controller, b"\n")
        for mounted in MOUNTED[:2]:
            wait_until(lambda: "##########" in self.listen(), "half of the time has passed")
            self.said = ""
            self.rig.turn(reading(mounted), SYSPATH)
            wait_until(lambda: "Hold it still: ...................." in self.listen(), "it begins anew")
        self.assertNotIn("2 of 3", self.said)
        wait_until(lambda: "2 of 3" in self.listen(), "it goes on")

    def test_sensor_that_reports_changes_only(self):
        # As HID sensors: a scan for each new value, none while the device is still.
        self.rig.add_fixture("buffered-trigger")
        feed = Feed(self.rig, HID, (0, 0, -1000000))
        self.start("--output=-")
        for number, raw in enumerate(((0, -1000000, 0), (-1000000, 0, 0), (0, 0, -1000000)), start=1):
            wait_until(lambda: f"{number} of 3" in self.listen(), f"pose {number} is asked for")
            feed.turn(raw)
            feed.muted = False
            before = feed.scans
            wait_until(lambda: feed.scans > before + 1, "it is told of the new value")
            feed.muted = True
            os.write(self.controller, b"\n")
        status, answer = self.finish()
        self.assertEqual(status, DONE, self.said)
        self.assertIn(" ACCEL_MOUNT_MATRIX=1, 0, 0; 0, 1, 0; 0, 0, -1\n", answer)
        self.assertNotIn("polling", self.said)
        self.assertEqual(self.rig.read("buffer/enable", HID), "0")

    def test_hangup_restores_the_sensor(self):
        self.rig.add_fixture("buffered-trigger")
        Feed(self.rig, HID, (0, 0, -1000000))
        self.start("--output=-")
        wait_until(lambda: "1 of 3" in self.listen(), "the first pose is asked for")
        self.assertEqual(self.rig.read("buffer/enable", HID), "1")
        self.process.send_signal(signal.SIGHUP)
        status, answer = self.finish()
        self.assertEqual((status, answer, self.rig.read("buffer/enable", HID)), (FAILED, "", "0"))

    def test_sensor_in_use_by_another_program_is_an_error(self):
        self.rig.add_fixture("buffered-trigger")
        Feed(self.rig, HID, (0, 0, -1000000))
        # Most drivers refuse values meanwhile, which a mocked one cannot.
        self.rig.write("in_accel_x_raw", "", HID)
        program = "import os, sys, test_buffer; test_buffer.refuse_opening_the_node(); os.execv(sys.argv[1], sys.argv[1:])"
        folder = str(pathlib.Path(__file__).parent)
        self.start("--output=-", command=[PYTHON, "-c", program], environment={"PYTHONPATH": folder})
        status, answer = self.finish()
        self.assertEqual((status, answer), (FAILED, ""))
        problem = "Device or resource busy: another program reads it, perhaps orientd; try: sudo systemctl stop orientd"
        self.assertIn(f": {problem}", self.said)

    def test_pose_held_twice_is_named(self):
        self.add_machine()
        path = self.rig.directory / "out.hwdb"
        self.start(f"--output={path}")
        for number, mounted in enumerate((MOUNTED[0], MOUNTED[0], MOUNTED[2]), start=1):
            self.hold(number, mounted)
        status, answer = self.finish()
        self.assertEqual((status, answer), (FAILED, ""))
        said = "upright and on its left edge: these poses are not a quarter turn apart"
        self.assertIn(said + "; calibrate again", self.said)
        self.assertFalse(path.exists())

    def test_ctrl_c_writes_nothing(self):
        self.add_machine()
        path = self.rig.directory / "out.hwdb"
        self.start(f"--output={path}")
        for number, mounted in enumerate(MOUNTED[:2], start=1):
            self.hold(number, mounted)
        wait_until(lambda: "3 of 3" in self.listen(), "the third pose is asked for")
        self.process.send_signal(signal.SIGINT)
        status, answer = self.finish()
        self.assertEqual((status, answer), (FAILED, ""))
        self.assertIn("nothing was written", self.said)
        self.assertFalse(path.exists())

    STOP = ["systemctl is-active --quiet orientd.service", "systemctl stop orientd.service"]
    LOAD = ["udevadm control --reload", f"udevadm trigger --settle {SYSPATH}"]
    START = ["systemctl --no-block start orientd.service"]

    def start_as_root(self, *arguments, udevadm="", systemctl="", poses=MOUNTED, hwdb=None):
        """Starts it with a private /etc/udev, and scripts in place of udevadm and systemctl."""
        self.add_machine()
        self.folder = self.rig.directory / "etc-udev"
        tools = self.rig.directory / "tools"
        for path in (self.folder, tools):
            path.mkdir()
        if hwdb is not None:
            (self.folder / "hwdb.d").mkdir()
            (self.folder / STANDARD).write_text(hwdb)
        self.calls = self.rig.directory / "calls"
        for name, action in {"udevadm": udevadm, "systemctl": systemctl}.items():
            script = tools / name
            script.write_text(f"#!/bin/sh -e\necho {name} \"$@\" >>'{self.calls}'\n{action}\n")
            script.chmod(0o755)
        unshare = ["unshare", "--mount"] + ([] if os.geteuid() == 0 else ["--map-root-user"])
        bind = f"mount --bind '{self.folder}' /etc/udev && exec \"$@\""
        self.start(
            *arguments,
            command=[*unshare, "sh", "-c", bind, "sh"],
            environment={"PATH": f"{tools}:{os.environ['PATH']}"},
        )
        for number, mounted in enumerate(poses, start=1):
            self.hold(number, mounted)

    def assert_record_is_written(self):
        text = (self.folder / STANDARD).read_text()
        self.assertEqual(text, f"# bma253\n{MATCH}\n ACCEL_MOUNT_MATRIX={VALUE}\n")
        self.assertEqual(os.listdir(self.folder / "hwdb.d"), ["61-sensor-local.hwdb"])
        self.assertFalse(pathlib.Path("/etc/udev", STANDARD).exists())

    def test_root_installs_the_record(self):
        uevent = self.rig.path(SYSPATH, "uevent")
        self.start_as_root(udevadm=f"[ $1 != trigger ] || systemd-hwdb query '{KEY}' >>'{uevent}'")
        status, answer = self.finish()
        self.assertEqual((status, answer), (DONE, ""), self.said)
        self.assert_record_is_written()
        self.assertEqual(self.calls.read_text().splitlines(), [*self.STOP, *self.LOAD, *self.START])
        self.assertIn("udev has the new matrix", self.said)
        self.assertNotIn("To use it", self.said)

    OTHER = "# other\nsensor:modalias:acpi:B:*\n ACCEL_MOUNT_MATRIX=1, 0, 0; 0, 1, 0; 0, 0, 1\n"

    def test_root_takes_the_record_away_again(self):
        uevent = self.rig.path(SYSPATH, "uevent")
        record = f"# bma253\n{MATCH}\n ACCEL_MOUNT_MATRIX={VALUE}\n"
        udevadm = f"[ $1 != trigger ] || systemd-hwdb query '{KEY}' >>'{uevent}'"
        self.start_as_root("--reset", udevadm=udevadm, poses=[], hwdb=f"{self.OTHER}\n{record}")
        status, answer = self.finish()
        self.assertEqual(status, DONE, self.said)
        self.assertEqual(answer, f"removed from /etc/udev/{STANDARD}: ACCEL_MOUNT_MATRIX={VALUE}\n")
        self.assertEqual((self.folder / STANDARD).read_text(), self.OTHER)
        self.assertEqual(self.calls.read_text().splitlines(), self.LOAD)
        self.assertIn("udev has no matrix for it now", self.said)

    def test_where_there_is_no_record_nothing_is_written(self):
        for hwdb in (None, self.OTHER):
            with self.case(hwdb=hwdb):
                self.start_as_root("--reset", poses=[], hwdb=hwdb)
                status, answer = self.finish()
                self.assertEqual((status, answer), (DONE, f"/etc/udev/{STANDARD} has no matrix for bma253\n"))
                self.assertEqual((self.folder / STANDARD).exists(), hwdb is not None)
                self.assertFalse(self.calls.exists())

    def test_reset_of_another_file(self):
        self.add_machine()
        path = self.rig.directory / "out.hwdb"
        path.write_text(f"{MATCH}\n ACCEL_MOUNT_MATRIX={VALUE}\n")
        for arguments, answer in (
            ((), f"removed from {path}: ACCEL_MOUNT_MATRIX={VALUE}\n"),
            ((), f"{path} has no matrix for bma253\n"),
            (("--json",), f'{{"Match":"{MATCH}","Removed":[],"File":"{path}"}}\n'),
        ):
            run = self.calibrate("--reset", f"--output={path}", *arguments)
            self.assertEqual((run.returncode, run.stdout), (DONE, answer), run.stderr)
            self.assertEqual("systemd-hwdb update" in run.stderr, "removed" in answer)
            self.assertEqual(path.read_text(), "")
        for option in ("--exact", "--from=-", "--output=-"):
            run = self.calibrate("--reset", f"--output={path}", option)
            self.assertEqual((run.returncode, run.stdout), (2, ""))
            self.assertIn("cannot be combined", run.stderr)

    def test_orientd_is_started_again_however_it_ends(self):
        self.start_as_root(poses=[])
        wait_until(lambda: "1 of 3" in self.listen(), "the first pose is asked for")
        self.assertEqual(self.calls.read_text().splitlines(), self.STOP)
        self.process.send_signal(signal.SIGINT)
        status, _ = self.finish()
        self.assertEqual(status, FAILED)
        self.assertEqual(self.calls.read_text().splitlines(), [*self.STOP, *self.START])
        self.assertEqual(os.listdir(self.folder), [])

    def test_orientd_is_started_again_when_it_ends_while_orientd_stops(self):
        self.start_as_root(systemctl="[ $1 != stop ] || exec sleep 60", poses=[])
        wait_until(lambda: self.calls.exists() and self.STOP[1] in self.calls.read_text(), "orientd is stopped")
        self.process.send_signal(signal.SIGINT)
        status, _ = self.finish()
        self.assertEqual(status, FAILED)
        self.assertEqual(self.calls.read_text().splitlines(), [*self.STOP, *self.START])

    def test_orientd_is_started_again_after_a_hangup(self):
        self.start_as_root(poses=[])
        wait_until(lambda: "1 of 3" in self.listen(), "the first pose is asked for")
        self.process.send_signal(signal.SIGHUP)
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(null, self.controller)
        os.close(null)
        wait_until(lambda: self.process.poll() is not None, "it ends")
        self.assertEqual(self.calls.read_text().splitlines(), [*self.STOP, *self.START])

    def test_record_that_udev_rejects_is_kept_and_the_commands_are_printed(self):
        self.start_as_root("--json", udevadm="[ $1 != trigger ] || exit 3")
        status, answer = self.finish()
        self.assertEqual(status, FAILED)
        self.assert_record_is_written()
        self.assertEqual(json.loads(answer)["File"], f"/etc/udev/{STANDARD}")
        self.assertIn(f"udevadm trigger --settle {SYSPATH}: exited with status 3", self.said)
        self.assertIn("To use it, run:", self.said)
        self.assertIn("  sudo systemd-hwdb update\r\n", self.said)

    def test_termination_ends_the_program_that_it_runs(self):
        self.start_as_root(udevadm="exec sleep 60")
        wait_until(lambda: self.LOAD[0] in self.calls.read_text(), "udevadm runs")
        self.process.terminate()
        status, _ = self.finish()
        self.assertEqual(status, FAILED)
        self.assert_record_is_written()
        self.assertIn("exited with status 143", self.said)
        self.assertIn("To use it, run:", self.said)

    def test_it_needs_a_terminal(self):
        self.add_machine()
        run = self.calibrate()
        self.assertEqual((run.returncode, run.stdout), (FAILED, ""))
        self.assertEqual(len(run.stderr.splitlines()), 1, run.stderr)
        self.assertIn("--from", run.stderr)

    def test_no_sensor(self):
        self.start("--output=-")
        status, answer = self.finish()
        self.assertEqual((status, answer), (FAILED, ""))
        self.assertIn("orientctl: no accelerometer found; try: orientctl doctor\r\n", self.said)
        run = self.rig.orientctl("calibrate", "--reset", environment=self.rig.mocked_environment())
        self.assertEqual(run.stderr, "orientctl: no accelerometer found; try: orientctl doctor\n")


class Recording(CalibrateTestCase):
    UPRIGHT, LEFT_EDGE, FACE_UP = (0, 1, 0), (1, 0, 0), (0, 0, 1)
    IDENTITY = f"# bma253\n{MATCH}\n ACCEL_MOUNT_MATRIX=1, 0, 0; 0, 1, 0; 0, 0, 1\n"

    def test_recording_of_a_sensor_that_is_right_changes_nothing(self):
        self.add_machine(properties={"ACCEL_MOUNT_MATRIX": VALUE})
        run = self.calibrate("--from", self.write_trace(self.UPRIGHT, self.LEFT_EDGE, self.FACE_UP))
        self.assertEqual(run.returncode, DONE, run.stderr)
        self.assertIn(f" ACCEL_MOUNT_MATRIX={VALUE}\n", run.stdout)
        self.assertIn(f"After:  {VALUE}, the same", run.stderr)

    def test_recording_through_a_wrong_matrix_gives_the_right_one(self):
        # The sensor's readings through "1, 0, 0; 0, -1, 0; 0, 0, 1", whose determinant makes face up -z.
        wrong = [(-x, y, -z) for x, y, z in (reading(mounted) for mounted in MOUNTED)]
        self.add_machine(properties={"ACCEL_MOUNT_MATRIX": "1, 0, 0; 0, -1, 0; 0, 0, 1"})
        run = self.calibrate("--from", self.write_trace(*[[part / 1000 for part in pose] for pose in wrong]))
        self.assertEqual(run.returncode, DONE, run.stderr)
        self.assertIn(f" ACCEL_MOUNT_MATRIX={VALUE}\n", run.stdout)

    def test_recording_without_a_sensor_leaves_the_match_to_be_filled_in(self):
        run = self.calibrate("--from", self.write_trace(self.UPRIGHT, self.LEFT_EDGE, self.FACE_UP))
        self.assertEqual(run.returncode, DONE, run.stderr)
        self.assertIn("\nsensor:modalias:MODALIAS:*\n ACCEL_MOUNT_MATRIX=1, 0, 0; 0, 1, 0; 0, 0, 1\n", run.stdout)
        self.assertEqual(self.hwdb(run.stdout), "")

    def test_exact(self):
        # The sensor is mounted at 45°.
        poses = ((-0.7071, 0.7071, 0), (0.7071, 0.7071, 0), (0, 0, 1))
        path = self.write_trace(*poses)
        run = self.calibrate("--from", path)
        self.assertEqual((run.returncode, run.stdout), (FAILED, ""))
        self.assertIn("--exact", run.stderr)
        run = self.calibrate("--exact", "--from", path)
        self.assertEqual(run.returncode, DONE, run.stderr)
        self.assertIn(" ACCEL_MOUNT_MATRIX=0.7071, 0.7071, 0; -0.7071, 0.7071, 0; 0, 0, 1\n", run.stdout)

    def test_wrong_poses_are_named(self):
        for poses, named in (
            ((self.UPRIGHT, self.LEFT_EDGE, self.UPRIGHT), "upright and face up: "),
            ((self.UPRIGHT, self.LEFT_EDGE, (0.7, 0.7, 0)), "face up: "),
            ((self.UPRIGHT, self.LEFT_EDGE), "needs 3 poses, but the device rests 2 times, at 1.0 s, "),
            ((self.FACE_UP, self.UPRIGHT, self.LEFT_EDGE, self.FACE_UP), "needs 3 poses, but the device rests 4 times, at "),
        ):
            with self.subTest(named):
                path = self.write_trace(*poses)
                run = self.calibrate("--from", path)
                self.assertEqual((run.returncode, run.stdout), (FAILED, ""))
                self.assertEqual(len(run.stderr.splitlines()), 1, run.stderr)
                self.assertIn(f"{path}: {named}", run.stderr)

    def test_opposite_edge_is_remarked(self):
        self.add_machine()
        for edge, is_told in ((self.LEFT_EDGE, False), ((-1, 0, 0), True)):
            with self.subTest(edge):
                run = self.calibrate("--from", self.write_trace(self.UPRIGHT, edge, self.FACE_UP))
                self.assertEqual(run.returncode, DONE, run.stderr)
                self.assertEqual("mirrored" in run.stderr, is_told)
                self.assertEqual("FaceUp: -z, from the matrix" in run.stderr, is_told)
                self.assertEqual("now face-down" in run.stderr, is_told)

    def test_opposite_edge_is_remarked_for_a_sensor_that_reads_gravity(self):
        self.rig.add_device(f"P: {PARENT}\nE: SUBSYSTEM=i2c\nA: modalias=acpi:BOSC0200:BOSC0200:\\n\n\n")
        self.rig.add_device(accelerometer(name="accel_3d", parent=PARENT))
        for edge, is_told in ((self.LEFT_EDGE, False), ((-1, 0, 0), True)):
            with self.subTest(edge):
                run = self.calibrate("--from", self.write_trace(self.UPRIGHT, edge, self.FACE_UP))
                self.assertEqual(run.returncode, DONE, run.stderr)
                self.assertEqual("mirrored" in run.stderr, is_told)

    def test_json(self):
        self.add_machine()
        run = self.calibrate("--json", "--from", self.write_trace(self.UPRIGHT, self.LEFT_EDGE, self.FACE_UP))
        self.assertEqual(run.returncode, DONE, run.stderr)
        result = json.loads(run.stdout)
        self.assertEqual(result["Match"], MATCH)
        self.assertEqual(result["MountMatrix"], [1, 0, 0, 0, 1, 0, 0, 0, 1])
        self.assertEqual(result["FaceUp"], "+z")

    def test_record_of_a_hid_sensor_makes_face_up_read_plus_z(self):
        # Without a matrix it reads -z. iio-sensor-proxy assumes +z, and orientd derives +z from the record.
        self.rig.add_device(f"P: {PARENT}\nE: SUBSYSTEM=i2c\nA: modalias=acpi:BOSC0200:BOSC0200:\\n\n\n")
        self.rig.add_device(accelerometer(name="accel_3d", parent=PARENT))
        run = self.calibrate("--from", self.write_trace(self.UPRIGHT, self.LEFT_EDGE, self.FACE_UP))
        self.assertEqual(run.returncode, DONE, run.stderr)
        self.assertIn(" ACCEL_MOUNT_MATRIX=1, 0, 0; 0, 1, 0; 0, 0, -1\n", run.stdout)
        self.assertIn("FaceUp: +z, from the matrix", run.stderr)
        self.assertIn("face up: face-up", run.stderr)

    def test_other_records_in_the_file_are_kept(self):
        self.add_machine()
        path = self.rig.directory / "local.hwdb"
        other = "sensor:modalias:acpi:OTHER:*\n ACCEL_LOCATION=base\n"
        path.write_text(other)
        path.chmod(0o640)
        recording = self.write_trace(self.UPRIGHT, self.LEFT_EDGE, self.FACE_UP)
        for _ in range(2):
            run = self.calibrate("--from", recording, "--output", path)
            self.assertEqual((run.returncode, run.stdout), (DONE, ""), run.stderr)
        self.assertEqual(path.read_text(), other + "\n" + self.IDENTITY)
        self.assertEqual(path.stat().st_mode & 0o777, 0o640)
        self.assertEqual([name for name in os.listdir(self.rig.directory) if "hwdb" in name], ["local.hwdb"])

    def test_recording_on_standard_input(self):
        self.add_machine()
        run = self.calibrate("--from=-", text=trace(self.UPRIGHT, self.LEFT_EDGE, self.FACE_UP))
        self.assertEqual((run.returncode, run.stdout), (DONE, self.IDENTITY), run.stderr)

    def test_dangling_link_is_written_through(self):
        self.add_machine()
        recording = self.write_trace(self.UPRIGHT, self.LEFT_EDGE, self.FACE_UP)
        file, link = self.rig.directory / "file", self.rig.directory / "link"
        link.symlink_to(file)
        run = self.calibrate("--from", recording, "--output", link)
        self.assertEqual((run.returncode, run.stdout), (DONE, ""), run.stderr)
        self.assertEqual(file.read_text(), self.IDENTITY)
        self.assertTrue(link.is_symlink())

    def test_records_behind_a_link_are_kept(self):
        # The target of the link was truncated to the new record.
        self.add_machine()
        recording = self.write_trace(self.UPRIGHT, self.LEFT_EDGE, self.FACE_UP)
        file, link = self.rig.directory / "file", self.rig.directory / "link"
        other = "sensor:modalias:acpi:OTHER*\n ACCEL_LOCATION=base\n"
        file.write_text(other)
        link.symlink_to(file)
        run = self.calibrate("--from", recording, "--output", link)
        self.assertEqual((run.returncode, run.stdout), (DONE, ""), run.stderr)
        self.assertTrue(file.read_text().startswith(other))
        self.assertIn(self.IDENTITY, file.read_text())
        self.assertTrue(link.is_symlink())

    def test_file_that_cannot_be_written_is_an_error(self):
        self.add_machine()
        recording = self.write_trace(self.UPRIGHT, self.LEFT_EDGE, self.FACE_UP)
        run = self.calibrate("--from", recording, "--output", self.rig.directory / "missing" / "file")
        self.assertEqual((run.returncode, run.stdout), (FAILED, self.IDENTITY), "what was found is not lost")
        self.assertIn("missing/file: No such file or directory", run.stderr)
