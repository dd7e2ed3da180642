# SPDX-License-Identifier: Apache-2.0
"""The commands of orientctl that show and record what the sensor reads."""

import fcntl
import json
import os
import pathlib
import random
import re
import signal
import struct
import subprocess
import termios

from gi.repository import GLib

from feed import ReadCounter
from rig import (
    BUILD,
    DEVICE,
    LANDSCAPE_LEFT,
    LANDSCAPE_RIGHT,
    PORTRAIT,
    REQUEST,
    RigTestCase,
    SOURCE_ROOT,
    UPSIDE_DOWN,
    accelerometer,
    wait_until,
)

MANUAL = SOURCE_ROOT / "docs" / "orientctl.1.scd"
DONE, FAILED, USAGE, NO_DAEMON, REFUSED = range(5)
HEADER = "t_seconds,x,y,z\n"
EDGES = "portrait, portrait-upside-down, landscape-right, landscape-left, normal, left-up, right-up, bottom-up"
ROTATIONS = f"{EDGES}, landscape, cw, ccw or next"


class OrientctlTestCase(RigTestCase):
    def start_orientctl(self, *arguments, **options):
        """Starts an orientctl that runs until it is told to end; its output goes to a file."""
        self.output_path = self.rig.directory / "orientctl.out"
        with open(self.output_path, "wb") as output:
            return self.rig.spawn([BUILD / "orientctl", *arguments], stdout=output, **options)

    def output(self):
        return self.output_path.read_text()

    def interrupt(self, process):
        """Sends SIGINT, twice as timeout(1) does, and returns the exit status."""
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGINT)
        return process.wait(10)

    def start_claimed(self, **options):
        self.rig.add_device(accelerometer(**options))
        self.rig.start_orientd()
        self.client.claim()

    def on_terminal(self, *command, columns=0, **environment):
        """Returns what a command writes to a terminal."""
        controller, terminal = os.openpty()
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24 if columns else 0, columns, 0, 0))
        process = self.rig.spawn(
            [BUILD / "orientctl", *command],
            env=dict(self.rig.plain_environment, **environment),
            stdin=terminal,
            stdout=terminal,
            stderr=terminal,
        )
        os.close(terminal)
        text = b""
        try:
            while chunk := os.read(controller, 65536):
                text += chunk
        except OSError:
            pass  # EIO: the terminal is closed
        os.close(controller)
        self.assertEqual(process.wait(10), DONE)
        return text.decode()


class Status(OrientctlTestCase):
    def test_plain_lines_when_piped(self):
        self.start_claimed(raw=LANDSCAPE_LEFT)
        run = self.rig.orientctl("status")
        self.assertEqual(run.returncode, DONE)
        self.assertEqual(run.stderr, "")
        self.assertIn("landscape-left", run.stdout)
        self.assertIn("sampling", run.stdout)
        self.assertNotIn("\x1b", run.stdout)

    def test_closed_standard_output_is_an_error(self):
        # The bus connection got its descriptor number, and the output was sent there.
        self.start_claimed()
        for closed in (">&-", ">&- <&-"):
            run = self.rig.spawn(["sh", "-c", f'"$0" {closed}', BUILD / "orientctl"], stderr=subprocess.PIPE)
            _, complaint = run.communicate()
            self.assertEqual(run.returncode, FAILED)
            self.assertEqual(complaint, b"orientctl: cannot write standard output: Bad file descriptor\n")

    def test_a_refused_claim_is_said_with_the_next_step(self):
        # The last known orientation was shown as if it were the present one.
        self.rig.add_device(accelerometer(raw=LANDSCAPE_LEFT))
        self.rig.start_polkit(allowed=())
        self.rig.start_orientd()
        for arguments in ((), ("--json",), ("get", "DeviceOrientation")):
            run = self.rig.orientctl(*arguments)
            self.assertEqual(run.returncode, DONE)
            self.assertRegex(
                run.stderr,
                r"^orientctl: the device's orientation is unknown: the claim of the sensor failed \(not authorized: polkit "
                r"refuses org\.orientd1\.claim\); try: loginctl session-status\n$",
            )
        self.assertEqual(self.rig.orientctl("get", "RotationLock").stderr, "")

    def test_no_command_is_status(self):
        self.start_claimed()
        self.assertEqual(self.rig.orientctl().stdout, self.rig.orientctl("status").stdout)

    def test_json(self):
        self.start_claimed(raw=LANDSCAPE_LEFT)
        for arguments in (["status", "--json"], ["--json"], ["--json", "status"]):
            with self.subTest(arguments):
                run = self.rig.orientctl(*arguments)
                self.assertEqual(run.returncode, DONE, run.stderr)
                self.assertIn("landscape-left", json.dumps(json.loads(run.stdout)))

    def test_on_a_terminal(self):
        self.start_claimed(raw=LANDSCAPE_LEFT)
        plain = self.rig.orientctl("status").stdout
        coloured = self.on_terminal("status", TERM="xterm")
        colourless = self.on_terminal("status", TERM="xterm", NO_COLOR="1")
        for text in (coloured, colourless):
            self.assertIn("landscape-left", text)
            self.assertIn("◀", text, "there is no picture")
        self.assertNotIn("◀", plain)
        self.assertIn("\x1b[", coloured)
        self.assertNotIn("\x1b", colourless)


class Get(OrientctlTestCase):
    def test_bare_values(self):
        self.rig.add_device(accelerometer(raw=LANDSCAPE_LEFT))
        self.rig.start_orientd()
        # Idle until now: the value is read from the sensor.
        for name, value in (
            ("DeviceOrientation", "landscape-left"),
            ("InterfaceOrientation", "landscape-right"),
            ("SupportedOrientations", "all"),
            ("SupportedOrientationNames", "portrait,portrait-upside-down,landscape-right,landscape-left"),
            ("HasAccelerometer", "true"),
            ("AskedRequest", "/"),
            ("Claims", "0"),
        ):
            run = self.rig.orientctl("get", name)
            self.assertEqual((run.returncode, run.stdout, run.stderr), (DONE, value + "\n", ""))
        x, y, z = (float(word) for word in self.rig.orientctl("get", "Gravity").stdout.split())
        self.assertAlmostEqual(x, -1, places=1)
        self.assertAlmostEqual(y, 0, places=1)
        self.assertAlmostEqual(z, 0, places=1)
        run = self.rig.orientctl("get", "SupportedOrientations", "--json")
        self.assertEqual(json.loads(run.stdout), {"SupportedOrientations": 30})

    def test_unknown_property(self):
        run = self.rig.orientctl("get", "DeviceOrientaton")
        self.assertEqual((run.returncode, run.stdout), (USAGE, ""))
        message = "orientctl: unknown property 'DeviceOrientaton'; did you mean 'DeviceOrientation'?\n"
        self.assertEqual(run.stderr, message)
        self.assertIn("TabletMode", self.rig.orientctl("get", "colour").stderr)


class Live(OrientctlTestCase):
    def show(self, *command):
        """Starts a command on a terminal; returns the process and a function that returns what is on the screen."""
        controller, terminal = os.openpty()
        self.controller = controller
        self.addCleanup(os.close, controller)
        process = self.rig.spawn(
            [BUILD / "orientctl", *command],
            env=dict(self.rig.plain_environment, TERM="xterm", NO_COLOR="1"),
            stdin=terminal,
            stdout=terminal,
            stderr=terminal,
        )
        os.close(terminal)
        os.set_blocking(controller, False)
        self.text = b""

        def screen():
            try:
                while chunk := os.read(controller, 65536):
                    self.text += chunk
            except BlockingIOError:
                pass
            except OSError:
                pass  # EIO: the terminal is closed
            rows = {}
            # What was drawn before the screen was cleared is gone; the last character may not be complete yet.
            drawn = self.text.decode(errors="ignore").rpartition("\x1b[2J")[2]
            for row, line in re.findall(r"\x1b\[(\d+);1H(.*?)\x1b\[[KJ]", drawn):
                rows[int(row)] = line
            return "\n".join(rows[row] for row in sorted(rows))

        return process, screen

    def test_the_screen_follows_and_is_given_back(self):
        for command in (("status", "--watch"), ("--watch",)):
            with self.case(command):
                self.rig.add_device(accelerometer())
                daemon = self.rig.start_orientd()
                process, screen = self.show(*command)
                wait_until(lambda: "portrait (top edge up)" in screen(), "the orientation is shown")
                self.assertIn("▲", screen())
                self.client.wait_for("Claims", 1)
                self.rig.turn(LANDSCAPE_LEFT)
                wait_until(lambda: "landscape-left (right edge up)" in screen(), "the turn is shown")
                for text in ("landscape-right, following the device", "-1.00 0.00 0.00 g", "poll at 15 Hz, sampling"):
                    wait_until(lambda text=text: text in screen(), f"{text} is shown")
                drawn = len(self.text)
                other = self.rig.connect()
                other.claim()
                wait_until(lambda: re.search(r"Claims +2", screen()), "another claim is shown")
                self.assertLess(len(self.text) - drawn, 200, "only the line that changed is drawn")
                daemon.stop()
                wait_until(lambda: "orientd has stopped" in screen(), "the end of orientd is shown")
                self.rig.turn(UPSIDE_DOWN)
                self.rig.start_orientd()
                wait_until(lambda: "portrait-upside-down (bottom edge up)" in screen(), "orientd is back")
                process.send_signal(signal.SIGINT)
                self.assertEqual(process.wait(10), DONE)
                screen()
                self.assertTrue(self.text.startswith(b"\x1b[?1049h"))
                self.assertTrue(self.text.endswith(b"\x1b[?1049l"))

    def test_the_terminal_is_lent_while_the_shell_has_it(self):
        self.rig.add_device(accelerometer())
        self.rig.start_orientd()
        process, screen = self.show("--watch")
        wait_until(lambda: "portrait (top edge up)" in screen(), "the orientation is shown")
        process.send_signal(signal.SIGTSTP)
        stat = f"/proc/{process.pid}/stat"
        wait_until(lambda: open(stat).read().rpartition(")")[2].split()[0] == "T", "it is stopped")
        screen()
        self.assertTrue(self.text.endswith(b"\x1b[?1049l"), self.text)
        self.rig.turn(LANDSCAPE_LEFT)
        self.text = b""
        process.send_signal(signal.SIGCONT)
        wait_until(lambda: "landscape-left (right edge up)" in screen(), "the new orientation is shown")
        self.assertTrue(self.text.startswith(b"\x1b[?1049h"), self.text)
        self.assertEqual(self.interrupt(process), DONE)

    def test_a_small_terminal_shows_what_fits(self):
        self.rig.add_device(accelerometer())
        self.rig.start_orientd()
        process, screen = self.show("--watch")
        wait_until(lambda: "portrait (top edge up)" in screen(), "the orientation is shown")
        self.assertIn("┌───────┐", screen())
        self.text = b""
        fcntl.ioctl(self.controller, termios.TIOCSWINSZ, struct.pack("HHHH", 3, 40, 0, 0))
        process.send_signal(signal.SIGWINCH)

        def plain():
            return re.sub(r"\x1b\[\d+m", "", screen())

        expected = "Device      portrait (top edge up)\nFace        none\n…"
        wait_until(lambda: plain() == expected, "the first lines are shown")
        fcntl.ioctl(self.controller, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 40, 0, 0))
        process.send_signal(signal.SIGWINCH)
        wait_until(lambda: "Ctrl-C ends this." in screen(), "everything is shown")
        self.assertIn("test (place unknown), poll\n              at 15 Hz, sampling\n", plain())
        self.assertLessEqual(max(len(line) for line in plain().splitlines()), 40)
        fcntl.ioctl(self.controller, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
        process.send_signal(signal.SIGWINCH)
        wait_until(lambda: "┌───────┐" in screen() and "Ctrl-C ends this." in screen(), "everything is shown again")
        self.assertEqual(self.interrupt(process), DONE)

    def test_many_requests_do_not_end_it(self):
        # orientd limited how often a client may read all objects when there were more than 64 requests.
        self.rig.add_device(accelerometer())
        self.rig.start_orientd()
        process, screen = self.show("--watch")
        wait_until(lambda: "portrait (top edge up)" in screen(), "the orientation is shown")
        for client in (self.client, self.rig.connect()):
            for number in range(35):
                client.ask("Request", "sua{sv}", f"org.example.App{number}", 30, {})
        wait_until(lambda: re.search("Requests +70", screen()), "all are counted")
        self.rig.turn(LANDSCAPE_LEFT)
        wait_until(lambda: "landscape-left (right edge up)" in screen(), "the turn is shown")
        self.rig.remove_device()
        wait_until(lambda: re.search("test .*, lost", screen()), "the loss of the sensor is shown")
        self.assertEqual(self.interrupt(process), DONE)

    def test_a_terminal_is_needed(self):
        self.start_claimed()
        for arguments in (("status", "--watch"), ("--watch",)):
            run = self.rig.orientctl(*arguments)
            self.assertEqual((run.returncode, run.stdout), (USAGE, ""))
            self.assertIn("needs a terminal", run.stderr)


class Help(OrientctlTestCase):
    def test_help_about_a_command(self):
        for arguments in (("help", "lock"), ("lock", "--help"), ("--help", "lock"), ("lock", "toggle", "-h")):
            run = self.rig.orientctl(*arguments)
            self.assertEqual((run.returncode, run.stderr), (DONE, ""))
            self.assertTrue(run.stdout.startswith("Usage: orientctl lock [current|EDGE|landscape|off|toggle]\n"), run.stdout)
            self.assertNotIn("calibrate", run.stdout)
        self.assertIn("--supported=MASK", self.rig.orientctl("run", "--help").stdout)
        self.assertIn("\n  status ", self.rig.orientctl("--help").stdout)

    def test_mistakes_are_explained(self):
        for arguments, message in (
            (("staus",), "unknown command 'staus'; did you mean 'status'?"),
            (("help", "staus"), "unknown command 'staus'; did you mean 'status'?"),
            (("dance",), "unknown command 'dance'; try: orientctl help"),
            (("status", "--jsn"), "unknown option '--jsn'; did you mean '--json'?"),
            (("status", "--frobnicate"), "unknown option '--frobnicate'; try: orientctl status --help"),
            (("record", "-d"), "option '-d' needs a value; try: orientctl record --help"),
            (
                ("replay",),
                "replay lacks an argument; usage: orientctl replay [--all] [--devices] [--classifier=NAME] [--rest=SENSOR] "
                "[--plot=FILE] FILE",
            ),
            (("replay", "--classifier=robst", "-"), "--classifier=robst; did you mean 'robust'? Use robust or base"),
            (("replay", "--devices", "--rest=hub", "-"), "--devices cannot be combined with --classifier or --rest"),
            (("monitor", "--full", "--waybar"), "--full, --waybar and PROPERTY cannot be combined"),
            (("monitor", "Gravity"), "cannot monitor Gravity: orientd does not announce its changes; use: orientctl get Gravity"),
            (("monitor", "RotationLok"), "unknown property 'RotationLok'; did you mean 'RotationLock'?"),
            (("--watch", "lock"), "unknown option '--watch'; try: orientctl lock --help"),
            (("lock", "CURENT"), f"cannot lock to 'CURENT'; did you mean 'current'? Use current, {EDGES}, landscape, off or toggle"),
            (("rotate", "PORTRAIT"), f"cannot rotate to 'PORTRAIT'; did you mean 'portrait'? Use {ROTATIONS}"),
            (("rotate", "90"), f"cannot rotate to '90': use {ROTATIONS}"),
            # ssc was offered, which is refused.
            (
                ("record", "-s", "iio:foo"),
                "--source=iio:foo: use auto, iio, iio:URI such as iio:ip:HOST, replay:FILE or simulate",
            ),
            (("record", "--source=ssc"), "--source=ssc: only orientd --record records the sensor core"),
            (("status", "--bus=sesion"), "--bus=sesion; did you mean 'session'? Use system, session or a D-Bus address"),
            (("status", "--bus="), "--bus=: use system, session or a D-Bus address"),
        ):
            run = self.rig.orientctl(*arguments)
            self.assertEqual((run.returncode, run.stdout, run.stderr), (USAGE, "", f"orientctl: {message}\n"))

    def test_json_is_an_option_of_the_commands_that_print_it(self):
        # Others took it, and printed something else.
        (table,) = re.findall(r"^# JSON\n(.*?)^# ", MANUAL.read_text(), re.M | re.S)
        rows = re.findall(r"^\|  (.*)$", table, re.M)
        documented = {name for row in rows for name in re.findall(r"\*([a-z-]+)", row) if not name.startswith("-")}
        commands = re.findall(r"^  ([a-z-]+) ", self.rig.orientctl("help").stdout, re.M)
        helps = {command: self.rig.orientctl("help", command).stdout for command in commands}
        self.assertEqual({command for command, text in helps.items() if "--json" in text}, documented)
        others = set(commands) - documented
        self.assertEqual(others, {"run", "record", "completion", "help"})
        for command in others:
            for arguments in (("--json", command), ("-j", command), (command, "--json"), (command, "-j")):
                run = self.rig.orientctl(*arguments)
                message = "orientctl: this command prints no JSON\n"
                self.assertEqual((run.returncode, run.stdout, run.stderr), (USAGE, "", message))

    def test_no_daemon_names_the_next_step(self):
        run = self.rig.orientctl("status")
        self.assertEqual(run.returncode, NO_DAEMON)
        self.assertEqual(run.stderr, "orientctl: orientd is not running, or not installed; try: orientctl doctor\n")
        run = self.rig.orientctl("monitor")
        self.assertEqual(run.returncode, NO_DAEMON)
        self.assertEqual(run.stderr, "orientctl: orientd is not running, or not installed; try: orientctl doctor\n")

        # As a shell takes it, as doctor does: an address may have a semicolon.
        advice = self.rig.orientctl("lock", f"--bus={self.rig.address}").stderr
        command = f"orientctl --bus='{self.rig.address}' doctor"
        self.assertEqual(advice, f"orientctl: orientd is not running, or not installed; try: {command}\n")

    def test_no_bus_names_the_next_step(self):
        remedy = "; DBUS_SYSTEM_BUS_ADDRESS is 'unix:path=/nonexistent'"
        for arguments, bus in (
            ((), "the bus at unix:path=/nonexistent: No such file or directory"),
            (("--bus=system",), f"the system bus: No such file or directory{remedy}"),
        ):
            run = self.rig.orientctl(*arguments, environment={"DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"})
            self.assertEqual((run.returncode, run.stderr), (NO_DAEMON, f"orientctl: cannot connect to {bus}\n"))


class Monitor(OrientctlTestCase):
    def test_prints_changes_and_ends_well_on_ctrl_c(self):
        self.rig.add_device(accelerometer())
        self.rig.start_orientd()
        process = self.start_orientctl("monitor")
        self.client.wait_for("Claims", 1)
        wait_until(lambda: "portrait" in self.output(), "the first orientation is printed")
        self.rig.turn(LANDSCAPE_LEFT)
        wait_until(lambda: "landscape-left" in self.output(), "the change is printed")
        self.assertEqual(self.interrupt(process), DONE)
        self.assertNotIn("\x1b", self.output())
        self.client.wait_for("Claims", 0)

    def test_json_is_one_object_a_line(self):
        self.rig.add_device(accelerometer())
        self.rig.start_orientd()
        process = self.start_orientctl("monitor", "--json")
        wait_until(lambda: "portrait" in self.output(), "the first orientation is printed")
        self.rig.turn(LANDSCAPE_RIGHT)
        wait_until(lambda: "landscape-right" in self.output(), "the change is printed")
        self.assertEqual(self.interrupt(process), DONE)
        for line in self.output().splitlines():
            self.assertIsInstance(json.loads(line), dict)

    def test_restarted_daemon_is_claimed_again(self):
        self.rig.add_device(accelerometer())
        daemon = self.rig.start_orientd()
        process = self.start_orientctl("monitor")
        self.client.wait_for("Claims", 1)
        daemon.stop()
        self.rig.turn(UPSIDE_DOWN)
        self.rig.start_orientd()
        self.client.wait_for("Claims", 1)
        wait_until(lambda: "portrait-upside-down" in self.output(), "the new daemon's orientation is printed")
        self.assertEqual(self.interrupt(process), DONE)

    def test_daemon_that_ends_before_it_answers_is_waited_for(self):
        self.rig.add_device(accelerometer())
        self.rig.start_polkit()
        daemon = self.rig.start_orientd()
        process = self.start_orientctl("monitor")
        self.client.wait_for("Claims", 1)
        self.rig.call_polkit("SimulateHang", GLib.Variant("(b)", (True,)))
        daemon.stop()
        hesitant = self.rig.start_orientd()
        wait_until(lambda: self.rig.call_polkit("HaveHangingCalls")[0], "polkit is asked")
        hesitant.kill()
        self.rig.call_polkit("SimulateHang", GLib.Variant("(b)", (False,)))
        self.rig.start_orientd()
        self.client.wait_for("Claims", 1)
        self.assertEqual(self.interrupt(process), DONE)

    def test_ctrl_c_ends_it_while_it_waits_for_a_restarted_daemon(self):
        # It ignored Ctrl-C until the claim was answered or had timed out, after 24 s.
        self.rig.add_device(accelerometer())
        self.rig.start_polkit()
        daemon = self.rig.start_orientd()
        process = self.start_orientctl("monitor")
        wait_until(lambda: "portrait" in self.output(), "the first orientation is printed")
        self.rig.call_polkit("SimulateHang", GLib.Variant("(b)", (True,)))
        daemon.stop()
        hung = self.rig.start_orientd().process
        wait_until(lambda: self.rig.call_polkit("HaveHangingCalls")[0], "it claims again")
        hung.send_signal(signal.SIGSTOP)
        self.addCleanup(hung.send_signal, signal.SIGCONT)
        self.assertEqual(self.interrupt(process), DONE)

    def test_a_signal_ends_it_while_its_reader_does_not_read(self):
        self.rig.add_device(accelerometer())
        self.rig.start_orientd()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            process = self.rig.spawn([BUILD / "orientctl", "monitor", "--full", "--json"], stdout=subprocess.PIPE)
            fcntl.fcntl(process.stdout, fcntl.F_SETPIPE_SZ, 4096)
            wait_until(lambda: self.client.get("Claims") == 1, "it claims")
            waiting = pathlib.Path(f"/proc/{process.pid}/wchan")
            for turn in range(40):
                self.rig.orientctl("rotate", ("portrait", "landscape-left")[turn % 2])
            wait_until(lambda: "poll" in waiting.read_text(), "it waits for its reader")
            process.send_signal(number)
            self.assertEqual(process.wait(10), DONE)
            self.client.wait_for("Claims", 0)

    def test_the_end_of_a_hung_predecessor_does_not_end_it(self):
        # Its late errors counted as answers of the daemon that had replaced it.
        self.rig.add_device(accelerometer())
        first = self.rig.start_orientd()
        first.may_end = True
        first.process.send_signal(signal.SIGSTOP)
        process = self.start_orientctl("monitor")
        second = self.rig.start_orientd("--replace")
        wait_until(lambda: "portrait" in self.output(), "the second daemon's state is printed")
        first.kill()
        self.rig.turn(LANDSCAPE_LEFT)
        wait_until(lambda: "landscape-left" in self.output(), "the second daemon is followed")
        self.assertTrue(second.is_running())
        self.assertEqual(self.interrupt(process), DONE)

    def test_closed_pipe_ends_it_quietly_and_at_once(self):
        # It noticed with the next change, and printed an error.
        self.rig.add_device(accelerometer())
        self.rig.start_orientd()
        for arguments in ((), ("--waybar",), ("DeviceOrientation",)):
            process = self.rig.spawn(
                [BUILD / "orientctl", "monitor", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE
            )
            process.stdout.readline()
            self.client.wait_for("Claims", 0 if arguments == ("--waybar",) else 1)
            process.stdout.close()
            self.assertEqual(process.wait(10), DONE)
            self.assertEqual(process.stderr.read(), b"")
            self.client.wait_for("Claims", 0)

    def test_bare_values_of_properties(self):
        self.rig.add_device(accelerometer())
        daemon = self.rig.start_orientd()
        process = self.start_orientctl("monitor", "InterfaceOrientation")
        wait_until(lambda: self.output() == "portrait\n", "the first value is printed")
        self.rig.turn(LANDSCAPE_LEFT)
        wait_until(lambda: self.output() == "portrait\nlandscape-right\n", "the change is printed")
        daemon.stop()
        self.rig.start_orientd()
        self.client.wait_for("InterfaceOrientation", "landscape-right")
        self.assertEqual(self.interrupt(process), DONE)
        self.assertEqual(self.output(), "portrait\nlandscape-right\n", "nothing else has changed")
        self.rig.orientctl("lock")
        process = self.start_orientctl("monitor", "RotationLock", "InterfaceOrientation")
        wait_until(self.output, "both values are printed")
        self.assertEqual(self.output(), "current\tlandscape-right\n")
        self.rig.orientctl("unlock")
        wait_until(lambda: self.output().endswith("off\tlandscape-right\n"), "both values are printed again")
        self.assertEqual(self.interrupt(process), DONE)
        process = self.start_orientctl("monitor", "RotationLock", "--json")
        wait_until(lambda: self.output().endswith("\n"), "the first value is printed")
        self.assertEqual(json.loads(self.output())["RotationLock"], "off")
        self.assertEqual(self.interrupt(process), DONE)

    def test_a_restart_is_one_consistent_state(self):
        # Three lines came in a millisecond, the first of an idle sensor with an unknown orientation.
        self.rig.add_device(accelerometer())
        daemon = self.rig.start_orientd()
        process = self.start_orientctl("monitor")
        wait_until(lambda: self.output().count("\n") == 1, "the first state is printed")
        daemon.stop()
        self.rig.turn(UPSIDE_DOWN)
        self.rig.start_orientd()
        wait_until(lambda: self.output().count("\n") > 1, "the new state is printed")
        self.client.wait_for("Claims", 1)
        self.assertEqual(self.interrupt(process), DONE)
        self.assertEqual(self.output().count("\n"), 2, self.output())
        line = self.output().splitlines()[1]
        self.assertEqual(
            line.split()[1:3], ["DeviceOrientation=portrait-upside-down", "InterfaceOrientation=portrait-upside-down"]
        )


class MonitorForWaybar(OrientctlTestCase):
    def start_bar(self):
        self.client.claim()  # as an agent does: the bar claims nothing
        return self.start_orientctl("monitor", "--waybar")

    def wait_for_line(self, **expected):
        """Waits until the last line has these values, and returns it."""

        def last():
            lines = self.output().splitlines(keepends=True)
            if not lines or not lines[-1].endswith("\n"):
                return None
            found = json.loads(lines[-1])
            self.assertEqual(list(found), ["text", "alt", "class", "tooltip"])
            return found if expected.items() <= found.items() else None

        return wait_until(last, f"a line with {expected}")

    def test_one_line_for_each_state(self):
        self.rig.add_device(accelerometer())
        self.rig.start_orientd()
        process = self.start_bar()
        line = self.wait_for_line(text="portrait", alt="portrait")
        self.assertEqual(line["class"], ["unlocked", "portrait"])
        self.assertEqual(line["tooltip"], "Device: portrait (top edge up)\nInterface: portrait, following the device\nLock: off")
        self.rig.turn(LANDSCAPE_LEFT)
        self.wait_for_line(alt="landscape-right")
        self.rig.orientctl("lock", "toggle")
        line = self.wait_for_line(alt="locked", text="landscape-right (locked)")
        self.assertEqual(line["class"], ["locked", "landscape-right"])
        self.assertIn("landscape-right, held by the lock\nLock: on (landscape-right)", line["tooltip"])
        view = self.client.ask("Request", "sua{sv}", "<app>", 2, {})[0]
        line = self.wait_for_line(text="portrait (locked)")
        self.assertIn("Interface: portrait, &lt;app&gt; allows portrait only\n", line["tooltip"])
        self.client.ask("Release", interface=REQUEST, path=view)
        self.rig.orientctl("lock", "toggle")
        self.wait_for_line(alt="landscape-right")
        other = self.rig.connect()
        other.claim()
        other.release()
        self.assertEqual(self.client.get("Claims"), 1)
        self.client.ask("Rotate", "s", "portrait")
        self.wait_for_line(alt="portrait")
        self.client.release()
        wait_until(lambda: "Sensor: idle" in self.wait_for_line()["tooltip"], "that nobody reads the sensor is shown")
        self.assertEqual(self.interrupt(process), DONE)
        lines = self.output().splitlines()
        self.assertTrue(all(line != after for line, after in zip(lines, lines[1:])), lines)

    def test_a_restarted_daemon_is_shown_again(self):
        self.rig.add_device(accelerometer())
        daemon = self.rig.start_orientd()
        process = self.start_bar()
        self.wait_for_line(alt="portrait")
        self.client.ask("Request", "sua{sv}", "org.example.App", 24, {})
        self.wait_for_line(alt="landscape-right")
        daemon.stop()
        line = self.wait_for_line(alt="stopped")
        self.assertEqual((line["text"], line["class"]), ("", ["stopped"]))
        self.rig.turn(UPSIDE_DOWN)
        self.rig.start_orientd()
        self.client.claim()
        line = self.wait_for_line(alt="portrait-upside-down")
        self.assertIn("following the device", line["tooltip"])
        self.assertEqual(self.interrupt(process), DONE)
        self.assertNotIn("no-sensor", line["class"])

    def test_a_lost_sensor_is_shown(self):
        self.rig.add_device(accelerometer())
        self.rig.start_orientd()
        self.start_bar()
        self.wait_for_line(alt="portrait")
        self.rig.remove_device()
        line = wait_until(
            lambda: (line := self.wait_for_line(alt="portrait")) and "no-sensor" in line["class"] and line,
            "the loss is shown",
        )
        self.assertTrue(line["tooltip"].endswith("\nSensor: lost"), line)


class Sensors(OrientctlTestCase):
    def test_lists_them(self):
        self.start_claimed(name="bma253")
        run = self.rig.orientctl("sensors")
        self.assertEqual(run.returncode, DONE)
        self.assertIn("bma253", run.stdout)
        self.assertIn("poll", run.stdout)
        self.assertIn(DEVICE, run.stdout)

    def test_json(self):
        self.start_claimed(name="bma253")
        run = self.rig.orientctl("sensors", "--json")
        self.assertIn("bma253", json.dumps(json.loads(run.stdout)))

    def test_names_from_hardware_cannot_break_the_output(self):
        self.start_claimed(name='a"\\\x1b[31mb\x07')
        self.assertNotIn("\x1b", self.rig.orientctl("sensors").stdout)
        self.assertIsNotNone(json.loads(self.rig.orientctl("sensors", "--json").stdout))


class RecordAndReplay(OrientctlTestCase):
    def test_round_trip(self):
        # record needs no daemon.
        self.rig.add_device(accelerometer())
        counter = ReadCounter(self.rig, "in_accel_x_raw")
        trace = self.rig.directory / "trace.csv"
        process = self.start_orientctl("record", "-o", trace, env=self.rig.mocked_environment())
        for number, raw in enumerate((PORTRAIT, LANDSCAPE_LEFT, UPSIDE_DOWN), start=1):
            self.rig.turn(raw)
            wait_until(lambda: counter.reads() >= 10 * number, "ten samples are read")
        self.assertEqual(self.interrupt(process), DONE)
        self.assertTrue(trace.read_text().startswith(HEADER))
        run = self.rig.orientctl("replay", trace)
        self.assertEqual(run.returncode, DONE, run.stderr)
        states = [line.split()[1] for line in run.stdout.splitlines()]
        self.assertEqual(states, ["portrait", "landscape-left", "portrait-upside-down"])

    def test_the_rate_is_restored(self):
        # The rate that record had set stayed.
        rates = {"sampling_frequency": "12.5", "sampling_frequency_available": "12.5 25 50"}
        self.rig.add_device(accelerometer(attributes=rates))
        trace = self.rig.directory / "trace.csv"
        # doctor fails as there is no orientd.
        for command, status in ((("record", "-d", "0.5", "-o", trace), DONE), (("doctor",), FAILED)):
            with self.subTest(command=command[0]):
                run = self.rig.orientctl(*command, environment=self.rig.mocked_environment())
                self.assertEqual(run.returncode, status, run.stderr)
                self.assertEqual(self.rig.read("sampling_frequency"), "12.5")

    def test_a_trace_is_only_replaced_on_demand(self):
        trace = self.rig.directory / "trace.csv"
        trace.write_text("an earlier trace\n")
        arguments = ("record", "--source=simulate", "-d", "0.2", "-o", trace)
        run = self.rig.orientctl(*arguments)
        self.assertEqual(run.returncode, USAGE)
        self.assertEqual(run.stderr, f"orientctl: --output={trace} is not empty: use --force to write over it\n")
        self.assertEqual(trace.read_text(), "an earlier trace\n")
        self.assertEqual(self.rig.orientctl(*arguments, "--force").returncode, DONE)
        self.assertTrue(trace.read_text().startswith(HEADER))
        self.assertEqual(self.rig.orientctl(*arguments[:-1], "/dev/null").returncode, DONE)

    def test_no_sensor_names_the_next_step(self):
        run = self.rig.orientctl("record", "-d", "2", environment=self.rig.mocked_environment())
        self.assertEqual(run.returncode, FAILED)
        hint = "try: orientctl doctor, or record --source=simulate"
        self.assertEqual(run.stderr, f"orientctl: no accelerometer found; {hint}\n")

    def record_with_sensor_core(self):
        """Runs record with Source=ssc in /etc/orientd/orientd.conf."""
        folder = self.rig.directory / "etc" / "orientd"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "orientd.conf").write_text("[Sensor]\nSource=ssc\n")
        unshare = ["unshare", "--mount"] + ([] if os.geteuid() == 0 else ["--map-root-user"])
        bind = f"mount --bind '{folder.parent}' /etc && exec \"$@\""
        return subprocess.run(
            [*unshare, "sh", "-c", bind, "sh", BUILD / "orientctl", "record", "--duration=0.3"],
            env=self.rig.mocked_environment(),
            capture_output=True,
            text=True,
            timeout=10,
            check=False,
        )

    def test_a_configured_sensor_core_is_said_to_be_left_out(self):
        # Another sensor was recorded without a word.
        run = self.record_with_sensor_core()
        reason = "Source=ssc in orientd.conf is ignored: only orientd --record records the sensor core"
        self.assertEqual((run.returncode, run.stderr), (FAILED, f"orientctl: no accelerometer found; {reason}\n"))
        self.rig.add_device(accelerometer(name="bma253"))
        run = self.record_with_sensor_core()
        self.assertEqual(run.returncode, DONE, run.stderr)
        warning, begin, _ = run.stderr.splitlines()
        self.assertEqual(warning, f"orientctl: warning: {reason}")
        self.assertTrue(begin.startswith("orientctl: recording bma253 (poll, 15 Hz)"), begin)

    def test_recording_beside_the_daemon(self):
        self.start_claimed(raw=LANDSCAPE_LEFT)
        run = self.rig.orientctl("record", "--duration", "0.3", environment=self.rig.mocked_environment())
        self.assertEqual(run.returncode, DONE, run.stderr)
        header, *lines = run.stdout.splitlines(keepends=True)
        self.assertEqual(header, HEADER)
        self.assertGreater(len(lines), 2)
        for line in lines:
            _time, x, y, z = (float(field) for field in line.split(","))
            self.assertAlmostEqual(x, 9.807, places=3)
            self.assertEqual((y, z), (0, 0))

    def test_record_says_what_it_does(self):
        self.rig.add_device(accelerometer(name="bma253"))
        trace = self.rig.directory / "trace.csv"
        for arguments, target in ((("-o", trace), trace), (("--output=-",), "standard output"), ((), "standard output")):
            run = self.rig.orientctl("record", "-d", "0.3", *arguments, environment=self.rig.mocked_environment())
            self.assertEqual(run.returncode, DONE, run.stderr)
            begin, end = run.stderr.splitlines()
            self.assertEqual(begin, f"orientctl: recording bma253 (poll, 15 Hz) to {target} for 0.3 s")
            text = trace.read_text() if target == trace else run.stdout
            self.assertRegex(end, rf"^orientctl: {len(text.splitlines()) - 1} samples? in 0\.\d s$")
            self.assertTrue(text.startswith(HEADER))

    def test_far_times_end(self):
        # The time of the next deadline never passed that of the next sample: t + 2 is t there.
        for time in ("-9223372036854775808", "-1e300"):
            for sensor in ("hub", "polled"):
                text = f"{HEADER}{time},0,9.81,0\n1,0,9.81,0\n2,9.81,0,0\n"
                run = self.rig.orientctl("replay", f"--rest={sensor}", "-", text=text)
                self.assertEqual((run.returncode, run.stdout), (DONE, f"{time} portrait\n"), run.stderr)

    def test_what_is_no_trace_is_one_error(self):
        for text in ("", "\n", "x" * 10000, "\0" * 1000000, "\n" * 1000000, "\n" + HEADER, "#!/bin/sh\n" * 1000, "1,2,3,4\n" * 100):
            run = self.rig.orientctl("replay", "-", text=text)
            self.assertEqual((run.returncode, run.stdout), (FAILED, ""))
            self.assertRegex(run.stderr, r"\Aorientctl: -:1: this is not a trace: .*\n\Z")
        run = self.rig.orientctl("calibrate", "--from=-", "-o", "-", text="nonsense\n" * 100)
        self.assertEqual((run.returncode, run.stdout), (FAILED, ""))
        self.assertIn("this is not a trace", run.stderr)

    def test_plot_on_standard_output(self):
        trace = HEADER + "0,0,9.81,0\n1,0,9.81,0\n"
        plot = self.rig.directory / "plot.svg"
        self.rig.orientctl("replay", "-", "--plot", plot, text=trace)
        run = self.rig.orientctl("replay", "-", "--plot=-", text=trace)
        self.assertEqual((run.returncode, run.stdout, run.stderr), (DONE, plot.read_text(), ""))
        for option in ("--json", "--all", "--devices"):
            run = self.rig.orientctl("replay", "-", "--plot=-", option, text=trace)
            self.assertEqual((run.returncode, run.stdout), (USAGE, ""))

    def test_file_that_is_read_is_not_written(self):
        trace = self.rig.directory / "trace.csv"
        trace.write_text(HEADER + "0,0,9.81,0\n1,0,9.81,0\n")
        link = self.rig.directory / "link.csv"
        link.symlink_to(trace)
        contents = trace.read_text()
        for arguments in (
            ("replay", trace, "--plot", link),
            ("record", f"--source=replay:{trace}", "--output", link),
            ("calibrate", f"--from={trace}", "--output", link),
        ):
            run = self.rig.orientctl(*arguments)
            message = f"orientctl: {arguments[-2]}={link} is the file that is read: name another one\n"
            self.assertEqual((run.returncode, run.stdout, run.stderr), (USAGE, "", message))
        self.assertEqual(trace.read_text(), contents)

    def test_the_end_of_a_replayed_recording_is_no_loss(self):
        trace = self.rig.directory / "trace.csv"
        trace.write_text(HEADER + "".join(f"{step / 15:.3f},0,9.81,0\n" for step in range(15)))
        self.rig.start_orientd(f"--source=replay:{trace}")
        run = self.rig.orientctl("monitor")
        self.assertEqual(run.returncode, DONE, run.stderr)
        self.assertNotIn("lost", run.stdout)
        self.assertTrue(run.stdout.endswith(" recording has ended\n"), run.stdout)
        lines = self.rig.orientctl("status").stdout.splitlines()
        self.assertIn("Sensor: recording has ended", lines)
        # It has ended before the first state is printed.
        run = self.rig.orientctl("monitor")
        self.assertRegex(run.stdout, r"^\S+ SensorState=lost DeviceOrientation=portrait .*\n\S+ recording has ended\n$")

    def test_malformed_line_of_a_replayed_recording_is_shown(self):
        trace = self.rig.directory / "trace.csv"
        trace.write_text(HEADER + "".join(f"{step / 15:.3f},0,9.81,0\n" for step in range(15)) + "9.81\n")
        daemon = self.rig.start_orientd(f"--source=replay:{trace}")
        problem = f"{trace}:17: 1 field instead of 4"
        run = self.rig.orientctl("monitor")
        self.assertEqual((run.returncode, run.stderr), (FAILED, f"orientctl: {problem}\n"))
        daemon.wait_for_log(f"orientd: warning: {problem}")
        self.assertIn(f", replay, lost: {problem}\n", self.rig.orientctl("sensors").stdout)
        status = self.rig.orientctl("status").stdout
        self.assertIn("Sensor: lost; Device, Face and Gravity are from its last reading\n", status)

    def test_bus_of_the_environment_is_named_by_its_variable(self):
        run = self.rig.orientctl("status", environment={"DBUS_SYSTEM_BUS_ADDRESS": "garbage"})
        message = "orientctl: DBUS_SYSTEM_BUS_ADDRESS=garbage: use system, session or a D-Bus address\n"
        self.assertEqual((run.returncode, run.stderr), (USAGE, message))

    def test_folder_is_no_trace(self):
        folder = self.rig.directory
        for command in (("replay", folder), ("record", f"--source=replay:{folder}"), ("calibrate", f"--from={folder}")):
            run = self.rig.orientctl(*command)
            message = f"orientctl: cannot read {folder}: Is a directory\n"
            self.assertEqual((run.returncode, run.stdout, run.stderr), (FAILED, "", message))

    def test_closed_pipe_is_no_failure(self):
        reading, writing = os.pipe()
        os.close(reading)
        with os.fdopen(writing, "wb") as closed:
            run = subprocess.run([BUILD / "orientctl", "help"], stdout=closed, stderr=subprocess.PIPE, check=False)
        self.assertEqual((run.returncode, run.stderr), (DONE, b""))

    def test_recording_without_a_sensor_fails(self):
        run = self.rig.orientctl("record", environment=self.rig.mocked_environment())
        self.assertEqual(run.returncode, FAILED)
        self.assertEqual(len(run.stderr.splitlines()), 1, run.stderr)

    def test_replay_reads_standard_input_and_prints_times_as_read(self):
        upright = [f"{step}e-1,0,9.81,0\n" for step in range(10)]
        turned = [f"{step}e-1,9.81,0,0\n" for step in range(10, 20)]
        run = self.rig.orientctl("replay", "-", text=HEADER + "".join(upright + turned))
        self.assertEqual(run.returncode, DONE, run.stderr)
        first, second = run.stdout.splitlines()
        self.assertEqual(first, "0e-1 portrait")
        time, state = second.split()
        self.assertEqual(state, "landscape-left")
        self.assertRegex(time, r"^1\de-1$")

    def test_replay_in_json(self):
        run = self.rig.orientctl("replay", "--json", "-", text=HEADER + "1.5,9.81,0,0\n")
        self.assertEqual(json.loads(run.stdout), {"time": 1.5, "orientation": "landscape-left"})

    def test_plot_is_svg(self):
        plot = self.rig.directory / "plot.svg"
        run = self.rig.orientctl("replay", "-", "--plot", plot, text=HEADER + "0,0,9.81,0\n1,0,9.81,0\n")
        self.assertEqual(run.returncode, DONE, run.stderr)
        self.assertIn("<svg", plot.read_text())

    def test_plot_of_a_huge_time_has_finite_coordinates(self):
        # The coordinates of a single sample at such a time were no numbers.
        plot = self.rig.directory / "plot.svg"
        run = self.rig.orientctl("replay", "-", "--plot", plot, text=HEADER + "1e308,9.8,0,0\n")
        self.assertEqual(run.returncode, DONE, run.stderr)
        self.assertNotRegex(plot.read_text().lower(), "nan|inf")

    def test_malformed_lines_are_named_and_skipped(self):
        trace = self.rig.directory / "bad.csv"
        trace.write_text(HEADER + "0,0,9.81,0\n1,2\nx,0,9.81,0\n3,0,9.81,0\n")
        run = self.rig.orientctl("replay", trace)
        self.assertEqual(run.returncode, FAILED)
        self.assertEqual(run.stdout, "0 portrait\n")
        lines = run.stderr.splitlines()
        self.assertEqual(len(lines), 2, lines)
        self.assertIn(f"{trace}:3:", lines[0])
        self.assertIn(f"{trace}:4:", lines[1])

    def test_ten_thousand_random_lines(self):
        for seed in (1, 2):
            with self.subTest(seed=seed):
                trace = self.rig.directory / f"random-{seed}.csv"
                trace.write_bytes(HEADER.encode() + random_lines(seed, 10000))
                run = self.rig.orientctl("replay", trace, text=b"")
                self.assertEqual(run.returncode, FAILED)
                lines = run.stderr.splitlines()
                self.assertEqual(len(lines), 101)
                # The last line says how many more there are.
                self.assertRegex(lines.pop(), rb"\b[0-9]{4}\b")
                prefix = f"orientctl: {trace}:".encode()
                numbers = [int(line.removeprefix(prefix).split(b":")[0]) for line in lines]
                self.assertEqual(numbers, sorted(set(numbers)))
                self.assertLessEqual(numbers[-1], 10001)


class ExitCodes(OrientctlTestCase):
    def test_no_daemon(self):
        for command in ("status", "monitor", "sensors"):
            with self.subTest(command):
                run = self.rig.orientctl(command)
                self.assertEqual(run.returncode, NO_DAEMON, run.stderr)
                self.assertEqual(len(run.stderr.splitlines()), 1, run.stderr)

    def test_daemon_that_the_bus_cannot_start(self):
        # The bus's own words were printed, with status 1.
        address = self.rig.start_activating_bus("/bin/false")
        for command in ("status", "lock", "monitor"):
            with self.subTest(command):
                run = self.rig.orientctl(f"--bus={address}", command)
                self.assertEqual(run.returncode, NO_DAEMON, run.stderr)
                self.assertRegex(run.stderr, r"^orientctl: orientd cannot be started: .* exited with status 1; try: .*\n$")

    def test_no_bus(self):
        environment = {"DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent/bus"}
        run = self.rig.orientctl("status", environment=environment)
        self.assertEqual(run.returncode, NO_DAEMON, run.stderr)
        self.assertEqual(len(run.stderr.splitlines()), 1, run.stderr)

    def test_refused(self):
        self.rig.start_polkit(allowed=())
        self.rig.start_orientd()
        run = self.rig.orientctl("monitor")
        self.assertEqual(run.returncode, REFUSED, run.stderr)
        self.assertEqual(len(run.stderr.splitlines()), 1, run.stderr)

    def test_usage(self):
        for arguments in (["dance"], ["status", "--frobnicate"], ["replay"], ["replay", "a", "b"]):
            with self.subTest(arguments):
                run = self.rig.orientctl(*arguments)
                self.assertEqual(run.returncode, USAGE, run.stderr)
                self.assertTrue(run.stderr)
                self.assertEqual(run.stdout, "")

    def test_failed(self):
        run = self.rig.orientctl("replay", "/nonexistent.csv")
        self.assertEqual(run.returncode, FAILED)
        self.assertEqual(len(run.stderr.splitlines()), 1, run.stderr)

    def test_full_disk_is_an_error(self):
        self.start_claimed()
        for command in ("help", "status", "status --json", "sensors", "replay -"):
            with self.subTest(command):
                # In a shell, because this process sees umockdev's /dev.
                run = subprocess.run(
                    ["sh", "-c", f"'{BUILD}/orientctl' {command} >/dev/full"],
                    env=self.rig.plain_environment,
                    input=(HEADER + "0,0,9.81,0\n").encode(),
                    stderr=subprocess.PIPE,
                    check=False,
                )
                self.assertEqual(run.returncode, FAILED)

    def test_help_of_a_command_fits_the_terminal(self):
        for columns in (45, 120):
            lines = self.on_terminal("help", "rotate", columns=columns).splitlines()
            self.assertTrue(lines[0].startswith("Usage: orientctl rotate"), lines)
            longest = max(len(line) for line in lines)
            self.assertTrue(columns - 10 < longest <= columns, lines)

    def test_version_and_help(self):
        self.assertRegex(self.rig.orientctl("version").stdout, r"\d+\.\d+")
        run = self.rig.orientctl("help")
        self.assertEqual(run.returncode, DONE)
        self.assertLess(len(run.stdout.splitlines()), 24)
        for command in ("status", "monitor", "sensors", "record", "replay"):
            self.assertIn(f"\n  {command} ", run.stdout)


def random_lines(seed, count):
    """Returns mutations of trace lines and lines of random bytes, the same for the same seed."""
    generator = random.Random(seed)
    lines = []
    for step in range(count):
        line = bytearray(f"{step / 15:.3f},{generator.gauss(0, 5):.3f},{generator.gauss(0, 5):.3f},0.1".encode())
        if generator.random() < 0.1:
            line = bytearray(generator.randbytes(generator.randrange(500)))
        for _ in range(generator.randrange(4)):
            position = generator.randrange(len(line) + 1)
            line[position : position + generator.randrange(3)] = generator.randbytes(generator.randrange(3))
        lines.append(bytes(line).replace(b"\n", b"\r"))
    return b"\n".join(lines) + b"\n"
