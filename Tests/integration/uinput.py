# SPDX-License-Identifier: Apache-2.0
"""Stands in for the kernel behind /dev/uinput, and for systemd, which starts orientd-tablet-switch."""

import errno
import os
import select
import socket
import struct

from evdev import Server
from rig import BUILD, TIMEOUT, Program

UI_DEV_CREATE = 0x5501
UI_DEV_SETUP = 0x405C5503
UI_SET_EVBIT = 0x40045564
UI_SET_PHYS = 0x4008556C
UI_SET_SWBIT = 0x4004556D
EVENT_SIZE = 24
EV_SYN, EV_SW = 0, 5
SW_TABLET_MODE = 1
BUS_VIRTUAL = 6
PROGRAM = "orientd-tablet-switch"


class Uinput:
    """Answers for a mocked /dev/uinput; `states` has all that the switch was set to."""

    def __init__(self, rig, refusal=0):
        self.exists = False
        self.refusal = refusal
        self.requests = []
        self.states = []
        self.bits = set()
        self.phys = self.identity = None
        rig.add_device("P: /devices/virtual/misc/uinput\nN: uinput\nE: DEVNAME=/dev/uinput\nE: SUBSYSTEM=misc\n\n")
        server = Server(rig, "/dev/uinput", **{"handle-ioctl": self.answer, "handle-write": self.write})
        rig.on_close(server.stop)

    def answer(self, _base, client):
        request, argument = client.get_request(), client.get_arg()
        self.requests.append(request)
        if self.refusal:
            client.complete(-1, self.refusal)
            return True
        value = int.from_bytes(argument.retrieve()[:4], "little")
        if request in (UI_SET_EVBIT, UI_SET_SWBIT):
            self.bits.add((request, value))
        elif request == UI_SET_PHYS:
            self.phys = argument.resolve(0, 64).retrieve().split(b"\0")[0].decode()
        elif request == UI_DEV_SETUP:
            bus, vendor, product, version, name, _ = struct.unpack("=4H80sI", argument.resolve(0, 92).retrieve())
            self.identity = (bus, vendor, product, version, name.rstrip(b"\0").decode())
        elif request == UI_DEV_CREATE:
            self.exists = True
        client.complete(0, 0)
        return True

    def write(self, _base, client):
        data = client.get_arg().retrieve()
        if self.exists:
            self.states.append(state_of(data))
            client.complete(len(data), 0)
        else:
            client.complete(-1, errno.EINVAL)
        return True


def state_of(data):
    """Returns the state that a write of two events sets, and checks that it is one of the tablet switch."""
    events = [struct.unpack_from("@llHHi", data, offset)[2:] for offset in range(0, len(data), EVENT_SIZE)]
    (kind, code, value), end = events
    assert (kind, code, end) == (EV_SW, SW_TABLET_MODE, (EV_SYN, 0, 0)), events
    return value


class SwitchProgram(Program):
    """orientd-tablet-switch as systemd starts it, with a socket, and other descriptors by their names."""

    def __init__(self, rig, listener, environment=None, **passed):
        environment = {"LD_PRELOAD": "", **rig.mocked_environment(), **(environment or {})}
        names = {"connection": listener, **passed}

        def become_service():
            for number, descriptor in enumerate([os.dup(file.fileno()) for file in names.values()], 3):
                os.dup2(descriptor, number)
            variables = {"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": str(len(names))}
            variables["LISTEN_FDNAMES"] = ":".join(names)
            os.execve(BUILD / PROGRAM, [PROGRAM], environment | variables)

        super().__init__(rig, PROGRAM, [], environment, become_service)

    def close(self):
        self.may_end |= self.process.poll() == 0  # it ends with its connection
        super().close()


class SwitchSocket:
    """The socket on which systemd listens for orientd; starts the program."""

    def __init__(self, rig):
        self.rig = rig
        self.path = str(rig.directory / "tablet-switch.socket")
        self.listen()
        rig.on_close(lambda: self.listener.close())

    def listen(self):
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen()

    def remove(self):
        """Ends it, as if the unit was not there."""
        self.listener.close()
        os.unlink(self.path)

    def connections(self):
        """Returns how many connections wait; 1 stands for more, too."""
        return len(select.select([self.listener], [], [], 0)[0])

    def start(self, **passed):
        """Starts the program, which the rig ends."""
        program = SwitchProgram(self.rig, self.listener, **passed)
        self.rig.daemons.append(program)
        return program

    def connect(self):
        """Connects as orientd."""
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(TIMEOUT)
        connection.connect(self.path)
        self.rig.on_close(connection.close)
        return connection
