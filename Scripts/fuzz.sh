#!/usr/bin/env bash
# Runs the coverage-guided fuzzers of Fuzz/: Scripts/fuzz.sh [SECONDS [TARGET...]], 120 seconds for all targets unless told otherwise.
# Exits with 1 after a crash, a hang, or too much memory, and keeps the input in build/fuzz. See Fuzz/README.md.
#
# Scripts/fuzz.sh --build builds only. FUZZ_BUILT=1 skips the build, FUZZ_SEED=7 makes the choice of inputs repeatable.
set -euo pipefail
cd "$(dirname "$0")/.."

scratch=.build-fuzz
binary=$scratch/debug/lifeline-fuzz
# A trap would start the backtracer, which hangs while libFuzzer reports the crash.
export SWIFT_BACKTRACE=enable=no

# Fuzzes one target: fuzz.sh --one TARGET SECONDS
if [ "${1:-}" = --one ]; then
    target=$2
    work=$scratch/work/$target
    mkdir -p "$work/corpus" build/fuzz
    cat Fuzz/Dictionaries/common.dict "Fuzz/Dictionaries/$target.dict" 2>/dev/null >"$work/dict" || true
    code=0
    # The limits are far from what any input needs, so that a loaded machine does not fail.
    LIFELINE_FUZZ_TARGET=$target "$binary" -max_total_time="$3" -timeout=30 -rss_limit_mb=1024 -len_control=0 -reload=0 \
        -dict="$work/dict" -artifact_prefix="build/fuzz/$target-" ${FUZZ_SEED:+-seed=$FUZZ_SEED} \
        "$work/corpus" "Fuzz/Seeds/$target" >"$work/log" 2>&1 || code=$?
    # libFuzzer's lines read: #1234 DONE cov: 300 ft: 500 corp: 45/3Kb lim: 4096 exec/s: 100 rss: 50Mb
    last=$(grep -aE '^#[0-9]+.* cov: ' "$work/log" | tail -1)
    figures=$(sed -E 's/^#([0-9]+).* cov: ([0-9]+).* corp: ([0-9]+)\/.*/\1 runs, \2 edges covered, \3 inputs in the corpus/' <<<"$last")
    echo "$target: ${figures:-no runs} in $3 s"
    [ $code = 0 ] && exit 0
    echo "$target" >>"$scratch/work/failed"
    echo "$target: FAILED with exit code $code; the whole output is in $work/log"
    # Of the stack only what is above libFuzzer's own frames.
    grep -aE '[Ff]atal error|ERROR|^ +#[0-9]+ .* in |^Killed' "$work/log" | grep -avE ' in (fuzzer|__libc_start|_start)' |
        tail -25 | sed -E 's/0x[0-9a-f]+ in //; s/ \(\/.*//' | swift demangle --simplified | cut -c1-200
    input=$(sed -nE 's/.*Test unit written to (.*)$/\1/p' "$work/log" | tail -1)
    [ -n "$input" ] && echo "$target: replay with LIFELINE_FUZZ_TARGET=$target SWIFT_BACKTRACE=enable=no $binary $input"
    exit 0
fi

build() {
    LIFELINE_FUZZ=1 swift build --scratch-path $scratch --product lifeline-fuzz -debug-info-format none \
        -Xswiftc -wmo -Xswiftc -num-threads -Xswiftc 2
}
if [ "${1:-}" = --build ]; then
    build
    exit
fi

seconds=${1:-120}
[[ $seconds =~ ^[1-9][0-9]*$ ]] || { echo "usage: $0 [SECONDS [TARGET...]]; SECONDS is a whole number from 1 on" >&2; exit 2; }
shift || true
if [ -z "${FUZZ_BUILT:-}" ]; then
    build
fi
known=$(LIFELINE_FUZZ_TARGET=list $binary)
targets=("$@")
[ $# -gt 0 ] || mapfile -t targets <<<"$known"
for target in "${targets[@]}"; do
    grep -qx -- "$target" <<<"$known" || { echo "There is no target $target. Targets: $(tr '\n' ' ' <<<"$known")" >&2; exit 2; }
    [ -d "Fuzz/Seeds/$target" ] || { echo "The target $target has no seeds: add Fuzz/Seeds/$target" >&2; exit 2; }
done

# Two targets at a time, each for the same share of the time.
count=${#targets[@]}
share=$((count == 1 ? seconds : (seconds * 2 + count - 1) / count))
mkdir -p $scratch/work
: >$scratch/work/failed
printf '%s\n' "${targets[@]}" | xargs -P 2 -I '{}' "$0" --one '{}' $share
failed=$(wc -l <$scratch/work/failed)
echo "$((count - failed)) passed, $failed failed"
[ "$failed" = 0 ]
