# SPDX-License-Identifier: Apache-2.0
"""A server on a Unix socket in its own thread; the tests script it while clients are connected."""

import collections
import contextlib
import fcntl
import os
import select
import selectors
import socket
import struct
import termios
import threading

from rig import TIMEOUT, wait_until


class Connection:
    """One client of a server; subclasses implement receive()."""

    def __init__(self, server, stream):
        self.server = server
        self.stream = stream
        self.input = b""
        self.is_open = True
        stream.settimeout(TIMEOUT)  # for a client that does not read

    def receive(self):
        """Handles complete messages at the start of `self.input` and removes them."""
        raise NotImplementedError

    def ended(self):
        """Called once when the connection is closed by either side."""

    def send(self, data):
        """Sends bytes; nothing happens if the client has gone."""
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            if self.is_open:
                self.stream.sendall(data)

    def answer(self, data):
        """Sends a reply, or what the test has put in its place."""
        if self.server.replacements:
            data = self.server.replacements.popleft()(data)
        self.send(data)

    def has_unread(self):
        """Returns whether the client or this server has yet to read something."""
        queues = (termios.TIOCOUTQ, termios.FIONREAD) if self.is_open else ()
        return any(struct.unpack("i", fcntl.ioctl(self.stream, queue, bytes(4)))[0] for queue in queues)

    def take_lines(self):
        """Removes the complete lines from the input and returns them without their newlines."""
        *lines, self.input = self.input.split(b"\n")
        return lines


class SocketServer:
    """Listens from start() to stop(), any number of times; `connection_type` is the class of its connections.

    Connections are handled in one thread. Everything that a test reads or changes is protected by `lock`; methods for
    tests take it themselves. close() fails if the thread has failed.
    """

    connection_type = Connection

    def __init__(self, path):
        self.path = path
        self.lock = threading.RLock()
        self.connections = []
        self.accepted = 0
        self.replacements = collections.deque()
        self.failure = None
        self.thread = None

    def start(self):
        """Creates the socket and serves it."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(self.path))
        self.listener.listen()
        self.listener.setblocking(False)
        self.wake_reader, self.wake_writer = os.pipe()
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.listener, selectors.EVENT_READ, self.accept)
        self.selector.register(self.wake_reader, selectors.EVENT_READ, None)
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()
        return self

    def wait_for_connections(self, count):
        """Waits until at least that many clients are connected."""
        wait_until(lambda: len(self.connections) >= count, f"{count} connections to {self.path.name}")

    def stop(self):
        """Closes all connections and removes the socket, as when the compositor ends."""
        if not self.thread:
            return
        os.write(self.wake_writer, b"x")
        self.thread.join()
        self.thread = None
        with self.lock:
            self.path.unlink(missing_ok=True)
            self.listener.close()
            for connection in list(self.connections):
                self.drop(connection)
            self.selector.close()
            os.close(self.wake_reader)
            os.close(self.wake_writer)

    def restart(self):
        """Ends and starts again under the same name, with the same state."""
        self.stop()
        self.start()

    def close(self):
        """Stops for good."""
        self.stop()
        if self.failure:
            raise AssertionError(f"{type(self).__name__} failed") from self.failure

    def disconnect(self):
        """Closes the connection of every client; new ones are accepted."""
        with self.lock:
            for connection in list(self.connections):
                self.drop(connection)

    def replace_replies(self, change, times=1):
        """Sends change(reply) in place of the next replies."""
        with self.lock:
            self.replacements += [change] * times

    def send_raw(self, data):
        """Sends the same bytes to every client."""
        with self.lock:
            for connection in self.connections:
                connection.send(data)

    def has_unread(self):
        """Returns whether a client or this server has yet to read something, or a client is yet to be accepted."""
        if not self.thread:
            return False
        with self.lock:
            is_called = bool(select.select([self.listener], [], [], 0)[0])
            return is_called or any(connection.has_unread() for connection in self.connections)

    def serve(self):
        try:
            while True:
                for key, _ in self.selector.select():
                    if key.fileobj == self.wake_reader:
                        return
                    with self.lock:
                        key.data()
        except BaseException as failure:  # close() reports it in the test's thread
            self.failure = failure

    def accept(self):
        stream, _ = self.listener.accept()
        connection = self.connection_type(self, stream)
        self.accepted += 1
        self.connections.append(connection)
        self.selector.register(stream, selectors.EVENT_READ, lambda: self.read(connection))

    def read(self, connection):
        if not connection.is_open:
            return  # the same round of the selector closed it
        try:
            data = connection.stream.recv(65536)
        except ConnectionResetError:
            data = b""
        if data:
            connection.input += data
            connection.receive()
        else:
            self.drop(connection)

    def drop(self, connection):
        """Closes a connection."""
        if connection.is_open:
            connection.is_open = False
            connection.ended()
            self.selector.unregister(connection.stream)
            connection.stream.close()
            self.connections.remove(connection)
