# SPDX-License-Identifier: Apache-2.0
"""The Wayland wire format and its core objects: display, registry, callback and output.

An interface is a table of requests and events with the letters of wayland-scanner: i (int), u (uint), f (fixed),
s (string), o (object), n (new id), a (array); ? allows null. A leading number is the version that introduced it.
"""

import collections
import re
import struct

from fakes.server import Connection, SocketServer

SERVER_IDS = 0xFF000000
INVALID_OBJECT, INVALID_METHOD = 0, 1  # wl_display.error

Interface = collections.namedtuple("Interface", "name requests events")
Member = collections.namedtuple("Member", "name arguments since destroys")

# `target` is the resource that the request was sent to.
Request = collections.namedtuple("Request", "target name arguments")


def members(*lines):
    """Returns members from lines such as "3 release! uo?": version, name, "!" for a destructor, arguments."""
    found = []
    for line in lines:
        since, name, destructor, arguments = re.fullmatch(r"(?:(\d) )?(\w+)(!?)(?: (\S+))?", line).groups()
        found.append(Member(name, re.findall(r"\w\??", arguments or ""), int(since or 1), bool(destructor)))
    return tuple(found)


def interface(name, requests=(), events=()):
    return Interface(name, members(*requests), members(*events))


DISPLAY = interface("wl_display", ["sync n", "get_registry n"], ["error ous", "delete_id u"])
REGISTRY = interface("wl_registry", ["bind usun"], ["global usu", "global_remove u"])
CALLBACK = interface("wl_callback", [], ["done u"])
OUTPUT = interface(
    "wl_output",
    ["3 release!"],
    ["geometry iiiiissi", "mode uiii", "2 done", "2 scale i", "4 name s", "4 description s"],
)


class ProtocolError(Exception):
    """A violation of the protocol by the client; ends its connection."""

    def __init__(self, resource, code, message):
        super().__init__(message)
        self.resource = resource
        self.code = code


class Resource:
    """An object of one client. Requests call the method request_NAME, if there is one, and are logged anyway."""

    interface = None

    def __init__(self, client, identifier, version):
        self.client = client
        self.identifier = identifier
        self.version = version
        self.is_alive = True

    def __repr__(self):
        return f"{self.interface.name}#{self.identifier}"

    def send(self, event, *values):
        """Sends an event; one that is newer than the resource's version is left out, as compositors do."""
        for opcode, member in enumerate(self.interface.events):
            if member.name == event:
                if self.is_alive and member.since <= self.version:
                    self.client.send_message(self.identifier, opcode, encode(member.arguments, values))
                return
        raise KeyError(event)

    def fail(self, code, message):
        raise ProtocolError(self, code, message)

    def destroy(self):
        """Removes the resource and announces that its id is free."""
        if self.is_alive:
            self.is_alive = False
            self.destroyed()
            self.client.forget(self)

    def destroyed(self):
        """Called once before the resource is removed."""


def encode(arguments, values):
    """Returns the bytes of an event's arguments."""
    data = b""
    for argument, value in zip(arguments, values, strict=True):
        kind = argument[0]
        if kind in "on":
            data += struct.pack("=I", value.identifier if value else 0)
        elif kind == "f":
            data += struct.pack("=i", round(value * 256))
        elif kind in "sa":
            if kind == "s":
                value = value.encode() + b"\0"
            data += struct.pack("=I", len(value)) + value + bytes(-len(value) % 4)
        else:
            data += struct.pack("=i" if kind == "i" else "=I", value)
    return data


class WaylandClient(Connection):
    """The connection of one client, with its objects."""

    def __init__(self, server, stream):
        super().__init__(server, stream)
        self.resources = {}
        self.next_client_id = 1
        self.next_server_id = SERVER_IDS
        self.create(Display, 1, 1)

    def create(self, kind, identifier, version, *details):
        """Creates a resource with the id that the client chose."""
        if identifier in self.resources or not 0 < identifier <= self.next_client_id:
            raise ProtocolError(self.resources[1], INVALID_OBJECT, f"invalid new id {identifier}")
        self.next_client_id = max(self.next_client_id, identifier + 1)
        return self.add(kind(self, identifier, version, *details))

    def announce(self, kind, version, *details):
        """Creates a resource with an id of the server's range, for an event with a new id."""
        identifier = self.next_server_id
        self.next_server_id += 1
        return self.add(kind(self, identifier, version, *details))

    def add(self, resource):
        self.resources[resource.identifier] = resource
        return resource

    def forget(self, resource):
        del self.resources[resource.identifier]
        if resource.identifier < SERVER_IDS:
            self.resources[1].send("delete_id", resource.identifier)

    def alive(self, kind):
        """Returns the client's resources of a class in the order of their creation."""
        return [resource for resource in self.resources.values() if isinstance(resource, kind)]

    def send_message(self, identifier, opcode, data):
        self.send(struct.pack("=II", identifier, len(data) + 8 << 16 | opcode) + data)

    def receive(self):
        try:
            while len(self.input) >= 8 and self.is_open:
                identifier, word = struct.unpack_from("=II", self.input)
                size, opcode = word >> 16, word & 0xFFFF
                if size < 8 or size % 4:
                    raise ProtocolError(self.resources[1], INVALID_METHOD, f"a message of {size} bytes")
                if len(self.input) < size:
                    return
                message, self.input = self.input[8:size], self.input[size:]
                self.dispatch(identifier, opcode, message)
        except ProtocolError as error:
            self.server.protocol_errors.append(f"{error.resource.interface.name}: {error}")
            resource = error.resource
            self.resources[1].send("error", resource, error.code, str(error))
            self.server.drop(self)

    def ended(self):
        for resource in list(self.resources.values()):
            resource.is_alive = False
            resource.destroyed()

    def dispatch(self, identifier, opcode, message):
        """Handles one request."""
        display = self.resources[1]
        target = self.resources.get(identifier)
        if not target:
            raise ProtocolError(display, INVALID_OBJECT, f"request {opcode} of unknown object {identifier}")
        if opcode >= len(target.interface.requests):
            raise ProtocolError(display, INVALID_METHOD, f"{target} has no request {opcode}")
        member = target.interface.requests[opcode]
        if member.since > target.version:
            raise ProtocolError(display, INVALID_METHOD, f"{target} version {target.version} has no {member.name}")
        values = self.decode(f"{target}.{member.name}", member.arguments, message)
        self.server.requests.append(Request(target, member.name, values))
        handler = getattr(target, "request_" + member.name, None)
        if handler:
            handler(*values)
        if member.destroys:
            target.destroy()

    def decode(self, name, arguments, message):
        """Returns the values of a request; a new id is a number, an object its resource."""
        display = self.resources[1]
        values = []
        offset = 0
        try:
            for argument in arguments:
                (word,) = struct.unpack_from("=i" if argument[0] in "if" else "=I", message, offset)
                offset += 4
                if argument[0] in "sa":
                    data = message[offset : offset + word]
                    offset += word + -word % 4
                    if len(data) < word or offset > len(message) or argument == "s" and data[-1:] != b"\0":
                        raise struct.error
                    word = data[:-1].decode() if argument == "s" else data
                elif argument[0] == "f":
                    word /= 256
                elif argument[0] == "o":
                    if word not in self.resources and (word or argument == "o"):
                        raise ProtocolError(display, INVALID_OBJECT, f"{name} of unknown object {word}")
                    word = self.resources.get(word)
                values.append(word)
            if offset != len(message):
                raise struct.error
        except struct.error:
            raise ProtocolError(display, INVALID_METHOD, f"invalid arguments of {name}") from None
        return values


class Display(Resource):
    interface = DISPLAY

    def request_sync(self, identifier):
        callback = self.client.create(Callback, identifier, 1)
        callback.send("done", 0)
        callback.destroy()

    def request_get_registry(self, identifier):
        registry = self.client.create(Registry, identifier, 1)
        for entry in self.client.server.globals:
            registry.announce(entry)


class Callback(Resource):
    interface = CALLBACK


class Registry(Resource):
    interface = REGISTRY

    def announce(self, entry):
        self.send("global", entry.name, entry.kind.interface.name, entry.version)

    def request_bind(self, name, interface_name, version, identifier):
        for entry in self.client.server.globals + self.client.server.removed_globals:
            if entry.name == name:
                break
        else:
            self.fail(INVALID_OBJECT, f"no global {name}")
        if interface_name != entry.kind.interface.name or not 1 <= version <= entry.version:
            self.fail(INVALID_OBJECT, f"global {name} is no {interface_name} version {version}")
        self.client.create(entry.kind, identifier, version, *entry.details).bound()


class Global:
    """An entry of the registry: binding it creates a `kind` with the given details and calls its bound()."""

    def __init__(self, name, kind, version, details):
        self.name = name
        self.kind = kind
        self.version = version
        self.details = details


class WaylandServer(SocketServer):
    """A display with globals.

    `requests` has every request of every client; `protocol_errors` has what clients did wrong. close() fails if a
    client violated the protocol; a test that expects that clears the list.
    """

    connection_type = WaylandClient

    def __init__(self, path):
        super().__init__(path)
        self.globals = []
        self.removed_globals = []
        self.last_name = 0
        self.requests = []
        self.protocol_errors = []

    def add_global(self, kind, version, *details):
        """Adds a global and announces it."""
        self.last_name += 1
        entry = Global(self.last_name, kind, version, details)
        self.globals.append(entry)
        for registry in self.resources(Registry):
            registry.announce(entry)
        return entry

    def remove_global(self, entry):
        """Removes a global and announces that; bound objects stay.

        A client may still bind it: the announcement may be on its way. Compositors do the same for some seconds.
        """
        self.globals.remove(entry)
        self.removed_globals.append(entry)
        for registry in self.resources(Registry):
            registry.send("global_remove", entry.name)

    def resources(self, kind):
        """Returns the resources of a class of all clients."""
        return [resource for client in self.connections for resource in client.alive(kind)]

    def requests_to(self, kind):
        """Returns (name, arguments) of all requests to resources of a class."""
        with self.lock:
            return [(name, values) for target, name, values in self.requests if isinstance(target, kind)]

    def send_unknown_event(self):
        """Sends an event that wl_display does not have."""
        self.send_raw(struct.pack("=II", 1, 8 << 16 | 99))

    def send_truncated_event(self):
        """Sends a wl_display.error whose text is longer than the message."""
        self.send_raw(struct.pack("=IIIII", 1, 20 << 16, 1, 0, 1000))

    def send_noise(self):
        """Sends bytes that are no message, with an impossible length."""
        self.send_raw(b"\x01\x00\x00\x00\x00\x00\x03\x00HTTP/1.1 400 Bad Request\r\n\r\n")

    def close(self):
        super().close()
        if self.protocol_errors:
            raise AssertionError(f"protocol errors: {self.protocol_errors}")
