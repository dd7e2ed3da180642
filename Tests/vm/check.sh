#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: Tests/vm/check.sh
# Runs sensing.sh in a virtual machine with what `make install` installs; called by `make check-vm`. The machine is made
# in .build/vm when there is none, by root; remove that folder to have it made anew.
set -eu
cd "$(dirname "$0")/../.."
here=Tests/vm vm=.build/vm share=.build/vm-share tree=.build/vm-tree

[ -f $vm/rootfs.ext4 ] || $here/build-rootfs.sh $vm
rm -rf $share $tree
mkdir -p $share
make --no-print-directory install DESTDIR="$PWD/$tree" PREFIX=/usr >/dev/null
tar -C $tree --owner=0 --group=0 -cf $share/install.tar .
cp $here/sensing.sh $here/i2c_stub_accel.sh $here/uhid_accel.py $share
$here/run-in-vm.sh -s $share -t 900 sh sensing.sh
