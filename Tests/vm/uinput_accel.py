#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: uinput_accel.py FIFO

Simulates an accelerometer that is an input device, as some drivers still provide them, through /dev/uinput. Needs root.

Commands, one per line, read from FIFO:
    X Y Z    acceleration in g, from now on; initially 0 0 1
    quit     remove the device
"""
import fcntl
import os
import struct
import sys

EV_SYN, EV_ABS = 0, 3
INPUT_PROP_ACCELEROMETER = 6
UI_DEV_CREATE, UI_DEV_SETUP, UI_ABS_SETUP = 0x5501, 0x405C5503, 0x401C5504
UI_SET_EVBIT, UI_SET_PROPBIT = 0x40045564, 0x4004556E
BUS_HOST = 0x19
STEPS_PER_G, MOST = 1000, 2000


def main(fifo):
    device = os.open("/dev/uinput", os.O_WRONLY)
    fcntl.ioctl(device, UI_SET_EVBIT, EV_ABS)
    fcntl.ioctl(device, UI_SET_PROPBIT, INPUT_PROP_ACCELEROMETER)
    for axis, value in enumerate((0, 0, STEPS_PER_G)):
        setup = struct.pack("=H2x6i", axis, value, -MOST, MOST, 0, 0, STEPS_PER_G)
        fcntl.ioctl(device, UI_ABS_SETUP, setup)
    fcntl.ioctl(device, UI_DEV_SETUP, struct.pack("=4H80sI", BUS_HOST, 1, 2, 1, b"orientd-vm accelerometer", 0))
    fcntl.ioctl(device, UI_DEV_CREATE)
    # Open it for writing too, so that there is no end of file when the other writers close it.
    for line in os.fdopen(os.open(fifo, os.O_RDWR), "r"):
        words = line.split()
        if words == ["quit"]:
            return
        for axis, word in enumerate(words):
            os.write(device, struct.pack("@llHHi", 0, 0, EV_ABS, axis, round(float(word) * STEPS_PER_G)))
        os.write(device, struct.pack("@llHHi", 0, 0, EV_SYN, 0, 0))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
