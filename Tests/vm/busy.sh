#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage (in the VM, by run-in-vm.sh -S): sh busy.sh
# Another program at chips whose drivers answer EBUSY to readers of the attributes while the buffer runs. Debian 12 has
# no trigger by the clock, and a chip of i2c-stub no interrupt.
# shellcheck source=Tests/vm/common.sh
. ./common.sh
device=/sys/bus/iio/devices/iio:device0
cat >/tmp/game <<'END'
# Reads the chip's buffer, by the clock's trigger, and leaves all that running when it is killed.
import os
os.chdir("/sys/bus/iio/devices/iio:device0")
buffer = os.open("/dev/iio:device0", os.O_RDONLY)
for file, text in [("trigger/current_trigger", "clock")] + \
        [("scan_elements/in_accel_%s_en" % axis, "1") for axis in "xyz"] + [("buffer/enable", "1")]:
    open(file, "w").write(text)
while os.read(buffer, 64): pass
END
cat >/tmp/reader <<'END'
# Reads the attributes, and counts the answers.
import collections, time
answers = collections.Counter()
while True:
    for axis in "xyz":
        try:
            open("/sys/bus/iio/devices/iio:device0/in_accel_%s_raw" % axis).read()
            answers["value"] += 1
        except OSError as error:
            answers[error.strerror] += 1
    open("/tmp/answers", "w").write("%s\n" % dict(answers))
    time.sleep(0.05)
END
is_busy() { cat $device/in_accel_x_raw 2>&1 | grep 'Device or resource busy' || { cat /tmp/game.out; false; }; }
names_game() { orientctl doctor 2>/dev/null | grep -F "python3 (process $game) has /dev/iio:device0 open"; }
reports_busy() { orientctl sensors | grep 'Device or resource busy'; }
warns_once() {  # the attributes and the buffer are busy, each for itself
    journalctl -u orientd.service -o cat --after-cursor="$cursor" >/tmp/news
    grep 'in_accel_x_raw: Device or resource busy$' /tmp/news && ! sort /tmp/news | uniq -d | grep .
}

install_it
check "the kernel has a trigger by the clock" modprobe iio-trig-hrtimer
mount -t configfs configfs /sys/kernel/config
mkdir /sys/kernel/config/iio/triggers/hrtimer/clock
echo 25 >/sys/bus/iio/devices/trigger0/sampling_frequency
systemctl start orientd.service

# mma8452 comes last: when its driver is removed, it unregisters the trigger, whoever registered that.
for chip in kxcjk1013 lis3dh mxc4005 mma8452; do
    part "$chip"
    check "$chip probes" sh i2c_stub_accel.sh create $chip
    sh i2c_stub_accel.sh set 0 -1 0
    claim
    check "$chip: sampling" soon is SensorState sampling
    check "$chip: polled" soon sensor_is Mode poll
    check "$chip: portrait" soon is DeviceOrientation portrait

    cursor=$(journalctl -u orientd.service -n 0 --show-cursor | sed -n 's/^-- cursor: //p')
    python3 /tmp/game >/tmp/game.out 2>&1 &
    game=$!
    check "$chip: the kernel answers EBUSY while a program reads the buffer" soon is_busy
    check "$chip: lost" soon is SensorState lost
    check "$chip: orientctl sensors says why" soon reports_busy
    check "$chip: doctor names the program" soon names_game
    check "$chip: the log says it once" warns_once
    kill -KILL $game
    check "$chip: the buffer runs on" is_busy
    check "$chip: sampling once the program has ended" soon is SensorState sampling
    check "$chip: from the buffer" soon sensor_is Mode buffer
    check "$chip: the orientation stays" is DeviceOrientation portrait
    sh i2c_stub_accel.sh set -1 0 0
    check "$chip: a new edge is followed" soon is DeviceOrientation landscape-left

    : >/tmp/claim.out
    python3 /tmp/reader &
    reader=$!
    sh i2c_stub_accel.sh set 0 1 0
    check "$chip: beside a reader of the attributes: a new edge is followed" soon is DeviceOrientation portrait-upside-down
    check "$chip: which gets EBUSY" soon grep -q 'Device or resource busy' /tmp/answers
    check "$chip: and no value" no grep value /tmp/answers
    check "$chip: nothing is lost" no grep 'SensorState=' /tmp/claim.out
    sleep_once "$chip"
    check "$chip: buffered again" sensor_is Mode buffer
    sh i2c_stub_accel.sh set 0 -1 0
    check "$chip: a new edge is followed after the sleep" soon is DeviceOrientation portrait
    kill $reader
    cat /tmp/answers
    kill "$claimer"
    check "$chip: orientd stops the buffer" soon grep -qx 0 $device/buffer/enable
    check "$chip is removed" sh i2c_stub_accel.sh destroy
    check "$chip: orientd has no sensor" soon is HasAccelerometer false
done
finish
