#!/usr/bin/python3 -B
# SPDX-License-Identifier: Apache-2.0
"""Measures what everybody else waits while orientd is under load: Benchmarks/load.py [BUILD] [--seconds SECONDS]

Two clients that do nothing bad are observed: how long a Get takes, and how long after a turn of the device the signal
arrives. Beside them, step by step: 1000 connections that subscribe, 383 of which claim; others that ask for 10 000
requests, of which orientd grants 256; and a hostile client with 5000 calls a second. Then what a claim and a lock wait
while another user, whom polkit refuses, claims over 400 connections. Prints two tables in Markdown.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "Tests" / "integration"))

from preload import is_preloaded, run_with_preload  # noqa: E402

# 400 connections may hold something: the observer, 16 applications and these.
SUBSCRIBERS, CLAIMANTS, REQUESTS, CALLS = 1000, 383, 10_000, 5000

# The hostile client's calls: method, interface, arguments, and whether it takes replies.
ATTACKS = {
    "Get": ("Get", "org.freedesktop.DBus.Properties", "get", True),
    "Get without a reply": ("Get", "org.freedesktop.DBus.Properties", "get", False),
    "SetRotationLock": ("SetRotationLock", "org.orientd1.Manager", "lock", True),
    "Request": ("Request", "org.orientd1.Manager", "request", True),
    "ListRequests": ("ListRequests", "org.orientd1.Manager", None, True),
    "GetManagedObjects": ("GetManagedObjects", "org.freedesktop.DBus.ObjectManager", None, True),
    "GetManagedObjects without a reply": ("GetManagedObjects", "org.freedesktop.DBus.ObjectManager", None, False),
}


def arguments_of(kind):
    from gi.repository import GLib

    return {
        None: None,
        "get": GLib.Variant("(ss)", ("org.orientd1.Manager", "InterfaceOrientation")),
        "lock": GLib.Variant("(s)", ("off",)),
        "request": GLib.Variant("(sua{sv})", ("org.example.App", 30, {})),
    }[kind]


# --- the crowd: processes of their own -----------------------------------------------------------------------------


def connect_all(address, count):
    from gi.repository import Gio

    flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
    return [Gio.DBusConnection.new_for_address_sync(address, flags, None, None) for _ in range(count)]


def call(connection, method, interface="org.orientd1.Manager", arguments=None):
    from gi.repository import Gio

    path = "/org/orientd1"
    return connection.call_sync(
        "org.orientd1", path, interface, method, arguments, None, Gio.DBusCallFlags.NO_AUTO_START, 60000, None
    )


def be_subscribers(address):
    """Subscribes on each connection and claims on some; reads what arrives for ever."""
    from gi.repository import GLib

    connections = connect_all(address, SUBSCRIBERS)
    for connection in connections:
        connection.signal_subscribe("org.orientd1", None, None, None, None, 0, lambda *_: None)
    claimed = 0
    for connection in connections[:CLAIMANTS]:
        try:
            call(connection, "Claim")
            claimed += 1
        except GLib.Error as error:
            print(error.message, file=sys.stderr)
    print(f"{len(connections)} subscribers, {claimed} of them claimants", flush=True)
    GLib.MainLoop().run()


def be_applications(address):
    """Asks for all requests, and holds those that are granted."""
    from gi.repository import GLib

    connections = connect_all(address, 16)
    granted = refused = 0
    for index in range(REQUESTS):
        try:
            call(connections[index % len(connections)], "Request", arguments=arguments_of("request"))
            granted += 1
        except GLib.Error:
            refused += 1
    print(f"{granted} requests granted, {refused} refused", flush=True)
    GLib.MainLoop().run()


def attack(address, name):
    """Calls at a fixed rate, whatever the answers are; prints the rate that it reached when its input ends."""
    from gi.repository import Gio, GLib

    method, interface, kind, takes_replies = ATTACKS[name]
    (connection,) = connect_all(address, 1)
    arguments = arguments_of(kind)
    print("attacks", flush=True)
    ended = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
    started = time.monotonic()
    sent = 0
    context = GLib.MainContext.default()
    while not ended.is_set():
        due = int((time.monotonic() - started) * CALLS) - sent
        for _ in range(max(0, min(due, 500))):
            message = Gio.DBusMessage.new_method_call("org.orientd1", "/org/orientd1", interface, method)
            if arguments:
                message.set_body(arguments)
            if not takes_replies:
                message.set_flags(Gio.DBusMessageFlags.NO_REPLY_EXPECTED)
            connection.send_message(message, Gio.DBusSendMessageFlags.NONE)
            sent += 1
        while context.iteration(False):
            pass
        time.sleep(0.001)
    print(f"{sent / (time.monotonic() - started):.0f}", flush=True)
    os._exit(0)


# --- the measurement -----------------------------------------------------------------------------------------------


def percentile(values, share):
    return float("inf") if not values else sorted(values)[min(len(values) - 1, int(len(values) * share))]


class Load:
    def __init__(self, seconds, has_polkit=True):
        from rig import ACTIONS, Rig, accelerometer

        self.seconds = seconds
        self.rig = Rig()
        if has_polkit:
            self.rig.start_polkit(allowed=ACTIONS)
        self.rig.add_device(accelerometer())
        self.daemon = self.rig.start_orientd("--rate", "100", configuration="[Orientation]\nClassifier=base\n")
        self.observer = self.rig.connect()
        self.observer.claim()
        self.signals = []
        self.turns = 0
        self.observer.connection.signal_subscribe(
            "org.orientd1", "org.orientd1.Manager", "DidTransition", None, None, 0,
            lambda *_: self.signals.append(time.monotonic()),
        )

    def spawn(self, part, *arguments, **options):
        """Starts a part of the crowd; returns it and its first line."""
        command = ["/usr/bin/python3", "-B", __file__, "--part", part, self.rig.address, *arguments]
        options = {"stdout": subprocess.PIPE, "stderr": None, "text": True} | options
        process = self.rig.spawn(command, **options)
        return process, process.stdout.readline().strip()

    def measure(self, what):
        """Prints a row with the waits of the observer, and the processor time of the daemon."""
        from gi.repository import GLib
        from rig import LANDSCAPE_LEFT, PORTRAIT, handle_events, processor_time

        gets, turns, lost = [], [], 0
        ends = time.monotonic() + self.seconds
        used = processor_time(self.daemon.pid)
        started = time.monotonic()
        while time.monotonic() < ends:
            for _ in range(20):
                before = time.monotonic()
                try:
                    self.rig.client.get("InterfaceOrientation")
                    gets.append(time.monotonic() - before)
                except GLib.Error:
                    gets.append(float("inf"))  # no reply in 25 s
                if time.monotonic() > ends:
                    break
            self.turns += 1
            handle_events()
            count = len(self.signals)
            before = time.monotonic()
            self.rig.turn((PORTRAIT, LANDSCAPE_LEFT)[self.turns % 2])
            while len(self.signals) == count and time.monotonic() - before < 20:
                handle_events()
                time.sleep(0.0005)
            if len(self.signals) == count:
                lost += 1
            else:
                turns.append(self.signals[count] - before)
        share = (processor_time(self.daemon.pid) - used) / (time.monotonic() - started) * 100
        cells = [f"{percentile(values, share_) * 1000:.1f}" for values in (gets, turns) for share_ in (0.5, 0.99, 1)]
        print(f"| {what} | {' | '.join(cells)} | {share:.0f} % | {lost} |", flush=True)

    def run(self):
        print("| load | Get p50 | p99 | most | turn p50 | p99 | most | processor | lost |")
        print("|---|---|---|---|---|---|---|---|---|", flush=True)
        self.measure("nobody else")
        for name in ("Get", "Get without a reply"):
            self.measure_attack(name, "")
        _, told = self.spawn("subscribers")
        self.measure(told)
        _, told = self.spawn("applications")
        self.measure("also " + told)
        for name in ATTACKS:
            self.measure_attack(name, "all of them, and ")
        self.rig.close()

    def run_refused(self):
        """Measures claims and locks beside those of a user whom polkit takes 10 ms to refuse."""
        from rig import PYTHON, wait_until
        from stranger import POLKIT, Stranger

        self.rig.spawn([PYTHON, HERE.parent / "Tests/integration/fakes/polkit.py", self.rig.address, "0.01"])
        wait_until(lambda: self.rig.client.owner(POLKIT), "polkit is on the bus")
        print("\n| load | Claim p50 | p99 | most | SetRotationLock p50 | p99 | most | orientd | dbus-daemon |")
        print("|---|---|---|---|---|---|---|---|---|", flush=True)
        self.measure_calls("nobody else")
        for connections, calls in ((17, 64), (400, 1)):
            stranger = Stranger(self.rig).occupy(connections, calls, True)
            self.measure_calls(f"{connections} connections of another user, {calls} claims at a time on each")
            stranger.kill()
            stranger.wait()
        self.rig.close()

    def measure_calls(self, what):
        from rig import processor_time

        claims, locks = [], []
        pids = (self.daemon.pid, self.rig.bus_process.pid)
        used, started = [processor_time(pid) for pid in pids], time.monotonic()
        while time.monotonic() < started + self.seconds:
            client = self.rig.connect()
            for values, method, arguments in ((claims, "Claim", ()), (locks, "SetRotationLock", ("s", "off"))):
                before = time.monotonic()
                client.ask(method, *arguments)
                values.append(time.monotonic() - before)
            client.close()
            self.rig.clients.remove(client)
        seconds = time.monotonic() - started
        cells = [f"{percentile(values, share) * 1000:.1f}" for values in (claims, locks) for share in (0.5, 0.99, 1)]
        cells += [f"{(processor_time(pid) - before) / seconds:.0%}" for pid, before in zip(pids, used)]
        print(f"| {what} | {' | '.join(cells)} |", flush=True)

    def measure_attack(self, name, others):
        process, _ = self.spawn("attack", name, stdin=subprocess.PIPE)
        time.sleep(1)
        self.measure(f"{others}{CALLS} calls a second of {name}")
        process.stdin.close()
        reached = process.stdout.readline().strip()
        process.wait()
        print(f"  ({name}: {reached} calls a second were made)", file=sys.stderr)
        # What it left in the queues is not the next one's.
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            before = time.monotonic()
            self.rig.client.get("InterfaceOrientation")
            if time.monotonic() - before < 0.02:
                break


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", nargs="?", default=HERE.parent / ".build" / "bin")
    parser.add_argument("--seconds", type=float, default=10, help="for each row (%(default)s)")
    parser.add_argument("--tables", nargs="+", default=("load", "refused"), help="load, refused or both (%(default)s)")
    parser.add_argument("--part", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.part:
        part, *arguments = options.part
        {"subscribers": be_subscribers, "applications": be_applications, "attack": attack}[part](*arguments)
    elif is_preloaded():
        if "load" in options.tables:
            Load(options.seconds).run()
        if "refused" in options.tables:
            Load(options.seconds, has_polkit=False).run_refused()
    else:
        return run_with_preload(pathlib.Path(options.build).resolve(), sys.argv[1:])
    return 0


if __name__ == "__main__":
    sys.exit(main())
