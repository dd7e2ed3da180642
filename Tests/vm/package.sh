#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage (in the VM): sh package.sh
# Installs, upgrades, removes and purges the Debian packages, which are in /bench/packages together with an earlier
# version and iio-sensor-proxy, on a machine whose desktop depends on iio-sensor-proxy and whose sensor stays plugged
# in.
# shellcheck source=Tests/vm/common.sh
. ./common.sh
export DEBIAN_FRONTEND=noninteractive
packages=/bench/packages

# --- apt --------------------------------------------------------------------------------------------------------------
# The only source of packages: a folder on this machine.
index() {  # index FOLDER: writes the index of the packages in it
    for deb in "$1"/*.deb; do
        dpkg-deb -f "$deb"
        echo "Filename: ./$(basename "$deb")"
        echo "Size: $(stat -c %s "$deb")"
        echo "SHA256: $(sha256sum "$deb" | cut -d ' ' -f 1)"
        echo
    done >"$1/Packages"
}
apt() { apt-get -q -y "$@" && echo "apt-get $* succeeded"; }
# What dpkg knows of a package: "ii" installed, "rc" only its configuration is left, "un" nothing.
status_is() {  # status_is STATUS PACKAGE
    same "$1" "$(dpkg-query -W -f '${db:Status-Abbrev}' "$2" 2>/dev/null | cut -c 1-2 | sed 's/^pn\|^un/un/' | grep . || echo un)"
}
version_is() { same "$1" "$(dpkg-query -W -f '${Version}' "$2")"; }
consistent() { same '' "$(dpkg --audit)" && apt-get -q check; }

# --- what is running, and what is left ----------------------------------------------------------------------------------
# The path of the program that owns net.hadess.SensorProxy, which is not started for this.
proxy() {
    pid=$(busctl call org.freedesktop.DBus /org/freedesktop/DBus org.freedesktop.DBus GetConnectionUnixProcessID s \
        net.hadess.SensorProxy 2>/dev/null | cut -d ' ' -f 2)
    [ -n "$pid" ] && readlink "/proc/$pid/exe"
}
served_by() { case $(proxy) in */"$1") ;; *) echo "by $(proxy)"; return 1 ;; esac; }
processes() { for exe in /proc/[0-9]*/exe; do readlink "$exe"; done 2>/dev/null | grep -E "/$1( \(deleted\))?\$"; }
node_is() { same "$1" "$(stat -c '%G %a' /dev/iio:device0)"; }
proxied() { busctl get-property net.hadess.SensorProxy /net/hadess/SensorProxy net.hadess.SensorProxy "$1" 2>&1; }
proxied_is() { same "$2" "$(proxied "$1")"; }
# The account outlives the package.
files() {  # files FILE: lists the files of this machine, and its users, but not what dpkg, apt and systemd keep of each run
    find / -xdev \( -path /bench -o -path /repo -o -path /proc -o -path /sys -o -path /dev -o -path /tmp -o -path /var/tmp \
        -o -path /var/lib/dpkg -o -path /var/log -o -path /var/cache -o -path /var/lib/apt -o -path /root -o -path /home \) \
        -prune -o -print | sort >"$1"
    { find /run -path '*orient*'; getent passwd; getent group; } | grep -v ^orientd: | sort >>"$1"
}
nothing_left() { files /tmp/after; diff /tmp/before /tmp/after; }
account_is_locked() { getent shadow orientd | grep '^orientd:!' && same /usr/sbin/nologin "$(getent passwd orientd | cut -d : -f 7)"; }
turns() {  # turns WHO: the interface follows the sensor
    hid 0 -1 0
    check "$1: portrait" soon is InterfaceOrientation portrait
    python3 turn.py /tmp/accel 0.6 >/dev/null
    check "$1: the device is turned, and so is the interface" soon is InterfaceOrientation landscape-right
}

part "a machine with iio-sensor-proxy, a desktop and a sensor"
useradd -m anna && rm -f /run/nologin
mkdir -p /usr/share/doc  # which the image does not have, and packages create
modprobe uhid
mkfifo /tmp/accel
mkdir -p /repo /tmp/desktop/DEBIAN
printf '%s\n' 'Package: desktop' 'Version: 1' 'Architecture: all' 'Maintainer: nobody <nobody@localhost>' \
    'Depends: iio-sensor-proxy' 'Description: depends on iio-sensor-proxy' >/tmp/desktop/DEBIAN/control
dpkg-deb --root-owner-group -b /tmp/desktop /repo/desktop_1_all.deb >/dev/null
cp "$packages"/iio-sensor-proxy_*.deb /repo
index /repo
rm -rf /etc/apt/sources.list.d/* && echo 'deb [trusted=yes] file:/repo ./' >/etc/apt/sources.list
check "apt reads the folder" apt update
check "the desktop is installed" apt install desktop
plug_hid
hid 0 -1 0
systemctl restart iio-sensor-proxy.service
check "iio-sensor-proxy serves its name" soon served_by iio-sensor-proxy
check "with the accelerometer" soon proxied_is HasAccelerometer 'b true'
files /tmp/with_peer

# `make install` has another folder for programs.
paths() { dpkg-deb --fsys-tarfile "$1" | tar -t | grep -v '/$' | sort; }
common() { paths "$packages"/iio-sensor-proxy_*.deb >/tmp/peer; paths "$packages/orientd"_*.deb | grep -xFf /tmp/peer; }
check "only monitor-sensor is in both packages" same ./usr/bin/monitor-sensor "$(common)"

part "one apt install switches to orientd"
check "apt install ./orientd.deb succeeds" apt install "$packages"/orientd_*.deb
cp /tmp/check.out /tmp/apt.out
check "without a message that orientd is not started" no grep 'not starting' /tmp/apt.out
check "iio-sensor-proxy is removed" no status_is ii iio-sensor-proxy
check "orientd is installed" status_is ii orientd
check "the desktop that depends on iio-sensor-proxy stays" status_is ii desktop
check "the packages are consistent" consistent
check "orientd's libraries are installed" no sh -c "ldd /usr/libexec/orientd /usr/bin/orientctl | grep 'not found'"
check "orientd is running" soon unit_is ActiveState active
check "as its user" same orientd "$(stat -c %U "/proc/$(unit MainPID)")"
check "iio-sensor-proxy is not" same '' "$(processes iio-sensor-proxy)"
check "the sensor, which was there before, is given to the group" soon node_is 'orientd 660'
check "orientd has it" soon is HasAccelerometer true
systemctl stop orientd.service
check "stopped, the bus starts it" soon busctl call net.hadess.SensorProxy /net/hadess/SensorProxy org.freedesktop.DBus.Peer Ping
check "desktops have it from orientd" soon served_by orientd
check "and see the accelerometer" soon proxied_is HasAccelerometer 'b true'
systemctl stop orientd.service
check "status waits for the sensors of an orientd that it starts" sh -c \
    'orientctl status | tee /dev/stderr | grep "^Interface: .*, following the device"'
claim
turns "one command later"
kill "$claimer"
busybox chvt 1
check "polkit allows the active session to claim it by either name" session anna /dev/tty1 sh -c \
    'orientctl lock && orientctl unlock && busctl call net.hadess.SensorProxy /net/hadess/SensorProxy net.hadess.SensorProxy ClaimAccelerometer'
check "polkit refuses others" refused as anna orientctl lock

part "one apt install switches back"
check "apt install iio-sensor-proxy succeeds" apt install iio-sensor-proxy
check "iio-sensor-proxy is installed" status_is ii iio-sensor-proxy
check "orientd is removed" no status_is ii orientd
check "the desktop stays" status_is ii desktop
check "the packages are consistent" consistent
check "no process of orientd is left" same '' "$(processes 'orient(d|ctl|-agent)')"
check "the unit is gone" same not-found "$(unit LoadState)"
check "orientd does not own a name" no busctl status org.orientd1
hid unplug
check "the sensor is unplugged" soon no hid_is_there
hid plug
check "and plugged in" soon hid_is_there
check "iio-sensor-proxy serves its name" soon served_by iio-sensor-proxy
check "with the accelerometer" soon proxied_is HasAccelerometer 'b true'
check "the sensor is root's" soon node_is 'root 600'
check "purging orientd succeeds" apt purge orientd
files /tmp/after
check "the same files as before" diff /tmp/with_peer /tmp/after
check "the account is left, and nobody can log in to it" account_is_locked

part "a machine with only the packages"
check "purging desktop and iio-sensor-proxy succeeds" apt purge desktop iio-sensor-proxy
files /tmp/before
check "the earlier version is installed" apt install "$packages"/earlier/*.deb
check "orientd is running" soon unit_is ActiveState active
check "and has the sensor" soon is HasAccelerometer true
check "nobody's session starts the agent unasked" same 'disabled' "$(systemctl --global is-enabled orient-agent.service)"
claim
turns "the only packages"
mkdir -p /etc/orientd/orientd.conf.d
printf '[Orientation]\nSupportedOrientations=portrait,landscape-right\n' >/etc/orientd/orientd.conf
printf '[Sensor]\nRate=10\n' >/etc/orientd/orientd.conf.d/rate.conf
systemctl restart orientd.service
check "the configuration is read" soon is SupportedOrientations 10
orientctl lock portrait
orientctl autorotate tablet-mode
first=$(unit MainPID)

part "upgrade"
new=$(dpkg-deb -f "$packages"/orientd_*.deb Version)
check "that is an upgrade" dpkg --compare-versions "$(dpkg-query -W -f '${Version}' orientd)" lt "$new"
check "apt upgrades both packages" apt install "$packages"/orientd_*.deb "$packages"/orient-agent_*.deb
check "orientd has the new version" version_is "$new" orientd
check "orient-agent has the new version" version_is "$new" orient-agent
check "orientd was restarted" soon no unit_is MainPID "$first"
check "and is running" soon unit_is ActiveState active
check "the lock is kept" soon is RotationLock portrait
check "the autorotate mode is kept" is Autorotate tablet-mode
check "the configuration is kept" is SupportedOrientations 10
check "the client has claimed again" soon is Claims 1
orientctl unlock
orientctl autorotate always
turns "after the upgrade"
orientctl lock landscape-right
kill "$claimer"

part "remove, and install again"
printf '[Tablet]\nTabletSwitch=yes\n' >/etc/orientd/orientd.conf.d/switch.conf
systemctl restart orientd.service
orientctl tablet-mode tablet
check "the virtual tablet switch is on" soon systemctl is-active orientd-tablet-switch-device.socket
check "apt removes both packages" apt remove orientd orient-agent
check "no process is left" same '' "$(processes 'orient(d|ctl|-agent)')"
check "no unit is left" same not-found "$(unit LoadState)"
check "and none of the virtual tablet switch" same '' "$(systemctl list-units --all --plain --no-legend 'orientd-tablet-switch*')"
check "no unit is masked" same '' "$(find /etc/systemd /run/systemd -name '*orient*')"
check "the bus does not start anything" no busctl call org.orientd1 / org.freedesktop.DBus.Peer Ping
check "the sensor is root's again" node_is 'root 660'
check "and its attributes" same '' "$(find /sys/devices -group orientd | head -n 3)"
check "configuration and state are left" test -e /etc/orientd/orientd.conf -a -e /var/lib/orientd/state
check "apt installs them again" apt install "$packages"/orientd_*.deb "$packages"/orient-agent_*.deb
systemctl restart orientd.service
check "the lock is still kept" soon is RotationLock landscape-right
check "orientd was never started before it owned the sensor" no sh -c \
    'journalctl -b -u orientd.service | grep "Permission denied"'

part "purge"
systemctl kill -s KILL orientd.service  # leaves the settings of the sensor in /run
check "apt purges both packages" apt purge orientd orient-agent
check "no process is left" same '' "$(processes 'orient(d|ctl|-agent)')"
check "no file is left" nothing_left
check "the account is left, and nobody can log in to it" account_is_locked
check "the packages are consistent" consistent
finish
