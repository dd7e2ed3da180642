#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage (in the VM): sh calibrate.sh
# A simulated person at a terminal calibrates a sensor that is mounted rotated by a quarter turn; doctor runs before and
# after. The driver of the display is loaded at the end.
# shellcheck source=Tests/vm/common.sh
. ./common.sh
upright=1,0,0 left=0,-1,0 flat=0,0,-1
value='0, 1, 0; -1, 0, 0; 0, 0, -1'
file=/etc/udev/hwdb.d/61-sensor-local.hwdb
calibrate() {  # calibrate USER ACTION...: runs it with person.py; prints what the terminal shows, then the exit status
    user=$1
    shift
    python3 person.py /tmp/accel "$@" -- setpriv --reuid="$user" --regid="$user" --init-groups orientctl calibrate
    echo "[$?]"
}
terminal_has() { grep -qF "$1" /tmp/terminal || { cat /tmp/terminal; false; }; }
shown() {  # shown WHAT STATUS TEXT: checks that /tmp/terminal ends with STATUS and contains TEXT
    check "$1: exit status $2" same "[$2]" "$(tail -n 1 /tmp/terminal)"
    check "$1: \"$3\"" terminal_has "$3"
}
property() { udevadm info /dev/iio:device0 | sed -n 's/^E: ACCEL_MOUNT_MATRIX=//p'; }
unwritten() {  # unwritten WHAT
    check "$1: no record was written" no test -e $file
    check "$1: udev has no matrix" same '' "$(property)"
}
records() { grep -c '^ ACCEL_MOUNT_MATRIX=' $file; }

install_it
plug_hid
hid noise 2
hid $upright
check "udev has started orientd" soon unit_is ActiveState active

part "doctor, before anything is wrong"
session anna /dev/tty1 orientctl doctor
check "an ordinary user: nothing fails" same 0 $?
orientctl doctor | tee /tmp/doctor
check "root: every line is ok" no grep -vE '^ok ' /tmp/doctor
check "root: the configuration is checked" grep -q '^ok    configuration: ' /tmp/doctor

part "a user without permissions"
calibrate anna $upright $left $flat >/tmp/terminal
shown "no rights" 0 "polling instead"
check "no rights: the record is printed" terminal_has " ACCEL_MOUNT_MATRIX=$value"
unwritten "no rights"

part "Ctrl-C in the second pose"
calibrate root $upright ^C >/tmp/terminal
shown "Ctrl-C" 1 "interrupted; nothing was written"
unwritten "Ctrl-C"
check "Ctrl-C: orientd is started again" soon unit_is ActiveState active
check "Ctrl-C: the kernel's buffer is off" same 0 "$(cat /sys/bus/iio/devices/iio:device0/buffer/enable)"

part "from the terminal to the orientation that orientd publishes"
before=$(unit MainPID)
calibrate root $upright $left $flat >/tmp/terminal
cat /tmp/terminal
shown "root" 0 "udev has the new matrix"
cat $file
check "there is one record, with this value" same " ACCEL_MOUNT_MATRIX=$value" "$(grep '^ ' $file)"
check "udev has the matrix" same "$value" "$(property)"
check "orientd was started again" no same "$before" "$(unit MainPID)"
claim
hid $upright
check "upright is portrait" soon is DeviceOrientation portrait
hid $left
check "on its left edge is landscape-left" soon is DeviceOrientation landscape-left
hid $flat
check "on its back is face up" soon is FaceOrientation face-up

part "while orientd samples"
check "sampling" is SensorState sampling
calibrate root $upright $left $flat >/tmp/terminal
shown "orientd is stopped" 0 "After:  $value, the same"
check "there is still one record" same 1 "$(records)"
check "the client claims again" soon is Claims 1
check "sampling" soon is SensorState sampling

part "doctor, afterwards"
orientctl lock portrait
orientctl doctor | tee /tmp/doctor
check "hwdb has the matrix" grep -q "^ok    hwdb: ACCEL_MOUNT_MATRIX=$value\$" /tmp/doctor
check "the lock is the only finding" same 1 "$(grep -cv '^ok ' /tmp/doctor)"

part "a display whose driver comes late"
check "until then, portrait is natural" is NaturalOrientation portrait
check "the graphics card has a panel" sh -c 'python3 edp.py && modprobe virtio_gpu'
check "it is wider than high" soon is NaturalOrientation landscape-left
kill "$claimer"
kill "$hid"
finish
