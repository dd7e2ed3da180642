# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
# Functions for scenarios on a convertible without a tablet switch: a HID accelerometer in the display, another in the
# base, a touch screen and a PS/2 keyboard, whose keys run-in-vm.sh -m presses. libinput's own program says what a
# compositor receives.
# shellcheck source=Tests/vm/common.sh
. ./common.sh

# --- the hinge ------------------------------------------------------------------------------------------------------
base() { echo "$*" >/tmp/base; }  # base COMMAND...: see uhid_accel.py
plug_base() {
    python3 uhid_accel.py --input /tmp/base --log /bench/base.log --product 0xBA5E &
    check "the kernel has both accelerometers" soon test -e /sys/bus/iio/devices/iio:device1/in_accel_x_raw
    udevadm settle
}
unfold() { base 0 0 1; }  # 90°, with the display upright
fold() { base 0 0 -1; }   # 270°

# --- the virtual switch -----------------------------------------------------------------------------------------------
has_switch() { grep -qx 'orientd tablet switch' /sys/class/input/event*/device/name; }
start_libinput() {  # start_libinput WHAT: as a compositor does; $libinput is its process
    forget
    stdbuf -oL /usr/libexec/libinput/libinput-debug-events --show-keycodes >>/tmp/libinput &
    libinput=$!
    check "$1 has the touch screen" soon grep 'DEVICE_ADDED.*touch screen' /tmp/libinput
}
stop_libinput() { kill "$libinput" && wait "$libinput"; }
forget() { : >/tmp/libinput; }  # forgets what libinput has said until now
states() { sed -n 's/.*switch tablet-mode state \([01]\)$/\1/p' /tmp/libinput | xargs; }
states_are() { same "$*" "$(states)" || { cat /tmp/libinput; false; }; }  # states_are STATE...: since forget
ask_for_switch() {  # the one setting
    mkdir -p /etc/orientd
    printf '[Tablet]\nTabletSwitch=yes\n' >/etc/orientd/orientd.conf
    systemctl restart orientd.service
}
set_switch() {  # the one setting; ends the scenario if it has no effect
    ask_for_switch
    before=$failed
    check "there is a switch" soon has_switch
    check "libinput has it" soon grep 'DEVICE_ADDED.*orientd tablet switch' /tmp/libinput
    [ "$failed" -eq "$before" ] || { finish; exit 1; }
}
becomes_tablet() {
    forget
    fold
    check "$1: libinput sees that the switch is on" soon states_are 1
    check "$1: the keyboard is off" is_off
    forget
}
becomes_laptop() {
    forget
    unfold
    check "$1: libinput sees that the switch is off" soon states_are 0
    check "$1: the keyboard types" types
}

# --- the keyboard -----------------------------------------------------------------------------------------------------
count() { grep -c "$1" "$2"; }  # count PATTERN FILE
more_than() { [ "$(count "$2" "$3")" -gt "$1" ]; }  # more_than NUMBER PATTERN FILE
press() {  # press: presses A; returns when the kernel has reported that
    keys=$(count '^key 30 0$' /tmp/keys)
    echo 'sendkey a' >/dev/ttyS1
    within 10 more_than "$keys" '^key 30 0$' /tmp/keys || { echo "the kernel reports no key"; false; }
}
types() {  # presses A; succeeds if libinput reports that, and returns 1 if it does not, 2 if that is not known
    pressed=$(count 'KEY_A .*pressed' /tmp/libinput) touched=$(count TOUCH_UP /tmp/libinput)
    press || return 2
    # libinput reports a touch after the key that came before it.
    echo 500 500 >/tmp/touch
    within 20 more_than "$touched" TOUCH_UP /tmp/libinput || { echo "libinput reports no touch"; return 2; }
    more_than "$pressed" 'KEY_A .*pressed' /tmp/libinput || { echo "libinput reports no key"; return 1; }
}
is_off() {
    types
    case $? in
        0) echo "libinput reports the key"; false ;;
        1) ;;
        *) false ;;
    esac
}

prepare() {  # installs the files, and plugs the accelerometers, upright at 90°, and the touch screen
    # Both hubs have the same names, so the hardware database cannot tell them apart.
    cat >/etc/udev/rules.d/61-base.rules <<'RULES'
SUBSYSTEM=="iio", KERNELS=="0018:1D50:BA5E.*", ENV{ACCEL_LOCATION}="base"
SUBSYSTEM=="iio", KERNELS=="0018:1D50:ACCE.*", ENV{ACCEL_LOCATION}="display"
RULES
    stty -F /dev/ttyS1 raw -echo
    echo >/dev/ttyS1  # ends what the port has echoed to QEMU's monitor until now
    mkfifo /tmp/base
    install_it
    runtime=/run/user/$(id -u anna)
    plug_hid
    hid 0 -1 0
    plug_base
    unfold
    plug_touch
    python3 input_events.py 'AT Translated Set 2 keyboard' >/tmp/keys &
    start_libinput "libinput"
    check "the kernel has the keyboard" soon grep reading /tmp/keys
    check "the keyboard types" types
}

# --- the panel --------------------------------------------------------------------------------------------------------
prepare_panel() {  # makes QEMU's graphics card a built-in panel; needs modprobe.blacklist=virtio_gpu
    check "the graphics card has a panel" sh -c 'python3 edp.py && modprobe virtio_gpu'
    check "the kernel has it" soon test -e /sys/class/drm/card0-eDP-1
    # logind may open the kinds of devices that the kernel knew when it was started.
    systemctl restart systemd-logind.service
    busybox chvt 1
}
panel_shows() { same "$*" "$(python3 -B /bench/scanout.py)"; }  # panel_shows COLOUR...: clockwise
shows() {  # shows WHEN TRANSFORM COLOUR...; ends the scenario with status 75 if the compositor hangs
    when=$1 wanted=$2 before=$failed
    shift 2
    check "$when: the compositor's transform is $wanted" soon transform_is "$wanted"
    [ "$failed" -eq "$before" ] || answers || { hanging; exit 75; }
    check "$when: the panel shows $*, clockwise" soon panel_shows "$@"
}

# --- anna's session ---------------------------------------------------------------------------------------------------
by_anna() {  # by_anna COMMAND...: runs COMMAND as anna, with the buses and the compositor of her session, but outside of it
    as anna env HOME=/home/anna XDG_RUNTIME_DIR="$runtime" DBUS_SESSION_BUS_ADDRESS=unix:path="$runtime"/bus \
        WAYLAND_DISPLAY=wayland-0 "$@"
}
desktop() {  # desktop NAME COMMAND: begins her session with the desktop NAME, which COMMAND starts
    # Mesa's default driver for OpenGL would compile each shader, which takes long here. A session manager sets the
    # variables.
    session anna /dev/tty1 env XDG_CURRENT_DESKTOP="$1" GALLIUM_DRIVER=softpipe WLR_RENDERER=pixman sh -c \
        "systemctl --user set-environment XDG_CURRENT_DESKTOP=$1 WAYLAND_DISPLAY=wayland-0; exec $2" >/tmp/desktop.log 2>&1 &
}
# The transform of wl_output, as a number.
transform() {
    by_anna env PYTHONPATH=/bench python3 -B -c "import wayland
print(wayland.Display('$runtime/wayland-0', 20).output('eDP-1').transforms[-1])"
}
transform_is() { same "$1" "$(transform)"; }
answers() { transform >/dev/null || ! transform 2>&1 | grep TimeoutError; }  # whether the compositor does, within 40 s
hanging() {  # says what each thread of the compositor waits for
    part "the compositor hangs"
    for thread in /proc/"$(pidof gnome-shell kwin_wayland phoc)"/task/*; do
        echo "$(cat "$thread/comm") $(cut -d' ' -f3 "$thread/stat") $(cat "$thread/syscall")"
        cat "$thread/stack"
    done
    dmesg | tail
    desktop_logs
    finish
}
orientation_lock() {  # orientation_lock get | set VALUE: of the desktop
    verb=$1
    shift
    by_anna gsettings "$verb" org.gnome.settings-daemon.peripherals.touchscreen orientation-lock "$@"
}
desktop_locks() { same "$1" "$(orientation_lock get)"; }  # desktop_locks true|false
desktop_logs() {
    part "the logs of the session"
    journalctl --no-pager -o short-monotonic _SYSTEMD_USER_UNIT=orient-agent.service
    cat /tmp/desktop.log /tmp/session.out
}
start_agent() {  # as a user does who has installed the package
    check "anna enables orient-agent's service" by_anna systemctl --user enable --now orient-agent
    check "it is enabled" by_anna systemctl --user is-enabled orient-agent
    check "it is active" soon by_anna systemctl --user is-active orient-agent
}
