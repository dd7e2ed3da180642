# SPDX-License-Identifier: Apache-2.0
"""The D-Bus interface itself: signals, introspection, the object tree, the name, the process's life on the bus."""

import os
import re
import subprocess
import xml.etree.ElementTree


from rig import (
    BUS_NAME,
    DEVICE,
    LANDSCAPE_LEFT,
    MANAGER,
    OBJECT_MANAGER,
    PLUS_Z,
    ROOT_PATH,
    RigTestCase,
    SENSOR,
    SENSOR_PREFIX,
    accelerometer,
    wait_until,
)

MANAGER_TYPES = {
    "Version": "s",
    "HasAccelerometer": "b",
    "SensorState": "s",
    "DeviceOrientation": "s",
    "FaceOrientation": "s",
    "OutputTransform": "s",
    "NaturalOrientation": "s",
    "Gravity": "(ddd)",
    "Claims": "u",
}
SENSOR_TYPES = {
    "Name": "s",
    "SysfsPath": "s",
    "Location": "s",
    "Mode": "s",
    "SampleRate": "d",
    "MountMatrix": "ad",
    "FaceUp": "s",
    "FaceUpReason": "s",
    "State": "s",
    "LastError": "s",
    "SensingLevel": "s",
}
EMITS_CHANGED = "org.freedesktop.DBus.Property.EmitsChangedSignal"


class Signals(RigTestCase):
    def test_only_what_changed_is_told(self):
        self.rig.add_device(accelerometer())
        self.rig.start_orientd()
        known = self.client.get_all()
        changes = self.client.record_changes()
        self.client.claim()
        self.rig.turn(LANDSCAPE_LEFT)
        self.assert_orientation("landscape-left")
        self.rig.turn(PLUS_Z)
        self.client.wait_for("FaceOrientation", "face-up")
        self.client.release()
        self.client.wait_for("SensorState", "idle")
        for change in changes:
            if change.interface != MANAGER:
                continue
            self.assertEqual(change.path, ROOT_PATH)
            self.assertEqual(change.invalidated, [])
            self.assertNotEqual(change.changed, {})
            for name, value in change.changed.items():
                self.assertNotEqual(value, known[name], f"{name} is told without a change")
            known.update(change.changed)
        now = self.client.get_all()
        del known["Gravity"], now["Gravity"]
        self.assertEqual(known, now)

    def test_a_turn_is_told_once_with_its_output_transform(self):
        self.rig.add_device(accelerometer())
        self.rig.start_orientd()
        self.client.claim()
        changes = self.client.record_changes()
        self.rig.turn(LANDSCAPE_LEFT)
        self.assert_orientation("landscape-left")
        told = [change.changed for change in changes if change.interface == MANAGER]
        turn = {
            "DeviceOrientation": "landscape-left",
            "InterfaceOrientation": "landscape-right",
            "InterfaceReason": "sensor",
            "OutputTransform": "270",
        }
        # The first edge after the claim was the one shown already.
        self.assertEqual(told, [turn])

    def test_steady_sensor_is_silent(self):
        self.rig.add_device(accelerometer())
        self.rig.start_orientd()
        self.client.claim()
        changes = self.client.record_changes()
        with self.assertRaises(AssertionError, msg="something is told"):
            wait_until(lambda: changes, "a signal", timeout=0.5)


class Introspection(RigTestCase):
    def introspect(self, path):
        """Returns {name: element} of the interfaces of an object."""
        text = self.client.call("Introspect", "org.freedesktop.DBus.Introspectable", path)[0]
        interfaces = xml.etree.ElementTree.fromstring(text).iter("interface")
        return {interface.get("name"): interface for interface in interfaces}

    def property_types(self, interface):
        return {element.get("name"): element.get("type") for element in interface.iter("property")}

    def test_manager(self):
        self.rig.start_orientd()
        interfaces = self.introspect(ROOT_PATH)
        self.assertIn(OBJECT_MANAGER, interfaces)
        manager = interfaces[MANAGER]
        types = self.property_types(manager)
        self.assertEqual({name: types.get(name) for name in MANAGER_TYPES}, MANAGER_TYPES)
        self.assertLessEqual({"Claim", "Release"}, {method.get("name") for method in manager.iter("method")})
        annotations = {
            element.get("name"): annotation.get("value")
            for element in manager.iter("property")
            for annotation in element.iter("annotation")
            if annotation.get("name") == EMITS_CHANGED
        }
        self.assertEqual(annotations.get("Version"), "const")
        self.assertEqual(annotations.get("Gravity"), "false")
        for element in manager.iter("property"):
            self.assertEqual(element.get("access"), "read")

    def test_sensor(self):
        self.rig.add_device(accelerometer())
        self.rig.start_orientd()
        path, _ = self.client.only_sensor()
        self.assertTrue(path.startswith(SENSOR_PREFIX))
        self.assertEqual(self.property_types(self.introspect(path)[SENSOR]), SENSOR_TYPES)

    def test_every_argument_of_our_interfaces_has_a_name(self):
        self.rig.start_orientd()
        for name, interface in self.introspect(ROOT_PATH).items():
            if name.startswith(BUS_NAME):
                for argument in interface.iter("arg"):
                    self.assertTrue(argument.get("name"), f"an argument in {name} has no name")

    def test_values_have_the_types_that_are_told(self):
        self.rig.add_device(accelerometer())
        self.rig.start_orientd()
        values = self.client.get_all()
        self.assertEqual(values["Claims"], 0)
        self.assertEqual(len(values["Gravity"]), 3)
        self.assertRegex(values["Version"], r"^\d+\.\d+")
        self.assertEqual(values["NaturalOrientation"], "portrait")
        self.assertEqual(values["OutputTransform"], "normal")
        self.assertEqual(len(self.client.sensor()["MountMatrix"]), 9)

    def test_busctl_reads_it(self):
        self.rig.add_device(accelerometer())
        self.rig.start_orientd()
        busctl = ["busctl", f"--address={self.rig.address}"]
        options = {"env": self.rig.plain_environment, "capture_output": True, "text": True, "check": True}
        read = subprocess.run([*busctl, "get-property", BUS_NAME, ROOT_PATH, MANAGER, "SensorState"], **options)
        self.assertEqual(read.stdout, 's "idle"\n')
        tree = subprocess.run([*busctl, "tree", "--list", BUS_NAME], **options).stdout.split()
        self.assertIn(ROOT_PATH, tree)
        self.assertTrue([path for path in tree if path.startswith(SENSOR_PREFIX)], tree)
        shown = subprocess.run([*busctl, "introspect", BUS_NAME, ROOT_PATH, MANAGER], **options).stdout
        self.assertRegex(shown, r"\.Claim +method +- +-")

    def test_errors_of_wrong_calls(self):
        self.rig.start_orientd()
        self.assertEqual(self.client.error_of("Dance"), "org.freedesktop.DBus.Error.UnknownMethod")
        self.assertEqual(
            self.client.error_of("Claim", path=SENSOR_PREFIX + "99"), "org.freedesktop.DBus.Error.UnknownObject"
        )


class Objects(RigTestCase):
    def test_sensors_are_listed_and_announced(self):
        self.rig.start_orientd()
        self.assertEqual(self.client.sensors(), {})
        added = self.client.record_signals(OBJECT_MANAGER, "InterfacesAdded")
        self.rig.add_device(accelerometer())
        wait_until(lambda: added, "InterfacesAdded")
        path, interfaces = added[0]
        self.assertEqual(interfaces[SENSOR]["Name"], "test")
        self.assertEqual(interfaces[SENSOR]["SysfsPath"], DEVICE)
        self.assertEqual(list(self.client.sensors()), [path])
        self.assertEqual(set(self.client.sensor()), set(SENSOR_TYPES))

    def test_two_sensors_have_paths_of_their_own(self):
        self.rig.add_device(accelerometer(name="one"))
        self.rig.start_orientd()
        first, _ = self.client.only_sensor()
        self.rig.add_device(accelerometer(name="two", index=1))
        wait_until(lambda: len(self.client.sensors()) == 2, "two sensors")
        self.assertEqual(self.client.sensors()[first]["Name"], "one")


class Life(RigTestCase):
    def test_ready_means_that_the_answers_are_there(self):
        self.rig.add_device(accelerometer())
        daemon = self.rig.start_orientd(wait=False)
        daemon.wait_until_ready()
        self.assertTrue(self.client.owner())
        self.assertTrue(self.client.get("HasAccelerometer"))

    def test_sigterm_ends_it_with_success(self):
        daemon = self.rig.start_orientd()
        self.assertLess(daemon.stop(), 1)
        self.assertEqual(daemon.process.returncode, 0)
        self.assertIsNone(self.client.owner())

    def test_lost_bus_ends_it_with_one_error_line(self):
        self.rig.add_device(accelerometer())
        daemon = self.rig.start_orientd()
        self.client.claim()
        before = daemon.log().splitlines()
        self.rig.bus_process.kill()
        self.assertGreater(daemon.wait_for_end(), 0)
        lines = daemon.log().splitlines()[len(before) :]
        self.assertEqual(len(lines), 1, lines)
        self.assertRegex(lines[0], "(?i)bus")

    def test_without_a_bus_it_fails_with_one_error_line(self):
        daemon = self.rig.start_orientd("--bus", "unix:path=/nonexistent/bus", wait=False)
        self.assertGreater(daemon.wait_for_end(), 0)
        self.assertEqual(len(daemon.log().splitlines()), 1, daemon.log())

    def test_second_one_gives_up_and_names_the_first(self):
        first = self.rig.start_orientd()
        second = self.rig.start_orientd(wait=False)
        self.assertGreater(second.wait_for_end(), 0)
        owner = re.escape(self.client.owner())
        self.assertTrue(second.log_lines(rf"{owner}|\b{first.pid}\b"), second.log())
        self.assertIsNone(first.process.poll())

    def test_a_second_daemon_names_the_first_and_the_next_step(self):
        first = self.rig.start_orientd()
        second = self.rig.start_orientd(wait=False)
        self.assertEqual(second.wait_for_end(), 1)
        problem = rf"cannot own the name org\.orientd1: process {first.pid} \(orientd\) has it"
        second.wait_for_log(rf"^orientd: {problem}; stop it first, or add --replace$")

    def test_replace_takes_the_name_over(self):
        first = self.rig.start_orientd()
        before = self.client.owner()
        self.rig.start_orientd("--replace")
        self.assertNotEqual(self.client.owner(), before)
        self.assertEqual(first.wait_for_end(), 0)

    def test_replace_with_a_source_that_cannot_be_opened_leaves_the_first(self):
        first = self.rig.start_orientd()
        second = self.rig.start_orientd("--replace", "--source", "replay:/nowhere", wait=False)
        self.assertEqual(second.wait_for_end(), 1)
        second.wait_for_log(r"^orientd: cannot open /nowhere: No such file or directory; Source= or --source names it$")
        self.assertTrue(first.is_running())
        self.assertEqual(self.client.get("Claims"), 0)

    def test_of_many_replacements_at_a_time_one_is_left(self):
        """The loser lived on when it lost the name before it had subscribed to that."""
        running = [self.rig.start_orientd()]
        for _ in range(12):
            running += [self.rig.start_orientd("--replace", wait=False) for _ in range(8)]
            for daemon in running:
                daemon.may_end = True
            wait_until(lambda: sum(daemon.is_running() for daemon in running) == 1, "one is left")
            running = [daemon for daemon in running if daemon.is_running()]
            running[0].wait_until_ready()
            self.assertEqual(self.client.get("Claims"), 0)

    def test_wrong_options_are_a_usage_error(self):
        for arguments in (["--frobnicate"], ["--source", "teapot"], ["surplus"]):
            with self.case(arguments):
                daemon = self.rig.start_orientd(*arguments, wait=False)
                self.assertEqual(daemon.wait_for_end(), 2)
                self.assertGreater(len(daemon.log().splitlines()), 0)

    def test_no_sensor_is_no_reason_to_end(self):
        self.rig.start_orientd()
        self.assertFalse(self.client.get("HasAccelerometer"))
        self.assertEqual(self.client.get("SensorState"), "none")
        self.assertEqual(self.client.get("Claims"), 0)


class Sources(RigTestCase):
    def test_recorded_trace(self):
        trace = self.rig.directory / "trace.csv"
        samples = [f"{step / 15:.3f},0.0,9.81,0.0\n" for step in range(15)]
        samples += [f"{step / 15:.3f},9.81,0.0,0.0\n" for step in range(15, 30)]
        trace.write_text("t_seconds,x,y,z\n" + "".join(samples))
        self.rig.start_orientd("--source", f"replay:{trace}")
        self.assertTrue(self.client.get("HasAccelerometer"))
        self.client.claim()
        self.assertEqual(self.client.get("DeviceOrientation"), "portrait")
        self.assertEqual(self.client.sensor()["Mode"], "replay")
        self.assert_orientation("landscape-left")

    def test_trace_from_a_pipe_whose_writer_pauses(self):
        # The loop waited in read(2): a Get took as long as the pause.
        pipe = self.rig.directory / "trace"
        os.mkfifo(pipe)
        self.rig.start_orientd("--source", f"replay:{pipe}")
        self.client.claim()
        self.assert_bus_answers()
        with open(pipe, "w", buffering=1) as trace:
            trace.write("t_seconds,x,y,z\n0,0,9.81,0\n")
            self.assert_orientation("portrait")
            self.assert_bus_answers()
            trace.write("0.1,9.81,0,0\n0.2,9.81")
            self.assert_bus_answers()
            trace.write(",0,0\n0.3,9.81,0,0\n0.4,9.81,0,0\n")
            self.assert_orientation("landscape-left")
        self.client.wait_for("SensorState", "lost")
        self.assertEqual(self.client.sensor()["LastError"], "the recording has ended")

    def test_recording_as_a_source_plays_its_samples_alone(self):
        trace = self.rig.directory / "recording.csv"
        trace.write_text("t_seconds,x,y,z\n0,lock,lock=portrait\n0,0,9.81,0\n0.1,sleep\n0.2,9.81,0,0\n")
        self.rig.start_orientd("--source", f"replay:{trace}", configuration="[Orientation]\nClassifier=base\n")
        self.client.claim()
        self.assert_orientation("landscape-left")
        self.assertEqual(self.client.get("RotationLock"), "off")

    def test_simulated_sensor(self):
        self.rig.start_orientd("--source", "simulate")
        self.assertTrue(self.client.get("HasAccelerometer"))
        self.client.claim()
        self.assertEqual(self.client.get("SensorState"), "sampling")

    def test_trace_with_a_gap_of_ages_is_survived(self):
        trace = self.rig.directory / "ages.csv"
        trace.write_text("t_seconds,x,y,z\n0,0,9.81,0\n1e300,0,9.81,0\n")
        self.rig.start_orientd("--source", f"replay:{trace}")
        self.client.claim()
        self.assertEqual(self.client.get("DeviceOrientation"), "portrait")

    def test_missing_trace_is_one_error_line(self):
        daemon = self.rig.start_orientd("--source", "replay:/nonexistent.csv", wait=False)
        self.assertGreater(daemon.wait_for_end(), 0)
        self.assertEqual(len(daemon.log_lines("/nonexistent.csv")), 1, daemon.log())
