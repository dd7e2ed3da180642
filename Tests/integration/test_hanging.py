# SPDX-License-Identifier: Apache-2.0
"""A device of which one attribute hangs while it is looked for hides no other, and is used once it answers."""

import contextlib
import json
import os
import pathlib
import threading
import time

from evdev import EVIOCGABS, EventNode, event_node
from rig import BASE, DEVICE, LANDSCAPE_LEFT, accelerometer, wait_until
from sensor_proxy import SensorProxyTestCase
from test_sensors import LIGHT, device, scanned

LATE = "/sys/devices/platform/late/iio:device70"


class Silent(EventNode):
    """An event node whose axes are told only once they may be."""

    def __init__(self, rig, **options):
        self.may_tell = threading.Event()
        super().__init__(rig, **options)

    def answer(self, base, client):
        if 0 <= client.get_request() - EVIOCGABS < len(self.axes):
            self.may_tell.wait()
        return super().answer(base, client)


class Slow(threading.Thread):
    """An attribute that takes a tenth of a second for each read."""

    def __init__(self, rig, attribute, device, text):
        super().__init__(daemon=True)
        rig.block(attribute, device)
        (self.path, self.text, self.running) = (rig.path(device, attribute), text, True)
        rig.on_close(self.stop)
        self.start()

    def run(self):
        while self.running:
            time.sleep(0.005)
            try:
                writer = os.open(self.path, os.O_WRONLY | os.O_NONBLOCK)
            except OSError:
                continue  # nobody reads
            time.sleep(0.1)
            with contextlib.suppress(BrokenPipeError):  # who read has ended
                os.write(writer, self.text)
            os.close(writer)

    def stop(self):
        self.running = False
        self.join()


class HangingTestCase(SensorProxyTestCase):
    def hang(self, attribute, device):
        """Has a read of an attribute hang.

        It can be opened: umockdev lets nobody open anything else while opening hangs.
        """
        self.rig.block(attribute, device)
        writer = os.open(self.rig.path(device, attribute), os.O_RDWR)
        self.rig.on_close(lambda: os.close(writer))

    def start_and_claim(self, *arguments):
        """Starts orientd, which must be ready, and answer a claim, long before it gives up a device, after 5 s."""
        self.started = time.monotonic()
        daemon = self.rig.start_orientd(*arguments, configuration="[Bus]\nSensorProxy=yes\n")
        self.client.claim()
        self.assertLess(time.monotonic() - self.started, 4)
        return daemon

    def lost(self, name):
        """Waits until the sensor of that name is lost, and returns it."""

        def find():
            found = [each for each in self.client.sensors().values() if each["Name"] == name]
            return found[0] if found and found[0]["State"] == "lost" else None

        return wait_until(find, f"{name} is lost")

    def wait_for_state(self, name, state):
        def state_now():
            found = [each for each in self.client.sensors().values() if each["Name"] == name]
            return [(each["State"], each["LastError"]) for each in found]

        wait_until(lambda: (state, "") in state_now(), f"{name} is {state}: {state_now()}")

    def threads(self, daemon):
        return len(list(pathlib.Path(f"/proc/{daemon.pid}/task").iterdir()))


class OtherSensors(HangingTestCase):
    # None of them was found, and none that was plugged in later, without a line in the log.
    def test_are_used_whatever_hangs(self):
        base = {"location": "base"}
        cases = [
            ("in_illuminance_integration_time", {"in_illuminance_raw": 1, "in_illuminance_integration_time": 0.05}),
            ("in_illuminance_scale", {"in_illuminance_raw": 1, "in_illuminance_scale": 1}),
            ("in_proximity_nearlevel", {"in_proximity_raw": 1, "in_proximity_nearlevel": 100}),
            ("in_accel_scale", base),
            ("location", base),
            ("name", base),
            ("label", {"label": "accel-base"}),
            ("in_accel_mount_matrix", base | {"in_accel_mount_matrix": "1, 0, 0; 0, 1, 0; 0, 0, 1"}),
            ("in_mount_matrix", base | {"in_mount_matrix": "1, 0, 0; 0, 1, 0; 0, 0, 1"}),
            ("in_accel_offset", base | {"in_accel_offset": 0}),
            ("scan_elements/in_illuminance_type", scanned("in_illuminance", scale=1)),
        ]
        paths = []
        for number, (attribute, attributes) in enumerate(cases):
            path = f"/sys/devices/platform/hanging/iio:device{number}"
            if "location" in attributes or "label" in attributes:
                attributes = {f"in_accel_{axis}_raw": 0 for axis in "xyz"} | {"in_accel_scale": 1} | attributes
            self.rig.add_device(device(path, {"name": f"broken{number}"} | attributes))
            self.hang(attribute, path)
            paths.append(f"{path}/{attribute}")
        self.rig.add_device(accelerometer("display", index=20, attributes={"location": "display"}))
        daemon = self.start_and_claim()
        self.assertEqual(self.client.get("DeviceOrientation"), "portrait")
        self.rig.turn(LANDSCAPE_LEFT, DEVICE.replace("device0", "device20"))
        self.assert_orientation("landscape-left")
        # Plugged in later.
        self.rig.add_device(device(LATE, {"in_illuminance_raw": 7}))
        self.wait_for_value("HasAmbientLight", True)
        self.call("ClaimLight")
        self.assertEqual(self.get("LightLevel"), 7)
        for path in paths:
            self.assertEqual(len(daemon.wait_for_log(f"{path} does not answer for 5 s")), 1, daemon.log())
        errors = {each["Name"]: each["LastError"] for each in self.client.sensors().values() if each["State"] == "lost"}
        self.assertEqual(errors["broken3"], paths[3] + " does not answer for 5 s")
        self.assertLess(daemon.stop(), 4)

    def test_are_used_while_the_displays_hangs(self):
        self.rig.add_device(accelerometer("display"))
        self.rig.add_device(accelerometer("base", index=1, attributes={"location": "base"}))
        self.rig.add_device(device(LIGHT.replace("device1", "device6"), {"in_illuminance_raw": 3}))
        self.hang("in_accel_scale", DEVICE)
        daemon = self.rig.start_orientd(configuration="[Bus]\nSensorProxy=yes\n")
        started = time.monotonic()
        self.call("ClaimLight")
        self.assertEqual(self.get("LightLevel"), 3)
        self.client.claim()
        self.assertLess(time.monotonic() - started, 4)
        self.wait_for_state("base", "idle")
        found = self.lost("display")
        problem = DEVICE + "/in_accel_scale does not answer for 5 s"
        self.assertEqual((found["LastError"], found["SysfsPath"]), (problem, DEVICE))
        self.assertEqual(self.client.get("SensorState"), "lost")
        self.assertEqual(daemon.log_lines("does not answer"), [f"orientd: warning: display: {problem}"])
        # It answers: it is used, as it is claimed.
        self.rig.unblock("in_accel_scale", 0.009807)
        self.client.wait_for("SensorState", "sampling")
        self.assert_orientation("portrait")
        self.wait_for_state("display", "sampling")

    def test_are_found_while_twelve_hang(self):
        for number in range(10, 22):
            path = f"/sys/devices/platform/light/iio:device{number}"
            self.rig.add_device(device(path, {"in_illuminance_raw": 1, "in_illuminance_integration_time": 1}))
            self.hang("in_illuminance_integration_time", path)
        self.rig.add_device(accelerometer("display", index=30))
        daemon = self.start_and_claim()
        self.assertEqual(self.client.get("DeviceOrientation"), "portrait")
        wait_until(lambda: len(daemon.log_lines("does not answer for 5 s")) == 12, "all are lost")


    def test_are_found_while_another_is_announced_all_the_time(self):
        # Each scan was out of date when it ended, and nothing was found before it was quiet.
        self.rig.add_device(device(LIGHT, {"in_illuminance_raw": 1, "in_illuminance_integration_time": 0.05}))
        self.rig.add_device(accelerometer("base", attributes={"location": "base"}))
        self.rig.start_orientd()
        self.wait_for_state("base", "idle")
        Slow(self.rig, "in_illuminance_integration_time", LIGHT, b"0.05\n")
        self.rig.add_device(accelerometer("display", index=7))

        def is_found():
            self.rig.testbed.uevent(DEVICE, "add")
            return self.client.get("HasAccelerometer")

        wait_until(is_found, "the display's is found", timeout=3)


class Device(HangingTestCase):
    def test_is_described_by_one_job_until_it_answers_and_used_then(self):
        self.rig.add_device(accelerometer("display"))
        self.rig.add_device(accelerometer("base", index=1, attributes={"location": "base"}))
        self.hang("in_accel_scale", BASE)
        daemon = self.start_and_claim()
        self.lost("base")
        before = self.threads(daemon)
        for _ in range(3):
            self.rig.add_device(device(LATE, {"in_illuminance_raw": 7}))
            self.wait_for_value("HasAmbientLight", True)
            self.rig.remove_device(LATE)
            self.wait_for_value("HasAmbientLight", False)
        wait_until(lambda: self.threads(daemon) <= before, "no thread is left by a scan")
        self.rig.unblock("in_accel_scale", 0.009807, BASE)
        self.wait_for_state("base", "sampling")
        self.assertEqual(len(daemon.log_lines("does not answer")), 1, daemon.log())
        # The thread of the job has ended, and the base, which is read now, has one.
        wait_until(lambda: self.threads(daemon) <= before, "the job has ended")

    def test_is_used_when_it_is_plugged_in_again(self):
        self.rig.add_device(accelerometer("display", index=0))
        self.hang("in_accel_scale", DEVICE)
        self.rig.start_orientd()
        self.lost("display")
        for _ in range(3):
            self.rig.remove_device()
            wait_until(lambda: "was removed" in self.client.sensor()["LastError"], "the loss is noticed")
            self.rig.add_device(accelerometer("display"))
            self.client.wait_for("SensorState", "idle")
        self.client.claim()
        self.assertEqual(self.client.get("DeviceOrientation"), "portrait")
        self.assertEqual(len(self.client.sensors()), 1)

    def test_that_hangs_before_it_is_known_what_it_is_has_a_line_in_the_log(self):
        self.rig.add_device(accelerometer("display"))
        hinge = "/sys/devices/platform/hinge/iio:device8"
        self.rig.add_device(device(hinge, {"name": "hinge", "in_angl0_raw": 1, "in_angl0_label": "hinge"}))
        self.hang("in_angl0_label", hinge)
        daemon = self.start_and_claim()
        daemon.wait_for_log("iio:device8/in_angl0_label does not answer for 5 s")

    def test_that_works_is_not_lost_when_it_hangs_at_another_scan(self):
        attributes = {"in_illuminance_raw": 1, "in_illuminance_integration_time": 0.1}
        self.rig.add_device(accelerometer("display"))
        self.rig.add_device(device(LIGHT, attributes))
        daemon = self.start_and_claim()
        self.call("ClaimLight")
        self.hang("in_illuminance_integration_time", LIGHT)
        self.rig.add_device(accelerometer("base", index=2, attributes={"location": "base"}))
        self.wait_for_state("base", "sampling")
        daemon.wait_for_log(LIGHT + "/in_illuminance_integration_time does not answer for 5 s")
        self.rig.write("in_illuminance_raw", 2, LIGHT)
        self.wait_for_value("LightLevel", 2)

    def test_that_is_known_stays_one_sensor_when_its_name_hangs_at_another_scan(self):
        # It was a second sensor, lost, and once the name was read both had become another.
        self.rig.add_device(accelerometer("display"))
        self.rig.add_device(device(LIGHT, {"in_illuminance_raw": 1}))
        daemon = self.start_and_claim()
        self.hang("name", DEVICE)
        self.rig.remove_device(LIGHT)
        problem = DEVICE + "/name does not answer for 5 s"
        self.rig.add_device(device(LATE, {"in_illuminance_raw": 7}))
        daemon.wait_for_log(problem)
        self.assertEqual(self.client.sensor()["State"], "sampling")
        # One that was lost meanwhile is described anew.
        self.rig.path(DEVICE, "in_accel_x_raw").unlink()
        self.client.wait_for("SensorState", "lost")
        self.rig.write("in_accel_x_raw", 0)
        self.rig.unblock("name", "display")
        self.client.wait_for("SensorState", "sampling")
        self.assertEqual(self.client.sensor()["LastError"], "")
        self.assertEqual(len(daemon.log_lines("does not answer|now$")), 1, daemon.log())

    # After a driver was bound anew, its device was found before udev had made its files accessible, and not opened
    # again: a chip stayed at its lowest rate.
    def test_that_is_announced_is_opened_anew_though_it_answers_late(self):
        attributes = {"in_accel_sampling_frequency": 1, "in_accel_sampling_frequency_available": "1 10 25"}
        self.rig.add_device(accelerometer("display", attributes=attributes))
        self.start_and_claim()
        rate = self.rig.path(DEVICE, "in_accel_sampling_frequency")
        self.assertEqual(rate.read_text().strip(), "25")
        for is_under_way in (False, True):
            self.rig.write("in_accel_sampling_frequency", 1)
            self.hang("in_accel_scale", DEVICE)
            if is_under_way:  # the description that hangs, and began before the announcement
                self.rig.add_device(device(LATE, {"in_illuminance_raw": 7}))
                self.wait_for_value("HasAmbientLight", True)
                self.rig.remove_device(LATE)
                self.wait_for_value("HasAmbientLight", False)
            self.rig.testbed.uevent(DEVICE, "add")
            # A scan that follows has ended without the device.
            self.rig.add_device(device(LATE, {"in_illuminance_raw": 7}))
            self.wait_for_value("HasAmbientLight", True)
            self.assertEqual(rate.read_text().strip(), "1")
            self.rig.unblock("in_accel_scale", 0.009807)
            wait_until(lambda: rate.read_text().strip() == "25", "it is opened anew")
            self.rig.remove_device(LATE)
            self.wait_for_value("HasAmbientLight", False)

    def test_of_the_input_subsystem(self):
        properties = {"ID_INPUT_ACCELEROMETER": 1}
        self.rig.add_device(event_node("chip", attributes={"properties": "40"}, properties=properties))
        node = Silent(self.rig, axes=(0, -256, 0), resolution=256)
        self.rig.on_close(node.may_tell.set)
        self.rig.add_device(device(LIGHT, {"in_illuminance_raw": 1}))
        self.rig.add_device(accelerometer("base", index=2, attributes={"location": "base"}))
        daemon = self.rig.start_orientd(configuration="[Bus]\nSensorProxy=yes\n")
        wait_until(lambda: self.get("HasAmbientLight"), "the light sensor is found")
        self.wait_for_state("base", "idle")
        self.assertEqual(self.lost("chip")["LastError"], "/dev/input/event3 does not answer for 5 s")
        node.may_tell.set()
        self.wait_for_state("chip", "idle")
        self.client.claim()
        self.assertEqual(self.client.get("DeviceOrientation"), "portrait")

    def test_is_in_the_recording(self):
        self.rig.add_device(accelerometer("display"))
        self.hang("in_accel_scale", DEVICE)
        path = self.rig.directory / "hanging.trace"
        daemon = self.rig.start_orientd("--record", path)
        self.lost("display")
        self.rig.unblock("in_accel_scale", 0.009807)
        self.wait_for_state("display", "idle")
        self.client.claim()
        self.client.wait_for("SensorState", "sampling")
        daemon.stop()
        replay = self.rig.orientctl("replay", "--devices", "--json", path).stdout
        changes = [json.loads(line) for line in replay.splitlines()]
        states = [each["State"] for each in changes if "State" in each]
        self.assertEqual(states, ["lost", "idle", "sampling"], replay)
        errors = [each["LastError"] for each in changes if "LastError" in each]
        self.assertEqual(errors, [DEVICE + "/in_accel_scale does not answer for 5 s", ""], replay)


class Orientctl(HangingTestCase):
    def orientctl(self, *arguments):
        return self.rig.orientctl(*arguments, environment=self.rig.mocked_environment(), timeout=20)

    def test_doctor_names_what_hangs(self):
        self.rig.add_device(accelerometer("display"))
        self.rig.add_device(device(LIGHT, {"in_illuminance_raw": 1, "in_illuminance_integration_time": 0.05}))
        self.hang("in_illuminance_integration_time", LIGHT)
        self.rig.start_orientd()
        output = self.orientctl("doctor").stdout
        self.assertIn(LIGHT + "/in_illuminance_integration_time does not answer for 5 s", output)
        self.assertRegex(output, r"kernel: .*display")
        listed = self.orientctl("sensors")
        self.assertIn("display", listed.stdout)

    def test_record_uses_what_answers(self):
        self.rig.add_device(accelerometer("broken"))
        self.rig.add_device(accelerometer("display", index=1))
        self.hang("in_accel_scale", DEVICE)
        started = time.monotonic()
        run = self.orientctl("record", "--duration=0.2")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("recording display", run.stderr)
        self.assertLess(time.monotonic() - started, 3)
