# SPDX-License-Identifier: Apache-2.0
"""X servers, and what their clients do: a window with coloured corners, focus, and the layout of the outputs."""

import os
import re
import signal
import subprocess

from Xlib import X, Xatom
from Xlib.display import Display
from Xlib.ext import randr, xinput

from rig import wait_until

# The corners of the upright picture: top left, top right, bottom right, bottom left.
RED, GREEN, BLUE, WHITE = 0xFF0000, 0x00FF00, 0x0000FF, 0xFFFFFF
CORNERS = (RED, GREEN, BLUE, WHITE)
COLOURS = {RED: "red", GREEN: "green", BLUE: "blue", WHITE: "white"}
CORNER_SIZE = 40

# RandR's rotations by the names of wl_output's transforms.
ROTATIONS = {"normal": 1, "90": 2, "180": 4, "270": 8}


class XServer:
    """A running X server; it ends with the rig."""

    def __init__(self, rig, *command, **environment):
        reading, writing = os.pipe()
        self.process = rig.spawn(
            [*command, "-displayfd", str(writing), "-noreset", "-nolisten", "tcp"],
            env=rig.plain_environment | environment,
            pass_fds=(writing,),
        )
        os.close(writing)
        with open(reading, encoding="ascii") as pipe:
            number = pipe.readline().strip()
        if not number:
            raise AssertionError(f"{command[0]} does not start")
        self.name = f":{number}"
        self.display = Display(self.name)
        self.root = self.display.screen().root
        rig.on_close(self.stop)

    def stop(self):
        """Ends the server, which removes its files in /tmp."""
        self.resume()
        self.process.terminate()
        self.process.wait()

    def suspend(self):
        """Stops the server, which then neither answers nor ends."""
        self.process.send_signal(signal.SIGSTOP)

    def resume(self):
        self.process.send_signal(signal.SIGCONT)

    def run(self, *command):
        """Runs a client, which must succeed, and returns its output."""
        environment = {"PATH": os.environ["PATH"], "DISPLAY": self.name}
        result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=10)
        if result.returncode:
            raise AssertionError(f"{command}: {result.stderr}")
        return result.stdout

    # --- outputs ---

    def size(self):
        """Returns the size of the screen."""
        geometry = self.root.get_geometry()
        return geometry.width, geometry.height

    def crtcs(self):
        """Returns the CRTC of each output that is on, by name."""
        resources = randr.get_screen_resources_current(self.root)
        found = {}
        for output in resources.outputs:
            info = randr.get_output_info(self.display, output, resources.config_timestamp)
            if info.crtc:
                found[info.name] = randr.get_crtc_info(self.display, info.crtc, resources.config_timestamp)
        return found

    def rotation(self, name):
        """Returns the rotation of an output by its name as a transform; None while it is off."""
        crtc = self.crtcs().get(name)
        rotation = crtc and crtc.rotation
        return next((name for name, value in ROTATIONS.items() if value == rotation), rotation)

    def rectangles(self):
        """Returns x, y, width and height of each output."""
        return {name: (crtc.x, crtc.y, crtc.width, crtc.height) for name, crtc in self.crtcs().items()}

    # --- pictures ---

    def corner_colours(self, x, y, width, height):
        """Returns the colours in the corners of a part of the screen, clockwise from the top left."""
        inset = CORNER_SIZE // 2
        left, top, right, bottom = x + inset, y + inset, x + width - inset, y + height - inset
        return tuple(self.pixel(*place) for place in ((left, top), (right, top), (right, bottom), (left, bottom)))

    def pixel(self, x, y):
        data = self.root.get_image(x, y, 1, 1, X.ZPixmap, 0xFFFFFF).data
        return int.from_bytes(data[:3], "little")

    # --- input ---

    def matrix(self, device):
        """Returns the Coordinate Transformation Matrix of a device."""
        listing = self.run("xinput", "list-props", device)
        values = re.search(r"Coordinate Transformation Matrix \(\d+\):(.*)", listing).group(1)
        return tuple(float(value) for value in values.split(","))

    def set_matrix(self, device, matrix):
        self.run("xinput", "set-prop", device, "Coordinate Transformation Matrix", *map(str, matrix))

    def set_node(self, device, node):
        """Sets the property that tells which node of the kernel a device is read from."""
        number = int(self.run("xinput", "list", "--id-only", device))
        values = (8, (node + "\0").encode())
        xinput.change_device_property(self.root, number, self.atom("Device Node"), Xatom.STRING, 0, values)
        self.display.sync()

    # --- windows ---

    def window(self, name="Example", fullscreen=False):
        """Creates a window as window managers know it."""
        window = self.root.create_window(0, 0, 100, 100, 0, X.CopyFromParent)
        window.set_wm_class(name.lower(), name)
        self.set_fullscreen(window, fullscreen)
        window.map()
        self.display.sync()
        return window

    def move(self, window, x, y, width, height):
        window.configure(x=x, y=y, width=width, height=height)
        self.display.sync()

    def set_fullscreen(self, window, fullscreen):
        states = [self.atom("_NET_WM_STATE_FULLSCREEN")] if fullscreen else []
        window.change_property(self.atom("_NET_WM_STATE"), Xatom.ATOM, 32, states)
        self.display.sync()

    def focus(self, window):
        """Tells all clients, as a window manager does, which window is active."""
        self.root.change_property(self.atom("_NET_ACTIVE_WINDOW"), Xatom.WINDOW, 32, [window.id if window else 0])
        self.display.sync()

    def atom(self, name):
        return self.display.intern_atom(name)


class CornersWindow:
    """A window that covers the screen, with a colour in each corner."""

    def __init__(self, server):
        self.server = server
        self.window = server.root.create_window(0, 0, 100, 100, 0, X.CopyFromParent, override_redirect=True)
        self.context = self.window.create_gc()
        self.window.map()

    def draw(self):
        """Draws the window as large as the screen is now."""
        width, height = self.server.size()
        self.window.configure(x=0, y=0, width=width, height=height)
        self.fill(0x404040, 0, 0, width, height)
        right, bottom = width - CORNER_SIZE, height - CORNER_SIZE
        for colour, (x, y) in zip(CORNERS, ((0, 0), (right, 0), (right, bottom), (0, bottom))):
            self.fill(colour, x, y, CORNER_SIZE, CORNER_SIZE)
        self.server.display.sync()

    def fill(self, colour, x, y, width, height):
        self.context.change(foreground=colour)
        self.window.fill_rectangle(self.context, x, y, width, height)


def wait_for_corners(window, shown, expected, area):
    """Draws a window until a server shows these colours in the corners of an area."""
    found = []

    def is_shown():
        window.draw()
        found[:] = [shown.corner_colours(*area)]
        return found[0] == expected

    try:
        wait_until(is_shown, "")
    except AssertionError:
        names = [tuple(COLOURS.get(colour, hex(colour)) for colour in colours) for colours in (found[0], expected)]
        raise AssertionError(f"the corners are {names[0]} instead of {names[1]}") from None
