# SPDX-License-Identifier: Apache-2.0
"""A daemon on a private bus, with a mocked sensor."""

import time

from gi.repository import Gio, GLib
from loop import run_until
from rig import PROPERTIES, TIMEOUT, Rig

PROXY, PROXY_PATH = "net.hadess.SensorProxy", "/net/hadess/SensorProxy"
HAS_ACCELEROMETER = "HasAccelerometer"


class Bench:
    """A bus with a mocked sensor and polkit, on which one program is started. close() ends everything."""

    def __init__(self, program, make_sensor):
        self.program = program
        self.rig = Rig()
        self.rig.start_polkit(allowed=program.actions)
        self.sensor = make_sensor(self.rig)
        self.client = self.rig.client
        self.log_path = self.rig.directory / "log"
        self.orientations = []
        self.client.connection.signal_subscribe(
            program.name, PROPERTIES, "PropertiesChanged", None, None, 0, self.receive
        )

    def receive(self, _connection, _sender, _path, _interface, _signal, arguments):
        changed = arguments.unpack()[1]
        if self.program.orientation in changed:
            self.orientations.append((time.monotonic(), changed[self.program.orientation]))

    def start(self):
        """Starts the program. Returns its process and the seconds from fork until a desktop knows the accelerometer.

        A desktop waits for net.hadess.SensorProxy, asks for HasAccelerometer, and then waits until it is announced.
        """
        connection = self.client.connection
        known = []

        def learn(has_accelerometer):
            if has_accelerometer:
                known.append(time.monotonic())

        def ask(*arguments):
            if arguments[5].unpack()[2]:
                request = GLib.Variant("(ss)", (PROXY, HAS_ACCELEROMETER)), None, Gio.DBusCallFlags.NO_AUTO_START
                connection.call(PROXY, PROXY_PATH, PROPERTIES, "Get", *request, TIMEOUT * 1000, None, answered)

        def answered(_connection, result):
            if not known:
                learn(connection.call_finish(result).unpack()[0])

        def changed(*arguments):
            learn(arguments[5].unpack()[1].get(HAS_ACCELEROMETER))

        bus = "org.freedesktop.DBus"
        subscriptions = [
            connection.signal_subscribe(bus, bus, "NameOwnerChanged", None, PROXY, 0, ask),
            connection.signal_subscribe(PROXY, PROPERTIES, "PropertiesChanged", PROXY_PATH, PROXY, 0, changed),
        ]
        self.client.round_trip()
        command = list(map(str, self.program.command))
        with open(self.log_path, "wb") as log:
            started = time.monotonic()
            environment = self.rig.mocked_environment() | self.sensor.environment
            process = self.rig.spawn(command, env=environment, stdout=log, stderr=log)
        try:
            self.require(lambda: known, "the accelerometer is known")
        finally:
            for subscription in subscriptions:
                connection.signal_unsubscribe(subscription)
        return process, known[0] - started

    def stop(self, process):
        """Stops the program and waits until its name is free."""
        process.terminate()
        process.wait(TIMEOUT)
        self.require(lambda: self.client.owner(self.program.name) is None, "the name is free")

    def claim(self, client=None):
        """Claims the accelerometer."""
        program = self.program
        (client or self.client).call(program.claim, program.interface, program.path, destination=program.name)

    def turn(self):
        """Turns the device. Returns when the turn crossed 45 degrees, when it ended, and when it was announced.

        The last is None if the program has not announced another orientation 5 s after the crossing.
        """
        held = self.orientations[-1][1] if self.orientations else None
        self.orientations.clear()
        crossed, ended = self.sensor.movement.turn()
        run_until(lambda: [value for _, value in self.orientations if value != held], crossed - time.monotonic() + 5)
        announced = [moment for moment, value in self.orientations if value != held]
        if not announced and held is not None:
            self.orientations.append((crossed, held))
        return crossed, ended, announced[0] if announced else None

    def require(self, condition, what):
        """Waits until `condition` is true; fails with the program's log if that takes too long."""
        if not run_until(condition, TIMEOUT):
            log = self.log_path.read_text(errors="replace")
            raise AssertionError(f"{self.program.title}: not within {TIMEOUT} s: {what}\n{log}")

    def close(self):
        self.rig.close()
