# SPDX-License-Identifier: Apache-2.0
"""Stands in for the kernel behind sysfs: serves an IIO buffer through a FIFO, and counts attribute reads."""

import ctypes
import os
import re
import struct
import threading
import time

from rig import DEVICE, LIBC

SCAN_TYPE = re.compile(
    r"(?P<order>le|be):(?P<sign>[su])(?P<bits>\d+)/(?P<storage>\d+)(X(?P<repeat>\d+))?>>(?P<shift>\d+)"
)


def scan_word(value, scan_type, stray=0):
    """Returns the bytes of one channel in a scan, for example of type "be:u12/16>>4".

    The bits that the type does not use are taken from `stray`. A repeated element repeats the value.
    """
    match = SCAN_TYPE.fullmatch(scan_type)
    bits, storage, shift = (int(match[name]) for name in ("bits", "storage", "shift"))
    mask = ((1 << bits) - 1) << shift
    word = (value << shift) & mask | stray & ~mask & ((1 << storage) - 1)
    return word.to_bytes(storage // 8, "little" if match["order"] == "le" else "big") * int(match["repeat"] or 1)


class Feed(threading.Thread):
    """Serves a mocked IIO buffer.

    Replaces the device node by a FIFO. While buffer/enable is 1, it writes a scan every `period` seconds: the channels
    whose scan_elements/*_en is 1, in index order, naturally aligned, in the format of scan_elements/*_type. While the
    buffer is disabled it drains the FIFO, as the kernel does. turn() changes the values; x is greater by `noise` in
    every second scan; `muted` stops the scans. With `stray`, the unused upper bits of each word hold the value of the next channel, as in real HID sensors, and the
    unused lower bits are ones.
    """

    def __init__(self, rig, device, raw, period=0.02, stray=False, noise=0, muted=False, node="/dev/iio:device0"):
        super().__init__(daemon=True)
        self.device = rig.path(device)
        self.period = period
        self.stray = stray
        self.noise = noise
        self.muted = muted
        self.scans = 0
        self.running = True
        self.turn(raw)
        fifo = rig.path(node)
        fifo.parent.mkdir(parents=True, exist_ok=True)
        fifo.unlink(missing_ok=True)
        os.mkfifo(fifo)
        self.descriptor = os.open(fifo, os.O_RDWR | os.O_NONBLOCK)
        rig.on_close(self.stop)
        self.start()

    def turn(self, raw):
        """Sets x, y and z of later scans."""
        self.values = {f"in_accel_{axis}": value for axis, value in zip("xyz", raw)}

    def text(self, attribute):
        """Returns an attribute's text without the newline, or the NUL that libiio also writes."""
        return (self.device / attribute).read_bytes().rstrip(b"\n\0").decode()

    def is_enabled(self):
        """Returns whether the buffer is enabled."""
        return self.text("buffer/enable") == "1"

    def enabled_channels(self):
        """Returns the names of the enabled channels in the order of the scan."""
        names = [path.name.removesuffix("_en") for path in (self.device / "scan_elements").glob("*_en")]
        enabled = [name for name in names if self.text(f"scan_elements/{name}_en") == "1"]
        return sorted(enabled, key=lambda name: int(self.text(f"scan_elements/{name}_index")))

    def value(self, channel):
        if channel == "in_timestamp":
            return time.monotonic_ns()
        noise = self.noise * (self.scans % 2) if channel == "in_accel_x" else 0
        return self.values.get(channel, 0) + noise

    def scan(self):
        """Returns one scan."""
        channels = self.enabled_channels()
        scan = b""
        for position, channel in enumerate(channels):
            neighbour = channels[(position + 1) % len(channels)]
            scan_type = self.text(f"scan_elements/{channel}_type")
            stray = 0
            if self.stray:
                match = SCAN_TYPE.fullmatch(scan_type)
                bits, shift = int(match["bits"]), int(match["shift"])
                stray = self.value(neighbour) % (1 << bits) << bits + shift | (1 << shift) - 1
            word = scan_word(self.value(channel), scan_type, stray)
            scan += bytes(-len(scan) % len(word)) + word
        return scan

    def run(self):
        while self.running:
            try:
                if not self.is_enabled():
                    os.read(self.descriptor, 65536)
                elif not self.muted:
                    os.write(self.descriptor, self.scan())
                    self.scans += 1
            except (OSError, ValueError):
                pass  # the FIFO is empty or full, an attribute is being replaced, or the device was unplugged
            time.sleep(self.period)

    def stop(self):
        """Ends the thread."""
        self.running = False
        self.join()
        os.close(self.descriptor)


class ReadCounter:
    """Counts the reads of one attribute with inotify, also after its file was replaced."""

    IN_ACCESS = 0x1
    EVENT = struct.Struct("iIII")

    def __init__(self, rig, attribute, device=DEVICE):
        path = rig.path(device, attribute)
        self.name = path.name.encode()
        self.count = 0
        self.descriptor = LIBC.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        watch = LIBC.inotify_add_watch(self.descriptor, os.fsencode(path.parent), self.IN_ACCESS)
        if self.descriptor < 0 or watch < 0:
            raise OSError(ctypes.get_errno(), "inotify")
        rig.on_close(lambda: os.close(self.descriptor))

    def reads(self):
        """Returns the number of reads so far."""
        try:
            while True:
                events = os.read(self.descriptor, 65536)
                while events:
                    _watch, _mask, _cookie, length = self.EVENT.unpack_from(events)
                    end = self.EVENT.size + length
                    self.count += events[self.EVENT.size : end].rstrip(b"\0") == self.name
                    events = events[end:]
        except BlockingIOError:
            return self.count
