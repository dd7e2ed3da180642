#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage (in the VM): sh rotation.sh
# Tests who may lock, rotate and request with the real polkitd and logind, what survives when the daemon or a client is
# killed, and what the daemon's user can write.
# shellcheck source=Tests/vm/common.sh
. ./common.sh
rotation() { for p in RotationLock InterfaceOrientation Autorotate SupportedOrientations; do printf '%s=%s ' $p "$(get $p)"; done; }

# All commands that change something. Where it matters, each command undoes the previous one.
commands='lock landscape-left
unlock
rotate landscape-right
align
run --supported=portrait true
autorotate never'
try="echo '$commands' | while read -r c; do output=\$(orientctl \$c 2>&1 </dev/null); echo \"\$? \$c: \$output\"; done; \
    loginctl show-session \$XDG_SESSION_ID -p Active -p Remote -p Seat -p TTY -p User 2>&1 | xargs"
outcomes() {  # outcomes WHO EXPECTED COMMAND...: checks the exit codes of the commands above, in order
    who=$1 expected=$2
    shift 2
    "$@" >/tmp/tried 2>&1
    check "$who" same "$expected" "$(sed -n 's/^\([0-9]\) .*/\1/p' /tmp/tried | xargs)"
    sed 's/^/    /' /tmp/tried
}
reasons() {  # reasons COUNT: that many refusals name polkit and the action
    same "$1" "$(grep -cE '^4 .*: orientctl: .*polkit refuses org\.orientd1\.' /tmp/tried)"
}
nobody_may() {  # nobody_may WHO COMMAND...: every command is refused with a reason and changes nothing
    before=$(rotation)
    who=$1
    shift
    outcomes "$who: may change nothing" "4 4 4 4 4 4" "$@"
    check "$who: each refusal names polkit and the action" reasons 6
    check "$who: nothing has changed" same "$before" "$(rotation)"
}

requests_are() { same "$1" "$(orientctl requests)"; }
transitions() { same "$1" "$(grep -c member=DidTransition /tmp/signals)"; }  # transitions COUNT: received so far

install_it
plug_hid
hid 0 -1 0
check "udev has started orientd" soon unit_is ActiveState active

part "polkit and logind: who may change what"
busybox chvt 1
nobody_may "without a session" as anna sh -c "$try"
nobody_may "a session without a seat" session anna "" sh -c "$try"
nobody_may "a session in the background of its seat" session bert /dev/tty2 sh -c "$try"
check "that session was inactive" grep -q 'Active=no' /tmp/tried
outcomes "the active session: may do all but set the autorotate mode" "0 0 0 0 0 4" session anna /dev/tty1 sh -c "$try"
check "that session was active" grep -q 'Active=yes' /tmp/tried
check "without an authentication agent, an administrator's action is refused" reasons 1
check "Autorotate is unchanged" is Autorotate always
busybox chvt 2
outcomes "the other session is active now: its user may do the same" "0 0 0 0 0 4" session bert /dev/tty2 sh -c "$try"
nobody_may "the session that is in the background now" session anna /dev/tty1 sh -c "$try"
busybox chvt 1
outcomes "root may do everything" "0 0 0 0 0 0" sh -c "$try"
check "Autorotate is set" is Autorotate never
orientctl autorotate always

part "net.hadess.SensorProxy: who may claim"
owner() { busctl call org.freedesktop.DBus /org/freedesktop/DBus org.freedesktop.DBus GetNameOwner s "$1"; }
proxy='busctl call net.hadess.SensorProxy /net/hadess/SensorProxy net.hadess.SensorProxy ClaimAccelerometer'
check "orientd serves it" same "$(owner org.orientd1)" "$(owner net.hadess.SensorProxy)"
# shellcheck disable=SC2086
{
    check "the active session may" session anna /dev/tty1 $proxy
    check "the inactive session may not" refused session bert /dev/tty2 $proxy
    check "without a session, a user may not" refused as anna $proxy
}

part "an ordinary user subscribes"
(cd / && exec setpriv --reuid=anna --regid=anna --init-groups dbus-monitor --system "type='signal',sender='org.orientd1'") >/tmp/signals 2>/tmp/signals.err &
listener=$!
check "subscribed" soon grep -q NameAcquired /tmp/signals
orientctl rotate landscape-left
orientctl rotate portrait
check "receives each transition" soon transitions 2
check "in the order will, properties, did" same "WillTransition PropertiesChanged DidTransition WillTransition PropertiesChanged DidTransition" \
    "$(sed -n 's/^signal.*member=//p' /tmp/signals | grep -E 'Transition|PropertiesChanged' | xargs)"
check "may list the requests" as anna orientctl requests
kill $listener

part "a client is killed"
orientctl run --supported=landscape-left sleep 1000 &
command=$!
check "its request decides" soon is InterfaceOrientation landscape-left
check "the reason is request" is InterfaceReason request
check "the sensor runs for it without a claim" soon is SensorState sampling
check "there is no claim" is Claims 0
kill -KILL $command
check "the command is killed: the interface follows the device again" soon is InterfaceOrientation portrait
check "no request is left" soon requests_are "no requests"
check "the sensor is idle" soon is SensorState idle
systemd-run -q --unit=client orientctl run --supported=portrait-upside-down sleep 1000
check "another request decides" soon is InterfaceOrientation portrait-upside-down
systemctl kill --kill-who=all -s KILL client.service
check "the whole unit is killed: the interface follows the device again" soon is InterfaceOrientation portrait
check "no request is left" soon requests_are "no requests"

part "the daemon is killed"
killed() {  # killed: kills the daemon with SIGKILL and waits until systemd has started it again
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
check "only the daemon may use the state file" same '600 orientd:orientd' "$(stat -c '%a %U:%G' /var/lib/orientd/state)"
cat /var/lib/orientd/state
killed
check "the lock is restored" is RotationLock current
check "the held orientation is restored" is InterfaceOrientation landscape-right
check "the reason is startup" is InterfaceReason startup
check "the client claims again" soon is Claims 1
check "the device orientation is known" soon is DeviceOrientation portrait
check "the lock still holds" is InterfaceOrientation landscape-right
orientctl rotate portrait-upside-down
orientctl autorotate never
killed
check "the orientation that was rotated to under the lock is restored" is InterfaceOrientation portrait-upside-down
check "the autorotate mode is restored" is Autorotate never
orientctl autorotate always
orientctl lock portrait
killed
check "the lock to an edge is restored" is RotationLock portrait
orientctl unlock
hid 1 0 0
check "unlocked, the interface follows the device" soon is InterfaceOrientation landscape-left
killed
check "it is still unlocked" is RotationLock off
check "the interface is as before" soon is InterfaceOrientation landscape-left
kill "$claimer"

part "what the daemon's user can write"
pid=$(unit MainPID)
inside() { nsenter -t "$pid" -m -- setpriv --reuid=orientd --regid=orientd --clear-groups --no-new-privs sh -c "$1"; }
check "folders: its own and temporary folders" same '/run/orientd /tmp /var/lib/orientd /var/tmp' \
    "$(inside 'find / \( -path /proc -o -path /sys -o -path /dev \) -prune -o -type d -writable -print' | sort | xargs)"
check "files: the state file" same /var/lib/orientd/state \
    "$(inside 'find / \( -path /proc -o -path /sys -o -path /dev \) -prune -o -type f -writable -print' | sort | xargs)"
# systemd never protects /sys/fs/selinux, and the kernel lets everyone write to it.
check "under /sys: the attributes that control sampling" same '' "$(inside 'find /sys -path /sys/fs/selinux -prune -o -type f -writable -print 2>/dev/null' |
    grep -vE '/iio:device0/(buffer0?/[a-z_]+|scan_elements/.*_en|trigger/current_trigger|.*sampling_frequency|in_accel_hysteresis|current_timestamp_clock)$' | xargs)"
check "under /dev: it cannot create files" no inside '>/dev/x'
check "it can create files in the state folder" inside ': >/var/lib/orientd/x && rm /var/lib/orientd/x'
check "it cannot create files in the real /tmp" sh -c "nsenter -t $pid -m sh -c ': >/tmp/inside' && [ ! -e /tmp/inside ]"
finish
