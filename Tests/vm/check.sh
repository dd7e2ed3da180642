#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: Tests/vm/check.sh [SCENARIO...]
# SCENARIO is by default each of: rest soak package sensing gnome phosh tablet-switch doctor hyprland rotation suspend
# display xorg greeter kwin calibrate hinge switches ssc libssc busy. Only if they are named: "ssc-arm64" and
# "ssc-address", which are "ssc" with another build of orientd, and "ssc-costs", which takes twenty minutes. Runs each
# scenario in its own virtual machine, three at a time, and ends with the total, "N passed, N failed". "package",
# "gnome" and "phosh" install the packages of `make deb`; the others have the files of `make install`. Scenarios that
# depend on the bus run once with dbus-daemon and once with dbus-broker. If there is no machine in .build/vm, or
# build-rootfs.sh is newer, builds it, which needs root; so do those scenarios that run on another release of Debian.
# Called by `make check-vm`.
set -eu
cd "$(dirname "$0")/../.."
here=Tests/vm vm=.build/vm shares=.build/vm-share tree=.build/vm-tree

[ $# -gt 0 ] || set -- rest soak package sensing gnome phosh tablet-switch doctor hyprland rotation \
    suspend display xorg greeter kwin calibrate hinge switches ssc libssc busy
[ -z "$(find $here/build-rootfs.sh -newer $vm/rootfs.ext4 2>&1)" ] || $here/build-rootfs.sh $vm
rm -rf $tree $shares
make --no-print-directory install DESTDIR="$PWD/$tree" PREFIX=/usr >/dev/null
mkdir -p $shares/packages
tar -C $tree --owner=0 --group=0 -cf $shares/install.tar .

# Start the longest scenarios first; the first that needs the packages builds them while others run.
for scenario; do
    case $scenario in
        package) echo "$scenario dbus-daemon bookworm $scenario dbus-broker trixie $scenario dbus-broker sid" ;;
        sensing | rotation) echo "$scenario dbus-daemon bookworm $scenario dbus-broker bookworm" ;;
        gnome) echo "$scenario dbus-daemon trixie $scenario dbus-broker sid" ;;
        kwin) echo "$scenario dbus-broker trixie $scenario dbus-broker sid" ;;
        phosh | busy) echo "$scenario dbus-broker trixie" ;;
        ssc-arm64 | ssc-address) echo "$scenario dbus-broker bookworm" ;;
        ssc) echo "$scenario dbus-broker bookworm $scenario dbus-broker trixie $scenario dbus-broker sid" ;;
        switches | hinge | tablet-switch) echo "$scenario dbus-broker bookworm" ;;
        hyprland | libssc | ssc-costs) echo "$scenario dbus-broker sid" ;;
        *) echo "$scenario dbus-daemon bookworm" ;;
    esac
done | xargs -n 3 -P 3 $here/scenario.sh $shares || :

passed=0 failed=0
for share in "$shares"/*/; do
    [ "$share" != $shares/packages/ ] || continue
    totals=$(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$share/.run/stdout" || :)
    if [ -z "$totals" ]; then
        echo "FAILED: $(basename "$share") did not finish"
        totals='0 1'
    fi
    passed=$((passed + ${totals% *})) failed=$((failed + ${totals#* }))
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
