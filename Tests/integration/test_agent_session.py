# SPDX-License-Identifier: Apache-2.0
"""Where the agent stands aside, what it and orientctl say about the session, and what is wrong at the start."""

import contextlib
import fcntl
import json
import os
import pathlib
import re
import shutil
import subprocess

from agent_session import AgentTestCase, monitor, panel
from fakes.hyprland import HyprlandServer
from fakes.sway import SwayServer
from fakes.wayland import WaylandServer
from fakes.x11 import FakeServer
from gi.repository import GLib
from rig import BUILD, CLAIM_ACTION, PYTHON, wait_until
from sensor_proxy import NAME as PROXY
from sensor_proxy import PATH as PROXY_PATH
from test_agent_input import PEN, TOUCH, TOUCH_MONITOR
from test_agent_lock import Logins

BUS = "org.freedesktop.DBus"
SERVED = ("[Bus]", "SensorProxy=yes")
CLAIM = """
import sys
from gi.repository import Gio, GLib
flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
bus = Gio.DBusConnection.new_for_address_sync(sys.argv[1], flags, None, None)
name = "net.hadess.SensorProxy"
bus.call_sync(name, "/net/hadess/SensorProxy", name, "ClaimAccelerometer", None, None, 0, -1, None)
GLib.MainLoop().run()
"""

# Takes the name of another program.
NAMED = """
import ctypes, sys
ctypes.CDLL(None).prctl(15, sys.argv[2].encode())
"""

# Owns a name on a bus, in a child of a child, which ends with its parent.
OWN = """
import ctypes, os, sys
from gi.repository import Gio, GLib
if int(sys.argv[4]) and os.fork():
    os.wait()
ctypes.CDLL(None).prctl(1, 9)
flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
bus = Gio.DBusConnection.new_for_address_sync(sys.argv[1], flags, None, None)
name = "org.freedesktop.DBus"
bus.call_sync(name, "/", name, "RequestName", GLib.Variant("(su)", (sys.argv[3], 0)), None, 0, -1, None)
GLib.MainLoop().run()
"""


class SessionTestCase(AgentTestCase):
    def lines(self, agent):
        """Returns what the agent has written so far, without its name."""
        return [line.removeprefix("orient-agent: ") for line in agent.log().splitlines()]

    def wait_for_line(self, agent, *texts):
        """Waits until the agent has written one line and no other, checks that it has these texts, and returns it."""
        wait_until(lambda: self.lines(agent), f"a line with {texts}")
        self.wait_until_idle(agent)
        (line,) = self.lines(agent)
        for text in texts:
            self.assertIn(text, line)
        return line

    def end_of(self, *arguments, **options):
        """Starts an agent that ends by itself; returns its exit status and its lines."""
        agent = self.spawn_agent(*arguments, **options)
        status = agent.wait_for_end()
        agent.new_warnings()
        return status, self.lines(agent)

    def spawn_owner(self, name, command, is_elsewhere=False):
        """Has a process own a name on the bus of the session, which it starts; the test, which serves the display, is its
        parent unless it `is_elsewhere`."""
        session = self.start_session_bus()
        arguments = [f"unix:path={self.runtime}/bus", command, name, str(int(is_elsewhere))]
        process = self.rig.spawn([PYTHON, "-c", NAMED + OWN, *arguments])
        owned = GLib.Variant("(s)", (name,))
        wait_until(lambda: session.call("NameHasOwner", BUS, "/", owned, BUS)[0], f"{name} has an owner")
        return process


class Refused(SessionTestCase):
    def test_claim_is_made_again_when_a_session_comes_into_use(self):
        logins = Logins(self.rig)
        self.rig.start_polkit(allowed=())
        self.start(claim=False)
        self.start_compositor(panel())
        agent = self.spawn_agent()
        agent.wait_for_warning("cannot claim the sensor: ", "; trying again")
        status = f"Agent: process {agent.pid} cannot claim the sensor: "
        environment = {"XDG_RUNTIME_DIR": str(self.runtime)}
        wait_until(lambda: status in self.rig.orientctl("status", environment=environment).stdout, "the status says so")
        self.rig.allow(CLAIM_ACTION)
        logins.announce("one", True)
        self.client.wait_for("Claims", 1)
        rotates = f"Agent: process {agent.pid} rotates eDP-1"
        wait_until(lambda: rotates in self.rig.orientctl("status", environment=environment).stdout, "it rotates again")
        self.show("landscape-left")


class StandingAside(SessionTestCase):
    def call_proxy(self, method, client):
        client.call(method, PROXY, PROXY_PATH, None, PROXY)

    def wait_for_claims(self, own, proxied):
        """Waits until there are that many claims of org.orientd1 and of net.hadess.SensorProxy."""
        self.client.wait_for("Claims", own)
        wait_until(lambda: len(self.client.get("SensorProxyClients")) == proxied, f"{proxied} claims of the proxy")

    def start_served(self, **options):
        """Starts a session with net.hadess.SensorProxy, and returns the agent."""
        self.start(*SERVED, claim=False)
        self.start_compositor(panel())
        return self.start_agent(**options)

    def own(self, name):
        """Has a desktop own a name on the bus of the session, which it starts."""
        self.take_name(self.start_session_bus(), name)

    def take_name(self, session, name):
        session.call("RequestName", BUS, "/", GLib.Variant("(su)", (name, 0)), BUS)

    def assert_not_needed(self, name, process):
        self.start(claim=False)
        self.start_compositor(panel())
        status, lines = self.end_of(settings=["LockSync=no"])
        self.assertEqual((status, len(lines)), (0, 1), lines)
        for text in ("Force=yes", name, f"process {process}"):
            self.assertIn(text, lines[0])
        self.assertEqual(self.client.get("Claims"), 0)
        self.assertEqual(self.compositor.applied(), [])

    def test_desktops_that_rotate_need_no_agent(self):
        for name in ("org.gnome.Mutter.DisplayConfig", "org.Cinnamon"):
            with self.case(name):
                self.own(name)
                self.assert_not_needed(name, os.getpid())

    # kwin_wayland_wrapper creates the socket.
    def test_desktop_whose_parent_serves_the_display_needs_no_agent(self):
        for command in ("kwin_wayland", ".kwin_wayland-w"):
            with self.case(command):
                owner = self.spawn_owner("org.kde.KWin", command)
                self.assert_not_needed("org.kde.KWin", owner.pid)

    # Its display is that of phoc.
    def test_phosh_needs_no_agent(self):
        name = "org.gnome.Mutter.DisplayConfig"
        self.spawn_owner(name, ".phosh-wrapped", is_elsewhere=True)
        self.assert_not_needed(name, "")

    # The agent ended in Regolith, in niri, in Plasma on X11, and beside GNOME on another VT.
    def test_names_of_what_does_not_rotate_this_display_do_not_count(self):
        mutter = "org.gnome.Mutter.DisplayConfig"
        for command, name, is_elsewhere in (
            *(("regolith-displa", mutter, True), ("gnome-shell", mutter, True), ("kwin_wayland", "org.kde.KWin", True)),
            *(("kwin_x11", "org.kde.KWin", False), ("niri", mutter, False)),
        ):
            with self.case(command=command):
                self.spawn_owner(name, command, is_elsewhere)
                self.start(claim=False)
                self.start_compositor(panel())
                self.start_agent(settings=["MapInput=no"])
                self.show("landscape-left")

    # Budgie:GNOME, which runs on labwc, was never rotated.
    def test_names_of_desktops_in_the_environment_do_not_count(self):
        for desktop in ("sway", "XFCE", "Budgie:GNOME", "GNOME", "KDE", ""):
            with self.case(desktop):
                self.start_session_bus()
                self.start(claim=False)
                self.start_compositor(panel())
                self.start_agent(settings=["MapInput=no"], environment={"XDG_CURRENT_DESKTOP": desktop})
                self.show("landscape-left")

    # Phosh takes its name seconds after its session has started the agent, which kept no lock the same then.
    def test_desktop_that_comes_later_has_the_agent_started_again(self):
        session = self.start_session_bus()
        agent = self.start_served(settings=["MapInput=no"])
        self.show("landscape-left")
        # The compositor is a part of this process.
        self.call_proxy("ClaimAccelerometer", self.rig.connect())
        self.wait_for_line(agent, "aside", f"process {os.getpid()}")
        self.take_name(session, "org.gnome.Mutter.DisplayConfig")
        self.assertEqual(agent.wait_for_end(), 1)
        claim = "which owns org.gnome.Mutter.DisplayConfig, is a desktop that rotates displays itself"
        agent.wait_for_log(f"{claim}: orient-agent starts again")
        self.wait_for_transform("normal")

    def test_force_rotates_nevertheless(self):
        self.own("org.gnome.Mutter.DisplayConfig")
        self.start(claim=False)
        self.start_compositor(panel())
        self.start_agent(settings=["Force=yes"])
        self.show("landscape-left")

    def test_claim_of_the_compositor(self):
        agent = self.start_served()
        self.show("landscape-left")
        # The compositor is a part of this process.
        client = self.rig.connect()
        self.call_proxy("ClaimAccelerometer", client)
        self.wait_for_line(agent, "aside", f"process {os.getpid()}")
        self.wait_for_claims(0, 1)
        self.wait_for_transform("normal")
        self.hold("landscape-right")
        self.wait_until_idle(agent)
        self.assertEqual(self.transforms(), ["270", "normal"])
        self.call_proxy("ReleaseAccelerometer", client)
        self.wait_for_transform("90")
        self.assertEqual(len(self.lines(agent)), 2)
        self.wait_for_claims(1, 0)

    def start_hyprland(self):
        self.rig.add_device(TOUCH.description())
        return self.serve(HyprlandServer(self.runtime, touch=[TOUCH.hyprland_name]))

    # Only the panel turned back: touches stayed turned.
    def test_touch_screen_turns_back_with_the_panel(self):
        hyprland = self.start_hyprland()
        agent = self.start_served()
        for transform, held in (("3", "landscape-left"), ("2", "portrait-upside-down")):
            self.show(held)
            wait_until(lambda: hyprland.option(TOUCH.hyprland_name, "transform") == transform, "the touch screen follows")
        self.call_proxy("ClaimAccelerometer", self.rig.connect())
        self.wait_for_line(agent, "aside")
        self.wait_for_transform("normal")
        wait_until(lambda: hyprland.option(TOUCH.hyprland_name, "transform") == "0", "the touch screen turns back")

    def test_touch_screen_of_a_compositor_that_has_claimed_before_is_left_alone(self):
        hyprland = self.start_hyprland()
        self.start(*SERVED, claim=False)
        self.start_compositor(panel())
        self.call_proxy("ClaimAccelerometer", self.rig.connect())
        agent = self.spawn_agent()
        self.wait_for_line(agent, "aside")
        agent.stop()
        self.assertEqual(hyprland.options, {})

    def test_compositor_that_has_claimed_before(self):
        self.start(*SERVED, claim=False)
        self.start_compositor(panel())
        client = self.rig.connect()
        self.call_proxy("ClaimAccelerometer", client)
        agent = self.spawn_agent()
        self.wait_for_line(agent, "aside")
        self.wait_for_claims(0, 1)
        self.hold("landscape-left")
        self.wait_until_idle(agent)
        self.assertEqual(self.compositor.applied(), [])
        client.close()
        self.wait_for_transform("270")

    def test_claim_of_the_compositor_while_the_agent_ends(self):
        agent = self.start_served()
        self.compositor.hold()
        self.hold("landscape-left")
        wait_until(lambda: self.compositor.held, "the configuration arrives")
        agent.process.terminate()
        self.wait_until_idle(agent)
        self.call_proxy("ClaimAccelerometer", self.rig.connect())
        self.wait_for_claims(1, 1)
        self.wait_until_idle(agent)
        self.compositor.release()
        self.assertEqual(agent.wait_for_end(), 0)
        self.assertEqual(self.compositor.head("eDP-1").transform, "normal")

    def test_force_rotates_beside_the_compositor(self):
        agent = self.start_served(settings=["Force=yes"])
        self.call_proxy("ClaimAccelerometer", self.rig.connect())
        self.wait_for_claims(1, 1)
        self.show("landscape-left")
        self.assertEqual(self.lines(agent), [])

    def test_claim_of_a_program_that_rotates(self):
        for name in ("iio-hyprland", ".iio-hyprland-w"):
            with self.case(name):
                agent = self.start_served()
                process = self.rig.spawn([PYTHON, "-c", NAMED + CLAIM, self.rig.address, name])
                self.wait_for_line(agent, "aside", f"process {process.pid} ({name})")
                self.wait_for_claims(0, 1)
                process.kill()
                self.wait_for_claims(1, 0)
                self.show("landscape-left")

    # A script on monitor-sensor, beside which the log stayed silent.
    def test_transform_of_a_program_that_follows_the_sensor(self):
        agent = self.start_served()
        process = self.rig.spawn([PYTHON, "-c", NAMED + CLAIM, self.rig.address, "monitor-sensor"])
        self.wait_for_claims(1, 1)
        self.show("landscape-left")
        self.wait_until_idle(agent)
        self.compositor.change("eDP-1", transform="90")
        overruled = "leaves eDP-1 as another program has set it"
        line = self.wait_for_line(agent, f"; process {process.pid} (monitor-sensor) follows the sensor as well")
        self.assertTrue(line.startswith(overruled), line)

    def test_claim_of_another_program(self):
        agent = self.start_served()
        self.rig.spawn([PYTHON, "-c", CLAIM, self.rig.address])
        self.wait_for_claims(1, 1)
        self.show("landscape-left")
        self.assertEqual(self.lines(agent), [])


class Status(SessionTestCase):
    def status(self, *options):
        """Returns what `orientctl status` prints in this session."""
        environment = {"XDG_RUNTIME_DIR": str(self.runtime)}
        result = self.rig.orientctl("status", *options, environment=environment)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout

    def named_agents(self):
        return [line for line in self.status().splitlines() if line.startswith("Agent:")]

    def test_status_names_the_agent(self):
        agent = self.start_session()
        self.assertEqual(self.named_agents(), [f"Agent: process {agent.pid} rotates eDP-1"])
        self.assertEqual(
            json.loads(self.status("--json"))["Agents"], [{"process": agent.pid, "activity": "rotates eDP-1"}]
        )
        self.compositor.unplug("eDP-1")
        agent.wait_for_warning("eDP-1 will be rotated again when connected: there are no outputs")
        wait_until(lambda: "rotates eDP-1 when it is on again" in self.status(), "the status has changed")
        agent.stop()
        self.assertEqual(self.named_agents(), [])
        self.assertEqual(json.loads(self.status("--json"))["Agents"], [])

    def test_other_files_among_the_locks_are_harmless(self):
        agent = self.start_session()
        folder = self.runtime / "orient-agent"
        os.mkfifo(folder / "pipe.lock")
        (folder / "folder.lock").mkdir()
        texts = (b"-5 is negative", b"99999999999 is too large", b"\xff\xfe", b"")
        with contextlib.ExitStack() as stack:
            for number, text in enumerate(texts):
                path = folder / f"{number}.lock"
                path.write_bytes(text)
                fcntl.lockf(stack.enter_context(path.open("r+b")), fcntl.LOCK_EX)
            self.assertEqual(self.named_agents(), [f"Agent: process {agent.pid} rotates eDP-1"])
            self.assertEqual(len(json.loads(self.status("--json"))["Agents"]), 1)

    def test_killed_agent_is_not_named(self):
        agent = self.start_session()
        agent.kill()
        self.assertEqual(self.named_agents(), [])

    def test_status_says_that_the_agent_stands_aside(self):
        self.start(*SERVED, claim=False)
        self.start_compositor(panel())
        agent = self.start_agent()
        self.client.call("ClaimAccelerometer", PROXY, PROXY_PATH, None, PROXY)
        wait_until(lambda: "stands aside" in self.status(), "the status has changed")
        self.wait_for_line(agent, "aside")


class SecondAgent(SessionTestCase):
    def test_second_agent_ends(self):
        agent = self.start_session()
        status, lines = self.end_of()
        self.assertEqual((status, len(lines)), (1, 1), lines)
        self.assertIn(f"process {agent.pid}", lines[0])
        self.assertIn("wayland-7", lines[0])
        self.show("landscape-left")
        status, lines = self.end_of("--restore")
        self.assertEqual((status, len(lines)), (1, 1), lines)
        self.assertEqual(self.compositor.head("eDP-1").transform, "270")

    def test_agent_waits_for_one_that_ends(self):
        # `pkill -x orient-agent; orient-agent &` left none, as the manual recommends it.
        first = self.start_session()
        self.show("landscape-left")
        self.compositor.hold()
        first.process.terminate()
        second = self.spawn_agent()
        file = str(self.runtime / "orient-agent" / "wayland-7.lock")

        def has_asked():
            folder = pathlib.Path(f"/proc/{second.pid}/fd")
            return file in [os.path.realpath(link) for link in folder.iterdir()]

        wait_until(has_asked, "the second has found the lock taken")
        self.assertTrue(first.is_running())
        # The second one waits longer for an agent that says this.
        self.assertEqual(pathlib.Path(file).read_text(), f"{first.pid} restores the display\n")
        self.compositor.release()
        self.assertEqual(first.wait_for_end(), 0)
        self.show("portrait-upside-down")
        self.show("landscape-left")
        self.assertTrue(second.is_running())

    def test_whole_path_of_the_display_is_the_same_display(self):
        agent = self.start_session()
        status, lines = self.end_of(environment={"WAYLAND_DISPLAY": str(self.runtime / "wayland-7")})
        self.assertEqual((status, len(lines)), (1, 1), lines)
        self.assertIn(f"process {agent.pid}", lines[0])

    # Both rotated the display.
    def test_runtime_folder_with_a_slash_is_the_same_display(self):
        agent = self.start_session()
        path = str(self.runtime / "wayland-7")
        for folder in (f"{self.runtime}/", f"{self.runtime}//"):
            status, lines = self.end_of(environment={"XDG_RUNTIME_DIR": folder, "WAYLAND_DISPLAY": path})
            self.assertEqual((status, len(lines)), (1, 1), lines)
            self.assertIn(f"process {agent.pid}", lines[0])

    # A service of the user may know DISPLAY alone, which is Xwayland's.
    def test_xwayland_is_not_the_display(self):
        self.start(claim=False)
        self.start_compositor(panel())
        # Both belong to this process, as the sockets that a compositor starts Xwayland for.
        xwayland = FakeServer()
        self.rig.on_close(xwayland.close)
        for ended in (None, "wayland-9"):
            with self.subTest(ended):
                agent = self.spawn_agent(environment={"DISPLAY": xwayland.name, "WAYLAND_DISPLAY": ended})
                self.client.wait_for("Claims", 1)
                self.show("landscape-left")
                agent.stop()
                self.wait_for_transform("normal")
                self.client.wait_for("Claims", 0)

    def test_each_display_has_an_agent_of_its_own(self):
        self.start_session()
        other = self.serve(type(self.compositor)(self.runtime / "wayland-8", panel()))
        self.spawn_agent(environment={"WAYLAND_DISPLAY": "wayland-8"})
        wait_until(other.has_client, "the other agent is connected")
        self.hold("landscape-left")
        self.wait_for_transform("270")
        wait_until(lambda: other.head("eDP-1").transform == "270", "the other panel has turned")

    def test_agent_after_a_killed_one_starts(self):
        self.start_session().kill()
        self.client.wait_for("Claims", 0)
        self.start_agent()
        self.show("landscape-left")


class Check(SessionTestCase):
    def check(self, *arguments, environment=None):
        """Returns the findings of `orient-agent --check` by subject."""
        status, lines = self.end_of("--check", *arguments, environment=environment)
        self.assertEqual(status, 0, lines)
        return self.by_subject(lines)

    def by_subject(self, lines):
        """Returns the findings in lines of JSON; programs of other tests, or of the machine, are no rivals."""
        findings = {}
        for line in lines:
            finding = json.loads(line)
            if finding["check"] == "rival" and not self.is_own(finding["text"]):
                continue
            value = (finding["result"], finding["text"], finding["remedy"])
            findings.setdefault(finding["check"], []).append(value)
        return findings

    def is_own(self, text):
        """Returns whether a finding is about a process of this test."""
        return any(f"(process {process.pid})" in text for process in self.rig.processes)

    def doctor(self, environment=None, **changes):
        """Returns the findings of `orientctl doctor` about the session, in the same form."""
        path = f"{BUILD}:{os.environ['PATH']}"
        variables = self.environment() | {"PATH": path, "STATE_DIRECTORY": str(self.state)} | (environment or {})
        output = self.rig.directory / "doctor.out"
        with output.open("wb") as file:
            process = self.rig.spawn([BUILD / "orientctl", "doctor", "--json"], env=variables, stdout=file)
        wait_until(lambda: process.poll() is not None, "doctor ends", 30)
        return self.by_subject(output.read_text().splitlines())

    def test_healthy_session(self):
        agent = self.start_session(panel(), monitor())
        findings = self.check()
        self.assertEqual({verdict for found in findings.values() for verdict, _, _ in found}, {"ok"}, findings)
        self.assertIn("eDP-1, HDMI-A-1", findings["display"][0][1])
        self.assertIn("eDP-1", findings["panel"][0][1])
        self.assertIn(f"process {agent.pid}", findings["agent"][0][1])
        found = self.doctor()
        self.assertEqual({subject: found.get(subject) for subject in findings}, findings)

    def test_check_changes_nothing(self):
        self.start(held="landscape-left", claim=False)
        self.start_compositor(panel())
        self.assertEqual(self.check()["agent"][0][0], "warn")
        self.assertEqual(self.compositor.applied(), [])
        self.assertEqual(self.client.get("Claims"), 0)
        self.start_agent()
        self.wait_for_transform("270")

    # It was said to start the agent, which could not run.
    def test_agent_that_cannot_run(self):
        self.start(claim=False)
        self.start_compositor(panel())
        path = {"XDG_RUNTIME_DIR": None, "WAYLAND_DISPLAY": str(self.runtime / "wayland-7")}
        ((verdict, text, remedy),) = self.check(environment=path)["agent"]
        self.assertEqual((verdict, remedy), ("fail", ""))
        self.assertIn("XDG_RUNTIME_DIR is not set", text)
        folder = self.runtime / "orient-agent"
        self.assertEqual(self.check()["agent"][0][0], "warn")
        self.assertFalse(folder.exists())
        # No directory, which root may not use either.
        folder.touch()
        ((verdict, text, remedy),) = self.check()["agent"]
        self.assertEqual((verdict, remedy), ("fail", ""))
        self.assertIn(f"cannot write to {folder}: ", text)

    def test_missing_panel(self):
        self.start(claim=False)
        self.start_compositor(monitor(), monitor("DP-1", position=(3120, 0)))
        verdict, text, remedy = self.check()["panel"][0]
        self.assertEqual(verdict, "warn")
        self.assertIn("Output=NAME", text)
        self.assertEqual(remedy, "man orient-agent.conf")
        self.assertIn("DSI-7", self.check("--output=DSI-7")["panel"][0][1])
        self.assertEqual(self.check("--output=HDMI-A-1")["panel"][0][0], "ok")

    def test_missing_panel_of_two(self):
        self.start(claim=False)
        self.start_compositor(panel(enabled=False), monitor())
        missing, found = self.check("--output=eDP-1,DSI-7")["panel"]
        text = "there is no output 'DSI-7': the outputs are eDP-1 (off), HDMI-A-1"
        self.assertEqual((missing[1], found[1].split(",")[0]), (text, "eDP-1 is off"))
        self.compositor.unplug("HDMI-A-1")
        self.compositor.change("eDP-1", enabled=True)
        missing, found = self.check("--output=eDP-1,DSI-7")["panel"]
        self.assertEqual(missing[:2], ("warn", "there is no output 'DSI-7': the outputs are eDP-1"))
        self.assertEqual(found[:2], ("ok", "eDP-1, transform normal"))
        agent = self.start_agent("--output=eDP-1,DSI-7")
        agent.wait_for_warning("there is no output 'DSI-7': the outputs are eDP-1")
        self.show("landscape-left")
        # Where only the agent was told, the panel is fine.
        self.assertEqual(self.check()["agent"], [("ok", f"process {agent.pid} rotates eDP-1; missing: DSI-7", "")])

    def test_display_as_somebody_else_set_it(self):
        agent = self.start_session()
        self.show("landscape-left")
        self.compositor.change("eDP-1", transform="normal")
        self.wait_for_line(agent, "leaves eDP-1 as another program has set it")
        text = f"process {agent.pid} (orient-agent) leaves eDP-1 as another program has set it"
        self.assertEqual(self.doctor()["rotator"], [("warn", text, f"orientctl --bus='{self.rig.address}' align")])

    def test_hook_that_is_not_executable(self):
        self.start(claim=False)
        self.start_compositor(panel())
        folder = self.home / ".config" / "orientd" / "hooks.d"
        folder.mkdir(parents=True)
        path = folder / "notify"
        path.write_text("#!/bin/sh\n")
        self.assertEqual(self.check()["hook"], [("warn", f"{path} is not executable", f"chmod +x '{path}'")])
        path.chmod(0o755)
        self.assertNotIn("hook", self.check())

    def test_mistake_in_the_configuration(self):
        self.start(claim=False)
        self.start_compositor(panel())
        path = self.home / ".config" / "orientd" / "agent.conf"
        path.parent.mkdir(parents=True)
        path.write_text("[Agent]\nOutptu=eDP-1\n")
        ((verdict, text, _),) = self.doctor()["agent.conf"]
        self.assertEqual(verdict, "warn")
        self.assertIn(f"{path}:2: ", text)

    def test_agent_without_an_output_is_explained_by_the_panel(self):
        self.start(claim=False)
        self.start_compositor(monitor())
        agent = self.start_agent()
        text = f"process {agent.pid} runs in this session"
        wait_until(lambda: self.check()["agent"] == [("ok", text, "")], "the agent has found none")
        text = f"process {agent.pid} (orient-agent) finds no output to rotate"
        self.assertEqual(self.doctor()["rotator"], [("warn", text, "man orient-agent.conf")])
        ((verdict, text, _),) = self.check()["panel"]
        self.assertEqual(verdict, "warn")
        advice = "write Output=HDMI-A-1 below [Agent] in ~/.config/orientd/agent.conf, or use --output=HDMI-A-1, and"
        self.assertTrue(text.endswith(f"; to rotate one, {advice} start orient-agent again"), text)
        agent.wait_for_warning("no output is a built-in panel")
        findings = self.check("--output=HDMI-A-1")
        self.assertEqual(findings["panel"][0][0], "ok")
        ((verdict, text, remedy),) = findings["agent"]
        self.assertEqual((verdict, remedy), ("warn", "pkill -x orient-agent; setsid -f orient-agent"))
        self.assertTrue(text.endswith("found no output to rotate with the settings that it has read; start it again"), text)

    def test_panel_that_only_the_running_agent_was_told(self):
        self.start(claim=False)
        self.start_compositor(monitor())
        agent = self.start_agent("--output=HDMI-A-1")
        findings = self.check()
        self.assertEqual(findings["agent"], [("ok", f"process {agent.pid} rotates HDMI-A-1", "")])
        self.assertNotIn("panel", findings)

    def test_panel_that_is_off(self):
        self.start(claim=False)
        self.start_compositor(panel(), monitor())
        self.compositor.change("eDP-1", enabled=False)
        text = "eDP-1 is off, as with a closed lid, and is rotated when it is on again"
        self.assertEqual(self.check()["panel"], [("warn", text, "")])

    def test_name_with_control_characters_is_one_finding(self):
        self.start(claim=False)
        self.start_compositor(panel(), monitor("one\ttwo\nfail\tthree"))
        self.assertEqual(sorted(self.check()), ["agent", "display", "panel"])

    def test_unreachable_display(self):
        self.start(claim=False)
        findings = self.check()
        self.assertEqual(findings["display"][0][0], "fail")
        self.assertIn("wayland-7", findings["display"][0][1])
        self.assertEqual(self.doctor()["display"], findings["display"])

    def test_compositor_without_the_protocol(self):
        self.start(claim=False)
        self.serve(WaylandServer(self.runtime / "wayland-7"))
        verdict, text, _ = self.check()["display"][0]
        self.assertEqual(verdict, "fail")
        self.assertIn("wlr-output-management", text)

    def test_compositor_that_does_not_answer(self):
        self.start(claim=False)
        server = self.serve(WaylandServer(self.runtime / "wayland-7"))
        with server.lock:  # its thread cannot read
            verdict, text, _ = self.check()["display"][0]
        self.assertEqual(verdict, "fail")
        self.assertIn("does not answer", text)

    def test_touch_screen_that_is_not_mapped(self):
        for device in (TOUCH, PEN, TOUCH_MONITOR):
            self.rig.add_device(device.description())
        self.start(claim=False)
        self.start_compositor(panel())
        labwc = {"XDG_CURRENT_DESKTOP": "labwc:wlroots"}
        line = f'<touch deviceName="{TOUCH.name}" mapToOutput="eDP-1"/>'
        found = self.check(environment=labwc)["touch"]
        self.assertEqual(len(found), 2, found)
        self.assertEqual({verdict for verdict, _, _ in found}, {"warn"})
        (text,) = [text for _, text, _ in found if line in text]
        self.assertIn("~/.config/labwc/rc.xml", text)
        self.assertIn(TOUCH.name, text)
        self.assertEqual(self.doctor(environment=labwc)["touch"], found)
        # The line may be in a comment, or in a file that the compositor does not read: nobody looks for it.
        configuration = self.home / ".config" / "labwc" / "rc.xml"
        configuration.parent.mkdir(parents=True)
        configuration.write_text(f"<labwc_config><!-- {line} --></labwc_config>\n")
        self.assertEqual(self.touch(labwc), found)

    def touch(self, environment):
        return self.check(environment=environment)["touch"]

    def test_touch_screen_that_the_agent_maps(self):
        self.rig.add_device(TOUCH.description())
        self.start(claim=False)
        self.start_compositor(panel())
        missing = {"SWAYSOCK": "/nowhere"}
        ((verdict, text, _),) = self.touch(missing)
        self.assertEqual(verdict, "warn")
        for part in (TOUCH.name, "no socket of sway answers", "SWAYSOCK=/nowhere"):
            self.assertIn(part, text)
        # It is found without the variable, and in place of that of a session that has ended.
        self.serve(SwayServer(self.runtime / "sway-ipc.1000.42.sock", [TOUCH.sway_input()]))
        for session in ({}, missing):
            ((verdict, text, _),) = self.touch(session)
            self.assertEqual(verdict, "warn")
            self.assertIn("while orient-agent runs", text)
        self.start_agent()
        ((verdict, text, _),) = self.touch({})
        self.assertEqual(verdict, "ok")
        self.assertIn(TOUCH.name, text)

    def test_program_that_rotates_as_well(self):
        self.start(claim=False)
        self.start_compositor(panel())
        program = self.rig.directory / "rot8"
        shutil.copy("/bin/sleep", program)
        process = self.rig.spawn([program, "1000"])
        (found,) = self.check()["rival"]
        self.assertEqual(found[0], "warn")
        self.assertEqual(found[1], f"rot8 (process {process.pid}) rotates the display as well; remove what starts it")
        self.assertEqual(found[2], "pkill -x rot8")

    def test_desktop_that_rotates_itself(self):
        self.spawn_owner("org.kde.KWin", "kwin_wayland")
        self.start(claim=False)
        findings = self.check()
        self.assertEqual(list(findings), ["session"])
        self.assertEqual(findings["session"][0][0], "ok")

    def test_doctor_outside_a_session_says_only_that_it_is_not_checked(self):
        self.start(claim=False)
        found = self.doctor(environment={"WAYLAND_DISPLAY": "", "DISPLAY": ""})
        ((verdict, text, remedy),) = found["session"]
        self.assertEqual((verdict, text.split(":")[0], remedy), ("ok", "not checked, nor are desktop and rotator", ""))
        self.assertEqual({"display", "panel", "touch", "agent", "rival"} & set(found), set())

    def test_doctor_without_the_agent_says_so(self):
        self.start(claim=False)
        folder = self.rig.directory / "bin"
        folder.mkdir()
        ((verdict, text, remedy),) = self.doctor(environment={"PATH": str(folder)})["session"]
        self.assertEqual(verdict, "warn")
        self.assertIn("orient-agent is not installed", text)
        # The bus is not the system's, whose packages are left alone.
        self.assertEqual(remedy, "")

    def test_doctor_says_that_the_agent_cannot_check(self):
        self.start(claim=False)
        folder = self.rig.directory / "bin"
        folder.mkdir()
        agent = folder / "orient-agent"
        for script, expected in (("echo nonsense", "nonsense"), ("exit 1", "orient-agent --check")):
            agent.write_text(f"#!/bin/sh\n{script}\n")
            agent.chmod(0o755)
            ((verdict, text, _),) = self.doctor(environment={"PATH": f"{folder}:{os.environ['PATH']}"})["session"]
            self.assertEqual(verdict, "warn")
            self.assertIn(expected, text)


class Configuration(SessionTestCase):
    LINES = (
        ("Colour=blue", "Colour"),
        ("Output=", "Output"),
        ("MapInput=sometimes", "auto or no"),
        ("Restore=perhaps", "yes or no"),
        ("OnServiceLost=explode", "keep or restore"),
        ("Suggest=yes", "no or notify"),
        ("Applications=some", "no, fullscreen or all"),
        ("HookTimeout=0", "0.1 to 10"),
        ("HookTimeout=11", "0.1 to 10"),
        ("HookTimeout=soon", "0.1 to 10"),
        ("Force=maybe", "yes or no"),
        ("no assignment", ""),
        ("[Application]", None),
        ("SupportedOrientations=landscape", "application"),
        ("[Application org.example.Player]", None),
        ("SupportedOrientations=sideways", "landscape"),
        ("[Orientation]", None),
        ("NaturalOrientation=portrait", "not a setting of orient-agent"),
    )

    def test_each_mistake_is_one_warning_with_file_and_line(self):
        agent = self.start_session(settings=[line for line, _ in self.LINES])
        path = self.rig.directory / "agent-0.conf"
        warnings = agent.new_warnings()
        expected = [(number, line, text) for number, (line, text) in enumerate(self.LINES, 2) if text is not None]
        self.assertEqual(len(warnings), len(expected), warnings)
        for warning, (number, line, text) in zip(warnings, expected):
            self.assertIn(f"{path}:{number}: ", warning)
            self.assertIn(text, warning)
        self.show("landscape-left")

    def test_file_that_is_asked_for_must_exist(self):
        self.start(claim=False)
        self.start_compositor(panel())
        path = self.rig.directory / "missing.conf"
        status, lines = self.end_of("--config", str(path))
        self.assertEqual((status, len(lines)), (1, 1), lines)
        self.assertIn(str(path), lines[0])

    def test_file_of_the_user_and_its_drop_ins_are_read(self):
        folder = self.home / ".config" / "orientd"
        (folder / "agent.conf.d").mkdir(parents=True)
        (folder / "agent.conf").write_text("[Agent]\nOutput=DP-1\nNonsense=1\n")
        (folder / "agent.conf.d" / "10-output.conf").write_text("[Agent]\nOutput=DP-2\n")
        self.start(claim=False)
        self.start_compositor(panel(), monitor("DP-1"), monitor("DP-2", position=(3120, 0)))
        agent = self.launch("--bus", self.rig.address)
        agent.wait_for_warning(f"{folder}/agent.conf:3: ", "Nonsense")
        self.show("landscape-left", "DP-2")
        self.assertEqual(self.compositor.head("DP-1").transform, "normal")


class Start(SessionTestCase):
    def assert_ends(self, *texts, arguments=(), status=1, **options):
        """Checks that the agent ends with one line."""
        found, lines = self.end_of(*arguments, **options)
        self.assertEqual((found, len(lines)), (status, 1), lines)
        for text in texts:
            self.assertIn(text, lines[0])
        return lines[0]

    def test_wrong_options_are_misuse(self):
        for argument in ("--backend=foo", "--backend=", "--output=", "--nonsense", "operand"):
            with self.subTest(argument):
                self.assert_ends(argument, arguments=[argument], status=2)

    def test_output_that_cannot_be_written_is_an_error(self):
        for option in ("--help", "--version", "--settings", "--check"):
            with self.subTest(option), open("/dev/full", "wb") as full:
                command = [BUILD / "orient-agent", option]
                result = subprocess.run(
                    command, env=self.environment(), stdout=full, stderr=subprocess.PIPE, check=False, timeout=10
                )
                self.assertEqual(result.returncode, 1)
                self.assertIn(b"cannot write standard output: No space left on device", result.stderr)

    def test_session_without_a_display(self):
        self.start(claim=False)
        for value in (None, ""):
            with self.subTest(value):
                environment = {"WAYLAND_DISPLAY": value, "DISPLAY": value}
                self.assert_ends("WAYLAND_DISPLAY", "DISPLAY", environment=environment)

    def test_niri_without_its_socket(self):
        self.start(claim=False)
        self.start_compositor(panel())
        self.assert_ends("NIRI_SOCKET", arguments=["--backend=niri"])

    def test_display_that_does_not_exist(self):
        self.start(claim=False)
        self.assert_ends("wayland-7")

    def test_runtime_folder_that_cannot_be_used(self):
        self.start(claim=False)
        file = self.rig.directory / "file"
        file.touch()
        for folder in (None, "", str(self.rig.directory / "missing"), str(file)):
            with self.subTest(folder):
                text = folder or "XDG_RUNTIME_DIR is not set"
                self.assert_ends(text, environment={"XDG_RUNTIME_DIR": folder})

    def test_full_runtime_folder_is_one_warning(self):
        lock = self.runtime / "orient-agent" / "wayland-7.lock"
        lock.parent.mkdir()
        lock.symlink_to("/dev/full")
        agent = self.start_session()
        agent.wait_for_warning(str(lock), "No space left")
        self.show("landscape-left")
        self.show("portrait")
        self.wait_until_idle(agent)
        self.assertEqual(agent.new_warnings(), [])

    def test_bus_that_cannot_be_reached(self):
        self.start_compositor(panel())
        missing = f"unix:path={self.rig.directory}/missing"
        self.assert_ends(missing, arguments=["--bus", missing])

    def test_agent_waits_for_orientd(self):
        self.start_compositor(panel())
        agent = self.spawn_agent()
        wait_until(self.is_connected, "the agent is connected")
        self.wait_until_idle(agent)
        self.assertEqual(self.lines(agent), ["orientd is not running, or not installed; waiting for it to start"])
        file = self.runtime / "orient-agent" / "wayland-7.lock"
        # It said that it rotates the display.
        self.assertEqual(file.read_text(), f"{agent.pid} waits for orientd\n")
        daemon = self.start(claim=False, held="landscape-left")
        self.wait_for_transform("270")
        self.assertEqual(file.read_text(), f"{agent.pid} rotates eDP-1\n")
        daemon.stop()
        agent.wait_for_warning("orientd has stopped")
        wait_until(lambda: "waits for orientd" in file.read_text(), "the agent waits")
        self.rig.start_orientd()
        wait_until(lambda: "orientd has started again" in self.lines(agent), "the agent says that it goes on")

    def test_damaged_state_is_one_warning_and_nothing_is_lost(self):
        output = (
            '{"name": "eDP-1", "transform": "normal", "x": 0, "y": 0, "width": 1200, "height": 1920, "scale": 1}'
        )
        good = f'{{"version": 1, "movesNeighbours": true, "applied": [], "outputs": [{output}]}}\n'
        for name, text in {
            "empty": "",
            "truncated": good.removesuffix("}\n"),
            "no transform": good.replace("normal", "sideways"),
            "no numbers": good.replace("1200", '"wide"'),
            "negative size": good.replace("1200", "-1200"),
            "huge size": good.replace("1200", "9" * 40),
            "size of the last integer": good.replace("1200", str(2**63 - 1)),
            "place of the last integer": good.replace('"x": 0', f'"x": {2**63 - 1}'),
            "tiny scale": good.replace('"scale": 1', '"scale": 1e-300'),
            "binary": "\0\1\2\xff\n",
            "another version": good.replace('"version": 1', '"version": 2'),
            "endless": "[" + "1," * 100000,
        }.items():
            with self.case(name):
                state = self.runtime / "orient-agent" / "wayland-7"
                state.parent.mkdir()
                state.write_text(text)
                agent = self.start_session(panel(transform="90"))
                agent.wait_for_warning(str(state))
                self.show("landscape-left")
                agent.stop()
                self.assertEqual(self.compositor.head("eDP-1").transform, "90")
                self.assertFalse(state.exists())

    def test_damaged_state_is_not_restored(self):
        state = self.runtime / "orient-agent" / "wayland-7"
        state.parent.mkdir()
        state.write_text('{"version": 1}\n')
        self.start_compositor(panel(transform="90"))
        agent = self.spawn_agent("--restore")
        self.assertEqual(agent.wait_for_end(), 0)
        agent.wait_for_warning(str(state), "the display is not restored")
        self.assertEqual(self.compositor.applied(), [])
        self.assertFalse(state.exists())

    def test_state_that_cannot_be_saved_is_one_warning(self):
        agent = self.start_session()
        shutil.rmtree(self.runtime / "orient-agent")
        self.show("landscape-left")
        agent.wait_for_warning(str(self.runtime / "orient-agent"), "after a crash the display may not be restored")
        for held in ("landscape-right", "portrait-upside-down", "portrait"):
            self.show(held)
        self.wait_until_idle(agent)
        self.assertEqual(agent.new_warnings(), [])
        self.show("landscape-left")
        agent.wait_for_warning("after a crash the display may not be restored")
        agent.stop()
        self.assertEqual(self.compositor.head("eDP-1").transform, "normal")

    def test_restoring_without_a_compositor_keeps_the_state(self):
        agent = self.start_session()
        self.show("landscape-left")
        self.wait_until_idle(agent)
        agent.kill()
        self.compositor.stop()
        self.assert_ends("wayland-7", arguments=["--restore"])
        self.compositor.start()
        self.compositor.hold()
        self.assert_ends("does not answer", arguments=["--restore"])
        self.compositor.release()
        self.compositor.head("eDP-1").transform = "270"
        self.restore()
        self.assertEqual(self.compositor.head("eDP-1").transform, "normal")

    def test_nothing_to_restore_needs_no_compositor(self):
        agent = self.spawn_agent("--restore")
        self.assertEqual(agent.wait_for_end(), 0)
        self.assertEqual(self.lines(agent), [])

    def test_log_has_no_control_characters(self):
        agent = self.start_session(monitor("evil\x1b[31m\nname"))
        agent.wait_for_warning("evil")
        self.assertIsNone(re.search(r"[\x00-\x09\x0b-\x1f\x7f]", agent.log()))
