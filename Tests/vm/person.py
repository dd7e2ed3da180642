#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: person.py FIFO ACTION... -- COMMAND...

Simulates a person at a terminal of 100 columns. Runs COMMAND, which is `orientctl calibrate`. Each time COMMAND asks
for Enter, takes the next ACTION:
    X,Y,Z    sets the acceleration of the HID sensor through FIFO (see uhid_accel.py) and presses Enter
    ^C       presses Ctrl-C
Prints what the terminal shows at the end; if a line was overwritten, its last content. Exits with COMMAND's status.
"""
import fcntl
import os
import select
import struct
import sys

TIOCSWINSZ = 0x5414  # Debian's python3-minimal has no termios
QUESTION = b"press Enter and hold it still: "
TIMEOUT = 60  # seconds without output


def main(fifo, actions, command):
    process, terminal = os.forkpty()
    if process == 0:
        fcntl.ioctl(0, TIOCSWINSZ, struct.pack("4H", 30, 100, 0, 0))
        os.execvp(command[0], command)
    said = b""
    asked = 0
    while select.select([terminal], [], [], TIMEOUT)[0]:
        try:
            said += os.read(terminal, 65536)
        except OSError:  # the last process that had the terminal open has exited
            break
        if said.count(QUESTION) == asked:
            continue
        asked += 1
        action = actions.pop(0) if actions else "^C"
        if action == "^C":
            os.write(terminal, b"\x03")
        else:
            with open(fifo, "w") as sensor:
                sensor.write(action + "\n")
            os.write(terminal, b"\n")
    os.close(terminal)  # sends SIGHUP to processes that still run
    for line in said.decode().replace("\r\n", "\n").rstrip("\n").split("\n"):
        print(line.split("\r")[-1])
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


if __name__ == "__main__":
    if "--" not in sys.argv[2:-1]:
        sys.exit(__doc__)
    end = sys.argv.index("--")
    sys.exit(main(sys.argv[1], sys.argv[2:end], sys.argv[end + 1:]))
