#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage (in the VM, as root, before virtio_gpu is loaded): edp.py

Makes the output of QEMU's graphics card a built-in panel, eDP-1: it changes the type of the connector in the kernel's
module. Mutter and KWin rotate only built-in panels, and no card of QEMU has one.
"""
import os
import re

PATH = "/lib/modules/%s/kernel/drivers/gpu/drm/virtio/virtio-gpu.ko" % os.uname().release
SIGNATURE = b"~Module signature appended~\n"
# mov $TYPE, %ecx; mov CONNECTOR, %rsi; mov DEVICE, %rdi; movq ..., OFFSET(%rbx): the arguments of drm_connector_init().
# Linux 7.2 has mov FUNCTIONS, %rdx and mov %rax, (%rsp) between them, and uses %rbp.
VIRTUAL = re.compile(
    rb"\xb9\x0f\0\0\0(?=\x4c\x89[\xe0-\xff](?:\x48\xc7\xc2.{4})?\x4c\x89[\xe0-\xff](?:\x48\x89\x04\x24)?"
    rb"\x48\xc7[\x83\x85])",
    re.DOTALL,
)
EDP = b"\xb9\x0e\0\0\0"


def main():
    with open(PATH, "rb") as file:
        module = file.read()
    module, count = VIRTUAL.subn(EDP, module)
    if count != 1:
        raise SystemExit("%s: %d places look like the one that sets the connector's type" % (PATH, count))
    # The kernel accepts a module without a signature, but none with a wrong one.
    if module.endswith(SIGNATURE):
        end = len(module) - len(SIGNATURE)
        module = module[:end - 12 - int.from_bytes(module[end - 4:end], "big")]
    with open(PATH, "wb") as file:
        file.write(module)


if __name__ == "__main__":
    main()
