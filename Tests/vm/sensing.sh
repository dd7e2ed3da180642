#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage (in the VM): sh sensing.sh
# From the appearance of a sensor to the signals of its orientation: kernel, udev, sandbox, polkit.
# shellcheck source=Tests/vm/common.sh
. ./common.sh
claim_call='busctl call org.orientd1 /org/orientd1 org.orientd1.Manager Claim'
faces() {  # faces WHAT SETTER: checks four edges and both faces; face up reads z = $up
    for turn in 'portrait 0 -1 0' 'landscape-left -1 0 0' 'portrait-upside-down 0 1 0' 'landscape-right 1 0 0' 'portrait 0 -1 0'; do
        # shellcheck disable=SC2086
        $2 ${turn#* }
        check "$1: ${turn#* } g is ${turn%% *}" soon is DeviceOrientation "${turn%% *}"
        check "$1: upright: no face" soon is FaceOrientation none
    done
    # shellcheck disable=SC2154
    for turn in "face-up 0 0 $up" "face-down 0 0 $((-up))"; do
        # shellcheck disable=SC2086
        $2 ${turn#* }
        check "$1: ${turn#* } g is ${turn%% *}" soon is FaceOrientation "${turn%% *}"
        check "$1: flat keeps the edge" is DeviceOrientation portrait
    done
    $2 -1 0 0
    check "$1: from flat to landscape-left" soon is DeviceOrientation landscape-left
}

install_it

part "started before any sensor"
check "no accelerometer yet" no hid_is_there
check "systemctl start succeeds" systemctl start orientd.service
check "active" unit_is ActiveState active
check "HasAccelerometer" is HasAccelerometer false
check "SensorState" is SensorState none
check "DeviceOrientation" is DeviceOrientation unknown
echo "main process to READY: $((($(unit ActiveEnterTimestampMonotonic) - $(unit ExecMainStartTimestampMonotonic)) / 1000)) ms"
first=$(unit MainPID)

part "the HID sensor is plugged in"
plug_hid
check "orientd finds it" soon is HasAccelerometer true
check "without a claim it is idle" soon is SensorState idle
check "the same process" unit_is MainPID "$first"
check "the node is root:orientd 660" same '660 root:orientd' "$(stat -c '%a %U:%G' /dev/iio:device0)"
find /sys/bus/iio/devices/iio:device0/ -group orientd -perm -g+w | sed 's,.*/iio:device0/,,' | sort | xargs

part "sandbox"
pid=$(unit MainPID)
inside() {  # inside COMMAND: runs it as root with the daemon's view of files and devices
    sh -c 'echo $$ >/sys/fs/cgroup/system.slice/orientd.service/cgroup.procs; pid=$1; shift; exec nsenter -t $pid -m -- sh -c "$@"' sh "$pid" "$1"
}
for path in /etc/x /usr/x /var/lib/x /run/x; do check "inside: cannot write $path" no inside ": >$path"; done
check "inside: cannot write /sys/module" no inside 'echo 1 >/sys/module/printk/parameters/time'
check "inside: no /home" no inside 'ls /home/anna'
for node in /dev/vda /dev/uhid /dev/uinput /dev/ttyS0; do check "inside: no $node" no inside ": <$node"; done
check "inside: /dev/iio:device0 is accessible although it appeared after the start" inside ': <>/dev/iio:device0'
check "inside: attributes are writable" inside 'echo 20 >/sys/bus/iio/devices/iio:device0/in_accel_sampling_frequency'
user() { setpriv --reuid=orientd --regid=orientd --clear-groups sh -c "$1"; }
check "user: may set the sampling rate and the buffer length" user 'cd /sys/bus/iio/devices/iio:device0 && echo 10 >in_accel_sampling_frequency && echo 2 >buffer/length'
check "user: may not set the scale" no user 'echo 1 >/sys/bus/iio/devices/iio:device0/in_accel_scale'
check "state folder" same '700 orientd:orientd' "$(stat -c '%a %U:%G' /var/lib/orientd)"
awk '/^(Uid|Gid|Cap(Eff|Bnd)|NoNewPrivs|Seccomp|Threads|VmRSS)/ { printf "%s %s; ", $1, $2 } END { print "" }' "/proc/$pid/status" | tee /tmp/status
check "no root, no capabilities, seccomp" sh -c 'grep -q "CapEff: 0000000000000000; CapBnd: 0000000000000000; NoNewPrivs: 1; Seccomp: 2" /tmp/status && ! grep -qE "Uid: 0;" /tmp/status'
check "at most two threads" sh -c '! grep -qvE "Threads: [12];" /tmp/status'
check "systemd-analyze security at most 2.0" systemd-analyze security --no-pager --threshold=20 orientd.service
systemd-analyze security --no-pager orientd.service | tail -n 1

part "an ordinary user, real polkitd"
check "without a session: reads a property" as anna busctl get-property org.orientd1 /org/orientd1 org.orientd1.Manager SensorState
check "without a session: introspects" as anna busctl introspect org.orientd1 /org/orientd1
check "without a session: Claim is AccessDenied" refused as anna sh -c "$claim_call"
cat /tmp/refused.out
check "a session without a seat: Claim is AccessDenied" refused session anna "" sh -c "$claim_call"
cat /tmp/refused.out
check "no claim was counted" is Claims 0
check "an active session on seat0: Claim is allowed" session anna /dev/tty1 sh -c "loginctl show-session \$XDG_SESSION_ID -p Active -p Seat -p State -p TTY | xargs; $claim_call && echo allowed"
cat /tmp/session.out
check "the claim ends with the connection" soon is Claims 0
asks_a_person="busctl --allow-interactive-authorization=no call org.orientd1 /org/orientd1 org.orientd1.Manager SetAutorotate s always 2>&1"
check "an active session without a password: polkit would ask a person" session anna /dev/tty1 \
    sh -c "$asks_a_person | grep 'polkit would ask a person'"
cat /tmp/session.out
check "orientctl status without a session" as anna orientctl status
as anna orientctl status; as anna orientctl status --json; as anna orientctl sensors
timeout 40 setpriv --reuid=anna --regid=anna --init-groups orientctl monitor >/tmp/refused.out 2>&1
check "orientctl monitor without a session: exit 4" same 4 $?
cat /tmp/refused.out
# A shell makes background processes ignore SIGINT.
# shellcheck disable=SC2016  # another shell expands it
interrupted='env --default-signal=INT orientctl monitor >~/monitor & monitor=$!
    while kill -0 $monitor && ! grep -q SensorState= ~/monitor; do sleep 0.1; done
    kill -INT $monitor; wait $monitor; status=$?; cat ~/monitor; exit $status'
check "orientctl monitor in the session: Ctrl-C ends it with 0" session anna /dev/tty1 sh -c "$interrupted"
cat /tmp/session.out

part "a claim of root; an ordinary user subscribes"
hid 0 -1 0
(cd / && exec setpriv --reuid=anna --regid=anna --init-groups dbus-monitor --system "type='signal',sender='org.orientd1'") >/tmp/signals 2>/tmp/signals.err &
subscriber=$!
sleep 2
claim
cat /tmp/claim.out
check "the properties are valid when the claim's reply arrives" is DeviceOrientation portrait
check "Claims" is Claims 1
check "sampling" is SensorState sampling
check "buffered" sensor_is Mode buffer
check "the kernel's buffer is on" same 1 "$(cat /sys/bus/iio/devices/iio:device0/buffer/enable)"
echo "sampling frequency: $(cat /sys/bus/iio/devices/iio:device0/in_accel_sampling_frequency); SampleRate $(sensor SampleRate); Name $(sensor Name); Location $(sensor Location); MountMatrix $(sensor MountMatrix)"
up=-1
faces "HID" hid
sleep 1
kill $subscriber
awk '/^signal/ { member = $NF } /string "(DeviceOrientation|FaceOrientation|SensorState|Claims)"/ { name = $2 } /variant/ && name { print name, $3, $4; name = "" }' /tmp/signals | tee /tmp/changes
check "the subscriber saw each edge" same 'landscape-left portrait-upside-down landscape-right portrait landscape-left' \
    "$(sed -n 's/^"DeviceOrientation" "\(.*\)".*/\1/p' /tmp/changes | sed 1d | xargs)"
check "the subscriber saw both faces" same "face-up face-down none" "$(sed -n 's/^"FaceOrientation" "\(.*\)".*/\1/p' /tmp/changes | xargs | sed "s,^none ,,")"

part "unplugged and plugged in again, under the claim"
hid unplug
check "the kernel has no sensor" soon no hid_is_there
check "SensorState lost" soon is SensorState lost
check "the claim stays" is Claims 1
check "the orientation stays" is DeviceOrientation landscape-left
state
hid plug
check "the kernel has the sensor" soon hid_is_there
check "sampling again" soon is SensorState sampling
check "buffered again" sensor_is Mode buffer
check "the claim stays" is Claims 1
hid 1 0 0
check "a new edge is followed" soon is DeviceOrientation landscape-right
state

part "another mount matrix, under the claim"
record=/etc/udev/hwdb.d/61-sensor-local.hwdb
reload_hwdb() { systemd-hwdb update && udevadm control --reload && udevadm trigger --settle /sys/bus/iio/devices/iio:device0; }
printf 'sensor:modalias:platform:HID-SENSOR-200073:*\n ACCEL_MOUNT_MATRIX=-1, 0, 0; 0, -1, 0; 0, 0, 1\n' >$record
since=$(cut -d' ' -f1 /proc/uptime)
check "udev accepts the record" reload_hwdb
check "the orientation is reversed" soon is DeviceOrientation landscape-left
rm $record
check "udev removes the matrix" reload_hwdb
check "the orientation is as before" soon is DeviceOrientation landscape-right
check "buffered throughout" sensor_is Mode buffer
check "without a warning" no sh -c "journalctl -u orientd.service -o short-monotonic | awk -F'[][]' '\$2 > $since' | grep warning"

part "the driver is unbound and bound again, under the claim"
unbind() {  # unbind: unbinds the sensor's driver; bind: binds it again
    bound=$(dirname "$(readlink -f /sys/bus/iio/devices/iio:device0)")
    driver=$(readlink -f "$bound/driver")
    echo "${driver##*/}: ${bound##*/}"
    echo "${bound##*/}" >"$driver/unbind"
}
bind() { echo "${bound##*/}" >"$driver/bind"; }
unbind
check "the kernel has no sensor" soon no hid_is_there
check "SensorState lost" soon is SensorState lost
check "the claim stays" is Claims 1
bind
check "the kernel has the sensor" soon hid_is_there
check "sampling again" soon is SensorState sampling
check "buffered again" sensor_is Mode buffer
hid 0 1 0
check "a new edge is followed" soon is DeviceOrientation portrait-upside-down

part "a hub that reports only on change"
hid mute
for turn in 'portrait 0 -1 0' 'landscape-left -1 0 0' 'portrait-upside-down 0 1 0'; do
    hid "${turn#* }"
    hid once
    check "one report is enough for ${turn%% *}" soon is DeviceOrientation "${turn%% *}"
done
check "silence is not a failure" is SensorState sampling
check "it is still buffered" sensor_is Mode buffer
hid unmute
check "the same process throughout" unit_is MainPID "$first"
kill "$claimer"
check "the end of the client releases the claim" soon is Claims 0
check "idle" soon is SensorState idle
check "the kernel's buffer is off" soon grep -qx 0 /sys/bus/iio/devices/iio:device0/buffer/enable

part "started by udev, stopped by systemd"
began=$(date +%s%N)
check "systemctl stop" systemctl stop orientd.service
echo "stopped in $((($(date +%s%N) - began) / 1000000)) ms"
check "stopped without a failure" unit_is Result success
hid unplug
soon no hid_is_there
check "a stopped daemon stays stopped" unit_is ActiveState inactive
hid plug
check "udev starts it" soon unit_is ActiveState active
check "orientd finds the sensor" soon is HasAccelerometer true
systemctl stop orientd.service
check "D-Bus starts it" soon is HasAccelerometer true
check "as the systemd unit" unit_is ActiveState active

part "killed"
claim
kill -KILL "$(unit MainPID)"
check "systemd starts it again" soon unit_is NRestarts 1
check "orientd finds the sensor" soon is HasAccelerometer true
kill "$claimer"

part "polled chips"
hid quit
wait "$hid"
soon no hid_is_there
claim
cat /tmp/claim.out
up=1
chip_set() { sh i2c_stub_accel.sh set "$@"; }
for chip in kxcjk1013 lis3dh; do
    check "$chip probes" sh i2c_stub_accel.sh create $chip
    sh i2c_stub_accel.sh set 0 -1 0
    check "$chip: sampling" soon is SensorState sampling
    check "$chip: polled" soon sensor_is Mode poll
    echo "SampleRate $(sensor SampleRate); Name $(sensor Name); $(cat /sys/bus/iio/devices/iio:device0/*sampling_frequency)"
    faces $chip chip_set
    unbind
    check "$chip: unbound" soon is SensorState lost
    bind
    check "$chip: bound again" soon is SensorState sampling
    sh i2c_stub_accel.sh set 0 1 0
    check "$chip: a new edge is followed" soon is DeviceOrientation portrait-upside-down
    check "$chip is removed" sh i2c_stub_accel.sh destroy
    check "$chip: lost" soon is SensorState lost
    check "$chip: the claim stays" is Claims 1
    state
done

part "calibrated"
check "lis3dh probes" sh i2c_stub_accel.sh create lis3dh
chip_set -1 0 0
check "sampling" soon is SensorState sampling
check "-1 0 0 g is landscape-left" soon is DeviceOrientation landscape-left
# Three poses of two seconds each, with the readings of a sensor that is mounted rotated by a quarter turn.
awk 'BEGIN { print "t_seconds,x,y,z"; for (i = 0; i < 90; i++) print i / 15 "," (i < 30 ? "9.81,0,0" : i < 60 ? "0,-9.81,0" : "0,0,9.81") }' >/tmp/poses.csv
# Generate udev events throughout: at each of them udevd checks for a newer hwdb.
(while :; do udevadm trigger --settle /sys/block/vda; done) &
events=$!
running=$(unit MainPID)
check "orientctl calibrate computes the matrix, and udev accepts it" orientctl calibrate --from /tmp/poses.csv
kill "$events"
cat /etc/udev/hwdb.d/61-sensor-local.hwdb
check "udev has the matrix" same 'ACCEL_MOUNT_MATRIX=0, -1, 0; 1, 0, 0; 0, 0, 1' \
    "$(udevadm info /dev/iio:device0 | sed -n 's/^E: \(ACCEL_MOUNT_MATRIX=\)/\1/p')"
check "-1 0 0 g is portrait" soon is DeviceOrientation portrait
check "without a restart" unit_is MainPID "$running"
chip_set 0 1 0
check "0 1 0 g is landscape-left" soon is DeviceOrientation landscape-left
check "lis3dh is removed" sh i2c_stub_accel.sh destroy
kill "$claimer"

part "the bus is killed"
before=$(unit MainPID)
kill -KILL "$(systemctl show -P MainPID dbus.service)"
changed() { now=$(unit MainPID); [ "$now" != 0 ] && [ "$now" != "$before" ]; }
check "orientd is started again" soon changed
check "orientd answers" soon is Claims 0

finish
