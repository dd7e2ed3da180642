# SPDX-License-Identifier: Apache-2.0
"""What outlives the process: the lock, the mode of autorotation, and how the interface was shown."""

import os
import random
import re
import stat

from gi.repository import GLib

from rig import wait_until
from rotation import ALL, LANDSCAPE, ORIENTATIONS, RotationTestCase


class StateTestCase(RotationTestCase):
    def open_rig(self):
        super().open_rig()
        self.folder = self.rig.directory / "state"
        self.folder.mkdir()
        self.file = self.folder / "state"

    def start(self, *lines, folder=None, **options):
        """Starts orientd with a folder for its state, without a sensor."""
        configuration = "\n".join(["[Orientation]", *lines, ""])
        variables = {"STATE_DIRECTORY": str(folder or self.folder)}
        return self.rig.start_orientd(configuration=configuration, environment=variables, **options)

    def restart(self, daemon, *lines):
        """Has one orientd stop as systemd does, and starts the next."""
        daemon.stop()
        return self.start(*lines)


class Surviving(StateTestCase):
    def test_lock_survives_a_restart(self):
        daemon = self.start()
        for lock, shown in (("portrait-upside-down", "portrait-upside-down"), ("landscape-left", "landscape-left")):
            self.client.ask("SetRotationLock", "s", lock)
            daemon = self.restart(daemon)
            self.assert_shown(shown, lock=lock, reason="startup", rule="lock")

    def test_lock_of_what_is_shown_holds_the_same_after_a_restart(self):
        daemon = self.start()
        self.client.ask("Rotate", "s", "landscape-left")
        self.client.ask("SetRotationLock", "s", "current")
        daemon = self.restart(daemon)
        self.assert_shown("landscape-left", lock="current", rule="lock")

    def test_what_a_manual_rotation_made_of_the_lock_survives(self):
        daemon = self.start()
        self.client.ask("SetRotationLock", "s", "portrait")
        self.client.ask("Rotate", "s", "landscape-left")
        daemon.kill()
        self.start()
        self.assert_shown("landscape-left", lock="landscape-left")

    def test_held_orientation_and_not_that_of_an_application_returns(self):
        daemon = self.start()
        self.client.ask("SetRotationLock", "s", "portrait")
        self.view(LANDSCAPE)
        self.assert_shown("landscape-right")
        self.restart(daemon)
        self.assert_shown("portrait", lock="portrait", mask=ALL, asked="/")

    def test_unlocking_survives(self):
        daemon = self.start()
        self.client.ask("SetRotationLock", "s", "portrait")
        self.client.ask("SetRotationLock", "s", "off")
        daemon.kill()
        self.start()
        self.assert_shown("portrait", lock="off")

    def test_mode_survives_and_wins_over_the_configuration(self):
        daemon = self.start("Autorotate=always")
        for mode in ("never", "tablet-mode", "always"):
            self.client.ask("SetAutorotate", "s", mode)
            daemon = self.restart(daemon, "Autorotate=never")
            self.assertEqual(self.mode(), (mode, "override"))

    def test_mode_that_is_forgotten_is_the_configurations(self):
        daemon = self.start("Autorotate=tablet-mode")
        self.client.ask("SetAutorotate", "s", "never")
        self.client.ask("SetAutorotate", "s", "auto")
        self.assertEqual(self.mode(), ("tablet-mode", "configuration"))
        self.restart(daemon, "Autorotate=always")
        self.assertEqual(self.mode(), ("always", "configuration"))

    def mode(self):
        return self.client.get("Autorotate"), self.client.get("AutorotateSource")

    def test_mode_that_was_never_set_is_the_configurations(self):
        daemon = self.start("Autorotate=never")
        self.client.ask("SetRotationLock", "s", "portrait")
        self.restart(daemon, "Autorotate=tablet-mode")
        self.assertEqual(self.client.get("Autorotate"), "tablet-mode")

    def test_shown_orientation_survives_a_stop(self):
        daemon = self.start()
        self.client.ask("Rotate", "s", "landscape-left")
        self.restart(daemon)
        self.assert_shown("landscape-left", reason="startup", rule="unknown")

    def test_shown_orientation_is_on_the_disk_after_ten_seconds_of_turning(self):
        # Each turn put it off anew, so that it was never written while the device was in motion.
        daemon = self.start()
        orientations = [*ORIENTATIONS]

        def turns():
            orientations.append(orientations.pop(0))
            self.client.ask("Rotate", "s", orientations[0])
            return self.file.exists()

        wait_until(turns, "the state is written", timeout=15)
        daemon.kill()
        self.start()
        self.assertEqual(self.client.get("InterfaceReason"), "startup")
        self.assertIn(f"InterfaceOrientation={self.client.get('InterfaceOrientation')}\n", self.file.read_text())

    def test_start_outside_what_is_allowed_now_falls_back(self):
        daemon = self.start()
        self.client.ask("SetRotationLock", "s", "portrait-upside-down")
        self.restart(daemon, "SupportedOrientations=landscape")
        self.assert_shown("landscape-right", reason="startup", mask=LANDSCAPE)


class Killed(StateTestCase):
    def test_lock_and_mode_are_there_once_the_call_is_answered(self):
        daemon = self.start()
        self.client.ask("SetRotationLock", "s", "landscape-left")
        self.client.ask("SetAutorotate", "s", "never")
        daemon.kill()
        self.start()
        self.assert_shown("landscape-left", lock="landscape-left")
        self.assertEqual(self.client.get("Autorotate"), "never")

    def test_killed_at_any_instant_it_has_the_last_lock_that_was_answered_or_a_later_one(self):
        generator = random.Random(3)
        locks = ["off", "current", *ORIENTATIONS]
        known = {"off"}
        for _ in range(12):
            daemon = self.start()
            self.assertIn(self.client.get("RotationLock"), known)
            asked = [generator.choice(locks) for _ in range(60)]
            calls = [
                self.client.start_call("SetRotationLock", arguments=GLib.Variant("(s)", (lock,))) for lock in asked
            ]
            enough = generator.randrange(1, 50)
            wait_until(lambda: sum(call.done for call in calls) >= enough, f"{enough} calls are answered")
            daemon.kill()
            wait_until(lambda: all(call.done for call in calls), "the others fail")
            answered = sum(call.error is None for call in calls)
            known = set(asked[answered - 1 :])
            self.assertEqual(daemon.log_lines("state"), [])


class Unusable(StateTestCase):
    SOUND = """[State]
RotationLock=portrait
HeldOrientation=portrait
InterfaceOrientation=portrait
Version=1
"""

    def test_what_it_has_written_is_what_is_tested_here(self):
        daemon = self.start()
        self.client.ask("SetRotationLock", "s", "portrait")
        daemon.stop()
        self.assertEqual(self.file.read_text(), self.SOUND)

    def test_is_set_aside_with_a_warning_that_names_it_and_the_defaults_hold(self):
        torn = self.SOUND[:-12]
        for what, text, line in (
            ("empty", "", 1),
            ("torn", torn, torn.count("\n") + 1),
            ("foreign", "root:x:0:0:root:/root:/bin/bash\n", 1),
            ("binary", b"\x7fELF\0\0\1\xff", 1),
            ("another version", self.SOUND.replace("Version=1", "Version=2"), 5),
            ("an unknown value", self.SOUND.replace("Lock=portrait", "Lock=sideways"), 2),
            ("an unknown key", self.SOUND.replace("Version", "Colour=blue\nVersion"), 5),
            ("longer than it ever is", "#" * 5000, None),
        ):
            with self.subTest(what):
                data = text if isinstance(text, bytes) else text.encode()
                self.file.write_bytes(data)
                daemon = self.start()
                self.assertEqual(self.client.get("RotationLock"), "off")
                self.assertEqual(self.client.get("InterfaceOrientation"), "portrait")
                place = re.escape(str(self.file)) + (f":{line}: " if line else ": ")
                self.assertEqual(len(daemon.log_lines("warning: (cannot read )?" + place)), 1, daemon.log())
                self.assertEqual(len(daemon.log_lines(re.escape(str(self.file)))), 1, daemon.log())
                self.assertFalse(self.file.exists())
                self.assertEqual((self.folder / "state.bad").read_bytes(), data)
                daemon.stop()
                self.file.unlink(missing_ok=True)

    def test_half_written_file_beside_it_does_no_harm(self):
        self.file.write_text(self.SOUND)
        (self.folder / "state.a1B2c3").write_text(self.SOUND[:20])
        daemon = self.start()
        self.assertEqual(self.client.get("RotationLock"), "portrait")
        self.client.ask("SetRotationLock", "s", "landscape-left")
        self.assertEqual(daemon.log_lines("state"), [])
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["state", "state.a1B2c3"])


class Writing(StateTestCase):
    def test_file_is_for_its_owner_alone(self):
        self.start()
        self.client.ask("SetRotationLock", "s", "portrait")
        self.assertEqual(stat.S_IMODE(self.file.stat().st_mode), 0o600)

    def test_nothing_is_written_without_a_change(self):
        daemon = self.start()
        daemon.stop()
        self.start().stop()
        self.assertLessEqual(len(list(self.folder.iterdir())), 1)
        before = [(path.name, path.stat().st_mtime_ns) for path in self.folder.iterdir()]
        self.start()
        self.view(ALL)
        self.client.ask("SetRotationLock", "s", "off")
        self.assertEqual([(path.name, path.stat().st_mtime_ns) for path in self.folder.iterdir()], before)

    def test_first_of_several_folders_counts(self):
        second = self.rig.directory / "second"
        second.mkdir()
        self.start(folder=f"{self.folder}:{second}")
        self.client.ask("SetRotationLock", "s", "portrait")
        self.assertEqual(list(second.iterdir()), [])
        self.assertTrue(self.file.exists())

    def test_folder_that_cannot_be_written_is_one_warning_and_everything_works(self):
        (self.rig.directory / "no-folder").write_text("")
        for folder in (self.rig.directory / "missing", self.rig.directory / "no-folder"):
            with self.subTest(folder.name):
                daemon = self.start(folder=folder)
                for lock in ("portrait", "landscape-left", "current"):
                    self.client.ask("SetRotationLock", "s", lock)
                    self.assertEqual(self.client.get("RotationLock"), lock)
                self.client.ask("SetAutorotate", "s", "never")
                self.client.ask("Rotate", "s", "portrait")
                self.assert_shown("portrait", rule="lock")
                daemon.stop()
                self.assertEqual(daemon.process.returncode, 0)
                warnings = daemon.log_lines(re.escape(str(folder)) + ".*not outlast this run")
                self.assertEqual(len(warnings), 1, daemon.log())

    def test_without_a_folder_nothing_is_written_and_nothing_survives(self):
        for variables in ({}, {"STATE_DIRECTORY": ""}):
            with self.subTest(variables):
                for _ in range(2):
                    daemon = self.rig.start_orientd(environment=variables, before_exec=lambda: os.chdir(self.folder))
                    self.assert_shown("portrait", lock="off")
                    self.client.ask("SetRotationLock", "s", "landscape-left")
                    daemon.stop()
                    self.assertEqual(daemon.log_lines("state"), [])
                    self.assertEqual(list(self.folder.iterdir()), [])
