# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
# Functions for scenarios in which orient-agent runs in anna's session. The panel is Virtual-1, upright $wide pixels
# wide and $high high; the monitor, Virtual-2, is at its right. A scenario defines compositor_socket(), which prints the
# variable that names the compositor's socket.
# shellcheck source=Tests/vm/common.sh
. ./common.sh
panel=Virtual-1 monitor=Virtual-2
: "${wide:=480}" "${high:=640}"

# --- anna's session -------------------------------------------------------------------------------------------------
in_session() {  # in_session COMMAND...: runs COMMAND as anna for her compositor, but outside of her session
    as anna env HOME=/home/anna XDG_RUNTIME_DIR="$runtime" WAYLAND_DISPLAY=wayland-1 \
        "$(compositor_socket)" "$@"
}
has_agent() { pidof orient-agent && is Claims 1; }
has_no_agent() { ! pidof orient-agent && is Claims 0; }

# --- outputs --------------------------------------------------------------------------------------------------------
output() {  # output NAME PROPERTY: prints a property of an output, as wlr-randr has it
    in_session wlr-randr | awk -v name="$1" -v property="$2:" '/^[^ ]/ { found = $1 == name }
        found && $1 == property { print $2; exit }'
}
output_is() { same "$3" "$(output "$1" "$2")"; }
panel_shows() { same "$*" "$(python3 -B /bench/scanout.py)"; }  # panel_shows COLOUR...: clockwise
monitor_place() { case $1 in 90 | 270) echo "$high" ;; *) echo "$wide" ;; esac; }  # monitor_place TRANSFORM: prints its x
display_is() {  # display_is TRANSFORM COLOUR...
    transform=$1
    shift
    check "the compositor has rotated the panel: $transform" soon output_is $panel Transform "$transform"
    check "the monitor is beside the panel" soon output_is $monitor Position "$(monitor_place "$transform"),0"
    check "the panel shows $*, clockwise" soon panel_shows "$@"
}

# --- the touch screen -----------------------------------------------------------------------------------------------
touches() { grep -c ^touch /tmp/window; }
has_touches() { [ "$(touches)" -gt "$1" ]; }
touch_lands() {  # touch_lands X Y COLOUR: touches the panel; the window receives that in its corner with this colour
    for _ in 1 2 3 4 5; do  # the agent maps the touch screen after the display has turned
        before=$(touches)
        echo "$1 $2" >/tmp/touch
        within 60 has_touches "$before" || { echo "no touch arrives"; return 1; }
        same "touch $3" "$(tail -n 1 /tmp/window | cut -d' ' -f1,2)" && return
        tail -n 1 /tmp/window
        sleep 1
    done
    return 1
}
touch_follows() {  # touch_follows COLOUR...: touches each corner of the panel, clockwise
    check "a touch at the panel's top left lands in the window's corner that is $1" touch_lands 30 30 "$1"
    check "a touch at its top right lands in the corner that is $2" touch_lands 970 30 "$2"
    check "a touch at its bottom right lands in the corner that is $3" touch_lands 970 970 "$3"
    check "a touch at its bottom left lands in the corner that is $4" touch_lands 30 970 "$4"
}

prepare() {  # installs the files, plugs the sensor upright and the touch screen, and configures the agent
    install_it
    plug_hid
    hid 0 -1 0
    plug_touch
    check "udev says that it is one" grep -qx E:ID_INPUT_TOUCHSCREEN=1 \
        "/run/udev/data/c$(stat -c '%Hr:%Lr' "$(node 'touch screen')")"
    check "orient-agent's libraries are installed" sh -c '! ldd /usr/bin/orient-agent | grep "not found"'
    runtime=/run/user/$(id -u anna)
    as anna mkdir -p /home/anna/.config/orientd
    printf '[Agent]\nOutput=%s\n' $panel >/home/anna/.config/orientd/agent.conf
    busybox chvt 1
}

turn_around() {  # checks picture and touch in each orientation; ends with the right edge down
    part "upright"
    check "orientd has decided" soon is InterfaceOrientation portrait
    display_is normal red green blue yellow
    touch_follows red green blue yellow

    # The window's upper edge is shown at the edge of the panel that is up: its right edge if its left edge is down.
    part "the left edge is down"
    hid -1 0 0
    display_is 270 yellow red green blue
    touch_follows yellow red green blue

    part "upside down"
    hid 0 1 0
    display_is 180 blue yellow red green
    touch_follows blue yellow red green

    part "the right edge is down"
    hid 1 0 0
    display_is 90 green blue yellow red
    touch_follows green blue yellow red
}
