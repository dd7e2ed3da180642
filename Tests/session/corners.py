#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: corners.py [OUTPUT]

Shows a full-screen window on OUTPUT, or where the compositor puts it, with four coloured quarters, clockwise from the
top left: red, green, blue, yellow. Prints a line when it is shown in another size, "size WIDTH HEIGHT", and for each
touch, "touch COLOUR X Y".
"""
import os
import struct
import sys

import wayland

COLOURS = {"red": (255, 0, 0), "green": (0, 255, 0), "blue": (0, 0, 255), "yellow": (255, 255, 0)}
XRGB8888 = 1
FIRST_SIZE = 64, 64  # until the compositor says another one
TOUCH = 4  # wl_seat.capability


class Window:
    """A full-screen window."""

    def __init__(self, display, output=0):
        self.display = display
        self.wanted, self.shown, self.touch = (0, 0), None, None
        compositor = display.bind("wl_compositor", 1, None)
        self.shm = display.bind("wl_shm", 1, lambda *_: None)
        self.base = display.bind("xdg_wm_base", 1, self.handle_base)
        self.seat = display.bind("wl_seat", 1, self.handle_seat)
        self.surface = display.create(lambda *_: None)
        self.role = display.create(self.handle_role)
        toplevel = display.create(self.handle_toplevel)
        display.send(compositor, 0, struct.pack("=I", self.surface))
        display.send(self.base, 2, struct.pack("=II", self.role, self.surface))
        display.send(self.role, 1, struct.pack("=I", toplevel))
        display.send(toplevel, 3, wayland.string("org.orientd1.corners"))
        display.send(toplevel, 11, struct.pack("=I", output))  # set_fullscreen
        display.send(self.surface, 6)

    def handle_base(self, opcode, event):
        self.display.send(self.base, 3, struct.pack("=I", event.number()))  # pong

    def handle_toplevel(self, opcode, event):
        if opcode == 0:
            self.wanted = event.integer(), event.integer()

    def handle_role(self, opcode, event):
        """Draws the window in the size that the compositor wants."""
        self.display.send(self.role, 4, struct.pack("=I", event.number()))
        wanted = self.wanted if all(self.wanted) else FIRST_SIZE
        if wanted != self.shown:
            self.shown = wanted
            self.draw(*self.shown)
            print("size", *self.shown, flush=True)
        self.display.send(self.surface, 6)

    def draw(self, width, height):
        red, green, blue, yellow = (bytes((b, g, r, 0)) for r, g, b in COLOURS.values())
        upper = red * (width // 2) + green * (width - width // 2)
        lower = yellow * (width // 2) + blue * (width - width // 2)
        descriptor = os.memfd_create("window")
        with os.fdopen(descriptor, "wb", closefd=False) as file:
            file.write(upper * (height // 2) + lower * (height - height // 2))
        pool, buffer = self.display.create(None), self.display.create(lambda *_: None)
        self.display.send(self.shm, 0, struct.pack("=Ii", pool, width * height * 4), [descriptor])
        os.close(descriptor)
        self.display.send(pool, 0, struct.pack("=IiiiiI", buffer, 0, width, height, width * 4, XRGB8888))
        self.display.send(self.surface, 1, struct.pack("=Iii", buffer, 0, 0))
        self.display.send(self.surface, 2, struct.pack("=iiii", 0, 0, width, height))

    def handle_seat(self, opcode, event):
        """Follows the touch screen when the seat has one."""
        if opcode == 0 and event.number() & TOUCH and not self.touch:
            self.touch = self.display.create(self.handle_touch)
            self.display.send(self.seat, 2, struct.pack("=I", self.touch))

    def handle_touch(self, opcode, event):
        if opcode == 0:  # down
            _, _, _, _, x, y = (event.integer() for _ in range(6))
            width, height = self.shown
            colours = (("red", "green"), ("yellow", "blue"))
            print("touch", colours[y >= height * 128][x >= width * 128], x // 256, y // 256, flush=True)


if __name__ == "__main__":
    connection = wayland.Display(os.path.join(os.environ["XDG_RUNTIME_DIR"], os.environ["WAYLAND_DISPLAY"]), None)
    Window(connection, connection.output(sys.argv[1]).identifier if len(sys.argv) > 1 else 0)
    while True:
        connection.receive()
