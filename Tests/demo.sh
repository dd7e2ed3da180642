#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: Tests/demo.sh FOLDER
# Shows the orientd and orientctl of FOLDER at work on a bus of their own: with this machine's accelerometer, or with
# a trace. Needs no root; leaves nothing running and nothing behind.
set -eu
bin=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
work=$bin/../demo
rm -rf "$work"
mkdir -p "$work"
bus='' daemon=''
# shellcheck disable=SC2154  # status is set where the trap runs
trap 'status=$?; kill $daemon $bus 2>/dev/null || :; wait; rm -rf "$work"; exit $status' EXIT
trap 'exit 130' INT
trap 'exit 1' HUP TERM

source='replay:Fixtures/turning.csv' what='a simulated trace: no accelerometer here'
for device in /sys/bus/iio/devices/*/in_accel_x_raw; do
    if [ -r "$device" ]; then source=auto what="the accelerometer $(cat "${device%/*}/name")"; fi
done

# An abstract socket has no file, so the path of this folder can be as long as it likes.
address=unix:abstract=orientd-demo-$$
cat >"$work/bus.conf" <<CONF
<busconfig>
  <type>session</type>
  <listen>$address</listen>
  <policy context="default"><allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/></policy>
</busconfig>
CONF
dbus-daemon --config-file="$work/bus.conf" --nofork --print-address=3 3>"$work/address" 2>"$work/bus.log" &
bus=$!
until [ -s "$work/address" ]; do kill -0 $bus; sleep 0.02; done

export DBUS_SYSTEM_BUS_ADDRESS="$address" PATH="$bin:$PATH"
show() {  # show COMMAND...: what a person would type, and what comes of it
    echo "\$ $*"
    "$@"
}

echo "orientd on a private bus, with $what"
(cd "$here" && exec orientd --source "$source") &
daemon=$!
until orientctl sensors >/dev/null 2>&1; do kill -0 $daemon; sleep 0.02; done

# Ctrl-C ends the monitor alone.
trap : INT
show orientctl monitor
trap 'exit 130' INT
show orientctl lock portrait
show orientctl run --supported=landscape orientctl status
show orientctl rotate portrait-upside-down
show orientctl status
show orientctl unlock
