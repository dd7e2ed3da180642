#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage (in the VM): sh switches.sh
# A laptop with switches for its lid and for tablet mode, by the kernel's input layer and the real udev.
# shellcheck source=Tests/vm/common.sh
. ./common.sh
volume=115 letter=16  # KEY_VOLUMEUP, KEY_Q
rights() { stat -c '%a %U:%G' "$(node switches)"; }
# logind would put the machine to sleep at a closed lid.
systemd-inhibit --what=handle-lid-switch:sleep --mode=block sleep 1000 &
mkdir -p /etc/orientd/orientd.conf.d
printf '[Orientation]\nIdiom=laptop\nLaptopOrientation=landscape-left\n' >/etc/orientd/orientd.conf.d/laptop.conf
install_it

part "who may read them"
plug_switches $volume $letter
check "a keyboard's node is left alone" no sh -c "echo '$(rights)' | grep orientd"
unplug_switches
plug_switches $volume
check "the node of switches and hot keys is the group's" same '660 root:orientd' "$(rights)"
check "they start nothing" unit_is ActiveState inactive

part "tablet mode"
plug_hid
hid 0 -1 0
check "the sensor starts orientd" soon unit_is ActiveState active
check "the laptop has a switch, so that it may turn as a tablet" soon is Autorotate tablet-mode
check "in use as a laptop" is TabletMode laptop
check "which shows its orientation" is InterfaceOrientation landscape-left
claim
check "portrait" soon is DeviceOrientation portrait
check "the interface does not follow" is InterfaceOrientation landscape-left
switches tablet 1
check "in use as a tablet" soon is TabletMode tablet
check "it follows" is InterfaceOrientation portrait

part "the lid"
switches lid 1
hid -1 0 0
check "closed: the device is seen to turn" soon is DeviceOrientation landscape-left
check "closed: the interface stays" is InterfaceOrientation portrait
switches lid 0
check "open: it follows" soon is InterfaceOrientation landscape-right
switches tablet 0
check "a laptop again" soon is TabletMode laptop
check "which shows its orientation" is InterfaceOrientation landscape-left
kill "$claimer"
check "the sensor rests" soon is SensorState idle

part "keys beside the switches"
wakeups() { awk '/^voluntary/ { print $2 }' "/proc/$(unit MainPID)/status"; }
before=$(wakeups)
for _ in 1 2 3 4 5 6 7 8 9 10; do switches key $volume; done
sleep 1
check "ten of them wake nobody" same "$before" "$(wakeups)"
switches tablet 1
check "a switch does" soon is TabletMode tablet

part "unplugged"
unplug_switches
check "nothing tells any more" soon is TabletMode unknown
check "so that the laptop does not turn" is Autorotate never
plug_switches $volume
check "plugged in again" soon is TabletMode laptop
check "no warning" no sh -c "journalctl -u orientd.service -p warning | grep switch"
finish
