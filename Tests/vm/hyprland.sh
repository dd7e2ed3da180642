#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage (in the VM): sh hyprland.sh
# Tests orient-agent in a session of Hyprland, whose touch screens do not follow the display by themselves.
# Mesa draws without a GPU here, so the display is small.
wide=240 high=320
# shellcheck source=Tests/vm/session.sh
. ./session.sh
compositor_socket() { echo "HYPRLAND_INSTANCE_SIGNATURE=$(ls "$runtime/hypr")"; }

prepare

part "an ordinary user's session"
dpkg-query -W hyprland
as anna mkdir -p /home/anna/.config/hypr
cat >/home/anna/.config/hypr/hyprland.lua <<CONFIG
hl.config({
    animations = { enabled = false },
    decoration = { blur = { enabled = false }, shadow = { enabled = false } },
    misc = { disable_hyprland_logo = true, disable_splash_rendering = true },
    ecosystem = { no_update_news = true, no_donation_nag = true },
    xwayland = { enabled = false },
})
hl.monitor({ output = "Virtual-1", mode = "preferred", position = "0x0", scale = 1 })
hl.monitor({ output = "Virtual-2", mode = "${high}x$wide", position = "${wide}x0", scale = 1 })
hl.on("hyprland.start", function()
    hl.exec_cmd("exec orient-agent -v 2>>/tmp/agent.log")
    hl.exec_cmd("exec python3 -B /bench/corners.py >/tmp/window")
end)
CONFIG
# llvmpipe would compile each shader, which takes far longer here than to draw with softpipe.
session anna /dev/tty1 env GALLIUM_DRIVER=softpipe Hyprland >/tmp/hyprland.log 2>&1 &
# Emulated on a machine that does something else as well, it takes over 40 s.
check "Hyprland runs" within 120 sh -c "ls $runtime/hypr/*/.socket.sock"
check "the agent may claim" soon has_agent
check "the window covers the panel" soon grep -x "size $wide $high" /tmp/window

turn_around

part "locked"
orientctl lock
hid 0 -1 0
check "the device is turned" soon is DeviceOrientation portrait
display_is 90 green blue yellow red
orientctl unlock
display_is normal red green blue yellow

part "the panel is off, as below a closed lid"
monitor() { in_session hyprctl eval "hl.monitor({ output = '$panel', disabled = $1 })"; }  # monitor IS_DISABLED
monitor true
check "it is off" soon output_is $panel Enabled no
hid 1 0 0
check "the device is turned" soon is DeviceOrientation landscape-right
monitor false
display_is 90 green blue yellow red
touch_follows green blue yellow red

part "the agent ends"
hid -1 0 0
display_is 270 yellow red green blue
kill -TERM "$(pidof orient-agent)"
check "it has ended" soon has_no_agent
display_is normal red green blue yellow
touch_follows red green blue yellow

part "a rule for any output, as in the example configuration"
sed -i 's/output = "Virtual-1", mode = "preferred", position = "0x0", scale = 1 /output = "", mode = "preferred", position = "0x0", scale = 1.25 /' \
    /home/anna/.config/hypr/hyprland.lua
in_session hyprctl reload
scale_is() { same "$1" "$(in_session hyprctl -j monitors | python3 -c "
import json, sys
print(next(monitor['scale'] for monitor in json.load(sys.stdin) if monitor['name'] == '$panel'))")"; }
check "the panel has its scale" soon scale_is 1.25
in_session hyprctl eval 'hl.exec_cmd("exec orient-agent -v 2>>/tmp/agent.log")'
check "the agent may claim" soon has_agent
hid 1 0 0
check "the panel has turned" soon output_is $panel Transform 90
check "the panel keeps its scale" scale_is 1.25

part "a film has no say while another workspace is shown"
kill -TERM "$(pidof orient-agent)"
check "the agent has ended" soon has_no_agent
printf '[Application org.orientd1.corners]\nSupportedOrientations=landscape\n' >>/home/anna/.config/orientd/agent.conf
in_session hyprctl eval 'hl.exec_cmd("exec orient-agent -v 2>>/tmp/agent.log")'
check "the agent may claim" soon has_agent
film_decides() { [ "$(orientctl get AskedRequest)" != / ]; }
check "the film decides" soon film_decides
# Only now: a device that is turned before would leave the other landscape to the film.
hid 0 -1 0
check "the device is turned" soon is DeviceOrientation portrait
check "it is shown in landscape" soon output_is $panel Transform 90
show() { in_session hyprctl dispatch "hl.dsp.focus({ workspace = \"$1\" })"; }  # show WORKSPACE
show 5
check "the empty workspace follows the device" soon output_is $panel Transform normal
check "no film decides" soon no film_decides
show 1
# Nothing says which landscape: it is the one with the lowest raw value.
check "the film is in landscape again" soon output_is $panel Transform 270

part "the logs of the session"
cat /tmp/agent.log
tail -n 20 /tmp/hyprland.log
finish
