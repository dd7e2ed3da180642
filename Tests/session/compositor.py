# SPDX-License-Identifier: Apache-2.0
"""Compositors of a Debian tree, headless with two outputs, whose sockets programs outside of the tree can use."""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import socket
import struct
import subprocess
import zlib

from rig import TIMEOUT, die_with_parent, wait_until
from wayland import Display

TREE = pathlib.Path(os.environ.get("SESSION_TREE", "/nonexistent"))

# sway refuses to run as root. This user exists in every Debian system.
USER = 65534
GROUP = 65534
AS_USER = [
    "setpriv",
    f"--reuid={USER}",
    f"--regid={GROUP}",
    "--clear-groups",
    "--pdeathsig=KILL",  # changing the user clears what the parent has set
]

# The panel is a portrait one; the neighbour has another size.
PANEL = "HEADLESS-1"
NEIGHBOUR = "HEADLESS-2"
PANEL_SIZE = (480, 800)
NEIGHBOUR_SIZE = (640, 360)

# The mount namespace is private and ends with its last process: no mount is ever left in the tree.
ENTER = """
mount --rbind /dev "$1/dev"
mount -t proc proc "$1/proc"
mount --bind "$2" "$1/mnt"
tree=$1
shift 2
exec chroot "$tree" "$@"
"""

# Seconds in which a compositor must start, on a loaded machine.
START = 20

RED, GREEN, BLUE, YELLOW = (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 0)
COLOURS = [RED, GREEN, BLUE, YELLOW]  # of the upright picture: top left, top right, bottom right, bottom left


def chunk(kind, data):
    """Returns a chunk of a PNG file."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def wallpaper():
    """Returns a PNG file with a colour in each quarter, sharp enough for any size."""
    size = 256
    halves = [(RED, GREEN), (YELLOW, BLUE)]
    rows = [b"\0" + bytes(left) * (size // 2) + bytes(right) * (size // 2) for left, right in halves]
    header = struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)
    pixels = b"".join(row * (size // 2) for row in rows)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(pixels)) + chunk(b"IEND", b"")
    )


class Head:
    """An output as wlr-randr describes it."""

    def __init__(self, found):
        self.name = found["name"]
        self.enabled = found["enabled"]
        modes = [mode for mode in found["modes"] if mode["current"]]
        self.mode = (modes[0]["width"], modes[0]["height"]) if modes else None
        self.transform = found.get("transform")
        self.scale = found.get("scale")
        self.adaptive_sync = found.get("adaptive_sync")
        position = found.get("position")
        self.position = (position["x"], position["y"]) if position else None

    def __eq__(self, other):
        return vars(self) == vars(other)

    def __repr__(self):
        return f"Head({', '.join(f'{key}={value!r}' for key, value in vars(self).items())})"

    @property
    def size(self):
        """The logical width and height."""
        width, height = (round(length / self.scale) for length in self.mode)
        return (height, width) if self.transform in ("90", "270", "flipped-90", "flipped-270") else (width, height)

    @property
    def rectangle(self):
        """The logical left, top, right and bottom."""
        (x, y), (width, height) = self.position, self.size
        return x, y, x + width, y + height


class Compositor:
    """A compositor in the tree. close() ends it and its clients."""

    name = None
    socket_names = "wayland-?"

    def __init__(self, rig):
        self.rig = rig
        self.folder = rig.directory / "session"  # /mnt in the tree
        self.runtime = self.folder / "runtime"
        self.log_path = rig.directory / f"{self.name}.log"
        self.processes = []
        self.displays = []
        self.process = None
        for folder in (self.folder, self.runtime, self.folder / "home"):
            folder.mkdir(mode=0o700)
            os.chown(folder, USER, GROUP)
        (self.folder / "wallpaper.png").write_bytes(wallpaper())
        self.inner_environment = {
            "PATH": "/usr/sbin:/usr/bin",
            "LANG": "C.UTF-8",
            "HOME": "/mnt/home",
            "XDG_RUNTIME_DIR": "/mnt/runtime",
            "WLR_BACKENDS": "headless",
            "WLR_RENDERER": "pixman",
            "WLR_HEADLESS_OUTPUTS": "2",
            "WLR_LIBINPUT_NO_DEVICES": "1",
        }

    def command(self):
        """Returns the command that starts the compositor, after writing its configuration."""
        raise NotImplementedError

    def arrange(self):
        """Places the neighbour to the right of the panel, both with the sizes of this module."""
        for name, (width, height), left in ((PANEL, PANEL_SIZE, 0), (NEIGHBOUR, NEIGHBOUR_SIZE, PANEL_SIZE[0])):
            self.set_output(name, "--custom-mode", f"{width}x{height}", "--pos", f"{left},0")

    # --- processes

    def in_tree(self, *command):
        """Returns the command that runs `command` in the tree as the user."""
        return ["unshare", "--mount", "--propagation=private", "sh", "-euc", ENTER, "sh", TREE, self.folder] + [
            *AS_USER,
            *command,
        ]

    def spawn(self, *command):
        """Starts a program in the tree that ends with the compositor at the latest."""
        with open(self.log_path, "ab") as log:
            process = subprocess.Popen(
                self.in_tree(*command),
                env=self.inner_environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                preexec_fn=die_with_parent,
            )
        self.processes.append(process)
        return process

    def run(self, *command):
        """Runs a client in the tree until it exits and returns its output; fails if it fails."""
        result = subprocess.run(
            self.in_tree(*command),
            env=self.inner_environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )
        if result.returncode != 0:
            raise AssertionError(f"{' '.join(command)}: exit status {result.returncode}: {result.stderr.strip()}")
        return result.stdout

    def start(self, arrange=True, has_window=False):
        """Starts the compositor and the wallpaper, and returns when both are shown.

        Without `arrange`, the outputs stay as the compositor configures them. With `has_window`, a full-screen window on
        the panel shows the picture instead of the wallpaper.
        """
        self.process = self.spawn(*self.command())
        path = wait_until(self.find_socket, f"{self.name} listens", START)
        self.inner_environment["WAYLAND_DISPLAY"] = path.name
        wait_until(lambda: {PANEL, NEIGHBOUR} <= self.heads().keys(), f"{self.name} has two outputs", START)
        if arrange:
            self.arrange()
        if has_window:
            self.show_window()
        else:
            self.spawn("swaybg", "-m", "stretch", "-i", "/mnt/wallpaper.png")
        wait_until(lambda: sorted(self.corners()) == sorted(COLOURS), "the picture is shown", START)

    def show_window(self):
        """Shows the picture in a full-screen window on the panel, drawn by a program outside of the tree."""
        command = ["python3", "-B", pathlib.Path(__file__).with_name("corners.py"), PANEL]
        environment = os.environ | self.environment()
        with open(self.log_path, "ab") as log:
            process = subprocess.Popen(command, env=environment, stdout=log, stderr=log, preexec_fn=die_with_parent)
        self.processes.append(process)

    def find_socket(self):
        """Returns the path of the socket that accepts connections, or None; fails if the compositor has ended."""
        if self.process.poll() is not None:
            raise AssertionError(f"{self.name} ends with {self.process.returncode}")
        for path in self.runtime.glob(self.socket_names):
            with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as connection:
                connection.connect(str(path))
                return path
        return None

    def stop(self):
        """Ends the compositor and its clients."""
        for display in self.displays:
            display.close()
        self.displays.clear()
        for process in self.processes:
            process.kill()
            process.wait()
        self.processes.clear()

    def environment(self):
        """Returns the variables with which a program outside of the tree, run as the user, is in this session."""
        return {
            "HOME": str(self.folder / "home"),
            "XDG_RUNTIME_DIR": str(self.runtime),
            "WAYLAND_DISPLAY": self.inner_environment["WAYLAND_DISPLAY"],
        }

    def log(self):
        return self.log_path.read_text(errors="replace") if self.log_path.exists() else ""

    # --- outputs

    def heads(self):
        """Returns {name: Head}."""
        try:
            listing = self.run("wlr-randr", "--json")
        except AssertionError:
            if self.process.poll() is not None:
                raise AssertionError(f"{self.name} ends with {self.process.returncode}") from None
            raise
        return {found["name"]: Head(found) for found in json.loads(listing)}

    def set_output(self, *arguments):
        """Changes an output with wlr-randr, as a person does."""
        self.run("wlr-randr", "--output", *arguments)

    def display(self):
        """Returns a new Wayland client of this test."""
        display = Display(self.runtime / self.inner_environment["WAYLAND_DISPLAY"], TIMEOUT)
        self.displays.append(display)
        return display

    def areas(self):
        """Returns {output: (left, top, right, bottom)} in logical pixels, as the compositor computes them."""
        with contextlib.closing(Display(self.runtime / self.inner_environment["WAYLAND_DISPLAY"], TIMEOUT)) as display:
            return display.areas()

    def corners(self, output=PANEL):
        """Returns the colours in the corners of the panel: top left, top right, bottom right, bottom left."""
        with contextlib.closing(Display(self.runtime / self.inner_environment["WAYLAND_DISPLAY"], TIMEOUT)) as display:
            return display.picture(output).corners()


class Sway(Compositor):
    name = "sway"

    def command(self):
        (self.folder / "sway.conf").write_text("xwayland disable\n")
        self.inner_environment.pop("SWAYSOCK", None)
        return ["sway", "-c", "/mnt/sway.conf"]

    def start(self, **options):
        super().start(**options)
        self.inner_environment["SWAYSOCK"] = f"/mnt/runtime/{self.own_socket.name}"

    def environment(self):
        return super().environment() | {"SWAYSOCK": str(self.own_socket)}

    @property
    def own_socket(self):
        """The path of sway's IPC."""
        return self.runtime / f"sway-ipc.{USER}.{self.process.pid}.sock"


class Labwc(Compositor):
    name = "labwc"

    def command(self):
        folder = self.folder / "labwc"
        folder.mkdir(exist_ok=True)
        workspaces = "<desktops><names><name>1</name><name>2</name></names></desktops>"
        (folder / "rc.xml").write_text(f"<labwc_config>{workspaces}</labwc_config>")
        return ["labwc", "-C", "/mnt/labwc"]


class Phoc(Compositor):
    name = "phoc"

    def command(self):
        (self.folder / "phoc.ini").write_text("[core]\nxwayland=false\n")
        return ["phoc", "-C", "/mnt/phoc.ini"]
