#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: docs/tablet.sh FOLDER [tablet] [lock] [run]
# Records docs/tablet.trace, lock.trace and run.trace, or those that are named, with the orientd and orientctl in
# FOLDER, on a private bus: a simulated hand turns the device, to landscape at 2 s, to portrait at 4.5 s and to
# landscape at 7.3 s, and meanwhile a person calls orientctl.
set -eu
bin=$(cd "$1" && pwd)
shift
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
# A film of five seconds.
printf '#!/bin/sh\nexec sleep 5\n' >"$work/mpv"
chmod 755 "$work/mpv"

# Each ends when the monitor has ended, which it does by itself after the last movement, at 18 s.
tablet() {
    sleep 5.8
    "$bin/orientctl" lock
    sleep 3.6
    "$bin/orientctl" run --supported=landscape --app=org.example.Player sleep 2.6
    sleep 1.6
    "$bin/orientctl" unlock
    wait "$monitor"
}

lock() {
    sleep 1
    "$bin/orientctl" lock
    sleep 2.4
    "$bin/orientctl" align
    sleep 2.8
    "$bin/orientctl" unlock
    sleep 3.3
    kill "$monitor"
    wait "$monitor"
}

run() {
    sleep 1
    PATH="$work:$PATH" "$bin/orientctl" run --supported=landscape mpv film.mkv
    sleep 3.5
    kill "$monitor"
    wait "$monitor"
}

[ $# -gt 0 ] || set -- tablet lock run
for name; do
    echo "recording $name.trace"
    "$bin/orientd" --config=/dev/null --source="replay:$here/../Tests/Fixtures/tablet.csv" --record="$work/trace" &
    daemon=$!
    wait_for "$bin/orientctl" sensors
    # The first claim starts the samples.
    "$bin/orientctl" monitor &
    monitor=$!
    "$name"
    monitor=''
    kill "$daemon"
    wait "$daemon"
    daemon=''
    install -m 644 "$work/trace" "$here/$name.trace"
done
