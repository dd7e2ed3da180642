#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: Tests/systemd/check.sh [SYSTEMD_FOLDER]
# Tests each file of systemd/ with the program that reads it on a real machine, without changing this machine. Prints
# "ok: ..." or "FAILED: ..." for each check, then "N passed, N failed"; exits with 1 if a check failed. Needs a user
# namespace, root or sudo. Debian packages: systemd udev umockdev dbus-daemon libxml2-utils polkitd util-linux
# desktop-file-utils appstream binutils make. The last checks install what `make docs` has built.
set -u

# Everything runs in a mount namespace, in which the user is root and can mount over this machine's folders.
if [ "${ORIENTD_CHECK_UNITS:-}" != inside ]; then
    folder=$(cd "${1:-$(dirname "$0")/../../systemd}" && pwd) || exit 2
    export ORIENTD_CHECK_UNITS=inside
    for enter in 'unshare --mount' 'unshare --map-root-user --mount' 'sudo -n --preserve-env=ORIENTD_CHECK_UNITS unshare --mount'; do
        # shellcheck disable=SC2086
        if $enter mount -t tmpfs none /run 2>/dev/null; then exec $enter sh "$0" "$folder"; fi
    done
    echo "FAILED: no mount namespace: neither root, nor user namespaces, nor sudo without a password"
    echo "0 passed, 1 failed"
    exit 1
fi
systemd=$1
work=$(mktemp -d) && chmod 755 "$work" || exit 2
bus=
# shellcheck disable=SC2154  # status is set where the trap runs
trap 'status=$?; [ -z "$bus" ] || kill "$bus"; umount -q /etc/passwd /etc/group; rm -rf "$work"; exit $status' EXIT
trap 'exit 1' HUP INT TERM
mount -t tmpfs none /run || exit 2

# shellcheck source=Tests/counting.sh
. "$(dirname "$0")/../counting.sh"
no() { ! "$@"; }
silent() {  # silent COMMAND...: succeeds if COMMAND succeeds and prints nothing
    "$@" >"$work/noise" 2>&1
    set -- $?
    cat "$work/noise"
    [ "$1" -eq 0 ] && [ ! -s "$work/noise" ]
}

# --- the unit ---------------------------------------------------------------------------------------------------
unit=$work/orientd.service
mkdir "$work/bin"
ln -s /bin/true "$work/bin/orientd"
for_core() { sed "s,@LIBEXECDIR@,$work/bin,g; s,@SENSOR_CORE@,$1," "$systemd/orientd.service" >"$unit"; }
for_core ' AF_QIPCRTR'
check "orientd.service: on arm64, exposure at most 1.1" \
    systemd-analyze security --offline=true --threshold=11 --no-pager "$unit"
for_core ''
check "orientd.service: systemd-analyze verify has no complaints" silent systemd-analyze verify --man=no "$unit"
check "orientd.service: exposure at most 1.0" \
    systemd-analyze security --offline=true --threshold=10 --no-pager "$unit"

check "orientd.service: the memory that one client can make it fill is limited" \
    same MemoryMax=64M "$(grep '^MemoryMax=' "$unit")"

# The files that orientd(8) tells administrators to write.
manual=$systemd/../docs/orientd.8.scd
example() {  # example FILE: prints the block of the manual that follows the name of the file
    awk -v name="/$1*" '/^```$/ { if (inside) exit; inside = found; next } inside { print } index($0, name) { found = 1 }' \
        "$manual" >"$work/example" && [ -s "$work/example" ] && cat "$work/example"
}
drop_in() {
    mkdir -p "$unit.d" && example "$1" >"$unit.d/$1" && silent systemd-analyze verify --man=no "$unit"
    status=$?
    rm -r "$unit.d"
    return $status
}
check "orientd(8): systemd accepts the drop-in for ip:" drop_in network.conf
check "orientd(8): systemd accepts the drop-in for usb:" drop_in usb.conf

# --- the virtual tablet switch --------------------------------------------------------------------------------------
ln -s /bin/true "$work/bin/orientd-tablet-switch"
sed "s,@LIBEXECDIR@,$work/bin,g" "$systemd/orientd-tablet-switch.service" >"$work/orientd-tablet-switch.service"
cp "$systemd"/*.socket "$work/"
tablet_switch=$work/orientd-tablet-switch
check "orientd-tablet-switch: systemd-analyze verify has no complaints" silent systemd-analyze verify --man=no \
    "$tablet_switch.service" "$tablet_switch.socket" "$tablet_switch-device.socket"
check "orientd-tablet-switch.service: exposure at most 1.0" \
    systemd-analyze security --offline=true --threshold=10 --no-pager "$tablet_switch.service"
check "orientd-tablet-switch: no unit is installed in a target, so that nothing starts by itself" \
    no grep -x '\[Install\]' "$tablet_switch.service" "$tablet_switch.socket" "$tablet_switch-device.socket"
check "orientd.service: listens for the connection that starts it" \
    same orientd-tablet-switch.socket "$(sed -n 's/^Wants=\(.*\.socket\)$/\1/p' "$unit")"
check "orientd-tablet-switch.socket: only orientd's user may connect" \
    same "SocketUser=orientd SocketMode=0600" "$(grep -E '^Socket(User|Mode)=' "$tablet_switch.socket" | xargs)"

check "menu: desktop-file-validate has no complaints" \
    silent desktop-file-validate "$systemd/xdg/applications/orientd-tablet-mode.desktop"

# Debian 12's version does not know the tag of the developer, which later ones ask for.
describes() {
    appstreamcli validate --no-net --pedantic "$1" | grep '^[EWIP]:' | grep -v ' unknown-tag developer$' >"$work/noise"
    cat "$work/noise"
    [ -s "$1" ] && [ ! -s "$work/noise" ]
}
check "metainfo: appstreamcli has no complaints" describes "$systemd/xdg/metainfo/org.orientd.orientd.metainfo.xml"

# --- the agent of a session -----------------------------------------------------------------------------------------
agent=$work/orient-agent.service
autostart=$systemd/xdg/autostart/orient-agent.desktop
ln -s /bin/true "$work/bin/orient-agent"
sed "s,@BINDIR@,$work/bin,g" "$systemd/user/orient-agent.service" >"$agent"
check "orient-agent.service: systemd-analyze verify has no complaints" \
    silent env XDG_RUNTIME_DIR="$work" systemd-analyze --user verify --man=no "$agent"
check "orient-agent.service: restores the display after the agent has ended" \
    same "$(sed -n 's/^ExecStart=//p' "$agent") --restore" "$(sed -n 's/^ExecStopPost=//p' "$agent")"
check "autostart: desktop-file-validate has no complaints" silent desktop-file-validate "$autostart"
generated() {  # generated FILE: prints the units that systemd makes of an autostart file
    rm -rf "$work/xdg" "$work/units"
    mkdir -p "$work/xdg/autostart" "$work/units" && cp "$1" "$work/xdg/autostart/orient-agent.desktop" || return
    PATH=$work/bin:$PATH XDG_CONFIG_DIRS=$work/xdg XDG_CONFIG_HOME=$work/none XDG_RUNTIME_DIR=$work \
        SYSTEMD_LOG_TARGET=null /usr/lib/systemd/user-generators/systemd-xdg-autostart-generator \
        "$work/units" "$work/units" "$work/units" && (cd "$work/units" && ls -- *.service 2>/dev/null)
}
skipped() {
    grep -v '^X-systemd-skip=' "$autostart" >"$work/other.desktop"
    same 'app-orient\x2dagent@autostart.service' "$(generated "$work/other.desktop")" && same '' "$(generated "$autostart")"
}
check "autostart: systemd leaves the agent to its own unit" skipped

# --- the user -----------------------------------------------------------------------------------------------------
mkdir -p "$work/root/etc" "$work/root/usr/lib/sysusers.d"
cp "$systemd/sysusers.d/orientd.conf" "$work/root/usr/lib/sysusers.d/"
user() {
    systemd-sysusers --root="$work/root" orientd.conf >"$work/noise" 2>&1 && ! grep -v '^Creating ' "$work/noise" || return
    same orientd:/:/usr/sbin/nologin "$(cut -d: -f1,6,7 "$work/root/etc/passwd")" &&
        same "$(cut -d: -f4 "$work/root/etc/passwd")" "$(sed -n 's/^orientd:[^:]*:\([0-9]*\):.*/\1/p' "$work/root/etc/group")"
}
check "sysusers.d: creates the user orientd with its own group and no shell" user
check "orientd.service: runs as the user and group that sysusers.d creates" \
    same "User=orientd Group=orientd" "$(grep -E '^(User|Group)=' "$unit" | xargs)"

# --- the udev rule --------------------------------------------------------------------------------------------------
# Install only this rule and the manual's, and a group orientd, which they refer to.
mkdir "$work/rules"
cp "$systemd"/udev/rules.d/*.rules "$work/rules/"
example 80-orientd-usb.rules >"$work/rules/80-orientd-usb.rules"
chmod 644 "$work/rules"/*
mount --bind "$work/rules" /usr/lib/udev/rules.d || exit 2
[ ! -d /etc/udev/rules.d ] || mount -t tmpfs none /etc/udev/rules.d || exit 2
{ grep -v '^orientd:' /etc/group; echo orientd:x:990:; } >"$work/group"
mount --bind "$work/group" /etc/group || exit 2
cat >"$work/devices" <<'DEVICES'
P: /devices/hid/iio:device0
N: iio:device0
E: DEVNAME=/dev/iio:device0
E: MAJOR=240
E: MINOR=0
E: SUBSYSTEM=iio
A: dev=240:0\n
A: in_accel_x_raw=0\n
A: in_accel_y_raw=0\n
A: in_accel_z_raw=0\n

P: /devices/hid/trigger0
E: SUBSYSTEM=iio
A: name=accel_3d-dev0\n

P: /devices/fifo/iio:device1
N: iio:device1
E: DEVNAME=/dev/iio:device1
E: MAJOR=240
E: MINOR=1
E: SUBSYSTEM=iio
A: dev=240:1\n
A: scan_elements/in_accel_x_en=0\n
A: scan_elements/in_accel_y_en=0\n
A: scan_elements/in_accel_z_en=0\n

P: /devices/misc/fastrpc-adsp
N: fastrpc-adsp
E: DEVNAME=/dev/fastrpc-adsp
E: SUBSYSTEM=misc

P: /devices/misc/fastrpc-sdsp
N: fastrpc-sdsp
E: DEVNAME=/dev/fastrpc-sdsp
E: SUBSYSTEM=misc
E: IIO_SENSOR_PROXY_TYPE=ssc-accel

P: /devices/misc/fastrpc-cdsp
N: fastrpc-cdsp
E: DEVNAME=/dev/fastrpc-cdsp
E: SUBSYSTEM=misc

P: /devices/light/iio:device2
N: iio:device2
E: DEVNAME=/dev/iio:device2
E: MAJOR=240
E: MINOR=2
E: SUBSYSTEM=iio
A: dev=240:2\n
A: in_illuminance_raw=0\n

P: /devices/modem/iio:device4
N: iio:device4
E: DEVNAME=/dev/iio:device4
E: MAJOR=240
E: MINOR=4
E: SUBSYSTEM=iio
A: dev=240:4\n
A: in_proximity_raw=0\n

P: /devices/near/iio:device5
N: iio:device5
E: DEVNAME=/dev/iio:device5
E: MAJOR=240
E: MINOR=5
E: SUBSYSTEM=iio
A: dev=240:5\n
A: in_proximity_raw=0\n
A: in_proximity_nearlevel=100\n

P: /devices/north/iio:device6
N: iio:device6
E: DEVNAME=/dev/iio:device6
E: MAJOR=240
E: MINOR=6
E: SUBSYSTEM=iio
A: dev=240:6\n
A: scan_elements/in_rot_from_north_magnetic_tilt_comp_en=0\n

P: /devices/platform/applesmc.768
E: SUBSYSTEM=platform
A: light=(0,0)\n

P: /devices/platform/lamp
E: SUBSYSTEM=platform
A: light=1\n

P: /devices/host/input/input1
E: SUBSYSTEM=input
A: id/bustype=0019\n
A: capabilities/sw=0\n

P: /devices/host/input/input1/event1
N: input/event1
E: DEVNAME=/dev/input/event1
E: MAJOR=13
E: MINOR=65
E: SUBSYSTEM=input
E: ID_INPUT_ACCELEROMETER=1
A: dev=13:65\n

P: /devices/gamepad/input/input2
E: SUBSYSTEM=input
A: id/bustype=0005\n
A: capabilities/sw=0\n

P: /devices/gamepad/input/input2/event2
N: input/event2
E: DEVNAME=/dev/input/event2
E: MAJOR=13
E: MINOR=66
E: SUBSYSTEM=input
E: ID_INPUT_ACCELEROMETER=1
A: dev=13:66\n

P: /devices/keyboard/input/input3
E: SUBSYSTEM=input
A: id/bustype=0011\n
A: capabilities/sw=0\n

P: /devices/keyboard/input/input3/event3
N: input/event3
E: DEVNAME=/dev/input/event3
E: MAJOR=13
E: MINOR=67
E: SUBSYSTEM=input
E: ID_INPUT_KEYBOARD=1
A: dev=13:67\n

P: /devices/front/input/input4
E: SUBSYSTEM=input
A: id/bustype=0019\n
A: capabilities/sw=801\n
A: capabilities/key=0\n

P: /devices/front/input/input4/event4
N: input/event4
E: DEVNAME=/dev/input/event4
E: MAJOR=13
E: MINOR=68
E: SUBSYSTEM=input
A: dev=13:68\n

P: /devices/lid/input/input5
E: SUBSYSTEM=input
A: id/bustype=0019\n
A: capabilities/sw=1\n
A: capabilities/key=0\n

P: /devices/lid/input/input5/event5
N: input/event5
E: DEVNAME=/dev/input/event5
E: MAJOR=13
E: MINOR=69
E: SUBSYSTEM=input
A: dev=13:69\n

P: /devices/fold/input/input6
E: SUBSYSTEM=input
A: id/bustype=0019\n
A: capabilities/sw=2\n
A: capabilities/key=1c000000000000 10000000\n

P: /devices/fold/input/input6/event6
N: input/event6
E: DEVNAME=/dev/input/event6
E: MAJOR=13
E: MINOR=70
E: SUBSYSTEM=input
E: ID_INPUT_KEY=1
E: ID_INPUT_SWITCH=1
A: dev=13:70\n

P: /devices/dock/input/input7
E: SUBSYSTEM=input
A: id/bustype=0003\n
A: capabilities/sw=3\n
A: capabilities/key=7 ff9f207ac14057ff febeffdff3ffffff fffffffffffffffe\n

P: /devices/dock/input/input7/event7
N: input/event7
E: DEVNAME=/dev/input/event7
E: MAJOR=13
E: MINOR=71
E: SUBSYSTEM=input
E: ID_INPUT_KEY=1
A: dev=13:71\n

P: /devices/jack/input/input8
E: SUBSYSTEM=input
A: id/bustype=0019\n
A: capabilities/sw=14\n
A: capabilities/key=0\n

P: /devices/jack/input/input8/event8
N: input/event8
E: DEVNAME=/dev/input/event8
E: MAJOR=13
E: MINOR=72
E: SUBSYSTEM=input
A: dev=13:72\n

P: /devices/warm/iio:device7
N: iio:device7
E: DEVNAME=/dev/iio:device7
E: MAJOR=240
E: MINOR=7
E: SUBSYSTEM=iio
A: dev=240:7\n
A: in_temp_raw=0\n

P: /devices/half/iio:device3
N: iio:device3
E: DEVNAME=/dev/iio:device3
E: MAJOR=240
E: MINOR=3
E: SUBSYSTEM=iio
A: dev=240:3\n
A: in_accel_x_raw=0\n
A: in_accel_y_raw=0\n
DEVICES
event() {  # event ACTION DEVICE: writes what udev would do to $work/event
    rm -rf /run/udev  # udev's memory of the last event
    timeout 60 umockdev-run -d "$work/devices" -- udevadm test --action="$1" "/sys/devices/$2" >"$work/event" 2>&1
}
complaints() { grep -E '\.rules:[0-9]+:? ' "$work/event" | grep -vE ':[0-9]+ (GROUP [0-9]+|MODE 0[0-7]+|RUN .*)$'; }
rule_is_clean() {
    if udevadm verify --help >/dev/null 2>&1; then udevadm verify "$work"/rules/*.rules || return; fi  # since 254
    event add hid/iio:device0 && same '' "$(complaints)"
}
has() {  # has LINE...
    cat "$work/event"
    for line; do grep -qx "$line" "$work/event" || { echo "not found: $line"; return 1; }; done
}
wanted() { event "$1" "$2" && has SYSTEMD_WANTS=orientd.service TAGS=:systemd:; }  # wanted ACTION DEVICE
opened() { wanted "$1" "$2" && has '.*rules:[0-9]* GROUP 990' '.*rules:[0-9]* MODE 0660'; }
taken() { opened "$1" "$2" && has "run: '/bin/sh -c 'cd /sys/devices/$2 && .*"; }
given() { event "$1" "$2" && has '.*rules:[0-9]* GROUP 990' '.*rules:[0-9]* MODE 0660' && ! grep '^SYSTEMD_WANTS' "$work/event"; }
left() { event "$1" "$2" && ! grep -E '(GROUP|MODE) [0-9]|^SYSTEMD_WANTS|^run:' "$work/event"; }
check "udev: udev $(udevadm --version) reads the rule and that of orientd(8) without complaints" rule_is_clean
check "udev: a polled accelerometer is given to the group and starts the daemon" taken add hid/iio:device0
sed -n "s/^run: '\/bin\/sh -c '\(.*\)''.*/\1/p" "$work/event" >"$work/run"
check "udev: also on a change event" taken change hid/iio:device0
check "udev: also one that can only be read through its buffer" taken add fifo/iio:device1
check "udev: also a light sensor" taken add light/iio:device2
check "udev: also a proximity sensor with a threshold" taken add near/iio:device5
check "udev: also a compass" taken add north/iio:device6
check "udev: also an accelerometer that is an input device" opened add host/input/input1/event1
check "udev: also a proximity switch" opened add front/input/input4/event4
check "udev: a MacBook's light sensor starts the daemon" wanted add platform/applesmc.768
names() { wanted add "misc/$1" && has "IIO_SENSOR_PROXY_TYPE=$2"; }  # names DEVICE SENSORS
check "udev: Qualcomm's sensor core starts the daemon, for light sensor and compass" names fastrpc-adsp "ssc-light ssc-compass"
check "udev: or for what an earlier rule names" names fastrpc-sdsp ssc-accel
check "udev: not other processors of the chip" left add misc/fastrpc-cdsp
check "udev: a trigger is not changed" left add hid/trigger0
check "udev: a proximity sensor without a threshold is not changed" left add modem/iio:device4
check "udev: a thermometer is not changed" left add warm/iio:device7
check "udev: another platform device is not changed" left add platform/lamp
check "udev: a gamepad's accelerometer is not changed" left add gamepad/input/input2/event2
check "udev: a keyboard is not changed" left add keyboard/input/input3/event3
check "udev: a lid switch is given to the group and does not start the daemon" given add lid/input/input5/event5
check "udev: also a tablet switch on a device with hot keys" given add fold/input/input6/event6
check "udev: a keyboard with such switches is not changed" left add dock/input/input7/event7
check "udev: the switches of jacks are not changed" left add jack/input/input8/event8
check "udev: an accelerometer with only two axes is not changed" left add half/iio:device3
check "udev: a removal does nothing" left remove hid/iio:device0

# Run the rule's RUN on a copy of a device's folder. The group does not exist here, so a fake chgrp logs its arguments.
device=$work/sys/devices/hid/iio:device0
writable='buffer/enable buffer/length buffer/watermark buffer0/enable buffer0/in_accel_x_en buffer0/length
    current_timestamp_clock in_accel_hysteresis in_accel_sampling_frequency sampling_frequency
    scan_elements/in_accel_x_en scan_elements/in_timestamp_en trigger/current_trigger'
readonly='buffer/data_available buffer0/data_available buffer0/in_accel_x_index'
others='in_accel_x_raw in_accel_scale in_accel_x_calibbias label name power/control sampling_frequency_available
    scan_elements/in_accel_x_index uevent'
mkdir -p "$device/buffer" "$device/buffer0" "$device/scan_elements" "$device/trigger" "$device/power"
for file in $writable $others; do : >"$device/$file" && chmod 644 "$device/$file"; done
for file in $readonly; do : >"$device/$file" && chmod 444 "$device/$file"; done
# shellcheck disable=SC2016
printf '#!/bin/sh\n[ "$1" = orientd ] && shift && echo "$@" >>"$NOTES"\n' >"$work/bin/chgrp"
chmod 755 "$work/bin/chgrp"
modes() { (cd "$device" && find . -type f -perm "$1" -printf '%P\n' | sort | xargs); }
sorted() { printf '%s\n' "$@" | sort | xargs; }
attributes() {
    sed "s,cd /sys/,cd $work/sys/," "$work/run" >"$work/run.sh" && [ -s "$work/run.sh" ] &&
        NOTES=$work/notes PATH=$work/bin:$PATH silent sh "$work/run.sh" || return
    # shellcheck disable=SC2086
    same "$(sorted $writable $readonly)" "$(sort "$work/notes" | xargs)" &&
        same "$(sorted $writable)" "$(modes 664)" && same "$(sorted $readonly)" "$(modes 444)" &&
        same "$(sorted $others)" "$(modes 644)"
}
check "udev: the group may write exactly the attributes that control sampling" attributes

# --- the bus ------------------------------------------------------------------------------------------------------
# A bus with the defaults of the system bus: no one may own or call anything.
cat >"$work/bus.conf" <<CONF
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <listen>unix:path=$work/bus</listen>
  <servicedir>$systemd/dbus-1/system-services</servicedir>
  <policy context="default">
    <allow user="*"/>
    <deny own="*"/>
    <deny send_type="method_call"/>
    <allow send_type="signal"/>
    <allow send_requested_reply="true" send_type="method_return"/>
    <allow send_requested_reply="true" send_type="error"/>
    <allow receive_type="method_call"/>
    <allow receive_type="method_return"/>
    <allow receive_type="error"/>
    <allow receive_type="signal"/>
    <allow send_destination="org.freedesktop.DBus"/>
  </policy>
  <includedir>$systemd/dbus-1/system.d</includedir>
</busconfig>
CONF
# The namespace has one user, with the number 0. The password file determines its name, which the policy refers to.
as() {  # as NAME: starts a bus on which this user is NAME
    umount -q /etc/passwd
    for name in root orientd somebody; do
        if [ "$name" = "$1" ]; then echo "$name:x:0:0::/:"; else echo "$name:x:1000:0::/:"; fi
    done >"$work/passwd"
    mount --bind "$work/passwd" /etc/passwd || return
    [ -z "$bus" ] || { kill "$bus"; wait "$bus"; } 2>/dev/null
    rm -f "$work/bus"
    dbus-daemon --config-file="$work/bus.conf" --nofork --nopidfile --nosyslog >"$work/bus.log" 2>&1 &
    bus=$!
    tries=100
    until [ -S "$work/bus" ]; do
        tries=$((tries - 1))
        if [ $tries -eq 0 ] || ! kill -0 "$bus" 2>/dev/null; then bus=; cat "$work/bus.log"; return 1; fi
        sleep 0.05
    done
}
call() { timeout 30 busctl --address="unix:path=$work/bus" call "$@" 2>&1; }
own() { call org.freedesktop.DBus /org/freedesktop/DBus org.freedesktop.DBus RequestName su "$1" 4; }
ping() { call "$1" / org.freedesktop.DBus.Peer Ping; }
loads() { as somebody && ! grep -v 'Failed to set fd limit' "$work/bus.log"; }
may_own() { as "$1" && same 'u 1' "$(own "$2")"; }
may_not_own() { as "$1" && reply=$(own "$2"); echo "$reply"; echo "$reply" | grep -q 'Access denied'; }
# /bin/false is started instead of the daemon: if the error says so, the policy allowed the call.
may_call() { as somebody && reply=$(ping "$1"); echo "$reply"; echo "$reply" | grep -q 'exited with status 1'; }
check "bus policy: dbus-daemon loads it" loads
for service in org.orientd1 net.hadess.SensorProxy; do
    check "bus policy: the user orientd may own $service" may_own orientd $service
    check "bus policy: root may own $service" may_own root $service
    check "bus policy: no other user may own $service" may_not_own somebody $service
    check "bus policy: everyone may call $service, and a call starts the service" may_call $service
    check "bus service: $service names the unit" \
        same orientd.service "$(sed -n 's/^SystemdService=//p' "$systemd/dbus-1/system-services/$service.service")"
done
check "bus service: the unit names the bus name" same org.orientd1 "$(sed -n 's/^BusName=//p' "$unit")"

# --- polkit ---------------------------------------------------------------------------------------------------------
policy=$systemd/polkit-1/actions/org.orientd1.policy
path() { xmllint --nonet --xpath "$1" "$policy" 2>&1; }
check "polkit: the actions are valid by polkit's DTD" \
    silent xmllint --nonet --noout --dtdvalid /usr/share/polkit-1/policyconfig-1.dtd "$policy"
for action in org.orientd1.claim org.orientd1.lock org.orientd1.rotate org.orientd1.request org.orientd1.tablet-mode \
    org.orientd1.configure net.hadess.SensorProxy.claim-sensor; do
    case $action in *.configure) active=auth_admin_keep ;; *) active=yes ;; esac
    check "polkit: $action is allowed to active local sessions only" same "no no $active" \
        "$(for who in any inactive active; do path "string(//action[@id='$action']/defaults/allow_$who)"; done | xargs)"
done
check "polkit: the daemon's user owns each action" same "$(path 'count(//action)')" \
    "$(path "count(//action[annotate[@key='org.freedesktop.policykit.owner']='unix-user:orientd'])")"

# --- make install ---------------------------------------------------------------------------------------------------
tree=$work/tree
make_tree() { make --no-print-directory -C "$systemd/.." "$1" DESTDIR="$tree" PREFIX=/usr; }
installed() {  # installed MODE FILE...
    mode=$1
    shift
    for file; do same "$mode" "$(stat -c %a "$tree$file")" || { echo "$file"; return 1; }; done
}
stripped() {
    for file; do sections=$(readelf -SW "$tree$file") && ! echo "$sections" | grep -E '\.(debug_|symtab)' || return; done
}
# With the Swift runtime in it, where the toolchain has no Embedded Swift for this machine, a program takes ten times
# that.
build=$systemd/../.build
if cmp -s "$build/bin/orientd" "$build/embedded/release/orientd"; then unit=1000; else unit=10000; fi
at_most() { size=$(stat -c %s "$tree$2") && echo "$2: $size bytes" && [ "$size" -le $(($1 * unit)) ]; }  # at_most KB FILE
starts() { same "ExecStart=$2" "$(grep '^ExecStart=' "$tree$1" | cut -d ' ' -f 1)" && [ -x "$tree$2" ]; }  # starts UNIT PROGRAM
for_all() {  # for_all COMMAND...: succeeds if it does with the path of each program
    for program in bin/orient-agent bin/orientctl libexec/orientd libexec/orientd-tablet-switch; do "$@" "$tree/usr/$program" || return; done
}
no_search_path() { same '' "$(readelf -dW "$1" | grep -E 'R(UN)?PATH')"; }
bound_at_start() { readelf -dW "$1" && readelf -dW "$1" | grep -qE 'FLAGS_1.* NOW'; }
# The installed documents: each link leads to one of them, to a heading, or elsewhere on the web.
linked() {
    documents=$tree/usr/share/doc/orientd
    links=$(grep -hoE '\]\([^)]+\)' "$documents"/[!N]*.md | sed -E 's/^..([^)#]*).*/\1/' | grep -v '^https:' | sort -u)
    [ "$(echo "$links" | wc -l)" -gt 8 ] || { echo "too few links:" "$links"; return 1; }
    for link in $links; do [ -f "$documents/$link" ] || { echo "$link is not there"; return 1; }; done
}
# In the tree every folder is removed, on the machine all but those that it had. Each install here is of the same files.
removed() { make_tree uninstall && same '' "$(find "$tree" -mindepth 1)"; }
shared() {
    mkdir -p "$tree/usr/share/man/man1" && : >"$tree/usr/share/man/man1/other.1" && make_tree install && make_tree uninstall &&
        same "$tree/usr/share/man/man1/other.1" "$(find "$tree" -mindepth 1 ! -type d -o -type d -empty)"
}
# On this machine's folders, which are empty ones here: PREFIX and the others are variables, and DESTDIR is empty.
without_destdir() {  # without_destdir TARGET
    make --no-print-directory -C "$systemd/.." "$1" PREFIX="$tree/local" SYSTEM="$tree/usr" SYSCONF="$tree/etc"
}
kept() {
    rm -rf "$tree" && mkdir -p "$tree/local/bin" "$tree/local/share/man" "$tree/usr/lib" "$tree/usr/share" "$tree/etc/xdg" &&
        find "$tree" -type d | sort >"$work/before" && without_destdir install && [ -x "$tree/local/bin/orientctl" ] &&
        without_destdir uninstall && find "$tree" | sort | diff "$work/before" -
}
check "make install: succeeds" make_tree install
check "make install: the programs" installed 755 /usr/bin/orient-agent /usr/bin/orientctl /usr/libexec/orientd \
    /usr/libexec/orientd-tablet-switch
check "make install: monitor-sensor" installed 755 /usr/bin/monitor-sensor
check "make install: the links of the documents lead somewhere" linked
check "make install: the programs have no debug information" stripped /usr/bin/orient-agent /usr/bin/orientctl \
    /usr/libexec/orientd /usr/libexec/orientd-tablet-switch
check "make install: the programs search no other folder for libraries" for_all no_search_path
check "make install: the programs resolve all functions when they start" for_all bound_at_start
check "make install: licence, news and what the manuals name" installed 644 /usr/share/doc/orientd/LICENSE \
    /usr/share/doc/orientd/NEWS.md /usr/share/doc/orientd/desktops.md /usr/share/doc/orientd/convertibles.md
check "make install: orientd takes at most $((1040 * unit / 1000)) kB" at_most 1040 /usr/libexec/orientd
check "make install: orientd-tablet-switch takes at most $((120 * unit / 1000)) kB" \
    at_most 120 /usr/libexec/orientd-tablet-switch
check "make install: orient-agent takes at most $((900 * unit / 1000)) kB" at_most 900 /usr/bin/orient-agent
check "make install: orientctl takes at most $((1430 * unit / 1000)) kB" at_most 1430 /usr/bin/orientctl
check "make install: completions for bash, zsh and fish" installed 644 \
    /usr/share/bash-completion/completions/orientctl /usr/share/zsh/site-functions/_orientctl \
    /usr/share/fish/vendor_completions.d/orientctl.fish
check "make install: introspection data" installed 644 /usr/share/dbus-1/interfaces/org.orientd1.Manager.xml \
    /usr/share/dbus-1/interfaces/org.orientd1.Request.xml /usr/share/dbus-1/interfaces/org.orientd1.Sensor.xml \
    /usr/share/dbus-1/interfaces/net.hadess.SensorProxy.xml /usr/share/dbus-1/interfaces/net.hadess.SensorProxy.Compass.xml
check "make install: the manual pages of orientd and orientctl" installed 644 /usr/share/man/man1/orientctl.1 \
    /usr/share/man/man1/monitor-sensor.1 /usr/share/man/man5/orientd.conf.5 /usr/share/man/man5/orientd-trace.5 \
    /usr/share/man/man8/orientd.8
check "make install: the files of the agent" installed 644 /usr/lib/systemd/user/orient-agent.service \
    /etc/xdg/autostart/orient-agent.desktop /usr/share/man/man1/orient-agent.1 /usr/share/man/man5/orient-agent.conf.5 \
    /usr/share/man/man5/agent.conf.5 \
    /usr/share/doc/orientd/examples/agent.conf
check "make install: the files of the virtual tablet switch" installed 644 \
    /usr/lib/systemd/system/orientd-tablet-switch.socket /usr/lib/systemd/system/orientd-tablet-switch-device.socket \
    /usr/share/man/man8/orientd-tablet-switch.8 /usr/share/applications/orientd-tablet-mode.desktop
check "make install: orientd-tablet-switch.service starts the installed program" \
    starts /usr/lib/systemd/system/orientd-tablet-switch.service /usr/libexec/orientd-tablet-switch
check "make install: orient-agent.service starts the installed program" \
    starts /usr/lib/systemd/user/orient-agent.service /usr/bin/orient-agent
check "make install: orientd.service starts the installed program" \
    starts /usr/lib/systemd/system/orientd.service /usr/libexec/orientd
check "make uninstall: removes every file and every folder that this empties" removed
check "make uninstall: keeps other files and their folders" shared
check "make uninstall: keeps the folders that every machine has" kept

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
