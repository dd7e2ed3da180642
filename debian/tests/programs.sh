# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
# The installed programs in one folder, as the tests expect them.
programs=$AUTOPKGTEST_TMP/programs
mkdir "$programs"
ln -s /usr/libexec/orientd /usr/libexec/orientd-tablet-switch /usr/bin/orientctl /usr/bin/orient-agent "$programs"
export PYTHONDONTWRITEBYTECODE=1
