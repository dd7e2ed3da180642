# SPDX-License-Identifier: Apache-2.0
"""The python-dbusmock template has the interfaces of orientd, and behaves like it: tests of orientd pass with it.

A test of these classes that needs more of orientd than the mock has is named here.
"""

import json
import os
import re
import subprocess
import unittest.mock
import xml.etree.ElementTree

from gi.repository import GLib

import sensor_proxy
import test_agent_outputs
import test_claims
import test_orientctl
import test_orientctl_rotation
import test_requests
import test_rotation
import test_sensor_proxy
from agent_session import AgentTestCase
from members import assert_same_members
from rig import (
    INVALID_ARGS,
    ACTIONS,
    BUILD,
    BUS_NAME,
    DEVICE,
    MANAGER,
    MINUS_Z,
    PLUS_Z,
    PORTRAIT,
    PROPERTIES,
    PYTHON,
    REQUEST,
    ROOT_PATH,
    Rig,
    RigTestCase,
    SENSOR,
    SENSOR_PREFIX,
    SOURCE_ROOT,
    accelerometer,
    wait_until,
)
from rotation import HELD, RotationTestCase

TEMPLATE = SOURCE_ROOT / "docs" / "dbusmock" / "orientd.py"
INSTALLED = "/usr/share/python-dbusmock/templates/orientd.py"
CLIENTS = SOURCE_ROOT / "docs" / "clients.md"
MOCK = "org.freedesktop.DBus.Mock"
MASKS = {"landscape": 24, "all-but-upside-down": 26}
FACES = {PLUS_Z: "face-up", MINUS_Z: "face-down"}


class MockRig(Rig):
    """A rig in which orientd is the mock."""

    def __init__(self):
        super().__init__()
        self.parameters = {"HasAccelerometer": False}
        self.raw = PORTRAIT
        self.is_running = False
        self.refused = []
        self.log_path = self.directory / "mock.log"
        self.log_path.touch()

    def control(self, method, signature, value):
        """Calls a method that controls the mock."""
        self.client.ask(method, signature, value, interface=MOCK)

    def add_device(self, description):
        raw = tuple(int(value) for value in re.findall(r"^A: in_accel_[xyz]_raw=(-?\d+)", description, re.M))
        if self.is_running:
            self.turn(raw)
            self.control("SetHasAccelerometer", "b", True)
        self.parameters = {"HasAccelerometer": True}
        self.raw = raw

    def remove_device(self, device=DEVICE):
        self.control("SetHasAccelerometer", "b", False)

    def held(self, raw):
        """Returns the device orientation for raw values of the sensor."""
        if raw in FACES:
            return FACES[raw]
        (edge,) = [edge for edge, (other, _) in HELD.items() if other == raw]
        edges = list(HELD)
        return edges[(edges.index(edge) + edges.index(self.parameters.get("NaturalOrientation", "portrait"))) % 4]

    def turn(self, raw, device=DEVICE):
        self.control("SetDeviceOrientation", "s", self.held(raw))

    def start_orientd(self, *_arguments, configuration="", environment=None):
        """Starts the mock, with the settings that it has a parameter for."""
        settings = dict(line.split("=") for line in configuration.splitlines() if "=" in line)
        self.parameters.update({key: settings[key] for key in ("NaturalOrientation", "Autorotate") if key in settings})
        if "SupportedOrientations" in settings:
            self.parameters["SupportedOrientations"] = MASKS[settings["SupportedOrientations"]]
        self.parameters["DeviceOrientation"] = self.held(self.raw)
        command = [PYTHON, "-m", "dbusmock", "--template", TEMPLATE, "--parameters", json.dumps(self.parameters)]
        with self.log_path.open("ab") as log:
            self.spawn(command, stdout=log, stderr=log)
        wait_until(lambda: self.client.owner(sensor_proxy.NAME), "the mock is on the bus")
        self.is_running = True
        self.control("SetRefused", "as", self.refused)

    def start_polkit(self, allowed=()):
        self.refused = [action for action in ACTIONS if action not in allowed]

    def allow(self, *actions):
        self.start_polkit(actions)
        self.control("SetRefused", "as", self.refused)


class WithTheMock:
    """Runs tests of orientd with the mock."""

    def open_rig(self):
        with unittest.mock.patch("rig.Rig", MockRig):
            super().open_rig()

    def print_logs(self):
        print(self.rig.log_path.read_text())


def with_the_mock(tests, *without):
    """Returns the tests of a class, without those that need what the mock does not have."""
    assert all(name in vars(tests) for name in without)
    return type(tests.__name__, (WithTheMock, tests), {"__module__": __name__, **dict.fromkeys(without)})


# The mock has shorter texts of errors.
Lock = with_the_mock(test_rotation.Lock, "test_an_orientation_outside_the_device_configuration_is_refused")
Manual = with_the_mock(test_rotation.Manual, "test_rotate_outside_the_effective_mask_is_refused")
Autorotate = with_the_mock(test_rotation.Autorotate)
Start = with_the_mock(test_rotation.Start)
Transform = with_the_mock(test_rotation.Transform)
Transitions = with_the_mock(test_rotation.Transitions)
Members = with_the_mock(test_requests.Members)
# MethodCalled of python-dbusmock is between the signals, and objects that are gone are unknown methods.
Objects = with_the_mock(
    test_requests.Objects,
    "test_an_object_is_added_or_removed_before_the_transition_that_it_causes",
    "test_releasing_a_parent_releases_its_children",
    "test_the_object_of_a_released_request_is_gone",
)
# They need polkit, or the files of a sensor.
Owners = with_the_mock(test_requests.Owners, "test_connection_that_ends_while_polkit_decides_leaves_nothing")
Sensing = with_the_mock(test_requests.Sensing, "test_a_request_that_autorotates_runs_the_sensor_until_it_is_released")
MasksAsNames = with_the_mock(test_requests.MasksAsNames)
Claims = with_the_mock(
    test_claims.Claims,
    "test_killed_client_stops_sensing",
    "test_release_while_the_sensor_is_being_started",
    "test_client_that_goes_before_the_answer_leaves_no_claim",
    "test_reply_waits_at_most_a_second",
    "test_reply_comes_when_the_daemon_ends",
    "test_released_before_the_answer",
    "test_unclaimed_sensor_is_not_read",
    "test_reply_waits_for_the_first_sample",
)
Accelerometer = with_the_mock(
    test_sensor_proxy.Accelerometer,
    "test_a_client_claims_once_however_often",
    "test_a_sensor_in_the_base_is_none",
    "test_positive_z_is_face_up_whatever_the_sensor_is",
    "test_reply_waits_for_a_slow_reading_for_80_ms_and_the_value_follows",
    "test_claim_of_our_own_name_waits_for_a_second",
    "test_kwin_gets_the_value_at_once_and_then_signals",
    "test_kwin_that_claims_before_there_is_a_sensor_needs_no_other_claim",
    "test_orientation_and_tilt",
)
# They need settings or a state that the mock does not have.
ReportedOrientation = with_the_mock(
    test_sensor_proxy.ReportedOrientation,
    "test_a_lock_of_the_last_run_is_reported_without_any_reading",
    "test_it_is_the_device_s_where_that_is_configured",
)
# The programs of this package.
Status = with_the_mock(test_orientctl_rotation.Status)
Turning = with_the_mock(
    test_orientctl_rotation.Turning,
    "test_what_the_device_does_not_support_is_refused",
    "test_orientd_that_hangs_is_named",
    "test_a_polkit_that_does_not_decide_leaves_it_to_an_administrator",
)
Monitor = with_the_mock(test_orientctl_rotation.Monitor)
Get = with_the_mock(test_orientctl.Get)


class Agent(WithTheMock, AgentTestCase):
    test_panel_follows_orientctl = test_agent_outputs.Panel.test_panel_follows_orientctl
    test_lock_holds_the_panel = test_agent_outputs.Panel.test_lock_holds_the_panel


class Laptop(RotationTestCase):
    """What no other test does without devices of the kernel; run with orientd, too."""

    def test_laptop_mode(self):
        self.start("Autorotate=tablet-mode", held="landscape-left")
        self.client.ask("Rotate", "s", "portrait")
        self.client.ask("SetTabletMode", "s", "laptop")
        self.assert_shown("portrait", reason="manual", rule="laptop")
        self.turn("portrait-upside-down")
        self.assert_shown("portrait", reason="manual", rule="laptop")
        self.client.ask("SetRotationLock", "s", "landscape-left")
        self.assert_shown("portrait", rule="laptop", lock="landscape-left")
        self.client.ask("Rotate", "s", "landscape-right")
        self.assert_shown("landscape-right", reason="manual", rule="manual", lock="landscape-right")
        self.turn("portrait")
        self.assert_shown("portrait", reason="tablet-mode", rule="laptop")
        self.client.ask("SetTabletMode", "s", "tablet")
        self.assert_shown("landscape-right", reason="tablet-mode", rule="lock")
        self.assertEqual(self.client.get("TabletModeSource"), "override")
        self.client.ask("SetTabletMode", "s", "auto")
        self.assertEqual(self.client.get("TabletModeSource"), "none")

    def test_laptop_mode_of_a_machine_whose_mode_nobody_has_chosen(self):
        self.start(held="landscape-left")
        self.assertEqual(self.client.get("Autorotate"), "always")
        self.client.ask("SetTabletMode", "s", "laptop")
        for mode in ("tablet-mode", "auto"):
            self.assertEqual(self.client.get("Autorotate"), "tablet-mode")
            self.client.ask("SetAutorotate", "s", mode)
        self.turn("portrait-upside-down")
        self.assert_shown("portrait", reason="tablet-mode", rule="laptop")
        self.client.ask("SetTabletMode", "s", "auto")
        self.assertEqual(self.client.get("Autorotate"), "always")

    def test_a_mask_that_would_leave_nothing_is_refused(self):
        self.start(held="portrait")
        self.client.ask("Request", "sua{sv}", "org.example.App", 2, {})
        name, _ = self.client.refusal("SetApplicationMask", "su", "org.example.App", MASKS["landscape"])
        self.assertEqual(name, "org.orientd1.Error.InvalidInterfaceOrientation")
        self.assert_shown("portrait", mask=2)

    def test_device_that_never_turns_the_interface(self):
        self.start(held="portrait")
        self.client.ask("SetAutorotate", "s", "never")
        (request,) = self.client.ask("Request", "sua{sv}", "org.example.App", 4, {})
        self.assert_shown("portrait-upside-down", rule="mask")
        self.client.ask("Release", path=request, interface=REQUEST)
        self.assert_shown("portrait", rule="never")
        self.client.ask("SetAutorotate", "s", "always")
        (request,) = self.client.ask("Request", "sua{sv}", "org.example.App", MASKS["landscape"], {})
        self.client.ask("SetAutorotate", "s", "never")
        self.client.ask("SetRotationLock", "s", "portrait-upside-down")
        self.assert_shown("landscape-right", rule="mask")
        self.client.ask("Release", path=request, interface=REQUEST)
        self.client.ask("SetRotationLock", "s", "off")
        self.assert_shown("portrait-upside-down", rule="never")
        self.client.ask("Request", "sua{sv}", "org.example.App", MASKS["landscape"], {})
        self.assert_shown("landscape-right", rule="mask")
        self.client.ask("SetAutorotate", "s", "always")
        self.client.ask("SetAutorotate", "s", "never")
        self.assert_shown("landscape-right", rule="mask")

    def test_mask_that_forbids_the_laptop_orientation(self):
        self.start("Autorotate=tablet-mode", held="landscape-left")
        self.client.ask("SetTabletMode", "s", "laptop")
        self.assert_shown("portrait", rule="laptop")
        self.client.ask("Request", "sua{sv}", "org.example.App", 12, {})
        self.assert_shown("landscape-right", rule="mask")

    def test_faces(self):
        self.start(held="landscape-left")
        for raw, face in ((PLUS_Z, "face-up"), (MINUS_Z, "face-down"), (PORTRAIT, "none")):
            self.rig.turn(raw)
            self.client.wait_for("FaceOrientation", face)
        self.assert_shown("portrait", reason="sensor", rule="device")


class LaptopWithTheMock(WithTheMock, Laptop):
    """The same tests."""


class Control(WithTheMock, sensor_proxy.SensorProxyTestCase):
    """What only the mock has."""

    def update(self, path, interface, **properties):
        arguments = GLib.Variant("(sa{sv})", (interface, properties))
        self.client.call("UpdateProperties", MOCK, path, arguments)

    def test_other_properties(self):
        self.start()
        changes = self.client.record_changes()
        self.update(ROOT_PATH, MANAGER, HingeAngle=GLib.Variant("d", 120))
        self.client.claim()
        self.assertEqual(self.client.get("HingeAngle"), 120)
        wait_until(lambda: {"HingeAngle": 120} in [change.changed for change in changes], "it is announced")

    def test_values_of_a_later_orientd(self):
        """What they do not concern is shown and works; what they do concern is refused."""
        self.rig.add_device(accelerometer())
        self.start()
        camera, degrees = GLib.Variant("s", "camera"), GLib.Variant("s", "45")
        self.update(ROOT_PATH, MANAGER, TabletModeSource=camera, RotationLock=degrees)
        self.update(SENSOR_PREFIX + "0", SENSOR, Mode=GLib.Variant("s", "telepathy"))
        of_manager, source, mode = (
            f"orientctl: {text}, which this version does not know\n"
            for text in ("RotationLock is '45'", "TabletModeSource is 'camera'", "Mode is 'telepathy'")
        )
        run = self.rig.orientctl("status")
        self.assertEqual((run.returncode, sorted(run.stderr.splitlines(True))), (0, sorted([of_manager, source, mode])))
        self.assertIn("Device: portrait (top edge up)\n", run.stdout)
        run = self.rig.orientctl("status", "--json")
        status = json.loads(run.stdout)
        self.assertEqual((run.returncode, status["TabletModeSource"], status["RotationLock"]), (0, "camera", "45"))
        run = self.rig.orientctl("sensors")
        self.assertEqual((run.returncode, run.stderr), (0, mode))
        run = self.rig.orientctl("get", "DeviceOrientation")
        self.assertEqual((run.returncode, run.stdout, run.stderr), (0, "portrait\n", ""))
        for name, problem in (("TabletModeSource", source), ("RotationLock", of_manager)):
            run = self.rig.orientctl("get", name)
            self.assertEqual((run.returncode, run.stdout, run.stderr), (1, "", problem))
        run = self.rig.orientctl("lock", "toggle")
        self.assertEqual((run.returncode, run.stdout), (1, ""))
        self.assertIn("which this client does not know", run.stderr)

    def test_light_is_sent_to_who_claims_it(self):
        self.start()
        claimant, other = self.rig.connect(), self.rig.connect()
        heard, ignored = self.record(claimant), self.record(other)
        self.call("ClaimLight", claimant)
        for level in (10, 20):
            self.update(sensor_proxy.PATH, sensor_proxy.NAME, LightLevel=GLib.Variant("d", level))
        wait_until(lambda: heard == [{"LightLevel": 10}, {"LightLevel": 20}], "the claimant receives both")
        self.assertEqual(ignored, [])

    def test_reset_is_a_new_start(self):
        self.rig.add_device(accelerometer())
        self.start()
        self.client.claim()
        (request,) = self.client.ask("Request", "sua{sv}", "org.example.Player", 24, {})
        self.client.call("Reset", MOCK)
        self.assertEqual(list(self.client.objects()), [SENSOR_PREFIX + "0"])
        self.assertEqual((self.client.get("Claims"), self.client.get("InterfaceReason")), (0, "startup"))
        self.client.claim()
        self.assertEqual(self.client.get("DeviceOrientation"), "portrait")

    def test_calls_that_orientd_refuses(self):
        self.start()
        refused = self.client.refusal("GetAll", "s", "org.example", interface=PROPERTIES)
        self.assertEqual(refused[0], "org.freedesktop.DBus.Error.UnknownInterface")
        refused = self.client.refusal("SetApplicationOrientations", "sas", "org.example.App", ["portrait"] * 5)
        self.assertEqual(refused, (INVALID_ARGS, "orientations: takes at most four names"))
        options = {"reason": GLib.Variant("s", "a" * 1025)}
        refused = self.client.refusal("Request", "sua{sv}", "org.example.App", 2, options)
        self.assertEqual(refused, (INVALID_ARGS, "reason: takes at most 1024 bytes"))

    def test_properties_are_read_only(self):
        self.start()
        for name, error in (("RotationLock", "PropertyReadOnly"), ("Lock", "UnknownProperty")):
            arguments = GLib.Variant("(ssv)", (MANAGER, name, GLib.Variant("s", "off")))
            found = self.client.error_of("Set", interface=PROPERTIES, arguments=arguments)
            self.assertEqual(found, "org.freedesktop.DBus.Error." + error)

    def test_state_at_the_start(self):
        self.rig.parameters = {"RotationLock": "landscape-left", "SupportedOrientations": 24}
        self.start()
        names = ("InterfaceOrientation", "InterfaceRule", "SupportedOrientations", "OutputTransform")
        found = self.client.get_all()
        self.assertEqual([found[name] for name in names], ["landscape-left", "lock", 24, "90"])


class Interfaces(RigTestCase):
    def interface(self, client, service, path, interface):
        """Returns an interface as its introspection data has it: {(kind, name): [types and names]}."""
        text = client.call("Introspect", "org.freedesktop.DBus.Introspectable", path, destination=service)[0]
        (element,) = xml.etree.ElementTree.fromstring(text).findall(f"interface[@name='{interface}']")
        members = {}
        for member in element:
            # python-dbusmock has no names for results, and "from" is no name in Python.
            arguments = [
                (found.get("direction"), found.get("type"), found.get("direction") == "in" and found.get("name"))
                for found in member.iter("arg")
            ]
            key = (member.tag, member.get("name"))
            members[key] = (member.get("type"), member.get("access"), arguments)
        return members

    def interfaces(self, rig):
        """Returns all interfaces of an orientd."""
        rig.add_device(accelerometer())
        rig.start_orientd(configuration=sensor_proxy.SERVED)
        client = rig.client
        (request,) = client.ask("Request", "sua{sv}", "org.example.Player", 30, {})
        paths = {
            MANAGER: ROOT_PATH,
            SENSOR: SENSOR_PREFIX + "0",
            REQUEST: request,
            sensor_proxy.NAME: sensor_proxy.PATH,
            sensor_proxy.COMPASS: sensor_proxy.COMPASS_PATH,
        }
        return {
            name: self.interface(client, sensor_proxy.NAME if "hadess" in name else BUS_NAME, path, name)
            for name, path in paths.items()
        }

    def test_they_are_those_of_orientd(self):
        mock = MockRig()
        self.addCleanup(mock.close)
        expected = self.interfaces(self.rig)
        self.assertGreater(len(expected[MANAGER]), 35)
        served = self.interfaces(mock)
        self.assertEqual(served.keys(), expected.keys())
        for interface, members in expected.items():
            with self.subTest(interface):
                assert_same_members(self, members, served[interface], TEMPLATE.relative_to(SOURCE_ROOT))


class Documentation(RigTestCase):
    def test_example(self):
        """The tests that docs/clients.md shows pass."""
        (text,) = re.findall(r"^```python\n(import subprocess\n.*?)^```$", CLIENTS.read_text(), re.M | re.S)
        self.assertIn(INSTALLED, text)
        path = {"PATH": f"{BUILD}:{os.environ['PATH']}"}
        variables = {key: value for key, value in self.rig.plain_environment.items() if "BUS_ADDRESS" not in key} | path
        command = [PYTHON, "-c", text.replace(INSTALLED, str(TEMPLATE))]
        result = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=50)
        self.assertRegex(result.stderr, r"Ran 5 tests in .*\n\nOK\n$")
