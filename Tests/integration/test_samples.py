# SPDX-License-Identifier: Apache-2.0
"""What the documents show as the output of a command is what the command prints."""

import re
import shlex
import subprocess

import test_calibrate
import test_doctor
from rig import LANDSCAPE_LEFT, SOURCE_ROOT, RigTestCase, accelerometer, wait_until

README = SOURCE_ROOT / "README.md"
MANUAL = SOURCE_ROOT / "docs" / "orientctl.1.scd"
TRACES = SOURCE_ROOT / "docs" / "orientd-trace.5.scd"
CONTRIBUTING = SOURCE_ROOT / "CONTRIBUTING.md"
DOCS = SOURCE_ROOT / "docs"
DOCUMENTS = (README, CONTRIBUTING, *sorted(DOCS.glob("*.md")), *sorted(DOCS.glob("*.scd")))
# Where the machine of a test differs from the one in the manual: these lines of doctor are compared up to the colon.
OTHERS = ("kernel", "node", "sampling", "service", "state", "configuration")
DOCTOR = re.compile(r"^(ok|warn|fail) +(\w[\w ]*): .+$")


def blocks(document):
    """Returns the texts that a document shows in a frame."""
    return re.findall(r"^```\w*\n(.*?)^```$", document.read_text(), re.M | re.S)


def doctor_lines():
    """Returns the lines of doctor in all documents."""
    lines = {line for document in DOCUMENTS for text in blocks(document) for line in text.splitlines()}
    return {line for line in lines if DOCTOR.match(line)}


def masked(line):
    """Returns a line without what is different on each machine and in each run."""
    line = re.sub(r"process N \([^)]*\)", "process N (NAME)", re.sub(r"\d+(\.\d+)?", "N", line))
    # What creates the user depends on how orientd was installed.
    return line.partition("; try: ")[0] if " node: the user " in line else line


def without_tests(case):
    """Returns a test case with the methods of another one, but without its tests."""
    return type(case.__name__, (case,), {name: None for name in dir(case) if name.startswith("test_")})


class Shell(RigTestCase):
    def test_readme_shows_how_to_find_a_sensor(self):
        (shown,) = [text for text in blocks(README) if "in_accel_x_raw" in text]
        command, *found = shown.splitlines()

        def run():
            arguments = ["sh", "-c", command.removeprefix("$ ")]
            return subprocess.run(arguments, env=self.rig.mocked_environment(), capture_output=True, text=True)

        missing = "No such file or directory"
        self.assertIn(f"`{missing}`", README.read_text())
        self.assertEqual((run().stdout, run().stderr.rpartition(": ")[2]), ("", missing + "\n"))
        self.rig.add_device(accelerometer())
        self.assertEqual(run().stdout.splitlines(), found)

    def test_readme_shows_a_status(self):
        (shown,) = [text for text in blocks(README) if text.startswith("$ orientctl status |")]
        self.rig.add_device(accelerometer())
        self.rig.start_orientd()
        self.rig.orientctl("lock")
        self.rig.turn(LANDSCAPE_LEFT)
        command, *lines = shown.splitlines()
        self.assertEqual(command, f"$ orientctl status | head -{len(lines)}")
        self.assertEqual(self.rig.orientctl("status").stdout.splitlines()[: len(lines)], lines)

    def test_first_change_of_contributing(self):
        (sentence,) = re.findall(r"`(Interface: portrait, [^`]*)` when the autorotate mode is `never`", CONTRIBUTING.read_text())
        self.rig.add_device(accelerometer())
        self.rig.start_orientd(configuration="[Orientation]\nAutorotate=never\n")
        self.assertIn(sentence, self.rig.orientctl("status").stdout.splitlines())

    def test_trace_of_the_manual_can_be_replayed(self):
        header, part = [text for text in blocks(TRACES) if re.match(r"t_seconds|[\d.]+,", text)]
        run = self.rig.orientctl("replay", "--all", "-", text=header + part)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertIn("RotationLock=current", run.stdout)


class Doctor(test_doctor.DoctorTestCase):
    def printed(self):
        return {masked(line) for line in self.run_doctor()[1].splitlines()}

    def test_machine_without_problems(self):
        (shown,) = [text for text in blocks(MANUAL) if text.startswith("$ orientctl doctor\n")]
        self.plug(name="accel_3d")
        self.polkit()
        self.rig.start_orientd(configuration="[Bus]\nSensorProxy=yes\n")
        _, printed = self.run_doctor()

        def comparable(text):
            for line in text.splitlines():
                check = DOCTOR.match(line)[2]
                yield line.partition(":")[0] if check in OTHERS else masked(line)

        self.assertEqual(list(comparable(shown.partition("\n")[2])), list(comparable(printed)))

    def test_problems(self):
        """Every line with a problem that a document shows is printed in one of these situations, or by a desktop."""
        printed = self.printed()
        self.plug()
        printed |= self.printed()
        self.rig.start_orientd(configuration="[Bus]\nSensorProxy=no\n")
        test_doctor.Service(self.rig, test_doctor.PROXY, [], [], None)
        self.client.ask("SetRotationLock", "s", "portrait")
        printed |= self.printed()
        shown = {line for line in doctor_lines() if not line.startswith("ok") and " desktop: " not in line}
        self.assertGreater(len(shown), 3)
        self.assertEqual({line for line in shown if masked(line) not in printed}, set())


class Desktops(without_tests(test_doctor.Desktops)):
    """The lines about desktops, each of which needs a desktop."""

    def shown(self, desktop):
        return [line for line in doctor_lines() if line.startswith(f"warn  desktop: {desktop}")]

    def test_kde(self):
        self.start_kwin("Never")
        self.assertEqual([self.line()], self.shown("KDE"))

    def test_gnome(self):
        self.add_inputs("TOUCHSCREEN", "TOUCHPAD")
        self.rig.add_device(accelerometer(index=1, properties={"ACCEL_LOCATION": "base"}))
        wait_until(lambda: self.client.get("TabletModeSource") == "accelerometers", "the hinge is known")
        self.start_mutter(False)
        self.assertEqual([self.line()], self.shown("GNOME"))

    def line(self):
        """Returns the line of doctor about the desktop."""
        _, output = self.run_doctor(environment=self.environment)
        (line,) = [line for line in output.splitlines() if " desktop: " in line]
        return line


class Calibration(without_tests(test_calibrate.Person)):
    def comparable(self, text):
        """Yields the lines of a session, without what depends on the sensor and how it is mounted."""
        for line in text.replace("\r\n", "\n").removesuffix("\n").split("\n"):
            line = re.sub(r"accel_3d|bma253", "NAME", line.rpartition("\r")[2].rstrip())
            line = re.sub(r"(-?\d, ){2}-?\d(; (-?\d, ){2}-?\d)+", "MATRIX", line)
            line = re.sub(r"was [\w-]+, now", "was EDGE, now", line)
            yield re.sub(r"sensor:modalias:\S+", "MATCH", re.sub(r" #+$", " #", line))

    def test_session(self):
        (shown,) = [text for text in blocks(MANUAL) if text.startswith("$ sudo orientctl calibrate\n")]
        (record,) = [text for text in blocks(MANUAL) if "ACCEL_MOUNT_MATRIX=" in text]
        uevent = self.rig.path(test_calibrate.SYSPATH, "uevent")
        key = shlex.quote(test_calibrate.KEY)
        self.start_as_root(udevadm=f"[ $1 != trigger ] || systemd-hwdb query {key} >>'{uevent}'")
        self.finish()
        self.assertEqual(list(self.comparable(self.said)), list(self.comparable(shown.partition("\n")[2])))
        written = (self.folder / test_calibrate.STANDARD).read_text()
        self.assertEqual(list(self.comparable(written)), list(self.comparable(record)))
