#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage (in the VM, as root): keys.py

Prints what the kernel reports of the PS/2 keyboard, whether or not libinput uses it: "key CODE VALUE", with the value 1
for a press and 0 for a release.
"""
import glob
import struct

EV_KEY = 1
EVENT = struct.Struct("@llHHi")


def find():
    """Returns the keyboard's node."""
    for path in glob.glob("/sys/class/input/event*/device/name"):
        with open(path) as name:
            if name.read().strip() == "AT Translated Set 2 keyboard":
                return "/dev/input/" + path.split("/")[4]
    raise SystemExit("there is no PS/2 keyboard")


if __name__ == "__main__":
    with open(find(), "rb", buffering=0) as node:
        print("reading", node.name, flush=True)
        while event := node.read(EVENT.size):
            _, _, kind, code, value = EVENT.unpack(event)
            if kind == EV_KEY:
                print("key", code, value, flush=True)
