# SPDX-License-Identifier: Apache-2.0
"""Connections to an X server that change requests or replies."""

import pathlib
import random
import socket
import threading

SOCKETS = pathlib.Path("/tmp/.X11-unix")
HEADER = 32
REPLY, GENERIC_EVENT = 1, 35


class FakeServer:
    """A socket where clients look for the X server `self.name`."""

    def __init__(self):
        if not SOCKETS.exists():  # no X server has run since the machine was started
            SOCKETS.mkdir(exist_ok=True)
            SOCKETS.chmod(0o1777)
        self.listener = socket.socket(socket.AF_UNIX)
        for number in range(1000, 2000):
            self.path = SOCKETS / f"X{number}"
            try:
                self.listener.bind(str(self.path))
                break
            except OSError:
                continue  # another one has it
        self.name = f":{number}"
        self.listener.listen()

    def close(self):
        self.listener.close()
        self.path.unlink()


class Proxy(FakeServer):
    """Forwards connections to the X server `name`."""

    def __init__(self, name):
        super().__init__()
        self.server = str(SOCKETS / f"X{name.removeprefix(':')}")
        self.connections = []
        threading.Thread(target=self.accept, daemon=True).start()

    def close(self):
        super().close()
        for connection in self.connections:
            connection.close()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            server.connect(self.server)
            self.connections += [client, server]
            for forward, ends in ((self.forward_requests, (client, server)), (self.forward_replies, (server, client))):
                threading.Thread(target=self.run, args=(forward, *ends), daemon=True).start()

    def run(self, forward, *ends):
        try:
            forward(*ends)
        except (OSError, ValueError):
            pass  # one end has closed

    def forward_requests(self, client, server):
        self.copy(client, server)
        server.shutdown(socket.SHUT_WR)

    def forward_replies(self, server, client):
        self.copy(server, client)

    def copy(self, source, target):
        while data := source.recv(65536):
            target.sendall(data)


class RefusingProxy(Proxy):
    """Makes the server refuse RandR's descriptions of the screen; `opcode` is RandR's major one."""

    REFUSED = 25  # GetScreenResourcesCurrent
    NO_REQUEST = 255

    def __init__(self, name, opcode):
        self.opcode = opcode
        super().__init__(name)

    def forward_requests(self, client, server):
        with client.makefile("rb") as stream:
            setup = stream.read(12)
            texts = (int.from_bytes(setup[start : start + 2], "little") for start in (6, 8))
            server.sendall(setup + stream.read(sum((length + 3) // 4 * 4 for length in texts)))
            while header := stream.read(4):
                request = bytearray(header + stream.read(4 * int.from_bytes(header[2:4], "little") - 4))
                if request[:2] == bytes((self.opcode, self.REFUSED)):
                    request[1] = self.NO_REQUEST
                server.sendall(request)


class GarblingProxy(Proxy):
    """Garbles one reply in four after the first `intact` ones.

    Kind, sequence number and length of a reply stay, so that it arrives; what is in it is random.
    """

    def __init__(self, name, seed, intact):
        self.random = random.Random(seed)
        self.intact = intact
        super().__init__(name)

    def forward_replies(self, server, client):
        replies = 0
        with server.makefile("rb") as stream:
            setup = stream.read(8)
            client.sendall(setup + stream.read(4 * int.from_bytes(setup[6:8], "little")))
            while header := stream.read(HEADER):
                message = bytearray(header)
                kind = message[0] & 0x7F
                if kind in (REPLY, GENERIC_EVENT):
                    message += stream.read(4 * int.from_bytes(message[4:8], "little"))
                replies += kind == REPLY
                if kind == REPLY and replies > self.intact and self.random.random() < 0.25:
                    first = self.random.randrange(8, len(message))
                    last = min(len(message), first + self.random.randrange(1, 12))
                    message[first:last] = self.random.randbytes(last - first)
                client.sendall(message)
