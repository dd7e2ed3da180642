# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
# Functions for scenarios with Qualcomm's sensor core, which sensor_core.py imitates over the kernel's QRTR.
core() {  # core COMMAND...: see sensor_core.py
    done=$(logged "did $*")
    echo "$*" >/tmp/core
    check "the sensor core does: $*" soon logged_more "$done" "did $*"
}
logged() { grep -cx "$1" /tmp/core.log; }  # logged LINE: prints how often the mock has logged it
logged_more() { [ "$(logged "$2")" -gt "$1" ] || { cat /tmp/core.log; false; }; }  # logged_more NUMBER LINE
plug_core() {  # plug_core: creates the core's device, and lets orientd use services of this processor
    mkdir -p /run/systemd/system/orientd.service.d
    # The family as on arm64.
    printf '[Service]\nRestrictAddressFamilies=AF_QIPCRTR\nEnvironment=ORIENTD_SSC_OWN_NODE=1\n' \
        >/run/systemd/system/orientd.service.d/core.conf
    systemctl daemon-reload
    systemctl try-restart orientd.service
    # uhid stands for it: the kernel makes no other such device.
    echo 'SUBSYSTEM=="misc", KERNEL=="uhid", ENV{IIO_SENSOR_PROXY_TYPE}="ssc-accel ssc-light ssc-proximity ssc-compass"' \
        >/etc/udev/rules.d/90-core.rules
    mount -t tmpfs none /sys/class/misc && ln -s /sys/devices/virtual/misc/uhid /sys/class/misc/fastrpc-adsp
    udevadm control --reload
    udevadm trigger --settle /sys/devices/virtual/misc/uhid
    modprobe qrtr
}
start_core() {  # start_core: the mock, which /tmp/core controls; $core is its process
    [ -p /tmp/core ] || mkfifo /tmp/core
    : >/tmp/core.log
    python3 sensor_core.py /tmp/core /tmp/core.log &
    # shellcheck disable=SC2034  # a scenario may end it
    core=$!
    core publish
}
run_instead() {  # run_instead: the service runs the program in the folder "instead", with what its emulator or sanitizer needs
    sed -i -e '/^SystemCallFilter=/d; /^MemoryDenyWriteExecute=/d; /^ProcSubset=/d; /^MemoryMax=/d' \
        -e "s|^ExecStart=.*|ExecStart=$PWD/instead/orientd|" "$(unit FragmentPath)"
    systemctl daemon-reload
}
