# SPDX-License-Identifier: Apache-2.0
"""What orient-agent does on X11: the picture, the layout, touch screens and the focused window.

Xephyr, inside Xvfb, rotates and has one output; Xorg with the dummy driver has many, and touch screens, but cannot
rotate.
"""

import itertools
import json
import os

from agent_session import TRANSFORMS, AgentTestCase, is_asleep, wakeups
from evdev import event_node
from fakes.x11 import FakeServer, GarblingProxy, RefusingProxy
from rig import wait_until
from rotation import HELD
from x11 import BLUE, GREEN, RED, WHITE, CornersWindow, XServer, wait_for_corners

# The panel's corners, clockwise from its top left, in each transform: 90 is a quarter turn counter-clockwise.
PICTURES = {
    "normal": (RED, GREEN, BLUE, WHITE),
    "90": (GREEN, BLUE, WHITE, RED),
    "180": (BLUE, WHITE, RED, GREEN),
    "270": (WHITE, RED, GREEN, BLUE),
}
PANEL = (0, 0, 600, 800)
IDENTITY = (1, 0, 0, 0, 1, 0, 0, 0, 1)
LEFT_HALF = (0.5, 0, 0, 0, 1, 0, 0, 0, 1)
RIGHT_HALF = (0.5, 0, 0.5, 0, 1, 0, 0, 0, 1)
I2C, USB = "0018", "0003"

XORG = """
Section "ServerFlags"
  Option "AutoAddDevices" "false"
  Option "AutoAddGPU" "false"
EndSection
Section "Device"
  Identifier "card"
  Driver "dummy"
  VideoRam 65536
EndSection
Section "Screen"
  Identifier "screen"
  Device "card"
  DefaultDepth 24
EndSection
Section "ServerLayout"
  Identifier "layout"
  Screen "screen"
{references}
EndSection
"""

XORG_DEVICE = """
Section "InputDevice"
  Identifier "{name}"
  Driver "inputtest"
  Option "SocketPath" "{socket}"
  Option "DeviceType" "{type}"
  {options}
EndSection
"""


class X11TestCase(AgentTestCase):
    """Tests on X servers of their own; `self.server` is the one that the agent uses."""

    output = "default"

    def environment(self):
        variables = super().environment() | {"DISPLAY": self.server.name}
        del variables["WAYLAND_DISPLAY"]
        return variables

    def is_connected(self):
        return True

    def wait_until_idle(self, agent):
        """The tests wait for what the agent does."""

    def start_x11(self, held="portrait", settings=(), **options):
        """Starts orientd and the agent, and returns the agent."""
        self.start(held=held, claim=False, environment={"STATE_DIRECTORY": str(self.state)}, **options)
        return self.start_agent(settings=self.settings(settings))

    def settings(self, lines=()):
        return (f"Output={self.output}", *lines)

    def wait_for_rotation(self, transform):
        wait_until(lambda: self.server.rotation(self.output) == transform, f"{self.output} is {transform}")


class Picture(X11TestCase):
    """Xephyr's window is the panel: it stays as it is while the screen in it is rotated."""

    def open_rig(self):
        super().open_rig()
        self.panel = XServer(self.rig, "Xvfb", "-screen", "0", "600x800x24")
        self.server = self.start_xephyr()

    def start_xephyr(self, *arguments):
        return XServer(self.rig, "Xephyr", *arguments, "-screen", "600x800", DISPLAY=self.panel.name)

    def assert_shown(self, transform):
        """Checks what RandR says, and what is to be seen."""
        self.wait_for_rotation(transform)
        self.assertEqual(self.server.size(), (800, 600) if transform in ("90", "270") else (600, 800))
        wait_for_corners(self.window, self.panel, PICTURES[transform], PANEL)

    def start_x11(self, **options):
        self.window = CornersWindow(self.server)
        return super().start_x11(**options)

    def test_the_picture_follows_the_device(self):
        agent = self.start_x11()
        for held in (*HELD, *reversed(HELD)):
            self.hold(held)
            self.assert_shown(TRANSFORMS[held])
        self.hold("landscape-left")
        self.assert_shown("270")
        agent.stop()
        self.assert_shown("normal")
        self.assertEqual(list(self.runtime.glob("orient-agent/:*[0-9]")), [])

    def test_the_lock_holds_the_picture(self):
        self.start_x11(held="landscape-right")
        self.assert_shown("90")
        self.control("lock")
        self.rig.turn(HELD["portrait"][0])
        self.client.wait_for("DeviceOrientation", "portrait")
        self.assert_shown("90")
        self.control("unlock")
        self.assert_shown("normal")

    def test_what_a_killed_agent_left_is_restored(self):
        agent = self.start_x11(held="landscape-right")
        self.assert_shown("90")
        agent.kill()
        self.restore(settings=self.settings())
        self.assert_shown("normal")

    def test_a_rotation_by_hand_stays_until_the_device_turns_and_is_restored(self):
        agent = self.start_x11()
        self.hold("landscape-right")
        self.assert_shown("90")
        self.server.run("xrandr", "--output", "default", "--rotate", "inverted")
        self.assert_shown("180")
        self.hold("landscape-left")
        self.assert_shown("270")
        agent.stop()
        self.assert_shown("180")

    def test_a_server_that_ends_and_returns(self):
        # Servers of other tests take the first free number, which that of a server that has ended would be.
        name = f":{5000 + os.getpid() % 50000}"
        self.server.stop()
        self.server = self.start_xephyr(name)
        agent = self.start_x11(held="landscape-right")
        self.assert_shown("90")
        self.server.process.kill()
        self.server.process.wait()
        agent.wait_for_warning(f"the X server at {name} closed the connection; trying to connect again")
        self.server = self.start_xephyr(name)
        self.window = CornersWindow(self.server)
        self.assert_shown("90")

    def test_a_server_that_ends_meanwhile_does_not_delay_the_end(self):
        # The agent waited for the server's thread, which had ended, and failed.
        agent = self.start_x11(held="landscape-right")
        self.assert_shown("90")
        self.server.suspend()
        agent.process.terminate()
        self.server.process.kill()
        self.assertLess(agent.stop(), 5)
        agent.wait_for_warning(f"the X server at {self.server.name} closed the connection")
        self.assertEqual(agent.process.returncode, 0)

    def test_an_agent_that_ends_before_a_grabbed_server_answers(self):
        self.start(claim=False)
        self.server.display.grab_server()
        self.server.display.sync()
        agent = self.spawn_agent(settings=self.settings())
        wait_until(lambda: len(os.listdir(f"/proc/{agent.process.pid}/task")) == 2, "it connects to the server")
        self.assertLess(agent.stop(), 5)
        self.assertEqual(agent.process.returncode, 0)
        self.server.display.ungrab_server()
        self.server.display.sync()

    def test_a_stopped_server_does_not_keep_the_agent(self):
        agent = self.start_x11()
        self.assert_shown("normal")
        self.server.suspend()
        agent.process.terminate()
        self.assertEqual(agent.wait_for_end(25), 1)
        agent.wait_for_warning("could not be restored in time")

    def test_a_stopped_server_is_one_warning_and_a_new_connection(self):
        agent = self.start_x11()
        self.assert_shown("normal")
        self.server.suspend()
        self.hold("landscape-right")
        agent.wait_for_warning(f"the X server at {self.server.name} does not answer")
        self.server.resume()
        self.assert_shown("90")

    def test_an_agent_that_starts_while_the_server_is_grabbed_waits_and_ends(self):
        self.start(claim=False)
        self.server.display.grab_server()
        self.server.display.sync()
        agent = self.spawn_agent(settings=self.settings())
        agent.wait_for_warning(f"the X server at {self.server.name} does not answer")
        self.assertLess(agent.stop(), 9)
        self.assertEqual(agent.process.returncode, 0)
        self.server.display.ungrab_server()
        self.server.display.sync()

    def test_the_check_of_a_stopped_server_ends(self):
        self.start(claim=False)
        self.server.suspend()
        agent = self.spawn_agent("--check")
        self.assertEqual(agent.wait_for_end(), 0)
        finding = json.loads(agent.log().splitlines()[0])
        self.assertEqual((finding["check"], finding["result"]), ("display", "fail"))
        self.assertEqual(finding["text"], f"the X server at {self.server.name} does not answer")

    def test_a_server_whose_outputs_cannot_be_read_is_one_warning(self):
        self.start(claim=False)
        proxy = RefusingProxy(self.server.name, self.server.display.query_extension("RANDR").major_opcode)
        self.rig.on_close(proxy.close)
        agent = self.spawn_agent(settings=self.settings(), environment={"DISPLAY": proxy.name})
        agent.wait_for_warning(f"the X server at {proxy.name} does not answer")

    def test_a_display_that_does_not_exist_is_an_error(self):
        self.start(claim=False)
        agent = self.spawn_agent(environment={"DISPLAY": ":4000"})
        self.assertEqual(agent.wait_for_end(), 1)
        self.assertEqual(agent.log(), "orient-agent: cannot connect to the X server at :4000: Connection refused\n")

    def test_an_output_that_does_not_exist_is_one_warning(self):
        self.start(claim=False)
        agent = self.start_agent(settings=("Output=eDP-1",))
        agent.wait_for_warning("there is no output 'eDP-1': the outputs are default")
        self.hold("landscape-left")
        self.assertEqual(self.server.rotation("default"), "normal")

    def test_garbled_replies_are_survived(self):
        self.start(claim=False)
        self.server.focus(self.server.window("Player", fullscreen=True))
        for seed in range(40):
            with self.subTest(seed=seed):
                proxy = GarblingProxy(self.server.name, seed, intact=seed)
                self.rig.on_close(proxy.close)
                claims = self.client.get("Claims")
                agent = self.spawn_agent(settings=self.settings(), environment={"DISPLAY": proxy.name})
                wait_until(lambda: not agent.is_running() or self.client.get("Claims") > claims, "the agent has begun")
                for held in ("landscape-left", "portrait"):
                    self.hold(held)
                agent.may_end = True
                agent.process.terminate()
                agent.process.wait(10)
                self.assertGreaterEqual(agent.process.returncode, 0, agent.log())
                self.assertLess(len(agent.new_warnings()), 8, agent.log())

    def test_what_is_no_x_server_is_an_error(self):
        self.start(claim=False)
        server = FakeServer()
        self.rig.on_close(server.close)
        server.listener.settimeout(10)
        agent = self.spawn_agent(environment={"DISPLAY": server.name})
        has_asked = False
        while not has_asked:
            connection, _ = server.listener.accept()
            with connection:
                # The agent first looks whether somebody answers.
                has_asked = bool(connection.recv(1))
                if has_asked:
                    connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        self.assertEqual(agent.wait_for_end(), 1)
        refusal = f"orient-agent: cannot connect to the X server at {server.name}: Connection refused"
        self.assertEqual(agent.log_lines("cannot connect"), [refusal])

    def test_the_focused_window_decides_while_it_covers_the_screen(self):
        self.start_x11(settings=("[Application Player]", "SupportedOrientations=landscape"))
        self.wait_for_rotation("normal")
        player = self.server.window("Player")
        self.server.focus(player)
        other = self.server.window("Other", fullscreen=True)
        self.server.focus(other)
        self.server.set_fullscreen(player, True)
        self.server.focus(player)
        wait_until(lambda: self.server.rotation("default") in ("90", "270"), "the screen is sideways")
        self.server.set_fullscreen(player, False)
        self.wait_for_rotation("normal")
        self.server.set_fullscreen(player, True)
        wait_until(lambda: self.server.rotation("default") in ("90", "270"), "the screen is sideways")
        # As after a crash of the player: no window manager says yet which window is active now.
        player.destroy()
        self.server.display.sync()
        self.wait_for_rotation("normal")


class Touch(X11TestCase):
    """Touch screens of a real Xorg, without a rotation."""

    output = "DUMMY0"

    def open_rig(self):
        super().open_rig()
        devices = (
            ("Panel Touch", "Touch", ""),
            ("Panel Pen", "PointerAbsoluteProximity", 'Option "PointerHasPressure" "true"'),
            ("Touch Monitor", "Touch", ""),
            ("Old Touch", "PointerAbsolute", ""),
            ("Mouse", "Pointer", ""),
        )
        self.devices = [name for name, _, _ in devices]
        references = "\n".join(f'  InputDevice "{name}"' for name in self.devices)
        sections = [
            XORG_DEVICE.format(name=name, socket=self.rig.directory / f"input{index}", type=kind, options=options)
            for index, (name, kind, options) in enumerate(devices)
        ]
        path = self.rig.directory / "xorg.conf"
        path.write_text("".join(sections) + XORG.format(references=references))
        log = self.rig.directory / "xorg.log"
        self.server = XServer(self.rig, "Xorg", "-config", str(path), "-logfile", str(log), "-novtswitch", "-sharevts")
        for number, (name, bus) in enumerate((("Panel Touch", I2C), ("Panel Pen", I2C), ("Touch Monitor", USB)), 4):
            self.plug(number, name, bus)

    def plug(self, number, name, bus):
        """Makes a device of the server one of the kernel."""
        kind = "ID_INPUT_TABLET" if "Pen" in name else "ID_INPUT_TOUCHSCREEN"
        properties = {"ID_INPUT": "1", kind: "1", "ID_INTEGRATION": "internal" if bus == I2C else "external"}
        self.rig.add_device(event_node(name, number, {"id/bustype": bus}, properties))
        self.set_node(name, number)

    def set_node(self, name, number):
        self.server.set_node(name, f"/dev/input/event{number}")

    def wait_until_idle(self, agent):
        """Waits until the agent sleeps and the server has answered all that it was asked."""

        def is_idle():
            before = wakeups(agent.pid)
            self.server.matrix(self.devices[0])
            return is_asleep(agent.pid) and wakeups(agent.pid) == before

        wait_until(is_idle, "the agent is idle")

    def place_outputs(self, *arguments):
        """Places a monitor beside the panel."""
        self.server.run("xrandr", "--addmode", "DUMMY1", "1024x768")
        self.server.run("xrandr", "--output", "DUMMY1", "--mode", "1024x768", *arguments)

    def matrices(self):
        return {name: self.server.matrix(name) for name in self.devices}

    def wait_for_matrix(self, expected, *names):
        """Waits until these devices have a matrix, and checks that all others have none."""
        wanted = {name: expected if name in names else IDENTITY for name in self.devices}
        found = {}

        def is_set():
            found.update(self.matrices())
            return found == wanted

        try:
            wait_until(is_set, "")
        except AssertionError:
            raise AssertionError(f"the matrices are {found} instead of {wanted}") from None

    def test_built_in_devices_follow_the_panel_in_every_layout(self):
        built_in = ("Panel Touch", "Panel Pen")
        self.place_outputs("--right-of", "DUMMY0")
        agent = self.start_x11()
        self.wait_for_matrix(LEFT_HALF, *built_in)
        self.place_outputs("--left-of", "DUMMY0")
        self.wait_for_matrix(RIGHT_HALF, *built_in)
        self.server.run("xrandr", "--output", "DUMMY1", "--off")
        self.wait_for_matrix(IDENTITY)
        self.place_outputs("--right-of", "DUMMY0")
        self.wait_for_matrix(LEFT_HALF, *built_in)
        agent.stop()
        self.wait_for_matrix(IDENTITY)

    # The driver evdev reports a touch screen of a single touch so.
    def test_a_touch_screen_without_touch_events_follows(self):
        self.plug(7, "Old Touch", I2C)
        self.place_outputs("--right-of", "DUMMY0")
        self.start_x11()
        self.wait_for_matrix(LEFT_HALF, "Panel Touch", "Panel Pen", "Old Touch")

    def test_a_window_on_another_output_has_no_say(self):
        self.place_outputs("--right-of", "DUMMY0")
        agent = self.start_x11(settings=("[Application Player]", "SupportedOrientations=landscape"))
        player = self.server.window("Player", fullscreen=True)
        self.server.focus(player)
        wait_until(lambda: self.client.get("AskedRequest") != "/", "the window on the panel decides")
        agent.wait_for_warning("DUMMY0 is not rotated")  # this server cannot rotate
        self.server.move(player, *self.server.rectangles()["DUMMY1"])
        wait_until(lambda: self.client.get("AskedRequest") == "/", "the window on the monitor does not decide")
        self.server.move(player, *self.server.rectangles()["DUMMY0"])
        wait_until(lambda: self.client.get("AskedRequest") != "/", "the window on the panel decides")
        agent.stop()
        agent.new_warnings()  # a second one is due only if the agent saw the display upright meanwhile

    def test_a_device_whose_place_becomes_known_follows_or_is_let_go(self):
        self.place_outputs("--right-of", "DUMMY0")
        self.start_x11()
        self.wait_for_matrix(LEFT_HALF, "Panel Touch", "Panel Pen")
        self.set_node("Panel Touch", 6)
        self.wait_for_matrix(LEFT_HALF, "Panel Pen")
        self.set_node("Panel Touch", 4)
        self.wait_for_matrix(LEFT_HALF, "Panel Touch", "Panel Pen")

    def test_a_killed_agent_is_succeeded_by_one_that_restores(self):
        self.place_outputs("--right-of", "DUMMY0")
        turned = (-1, 0, 1, 0, -1, 1, 0, 0, 1)
        self.server.set_matrix("Panel Touch", turned)
        agent = self.start_x11()
        self.wait_for_pen(LEFT_HALF)
        self.assertEqual(self.server.matrix("Panel Touch"), turned)
        self.place_outputs("--left-of", "DUMMY0")
        self.wait_for_pen(RIGHT_HALF)
        self.assertEqual(self.server.matrix("Panel Touch"), (-1, 0, 1.5, 0, -1, 1, 0, 0, 1))
        agent.kill()
        agent = self.start_agent(settings=self.settings())
        self.place_outputs("--right-of", "DUMMY0")
        self.wait_for_pen(LEFT_HALF)
        agent.stop()
        self.wait_for_pen(IDENTITY)
        self.assertEqual(self.server.matrix("Panel Touch"), turned)

    def wait_for_pen(self, matrix):
        try:
            wait_until(lambda: self.server.matrix("Panel Pen") == matrix, "")
        except AssertionError:
            raise AssertionError(f"the pen's matrix is {self.server.matrix('Panel Pen')}") from None

    def test_a_matrix_that_somebody_sets_is_kept(self):
        self.place_outputs("--right-of", "DUMMY0")
        agent = self.start_x11()
        self.wait_for_matrix(LEFT_HALF, "Panel Touch", "Panel Pen")
        chosen = (0.25, 0, 0, 0, 1, 0, 0, 0, 1)
        self.server.set_matrix("Panel Pen", chosen)
        self.set_node("Touch Monitor", 4)
        wait_until(lambda: self.server.matrix("Touch Monitor") == LEFT_HALF, "the agent has read the events before")
        self.assertEqual(self.server.matrix("Panel Pen"), chosen)
        agent.stop()
        self.assertEqual(self.server.matrix("Panel Pen"), chosen)
        self.assertEqual(self.server.matrix("Panel Touch"), IDENTITY)

    # As a server or a driver resets it.
    def test_a_matrix_that_is_reset_is_set_again(self):
        self.place_outputs("--right-of", "DUMMY0")
        agent = self.start_x11()
        self.wait_for_matrix(LEFT_HALF, "Panel Touch", "Panel Pen")
        self.server.set_matrix("Panel Touch", IDENTITY)
        self.wait_for_matrix(LEFT_HALF, "Panel Touch", "Panel Pen")
        agent.stop()
        self.wait_for_matrix(IDENTITY)

    # A script for a key set the touch screen before the display, which was taken for how the device is mounted.
    def test_a_matrix_that_is_set_for_a_later_layout_is_a_mapping(self):
        places = ((LEFT_HALF, "--right-of"), (RIGHT_HALF, "--left-of"))
        for is_set_before, (matrix, place) in itertools.product((True, False), places):
            with self.case(place, is_set_before=is_set_before):
                self.leave_mapping("Touch Monitor")
                if is_set_before:
                    self.server.set_matrix("Panel Touch", matrix)
                self.start_x11()
                wait_until(lambda: self.server.matrix("Touch Monitor") == IDENTITY, "the agent has read the matrices")
                if not is_set_before:
                    self.server.set_matrix("Panel Touch", matrix)
                self.place_outputs(place, "DUMMY0")
                for expected in (matrix, IDENTITY, matrix):
                    self.wait_for_pen(expected)
                    self.assertEqual(self.server.matrix("Panel Touch"), expected)
                    if expected == IDENTITY:
                        self.place_outputs(place, "DUMMY0")
                    else:
                        self.server.run("xrandr", "--output", "DUMMY1", "--off")

    def leave_mapping(self, name):
        """Makes a device a built-in one that a killed agent has left mapped; the next agent finds that at its start."""
        self.set_node(name, 4)
        self.server.set_matrix(name, LEFT_HALF)
        baseline = map(str, 2 * IDENTITY[:6])
        self.server.run("xinput", "set-prop", "--type=float", "--format=32", name, "orient-agent Baseline", *baseline)

    def test_a_device_that_is_mapped_to_another_output_is_left_alone(self):
        for is_set_before in (True, False):
            with self.case(is_set_before=is_set_before):
                self.place_outputs("--right-of", "DUMMY0")
                if is_set_before:
                    self.server.set_matrix("Panel Touch", RIGHT_HALF)
                agent = self.start_x11()
                self.wait_for_pen(LEFT_HALF)
                self.server.set_matrix("Panel Touch", RIGHT_HALF)
                self.server.run("xrandr", "--output", "DUMMY1", "--off")
                self.wait_for_pen(IDENTITY)
                self.place_outputs("--right-of", "DUMMY0")
                self.wait_for_pen(LEFT_HALF)
                agent.stop()
                self.wait_for_pen(IDENTITY)
                self.assertEqual(self.server.matrix("Panel Touch"), RIGHT_HALF)

    def test_no_device_is_touched_without_input_mapping(self):
        self.place_outputs("--right-of", "DUMMY0")
        agent = self.start_x11(held="landscape-left", settings=("MapInput=no",))
        agent.wait_for_warning("DUMMY0 is not rotated")
        self.assertEqual(self.matrices(), dict.fromkeys(self.devices, IDENTITY))

    def test_an_output_without_rotations_is_one_warning(self):
        agent = self.start_x11()
        self.hold("landscape-left")
        agent.wait_for_warning("DUMMY0 is not rotated to 270: the X server does not offer this rotation")
        self.assertEqual(self.server.rectangles(), {"DUMMY0": (0, 0, 1024, 768)})
