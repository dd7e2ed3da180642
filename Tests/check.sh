#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: Tests/check.sh [own] [peer] [vm] [session] [sid] [arm64] [fuzz] [sanitize] [soak]
# Runs groups of checks one after the other and ends with the seconds of each check, what failed, and the total, "N
# passed, N failed"; a skipped test counts as failed. "own" (the default) needs only this source tree and Debian
# packages; "peer" downloads and runs iio-sensor-proxy's tests and desktops; "vm" uses virtual machines; "session"
# downloads and runs compositors; "sid" builds and tests the packages in Debian sid; "arm64" builds for arm64 and runs
# the programs under emulation, in a virtual machine too; "fuzz" runs each fuzzer for a minute, "sanitize" all tests
# under sanitizers, in a virtual machine too, and "soak" a day's use for five minutes.
# Called by `make check`.
set -u
cd "$(dirname "$0")/.." || exit 2
# Tests run in the same state everywhere; nohup, for example, and `&` in a script ignore signals.
if [ -z "${ORIENTD_CHECK:-}" ]; then
    umask 022
    exec env --default-signal=INT,QUIT,PIPE,TERM -u LANGUAGE -u NO_COLOR LC_ALL=C.UTF-8 ORIENTD_CHECK=inside \
        "$0" "$@" </dev/null
fi
logs=.build/check
mkdir -p "$logs"
: >"$logs/failed"
passed=0 failed=0 seconds='' began=$(date +%s)
last=$began

count() {  # count PASSED FAILED
    passed=$((passed + $1)) failed=$((failed + $2))
}

ended() {  # ended NAME: records the seconds since the check before this one ended
    now=$(date +%s)
    seconds="$seconds$1 $((now - last)), "
    last=$now
}

step() {  # step NAME COMMAND...: counts COMMAND as one check
    name=$1
    shift
    echo "== $name"
    if "$@"; then count 1 0; else count 0 1 && echo "FAILED: $name" | tee -a "$logs/failed"; fi
    ended "$name"
}

suite() {  # suite NAME COMMAND...: adds the counts of COMMAND, whose output ends with "N passed, N failed"
    name=$1
    shift
    echo "== $name"
    { "$@" 2>&1; echo "exit $?"; } | tee "$logs/$name"
    totals=$(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$logs/$name" | tail -n 1)
    # shellcheck disable=SC2086
    if [ -z "$totals" ]; then count 0 1; else count $totals; fi
    if ! grep -qx 'exit 0' "$logs/$name"; then
        if [ "${totals#* }" = 0 ]; then count 0 1; fi
        { echo "FAILED: $name"; grep -E '^ *(FAILED: |FAIL: |ERROR: test|✘ Test )' "$logs/$name"; } >>"$logs/failed"
    fi
    ended "$name"
}

# Converts the output of Swift Testing to "N passed, N failed"; a skipped test counts as failed.
unit_tests() {
    make --no-print-directory test >"$logs/swift" 2>&1
    status=$?
    grep -vE '^(\[|Build|◇)' "$logs/swift"
    ok=$(grep -cE '^✔ Test "?.* passed after' "$logs/swift")
    # The last such line is the summary of the whole run.
    [ "$ok" -eq 0 ] || ok=$((ok - 1))
    bad=$(grep -cE '^(✘ Test [^r].* failed after|➜ Test .* skipped)' "$logs/swift")
    [ "$status" -eq 0 ] || [ "$bad" -gt 0 ] || bad=1
    echo "$ok passed, $bad failed"
    [ "$bad" -eq 0 ]
}

own() {
    step format make --no-print-directory lint
    suite unit unit_tests
    step build make --no-print-directory build
    step examples make --no-print-directory examples
    step manual make --no-print-directory docs
    step site make --no-print-directory site
    suite make Tests/make/check.sh
    suite systemd Tests/systemd/check.sh
    suite integration Tests/integration/run .build/bin
}

peer() {
    suite peer Tests/peer/run .build/bin
    suite desktop Tests/peer/desktop/run .build/bin
}

vm() {
    suite vm Tests/vm/check.sh
}

session() {
    suite session Tests/session/run .build/bin --events "${EVENTS:-40}"
}

sid() {
    suite sid Tests/sid/check.sh
}

arm64() {
    step build-arm64 make --no-print-directory build ARCH=arm64
    suite arm64 Tests/arm64/run
    suite ssc-arm64 Tests/vm/check.sh ssc-arm64
}

fuzz() {
    suite fuzz make --no-print-directory fuzz
}

sanitize() {
    suite sanitize Tests/sanitize/run.sh
    suite ssc-address Tests/vm/check.sh ssc-address
}

soak() {
    suite soak Tests/soak/run .build/bin --duration "${DURATION:-300}"
}

for checks in "${@:-own}"; do
    case $checks in
        own | peer | vm | session | sid | arm64 | fuzz | sanitize | soak) "$checks" ;;
        *) echo "usage: Tests/check.sh [own] [peer] [vm] [session] [sid] [arm64] [fuzz] [sanitize] [soak]" >&2; exit 2 ;;
    esac
done
echo "seconds: ${seconds}all $((last - began))"
cat "$logs/failed"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
