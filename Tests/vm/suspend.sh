#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage (in the VM, by run-in-vm.sh -S): sh suspend.sh
# logind suspends the machine (s2idle) while the sensor is claimed, and a key press resumes it.
# shellcheck source=Tests/vm/common.sh
. ./common.sh
powered() { grep -oE 'power=[0-9]' accel.log | tail -n 1; }

install_it
plug_hid
hid 0 -1 0
claim
check "portrait" soon is InterfaceOrientation portrait
check "the HID sensor has full power" same power=2 "$(powered)"
first=$(unit MainPID)

part "a buffered sensor"
sleep_once "HID"
check "HID: the orientation stays" is InterfaceOrientation portrait
check "HID: buffered again" sensor_is Mode buffer
hid -1 0 0
check "HID: a new edge is followed" soon is InterfaceOrientation landscape-right

part "beside a program that reads the attributes"
# Each of its readings makes the kernel forget that the sensor is to be on after the sleep.
python3 -c '
import time
while True:
    for axis in "xyz":
        try:
            open("/sys/bus/iio/devices/iio:device0/in_accel_%s_raw" % axis).read()
        except OSError as error:
            print(error, flush=True)
    time.sleep(0.05)' >/tmp/reader &
reader=$!
hid 0 -1 0
check "beside a reader: a new edge is followed" soon is InterfaceOrientation portrait
may_be_lost=1
sleep_once "beside a reader"
unset may_be_lost
hid -1 0 0
check "beside a reader: a new edge is followed after the sleep" soon is InterfaceOrientation landscape-right
check "beside a reader: the sensor has full power" same power=2 "$(powered)"
kill "$reader"
sort /tmp/reader | uniq -c

part "locked, and rotated by hand"
orientctl lock
orientctl rotate portrait
sleep_once "locked"
check "locked: the orientation that was rotated to stays" is InterfaceOrientation portrait
orientctl unlock
check "unlocked: the interface follows the device" soon is InterfaceOrientation landscape-right
orientctl rotate portrait
sleep_once "rotated"
check "rotated: the first reading counts as a turn" soon is InterfaceOrientation landscape-right

part "a polled sensor"
hid quit
wait "$hid"
check "the kernel has no HID sensor" soon no hid_is_there
check "kxcjk1013 probes" sh i2c_stub_accel.sh create kxcjk1013
sh i2c_stub_accel.sh set 0 -1 0
check "kxcjk1013: the interface follows" soon is InterfaceOrientation portrait
sleep_once "kxcjk1013"
sh i2c_stub_accel.sh set 1 0 0
check "kxcjk1013: a new edge is followed" soon is InterfaceOrientation landscape-left
check "the same process throughout" unit_is MainPID "$first"
kill "$claimer"
cat accel.log
finish
