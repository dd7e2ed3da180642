#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: uinput_switch.py FIFO [lid] [tablet] [KEY...]

Simulates an input device with a lid switch or a tablet switch, by default both, and keys with the numbers KEY, through
/dev/uinput. Needs root.

Commands, one per line, read from FIFO:
    lid 0|1 | tablet 0|1    open or close the lid, set laptop or tablet mode
    key NUMBER              press and release a key
    quit                    remove the device
"""
import fcntl
import os
import struct
import sys
import time

EV_SYN, EV_KEY, EV_SW = 0, 1, 5
SWITCHES = {"lid": 0, "tablet": 1}
UI_DEV_CREATE, UI_DEV_SETUP = 0x5501, 0x405C5503
UI_SET_EVBIT, UI_SET_KEYBIT, UI_SET_SWBIT = 0x40045564, 0x40045565, 0x4004556D
BUS_HOST = 0x19


def main(fifo, names, keys):
    device = os.open("/dev/uinput", os.O_WRONLY)

    def send(kind, code, value):
        for event in ((kind, code, value), (EV_SYN, 0, 0)):
            os.write(device, struct.pack("@llHHi", 0, 0, *event))

    switches = [SWITCHES[name] for name in names]
    for kind, request, codes in ((EV_SW, UI_SET_SWBIT, switches), (EV_KEY, UI_SET_KEYBIT, keys)):
        fcntl.ioctl(device, UI_SET_EVBIT, kind)
        for code in codes:
            fcntl.ioctl(device, request, code)
    fcntl.ioctl(device, UI_DEV_SETUP, struct.pack("=4H80sI", BUS_HOST, 1, 1, 1, b"orientd-vm switches", 0))
    fcntl.ioctl(device, UI_DEV_CREATE)
    # Open it for writing too, so that there is no end of file when the other writers close it.
    for line in os.fdopen(os.open(fifo, os.O_RDWR), "r"):
        words = line.split()
        if words == ["quit"]:
            return
        if words[0] == "key":
            send(EV_KEY, int(words[1]), 1)
            time.sleep(0.01)
            send(EV_KEY, int(words[1]), 0)
        else:
            send(EV_SW, SWITCHES[words[0]], int(words[1]))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1], [word for word in sys.argv[2:] if word in SWITCHES] or SWITCHES,
         [int(word) for word in sys.argv[2:] if word not in SWITCHES])
