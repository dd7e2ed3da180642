#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes ssc-messages.tsv: random messages of Qualcomm's sensor core in the encoding of protobuf's own library.

Each line has what the message says and its bytes in hexadecimal. Unknown fields and events are among them, numbers that
are packed and not. The bytes are the same on every run. Debian package: python3-protobuf.
"""
import random
import struct
from pathlib import Path

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

# Message: (number, name, type, whether it is repeated). `!` in place of a type: repeated and packed.
MESSAGES = {
    "Suid": [(1, "low", "fixed64", False), (2, "high", "fixed64", False)],
    "Delivery": [(1, "processor", "uint32", False), (2, "wakeup", "uint32", False)],
    "Standard": [(2, "payload", "bytes", False)],
    "Request": [(1, "suid", "Suid", False), (2, "id", "fixed32", False), (3, "delivery", "Delivery", False),
                (4, "request", "Standard", False)],
    "Lookup": [(1, "type", "string", False), (2, "updates", "bool", False)],
    "Bodies": [(1, "rigid_body", "int32", True)],
    "Rate": [(1, "rate", "float", False)],
    "Event": [(1, "id", "fixed32", False), (2, "time", "fixed64", False), (3, "payload", "bytes", False),
              (9, "unknown", "string", False)],
    "Events": [(1, "suid", "Suid", False), (2, "event", "Event", True), (7, "unknown", "fixed32", False)],
    "Sensors": [(1, "type", "string", False), (2, "suid", "Suid", True)],
    "Value": [(2, "text", "string", False), (3, "number", "float", False), (4, "integer", "sfixed64", False),
              (5, "flag", "bool", False)],
    "Values": [(1, "value", "Value", True)],
    "Attribute": [(1, "id", "int32", False), (2, "values", "Values", False)],
    "Attributes": [(1, "attribute", "Attribute", True)],
    "Reading": [(1, "value", "float", True), (2, "status", "uint32", False)],
    "Packed": [(1, "value", "!float", True), (2, "status", "uint32", False), (100, "unknown", "bytes", False)],
    "Number": [(1, "number", "uint32", False), (2, "raw", "uint32", False)],
}


def classes():
    """Returns the class of each message."""
    file = descriptor_pb2.FileDescriptorProto(name="ssc.proto", package="ssc", syntax="proto2")
    for name, fields in MESSAGES.items():
        message = file.message_type.add(name=name)
        for number, field, kind, repeated in fields:
            added = message.field.add(name=field, number=number, label=3 if repeated else 1)
            added.options.packed = kind.startswith("!")
            kind = kind.removeprefix("!")
            if kind in MESSAGES:
                added.type, added.type_name = 11, ".ssc." + kind
            else:
                added.type = getattr(descriptor_pb2.FieldDescriptorProto, "TYPE_" + kind.upper())
            if added.type not in (2, 13):
                added.ClearField("options")
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    factory = message_factory.MessageFactory(pool)
    return {name: factory.GetPrototype(pool.FindMessageTypeByName("ssc." + name)) for name in MESSAGES}


TYPES = classes()
LOOKUP = 0xABABABABABABABAB
chance = random.Random(40)


def new(kind, **fields):
    message = TYPES[kind](**fields)
    return message


def real():
    """Returns a number that a float has exactly."""
    return struct.unpack("<f", struct.pack("<f", chance.choice([chance.uniform(-20, 20), 0, 1e30, -0.5])))[0]


def suid():
    return new("Suid", low=chance.getrandbits(64), high=chance.getrandbits(chance.choice([1, 64])))


def named(value):
    return f"{value.low:x}/{value.high:x}"


def reading():
    values = [real() for _ in range(chance.randint(1, 6))]
    kind = chance.choice(["Reading", "Packed"])
    payload = new(kind, value=values, status=chance.randint(0, 3))
    if kind == "Packed" and chance.random() < 0.5:
        payload.unknown = chance.randbytes(40)
    shown = (values + [0, 0, 0])[:4]
    return 1025, payload, "reading " + " ".join(struct.pack(">f", value).hex() for value in shown)


def proximity():
    number = chance.choice([0, 1, 1, 2])
    return 769, new("Number", number=number, raw=chance.getrandbits(32)), f"state {number}"


def cover():
    number, status = chance.choice([0, 1]), chance.choice([0, 1, 3])
    return 770, new("Number", number=number, raw=status), f"state {number}" if status else None


def failure():
    number = chance.choice([1, 3, 300, 2**32 - 1])
    return 130, new("Number", number=number), f"failure {number}"


def attributes():
    name = chance.choice(["icm4x6xx", "lis2dw12", "a" * 70, ""])
    rates = [abs(real()) for _ in range(chance.randint(0, 5))]
    stream, body, available = chance.randint(0, 2), chance.choice([0, 1, 2, -1]), chance.random() < 0.5
    values = {
        0: [new("Value", text=name)],
        1: [new("Value", text="vendor")],
        3: [new("Value", flag=available)],
        6: [new("Value", number=rate) for rate in rates],
        16: [new("Value", integer=stream)],
        19: [new("Value", integer=body)],
        31: [new("Value", text="serial")],
        300: [new("Value", integer=-5)],
    }
    message = new("Attributes")
    for number, entries in chance.sample(list(values.items()), len(values)):
        message.attribute.add(id=number, values=new("Values", value=entries))
    shown = ",".join(struct.pack(">f", rate).hex() for rate in rates)
    return 128, message, f"attributes {name or '-'} {int(available)} {min(stream, 1)} {body} {shown}"


def other():
    return chance.choice([129, 133, 1022]), new("Number", number=7), None


def sensors():
    found = [suid() for _ in range(chance.randint(0, 3))]
    kind = chance.choice(["accel", "registry", ""])
    return 768, new("Sensors", type=kind, suid=found), f"sensors {kind} " + ",".join(map(named, found))


def events():
    kinds = [reading, proximity, cover, failure, attributes, other]
    sender = suid()
    if chance.random() < 0.3:
        sender, kinds = new("Suid", low=LOOKUP, high=LOOKUP), [sensors]
    message, shown = new("Events", suid=sender), []
    for _ in range(chance.randint(1, 3)):
        number, payload, text = chance.choice(kinds)()
        event = message.event.add(id=number, time=chance.getrandbits(64), payload=payload.SerializeToString())
        if chance.random() < 0.3:
            event.unknown = "x" * 130
        if text:
            shown.append(text)
    if chance.random() < 0.3:
        message.unknown = chance.getrandbits(32)
    return "events " + ("; ".join([named(sender), *shown]) if shown else "none"), message


def request():
    target = suid()
    number, payload, text = chance.choice([
        lambda kind: (512, new("Lookup", type=kind, updates=True), f"sensors {kind}"),
        lambda _: (1, None, "attributes"),
        lambda _: (10, None, "end"),
        lambda _: (514, None, "changes"),
        lambda _: (512, new("Bodies", rigid_body=[1, 0]), "angles"),
        lambda _: (513, new("Rate", rate=12.5), "stream"),
    ])(chance.choice(["accel", "ambient_light"]))
    message = new("Request", suid=target, id=number, delivery=new("Delivery", processor=1, wakeup=1))
    message.request.SetInParent()
    if payload:
        message.request.payload = payload.SerializeToString()
    return f"request {named(target)}; {text}", message


with open(Path(__file__).parent / "ssc-messages.tsv", "w", encoding="ascii") as file:
    for make in [events] * 120 + [request] * 30:
        text, message = make()
        file.write(f"{text}\t{message.SerializeToString().hex()}\n")
