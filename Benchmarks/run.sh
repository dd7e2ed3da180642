#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: Benchmarks/run.sh FOLDER [--quick]
# Measures the orientd and orientctl in FOLDER; called by `make bench`.
set -eu
bin=$(cd "$1" && pwd)
shift
cd "$(dirname "$0")"

swift build -c release --cache-path ../.build/cache --config-path ../.build/config --security-path ../.build/security \
    --manifest-cache local --scratch-path ../.build/benchmarks
mkdir -p ../.build/bench
clang -shared -fPIC -O2 -Wall -Werror -o ../.build/bench/input_axes.so input_axes.c
echo '== classifier alone'
../.build/benchmarks/release/classifier-benchmark
echo '== policy alone'
../.build/benchmarks/release/policy-benchmark
echo '== orientctl replay, two million lines'
./replay.sh "$bin/orientctl"
echo '== daemon'
./costs.py "$bin" "$@"
