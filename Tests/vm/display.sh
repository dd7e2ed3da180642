#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage (in the VM): sh display.sh
# Tests the whole chain from the accelerometer to the picture and the touch screen: orientd, and orient-agent in an
# ordinary user's session of sway.
# shellcheck source=Tests/vm/session.sh
. ./session.sh
compositor_socket() { echo "SWAYSOCK=$(echo "$runtime"/sway-ipc.*.sock)"; }
by_sway() { in_session swaymsg -q -- exec "$*"; }  # by_sway COMMAND: lets sway run COMMAND in the session

prepare

part "an ordinary user's session"
as anna mkdir -p /home/anna/.config/sway
cat >/home/anna/.config/sway/config <<'CONFIG'
xwayland disable
output Virtual-1 position 0 0
output Virtual-2 position 480 0
workspace 1 output Virtual-1
exec orient-agent -v 2>>/tmp/agent.log
exec python3 -B /bench/corners.py >/tmp/window
CONFIG
session anna /dev/tty1 env WLR_RENDERER=pixman WLR_NO_HARDWARE_CURSORS=1 sway 2>/tmp/sway.log &
check "sway runs" soon sh -c "ls $runtime/sway-ipc.*.sock"
check "the agent may claim" soon has_agent
check "the window covers the panel" soon grep -x 'size 480 640' /tmp/window

turn_around

part "locked"
by_sway orientctl lock
check "the session may lock" soon is RotationLock current
hid 0 -1 0
check "the device is turned" soon is DeviceOrientation portrait
display_is 90 green blue yellow red
by_sway orientctl unlock
display_is normal red green blue yellow

part "the panel is off, as below a closed lid"
in_session wlr-randr --output $panel --off
check "it is off" soon output_is $panel Enabled no
hid 1 0 0
check "the device is turned" soon is DeviceOrientation landscape-right
in_session wlr-randr --output $panel --on
display_is 90 green blue yellow red
touch_follows green blue yellow red
hid 0 -1 0
display_is normal red green blue yellow

part "the agent's memory"
memory=$(awk '/^VmRSS/ { print $2 }' "/proc/$(pidof orient-agent)/status")
check "it is at most 8 MB: $memory kB" [ "$memory" -le 8192 ]

part "orientd is started again"
systemctl restart orientd.service
check "the agent claims again" soon has_agent
hid -1 0 0
display_is 270 yellow red green blue

part "the agent is killed"
kill -KILL "$(pidof orient-agent)"
check "its claim has ended" soon has_no_agent
display_is 270 yellow red green blue
check "orient-agent --restore succeeds" in_session orient-agent --restore
display_is normal red green blue yellow

part "the agent is started again, and ends"
by_sway 'orient-agent -v 2>>/tmp/agent.log'
check "it claims" soon has_agent
display_is 270 yellow red green blue
touch_follows yellow red green blue
kill -TERM "$(pidof orient-agent)"
check "it has ended" soon has_no_agent
display_is normal red green blue yellow

part "the logs of the session"
cat /tmp/agent.log /tmp/sway.log /tmp/session.out
finish
