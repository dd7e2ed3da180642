#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: run-in-vm.sh [-s SHARE_DIR] [-t SECONDS] [-S] [-m] COMMAND...
# Boots the machine that build-rootfs.sh built and runs COMMAND (a shell command line) in it as root, in a copy of
# SHARE_DIR at /bench. Prints COMMAND's output and exits with its status. Files that COMMAND writes under /bench are
# copied to SHARE_DIR when it ends. Without -s the share is an empty temporary folder.
#   -t  time limit of COMMAND, without the boot (300; exit status 124)
#   -S  for tests of suspend: the default sleep is s2idle, and a key press every 5 s ends it (QEMU's RTC alarm does not
#       end it). The RTC alarm ends S3, but only with ORIENTD_VM_KERNEL=vmlinuz.
#   -m  the machine's /dev/ttyS1 is QEMU's monitor, which presses keys of the PS/2 keyboard: "sendkey a"
# SHARE_DIR/.run has stdout, stderr, exit status, journal and serial console of the last run.
# The disk is a temporary copy: every run starts from the same image. There is no network.
#   ORIENTD_VM_DIR    the output folder of build-rootfs.sh (.build/vm)
#   ORIENTD_VM_ACCEL  tcg or kvm; by default kvm if the processor has vmx or svm and /dev/kvm is writable
#   ORIENTD_VM_KERNEL vmlinux (fast boot through PVH) or vmlinuz (boot through the BIOS, 5 s slower)
#   ORIENTD_VM_CPU, ORIENTD_VM_CPUS, ORIENTD_VM_MEM, ORIENTD_VM_APPEND, ORIENTD_VM_QEMU
#                     CPU model, number of processors (2 with kvm; 1 with tcg, which is faster there), MiB of memory,
#                     more kernel options, more QEMU options
set -eu

usage() { sed -n '3,6p' "$0" | cut -c3- >&2; exit 2; }
share='' limit=300 keys='' monitor=''
while getopts s:t:Sm option; do
    case $option in s) share=$OPTARG ;; t) limit=$OPTARG ;; S) keys=yes ;; m) monitor=yes ;; *) usage ;; esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || usage

vm=${ORIENTD_VM_DIR:-.build/vm}
accel=${ORIENTD_VM_ACCEL:-}
if [ -z "$accel" ]; then
    if [ -w /dev/kvm ] && grep -qwE 'vmx|svm' /proc/cpuinfo; then accel=kvm; else accel=tcg; fi
fi
case $accel in kvm) cpu=host cpus=2 ;; *) cpu=${ORIENTD_VM_CPU:-Nehalem} cpus=1 accel=tcg,thread=multi ;; esac

command -v qemu-system-x86_64 >/dev/null ||
    DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=600 install -y --no-install-recommends \
        qemu-system-x86 >/dev/null

temporary=''
if [ -z "$share" ]; then share=$(mktemp -d) temporary=$share; fi
share=$(cd "$share" && pwd)
trap 'rm -rf ${temporary:+"$temporary"} ${socket:+"$socket"}' EXIT
rm -rf "$share/.run"
mkdir "$share/.run"
printf '%s\n' "$*" >"$share/.run/command"
echo "$limit" >"$share/.run/limit"

press() {  # prints commands for QEMU's monitor until QEMU exits
    while [ -n "$keys" ] && sleep 5; do echo 'sendkey ctrl' || break; done
}

if [ -n "$monitor" ]; then  # one socket, with both ends in QEMU
    socket=$(mktemp -u)
    ORIENTD_VM_QEMU="-chardev socket,id=port,path=$socket,server=on,wait=off -serial chardev:port \
        -chardev socket,id=monitor,path=$socket -mon chardev=monitor ${ORIENTD_VM_QEMU:-}"
fi

began=$(date +%s%N)
status=0
# udev would load the driver of the share, which does not survive suspend.
# shellcheck disable=SC2086
press 2>/dev/null | timeout $((limit + 120)) qemu-system-x86_64 -accel "$accel" -machine "q35,hpet=off" -cpu "$cpu" \
    -m "${ORIENTD_VM_MEM:-1024}" -smp "${ORIENTD_VM_CPUS:-$cpus}" \
    -nodefaults -no-user-config -display none -nic none -no-reboot \
    -serial "file:$share/.run/console" -monitor stdio \
    -kernel "$vm/${ORIENTD_VM_KERNEL:-vmlinux}" -initrd "$vm/initrd.img" \
    -append "console=ttyS0 quiet panic=-1 nokaslr mitigations=off tsc=reliable apparmor=0 audit=0 cryptomgr.notests 8250.nr_uarts=2 modprobe.blacklist=9pnet_virtio systemd.show_status=0 ${keys:+mem_sleep_default=s2idle} ${ORIENTD_VM_APPEND:-}" \
    -drive "file=$vm/rootfs.ext4,format=raw,if=virtio,snapshot=on" \
    -device virtio-rng-pci \
    -virtfs "local,path=$share,mount_tag=share,security_model=none,multidevs=remap" \
    ${ORIENTD_VM_QEMU:-} >/dev/null || status=$?
ended=$(date +%s%N)

[ ! -f "$share/.run/stdout" ] || cat "$share/.run/stdout"
[ ! -f "$share/.run/stderr" ] || cat "$share/.run/stderr" >&2
seen() { cat "$share/.run/$1" 2>/dev/null || echo '?'; }
echo "run-in-vm.sh: $accel; command began $(seen uptime_at_command) s after boot, ended $(seen uptime_at_end) s;" \
    "whole run $(( (ended - began) / 1000000 )) ms" >&2
if [ -f "$share/.run/exit" ]; then exit "$(cat "$share/.run/exit")"; fi
echo "run-in-vm.sh: the command did not end (QEMU exited with $status); console:" >&2
tail -n 20 "$share/.run/console" >&2
[ "$status" -ne 0 ] || status=1
exit "$status"
