#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: Tests/vm/ssc-peer.sh FOLDER
# Builds Debian sid's iio-sensor-proxy with its support of Qualcomm's sensor core, which Debian enables on arm64 only,
# into FOLDER, unless it is there. Its sources are built, but neither changed nor kept. Needs root. Called by scenario.sh.
set -eu
[ ! -e "$1" ] || exit 0
work=$(mktemp -d "$1.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
chmod 755 "$work"
cat >"$work/build" <<'BUILD'
set -eu
export DEBIAN_FRONTEND=noninteractive DEB_BUILD_OPTIONS='nocheck noautodbgsym'
sed -i '/^deb /p; s/^deb /deb-src /' /etc/apt/sources.list
apt-get -q update
cd /root
apt-get -q source iio-sensor-proxy
cd iio-sensor-proxy-*/
sed -i 's/^\(ARCHES_QCOM_SSC = \)arm64$/\1amd64/' debian/rules
sed -i 's/ \[arm64\]//' debian/control
apt-get -q -y --no-install-recommends build-dep ./
dpkg-buildpackage -b -us -uc
ldd debian/iio-sensor-proxy/usr/libexec/iio-sensor-proxy | grep libssc
BUILD
# The signature of a mirror's copy of sid expires within days.
mmdebstrap --quiet --mode=root --variant=buildd --aptopt='Acquire::Check-Valid-Until "false"' \
    --aptopt='Acquire::Languages "none"' --aptopt='APT::Sandbox::User "root"' \
    --customize-hook="chroot \"\$1\" sh -s <'$work/build'" \
    --customize-hook="mkdir '$work/packages' && cp \"\$1\"/root/iio-sensor-proxy_*.deb '$work/packages'" \
    sid "$work/tree"
mv "$work/packages" "$1"
