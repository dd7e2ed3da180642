#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: build-rootfs.sh [OUT_DIR]
# Builds the test machine: OUT_DIR/vmlinuz, vmlinux (the same kernel, which boots faster), initrd.img and rootfs.ext4
# (OUT_DIR defaults to .build/vm), and downloads the package iio-sensor-proxy of the same suite there; for sid also
# QtSensors, with what it needs, to the folder qtsensors there. Needs Debian and root.
#   KERNEL_DIR      an unpacked linux-image package to use; by default the current one is downloaded with apt, from this
#                   machine's suite or, for another guest, from the guest's
#   EXTRA_PACKAGES  more packages for the guest, separated by commas
#   SUITE           Debian suite of the guest: bookworm, with sway, greetd and Xorg (the default), trixie, with GNOME,
#                   KWin and Phosh, or sid, with Hyprland, KWin and GNOME
set -eu

out=${1:-.build/vm}
mkdir -p "$out"
out=$(cd "$out" && pwd)
suite=${SUITE:-bookworm}
# Mesa draws without a GPU.
gl=libgl1-mesa-dri,libegl-mesa0,libgles2
gnome='gnome-shell,gnome-settings-daemon,dconf-gsettings-backend,libglib2.0-bin,dbus-user-session'
case $suite in
    bookworm)
        desktops=sway,greetd,xserver-xorg-core,xserver-xorg-input-libinput,x11-xserver-utils,xinput
        # They draw with pixman; what OpenGL needs would double the size.
        # Only the scenario "greeter" starts greetd.
        # shellcheck disable=SC2016
        set -- '--dpkgopt=path-exclude=/usr/lib/*/libLLVM*' '--dpkgopt=path-exclude=/usr/lib/*/dri/*' \
            '--customize-hook=systemctl --root="$1" disable greetd.service'
        ;;
    trixie) desktops=$gnome,kwin-wayland,phosh,$gl && set -- ;;
    *)
        desktops=hyprland,kwin-wayland,$gnome,$gl
        # Programs of libssc, what its mock of the sensor core needs, and what iio-sensor-proxy's tests need.
        desktops=$desktops,libssc-bin,libssc-tests,libqrtr1,python3-gi,python3-protobuf
        desktops=$desktops,umockdev,gir1.2-umockdev-1.0,python3-dbusmock,python3-psutil
        # The signature of a mirror's copy of sid expires within days.
        # KWin must do without QtSensors, so that is not installed.
        set -- '--aptopt=Acquire::Check-Valid-Until "false"' --customize-hook="export APT_CONFIG=\$MMDEBSTRAP_APT_CONFIG \
            && rm -rf '$out/qtsensors' && mkdir -p '$out/qtsensors/partial' && apt-get -qq -y -o APT::Sandbox::User=root --no-install-recommends \
            -o Dir::Cache::archives='$out/qtsensors' --download-only install python3-pyqt6.qtsensors"
        ;;
esac
packages=systemd,systemd-sysv,udev,dbus,polkitd,dbus-broker,kmod,util-linux,busybox-static,libsystemd0,libiio0,libjson-c5,i2c-tools,dbus-bin,passwd,login,iio-sensor-proxy,python3,wlr-randr,libwayland-client0,libxcb-dpms0,libxcb-randr0,libxcb-xinput0,$desktops${EXTRA_PACKAGES:+,$EXTRA_PACKAGES}

work=$(mktemp -d "$out/build.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# Use a private download folder, in case another program on this machine cleans apt's cache. apt's sandbox user must be
# able to write to it.
chmod 755 "$work" && mkdir -p "$work/apt/partial" "$work/kernel"
apt() { apt-get -qq -o APT::Sandbox::User=root -o DPkg::Lock::Timeout=600 -o Dir::Cache::archives="$work/apt" "$@"; }

need=
for pair in mmdebstrap:mmdebstrap mke2fs:e2fsprogs depmod:kmod xz:xz-utils zstd:zstd cpio:cpio dpkg-deb:dpkg; do
    command -v "${pair%:*}" >/dev/null || need="$need ${pair#*:}"
done
# shellcheck disable=SC2086
[ -z "$need" ] || DEBIAN_FRONTEND=noninteractive apt install -y --no-install-recommends $need >/dev/null

# --- root file system ---------------------------------------------------------------------------
# Prints the names of the packages with the current kernel: of this machine or, in a hook of mmdebstrap, of the guest.
# That of sid is in three other packages.
# shellcheck disable=SC2016
kernel_packages='image=$(apt-cache depends linux-image-amd64 | grep -om1 "linux-image-[0-9].*") && echo $image &&
    apt-cache depends $image | sed -n "s/.*Depends: \(linux-\(base\|binary\|modules\)-[0-9]\)/\1/p"'
of_guest=''
[ "$suite" = bookworm ] || of_guest="\$($kernel_packages)"
# libinput-tools depends on GTK, which "libinput debug-events" does without.
mmdebstrap --quiet --mode=root --variant=minbase --include="$packages" \
    --aptopt='Acquire::Languages "none"' \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
    --dpkgopt='path-exclude=/usr/share/locale/*' \
    --customize-hook="cd '$work' && export APT_CONFIG=\$MMDEBSTRAP_APT_CONFIG && apt-get -qq -o APT::Sandbox::User=root download iio-sensor-proxy \
        libinput-tools $of_guest && dpkg-deb -x libinput-tools_*.deb \"\$1\"" \
    "$@" "$suite" "$work/root"
root=$work/root
rm -f "$out"/iio-sensor-proxy_*.deb && mv "$work"/iio-sensor-proxy_*.deb "$out"

# --- kernel -----------------------------------------------------------------------------------
if [ -n "${KERNEL_DIR:-}" ]; then
    kernel=$KERNEL_DIR
else
    kernel=$work/kernel
    # shellcheck disable=SC2046
    [ "$suite" != bookworm ] || (cd "$work" && apt download $(eval "$kernel_packages"))
    for package in "$work"/linux-*.deb; do dpkg-deb -x "$package" "$kernel"; done
    [ ! -d "$kernel/usr/lib/modules" ] || { mkdir -p "$kernel/lib" && mv "$kernel/usr/lib/modules" "$kernel/lib"; }
    # The initramfs has no xz.
    find "$kernel/lib/modules" -name '*.ko.xz' -exec xz -d {} +
fi
version=$(basename "$kernel"/lib/modules/*)
bzimage=$kernel/boot/vmlinuz-$version
[ -e "$bzimage" ] || bzimage=$kernel/lib/modules/$version/vmlinuz

cp "$bzimage" "$out/vmlinuz"
# The payload of a bzImage is the plain ELF kernel, compressed with xz or, with its size appended, with zstd. QEMU boots
# it through PVH, without the real-mode stub and the decompressor, which take 5 s under TCG. The offsets are those of
# the kernel's x86 boot protocol.
u32() { od -An -tu4 -j "$1" -N 4 "$bzimage" | tr -d ' '; }
sectors=$(od -An -tu1 -j 497 -N 1 "$bzimage" | tr -d ' ')
start=$(( (sectors + 1) * 512 + $(u32 584) ))
payload() { tail -c +$((start + 1)) "$bzimage" | head -c $(($(u32 588) - $1)); }
if payload 0 | head -c 4 | od -An -tx1 | grep -q '28 b5 2f fd'; then
    payload 4 | zstd -dcq >"$out/vmlinux"
else
    payload 0 | xz -dc --single-stream >"$out/vmlinux"
fi

# Copy the modules in the relevant folders and their dependencies.
mkdir -p "$work/tree/lib"
cp -al "$kernel/lib/modules" "$work/tree/lib/" 2>/dev/null || cp -a "$kernel/lib/modules" "$work/tree/lib/"
depmod -b "$work/tree" "$version"
from=$work/tree/lib/modules/$version
mkdir -p "$root/lib/modules/$version"
awk -F'[: ]+' '/^kernel\/(drivers\/(iio|hid|i2c|virtio|char\/hw_random)\/|drivers\/input\/|drivers\/platform\/x86\/intel\/(hid|vbtn)|drivers\/(block\/virtio_blk|gpu\/drm\/virtio|usb\/(gadget|host\/dummy))|fs\/(9p|ext4|overlayfs|fuse)\/|net\/(9p|qrtr)\/|crypto\/crc32c_generic)/ {
    for (i = 1; i <= NF; i++) if ($i != "" && !seen[$i]++) print $i }' "$from/modules.dep" |
    (cd "$from" && cpio -pdm --quiet "$root/lib/modules/$version")
cp "$from"/modules.builtin* "$from/modules.order" "$root/lib/modules/$version/"
depmod -b "$root" "$version"

# Disable what a test machine does not need: it starts from the same image each time and has no network.
ln -sf /dev/null "$root/etc/systemd/system/systemd-hwdb-update.service"
for unit in getty.target getty@tty1.service serial-getty@ttyS0.service systemd-timesyncd.service \
    systemd-networkd.service systemd-random-seed.service systemd-update-utmp.service \
    systemd-update-utmp-runlevel.service systemd-pstore.service systemd-journal-flush.service \
    systemd-machine-id-commit.service systemd-fsck-root.service systemd-remount-fs.service \
    apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer \
    e2scrub_reap.service fstrim.timer systemd-tmpfiles-clean.timer ldconfig.service \
    sys-kernel-debug.mount sys-kernel-tracing.mount dev-hugepages.mount dev-mqueue.mount \
    sys-fs-fuse-connections.mount sys-kernel-config.mount proc-sys-fs-binfmt_misc.automount \
    modprobe@configfs.service modprobe@dm_mod.service modprobe@drm.service modprobe@fuse.service \
    modprobe@loop.service modprobe@efi_pstore.service systemd-modules-load.service \
    systemd-sysusers.service systemd-sysctl.service systemd-user-sessions.service \
    systemd-tmpfiles-setup-dev.service kmod-static-nodes.service; do
    ln -sf /dev/null "$root/etc/systemd/system/$unit"
done
mkdir -p "$root/etc/systemd/system-generators"
for generator in "$root"/lib/systemd/system-generators/*; do
    ln -sf /dev/null "$root/etc/systemd/system-generators/$(basename "$generator")"
done
echo orientd-vm >"$root/etc/hostname"
echo 0123456789abcdef0123456789abcdef >"$root/etc/machine-id"
: >"$root/etc/fstab"
mkdir -p "$root/share" "$root/bench" "$root/etc/systemd/journald.conf.d" "$root/etc/systemd/system/multi-user.target.wants"
printf '[Journal]\nStorage=volatile\n' >"$root/etc/systemd/journald.conf.d/volatile.conf"
# logind must not start a getty on the console that becomes active: it would hang up the session there.
mkdir -p "$root/etc/systemd/logind.conf.d"
printf '[Login]\nNAutoVTs=0\nReserveVT=0\n' >"$root/etc/systemd/logind.conf.d/consoles.conf"
cat >"$root/etc/systemd/system/bench.service" <<'UNIT'
[Unit]
Description=The command of this run
After=basic.target dbus.socket systemd-logind.service systemd-udev-trigger.service
SuccessAction=poweroff-immediate
FailureAction=poweroff-immediate
[Service]
Type=oneshot
ExecStart=/usr/local/sbin/bench
TimeoutStartSec=infinity
Environment=HOME=/root LANG=C.UTF-8
[Install]
WantedBy=multi-user.target
UNIT
ln -s ../bench.service "$root/etc/systemd/system/multi-user.target.wants/bench.service"
cat >"$root/usr/local/sbin/bench" <<'BENCH'
#!/bin/sh
# Copies the share to /bench, runs /bench/.run/command there and copies new files back. The 9p driver is unloaded during
# the command because it does not survive suspend: its queues are lost on resume.
began=$(cut -d' ' -f1 /proc/uptime)
share() {
    modprobe -a virtio_pci 9pnet_virtio 9p &&
        mount -t 9p -o trans=virtio,version=9p2000.L,msize=262144 share /share
}
share && cp -a /share/. /bench && umount /share && modprobe -r 9p 9pnet_virtio || exit 1
cd /bench || exit 1
echo "$began" >.run/uptime_at_start
cut -d' ' -f1 /proc/uptime >.run/uptime_at_command
timeout "$(cat .run/limit)" sh .run/command >.run/stdout 2>.run/stderr </dev/null
echo $? >.run/exit
cut -d' ' -f1 /proc/uptime >.run/uptime_at_end
journalctl -b --no-pager -o short-monotonic >.run/journal 2>&1
share && cp -au /bench/. /share && umount /share
BENCH
chmod 755 "$root/usr/local/sbin/bench"
rm -rf "$root"/var/cache/apt/* "$root"/var/lib/apt/lists/* "$root"/usr/share/doc "$root"/usr/share/locale

# --- initramfs: load the disk's modules, mount the disk, start systemd ----------------------------
boot=$work/initramfs
mkdir -p "$boot/bin" "$boot/modules" "$boot/dev" "$boot/proc" "$boot/sys" "$boot/root"
cp "$root/bin/busybox" "$boot/bin/"
n=100
# Newer kernels have no such module.
crc32c=$(grep -om1 crc32c_generic "$from/modules.dep") || :
# shellcheck disable=SC2086
modprobe -d "$root" -S "$version" --show-depends -a virtio_pci virtio_blk $crc32c ext4 >"$work/order"
awk '$1 == "insmod" && !seen[$2]++ { print $2 }' "$work/order" >"$work/insmod"
while read -r ko; do
    cp "$ko" "$boot/modules/$n-$(basename "$ko")"
    n=$((n + 1))
done <"$work/insmod"
cat >"$boot/init" <<'INIT'
#!/bin/busybox sh
b=/bin/busybox
$b mount -t devtmpfs dev /dev
$b mount -t proc proc /proc
for ko in /modules/*; do $b insmod "$ko"; done
until [ -b /dev/vda ]; do $b usleep 20000; done
$b mount -t ext4 -o rw,noatime /dev/vda /root
# The system bus: dbus-daemon, unless the kernel's command line says bus=dbus-broker.
case " $($b cat /proc/cmdline) " in *' bus=dbus-broker '*) bus=dbus-broker ;; *) bus=dbus ;; esac
$b ln -sf "/lib/systemd/system/$bus.service" /root/etc/systemd/system/dbus.service
$b umount /proc
exec $b switch_root /root /lib/systemd/systemd
INIT
chmod 755 "$boot/init"
(cd "$boot" && find . | cpio -o -H newc --quiet) >"$out/initrd.img"

# --- image ------------------------------------------------------------------------------------------
size=$(( $(du -sm "$root" | cut -f1) * 5 / 4 + 512 ))
rm -f "$out/rootfs.ext4" && truncate -s "${size}M" "$out/rootfs.ext4"
mke2fs -q -t ext4 -O ^has_journal,^metadata_csum -m 0 -E lazy_itable_init=0 -d "$root" "$out/rootfs.ext4"
echo "$version" >"$out/version"
echo "$out: vmlinux $version, initrd.img $(stat -c %s "$out/initrd.img") B, rootfs.ext4 $(du -m "$out/rootfs.ext4" | cut -f1) MiB"
