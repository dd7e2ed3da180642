# SPDX-License-Identifier: Apache-2.0
"""The commands of orientctl for the interface: locks, rotations, requests, and `run`."""

import configparser
import glob
import json
import os
import re
import signal
import subprocess

from gi.repository import Gio, GLib

from rig import BUILD, BUS_NAME, MANAGER, REQUEST, ROOT_PATH, SOURCE_ROOT, wait_until
from rotation import ALL, HELD, LANDSCAPE, ORIENTATIONS, RotationTestCase
from test_orientctl import DONE, NO_DAEMON, OrientctlTestCase, REFUSED, USAGE

REQUEST_ACTION = "org.orientd1.request"
NOT_EXECUTABLE, NOT_FOUND = 126, 127
LANDSCAPE_LEFT_ONLY = 16
MAY_ASK = Gio.DBusMessageFlags.ALLOW_INTERACTIVE_AUTHORIZATION
MANAGER_METHODS = f"""
<node><interface name="{MANAGER}">
  <method name="Claim"/>
  <method name="AlignToDevice"/>
  <method name="SetRotationLock"><arg type="s" direction="in"/></method>
  <method name="SetAutorotate"><arg type="s" direction="in"/></method>
  <method name="Rotate"><arg type="s" direction="in"/></method>
</interface></node>"""


class InterfaceTestCase(OrientctlTestCase, RotationTestCase):
    def do(self, *arguments):
        """Runs a command that should succeed without output."""
        run = self.rig.orientctl(*arguments)
        self.assertEqual((run.returncode, run.stdout, run.stderr), (DONE, "", ""), arguments)

    def assert_fails(self, exit_code, *arguments):
        """Runs a command that should fail, and returns the one line that says why."""
        run = self.rig.orientctl(*arguments)
        self.assertEqual((run.returncode, run.stdout), (exit_code, ""), (arguments, run.stderr))
        self.assertRegex(run.stderr, r"\Aorientctl: .+\n\Z", arguments)
        return run.stderr

    def requests(self):
        """Returns (path, app_id, parent, presentation, supported, reason) of each request."""
        return self.client.call("ListRequests")[0]


class Turning(InterfaceTestCase):
    def test_lock_and_unlock(self):
        self.start(held="landscape-left")
        self.assert_shown("landscape-right")
        self.do("lock")
        self.assertEqual(self.client.get("RotationLock"), "current")
        for edge in ORIENTATIONS:
            self.do("lock", edge)
            self.assert_shown(edge, lock=edge)
        for word in ("current", "on"):
            self.do("lock", word)
            self.assert_shown(ORIENTATIONS[-1], lock="current")
            self.do("lock", ORIENTATIONS[-1])
        self.do("unlock")
        self.assert_shown("landscape-right", lock="off")

    def test_lock_toggle(self):
        self.start(held="landscape-left")
        self.do("lock", "toggle")
        self.assert_shown("landscape-right", lock="current")
        self.turn("portrait")
        self.assert_shown("landscape-right")
        self.do("lock", "toggle")
        self.assert_shown("portrait", lock="off")
        self.do("lock", "landscape-left")
        self.do("lock", "toggle")
        self.assert_shown("portrait", lock="off")

    def test_landscape_is_the_better_one_of_the_two(self):
        self.start(held="portrait")
        for held, command, expected in (
            # Neither is shown nor held: the lowest raw value.
            ("portrait", "rotate", "landscape-right"),
            ("portrait-upside-down", "lock", "landscape-right"),
            ("landscape-right", "rotate", "landscape-left"),
            ("landscape-right", "lock", "landscape-left"),
        ):
            with self.subTest(held, command=command):
                self.turn(held)
                self.client.ask("Rotate", "s", "portrait")
                self.do(command, "landscape")
                self.assert_shown(expected, lock="off" if command == "rotate" else expected)
                # One that is shown stays.
                self.client.ask("Rotate", "s", "landscape-right")
                self.do(command, "landscape")
                self.assert_shown("landscape-right")
                self.do("unlock")
        self.view(LANDSCAPE_LEFT_ONLY, "org.example.Player")
        self.do("rotate", "landscape")
        self.assert_shown("landscape-left")

    def test_landscape_reads_the_device_first(self):
        self.start(held="landscape-right", claim=False)
        self.do("rotate", "landscape")
        self.assert_shown("landscape-left")

    def test_quarter_turns(self):
        self.start()
        clockwise = ("portrait", "landscape-right", "portrait-upside-down", "landscape-left")
        for command, order in (("cw", clockwise), ("next", clockwise), ("ccw", clockwise[::-1])):
            for _ in range(4):
                shown = order.index(self.client.get("InterfaceOrientation"))
                self.do("rotate", command)
                self.assert_shown(order[(shown + 1) % 4])
        # The output turns counter-clockwise by its transform.
        self.do("rotate", "ccw")
        self.assertEqual(self.client.get("OutputTransform"), "90")
        self.view(LANDSCAPE, "org.example.Player")
        self.assert_shown("landscape-left")
        self.assertIn("portrait", self.assert_fails(REFUSED, "rotate", "cw"))
        for expected in ("landscape-right", "landscape-left"):
            self.do("rotate", "next")
            self.assert_shown(expected)

    def test_lock_off_is_unlock(self):
        self.start(claim=False)
        self.do("lock", "landscape-left")
        self.do("lock", "off")
        self.assert_shown("portrait", lock="off")
        self.do("lock", "off")
        self.assert_shown("portrait", lock="off")

    def test_rotate_and_align(self):
        self.start(held="landscape-left")
        for edge in ORIENTATIONS:
            self.do("rotate", edge)
            self.assert_shown(edge)
        self.do("align")
        self.assert_shown("landscape-right")

    def test_align_and_unlock_read_the_device_first(self):
        # Without a claim they used the last known orientation, or none.
        self.start(held="landscape-left", claim=False)
        self.do("lock", "portrait")
        self.do("align")
        self.assert_shown("landscape-right", lock="landscape-right")
        self.client.wait_for("SensorState", "idle")
        self.rig.turn(HELD["portrait-upside-down"][0])
        self.do("unlock")
        self.assert_shown("portrait-upside-down", lock="off")

    def test_align_warns_of_a_lost_sensor(self):
        # It has turned the interface to how the device was held when the sensor went.
        self.start(held="landscape-left")
        self.assert_shown("landscape-right")
        self.rig.remove_device()
        self.client.wait_for("SensorState", "lost")
        run = self.rig.orientctl("align")
        warning = "the interface is shown in landscape-right: the accelerometer is lost, and the device was last held so"
        self.assertEqual((run.returncode, run.stderr), (DONE, f"orientctl: warning: {warning}\n"))

    def test_align_and_unlock_work_without_the_right_to_claim(self):
        self.rig.start_polkit(allowed=("org.orientd1.lock", "org.orientd1.rotate"))
        self.start(claim=False)
        self.do("lock", "landscape-left")
        run = self.rig.orientctl("align")
        warning = "the interface is shown in landscape-left: orientd does not know how the device is held"
        self.assertEqual((run.returncode, run.stderr), (DONE, f"orientctl: warning: {warning}\n"))
        self.do("unlock")
        self.assert_shown("landscape-left", lock="off")

    def serve(self, **errors):
        """Serves org.orientd1 with methods that only note whether polkit may ask a person, or fail with an error."""
        calls = []

        def handle(_connection, _sender, _path, _interface, method, _arguments, invocation):
            calls.append((method, bool(invocation.get_message().get_flags() & MAY_ASK)))
            if method in errors:
                invocation.return_dbus_error(errors[method], "no")
            else:
                invocation.return_value(None)

        (interface,) = Gio.DBusNodeInfo.new_for_xml(MANAGER_METHODS).interfaces
        self.client.connection.register_object(ROOT_PATH, interface, handle, None, None)
        bus = "org.freedesktop.DBus"
        self.client.call("RequestName", bus, "/", GLib.Variant("(su)", (BUS_NAME, 0)), bus)
        return calls

    def run_command(self, *arguments):
        """Runs a command while this process serves; returns its exit code."""
        process = self.rig.spawn([BUILD / "orientctl", *arguments])
        wait_until(lambda: process.poll() is not None, "the command ends")
        return process.returncode

    def test_polkit_may_ask_a_person_before_a_command_turns(self):
        calls = self.serve()
        for arguments in (("lock",), ("unlock",), ("rotate", "portrait"), ("align",), ("autorotate", "never")):
            self.assertEqual(self.run_command(*arguments), DONE)
        self.assertEqual(
            [call for call in calls if call[0] != "Claim"],
            [(method, True) for method in ("SetRotationLock",) * 2 + ("Rotate", "AlignToDevice", "SetAutorotate")],
        )

    def test_only_a_refused_claim_is_ignored(self):
        # Every error was, also of a daemon that had not answered.
        calls = self.serve(Claim="org.freedesktop.DBus.Error.NoReply")
        for command in ("align", "unlock"):
            self.assertEqual(self.run_command(command), 1)
        self.assertEqual(calls, [("Claim", False)] * 2)

    def test_autorotate(self):
        self.start()
        for mode in ("never", "tablet-mode", "always"):
            self.do("autorotate", mode)
            self.assertEqual(self.client.get("Autorotate"), mode)

        self.assertEqual(self.rig.orientctl("autorotate").stdout, "always\n")
        printed = self.rig.orientctl("autorotate", "--json").stdout
        self.assertEqual(printed, '{"Autorotate":"always","AutorotateSource":"override"}\n')

    def test_tablet_mode(self):
        self.start()

        def printed(*arguments):
            return self.rig.orientctl("tablet-mode", *arguments).stdout

        self.assertEqual(printed(), "unknown (counts as a tablet)\n")
        for mode in ("laptop", "tablet"):
            self.do("tablet-mode", mode)
            self.assertEqual((self.client.get("TabletMode"), self.client.get("TabletModeSource")), (mode, "override"))
            self.assertEqual(printed(), f"{mode}, set by hand\n")
        self.do("tablet-mode", "auto")
        self.assertEqual(printed(), "unknown (counts as a tablet)\n")
        # Nothing else tells the mode here.
        for mode in ("tablet", "laptop", "tablet"):
            self.do("tablet-mode", "toggle")
            self.assertEqual(self.client.get("TabletMode"), mode)
        answer = {"TabletMode": "laptop", "TabletModeSource": "override", "HingeAngle": -1}
        self.assertEqual(json.loads(printed("laptop", "--json")), answer)
        self.assertEqual(json.loads(printed("--json")), answer)

    def test_a_lock_that_waits_for_tablet_mode_says_so(self):
        self.start("Autorotate=tablet-mode")
        self.do("tablet-mode", "laptop")
        run = self.rig.orientctl("lock", "portrait-upside-down")
        warning = "the interface is shown in portrait: the machine is used as a laptop; the lock applies in tablet mode"
        self.assertEqual((run.returncode, run.stderr), (DONE, f"orientctl: warning: {warning}\n"))
        # It said nothing after a rotation by hand.
        self.do("rotate", "landscape-left")
        run = self.rig.orientctl("lock", "portrait")
        self.assertIn("the machine is used as a laptop; the lock applies in tablet mode\n", run.stderr)
        self.do("rotate", "portrait-upside-down")
        self.do("tablet-mode", "tablet")
        self.assert_shown("portrait-upside-down")

    def test_a_request_that_overrides_a_wish_is_named(self):
        self.start()
        player = self.view(LANDSCAPE, "org.example.Player", reason="a film")
        self.assert_shown("landscape-right")
        warning = "orientctl: warning: the interface is shown in landscape-right: org.example.Player"

        def said(*arguments):
            run = self.rig.orientctl(*arguments)
            self.assertEqual(run.returncode, DONE)
            return run.stderr

        for command in ("align", "lock portrait", "lock bottom-up", "lock portrait --json"):
            self.assertEqual(said(*command.split()), f"{warning} allows landscape only\n", command)
        for command in ("lock landscape-right", "lock landscape", "lock", "lock toggle", "unlock"):
            self.assertEqual(said(*command.split()), "", command)
        # This is an error instead, in which orientd names the application.
        self.assert_fails(REFUSED, "rotate", "portrait")
        player.update(mask=ALL, should_autorotate=False)
        self.assertEqual(said("align"), f"{warning} does not autorotate\n")
        player.release()
        # What is no application's doing is not its fault.
        self.assertEqual((said("lock", "portrait"), said("align")), ("", ""))

    # `lock` waited for more than two minutes, as if polkit asked a person.
    def test_orientd_that_hangs_is_named(self):
        process = self.rig.start_orientd().process
        process.send_signal(signal.SIGSTOP)
        self.addCleanup(process.send_signal, signal.SIGCONT)
        run = self.rig.orientctl("lock", timeout=50)
        self.assertEqual((run.returncode, run.stdout), (1, ""))
        self.assertEqual(run.stderr, "orientctl: orientd does not answer; try: orientctl doctor\n")

    def test_on_a_terminal_a_command_says_what_holds_now(self):
        # A key, and a person at the terminal, could not tell the two results of toggle, or that anything has happened.
        self.start(held="landscape-left")
        warning = "orientctl: warning: laptop mode does not keep the interface from turning: autorotate is always"
        for command, line in (
            ("lock toggle", "Lock: on (landscape-right)"),
            ("rotate cw", "Interface: portrait-upside-down, held by the lock"),
            ("lock toggle", "Lock: off\r\nInterface: landscape-right, following the device"),
            ("rotate next", "Interface: portrait-upside-down, rotated by hand"),
            ("rotate ccw", "Interface: landscape-right, rotated by hand"),
            ("align", "Interface: landscape-right, following the device"),
            ("tablet-mode toggle", "Tablet mode: tablet, set by hand"),
            ("tablet-mode toggle", "Tablet mode: laptop, set by hand"),
            ("tablet-mode auto", "Tablet mode: unknown (counts as a tablet)"),
            ("lock portrait", "Lock: on (portrait)"),
            ("rotate landscape-left", "Interface: landscape-left, held by the lock"),
            ("lock", "Lock: on (landscape-left)"),
            ("unlock", "Lock: off\r\nInterface: landscape-right, following the device"),
            ("rotate left-up", "Interface: landscape-left, rotated by hand"),
            ("lock off", "Lock: off\r\nInterface: landscape-left, rotated by hand"),
            ("tablet-mode laptop", "Tablet mode: laptop, set by hand"),
            ("autorotate never", "Autorotate: never, set by hand"),
            ("autorotate always", "Autorotate: always, set by hand"),
            ("autorotate", "always, set by hand"),
            ("tablet-mode laptop", f"{warning}\r\nTablet mode: laptop, set by hand"),
            ("autorotate auto", "Autorotate: tablet-mode, by default"),
            ("tablet-mode auto", "Tablet mode: unknown (counts as a tablet)"),
            ("autorotate", "always, by default"),
        ):
            self.assertEqual(self.on_terminal(*command.split()), line + "\r\n", command)
        view = self.view(LANDSCAPE, "org.example.Player")
        line = "orientctl: warning: the interface is shown in landscape-left: org.example.Player allows landscape only"
        self.assertEqual(self.on_terminal("rotate", "next"), "Interface: landscape-left, rotated by hand\r\n")
        self.turn("portrait")
        self.assertEqual(self.on_terminal("align"), line + "\r\n")
        self.assertEqual(self.on_terminal("lock", "portrait"), line + "\r\nLock: on (portrait)\r\n")
        view.release()

    def test_menu_entry_sets_each_tablet_mode_and_turns(self):
        # Whoever has no keyboard taps it.
        self.start()
        entry = configparser.ConfigParser(interpolation=None)
        entry.optionxform = str
        entry.read(SOURCE_ROOT / "systemd" / "xdg" / "applications" / "orientd-tablet-mode.desktop")
        for section, name, value in (
            ("Desktop Entry", "TabletMode", "tablet"),
            ("Desktop Entry", "TabletMode", "laptop"),
            ("Desktop Action laptop", "TabletMode", "laptop"),
            ("Desktop Action tablet", "TabletMode", "tablet"),
            ("Desktop Action automatic", "TabletMode", "unknown"),
            ("Desktop Action rotate", "OutputTransform", "270"),
            ("Desktop Action lock", "RotationLock", "current"),
            ("Desktop Action lock", "RotationLock", "off"),
        ):
            program, *arguments = entry[section]["Exec"].split()
            self.assertEqual(program, "orientctl")
            self.do(*arguments)
            self.assertEqual(self.client.get(name), value)
        actions = [f"Desktop Action {name}" for name in entry["Desktop Entry"]["Actions"].rstrip(";").split(";")]
        self.assertEqual(entry.sections(), ["Desktop Entry", *actions])

    def test_answers_in_json(self):
        self.start()
        for command, changes in (
            (("lock", "portrait"), {"InterfaceOrientation": "portrait"}),
            (("rotate", "landscape-left"), {"InterfaceOrientation": "landscape-left", "RotationLock": "landscape-left"}),
            (("unlock",), {"RotationLock": "off"}),
            (("autorotate", "never"), {"Autorotate": "never"}),
        ):
            run = self.rig.orientctl(*command, "--json")
            self.assertEqual(run.returncode, DONE, run.stderr)
            self.assertLessEqual(changes.items(), json.loads(run.stdout).items())
            names = ["InterfaceOrientation", "InterfaceRule", "RotationLock", "Autorotate"]
            self.assertEqual(list(json.loads(run.stdout)), names)
            self.assertEqual(self.rig.orientctl(*command).stdout, "")

    def test_edges_of_the_display_on_both_kinds_of_devices(self):
        for natural, expected in (
            ("portrait", ("portrait", "landscape-left", "landscape-right", "portrait-upside-down")),
            ("landscape-left", ("landscape-right", "portrait", "portrait-upside-down", "landscape-left")),
        ):
            with self.case(natural=natural):
                self.rig.start_orientd(configuration=f"[Orientation]\nNaturalOrientation={natural}\n")
                shown = []
                for edge in ("normal", "left-up", "right-up", "bottom-up"):
                    self.do("lock", edge)
                    shown.append(self.client.get("InterfaceOrientation"))
                    self.assertEqual(self.client.get("RotationLock"), shown[-1])
                    self.do("unlock")
                    self.do("rotate", edge)
                    self.assertEqual(self.client.get("InterfaceOrientation"), shown[-1])
                    if edge == "normal":
                        self.assertEqual(self.client.get("OutputTransform"), "normal")
                self.assertEqual(tuple(shown), expected)
                run = self.rig.orientctl(
                    "run", "--supported=left-up,right-up", "--preferred=left-up", BUILD / "orientctl", "get", "--json",
                    "SupportedOrientations",
                )
                self.assertEqual(run.returncode, DONE, run.stderr)
                both = sum(2 << ORIENTATIONS.index(orientation) for orientation in shown[1:3])
                self.assertEqual(json.loads(run.stdout), {"SupportedOrientations": both})

    def test_what_the_device_does_not_support_is_refused(self):
        self.start("SupportedOrientations=landscape")
        for command in ("lock", "rotate"):
            self.assertEqual(
                self.assert_fails(REFUSED, command, "portrait"),
                f"orientctl: cannot {command} to portrait: this device supports landscape only\n",
            )
        # A quarter turn leads to an edge that is not supported; the next one that is, is upside down.
        self.assertRegex(
            self.assert_fails(REFUSED, "rotate", "cw"),
            "^orientctl: cannot rotate to portrait.*: this device supports landscape only; "
            "try: orientctl rotate next\n$",
        )

    def test_what_polkit_does_not_allow_is_refused(self):
        self.rig.start_polkit(allowed=())
        self.rig.start_orientd()
        for arguments, action in (
            (["lock"], "lock"),
            (["lock", "toggle"], "lock"),
            (["unlock"], "lock"),
            (["rotate", "portrait"], "rotate"),
            (["align"], "rotate"),
            (["autorotate", "never"], "configure"),
            (["tablet-mode", "laptop"], "tablet-mode"),
            (["tablet-mode", "toggle"], "tablet-mode"),
        ):
            with self.subTest(arguments):
                isForAdministrators = action == "configure"
                rule = "" if isForAdministrators else "; by default only active local sessions and root may"
                advice = f"{rule}; try: sudo orientctl {' '.join(arguments)}\n"
                self.assertIn(f"org.orientd1.{action}{advice}", self.assert_fails(REFUSED, *arguments))

    def test_a_polkit_that_does_not_decide_leaves_it_to_an_administrator(self):
        self.rig.start_polkit(allowed=())
        code = "raise dbus.exceptions.DBusException('nobody', name='org.freedesktop.PolicyKit1.Error.Failed')"
        method = ("org.freedesktop.PolicyKit1.Authority", "CheckAuthorization", "(sa{sv})sa{ss}us", "(bba{ss})", code)
        self.rig.call_polkit("AddMethod", GLib.Variant("(sssss)", method))
        self.rig.start_orientd()
        self.assertRegex(
            self.assert_fails(REFUSED, "autorotate", "never"),
            r"^orientctl: polkit did not decide on org\.orientd1\.configure: .*; try: sudo orientctl autorotate never\n$",
        )

    def test_without_a_daemon(self):
        for command in ("lock", "lock toggle", "unlock", "rotate portrait", "align", "autorotate never", "requests", "tablet-mode"):
            with self.subTest(command):
                self.assert_fails(NO_DAEMON, *command.split())

    def test_usage_errors_list_the_choices(self):
        self.start()
        for command, allowed in (
            ("lock up", ("off", "current", *ORIENTATIONS, "toggle")),
            ("rotate current", (*ORIENTATIONS, "landscape", "cw", "ccw", "next")),
            ("autorotate on", ("always", "tablet-mode", "never")),
            ("lock portrait portrait", ("lock [current|EDGE|landscape|off|toggle]",)),
            ("unlock now", ("orientctl unlock",)),
            ("rotate", ("rotate EDGE|landscape|cw|ccw|next",)),
            ("align now", ("orientctl align",)),
            ("lock sideways", ("cannot lock to 'sideways': use current, portrait, ",)),
            ("lock togle", ("cannot lock to 'togle'; did you mean 'toggle'? Use current, ",)),
            ("rotate lft-up", ("cannot rotate to 'lft-up'; did you mean 'left-up'?",)),
            ("autorotate alway", ("did you mean 'always'?",)),
            ("tablet-mode on", ("cannot set the tablet mode to 'on': use auto, laptop, tablet or toggle",)),
            ("tablet-mode tabelt", ("did you mean 'tablet'?",)),
            ("requests all", ("unexpected argument 'all'; usage: orientctl requests",)),
        ):
            with self.subTest(command):
                message = self.assert_fails(USAGE, *command.split())
                for word in allowed:
                    self.assertIn(word, message)
        self.assertEqual(self.client.get("RotationLock"), "off")


class Requests(InterfaceTestCase):
    def test_none(self):
        self.start()
        self.assertEqual(self.rig.orientctl("requests").stdout, "no requests\n")
        self.assertEqual(self.rig.orientctl("requests", "--json").stdout, "")

    def test_list(self):
        self.start()
        home = self.view(ALL, "org.example.Home")
        self.view(LANDSCAPE, "org.example.Player", parent=home, reason="a film")
        self.assertEqual(
            self.rig.orientctl("requests").stdout.splitlines(),
            [
                "/org/orientd1/request/1",
                "  org.example.Home supports all (modal, deciding)",
                "/org/orientd1/request/2",
                "  org.example.Player supports landscape (push): a film",
                "  child of /org/orientd1/request/1",
            ],
        )

    def test_json_has_the_names_of_the_bus(self):
        self.start()
        home = self.view(ALL, "org.example.Home")
        self.view(LANDSCAPE, "org.example.Player", parent=home, reason="a film")
        lines = [json.loads(line) for line in self.rig.orientctl("requests", "--json").stdout.splitlines()]
        self.assertEqual([line.pop("Asked") for line in lines], [True, False])
        for line in lines:
            properties = self.client.get_all(REQUEST, line.pop("Path"))
            self.assertEqual({name: properties[name] for name in line}, line)
            self.assertEqual(
                set(line), {"AppId", "Parent", "Presentation", "Supported", "SupportedNames", "Reason"}
            )

    def test_names_of_applications_cannot_break_the_output(self):
        self.start()
        self.view(LANDSCAPE, "a\x1b[31m\n", reason='b"\\\r\x07')
        for command in (["requests"], ["status"]):
            text = self.rig.orientctl(*command).stdout
            self.assertIn("a\N{REPLACEMENT CHARACTER}[31m\N{REPLACEMENT CHARACTER} supports landscape", text)
            self.assertNotRegex(text, r"[\x00-\x09\x0b-\x1f]")
        # The daemon's message quotes the application, and was printed unchanged.
        self.assertIn(
            "a\N{REPLACEMENT CHARACTER}[31m\N{REPLACEMENT CHARACTER} allows",
            self.assert_fails(REFUSED, "rotate", "portrait"),
        )
        self.assertEqual(json.loads(self.rig.orientctl("requests", "--json").stdout)["Reason"], 'b"\\\r\x07')


class Status(InterfaceTestCase):
    def test_device_and_interface_at_a_glance(self):
        self.start(held="landscape-left")
        self.do("lock", "portrait")
        lines = self.rig.orientctl("status").stdout.splitlines()
        for line in (
            "Device: landscape-left (right edge up)",
            "Interface: portrait, held by the lock",
            "Lock: on (portrait)",
            "Autorotate: always, by default",
            "Supported: all",
            "Requests: none",
        ):
            self.assertIn(line, lines)

    def test_the_asked_application_is_named(self):
        self.start()
        self.view(LANDSCAPE, "org.example.Player", reason="a film")
        lines = self.rig.orientctl("status").stdout.splitlines()
        for line in (
            "Interface: landscape-right, org.example.Player allows landscape only",
            "Supported: landscape",
            "Requests: 1",
            "  org.example.Player supports landscape (modal, deciding): a film",
        ):
            self.assertIn(line, lines)

    def test_json_has_every_property(self):
        self.start(held="landscape-left")
        path = self.view(LANDSCAPE, "org.example.Player").path
        status = json.loads(self.rig.orientctl("status", "--json").stdout)
        self.assertEqual([request["Path"] for request in status.pop("Requests")], [path])
        self.assertEqual([sensor["Path"] for sensor in status.pop("Sensors")], list(self.client.sensors()))
        self.assertEqual((status.pop("Agents"), status.pop("Problems")), ([], []))
        properties = self.client.get_all()
        self.assertEqual(tuple(status.pop("Gravity")), properties.pop("Gravity"))
        self.assertEqual(status, properties)


class Monitor(InterfaceTestCase):
    def follow(self, *arguments):
        """Starts orientctl monitor, and turns the interface by a request and by hand."""
        self.start()
        process = self.start_orientctl("monitor", *arguments)
        wait_until(lambda: "InterfaceOrientation" in self.output(), "how things stand is printed")
        path = self.view(LANDSCAPE, "org.example.Player").path
        wait_until(lambda: path in self.output(), "the request is told of")
        self.do("rotate", "landscape-left")
        wait_until(lambda: "manual" in self.output(), "the rotation is told of")
        self.assertEqual(self.interrupt(process), DONE)
        return self.output().splitlines()

    def test_the_interface_in_words(self):
        first, second, third = [line.split(" ", 1)[1] for line in self.follow()]
        self.assertIn("InterfaceOrientation=portrait InterfaceRule=device RotationLock=off", first)
        for text in (
            "InterfaceOrientation=landscape-right",
            "InterfaceReason=request",
            "InterfaceRule=mask",
            "AskedRequest=/org/orientd1/request/1",
            "SupportedOrientations=landscape",
            "OutputTransform=270",
        ):
            self.assertIn(text, second.split())
        self.assertEqual(
            third.split(),
            [
                "InterfaceOrientation=landscape-left",
                "InterfaceReason=manual",
                "InterfaceRule=manual",
                "OutputTransform=90",
            ],
        )

    def test_the_interface_in_json(self):
        first, second, third = [json.loads(line) for line in self.follow("--json")]
        self.assertEqual((first["InterfaceOrientation"], first["RotationLock"]), ("portrait", "off"))
        self.assertEqual(second["SupportedOrientations"], LANDSCAPE)
        self.assertEqual(second["SupportedOrientationNames"], ["landscape-right", "landscape-left"])
        self.assertEqual(second["AskedRequest"], "/org/orientd1/request/1")
        self.assertEqual(third["InterfaceReason"], "manual")


    def test_full_has_every_announced_property_each_time(self):
        first, *others = [json.loads(line) for line in self.follow("--json", "--full")]
        properties = set(self.client.get_all()) - {"Gravity"}
        for line in (first, *others):
            self.assertEqual(set(line) - {"time"}, properties)
        self.assertEqual(
            [line["InterfaceReason"] for line in (first, *others)], [first["InterfaceReason"], "request", "manual"]
        )
        self.assertEqual(others[1]["SupportedOrientations"], LANDSCAPE)


class Run(InterfaceTestCase):
    def run_command(self, *command, options=("--supported=landscape",), **settings):
        """Runs a command with a request, to its end."""
        return self.rig.orientctl("run", *options, "--", *command, **settings)

    def start_command(self, *command, options=("--supported=landscape",), **settings):
        """Starts a command with a request; it runs when this returns."""
        self.marker = self.rig.directory / "running"
        script = f'echo >"{self.marker}"; exec "$@"'
        process = self.rig.spawn(
            [BUILD / "orientctl", "run", *options, "sh", "-c", script, "sh", *command], **settings
        )
        wait_until(lambda: self.marker.exists() or process.poll() is not None, "the command runs")
        return process

    def holders(self):
        """Returns the processes that hold the requests of started commands."""
        found = []
        for path in glob.glob("/proc/[0-9]*/cmdline"):
            try:
                with open(path, "rb") as file:
                    command = file.read()
            except OSError:
                continue  # the process has ended
            if b"orientctl\0run\0" in command and os.fsencode(self.marker) in command:
                found.append(int(path.split("/")[2]))
        return found

    def assert_not_run(self, exit_code, *options):
        """Checks that a command with these options is not run, and returns the line that says why."""
        return self.assert_fails(exit_code, "run", *options, "--", "echo", "it runs")

    # --- the command runs as without orientctl

    def test_exit_status_is_the_commands(self):
        self.start()
        for status in (0, 1, 3, 7, 255):
            run = self.run_command("sh", "-c", f"exit {status}")
            self.assertEqual((run.returncode, run.stderr), (status, ""))

    def test_signals_end_the_command(self):
        self.start()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL):
            with self.subTest(number):
                self.assertEqual(self.run_command("sh", "-c", f"kill -{int(number)} $$").returncode, -number)
                process = self.start_command("sleep", "1000")
                self.wait_for_requests(1)
                process.send_signal(number)
                self.assertEqual(process.wait(10), -number)
                self.wait_for_requests(0)
                self.marker.unlink()

    def test_input_and_output_are_the_commands(self):
        self.start()
        # The output ends, so no other process keeps it open.
        data = bytes(range(256)) * 1000
        run = self.run_command("cat", text=data)
        self.assertEqual((run.returncode, run.stdout, run.stderr), (0, data, b""))

    def test_arguments_need_not_be_text(self):
        self.start()
        run = self.run_command("printf", "%s|", b"\xff\xfe", "", "a b", "--", text=b"")
        self.assertEqual(run.stdout, b"\xff\xfe||a b|--|")

    def test_options_after_the_command_are_the_commands(self):
        self.start()
        run = self.rig.orientctl("run", "--supported=all", "echo", "--json", "--app=x", "-b", "--")
        self.assertEqual((run.returncode, run.stdout), (0, "--json --app=x -b --\n"))

    def test_command_inherits_everything_unchanged(self):
        self.start()
        commands = {
            "descriptors": ["ls", "-l", "/proc/self/fd"],
            "parent and signals": ["grep", "-E", "^(PPid|Sig(Blk|Ign))", "/proc/self/status"],
            "children": ["sh", "-c", "read children </proc/$$/task/$$/children; echo $children"],
            "folder": ["pwd"],
            "environment": ["env"],
        }
        prefixes = {
            "plain": [],
            "SIGPIPE ignored": ["env", "--ignore-signal=PIPE"],
            "no input": ["sh", "-c", 'exec "$@" <&-', "sh"],
        }
        for what, command in commands.items():
            for manner, prefix in prefixes.items():
                with self.subTest(what, manner=manner):
                    ours = [BUILD / "orientctl", "run", "--supported=all", "--"]
                    expected = self.result(*prefix, *command)
                    self.assertEqual(expected[0], 0)
                    self.assertEqual(self.result(*prefix, *ours, *command), expected)

    def result(self, *command):
        """Returns a command's exit status and what it writes, less what differs between any two processes."""
        run = subprocess.run(
            command,
            env=dict(self.rig.plain_environment, LC_ALL="C"),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=10,
            check=False,
        )
        output = re.sub(r"pipe:\[\d+\]|/proc/\d+|[A-Z][a-z][a-z] +\d+ +\d\d:\d\d", "", run.stdout)
        return run.returncode, output

    def test_command_that_cannot_be_executed(self):
        self.start()
        for command, exit_code, problem in (
            # As shells say it.
            ("no-such-command", NOT_FOUND, "no-such-command: command not found"),
            ("/nonexistent/command", NOT_FOUND, "cannot run /nonexistent/command: No such file or directory"),
            ("/etc/passwd", NOT_EXECUTABLE, "cannot run /etc/passwd: Permission denied"),
            ("/", NOT_EXECUTABLE, "cannot run /: Permission denied"),
        ):
            with self.subTest(command):
                message = self.assert_fails(exit_code, "run", "--supported=all", command)
                self.assertEqual(message, f"orientctl: {problem}\n")
                self.wait_for_requests(0)

    # --- the request

    def test_request_is_there_while_the_command_runs(self):
        self.start()
        # The request is held before the command starts.
        home = self.view(ALL, "org.example.Home")
        run = self.run_command(BUILD / "orientctl", "status")
        self.assertIn("Interface: landscape-right, orientctl allows landscape only\n", run.stdout)
        wait_until(lambda: [request[0] for request in self.requests()] == [home.path], "the request has gone")
        self.assert_shown("portrait")

    def test_options_are_in_the_request(self):
        self.start()
        options = ["--supported=portrait,landscape-left", "--preferred=landscape-left", "--app=org.example.Player"]
        process = self.start_command("sleep", "1000", options=[*options, "--no-autorotate"])
        ((path, *_),) = self.requests()
        self.assertEqual(
            self.client.get_all(REQUEST, path),
            {
                "AppId": "org.example.Player",
                "Supported": 18,
                "Preferred": "landscape-left",
                "ShouldAutorotate": False,
                "Presentation": "modal",
                "Parent": "/",
                "ForwardsTo": "/",
                "Active": True,
                "Reason": "",
                "SupportedNames": ["portrait", "landscape-left"],
            },
        )
        self.assert_shown("landscape-left")
        process.kill()
        self.wait_for_requests(0)
        self.assert_shown("portrait")

    def test_the_application_id_is_the_command_by_default(self):
        self.start()
        self.start_command("sleep", "1000")
        self.assertEqual(self.requests()[0][1], "sh")

    def test_killed_holder_releases_the_request(self):
        self.start()
        process = self.start_command("sleep", "1000")
        (holder,) = self.holders()
        os.kill(holder, signal.SIGKILL)
        self.wait_for_requests(0)
        self.assertIsNone(process.poll())

    def test_holder_is_detached_and_has_no_files_of_the_caller(self):
        self.start()
        process = self.start_command("sleep", "1000")
        (holder,) = self.holders()
        self.assertEqual(os.readlink(f"/proc/{holder}/cwd"), "/")
        self.assertNotEqual(os.getsid(holder), os.getsid(process.pid))
        self.assertNotEqual(os.getsid(holder), holder, "it could get a terminal")
        files = {os.readlink(path) for path in glob.glob(f"/proc/{holder}/fd/*")}
        # The pidfd of the command, the event loop, its timers and the bus.
        expected = r"/dev/null|anon_inode:.*|pidfd:.*|socket:.*"
        self.assertEqual([file for file in files if not re.fullmatch(expected, file)], [])
        process.kill()
        wait_until(lambda: not self.holders(), "the holder ends")

    def test_daemon_that_is_restarted_is_asked_again(self):
        daemon = self.start()
        process = self.start_command("sleep", "1000", options=["--supported=landscape", "--app=org.example.Player"])
        for manner in ("stop", "kill"):
            getattr(daemon, manner)()
            daemon = self.rig.start_orientd()
            self.wait_for_requests(1)
            self.assertEqual(self.requests()[0][1], "org.example.Player")
            self.assertEqual(self.client.get("SupportedOrientations"), LANDSCAPE)
        daemon.may_end = True
        self.rig.start_orientd("--replace")
        self.wait_for_requests(1)
        daemon.wait_for_end()
        process.kill()
        self.wait_for_requests(0)

    def test_command_goes_on_when_a_restarted_daemon_refuses(self):
        self.rig.start_polkit(allowed=[REQUEST_ACTION])
        daemon = self.rig.start_orientd()
        process = self.start_command("sleep", "1000")
        daemon.stop()
        self.rig.allow()
        self.rig.call_polkit("SimulateHang", GLib.Variant("(b)", (True,)))
        daemon = self.rig.start_orientd()
        wait_until(lambda: self.rig.call_polkit("HaveHangingCalls")[0], "polkit is asked again")
        self.rig.call_polkit("ReleaseHangingCalls")
        self.assertEqual(self.requests(), [])
        self.assertIsNone(process.poll())
        # The next one may allow it again.
        daemon.stop()
        self.rig.call_polkit("SimulateHang", GLib.Variant("(b)", (False,)))
        self.rig.allow(REQUEST_ACTION)
        self.rig.start_orientd()
        self.wait_for_requests(1)
        process.kill()
        self.wait_for_requests(0)

    def test_disconnection_ends_the_holder_only(self):
        daemon = self.start()
        process = self.start_command("sleep", "1000")
        self.rig.bus_process.kill()
        wait_until(lambda: not self.holders(), "the holder ends")
        self.assertIsNone(process.poll())
        daemon.wait_for_end()

    # --- when there is no request, the command is not run

    def test_refused_by_the_policy(self):
        self.start("SupportedOrientations=landscape")
        message = self.assert_not_run(REFUSED, "--supported=portrait")
        problem = "--supported: portrait cannot be shown; device and application allow landscape only"
        self.assertEqual(message, f"orientctl: {problem}\n")

    def test_refused_by_polkit(self):
        self.rig.start_polkit(allowed=())
        self.rig.start_orientd()
        message = self.assert_not_run(REFUSED, "--supported=landscape")
        rule = "; by default only active local sessions and root may; try: loginctl session-status\n"
        self.assertTrue(message.endswith(f" {REQUEST_ACTION}{rule}"), message)

    def test_no_daemon_and_no_bus(self):
        missing = "orientctl: orientd is not running, or not installed; try: orientctl"
        for options, command in (((), "doctor"), ((f"--bus={self.rig.address}",), f"--bus='{self.rig.address}' doctor")):
            message = self.assert_not_run(NO_DAEMON, "--supported=landscape", *options)
            self.assertEqual(message, f"{missing} {command}\n")
        self.assert_not_run(NO_DAEMON, "--supported=landscape", "--bus=unix:path=/nonexistent/bus")

    def test_usage(self):
        self.start()
        for options, words in (
            ([], ("--supported",)),
            (["--supported=up"], ("all-but-upside-down", "landscape", *ORIENTATIONS)),
            (["--supported=none"], ORIENTATIONS),
            (["--supported=landscap"], ("--supported=landscap; did you mean 'landscape'? Use one or more of: all, ",)),
            (["--supported=portrait,lft-up"], ("=portrait,lft-up: 'lft-up' is unknown; did you mean 'left-up'? Use ",)),
            (["--supported=portrait,"], ("--supported=portrait,: a name is missing: use one or more of: all, ",)),
            (["--supported=all", "--preferred=landscape"], ORIENTATIONS),
            (["--supported=all", "--app="], ("--app",)),
            (
                ["--supported=landscape", "--preferred=portrait"],
                ("--preferred=portrait is not allowed by --supported=landscape",),
            ),
        ):
            with self.subTest(options):
                message = self.assert_not_run(USAGE, *options)
                for word in words:
                    self.assertIn(word, message)
        self.assertIn("run --supported", self.assert_fails(USAGE, "run", "--supported=all"))

    def test_interrupted_while_polkit_asks(self):
        self.rig.start_polkit()
        self.rig.start_orientd()
        self.rig.call_polkit("SimulateHang", GLib.Variant("(b)", (True,)))
        self.marker = self.rig.directory / "running"
        process = self.rig.spawn([BUILD / "orientctl", "run", "--supported=all", "touch", self.marker])
        wait_until(lambda: self.rig.call_polkit("HaveHangingCalls")[0], "polkit is asked")
        self.assertEqual(len(self.holders()), 2)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(10), -signal.SIGINT)
        wait_until(lambda: not self.holders(), "the holder ends")
        self.rig.call_polkit("ReleaseHangingCalls")
        self.assertEqual(self.requests(), [])
        self.assertFalse(self.marker.exists())
