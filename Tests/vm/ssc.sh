#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage (in the VM, by run-in-vm.sh -S): sh ssc.sh
# The sensors of Qualcomm's sensor core, which sensor_core.py imitates over the kernel's QRTR: late, restarted, forged.
# shellcheck source=Tests/vm/common.sh
. ./common.sh
# shellcheck source=Tests/vm/core.sh
. ./core.sh
says() { journalctl -u orientd.service -o cat --no-pager | grep -F "$1"; }
edge_is() { is DeviceOrientation "$1"; }
turn() {  # turn EDGE X Y Z: turns the device, in m/s²
    edge=$1
    shift
    core accel "$@"
    check "accel $*: $edge" soon edge_is "$edge"
}
doctor_says() { orientctl doctor >/tmp/doctor.out 2>&1; grep -F "$1" /tmp/doctor.out || { cat /tmp/doctor.out; false; }; }
prints() { grep -qF "$1" /tmp/monitor.out || { cat /tmp/monitor.out; false; }; }

cp /usr/bin/monitor-sensor /tmp/peer-monitor  # that of iio-sensor-proxy, before ours replaces it
install_it
[ ! -d instead ] || run_instead
no_module() { no grep -w '^qrtr' /proc/modules; }

part "a machine without the core"
mkdir -p /run/systemd/system/orientd.service.d
# As on arm64.
printf '[Service]\nRestrictAddressFamilies=AF_QIPCRTR\n' >/run/systemd/system/orientd.service.d/core.conf
systemctl daemon-reload
check "started" systemctl start orientd.service
check "no accelerometer" is HasAccelerometer false
check "no socket was opened, which would load the module" no_module
check "nothing is said of it" no says "sensor core"

part "its device appears while orientd runs, and a program imitates its service"
# uhid and uinput stand for its two devices, as the kernel makes no such device; each names some of the sensors.
printf 'SUBSYSTEM=="misc", KERNEL=="%s", ENV{IIO_SENSOR_PROXY_TYPE}="%s"\n' uinput ssc-light \
    uhid 'ssc-accel ssc-proximity ssc-compass' >/etc/udev/rules.d/90-core.rules
mount -t tmpfs none /sys/class/misc
ln -s /sys/devices/virtual/misc/uinput /sys/class/misc/fastrpc-adsp
ln -s /sys/devices/virtual/misc/uhid /sys/class/misc/fastrpc-sdsp
udevadm control --reload
udevadm trigger --settle /sys/devices/virtual/misc/uhid /sys/devices/virtual/misc/uinput
check "orientd listens" soon says "listening to the sensor core at /sys/devices/virtual/misc/uhid"
check "which loads the module" soon no no_module
start_core
check "orientd says so" soon says "a program of this machine imitates the sensor core; ignored"
check "doctor says so" doctor_says "a program of this machine imitates Qualcomm's sensor core"
check "and what is missing" doctor_says "needs hexagonrpcd, which does not run"
check "and asks it nothing" no grep -E '^(look up|request)' /tmp/core.log
check "still no accelerometer" is HasAccelerometer false
core withdraw

part "the service comes late, its registry later"
echo 'Environment=ORIENTD_SSC_OWN_NODE=1' >>/run/systemd/system/orientd.service.d/core.conf
systemctl daemon-reload
systemctl restart orientd.service
check "still no accelerometer" is HasAccelerometer false
core registry off
core publish
cp /bin/sleep /tmp/hexagonrpcd
/tmp/hexagonrpcd 1000 &
export ORIENTD_SSC_OWN_NODE=1
check "doctor says that there is no configuration" doctor_says "has no sensors yet, as it got no configuration"
check "orientd asks again and again" soon logged_more 2 "look up registry"
check "and for no other sensor" same 0 "$(logged 'look up accel')"
check "still no accelerometer" is HasAccelerometer false
core registry on
check "orientd finds the accelerometer" soon is HasAccelerometer true
check "nobody needs readings" same 0 "$(logged 'request 513 of accel.*')"
check "doctor names it" doctor_says "mock-accel of Qualcomm's sensor core"
orientctl doctor --report report.txt >/tmp/doctor.out 2>&1
check "its report has the exchange" grep -E '^< 1:[0-9]+ 04' report.txt
check "with the orientation that the core determines" grep -E "^< 1:[0-9]+ 04.*$(printf device_orient | od -An -tx1 | tr -d ' \n')" report.txt
check "and without serial numbers" no grep "$(printf serial-4711 | od -An -tx1 | tr -d ' \n')" report.txt
orientctl sensors >/tmp/sensors.out 2>&1
check "orientctl sensors lists it" same "device_orient of Qualcomm's sensor core is not used" "$(tail -n1 /tmp/sensors.out)"
check "orientd logs its placement" says "the sensor core's placement is not applied: 0.0 0.0 0.0"
check "its name" sensor_is Name mock-accel
check "its mount matrix" sensor_is MountMatrix "9 1 0 0 0 1 0 0 0 1"

part "readings"
claim
check "sampling" soon is SensorState sampling
check "at the first rate that is enough" logged_more 0 "request 513 of accel at 12.5 Hz"
turn portrait 0 9.8 0
turn landscape-left 9.8 0 0
turn portrait-upside-down 0 -9.8 0
turn landscape-right -9.8 0 0
core accel 0 0 9.8
check "face up" soon is FaceOrientation face-up
core accel 0 0 -9.8
check "face down" soon is FaceOrientation face-down
turn portrait 0 9.8 0
/tmp/peer-monitor >/tmp/monitor.out 2>&1 &
monitor=$!
check "light in lux" soon prints "100.000000 (lux)"
core light 250.5
check "the light changes" soon prints "250.500000 (lux)"
core near 1
check "something is near" soon prints "Proximity value changed: 1"
core near 0
check "nothing is near" soon prints "Proximity value changed: 0"
kill $monitor
check "readings that nobody needs end" soon logged_more 0 "request 10 of ambient_light"
check "those of the proximity sensor, too" soon logged_more 0 "request 10 of proximity"

part "hinge and cover"
check "Idiom=convertible" sh -c "mkdir -p /etc/orientd && printf '[Orientation]\nIdiom=convertible\n' >/etc/orientd/orientd.conf"
kill "$claimer"
core hinge on
systemctl restart orientd.service
claim
check "an angle of 90 degrees: laptop" soon is TabletMode laptop
core angle 270
check "270 degrees: tablet" soon is TabletMode tablet
check "HingeAngle" soon is HingeAngle 270
kill "$claimer"
rm /etc/orientd/orientd.conf
core hinge off
systemctl restart orientd.service
claim
turn portrait 0 9.8 0
core cover 1
check "the cover is closed: paused" soon is InterfaceRule paused
core cover 0
check "the cover is open: not paused" soon no is InterfaceRule paused
turn landscape-left 9.8 0 0
turn portrait 0 9.8 0

part "at rest"
check "the accelerometer dozes" within 90 sensor_is SensingLevel doze
check "and is asked for less" soon logged_more 0 "request 513 of accel at 5 Hz"
streams=$(logged "request 513 of accel at 12.5 Hz")
turn landscape-left 9.8 0 0
check "in motion it is asked for more" soon logged_more "$streams" "request 513 of accel at 12.5 Hz"

part "the sensor core restarts"
core accel 9.8 0 0
check "landscape-left" soon edge_is landscape-left
before=$(date +%s%N)
core restart
core accel -9.8 0 0
check "it goes on" within 10 edge_is landscape-right
echo "restart to the first new edge: $((($(date +%s%N) - before) / 1000000)) ms"
check "the claim stays" is Claims 1
check "sampling" soon is SensorState sampling
core withdraw
check "without the service there is no sensor" soon is SensorState lost
core publish
turn portrait 0 9.8 0

part "many restarts"
descriptors() { pid=$(unit MainPID) && find "/proc/$pid/fd" -type l | wc -l; }
memory() { awk '/^RssAnon/ { print $2 }' "/proc/$(unit MainPID)/status"; }  # in kB
restarts() {  # restarts NUMBER: each with a turn
    for restart in $(seq "$1"); do
        core restart
        if [ $((restart % 2)) -eq 1 ]; then turn landscape-left 9.8 0 0; else turn portrait 0 9.8 0; fi
    done
}
restarts 10
open=$(descriptors)
restarts 30
check "as many open files as before, $open" same "$open" "$(descriptors)"
# Once, at some restart, glibc's heap grows by 180 kB; 700 restarts end at 712 kB at most, the last 300 add 4 kB.
[ -d instead ] || check "no more memory than 700 restarts take" at_most 760 "$(memory)"

part "what others send"
core forge 9.8 0 0
core forge 9.8 0 0
core forge 9.8 0 0
core cut
sleep 1
check "changes nothing" edge_is portrait
check "nor the state" is SensorState sampling
core flood 2000
turn landscape-left 9.8 0 0
core rate 200
check "more readings than asked for: at rest" within 90 sensor_is SensingLevel doze
turn portrait 0 9.8 0
core rate 0

part "errors"
core fail accel
core restart
check "lost" soon is SensorState lost
check "with the error" soon sh -c "busctl get-property org.orientd1 /org/orientd1/sensor/0 org.orientd1.Sensor LastError | grep -F 'the sensor reports error 4'"
core fail none
turn landscape-left 9.8 0 0
core late accel
core restart
check "a sensor that does not answer is not there" soon is SensorState lost
core late none
turn portrait 0 9.8 0
core mute accel
core restart
check "one that sends no readings is tried again and again" soon says "mock-accel: no scan came in time"
check "and lost" soon is SensorState lost
core mute none
turn landscape-left 9.8 0 0
core restart
turn portrait 0 9.8 0

part "sleep"
ends=$(logged "request 10 of accel")
sleep_once "sensor core"
check "its readings ended before" logged_more "$ends" "request 10 of accel"
turn landscape-left 9.8 0 0

part "a mount matrix of udev, as there are for iio-sensor-proxy"
kill "$claimer"
check "idle" soon is SensorState idle
sed -i '/uhid/s/$/, ENV{ACCEL_MOUNT_MATRIX}="-1,0,0;0,-1,0;0,0,1"/' /etc/udev/rules.d/90-core.rules
udevadm control --reload
udevadm trigger --settle /sys/devices/virtual/misc/uhid
check "orientd has it, without a restart" soon sensor_is MountMatrix "9 -1 0 0 0 -1 0 0 0 1"
claim
turn portrait 0 9.8 0
turn landscape-left 9.8 0 0

part "the end"
kill "$claimer"
check "idle" soon is SensorState idle
echo quit >/tmp/core
check "the sensor has gone" soon sh -c "journalctl -u orientd -o cat | grep -F 'the device was removed'"
check "orientd stops" systemctl stop orientd.service
check "without an error" unit_is Result success
if [ -d instead ]; then check "no report of the sanitizer" no says Sanitizer; fi
finish
