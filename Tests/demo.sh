#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: Tests/demo.sh FOLDER [shell]
# Demonstrates the orientd and orientctl in FOLDER on a private bus, with this machine's accelerometer or, without one,
# with a trace. With "shell", runs a shell in which they and orient-agent can be tried instead, with a simulated device
# that keeps turning. Needs no root; leaves no processes and no files behind.
set -eu
bin=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d "$bin/../demo.XXXXXX")  # others may run it at the same time
bus='' daemon='' monitor=''
finish() {  # finish STATUS: after a failure, prints what the daemons logged
    # shellcheck disable=SC2086
    kill $monitor $daemon $bus 2>/dev/null || :
    wait
    [ "$1" -eq 0 ] || cat "$work"/*.log >&2
    rm -rf "$work"
    exit "$1"
}
trap 'finish $?' EXIT
trap 'exit 130' INT
trap 'exit 1' HUP PIPE TERM

source='replay:Fixtures/turning.csv' name=''
[ $# -lt 2 ] || source=simulate
for device in /sys/bus/iio/devices/*/in_accel_x_raw; do
    if [ -r "$device" ]; then source=auto name=$(cat "${device%/*}/name"); fi
done

# An abstract socket has no file, so the length of this folder's path does not matter.
address=unix:abstract=orientd-demo-$$
dbus-daemon --config-file="$here/Fixtures/private-bus.conf" --address="$address" --nofork --print-address=3 \
    3>"$work/address" 2>"$work/bus.log" &
bus=$!
until [ -s "$work/address" ]; do kill -0 $bus; sleep 0.02; done

export DBUS_SYSTEM_BUS_ADDRESS="$address" PATH="$bin:$PATH"
explain() { printf '\n# %s\n' "$*"; }
show() {  # show COMMAND...: prints the command, then runs it
    echo "\$ $*"
    "$@"
}

(cd "$here" && exec orientd --source "$source") 2>"$work/orientd.log" &
daemon=$!
until orientctl sensors >/dev/null 2>&1; do kill -0 $daemon; sleep 0.02; done

if [ $# -gt 1 ]; then
    echo "orientd runs on a private bus, with ${name:-a simulated device that keeps turning}."
    echo "Try: orientctl status --watch, orientctl lock, orientctl help. \"exit\" ends this."
    echo "Here orientctl needs no sudo, also where its documents have it."
    [ -z "${WAYLAND_DISPLAY:-}${DISPLAY:-}" ] ||
        echo '"orient-agent &" turns the display of sway and the like, until "exit"; GNOME and KDE do not follow.'
    # Without a claim the sensor is not read, and the device appears to stand still.
    orientctl monitor >/dev/null 2>&1 &
    monitor=$!
    until [ "$(orientctl get Claims)" -gt 0 ]; do kill -0 $monitor; sleep 0.02; done
    # The user's own file sets a prompt as well.
    printf '%s\n' '[ ! -r ~/.bashrc ] || . ~/.bashrc' '. <(orientctl completion bash)' \
        "PROMPT_COMMAND= PS1='orientd\$ '" >"$work/bashrc"
    trap : INT
    bash --rcfile "$work/bashrc" || :
    exit 0
fi
if [ -n "$name" ]; then
    explain "orientd runs on a private bus and reads the accelerometer $name. Turn the device; Ctrl-C continues."
else
    explain "orientd runs on a private bus. This machine has no accelerometer: it replays a trace of 20 seconds."
fi
explain "The two landscapes have mirrored names, as in UIKit: upright for landscape-left is landscape-right."
# Ctrl-C ends the monitor only.
trap : INT
show orientctl monitor
trap 'exit 130' INT
[ -n "$name" ] || explain "orientd keeps the last orientation."

explain "Lock the interface to portrait. An application that supports only landscape is still shown in landscape:"
show orientctl lock portrait
show orientctl run --supported=landscape --app=org.example.Player orientctl status
# The request ends a moment after the application.
while [ "$(orientctl requests)" != 'no requests' ]; do kill -0 $daemon; sleep 0.02; done

explain "The application has ended. Rotate by hand; the lock keeps the new orientation:"
show orientctl rotate portrait-upside-down
show orientctl status

explain "Unlock: the interface follows the device again."
show orientctl unlock
show orientctl status

explain "To try orientctl yourself: make try"
