# SPDX-License-Identifier: Apache-2.0
"""The example programs, which use the library OrientationClient as a package of somebody else does."""

import os
import re
import subprocess
import textwrap
import time

from rig import (
    BUILD,
    Client,
    LANDSCAPE_RIGHT,
    RigTestCase,
    SOURCE_ROOT,
    UPSIDE_DOWN,
    accelerometer,
    processor_time,
    wait_until,
)

EXAMPLE = SOURCE_ROOT / "Examples" / "FollowOrientation"
PROGRAMS = SOURCE_ROOT / ".build" / "examples" / "debug"
LANDSCAPE = 24


class Examples(RigTestCase):
    @classmethod
    def setUpClass(cls):
        # The compiler must not see the mocked devices, and its cache stays when the tests remove their folder.
        variables = {key: value for key, value in os.environ.items() if key not in ("LD_PRELOAD", "TMPDIR")}
        command = ["make", "--no-print-directory", "-C", SOURCE_ROOT, "examples"]
        build = subprocess.run(command, env=variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if build.returncode != 0:
            raise AssertionError(build.stdout)

    def start(self, program, **variables):
        """Starts an example; its lines are in self.output."""
        self.output = self.rig.directory / f"{program}.output"
        with self.output.open("wb") as file:
            variables = self.rig.plain_environment | variables
            return self.rig.spawn([PROGRAMS / program], env=variables, stdout=file, stderr=file)

    def wait_for_line(self, pattern):
        """Waits until the last line of the output matches."""

        def matches():
            lines = self.output.read_text().splitlines()
            return lines and re.fullmatch(pattern, lines[-1])

        wait_until(matches, f"{pattern!r} is printed last")

    def requests(self):
        return [(request[1], request[4]) for request in self.client.call("ListRequests")[0]]

    def assert_follows(self, program):
        self.rig.add_device(accelerometer())
        first = self.rig.start_orientd()
        process = self.start(program)
        self.wait_for_line("true portrait landscape-right")
        self.rig.turn(LANDSCAPE_RIGHT)
        self.wait_for_line("true landscape-right landscape-left")
        self.assertEqual(self.client.get("Claims"), 1)
        self.assertEqual(self.requests(), [("org.example.Player", LANDSCAPE)])

        used = processor_time(process.pid)
        time.sleep(1)
        self.assertLess(processor_time(process.pid) - used, 0.1, "it must sleep while nothing changes")

        first.stop()
        self.wait_for_line("false landscape-right landscape-left")
        self.rig.turn(UPSIDE_DOWN)
        self.rig.start_orientd()
        self.wait_for_line("true portrait-upside-down landscape-(left|right)")
        self.client.wait_for("Claims", 1)
        self.assertEqual(self.requests(), [("org.example.Player", LANDSCAPE)])

        process.kill()
        process.wait()
        self.client.wait_for("Claims", 0)
        self.client.wait_for("SensorState", "idle")
        self.assertEqual(self.requests(), [])
        self.client.wait_for("InterfaceOrientation", "portrait-upside-down")

    def test_async_program_follows_orientd_over_a_restart(self):
        self.assert_follows("follow-orientation")

    def test_program_with_a_loop_follows_orientd_over_a_restart(self):
        self.assert_follows("poll-orientation")

    def test_bus_starts_orientd_which_is_claimed_once(self):
        self.rig.add_device(accelerometer())
        address = self.rig.start_activating_bus(f"{BUILD / 'orientd'} --bus {{address}} --config /dev/null")
        client = Client(address)
        self.rig.clients.append(client)
        self.assertIsNone(client.owner())
        for program in ("follow-orientation", "poll-orientation"):
            process = self.start(program, DBUS_SYSTEM_BUS_ADDRESS=address)
            self.wait_for_line("true portrait landscape-right")
            self.assertEqual(client.get("Claims"), 1)
            process.kill()
            process.wait()
            client.wait_for("Claims", 0)

    def test_refusal_is_a_typed_error(self):
        self.rig.start_polkit(allowed=())
        self.rig.start_orientd()
        process = self.start("poll-orientation")
        self.assertEqual(process.wait(10), 1)
        self.wait_for_line(r"error: not authorized: .*org\.orientd1\.claim.* \(notAllowed\)")

    def test_missing_orientd_is_a_typed_error(self):
        process = self.start("poll-orientation")
        self.assertEqual(process.wait(10), 1)
        self.wait_for_line(r"error: orientd is not running: .* \(serviceNotRunning\)")

    def test_request_is_changed_and_the_lock_set(self):
        self.rig.add_device(accelerometer())
        self.rig.start_orientd()
        process = self.start("change-request")
        self.assertEqual(process.wait(10), 0)
        self.assertEqual(self.output.read_text(), "film: landscape-left\nlock: current\n")
        self.assertEqual(self.client.get("RotationLock"), "off")
        self.client.wait_for("InterfaceOrientation", "portrait")

    def test_lock_of_the_user_stays(self):
        self.rig.add_device(accelerometer())
        self.rig.start_orientd()
        self.client.ask("SetRotationLock", "s", "portrait-upside-down")
        process = self.start("change-request")
        self.assertEqual(process.wait(10), 0)
        self.assertEqual(self.output.read_text(), "film: landscape-left\nlock: portrait-upside-down\n")
        self.assertEqual(self.client.get("RotationLock"), "portrait-upside-down")
        self.client.wait_for("InterfaceOrientation", "portrait-upside-down")

    def test_navigation_stack_waits_for_the_device_and_tab_bar_does_not(self):
        self.rig.add_device(accelerometer())
        self.rig.start_orientd()
        # The first reading turns the interface for the view that decides then, whichever that is.
        self.client.claim()
        self.client.wait_for("DeviceOrientation", "portrait")
        process = self.start("containers")
        self.assertEqual(process.wait(10), 0)
        self.assertEqual(
            self.output.read_text(),
            "window: portrait\na picture in landscape was pushed: portrait\npopped: portrait\n"
            "the map's tab: landscape-right\nthe album's tab: portrait\n",
        )
        self.assertEqual(self.requests(), [])

    def test_end_of_the_bus_is_said_and_ends_the_programs(self):
        # The error left `main`, which ended the program by a trap, with a backtrace.
        daemon = self.rig.start_orientd()
        started = [(self.start(name), self.output) for name in ("follow-orientation", "poll-orientation")]
        self.client.wait_for("Claims", len(started))
        wait_until(lambda: len(self.requests()) == len(started), "both have made their request")
        wait_until(lambda: all(output.read_text() for _, output in started), "both have printed what is shown")
        self.rig.bus_process.kill()
        self.assertGreater(daemon.wait_for_end(), 0)
        for process, output in started:
            self.assertEqual(process.wait(10), 1)
            self.assertRegex(output.read_text(), r"\nerror: the connection to the bus has ended \(disconnected\)\n\Z")

    def test_missing_bus_ends_every_program_with_a_status(self):
        for name in ("follow-orientation", "poll-orientation", "change-request", "containers"):
            with self.subTest(name):
                process = self.start(name, DBUS_SYSTEM_BUS_ADDRESS="unix:path=/nonexistent")
                self.assertEqual(process.wait(10), 1)
                self.assertRegex(self.output.read_text(), r"\A.*\(busUnavailable\)\n\Z")

    def test_documentation_shows_the_programs(self):
        def program(name):
            text = (EXAMPLE / "Sources" / name / "main.swift").read_text()
            return text.removeprefix("// SPDX-License-Identifier: Apache-2.0\n\n")

        def shown(document):
            return re.findall(r"^```swift\n(.*?)^```$", document.read_text(), re.M | re.S)

        self.assertEqual(shown(SOURCE_ROOT / "docs" / "clients.md"), [program("follow-orientation")])
        reference = SOURCE_ROOT / "Sources" / "OrientationClient" / "OrientationClient.docc" / "OrientationClient.md"
        follow, part, change = shown(reference)
        self.assertEqual([follow, change], [program("follow-orientation"), program("change-request")])
        self.assertIn(textwrap.indent(part, "    "), program("poll-orientation"))
        for text in (follow, part, change):
            self.assertLess(len(text.splitlines()), 40)
