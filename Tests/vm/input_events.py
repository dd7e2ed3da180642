#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage (in the VM, as root): input_events.py NAME

Prints what the kernel reports of the input device NAME, whether or not libinput uses it: "key CODE VALUE", with the
value 1 for a press and 0 for a release, and "switch CODE VALUE".
"""
import glob
import struct
import sys

WORDS = {1: "key", 5: "switch"}
EVENT = struct.Struct("@llHHi")


def find(wanted):
    """Returns the device's node."""
    for path in glob.glob("/sys/class/input/event*/device/name"):
        with open(path) as name:
            if name.read().strip() == wanted:
                return "/dev/input/" + path.split("/")[4]
    raise SystemExit(f"there is no {wanted}")


if __name__ == "__main__":
    with open(find(sys.argv[1]), "rb", buffering=0) as node:
        print("reading", node.name, flush=True)
        while event := node.read(EVENT.size):
            _, _, kind, code, value = EVENT.unpack(event)
            if kind in WORDS:
                print(WORDS[kind], code, value, flush=True)
