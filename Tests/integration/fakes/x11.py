# SPDX-License-Identifier: Apache-2.0
"""A connection to an X server that changes bytes of the replies."""

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


class GarblingProxy(FakeServer):
    """Forwards connections to the X server `name`, and garbles one reply in four after the first `intact` ones.

    Kind, sequence number and length of a reply stay, so that it arrives; what is in it is random.
    """

    def __init__(self, name, seed, intact):
        super().__init__()
        self.server = str(SOCKETS / f"X{name.removeprefix(':')}")
        self.random = random.Random(seed)
        self.intact = intact
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
            threading.Thread(target=self.forward, args=(client, server), daemon=True).start()
            threading.Thread(target=self.garble, args=(server, client), daemon=True).start()

    def forward(self, client, server):
        try:
            while data := client.recv(65536):
                server.sendall(data)
            server.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # one end has closed

    def garble(self, server, client):
        replies = 0
        try:
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
        except (OSError, ValueError):
            pass  # one end has closed
