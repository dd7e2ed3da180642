#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: Tests/vm/check.sh [SCENARIO...]      by default all: sensing rotation switches suspend doctor calibrate
# Runs each scenario with what `make install` installs, in a virtual machine of its own; ends with "N passed, N failed"
# over all of them. Those that lean on the bus run once on dbus-daemon and once on dbus-broker. Called by `make check-vm`.
# The machine is made in .build/vm, by root, when there is none or build-rootfs.sh is newer.
set -eu
cd "$(dirname "$0")/../.."
here=Tests/vm vm=.build/vm share=.build/vm-share tree=.build/vm-tree

[ -z "$(find $here/build-rootfs.sh -newer $vm/rootfs.ext4 2>&1)" ] || $here/build-rootfs.sh $vm
rm -rf $tree
make --no-print-directory install DESTDIR="$PWD/$tree" PREFIX=/usr >/dev/null

passed=0 failed=0
[ $# -gt 0 ] || set -- sensing rotation switches suspend doctor calibrate
for scenario; do
    case $scenario in
        sensing | rotation) buses='dbus-daemon dbus-broker' ;;
        switches) buses=dbus-broker ;;
        *) buses=dbus-daemon ;;
    esac
    for bus in $buses; do
        printf '\n== %s, %s\n' "$scenario" "$bus"
        rm -rf $share
        mkdir -p $share
        tar -C $tree --owner=0 --group=0 -cf $share/install.tar .
        cp $here/*.sh $here/*.py $share
        keys=
        [ "$scenario" != suspend ] || keys=-S
        ORIENTD_VM_APPEND="bus=$bus" $here/run-in-vm.sh -s $share -t 600 $keys sh "$scenario.sh" || :
        totals=$(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' $share/.run/stdout || :)
        # A scenario without a total has not come to its end.
        totals=${totals:-0 1}
        passed=$((passed + ${totals% *})) failed=$((failed + ${totals#* }))
    done
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
