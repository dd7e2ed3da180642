#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: Tests/vm/check.sh [SCENARIO...]
# SCENARIO is by default each of: hyprland doctor sensing rotation rest display xorg suspend calibrate hinge switches.
# Runs each scenario with the files of `make install` in its own virtual machine, three at a time, and ends with the
# total, "N passed, N failed". Scenarios that depend on the bus run once with dbus-daemon and once with dbus-broker. If
# there is no machine in .build/vm, or build-rootfs.sh is newer, builds it, which needs root; so does the scenario hyprland
# with the one in .build/vm-sid. Called by `make check-vm`.
set -eu
cd "$(dirname "$0")/../.."
here=Tests/vm vm=.build/vm shares=.build/vm-share tree=.build/vm-tree

[ -z "$(find $here/build-rootfs.sh -newer $vm/rootfs.ext4 2>&1)" ] || $here/build-rootfs.sh $vm
rm -rf $tree $shares
make --no-print-directory install DESTDIR="$PWD/$tree" PREFIX=/usr >/dev/null
mkdir $shares
tar -C $tree --owner=0 --group=0 -cf $shares/install.tar .

# Start the longest scenarios first.
[ $# -gt 0 ] || set -- hyprland doctor sensing rotation rest display xorg suspend calibrate hinge switches
for scenario; do
    case $scenario in
        sensing | rotation) echo "$scenario dbus-daemon $scenario dbus-broker" ;;
        switches | hinge | hyprland) echo "$scenario dbus-broker" ;;
        *) echo "$scenario dbus-daemon" ;;
    esac
done | xargs -n 2 -P 3 $here/scenario.sh $shares || :

passed=0 failed=0
for share in "$shares"/*/; do
    totals=$(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$share/.run/stdout" || :)
    # A scenario without a total did not finish.
    totals=${totals:-0 1}
    passed=$((passed + ${totals% *})) failed=$((failed + ${totals#* }))
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
