#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: docs/tablet.sh FOLDER
# Records docs/tablet.trace with the orientd and orientctl in FOLDER, on a private bus: a simulated hand turns the
# device, and meanwhile the interface is locked, an application requests landscape, and the interface is unlocked.
set -eu
bin=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
bus='' daemon='' monitor=''
trap 'kill $monitor $daemon $bus 2>/dev/null || :; rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

wait_for() { until "$@" >/dev/null 2>&1; do sleep 0.02; done; }
address=unix:path=$work/bus
export DBUS_SYSTEM_BUS_ADDRESS="$address"
dbus-daemon --config-file="$here/../Tests/Fixtures/private-bus.conf" --address="$address" --nofork &
bus=$!
wait_for test -S "$work/bus"
"$bin/orientd" --config=/dev/null --source="replay:$here/../Tests/Fixtures/tablet.csv" --record="$work/trace" &
daemon=$!
wait_for "$bin/orientctl" sensors

# The first claim starts the samples.
"$bin/orientctl" monitor &
monitor=$!
sleep 5.8
"$bin/orientctl" lock
sleep 3.6
"$bin/orientctl" run --supported=landscape --app=org.example.Player sleep 2.6
sleep 1.6
"$bin/orientctl" unlock
# The monitor ends when the samples end.
wait $monitor
monitor=''
cp "$work/trace" "$here/tablet.trace"
