#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage (in the VM): sh hinge.sh
# A convertible without a tablet switch: a HID accelerometer in its display, and one on I2C that hwdb says is in the base.
# shellcheck source=Tests/vm/common.sh
. ./common.sh
base() { sh i2c_stub_accel.sh set "$@"; }  # base X Y Z: with the lid closed both read alike, but for a HID sensor's sign
stays() { no within 4 no is "$@"; }        # stays PROPERTY VALUE
mkdir -p /etc/orientd/orientd.conf.d
printf '[Orientation]\nIdiom=convertible\n' >/etc/orientd/orientd.conf.d/convertible.conf
printf 'sensor:modalias:i2c:lis3dh:*\n ACCEL_LOCATION=base\n' >/etc/udev/hwdb.d/61-sensor-local.hwdb
systemd-hwdb update
udevadm control --reload
install_it

part "two accelerometers"
plug_hid
hid 0 -1 0
check "the base's probes" sh i2c_stub_accel.sh create lis3dh
base 0 0 -1
check "orientd has both" soon sh -c "orientctl sensors | grep -q 'lis3dh (base)'"
orientctl sensors
check "a convertible that tells its mode follows it" is Autorotate tablet-mode
check "unclaimed nobody reads them" is TabletMode unknown

part "the angle"
claim
check "90°: a laptop" soon is TabletMode laptop
base 0 0 1
check "270°: a tablet" soon is TabletMode tablet
check "which follows the device" soon is InterfaceOrientation portrait
hid -1 0 0
base -1 0 0
check "a hinge that stands upright: it turns" soon is InterfaceOrientation landscape-right
check "and stays a tablet" stays TabletMode tablet
hid 0 -1 0
base 0 0 -1
check "90°: a laptop again" soon is TabletMode laptop
check "which shows its orientation" is InterfaceOrientation portrait
base 0 0 1.3
check "a base that is shaken tells nothing" stays TabletMode laptop

part "a switch beside it"
plug_switches 115
base 0 0 1
check "the switch counts" stays TabletMode laptop
unplug_switches
check "without it the angle does" soon is TabletMode tablet

part "without the base"
check "lis3dh removed" sh i2c_stub_accel.sh destroy
check "nothing tells" soon is TabletMode unknown
kill "$claimer"
finish
