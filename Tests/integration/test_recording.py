# SPDX-License-Identifier: Apache-2.0
"""Recordings of orientd: what was announced on the bus is what a replay prints."""

import json
import os
import random
import signal
import tempfile

from gi.repository import GLib

from rig import (
    MANAGER,
    OBJECT_MANAGER,
    PROPERTIES,
    ROOT_PATH,
    SENSOR,
    SOURCE_ROOT,
    RigTestCase,
    accelerometer,
    wait_until,
)
from rotation import ALL, ALL_BUT_UPSIDE_DOWN, HELD, LANDSCAPE, ORIENTATIONS, View, options_of
from test_sleep import MANAGER as LOGIND_MANAGER, PATH as LOGIND_PATH, Logind

SEEDS = range(6)
STEPS = 40
SCENARIOS = SOURCE_ROOT / "Tests" / "Fixtures" / "scenarios"


def in_words(changes):
    """Returns changes as replay prints them; it prints masks once."""
    return " ".join(
        f"{name}={text_of(value)}" for name, value in changes.items() if name != "SupportedOrientationNames"
    )


def text_of(value):
    """Returns a property's value as replay prints it."""
    if isinstance(value, list):
        return ",".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def states_of(values):
    """Returns the state and the error among changed values of a sensor."""
    return {name: values[name] for name in ("State", "LastError") if name in values}


class RecordingTestCase(RigTestCase):
    def record_announcements(self):
        """Returns a list of the announced changes, one text for each signal, from before the start of orientd."""
        announced = []

        def append(_connection, _sender, _path, _interface, _signal, arguments):
            interface, changes, _ = arguments.unpack()
            if interface == MANAGER:
                announced.append(in_words(changes))

        self.client.connection.signal_subscribe(None, PROPERTIES, None, ROOT_PATH, None, 0, append)
        self.client.round_trip()
        return announced

    def record_states(self):
        """Returns a list of the sensors' announced states and errors, from before the start of orientd."""
        announced = []

        def append(_connection, _sender, path, _interface, signal_name, arguments):
            values = arguments.unpack()
            if signal_name == "InterfacesAdded":
                path, values = values[0], values[1].get(SENSOR)
            else:
                values = values[1] if values[0] == SENSOR else None
            if states := states_of(values or {}):
                announced.append((int(path.rpartition("/")[2]), states))

        for interface, name in ((PROPERTIES, "PropertiesChanged"), (OBJECT_MANAGER, "InterfacesAdded")):
            self.client.connection.signal_subscribe(None, interface, name, None, None, 0, append)
        self.client.round_trip()
        return announced

    def replay(self, path, *options):
        """Returns the lines that replay prints."""
        return self.rig.orientctl("replay", *options, path).stdout.splitlines()


class Session:
    """Random calls of several clients, turns of the device, and events of the machine."""

    def __init__(self, test, seed):
        self.random = random.Random(seed)
        self.test = test
        self.rig = test.rig
        self.clients = [self.rig.connect() for _ in range(3)]
        self.views = []
        self.is_asleep = False
        self.logind = Logind(self.rig)
        self.is_plugged = True

    def call(self, client, method, signature="", *values, **options):
        """Makes a call that may be refused."""
        try:
            return client.ask(method, signature, *values, **options)
        except GLib.Error:
            return None

    def options(self):
        options = {}
        if self.random.random() < 0.4:
            options["preferred"] = self.random.choice(ORIENTATIONS)
        if self.random.random() < 0.4:
            options["should-autorotate"] = self.random.random() < 0.5
        if self.random.random() < 0.4:
            options["presentation"] = self.random.choice(("modal", "push"))
        if self.views and self.random.random() < 0.4:
            options["forwards-to"] = GLib.Variant("o", self.random.choice(self.views)[1])
        if self.random.random() < 0.3:
            options["active"] = self.random.random() < 0.7
        if self.random.random() < 0.5:
            options["reason"] = self.random.choice(("a film, in full screen", "100 %", "größer\n\x1b[0m", "x=y"))
        return options_of(options)

    def mask(self):
        return self.random.choice((2, 4, 8, 16, LANDSCAPE, ALL_BUT_UPSIDE_DOWN, ALL, 0, 20))

    def step(self):
        client = self.random.choice(self.clients)
        getattr(self, self.random.choice(self.steps))(client)

    def turn(self, _client):
        if self.is_plugged:
            self.rig.turn(HELD[self.random.choice(list(HELD))][0])
        # The device is held so for some samples.
        until = GLib.get_monotonic_time() + self.random.choice((20_000, 150_000))
        wait_until(lambda: GLib.get_monotonic_time() > until, "some samples")

    def claim(self, client):
        self.call(client, self.random.choice(("Claim", "Release")))

    def proxy(self, client):
        method = self.random.choice(("ClaimAccelerometer", "ReleaseAccelerometer"))
        self.call_proxy(client, method)

    def call_proxy(self, client, method):
        client.call(method, interface="net.hadess.SensorProxy", path="/net/hadess/SensorProxy",
                    destination="net.hadess.SensorProxy")

    def lock(self, client):
        self.call(client, "SetRotationLock", "s", self.random.choice(("off", "current", *ORIENTATIONS)))

    def rotate(self, client):
        self.call(client, "Rotate", "s", self.random.choice(ORIENTATIONS))

    def align(self, client):
        self.call(client, "AlignToDevice")

    def autorotate(self, client):
        self.call(client, "SetAutorotate", "s", self.random.choice(("always", "tablet-mode", "never")))

    def tablet_mode(self, client):
        self.call(client, "SetTabletMode", "s", self.random.choice(("auto", "laptop", "tablet")))

    def application(self, client):
        self.call(client, "SetApplicationMask", "su", self.random.choice(("org.a", "org.b,%")), self.mask())

    def request(self, client):
        app_id = self.random.choice(("org.a", "org.b,%"))
        answer = self.call(client, "Request", "sua{sv}", app_id, self.mask(), self.options())
        if answer:
            self.views.append((client, answer[0]))

    def change(self, client):
        if not self.views:
            return
        view = self.random.choice(self.views)
        owner, path = view
        method = self.random.choice(("Update", "SetNeedsUpdate", "Release"))
        arguments = ("a{sv}", self.options()) if method == "Update" else ()
        caller = owner if self.random.random() < 0.9 else client
        answer = self.call(caller, method, *arguments, interface="org.orientd1.Request", path=path)
        if method == "Release" and answer is not None:
            self.views.remove(view)

    def vanish(self, client):
        client.close()
        self.clients[self.clients.index(client)] = self.rig.connect()
        self.views = [view for view in self.views if view[0] is not client]

    def sleep(self, _client):
        self.is_asleep = not self.is_asleep
        self.logind.connection.emit_signal(
            None, LOGIND_PATH, LOGIND_MANAGER, "PrepareForSleep", GLib.Variant("(b)", (self.is_asleep,))
        )

    def plug(self, _client):
        if self.is_plugged:
            self.rig.remove_device()
        else:
            self.rig.add_device(accelerometer(raw=HELD["portrait"][0]))
        self.is_plugged = not self.is_plugged

    def fail(self, _client):
        # Until the next turn.
        if self.is_plugged:
            self.rig.write("in_accel_x_raw", "garbage")

    steps = ("turn",) * 6 + ("claim",) * 3 + ("request",) * 3 + ("change",) * 3 + (
        "proxy", "lock", "rotate", "align", "autorotate", "tablet_mode", "application", "vanish", "sleep", "plug",
        "fail",
    )


class Property(RecordingTestCase):
    """Whatever happens, the replay of a recording announces what the daemon announced."""

    def run_session(self, seed, state):
        chance = random.Random(seed)
        configuration = "\n".join([
            "[Orientation]",
            f"Classifier={chance.choice(('robust', 'base'))}",
            f"Idiom={chance.choice(('tablet', 'convertible', 'handset', 'auto'))}",
            f"NaturalOrientation={chance.choice(('portrait', 'landscape-left'))}",
            f"ReportFace={chance.choice(('yes', 'no'))}",
            "[Application org.a]",
            "SupportedOrientations=landscape",
            "[Bus]",
            "SensorProxy=yes",
            "",
        ])
        path = self.rig.directory / "recording.csv"
        announced = self.record_announcements()
        states = self.record_states()
        self.rig.add_device(accelerometer(raw=HELD["portrait"][0]))
        session = Session(self, seed)
        daemon = self.rig.start_orientd(
            "--rate", "100", "--record", path, configuration=configuration, environment={"STATE_DIRECTORY": state}
        )
        for _ in range(STEPS):
            session.step()
        daemon.stop()
        self.client.round_trip()
        return path, announced, states

    def check_states(self, path, announced):
        """Compares the states of the sensors with those that the replay prints."""
        changes = [json.loads(line) for line in self.replay(path, "--devices", "--json")]
        states = [(change["sensor"], states_of(change)) for change in changes]
        states = [(number, values) for number, values in states if values]
        # Only accelerometers, which are objects on the bus, are mocked.
        first = min(number for number, _ in states)
        wait_until(lambda: len(announced) >= len(states), "all announcements")
        self.assertEqual([(number - first, values) for number, values in states], announced)
        return len(announced)

    def check(self, path, announced):
        lines = self.replay(path, "--all")
        # Signals may arrive after the end of the daemon.
        wait_until(lambda: len(announced) >= len(lines), "all announcements")
        self.assertEqual([line.split(" ", 1)[1] for line in lines], announced)
        self.assertGreater(len(announced), 5)
        for line, object_line in zip(lines, self.replay(path, "--all", "--json"), strict=True):
            values = json.loads(object_line)
            time = values.pop("time")
            self.assertEqual(float(line.split(" ")[0]), time)
            self.assertEqual(line.split(" ", 1)[1], in_words(values))

    def test_random_sessions(self):
        # Each session starts with the state that the one before has saved.
        count = 0
        with tempfile.TemporaryDirectory() as state:
            for seed in SEEDS:
                signal.alarm(60)
                with self.case(seed=seed):
                    path, announced, states = self.run_session(seed, state)
                    self.check(path, announced)
                    count += self.check_states(path, states)
            self.assertGreater(count, 3 * len(SEEDS))


class Writing(RecordingTestCase):
    """The daemon never waits for what it records to."""

    def test_pipe_that_nobody_reads_is_an_error(self):
        pipe = self.rig.directory / "pipe"
        os.mkfifo(pipe)
        daemon = self.rig.start_orientd("--record", pipe, wait=False)
        self.assertEqual(daemon.wait_for_end(), 1)
        self.assertEqual(len(daemon.log_lines(f"cannot create {pipe}")), 1, daemon.log())

    def test_pipe_that_is_not_read_ends_the_recording_alone(self):
        pipe = self.rig.directory / "pipe"
        os.mkfifo(pipe)
        reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, reading)
        self.rig.add_device(accelerometer())
        # At rest too little is recorded to fill the pipe.
        arguments = ("--rate", "1000", "--record", pipe)
        daemon = self.rig.start_orientd(*arguments, configuration="[Sensor]\nPower=responsive\n")
        self.client.claim()
        daemon.wait_for_log("the recording ends here")
        self.assert_bus_answers()

    def test_full_disk_ends_the_recording_alone(self):
        daemon = self.rig.start_orientd("--record", "/dev/full")
        daemon.wait_for_log("the recording ends here")
        self.assert_bus_answers()

    def test_recording_is_for_its_owner_alone(self):
        path = self.rig.directory / "recording.csv"
        self.rig.start_orientd("--record", path)
        self.assertEqual(path.stat().st_mode & 0o777, 0o600)


class Scenarios(RecordingTestCase):
    """Written recordings, with the changes that they lead to beside them."""

    def test_each_leads_to_what_is_written_beside_it(self):
        traces = sorted(SCENARIOS.glob("*.trace"))
        self.assertGreater(len(traces), 5)
        for trace in traces:
            with self.case(trace=trace.name):
                expected = trace.with_suffix(".expected").read_text()
                self.assertEqual("\n".join(self.replay(trace, "--all")) + "\n", expected)

    def test_states_of_sensors_are_what_is_written_beside_them(self):
        traces = sorted(SCENARIOS.glob("*.devices"))
        self.assertEqual(len(traces), 2)
        for expected in traces:
            with self.case(trace=expected.name):
                lines = self.replay(expected.with_suffix(".trace"), "--devices")
                self.assertEqual("\n".join(lines) + "\n", expected.read_text())

    def test_trace_of_samples_has_no_events_of_devices(self):
        run = self.rig.orientctl("replay", "--devices", SCENARIOS / "sleep-and-wake.trace")
        self.assertEqual((run.returncode, run.stdout), (0, ""))
        self.assertRegex(run.stderr, r"\Aorientctl: warning: there are no events of devices in .*\.trace\n\Z")

    def test_event_of_an_unknown_device_is_reported(self):
        run = self.rig.orientctl("replay", "--devices", "-", text="t_seconds,x,y,z\n1,reading,device=3,motion=no\n")
        self.assertEqual((run.returncode, run.stdout), (1, ""))
        self.assertIn("orientctl: -:2: the argument 'device' is malformed\n", run.stderr)
