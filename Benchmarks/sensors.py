# SPDX-License-Identifier: Apache-2.0
"""Mocked accelerometers that a Movement moves. `KINDS` has them by name."""

import os
import pathlib
import struct
import threading
import time

from evdev import EventNode, event_node
from feed import Feed, ReadCounter
from movement import Movement
from rig import accelerometer

INPUT_AXES = pathlib.Path(__file__).resolve().parents[1] / ".build" / "bench" / "input_axes.so"


class Polled(threading.Thread):
    """A chip without a buffer that converts 50 times a second."""

    RATE = 50
    UNITS = 1000  # in 1 g
    environment = {}

    def __init__(self, rig, seed):
        super().__init__(daemon=True)
        self.movement = Movement(seed)
        rig.add_device(
            accelerometer(
                properties={"IIO_SENSOR_PROXY_TYPE": "iio-poll-accel"}, attributes={"sampling_frequency": self.RATE}
            )
        )
        self.counter = ReadCounter(rig, "in_accel_x_raw")
        folder = rig.path("/sys/devices/platform/test/iio:device0")
        self.axes = [os.open(folder / f"in_accel_{axis}_raw", os.O_WRONLY) for axis in "xyz"]
        self.running = True
        rig.on_close(self.stop)
        self.start()

    def run(self):
        while self.running:
            for axis, value in zip(self.axes, self.movement.acceleration()):
                # In place and of one length, so that readers see no empty attribute and may keep it open.
                os.pwrite(axis, f"{round(value * self.UNITS):<8}\n".encode(), 0)
            time.sleep(1 / self.RATE)

    def readings(self):
        """Returns how often x was read."""
        return self.counter.reads()

    def stop(self):
        self.running = False
        self.join()
        for axis in self.axes:
            os.close(axis)


class Hub(Feed):
    """A HID sensor hub. It reports through its buffer, at the rate that is set in sysfs."""

    DEVICE = "/sys/devices/platform/test-hid/HID-SENSOR-200073/iio:device0"
    UNITS = 1_000_000  # in 1 g
    environment = {}
    honours_sensitivity = False

    def __init__(self, rig, seed):
        self.movement = Movement(seed)
        rig.add_fixture("buffered-trigger")
        super().__init__(rig, self.DEVICE, self.measured())
        # iio-sensor-proxy 3.9 reads this file instead of the device node where umockdev is used.
        rig.path("/iio-dev-data.bin").symlink_to(rig.path("/dev/iio:device0"))

    def measured(self):
        return [round(value * self.UNITS) for value in self.movement.acceleration()]

    def is_report_due(self, values, reported):
        """Returns whether the hub reports `values`, after it has reported `reported`, or nothing if that is None."""
        if reported is None or not self.honours_sensitivity:
            return True
        # The hub's unit is g. Without a sensitivity it streams.
        sensitivity = float(self.text("in_accel_hysteresis")) * self.UNITS
        return sensitivity == 0 or any(abs(new - old) > sensitivity for new, old in zip(values, reported))

    def run(self):
        reported = None
        while self.running:
            try:
                self.period = 1 / float(self.text("in_accel_sampling_frequency"))
                if not self.is_enabled():
                    reported = None
                    os.read(self.descriptor, 65536)
                else:
                    values = self.measured()
                    if self.is_report_due(values, reported):
                        self.turn(values)
                        os.write(self.descriptor, self.scan())
                        self.scans += 1
                        reported = values
            except (OSError, ValueError):
                pass  # the FIFO is empty or full, or an attribute is being written
            time.sleep(self.period)

    def readings(self):
        """Returns the number of reports."""
        return self.scans


class SensitiveHub(Hub):
    """A HID sensor hub that reports only what differs from its last report by more than its change sensitivity."""

    honours_sensitivity = True


class Input(threading.Thread):
    """An input device that measures 20 times a second. It sends events when an axis changes by more than its fuzz.

    A program that reads its state needs `environment`, see input_axes.c.
    """

    RATE = 20
    UNITS = 256  # in 1 g
    FUZZ = 3
    EVENT = struct.Struct("@llHHi")
    STATE = struct.Struct("@iii")
    EV_SYN, EV_ABS = 0, 3

    def __init__(self, rig, seed):
        super().__init__(daemon=True)
        self.movement = Movement(seed)
        properties = {"ID_INPUT_ACCELEROMETER": "1", "IIO_SENSOR_PROXY_TYPE": "input-accel"}
        rig.add_device(event_node(properties=properties))
        self.node = EventNode(rig)
        state = rig.directory / "axes"
        self.values = self.measured()
        self.state = os.open(state, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        os.pwrite(self.state, self.STATE.pack(*self.values), 0)
        preload = f"{INPUT_AXES.resolve(strict=True)}:{os.environ['LD_PRELOAD']}"
        self.environment = {"INPUT_AXES": str(state), "LD_PRELOAD": preload}
        self.running = True
        rig.closers.insert(0, self.stop)  # before the node is closed
        self.start()

    def measured(self):
        return [round(value * self.UNITS) for value in self.movement.acceleration()]

    def run(self):
        while self.running:
            values = self.measured()
            changed = [axis for axis in range(3) if abs(values[axis] - self.values[axis]) > self.FUZZ]
            for axis in changed:
                self.values[axis] = values[axis]
            if changed:
                os.pwrite(self.state, self.STATE.pack(*self.values), 0)
                events = [(self.EV_ABS, axis, values[axis]) for axis in changed] + [(self.EV_SYN, 0, 0)]
                self.send(events)
            time.sleep(1 / self.RATE)

    def send(self, events):
        """Writes events of the given types, codes and values."""
        seconds, microseconds = divmod(time.time_ns() // 1000, 1_000_000)
        try:
            os.write(self.node.descriptor, b"".join(self.EVENT.pack(seconds, microseconds, *one) for one in events))
        except BlockingIOError:
            pass  # the program only reads the state and leaves the events

    def readings(self):
        """Returns None: nobody counts the reads of an input device."""
        return None

    def stop(self):
        self.running = False
        self.join()
        os.close(self.state)


KINDS = {"sensitive-hub": SensitiveHub, "hub": Hub, "polled": Polled, "input": Input}
