# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
# Functions for the scenarios. A scenario runs as `sh SCENARIO.sh` in the VM. It begins with `. ./common.sh` and ends
# with `finish`. It prints "ok: ..." or "FAILED: ..." for each check, then "N passed, N failed" and orientd's journal.
cd /bench || exit 1
passed=0 failed=0
check() {  # check WHAT COMMAND...
    what=$1
    shift
    if "$@" >/tmp/check.out 2>&1; then passed=$((passed + 1)); echo "ok: $what"
    else failed=$((failed + 1)); echo "FAILED: $what"; sed 's/^/    /' /tmp/check.out; fi
}
part() { printf '\n--- %s (%s s)\n' "$1" "$(cut -d' ' -f1 /proc/uptime)"; }
within() {  # within SECONDS COMMAND...: tries it ever more rarely, as emulated machines compete for the processor
    end=$(($(cut -d. -f1 /proc/uptime) + $1)) pause=1
    shift
    until "$@" >/tmp/within.out 2>&1; do
        [ "$(cut -d. -f1 /proc/uptime)" -lt $end ] || { cat /tmp/within.out; return 1; }
        sleep 0.$pause
        [ $pause -eq 4 ] || pause=$((pause * 2))
    done
}
soon() { within 120 "$@"; }  # orientd is quick, but gnome-shell 51 has needed more than 40 s to show its first window
no() { ! "$@"; }
same() { [ "$1" = "$2" ] || { echo "expected $1, found $2"; false; }; }
at_most() { [ "$2" -le "$1" ] || { echo "expected at most $1, found $2"; false; }; }  # at_most LIMIT VALUE

# --- orientd -------------------------------------------------------------------------------------------------------
get() {  # get [PATH INTERFACE] PROPERTY: prints the value without type and quotes
    [ $# -eq 3 ] || set -- /org/orientd1 org.orientd1.Manager "$1"
    busctl get-property org.orientd1 "$@" 2>&1 | sed 's/^[a-z()]* //; s/^"\(.*\)"$/\1/'
}
is() { same "$2" "$(get "$1")"; }        # is PROPERTY VALUE
unit() { systemctl show -P "$1" orientd.service; }
unit_is() { same "$2" "$(unit "$1")"; }
state() { for p in HasAccelerometer SensorState DeviceOrientation FaceOrientation Claims; do printf '%s=%s ' $p "$(get $p)"; done; echo; }
sensor() {  # sensor PROPERTY: prints it for the sensor object whose device exists now
    for path in $(busctl --list tree org.orientd1 2>/dev/null | grep '/sensor/'); do
        if [ -d "$(get "$path" org.orientd1.Sensor SysfsPath)" ]; then get "$path" org.orientd1.Sensor "$1"; return; fi
    done
    echo none
}
sensor_is() { same "$2" "$(sensor "$1")"; }
claim() {  # claim: claims the sensor as root, in the background process $claimer
    rm -f /tmp/claim.out
    orientctl monitor >/tmp/claim.out 2>&1 &
    # shellcheck disable=SC2034  # the scenario ends it
    claimer=$!
    check "claimed" soon grep SensorState= /tmp/claim.out
}

# --- sleep ----------------------------------------------------------------------------------------------------------
slept() { [ "$(cat /sys/power/suspend_stats/success)" -gt "$sleeps" ] || { cat /sys/power/suspend_stats/*; false; }; }
sleep_once() {  # sleep_once WHAT: suspends the machine and returns when it is awake again; needs run-in-vm.sh -S
    check "$1: logind waits for orientd" soon inhibits
    sleeps=$(cat /sys/power/suspend_stats/success)
    began=$(date +%s%N)
    : >/tmp/claim.out
    systemctl suspend
    check "$1: the machine has slept" within 90 slept
    echo "asleep and awake again in $((($(date +%s%N) - began) / 1000000)) ms"
    check "$1: sampling again" soon is SensorState sampling
    states=$(sed -n 's/.*SensorState=\([a-z]*\).*/\1/p' /tmp/claim.out | xargs)
    if [ -n "${may_be_lost:-}" ]; then states=$(echo "$states" | sed 's/ lost sampling$/ sampling/'); fi
    check "$1: the sensor was stopped in between" same 'suspended idle sampling' "$states"
    check "$1: the claim stays" is Claims 1
}
inhibits() { systemd-inhibit --list --no-legend --no-pager | grep -E '^orientd .* orientd .* sleep .* delay$'; }

# --- the HID sensor -------------------------------------------------------------------------------------------------
hid() { echo "$*" >/tmp/accel; }  # hid COMMAND...: see uhid_accel.py
hid_is_there() { test -e /sys/bus/iio/devices/iio:device0/in_accel_x_raw; }
plug_hid() {  # plug_hid: creates the HID sensor; $hid is its process
    python3 uhid_accel.py --input /tmp/accel --log /bench/accel.log &
    # shellcheck disable=SC2034  # as above
    hid=$!
    check "the kernel has the sensor" soon hid_is_there
    udevadm settle
}

# --- input devices --------------------------------------------------------------------------------------------------
node() {  # node NAME: prints the node of the input device "orientd-vm NAME"
    for name in /sys/class/input/event*; do
        [ "$(cat "$name/device/name")" = "orientd-vm $1" ] && echo "/dev/input/${name##*/}"
    done
}
has_node() { [ -n "$(node "$1")" ]; }
switches() { echo "$*" >/tmp/switches; }  # switches COMMAND...: see uinput_switch.py
plug_switches() {  # plug_switches [lid] [tablet] [KEY...]: creates these switches and keys; $plugged is their process
    python3 uinput_switch.py /tmp/switches "$@" &
    plugged=$!
    check "the kernel has the switches" soon has_node switches
    udevadm settle
}
unplug_switches() {
    switches quit
    wait "$plugged"
    check "the kernel has no switches" soon no has_node switches
}

plug_touch() {  # creates the touch screen; /tmp/touch takes the commands of uinput_touch.py
    mkfifo /tmp/touch
    python3 uinput_touch.py /tmp/touch &
    check "the kernel has the touch screen" soon has_node "touch screen"
    udevadm settle
}

# --- people ---------------------------------------------------------------------------------------------------------
as() {  # as USER COMMAND...: runs COMMAND without a session
    user=$1
    shift
    setpriv --reuid="$user" --regid="$user" --init-groups env -C / "$@"
}
session() {  # session USER TTY COMMAND...: runs COMMAND in a session of logind on seat0; without a seat if TTY is ""
    user=$1 tty=${2:+-p TTYPath=$2 -p StandardInput=tty}
    shift 2
    rm -f /tmp/session.out
    # shellcheck disable=SC2086
    systemd-run -q --wait --collect $tty -p PAMName=login -p User="$user" -p WorkingDirectory=/ \
        -p StandardOutput=file:/tmp/session.out -p StandardError=inherit "$@"
    session_status=$?
    cat /tmp/session.out
    return $session_status
}
refused() { "$@" >/tmp/refused.out 2>&1; status=$?; cat /tmp/refused.out; [ $status -ne 0 ] && grep -qiE 'access ?denied|not authori' /tmp/refused.out; }

# --- start and end --------------------------------------------------------------------------------------------------
install_it() {  # installs the packages, if there are any, or else the files
    if [ -d packages ]; then
        part "installed packages"
        mkdir -p /usr/share/doc  # which the image does not have, and packages create
        check "apt installs the packages" env DEBIAN_FRONTEND=noninteractive apt-get -q -y install ./packages/*.deb
        check "which removes iio-sensor-proxy" test ! -e /usr/libexec/iio-sensor-proxy
    else
        part "installed files"
        systemctl mask --runtime --now iio-sensor-proxy 2>/dev/null
        tar -C / --keep-directory-symlink -xf install.tar
        check "sysusers creates the user" systemd-sysusers orientd.conf
        busctl -q call org.freedesktop.DBus /org/freedesktop/DBus org.freedesktop.DBus ReloadConfig
        udevadm control --reload
        systemctl daemon-reload
    fi
    ldd /usr/libexec/orientd /usr/bin/orientctl >/tmp/ldd 2>&1
    check "orientd's libraries are installed" no grep -E 'not found|No such file' /tmp/ldd
    useradd -m anna && useradd -m bert && rm -f /run/nologin
    modprobe -a uhid uinput
    mkfifo /tmp/accel /tmp/switches
    check "the unit is loaded" unit_is LoadState loaded
    bus=$(readlink "/proc/$(systemctl show -P MainPID dbus.service)/exe")
    check "the bus is $bus, as requested" grep -qE " bus=$(basename "$bus" -launch)( |\$)" /proc/cmdline
}
finish() {
    part "figures"
    pid=$(unit MainPID)
    if [ "$pid" -ne 0 ]; then
        awk '/^(Threads|VmRSS|VmHWM)/ { printf "%s %s %s; ", $1, $2, $3 } END { print "" }' "/proc/$pid/status"
        grep -E 'Private_Dirty|Anonymous:|^Rss' "/proc/$pid/smaps_rollup" | xargs
    fi
    echo "$passed passed, $failed failed"
    if [ $failed -ne 0 ] && [ -e /tmp/claim.out ]; then part "the last claim" && cat /tmp/claim.out; fi
    part "orientd's journal"
    journalctl -u orientd.service --no-pager -o short-monotonic
    part "other complaints"
    journalctl --no-pager -o short-monotonic -p warning | grep -vE 'orientd\[' | tail -n 15
    [ $failed -eq 0 ]
}
