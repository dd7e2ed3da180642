# SPDX-License-Identifier: Apache-2.0
"""Stands in for the kernel behind an event node: the state of axes and switches, and events."""

import contextlib
import errno
import os
import struct
import threading

from gi.repository import GLib, UMockdev

from rig import wait_until

EVENT_SIZE = 24
ABS_INFO_SIZE = 24
EVIOCGABS = 0x80000000 | ABS_INFO_SIZE << 16 | ord("E") << 8 | 0x40  # of axis 0
EVIOCGSW = 0x80000000 | 8 << 16 | ord("E") << 8 | 0x1B  # of 64 switches


def event_node(name="test", number=3, attributes=None, properties=None):
    """Returns an input device and its event node in umockdev's format; the properties are the node's."""
    parent = f"/devices/platform/test/input/input{number}"
    lines = [f"P: {parent}", "E: SUBSYSTEM=input"]
    lines += [f"A: {key}={value}\\n" for key, value in {"name": name, **(attributes or {})}.items()]
    lines += ["", f"P: {parent}/event{number}", f"N: input/event{number}", "E: SUBSYSTEM=input"]
    lines += [f"E: DEVNAME=/dev/input/event{number}"]
    lines += [f"E: {key}={value}" for key, value in (properties or {}).items()]
    return "\n".join(lines) + "\n\n"


class Server:
    """Answers the calls to a mocked node in its own thread, because the test's thread may wait for the daemon.

    `handlers` are those of the signals of UMockdev.IoctlBase.
    """

    def __init__(self, rig, path, **handlers):
        self.path = path
        self.context = GLib.MainContext.new()
        self.loop = GLib.MainLoop.new(self.context, False)
        self.base = UMockdev.IoctlBase()
        for signal, handler in handlers.items():
            self.base.connect(signal, handler)
        attached = threading.Event()
        self.thread = threading.Thread(target=self.serve, args=(rig.testbed, attached), daemon=True)
        self.thread.start()
        attached.wait()

    def serve(self, testbed, attached):
        self.context.push_thread_default()
        testbed.attach_ioctl(self.path, self.base)
        attached.set()
        self.loop.run()

    def stop(self):
        self.loop.quit()
        self.thread.join()


class EventNode:
    """A mocked node of an input device."""

    def __init__(self, rig, axes=(0, 0, 0), resolution=0, switches=0, number=3):
        self.axes = axes
        self.resolution = resolution
        self.switches = switches
        self.seen = None
        self.path = f"/dev/input/event{number}"
        self.fifo = rig.path(self.path)
        self.fifo.unlink()
        os.mkfifo(self.fifo)
        self.descriptor = os.open(self.fifo, os.O_RDWR | os.O_NONBLOCK)
        self.server = Server(rig, self.path, **{"handle-ioctl": self.answer})
        rig.on_close(self.stop)

    def stop(self):
        self.server.stop()
        os.close(self.descriptor)

    def is_open(self, daemon):
        """Returns whether the daemon has the node open."""
        folder = f"/proc/{daemon.pid}/fd"
        for name in os.listdir(folder):
            with contextlib.suppress(FileNotFoundError):  # closed meanwhile
                if os.readlink(f"{folder}/{name}") == str(self.fifo):
                    return True
        return False

    def switch(self, switches):
        """Changes the state of the switches, writes an event, and waits until the daemon has read the new state."""
        self.switches = switches
        os.write(self.descriptor, bytes(EVENT_SIZE))
        wait_until(lambda: self.seen == switches, "the switches are read")

    def answer(self, _base, client):
        request = client.get_request()
        if request == EVIOCGSW:
            self.seen = self.switches
            reply = struct.pack("=Q", self.seen)
        elif 0 <= request - EVIOCGABS < len(self.axes):
            reply = struct.pack("=6i", self.axes[request - EVIOCGABS], -512, 512, 0, 0, self.resolution)
        else:
            client.complete(-1, errno.EINVAL)
            return True
        client.get_arg().resolve(0, len(reply)).update(0, reply)
        client.complete(0, 0)
        return True
