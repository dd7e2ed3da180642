#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage (in the VM, by run-in-vm.sh -m): sh gnome.sh
# GNOME on a convertible without a tablet switch, as a new user sets it up: the Debian packages, one setting and
# orient-agent's service. While it is folded the display rotates, and has one lock: of the desktop, its key and
# orientctl.
# shellcheck source=Tests/vm/tablet.sh
. ./tablet.sh
# shellcheck source=Tests/vm/core.sh
. ./core.sh
rotate_lock=561  # KEY_ROTATE_LOCK_TOGGLE
manages() {
    config=org.gnome.Mutter.DisplayConfig
    same "b $1" "$(by_anna busctl --user get-property $config "/$(echo $config | tr . /)" $config PanelOrientationManaged)"
}

prepare_panel
prepare
part "GNOME"
dpkg-query -W orientd orient-agent gnome-shell gnome-settings-daemon mutter-common
# In this machine glycin's loader cannot read the wallpaper, and then gnome-shell 51 does not complete its start.
# A notification would cover a corner of the panel.
cat >/usr/share/glib-2.0/schemas/90_vm.gschema.override <<'SETTINGS'
[org.gnome.desktop.background]
picture-options='none'
[org.gnome.desktop.notifications]
show-banners=false
SETTINGS
glib-compile-schemas /usr/share/glib-2.0/schemas
desktop GNOME "gnome-shell --wayland --display-server --no-x11"
check "gnome-shell has started" within 300 grep 'GNOME Shell started' /tmp/session.out
by_anna python3 -B /bench/corners.py >/tmp/window &
check "it has the window" soon grep size /tmp/window
check "it leaves its overview" by_anna busctl --user set-property org.gnome.Shell /org/gnome/Shell \
    org.gnome.Shell OverviewActive b false
by_anna env G_MESSAGES_DEBUG=media-keys-plugin /usr/libexec/gsd-media-keys >/tmp/gsd.log 2>&1 &
shows "at first" 0 red green blue yellow
check "without a tablet mode switch it does not rotate: it has a pointer" manages false

part "the setting, without the service that makes the switch"
systemctl mask --runtime --now orientd-tablet-switch.socket
complains() { by_anna orientctl status | grep 'in spite of TabletSwitch=yes'; }
ask_for_switch
check "the hinge is known" soon is TabletMode laptop
check "a switch that may still come is no problem" no complains
check "one that does not come is a problem" within 60 complains
systemctl unmask --runtime orientd-tablet-switch.socket

part "one setting, and the agent's service"
set_switch
check "the mode is laptop" soon is TabletMode laptop
start_agent

part "folded"
becomes_tablet "folded"
check "gnome-shell manages the panel" soon manages true
turn_left() { hid -1 0 0; base -1 0 0; }
turn_up() { hid 0 -1 0; base 0 0 -1; }
turn_left
check "orientd has decided" soon is InterfaceOrientation landscape-right
shows "turned" 3 yellow red green blue

part "locked by the desktop"
claim  # gnome-shell releases the sensor while it is locked, since GNOME 49
orientation_lock set true
check "orientd is locked" soon no is RotationLock off
turn_up
check "the device is upright" soon is DeviceOrientation portrait
shows "locked" 3 yellow red green blue
orientation_lock set false
check "orientd is unlocked" soon is RotationLock off
shows "unlocked" 0 red green blue yellow

part "locked by orientctl"
orientctl lock
check "the desktop is locked" soon desktop_locks true
turn_left
check "the device is turned" soon is DeviceOrientation landscape-left
shows "locked" 0 red green blue yellow
orientctl align
shows "aligned under the lock" 3 yellow red green blue
check "the desktop is locked again" soon desktop_locks true
orientctl rotate portrait
shows "rotated under the lock" 0 red green blue yellow
check "the desktop is locked again" soon desktop_locks true
orientctl run --supported=landscape sleep 60 &
running=$!
shows "while a command that supports landscape runs" 3 yellow red green blue
kill $running
shows "after it" 0 red green blue yellow
check "the desktop is locked again" soon desktop_locks true
orientctl unlock
check "the desktop is unlocked" soon desktop_locks false
shows "unlocked" 3 yellow red green blue

part "locked by the key, which gnome-settings-daemon handles"
plug_switches lid $rotate_lock
check "libinput has it" soon grep 'DEVICE_ADDED.*orientd-vm switches' /tmp/libinput
check "gnome-settings-daemon has its keys" soon grep 'Grab call completed' /tmp/gsd.log
switches key $rotate_lock
check "the desktop is locked" soon desktop_locks true
check "orientd is locked" soon no is RotationLock off
turn_up
check "the device is upright" soon is DeviceOrientation portrait
shows "locked" 3 yellow red green blue
switches key $rotate_lock
check "the desktop is unlocked" soon desktop_locks false
check "orientd is unlocked" soon is RotationLock off
shows "unlocked" 0 red green blue yellow
unplug_switches
kill "$claimer"

part "unfolded"
becomes_laptop "unfolded"
check "gnome-shell does not manage the panel" soon manages false
shows "unfolded" 0 red green blue yellow

part "the sensors of Qualcomm's sensor core, with that of the hinge, instead of both accelerometers"
hid quit
base quit
plug_core
start_core
check "the tablet mode is unknown" soon is TabletMode unknown
orientctl tablet-mode tablet
check "gnome-shell manages the panel, as set by hand" soon manages true
core accel 9.8 0 0
shows "turned" 3 yellow red green blue
orientctl tablet-mode toggle
shows "a laptop, as set by hand while it is turned" 0 red green blue yellow
check "gnome-shell does not manage the panel" soon manages false
core accel 0 9.8 0
orientctl tablet-mode auto
core hinge on
core angle 90
fold() { core angle 270; }
unfold() { core angle 90; }
check "the mode is laptop" soon is TabletMode laptop
becomes_tablet "folded"
check "gnome-shell manages the panel" soon manages true
core accel 9.8 0 0
check "orientd has decided" soon is InterfaceOrientation landscape-right
shows "turned" 3 yellow red green blue
core accel 0 9.8 0
shows "turned back" 0 red green blue yellow
core accel 9.8 0 0
shows "turned" 3 yellow red green blue
becomes_laptop "unfolded while it is turned"
check "gnome-shell does not manage the panel" soon manages false
shows "unfolded while it is turned" 0 red green blue yellow

desktop_logs
cat /tmp/gsd.log
finish
