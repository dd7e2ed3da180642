#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage (in the VM, by run-in-vm.sh -S): sh rest.sh
# The device rests: wake-ups in motion and at rest with each kind of sensor hub, and the rate and the sensitivity as
# they were found, whatever ends the reading.
# shellcheck source=Tests/vm/common.sh
. ./common.sh
iio=/sys/bus/iio/devices/iio:device0
settings() { echo "$(cat $iio/in_accel_sampling_frequency) $(cat $iio/in_accel_hysteresis)"; }
settings_are() { same "$1" "$(settings)"; }
sensitivity_is() { same "$1" "$(cat $iio/in_accel_hysteresis)"; }
level_is() { sensor_is SensingLevel "$1"; }
switched() { cat "/proc/$(unit MainPID)"/task/*/status | awk '/^voluntary_ctxt_switches/ { n += $2 } END { print n }'; }
count() {  # count SECONDS: prints the wake-ups of all threads a minute
    before=$(switched)
    sleep "$1"
    echo $((($(switched) - before) * 60 / $1))
}
shake() { while :; do hid 0 -1 0.05; sleep 0.2; hid 0 -1 -0.05; sleep 0.2; done; }
turned() { sed -n 's/.*"time":\([0-9.]*\).*"DeviceOrientation":"landscape-left".*/\1/p' /tmp/claim.out | grep .; }
replug() {  # replug KIND
    hid "hub $1"
    hid unplug
    check "$1: unplugged" soon no hid_is_there
    hid plug
    check "$1: the kernel has the sensor" soon hid_is_there
    udevadm settle
}
claim_json() {
    orientctl monitor --json >/tmp/claim.out 2>&1 &
    claimer=$!
    check "claimed" soon grep SensorState /tmp/claim.out
}
lies_on_its_side() { get Gravity | tee /dev/stderr | awk '{ exit !($1 * $1 > 0.95 && $2 * $2 < 0.003) }'; }
release() { kill "$claimer"; wait "$claimer" 2>/dev/null; }

measure() {  # measure KIND LIMIT SECONDS: at most LIMIT wake-ups a minute at rest, counted for SECONDS
    shake &
    shaker=$!
    claim_json
    sleep 2
    moving=$(count 5)
    check "$1: streams in motion" level_is stream
    kill $shaker
    wait $shaker 2>/dev/null
    hid 0 -1 0
    check "$1: dozes after 30 s of rest" within 80 level_is doze
    sleep 2
    resting=$(count "$3")
    echo "$1: wake-ups a minute: $moving in motion, $resting at rest"
    check "$1: at most $2 wake-ups a minute at rest" at_most "$2" "$resting"
    crossed=$(python3 turn.py /tmp/accel 0.8)
    check "$1: a turn from rest is seen" soon turned
    echo "$1: $(echo "$crossed $(turned | head -n 1)" | awk '{ printf "%d", ($2 - $1) * 1000 }') ms from 45 degrees to the signal"
    check "$1: gravity settles on the final pose" soon lies_on_its_side
    release
    check "$1: idle" soon is SensorState idle
}

install_it
systemctl start orientd.service
plug_hid
hid noise 2
check "orientd finds the sensor" soon is HasAccelerometer true

part "rate and sensitivity are as they were found"
echo 10 >$iio/in_accel_sampling_frequency && echo 0.1 >$iio/in_accel_hysteresis
found=$(settings)
rest_it() {
    hid 0 -1 0
    claim_json
    check "$1: at rest the sensor has a sensitivity" soon sensitivity_is 0.030000
}
rest_it "release"
release
check "release at rest" soon settings_are "$found"
rest_it "stop"
systemctl stop orientd.service
check "stop at rest" soon settings_are "$found"
release
systemctl start orientd.service
rest_it "kill"
systemctl kill -s KILL orientd.service
release
check "kill -9 at rest: the next start restores them" soon settings_are "$found"
check "active again" soon unit_is ActiveState active
check "the sensor is found again" soon is HasAccelerometer true
rest_it "sleep"
slept=$(cat /sys/power/suspend_stats/success)
systemctl suspend
check "the machine has slept" within 90 sh -c "[ \$(cat /sys/power/suspend_stats/success) -gt $slept ]"
check "sleep: it rests again after it" soon sensitivity_is 0.030000
release
check "release after a sleep at rest" soon settings_are "$found"
rest_it "unplug"
hid unplug
check "unplug at rest: the sensor is lost" soon is SensorState lost
check "unplug at rest: nothing is kept for a device that is gone" soon no ls /run/orientd/iio:device0.settings
release

part "wake-ups"
hid plug
check "the kernel has the sensor" soon hid_is_there
udevadm settle
check "the sensor is found again" soon is SensorState idle
# Once a minute the hub is asked for one scan: 10 wake-ups were counted on a quiet machine, 16 on a busy one.
measure honours 20 60
for kind in ignores none amd; do
    replug $kind
    measure $kind 105 20
done
replug clamps
claim_json
check "clamps: watched" soon level_is watch
check "clamps: its sensitivity is not used" soon sensitivity_is 0.100000
release
journalctl -u orientd.service --no-pager -o cat | grep -i warning
tail -n 20 accel.log
finish
