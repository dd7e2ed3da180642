# SPDX-License-Identifier: Apache-2.0
"""What happens to orientd and orient-agent on a day: everything that is random comes from one seed."""

import collections
import contextlib
import os
import random
import signal
import subprocess
import time

from gi.repository import GLib

from agent_session import AgentTestCase, monitor, panel
from evdev import EventNode, event_node
from rig import (
    ACTIONS,
    BUILD,
    BUS_CONFIGURATION,
    BUS_NAME,
    DEVICE,
    MANAGER,
    OBJECT_MANAGER,
    PROPERTIES,
    REQUEST,
    REQUEST_PREFIX,
    ROOT_PATH,
    accelerometer,
    die_with_parent,
    processor_time,
    wait_until,
)
from rotation import HELD
from stranger import Stranger, forged
from test_sleep import Logind
from usage import memory, usage_of_threads

SENSOR_PROXY = "net.hadess.SensorProxy"
PROXY_ACTION = "net.hadess.SensorProxy.claim-sensor"
LID, TABLET = 1, 2
INPUT = "/sys/devices/platform/test/input/input3"

# Seconds of use between two measurements.
PERIOD = 5

# What attributes of a broken driver may read.
TEXTS = [
    *("", " ", "0", "-1", "nan", "inf", "1e999", "0x10", "9" * 400, "garbage", "\x00", "1 2 3", "-", "1,5", "\xff\xfe"),
    *("1, 0, 0; 0, 1, 0; 0, 0, 1", "0, 0, 0; 0, 0, 0; 0, 0, 0", "1, 0; 0, 1", "a, b, c; d, e, f; g, h, i", "; ; "),
]
ATTRIBUTES = ("in_accel_scale", "in_accel_x_raw", "in_accel_z_raw", "in_accel_mount_matrix", "name", "location", "label")

KEYS = {
    "Orientation": ("Classifier", "ReportFace", "NaturalOrientation", "SupportedOrientations", "Autorotate"),
    "Tablet": ("TabletSwitch", "TabletWithoutKeyboard"),
    "Sensor": ("Source", "Rate", "Power", "Frame", "FaceUp", "BaseFaceUp"),
    "Bus": ("SensorProxy", "SensorProxyOrientation"),
    "Application org.example.A": ("SupportedOrientations",),
    "Nonsense": ("Key",),
}
VALUES = [
    *("yes", "no", "auto", "portrait", "landscape", "all", "0", "-1", "15", "1e9", "nan", "", "base", "robust"),
    *("simulate", "iio:", "replay:/nonexistent", "\xff\xfe", "x" * 300, "tablet-mode", "never", "landscape-left"),
]
METHODS = {
    MANAGER: [
        *("Claim", "Release", "Request", "ListRequests", "SetRotationLock", "SetAutorotate", "Rotate", "AlignToDevice"),
        *("SetTabletMode", "SetApplicationMask", "SetApplicationOrientations", "Nonsense"),
    ],
    REQUEST: ["Update", "SetNeedsUpdate", "Release"],
    PROPERTIES: ["Get", "GetAll", "Set"],
    OBJECT_MANAGER: ["GetManagedObjects"],
    "org.freedesktop.DBus.Introspectable": ["Introspect"],
    SENSOR_PROXY: ["ClaimAccelerometer", "ReleaseAccelerometer", "ClaimLight", "ReleaseLight", "ClaimProximity"],
}
SIGNATURES = {
    **{"Request": "sua{sv}", "SetRotationLock": "s", "SetAutorotate": "s", "Rotate": "s", "SetApplicationMask": "su"},
    **{"SetTabletMode": "s", "SetApplicationOrientations": "sas", "Update": "a{sv}", "Get": "ss", "GetAll": "s", "Set": "ssv"},
}
WORDS = [
    *("", "off", "current", "portrait", "landscape", "landscape-left", "all", "never", "always", "tablet-mode", "x" * 2000),
    *("org.example.A", "supported", "preferred", "presentation", "parent", "push", "modal", "reason", "active"),
    *(MANAGER, REQUEST, "RotationLock", "Gravity"),
]


class Day(AgentTestCase):
    """orientd and orient-agent in use; live() and measure() alternate between begin() and end()."""

    def __init__(self, seed):
        super().__init__("end")
        self.random = random.Random(seed)
        self.counts = collections.Counter()
        self.is_plugged = True
        self.actions = {
            **{self.pose: 30, self.flap: 6, self.replug: 4, self.storm: 1, self.sleep: 3, self.move_lid: 3, self.fold: 3},
            **{self.use: 12, self.call_at_random: 10, self.break_attribute: 6, self.configure: 1, self.hang_polkit: 1},
            **{self.restart_compositor: 2, self.plug_monitor: 2, self.lock: 3, self.crowd: 0.25, self.request_most: 0.5},
            **{self.meet_stranger: 0.5},
        }

    # --- the beginning and the end -----------------------------------------------------------------------------

    def begin(self):
        self.open_rig()
        self.rig.start_polkit(allowed=(*ACTIONS, PROXY_ACTION))
        self.polkit = self.rig.processes[-1]
        self.logind = Logind(self.rig)
        self.rig.add_device(event_node(attributes={"capabilities/sw": "3"}))
        self.switches = EventNode(self.rig)
        self.agent = self.start_session(panel())
        self.daemon = self.rig.daemons[0]
        self.second_bus = self.rig.directory / "second"
        configuration = self.rig.directory / "second.conf"
        configuration.write_text(BUS_CONFIGURATION.format(socket=self.second_bus))
        bus = self.rig.spawn(
            ["dbus-daemon", "--nofork", "--print-address", f"--config-file={configuration}"], stdout=subprocess.PIPE
        )
        bus.stdout.readline()
        self.names = {"orientd": self.client.owner(), "orient-agent": self.owner_of(self.agent.pid)}
        self.before = {}

    def end(self):
        """Ends the programs, which must still run and must end as they should."""
        self.agent.new_warnings()  # those of lost compositors
        self.close_rig()

    def owner_of(self, pid):
        """Returns the unique name of a process."""
        bus = "org.freedesktop.DBus"
        names = self.client.call("ListNames", bus, "/org/freedesktop/DBus", destination=bus)[0]
        for name in names:
            if name.startswith(":") and self.ask_bus("GetConnectionUnixProcessID", name) == pid:
                return name
        raise AssertionError(f"process {pid} is not on the bus")

    def ask_bus(self, method, name, interface="org.freedesktop.DBus"):
        arguments = GLib.Variant("(s)", (name,))
        return self.client.call(method, interface, "/org/freedesktop/DBus", arguments, "org.freedesktop.DBus")[0]

    # --- measuring ------------------------------------------------------------------------------------------------

    def live(self):
        """Lets things happen for a while, and then gives back what was taken."""
        ends = time.monotonic() + PERIOD
        self.done = 0
        while time.monotonic() < ends:
            (action,) = self.random.choices(list(self.actions), list(self.actions.values()))
            self.counts[action.__name__] += 1
            self.done += 1
            action()
        self.recover()

    def recover(self):
        """Returns to the state at the beginning: the sensor is there and works, and the agent is the only client."""
        os.kill(self.polkit.pid, signal.SIGCONT)
        if not self.is_plugged:
            self.plug()
        self.switches.switch(0)
        self.logind.prepare_for_sleep(False)
        if self.compositor.thread is None:
            self.compositor.start()
        for name in [head.name for head in self.compositor.heads if head.name != "eDP-1"]:
            self.compositor.unplug(name)
        wait_until(lambda: not self.client.ask("ListRequests")[0], "no request is left")
        self.client.ask("SetRotationLock", "s", "off")
        self.client.ask("SetAutorotate", "s", "always")
        # Only the agent is left, which claims once more if it had to connect again.
        self.client.wait_for("Claims", 1, timeout=30)
        self.client.wait_for("SensorState", "sampling", timeout=30)
        # A random call may have rotated the interface by hand, which lasts until the device turns.
        self.show("landscape-left")
        self.show("portrait")
        self.wait_until_idle(self.agent)

    def measure(self):
        """Returns what both programs use now, and the processor time since the last time for each action."""
        sample = {}
        for program in (self.daemon, self.agent):
            name = program.name
            if not program.is_running():
                raise AssertionError(f"{name} has ended with {program.process.returncode}")
            resident, dirty = memory(program.pid)
            sample[f"{name}: resident kB"] = resident
            sample[f"{name}: private dirty kB"] = dirty
            sample[f"{name}: descriptors"] = len(os.listdir(f"/proc/{program.pid}/fd"))
            statistics = self.ask_bus("GetConnectionStats", self.names[name], "org.freedesktop.DBus.Debug.Stats")
            sample[f"{name}: match rules"] = statistics["MatchRules"]
            used = processor_time(program.pid) * 1000
            sample[f"{name}: processor time of an action in ms"] = (used - self.before.get(name, used)) / self.done
            self.before[name] = used
        return sample

    def print_logs(self):
        for program in self.rig.daemons:
            print(f"{program.log_path.name}, the last lines:\n" + "\n".join(program.log().splitlines()[-30:]))

    # --- the device -----------------------------------------------------------------------------------------------

    def pose(self):
        if self.is_plugged:
            self.rig.turn(HELD[self.random.choice(list(HELD))][0])
            time.sleep(self.random.uniform(0, 0.1))

    def flap(self):
        """Turns to and fro, faster than anything can follow."""
        for _ in range(self.random.randrange(5, 40)):
            if self.is_plugged:
                self.rig.turn(HELD[self.random.choice(list(HELD))][0])

    def plug(self):
        self.rig.add_device(accelerometer())
        self.rig.testbed.uevent(DEVICE, "add")
        self.is_plugged = True

    def unplug(self):
        self.rig.remove_device()
        self.is_plugged = False

    def replug(self):
        if self.is_plugged:
            self.unplug()
            time.sleep(self.random.uniform(0, 0.2))
        self.plug()

    def storm(self):
        """A loose contact."""
        for _ in range(self.random.randrange(4, 25)):
            if self.is_plugged:
                self.unplug()
            else:
                self.plug()
        if not self.is_plugged:
            self.plug()

    def break_attribute(self):
        """An attribute of a driver in trouble, and a new search for sensors that finds it so."""
        if not self.is_plugged:
            return
        attribute = self.random.choice(ATTRIBUTES)
        path = self.rig.path(DEVICE, attribute)
        before = path.read_bytes() if path.exists() else None
        path.write_bytes(self.random.choice(TEXTS).encode("latin-1"))
        self.rig.testbed.uevent(DEVICE, "change")
        time.sleep(self.random.uniform(0, 0.1))
        if before is None:
            path.unlink()
        else:
            path.write_bytes(before)
        self.rig.testbed.uevent(DEVICE, "change")

    def sleep(self):
        self.logind.prepare_for_sleep(True)
        time.sleep(self.random.uniform(0, 0.1))
        self.logind.prepare_for_sleep(False)

    def move_lid(self):
        self.switches.switch(self.switches.switches ^ LID)

    def fold(self):
        self.switches.switch(self.switches.switches ^ TABLET)

    # --- clients --------------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def visitor(self):
        """A client that leaves, and forgets everything that it holds."""
        client = self.rig.connect()
        try:
            yield client
        finally:
            client.close()
            self.rig.clients.remove(client)

    def lock(self):
        self.client.ask("SetRotationLock", "s", self.random.choice(("off", "portrait", "current")))

    def use(self):
        """An application that claims, asks for orientations, changes its mind and dies."""
        with self.visitor() as client:
            client.error_of("Claim")
            paths = []
            for _ in range(self.random.randrange(1, 8)):
                with contextlib.suppress(GLib.Error):
                    mask = self.random.choice((2, 8, 16, 24, 26, 30))
                    options = {"parent": GLib.Variant("o", paths[-1])} if paths and self.random.random() < 0.5 else {}
                    paths += client.ask("Request", "sua{sv}", "org.example.App", mask, options)
            for path in paths:
                with contextlib.suppress(GLib.Error):
                    change = {"supported": GLib.Variant("u", self.random.choice((2, 8, 16, 30)))}
                    client.ask("Update", "a{sv}", change, interface=REQUEST, path=path)
                    if self.random.random() < 0.3:
                        client.ask("Release", interface=REQUEST, path=path)

    def call_at_random(self):
        """A client that makes 200 calls of any kind at once, and may leave before it has all answers."""
        with self.visitor() as client:
            calls = [self.random_call(client) for _ in range(200)]
            if self.random.random() < 0.7:
                wait_until(lambda: all(call.done for call in calls if call), "each call is answered", timeout=40)
        self.counts["random call"] += 200

    def random_call(self, client):
        interface = self.random.choice(list(METHODS))
        method = self.random.choice(METHODS[interface])
        path = ROOT_PATH
        if interface == REQUEST:
            path = f"{REQUEST_PREFIX}{self.random.randrange(20)}"
        elif interface == SENSOR_PROXY:
            path = "/net/hadess/SensorProxy"
        types = SIGNATURES.get(method, "") if self.random.random() < 0.7 else self.random_types()
        arguments = GLib.Variant(f"({types})", tuple(self.random_values(types)))
        return client.start_call(method, interface, path, arguments)

    def random_types(self):
        return "".join(self.random.choice(("s", "u", "b", "d", "o", "as", "a{sv}", "v", "(su)")) for _ in range(3))

    def random_values(self, types):
        """Returns values for a signature of the types above."""
        values, rest = [], types
        while rest:
            kind = next(kind for kind in ("a{sv}", "as", "(su)", *"subdov") if rest.startswith(kind))
            rest = rest[len(kind) :]
            values.append(self.random_value(kind))
        return values

    def random_value(self, kind):
        pick = self.random
        if kind == "s":
            return pick.choice(WORDS)
        if kind == "u":
            return pick.choice((0, 2, 24, 26, 30, 1, 31, 0xFFFFFFFF, pick.randrange(1 << 32)))
        if kind == "b":
            return pick.random() < 0.5
        if kind == "d":
            return pick.choice((0.0, -1.5, float("nan"), float("inf"), 1e308))
        if kind == "o":
            return pick.choice(("/", ROOT_PATH, f"{REQUEST_PREFIX}{pick.randrange(20)}"))
        if kind == "as":
            return [pick.choice(WORDS) for _ in range(pick.randrange(4))]
        if kind == "(su)":
            return pick.choice(WORDS), pick.randrange(1 << 32)
        if kind == "v":
            inner = pick.choice(("s", "u", "b", "as"))
            return GLib.Variant(inner, self.random_value(inner))
        return {pick.choice(WORDS): self.random_value("v") for _ in range(pick.randrange(5))}

    def crowd(self):
        """500 clients at once, of which only 400 may hold something."""
        clients = [self.rig.connect() for _ in range(500)]
        calls = [client.start_call("Claim") for client in clients]
        wait_until(lambda: all(call.done for call in calls), "each claim is answered", timeout=40)
        refused = sum(call.error is not None for call in calls)
        for client in clients:
            client.close()
            self.rig.clients.remove(client)
        if not 90 <= refused <= 110:
            raise AssertionError(f"{refused} of 500 claims were refused")

    def meet_stranger(self):
        """Another user sends forged signals, claims over and over again over many connections, and leaves."""
        stranger = Stranger(self.rig)
        process = stranger.occupy(40, 64, True)
        stranger.send(*forged(self.client.connection.get_unique_name()))
        started = time.monotonic()
        self.client.get("InterfaceOrientation")
        if time.monotonic() - started > 5:
            raise AssertionError("a property has to wait for a stranger")
        process.kill()
        process.wait()
        process.stdout.close()

    def request_most(self):
        """As many requests as there may be: 64 each of 16 clients."""
        with contextlib.ExitStack() as stack:
            for _ in range(16):
                client = stack.enter_context(self.visitor())
                arguments = GLib.Variant("(sua{sv})", ("org.example.App", 30, {}))
                calls = [client.start_call("Request", arguments=arguments) for _ in range(64)]
                wait_until(lambda calls=calls: all(call.done for call in calls), "each request is answered", timeout=40)

    def hang_polkit(self):
        """polkit does not answer for a while, and some of those who wait leave."""
        os.kill(self.polkit.pid, signal.SIGSTOP)
        with self.visitor() as client, self.visitor() as leaving:
            calls = [client.start_call("Claim") for _ in range(20)]
            for _ in range(20):
                leaving.start_call("Claim")
            started = time.monotonic()
            self.client.get("InterfaceOrientation")
            if time.monotonic() - started > 5:
                raise AssertionError("a property has to wait for polkit")
            leaving.close()
            os.kill(self.polkit.pid, signal.SIGCONT)
            wait_until(lambda: all(call.done for call in calls), "each claim is answered", timeout=40)

    # --- the session ----------------------------------------------------------------------------------------------

    def restart_compositor(self):
        self.compositor.stop()
        time.sleep(self.random.uniform(0, 0.2))
        self.compositor.start()

    def plug_monitor(self):
        if any(head.name == "HDMI-A-1" for head in self.compositor.heads):
            self.compositor.unplug("HDMI-A-1")
        else:
            self.compositor.plug(monitor())

    def configure(self):
        """Another orientd, on a bus of its own, starts with any configuration and ends when it is asked to."""
        lines = []
        for _ in range(self.random.randrange(1, 12)):
            section = self.random.choice(list(KEYS))
            lines += [f"[{section}]", f"{self.random.choice(KEYS[section])}={self.random.choice(VALUES)}"]
        path = self.rig.directory / "random.conf"
        path.write_bytes("\n".join(lines).encode("latin-1"))
        process = subprocess.Popen(
            [BUILD / "orientd", "--bus", f"unix:path={self.second_bus}", "--config", path],
            env=self.rig.mocked_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            preexec_fn=die_with_parent,
        )
        time.sleep(0.2)
        process.terminate()
        # 1: a source that does not exist is no reason to run on.
        if process.wait(10) not in (0, 1, -signal.SIGTERM):
            raise AssertionError(f"orientd ends with {process.returncode} with the configuration\n" + "\n".join(lines))
