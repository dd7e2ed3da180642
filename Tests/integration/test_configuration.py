# SPDX-License-Identifier: Apache-2.0
"""orientd.conf: each setting does what it says, and no line can bring the daemon down."""

import os
import random
import re

from feed import ReadCounter
from rig import LANDSCAPE_LEFT, PLUS_Z, PORTRAIT, RigTestCase, UPSIDE_DOWN, accelerometer, wait_until

VALID = """[Orientation]
Idiom=tablet
NaturalOrientation=portrait
SupportedOrientations=portrait,landscape-left
Autorotate=tablet-mode
LaptopOrientation=landscape-right
ReportFace=no
Classifier=robust
[Sensor]
Source=auto
Rate=15
Frame=desktop
FaceUp=auto
[Application org.example.Player]
SupportedOrientations=landscape
"""

# 47 degrees from portrait to landscape-left: past the bare rule's 45, short of the robust one's 51.
LEANING = (-731, -682, 0)
LEANING_LESS = (-643, -766, 0)


class Settings(RigTestCase):
    def claim_with(self, configuration, raw=PORTRAIT, **options):
        self.rig.add_device(accelerometer(raw=raw, **options))
        daemon = self.rig.start_orientd(configuration=configuration)
        self.client.claim()
        return daemon

    def test_kernels_frame_has_x_and_y_the_other_way_round(self):
        self.claim_with("[Sensor]\nFrame=kernel\n", raw=(0, 1000, 0))
        self.assertEqual(self.client.get("DeviceOrientation"), "portrait")
        self.rig.turn((1000, 0, 0))
        self.assert_orientation("landscape-left")
        self.rig.turn(PLUS_Z)
        self.client.wait_for("FaceOrientation", "face-up")

    def test_face_up_sign(self):
        for sign, name, face in [
            ("-z", "test", "face-down"),
            ("+z", "test", "face-up"),
            ("+z", "accel_3d", "face-up"),
            ("auto", "accel_3d", "face-down"),
        ]:
            with self.case(sign=sign, name=name):
                self.claim_with(f"[Sensor]\nFaceUp={sign}\n", raw=PLUS_Z, name=name)
                self.client.wait_for("FaceOrientation", face)

    def test_natural_orientation(self):
        # Rows of "natural": what upright and right edge up are called, and right edge up's transform (always 270).
        for natural, upright, right_edge_up in [
            ("portrait", "portrait", "landscape-left"),
            ("landscape-left", "landscape-left", "portrait-upside-down"),
            ("portrait-upside-down", "portrait-upside-down", "landscape-right"),
            ("landscape-right", "landscape-right", "portrait"),
        ]:
            with self.case(natural):
                self.claim_with(f"[Orientation]\nNaturalOrientation={natural}\n")
                self.assertEqual(self.client.get("NaturalOrientation"), natural)
                self.assertEqual(self.client.get("DeviceOrientation"), upright)
                self.assertEqual(self.client.get("OutputTransform"), "normal")
                self.rig.turn(LANDSCAPE_LEFT)
                self.assert_orientation(right_edge_up)
                self.assertEqual(self.client.get("OutputTransform"), "270")

    def test_report_face(self):
        self.claim_with("[Orientation]\nReportFace=yes\n")
        self.assertEqual(self.client.get("DeviceOrientation"), "portrait")
        self.rig.turn(PLUS_Z)
        self.assert_orientation("face-up")
        self.assertEqual(self.client.get("FaceOrientation"), "face-up")
        self.assertEqual(self.client.get("OutputTransform"), "normal")
        self.rig.turn(UPSIDE_DOWN)
        self.assert_orientation("portrait-upside-down")

    def test_base_classifier_turns_at_45_degrees(self):
        self.claim_with("[Orientation]\nClassifier=base\n")
        self.rig.turn(LEANING)
        self.assert_orientation("landscape-left")

    def test_robust_classifier_does_not(self):
        self.claim_with("[Orientation]\nClassifier=robust\n")
        counter = ReadCounter(self.rig, "in_accel_x_raw")

        def hold(raw):
            self.rig.turn(raw)
            before = counter.reads()
            wait_until(lambda: counter.reads() >= before + 8, "8 samples are read")

        # A jump would count as a turn under way.
        hold(LEANING_LESS)
        hold(LEANING)
        self.assertEqual(self.client.get("DeviceOrientation"), "portrait")

    def test_rate(self):
        self.claim_with("[Sensor]\nRate=50\n", attributes={"sampling_frequency": "10"})
        self.assertEqual(float(self.rig.read("sampling_frequency")), 50)
        self.assertEqual(self.client.sensor()["SampleRate"], 50)

    def test_source(self):
        trace = self.rig.directory / "trace.csv"
        trace.write_text("t_seconds,x,y,z\n0,9.81,0,0\n1,9.81,0,0\n")
        self.rig.start_orientd(configuration=f"[Sensor]\nSource=replay:{trace}\n")
        self.client.claim()
        self.assertEqual(self.client.get("DeviceOrientation"), "landscape-left")

    def test_last_assignment_wins_and_drop_ins_come_later(self):
        folder = self.rig.directory / "orientd-0.conf.d"
        folder.mkdir()
        (folder / "20-b.conf").write_text("[Orientation]\nNaturalOrientation=landscape-left\n")
        (folder / "10-a.conf").write_text("[Orientation]\nNaturalOrientation=landscape-right\n")
        (folder / "30-c.txt").write_text("[Orientation]\nNaturalOrientation=portrait-upside-down\n")
        self.claim_with("[Orientation]\nNaturalOrientation=portrait-upside-down\nNaturalOrientation=portrait\n")
        self.assertEqual(self.client.get("NaturalOrientation"), "landscape-left")


class BadLines(RigTestCase):
    BAD = [
        "[Orientation]\nIdiom=teapot",
        "[Orientation]\nSupportedOrientations=sideways",
        "[Orientation]\nAutorotate=sometimes",
        "[Orientation]\nLaptopOrientation=landscape",
        "[Application]\nSupportedOrientations=all",
        "[Application org.example.Player]\nSupportedOrientations=none",
        "[Application org.example.Player]\nRate=15",
        "[Orientation]\nNaturalOrientation=sideways",
        "[Orientation]\nReportFace=perhaps",
        "[Orientation]\nClassifier=psychic",
        "[Orientation]\nColour=blue",
        "[Sensor]\nRate=fast",
        "[Sensor]\nRate=nan",
        "[Sensor]\nRate=-1",
        "[Sensor]\nFrame=picture",
        "[Sensor]\nFaceUp=z",
        "[Sensor]\nSource=teapot",
        "[Teapot]\nRate=15",
        "[Sensor]\nno assignment",
        "[Sensor\nFrame=desktop",
    ]

    def test_each_gives_one_warning_with_file_and_line_and_the_default_stays(self):
        self.rig.add_device(accelerometer())
        for bad in self.BAD:
            with self.subTest(bad):
                daemon = self.rig.start_orientd(configuration=f"# a comment\n{bad}\n")
                path = re.escape(str(daemon.configuration_path))
                line = 2 if bad.startswith("[Sensor\n") else 3
                self.assertEqual(len(daemon.log_lines(f"{path}:{line}\\b")), 1, daemon.log())
                self.client.claim()
                self.assertEqual(self.client.get("DeviceOrientation"), "portrait")
                daemon.stop()

    def test_valid_settings_give_no_warning(self):
        daemon = self.rig.start_orientd(configuration=VALID)
        self.assertEqual(daemon.log_lines(re.escape(str(daemon.configuration_path))), [])

    def test_missing_file_that_was_asked_for_is_an_error(self):
        daemon = self.rig.start_orientd("--config", "/nonexistent/orientd.conf", wait=False)
        self.assertEqual(daemon.wait_for_end(), 1)
        self.assertEqual(len(daemon.log().splitlines()), 1, daemon.log())
        self.assertIn("/nonexistent/orientd.conf", daemon.log())

    def test_five_thousand_random_lines(self):
        for seed in (1, 2):
            with self.case(seed=seed):
                daemon = self.rig.start_orientd(configuration=random_lines(seed, 5000))
                self.client.claim()
                path = re.escape(str(daemon.configuration_path).encode())
                log = daemon.log_path.read_bytes()
                numbers = [int(number) for number in re.findall(path + rb":(\d+)\b", log)]
                self.assertEqual(len(numbers), 100)
                self.assertEqual(len(numbers), len(set(numbers)), "a line is complained about twice")
                (omitted,) = re.findall(rb"(\d+) more warnings of this kind are left out", log)
                self.assertGreater(int(omitted), 400)


class Hostile(RigTestCase):
    """Files that never end, that nobody writes, or that are far too large."""

    # Bytes; each of them took all memory, filled the log or waited for ever.
    LARGEST_LOG = 100_000

    def paths(self):
        """Yields paths, each of which is no configuration."""
        pipe, line, lines = (self.rig.directory / name for name in ("pipe", "line", "lines"))
        os.mkfifo(pipe)
        with open(line, "wb") as file:
            for _ in range(100):
                file.write(b"x" * 1_000_000)
        lines.write_bytes(b"x\n" * 500_000)
        yield from ("/dev/zero", "/dev/urandom", "/dev/full", str(pipe), str(line), str(lines))

    def assert_bounded(self, daemon):
        with open(f"/proc/{daemon.pid}/status", encoding="ascii") as status:
            fields = dict(line.split(":\t", 1) for line in status)
        self.assertLess(int(fields["VmHWM"].split()[0]), 100_000)
        self.assertLess(daemon.log_path.stat().st_size, self.LARGEST_LOG)

    def test_drop_in_is_one_line_and_the_others_count(self):
        self.rig.add_device(accelerometer(attributes={"sampling_frequency": "10"}))
        for number, path in enumerate(self.paths()):
            with self.subTest(path):
                folder = self.rig.directory / f"orientd-{number}.conf.d"
                folder.mkdir()
                (folder / "a.conf").symlink_to(path)
                (folder / "b.conf").write_text("[Sensor]\nRate=50\n")
                daemon = self.rig.start_orientd(configuration="")
                self.client.claim()
                self.assertEqual(self.client.sensor()["SampleRate"], 50)
                lines = daemon.log_lines(r"warning: cannot read .*a\.conf: ")
                if not path.endswith("lines"):
                    self.assertEqual(len(lines), 1, daemon.log()[:1000])
                self.assert_bounded(daemon)
                daemon.stop()

    def test_named_file_is_one_error(self):
        for path in list(self.paths())[:-1]:
            with self.subTest(path):
                daemon = self.rig.start_orientd("--config", path, wait=False)
                self.assertEqual(daemon.wait_for_end(), 1)
                (line,) = daemon.log().splitlines()
                self.assertRegex(line, f"cannot read {path}: it (is no regular file|has more than)")


def random_lines(seed, count):
    """Returns lines of random bytes and mutations of valid ones, the same for the same seed."""
    generator = random.Random(seed)
    valid = VALID.encode().splitlines()
    lines = []
    for _ in range(count):
        line = bytearray(generator.choice(valid))
        if generator.random() < 0.2:
            line = bytearray(generator.randbytes(generator.randrange(400)))
        for _ in range(generator.randrange(4)):
            position = generator.randrange(len(line) + 1)
            action = generator.randrange(3)
            if action == 0:
                line[position:position] = generator.randbytes(1)
            elif action == 1:
                del line[position : position + generator.randrange(5)]
            else:
                line[position : position + 1] = generator.randbytes(generator.randrange(9))
        lines.append(bytes(line).replace(b"\n", b"\r"))
    # Nothing in it may name a source of its own: the daemon is to start with the devices there are.
    return b"\n".join(line for line in lines if b"ource" not in line) + b"\n"
