#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage (in the VM, by run-in-vm.sh -m): sh kwin.sh
# KWin, the compositor of Plasma, on a convertible without a tablet switch: it enters its tablet mode when the hinge is
# folded, and rotates in it.
# shellcheck source=Tests/vm/tablet.sh
. ./tablet.sh
tablet_mode_is() {
    same "b $1" "$(by_anna busctl --user get-property org.kde.KWin /org/kde/KWin org.kde.KWin.TabletModeManager tabletMode)"
}
claims() { get SensorProxyClients | grep -E '":[0-9]'; }

prepare_panel
prepare
part "KWin"
dpkg-query -W kwin-wayland
set_switch
session anna /dev/tty1 env KWIN_COMPOSE=Q kwin_wayland >/tmp/kwin.log 2>&1 &
check "KWin runs" within 120 tablet_mode_is false
by_anna python3 -B /bench/corners.py >/tmp/window &
check "the panel shows the window" soon panel_shows red green blue yellow

part "folded"
becomes_tablet "folded"
check "KWin is in tablet mode" soon tablet_mode_is true
hid -1 0 0
base -1 0 0
check "KWin has rotated the panel" soon transform_is 3

part "locked, rotated and requested"
check "KWin claims the accelerometer" soon claims
orientctl lock
hid 0 -1 0
base 0 0 -1
check "locked: the device is upright" soon is DeviceOrientation portrait
check "locked: KWin keeps the rotation" transform_is 3
orientctl rotate landscape-left
check "rotated by hand: KWin follows" soon transform_is 1
orientctl unlock
check "unlocked: KWin follows the device" soon transform_is 0
orientctl run --supported=landscape-right sleep 600 &
run=$!
check "a program that supports one edge only: KWin follows" soon transform_is 3
kill "$run"
check "the program has ended: KWin follows the device" soon transform_is 0
hid -1 0 0
base -1 0 0
check "the device turns: KWin follows" soon transform_is 3

part "orientctl doctor in the session"
by_anna env XDG_CURRENT_DESKTOP=KDE orientctl doctor >/tmp/doctor
# Since 6.7, KWin reads the sensor without Qt.
if dpkg --compare-versions "$(dpkg-query -W -f '${Version}' kwin-wayland)" ge 4:6.6.80; then
    check "KWin needs no part of Qt" no ls /usr/lib/*/qt6/plugins/sensors/libqtsensors_iio-sensor-proxy.so
fi
check "doctor misses no part of Qt" no grep 'part of Qt' /tmp/doctor
grep -E '^[a-z]+ +(desktop|sensor proxy):' /tmp/doctor

part "orientd is killed"
hid 0 -1 0
base 0 0 -1
check "upright again" soon transform_is 0
forget
systemctl kill -s KILL orientd.service
check "the switch goes off, and on again" soon states_are 0 1
check "KWin is in tablet mode again" soon tablet_mode_is true

part "unfolded"
becomes_laptop "unfolded"
check "KWin is not in tablet mode" soon tablet_mode_is false

part "the logs of the session"
cat /tmp/kwin.log /tmp/session.out
finish
