#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage (in the VM, as root): scanout.py

Prints the colours of the panel's corners, clockwise from the top left: red, green, blue, yellow, or (RED, GREEN, BLUE).
They are read from the frame buffer that the kernel sends to the first output, so they are what a person would see,
whatever the compositor says of its own pictures.
"""
import array
import fcntl
import mmap
import os
import struct

CARD = "/dev/dri/card0"
COLOURS = {(255, 0, 0): "red", (0, 255, 0): "green", (0, 0, 255): "blue", (255, 255, 0): "yellow"}

# The ioctls' numbers and structures, from include/uapi/drm/drm_mode.h.
GET_RESOURCES = 0xA0, "4Q 8I"  # pointers, counts of frame buffers, CRTCs, connectors and encoders, limits
GET_CRTC = 0xA1, "Q 2I 5I I10H3I32s"  # connectors, CRTC, frame buffer, x, y ..., mode
GET_FRAME_BUFFER = 0xAD, "7I"  # frame buffer, width, height, pitch, bits, depth, handle
MAP_DUMB_BUFFER = 0xB3, "2I Q"  # handle, padding, offset


def ask(card, request, members):
    """Makes an ioctl with these members of its structure, by their indices, and returns all members."""
    number, layout = request
    empty = struct.unpack(layout, bytes(struct.calcsize(layout)))
    argument = bytearray(struct.pack(layout, *(members.get(index, value) for index, value in enumerate(empty))))
    fcntl.ioctl(card, 3 << 30 | len(argument) << 16 | ord("d") << 8 | number, argument)
    return struct.unpack(layout, argument)


def corners(card):
    """Returns the pixels near the corners of the first output."""
    crtcs = array.array("I", bytes(64))
    address, count = crtcs.buffer_info()
    ask(card, GET_RESOURCES, {1: address, 5: count})
    crtc = ask(card, GET_CRTC, {2: crtcs[0]})
    frame_buffer, x, y, width, height = crtc[3], crtc[4], crtc[5], crtc[9], crtc[14]
    pitch, handle = ask(card, GET_FRAME_BUFFER, {0: frame_buffer})[3::3]
    offset = ask(card, MAP_DUMB_BUFFER, {0: handle})[2]
    left, top = width // 8, height // 8
    right, bottom = width - 1 - left, height - 1 - top
    with mmap.mmap(card, (y + height) * pitch, offset=offset, prot=mmap.PROT_READ) as pixels:
        for column, row in ((left, top), (right, top), (right, bottom), (left, bottom)):
            start = (y + row) * pitch + 4 * (x + column)
            blue, green, red = pixels[start : start + 3]
            yield red, green, blue


if __name__ == "__main__":
    descriptor = os.open(CARD, os.O_RDWR | os.O_CLOEXEC)
    print(*(COLOURS.get(colour, colour) for colour in corners(descriptor)))
