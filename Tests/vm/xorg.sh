#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage (in the VM): sh xorg.sh
# Tests orient-agent in a session of Xorg, whose modesetting driver has two outputs: rotation, neighbour and touch
# screen.
# shellcheck source=Tests/vm/session.sh
. ./session.sh
compositor_socket() { echo DISPLAY=:0; }
screen() { in_session xrandr | sed -n "s/^$1 connected \(primary \)\?\(.*\) (.*/\2/p"; }  # screen OUTPUT
matrix() {  # prints the touch screen's coordinate transformation matrix
    in_session xinput list-props "orientd-vm touch screen" | sed -n 's/.*Transformation Matrix.*:\t//p' | sed 's/\.0*//g; s/,//g'
}
screen_is() { same "$2" "$(screen "$1")"; }
display_is() {  # display_is TRANSFORM COLOUR...: RandR cannot take a picture of the panel
    case $1 in
        normal) place=480x640+0+0 ;;
        270) place='640x480+0+0 right' ;;
        180) place='480x640+0+0 inverted' ;;
        90) place='640x480+0+0 left' ;;
    esac
    check "the X server has the panel at $place" soon screen_is $panel "$place"
    check "the monitor is beside the panel" soon screen_is $monitor "640x480+$(monitor_place "$1")+0"
}

prepare

part "an ordinary user's session"
mkdir -p /etc/X11/xorg.conf.d
cat >/etc/X11/xorg.conf.d/panel.conf <<'CONFIG'
Section "Device"
    Identifier "virtio-gpu"
    Driver "modesetting"
    Option "AccelMethod" "none"
    Option "Monitor-Virtual-1" "panel"
    Option "Monitor-Virtual-2" "monitor"
EndSection
Section "Monitor"
    Identifier "panel"
    Option "PreferredMode" "480x640"
    Option "Position" "0 0"
EndSection
Section "Monitor"
    Identifier "monitor"
    Option "PreferredMode" "640x480"
    Option "Position" "480 0"
EndSection
CONFIG
# Prints touches as corners.py does: a corner of the panel's part of the screen has a colour, clockwise from the top
# left.
cat >/tmp/client <<'CLIENT'
orient-agent -v --backend=x11 2>/tmp/agent.log &
xinput test-xi2 --root | while read -r word rest; do
    case $word in
        EVENT) event=$rest ;;
        root:)
            case $event in *TouchBegin*) ;; *) continue ;; esac
            size=$(xrandr | sed -n 's/^Virtual-1 .* \([0-9]*x[0-9]*\)+0+0 .*/\1/p')
            x=${rest%%.*} y=${rest#*/} y=${y%%.*} column=right row=bottom
            [ "$x" -ge $((${size%x*} / 2)) ] || column=left
            [ "$y" -ge $((${size#*x} / 2)) ] || row=top
            [ "$x" -lt "${size%x*}" ] && [ "$y" -lt "${size#*x}" ] || row=outside
            case $row-$column in
                top-left) colour=red ;; top-right) colour=green ;; bottom-right) colour=blue ;; bottom-left) colour=yellow ;;
                *) colour=none ;;
            esac
            echo "touch $colour $x $y"
            ;;
    esac
done >/tmp/window
CLIENT
# shellcheck disable=SC2016
session anna /dev/tty1 sh -c 'Xorg :0 vt1 -keeptty -nolisten tcp -logfile /tmp/Xorg.log 2>/dev/null &
    export DISPLAY=:0; until xrandr >/dev/null 2>&1; do sleep 0.2; done; exec sh /tmp/client' &
check "the agent may claim" soon has_agent
in_session xrandr | grep -v '^ '

turn_around

check "the touch screen is mapped to the panel" no same "1 0 0 0 1 0 0 0 1" "$(matrix)"

part "locked"
orientctl lock
hid 0 -1 0
check "the device is turned" soon is DeviceOrientation portrait
display_is 90
orientctl unlock
display_is normal

part "the panel is blanked"
panel_is() { same "$1" "$(cat /sys/class/drm/card*-$panel/dpms)"; }
does() { in_session orientctl status | grep -F "$1" || { in_session orientctl status; false; }; }
in_session xset dpms force off
check "the panel is off" soon panel_is Off
hid 0 1 0
check "the agent waits for the panel" soon does "rotates $panel when it is on again"
check "the panel is still off" panel_is Off
check "the picture is as before" screen_is $panel 480x640+0+0
in_session xset dpms force on
display_is 180
check "the panel is on" panel_is On

part "the agent is killed"
hid -1 0 0
display_is 270
kill -KILL "$(pidof orient-agent)"
check "its claim has ended" soon has_no_agent
display_is 270
in_session xset dpms force off
check "the panel is off" soon panel_is Off
check "orient-agent --restore succeeds" in_session orient-agent --backend=x11 --restore
display_is normal
check "the panel is off again" soon panel_is Off
check "the touch screen covers the whole screen, as before" same "1 0 0 0 1 0 0 0 1" "$(matrix)"

part "the logs of the session"
cat /tmp/agent.log
grep -E '\((EE|WW)\)' /tmp/Xorg.log
finish
