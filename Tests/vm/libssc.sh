#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage (in the VM, of sid, by run-in-vm.sh): sh libssc.sh
# Qualcomm's sensor core, as the programs of libssc know it: its ssccli reads from sensor_core.py what orientd reads, and
# orientd reads libssc's own mock. Desktops' readers turn with it, and iio-sensor-proxy's tests of it run with orientd.
# shellcheck source=Tests/vm/common.sh
. ./common.sh
# shellcheck source=Tests/vm/core.sh
. ./core.sh
proxied() {  # proxied PROPERTY: prints it, of net.hadess.SensorProxy
    path=/net/hadess/SensorProxy interface=net.hadess.SensorProxy
    [ "$1" != CompassHeading ] || path=$path/Compass interface=$interface.Compass
    busctl get-property net.hadess.SensorProxy $path $interface "$1" | cut -d' ' -f2
}
begin_reading() {  # begin_reading SENSOR: ssccli begins to read it, as $reader
    ssccli --sensor="$1" --timeout=600 >"/tmp/ssccli.$1" 2>&1 &
    reader=$!
}
reads() {  # reads SENSOR: prints the last values that ssccli has read, separated by spaces
    sed -n 's/.*sensor measurement: *//p' "/tmp/ssccli.$1" | tail -n 1 | sed -E 's/[XYZ]=//g; s/ (m.s|Lux|°).*//' |
        grep . || { cat "/tmp/ssccli.$1"; false; }
}
close_to() {  # close_to TOLERANCE "A..." "B...": compares numbers, each with its counterpart
    echo "$2 $3" | awk -v t="$1" '{ n = NF / 2; if (n < 1 || n != int(n)) exit 1
        for (i = 1; i <= n; i++) { d = $i - $(i + n); if (d * d > t * t) exit 1 } }' || { echo "$2 | $3"; false; }
}
# What orientd has of each sensor, as ssccli prints it.
orientd_reads() {
    case $1 in
        # The direction of gravity is the opposite of what an accelerometer reads, and in g.
        accelerometer) get Gravity | awk '{ for (i = 1; i <= 3; i++) printf "%f ", -9.80665 * $i }' ;;
        light) proxied LightLevel ;;
        proximity) proxied ProximityNear ;;
        compass) proxied CompassHeading ;;
    esac
}
agree() {  # agree SENSOR TOLERANCE VALUE...: both have these values
    sensor=$1 tolerance=$2
    shift 2
    close_to "$tolerance" "$*" "$(reads "$sensor")" && close_to "$tolerance" "$*" "$(orientd_reads "$sensor")"
}
both_read() {  # both_read SENSOR TOLERANCE VALUE...
    check "both have of the $1: $(shift 2; echo "$*")" soon agree "$@"
}
near_is() {  # near_is TEXT true|false: what ssccli prints, and orientd says
    same "$1" "$(reads proximity)" && same "$2" "$(proxied ProximityNear)"
}
begin_monitor() {  # begin_monitor: iio-sensor-proxy's own command claims all sensors, as $monitor
    : >/tmp/monitor.out
    stdbuf -oL /tmp/peer-monitor --all >>/tmp/monitor.out 2>&1 &
    monitor=$!
}
prints() { grep -qF "$1" /tmp/monitor.out || { cat /tmp/monitor.out; false; }; }

cp /usr/bin/monitor-sensor /tmp/peer-monitor  # that of iio-sensor-proxy, before ours replaces it
install_it
dpkg-query -W libssc2 libssc-bin libssc-tests
ssccli --help
plug_core
check "started" systemctl start orientd.service
start_core
check "orientd finds the accelerometer" soon is HasAccelerometer true

part "ssccli and orientd on the same mock"
begin_monitor
begin_reading accelerometer
for values in '1.5 -2.25 9.4' '0 9.8 0' '-9.7 0.25 1.5' '0.125 -0.5 -9.75'; do
    # shellcheck disable=SC2086
    core accel $values
    # shellcheck disable=SC2086
    both_read accelerometer 0.01 $values
done
kill $reader
begin_reading light
for value in 250.5 0 1234.5 0.25; do
    core light $value
    both_read light 0.000001 $value
done
kill $reader
begin_reading compass
for value in 77.5 180 359.5 12.25; do
    core heading $value
    both_read compass 0.001 $value
done
kill $reader
begin_reading proximity
core near 1
check "both have that something is near" soon near_is NEAR true
core near 0
check "both have that nothing is near" soon near_is FAR false
kill $reader
tail -n 3 /tmp/ssccli.*

part "monitor-sensor of iio-sensor-proxy, and QtSensors"
dpkg -i qtsensors/*.deb >/tmp/dpkg.out 2>&1 || { cat /tmp/dpkg.out; failed=$((failed + 1)); }
QT_QPA_PLATFORM=offscreen python3 -u -B qtsensors.py >/tmp/qt.out 2>&1 &
qt=$!
turned() {  # turned EDGE ITS_NAME_IN_QT: all readers have it
    state
    prints "orientation changed: $1" && { same "$2" "$(tail -n 1 /tmp/qt.out)" || { cat /tmp/qt.out; false; }; }
}
turn() {  # turn X Y Z EDGE ITS_NAME_IN_QT
    : >/tmp/monitor.out
    core accel "$1" "$2" "$3"
    check "accel $1 $2 $3: monitor-sensor prints $4, QtSensors has $5" soon turned "$4" "$5"
}
core accel 0 9.8 0
check "QtSensors has the sensor" soon grep -x TopUp /tmp/qt.out
turn 9.8 0 0 right-up RightUp
turn 0 -9.8 0 bottom-up TopDown
turn -9.8 0 0 left-up LeftUp
turn 0 9.8 0 normal TopUp
core light 42
check "QtSensors has the light" soon grep -x 'lux 42' /tmp/qt.out
kill $qt $monitor
echo quit >/tmp/core
check "without the core there is no accelerometer" soon is HasAccelerometer false

part "orientd and libssc's mock"
# In sid's package the files that protoc has generated do not find each other.
export PYTHONPATH=/usr/lib/python3/dist-packages/ssc_server
PYTHONUNBUFFERED=1 /usr/libexec/installed-tests/libssc/ssc-server >/tmp/server.log 2>&1 &
server=$!
check "it has started" soon grep 'Waiting for MSGs' /tmp/server.log
check "orientd finds its accelerometer" soon is HasAccelerometer true
found() { journalctl -u orientd.service -o cat --no-pager | grep -F "found $1"; }
for sensor in "accelerometer accelerometer" "light sensor light" "proximity sensor proximity" "compass rotationvector"; do
    check "orientd finds the $sensor-mock" soon found "$sensor-mock"
done
begin_monitor
for value in 5 7 1 0; do check "light: $value lux" soon prints "Light changed: $value.000000 (lux)"; done
for value in 0 1; do check "proximity: $value" soon prints "Proximity value changed: $value"; done
check "compass" soon prints "Compass heading changed: "
check "a negative light is not taken" no prints "Light changed: -"
has_read() { no same '0 0 0' "$(get Gravity)"; }
check "readings of the accelerometer" soon has_read
kill $monitor
kill $server

part "iio-sensor-proxy's tests of the sensor core, with orientd"
systemctl stop orientd.service
printf '[Bus]\nSensorProxy=yes\n' >/tmp/orientd.conf
ORIENTD_SSC_OWN_NODE=1 umockdev-wrapper python3 -B peer_tests.py peer/ssc-test.py \
    /usr/libexec/orientd --bus system --config /tmp/orientd.conf >/tmp/peer.out 2>&1
check "they pass" grep -E "^[1-9][0-9]* passed, 0 failed$" /tmp/peer.out
sed 's/^/    /' /tmp/peer.out
finish
