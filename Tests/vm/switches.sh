#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage (in the VM): sh switches.sh
# A laptop with switches for the lid and for tablet mode, with the kernel's input layer and the real udev. Its panel is
# mounted with its left edge up, as the kernel says (scenario.sh).
# shellcheck source=Tests/vm/common.sh
. ./common.sh
volume=115 letter=16  # KEY_VOLUMEUP, KEY_Q
rights() { stat -c '%a %U:%G' "$(node switches)"; }
# Keep logind from suspending the machine when the lid is closed.
systemd-inhibit --what=handle-lid-switch:sleep --mode=block sleep 1000 &
mkdir -p /etc/orientd/orientd.conf.d
printf '[Orientation]\nIdiom=laptop\n' >/etc/orientd/orientd.conf.d/laptop.conf
echo >/dev/tty1  # some kernels have the console on the panel once it prints something
check "the kernel's console is turned" soon grep -x 3 /sys/class/graphics/fbcon/rotate
install_it

part "who may read them"
plug_switches $volume $letter
check "a keyboard's node is not changed" no sh -c "echo '$(rights)' | grep orientd"
unplug_switches
plug_switches $volume
check "the node of switches and hot keys is given to the group" same '660 root:orientd' "$(rights)"
check "they do not start orientd" unit_is ActiveState inactive

part "tablet mode"
plug_hid
hid 0 -1 0
check "the sensor starts orientd" soon unit_is ActiveState active
check "a laptop with a switch: Autorotate is tablet-mode" soon is Autorotate tablet-mode
check "the mode is laptop" is TabletMode laptop
check "the laptop orientation is shown" is InterfaceOrientation landscape-left
claim
check "the device is in portrait" soon is DeviceOrientation portrait
check "the interface does not follow" is InterfaceOrientation landscape-left
switches tablet 1
check "the mode is tablet" soon is TabletMode tablet
check "the interface follows" is InterfaceOrientation portrait

part "the lid"
switches lid 1
hid -1 0 0
check "closed: the device orientation changes" soon is DeviceOrientation landscape-left
check "closed: the interface stays" is InterfaceOrientation portrait
switches lid 0
check "open: the interface follows" soon is InterfaceOrientation landscape-right
switches tablet 0
check "the mode is laptop again" soon is TabletMode laptop
check "the laptop orientation is shown" is InterfaceOrientation landscape-left
kill "$claimer"
check "the sensor is idle" soon is SensorState idle

part "keys on the same device"
wakeups() { awk '/^voluntary/ { print $2 }' "/proc/$(unit MainPID)/status"; }
sleeps() { before=$(wakeups) && sleep 1 && same "$before" "$(wakeups)"; }
check "what is shown has been saved" soon grep -x InterfaceOrientation=landscape-left /var/lib/orientd/state
check "orientd sleeps" soon sleeps
before=$(wakeups)
for _ in 1 2 3 4 5 6 7 8 9 10; do switches key $volume; done
sleep 1
check "ten key presses do not wake orientd" same "$before" "$(wakeups)"
switches tablet 1
check "a switch does" soon is TabletMode tablet

part "unplugged"
unplug_switches
check "the mode is unknown" soon is TabletMode unknown
check "the keyboard with the switch is gone: the laptop turns" is Autorotate tablet-mode
plug_switches $volume
check "plugged in again: the mode is laptop" soon is TabletMode laptop
check "no warning" no sh -c "journalctl -u orientd.service -p warning | grep switch"
finish
