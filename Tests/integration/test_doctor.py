# SPDX-License-Identifier: Apache-2.0
"""orientctl doctor: each check on a healthy and on a broken system."""

import contextlib
import fcntl
import json
import os
import pathlib
import random
import re
import shlex
import signal
import socket
import subprocess
import threading
import time

from gi.repository import Gio, GLib

from evdev import EventNode, event_node
from feed import Feed
from rig import ACTIONS as OWN_ACTIONS
from rig import BASE, BUILD, DEVICE, MINUS_Z, PLUS_Z, POLKIT, PORTRAIT, PYTHON, REQUEST, RigTestCase, accelerometer, wait_until

BUS = "org.freedesktop.DBus"
HOSTNAMED = "org.freedesktop.hostname1"
SYSTEMD = "org.freedesktop.systemd1"
UNIT = "/org/freedesktop/systemd1/unit/orientd_2eservice"
PROXY = "net.hadess.SensorProxy"
DONE, FAILED = 0, 1
CHECKS = (
    *("kernel", "node", "scale", "mount matrix", "hwdb", "tablet switch", "gravity", "noise", "sampling"),
    *("bus", "service", "rotation", "sensor proxy", "polkit", "state", "configuration", "session"),
)
# Those that need an accelerometer.
SENSOR_CHECKS = ("node", "scale", "mount matrix", "hwdb", "gravity", "noise", "sampling")
EDIT = "sudoedit /etc/orientd/orientd.conf; sudo systemctl restart orientd"
ACTIONS = [*OWN_ACTIONS, PROXY + ".claim-sensor"]

OWN_THE_NAME = """
from gi.repository import Gio, GLib
Gio.bus_own_name(Gio.BusType.SYSTEM, "org.orientd1", 0, None, None, None)
GLib.MainLoop().run()
"""

CLAIM_AS_A_DESKTOP = """
from gi.repository import Gio, GLib
bus = Gio.bus_get_sync(Gio.BusType.SYSTEM, None)
name = "net.hadess.SensorProxy"
bus.call_sync(name, "/net/hadess/SensorProxy", name, "ClaimAccelerometer", None, None, 0, -1, None)
GLib.MainLoop().run()
"""

INTERFACES = {
    "org.freedesktop.DBus.Properties": """
        <method name="Get">
          <arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="v" direction="out"/>
        </method>""",
    POLKIT + ".Authority": """
        <method name="EnumerateActions">
          <arg type="s" direction="in"/><arg type="a(ssssssuuua{ss})" direction="out"/>
        </method>
        <method name="CheckAuthorization">
          <arg type="(sa{sv})" direction="in"/><arg type="s" direction="in"/><arg type="a{ss}" direction="in"/>
          <arg type="u" direction="in"/><arg type="s" direction="in"/><arg type="(bba{ss})" direction="out"/>
        </method>""",
}


def text(value):
    return GLib.Variant("(v)", (GLib.Variant("s", value),))


# This machine may have polkit, which is on no bus of a test.
PROVIDE_POLKIT = ("install the package polkitd or polkit", "sudo systemctl unmask polkit; sudo systemctl start polkit")


class Service:
    """A service that answers the methods of some interfaces at some paths as `answer` says."""

    def __init__(self, rig, name, paths, interfaces, answer):
        self.answer = answer
        self.connection = connection = rig.connect().connection
        for path in paths:
            for interface in interfaces:
                xml = f'<node><interface name="{interface}">{INTERFACES[interface]}</interface></node>'
                (parsed,) = Gio.DBusNodeInfo.new_for_xml(xml).interfaces
                connection.register_object(path, parsed, self.handle, None, None)
        request = GLib.Variant("(su)", (name, 0))
        connection.call_sync(BUS, "/", BUS, "RequestName", request, None, Gio.DBusCallFlags.NONE, 5000, None)

    def handle(self, _connection, _sender, _path, _interface, method, arguments, invocation):
        invocation.return_value(self.answer(method, arguments.unpack()))


class Hand(threading.Thread):
    """Adds noise to a sensor's values: up to `tremor` raw units."""

    def __init__(self, rig, raw=(0, -1000, 0), tremor=3):
        super().__init__(daemon=True)
        self.rig = rig
        self.raw = raw
        self.tremor = tremor
        self.random = random.Random(1)
        self.ended = threading.Event()
        rig.on_close(self.stop)
        self.start()

    def run(self):
        while not self.ended.wait(0.02):
            self.rig.turn([value + self.random.randint(-self.tremor, self.tremor) for value in self.raw])

    def stop(self):
        self.ended.set()
        self.join()


class DoctorTestCase(RigTestCase):
    bus = ("--bus=system",)

    def plug(self, **options):
        """Adds an accelerometer with noise."""
        self.rig.add_device(accelerometer(**options))
        return Hand(self.rig)

    def answer_chassis(self, name):
        """Starts a systemd-hostnamed that calls this machine so."""
        interfaces = ["org.freedesktop.DBus.Properties"]
        Service(self.rig, HOSTNAMED, ["/org/freedesktop/hostname1"], interfaces, lambda *_: text(name))

    def run_doctor(self, *arguments, environment=None):
        """Runs it while the test's services answer; returns its exit status and its output.

        The bus of the test counts as the system's unless `arguments` say otherwise.
        """
        path = self.rig.directory / "doctor.out"
        variables = self.rig.mocked_environment()
        state = self.rig.directory / "state"
        state.mkdir(exist_ok=True)
        variables["STATE_DIRECTORY"] = str(state)
        variables.update(environment or {})
        with open(path, "wb") as output:
            command = [BUILD / "orientctl", "doctor", *self.bus, *arguments]
            process = self.rig.spawn(command, env=variables, stdout=output)
        wait_until(lambda: process.poll() is not None, "it ends", 30)
        return process.returncode, path.read_text()

    def doctor(self, *arguments, **options):
        """Returns {check: finding}, the first of each check."""
        status, output = self.run_doctor("--json", *arguments, **options)
        findings = [json.loads(line) for line in output.splitlines()]
        self.assertEqual(status, FAILED if any(each["result"] == "fail" for each in findings) else DONE)
        by_check = {each["check"]: each for each in reversed(findings)}
        checks = set(CHECKS) - set(SENSOR_CHECKS if by_check["kernel"]["result"] == "fail" else ())
        self.assertEqual(set(by_check), checks, "each check is made, whatever another has found")
        return by_check

    def doctor_until_sampling_is(self, result):
        """Repeats it, as a busy machine delays readings; returns its last findings."""
        findings = {}

        def is_sampling():
            findings.update(self.doctor())
            return findings["sampling"]["result"] == result

        with contextlib.suppress(AssertionError):
            wait_until(is_sampling, "", 60)
        return findings

    def findings(self, check):
        """Returns all findings of a check."""
        _, output = self.run_doctor("--json")
        return [finding for finding in map(json.loads, output.splitlines()) if finding["check"] == check]

    def assert_finding(self, finding, result, pattern=".", remedy=None):
        self.assertEqual(finding["result"], result, finding)
        self.assertRegex(finding["text"], pattern)
        if remedy is not None:
            self.assertEqual(finding["remedy"], remedy)

    def polkit(self, actions=ACTIONS, allowed=True):
        def answer(method, _arguments):
            if method == "CheckAuthorization":
                return GLib.Variant("((bba{ss}))", ((allowed, False, {}),))
            rows = [(name, "", "", "", "", "", 0, 0, 5, {}) for name in actions]
            return GLib.Variant("(a(ssssssuuua{ss}))", (rows,))

        Service(self.rig, POLKIT, ["/org/freedesktop/PolicyKit1/Authority"], [POLKIT + ".Authority"], answer)


class AllIsWell(DoctorTestCase):
    def test_every_check_is_ok_on_a_healthy_system(self):
        self.plug(
            properties={"ACCEL_MOUNT_MATRIX": "1, 0, 0; 0, 1, 0; 0, 0, 1"},
            attributes={"in_accel_mount_matrix": "1, 0, 0; 0, 1, 0; 0, 0, 1"},
        )
        self.rig.add_device(event_node(name="Virtual Switches", attributes={"capabilities/sw": "2"}))
        EventNode(self.rig, switches=2)
        self.polkit()
        self.rig.start_orientd(configuration="[Bus]\nSensorProxy=yes\n")
        status, output = self.run_doctor()
        lines = output.splitlines()
        self.assertEqual(status, DONE)
        self.assertEqual([line for line in lines if not line.startswith("ok    ")], [])
        self.assertEqual([line[6:].split(":")[0] for line in lines], list(CHECKS))
        self.assertIn("Virtual Switches at event3: tablet", output)
        self.assertNotIn("\x1b", output)
        self.client.wait_for("Claims", 0)

    def test_checks_that_cannot_be_made_say_why(self):
        findings = self.doctor("--bus=unix:path=/nonexistent/bus")
        meaning = "^no accelerometer that orientd can use, so the interface cannot follow the device: the kernel has found none; "
        self.assert_finding(findings["kernel"], "fail", meaning)
        self.assert_finding(findings["bus"], "fail", "/nonexistent/bus")
        # A missing accelerometer is one finding, not eight.
        self.assertEqual(set(findings) & set(SENSOR_CHECKS), set())
        for check in ("service", "rotation", "sensor proxy", "polkit"):
            self.assert_finding(findings[check], "warn", "cannot be checked without a bus")


class Hardware(DoctorTestCase):
    def test_accelerometer_in_the_base_alone_is_a_failure(self):
        self.rig.add_device(accelerometer(properties={"ACCEL_LOCATION": "base"}))
        finding = self.doctor()["kernel"]
        self.assert_finding(finding, "fail", "no accelerometer in the display: test at .*base.*ACCEL_LOCATION=base")
        self.assertNotIn("systemd-udev-trigger", finding["remedy"])

    def test_sensor_hub_without_sensors(self):
        hub = "P: /devices/pci0000:00/0000:00:12.0\nE: SUBSYSTEM=pci\nE: DRIVER=intel_ish_ipc\nA: device=0x51fc\\n\n"
        self.rig.add_device(hub)
        finding = self.doctor()["kernel"]
        self.assert_finding(finding, "fail", "Intel's sensor hub reports none$", "sudo journalctl -k -b -g ish")
        self.rig.start_orientd()
        status = self.rig.orientctl("status", *self.bus, environment=self.rig.mocked_environment())
        self.assertIn(f"Problem: {finding['text']}; try: {finding['remedy']}\n", status.stdout)
        # An accelerometer whose driver is missing.
        path = "/devices/pci0000:00/0000:00:12.0/001F:8087:0AC2.0001"
        self.rig.add_device(f"P: {path}\nE: SUBSYSTEM=hid\nE: DRIVER=hid-sensor-hub\n\n")
        self.rig.add_device(f"P: {path}/HID-SENSOR-200073.1.auto\nE: SUBSYSTEM=platform\n\n")
        pattern = r"no driver is loaded for HID-SENSOR-200073\.1\.auto, which may be one$"
        self.assert_finding(self.doctor()["kernel"], "fail", pattern, "sudo systemctl restart systemd-udev-trigger")

    def test_what_there_is_instead_of_an_accelerometer(self):
        """Whoever has none was told only that it, or its driver, is missing."""
        self.rig.add_device(accelerometer("als").replace("in_accel", "in_illuminance"))
        pattern = r"the kernel has found other sensors only \(als\); orientctl\(1\), DIAGNOSIS, lists what to look at$"
        messages = "sudo journalctl -k -b -g 'iio|accel|sensor'"
        self.assert_finding(self.doctor()["kernel"], "fail", pattern, messages)
        bus = "/devices/pci0000:00/i2c-1"
        for path, lines in (
            (bus, "A: name=adapter\\n"),
            (f"{bus}/1-0015", "A: modalias=i2c:mxc4005\\n\nA: name=mxc4005\\n"),
            (f"{bus}/i2c-BOSC0200:00", "A: modalias=acpi:BOSC0200:\\n"),
            (f"{bus}/1-0050", "E: DRIVER=at24\nA: modalias=i2c:24c02\\n"),
        ):
            self.rig.add_device(f"P: {path}\nE: SUBSYSTEM=i2c\n{lines}\n\n")
        pattern = "no driver is loaded for mxc4005, i2c-BOSC0200:00, which may be one$"
        self.assert_finding(self.doctor()["kernel"], "fail", pattern, "sudo systemctl restart systemd-udev-trigger")

    def test_sensors_of_qualcomm(self):
        lines = ["P: /devices/fastrpc-sdsp", "N: fastrpc-sdsp", "E: SUBSYSTEM=misc", "E: DEVNAME=/dev/fastrpc-sdsp"]
        self.rig.add_device("\n".join(lines) + "\n\n")
        pattern = r"sensor core \(/dev/fastrpc-sdsp\) needs hexagonrpcd, which does not run$"
        self.assert_finding(self.doctor()["kernel"], "fail", pattern, "systemctl status 'hexagonrpcd*'")

    def test_files_that_the_daemon_may_not_use(self):
        self.rig.add_device(accelerometer())
        self.take_name()
        self.assert_finding(self.doctor()["node"], "ok", "may use all 3 files")
        self.rig.path(DEVICE, "in_accel_z_raw").chmod(0)
        self.assert_finding(self.doctor()["node"], "fail", "may not read .*/in_accel_z_raw$")

    def test_switch_that_the_daemon_may_not_read(self):
        self.rig.add_device(event_node(attributes={"capabilities/sw": "2"}))
        EventNode(self.rig)
        self.take_name()
        self.assert_finding(self.doctor()["tablet switch"], "ok", ": laptop$")
        self.rig.path("/dev/input/event3").chmod(0)
        self.assert_finding(self.doctor()["tablet switch"], "warn", "may not read /dev/input/event3$")

    def test_switch_that_is_stuck(self):
        self.rig.add_device(accelerometer(raw=PORTRAIT))
        self.rig.add_device(accelerometer(raw=MINUS_Z, index=1, properties={"ACCEL_LOCATION": "base"}))
        self.rig.add_device(event_node(attributes={"capabilities/sw": "2"}))
        EventNode(self.rig, switches=0)
        self.rig.start_orientd()
        # As a desktop does.
        self.client.claim()
        self.client.wait_for("HingeAngle", 90)
        # After the check of the start, orientd does not see that the machine is folded.
        self.client.wait_for("HingeAngle", -1)
        self.rig.turn(PLUS_Z, BASE)
        pattern = "laptop, but the hinge is open by 270°; IgnoreTabletSwitch=NAME ignores a switch$"
        self.assert_finding(self.doctor()["tablet switch"], "warn", pattern)
        # As a user does who has to.
        self.client.ask("SetTabletMode", "s", "tablet")
        self.assert_finding(self.doctor()["tablet switch"], "warn", pattern)

    def take_name(self):
        """Lets another user than root own the daemon's name, because root may use every file."""
        options = {"user": "nobody"} if os.getuid() == 0 else {}
        self.rig.spawn([PYTHON, "-c", OWN_THE_NAME], **options)
        wait_until(self.client.owner, "the daemon's name is taken")

    def test_scale_that_is_missing(self):
        self.plug(scale=None)
        self.assert_finding(self.doctor()["scale"], "warn", "in_accel_scale: missing")

    def test_mount_matrix_that_is_singular(self):
        self.plug(properties={"ACCEL_MOUNT_MATRIX": "1, 0, 0; 2, 0, 0; 0, 0, 1"})
        finding = self.doctor()["mount matrix"]
        self.assert_finding(finding, "warn", "is singular", remedy="sudo orientctl calibrate")

    def test_mount_matrix_says_which_sign_of_z_is_used(self):
        self.plug(attributes={"in_accel_mount_matrix": "1, 0, 0; 0, -1, 0; 0, 0, 1"})
        finding = self.doctor()["mount matrix"]
        self.assert_finding(finding, "ok", "in_accel_mount_matrix; face up reads -z, from the matrix$")

    def test_accelerometers_of_unknown_place_and_the_lines_that_mark_them(self):
        machine = "dmi:bvnAMI:bvr1:svnCHUWI:pnMiniBookX:pvr1:"
        self.rig.add_device(f"P: /devices/virtual/dmi/id\nE: SUBSYSTEM=dmi\nA: modalias={machine}\\n\n\n")
        for index, (parent, modalias) in enumerate((("i2c-MDA6655:00", "acpi:MDA6655:"), ("1-0015", "i2c:mxc4005"))):
            path = f"/devices/pci0000:00/i2c-{index}/{parent}"
            self.rig.add_device(f"P: {path}\nE: SUBSYSTEM=i2c\nA: modalias={modalias}\\n\n\n")
            self.rig.add_device(accelerometer("mxc4005", index=index, parent=path))
        findings = self.findings("kernel")
        self.assertEqual([finding["result"] for finding in findings], ["ok", "warn"], findings)
        self.assertIn("mxc4005 at iio:device0 is used as the display's", findings[1]["text"])
        for modalias, place in (("acpi:MDA6655:", "display"), ("i2c:mxc4005", "base")):
            record = f'"sensor:modalias:{modalias}:dmi:*:svnCHUWI:pnMiniBookX:*" " ACCEL_LOCATION={place}"'
            self.assertIn(record, findings[1]["text"])

    def test_input_device_that_is_left_out_is_named_with_the_reason(self):
        self.plug()
        for number, bus in ((5, "0005"), (6, "0006")):
            attributes = {"id/bustype": bus}
            pad = event_node("Wireless Controller Motion Sensors", number, attributes, {"ID_INPUT_ACCELEROMETER": "1"})
            self.rig.add_device(pad)
        # hwdb has the matrix of a handheld's pad, which a program may imitate.
        properties = {"ID_INPUT_ACCELEROMETER": "1", "ACCEL_MOUNT_MATRIX": "0, 1, 0; -1, 0, 0; 0, 0, 1"}
        pad = event_node("Wireless Controller Motion Sensors", 7, {"id/bustype": "0003"}, properties)
        self.rig.add_device(pad.replace("/devices/platform/test", "/devices/virtual/misc/uhid"))
        (_, *findings) = self.findings("kernel")
        for number, finding in zip((5, 6, 7), findings, strict=True):
            reason = "on USB or Bluetooth, or made by a program"
            pattern = f"^Wireless Controller Motion Sensors at event{number} is not used: {reason}"
            self.assert_finding(finding, "ok", pattern)

    # Such a camera was taken for the display's accelerometer, even before the tablet's own.
    def test_accelerometer_of_a_camera_is_left_out_and_named(self):
        port = "/devices/pci0000:00/usb2/2-1"
        self.rig.add_device(f"P: {port}\nE: SUBSYSTEM=usb\nA: removable=removable\\n\n")
        self.rig.add_device(accelerometer("accel_3d", parent=f"{port}/2-1:1.5/HID-SENSOR-200073.2.auto"))
        self.rig.start_orientd()
        self.assertFalse(self.client.get("HasAccelerometer"))
        reason = "plugged in by USB, it is a camera's or the like, unless ACCEL_LOCATION"
        self.assert_finding(self.findings("kernel")[-1], "ok", f"^accel_3d at iio:device0 is not used: {reason}")
        self.rig.add_device(accelerometer("own", index=1))
        self.client.wait_for("HasAccelerometer", True)
        self.assertEqual(self.client.sensor()["Name"], "own")

    def test_accelerometer_of_a_display_that_is_plugged_in_is_used_if_udev_says_so(self):
        for removable, properties in (
            ("fixed", {}),
            ("unknown", {}),
            ("removable", {"ACCEL_LOCATION": "display"}),
            ("removable", {"ACCEL_MOUNT_MATRIX": "1, 0, 0; 0, 1, 0; 0, 0, 1"}),
        ):
            with self.case(removable=removable, properties=properties):
                port = "/devices/pci0000:00/usb2/2-1"
                self.rig.add_device(f"P: {port}\nE: SUBSYSTEM=usb\nA: removable={removable}\\n\n")
                self.rig.add_device(accelerometer(parent=f"{port}/2-1:1.5/hub", properties=properties))
                self.rig.start_orientd()
                self.assertTrue(self.client.get("HasAccelerometer"))

    def test_accelerometer_that_is_plugged_in_is_used_once_udev_says_so(self):
        port = "/devices/pci0000:00/usb2/2-1"
        self.rig.add_device(f"P: {port}\nE: SUBSYSTEM=usb\nA: removable=removable\\n\n")
        self.rig.add_device(accelerometer(parent=f"{port}/2-1:1.5/hub"))
        self.rig.start_orientd()
        self.assertFalse(self.client.get("HasAccelerometer"))
        path = f"/sys{port}/2-1:1.5/hub/iio:device0"
        self.rig.testbed.set_property(path, "ACCEL_LOCATION", "display")
        self.rig.testbed.uevent(path, "change")
        self.client.wait_for("HasAccelerometer", True)

    # The interface never followed the device again, and doctor did not say why.
    def test_lid_switch_that_is_stuck(self):
        self.plug()
        self.rig.add_device(event_node("Lid Switch", attributes={"capabilities/sw": "1"}))
        EventNode(self.rig, switches=1)
        self.rig.start_orientd()
        self.client.wait_for("InterfaceRule", "paused")
        pattern = "the lid is closed, .*; if that is wrong, IgnoreLidSwitch=Lid Switch ignores it$"
        self.assert_finding(self.doctor()["rotation"], "ok", pattern)
        self.rig.add_device("P: /devices/card0/card0-eDP-1\nE: SUBSYSTEM=drm\nA: dpms=On\\n\n")
        pattern = pattern.replace("; if", ", but the built-in display is on; if")
        self.assert_finding(self.doctor()["rotation"], "warn", pattern, EDIT)

    def test_mount_matrix_that_makes_up_down(self):
        self.plug()
        self.rig.add_device(event_node(attributes={"capabilities/sw": "2"}))
        switches = EventNode(self.rig, switches=0)
        self.rig.start_orientd()
        wait_until(lambda: self.client.get("TabletMode") == "laptop", "the switch is read")
        self.assert_finding(self.doctor()["mount matrix"], "ok")
        self.rig.write("in_accel_mount_matrix", "-1, 0, 0; 0, -1, 0; 0, 0, 1")
        self.rig.testbed.uevent(DEVICE, "change")
        remedy = "sudo orientctl calibrate"
        self.assert_finding(self.doctor()["mount matrix"], "warn", "reads upside down", remedy)
        switches.switch(2)
        self.assert_finding(self.doctor()["mount matrix"], "ok")

    def test_kernel_and_hwdb_that_differ(self):
        kernel = {"in_accel_mount_matrix": "0, 1, 0; 1, 0, 0; 0, 0, 1"}
        self.plug(properties={"ACCEL_MOUNT_MATRIX": "1, 0, 0; 0, 1, 0; 0, 0, 1"}, attributes=kernel)
        finding = self.doctor()["hwdb"]
        self.assert_finding(finding, "warn", "1, 0, 0; 0, 1, 0; 0, 0, 1 is used.*0, 1, 0; 1, 0, 0; 0, 0, 1")

    def test_laptop_without_a_tablet_switch(self):
        self.answer_chassis("laptop")
        finding = self.doctor()["tablet switch"]
        self.assert_finding(finding, "warn", "chassis type is laptop.* adds one that 'orientctl tablet-mode' sets$", EDIT)


class Reading(DoctorTestCase):
    def test_gravity_and_noise_with_and_without_the_daemon(self):
        self.plug()
        for daemon in (False, True):
            with self.subTest(daemon=daemon):
                if daemon:
                    # On a slow machine the sensor would rest before it has been measured.
                    self.rig.start_orientd(configuration="[Sensor]\nPower=responsive\n")
                findings = self.doctor_until_sampling_is("ok")
                self.assert_finding(findings["gravity"], "ok", r"^(0\.99|1\.0)")
                self.assert_finding(findings["noise"], "ok", " mg over ")
                self.assert_finding(findings["sampling"], "ok", "of 15.0 readings")

    def test_wrong_scale(self):
        self.plug(scale="0.0009807")
        self.assert_finding(self.doctor()["gravity"], "fail", "^0.1")

    # It read 2 g by the usual scale, and orientd took that for 1 g.
    def test_input_device_without_a_resolution(self):
        self.rig.add_device(event_node(attributes={"properties": "0"}))
        EventNode(self.rig, (0, 512, 0), 0)
        self.rig.testbed.set_property("/sys/devices/platform/test/input/input3/event3", "ID_INPUT_ACCELEROMETER", "1")
        self.rig.start_orientd()
        findings = self.doctor()
        self.assert_finding(findings["scale"], "ok", "not told by the driver")
        self.assert_finding(findings["gravity"], "ok", r"^2\.000 g at rest")
        self.assert_finding(findings["noise"], "ok", "coarse")

    # The attributes of a hub were stale, or without a sign.
    def test_buffer_is_judged_while_orientd_reads_it(self):
        self.rig.add_fixture("buffered-trigger")
        device = "/sys/devices/platform/test-hid/HID-SENSOR-200073/iio:device0"
        Feed(self.rig, device, (0, -1000000, 0))
        for axis, value in zip("xyz", (500000, 9000000, 500000)):
            self.rig.write(f"in_accel_{axis}_raw", value, device)
        self.rig.start_orientd()
        findings = self.doctor()
        self.assert_finding(findings["gravity"], "ok", r"^1\.000 g at rest, from the buffer")
        self.assert_finding(findings["noise"], "ok", "from the buffer")

    def test_program_that_has_the_device_open_is_named(self):
        self.rig.add_fixture("buffered-trigger")
        device = "/sys/devices/platform/test-hid/HID-SENSOR-200073/iio:device0"
        # This process serves the node, and so has it open.
        Feed(self.rig, device, (0, -1000000, 0), muted=True)
        self.rig.start_orientd()
        status, output = self.run_doctor()
        self.assertRegex(output, rf"warn  node: .*\(process {os.getpid()}\) has /dev/iio:device0 open")

    def test_stuck_sensor(self):
        self.rig.add_device(accelerometer())
        self.assert_finding(self.doctor()["noise"], "warn", "identical")

    def test_moving_device(self):
        self.rig.add_device(accelerometer())
        Hand(self.rig, tremor=500)
        findings = self.doctor()
        for check in ("gravity", "noise"):
            self.assert_finding(findings[check], "warn", "the device is moving: lay it down and repeat this")

    def test_working_and_broken_buffer(self):
        for muted, result, pattern in ((False, "ok", "buffer"), (True, "warn", "polled although it has a buffer")):
            with self.case(muted=muted):
                self.rig.add_fixture("buffered-trigger")
                device = "/sys/devices/platform/test-hid/HID-SENSOR-200073/iio:device0"
                # The rate of a sensor at rest is not measured.
                Feed(self.rig, device, (0, -1000000, 0), noise=99999, muted=muted)
                self.rig.start_orientd()
                self.assert_finding(self.doctor_until_sampling_is(result)["sampling"], result, pattern)

    def test_interruption_restores_the_sensor(self):
        device = "/sys/devices/platform/test-hid/HID-SENSOR-200073/iio:device0"
        self.rig.add_fixture("buffered-trigger")
        Feed(self.rig, device, (0, -1000000, 0))
        process = self.rig.spawn([BUILD / "orientctl", "doctor"], env=self.rig.mocked_environment())
        wait_until(lambda: self.rig.read("buffer/enable", device) == "1", "it reads")
        process.send_signal(signal.SIGINT)
        wait_until(lambda: process.poll() is not None, "it ends")
        self.assertEqual((process.returncode, self.rig.read("buffer/enable", device)), (FAILED, "0"))

    def test_failing_sensor(self):
        self.rig.add_device(accelerometer(raw=(0, "broken", 0)))
        self.rig.start_orientd()
        findings = self.doctor()
        self.assert_finding(findings["sampling"], "fail", "test is lost: .*in_accel_y_raw")
        self.assert_finding(findings["gravity"], "warn", "in_accel_y_raw")

    def test_sensor_that_was_removed(self):
        # Where the base has another one, doctor advised to declare that one the display's.
        self.rig.add_device(accelerometer())
        self.rig.add_device(accelerometer("other", index=1, properties={"ACCEL_LOCATION": "base"}))
        self.rig.start_orientd()
        self.client.claim()
        self.client.wait_for("SensorState", "sampling")
        self.rig.remove_device()
        self.client.wait_for("SensorState", "lost")
        finding = self.findings("kernel")[0]
        pattern = r"^test of the display is lost: the device was removed; there is other at iio:device1 \(base\)$"
        self.assert_finding(finding, "fail", pattern, "sudo journalctl -k -b")

    def test_sensor_of_the_base_that_was_removed(self):
        # doctor blamed the virtual switch, which needs both accelerometers.
        self.rig.add_device(accelerometer())
        self.rig.add_device(accelerometer("other", index=1, properties={"ACCEL_LOCATION": "base"}))
        self.rig.start_orientd()
        self.client.ask("ClaimTabletMode")
        wait_until(lambda: self.client.get("TabletModeSource") == "accelerometers", "the hinge is known")
        self.rig.remove_device(BASE)
        wait_until(lambda: self.client.get("TabletModeSource") == "none", "the hinge is unknown")
        finding = self.doctor()["tablet switch"]
        pattern = "^none; the angle of the hinge is unknown while other of the base is lost: the device was removed$"
        self.assert_finding(finding, "warn", pattern, "orientctl tablet-mode tablet")
        self.rig.orientctl("tablet-mode", "tablet")
        self.assert_finding(self.doctor()["tablet switch"], "ok", "the tablet mode is set by hand")


class Services(DoctorTestCase):
    def test_the_remedy_starts_the_daemon(self):
        finding = self.doctor(f"--bus={self.rig.address}")["service"]
        # As a user can call it: orientd is not in PATH.
        program = (BUILD / "orientd").resolve()
        self.assert_finding(finding, "fail", "not running", remedy=f"{program} --bus='{self.rig.address}'")
        self.rig.spawn(shlex.split(finding["remedy"]), env=self.rig.mocked_environment())
        wait_until(self.client.owner, "orientd is on the bus")
        findings = self.doctor(f"--bus={self.rig.address}")
        self.assert_finding(findings["service"], "ok")
        self.assert_finding(findings["configuration"], "ok", "^defaults: ")

    def test_remedies_are_for_the_bus_that_was_examined(self):
        self.rig.start_orientd()
        self.client.ask("SetRotationLock", "s", "portrait")
        bus = f"--bus={self.rig.address}"
        finding = self.doctor(bus)["rotation"]
        self.assert_finding(finding, "warn", "held by the lock$", remedy=f"orientctl --bus='{self.rig.address}' unlock")
        _, *arguments = shlex.split(finding["remedy"])
        self.rig.orientctl(*arguments)
        findings = self.doctor(bus)
        self.assert_finding(findings["rotation"], "ok")
        self.assertNotIn("systemctl", findings["sensor proxy"]["remedy"])
        # The rig's orientd reads a file of its own.
        pattern = r"^not checked: process \d+ \(orientd\) was started with --config$"
        self.assert_finding(findings["configuration"], "ok", pattern)

    def test_units_that_do_not_run(self):
        for load, active, result, pattern, remedy in (
            ("not-found", "inactive", "success", "not installed", "install orientd"),
            ("masked", "inactive", "success", "masked", "sudo systemctl unmask orientd"),
            ("loaded", "failed", "watchdog", r"has failed \(watchdog\)", "sudo systemctl restart orientd"),
            ("loaded", "inactive", "success", "is inactive", "sudo systemctl start orientd"),
        ):
            with self.case(load=load, active=active):
                values = {"LoadState": load, "ActiveState": active, "Result": result}

                def answer(_method, arguments, values=values):
                    return text(values[arguments[1]])

                Service(self.rig, SYSTEMD, [UNIT], ["org.freedesktop.DBus.Properties"], answer)
                self.assert_finding(self.doctor()["service"], "fail", pattern, remedy)

    def test_get_waits_while_orientd_starts(self):
        # Right after `systemctl restart --no-block orientd` it printed that there is no accelerometer.
        self.rig.start_orientd()
        asked = []

        def answer(_method, arguments):
            if not asked:
                self.rig.add_device(accelerometer())
            asked.append(arguments)
            return text("running" if self.client.get("HasAccelerometer") else "start")

        Service(self.rig, SYSTEMD, [UNIT], ["org.freedesktop.DBus.Properties"], answer)
        command = [BUILD / "orientctl", *self.bus, "get", "HasAccelerometer"]
        process = self.rig.spawn(command, env=self.rig.mocked_environment(), stdout=subprocess.PIPE)
        wait_until(lambda: process.poll() is not None, "it ends", 30)
        self.assertEqual(process.stdout.read(), b"true\n")
        process.stdout.close()

    def test_a_configuration_of_its_own_is_recognized_however_it_is_given(self):
        # The administrator's file was judged in place of the one that orientd reads.
        file = self.rig.directory / "own.conf"
        file.write_text("")
        for arguments in (["--c", file], [f"--conf={file}"], ["-vc", file], []):
            with self.subTest(arguments=arguments):
                command = [BUILD / "orientd", f"--bus={self.rig.address}", *arguments]
                process = self.rig.spawn(command, env=self.rig.mocked_environment())
                wait_until(self.client.owner, "orientd is on the bus")
                finding = self.doctor()["configuration"]
                self.assert_finding(finding, "ok", "was started with --config$" if arguments else "^defaults: ")
                process.terminate()
                process.wait()
                wait_until(lambda: not self.client.owner(), "orientd has ended")

    def test_hanging_daemon_has_a_short_timeout(self):
        process = self.rig.start_orientd().process
        process.send_signal(signal.SIGSTOP)
        self.addCleanup(process.send_signal, signal.SIGCONT)
        start = time.monotonic()
        finding = self.doctor()["service"]
        self.assertLess(time.monotonic() - start, 20)
        # It advised to call doctor.
        self.assert_finding(finding, "fail", r"owns org\.orientd1, but orientd does not answer$")

    def test_interface_that_does_not_turn(self):
        daemon = self.rig.start_orientd()
        self.assert_finding(self.doctor()["rotation"], "ok", "portrait, as there is no accelerometer$")
        daemon.stop()
        self.rig.add_device(accelerometer())
        self.rig.start_orientd()
        self.assert_finding(self.doctor()["rotation"], "ok", "portrait, following the device$")
        # It said that the interface follows the device.
        options = {"supported": GLib.Variant("as", ["landscape-left"])}
        (view,) = self.client.ask("Request", "sua{sv}", "org.example.Player", 0, options)
        text = "landscape-left, an application allows landscape-left only$"
        self.assert_finding(self.doctor()["rotation"], "ok", text, remedy="orientctl requests")
        self.client.ask("SetRotationLock", "s", "portrait")
        self.assert_finding(self.doctor()["rotation"], "ok", text, remedy="orientctl requests")
        self.client.call("Release", path=view, interface=REQUEST)
        self.assert_finding(self.doctor()["rotation"], "warn", "portrait, held by the lock$", remedy="orientctl unlock")
        self.client.ask("SetRotationLock", "s", "off")
        self.client.ask("SetAutorotate", "s", "never")
        remedy = "sudo orientctl autorotate auto"
        self.assert_finding(self.doctor()["rotation"], "warn", "^the interface orientation is portrait, ", remedy=remedy)

    def test_owner_of_the_name_of_iio_sensor_proxy(self):
        self.rig.start_orientd(configuration="[Bus]\nSensorProxy=no\n")
        self.assert_finding(self.doctor()["sensor proxy"], "warn")
        Service(self.rig, PROXY, [], [], None)
        finding = self.doctor()["sensor proxy"]
        self.assert_finding(finding, "warn", r"^process \d+ .* competes for the sensor")
        self.assertIn("systemctl mask --now iio-sensor-proxy", finding["remedy"])

    def test_who_turns_the_display_is_named(self):
        self.rig.add_device(accelerometer())
        self.rig.start_orientd(configuration="[Bus]\nSensorProxy=yes\n")
        self.rig.spawn([PYTHON, "-c", CLAIM_AS_A_DESKTOP])
        wait_until(lambda: self.client.get("SensorProxyClients"), "the desktop claims the sensor")
        _, output = self.run_doctor()
        pattern = r"^ok    rotator: process \d+ \(.*python.*\) claims the accelerometer over net.hadess.SensorProxy$"
        self.assertRegex(output, re.compile(pattern, re.M))

    def test_polkit(self):
        finding = self.doctor()["polkit"]
        self.assert_finding(finding, "warn", "not on the bus")
        self.assertIn(finding["remedy"], PROVIDE_POLKIT)
        for options, result, pattern in (
            ({"actions": ACTIONS[1:]}, "fail", "org.orientd1.claim"),
            ({"allowed": False}, "warn", "this user may not claim"),
        ):
            with self.case(options):
                self.polkit(**options)
                self.rig.start_orientd()
                self.assert_finding(self.doctor()["polkit"], result, pattern)

    def test_refused_claim(self):
        self.plug()
        self.polkit(allowed=False)
        self.rig.start_orientd()
        pattern, remedy = "does not sample for this user", "loginctl session-status"
        self.assert_finding(self.doctor()["sampling"], "warn", pattern, remedy=remedy)

    def test_refused_claim_without_polkit(self):
        self.plug()

        def refuse(method, _arguments):
            # orientd allows its own user everything where there is no polkit: this one ends once it has refused.
            name = GLib.Variant("(s)", (POLKIT,))
            polkit.connection.call_sync(BUS, "/", BUS, "ReleaseName", name, None, Gio.DBusCallFlags.NONE, 5000, None)
            return GLib.Variant("((bba{ss}))", ((False, False, {}),))

        path = "/org/freedesktop/PolicyKit1/Authority"
        polkit = Service(self.rig, POLKIT, [path], [POLKIT + ".Authority"], refuse)
        self.rig.start_orientd()
        finding = self.doctor()["sampling"]
        self.assert_finding(finding, "warn", "does not sample for this user")
        self.assertIn(finding["remedy"], PROVIDE_POLKIT)

    def test_saved_state(self):
        folder = self.rig.directory / "state"
        self.assert_finding(self.doctor()["state"], "ok", "nothing has been saved")
        self.rig.start_orientd(environment={"STATE_DIRECTORY": str(folder)})
        missing = {"STATE_DIRECTORY": str(folder / "missing")}
        self.assert_finding(self.doctor(environment=missing)["state"], "warn", f"^{folder}/missing does not exist: ")
        self.client.ask("SetRotationLock", "s", "portrait")
        self.assert_finding(self.doctor()["state"], "ok", f"^{folder}/state$")
        (folder / "state").write_text("[State]\nRotationLock=sideways\n")
        self.assert_finding(self.doctor()["state"], "warn", f"^{folder}/state:")
        self.assertEqual(sorted(os.listdir(folder)), ["state"], "doctor does not change the state")


class Desktops(DoctorTestCase):
    """Desktops that rotate the display themselves; the rig's bus is the session's bus too."""

    MUTTER = "org.gnome.Mutter.DisplayConfig"
    KWIN = "org.kde.KWin"
    CONDITIONAL = r"; on a convertible, TabletSwitch=yes below \[Tablet\] adds one$"

    def open_rig(self):
        super().open_rig()
        self.plug(index=0)
        self.rig.add_device("P: /devices/card0/card0-eDP-1\nE: SUBSYSTEM=drm\nA: dpms=On\\n\n")
        self.rig.start_orientd(configuration="[Bus]\nSensorProxy=yes\n")
        self.home = self.rig.directory / "config"
        self.home.mkdir()
        self.environment = {"DBUS_SESSION_BUS_ADDRESS": self.rig.address, "XDG_CONFIG_HOME": str(self.home)}

    def add_inputs(self, *kinds, phys="test"):
        """Adds input devices of the kinds that udev tells, such as TOUCHSCREEN."""
        for number, kind in enumerate(kinds):
            attributes = {"capabilities/sw": "2" if kind == "SWITCH" else "0", "phys": phys}
            properties = {"ID_INPUT": "1", f"ID_INPUT_{kind}": "1"}
            self.rig.add_device(event_node(kind, 3 + number, attributes, properties))

    def serve_properties(self, name, path, values):
        def answer(_method, arguments):
            value = values.get(arguments[1])
            kind = "b" if isinstance(value, bool) else "s"
            return GLib.Variant("(v)", (GLib.Variant(kind, value),))

        Service(self.rig, name, [path], ["org.freedesktop.DBus.Properties"], answer)

    def start_mutter(self, is_managed, version="50.2"):
        self.serve_properties(self.MUTTER, "/org/gnome/Mutter/DisplayConfig", {"PanelOrientationManaged": is_managed})
        self.serve_properties("org.gnome.Shell", "/org/gnome/Shell", {"ShellVersion": version})

    def start_kwin(self, policy, is_tablet=False):
        pathlib.Path("/proc/self/comm").write_text("kwin_wayland")
        outputs = [{"connectorName": "eDP-1", "autoRotation": policy}, {"connectorName": "DP-1"}]
        parts = [{"name": "outputs", "data": outputs}, {"name": "setups", "data": []}]
        (self.home / "kwinoutputconfig.json").write_text(json.dumps(parts))
        self.serve_properties(self.KWIN, "/org/kde/KWin", {"tabletMode": is_tablet})

    def lock(self, value, vendor="gnome"):
        """Sets the desktop's own lock as its user does."""
        schema = f"org.{vendor}.settings-daemon.peripherals.touchscreen"
        path = schema.replace(".", "/")
        folder = self.rig.directory / vendor
        folder.mkdir(exist_ok=True)
        (folder / "test.gschema.xml").write_text(
            f'''<schemalist><schema id="{schema}" path="/{path}/">
                <key name="orientation-lock" type="b"><default>false</default></key>
            </schema></schemalist>'''
        )
        subprocess.run(["glib-compile-schemas", folder], check=True)
        self.environment |= {"GSETTINGS_BACKEND": "keyfile", "GSETTINGS_SCHEMA_DIR": str(folder)}
        command = ["gsettings", "set", schema, "orientation-lock", value]
        subprocess.run(command, env=self.rig.plain_environment | self.environment, check=True)

    def claim(self):
        """Claims the sensor from the process of the desktop."""
        connection = self.rig.connect().connection
        call = (PROXY, "/net/hadess/SensorProxy", PROXY, "ClaimAccelerometer", None, None, 0, 5000, None)
        connection.call_sync(*call)

    def desktop(self):
        """Returns the findings of doctor about the desktop, after status has been seen to show the same problems."""
        _, output = self.run_doctor("--json", environment=self.environment)
        findings = [json.loads(line) for line in output.splitlines()]
        findings = [finding for finding in findings if finding["check"] == "desktop"]
        problems = [f"{each['text']}; try: {each['remedy']}" for each in findings if each["result"] != "ok"]
        self.assertEqual(self.problems(), problems)
        return findings

    def problems(self):
        """Returns the problems that status shows."""
        path = self.rig.directory / "status.out"
        with open(path, "wb") as output:
            command = [BUILD / "orientctl", "status", *self.bus]
            variables = self.rig.mocked_environment() | self.environment
            process = self.rig.spawn(command, env=variables, stdout=output)
        wait_until(lambda: process.poll() is not None, "it ends", 30)
        return [line.removeprefix("Problem: ") for line in path.read_text().splitlines() if line.startswith("Problem")]

    def assert_problem(self, pattern, remedy):
        (finding,) = self.desktop()
        self.assert_finding(finding, "warn", pattern, remedy)

    def test_a_session_without_a_desktop_that_rotates_is_not_mentioned(self):
        self.assertEqual(self.desktop(), [])

    def test_status_says_that_nothing_turns_the_display(self):
        # On sway without orient-agent, nothing said why the display did not turn.
        problem = "neither a desktop nor orient-agent turns the display of this session; try: "
        self.environment["WAYLAND_DISPLAY"] = "test-0"
        self.assertEqual(self.problems(), [problem + "install the package orient-agent"])
        problem += "orient-agent &"
        self.environment = {"PATH": f"{BUILD}:{os.environ['PATH']}"} | self.environment
        del self.environment["WAYLAND_DISPLAY"]
        for display in ("WAYLAND_DISPLAY", "DISPLAY"):
            self.environment[display] = "test-0"
            self.assertEqual(self.problems(), [problem])
            # Where the session's bus does not answer, a desktop may be there.
            address = self.environment.pop("DBUS_SESSION_BUS_ADDRESS")
            self.assertEqual(self.problems(), [])
            self.environment["DBUS_SESSION_BUS_ADDRESS"] = address
            del self.environment[display]
        self.assertEqual(self.problems(), [])
        self.environment["WAYLAND_DISPLAY"] = "test-0"
        # Any desktop of this name, also KWin on X11, which is not looked at.
        Service(self.rig, self.KWIN, [], [], None)
        self.assertEqual(self.problems(), [])
        self.claim()
        self.assertEqual(self.problems(), [])

    def on_terminal(self, *command):
        """Returns what a command prints on a terminal."""
        controller, terminal = os.openpty()
        variables = self.rig.mocked_environment() | self.environment
        process = self.rig.spawn(
            [BUILD / "orientctl", *self.bus, *command], env=variables, stdout=terminal, stderr=terminal
        )
        os.close(terminal)
        wait_until(lambda: process.poll() is not None, "it ends", 30)
        with open(controller, "rb") as output:
            return output.read1().decode()

    def test_with_sudo_the_session_is_not_checked_but_named(self):
        # A user of GNOME was told that all is well.
        display = {"DISPLAY": "test-0"}
        self.assertNotIn("without sudo", self.run_doctor(environment=display)[1])
        text = "that takes a terminal of the graphical session, without sudo\n"
        for variables in ({}, *(display | {caller: "1000"} for caller in ("SUDO_UID", "PKEXEC_UID", "DOAS_USER"))):
            _, output = self.run_doctor(environment=variables)
            self.assertIn("ok    session: not checked, nor are desktop and rotator: " + text, output)
        _, output = self.run_doctor(environment=self.environment)
        self.assertIn("ok    session: not checked: " + text, output)

    def test_commands_that_turn_warn_if_nothing_turns_the_display(self):
        self.environment["WAYLAND_DISPLAY"] = "test-0"
        warning = "orientctl: warning: neither a desktop nor orient-agent turns the display of this session; try: "
        # Its own claim counts for nothing.
        for command in (("rotate", "next"), ("align",), ("lock", "portrait"), ("unlock",)):
            self.assertIn(warning, self.on_terminal(*command))
        self.assertNotIn("warning", self.on_terminal("lock"))
        self.assertIn(warning, self.on_terminal("lock", "toggle"))
        self.claim()
        self.assertNotIn("warning", self.on_terminal("rotate", "next"))

    def test_a_claim_of_another_counts_where_ours_is_refused(self):
        # It was taken for that of the command, which had none, so that the program counted for nothing.
        self.environment["WAYLAND_DISPLAY"] = "test-0"
        self.client.claim()
        self.rig.start_polkit(allowed=["org.orientd1.lock"])
        self.assertNotIn("warning", self.on_terminal("unlock"))
        self.client.release()
        self.assertIn("warning: neither a desktop nor orient-agent turns", self.on_terminal("unlock"))

    def test_a_program_that_uses_the_sensor_may_turn_the_display(self):
        self.environment["WAYLAND_DISPLAY"] = "test-0"
        self.claim()
        self.assertEqual(self.problems(), [])

    def test_gnome_without_a_touch_screen(self):
        self.add_inputs("TOUCHPAD")
        self.start_mutter(False)
        self.assert_problem("only with a touch screen, and there is none$", "gnome-control-center display")

    def test_gnome_with_a_touchpad_and_no_tablet_switch(self):
        self.add_inputs("TOUCHSCREEN", "TOUCHPAD")
        self.start_mutter(False)
        pattern = "while there is a mouse or touchpad and no tablet switch" + self.CONDITIONAL
        self.assert_problem(pattern, "gnome-control-center display")

    def test_gnome_on_a_convertible_whose_hinge_can_be_measured(self):
        self.add_inputs("TOUCHSCREEN", "TOUCHPAD")
        self.rig.add_device(accelerometer(index=1, properties={"ACCEL_LOCATION": "base"}))
        wait_until(lambda: self.client.get("TabletModeSource") == "accelerometers", "the hinge is known")
        self.start_mutter(False)
        self.assert_problem(
            r"no tablet switch; TabletSwitch=yes below \[Tablet\] adds one$",
            EDIT,
        )

    def test_gnome_on_a_convertible_whose_hinge_cannot_be_measured(self):
        self.add_inputs("TOUCHSCREEN", "TOUCHPAD")
        self.answer_chassis("convertible")
        self.start_mutter(False)
        self.assert_problem(
            r"no tablet switch; TabletSwitch=yes below \[Tablet\] adds one for orientctl tablet-mode$",
            EDIT,
        )

    def test_tablet_mode_says_that_gnome_does_not_notice_it(self):
        self.add_inputs("TOUCHSCREEN", "TOUCHPAD")
        self.answer_chassis("convertible")
        self.start_mutter(False)
        warning = "orientctl: warning: GNOME does not rotate while there is a mouse or touchpad and no tablet switch; "
        shown = self.on_terminal("tablet-mode", "tablet")
        self.assertIn(warning + "TabletSwitch=yes below [Tablet] adds one", shown)
        self.assertIn("Tablet mode: tablet, set by hand", shown)
        self.assertNotIn("warning", self.on_terminal("tablet-mode", "laptop"))

    def test_gnome_with_a_virtual_tablet_switch(self):
        self.add_inputs("TOUCHSCREEN", "TOUCHPAD", "SWITCH", phys="orientd/tablet-switch")
        self.start_mutter(False)
        self.assertEqual(self.desktop(), [], "the switch may have changed at this moment")

    def test_gnome_as_a_tablet_with_nothing_wrong(self):
        self.add_inputs("TOUCHSCREEN")
        self.start_mutter(True)
        self.claim()
        self.assertEqual(self.desktop(), [])

    def test_claim_that_gnome_has_lost(self):
        self.lock("false")
        self.start_mutter(True)
        pattern = r"not read the sensor although it should, a fault of version 50.2: upgrade to 51, or log in again$"
        self.assert_problem(pattern, "gnome-session-quit --logout")
        self.lock("true")
        self.assert_problem("^the rotation lock of GNOME is on$", self.unlock("gnome"))
        # People type this as the display does not turn.
        warning = "warning: the rotation lock of GNOME is on; try: gsettings set"
        self.assertIn(warning, self.on_terminal("unlock"))
        self.lock("false")
        self.claim()
        self.assertEqual(self.desktop(), [])

    def test_unlock_knows_that_the_agent_unlocks_the_desktop_a_moment_later(self):
        folder = self.rig.directory / "runtime" / "orient-agent"
        folder.mkdir(parents=True)
        self.environment["XDG_RUNTIME_DIR"] = str(folder.parent)
        self.lock("true")
        self.start_mutter(True)
        self.claim()
        self.assertIn("warning: the rotation lock of GNOME is on", self.on_terminal("unlock"))
        with open(folder / "wayland-0.lock", "w") as file:
            fcntl.lockf(file, fcntl.LOCK_EX)
            file.write(f"{os.getpid()} synchronises the rotation lock with the desktop\n")
            file.flush()
            self.assertEqual(self.on_terminal("unlock"), "Lock: off\r\nInterface: portrait, following the device\r\n")

    def unlock(self, vendor):
        return f"gsettings set org.{vendor}.settings-daemon.peripherals.touchscreen orientation-lock false"

    def test_locks_of_phosh_and_cinnamon(self):
        for name, process, service, vendor in (
            ("Phosh", "phosh", self.MUTTER, "gnome"),
            ("Phosh", ".phosh-wrapped", self.MUTTER, "gnome"),
            ("Cinnamon", "cinnamon", "org.Cinnamon", "cinnamon"),
        ):
            with self.case(process):
                pathlib.Path("/proc/self/comm").write_text(process)
                Service(self.rig, service, [], [], None)
                self.lock("false", vendor)
                self.assertEqual(self.desktop(), [])
                self.lock("true", vendor)
                self.assert_problem(f"^the rotation lock of {name} is on$", self.unlock(vendor))

    def test_lock_that_cannot_be_read(self):
        empty = self.rig.directory / "empty"
        empty.mkdir()
        self.environment["XDG_DATA_DIRS"] = str(empty)
        self.start_mutter(True)
        self.assertEqual(self.desktop(), [], "without the lock's state, a missing claim says nothing")

    def test_kde_that_is_set_never_to_rotate(self):
        self.start_kwin("Never")
        self.assert_problem("never to rotate eDP-1$", "kscreen-doctor output.eDP-1.autoRotatePolicy.inTabletMode")

    def test_kde_that_is_not_in_tablet_mode(self):
        self.add_inputs("TOUCHSCREEN", "MOUSE")
        self.start_kwin("InTabletMode")
        self.assert_problem(
            "in tablet mode only, and there is no tablet switch" + self.CONDITIONAL,
            "kscreen-doctor output.eDP-1.autoRotatePolicy.always",
        )

    # It has mutter's name, for screen casts.
    def test_niri_is_no_desktop_that_rotates(self):
        self.add_inputs("TOUCHPAD")
        self.start_mutter(is_managed=False)
        (finding,) = self.desktop()
        self.assert_finding(finding, "warn", "GNOME rotates only with a touch screen")
        name = pathlib.Path("/proc/self/comm")
        self.addCleanup(name.write_text, name.read_text())
        name.write_text("niri")
        self.assertEqual(self.desktop(), [])

    def test_kde_that_does_not_read_the_sensor(self):
        self.start_kwin("InTabletMode", is_tablet=True)
        (finding,) = self.desktop()
        # The machine of the test may have KWin without the plugin of Qt.
        self.assert_finding(finding, "warn", "^KDE (does not read the sensor although|lacks the part of Qt)")
        self.claim()
        self.assertEqual(self.desktop(), [])

    def test_kde_while_the_display_is_off(self):
        self.rig.write("dpms", "Off", "/sys/devices/card0/card0-eDP-1")
        self.start_kwin("Always")
        self.assertEqual(self.desktop(), [])


class Report(DoctorTestCase):
    def test_report_is_complete_and_has_no_personal_data(self):
        personal = ["planted", "SERIAL12345", socket.gethostname(), "somebody"]
        self.plug(
            name="bma253",
            attributes={
                "serialnumber": "SERIAL12345",
                "label": f"{socket.gethostname()} planted-user /home/somebody/x /srv/planted-home/y",
                "in_accel_mount_matrix": "0, 1, 0; 1, 0, 0; 0, 0, 1",
            },
        )
        self.rig.start_orientd()
        path = self.rig.directory / "report.txt"
        environment = {"USER": "planted-user", "HOME": "/srv/planted-home"}
        options = {"supported": GLib.Variant("as", ["landscape-left"]), "reason": GLib.Variant("s", "planted-reason")}
        self.client.ask("Request", "sua{sv}", "org.planted.Diary", 0, options)
        self.doctor("--report", str(path), environment=environment)
        report = path.read_text()
        # Both in the findings and in the status.
        self.assertEqual(report.count("landscape-left, an application allows landscape-left only"), 2, report)
        for word in personal:
            self.assertNotIn(word.lower(), report.lower())
        for word in ("bma253", "label: <host> <user> /home/<user>/x <home>/y", "0, 1, 0; 1, 0, 0; 0, 0, 1", "gravity:"):
            self.assertIn(word, report)
        self.assertIn("\n== configuration\nnot shown: orientd was started with --config\n", report)
        # What tells most comes first.
        headings = re.findall("^== (.*)$", report, re.M)
        machine = [heading for heading in headings if heading == "machine"]
        self.assertEqual(headings[:2], ["versions", "findings"])
        self.assertRegex("|".join(headings[2 + len(machine) :]), r"^/sys/\S+\|configuration\|orientd\|trace of [^|]*$")
        trace = report[report.index("t_seconds,x,y,z\n") :]
        self.assertGreater(len(trace.splitlines()), 30)
        run = self.rig.orientctl("replay", "-", text=trace)
        self.assertEqual(run.returncode, DONE, run.stderr)

    def test_heading_of_the_trace_has_no_personal_data(self):
        self.rig.add_device(accelerometer(parent="/devices/platform/planted-user", raw="???"))
        _, output = self.run_doctor("--report=-", environment={"USER": "planted-user"})
        self.assertRegex(output, "\n== no trace: .*<user>")
        self.assertNotIn("planted-user", output)

    def test_says_where_the_report_is(self):
        path = self.rig.directory / "report.txt"
        run = self.rig.orientctl("doctor", "--report", path, environment=self.rig.mocked_environment())
        self.assertEqual(run.stderr, f"orientctl: {path} has the report; look through it before you send it\n")
        self.assertIn("== findings", path.read_text())

    def test_a_simulated_sensor_is_not_checked(self):
        self.rig.start_orientd("--source=simulate")
        _, output = self.run_doctor()
        self.assertNotRegex(output, "(gravity|noise|sampling): ")

    def test_trace_that_has_ended_is_no_fault_of_the_kernel(self):
        path = self.rig.directory / "planted.csv"
        path.write_text("t_seconds,x,y,z\n0,0,9.81,0\n0.1,0,9.81,0\n9.81\n")
        self.rig.start_orientd(f"--source=replay:{path}")
        self.client.claim()
        self.client.wait_for("SensorState", "lost")
        finding = f"no accelerometer in this machine; orientd uses {path} (replay): {path}:4: 1 field instead of 4"
        self.assertIn(f"warn  kernel: {finding}\n", self.run_doctor()[1])
        self.assertNotIn("planted", self.run_doctor("--report=-")[1])

    def test_doctor_never_sends_to_doctor(self):
        self.assertNotIn("try: orientctl doctor", self.run_doctor()[1])

    def test_a_report_that_cannot_be_written_is_an_error(self):
        run = subprocess.run(
            [BUILD / "orientctl", "doctor", "--report", "/nonexistent/report"],
            env=self.rig.mocked_environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual((run.returncode, run.stdout), (FAILED, ""))
        self.assertEqual(run.stderr, "orientctl: cannot create /nonexistent/report: No such file or directory\n")

    def test_a_report_on_standard_output(self):
        status, output = self.run_doctor("--report=-")
        self.assertEqual(status, FAILED, "there is no sensor")
        self.assertTrue(output.startswith("== versions\norientctl "), output)
        self.assertRegex(output, r"\nlibiio \d+\.\d+\n")
        self.assertIn("\n== configuration\n", output)
        self.assertEqual(output.count("fail  kernel: no accelerometer"), 1, "the report contains the findings")
        status, output = self.run_doctor("--json", "--report=-")
        self.assertEqual((status, output), (2, ""))

    def test_path_of_a_replayed_trace_is_removed(self):
        path = self.rig.directory / "planted.csv"
        path.write_text("t_seconds,x,y,z\n0,0,9.81,0\n1,0,9.81,0\n")
        self.rig.start_orientd(f"--source=replay:{path}")
        _, output = self.run_doctor("--report=-")
        self.assertIn("<trace>", output)
        self.assertNotIn("planted", output)

    def test_a_recording_takes_the_place_of_the_trace(self):
        path = self.rig.directory / "planted.trace"
        events = "1,request,id=1,app=org.example.Planted,client=:1.77,reason=planted%20film,mask=30\n"
        path.write_text("t_seconds,x,y,z\n0,0,9.81,0\n" + events + "2,9.81,0,0\n")
        _, output = self.run_doctor("--report=-", f"--recording={path}")
        self.assertTrue(output.endswith(
            "\n== recording\nt_seconds,x,y,z\n0,0,9.81,0\n"
            "1,request,id=1,app=app1,client=client1,reason=reason1,mask=30\n2,9.81,0,0\n"
        ), output)
        self.assertNotIn("planted", output.lower())

    def test_a_recording_must_be_a_trace_and_needs_a_report(self):
        path = self.rig.directory / "report.txt"
        for name in ("/nonexistent", "/etc/passwd"):
            run = self.rig.orientctl("doctor", "--report", path, "--recording", name)
            self.assertEqual((run.returncode, run.stdout), (FAILED, ""))
            self.assertRegex(run.stderr, rf"\Aorientctl: .*{name}.*\n\Z")
            self.assertFalse(path.exists())
        run = self.rig.orientctl("doctor", "--recording", path)
        self.assertEqual((run.returncode, run.stdout), (2, ""))
