#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage (in the VM, of sid, by run-in-vm.sh): sh ssc-costs.sh
# What orientd and iio-sensor-proxy with libssc cost with the accelerometer of the same sensor core, sensor_core.py. The
# processor is an emulated one.
# shellcheck source=Tests/vm/common.sh
. ./common.sh
# shellcheck source=Tests/vm/core.sh
. ./core.sh
check "iio-sensor-proxy with libssc is installed" dpkg -i ssc-peer/*.deb
install_it
plug_core
mkdir -p /etc/orientd
# By default it does not if iio-sensor-proxy is installed.
printf '[Bus]\nSensorProxy=yes\n' >/etc/orientd/orientd.conf
start_core
for unit in orientd iio-sensor-proxy; do
    part "$unit"
    systemctl unmask --runtime $unit.service
    check "$unit is measured" python3 -B ssc_costs.py measure $unit /tmp/core /tmp/costs.json
    cat /tmp/check.out
    systemctl mask --runtime --now $unit.service
    check "it has ended" soon no busctl status net.hadess.SensorProxy
done
part "the table"
dpkg-query -W -f '${Package} ${Version}\n' iio-sensor-proxy libssc2
check "both were measured" python3 -B ssc_costs.py table /tmp/costs.json
cat /tmp/check.out
finish
