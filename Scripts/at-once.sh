#!/usr/bin/env bash
# Runs commands at the same time, each a line for the shell: the first, whose output is shown as it comes, and the others, whose output
# is shown in their order when it has ended. Ends with 0 when all did; with the code of the first that did not otherwise, and what failed
# is said once more behind all that was shown.
# A line that begins with "@idle " gets only the processors' time that nobody else wants.
# Usage: Scripts/at-once.sh 'first line' 'second line' …
set -uo pipefail
logs=$(mktemp -d)
pids=()
cleanup() {
    # Those that still run are ended with all that they have started: each has a group of its own.
    for pid in "${pids[@]}"; do kill -TERM -- "-$pid" 2>/dev/null || true; done
    rm -rf "$logs"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# idle COMMAND…: at the lowest priority that the system has.
idle() {
    if chrt --idle 0 true 2>/dev/null; then exec chrt --idle 0 nice -n 19 "$@"; else exec nice -n 19 "$@"; fi
}

start() {
    local line=$1
    if [[ $line == "@idle "* ]]; then idle bash -c "${line#@idle }"; else exec bash -c "$line"; fi
}

# What a failed command said of its failure, or the end of what it printed.
failure() {
    local line=$1 log=$2
    echo "Failed: $line"
    if grep -q '^Failed: ' "$log"; then
        sed -n '/^Failed: /,$p' "$log" | tail -n 80
    elif grep -q '^What failed:' "$log"; then
        sed -n '/^What failed:/,$p' "$log" | tail -n 60
    else
        tail -n 40 "$log"
    fi
}

first=$1
shift
# With job control each command in the background gets a group of its own.
set -m
for line in "$@"; do
    (start "$line") >"$logs/${#pids[@]}" 2>&1 </dev/null &
    pids+=($!)
done
set +m

status=0
failed=()
# In the foreground's group, so that an interrupt from the keyboard reaches it.
start "$first" 2>&1 | tee "$logs/first" || status=$?
[ "$status" -eq 0 ] || failed+=("$(failure "$first" "$logs/first")")
place=0
for line in "$@"; do
    code=0
    wait "${pids[$place]}" || code=$?
    cat "$logs/$place"
    [ "$code" -eq 0 ] || failed+=("$(failure "$line" "$logs/$place")")
    [ "$status" -ne 0 ] || status=$code
    place=$((place + 1))
done
pids=()
if [ "$status" -ne 0 ]; then printf '%s\n' "${failed[@]}"; fi
exit "$status"
