#!/usr/bin/python3 -B
# SPDX-License-Identifier: Apache-2.0
"""Measures orientd with one mocked accelerometer, polled and buffered, on a private bus.

If iio-sensor-proxy is installed, it is measured too. The two alternate in each round and never run at the same time, so
that a slow phase of the machine affects both.

start       from exec until the bus name is owned
claim       from the call to its reply; includes a mock polkit in Python
wake-ups    voluntary context switches of all threads per minute
CPU         run time of all threads; a sample is one read of x, or one scan of the buffer, while claimed
latency     from a new value in sysfs, or in the feed of the buffer, to PropertiesChanged in this process
memory      smaps_rollup while claimed
libiio      the same samples, read by a program that does nothing else: the minimum for every user of libiio

All figures include the overhead of umockdev's preload: a little memory, and some time for each sysfs access.
"""

import argparse
import os
import pathlib
import random
import statistics
import subprocess
import sys
import time

SOURCE_ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(SOURCE_ROOT / "Tests" / "integration"))

from preload import is_preloaded, run_with_preload  # noqa: E402

if is_preloaded():
    from feed import Feed, ReadCounter
    from rig import LANDSCAPE_LEFT, PORTRAIT, PROPERTIES, Rig, accelerometer, wait_until

PEER_PATHS = ("/usr/libexec/iio-sensor-proxy", "/usr/sbin/iio-sensor-proxy")
SAMPLES_A_SECOND = 15
CONFIGURATION = SOURCE_ROOT / "Benchmarks" / "orientd.conf"
LIBIIO_ALONE = SOURCE_ROOT / ".build" / "benchmarks" / "release" / "libiio-alone"


class Subject:
    """A daemon to measure and its names on the bus."""

    def __init__(self, title, command, name, path, interface, claim, release, orientation, action):
        self.title = title
        self.command = command
        self.name = name
        self.path = path
        self.interface = interface
        self.claim = claim
        self.release = release
        self.orientation = orientation
        self.action = action


def subjects():
    """Returns orientd and, if installed, iio-sensor-proxy."""
    build = pathlib.Path(os.environ["ORIENTD_BUILD"])
    found = [
        Subject(
            "orientd",
            [str(build / "orientd"), "--config", str(CONFIGURATION)],
            "org.orientd1",
            "/org/orientd1",
            "org.orientd1.Manager",
            "Claim",
            "Release",
            "DeviceOrientation",
            "org.orientd1.claim",
        )
    ]
    for path in PEER_PATHS:
        if os.access(path, os.X_OK):
            found.append(
                Subject(
                    "iio-sensor-proxy",
                    [path],
                    "net.hadess.SensorProxy",
                    "/net/hadess/SensorProxy",
                    "net.hadess.SensorProxy",
                    "ClaimAccelerometer",
                    "ReleaseAccelerometer",
                    "AccelerometerOrientation",
                    "net.hadess.SensorProxy.claim-sensor",
                )
            )
            break
    return found


class PolledSensor:
    """A mocked accelerometer without a buffer."""

    name = "polled"

    def __init__(self, rig):
        self.rig = rig
        properties = {"IIO_SENSOR_PROXY_TYPE": "iio-poll-accel"}
        rig.add_device(accelerometer(properties=properties, attributes={"sampling_frequency": "100"}))
        self.counter = ReadCounter(rig, "in_accel_x_raw")

    def turn(self, raw):
        self.rig.turn(raw)

    def samples(self):
        return self.counter.reads()


class BufferedSensor:
    """A mocked HID accelerometer whose buffer is fed at the rate that orientd requests."""

    name = "buffered"
    device = "/sys/devices/platform/test-hid/HID-SENSOR-200073/iio:device0"

    def __init__(self, rig):
        rig.add_fixture("buffered-trigger")
        self.feed = Feed(rig, self.device, self.scaled(PORTRAIT), period=1 / SAMPLES_A_SECOND)

    @staticmethod
    def scaled(raw):
        """Returns raw values for a sensor whose scale is a thousandth of the usual one."""
        return [value * 1000 for value in raw]

    def turn(self, raw):
        self.feed.turn(self.scaled(raw))

    def samples(self):
        return self.feed.scans


def usage_of_threads(pid):
    """Returns {thread: (run time in ns, voluntary context switches)}."""
    usage = {}
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        try:
            run_time = int((task / "schedstat").read_text().split()[0])
            status = dict(line.split(":", 1) for line in (task / "status").read_text().splitlines() if ":" in line)
            usage[task.name] = run_time, int(status["voluntary_ctxt_switches"])
        except FileNotFoundError:
            pass  # the thread has ended
    return usage


def memory(pid):
    """Returns RSS and private dirty memory in kB."""
    sizes = {}
    for line in pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]:
        key, size = line.split()[:2]
        sizes[key.rstrip(":")] = int(size)
    return sizes["Rss"], sizes["Private_Dirty"]


def pump(seconds):
    """Runs the main loop for that many seconds."""
    end = time.monotonic() + seconds
    try:
        wait_until(lambda: time.monotonic() >= end, "", timeout=seconds + 1)
    except AssertionError:
        pass


class Measurement:
    """One daemon with one kind of sensor in one rig. `results` maps titles to lists of values."""

    def __init__(self, subject, sensor_class, results, options):
        self.subject = subject
        self.results = results
        self.options = options
        self.rig = Rig()
        self.rig.start_polkit(allowed=(subject.action,))
        self.sensor = sensor_class(self.rig)
        self.client = self.rig.client
        self.owned_at = []
        self.client.connection.signal_subscribe(
            "org.freedesktop.DBus",
            "org.freedesktop.DBus",
            "NameOwnerChanged",
            None,
            subject.name,
            0,
            lambda *arguments: arguments[5].unpack()[2] and self.owned_at.append(time.monotonic()),
        )
        self.turned_at = []
        self.client.connection.signal_subscribe(subject.name, PROPERTIES, "PropertiesChanged", None, None, 0, self.see)

    def see(self, _connection, _sender, _path, _interface, _signal, arguments):
        if self.subject.orientation in arguments.unpack()[1]:
            self.turned_at.append(time.monotonic())

    def add(self, title, value):
        self.results.setdefault((self.sensor.name, title), []).append(value)

    def start(self):
        """Starts the daemon and measures the time until it owns its name."""
        self.owned_at.clear()
        command = list(self.subject.command)
        if self.subject.name == "org.orientd1":
            command += ["--bus", self.rig.address]
        environment = self.rig.mocked_environment()
        started = time.monotonic()
        process = self.rig.spawn(command, env=environment)
        wait_until(lambda: self.owned_at, f"{self.subject.title} owns its name")
        self.add("start to name, ms", (self.owned_at[0] - started) * 1e3)
        return process

    def stop(self, process):
        process.terminate()
        process.wait(5)
        wait_until(lambda: self.client.owner(self.subject.name) is None, "the name is free")

    def call(self, method):
        self.client.call(method, self.subject.interface, self.subject.path, destination=self.subject.name)

    def window(self, pid, state):
        """Measures run time, wake-ups and samples over a period in which nothing changes."""
        pump(1)
        before = usage_of_threads(pid)
        samples = self.sensor.samples()
        started = time.monotonic()
        pump(self.options.window)
        after = usage_of_threads(pid)
        minutes = (time.monotonic() - started) / 60
        samples = self.sensor.samples() - samples
        run_time = sum(after[thread][0] - before.get(thread, (0, 0))[0] for thread in after)
        switches = sum(after[thread][1] - before.get(thread, (0, 0))[1] for thread in after)
        self.add(f"wake-ups per minute, {state}", switches / minutes)
        self.add(f"CPU ms per minute, {state}", run_time / 1e6 / minutes)
        if state == "claimed":
            self.add("samples per second, claimed", samples / minutes / 60)
            if samples:
                self.add("CPU µs per sample, claimed", run_time / 1e3 / samples)

    def latencies(self, waits):
        """Turns the device back and forth after different waits, so that all phases of the daemon's period occur."""
        edges = [LANDSCAPE_LEFT, PORTRAIT]
        for turn, wait in enumerate(waits):
            pump(wait)
            self.turned_at.clear()
            started = time.monotonic()
            self.sensor.turn(edges[turn % 2])
            wait_until(lambda: self.turned_at, "the turn is announced")
            self.add("latency, ms", (self.turned_at[0] - started) * 1e3)

    def run(self, waits):
        """Takes all measurements of one round."""
        try:
            for _ in range(self.options.starts):
                self.stop(self.start())
            process = self.start()
            pump(0.5)
            self.window(process.pid, "unclaimed")
            called = time.monotonic()
            self.call(self.subject.claim)
            self.add("claim reply, ms", (time.monotonic() - called) * 1e3)
            self.window(process.pid, "claimed")
            rss, dirty = memory(process.pid)
            self.add("RSS, kB", rss)
            self.add("private dirty, kB", dirty)
            self.add("threads", len(usage_of_threads(process.pid)))
            self.latencies(waits)
            self.call(self.subject.release)
            self.stop(process)
        finally:
            self.rig.close()


def measure_libiio(sensor_class, results, options):
    """Measures the cost of libiio alone per sample."""
    rig = Rig()
    try:
        sensor_class(rig)
        mode = "poll" if sensor_class is PolledSensor else "buffer"
        output = subprocess.run(
            [LIBIIO_ALONE, mode, str(options.window)],
            env=rig.mocked_environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            check=True,
        ).stdout
        results.setdefault((sensor_class.name, "CPU µs per sample, claimed"), []).append(float(output.split()[0]))
    finally:
        rig.close()


def quantile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def summary(title, values):
    """Returns a table cell: the median, and for times of single events also the 95th percentile and the maximum."""
    if not values:
        return "-"
    if title.endswith(", ms"):
        return f"{statistics.median(values):.1f} / {quantile(values, 0.95):.1f} / {max(values):.1f}"
    return f"{statistics.median(values):.1f}"


def print_table(results):
    """Prints a table with a row for each figure and a column for each daemon."""
    names = list(results)
    rows = list(dict.fromkeys(key for name in names for key in results[name]))
    width = max(len(f"{sensor}: {title}") for sensor, title in rows)
    print(f"{'median (ms: median / p95 / max)':{width}}  " + "  ".join(f"{name:>24}" for name in names))
    for sensor, title in rows:
        cells = [summary(title, results[name].get((sensor, title))) for name in names]
        print(f"{f'{sensor}: {title}':{width}}  " + "  ".join(f"{cell:>24}" for cell in cells))


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    default = os.environ.get("ORIENTD_BUILD", SOURCE_ROOT / ".build" / "release")
    parser.add_argument("build", nargs="?", default=default, help="folder of orientd (%(default)s)")
    parser.add_argument("--rounds", type=int, default=2, help="rounds of all measurements (%(default)s)")
    parser.add_argument("--starts", type=int, default=10, help="starts per round (%(default)s)")
    parser.add_argument("--window", type=float, default=20, help="seconds of each period at rest (%(default)s)")
    parser.add_argument("--turns", type=int, default=20, help="turns per round (%(default)s)")
    return parser.parse_args()


def main(options):
    generator = random.Random(1)
    candidates = subjects()
    results = {subject.title: {} for subject in candidates}
    for number in range(options.rounds):
        waits = [0.8 + 1.4 * (turn + generator.random()) / options.turns for turn in range(options.turns)]
        generator.shuffle(waits)
        for sensor_class in (PolledSensor, BufferedSensor):
            for subject in candidates if number % 2 == 0 else candidates[::-1]:
                print(f"round {number + 1}: {subject.title}, {sensor_class.name}", file=sys.stderr)
                Measurement(subject, sensor_class, results[subject.title], options).run(waits)
            if LIBIIO_ALONE.exists():
                measure_libiio(sensor_class, results.setdefault("libiio alone", {}), options)
    print_table(results)


if __name__ == "__main__":
    arguments = parse_arguments()
    if is_preloaded():
        main(arguments)
    else:
        sys.exit(run_with_preload(pathlib.Path(arguments.build).resolve(), sys.argv[1:]))
