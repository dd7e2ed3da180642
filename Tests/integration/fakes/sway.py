# SPDX-License-Identifier: Apache-2.0
"""sway's IPC: commands, inputs and events as sway-ipc(7) describes them."""

import json
import re
import shlex
import struct

from fakes.server import Connection, SocketServer

MAGIC = b"i3-ipc"
HEADER = struct.Struct("=6sII")
RUN_COMMAND, SUBSCRIBE, GET_OUTPUTS, GET_VERSION, GET_INPUTS = 0, 2, 3, 7, 100
SHUTDOWN_EVENT, INPUT_EVENT = 0x80000006, 0x80000015
EVENTS = ("workspace", "output", "mode", "window", "barconfig_update", "binding", "shutdown", "tick", "input")

IDENTITY = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0]


def sway_input(identifier, kind):
    """Returns a device as GET_INPUTS lists it; the identifier is VENDOR:PRODUCT:NAME, with _ for spaces."""
    vendor, product, name = identifier.split(":", 2)
    return {
        "identifier": identifier,
        "name": name.replace("_", " "),
        "vendor": int(vendor),
        "product": int(product),
        "type": kind,
        "libinput": {"send_events": "enabled", "calibration_matrix": IDENTITY},
    }


class SwayConnection(Connection):
    def __init__(self, server, stream):
        super().__init__(server, stream)
        self.subscriptions = set()

    def receive(self):
        while len(self.input) >= HEADER.size:
            magic, length, kind = HEADER.unpack_from(self.input)
            if magic != MAGIC:
                self.server.drop(self)
                return
            end = HEADER.size + length
            if len(self.input) < end:
                return
            payload, self.input = self.input[HEADER.size : end], self.input[end:]
            self.handle(kind, payload.decode())

    def handle(self, kind, payload):
        server = self.server
        server.requests.append((kind, payload))
        if kind == RUN_COMMAND:
            commands = [command.strip() for command in re.split(r"[;\n]", payload) if command.strip()]
            self.reply(kind, [server.run(command) for command in commands])
        elif kind == SUBSCRIBE:
            names = json.loads(payload)
            is_valid = all(name in EVENTS for name in names)
            if is_valid:
                self.subscriptions.update(names)
            self.reply(kind, {"success": is_valid})
        elif kind == GET_INPUTS:
            self.reply(kind, server.inputs)
        elif kind == GET_OUTPUTS:
            self.reply(kind, [{"name": name, "active": True, "transform": "normal"} for name in server.outputs])
        elif kind == GET_VERSION:
            numbers = dict(zip(("major", "minor", "patch"), server.version))
            text = ".".join(str(number) for number in server.version)
            self.reply(kind, {"human_readable": text, "variant": "sway", **numbers})
        else:
            server.drop(self)  # as sway does on an unknown type

    def reply(self, kind, value):
        self.answer(message(kind, value))


def message(kind, value):
    """Returns an IPC message with JSON."""
    payload = json.dumps(value).encode()
    return HEADER.pack(MAGIC, len(payload), kind) + payload


class SwayServer(SocketServer):
    """sway's socket; `commands` has what clients ran, `mappings` the output of each input that has one.

    With an `error`, commands fail with that text. sway does not tell its clients the mappings.
    """

    connection_type = SwayConnection

    def __init__(self, path, inputs=(), outputs=("eDP-1",), version=(1, 10, 1)):
        super().__init__(path)
        self.version = version
        self.inputs = list(inputs)
        self.outputs = list(outputs)
        self.requests = []
        self.commands = []
        self.mappings = {}
        self.error = None

    def run(self, command):
        """Runs a command and returns its result; only `input` is known."""
        self.commands.append(command)
        if self.error:
            return {"success": False, "error": self.error}
        words = shlex.split(command)
        if words[0] != "input":
            return {"success": False, "parse_error": True, "error": f"Unknown/invalid command '{words[0]}'"}
        if len(words) != 4 or words[2] != "map_to_output":
            return {"success": False, "parse_error": True, "error": "Invalid input command"}
        for device in self.inputs:
            if words[1] in (device["identifier"], "*", "type:" + device["type"]):
                self.mappings[device["identifier"]] = words[3]
        return {"success": True}

    def add_input(self, device):
        """Plugs an input device in."""
        with self.lock:
            self.inputs.append(device)
            self.mappings.pop(device["identifier"], None)
            self.publish("input", INPUT_EVENT, {"change": "added", "input": device})

    def remove_input(self, identifier):
        """Unplugs an input device; sway forgets nothing that was set for its identifier, but the test does."""
        with self.lock:
            (device,) = (device for device in self.inputs if device["identifier"] == identifier)
            self.inputs.remove(device)
            self.mappings.pop(identifier, None)
            self.publish("input", INPUT_EVENT, {"change": "removed", "input": device})

    def publish(self, subscription, kind, value):
        """Sends an event to its subscribers."""
        with self.lock:
            for connection in self.connections:
                if subscription in connection.subscriptions:
                    connection.send(message(kind, value))

    def is_subscribed(self, subscription):
        """Returns whether a client receives these events."""
        with self.lock:
            return any(subscription in connection.subscriptions for connection in self.connections)
