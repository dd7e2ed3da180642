# SPDX-License-Identifier: Apache-2.0
"""Touch screens and pens follow the panel on sway and Hyprland, over the sockets of these compositors."""

import json
import struct
import subprocess

from agent_session import AgentTestCase, monitor, panel
from evdev import event_node
from fakes.hyprland import SIGNATURE, HyprlandServer
from fakes.sway import IDENTITY, SwayServer, sway_input
from rig import PYTHON, processor_time, wait_until

I2C, USB, VIRTUAL = "0018", "0003", "0006"


class Device:
    """An input device as the kernel, sway and Hyprland name it."""

    def __init__(self, number, name, bus, vendor, product, kind, properties=None):
        self.number = number
        self.name = name
        self.bus = bus
        self.vendor = vendor
        self.product = product
        self.kind = kind
        self.properties = properties or {
            I2C: {"ID_BUS": "i2c", "ID_INTEGRATION": "internal", "ID_PATH": "pci-0000:00:15.1-platform-i2c_designware.1"},
            USB: {"ID_BUS": "usb", "ID_INTEGRATION": "external", "ID_PATH": "pci-0000:00:14.0-usb-0:9:1.0"},
            VIRTUAL: {},
        }[bus]

    @property
    def identifier(self):
        return f"{self.vendor}:{self.product}:{self.name.replace(' ', '_')}"

    @property
    def hyprland_name(self):
        return self.name.lower().replace(" ", "-")

    def sway_input(self):
        return sway_input(self.identifier, self.kind)

    def description(self):
        """Returns the device in umockdev's format, with what udev finds out about it."""
        kinds = {"touch": "ID_INPUT_TOUCHSCREEN", "tablet_tool": "ID_INPUT_TABLET", "pointer": "ID_INPUT_MOUSE"}
        properties = {"ID_INPUT": "1", kinds[self.kind]: "1"} | self.properties
        attributes = {
            "id/bustype": self.bus,
            "id/vendor": f"{self.vendor:04x}",
            "id/product": f"{self.product:04x}",
        }
        return event_node(self.name, self.number, attributes, properties)


TOUCH = Device(3, "ELAN9008:00 04F3:2C82", I2C, 0x04F3, 0x2C82, "touch")
PEN = Device(4, "ELAN9008:00 04F3:2C82 Stylus", I2C, 0x04F3, 0x2C82, "tablet_tool")
OTHER_TOUCH = Device(5, "Wacom HID 52BA Finger", I2C, 0x056A, 0x52BA, "touch")
TOUCH_MONITOR = Device(6, "ILITEK Multi-Touch", USB, 0x222A, 0x0001, "touch")
# A Surface's touch screen as the kernel has it, and as iptsd has it, which sends the touches.
IPTS_TOUCH = Device(8, "IPTS 045E:099F Touchscreen", I2C, 0x045E, 0x099F, "touch")
IPTSD_TOUCH = Device(9, "IPTSD Virtual Touchscreen 045E:099F", VIRTUAL, 0x045E, 0x099F, "touch")
# A built-in one on USB, and a drawing tablet of OpenTabletDriver, which spans all outputs.
USB_TOUCH = Device(10, "Raydium Touch System", USB, 0x2386, 0x3118, "touch", {"ID_INTEGRATION": "internal"})
DRAWING_TABLET = Device(11, "OpenTabletDriver Virtual Artist Tablet", VIRTUAL, 0, 0, "tablet_tool")
MOUSE = Device(7, "Logitech USB Mouse", USB, 0x046D, 0xC077, "pointer")
BUILT_IN = (TOUCH, PEN)
EXTERNAL = (TOUCH_MONITOR, MOUSE)


class InputTestCase(AgentTestCase):
    def plug(self, *devices):
        for device in devices:
            self.rig.add_device(device.description())

    def assert_rotates(self):
        """Checks that the panel still follows."""
        self.show("landscape-left")
        self.show("portrait")


class Sway(InputTestCase):
    def environment(self):
        return super().environment() | {"SWAYSOCK": str(self.runtime / "sway.sock"), "XDG_CURRENT_DESKTOP": "sway"}

    def start_session(self, *heads, devices=(*BUILT_IN, *EXTERNAL), version=(1, 10, 1), **options):
        self.plug(*devices)
        inputs = [device.sway_input() for device in devices]
        self.sway = self.serve(SwayServer(self.runtime / "sway.sock", inputs, version=version))
        return super().start_session(*heads, **options)

    def wait_for_mappings(self, output, *devices):
        expected = {device.identifier: output for device in devices}
        wait_until(lambda: self.sway.mappings == expected, f"the mappings are {expected}")

    def test_built_in_devices_are_mapped_and_no_others(self):
        agent = self.start_session(panel(), monitor())
        self.wait_for_mappings("eDP-1", *BUILT_IN)
        self.wait_until_idle(agent)
        for command in self.sway.commands:
            self.assertRegex(command, r'^input "?1267:11394:ELAN9008:00_04F3:2C82(_Stylus)?"? map_to_output "?eDP-1"?$')
        self.assert_rotates()

    def test_nothing_is_set_again_by_a_rotation(self):
        self.start_session()
        self.wait_for_mappings("eDP-1", *BUILT_IN)
        count = len(self.sway.commands)
        self.assert_rotates()
        self.assertEqual(len(self.sway.commands), count)

    def test_named_output_gets_the_devices_if_no_panel_is_built_in(self):
        self.start_session(panel("Virtual-1"), monitor(), arguments=["--output=Virtual-1"])
        self.wait_for_mappings("Virtual-1", *BUILT_IN)

    # puterboy/HAOS-kiosk#69, dakboard/Hardware-OS#158: touches were not turned with a panel on HDMI.
    def test_only_touch_screen_belongs_to_the_output_on_hdmi(self):
        for devices, mapped in (((TOUCH_MONITOR, MOUSE), (TOUCH_MONITOR,)), ((TOUCH, TOUCH_MONITOR), (TOUCH,))):
            with self.case(devices=[device.name for device in devices]):
                self.start_session(monitor(position=(0, 0)), devices=devices, arguments=["--output=HDMI-A-1"])
                self.wait_for_mappings("HDMI-A-1", *mapped)
        # Another monitor that comes later is not that of the touch screen.
        for is_first in (True, False):
            with self.case(is_first=is_first):
                heads = [monitor(position=(0, 0)), monitor("HDMI-A-2", position=(1920, 0))]
                devices, arguments = (TOUCH_MONITOR, MOUSE), ["--output=HDMI-A-1"]
                agent = self.start_session(*heads[: 1 if is_first else 2], devices=devices, arguments=arguments)
                self.wait_until_idle(agent)
                if is_first:
                    self.wait_for_mappings("HDMI-A-1", TOUCH_MONITOR)
                    self.compositor.plug(heads[1])
                    self.wait_until_idle(agent)
                    self.sway.mappings.clear()
                    self.sway.publish("workspace", 0x80000000, {"change": "reload"})
                    self.wait_for_mappings("HDMI-A-1", TOUCH_MONITOR)
                else:
                    self.assertEqual(self.sway.commands, [])
        with self.case("two equal monitors"):
            twin = Device(16, TOUCH_MONITOR.name, USB, TOUCH_MONITOR.vendor, TOUCH_MONITOR.product, "touch")
            twin.properties["ID_PATH"] = "pci-0000:00:14.0-usb-0:8:1.0"
            agent = self.start_session(
                monitor(position=(0, 0)), devices=(TOUCH_MONITOR, twin, MOUSE), arguments=["--output=HDMI-A-1"]
            )
            self.wait_until_idle(agent)
            self.assertEqual(self.sway.commands, [])
        with self.case("a built-in panel is rotated"):
            agent = self.start_session(devices=(TOUCH_MONITOR, MOUSE))
            self.wait_until_idle(agent)
            self.assertEqual(self.sway.commands, [])

    # The lower touch screen and its pen were moved to the upper panel, and stayed there.
    def test_devices_of_two_panels_stay_where_the_user_has_mapped_them(self):
        two = (panel(), panel("eDP-2", position=(1200, 0)))
        for heads in (two, (two[0], monitor("DSI-3")), (monitor("DSI-3"), monitor(), panel(enabled=False))):
            with self.case(heads[0].name):
                agent = self.start_session(*heads, arguments=[f"--output={heads[0].name}"])
                self.wait_until_idle(agent)
                self.show("landscape-left", heads[0].name)
                agent.stop()
                self.assertEqual(self.sway.commands, [])

    def test_sway_that_maps_devices_itself_is_left_alone(self):
        for version in ((1, 11, 0), (2, 0, 0)):
            with self.case(version=version):
                agent = self.start_session(version=version)
                wait_until(lambda: self.sway.is_subscribed("input"), "the agent subscribes to inputs")
                self.wait_until_idle(agent)
                self.show("landscape-left")
                agent.stop()
                self.assertEqual(self.sway.commands, [])

    # sway's own mapping asks for "platform" in ID_PATH.
    def test_built_in_device_that_sway_does_not_map_itself_is_mapped(self):
        self.start_session(devices=(TOUCH, USB_TOUCH, IPTS_TOUCH, IPTSD_TOUCH), version=(1, 11, 0))
        self.wait_for_mappings("eDP-1", USB_TOUCH, IPTSD_TOUCH)

    def test_what_a_program_makes_for_a_built_in_device_is_mapped(self):
        self.start_session(devices=(IPTS_TOUCH, IPTSD_TOUCH, DRAWING_TABLET))
        self.wait_for_mappings("eDP-1", IPTS_TOUCH, IPTSD_TOUCH)

    # The socket ended, and the reload after that left the panel upright.
    def test_lost_connection_is_made_again(self):
        agent = self.start_session()
        self.wait_for_mappings("eDP-1", *BUILT_IN)
        self.show("landscape-left")
        with self.sway.lock:
            for connection in list(self.sway.connections):
                self.sway.drop(connection)
            self.sway.mappings.clear()
        agent.wait_for_warning("sway")
        self.wait_for_mappings("eDP-1", *BUILT_IN)
        self.sway.publish("workspace", 0x80000000, {"change": "reload"})
        self.wait_until_idle(agent)
        self.compositor.change("eDP-1", transform="normal")
        self.wait_for_transform("270")

    def test_sway_does_not_know_which_named_output_is_a_panel(self):
        self.start_session(panel("Virtual-1"), version=(1, 11, 0), arguments=["--output=Virtual-1"])
        self.wait_for_mappings("Virtual-1", *BUILT_IN)

    def test_mapping_can_be_disabled(self):
        agent = self.start_session(settings=["MapInput=no"])
        self.assert_rotates()
        self.wait_until_idle(agent)
        self.assertEqual(self.sway.commands, [])

    def test_device_that_comes_later_is_mapped(self):
        self.start_session()
        wait_until(lambda: self.sway.is_subscribed("input"), "the agent subscribes to inputs")
        self.wait_for_mappings("eDP-1", *BUILT_IN)
        self.plug(OTHER_TOUCH)
        self.sway.add_input(OTHER_TOUCH.sway_input())
        self.wait_for_mappings("eDP-1", *BUILT_IN, OTHER_TOUCH)

    def test_panel_that_comes_later_gets_the_devices(self):
        agent = self.start_session(monitor())
        agent.wait_for_warning("HDMI-A-1")
        self.compositor.plug(panel(position=(3120, 0)))
        self.wait_for_mappings("eDP-1", *BUILT_IN)

    def test_name_of_a_device_is_no_command(self):
        # A device chooses its own name, and sway runs every command of a message.
        evil = Device(8, 'x"; exec touch /tmp/x; input "y', I2C, 1, 2, "touch")
        agent = self.start_session(devices=(evil, TOUCH))
        wait_until(lambda: TOUCH.identifier in self.sway.mappings, "the other device is mapped")
        self.wait_until_idle(agent)
        self.assertEqual([command for command in self.sway.commands if not command.startswith("input ")], [])
        agent.new_warnings()

    def test_refused_command_is_one_warning(self):
        self.plug(TOUCH)
        self.sway = self.serve(SwayServer(self.runtime / "sway.sock", [TOUCH.sway_input()]))
        self.sway.error = "unknown device"
        agent = super().start_session()
        agent.wait_for_warning(TOUCH.name.replace(" ", "_"), "unknown device")
        self.assert_rotates()
        self.assertEqual(len(self.sway.commands), 1)

    def test_bad_replies_are_one_warning_and_the_panel_still_turns(self):
        replacements = {
            "garbage": lambda reply: b"HTTP/1.1 400 Bad Request\r\n\r\n",
            "truncated JSON": lambda reply: reply[:6] + struct.pack("=I", 10) + reply[10:24],
            "endless": lambda reply: reply[:6] + struct.pack("=I", 0xFFFFFFFF) + reply[10:],
            "another type": lambda reply: reply[:6] + struct.pack("=I", 2) + reply[10:14] + b"17",
            "deep": lambda reply: reply[:6] + struct.pack("=I", 99) + reply[10:14] + b"[" * 99,
            "no version": lambda reply: reply[:6] + struct.pack("=I", 2) + reply[10:14] + b"{}",
            "line ends": lambda reply: b"\n" * (1 << 20),
            "nothing": lambda reply: b"",
        }
        for name, replacement in replacements.items():
            with self.case(name):
                self.plug(TOUCH)
                self.sway = SwayServer(self.runtime / "sway.sock", [TOUCH.sway_input()])
                self.sway.replace_replies(replacement)
                self.serve(self.sway)
                agent = super().start_session()
                agent.wait_for_warning("sway")
                self.assert_rotates()

    def test_missing_socket_is_one_warning_and_the_panel_still_turns(self):
        agent = super().start_session()
        agent.wait_for_warning("no socket of sway answers, such as SWAYSOCK=", "sway.sock", "are not mapped")
        self.assert_rotates()

    def test_socket_is_found_by_its_owner(self):
        for variable in (None, "", str(self.runtime / "of-a-session-that-has-ended")):
            with self.case(variable=variable):
                self.plug(TOUCH)
                path = self.runtime / "sway-ipc.1000.42.sock"
                self.sway = self.serve(SwayServer(path, [TOUCH.sway_input()]))
                self.start(claim=False)
                self.start_compositor(panel())
                self.start_agent(environment={"SWAYSOCK": variable, "XDG_CURRENT_DESKTOP": None})
                self.wait_for_mappings("eDP-1", TOUCH)

    def test_socket_of_another_process_does_not_count(self):
        # As of the sway in which this one has a window.
        path = self.runtime / "sway-ipc.1000.42.sock"
        script = f"import socket, time; s = socket.socket(socket.AF_UNIX); s.bind({str(path)!r}); s.listen()"
        other = self.rig.spawn([PYTHON, "-c", script + "; print(flush=True); time.sleep(1000)"], stdout=subprocess.PIPE)
        other.stdout.readline()
        self.start(claim=False)
        self.start_compositor(panel())
        agent = self.start_agent(environment={"SWAYSOCK": str(path)})
        agent.wait_for_warning("no socket of sway answers")
        self.assert_rotates()

    def test_sway_restarts(self):
        agent = self.start_session()
        self.wait_for_mappings("eDP-1", *BUILT_IN)
        self.sway.stop()
        agent.wait_for_warning("sway")
        self.compositor.stop()
        agent.wait_for_warning("wayland-7")
        self.sway = SwayServer(self.runtime / "sway-ipc.1000.42.sock", self.sway.inputs)
        self.serve(self.sway)
        self.compositor.start()
        self.wait_for_mappings("eDP-1", *BUILT_IN)

    def test_matrix_of_the_user_stays(self):
        self.start_session()
        self.wait_for_mappings("eDP-1", *BUILT_IN)
        self.assert_rotates()
        matrices = [device["libinput"]["calibration_matrix"] for device in self.sway.inputs]
        self.assertEqual(matrices, [IDENTITY] * len(matrices))


class Others(InputTestCase):
    """Compositors on which the user maps the touch screen."""

    desktop = "labwc:wlroots"

    def environment(self):
        return super().environment() | {"XDG_CURRENT_DESKTOP": self.desktop}

    def test_doctor_names_the_line_for_the_configuration(self):
        lines = {
            "labwc:wlroots": f'<touch deviceName="{TOUCH.name}" mapToOutput="eDP-1"/>',
            "wayfire": f"[input-device:{TOUCH.name}], the line output = eDP-1",
            "river": "riverctl input '*-ELAN9008:00_04F3:2C82' map-to-output eDP-1",
        }
        for self.desktop, line in lines.items():
            with self.case(self.desktop):
                self.plug(TOUCH, TOUCH_MONITOR, MOUSE)
                agent = self.start_session()
                self.assert_rotates()
                self.assertEqual(agent.log(), "")
                check = self.spawn_agent("--check")
                self.assertEqual(check.wait_for_end(), 0)
                findings = [json.loads(line) for line in check.log().splitlines()]
                (finding,) = [finding for finding in findings if finding["check"] == "touch"]
                self.assertEqual(finding["result"], "warn")
                self.assertIn(line, finding["text"])


class Hyprland(InputTestCase):
    def environment(self):
        return super().environment() | {"HYPRLAND_INSTANCE_SIGNATURE": SIGNATURE, "XDG_CURRENT_DESKTOP": "Hyprland"}

    def start_hyprland(self, devices=(*BUILT_IN, *EXTERNAL), is_lua=False):
        self.plug(*devices)

        def names(kind):
            return [device.hyprland_name for device in devices if device.kind == kind]

        self.hyprland = HyprlandServer(
            self.runtime, touch=names("touch"), tablets=names("tablet_tool"), mice=names("pointer"), is_lua=is_lua
        )
        self.serve(self.hyprland)

    def start_session(self, *heads, devices=(*BUILT_IN, *EXTERNAL), is_lua=False, **options):
        self.start_hyprland(devices, is_lua)
        return super().start_session(*heads, **options)

    def wait_for_devices(self, number, devices=BUILT_IN):
        """Waits until these devices have the transform with this number."""

        def have_transform():
            return all(self.hyprland.option(device.hyprland_name, "transform") == str(number) for device in devices)

        try:
            wait_until(have_transform, "")
        except AssertionError:
            raise AssertionError(f"the devices are {self.hyprland.options} instead of transform {number}") from None

    def test_built_in_devices_turn_with_the_panel_and_no_others(self):
        for is_lua in (False, True):
            with self.case(is_lua=is_lua):
                self.start_session(panel(), monitor(), is_lua=is_lua)
                for held, number in (("landscape-left", 3), ("portrait-upside-down", 2), ("landscape-right", 1)):
                    self.show(held)
                    self.wait_for_devices(number)
                names = {device.hyprland_name for device in BUILT_IN}
                self.assertEqual(set(self.hyprland.options), names)
                self.assertEqual({self.hyprland.option(name, "output") for name in names}, {"eDP-1"})
                self.show("portrait")
                self.wait_for_devices(0)

    # hyprwm/Hyprland#9553: the transform took the place of the matrix that hwdb has for a screen mounted turned.
    def test_matrix_of_udev_is_a_part_of_the_transform(self):
        matrices = ("0 1 0 -1 0 1", "-1 0 1 0 1 0", "1.03 0 -0.01 0 0.98 0.02", "unknown")
        devices = [
            Device(20 + index, f"Touch {index}", I2C, 0x27C6, index, "touch", {"LIBINPUT_CALIBRATION_MATRIX": matrix})
            for index, matrix in enumerate(matrices)
        ]
        agent = self.start_session(devices=devices)
        for held, numbers in (("landscape-left", (2, 5, 3, 3)), ("portrait", (3, 4, 0, 0))):
            self.show(held)
            for device, number in zip(devices, numbers):
                self.wait_for_devices(number, [device])
        self.show("landscape-right")
        agent.stop()
        for device, number in zip(devices, (3, 4, 0, 0)):
            self.wait_for_devices(number, [device])

    # Below the keyboard of a Zenbook Duo, the lower panel is off.
    def test_devices_turn_while_another_panel_is_off(self):
        lower = panel("eDP-2", position=(0, 1920))
        self.start_session(panel(), lower, arguments=["--output=eDP-1"])
        self.compositor.change("eDP-2", enabled=False)
        self.show("landscape-left")
        self.wait_for_devices(3)
        self.assertIsNone(self.hyprland.option(TOUCH.hyprland_name, "output"))
        self.show("portrait")
        self.wait_for_devices(0)

    def test_devices_are_restored_at_the_end(self):
        for is_lua in (False, True):
            with self.case(is_lua=is_lua):
                agent = self.start_session(is_lua=is_lua)
                self.show("landscape-left")
                self.wait_for_devices(3)
                agent.stop()
                self.wait_for_devices(0)

    def test_restore_puts_devices_back_too(self):
        agent = self.start_session()
        self.show("landscape-left")
        self.wait_for_devices(3)
        self.wait_until_idle(agent)
        agent.kill()
        self.restore()
        self.wait_for_devices(0)

    def test_reloaded_configuration_gets_the_transform_again(self):
        self.start_session()
        self.show("landscape-left")
        self.wait_for_devices(3)
        self.hyprland.events.wait_for_connections(1)
        self.hyprland.reload()
        self.wait_for_devices(3)

    # After sleep the touch screen is a new device, which stayed unturned until the next rotation.
    def test_device_that_comes_later_is_turned(self):
        self.start_session()
        self.show("landscape-left")
        self.wait_for_devices(3)
        again = Device(9, TOUCH.name, I2C, TOUCH.vendor, TOUCH.product, "touch")
        for device, name in ((OTHER_TOUCH, OTHER_TOUCH.hyprland_name), (again, TOUCH.hyprland_name + "-1")):
            count = len(self.hyprland.requests)
            self.plug(device)
            path = f"/sys/devices/platform/test/input/input{device.number}/event{device.number}"
            self.rig.testbed.uevent(path, "add")
            # Hyprland opens it later than udev reports it.
            wait_until(lambda: len(self.hyprland.requests) > count, "the agent asks for the devices")
            self.hyprland.touch.append(name)
            wait_until(lambda: self.hyprland.option(name, "transform") == "3", f"{name} is turned")

    def test_devices_of_two_panels_keep_their_output(self):
        heads = (panel(), panel("eDP-2", position=(1200, 0)))
        with self.case("both are rotated"):
            self.start_session(*heads)
            self.show("landscape-left")
            self.wait_for_devices(3)
            self.assertEqual({name for device in self.hyprland.options.values() for name in device}, {"transform"})
        with self.case("one is rotated"):
            agent = self.start_session(*heads, arguments=["--output=eDP-1"])
            self.show("landscape-left")
            self.wait_until_idle(agent)
            agent.stop()
            self.assertEqual(self.hyprland.options, {})

    def test_new_instance_is_found_by_its_owner(self):
        agent = self.start_session()
        self.show("landscape-left")
        self.wait_for_devices(3)
        self.wait_until_idle(agent)
        self.hyprland.stop()
        agent.wait_for_warning(".socket2.sock closed the connection")
        self.compositor.stop()
        agent.wait_for_warning("wayland-7 closed the connection")
        self.start_new_instance()
        self.wait_for_devices(3, [TOUCH])

    def start_new_instance(self):
        """Starts Hyprland and its compositor again after both have ended."""
        folder = self.runtime / "hypr"
        (folder / SIGNATURE).rename(folder / "crashed")
        self.hyprland = HyprlandServer(self.runtime, touch=[TOUCH.hyprland_name], signature="fake_1800000000_2")
        self.serve(self.hyprland)
        self.compositor.start()

    def start_ignored(self):
        """Returns an agent whose devices follow, after which Hyprland answers no more requests for them."""
        agent = self.start_session()
        self.show("landscape-left")
        self.wait_for_devices(3)
        self.wait_until_idle(agent)
        self.hyprland.ignored = "j/devices"
        self.hyprland.requests.clear()
        return agent

    def wait_for_request(self):
        wait_until(lambda: "j/devices" in self.hyprland.requests, "the agent asks for the devices")

    # The agent went on with the devices of a session that had ended: it warned that their sockets are gone.
    def test_what_was_asked_of_a_lost_session_is_forgotten(self):
        agent = self.start_ignored()
        self.show("portrait")
        self.wait_for_request()
        self.compositor.stop()
        agent.wait_for_warning("wayland-7 closed the connection")
        self.hyprland.stop()
        self.start_new_instance()
        self.wait_for_devices(0, [TOUCH])
        self.assertEqual(agent.new_warnings(), [])

    # The agent waited for the devices, and failed.
    def test_session_that_ends_meanwhile_does_not_delay_the_end(self):
        agent = self.start_ignored()
        agent.process.terminate()
        self.wait_for_request()
        self.compositor.stop()
        self.assertEqual(agent.wait_for_end(5), 0)
        warning = agent.wait_for_warning("the compositor at wayland-7 closed the connection")
        self.assertNotIn("trying to connect", warning)

    def test_devices_that_are_not_restored_are_an_error(self):
        agent = self.start_ignored()
        agent.process.terminate()
        self.wait_for_request()
        self.assertEqual(agent.wait_for_end(20), 1)
        agent.wait_for_warning(".socket.sock does not answer; ")

    def test_mapping_can_be_disabled(self):
        agent = self.start_session(settings=["MapInput=no"])
        self.assert_rotates()
        self.wait_until_idle(agent)
        self.assertEqual(self.hyprland.options, {})

    def test_name_of_a_device_is_no_program(self):
        # A device chooses its own name, and `eval` runs whatever it gets.
        evil = Device(8, 'x" }) os.execute("x") hl.device({ name = "y', I2C, 1, 2, "touch")
        agent = self.start_session(devices=(evil, TOUCH), is_lua=True)
        self.show("landscape-left")
        self.wait_for_devices(3, (TOUCH,))
        self.wait_until_idle(agent)
        self.assertEqual([request for request in self.hyprland.requests if 'os.execute("x")' in request], [])
        agent.new_warnings()

    def test_bad_replies_are_one_warning_and_the_panel_still_turns(self):
        replacements = {
            "garbage": lambda reply: b"\x00\xff\xfe",
            "truncated": lambda reply: reply[: len(reply) // 2],
            "empty": lambda reply: b"",
            "another type": lambda reply: b"[1, 2, 3]",
        }
        for name, replacement in replacements.items():
            with self.case(name):
                self.start_hyprland()
                self.hyprland.commands.replace_replies(replacement, times=100)
                agent = super().start_session()
                self.show("landscape-left")
                agent.wait_for_warning("Hyprland")
                self.show("portrait")

    def test_missing_socket_is_one_warning_and_the_panel_still_turns(self):
        agent = super().start_session()
        self.show("landscape-left")
        agent.wait_for_warning("no socket of Hyprland answers")
        self.show("portrait")

    # The rest was moved for each line: a mebibyte of line ends cost six seconds.
    def test_events_cost_time_in_proportion_to_their_size(self):
        agent = self.start_session()
        self.show("landscape-left")
        self.hyprland.events.wait_for_connections(1)
        # The events would delay the report that confirms the rotation.
        self.wait_until_idle(agent)
        before = processor_time(agent.pid)
        self.hyprland.events.send_raw(b"\n" * (1 << 20))
        self.hyprland.reload()
        self.wait_for_devices(3)
        self.show("portrait")
        self.assertLess(processor_time(agent.pid) - before, 3)

    def test_event_without_an_end_is_one_warning(self):
        agent = self.start_session()
        self.show("landscape-left")
        self.hyprland.events.wait_for_connections(1)
        self.hyprland.events.send_raw(b"x" * ((1 << 20) + 1))
        agent.wait_for_warning("socket2.sock sent a message of more than 1048576 bytes")
        self.show("portrait")

    # The devices were not turned any more.
    def test_request_that_is_never_answered_is_reported(self):
        agent = self.start_session()
        self.show("landscape-left")
        self.wait_for_devices(3)
        self.hyprland.ignored = ""
        self.show("portrait")
        # The outputs are asked for there as well, and a rotation that is not confirmed is a warning of its own.
        wait_until(lambda: agent.log_lines(".socket.sock does not answer; "), "a warning about the devices", 20)
        self.hyprland.ignored = None
        self.show("landscape-right")
        self.wait_for_devices(1)
        agent.new_warnings()

    def test_socket_that_vanishes_is_one_warning(self):
        agent = self.start_session()
        self.show("landscape-left")
        self.wait_for_devices(3)
        self.wait_until_idle(agent)
        self.hyprland.stop()
        agent.wait_for_warning("Hyprland")
        self.show("portrait")
        agent.new_warnings()
        self.hyprland.start()
        self.show("landscape-right")
        self.wait_for_devices(1)
