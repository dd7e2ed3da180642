# SPDX-License-Identifier: Apache-2.0
"""orient-agent in the session of a real compositor, outside of whose tree it runs, with orientd on a private bus.

A test turns a mocked accelerometer. Which corner of the panel then shows which colour of the wallpaper proves how the
picture is turned: the pixels are those of the panel, before any client turns them back. A wallpaper, drawn by swaybg,
neither takes the focus nor is a full-screen window, so it does not change what the agent decides.
"""

import contextlib
import pathlib
import signal

from gi.repository import GLib

from agent import SessionRig
from compositor import COLOURS, NEIGHBOUR, NEIGHBOUR_SIZE, PANEL, PANEL_SIZE
from rig import ACTIONS, wait_until
from rotation import HELD, RotationTestCase

# For each device orientation, the transform of the panel, and where the panel's corners are for the person that holds
# it: the panel's index (0 is its top left, then clockwise) of what is now top left. Held in landscape-left, the panel's
# right edge is up, so its top right corner is top left.
TURNED = {
    "portrait": ("normal", 0),
    "landscape-left": ("270", 1),
    "portrait-upside-down": ("180", 2),
    "landscape-right": ("90", 3),
}
# The section of agent.conf with the agent's own settings.
SETTINGS = "[Agent]\n"

ACTIVATED = 2  # of zwlr_foreign_toplevel_handle_v1

NUMBERS = {"normal": 0, "90": 1, "180": 2, "270": 3}  # of wl_output


def seen(corners, held):
    """Returns the colours that a person sees who holds the panel this way, from the top left corner clockwise."""
    first = TURNED[held][1]
    return corners[first:] + corners[:first]


def overlap(first, second):
    """Returns whether two rectangles overlap."""
    return first[0] < second[2] and second[0] < first[2] and first[1] < second[3] and second[1] < first[3]


def touch(first, second):
    """Returns whether two rectangles share a part of an edge and do not overlap."""
    beside = first[2] == second[0] or second[2] == first[0]
    above = first[3] == second[1] or second[3] == first[1]
    same_rows = first[1] < second[3] and second[1] < first[3]
    same_columns = first[0] < second[2] and second[0] < first[2]
    return not overlap(first, second) and (beside and same_rows or above and same_columns)


class SessionTestCase(RotationTestCase):
    """Tests with orientd, the compositor of the class attribute COMPOSITOR, and orient-agent."""

    COMPOSITOR = None

    def open_rig(self):
        self.rig = SessionRig(self.COMPOSITOR)
        self.rig.start_polkit(allowed=ACTIONS)
        self.client = self.rig.client
        self.compositor = self.rig.compositor

    def print_logs(self):
        super().print_logs()
        for agent in self.rig.agents:
            print(f"\n{agent.log_path.name}:\n{agent.log()[-3000:]}")
        print(f"\n{self.compositor.name}:\n{self.compositor.log()[-3000:]}")

    def start_session(self, held="portrait", configuration="", output=PANEL, **options):
        """Starts orientd, the compositor and the agent, and returns the agent when it has claimed the sensor."""
        self.start(held=held, claim=False)
        self.compositor.start(**options)
        return self.start_agent(configuration, output)

    def start_agent(self, configuration="", output=PANEL, environment=None):
        """Starts the agent and returns it when it has claimed the sensor and that is read."""
        claims = self.client.get("Claims")
        agent = self.rig.spawn_agent(f"--output={output}", configuration=configuration, environment=environment)

        def has_claimed():
            agent.assert_running()
            return self.client.get("Claims") > claims

        wait_until(has_claimed, "the agent claims the sensor")
        # The first sample ends a rotation by hand.
        wait_until(lambda: self.client.get("DeviceOrientation") != "unknown", "the sensor is read")
        return agent

    def focus_panel(self):
        """Makes the next window appear on the panel, where that is not the rule."""

    def start_film(self):
        """Starts a session with a film in full screen on the panel; returns a client that knows which have the focus."""
        agent = self.start_session(configuration=f"{SETTINGS}[Application foot]\nSupportedOrientations=landscape\n")
        self.focus_panel()
        self.compositor.spawn("foot", "--fullscreen", "sleep", "infinity")
        wait_until(lambda: self.client.get("AskedRequest") != "/", "the film decides")
        self.wait_for_transform(self.client.get("OutputTransform"))
        display = self.compositor.display()
        windows = display.follow_windows()

        def has_focus():
            display.round_trip()
            return any(ACTIVATED in states for states in windows.values())

        wait_until(has_focus, "the film has the focus")
        return agent, display, has_focus

    def restore(self):
        """Runs `orient-agent --restore`, which must succeed."""
        agent = self.rig.spawn_agent("--restore", f"--output={PANEL}")
        self.assertEqual(agent.wait_for_end(), 0, agent.log())

    def control(self, *arguments):
        """Runs orientctl, which must succeed."""
        result = self.rig.orientctl(*arguments)
        self.assertEqual(result.returncode, 0, result.stderr)

    def settle(self, agent):
        """Returns when the agent has handled all signals that orientd has sent so far, and its requests are sent."""
        self.flush()
        bus = {"interface": "org.freedesktop.DBus", "path": "/org/freedesktop/DBus", "destination": "org.freedesktop.DBus"}
        for name in self.client.call("ListNames", **bus)[0]:
            with contextlib.suppress(GLib.Error):  # somebody may have left the bus
                arguments = GLib.Variant("(s)", (name,))
                (process,) = self.client.call("GetConnectionUnixProcessID", arguments=arguments, **bus)
                if name.startswith(":") and process == agent.process.pid:
                    # libsystemd answers a ping after the messages before it. At the second one, the agent has also been
                    # through its loop, where it sends its requests to the compositor.
                    for _ in range(2):
                        self.client.call("Ping", "org.freedesktop.DBus.Peer", "/", destination=name)
                    return
        raise AssertionError("the agent is not on the bus")

    def wait_for_transform(self, transform, output=PANEL):
        """Waits until the output has the transform and returns all outputs."""
        found = []

        def has_transform():
            found[:] = [self.compositor.heads()]
            head = found[0].get(output)
            return head is not None and head.enabled and head.transform == transform

        try:
            wait_until(has_transform, f"{output} has transform {transform}")
        except AssertionError as failure:
            raise AssertionError(f"{failure}: {found}") from None
        return found[0]

    def wait_until_shown(self, held):
        """Waits until the picture is upright for a person that holds the panel this way; returns all outputs."""
        heads = self.wait_for_transform(TURNED[held][0])
        self.wait_for_colours(held)
        return heads

    def wait_for_colours(self, held, output=PANEL):
        found = []

        def is_upright():
            found[:] = [self.compositor.corners(output)]
            return seen(found[0], held) == COLOURS

        try:
            wait_until(is_upright, "")
        except AssertionError:
            raise AssertionError(f"{output} shows {found[0]} while held in {held}") from None

    def show(self, held):
        """Turns the device and waits until the picture has followed; returns all outputs."""
        self.turn(held)
        return self.wait_until_shown(held)

    def wait_for_neighbours(self):
        """Waits until there is neither a gap nor an overlap between the panel and its neighbour; returns all outputs.

        phoc applies a change output by output.
        """
        found = []

        def are_beside():
            found[:] = [self.compositor.heads()]
            return touch(found[0][PANEL].rectangle, found[0][NEIGHBOUR].rectangle)

        try:
            wait_until(are_beside, "the outputs touch")
        except AssertionError as failure:
            raise AssertionError(f"{failure}: {found}") from None
        return found[0]


class SessionTests(SessionTestCase):
    """What holds with every compositor.

    No test enables an output again: wlroots 0.18 and 0.20 fail an assertion (head_send_state) when an output without a
    list of modes, like those of the headless backend, is enabled while any client watches the outputs.
    """

    def test_picture_is_upright_however_the_device_is_held(self):
        self.start_session()
        before = self.compositor.heads()[NEIGHBOUR]
        for held in ("landscape-left", "portrait-upside-down", "landscape-right", "portrait"):
            self.show(held)
            heads = self.wait_for_neighbours()
            self.assertEqual(
                (heads[NEIGHBOUR].mode, heads[NEIGHBOUR].transform, heads[NEIGHBOUR].scale),
                (before.mode, before.transform, before.scale),
            )
            self.wait_for_colours("portrait", NEIGHBOUR)

    def test_window_is_upright_however_the_device_is_held(self):
        self.start_session(has_window=True)
        for held in ("landscape-left", "portrait-upside-down", "landscape-right", "portrait"):
            self.show(held)

    def test_picture_is_upright_as_soon_as_the_agent_starts(self):
        self.start_session(held="landscape-right")
        self.wait_until_shown("landscape-right")

    def test_neighbour_keeps_its_side(self):
        width, height = PANEL_SIZE
        sides = {  # the positions of the panel and of the neighbour, and which edges touch
            "right": ((0, 0), (width, 0), lambda panel, other: panel[2] == other[0]),
            "left": ((NEIGHBOUR_SIZE[0], 0), (0, 0), lambda panel, other: panel[0] == other[2]),
            "below": ((0, 0), (0, height), lambda panel, other: panel[3] == other[1]),
            "above": ((0, NEIGHBOUR_SIZE[1]), (0, 0), lambda panel, other: panel[1] == other[3]),
        }
        for side, (panel, neighbour, keeps_side) in sides.items():
            with self.case(side=side):
                self.start(claim=False)
                self.compositor.start()
                self.compositor.set_output(
                    PANEL, "--pos", "{},{}".format(*panel), "--output", NEIGHBOUR, "--pos", "{},{}".format(*neighbour)
                )
                before = self.compositor.heads()
                self.assertTrue(keeps_side(before[PANEL].rectangle, before[NEIGHBOUR].rectangle), before)
                agent = self.start_agent()
                for held in ("landscape-left", "portrait-upside-down"):
                    self.show(held)
                    heads = self.wait_for_neighbours()
                    self.assertTrue(keeps_side(heads[PANEL].rectangle, heads[NEIGHBOUR].rectangle), heads)
                self.assertEqual(agent.stop(), 0)
                self.assertEqual(self.compositor.heads(), before)

    def test_neighbours_that_the_compositor_placed(self):
        self.start(claim=False)
        self.compositor.start(arrange=False)
        self.wait_for_neighbours()
        self.start_agent()
        for held in ("landscape-left", "portrait-upside-down", "landscape-right", "portrait"):
            self.show(held)
            self.wait_for_neighbours()

    def test_lock_holds_the_picture(self):
        agent = self.start_session()
        self.show("landscape-left")
        display = self.compositor.display()
        self.control("lock", "current")
        self.turn("portrait")
        self.turn("portrait-upside-down")
        self.settle(agent)
        self.wait_for_colours("landscape-left")
        self.control("unlock")
        self.wait_until_shown("portrait-upside-down")
        # No other transform was shown in between.
        self.assertEqual(display.transforms(PANEL), [NUMBERS["270"], NUMBERS["180"]])

    def test_rotation_by_hand(self):
        self.start_session()
        for orientation, (transform, _) in (
            ("landscape-right", TURNED["landscape-left"]),
            ("portrait-upside-down", TURNED["portrait-upside-down"]),
            ("portrait", TURNED["portrait"]),
        ):
            self.control("rotate", orientation)
            self.wait_for_transform(transform)

    def test_end_restores(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.case(signal=number.name):
                self.start(claim=False)
                self.compositor.start()
                before = self.compositor.heads()
                agent = self.start_agent()
                self.show("landscape-left")
                self.assertEqual(agent.stop(number), 0)
                self.assertEqual(self.compositor.heads(), before)

    def test_configuration_keeps_the_picture_at_the_end(self):
        agent = self.start_session(configuration=SETTINGS + "Restore=no\n")
        self.show("landscape-left")
        self.assertEqual(agent.stop(), 0)
        self.wait_until_shown("landscape-left")

    def test_killed_agent_is_restored(self):
        self.start(claim=False)
        self.compositor.start()
        before = self.compositor.heads()
        agent = self.start_agent()
        self.show("landscape-left")
        self.assertEqual(agent.stop(signal.SIGKILL), -signal.SIGKILL)
        self.wait_until_shown("landscape-left")
        self.restore()
        self.assertEqual(self.compositor.heads(), before)
        # Nothing is left to restore.
        self.compositor.set_output(PANEL, "--transform", "180")
        self.restore()
        self.wait_for_transform("180")

    def test_agent_started_after_a_crash_restores_the_first_layout(self):
        self.start(claim=False)
        self.compositor.start()
        before = self.compositor.heads()
        self.start_agent().stop(signal.SIGKILL)
        self.client.wait_for("Claims", 0)
        agent = self.start_agent()
        self.show("landscape-left")
        agent.stop(signal.SIGKILL)
        self.client.wait_for("Claims", 0)
        agent = self.start_agent()
        self.show("portrait-upside-down")
        self.assertEqual(agent.stop(), 0)
        self.assertEqual(self.compositor.heads(), before)

    def test_change_by_somebody_else_is_the_new_baseline(self):
        agent = self.start_session()
        self.show("landscape-left")
        display = self.compositor.display()
        self.compositor.set_output(PANEL, "--transform", "90")
        # The agent does not fight: 270 does not return before the device is turned.
        self.show("portrait-upside-down")
        self.assertEqual(display.transforms(PANEL), [NUMBERS["270"], NUMBERS["90"], NUMBERS["180"]])
        self.assertEqual(agent.stop(), 0)
        self.wait_for_transform("90")

    def test_disabled_neighbour_stays_disabled(self):
        self.start_session()
        self.compositor.set_output(NEIGHBOUR, "--off")
        for held in ("landscape-left", "portrait-upside-down"):
            heads = self.show(held)
            self.assertFalse(heads[NEIGHBOUR].enabled)

    def test_disabled_panel_stays_disabled(self):
        agent = self.start_session()
        self.show("landscape-left")
        display = self.compositor.display()
        self.compositor.set_output(PANEL, "--off")
        self.turn("portrait-upside-down")
        self.settle(agent)
        self.assertEqual(agent.stop(), 0)
        self.assertFalse(self.compositor.heads()[PANEL].enabled)
        display.round_trip()
        self.assertEqual(sorted(display.appeared), [PANEL, NEIGHBOUR])

    # labwc reports a blanked output as disabled once another is on, and loses it if a client says so, too.
    def test_blanked_monitor_comes_back_after_a_turn(self):
        def powers():
            return dict(line.split()[:2] for line in self.compositor.run("wlopm").splitlines() if line.strip())

        def waits():
            status = self.rig.orientctl("status", environment=self.compositor.environment())
            return f"rotates {PANEL} when it is on again" in status.stdout

        for order in ((PANEL, NEIGHBOUR), (NEIGHBOUR, PANEL)):
            with self.case(first=order[0]):
                self.start_session()
                self.show("landscape-left")
                for name in order:
                    self.compositor.run("wlopm", "--off", name)
                self.turn("portrait")
                wait_until(waits, "the agent waits for the panel")
                for name in order:
                    self.compositor.run("wlopm", "--on", name)
                    wait_until(lambda name=name: powers()[name] == "on", f"{name} is on")
                self.wait_for_transform("normal")
                self.assertEqual(set(powers().values()), {"on"})
                self.assertTrue(all(head.enabled for head in self.compositor.heads().values()))

    def test_mode_and_scale_survive(self):
        self.start_session()
        self.compositor.set_output(PANEL, "--custom-mode", "600x1000", "--scale", "2")
        self.compositor.set_output(NEIGHBOUR, "--custom-mode", "900x700", "--scale", "1.5", "--pos", "300,0")
        for held in ("landscape-left", "portrait"):
            self.show(held)
            heads = self.wait_for_neighbours()
            self.assertEqual((heads[PANEL].mode, heads[PANEL].scale), ((600, 1000), 2))
            self.assertEqual((heads[NEIGHBOUR].mode, heads[NEIGHBOUR].scale), ((900, 700), 1.5))

    def test_compositor_restarts(self):
        agent = self.start_session()
        self.show("landscape-left")
        self.compositor.stop()
        self.compositor.start(arrange=False)
        self.wait_until_shown("landscape-left")
        self.show("portrait-upside-down")
        agent.assert_running()

    def test_orientd_restarts(self):
        agent = self.start_session()
        self.show("landscape-left")
        display = self.compositor.display()
        self.rig.daemons[-1].kill()
        self.rig.turn(HELD["portrait-upside-down"][0])
        self.rig.start_orientd("--rate", "100", configuration="[Orientation]\nClassifier=base\n")
        self.wait_until_shown("portrait-upside-down")
        self.assertEqual(display.transforms(PANEL), [NUMBERS["270"], NUMBERS["180"]])
        agent.assert_running()

    def test_configuration_restores_when_orientd_is_lost(self):
        self.start(claim=False)
        self.compositor.start()
        before = self.compositor.heads()
        self.start_agent(SETTINGS + "OnServiceLost=restore\n")
        self.show("landscape-left")
        self.rig.daemons[-1].kill()
        heads = self.wait_for_transform("normal")
        self.assertEqual(heads, before)

    def test_full_screen_application_turns_the_picture(self):
        self.start_session(
            configuration=SETTINGS + "Applications=fullscreen\n[Application foot]\nSupportedOrientations=landscape\n"
        )
        self.show("landscape-left")
        self.show("portrait")
        foot = self.compositor.spawn("foot", "--fullscreen", "sleep", "infinity")
        wait_until(
            lambda: self.client.get("InterfaceOrientation").startswith("landscape-"), "foot is shown in landscape"
        )
        self.wait_for_transform(self.client.get("OutputTransform"))
        self.assertEqual(self.client.get("AskedRequest") != "/", True)
        foot.kill()
        foot.wait()
        self.wait_until_shown("portrait")

    def test_window_that_is_not_full_screen_does_not_turn_the_picture(self):
        self.start_session(
            configuration=SETTINGS + "Applications=fullscreen\n[Application foot]\nSupportedOrientations=landscape\n"
        )
        display = self.compositor.display()
        self.compositor.spawn("foot", "sh", "-c", "echo shown >/mnt/home/shown; exec sleep infinity")
        wait_until((self.compositor.folder / "home" / "shown").exists, "foot runs")
        self.turn("portrait-upside-down")
        self.wait_for_transform("180")  # phoc maximizes foot, which then covers the wallpaper
        self.assertEqual(display.transforms(PANEL), [NUMBERS["normal"], NUMBERS["180"]])

    def own_desktop_name(self):
        """Has this process, which does not serve the display, own the name of a desktop."""
        self.start(claim=False)
        self.compositor.start()
        desktop = self.rig.connect()
        arguments = GLib.Variant("(su)", ("org.gnome.Mutter.DisplayConfig", 0))
        bus = {"interface": "org.freedesktop.DBus", "path": "/org/freedesktop/DBus", "destination": "org.freedesktop.DBus"}
        desktop.call("RequestName", arguments=arguments, **bus)

    # Such as that of GNOME on another VT.
    def test_desktop_of_another_display_does_not_count(self):
        self.own_desktop_name()
        self.start_agent()
        self.show("landscape-left")

    def test_agent_stands_aside_for_a_desktop_that_turns_by_itself(self):
        # The display of this one is always that of another process.
        name = pathlib.Path("/proc/self/comm")
        self.addCleanup(name.write_text, name.read_text())
        name.write_text("phosh")
        self.own_desktop_name()
        aside = self.rig.spawn_agent(f"--output={PANEL}", configuration=SETTINGS + "LockSync=no\n")
        self.assertEqual(aside.wait_for_end(), 0)
        self.assertTrue(aside.log_lines("which owns org.gnome.Mutter.DisplayConfig"), aside.log())
        self.start_agent(SETTINGS + "Force=yes\n")
        self.show("landscape-left")

    # Budgie names itself Budgie:GNOME, and its session runs labwc.
    def test_name_of_the_desktop_does_not_count(self):
        self.start(claim=False)
        self.compositor.start()
        self.start_agent(environment={"XDG_CURRENT_DESKTOP": "Budgie:GNOME"})
        self.show("landscape-left")

    def test_output_that_does_not_exist(self):
        agent = self.start_session(output="HEADLESS-9")
        display = self.compositor.display()
        wait_until(lambda: agent.log_lines("HEADLESS-9"), "the agent names the missing output")
        for held in ("landscape-left", "portrait-upside-down", "landscape-right"):
            self.turn(held)
            self.settle(agent)
        self.assertEqual(agent.stop(), 0)
        self.assertEqual(display.transforms(PANEL), [NUMBERS["normal"]])
        self.assertEqual(len(agent.log_lines("HEADLESS-9")), 1, agent.log())

    def test_unknown_setting(self):
        agent = self.start_session(configuration=SETTINGS + "Nonsense=yes\n")
        self.show("landscape-left")
        self.assertEqual(len(agent.log_lines("Nonsense")), 1, agent.log())
