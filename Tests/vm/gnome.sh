#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage (in the VM, by run-in-vm.sh -m): sh gnome.sh
# Mutter, the compositor of GNOME, on a convertible without a tablet switch: one setting, and the display rotates while
# it is folded, and has one lock.
# shellcheck source=Tests/vm/tablet.sh
. ./tablet.sh
config=org.gnome.Mutter.DisplayConfig
lock="org.gnome.settings-daemon.peripherals.touchscreen orientation-lock"
display() { by_anna busctl --user "$1" $config /org/gnome/Mutter/DisplayConfig $config "$2"; }  # display VERB NAME
manages() { same "b $1" "$(display get-property PanelOrientationManaged)"; }
# The logical monitor: x, y, scale, transform, whether it is the primary one, and its monitors.
transform() { display call GetCurrentState | sed -n 's/.* \([0-7]\) true 1 "eDP-1" .*/\1/p'; }
transform_is() { same "$1" "$(transform)" || { display call GetCurrentState; false; }; }
is_locked() {
    # shellcheck disable=SC2086
    same "$1" "$(by_anna gsettings get $lock)"
}
set_lock() {
    # shellcheck disable=SC2086
    by_anna gsettings set $lock "$1"
}
shows() {  # shows WHEN TRANSFORM COLOUR...
    when=$1 wanted=$2
    shift 2
    check "$when: mutter's transform is $wanted" soon transform_is "$wanted"
    check "$when: the panel shows $*, clockwise" soon panel_shows "$@"
}

prepare_panel
prepare
part "mutter"
dpkg-query -W mutter
# Its own driver for OpenGL would compile each shader, which takes long here.
session anna /dev/tty1 env XDG_CURRENT_DESKTOP=GNOME GALLIUM_DRIVER=softpipe \
    mutter --wayland --display-server --no-x11 -- sh -c \
    'orient-agent -v 2>/tmp/agent.log & exec python3 -B /bench/corners.py >/tmp/window' >/tmp/mutter.log 2>&1 &
check "mutter runs" within 120 manages false
shows "at first" 0 red green blue yellow
check "without a tablet mode switch mutter does not rotate: it has a pointer" manages false

part "one setting"
set_switch
check "the mode is laptop" soon is TabletMode laptop

part "folded"
becomes_tablet "folded"
check "mutter manages the panel" soon manages true
turn_left() { hid -1 0 0; base -1 0 0; }
turn_up() { hid 0 -1 0; base 0 0 -1; }
turn_left
check "orientd has decided" soon is InterfaceOrientation landscape-right
shows "turned" 3 yellow red green blue

part "locked by the desktop"
claim  # mutter releases the sensor while it is locked, since GNOME 49
set_lock true
check "orientd is locked" soon no is RotationLock off
turn_up
check "the device is upright" soon is DeviceOrientation portrait
shows "locked" 3 yellow red green blue
set_lock false
check "orientd is unlocked" soon is RotationLock off
shows "unlocked" 0 red green blue yellow

part "locked by orientctl"
orientctl lock
check "the desktop is locked" soon is_locked true
turn_left
check "the device is turned" soon is DeviceOrientation landscape-left
shows "locked" 0 red green blue yellow
orientctl unlock
check "the desktop is unlocked" soon is_locked false
shows "unlocked" 3 yellow red green blue
kill "$claimer"

part "unfolded"
hid 0 -1 0
becomes_laptop "unfolded"
check "mutter does not manage the panel" soon manages false
shows "unfolded" 0 red green blue yellow

part "the logs of the session"
cat /tmp/agent.log /tmp/mutter.log /tmp/session.out
finish
