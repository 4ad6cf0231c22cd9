#!/bin/bash
# Runs the Swift tests with the arguments given, and names what failed once more behind the long list of what passed.
set -o pipefail
log=$(mktemp)
trap 'rm -f "$log"' EXIT
swift test "$@" 2>&1 | tee "$log"
status=$?
if [ "$status" -ne 0 ]; then
    echo "What failed:"
    grep -E '✘|error:|Fatal error|recorded an issue' "$log" | head -40
    grep -E '^[✔✘] Test run with' "$log" | tail -1
fi
exit "$status"
