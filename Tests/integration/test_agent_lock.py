# SPDX-License-Identifier: Apache-2.0
"""The agent keeps the rotation switch of a desktop and orientd's lock the same, with the real dconf and gsettings."""

import contextlib
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess

from agent_session import AgentTestCase, is_asleep, wakeups
from gi.repository import Gio, GLib
from rig import BUS_CONFIGURATION, PROPERTIES, Client, handle_events, wait_until

BUS = "org.freedesktop.DBus"
DCONF = "ca.desrt.dconf"
WRITER = "ca.desrt.dconf.Writer"
WRITER_PATH = "/ca/desrt/dconf/Writer/user"
SCHEMA = "org.gnome.settings-daemon.peripherals.touchscreen"
CINNAMON = "org.cinnamon.settings-daemon.peripherals.touchscreen"
KEY = "orientation-lock"
# What tells that the desktop rotates the display.
NAMES = {SCHEMA: "org.gnome.Mutter.DisplayConfig", CINNAMON: "org.Cinnamon"}
SERVICE = "[D-BUS Service]\nName=ca.desrt.dconf\nExec=/usr/libexec/dconf-service\n"

CINNAMON_SCHEMA = """<schemalist><schema id="{schema}" path="{path}">
    <key name="{key}" type="b"><default>true</default></key>
</schema></schemalist>"""
COMPILER = "lib/*/glib-2.0/glib-compile-schemas"

# Seconds that the agent waits if others change the two against each other.
LONGEST_REST = 10

LOGIN = "org.freedesktop.login1"
LOGIN_PATH = "/org/freedesktop/login1"
LOGIN_INTERFACES = f"""<node>
    <interface name="{LOGIN}.Manager">
        <method name="Inhibit">
            <arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="s" direction="in"/>
            <arg type="s" direction="in"/><arg type="h" direction="out"/>
        </method>
    </interface>
    <interface name="{PROPERTIES}">
        <method name="GetAll"><arg type="s" direction="in"/><arg type="a{{sv}}" direction="out"/></method>
    </interface></node>"""


class Logins:
    """systemd-logind with sessions, by the XDG_SESSION_ID of the programs in them."""

    def __init__(self, rig):
        self.client = rig.connect()
        self.connection = self.client.connection
        manager, properties = Gio.DBusNodeInfo.new_for_xml(LOGIN_INTERFACES).interfaces
        self.connection.register_object(LOGIN_PATH, manager, self.inhibit, None, None)
        self.connection.register_object(f"{LOGIN_PATH}/session/auto", properties, self.handle, None, None)
        self.sessions = {}
        self.calls = 0
        self.is_hanging = False
        self.client.call("RequestName", BUS, "/", GLib.Variant("(su)", (LOGIN, 0)), BUS)

    def add(self, name, is_active=True, kind="user", is_remote=False, seat="seat0"):
        """Adds a session."""
        self.sessions[name] = {
            "Active": GLib.Variant("b", is_active),
            "Id": GLib.Variant("s", name),
            "Class": GLib.Variant("s", kind),
            "Remote": GLib.Variant("b", is_remote),
            "Seat": GLib.Variant("(so)", (seat, f"{LOGIN_PATH}/seat/{seat or 'none'}")),
            "Type": GLib.Variant("s", "wayland"),
            "User": GLib.Variant("(uo)", (1000, f"{LOGIN_PATH}/user/_1000")),
        }

    def inhibit(self, _connection, _sender, _path, _interface, _method, _arguments, invocation):
        reading, writing = os.pipe()
        os.close(reading)
        files = Gio.UnixFDList.new_from_array([writing])
        invocation.return_value_with_unix_fd_list(GLib.Variant("(h)", (0,)), files)

    def handle(self, _connection, sender, _path, _interface, _method, _arguments, invocation):
        """Answers GetAll of the caller's own session."""
        self.calls += 1
        if self.is_hanging:
            return
        process = self.client.call("GetConnectionUnixProcessID", BUS, "/", GLib.Variant("(s)", (sender,)), BUS)[0]
        variables = pathlib.Path(f"/proc/{process}/environ").read_bytes().split(b"\0")
        name = next((one[15:].decode() for one in variables if one.startswith(b"XDG_SESSION_ID=")), None)
        if name in self.sessions:
            invocation.return_value(GLib.Variant("(a{sv})", (self.sessions[name],)))
        else:
            text = "Caller does not belong to any known session"
            invocation.return_dbus_error(f"{LOGIN}.NoSessionForPID", text)

    def activate(self, name):
        """Switches to a session, as logind announces it: the old one is left first."""
        for other, properties in sorted(self.sessions.items(), key=lambda pair: pair[0] == name):
            properties["Active"] = GLib.Variant("b", other == name)
            self.announce(other, other == name)

    def announce(self, name, is_active):
        """Announces a change of a session."""
        active = {"Active": GLib.Variant("b", is_active)}
        changes = GLib.Variant("(sa{sv}as)", (f"{LOGIN}.Session", active, []))
        # A digit at the beginning is escaped.
        path = f"{LOGIN_PATH}/session/" + (f"_{ord(name[0]):02x}{name[1:]}" if name[0].isdigit() else name)
        self.connection.emit_signal(None, path, PROPERTIES, "PropertiesChanged", changes)


class Desktop:
    """The session of one user, with a bus that starts dconf's service; `changes` counts the signals of dconf."""

    def __init__(self, case, name="one", schema=SCHEMA, owned=None, **variables):
        self.rig = case.rig
        self.schema = schema
        self.path = "/" + schema.replace(".", "/") + "/" + KEY
        folder = self.rig.directory / name
        self.runtime, self.home = folder / "runtime", folder / "home"
        for one in (self.runtime, self.home, folder / "services"):
            one.mkdir(parents=True, mode=0o700)
        (folder / "services" / f"{DCONF}.service").write_text(SERVICE)
        self.variables = {
            "HOME": str(self.home),
            "XDG_RUNTIME_DIR": str(self.runtime),
            "DBUS_SESSION_BUS_ADDRESS": f"unix:path={self.runtime}/bus",
            "XDG_SESSION_ID": name,
        } | variables
        self.environment = {
            key: value for key, value in self.rig.plain_environment.items() if not key.startswith("XDG_")
        } | self.variables
        if schema == CINNAMON:
            # As Cinnamon installs it.
            text = CINNAMON_SCHEMA.format(schema=schema, path=self.path.removesuffix(KEY), key=KEY)
            (folder / "schemas").mkdir()
            (folder / "schemas" / "cinnamon.gschema.xml").write_text(text)
            subprocess.run([next(pathlib.Path("/usr").glob(COMPILER)), folder / "schemas"], check=True)
            self.variables["GSETTINGS_SCHEMA_DIR"] = self.environment["GSETTINGS_SCHEMA_DIR"] = f"{folder}/schemas"
        configuration = folder / "bus.conf"
        text = BUS_CONFIGURATION.format(socket=self.runtime / "bus").replace("<type>system", "<type>session")
        configuration.write_text(
            text.replace("</busconfig>", f"<servicedir>{folder}/services</servicedir></busconfig>")
        )
        command = ["dbus-daemon", "--nofork", "--print-address", f"--config-file={configuration}"]
        bus = self.rig.spawn(command, stdout=subprocess.PIPE, env=self.environment)
        bus.stdout.readline()  # the bus accepts connections now
        self.client = Client(f"unix:path={self.runtime}/bus")
        self.rig.clients.append(self.client)
        self.client.call("RequestName", BUS, "/", GLib.Variant("(su)", (owned or NAMES[schema], 0)), BUS)
        self.changes = 0

        def count(*_arguments):
            self.changes += 1

        self.client.connection.signal_subscribe(None, WRITER, "Notify", WRITER_PATH, None, 0, count)
        self.client.round_trip()

    def set_profile(self, text):
        """Sets dconf's profile."""
        path = self.runtime / "dconf" / "profile"
        path.parent.mkdir()
        path.write_text(text)

    @property
    def file(self):
        return self.home / ".config" / "dconf" / "user"

    def run(self, *command):
        """Runs a program of the session, which must succeed, and returns its output."""
        run = subprocess.run(command, env=self.environment, capture_output=True, text=True, check=False, timeout=20)
        if run.returncode:
            raise AssertionError(f"{command}: {run.stderr}")
        return run.stdout.strip()

    def read(self):
        """Returns what was written: "true", "false", or "" for nothing."""
        return self.run("dconf", "read", self.path)

    def write(self, value):
        """Writes as the desktop does."""
        self.run("dconf", "write", self.path, value)

    def change(self, value):
        """Writes over D-Bus, as dconf's library encodes it."""
        blob = GLib.Variant("a{smv}", {self.path: GLib.Variant("b", value)}).get_data_as_bytes().get_data()
        arguments = GLib.Variant("(ay)", (blob,))
        self.client.connection.call_sync(DCONF, WRITER_PATH, WRITER, "Change", arguments, None, 0, 25000, None)

    def kill_dconf(self, value=None):
        """Kills dconf's service, which ends by itself when it is idle; writes a value before, so that it runs."""
        if value is not None:
            self.change(value)
        with contextlib.suppress(GLib.Error):
            os.kill(self.process_of(DCONF), signal.SIGKILL)
        wait_until(lambda: self.client.owner(DCONF) is None, "dconf has ended")

    def process_of(self, name):
        return self.client.call("GetConnectionUnixProcessID", BUS, "/", GLib.Variant("(s)", (name,)), BUS)[0]


def timers(pid):
    """Returns in how many seconds each running timer of a process expires."""
    texts = []
    for path in pathlib.Path(f"/proc/{pid}/fdinfo").iterdir():
        with contextlib.suppress(FileNotFoundError):
            texts.append(path.read_text())
    values = re.findall(r"it_value: \((\d+), (\d+)\)", "".join(texts))
    times = [int(seconds) + int(nanoseconds) / 1e9 for seconds, nanoseconds in values]
    return [time for time in times if time > 0]


class LockTestCase(AgentTestCase):
    def is_connected(self):
        return True

    def start_lock(self, desktop, lock="off", settings=()):
        """Starts orientd with a lock if none runs, and the agent in a desktop; returns it after it has begun."""
        if not self.rig.daemons:
            self.start_orientd()
        if lock != self.lock():
            self.set_lock(lock)
        agent = self.spawn_agent(settings=settings, environment=desktop.variables)
        wait_until(lambda: "synchronises" in self.status(desktop) or not agent.is_running(), "the agent has begun")
        self.settle(agent, desktop)
        return agent

    def start_orientd(self, *lines):
        self.start(*lines, claim=False, environment={"STATE_DIRECTORY": str(self.state)})
        self.locks = []

        def append(_connection, _sender, _path, _interface, _signal, arguments):
            if "RotationLock" in arguments[1]:
                self.locks.append(arguments[1]["RotationLock"])

        self.client.connection.signal_subscribe(
            "org.orientd1", PROPERTIES, "PropertiesChanged", None, None, 0, append
        )
        self.client.round_trip()

    def status(self, desktop):
        result = self.rig.orientctl("status", environment=desktop.variables)
        return result.stdout

    def lock(self):
        return self.client.get("RotationLock")

    def set_lock(self, lock):
        self.client.ask("SetRotationLock", "s", lock)

    def settle(self, agent, *desktops):
        """Waits until the agent sleeps, has read everything that was sent to it, and waits for no reply."""

        def is_idle():
            before = wakeups(agent.pid)
            for client in [self.client, *(desktop.client for desktop in desktops)]:
                client.round_trip()
            # A call has 25 s, and its other waits are shorter. Its only lasting child is the monitor.
            is_calling = any(seconds > LONGEST_REST for seconds in timers(agent.pid)) or len(children(agent)) > 1
            return is_asleep(agent.pid) and not is_calling and wakeups(agent.pid) == before

        wait_until(is_idle, "the agent is idle")

    def wait_for(self, desktop, value, lock):
        """Waits until the switch and the lock have these values."""
        self.client.wait_for("RotationLock", lock)
        wait_until(lambda: desktop.read() == value, f"the switch is {value}")


class Switch(LockTestCase):
    def test_switch_and_lock_follow_each_other(self):
        for schema in (SCHEMA, CINNAMON):
            with self.case(schema):
                desktop = Desktop(self, schema=schema)
                desktop.write("false")
                agent = self.start_lock(desktop)
                desktop.write("true")
                self.client.wait_for("RotationLock", "current")
                desktop.write("false")
                self.client.wait_for("RotationLock", "off")
                for value, lock in (("true", "current"), ("false", "off"), ("true", "current")):
                    self.control("lock", "toggle")
                    self.wait_for(desktop, value, lock)
                self.settle(agent, desktop)
                # It neither claims the sensor nor connects to the display, which does not exist, and no timer runs.
                wait_until(lambda: timers(agent.pid) == [], "no timer runs")
                self.assertEqual(self.client.get("Claims"), 0)
                self.assertEqual((agent.warnings(), desktop.changes, len(self.locks)), ([], 6, 5))

    def test_gsettings_turns_the_lock_without_an_echo(self):
        desktop = Desktop(self)
        agent = self.start_lock(desktop)
        self.settle(agent, desktop)
        before = desktop.changes
        desktop.run("gsettings", "set", SCHEMA, KEY, "true")
        self.client.wait_for("RotationLock", "current")
        desktop.run("gsettings", "set", SCHEMA, KEY, "true")
        self.settle(agent, desktop)
        self.assertEqual((desktop.changes - before, self.locks), (1, ["current"]))

    def test_status_and_doctor_say_what_the_agent_does(self):
        desktop = Desktop(self)
        agent = self.start_lock(desktop)
        activity = f"process {agent.pid} synchronises the rotation lock with the desktop"
        self.assertIn(f"Agent: {activity}\n", self.status(desktop))
        check = self.spawn_agent("--check", environment=desktop.variables)
        self.assertEqual(check.wait_for_end(), 0)
        findings = {finding["check"]: finding["text"] for finding in map(json.loads, check.log().splitlines())}
        self.assertEqual(findings["agent"], activity)
        agent.process.terminate()
        agent.wait_for_end()
        check = self.spawn_agent("--check", environment=desktop.variables)
        self.assertEqual(check.wait_for_end(), 0)
        self.assertIn("orient-agent does not run", check.log())

    def test_reset_of_keys(self):
        desktop = Desktop(self)
        agent = self.start_lock(desktop, lock="current")
        self.wait_for(desktop, "true", "current")
        for path in (desktop.path, "/org/gnome/settings-daemon/", "/"):
            desktop.run("dconf", "reset", "-f", path)
            self.wait_for(desktop, "true", "current")
        self.settle(agent, desktop)
        # Other keys concern nobody.
        before = wakeups(agent.pid)
        desktop.run("dconf", "write", "/org/gnome/desktop/interface/clock-format", "'24h'")
        desktop.run("dconf", "reset", "-f", "/org/gnome/desktop/")
        self.settle(agent, desktop)
        self.assertEqual(desktop.read(), "true")
        self.assertLessEqual(wakeups(agent.pid) - before, 6)

    def test_lock_of_an_orientation_is_locked_too(self):
        desktop = Desktop(self)
        agent = self.start_lock(desktop)
        self.control("lock", "portrait")
        self.wait_for(desktop, "true", "portrait")
        desktop.write("true")
        self.settle(agent, desktop)
        self.assertEqual(self.lock(), "portrait")
        desktop.write("false")
        self.client.wait_for("RotationLock", "off")

    def test_a_turn_under_the_lock_resets_the_switch_meanwhile(self):
        desktop = Desktop(self)
        agent = self.start_lock(desktop)
        self.control("lock", "portrait")
        self.wait_for(desktop, "true", "portrait")
        self.control("rotate", "landscape-left")
        wait_until(lambda: not desktop.read(), "the desktop can turn the display")
        self.assertEqual(self.lock(), "landscape-left")
        self.wait_for(desktop, "true", "landscape-left")
        self.settle(agent, desktop)
        self.assertEqual((self.locks, agent.warnings()), (["portrait", "landscape-left"], []))

    # The next agent took the switch for unlocked by the person, and removed the lock.
    def test_the_lock_survives_an_agent_that_ends_during_a_turn(self):
        desktop = Desktop(self)
        desktop.write("false")
        agent = self.start_lock(desktop)
        self.control("lock", "portrait")
        self.wait_for(desktop, "true", "portrait")
        self.control("rotate", "landscape-left")
        wait_until(lambda: not desktop.read(), "the desktop can turn the display")
        agent.process.kill()
        agent.wait_for_end()
        self.start_lock(desktop, lock="landscape-left")
        self.wait_for(desktop, "true", "landscape-left")

    def test_two_hundred_random_changes_end_equal(self):
        desktop = Desktop(self)
        agent = self.start_lock(desktop)
        source = random.Random(24)
        before = desktop.changes
        for _ in range(200):
            value = source.random() < 0.5
            if source.random() < 0.5:
                desktop.change(value)
            else:
                self.set_lock("current" if value else "off")
            if source.random() < 0.3:
                handle_events()

        def is_equal():
            self.settle(agent, desktop)
            return desktop.read() == ("false" if self.lock() == "off" else "true")

        wait_until(is_equal, "both sides are equal", 40)
        self.settle(agent, desktop)
        changes, locks = desktop.changes, len(self.locks)
        # Every change on one side was made by this test or followed one on the other side.
        self.assertLessEqual(changes - before + locks, 2 * 200)
        self.settle(agent, desktop)
        self.assertEqual((desktop.changes, len(self.locks)), (changes, locks))
        self.assertLessEqual(len(agent.new_warnings()), 1)

    def test_others_that_fight_are_left_alone(self):
        """Somebody holds the switch off, and somebody else holds the lock on."""
        desktop = Desktop(self)
        agent = self.start_lock(desktop)

        def unlock(*_arguments):
            desktop.change(False)

        def lock(_connection, _sender, _path, _interface, _signal, arguments):
            if arguments[1].get("RotationLock") == "off":
                self.set_lock("current")

        fights = desktop.client.connection.signal_subscribe(None, WRITER, "Notify", WRITER_PATH, None, 0, unlock)
        locks = self.client.connection.signal_subscribe(
            "org.orientd1", PROPERTIES, "PropertiesChanged", None, None, 0, lock
        )
        self.set_lock("current")
        agent.wait_for_warning("set back by others")
        self.settle(agent, desktop)
        self.assertLessEqual(len(self.locks), 8)
        desktop.client.connection.signal_unsubscribe(fights)
        self.client.connection.signal_unsubscribe(locks)
        # It goes on after rest.
        wait_until(lambda: desktop.read() == ("false" if self.lock() == "off" else "true"), "both are equal", 25)

    def test_hooks_of_the_lock_run(self):
        desktop = Desktop(self)
        folder = desktop.home / ".config" / "orientd" / "hooks.d"
        folder.mkdir(parents=True)
        hook = folder / "hook"
        hook.write_text('#!/bin/sh\necho "$1 $ORIENTD_ROTATION_LOCK" >>"$HOME/events"\n')
        hook.chmod(0o755)
        agent = self.start_lock(desktop)
        desktop.write("true")
        events = desktop.home / "events"
        wait_until(lambda: events.exists() and events.read_text() == "lock current\n", "the hook has run")
        self.control("unlock")
        wait_until(lambda: events.read_text() == "lock current\nlock off\n", "the hook has run again")
        self.settle(agent, desktop)
        self.assertEqual(events.read_text().count("\n"), 2)


class Start(LockTestCase):
    def test_the_switch_counts_if_it_was_ever_written(self):
        table = (
            ("true", "off", "true", "current"),
            ("false", "current", "false", "off"),
            ("true", "portrait", "true", "portrait"),
        )
        # The default is not written.
        unset = {
            SCHEMA: ((None, "current", "true", "current"), (None, "off", "", "off")),
            CINNAMON: ((None, "current", "", "current"), (None, "off", "false", "off")),
        }
        for schema in (SCHEMA, CINNAMON):
            for written, lock, value, result in table + unset[schema]:
                with self.case(schema, written=written, lock=lock):
                    desktop = Desktop(self, schema=schema)
                    if written:
                        desktop.write(written)
                    agent = self.start_lock(desktop, lock)
                    self.settle(agent, desktop)
                    self.wait_for(desktop, value, result)

    def test_sessions_of_nobody_at_the_display_are_left(self):
        sessions = {
            "greeter": {"kind": "greeter"},
            "lock": {"kind": "lock-screen"},
            "remote": {"is_remote": True},
            "headless": {"seat": ""},
            "other": {"seat": "seat1"},
        }
        for name, properties in (*sessions.items(), ("unknown", None)):
            with self.case(name):
                self.start_orientd()
                logins = Logins(self.rig)
                if properties is not None:
                    logins.add(name, **properties)
                desktop = Desktop(self, name)
                desktop.write("true")
                agent = self.spawn_agent(environment=desktop.variables)
                wait_until(lambda: handle_events() or not agent.is_running(), "the agent has ended")
                self.assertEqual(agent.wait_for_end(), 0)
                reason = "the session is unknown: " if properties is None else "this is not a user session on seat0: "
                self.assertIn(reason, agent.log())
                self.assertEqual((self.lock(), len(agent.log().splitlines())), ("off", 2))

    def test_other_desktops_and_settings_write_nothing(self):
        pathlib.Path("/proc/self/comm").write_text("kwin_wayland")
        for name, settings in (("org.kde.KWin", ()), *((name, ("LockSync=no",)) for name in NAMES.values())):
            with self.case(name):
                self.start_orientd()
                desktop = Desktop(self, owned=name)
                desktop.write("true")
                agent = self.spawn_agent(settings=settings, environment=desktop.variables)
                self.assertEqual(agent.wait_for_end(), 0)
                self.assertIn("Force=yes", agent.log())
                self.assertEqual((self.lock(), desktop.read()), ("off", "true"))

    def test_agent_ends_with_the_session(self):
        for end in ("manager", "bus"):
            with self.case(end):
                desktop = Desktop(self)
                manager = Client(desktop.variables["DBUS_SESSION_BUS_ADDRESS"])
                arguments = GLib.Variant("(su)", ("org.gnome.SessionManager", 0))
                manager.call("RequestName", BUS, "/", arguments, BUS)
                agent = self.start_lock(desktop)
                if end == "manager":
                    manager.close()
                else:
                    os.kill(desktop.process_of(BUS), signal.SIGTERM)
                self.assertEqual(agent.wait_for_end(), 0, agent.log())
                manager.close()


class Seat(LockTestCase):
    def test_two_users_switch(self):
        logins = Logins(self.rig)
        logins.add("anna", is_active=True)
        logins.add("bert", is_active=False)
        anna, bert = (Desktop(self, name) for name in ("anna", "bert"))
        anna.write("true")
        bert.write("false")
        first = self.start_lock(anna)
        self.client.wait_for("RotationLock", "current")
        second = self.start_lock(bert, lock="current")
        self.settle(second, bert)
        self.assertEqual((self.lock(), bert.read()), ("current", "false"))
        logins.activate("bert")
        self.client.wait_for("RotationLock", "off")
        self.control("lock")
        self.wait_for(bert, "true", "current")
        self.control("unlock")
        self.wait_for(bert, "false", "off")
        for agent in (first, second):
            self.settle(agent, anna, bert)
        self.assertEqual(anna.read(), "true")
        # What the user who is away changes, by a remote login for example, counts when she is back.
        anna.write("false")
        anna.write("true")
        self.settle(first, anna)
        self.assertEqual(self.lock(), "off")
        logins.activate("anna")
        self.client.wait_for("RotationLock", "current")
        self.settle(second, bert)
        self.assertEqual(bert.read(), "false")

    # A change of any session, such as one on another seat, counted as one of this session.
    def test_other_sessions_are_none_of_its_business(self):
        logins = Logins(self.rig)
        logins.add("one")
        logins.add("1", is_active=False)
        desktop = Desktop(self)
        agent = self.start_lock(desktop)
        before = logins.calls
        for name in ("1", "one"):
            logins.announce(name, True)
        wait_until(lambda: handle_events() or logins.calls > before, "the agent has asked")
        self.settle(agent, desktop)
        self.assertEqual(logins.calls, before + 1)

    def test_logind_that_crashes_while_it_is_asked(self):
        logins = Logins(self.rig)
        logins.add("one")
        desktop = Desktop(self)
        agent = self.start_lock(desktop)
        logins.is_hanging = True
        before = logins.calls
        logins.activate("one")
        wait_until(lambda: handle_events() or logins.calls > before, "the agent has asked")
        desktop.write("true")
        logins.client.close()
        agent.wait_for_warning("systemd-logind: ", "is not followed")
        self.assertEqual(self.lock(), "off")
        Logins(self.rig).add("one")
        self.client.wait_for("RotationLock", "current")


class Failures(LockTestCase):
    def test_orientd_restarts(self):
        desktop = Desktop(self)
        agent = self.start_lock(desktop)
        desktop.write("true")
        self.client.wait_for("RotationLock", "current")
        self.settle(agent, desktop)
        changes = desktop.changes
        daemon = self.rig.daemons[0]
        daemon.stop()
        agent.wait_for_warning("orientd has stopped")
        self.settle(agent, desktop)
        self.assertEqual((desktop.read(), desktop.changes), ("true", changes))
        # What is changed meanwhile counts afterwards; without its state, orientd has no lock.
        desktop.write("false")
        desktop.write("true")
        shutil.rmtree(self.state)
        self.state.mkdir()
        configuration = daemon.configuration_path.read_text()
        self.rig.start_orientd(
            "--rate", "100", configuration=configuration, environment={"STATE_DIRECTORY": str(self.state)}
        )
        self.client.wait_for("RotationLock", "current")
        self.control("unlock")
        self.wait_for(desktop, "false", "off")

    # Two tests, as more changes within ten seconds are a reason to wait.
    def test_dconf_restarts_while_the_lock_is_set(self):
        self.restart_dconf(True)

    def test_dconf_restarts_while_the_lock_is_removed(self):
        self.restart_dconf(False)

    def restart_dconf(self, value):
        desktop = Desktop(self)
        agent = self.start_lock(desktop)
        lock = "current" if value else "off"
        if not value:
            self.set_lock("current")
            self.wait_for(desktop, "true", "current")
        desktop.kill_dconf(not value)
        self.set_lock(lock)
        self.wait_for(desktop, str(value).lower(), lock)
        desktop.kill_dconf(value)
        desktop.change(not value)
        self.client.wait_for("RotationLock", "off" if value else "current")
        self.settle(agent, desktop)
        self.set_lock(lock)
        self.wait_for(desktop, str(value).lower(), lock)
        self.settle(agent, desktop)

    def test_dconf_that_cannot_write(self):
        desktop = Desktop(self)
        agent = self.start_lock(desktop)
        (self.rig.directory / "one" / "services" / f"{DCONF}.service").unlink()
        desktop.kill_dconf()
        desktop.client.call("ReloadConfig", BUS, "/", None, BUS)
        self.set_lock("current")
        agent.wait_for_warning("cannot set the desktop's rotation switch: gsettings set", "had no effect; ", "may differ")
        self.set_lock("off")
        self.set_lock("current")
        self.settle(agent, desktop)
        self.assertEqual(self.lock(), "current")

    def test_key_that_the_administrator_has_locked(self):
        site = self.rig.directory / "site.d"
        (site / "locks").mkdir(parents=True)
        (site / "00").write_text(f"[{SCHEMA.replace('.', '/')}]\n{KEY}=true\n")
        (site / "locks" / "00").write_text(f"/{SCHEMA.replace('.', '/')}/{KEY}\n")
        subprocess.run(["dconf", "compile", self.rig.directory / "site", site], check=True)
        desktop = Desktop(self)
        desktop.set_profile(f"# of the site\nuser-db:user\nfile-db:{self.rig.directory}/site # for all\n")
        agent = self.start_lock(desktop)
        # One way: the lock follows the switch at the start, and the switch cannot follow it.
        self.client.wait_for("RotationLock", "current")
        self.set_lock("off")
        agent.wait_for_warning("cannot set the desktop's rotation switch: gsettings set", "exited with 1;")
        self.set_lock("current")
        self.set_lock("off")
        self.settle(agent, desktop)
        self.assertEqual((desktop.run("gsettings", "get", SCHEMA, KEY), self.lock()), ("true", "off"))

    def test_polkit_that_refuses_makes_it_one_way(self):
        desktop = Desktop(self)
        self.rig.start_polkit(allowed=())
        self.start_orientd()
        agent = self.start_lock(desktop)
        self.settle(agent, desktop)
        desktop.write("true")
        agent.wait_for_warning("cannot set the rotation lock", "may differ from the desktop's rotation switch")
        desktop.write("false")
        desktop.write("true")
        self.settle(agent, desktop)
        self.assertEqual(self.lock(), "off")


def children(agent):
    return pathlib.Path(f"/proc/{agent.pid}/task/{agent.pid}/children").read_text().split()


def is_running(pid):
    """Returns whether a process has not ended; its parent may never reap it."""
    try:
        return "\nState:\tZ" not in pathlib.Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):  # before the file is opened, or before it is read
        return False


class Fallback(LockTestCase):
    def start_keyfile(self, **options):
        desktop = Desktop(self, GSETTINGS_BACKEND="keyfile", **options)
        return desktop, self.start_lock(desktop)

    def get(self, desktop):
        return desktop.run("gsettings", "get", SCHEMA, KEY)

    def monitor(self, agent):
        """Returns the process that watches, when no other one writes."""
        found = []

        def is_alone():
            found[:] = children(agent)
            return len(found) == 1

        wait_until(is_alone, "the agent has one child")
        return int(found[0])

    def test_another_backend_is_followed_over_gsettings(self):
        desktop, agent = self.start_keyfile()

        self.assert_follows(desktop, agent)
        for value, lock in (("true", "current"), ("false", "off")):
            self.control("lock", "toggle")
            self.client.wait_for("RotationLock", lock)
            wait_until(lambda: self.get(desktop) == value, f"the switch is {value}")
        self.assertFalse(desktop.file.exists())
        monitor = self.monitor(agent)
        agent.stop()
        wait_until(lambda: not is_running(monitor), "gsettings has ended")

    # A service manager had to start the agent again.
    def test_monitor_that_ends_is_started_again_with_back_off(self):
        desktop, agent = self.start_keyfile()
        for _ in range(2):
            monitor = self.monitor(agent)
            os.kill(monitor, signal.SIGKILL)
            wait_until(lambda: not is_running(monitor) and self.monitor(agent) != monitor, "another one runs")
        agent.wait_for_warning(f"gsettings monitor {SCHEMA} exited with 137", "may differ")
        self.assert_follows(desktop, agent)

    def assert_follows(self, desktop, agent):
        """Checks that the lock follows the switch, once the monitor has begun, and the switch the lock."""

        def is_followed():
            desktop.run("gsettings", "set", SCHEMA, KEY, "false")
            desktop.run("gsettings", "set", SCHEMA, KEY, "true")
            self.settle(agent, desktop)
            return self.lock() == "current"

        wait_until(is_followed, "the lock follows")
        self.control("unlock")
        wait_until(lambda: self.get(desktop) == "false", "the switch follows")

    def start_fake(self, action, script):
        """Starts an agent whose gsettings runs a script of the shell for an action while the file `fake` exists."""
        folder = self.rig.directory / "commands"
        folder.mkdir()
        self.fake = folder / "fake"
        self.fake.touch()
        self.starts = folder / "starts"
        program = folder / "gsettings"
        real = shutil.which("gsettings")
        fakes = f'[ "$1" = {action} ] && [ -e {self.fake} ]'
        program.write_text(
            f'#!/bin/sh\nif {fakes}; then\necho >>{self.starts}\n{script}\nfi\nexec {real} "$@"\n'
        )
        program.chmod(0o755)
        desktop = Desktop(self, GSETTINGS_BACKEND="keyfile", PATH=f"{folder}:{os.environ['PATH']}")
        self.start_orientd()
        return desktop, self.spawn_agent(environment=desktop.variables)

    # The agent was deaf for ever, took all memory and a whole core, or ended.
    def assert_hostile_is_one_warning(self, action, script, problem):
        """Checks that gsettings is one warning, while it runs the script for the action, and is used afterwards."""
        desktop, agent = self.start_fake(action, script)
        warning = wait_until(agent.warnings, "a warning", 40)
        self.assertRegex(warning[0], f"cannot read the desktop's rotation switch: gsettings {action} .* {problem}")
        # It hears the bus, and a signal, all the time.
        self.control("lock")
        self.control("unlock")
        # It is started again, and that is not reported again.
        log = agent.log()
        starts = self.starts.stat().st_size
        wait_until(lambda: self.starts.stat().st_size > starts, "another start", 40)
        self.assertEqual(agent.log(), log)
        self.assertLess(peak(agent.pid), 40_000)
        self.fake.unlink()
        wait_until(lambda: len(children(agent)) == 1 and self.get(desktop) == "false", "all is well", 60)
        self.assert_follows(desktop, agent)
        self.assertLess(agent.stop(), 1)
        agent.new_warnings()

    def test_monitor_that_floods(self):
        self.assert_hostile_is_one_warning("monitor", "exec yes", "printed more than 16384 bytes in a second")

    def test_monitor_without_line_ends(self):
        problem = "printed a line of more than 4096 bytes"
        self.assert_hostile_is_one_warning("monitor", "exec cat /dev/zero", problem)

    def test_monitor_that_floods_and_ignores_sigterm(self):
        script = "trap '' TERM; while :; do echo orientation-lock: true; done"
        self.assert_hostile_is_one_warning("monitor", script, "printed more than")

    # The agent waited for its lines for ever.
    def test_monitor_that_closes_its_output(self):
        self.assert_hostile_is_one_warning("monitor", "exec >&- sleep 1000", "closed its output")

    def test_get_that_hangs_and_ignores_sigterm(self):
        script = "trap '' TERM; while :; do sleep 1; done"
        self.assert_hostile_is_one_warning("get", script, "took longer than 10")

    def test_get_that_floods(self):
        self.assert_hostile_is_one_warning("get", "exec yes", "printed more than")

    def test_get_that_fails(self):
        self.assert_hostile_is_one_warning("get", "exit 1", "exited with 1")

    def test_monitor_that_hangs_is_started_again_after_a_write(self):
        script = "trap '' TERM; while :; do sleep 1; done"
        desktop, agent = self.start_fake("monitor", script)
        wait_until(lambda: "synchronises" in self.status(desktop), "the agent has begun")
        self.settle(agent, desktop)
        self.control("lock")
        wait_until(lambda: self.get(desktop) == "true", "the switch follows")
        self.fake.unlink()
        wait_until(agent.warnings, "a warning", 40)
        agent.wait_for_warning(f"gsettings monitor {SCHEMA} does not print what was written")
        self.control("unlock")
        self.assert_follows(desktop, agent)

    # The write was under way for ever: no later change was followed.
    def test_gsettings_that_hangs(self):
        _, agent = self.start_fake("set", "trap '' TERM; while :; do sleep 1; done")
        self.monitor(agent)
        self.control("lock")
        wait_until(agent.warnings, "a warning", 40)
        agent.wait_for_warning("cannot set the desktop's rotation switch: gsettings set", "took longer than 10")

    def test_missing_schema_or_gsettings(self):
        for name in ("XDG_DATA_DIRS", "PATH"):
            with self.case(name):
                empty = self.rig.directory / "empty"
                empty.mkdir()
                self.start_orientd()
                desktop = Desktop(self, GSETTINGS_BACKEND="keyfile")
                agent = self.spawn_agent(environment=desktop.variables | {name: str(empty)})
                problem = "cannot run gsettings" if name == "PATH" else "gsettings .* exited with 1"
                wait_until(agent.warnings, "a warning")
                self.assertRegex(agent.wait_for_warning("cannot read the desktop's rotation switch"), problem)
                self.assertTrue(agent.is_running())


def peak(pid):
    """Returns the kibibytes of memory that a process has used at most."""
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:"))
