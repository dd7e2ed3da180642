#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: uhid_accel.py [--input FILE|FIFO] [--log FILE] [--bits 32|16] [--units g|ms2] [--product NUMBER]

Simulates a HID sensor hub with one 3D accelerometer through /dev/uhid. The kernel's own drivers hid-sensor-hub,
hid-sensor-accel-3d and hid-sensor-trigger use it like real hardware. Needs root.

Commands, one per line, read from --input (default: standard input; a FIFO stays open when its writers close it):
    X Y Z        acceleration in g, from now on
    T X Y Z      the same, T seconds after the start (also with commas, so that a CSV trace works)
    interval MS  send a report every MS milliseconds, whatever the kernel requested (0: as the kernel requested)
    once         send one report now, even if the kernel has not enabled reports
    noise MG     add noise of MG thousandths of g (root mean square) to each axis (0: none)
    mute | unmute    stop and resume the reports, like a sensor that hangs
    fail | unfail    answer the kernel's requests with EIO, or normally again
    hub KIND     the kind of hub, from the next plug on:
                 honours: skips a report when each axis is within the change sensitivity of the last one that it sent
                 ignores: stores the sensitivity and ignores it
                 clamps: stores at least 100 thousandths, and honours that
                 none: has no such field
                 amd: reports at 5 Hz and its features never change, like AMD's sensor fusion hub
    unplug | plug    remove the device, create it again
    quit
The log has one line per event: CLOCK_MONOTONIC in seconds, CLOCK_REALTIME in seconds, event.
"""
import errno
import os
import random
import select
import stat
import struct
import sys
import time

# --- HID report descriptor ----------------------------------------------------------------------
# Short items: one prefix byte (tag, type, size code), then 0, 1, 2 or 4 bytes of little-endian data.
USAGE_PAGE, LOGICAL_MIN, LOGICAL_MAX, UNIT_EXPONENT = 0x04, 0x14, 0x24, 0x54
UNIT, REPORT_SIZE, REPORT_ID, REPORT_COUNT = 0x64, 0x74, 0x84, 0x94
USAGE, INPUT, FEATURE, COLLECTION, END_COLLECTION = 0x08, 0x80, 0xB0, 0xA0, 0xC0
PHYSICAL, APPLICATION, LOGICAL = 0, 1, 2
DATA_ARRAY, DATA_VARIABLE = 0x00, 0x02


def item(tag, value=None, size=None):
    if value is None:
        return bytes([tag])
    if size is None:
        size = 1 if -128 <= value < 128 else 2 if -32768 <= value < 32768 else 4
    code = {1: 1, 2: 2, 4: 3}[size]
    return bytes([tag | code]) + (value & (1 << 8 * size) - 1).to_bytes(size, "little")


def usage(number):
    return item(USAGE, number, 2)


def selector(property_usage, first, last, kind):
    """Returns a one-byte selector among the usages first to last; the value 1 stands for the first one."""
    out = usage(property_usage) + item(COLLECTION, LOGICAL)
    out += item(LOGICAL_MIN, 1) + item(LOGICAL_MAX, last - first + 1)
    out += item(REPORT_SIZE, 8) + item(REPORT_COUNT, 1)
    for number in range(first, last + 1):
        out += usage(number)
    return out + item(kind, DATA_ARRAY) + item(END_COLLECTION)


def number(usage_number, bits, low, high, exponent, unit, kind):
    out = usage(usage_number) + item(LOGICAL_MIN, low, 4) + item(LOGICAL_MAX, high, 4)
    out += item(REPORT_SIZE, bits) + item(REPORT_COUNT, 1)
    out += item(UNIT, unit, 2) + item(UNIT_EXPONENT, exponent & 15)
    return out + item(kind, DATA_VARIABLE)


REPORT = 1  # hid-sensor-hub always skips one byte for the report id, so the report needs an id
G, METRES_PER_SECOND_SQUARED, MILLISECOND = 0x1A, 0x11E0, 0x0


def descriptor(bits, unit, has_sensitivity):
    top = 2 ** (bits - 1) - 1
    out = item(USAGE_PAGE, 0x20) + usage(0x01) + item(COLLECTION, APPLICATION)
    out += item(REPORT_ID, REPORT) + usage(0x73) + item(COLLECTION, PHYSICAL)
    # feature report, with the layout of FEATURES below
    out += selector(0x309, 0x830, 0x832, FEATURE)  # connection type: integrated, attached, external
    out += selector(0x316, 0x840, 0x845, FEATURE)  # reporting state: none, all, threshold, ...
    out += selector(0x319, 0x850, 0x855, FEATURE)  # power state: undefined, D0, D1, D2, D3, D4
    out += selector(0x201, 0x800, 0x806, FEATURE)  # sensor state: unknown, ready, ...
    out += number(0x30E, 32, 0, 2**31 - 1, 0, MILLISECOND, FEATURE)  # report interval
    if has_sensitivity:
        out += number(0x1452, 16, 0, 32767, -3, unit, FEATURE)  # change sensitivity of acceleration
    # input report
    out += selector(0x201, 0x800, 0x806, INPUT)
    out += selector(0x202, 0x810, 0x815, INPUT)  # event: unknown, state, property, data, poll, ...
    for axis in (0x453, 0x454, 0x455):
        out += number(axis, bits, -top - 1, top, -3, unit, INPUT)
    return out + item(END_COLLECTION) + item(END_COLLECTION)


# id, connection, reporting, power, state, interval, and the sensitivity of hubs that have one
FEATURES, FEATURES_WITHOUT_SENSITIVITY = struct.Struct("<BBBBBIH"), struct.Struct("<BBBBBI")
CLAMP = 100
ALL_EVENTS, FULL_POWER, READY, DATA_UPDATED = 2, 2, 2, 4

# --- uhid -----------------------------------------------------------------------------------------
DESTROY, START, STOP, OPEN, CLOSE = 1, 2, 3, 4, 5
GET_REPORT, GET_REPORT_REPLY, CREATE2, INPUT2, SET_REPORT, SET_REPORT_REPLY = 9, 10, 11, 12, 13, 14
EVENT_SIZE = 4380  # sizeof(struct uhid_event)
BUS_I2C = 0x18


class Accelerometer:
    def __init__(self, product, bits, unit, log):
        self.product, self.bits, self.unit, self.log = product, bits, unit, log
        self.g = (0.0, 0.0, -1.0)
        self.forced = self.noise = 0
        self.muted = self.failing = self.fresh = False
        self.device = None
        self.next_kind = self.kind = "honours"
        self.last = None  # the axes of the last report since reports were enabled
        self.features = [1, 1, 1, READY, 100, 0]

    def plug(self):
        self.features = [1, 1, 1, READY, 100, 0]
        self.due = self.last = None
        self.kind = self.next_kind
        rd = descriptor(self.bits, self.unit, self.kind != "none")
        self.device = os.open("/dev/uhid", os.O_RDWR | os.O_CLOEXEC)
        os.write(self.device, struct.pack("<I128s64s64sHHIIII", CREATE2, b"orientd-vm sensor hub", b"orientd-vm", b"",
                                          len(rd), BUS_I2C, 0x1D50, self.product, 1, 0) + rd)
        self.log("plug")

    def unplug(self):
        os.write(self.device, struct.pack("<I", DESTROY))
        os.close(self.device)
        self.device = None
        self.log("unplug")

    def set(self, g):
        self.g, self.fresh = g, True
        self.log("set %.4f %.4f %.4f" % g)

    def interval(self):
        return (self.forced or (200 if self.kind == "amd" else self.features[4]) or 100) / 1000

    def wanted(self):
        return self.features[1] == ALL_EVENTS and self.features[2] == FULL_POWER and not self.muted

    def layout(self):
        return FEATURES_WITHOUT_SENSITIVITY if self.kind == "none" else FEATURES

    def pack_features(self):
        return self.layout().pack(REPORT, *self.features[:5 if self.kind == "none" else 6])

    def set_features(self, data):
        layout = self.layout()
        new = list(layout.unpack(data[:layout.size]))[1:]
        if self.kind == "amd":
            new[4:] = self.features[4:]
        elif self.kind == "clamps":
            new[5] = max(new[5], CLAMP)
        if not (new[1] == ALL_EVENTS and new[2] == FULL_POWER):
            self.last = None
        self.features[:len(new)] = new

    def is_skipped(self, axes):
        """Returns whether the hub makes no report of these axes, which are close to the last ones that it sent."""
        change = self.features[5] if self.kind in ("honours", "clamps") else 0
        return change > 0 and self.last is not None and all(
            abs(new - old) <= change for new, old in zip(axes, self.last))

    def axes(self):
        scale = 1000 * (9.80665 if self.unit == METRES_PER_SECOND_SQUARED else 1)
        top = 2 ** (self.bits - 1)
        return [max(-top, min(top - 1, round(random.gauss(v, self.noise) * scale))) for v in self.g]

    def report(self, axes):
        return struct.pack("<BBB" + ("iii" if self.bits == 32 else "hhh"), REPORT, READY, DATA_UPDATED, *axes)

    def send(self, is_forced=False):
        axes = self.axes()
        if self.is_skipped(axes) and not is_forced:
            return
        self.last = axes
        data = self.report(axes)
        os.write(self.device, struct.pack("<IH", INPUT2, len(data)) + data)
        if self.fresh:
            self.log("sent %.4f %.4f %.4f" % self.g)
            self.fresh = False

    def tick(self, now):
        """Sends the report that is due, if any; returns the seconds until the next one, or None."""
        if self.device is None or not self.wanted():
            self.due = None
            return None
        if self.due is None:
            self.due = now + self.interval()
        if now >= self.due:
            self.send()
            self.due = max(self.due + self.interval(), now)
        return self.due - now

    def handle(self):
        """Handles one request of the kernel."""
        event = os.read(self.device, EVENT_SIZE)
        kind, = struct.unpack_from("<I", event)
        if kind == GET_REPORT:
            request, _, report_type = struct.unpack_from("<IBB", event, 4)
            data = self.report(self.axes()) if report_type == 2 else self.pack_features()
            error = errno.EIO if self.failing else 0
            self.log("get %s%s" % ("input" if report_type == 2 else "feature", " failed" if error else ""))
            os.write(self.device, struct.pack("<IIHH", GET_REPORT_REPLY, request, error, len(data)) + data)
        elif kind == SET_REPORT:
            request, _, _, size = struct.unpack_from("<IBBH", event, 4)
            error = errno.EIO if self.failing else 0
            if not error:
                self.set_features(event[12:12 + size])
            self.log("feature reporting=%d power=%d interval=%d sensitivity=%d size=%d%s" % (
                *self.features[1:3], *self.features[4:6], size, " failed" if error else ""))
            os.write(self.device, struct.pack("<IIH", SET_REPORT_REPLY, request, error))
        else:
            self.log({START: "start", STOP: "stop", OPEN: "open", CLOSE: "close"}.get(kind, "event %d" % kind))


def main(arguments):
    options = {"--input": None, "--log": None, "--bits": "32", "--units": "g", "--product": "0xACCE"}
    while arguments:
        option = arguments.pop(0)
        if option not in options or not arguments:
            sys.exit(__doc__)
        options[option] = arguments.pop(0)

    log_file = open(options["--log"], "a", buffering=1) if options["--log"] else sys.stderr

    def log(what):
        print("%.6f %.6f %s" % (time.monotonic(), time.time(), what), file=log_file, flush=True)

    path = options["--input"]
    if path is None:
        source = 0
    elif stat.S_ISFIFO(os.stat(path).st_mode):
        source = os.open(path, os.O_RDWR)  # we are a writer too, so there is no end of file when the others close it
    else:
        source = os.open(path, os.O_RDONLY)

    unit = {"g": G, "ms2": METRES_PER_SECOND_SQUARED}[options["--units"]]
    accel = Accelerometer(int(options["--product"], 0), int(options["--bits"]), unit, log)
    accel.plug()
    start, text, schedule, open_source = time.monotonic(), b"", [], True

    def command(line):
        words = line.replace(",", " ").split()
        if not words or words[0].startswith("#"):
            return True
        if words[0] == "quit":
            return False
        if words[0] in ("mute", "unmute"):
            accel.muted = words[0] == "mute"
        elif words[0] in ("fail", "unfail"):
            accel.failing = words[0] == "fail"
        elif words[0] == "interval":
            accel.forced, accel.due = float(words[1]), None
        elif words[0] == "noise":
            accel.noise = float(words[1]) / 1000
        elif words[0] == "once":
            accel.send(is_forced=True)
        elif words[0] == "hub":
            accel.next_kind = words[1]
        elif words[0] == "unplug":
            if accel.device is not None:
                accel.unplug()
        elif words[0] == "plug":
            if accel.device is None:
                accel.plug()
        else:
            try:
                values = [float(word) for word in words]
            except ValueError:
                log("not understood: %s" % line)
                return True
            if len(values) == 3:
                accel.set(tuple(values))
            elif len(values) == 4:
                schedule.append((start + values[0], tuple(values[1:])))
        return True

    while True:
        now = time.monotonic()
        while schedule and schedule[0][0] <= now:
            accel.set(schedule.pop(0)[1])
        wait = [t for t in (accel.tick(now), schedule[0][0] - now if schedule else None) if t is not None]
        watch = ([accel.device] if accel.device is not None else []) + ([source] if open_source else [])
        ready = select.select(watch, [], [], max(0, min(wait)) if wait else None)[0]
        if accel.device in ready:
            accel.handle()
        if source in ready:
            more = os.read(source, 65536)
            open_source = bool(more)
            *lines, text = (text + more).split(b"\n")
            for line in lines:
                if not command(line.decode()):
                    if accel.device is not None:
                        accel.unplug()
                    return


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except KeyboardInterrupt:
        pass
