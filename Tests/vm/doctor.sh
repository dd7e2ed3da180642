#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage (in the VM): sh doctor.sh
# Breaks one thing after the other, and runs the command that `orientctl doctor` names to fix it.
# shellcheck source=Tests/vm/common.sh
. ./common.sh
finds() {  # finds CHECK RESULT: doctor prints RESULT for CHECK; the line is in $line
    line=$(orientctl doctor 2>/dev/null | grep -m 1 "^[a-z]*  *$1: ")
    [ "${line%% *}" = "$2" ] || { echo "$line"; false; }
}
fix() {  # fix: runs the command that $line names; root needs no sudo
    echo "    $line"
    sh -c "$(echo "$line" | sed 's/.*; try: //; s/sudo //g')" >/tmp/fix.out 2>&1 || sed 's/^/    /' /tmp/fix.out
}
breaks_and_fixes() {  # breaks_and_fixes CHECK RESULT WHAT COMMAND...: doctor notices what COMMAND breaks, and fixes it
    subject=$1 result=$2 breakage=$3
    shift 3
    "$@" || echo "cannot break it: $*"
    check "$breakage: $result" finds "$subject" "$result"
    fix
    check "$breakage: fixed" soon finds "$subject" ok
}
reload() {
    busctl -q call org.freedesktop.DBus /org/freedesktop/DBus org.freedesktop.DBus ReloadConfig
    systemctl daemon-reload
}
services=/usr/share/dbus-1/system-services device=/sys/bus/iio/devices/iio:device0
fails() {  # the daemon cannot start, and D-Bus cannot activate it
    mkdir -p /run/systemd/system/orientd.service.d
    printf '[Service]\nExecStart=\nExecStart=/bin/false\nRestart=no\n' >/run/systemd/system/orientd.service.d/broken.conf
    mkdir -p /tmp/services && mv $services/org.orientd1.service $services/net.hadess.SensorProxy.service /tmp/services
    reload
    systemctl restart orientd 2>/dev/null
    rm /run/systemd/system/orientd.service.d/broken.conf
    reload
}
deny() {  # deny NAME: makes the node of that input device accessible to root only and restarts the daemon
    chmod 600 "$(node "$1")"
    systemctl restart orientd
}
garble() { echo nonsense >/var/lib/orientd/state; }

part "installed step by step"
modprobe -a uhid uinput
mkfifo /tmp/accel /tmp/switches
tar -C / --keep-directory-symlink -xf install.tar
plug_hid
hid noise 2
hid 0 -1 0
check "no user orientd: fail" finds node fail
fix
check "no user orientd: fixed" id orientd
breaks_and_fixes node warn "a node that belongs to root" true
check "the bus gives orientd its name" soon unit_is ActiveState active

part "services"
breaks_and_fixes 'sensor proxy' warn "iio-sensor-proxy is running" systemctl start iio-sensor-proxy
breaks_and_fixes service fail "a masked service" systemctl mask --now orientd
breaks_and_fixes service fail "a service that fails" fails
breaks_and_fixes service fail "a service that was stopped" systemctl stop orientd
mv /tmp/services/* $services
reload

part "hardware"
breaks_and_fixes node warn "a node that only root may use" chmod 600 /dev/iio:device0
breaks_and_fixes node warn "a rate that only root may set" chmod 644 $device/in_accel_sampling_frequency
breaks_and_fixes node fail "a value that only root may read" chmod 600 $device/in_accel_z_raw
breaks_and_fixes kernel fail "a missing driver" rmmod hid_sensor_accel_3d

in_base() {  # a record of hwdb has the sensor in the base
    printf 'sensor:modalias:platform:HID-SENSOR-200073*\n ACCEL_LOCATION=base\n' >/etc/udev/hwdb.d/60-base.hwdb
    systemd-hwdb update
    udevadm trigger --settle "$(readlink -f $device)"
}
mkdir -p /etc/udev/hwdb.d
breaks_and_fixes kernel fail "a sensor that hwdb has in the base" in_base

part "another program at the sensor"
sh -c 'exec 3<>/dev/iio:device0 && exec sleep 600' &
holder=$!
orientctl monitor >/tmp/claim.out 2>&1 &
claimer=$!
polls() { orientctl sensors | grep -q ', poll at .* sampling'; }
check "the sensor is polled while it has the device open" soon polls
names_holder() { orientctl doctor 2>/dev/null | grep -F "sleep (process $holder) has /dev/iio:device0 open"; }
check "doctor names it" soon names_holder
kill "$holder" "$claimer"

part "a tablet switch"
plug_switches 115
breaks_and_fixes 'tablet switch' warn "a switch that only root may read" deny switches
check "orientd reads it" soon is TabletMode laptop
unplug_switches

part "settings and state"
breaks_and_fixes rotation warn "a lock" orientctl lock portrait
breaks_and_fixes rotation warn "no autorotation" orientctl autorotate never
breaks_and_fixes state fail "a state file that belongs to root" chown root: /var/lib/orientd/state
breaks_and_fixes state warn "an invalid state file" garble

part "the report"
orientctl doctor --report /bench/report.txt
check "a report was written" grep -q '^t_seconds,x,y,z' /bench/report.txt

part "an accelerometer that is an input device"
hid quit
wait "$hid"
check "the kernel has no HID sensor" soon no hid_is_there
python3 uinput_accel.py /tmp/accel &
check "the kernel has the input device" soon has_node accelerometer
udevadm settle
breaks_and_fixes node fail "one that only root may read" deny accelerometer
claim
hid 0 -1 0
check "orientd reads it" soon is DeviceOrientation portrait
kill "$claimer"
hid quit
finish
