# SPDX-License-Identifier: Apache-2.0
"""orientd-tablet-switch: the virtual tablet switch, with systemd and the kernel's uinput mocked."""

import contextlib
import errno
import os
import signal
import subprocess
import threading
import time

from evdev import EventNode, event_node
from rig import (
    BASE,
    BUILD,
    LANDSCAPE_LEFT,
    MINUS_Z,
    PLUS_Z,
    PORTRAIT,
    PYTHON,
    RigTestCase,
    accelerometer,
    die_with_parent,
    processor_time,
    wait_until,
)
from uinput import (
    BUS_VIRTUAL,
    EV_SW,
    EVENT_SIZE,
    PROGRAM,
    SW_TABLET_MODE,
    UI_SET_EVBIT,
    UI_SET_SWBIT,
    SwitchSocket,
    Uinput,
    state_of,
)


def status_of(program):
    """Returns the fields of /proc/PID/status."""
    with open(f"/proc/{program.pid}/status") as status:
        return dict(line.split(":\t", 1) for line in status.read().splitlines())


class ProgramTestCase(RigTestCase):
    def open_rig(self):
        super().open_rig()
        self.socket = SwitchSocket(self.rig)

    def tell(self, connection, state):
        """Sends a state and waits until it is confirmed."""
        connection.sendall(state)
        self.assertEqual(connection.recv(8), state)

    def assert_ends(self, program, status, *lines):
        self.assertEqual(program.wait_for_end(timeout=30), status)
        self.assertEqual(program.log().splitlines(), [f"orientd-tablet-switch: {line}" for line in lines])


class States(ProgramTestCase):
    def open_rig(self):
        super().open_rig()
        self.uinput = Uinput(self.rig)

    def begin(self):
        program = self.socket.start()
        return program, self.socket.connect()

    def test_each_byte_is_a_state_and_the_end_turns_it_off(self):
        program, connection = self.begin()
        for state in (b"0", b"1", b"1", b"0", b"1"):
            self.tell(connection, state)
        self.assertEqual(self.uinput.states, [0, 1, 1, 0, 1])
        connection.close()
        self.assert_ends(program, 0)
        self.assertEqual(self.uinput.states[5:], [0])

    def test_device_is_a_tablet_switch_only_which_orientd_can_tell_from_others(self):
        program, connection = self.begin()
        self.tell(connection, b"0")
        self.assertEqual(self.uinput.bits, {(UI_SET_EVBIT, EV_SW), (UI_SET_SWBIT, SW_TABLET_MODE)})
        self.assertEqual(self.uinput.phys, "orientd/tablet-switch")
        self.assertEqual(self.uinput.identity, (BUS_VIRTUAL, 0, 0, 1, "orientd tablet switch"))
        fields = status_of(program)
        self.assertEqual((fields["Seccomp"], fields["NoNewPrivs"], fields["Threads"]), ("2", "1", "1"))

    def test_states_that_arrive_together_are_set_in_order(self):
        program, connection = self.begin()
        connection.sendall(b"0110")
        connection.shutdown(1)
        self.assert_ends(program, 0)
        self.assertEqual(self.uinput.states, [0, 1, 1, 0, 0])

    def test_client_that_is_killed_or_reads_nothing_leaves_it_off(self):
        program = self.socket.start()
        client = "import socket, sys; s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); s.send(b'1'); input()"
        process = self.rig.spawn([PYTHON, "-c", client, self.socket.path], stdin=subprocess.PIPE)
        wait_until(lambda: self.uinput.states == [1], "it is on")
        process.kill()
        process.stdin.close()
        self.assert_ends(program, 0)
        self.assertEqual(self.uinput.states, [1, 0])

    def test_anything_else_is_one_line_and_turns_it_off(self):
        for bytes_sent, number in ((b"2", 50), (b"\n", 10), (b"1\0", 0), (b"\xff0", 255)):
            with self.subTest(bytes_sent):
                self.uinput.states.clear()
                self.uinput.exists = False
                program, connection = self.begin()
                self.tell(connection, b"1")
                connection.sendall(bytes_sent)
                reason = f"cannot use the byte {number}: the states are the digits 0 and 1"
                self.assert_ends(program, 1, reason)
                self.assertEqual(self.uinput.states[-1], 0)
                connection.close()

    def test_sigterm_turns_it_off(self):
        program, connection = self.begin()
        self.tell(connection, b"1")
        program.stop()
        self.assert_ends(program, 0)
        self.assertEqual(self.uinput.states, [1, 0])

    # ppoll(2) returns the data first: as long as there were some, SIGTERM waited.
    def test_flood_of_states_neither_delays_sigterm_nor_lasts(self):
        program, connection = self.begin()
        connection.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            while True:
                connection.send(b"10" * 5000)
        self.assert_ends(
            program,
            1,
            "cannot serve orientd: it sent more than 100 states in a second",
        )
        self.assertEqual(self.uinput.states[-1], 0)
        self.assertLessEqual(len(self.uinput.states), 101)

    def test_sigterm_counts_before_states_that_wait(self):
        program, connection = self.begin()
        self.tell(connection, b"1")
        program.process.send_signal(signal.SIGSTOP)
        wait_until(lambda: status_of(program)["State"].startswith("T"), "it is stopped")
        connection.send(b"10" * 40)
        program.process.terminate()
        program.process.send_signal(signal.SIGCONT)
        self.assert_ends(program, 0)
        self.assertEqual(self.uinput.states, [1, 0])

    def test_second_connection_waits(self):
        program, connection = self.begin()
        self.tell(connection, b"1")
        self.socket.connect().sendall(b"0")
        self.tell(connection, b"1")
        connection.close()
        self.assert_ends(program, 0)
        self.assertEqual(self.uinput.states, [1, 1, 0])

    def test_other_users_are_refused(self):
        if os.getuid() != 0:
            return  # only root can be another user too
        os.chmod(self.socket.path, 0o666)
        program = self.socket.start()
        client = (
            "import socket, sys; s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]);"
            "sys.exit(s.recv(1) != b'')"
        )
        refused = subprocess.run([PYTHON, "-c", client, self.socket.path], user="nobody", check=False, timeout=30)
        self.assertEqual(refused.returncode, 0)
        self.assertEqual(self.uinput.requests, [])
        self.assertEqual(len(program.wait_for_log(r"refused a connection of user \d+: only user 0 and root may")), 1)
        self.tell(self.socket.connect(), b"1")

    def test_owner_of_the_socket_need_not_be_root(self):
        if os.getuid() != 0:
            return  # the other tests show it
        os.chown(self.socket.path, 65534, 65534)
        program = self.socket.start()
        client = (
            "import socket, sys; s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); s.send(b'1');"
            "sys.exit(s.recv(1) != b'1')"
        )
        accepted = subprocess.run([PYTHON, "-c", client, self.socket.path], user=65534, check=False, timeout=30)
        self.assertEqual(accepted.returncode, 0)
        self.assert_ends(program, 0)


class Starts(ProgramTestCase):
    def test_switch_of_a_crashed_run_is_turned_off_before_anybody_connects(self):
        # A pipe stands for a device that exists. Creating one would fail there.
        reading, writing = os.pipe()
        with open(reading, "rb", buffering=0) as device, open(writing, "wb", buffering=0) as passed:
            program = self.socket.start(device=passed)
            self.assertEqual(state_of(device.read(2 * EVENT_SIZE)), 0)
            connection = self.socket.connect()
            self.tell(connection, b"1")
            self.assertEqual(state_of(device.read(2 * EVENT_SIZE)), 1)
            connection.close()
            self.assert_ends(program, 0)
            self.assertEqual(state_of(device.read(2 * EVENT_SIZE)), 0)

    def test_without_uinput_one_line_says_so_and_the_connection_ends(self):
        # systemd would start it again and again if the connection was left waiting.
        program, connection = self.socket.start(), self.socket.connect()
        self.assertEqual(connection.recv(1), b"")
        self.assert_ends(program, 1, "cannot open /dev/uinput: No such file or directory")

    def test_uinput_that_refuses_is_one_line(self):
        Uinput(self.rig, refusal=errno.EPERM)
        program, connection = self.socket.start(), self.socket.connect()
        self.assertEqual(connection.recv(1), b"")
        self.assert_ends(program, 1, "cannot create a switch with /dev/uinput: Operation not permitted")

    def test_ends_if_nobody_connects(self):
        self.assert_ends(self.socket.start(), 0)

    def test_sigterm_ends_it_before_anybody_connects(self):
        program = self.socket.start()
        wait_until(lambda: int(status_of(program)["SigCgt"], 16) & 1 << 14, "it handles SIGTERM")
        program.stop()
        self.assert_ends(program, 0)

    def test_by_hand_one_line_says_who_starts_it(self):
        for variables in ({}, {"LISTEN_PID": "1", "LISTEN_FDNAMES": "connection"}, {"LISTEN_FDNAMES": "connection"}):
            with self.subTest(variables):
                result = subprocess.run(
                    [BUILD / PROGRAM],
                    env=self.rig.plain_environment | variables,
                    capture_output=True,
                    text=True,
                    timeout=30,
                    preexec_fn=die_with_parent,
                    check=False,
                )
                self.assertEqual(result.returncode, 1)
                self.assertRegex(result.stderr, r"\A\S+: cannot find .*: only orientd starts .*\n\Z")


class WithOrientd(ProgramTestCase):
    """orientd and the program; systemd's part is to start the program for a connection."""

    CONFIGURATION = "[Tablet]\nTabletSwitch=yes\n"
    # On a display that stands upright the base lies on its underside, or on its keys.
    LAPTOP, TABLET = MINUS_Z, PLUS_Z

    def open_rig(self):
        super().open_rig()
        self.uinput = Uinput(self.rig)
        self.rig.add_device(accelerometer("display", PORTRAIT))
        self.rig.add_device(accelerometer("base", self.LAPTOP, index=1, properties={"ACCEL_LOCATION": "base"}))

    def start_orientd(self, configuration=CONFIGURATION):
        variables = {"ORIENTD_TABLET_SWITCH_SOCKET": self.socket.path}
        return self.rig.start_orientd(configuration=configuration, environment=variables)

    def wait_for_state(self, state):
        wait_until(lambda: self.uinput.states[-1:] == [state], f"the switch is {state}")

    def start_as_tablet(self):
        """Starts both without any claim, and folds the machine."""
        program, daemon = self.socket.start(), self.start_orientd()
        self.wait_for_state(0)
        self.rig.turn(self.TABLET, BASE)
        self.wait_for_state(1)
        return program, daemon

    def test_folding_turns_it_on_without_a_claim_and_unfolding_off(self):
        program, _ = self.start_as_tablet()
        self.rig.turn(self.LAPTOP, BASE)
        self.wait_for_state(0)
        self.assertEqual(self.uinput.states, [0, 1, 0])
        self.assertTrue(program.is_running())

    def test_status_tells_the_orientation_though_only_the_hinge_is_measured(self):
        # Nobody claimed the sensor, as it was sampling: the orientation stayed unknown, or as it was once.
        self.start_as_tablet()
        self.assertEqual(self.client.get("Claims"), 0)
        self.assertEqual(self.rig.orientctl("get", "DeviceOrientation").stdout, "portrait\n")
        self.rig.turn(LANDSCAPE_LEFT)
        self.assertIn("Device: landscape-left", self.rig.orientctl("status").stdout)
        self.assertEqual(self.client.get("Claims"), 0)

    def test_is_never_there_by_default(self):
        daemon = self.start_orientd("")
        self.client.claim()
        self.client.wait_for("DeviceOrientation", "portrait")
        self.assertEqual(self.socket.connections(), 0)
        self.assertEqual(daemon.log_lines("tablet"), [])

    def test_orientd_that_ends_or_is_killed_leaves_it_off(self):
        for end in ("stop", "kill"):
            with self.subTest(end):
                self.uinput.states.clear()
                self.uinput.exists = False
                self.rig.turn(self.LAPTOP, BASE)
                program, daemon = self.start_as_tablet()
                getattr(daemon, end)()
                self.assert_ends(program, 0)
                self.assertEqual(self.uinput.states, [0, 1, 0])

    def test_program_that_is_killed_gets_the_state_again(self):
        program, daemon = self.start_as_tablet()
        program.kill()
        self.uinput.states.clear()
        self.socket.start()  # under umockdev a device of its own; the real one is kept
        self.wait_for_state(1)
        self.assertEqual(len(daemon.wait_for_log("closed the connection; connecting to the virtual .* again")), 1)

    def test_missing_socket_is_one_warning_and_used_once_it_is_there(self):
        self.socket.remove()
        self.rig.turn(self.TABLET, BASE)
        daemon = self.start_orientd()
        (line,) = daemon.wait_for_log("warning: cannot connect to .*: No such file or directory; connecting .* again")
        self.socket.listen()
        self.socket.start()
        self.wait_for_state(1)
        self.assertEqual(daemon.log_lines("warning"), [line])

    def test_hostile_service_is_one_warning_and_costs_nothing(self):
        """It floods orientd, confirms and closes, or confirms nothing; a service that behaves is used again."""
        stopped = threading.Event()
        self.rig.on_close(stopped.set)
        attempts = []

        def serve():
            while not stopped.is_set():
                with contextlib.suppress(OSError), self.socket.listener.accept()[0] as connection:
                    attempts.append(time.monotonic())
                    connection.settimeout(0.1)
                    connection.recv(8)
                    if len(attempts) % 2 == 0:
                        connection.send(b"0")
                        continue
                    while not stopped.is_set():
                        connection.send(b"01" * 5000)

        self.socket.listener.settimeout(0.1)
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        daemon = self.start_orientd()
        wait_until(lambda: len(attempts) >= 4, "four attempts", 30)
        self.assertEqual(len(daemon.log_lines("warning")), 1, daemon.log())
        pauses = [later - earlier for earlier, later in zip(attempts, attempts[1:])]
        self.assertGreater(pauses[2], 3)
        self.assertLess(processor_time(daemon.pid), 2)
        stopped.set()
        thread.join()

    def test_missing_uinput_is_one_warning(self):
        self.uinput.refusal = errno.EPERM
        daemon = self.start_orientd()
        for _ in range(2):
            program = self.socket.start()
            self.assertEqual(program.wait_for_end(), 1)
        daemon.wait_for_log("closed the connection")
        self.assertEqual(len(daemon.log_lines("warning")), 1, daemon.log())

    def test_there_is_none_while_a_kernel_switch_cannot_be_opened(self):
        self.rig.add_device(event_node(attributes={"capabilities/sw": "2"}))
        node = self.rig.path("/dev/input/event3")
        node.rename(node.with_name("hidden"))
        daemon = self.start_orientd()
        daemon.wait_for_log("warning: cannot open .*event3")
        self.rig.turn(self.TABLET, BASE)
        self.client.claim()
        self.client.wait_for("DeviceOrientation", "portrait")
        self.assertEqual(self.socket.connections(), 0)
        # Found by the search, which is repeated.
        node.with_name("hidden").rename(node)
        EventNode(self.rig, switches=0)
        self.client.wait_for("TabletModeSource", "switch")
        self.assertEqual(self.socket.connections(), 0)

    def test_kernel_switch_that_appears_takes_over(self):
        program, _ = self.start_as_tablet()
        self.rig.add_device(event_node(attributes={"capabilities/sw": "0"}))
        EventNode(self.rig, switches=0)
        self.rig.write("capabilities/sw", "2", "/sys/devices/platform/test/input/input3")
        self.rig.testbed.uevent("/sys/devices/platform/test/input/input3/event3", "add")
        self.assert_ends(program, 0)
        self.assertEqual(self.uinput.states, [0, 1, 0])
        self.client.wait_for("TabletMode", "laptop")
