#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: Tests/sanitize/run.sh [NAME]
# Runs all unit and integration tests under the address sanitizer, with leaks, and the unit tests under the thread
# sanitizer; with NAME only the integration tests with that in their name. The last line is "N passed, N failed".
set -u
cd "$(dirname "$0")/../.." || exit 2
XDG_CACHE_HOME=$PWD/.build/cache XDG_DATA_HOME=$PWD/.build/cache TMPDIR=$PWD/.build/tmp
export XDG_CACHE_HOME XDG_DATA_HOME TMPDIR
logs=.build/sanitize
mkdir -p "$logs" "$TMPDIR"
passed=0 failed=0

build() {  # build SANITIZER
    swift build --build-tests --sanitize "$1" --scratch-path ".build/$1" --cache-path .build/cache \
        --config-path .build/config --security-path .build/security --manifest-cache local \
        -Xswiftc -warnings-as-errors >"$logs/$1-build" 2>&1 || { tail -n 30 "$logs/$1-build"; false; }
}

# What a test makes is often a cycle at its end, since handlers keep their objects, as EventLoop says: the address
# sanitizer calls that indirect leaks. Only direct ones, which nothing refers to, count here.
unit_tests() {  # unit_tests SANITIZER
    echo "== unit tests, $1 sanitizer"
    LSAN_OPTIONS=$LSAN_OPTIONS:exitcode=0 swift test --skip-build --sanitize "$1" --scratch-path ".build/$1" \
        --cache-path .build/cache --config-path .build/config --security-path .build/security --manifest-cache local \
        >"$logs/$1-unit" 2>&1
    status=$?
    ok=$(grep -cE '^✔ Test "?.* passed after' "$logs/$1-unit")
    [ "$ok" -eq 0 ] || [ "$status" -ne 0 ] || ok=$((ok - 1))
    bad=$(grep -cE '^(✘ Test [^r].* failed after|➜ Test .* skipped)' "$logs/$1-unit")
    reports='ERROR: AddressSanitizer|WARNING: ThreadSanitizer|^Direct leak|LeakSanitizer has encountered|Sanitizer: CHECK'
    bad=$((bad + $(grep -cE "$reports" "$logs/$1-unit")))
    if [ "$status" -ne 0 ] || ! grep -q '^✔ Test run with' "$logs/$1-unit"; then [ "$bad" -gt 0 ] || bad=1; fi
    [ "$bad" -eq 0 ] || grep -E "^✘|$reports|#[0-9] " "$logs/$1-unit" | tail -n 60
    echo "$ok passed, $bad failed"
    passed=$((passed + ok)) failed=$((failed + bad))
}

integration_tests() {
    echo "== integration tests, address sanitizer"
    Tests/integration/run .build/address/debug -j "$(nproc)" --except Tests/sanitize/not-run ${1:+-k "$1"} \
        >"$logs/integration" 2>&1
    grep -E '^FAILED|^AssertionError|Sanitizer' "$logs/integration"
    totals=$(tail -n 1 "$logs/integration")
    echo "$totals"
    ok=${totals%% passed*}
    bad=${totals#*, }
    passed=$((passed + ok)) failed=$((failed + ${bad%% *}))
}

export ASAN_OPTIONS=detect_leaks=1:detect_stack_use_after_return=1
export LSAN_OPTIONS="suppressions=$PWD/Tests/sanitize/leaks:print_suppressions=0"
# A helper thread lives as long as its process.
export TSAN_OPTIONS=report_thread_leaks=0
if build address; then
    [ $# -gt 0 ] || unit_tests address
    integration_tests "$@"
else
    failed=$((failed + 1))
fi
if [ $# -eq 0 ]; then
    if build thread; then unit_tests thread; else failed=$((failed + 1)); fi
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
