#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: i2c_stub_accel.sh create CHIP | set X Y Z | get | destroy
# A simulated accelerometer without an interrupt: i2c-stub provides the registers, and the kernel's real driver for CHIP
# (kxcjk1013, bmc150_accel, lis3dh, mma8452 or mxc4005) reads them. X Y Z are in g. One chip at a time. Needs root and
# i2c-tools.
set -eu
state=${XDG_RUNTIME_DIR:-/run}/i2c_stub_accel

usage() { sed -n '3p' "$0" | cut -c3- >&2; exit 2; }

# What each driver needs: its module, the address, and the registers ("register=byte") that it checks.
chip() {
    bank=''
    case $1 in
    kxcjk1013)    module=kxcjk-1013 address=0x0f identity='0x0f=0x05' ;;
    bmc150_accel) module=bmc150-accel-i2c address=0x10 identity='0x00=0xfa' ;;
    lis3dh)       module=st_accel_i2c address=0x19 identity='0x0f=0x33 0x8f=0x33' ;;
    mma8452)  # a reset is over when its bit reads 0: setting it selects a bank in which the register is 0
        module=mma8452 address=0x1c identity='0x0d=0x2a 0x00=0x0f'
        bank='bank_reg=0x2b bank_mask=0x40 bank_start=0x2b bank_end=0x2b'
        ;;
    mxc4005)      module=mxc4005 address=0x15 identity='0x0e=0x02' ;;
    *) usage ;;
    esac
}

# Stores the value $2 of in_accel_*_raw for axis $1 (0..2) in the format of the chip's registers.
store() {  # i2cset needs -f because the driver owns the address
    word=$(( ($2 << 4) & 0xffff ))  # all of these chips left-justify 12 bits in 16
    low=$((word & 255)) high=$((word >> 8))
    case $chip in
    kxcjk1013)  # polled, its driver reads words, which i2c-stub stores at their first byte; else blocks of bytes
        i2cset -f -y "$bus" "$address" $((0x06 + 2 * $1)) $word w
        i2cset -f -y "$bus" "$address" $((0x07 + 2 * $1)) $high b ;;
    bmc150_accel)
        i2cset -f -y "$bus" "$address" $((0x02 + 2 * $1)) $low b
        i2cset -f -y "$bus" "$address" $((0x03 + 2 * $1)) $high b ;;
    lis3dh)  # bit 7 of the register number requests auto-increment
        i2cset -f -y "$bus" "$address" $((0xa8 + 2 * $1)) $low b
        i2cset -f -y "$bus" "$address" $((0xa9 + 2 * $1)) $high b ;;
    mma8452)
        i2cset -f -y "$bus" "$address" $((0x01 + 2 * $1)) $high b
        i2cset -f -y "$bus" "$address" $((0x02 + 2 * $1)) $low b ;;
    mxc4005)
        i2cset -f -y "$bus" "$address" $((0x03 + 2 * $1)) $high b
        i2cset -f -y "$bus" "$address" $((0x04 + 2 * $1)) $low b ;;
    esac
}

device() { echo "/sys/bus/i2c/devices/$bus-$(printf %04x "$address")/iio:device"*; }

case ${1:-} in
create)
    [ $# -eq 2 ] || usage
    chip=$2
    chip "$chip"
    modprobe i2c-dev
    # shellcheck disable=SC2086
    modprobe i2c-stub chip_addr="$address" $bank
    modprobe "$module"
    name=$(grep -lx 'SMBus stub driver' /sys/bus/i2c/devices/i2c-*/name)
    bus=${name%/name} bus=${bus##*-}
    for pair in $identity; do i2cset -y "$bus" "$address" "${pair%=*}" "${pair#*=}" b; done
    echo "$chip $address" >"/sys/bus/i2c/devices/i2c-$bus/new_device"
    echo "chip=$chip bus=$bus address=$address module=$module" >"$state"
    udevadm settle
    if [ ! -d "$(device)" ]; then
        echo "$chip did not probe:" >&2
        dmesg | tail -n 5 >&2
        exit 1
    fi
    device
    ;;
set)
    [ $# -eq 4 ] || usage
    # shellcheck source=/dev/null
    . "$state"
    shift
    scale=$(cat "$(device)"/in_accel_scale 2>/dev/null || cat "$(device)"/in_accel_x_scale)
    axis=0
    for g; do
        store $axis "$(awk -v g="$g" -v s="$scale" 'BEGIN { printf "%.0f", g * 9.80665 / s }')"
        axis=$((axis + 1))
    done
    ;;
get)
    # shellcheck source=/dev/null
    . "$state"
    cat "$(device)"/in_accel_?_raw
    ;;
destroy)
    # shellcheck source=/dev/null
    . "$state"
    echo "$address" >"/sys/bus/i2c/devices/i2c-$bus/delete_device"
    rm -f "$state"
    rmmod "$module" i2c-stub
    ;;
*) usage ;;
esac
