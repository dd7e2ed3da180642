#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: Benchmarks/replay.sh [ORIENTCTL]
# Prints how fast `orientctl replay` reads a trace of two million lines from a file, and how much memory it uses.
# ORIENTCTL is the program, by default that of the release build.
set -eu

program=${1:-$(dirname "$0")/../.build/bin/orientctl}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM

python3 - "$program" "$folder/trace.csv" <<'EOF'
import math
import os
import random
import sys
import time

program, trace = sys.argv[1:]
LINES = 2_000_000
NAME = os.path.basename(program)[:15]

source = random.Random(20)
with open(trace, "w") as file:
    file.write("t_seconds,x,y,z\n")
    for step in range(LINES):
        roll = math.pi / 2 * (step // 60) + source.gauss(0, 0.1)
        x, y, z = 9 * math.sin(roll), 9 * math.cos(roll), 3 + source.gauss(0, 0.1)
        file.write(f"{step / 15:.6f},{x:.6g},{y:.6g},{z:.6g}\n")

print("classifier  samples/s  CPU s  peak RSS MB")
for classifier in ("base", "robust"):
    begin = time.monotonic()
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.execv(program, [program, "replay", trace, "--classifier", classifier])
    # The child's ru_maxrss includes this interpreter's memory from before exec, so read VmHWM while it runs.
    peak = 0
    while True:
        done, status, usage = os.wait4(child, os.WNOHANG)
        if done:
            break
        with open(f"/proc/{child}/status") as file:
            fields = dict(line.split(":", 1) for line in file)
        if fields["Name"].strip() != NAME:
            continue
        peak = max(peak, int(fields.get("VmHWM", "0").split()[0]))
        time.sleep(0.001)
    elapsed = time.monotonic() - begin
    if status != 0:
        sys.exit(f"{program} failed")
    cpu = usage.ru_utime + usage.ru_stime
    print(f"{classifier}  {LINES / elapsed:.0f}  {cpu:.2f}  {peak / 1024:.1f}")
EOF
