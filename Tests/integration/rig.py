# SPDX-License-Identifier: Apache-2.0
"""A private system bus, a umockdev testbed and the real orientd on them.

This process needs umockdev's preload, so run the tests with Tests/integration/run.
"""

import collections
import contextlib
import ctypes
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest

import gi

gi.require_version("UMockdev", "1.0")
from gi.repository import Gio, GLib, UMockdev  # noqa: E402

SOURCE_ROOT = pathlib.Path(__file__).resolve().parents[2]
FIXTURES = SOURCE_ROOT / "Tests" / "Fixtures"
BUILD = pathlib.Path(os.environ.get("ORIENTD_BUILD", SOURCE_ROOT / ".build" / "debug")).resolve()
PYTHON = "/usr/bin/python3"
# What whoever runs the tests may have set.
OF_THE_CALLER = (
    *("LD_PRELOAD", "UMOCKDEV_DIR", "DBUS_SESSION_BUS_ADDRESS", "NOTIFY_SOCKET", "NO_COLOR"),
    *("SUDO_UID", "PKEXEC_UID", "DOAS_USER"),
)

BUS_NAME = "org.orientd1"
ROOT_PATH = "/org/orientd1"
SENSOR_PREFIX = ROOT_PATH + "/sensor/"
MANAGER = "org.orientd1.Manager"
SENSOR = "org.orientd1.Sensor"
REQUEST_PREFIX = ROOT_PATH + "/request/"
REQUEST = "org.orientd1.Request"
PROPERTIES = "org.freedesktop.DBus.Properties"
OBJECT_MANAGER = "org.freedesktop.DBus.ObjectManager"
POLKIT = "org.freedesktop.PolicyKit1"
CLAIM_ACTION = "org.orientd1.claim"
ACTIONS = tuple("org.orientd1." + name for name in ("claim", "lock", "rotate", "request", "tablet-mode", "configure"))
ACCESS_DENIED = "org.freedesktop.DBus.Error.AccessDenied"
INVALID_ARGS = "org.freedesktop.DBus.Error.InvalidArgs"
UNKNOWN_OBJECT = "org.freedesktop.DBus.Error.UnknownObject"
INVALID_INTERFACE_ORIENTATION = "org.orientd1.Error.InvalidInterfaceOrientation"
ORIENTATION_NOT_SUPPORTED = "org.orientd1.Error.OrientationNotSupported"
NOT_YOUR_REQUEST = "org.orientd1.Error.NotYourRequest"
LIMIT_EXCEEDED = "org.orientd1.Error.LimitExceeded"

# Raw values of a sensor with the scale 0.009807 in the desktop convention, in which an upright device reads
# (0, -9.81, 0) and one with its right edge up (-9.81, 0, 0).
PORTRAIT = (0, -1000, 0)
UPSIDE_DOWN = (0, 1000, 0)
LANDSCAPE_LEFT = (-1000, 0, 0)
LANDSCAPE_RIGHT = (1000, 0, 0)
PLUS_Z = (0, 0, 1000)
MINUS_Z = (0, 0, -1000)
FACE_NONE = "none"

# Seconds, enough for a loaded machine; a wait ends as soon as its condition is true.
TIMEOUT = 30

BUS_CONFIGURATION = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>system</type>
  <listen>unix:path={socket}</listen>
  <auth>EXTERNAL</auth>
  <limit name="max_connections_per_user">1024</limit>
  <policy context="default">
    <allow user="*"/>
    <allow own="*"/>
    <allow send_destination="*"/>
    <allow receive_sender="*"/>
  </policy>
</busconfig>
"""

LIBC = ctypes.CDLL(None, use_errno=True)
PR_SET_PDEATHSIG = 1


def die_with_parent():
    """Makes a child process end when this process ends, for whatever reason."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def handle_events():
    """Runs the pending events of the main loop."""
    while GLib.MainContext.default().iteration(False):
        pass


def wait_until(condition, what, timeout=TIMEOUT):
    """Runs the main loop until `condition` returns a true value, and returns that value.

    If `condition` makes a call, signals that arrived before its reply have been handled when this returns.
    """
    deadline = time.monotonic() + timeout
    while True:
        handle_events()
        value = condition()
        if value:
            handle_events()
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {timeout} s: {what}")
        time.sleep(0.005)


def processor_time(pid):
    """Returns the seconds of processor time that a process has used."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def accelerometer(
    name="test",
    raw=PORTRAIT,
    scale="0.009807",
    index=0,
    parent="/devices/platform/test",
    node=False,
    attributes=None,
    properties=None,
):
    """Returns a polled accelerometer in umockdev's format; a `scale` of None leaves that attribute out.

    A device without a node may be removed and added again; with a node, umockdev 0.17 would abort.
    """
    lines = [f"P: {parent}/iio:device{index}"]
    if node:
        lines += [f"N: iio:device{index}", f"E: DEVNAME=/dev/iio:device{index}", "E: MAJOR=240", f"E: MINOR={index}"]
    lines += ["E: SUBSYSTEM=iio", "E: DEVTYPE=iio_device"]
    lines += [f"E: {key}={value}" for key, value in (properties or {}).items()]
    values = {"name": name}
    values.update({f"in_accel_{axis}_raw": value for axis, value in zip("xyz", raw)})
    if scale is not None:
        values["in_accel_scale"] = scale
    values.update(attributes or {})
    lines += [f"A: {key}={value}\\n" for key, value in values.items()]
    return "\n".join(lines) + "\n\n"


DEVICE = "/sys/devices/platform/test/iio:device0"
# The base of a convertible.
BASE = "/sys/devices/platform/test/iio:device1"


Change = collections.namedtuple("Change", "time path interface changed invalidated")


class PendingCall:
    """A pending method call; `done` is set when it is answered, and then `error` is None or a D-Bus error name."""

    def __init__(self):
        self.started = time.monotonic()
        self.done = False
        self.error = None
        self.seconds = None

    def finish(self, connection, result):
        self.seconds = time.monotonic() - self.started
        try:
            connection.call_finish(result)
        except GLib.Error as error:
            self.error = Gio.DBusError.get_remote_error(error) or error.message
        self.done = True


class Client:
    """A connection to the private bus, and calls to orientd over it."""

    def __init__(self, address):
        flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
        self.connection = Gio.DBusConnection.new_for_address_sync(address, flags, None, None)

    def close(self):
        """Leaves the bus."""
        if not self.connection.is_closed():
            try:
                self.connection.close_sync(None)
            except GLib.Error:
                pass  # the bus has ended already

    def call(self, method, interface=MANAGER, path=ROOT_PATH, arguments=None, destination=BUS_NAME):
        """Calls a method and returns the values of its reply as a tuple."""
        reply = self.connection.call_sync(
            destination, path, interface, method, arguments, None, Gio.DBusCallFlags.NO_AUTO_START, 25000, None
        )
        return reply.unpack()

    def ask(self, method, signature="", *values, interface=MANAGER, path=ROOT_PATH):
        """Calls a method with arguments of the given types and returns the values of its reply as a tuple."""
        return self.call(method, interface, path, GLib.Variant(f"({signature})", values))

    def refusal(self, method, signature="", *values, interface=MANAGER, path=ROOT_PATH):
        """Calls a method that should fail and returns the D-Bus error's name and text."""
        try:
            self.ask(method, signature, *values, interface=interface, path=path)
        except GLib.Error as error:
            name = Gio.DBusError.get_remote_error(error)
            return name, error.message.removeprefix(f"GDBus.Error:{name}: ")
        raise AssertionError(f"{method}{values} succeeds")

    def start_call(self, method, interface=MANAGER, path=ROOT_PATH, arguments=None):
        """Calls a method without waiting for its reply."""
        pending = PendingCall()
        self.connection.call(
            BUS_NAME,
            path,
            interface,
            method,
            arguments,
            None,
            Gio.DBusCallFlags.NO_AUTO_START,
            25000,
            None,
            pending.finish,
        )
        return pending

    def error_of(self, method, **options):
        """Calls a method and returns the name of the D-Bus error, or None if it succeeds."""
        try:
            self.call(method, **options)
        except GLib.Error as error:
            return Gio.DBusError.get_remote_error(error)
        return None

    def claim(self):
        self.call("Claim")

    def release(self):
        self.call("Release")

    def get(self, name, interface=MANAGER, path=ROOT_PATH):
        """Returns the value of a property."""
        return self.call("Get", PROPERTIES, path, GLib.Variant("(ss)", (interface, name)))[0]

    def get_all(self, interface=MANAGER, path=ROOT_PATH):
        """Returns the values of all properties of an interface by name."""
        return self.call("GetAll", PROPERTIES, path, GLib.Variant("(s)", (interface,)))[0]

    def objects(self):
        """Returns {path: {interface: {property: value}}} of orientd's objects."""
        return self.call("GetManagedObjects", OBJECT_MANAGER)[0]

    def sensors(self):
        """Returns {path: {property: value}} of the sensors."""
        return {path: found[SENSOR] for path, found in self.objects().items() if SENSOR in found}

    def only_sensor(self):
        """Returns the path and the properties of the only sensor."""
        # A busy machine may take longer than orientd waits for its sensors before it says that it is ready.
        wait_until(self.sensors, "there is a sensor")
        ((path, properties),) = self.sensors().items()
        return path, properties

    def sensor(self):
        """Returns the properties of the only sensor."""
        return self.only_sensor()[1]

    def owner(self, name=BUS_NAME):
        """Returns the unique name that owns `name`, or None."""
        try:
            return self.call(
                "GetNameOwner",
                interface="org.freedesktop.DBus",
                path="/org/freedesktop/DBus",
                arguments=GLib.Variant("(s)", (name,)),
                destination="org.freedesktop.DBus",
            )[0]
        except GLib.Error:
            return None

    def wait_for(self, name, expected, timeout=TIMEOUT):
        """Waits until a Manager property has the expected value."""
        seen = []

        def matches():
            seen[:] = [self.get(name)]
            return seen[0] == expected

        try:
            wait_until(matches, name, timeout)
        except AssertionError:
            raise AssertionError(f"{name} is {seen[0]!r} after {timeout} s instead of {expected!r}") from None

    def wait_for_sensor(self, name, expected, timeout=TIMEOUT):
        """Waits until a property of the only sensor has the expected value."""
        wait_until(lambda: self.sensor()[name] == expected, f"sensor's {name} == {expected!r}", timeout)

    def record_changes(self):
        """Returns a list to which every later PropertiesChanged of orientd is appended."""
        changes = []

        def append(_connection, _sender, path, _interface, _signal, arguments):
            changes.append(Change(time.monotonic(), path, *arguments.unpack()))

        self.connection.signal_subscribe(BUS_NAME, PROPERTIES, "PropertiesChanged", None, None, 0, append)
        self.round_trip()
        return changes

    def record_signals(self, interface, signal_name):
        """Returns a list to which the arguments of every later signal of that name are appended."""
        arguments_seen = []

        def append(_connection, _sender, _path, _interface, _signal, arguments):
            arguments_seen.append(arguments.unpack())

        self.connection.signal_subscribe(BUS_NAME, interface, signal_name, None, None, 0, append)
        self.round_trip()
        return arguments_seen

    def round_trip(self):
        """Returns when the bus daemon has handled all earlier requests, such as a subscription."""
        bus = "org.freedesktop.DBus"
        self.connection.call_sync(bus, "/", bus, "GetId", None, None, Gio.DBusCallFlags.NONE, 5000, None)


class Program:
    """A running program of this package with its log; close() fails if it has ended without being asked to."""

    def __init__(self, rig, name, arguments, environment, before_exec=None):
        self.name = name
        self.log_path = rig.directory / f"{name}-{len(rig.daemons)}.log"
        self.may_end = False

        def prepare():
            die_with_parent()
            if before_exec:
                before_exec()

        with open(self.log_path, "wb") as log:
            self.process = subprocess.Popen(
                [BUILD / name, *arguments],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                preexec_fn=prepare,
            )

    @property
    def pid(self):
        return self.process.pid

    def log(self):
        """Returns the log so far."""
        return self.log_path.read_text(errors="replace")

    def log_lines(self, pattern):
        """Returns the log lines so far that match a regular expression."""
        return [line for line in self.log().splitlines() if re.search(pattern, line)]

    def wait_for_log(self, pattern, timeout=TIMEOUT):
        """Waits for a log line that matches a regular expression and returns all such lines."""
        return wait_until(lambda: self.log_lines(pattern), f"log line with {pattern}", timeout)

    def is_running(self):
        return self.process.poll() is None

    def wait_for_end(self, timeout=TIMEOUT):
        """Waits until it exits by itself and returns its exit status."""
        self.may_end = True
        wait_until(lambda: not self.is_running(), f"{self.name} ends", timeout)
        return self.process.returncode

    def kill(self):
        """Kills it."""
        self.may_end = True
        self.process.kill()
        self.process.wait()

    def stop(self):
        """Stops it with SIGTERM, as systemd does, and returns the seconds that this took."""
        self.may_end = True
        asked = time.monotonic()
        self.process.terminate()
        try:
            self.process.wait(TIMEOUT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError(f"{self.name} ignores SIGTERM for {TIMEOUT} s") from None
        return time.monotonic() - asked

    def ended(self):
        """Called by close() when it has ended."""

    def close(self):
        """Stops it; fails if it has exited without being asked to, or exits with an error."""
        ended_early = not self.is_running() and not self.may_end
        try:
            if self.is_running():
                self.stop()
                if self.process.returncode != 0:
                    raise AssertionError(f"{self.name} ends with {self.process.returncode} on SIGTERM")
        finally:
            self.ended()
        if ended_early:
            raise AssertionError(f"{self.name} had ended by itself with {self.process.returncode}")
        if "Sanitizer" in self.log():
            raise AssertionError("a sanitizer complains")


class Daemon(Program):
    """A running orientd with its log and its notifications to the service manager."""

    def __init__(self, rig, arguments, environment, before_exec):
        notify_path = rig.directory / f"notify-{len(rig.daemons)}"
        self.notify_socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.notify_socket.bind(str(notify_path))
        self.notifications = []
        self.listener = threading.Thread(target=self.listen, daemon=True)
        self.listener.start()
        super().__init__(rig, "orientd", arguments, dict(environment, NOTIFY_SOCKET=str(notify_path)), before_exec)

    def listen(self):
        """Receives notifications immediately, as the service manager does, so that the daemon never waits."""
        while message := self.notify_socket.recv(65536):
            self.notifications += message.decode().splitlines()

    def is_ready(self):
        """Returns whether it has sent READY=1."""
        return "READY=1" in self.notifications

    def wait_until_ready(self, timeout=TIMEOUT):
        """Waits for READY=1; fails immediately if the daemon exits before."""
        wait_until(lambda: self.is_ready() or not self.is_running(), "READY=1", timeout)
        if not self.is_ready():
            raise AssertionError(f"orientd ended with {self.process.returncode} before READY=1")

    def ended(self):
        self.notify_socket.shutdown(socket.SHUT_RD)
        self.listener.join()
        self.notify_socket.close()


class Rig:
    """The environment of one test: bus, mocked devices, daemons and clients. close() ends all of them."""

    def __init__(self):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="rig-"))
        self.directory.chmod(0o755)  # clients of other users must reach the socket
        self.closers = []
        self.processes = []
        self.daemons = []
        self.clients = []
        self.testbed = UMockdev.Testbed.new()
        self.device_root = self.testbed.get_root_dir()
        bus_socket = self.directory / "bus"
        self.address = f"unix:path={bus_socket}"
        self.plain_environment = {
            key: value for key, value in os.environ.items() if key not in OF_THE_CALLER
        }
        self.plain_environment["DBUS_SYSTEM_BUS_ADDRESS"] = self.address
        # The desktop of whoever runs the tests does not matter.
        self.plain_environment["DBUS_SESSION_BUS_ADDRESS"] = f"unix:path={self.directory}/no-session"
        configuration = self.directory / "bus.conf"
        configuration.write_text(BUS_CONFIGURATION.format(socket=bus_socket))
        self.bus_process = self.spawn(
            ["dbus-daemon", "--nofork", "--print-address", f"--config-file={configuration}"], stdout=subprocess.PIPE
        )
        self.bus_process.stdout.readline()  # the bus accepts connections now
        self.client = self.connect()

    def spawn(self, command, **options):
        """Starts a process that is killed when the rig closes, if it still runs."""
        settings = {
            "env": self.plain_environment,
            "stdin": subprocess.DEVNULL,
            "stdout": subprocess.DEVNULL,
            "stderr": subprocess.DEVNULL,
        }
        settings.update(options)
        process = subprocess.Popen(command, preexec_fn=die_with_parent, **settings)
        self.processes.append(process)
        return process

    def on_close(self, action):
        """Calls `action` when the rig closes, after the daemons have ended."""
        self.closers.append(action)

    def connect(self):
        """Returns a new client of the bus."""
        client = Client(self.address)
        self.clients.append(client)
        return client

    def mocked_environment(self):
        """Returns the environment for a program that uses the mocked devices."""
        environment = dict(self.plain_environment, UMOCKDEV_DIR=self.device_root)
        environment["LD_PRELOAD"] = os.environ["LD_PRELOAD"]
        return environment

    def start_orientd(self, *arguments, configuration="", wait=True, environment=None, before_exec=None):
        """Starts orientd with its own configuration file and waits until it is ready."""
        path = self.directory / f"orientd-{len(self.daemons)}.conf"
        path.write_bytes(configuration if isinstance(configuration, bytes) else configuration.encode())
        variables = self.mocked_environment()
        variables.update(environment or {})
        daemon = Daemon(
            self, ["--bus", self.address, "--config", path, *arguments], variables, before_exec
        )
        daemon.configuration_path = path
        self.daemons.append(daemon)
        if wait:
            daemon.wait_until_ready()
        return daemon

    def start_polkit(self, allowed=(CLAIM_ACTION,)):
        """Starts a mock polkitd that allows the given actions and refuses all others."""
        self.spawn([PYTHON, "-m", "dbusmock", "--system", "--template", "polkitd"])
        wait_until(lambda: self.client.owner(POLKIT), "polkit is on the bus")
        self.allow(*allowed)

    def call_polkit(self, method, arguments=None):
        """Calls a method of the mock's control interface."""
        return self.client.call(
            method,
            interface="org.freedesktop.DBus.Mock",
            path="/org/freedesktop/PolicyKit1/Authority",
            arguments=arguments,
            destination=POLKIT,
        )

    def allow(self, *actions):
        """Makes polkit allow exactly these actions."""
        self.call_polkit("SetAllowed", GLib.Variant("(as)", (list(actions),)))

    def add_device(self, description):
        """Adds mocked devices."""
        self.testbed.add_from_string(description)

    def add_fixture(self, name):
        """Adds the devices of Tests/Fixtures/umockdev/NAME.umockdev."""
        self.add_device((FIXTURES / "umockdev" / f"{name}.umockdev").read_text())

    def start_activating_bus(self, command):
        """Starts another bus, which starts orientd by a command that may contain {address}; returns its address."""
        folder = self.directory / "activation"
        folder.mkdir()
        address = f"unix:path={folder}/bus"
        command = command.format(address=address)
        (folder / f"{BUS_NAME}.service").write_text(f"[D-BUS Service]\nName={BUS_NAME}\nExec={command}\n")
        services = f"<servicedir>{folder}</servicedir></busconfig>"
        text = BUS_CONFIGURATION.format(socket=folder / "bus").replace("</busconfig>", services)
        (folder / "bus.conf").write_text(text)
        command = ["dbus-daemon", "--nofork", "--print-address", f"--config-file={folder}/bus.conf"]
        bus = self.spawn(command, env=self.mocked_environment(), stdout=subprocess.PIPE)
        bus.stdout.readline()  # the bus accepts connections now
        return address

    def remove_device(self, device=DEVICE):
        """Unplugs a device: removes it from the list, sends udev's event, then removes the rest.

        umockdev sends events only for devices that exist. On a real kernel nothing is left of the device when the
        event arrives; this order is as close to that as umockdev allows.
        """
        self.path("/sys/bus/iio/devices", os.path.basename(device)).unlink()
        self.testbed.uevent(device, "remove")
        self.testbed.remove_device(device)

    def path(self, *parts):
        """Returns the real path of an absolute path of the mocked system."""
        return pathlib.Path(self.device_root + "/" + "/".join(parts))

    def read(self, attribute, device=DEVICE):
        """Returns an attribute's text."""
        return self.path(device, attribute).read_bytes().strip(b"\n\0").decode()

    def write(self, attribute, value, device=DEVICE):
        """Changes an attribute atomically, so that no reader sees a part of the new value."""
        path = self.path(device, attribute)
        replacement = path.with_name(path.name + ".new")
        replacement.write_text(f"{value}\n")
        replacement.rename(path)

    def turn(self, raw, device=DEVICE):
        """Sets x, y and z of a polled sensor.

        The greatest value is set first, so that no reader sees all axes at zero, which the bare rule takes for upside
        down.
        """
        for axis, value in sorted(zip("xyz", raw), key=lambda pair: -abs(pair[1])):
            self.write(f"in_accel_{axis}_raw", value, device)

    def block(self, attribute, device=DEVICE):
        """Makes reads of an attribute block, like those of a hung chip."""
        path = self.path(device, attribute)
        path.unlink()
        os.mkfifo(path)

    def unblock(self, attribute, value, device=DEVICE):
        """Completes the blocked read of an attribute; later reads succeed."""
        path = self.path(device, attribute)
        hanging = path.with_name(path.name + ".hung")
        path.rename(hanging)
        self.write(attribute, value, device)
        with open(os.open(hanging, os.O_RDWR | os.O_NONBLOCK), "wb") as pipe:
            pipe.write(f"{value}\n".encode())
        hanging.unlink()

    def orientctl(self, *arguments, text=None, timeout=TIMEOUT, environment=None):
        """Runs orientctl until it exits and captures its output."""
        return subprocess.run(
            [BUILD / "orientctl", *arguments],
            env=dict(self.plain_environment, **(environment or {})),
            input=text,
            capture_output=True,
            timeout=timeout,
            text=not isinstance(text, bytes),
            preexec_fn=die_with_parent,
        )

    def close(self):
        """Ends everything, then fails if a daemon misbehaved."""
        complaints = []
        for daemon in self.daemons:
            try:
                daemon.close()
            except AssertionError as complaint:
                complaints.append(str(complaint))
        for action in self.closers:
            action()
        for client in self.clients:
            client.close()
        for process in reversed(self.processes):
            process.kill()
            process.wait()
            for stream in (process.stdout, process.stderr):
                if stream:
                    stream.close()
        self.testbed = None
        shutil.rmtree(self.directory)
        if complaints:
            raise AssertionError("; ".join(complaints))


class RigTestCase(unittest.TestCase):
    """A test with its own rig; if it fails, the daemons' logs are printed."""

    maxDiff = None

    def setUp(self):
        signal.signal(signal.SIGALRM, self.time_is_up)
        signal.alarm(120)
        self.addCleanup(signal.alarm, 0)
        self.open_rig()
        self.addCleanup(self.close_rig)

    def open_rig(self):
        self.rig = Rig()
        self.client = self.rig.client

    def close_rig(self):
        self.rig.close()

    def _callTestMethod(self, method):  # the only place that sees a failure before the rig closes
        try:
            super()._callTestMethod(method)
        except BaseException:
            self.print_logs()
            raise

    @contextlib.contextmanager
    def case(self, *message, **parameters):
        """One row of a table: a subTest with its own rig."""
        with self.subTest(*message, **parameters):
            try:
                self.rig.close()
            finally:
                self.open_rig()
            try:
                yield
            except BaseException:
                self.print_logs()
                raise

    def print_logs(self):
        for daemon in self.rig.daemons:
            lines = daemon.log().splitlines()
            print(f"\n{daemon.log_path.name} of {self.id()}, last of {len(lines)} lines:")
            print("\n".join(lines[-30:]))

    def time_is_up(self, *_):
        raise AssertionError("the test takes longer than 60 s")

    def assert_orientation(self, orientation):
        """Waits until DeviceOrientation has that value."""
        self.client.wait_for("DeviceOrientation", orientation)

    def assert_bus_answers(self):
        """Checks that a property read takes less than 100 ms.

        It takes the median of five reads, so that a short delay of a busy machine does not count; a daemon that hangs
        is slow in all of them.
        """
        durations = []
        for _ in range(5):
            started = time.monotonic()
            self.client.get("DeviceOrientation")
            durations.append(time.monotonic() - started)
        self.assertLess(sorted(durations)[2], 0.1)
