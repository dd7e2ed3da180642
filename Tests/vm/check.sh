#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: Tests/vm/check.sh [SCENARIO...]      by default all: doctor sensing rotation suspend calibrate hinge switches
# Runs each scenario with what `make install` installs, in a virtual machine of its own, three at a time; ends with
# "N passed, N failed" over all of them. Those that lean on the bus run once on dbus-daemon and once on dbus-broker.
# The machine is made in .build/vm, by root, when there is none or build-rootfs.sh is newer. Called by `make check-vm`.
set -eu
cd "$(dirname "$0")/../.."
here=Tests/vm vm=.build/vm shares=.build/vm-share tree=.build/vm-tree

[ -z "$(find $here/build-rootfs.sh -newer $vm/rootfs.ext4 2>&1)" ] || $here/build-rootfs.sh $vm
rm -rf $tree $shares
make --no-print-directory install DESTDIR="$PWD/$tree" PREFIX=/usr >/dev/null
mkdir $shares
tar -C $tree --owner=0 --group=0 -cf $shares/install.tar .

# Those that take longest come first.
[ $# -gt 0 ] || set -- doctor sensing rotation suspend calibrate hinge switches
for scenario; do
    case $scenario in
        sensing | rotation) echo "$scenario dbus-daemon $scenario dbus-broker" ;;
        switches | hinge) echo "$scenario dbus-broker" ;;
        *) echo "$scenario dbus-daemon" ;;
    esac
done | xargs -n 2 -P 3 $here/scenario.sh $shares || :

passed=0 failed=0
for share in "$shares"/*/; do
    totals=$(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$share/.run/stdout" || :)
    # A scenario without a total has not come to its end.
    totals=${totals:-0 1}
    passed=$((passed + ${totals% *})) failed=$((failed + ${totals#* }))
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
