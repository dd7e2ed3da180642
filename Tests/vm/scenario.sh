#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: Tests/vm/scenario.sh FOLDER SCENARIO BUS SUITE
# Runs SCENARIO with BUS and FOLDER/install.tar, or FOLDER/packages, in a virtual machine of its own with the Debian
# release SUITE, and prints its output after it has ended. FOLDER/SCENARIO-BUS-SUITE is shared with the machine. Called
# by check.sh.
set -eu
here=$(dirname "$0")
share=$1/$2-$3-$4
mkdir "$share"
cp "$here"/*.sh "$here"/*.py "$here"/../session/wayland.py "$here"/../session/corners.py "$share"
if [ "$4" != bookworm ]; then
    export ORIENTD_VM_DIR=".build/vm-$4"
    exec 9>"$1/$4"  # others may need the same machine
    flock 9
    [ -z "$(find "$here/build-rootfs.sh" -newer "$ORIENTD_VM_DIR/rootfs.ext4" 2>&1)" ] ||
        SUITE=$4 "$here/build-rootfs.sh" "$ORIENTD_VM_DIR" >"$share.log" 2>&1 || { cat "$share.log"; exit 1; }
    exec 9>&-
fi
keys='' limit=600 script=$2
case $2 in
    package | gnome | phosh)
        limit=1800
        flock "$1/packages" "$here/packages.sh" "$1/packages" >"$share.log" || { cat "$share.log"; exit 1; }
        cp -r "$1/packages" "$share"
        [ "$2" != package ] || cp "${ORIENTD_VM_DIR:-.build/vm}"/iio-sensor-proxy_*.deb "$share/packages"
        ;;
    *) cp "$1/install.tar" "$share" ;;
esac
case $2 in
    libssc)
        "$here/../peer/source.py" && cp -r .build/peer/iio-sensor-proxy-*/tests "$share/peer"
        cp -r "$ORIENTD_VM_DIR/qtsensors" "$share"
        ;;
    ssc-arm64 | ssc-address)
        script=ssc limit=1800
        "$here/instead.sh" "${2#ssc-}" "$share/instead" >"$share.log" 2>&1 || { cat "$share.log"; exit 1; }
        ;;
    ssc-costs)
        limit=2400
        "$here/ssc-peer.sh" "$ORIENTD_VM_DIR/ssc-peer" >"$share.log" 2>&1 || { cat "$share.log"; exit 1; }
        cp -r "$ORIENTD_VM_DIR/ssc-peer" "$here"/../../Benchmarks/loop.py "$here"/../../Benchmarks/movement.py \
            "$here"/../../Benchmarks/usage.py "$share"
        ;;
esac
case $2 in
    suspend | busy | ssc | ssc-arm64 | ssc-address) keys=-S ;;
    rest) keys=-S limit=900 ;;
    # A panel that is higher than wide, and a monitor, which QEMU does not report as connected.
    switches) wide=240 high=320 outputs=1 append=video=Virtual-1:panel_orientation=left_side_up ;;
    calibrate) wide=320 high=240 outputs=1 append=modprobe.blacklist=virtio_gpu ;;
    display | xorg | greeter) wide=480 high=640 ;;
    hyprland) wide=240 high=320 ;;
    tablet-switch) keys='-S -m' wide=240 high=320 outputs=1 ;;
    gnome | kwin | phosh) keys=-m wide=240 high=320 outputs=1 append=modprobe.blacklist=virtio_gpu ;;  # see prepare_panel
esac
if [ -n "${wide:-}" ]; then
    export ORIENTD_VM_QEMU="-device virtio-gpu-pci,max_outputs=${outputs:=2},xres=$wide,yres=$high"
    [ "$outputs" -eq 1 ] || append=video=Virtual-2:${high}x${wide}e
fi
run() {
    status=0
    # shellcheck disable=SC2086
    ORIENTD_VM_APPEND="bus=$3 ${append:-}" "$here/run-in-vm.sh" -s "$share" -t $limit $keys sh "$script.sh" >"$share.log" 2>&1 || status=$?
}
run "$@"
if [ $status -eq 75 ]; then  # a compositor that hangs, which is not orientd's fault, counts the second time
    { printf '\n== %s, %s, %s, whose compositor hung:\n' "$2" "$3" "$4"; sed 's/^/    /' "$share.log"; } | flock "$1/install.tar" cat
    run "$@"
fi
{ printf '\n== %s, %s, %s\n' "$2" "$3" "$4"; cat "$share.log"; } | flock "$1/install.tar" cat
exit $status
