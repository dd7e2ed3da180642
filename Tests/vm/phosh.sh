#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage (in the VM): sh phosh.sh
# Phosh on a tablet, with the Debian packages and orient-agent's service: the display rotates, and has one lock, of the
# desktop and of orientctl.
# shellcheck source=Tests/vm/tablet.sh
. ./tablet.sh

prepare_panel
install_it
runtime=/run/user/$(id -u anna)
plug_hid
hid 0 -1 0
plug_touch

part "Phosh"
dpkg-query -W phosh phoc
desktop Phosh:GNOME "phoc -E '/usr/libexec/phosh --unlocked'"
check "phoc runs" within 300 transform_is 0
by_anna python3 -B /bench/corners.py >/tmp/window &
start_agent
shows "at first" 0 red green blue yellow
hid -1 0 0
shows "turned" 3 yellow red green blue

part "locked by the desktop, unlocked by orientctl"
orientation_lock set true
check "orientd is locked" soon no is RotationLock off
claim  # phosh releases the sensor while it is locked
hid 0 -1 0
check "the device is upright" soon is DeviceOrientation portrait
shows "locked" 3 yellow red green blue
orientctl unlock
check "the desktop is unlocked" soon desktop_locks false
shows "unlocked" 0 red green blue yellow

part "locked by orientctl, unlocked by the desktop"
orientctl lock
check "the desktop is locked" soon desktop_locks true
hid -1 0 0
check "the device is turned" soon is DeviceOrientation landscape-left
shows "locked" 0 red green blue yellow
orientation_lock set false
check "orientd is unlocked" soon is RotationLock off
shows "unlocked" 3 yellow red green blue
kill "$claimer"

desktop_logs
finish
