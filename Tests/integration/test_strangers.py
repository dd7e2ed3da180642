# SPDX-License-Identifier: Apache-2.0
"""What another user of the computer can do on the system bus, by Debian's policy: nothing that others notice."""

import os
import signal
import subprocess

from gi.repository import Gio, GLib

import rig as rig_module
from agent_session import AgentTestCase, panel
from rig import BUS_NAME, LANDSCAPE_LEFT, MANAGER, OBJECT_MANAGER, PYTHON, ROOT_PATH, SOURCE_ROOT
from rig import accelerometer, processor_time, wait_until
from stranger import POLKIT, Stranger, bus_configuration, forged
from test_agent_lock import Desktop, LockTestCase
from test_sleep import Logind

class StrangerTestCase(AgentTestCase):
    def start_polkit(self, seconds="0"):
        """Starts a polkit that allows everything to this user, and takes so long to refuse it to others."""
        command = [PYTHON, SOURCE_ROOT / "Tests/integration/fakes/polkit.py", self.rig.address, seconds]
        process = self.rig.spawn(command)
        wait_until(lambda: self.client.owner(POLKIT), "polkit is on the bus")
        return process

    def open_rig(self):
        standard = rig_module.BUS_CONFIGURATION
        rig_module.BUS_CONFIGURATION = bus_configuration(SOURCE_ROOT)
        try:
            super().open_rig()
        finally:
            rig_module.BUS_CONFIGURATION = standard
        self.stranger = Stranger(self.rig)


class ForgedSignals(StrangerTestCase):
    def test_change_nothing_in_orientd(self):
        """A NameLost ended it, PrepareForSleep stopped the sensors, NameOwnerChanged dropped claims."""
        self.rig.add_device(accelerometer())
        logind = Logind(self.rig)
        daemon = self.rig.start_orientd()
        wait_until(logind.is_held_up, "orientd wants to be waited for")
        self.client.claim()
        self.client.wait_for("InterfaceRule", "device")
        claimant = self.client.connection.get_unique_name()
        view = self.client.ask("Request", "sua{sv}", "org.example.App", 30, {})[0]
        before = self.client.get_all()
        for _ in ("first", "after a restart of the real sender"):
            self.stranger.send(*forged(claimant))
            now = self.client.get_all()
            del before["Gravity"], now["Gravity"]
            self.assertEqual(now, before)
            self.assertEqual([request[0] for request in self.client.call("ListRequests")[0]], [view])
            self.assertTrue(logind.is_held_up())
            # The real one is still obeyed.
            logind.prepare_for_sleep(True)
            self.client.wait_for("SensorState", "suspended")
            logind.prepare_for_sleep(False)
            self.client.wait_for("SensorState", "sampling")
            self.client.wait_for("InterfaceRule", "device")
            wait_until(logind.is_held_up, "orientd wants to be waited for again")
            logind.vanish()
            # A new logind keeps the locks that its predecessor has given.
            logind, locks = Logind(self.rig), logind.waiting
            logind.waiting += locks
            before = self.client.get_all()
        self.assertEqual(daemon.log_lines("warning|error"), daemon.log_lines("polkit is not on"))

    def test_local_signal_of_libsystemd_cannot_be_sent(self):
        daemon = self.rig.start_orientd()
        path, interface = "/org/freedesktop/DBus/Local", "org.freedesktop.DBus.Local"
        process = self.stranger.start("send", [path, interface, "Disconnected", None])
        process.communicate(timeout=30)
        self.assertNotEqual(process.returncode, 0, "the bus daemon passed it on")
        self.assertTrue(daemon.is_running())
        self.client.get("Claims")

    def test_change_nothing_in_orientctl_monitor(self):
        """A malformed NameOwnerChanged ended it with SIGILL."""
        self.rig.add_device(accelerometer())
        self.rig.start_orientd()
        command = [rig_module.BUILD / "orientctl", "monitor", "DeviceOrientation"]
        monitor = self.rig.spawn(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.client.wait_for("Claims", 1)
        self.assertEqual(monitor.stdout.readline(), b"portrait\n")
        for orientation, raw in (("landscape-left", LANDSCAPE_LEFT), ("portrait", rig_module.PORTRAIT)):
            self.stranger.send(*forged(":1.0"))
            self.rig.turn(raw)
            self.assertEqual(monitor.stdout.readline().decode(), orientation + "\n")
            self.rig.daemons[-1].stop()
            self.assertIn(b"has stopped", monitor.stdout.readline())
            self.rig.start_orientd()
            self.assertIn(b"has started again", monitor.stdout.readline())
            self.client.wait_for("Claims", 1)

    def test_change_nothing_in_the_agent_that_rotates(self):
        """A PropertiesChanged turned the panel."""
        agent = self.start_session(panel())
        self.hold("landscape-left")
        self.wait_for_transform("270")
        for transform in ("270", "normal"):
            self.stranger.send(*forged(self.client.connection.get_unique_name()))
            self.wait_until_idle(agent)
            self.assertEqual(self.compositor.head("eDP-1").transform, transform)
            if transform == "270":
                self.restart_orientd()
                agent.wait_for_warning("orientd has stopped")
            self.hold("portrait")
            self.wait_for_transform("normal")

class ForgedSignalsOfTheLock(StrangerTestCase, LockTestCase):
    def test_change_nothing_in_the_agent_that_keeps_the_lock(self):
        """Another session's change of `Active`, or an end of logind, had the switch written anew."""
        desktop = Desktop(self)
        desktop.write("true")
        agent = self.start_lock(desktop)
        self.wait_for(desktop, "true", "current")
        self.stranger.send(*forged(self.client.connection.get_unique_name()))
        self.control("unlock")
        self.wait_for(desktop, "false", "off")
        self.assertTrue(agent.is_running())


class Refused(StrangerTestCase):
    """Calls of somebody whom polkit refuses; only root can be another user too."""

    def assert_served(self):
        """Checks that an honest client may claim and lock."""
        other = self.rig.connect()
        other.claim()
        other.ask("SetRotationLock", "s", "portrait")
        self.assertEqual(self.client.get("RotationLock"), "portrait")
        self.assertEqual(self.client.get("Claims"), 1)
        other.close()
        self.client.wait_for("Claims", 0)

    def test_questions_without_an_answer_delay_nobody_else(self):
        """Of 17 connections' claims, others got LimitExceeded; of 410 connections, "400 connections hold something"."""
        self.start_polkit("never")
        self.rig.start_orientd()
        for connections, calls in ((17, 64), (410, 2)):
            with self.subTest(connections):
                process = self.stranger.occupy(connections, calls)
                self.assert_served()
                process.kill()

    def test_a_user_has_few_questions_at_polkit(self):
        self.start_polkit("0.01")
        self.rig.start_orientd()
        self.stranger.occupy(17, 64)
        self.assert_served()

    def test_large_calls_are_refused(self):
        """Two calls of 32 MB that polkit had not decided on took more memory than the unit allows."""
        self.start_polkit("never")
        self.rig.start_orientd()
        options = {"reason": GLib.Variant("s", "x" * 4096)}
        refusal = self.client.refusal("Request", "sua{sv}", "org.example.App", 30, options)
        self.assertEqual(refusal, (rig_module.INVALID_ARGS, "the arguments take more than 4096 bytes"))

    def test_calls_of_long_paths_are_refused(self):
        """libsystemd spent 2 s for each: it looked for an object at all of 32 000 prefixes."""
        daemon = self.rig.start_orientd()
        before = processor_time(daemon.pid)
        path = "/a" * 32_000
        refusal = self.client.refusal("Claim", path=path)
        self.assertEqual(refusal, (rig_module.UNKNOWN_OBJECT, "the path takes more than 255 bytes"))
        for interface, method in (("org.freedesktop.DBus.Introspectable", "Introspect"), (OBJECT_MANAGER, "GetManagedObjects")):
            self.assertEqual(self.client.refusal(method, interface=interface, path=path), refusal)
        self.assertLess(processor_time(daemon.pid) - before, 0.5)


class Descriptors(StrangerTestCase):
    def test_calls_cannot_pass_file_descriptors(self):
        """64 calls that polkit had not decided on kept 16 each: as many as orientd may open."""
        self.rig.start_orientd()
        message = Gio.DBusMessage.new_method_call(BUS_NAME, ROOT_PATH, MANAGER, "Claim")
        message.set_unix_fd_list(Gio.UnixFDList.new_from_array([os.dup(0) for _ in range(16)]))
        connection = self.client.connection
        reply, _ = connection.send_message_with_reply_sync(message, Gio.DBusSendMessageFlags.NONE, 10000, None)
        self.assertEqual(reply.get_message_type(), Gio.DBusMessageType.ERROR)
        self.assertEqual(self.client.get("Claims"), 0)


class PolkitEnds(StrangerTestCase):
    """polkit is killed with calls that it has not decided on."""

    def test_calls_are_asked_again_when_it_is_back(self):
        """They were answered with AccessDenied."""
        polkit = self.start_polkit()
        self.rig.start_orientd()
        self.rig.connect().claim()
        polkit.send_signal(signal.SIGSTOP)
        calls = [self.client.start_call("Claim") for _ in range(50)]
        # With the first reply, orientd has asked the bus daemon for the user, and with the second one polkit.
        for _ in range(2):
            self.client.get("Claims")
        polkit.kill()
        wait_until(lambda: not self.client.owner(POLKIT), "polkit has ended")
        self.assertEqual(self.client.get("Claims"), 1)
        self.start_polkit()
        wait_until(lambda: all(call.done for call in calls), "the claims are answered")
        self.assertEqual({call.error for call in calls}, {None})
        self.assertEqual(self.client.get("Claims"), 51)
