# SPDX-License-Identifier: Apache-2.0
"""How accelerometers are mounted: the sign of z of each half, matrices of several sources, and which half is which."""

import math

from rig import BASE, DEVICE, RigTestCase, accelerometer, wait_until

GRAVITY = 1000
UP, DOWN = (0, 0, 1), (0, 0, -1)
SENSOR_PROXY = ("net.hadess.SensorProxy", "/net/hadess/SensorProxy")


def rows(matrix):
    return [[float(number) for number in row.split(",")] for row in matrix.split(";")]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def reading(matrix, force, is_hub=False):
    """Returns the raw values of a right-handed chip behind a matrix whose rows of x and y are right.

    The force is in g, to the right, to the top and out of the screen; a hub reports the opposite.
    """
    sign = 1 if is_hub else -1
    right, top = ([sign * value for value in row] for row in rows(matrix)[:2])
    axes = zip(right, top, cross(right, top))
    return tuple(round(-sign * GRAVITY * sum(a * b for a, b in zip(axis, force))) for axis in axes)


def hinge(angle, tilt=0):
    """Returns the forces in the frames of display and base of a laptop on a table, which is open by `angle` degrees."""
    y, z = -math.sin(math.radians(tilt)), -math.cos(math.radians(tilt))
    cosine, sine = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    return (0, y * cosine - z * sine, y * sine + z * cosine), (0, y, z)


class Faces(RigTestCase):
    FACES = (
        # StarLite V, by its firmware.
        ("kxtj21009", "1, 0, 0; 0, -1, 0; 0, 0, 1", "-z"),
        ("kxcj91008", "0, -1, 0; 1, 0, 0; 0, 0, 1", "+z"),
        ("bmi160", "0, -1, 0; 0, 0, -1; 1, 0, 0", "+z"),
        # HP OmniBook Ultra Flip.
        ("accel_3d", "1, 0, 0; 0, 1, 0; 0, 0, -1", "+z"),
        ("accel_3d", "0, 1, 0; -1, 0, 0; 0, 0, 1", "-z"),
    )

    def test_face_follows_from_the_matrix(self):
        for name, matrix, sign in self.FACES:
            for force, face in ((UP, "face-up"), (DOWN, "face-down")):
                with self.case(name=name, matrix=matrix, face=face):
                    raw = reading(matrix, force, name == "accel_3d")
                    self.rig.add_device(accelerometer(name, raw, attributes={"in_accel_mount_matrix": matrix}))
                    self.rig.start_orientd()
                    self.client.claim()
                    self.assertEqual(self.client.get("FaceOrientation"), face)
                    sensor = self.client.sensor()
                    self.assertEqual((sensor["FaceUp"], sensor["FaceUpReason"]), (sign, "matrix"))
                    listed = self.rig.orientctl("--bus", self.rig.address, "sensors").stdout
                    self.assertIn(f"face up reads {sign}, from the matrix", listed)

    def test_setting_of_each_half_overrides_it(self):
        self.rig.add_device(accelerometer(raw=reading("1, 0, 0; 0, 1, 0; 0, 0, 1", UP)))
        self.rig.add_device(accelerometer("base", index=1, properties={"ACCEL_LOCATION": "base"}))
        for line, signs in (
            ("", (("+z", "driver"), ("+z", "driver"))),
            ("FaceUp=-z", (("-z", "configured"), ("+z", "driver"))),
            ("BaseFaceUp=-z", (("+z", "driver"), ("-z", "configured"))),
        ):
            with self.subTest(line):
                daemon = self.rig.start_orientd(configuration=f"[Sensor]\n{line}\n")
                self.client.claim()
                sensors = {sensor["Location"]: sensor for sensor in self.client.sensors().values()}
                found = [(each["FaceUp"], each["FaceUpReason"]) for each in (sensors["unknown"], sensors["base"])]
                self.assertEqual(tuple(found), signs)
                face = "face-up" if signs[0][0] == "+z" else "face-down"
                self.client.wait_for("FaceOrientation", face)
                daemon.stop()

    def test_recording_has_the_sign_and_the_reason(self):
        matrix = self.FACES[0][1]
        properties = {"ACCEL_MOUNT_MATRIX": matrix}
        self.rig.add_device(accelerometer("kxtj21009", reading(matrix, UP), properties=properties))
        path = self.rig.directory / "recording"
        daemon = self.rig.start_orientd(f"--record={path}")
        self.client.claim()
        self.assertEqual(self.client.get("FaceOrientation"), "face-up")
        daemon.stop()
        (line,) = [line for line in path.read_text().splitlines() if ",device-found," in line]
        self.assertIn(",face-up=-z,face-up-reason=matrix", line)
        # One of before has no reason.
        path.write_text(path.read_text().replace(",face-up-reason=matrix", ""))
        replay = self.rig.orientctl("replay", "--all", str(path))
        self.assertEqual((replay.returncode, replay.stderr), (0, ""))
        self.assertIn("face-up", replay.stdout)


class Halves(RigTestCase):
    PAIRS = (
        ("Primebook C11B", "kxcj91008", "-1, 0, 0; 0, -1, 0; 0, 0, -1", "0, 1, 0; 1, 0, 0; 0, 0, 1"),
        ("Yoga 300", "bmc150_accel", "0, -1, 0; -1, 0, 0; 0, 0, 1", "1, 0, 0; 0, 1, 0; 0, 0, -1"),
        # Opposite determinants.
        ("Akoya E", "kxcj91008", "0, -1, 0; -1, 0, 0; 0, 0, 1", "-1, 0, 0; 0, 1, 0; 0, 0, -1"),
        ("a Chromebook", "cros-ec-accel", "-1, 0, 0; 0, -1, 0; 0, 0, -1", "-1, 0, 0; 0, 1, 0; 0, 0, 1"),
        ("Yoga Book", "accel_3d", "1, 0, 0; 0, 1, 0; 0, 0, 1", "0, 1, 0; -1, 0, 0; 0, 0, 1"),
        ("no matrix", "kxcj91008", "1, 0, 0; 0, 1, 0; 0, 0, 1", None),
    )

    def test_laptop_is_no_tablet(self):
        for title, name, display, base in self.PAIRS:
            for angle, mode in ((100, "laptop"), (300, "tablet")):
                with self.case(title, angle=angle):
                    forces = hinge(angle, tilt=35)
                    for index, (place, matrix, force) in enumerate(zip(("display", "base"), (display, base), forces)):
                        properties = {"ACCEL_LOCATION": place}
                        if matrix:
                            properties["ACCEL_MOUNT_MATRIX"] = matrix
                        raw = reading(matrix or "1, 0, 0; 0, 1, 0; 0, 0, 1", force, name == "accel_3d")
                        self.rig.add_device(accelerometer(name, raw, index=index, properties=properties))
                    self.rig.start_orientd(configuration="[Orientation]\nAutorotate=tablet-mode\n")
                    self.client.claim()
                    self.client.wait_for("TabletMode", mode)
                    self.assertEqual(round(self.client.get("HingeAngle")), angle)


class Matrices(RigTestCase):
    FIRMWARE = "1, 0, 0; 0, -1, 0; 0, 0, 1"

    def test_first_usable_source_counts_with_one_warning(self):
        upright = reading(self.FIRMWARE, (0, 1, 0))
        for text, has_firmware, words in (
            (self.FIRMWARE + ";", False, ('ignored ";" behind the mount matrix',)),
            (self.FIRMWARE + " # y is inverted", True, ('ignored "# y is inverted"',)),
            ("0, -1, 0; 1, 0, 0; 0, 0, 0", True, ("is singular, using ", "in_accel_mount_matrix")),
            ("1, 0, 0; 0, -1, 0; 0", True, ("is not a mount matrix, using ", "in_accel_mount_matrix")),
            ("", True, ()),
        ):
            with self.case(text):
                attributes = {"in_accel_mount_matrix": self.FIRMWARE} if has_firmware else {}
                properties = {"ACCEL_MOUNT_MATRIX": text}
                self.rig.add_device(accelerometer(raw=upright, attributes=attributes, properties=properties))
                daemon = self.rig.start_orientd()
                self.client.claim()
                self.assertEqual(self.client.get("DeviceOrientation"), "portrait")
                warnings = daemon.log_lines("(?i)mount_matrix")
                self.assertEqual(len(warnings), 1 if words else 0, daemon.log())
                for word in ("ACCEL_MOUNT_MATRIX of ", *words) if words else ():
                    self.assertIn(word, warnings[0])


class Places(RigTestCase):
    MATRIX = "0, -1, 0; 1, 0, 0; 0, 0, 1"

    def plug(self, *places):
        """Adds a sensor that lies flat, and one that is held upright."""
        for index, (place, force) in enumerate(zip(places, (DOWN, (0, 1, 0)))):
            properties = {"ACCEL_MOUNT_MATRIX": self.MATRIX, **({"ACCEL_LOCATION": place} if place else {})}
            self.rig.add_device(
                accelerometer("mxc4005", reading(self.MATRIX, force), index=index, properties=properties)
            )

    def test_one_in_the_display_comes_before_one_of_unknown_place(self):
        self.plug(None, "display")
        self.rig.start_orientd()
        self.client.claim()
        self.assertEqual(self.client.get("DeviceOrientation"), "portrait")

    def test_place_that_hwdb_has_later_counts_at_once(self):
        self.plug(None, None)
        self.rig.start_orientd()
        self.client.claim()
        self.assertEqual(self.client.get("DeviceOrientation"), "unknown")
        self.rig.testbed.set_property(BASE, "ACCEL_LOCATION", "display")
        self.rig.testbed.uevent(BASE, "change")
        self.client.wait_for("DeviceOrientation", "portrait")
        # The other one, which had been used, is marked as well.
        self.rig.testbed.set_property(DEVICE, "ACCEL_LOCATION", "base")
        self.rig.testbed.uevent(DEVICE, "change")
        places = ["base", "display"]
        wait_until(
            lambda: sorted(s["Location"] for s in self.client.sensors().values() if s["State"] != "lost") == places,
            "both are marked",
        )
        self.assertEqual(self.client.get("DeviceOrientation"), "portrait")
