#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: uinput_touch.py FIFO

Simulates the touch screen of the panel through /dev/uinput. Needs root.

Commands, one per line, read from FIFO:
    X Y      touch the panel and release it, at thousandths of its width and height when it is upright
    quit     remove the device
"""
import fcntl
import os
import struct
import sys
import time

EV_SYN, EV_KEY, EV_ABS = 0, 1, 3
BTN_TOUCH = 0x14A
ABS_X, ABS_Y, ABS_MT_SLOT, ABS_MT_POSITION_X, ABS_MT_POSITION_Y, ABS_MT_TRACKING_ID = 0, 1, 0x2F, 0x35, 0x36, 0x39
INPUT_PROP_DIRECT = 1
UI_DEV_CREATE, UI_DEV_SETUP, UI_ABS_SETUP = 0x5501, 0x405C5503, 0x401C5504
UI_SET_EVBIT, UI_SET_KEYBIT, UI_SET_PROPBIT = 0x40045564, 0x40045565, 0x4004556E
BUS_I2C = 0x18
MOST, STEPS_PER_MM = 1000, 5


def main(fifo):
    device = os.open("/dev/uinput", os.O_WRONLY)

    def send(*events):
        for kind, code, value in (*events, (EV_SYN, 0, 0)):
            os.write(device, struct.pack("@llHHi", 0, 0, kind, code, value))

    fcntl.ioctl(device, UI_SET_EVBIT, EV_KEY)
    fcntl.ioctl(device, UI_SET_KEYBIT, BTN_TOUCH)
    fcntl.ioctl(device, UI_SET_EVBIT, EV_ABS)
    fcntl.ioctl(device, UI_SET_PROPBIT, INPUT_PROP_DIRECT)
    for axis, most, steps in ((ABS_X, MOST, STEPS_PER_MM), (ABS_Y, MOST, STEPS_PER_MM), (ABS_MT_SLOT, 1, 0),
                              (ABS_MT_POSITION_X, MOST, STEPS_PER_MM), (ABS_MT_POSITION_Y, MOST, STEPS_PER_MM),
                              (ABS_MT_TRACKING_ID, 65535, 0)):
        fcntl.ioctl(device, UI_ABS_SETUP, struct.pack("=H2x6i", axis, 0, 0, most, 0, 0, steps))
    fcntl.ioctl(device, UI_DEV_SETUP, struct.pack("=4H80sI", BUS_I2C, 1, 3, 1, b"orientd-vm touch screen", 0))
    fcntl.ioctl(device, UI_DEV_CREATE)
    # Open it for writing too, so that there is no end of file when the other writers close it.
    for number, line in enumerate(os.fdopen(os.open(fifo, os.O_RDWR), "r")):
        words = line.split()
        if words == ["quit"]:
            return
        x, y = (int(word) for word in words)
        send((EV_ABS, ABS_MT_SLOT, 0), (EV_ABS, ABS_MT_TRACKING_ID, number), (EV_ABS, ABS_MT_POSITION_X, x),
             (EV_ABS, ABS_MT_POSITION_Y, y), (EV_KEY, BTN_TOUCH, 1), (EV_ABS, ABS_X, x), (EV_ABS, ABS_Y, y))
        time.sleep(0.05)  # a finger stays for a moment
        send((EV_ABS, ABS_MT_TRACKING_ID, -1), (EV_KEY, BTN_TOUCH, 0))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
