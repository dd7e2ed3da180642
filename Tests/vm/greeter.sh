#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage (in the VM): sh greeter.sh
# Tests orient-agent on a login screen: greetd runs sway as the greeter's user, with the configuration that
# orient-agent(1) shows. Instead of a program that asks for a name, a window with coloured corners is shown.
# shellcheck source=Tests/vm/session.sh
. ./session.sh
greeter=_greetd
compositor_socket() { echo "SWAYSOCK=$(echo "$runtime"/sway-ipc.*.sock)"; }
as_greeter() { as $greeter env HOME=/tmp XDG_RUNTIME_DIR="$runtime" WAYLAND_DISPLAY=wayland-1 "$(compositor_socket)" "$@"; }
in_session() { as_greeter "$@"; }
by_sway() { as_greeter swaymsg -q -- exec "$*"; }
greeter_session() { loginctl --no-legend list-sessions | awk -v user=$greeter '$3 == user { print $1 }'; }
session_is() { same "$2" "$(loginctl show-session "$(greeter_session)" -P "$1")"; }

prepare
runtime=/run/user/$(id -u $greeter)

part "the login screen"
cat >/etc/greetd/config.toml <<'CONFIG'
[terminal]
vt = 7
[default_session]
command = "env WLR_RENDERER=pixman WLR_NO_HARDWARE_CURSORS=1 sway --config /etc/greetd/sway-config"
user = "_greetd"
CONFIG
cat >/etc/greetd/sway-config <<'CONFIG'
xwayland disable
output Virtual-1 position 0 0
output Virtual-2 position 480 0
workspace 1 output Virtual-1
exec orient-agent --output=Virtual-1 -v 2>>/tmp/agent.log
exec python3 -B /bench/corners.py >/tmp/window
CONFIG
systemctl start greetd.service
check "sway runs" soon sh -c "ls $runtime/sway-ipc.*.sock"
check "logind: it is a greeter's session" session_is Class greeter
check "logind: it is active" soon session_is Active yes
check "polkit lets the agent claim" soon has_agent
check "the window covers the panel" soon grep -x 'size 480 640' /tmp/window
display_is normal red green blue yellow
hid -1 0 0
display_is 270 yellow red green blue

part "what the greeter's user may do"
by_sway 'orientctl run --supported=portrait tail -f /dev/null'
check "polkit lets the greeter request an orientation" soon is InterfaceOrientation portrait
display_is normal red green blue yellow
kill "$(pidof tail)"
display_is 270 yellow red green blue
by_sway 'orientctl lock >/tmp/lock.out 2>&1'
check "polkit lets the greeter lock" soon is RotationLock current
by_sway 'orientctl unlock'
check "and unlock" soon is RotationLock off

part "another user has the foreground"
busybox chvt 1
check "logind: the greeter's session is in the background" soon session_is Active no
by_sway 'orientctl lock >/tmp/lock.out 2>&1'
check "the greeter may not lock" soon grep -q 'polkit refuses' /tmp/lock.out
busybox chvt 7
check "logind: it is active again" soon session_is Active yes
hid 0 -1 0
display_is normal red green blue yellow

part "the login screen ends"
as_greeter swaymsg exit
systemctl stop greetd.service
check "and the agent, which waits 30 s for another compositor" within 90 has_no_agent

part "the logs of the session"
cat /tmp/agent.log
journalctl -u greetd.service --no-pager | tail -n 10
finish
