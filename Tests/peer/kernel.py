# SPDX-License-Identifier: Apache-2.0
"""What a kernel has and the devices of iio-sensor-proxy's tests lack."""

import os
import pathlib
import threading
import time

# Three words of 32 bits, padding and a stamp: what the recorded scans of those tests consist of.
ACCELERATION_LENGTH = 12
SCAN_LENGTH = 24

# Put beside the device from which iio-sensor-proxy makes a compass up: one test is about something else, and needs any.
COMPASS = [
    "name", "compass",
    "buffer/enable", "0",
    "scan_elements/in_rot_from_north_magnetic_tilt_comp_en", "0",
    "scan_elements/in_rot_from_north_magnetic_tilt_comp_index", "0",
    "scan_elements/in_rot_from_north_magnetic_tilt_comp_type", "le:s32/32>>0",
]  # fmt: skip


def line(value):
    """Returns an attribute's text as the kernel writes it: libiio takes the last byte for the end of the line."""
    return value + "\n" if value and not value.endswith("\n") else value


def text(path):
    """Returns an attribute's text without the end of the line, or the NUL that libiio ends its own with."""
    return path.read_bytes().rstrip(b"\n\0")


class Buffer(threading.Thread):
    """Serves the buffer of a mocked device.

    The tests put a recording in a file of the testbed that iio-sensor-proxy knows to look for there. This plays it to
    whoever reads the device's own node while the buffer is enabled: once, for a turn is recorded, and then its last
    scan over and over, until the file goes or is another one.
    """

    def __init__(self, root, device):
        super().__init__(daemon=True)
        self.file = root / "iio-dev-data.bin"
        self.recording = b""
        self.played = 0
        self.attributes = pathlib.Path(f"{root}{device}")
        node = root / "dev" / self.attributes.name
        node.parent.mkdir(exist_ok=True)
        node.unlink(missing_ok=True)
        os.mkfifo(node)
        self.descriptor = os.open(node, os.O_RDWR | os.O_NONBLOCK)
        self.start()

    def is_on(self, attribute):
        return text(self.attributes / attribute) == b"1"

    def next_scan(self):
        """Returns the scan that is due, of the channels that are enabled."""
        recording = self.file.read_bytes()
        if recording != self.recording:
            self.recording, self.played = recording, 0
        start = min(self.played, len(recording) - SCAN_LENGTH)
        self.played += SCAN_LENGTH
        length = SCAN_LENGTH if self.is_on("scan_elements/in_timestamp_en") else ACCELERATION_LENGTH
        return recording[start : start + length]

    def serve(self):
        """Writes one scan, or empties the FIFO as the kernel does when the buffer is disabled."""
        try:
            if self.is_on("buffer/enable"):
                os.write(self.descriptor, self.next_scan())
            else:
                os.read(self.descriptor, 65536)
        except (BlockingIOError, FileNotFoundError):
            pass  # full or empty; nothing to play, or the testbed is just being removed

    def run(self):
        while self.attributes.is_dir():
            self.serve()
            time.sleep(0.02)
        os.close(self.descriptor)


def mend(testbed):
    """Changes the class UMockdev.Testbed so that its devices are complete."""
    add_device, set_attribute = testbed.add_device, testbed.set_attribute

    def add_complete_device(self, subsystem, name, parent, attributes, properties):
        if name == "fake-compass":
            self.add_device("iio", "compass", None, COMPASS, ["IIO_SENSOR_PROXY_TYPE", "iio-buffer-compass"])
        lines = [line(value) if place % 2 else value for place, value in enumerate(attributes)]
        device = add_device(self, subsystem, name, parent, lines, properties)
        if "buffer/enable" in attributes:
            Buffer(pathlib.Path(self.get_root_dir()), device)
        return device

    testbed.add_device = add_complete_device
    testbed.set_attribute = lambda self, device, name, value: set_attribute(self, device, name, line(value))
