#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage (in the VM, by run-in-vm.sh -S -m): sh tablet-switch.sh
# The virtual tablet switch of a convertible: libinput turns the keyboard off and on with it, sway runs a command, and
# the keyboard types again whatever ends while it is off.
# shellcheck source=Tests/vm/tablet.sh
. ./tablet.sh
service=orientd-tablet-switch.service
service_pid() { systemctl show -P MainPID $service; }
kill_it() { kill -KILL "$1"; }
sway_has_run() { same "$1" "$(tail -n 1 /tmp/sway.switch)"; }
# Off in between, then on again, as the hinge is still folded.
goes_off_and_on() { check "$1: the switch goes off, and on again" soon states_are 0 1; becomes_laptop "$1"; }
# At rest a sensor that reports changes only says nothing, so that the other half has nothing to be compared with.
measured_in_hand() { hid 0.2 -0.98 0; sleep 0.5; hid 0 -1 0; sleep 0.5; is HingeAngle "$1"; }
slept() { [ "$(cat /sys/power/suspend_stats/success)" -gt 0 ] || { cat /sys/power/suspend_stats/*; false; }; }
# Keep logind from suspending the machine when the lid is closed.
systemd-inhibit --what=handle-lid-switch --mode=block sleep 1000 &

prepare
check "by default there is no switch" no has_switch
check "and nothing runs for it" same inactive "$(systemctl show -P ActiveState $service)"

part "one setting"
as anna mkdir -p /home/anna/.config/sway
cat >/home/anna/.config/sway/config <<'CONFIG'
xwayland disable
bindswitch tablet:on exec echo on >>/tmp/sway.switch
bindswitch tablet:off exec echo off >>/tmp/sway.switch
exec echo ready >/tmp/sway.ready
CONFIG
busybox chvt 1
session anna /dev/tty1 env WLR_RENDERER=pixman sway >/tmp/sway.log 2>&1 &
set_switch
check "the mode is laptop" soon is TabletMode laptop
check "no claim is needed for that" is Claims 0
check "the keyboard types" types
systemd-analyze security --no-pager $service | tail -n 1

part "sway"
check "sway runs" soon test -s /tmp/sway.ready
becomes_tablet "folded"
check "sway runs its command for a tablet" soon sway_has_run on
becomes_laptop "unfolded"
check "sway runs its command for a laptop" soon sway_has_run off

part "orientd is killed"
becomes_tablet "before"
kill_it "$(unit MainPID)"
goes_off_and_on "orientd"

part "the service is killed"
becomes_tablet "before"
kill_it "$(service_pid)"
goes_off_and_on "the service"

part "both are killed"
becomes_tablet "before"
systemctl kill -s KILL orientd.service $service
goes_off_and_on "both"

part "suspend"
becomes_tablet "before"
systemctl suspend
check "the machine has slept" within 90 slept
goes_off_and_on "suspend"

part "the lid"
plug_switches lid
becomes_tablet "before"
switches lid 1
check "closed: the switch goes off" soon states_are 0
check "closed: the keyboard types" types
forget
switches lid 0
check "open: the switch goes on" soon states_are 1
becomes_laptop "the lid"
unplug_switches

part "the base is unplugged"
becomes_tablet "before"
base unplug
check "the switch goes off" soon states_are 0
check "the keyboard types" types
forget
base hub none  # reports always, so that silence says something
base plug
check "plugged in again: the switch goes on" soon states_are 1

part "the base is silent"
forget
base mute
base fail  # polled instead, it would be measured again, and the keyboard be off again
check "the switch goes off" soon states_are 0
check "the keyboard types" types
base unfail
base unmute
unfold
check "moved again, it is measured" soon measured_in_hand 90
becomes_tablet "again"
becomes_laptop "the base"

part "a choice"
becomes_tablet "before"
orientctl tablet-mode laptop
check "laptop: the switch goes off" soon states_are 0
check "laptop: the keyboard types" types
forget
orientctl tablet-mode auto
check "auto: the switch goes on" soon states_are 1

part "the kernel's own switch"
forget
plug_switches tablet
check "ours goes off before it goes away" soon states_are 0
check "and away" soon no has_switch
check "the keyboard types" types
stop_libinput
start_libinput "a new session"
forget
switches tablet 1
check "a new session follows the kernel's" soon states_are 1
check "the keyboard is off" is_off
forget
switches tablet 0
check "the kernel's goes off" soon states_are 0
check "the keyboard types" types
systemctl restart orientd.service
check "orientd follows the kernel's from the start" soon is TabletMode laptop
check "and makes none" no has_switch
forget
unplug_switches
check "without the kernel's, there is ours again" soon has_switch
check "and it is on, as the hinge is folded" soon states_are 1

part "stopped, while the compositor is busy"
becomes_laptop "before"
becomes_tablet "folded"
# Two jobs: the shell would wait for all processes of one.
mkfifo /tmp/events
python3 input_events.py 'orientd tablet switch' >/tmp/events 2>&1 &
timeout 60 grep --line-buffered -m 2 -E '^reading|^switch 1 0$' </tmp/events >/tmp/switch &
off=$!
check "the kernel's events are read" soon grep reading /tmp/switch
kill -STOP "$libinput"
systemctl stop --no-block orientd.service
check "the kernel's goes off" wait $off
# Within the second that compositors have.
kill -CONT "$libinput"
check "the switch goes off" soon states_are 0
check "and away" soon no has_switch
check "the keyboard types" types
stopped() { same inactive "$(systemctl show -P ActiveState $service)"; }
check "nothing runs for it" soon stopped
cat /tmp/sway.log
finish
