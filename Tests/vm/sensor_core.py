#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A mock of Qualcomm's sensor core, over the kernel's QRTR sockets.

usage: sensor_core.py COMMANDS LOG

Reads lines from COMMANDS, a pipe, each of which takes effect at once:
  publish          publish the service, with a port of its own
  withdraw         close it, as when the DSP crashes: all requests are forgotten
  restart          withdraw, then publish, with another port and other names of the sensors
  registry on|off  whether there is a sensor of the type "registry", without which there are no others
  late TYPE|none   the type whose sensor does not answer
  mute TYPE|none   the type whose sensor accepts requests for readings, and sends none
  fail TYPE|none   the type whose sensor answers each request for readings with an error
  accel X Y Z      what the accelerometer reads, in m/s²; likewise light LUX, near 0|1, heading DEGREES, angle DEGREES
  cover 0|1        whether the cover is closed
  hinge on|off     whether there is a sensor of the hinge's angle; at first there is none
  rate HZ          how often the streaming sensors send, whatever was asked for
  forge X Y Z      send a reading of the accelerometer to all who stream it, from another port
  flood N          send N such readings
  cut              send readings that are cut off, at each place
  quit
LOG gets a line for each request: what is asked for, and of which sensor; and "port NUMBER" when it publishes.
"""
import ctypes
import math
import os
import select
import socket
import struct
import sys
import time

FAMILY, CONTROL, SERVICE = 42, 0xFFFFFFFE, 400
LOOKUP = (0xABABABABABABABAB, 0xABABABABABABABAB)
TYPES = ["registry", "accel", "ambient_light", "proximity", "rotv", "hinge_angle", "hall", "device_orient"]
STREAMING, ON_CHANGE = 0, 1
CHANGES = ["proximity", "hinge_angle", "hall", "device_orient"]  # those that send what differs


ADDRESS = struct.Struct("<HxxII")  # family, padding, node, port
LIBC = ctypes.CDLL(None, use_errno=True)


def check(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


class Socket(socket.socket):
    """A QRTR socket. Python does not know the addresses of the family, so libc is called."""

    def __init__(self):
        super().__init__(FAMILY, socket.SOCK_DGRAM)
        self.setblocking(False)

    def address(self):
        """Returns node and port."""
        raw, size = ctypes.create_string_buffer(12), ctypes.c_uint32(12)
        check(LIBC.getsockname(self.fileno(), raw, ctypes.byref(size)))
        return ADDRESS.unpack(raw.raw)[1:]

    def send_to(self, data, address):
        check(LIBC.sendto(self.fileno(), data, len(data), 0, ADDRESS.pack(FAMILY, *address), 12))

    def receive(self):
        data, raw, size = ctypes.create_string_buffer(65536), ctypes.create_string_buffer(12), ctypes.c_uint32(12)
        count = check(LIBC.recvfrom(self.fileno(), data, 65536, 0, raw, ctypes.byref(size)))
        return data.raw[:count], ADDRESS.unpack(raw.raw)[1:]


# --- protobuf -------------------------------------------------------------------------------------------------------
def varint(number):
    out = b""
    while number >= 0x80:
        out += bytes([number & 0x7F | 0x80])
        number >>= 7
    return out + bytes([number])


def field(number, value):
    """Encodes an int as varint, a float as such, bytes or text with a length, and a pair as (format, number)."""
    if isinstance(value, tuple):
        form, value = value
        return varint(number << 3 | (1 if form in "Qq" else 5)) + struct.pack("<" + form, value)
    if isinstance(value, float):
        return field(number, ("f", value))
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def fields(data):
    """Returns the last value of each field."""
    found, at = {}, 0

    def number():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(data):
        tag = number()
        size = {1: 8, 5: 4}.get(tag & 7)
        if tag & 7 == 0:
            value = number()
        else:
            size = number() if size is None else size
            value = data[at:at + size]
            at += size
        found[tag >> 3] = value
    return found


def suid(name):
    return field(1, ("Q", name[0])) + field(2, ("Q", name[1]))


# --- the service ----------------------------------------------------------------------------------------------------
class SensorCore:
    def __init__(self, commands, log):
        self.commands, self.log_file = commands, open(log, "a", buffering=1, encoding="utf-8")
        self.service, self.generation = None, 0
        self.has_registry, self.late, self.mute, self.failing, self.rate = True, "none", "none", "none", 0.0
        self.values = {"accel": [0.0, 9.8, 0.0], "ambient_light": [100.0], "proximity": [0.0], "rotv": [0, 0, 0, 1],
                       "hinge_angle": [90.0], "hall": [0.0], "device_orient": [0.0]}
        self.has_hinge = False
        self.streams = {}  # by client and type: when the next reading is due
        self.cuts = 0

    def log(self, line):
        print(line, file=self.log_file)

    def name(self, kind):
        return (TYPES.index(kind) + 1 + 16 * self.generation, 7)

    def publish(self):
        self.service = Socket()
        node = self.service.address()[0]
        packet = struct.pack("<5I", 4, SERVICE, 1, 0, 0)
        self.service.send_to(packet, (node, CONTROL))
        self.log(f"port {self.service.address()[1]}")

    def withdraw(self):
        self.service.close()
        self.service, self.streams = None, {}

    def send(self, client, sensor, number, payload, sender=None, cut=False):
        event = field(1, ("I", number)) + field(2, ("Q", time.monotonic_ns())) + field(3, payload)
        message = field(1, suid(sensor)) + field(2, event)
        parts = b"\x01\x08\x00" + bytes(8) + b"\x02" + struct.pack("<HH", len(message) + 2, len(message)) + message
        datagram = struct.pack("<BHHH", 4, 5, 0x22, len(parts)) + parts
        if cut:
            self.cuts = (self.cuts + 1) % len(datagram)
            datagram = datagram[:self.cuts]
        try:
            (sender or self.service).send_to(datagram, client)
        except OSError as error:
            # It has ended.
            self.streams = {key: value for key, value in self.streams.items() if key[0] != client}
            self.log(f"client {client[1]} is gone: {error.strerror}")

    def handle(self, datagram, client):
        kind, transaction, message, _ = struct.unpack("<BHHH", datagram[:7])
        if (kind, message) != (0, 0x20):
            return
        parts = datagram[7:]
        while parts[0] != 1:  # libqmi sends others first
            parts = parts[3 + struct.unpack("<H", parts[1:3])[0]:]
        count = struct.unpack("<H", parts[3:5])[0]
        request = fields(parts[5:5 + count])
        try:
            self.service.send_to(struct.pack("<BHHHBHHH", 2, transaction, 0x20, 7, 2, 4, 0, 0), client)
        except OSError:
            pass  # It ends its requests as it closes.
        name = fields(request[1])
        name = struct.unpack("<Q", name[1])[0], struct.unpack("<Q", name[2])[0]
        number = struct.unpack("<I", request[2])[0]
        payload = fields(fields(request.get(4, b"")).get(2, b""))
        if name == LOOKUP:
            kind = payload[1].decode()
            self.log(f"look up {kind}")
            exists = kind in TYPES and self.has_registry and (self.has_hinge or kind != "hinge_angle")
            found = field(2, suid(self.name(kind))) if exists else b""
            self.send(client, LOOKUP, 768, field(1, kind) + found)
            return
        kind = next((kind for kind in TYPES if self.name(kind) == name), None)
        self.log(f"request {number} of {kind}" + (f" at {struct.unpack('<f', payload[1])[0]:g} Hz" if number == 513 else ""))
        if kind is None or kind == self.late:
            return
        if number == 1:
            self.send(client, name, 128, self.attributes(kind))
        elif number == 10:
            self.streams.pop((client, kind), None)
        elif kind == self.failing:
            self.send(client, name, 130, field(1, 4))
        elif number in (513, 514) or number == 512 and kind == "hinge_angle":
            interval = 1 / struct.unpack("<f", payload[1])[0] if number == 513 else math.inf
            self.streams[client, kind] = [time.monotonic(), interval]

    def attributes(self, kind):
        def attribute(number, *values):
            return field(1, field(1, number) + field(2, b"".join(field(1, value) for value in values)))

        stream = ON_CHANGE if kind in CHANGES else STREAMING
        rates = [] if stream == ON_CHANGE else [field(3, rate) for rate in (5.0, 12.5, 100.0)]
        return b"".join([
            attribute(0, field(2, "mock-" + kind)), attribute(2, field(2, kind)), attribute(3, field(5, 1)),
            attribute(6, *rates), attribute(16, field(4, ("q", stream))), attribute(19, field(4, ("q", 0))),
            attribute(20, *[field(3, 0.0)] * 12), attribute(31, field(2, "serial-4711")),
            attribute(99, field(2, "unknown")),
        ])

    def reading(self, client, kind, sender=None, values=None, cut=False):
        values = values or self.values[kind]
        states = {"proximity": 769, "hall": 770, "device_orient": 776}
        if kind in states:
            # Proximity has a raw value before its status.
            status = field(2, 50) + field(3, 3) if kind == "proximity" else field(2, 3)
            self.send(client, self.name(kind), states[kind], field(1, int(values[0])) + status, sender)
        else:
            payload = b"".join(field(1, float(value)) for value in values) + field(2, 3)
            self.send(client, self.name(kind), 1025, payload, sender, cut)

    def send_due(self):
        now = time.monotonic()
        for (client, kind), stream in list(self.streams.items()):
            if stream[0] <= now:
                stream[0] = max(now, stream[0] + (1 / self.rate if self.rate else stream[1]))
                if kind != self.mute:
                    self.reading(client, kind)

    def clients(self):
        return [client for client, kind in self.streams if kind == "accel"]

    def command(self, words):
        kinds = {"accel": "accel", "light": "ambient_light", "near": "proximity", "angle": "hinge_angle",
                 "cover": "hall"}
        match words:
            case ["publish" | "withdraw" | "restart" as what]:
                if what != "publish":
                    self.withdraw()
                    self.generation += 1
                if what != "withdraw":
                    self.publish()
            case ["registry", state]: self.has_registry = state == "on"
            case ["hinge", state]: self.has_hinge = state == "on"
            case ["late", kind]: self.late = kind
            case ["mute", kind]: self.mute = kind
            case ["fail", kind]: self.failing = kind
            case ["rate", rate]: self.rate = float(rate)
            case ["heading", degrees]:
                half = math.radians(-float(degrees)) / 2
                self.values["rotv"] = [0.0, 0.0, math.sin(half), math.cos(half)]
            case [("accel" | "light" | "near" | "angle" | "cover") as word, *values]:
                kind = kinds[word]
                self.values[kind] = [float(value) for value in values]
                if kind in CHANGES:
                    for client in [client for client, other in self.streams if other == kind]:
                        self.reading(client, kind)
            case ["forge", *values]:
                with Socket() as other:
                    for client in self.clients():
                        self.reading(client, "accel", other, [float(value) for value in values])
            case ["flood", count]:
                for _ in range(int(count)):
                    for client in self.clients():
                        self.reading(client, "accel")
            case ["cut"]:
                for client in self.clients():
                    for _ in range(80):
                        self.reading(client, "accel", values=[50.0, 0.0, 0.0], cut=True)
            case ["quit"]: sys.exit()
        self.log("did " + " ".join(words))

    def run(self):
        pipe = os.open(self.commands, os.O_RDWR)
        rest = b""
        while True:
            due = min([stream[0] for stream in self.streams.values()], default=math.inf)
            timeout = None if due == math.inf else max(0, due - time.monotonic())
            readable = select.select([pipe] + ([self.service] if self.service else []), [], [], timeout)[0]
            if self.service in readable:
                try:
                    self.handle(*self.service.receive())
                except OSError as error:
                    self.log(f"receive: {error.strerror}")
            if pipe in readable:
                *lines, rest = (rest + os.read(pipe, 4096)).split(b"\n")
                for line in lines:
                    self.command(line.decode().split())
            self.send_due()


SensorCore(*sys.argv[1:]).run()
