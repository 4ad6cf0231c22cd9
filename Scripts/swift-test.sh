#!/bin/bash
# Runs the Swift tests with the arguments given, and names what failed once more behind the long list of what passed.
# Usage: Scripts/swift-test.sh [argument of swift test]…
#        SWIFT_FLAGS='flags of the build' Scripts/swift-test.sh --built [argument of the tests]…
# The second runs what has been built already, without another plan of the build: so several may run at a time.
set -o pipefail
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# The tests take a pipe for a terminal, and colour what they say.
plainly() { "$@" 2>&1 | sed -u 's/\x1b\[[0-9;]*m//g'; }
tests=.build/debug/lifelinePackageTests.xctest
command=(swift test "$@")
if [ "${1:-}" = --built ]; then
    shift
    # On Linux it is a program; elsewhere a bundle.
    if [ -f "$tests" ]; then
        command=(plainly "$tests" --testing-library swift-testing "$@")
    else
        read -r -a flags <<<"${SWIFT_FLAGS:-}"
        command=(swift test "${flags[@]}" --skip-build --ignore-lock "$@")
    fi
fi
"${command[@]}" 2>&1 | tee "$log"
status=$?
if [ "$status" -ne 0 ]; then
    echo "What failed:"
    grep -E '✘|error:|Fatal error|recorded an issue' "$log" | head -40
    grep -E '^[✔✘] Test run with' "$log" | tail -1
fi
exit "$status"
