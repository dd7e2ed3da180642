# SPDX-License-Identifier: Apache-2.0
"""Completes the mocked devices of iio-sensor-proxy's tests with what a real kernel provides."""

import os
import pathlib
import threading
import time

# The recorded scans of those tests consist of three words of 32 bits, padding and a timestamp.
ACCELERATION_LENGTH = 12
SCAN_LENGTH = 24

# Added next to the device from which iio-sensor-proxy simulates a compass: one test needs any compass.
COMPASS = [
    "name", "compass",
    "buffer/enable", "0",
    "scan_elements/in_rot_from_north_magnetic_tilt_comp_en", "0",
    "scan_elements/in_rot_from_north_magnetic_tilt_comp_index", "0",
    "scan_elements/in_rot_from_north_magnetic_tilt_comp_type", "le:s32/32>>0",
]  # fmt: skip


def line(value):
    """Returns an attribute's text as the kernel writes it: libiio removes the last byte, which is the newline."""
    return value + "\n" if value and not value.endswith("\n") else value


def text(path):
    """Returns an attribute's text without the newline, or without the NUL that libiio appends when it writes."""
    return path.read_bytes().rstrip(b"\n\0")


class Buffer(threading.Thread):
    """Serves the buffer of a mocked device.

    The tests write a recording to a file in the testbed where iio-sensor-proxy looks for it. While the buffer is
    enabled, this class writes the recording to the device's node: once, because it contains a turn, and then its last
    scan repeatedly, until the file is removed or replaced.
    """

    def __init__(self, root, device, node):
        super().__init__(daemon=True)
        self.file = root / "iio-dev-data.bin"
        self.recording = b""
        self.played = 0
        self.attributes = pathlib.Path(f"{root}{device}")
        node = pathlib.Path(f"{root}{node}")
        node.parent.mkdir(exist_ok=True)
        node.unlink(missing_ok=True)
        os.mkfifo(node)
        self.descriptor = os.open(node, os.O_RDWR | os.O_NONBLOCK)
        self.start()

    def is_on(self, attribute):
        return text(self.attributes / attribute) == b"1"

    def next_scan(self):
        """Returns the next scan, with the enabled channels."""
        recording = self.file.read_bytes()
        if recording != self.recording:
            self.recording, self.played = recording, 0
        start = min(self.played, len(recording) - SCAN_LENGTH)
        self.played += SCAN_LENGTH
        length = SCAN_LENGTH if self.is_on("scan_elements/in_timestamp_en") else ACCELERATION_LENGTH
        return recording[start : start + length]

    def serve(self):
        """Writes one scan or, while the buffer is disabled, empties the FIFO as the kernel does."""
        try:
            if self.is_on("buffer/enable"):
                os.write(self.descriptor, self.next_scan())
            else:
                os.read(self.descriptor, 65536)
        except (BlockingIOError, FileNotFoundError):
            pass  # the FIFO is full or empty, there is no recording, or the testbed is being removed

    def run(self):
        while self.attributes.is_dir():
            self.serve()
            time.sleep(0.02)
        os.close(self.descriptor)


def complete_devices_of(testbed):
    """Changes the class UMockdev.Testbed so that its devices are complete."""
    add_device, set_attribute = testbed.add_device, testbed.set_attribute

    def add_complete_device(self, subsystem, name, parent, attributes, properties):
        if name == "fake-compass":
            self.add_device("iio", "compass", None, COMPASS, ["IIO_SENSOR_PROXY_TYPE", "iio-buffer-compass"])
        lines = [line(value) if place % 2 else value for place, value in enumerate(attributes)]
        device = add_device(self, subsystem, name, parent, lines, properties)
        if "buffer/enable" in attributes:
            node = dict(zip(properties[::2], properties[1::2])).get("DEVNAME", f"/dev/{name}")
            Buffer(pathlib.Path(self.get_root_dir()), device, node)
        return device

    testbed.add_device = add_complete_device
    testbed.set_attribute = lambda self, device, name, value: set_attribute(self, device, name, line(value))
