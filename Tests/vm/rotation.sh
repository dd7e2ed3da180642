#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage (in the VM): sh rotation.sh
# Who may lock, rotate and request, by the real polkitd and logind; what outlives a killed daemon, and a killed client;
# what the daemon's user can write.
# shellcheck source=Tests/vm/common.sh
. ./common.sh
rotation() { for p in RotationLock InterfaceOrientation Autorotate SupportedOrientations; do printf '%s=%s ' $p "$(get $p)"; done; }

# What orientctl is asked to do: everything that changes something. Each is undone by the next where it matters.
commands='lock landscape-left
unlock
rotate landscape-right
align
run --supported=portrait true
autorotate never'
try="echo '$commands' | while read -r c; do output=\$(orientctl \$c 2>&1 </dev/null); echo \"\$? \$c: \$output\"; done; \
    loginctl show-session \$XDG_SESSION_ID -p Active -p Remote -p Seat -p TTY -p User 2>&1 | xargs"
outcomes() {  # outcomes WHO EXPECTED COMMAND...: the exit codes of the commands, in order
    who=$1 expected=$2
    shift 2
    "$@" >/tmp/tried 2>&1
    check "$who" same "$expected" "$(sed -n 's/^\([0-9]\) .*/\1/p' /tmp/tried | xargs)"
    sed 's/^/    /' /tmp/tried
}
reasons() {  # reasons COUNT: so many refusals say who refuses what
    same "$1" "$(grep -cE '^4 .*: orientctl: .*polkit refuses org\.orientd1\.' /tmp/tried)"
}
nobody_may() {  # nobody_may WHO COMMAND...: all is refused, with a reason, and changes nothing
    before=$(rotation)
    who=$1
    shift
    outcomes "$who: may change nothing" "4 4 4 4 4 4" "$@"
    check "$who: each refusal says by whom, and of what" reasons 6
    check "$who: nothing has changed" same "$before" "$(rotation)"
}

requests_are() { same "$1" "$(orientctl requests)"; }
transitions() { same "$1" "$(grep -c member=DidTransition /tmp/signals)"; }  # transitions COUNT: heard of so far

install_it
plug_hid
hid 0 -1 0
check "udev has started orientd" soon unit_is ActiveState active

part "polkit and logind: who may change what"
busybox chvt 1
nobody_may "without a session" as anna sh -c "$try"
nobody_may "a session without a seat" session anna "" sh -c "$try"
nobody_may "a session behind another on the seat" session bert /dev/tty2 sh -c "$try"
check "that session was inactive" grep -q 'Active=no' /tmp/tried
outcomes "the active session: all but the mode of autorotation" "0 0 0 0 0 4" session anna /dev/tty1 sh -c "$try"
check "that session was active" grep -q 'Active=yes' /tmp/tried
check "without an agent to ask, an administrator's action is refused" reasons 1
check "Autorotate is as it was" is Autorotate always
busybox chvt 2
outcomes "the other session in front: its user may" "0 0 0 0 0 4" session bert /dev/tty2 sh -c "$try"
nobody_may "the session that is behind now" session anna /dev/tty1 sh -c "$try"
busybox chvt 1
outcomes "root may do all" "0 0 0 0 0 0" sh -c "$try"
check "Autorotate is set" is Autorotate never
orientctl autorotate always

part "net.hadess.SensorProxy: who may claim"
owner() { busctl call org.freedesktop.DBus /org/freedesktop/DBus org.freedesktop.DBus GetNameOwner s "$1"; }
proxy='busctl call net.hadess.SensorProxy /net/hadess/SensorProxy net.hadess.SensorProxy ClaimAccelerometer'
check "orientd serves it" same "$(owner org.orientd1)" "$(owner net.hadess.SensorProxy)"
# shellcheck disable=SC2086
{
    check "the active session may" session anna /dev/tty1 $proxy
    check "the one behind may not" refused session bert /dev/tty2 $proxy
    check "without a session nobody may" refused as anna $proxy
}

part "an ordinary user listens"
(cd / && exec setpriv --reuid=anna --regid=anna --init-groups dbus-monitor --system "type='signal',sender='org.orientd1'") >/tmp/signals 2>/tmp/signals.err &
listener=$!
check "listens" soon grep -q NameAcquired /tmp/signals
orientctl rotate landscape-left
orientctl rotate portrait
check "hears of each transition" soon transitions 2
check "before, properties, after" same "WillTransition PropertiesChanged DidTransition WillTransition PropertiesChanged DidTransition" \
    "$(sed -n 's/^signal.*member=//p' /tmp/signals | grep -E 'Transition|PropertiesChanged' | xargs)"
check "reads the list of requests" as anna orientctl requests
kill $listener

part "a client is killed"
orientctl run --supported=landscape-left sleep 1000 &
command=$!
check "its request is asked" soon is InterfaceOrientation landscape-left
check "as the reason says" is InterfaceReason request
check "the sensor runs for it, unclaimed" soon is SensorState sampling
check "unclaimed" is Claims 0
kill -KILL $command
check "the command is killed: back as the device is held" soon is InterfaceOrientation portrait
check "no request is left" soon requests_are "no requests"
check "the sensor rests" soon is SensorState idle
systemd-run -q --unit=client orientctl run --supported=portrait-upside-down sleep 1000
check "another is asked" soon is InterfaceOrientation portrait-upside-down
systemctl kill --kill-who=all -s KILL client.service
check "all of it is killed: back as the device is held" soon is InterfaceOrientation portrait
check "no request is left" soon requests_are "no requests"

part "the daemon is killed"
killed() {  # killed: by SIGKILL; systemd has started it again when this returns
    restarts=$(($(unit NRestarts) + 1))
    kill -KILL "$(unit MainPID)"
    check "systemd starts it again" soon unit_is NRestarts $restarts
    check "and it has the sensor" soon is HasAccelerometer true
}
claim
hid -1 0 0
check "the interface follows the device" soon is InterfaceOrientation landscape-right
orientctl lock
hid 0 -1 0
check "locked, while the device turns" soon is DeviceOrientation portrait
check "state file is the daemon's alone" same '600 orientd:orientd' "$(stat -c '%a %U:%G' /var/lib/orientd/state)"
cat /var/lib/orientd/state
killed
check "the lock is back" is RotationLock current
check "and what it holds" is InterfaceOrientation landscape-right
check "from the start" is InterfaceReason startup
check "the client claims again" soon is Claims 1
check "and the device is seen" soon is DeviceOrientation portrait
check "which the lock ignores" is InterfaceOrientation landscape-right
orientctl rotate portrait-upside-down
orientctl autorotate never
killed
check "what was rotated to under the lock is back" is InterfaceOrientation portrait-upside-down
check "the mode of autorotation is back" is Autorotate never
orientctl autorotate always
orientctl lock portrait
killed
check "the lock to an edge is back" is RotationLock portrait
orientctl unlock
hid 1 0 0
check "unlocked, it follows the device" soon is InterfaceOrientation landscape-left
killed
check "unlocked is kept, too" is RotationLock off
check "with what was shown or is held" soon is InterfaceOrientation landscape-left
kill "$claimer"

part "what the daemon's user can write"
pid=$(unit MainPID)
inside() { nsenter -t "$pid" -m -- setpriv --reuid=orientd --regid=orientd --clear-groups --no-new-privs sh -c "$1"; }
check "folders: its state and its temporary ones" same '/tmp /var/lib/orientd /var/tmp' \
    "$(inside 'find / \( -path /proc -o -path /sys -o -path /dev \) -prune -o -type d -writable -print' | sort | xargs)"
check "files: its state" same /var/lib/orientd/state \
    "$(inside 'find / \( -path /proc -o -path /sys -o -path /dev \) -prune -o -type f -writable -print' | sort | xargs)"
# Whatever is protected, systemd leaves /sys/fs/selinux alone, which the kernel lets everybody write to.
check "under /sys: how the sensor samples" same '' "$(inside 'find /sys -path /sys/fs/selinux -prune -o -type f -writable -print 2>/dev/null' |
    grep -vE '/iio:device0/(buffer0?/[a-z_]+|scan_elements/.*_en|trigger/current_trigger|.*sampling_frequency|current_timestamp_clock)$' | xargs)"
check "under /dev: no file or folder of its own" no inside '>/dev/x'
check "a file in its folder" inside ': >/var/lib/orientd/x && rm /var/lib/orientd/x'
check "none in the real /tmp" sh -c "nsenter -t $pid -m sh -c ': >/tmp/inside' && [ ! -e /tmp/inside ]"
finish
