# SPDX-License-Identifier: Apache-2.0
"""A Wayland client that needs no library: it watches the outputs and copies their pixels.

Screenshot programs turn the picture back by the output's transform, so their pictures are upright however the output
is turned. zwlr_screencopy delivers the pixels as the panel has them, which shows where each corner really is.
"""

import array
import os
import select
import socket
import struct

# wl_shm's formats of 4 bytes a pixel, and the offsets of red, green and blue in it.
CHANNELS = {
    0: (2, 1, 0),  # ARGB8888
    1: (2, 1, 0),  # XRGB8888
    0x34324241: (0, 1, 2),  # ABGR8888
    0x34324258: (0, 1, 2),  # XBGR8888
}
Y_INVERT = 1


def string(text):
    """Returns the wire format of a string."""
    data = text.encode() + b"\0"
    return struct.pack("=I", len(data)) + data + b"\0" * (-len(data) % 4)


class Reader:
    """Takes the arguments of an event one after the other."""

    def __init__(self, data):
        self.data = data
        self.offset = 0

    def number(self, code="I"):
        (value,) = struct.unpack_from("=" + code, self.data, self.offset)
        self.offset += 4
        return value

    def integer(self):
        return self.number("i")

    def numbers(self):
        """Takes an array of numbers."""
        length = self.number()
        numbers = struct.unpack_from(f"={length // 4}I", self.data, self.offset)
        self.offset += length
        return numbers

    def string(self):
        length = self.number()
        text = self.data[self.offset : self.offset + length - 1].decode()
        self.offset += (length + 3) & ~3
        return text


class Picture:
    """The pixels of an output, in the order in which the panel shows them."""

    def __init__(self, width, height, stride, shm_format, pixels):
        self.width = width
        self.height = height
        self.stride = stride
        self.channels = CHANNELS[shm_format]
        self.pixels = pixels
        self.inverted = False

    def pixel(self, x, y):
        """Returns (red, green, blue)."""
        if self.inverted:
            y = self.height - 1 - y
        offset = y * self.stride + 4 * x
        return tuple(self.pixels[offset + channel] for channel in self.channels)

    def corners(self):
        """Returns the colours near the panel's corners: top left, top right, bottom right, bottom left."""
        left, top = self.width // 8, self.height // 8
        right, bottom = self.width - 1 - left, self.height - 1 - top
        return [self.pixel(x, y) for x, y in ((left, top), (right, top), (right, bottom), (left, bottom))]


class Output:
    """An output and the transforms that the compositor has announced for it, as numbers of wl_output."""

    def __init__(self, appeared):
        self.appeared = appeared
        self.identifier = None
        self.name = None
        self.pending = None
        self.transforms = []

    def handle(self, opcode, event):
        if opcode == 0:  # geometry
            for _ in range(5):
                event.integer()
            event.string()
            event.string()
            self.pending = event.integer()
        elif opcode == 2:  # done
            if self.pending is not None and self.transforms[-1:] != [self.pending]:
                self.transforms.append(self.pending)
        elif opcode == 4:  # name
            self.name = event.string()
            self.appeared.append(self.name)


class Display:
    """A connection to a compositor."""

    def __init__(self, path, timeout):
        self.timeout = timeout
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(timeout)
        self.socket.connect(str(path))
        self.buffer = b""
        self.handlers = {1: self.handle_display}
        self.last = 1
        self.globals = {}
        self.outputs = {}
        self.appeared = []  # the name of each output whenever it is enabled
        self.registry = self.create(self.handle_registry)
        self.send(1, 1, struct.pack("=I", self.registry))
        self.round_trip()
        self.round_trip()

    def close(self):
        self.socket.close()

    def fileno(self):
        return self.socket.fileno()

    def create(self, handler):
        """Returns the number of a new object whose events go to `handler`."""
        self.last += 1
        self.handlers[self.last] = handler
        return self.last

    def send(self, identifier, opcode, arguments=b"", descriptors=()):
        message = struct.pack("=II", identifier, (8 + len(arguments)) << 16 | opcode) + arguments
        ancillary = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))] if descriptors else []
        sent = self.socket.sendmsg([message], ancillary)
        self.socket.sendall(message[sent:])

    def receive(self):
        """Waits for events and handles them."""
        data = self.socket.recv(65536)
        if not data:
            raise ConnectionError("the compositor closes the connection")
        self.buffer += data
        while len(self.buffer) >= 8:
            identifier, word = struct.unpack_from("=II", self.buffer)
            size = word >> 16
            if len(self.buffer) < size:
                break
            event, self.buffer = self.buffer[8:size], self.buffer[size:]
            self.handlers[identifier](word & 0xFFFF, Reader(event))

    def receive_pending(self):
        """Handles the events that have arrived."""
        while select.select([self.socket], [], [], 0)[0]:
            self.receive()

    def receive_until(self, condition):
        while not condition():
            self.receive()

    def round_trip(self):
        """Returns when the compositor has handled all requests."""
        done = []
        callback = self.create(lambda *_: done.append(True))
        self.send(1, 0, struct.pack("=I", callback))
        self.receive_until(lambda: done)

    def handle_display(self, opcode, event):
        if opcode == 0:
            identifier, code, text = event.number(), event.number(), event.string()
            raise ConnectionError(f"protocol error {code} of object {identifier}: {text}")

    def handle_registry(self, opcode, event):
        number = event.number()
        if opcode == 1:
            self.outputs.pop(number, None)
            return
        interface, version = event.string(), event.number()
        self.globals[interface] = number, version
        if interface == "wl_output":
            output = Output(self.appeared)
            output.identifier = self.bind(interface, 4, output.handle, number)
            self.outputs[number] = output

    def bind(self, interface, version, handler, number=None):
        """Returns the number of a new object for a global one."""
        if number is None:
            number, _ = self.globals[interface]
        identifier = self.create(handler)
        self.send(
            self.registry, 0, struct.pack("=I", number) + string(interface) + struct.pack("=II", version, identifier)
        )
        return identifier

    def output(self, name):
        """Returns the output of that name."""
        (output,) = [output for output in self.outputs.values() if output.name == name]
        return output

    def transforms(self, name):
        """Returns the transforms that the output has had since this client connected, the present one last."""
        self.round_trip()
        return self.output(name).transforms

    def areas(self):
        """Returns {output: (left, top, right, bottom)} in logical pixels, as zxdg_output_manager_v1 says."""
        manager = self.bind("zxdg_output_manager_v1", 3, None)
        found = {}

        def add(output):
            def handle(opcode, event):
                if opcode in (0, 1):  # logical_position, logical_size
                    found.setdefault(output.name, {})[opcode] = event.integer(), event.integer()

            identifier = self.create(handle)
            self.send(manager, 1, struct.pack("=II", identifier, output.identifier))

        for output in self.outputs.values():
            add(output)
        self.round_trip()
        return {name: (*box[0], box[0][0] + box[1][0], box[0][1] + box[1][1]) for name, box in found.items()}

    def follow_windows(self):
        """Returns {window: its states}, which each round trip updates; 2 is the state of the window with the focus."""
        windows = {}

        def add(_opcode, event):
            window = event.number()
            self.handlers[window] = lambda opcode, event: windows.update({window: event.numbers()} if opcode == 4 else {})

        self.bind("zwlr_foreign_toplevel_manager_v1", 3, add)
        return windows

    def show_workspace(self, name):
        """Shows the workspace of that name."""
        names = {}

        def add(opcode, event):
            if opcode == 0:  # workspace_group
                self.handlers[event.number()] = lambda *_: None
            elif opcode == 1:  # workspace
                number = event.number()
                self.handlers[number] = lambda opcode, event: names.update({event.string(): number} if opcode == 1 else {})

        manager = self.bind("ext_workspace_manager_v1", 1, add)
        self.round_trip()
        self.send(names[name], 1)
        self.send(manager, 0)
        self.send(manager, 1)
        self.round_trip()

    def picture(self, name):
        """Returns the pixels of an output."""
        output = self.output(name)
        formats, flags, results = [], [], []

        def handle_frame(opcode, event):
            if opcode == 0:
                formats.append((event.number(), event.number(), event.number(), event.number()))
            elif opcode == 1:
                flags.append(event.number())
            elif opcode in (2, 3):
                results.append(opcode)

        manager = self.bind("zwlr_screencopy_manager_v1", 1, None)
        frame = self.create(handle_frame)
        self.send(manager, 0, struct.pack("=III", frame, 0, output.identifier))
        self.receive_until(lambda: formats or results)
        if results:
            raise ConnectionError(f"the compositor copies no picture of {name}")
        shm_format, width, height, stride = formats[0]
        size = stride * height
        descriptor = os.memfd_create("picture")
        try:
            os.ftruncate(descriptor, size)
            shm = self.bind("wl_shm", 1, lambda *_: None)
            pool, buffer = self.create(lambda *_: None), self.create(lambda *_: None)
            self.send(shm, 0, struct.pack("=Ii", pool, size), [descriptor])
            self.send(pool, 0, struct.pack("=IiiiiI", buffer, 0, width, height, stride, shm_format))
            self.send(frame, 0, struct.pack("=I", buffer))
            self.receive_until(lambda: results)
            if results != [2]:
                raise ConnectionError(f"the compositor copies no picture of {name}")
            picture = Picture(width, height, stride, shm_format, os.pread(descriptor, size, 0))
        finally:
            os.close(descriptor)
        picture.inverted = bool(flags and flags[-1] & Y_INVERT)
        for identifier, opcode in ((frame, 1), (buffer, 0), (pool, 1), (manager, 2)):
            self.send(identifier, opcode)
        return picture
