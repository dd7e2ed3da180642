#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage (in the VM): sh hinge.sh
# A convertible without a tablet switch: a HID accelerometer in the display and an I2C one that hwdb places in the base.
# shellcheck source=Tests/vm/common.sh
. ./common.sh
# base X Y Z: with the lid closed, both accelerometers read the same except for the sign of z of a HID sensor.
base() { sh i2c_stub_accel.sh set "$@"; }
stays() { no within 4 no is "$@"; }  # stays PROPERTY VALUE
mkdir -p /etc/orientd/orientd.conf.d
printf '[Orientation]\nIdiom=convertible\n' >/etc/orientd/orientd.conf.d/convertible.conf
printf 'sensor:modalias:i2c:lis3dh:*\n ACCEL_LOCATION=base\n' >/etc/udev/hwdb.d/61-sensor-local.hwdb
systemd-hwdb update
udevadm control --reload
install_it

part "two accelerometers"
plug_hid
hid 0 -1 0
check "the driver of the base accelerometer probes" sh i2c_stub_accel.sh create lis3dh
base 0 0 -1
check "orientd has both" soon sh -c "orientctl sensors | grep -q 'lis3dh (base)'"
orientctl sensors
check "a convertible with a known mode: Autorotate is tablet-mode" is Autorotate tablet-mode
check "without a claim they are not read" is TabletMode unknown

part "the angle"
claim
check "90°: a laptop" soon is TabletMode laptop
base 0 0 1
check "270°: a tablet" soon is TabletMode tablet
check "a tablet follows the device" soon is InterfaceOrientation portrait
hid -1 0 0
base -1 0 0
check "upright hinge: the interface turns" soon is InterfaceOrientation landscape-right
check "upright hinge: still a tablet" stays TabletMode tablet
hid 0 -1 0
base 0 0 -1
check "90°: a laptop again" soon is TabletMode laptop
check "a laptop shows the laptop orientation" is InterfaceOrientation portrait
base 0 -0.985 0.174
check "350° in one move: a tablet" soon is TabletMode tablet
base 0 0 -1
check "90° in one move: a laptop" soon is TabletMode laptop
base 0 0 1.3
check "shaking the base does not change the mode" stays TabletMode laptop

part "with a tablet switch"
plug_switches 115
base 0 0 1
check "the switch decides" stays TabletMode laptop
unplug_switches
check "without the switch the angle decides" soon is TabletMode tablet

part "without the base"
check "lis3dh is removed" sh i2c_stub_accel.sh destroy
check "the mode is unknown" soon is TabletMode unknown
kill "$claimer"
finish
