#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage (in the VM, by run-in-vm.sh): sh soak.sh
# Five minutes of use on a real kernel: turns, plug and unplug, locks, requests, clients that are killed, users that
# polkit refuses, a polkit that restarts. What orientd has while nobody uses it, memory, descriptors, threads and match
# rules, is compared between the second and the last third. Tests/soak compares processor time, too, which depends on
# the host here.
# shellcheck source=Tests/vm/common.sh
. ./common.sh
duration=300
curve=/tmp/curve
now() { cut -d. -f1 /proc/uptime; }
memory() { awk '/^Private_Dirty/ { print $2 }' "/proc/$pid/smaps_rollup"; }
descriptors() { find "/proc/$pid/fd" -mindepth 1 | wc -l; }
threads() { awk '/^Threads/ { print $2 }' "/proc/$pid/status"; }
rules() {
    busctl call org.freedesktop.DBus /org/freedesktop/DBus org.freedesktop.DBus.Debug.Stats GetConnectionStats s \
        org.orientd1 | sed -n 's/.*"MatchRules" u \([0-9]*\).*/\1/p'
}
expect() {  # expect COMMAND...: a check that is only printed if it fails
    found=$(soon "$@") || check "round $round: $*: $found" false
}
turn() {  # turn X Y Z EDGE
    hid "$1 $2 $3"
    expect is InterfaceOrientation "$4"
}

use() {
    orientctl monitor >/dev/null 2>&1 &
    killed=$!
    orientctl monitor --json --full >/dev/null 2>&1 &
    ended=$!
    expect is Claims 2
    turn 0 -1 0 portrait
    turn -1 0 0 landscape-right
    turn 1 0 0 landscape-left
    orientctl lock portrait
    expect is InterfaceOrientation portrait
    orientctl lock off
    expect is InterfaceOrientation landscape-left
    orientctl run --supported=portrait sleep 60 &
    asking=$!
    expect is InterfaceOrientation portrait
    expect refused as anna orientctl lock
    kill -9 $killed $asking
    expect is InterfaceOrientation landscape-left
    if [ $((round % 3)) -eq 0 ]; then
        hid unplug
        expect is SensorState lost
        hid plug
        expect is SensorState sampling
    fi
    [ $((round % 5)) -ne 0 ] || systemctl restart polkit.service
    kill $ended
    wait $killed $asking $ended 2>/dev/null
    expect is Claims 0
    expect is SensorState idle
}

median() {  # median COLUMN FIRST LAST: that of the rounds FIRST to LAST
    sed -n "$2,$3p" $curve | cut -d' ' -f"$1" | sort -n |
        awk '{ value[NR] = $1 } END { print value[int((NR + 1) / 2)] }'
}
compare() {  # compare WHAT COLUMN SLACK: the last third against the second
    before=$(median "$2" $((round / 3 + 1)) $((round * 2 / 3)))
    after=$(median "$2" $((round * 2 / 3 + 1)) "$round")
    echo "$1: $before, and $after at the end"
    check "$1 must not grow" at_most $((before + $3)) "$after"
}

install_it
systemctl start orientd.service
plug_hid
expect is HasAccelerometer true
pid=$(unit MainPID)

part "five minutes of use"
round=0
end=$(($(now) + duration))
while [ "$(now)" -lt $end ]; do
    round=$((round + 1))
    use
    echo "$(memory) $(descriptors) $(threads) $(rules)" >>$curve
done
echo "$round rounds"
check "at least 9 rounds" at_most "$round" 9
check "the same process throughout" unit_is MainPID "$pid"
compare "private dirty memory in kB" 1 64
compare "descriptors" 2 0
compare "threads" 3 0
compare "match rules" 4 0
finish
