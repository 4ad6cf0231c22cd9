#!/usr/bin/env bash
# Type-checks what no test builds, the fuzzers and the benchmarks, against the modules of a debug build: a change that they do not
# compile with is found in a minute instead of by a build of their own. Usage: Scripts/check-unbuilt.sh
set -euo pipefail
cd "$(dirname "$0")/.."
built=$(swift build --show-bin-path)
[ -f "$built/Modules/LifelineServer.swiftmodule" ] || { echo "check-unbuilt: build first: swift build" >&2; exit 2; }
work=$PWD/.build/unbuilt
mkdir -p "$work"
maps=()
while IFS= read -r map; do maps+=(-Xcc "-fmodule-map-file=$map"); done < <(Scripts/module-maps.sh "$built")

# Declarations that are visible in the package only: its name comes from that of the directory.
package=$(grep -m1 '"-module-name","Identifiers"' .build/debug.yaml | sed -E 's/.*"-package-name","([^"]*)".*/\1/')

# check NAME DIRECTORY [FLAG…]
check() {
    local name=$1 directory=$2 sources
    shift 2
    mapfile -t sources < <(find "$directory" -name '*.swift' | sort)
    swiftc -swift-version 6 -warnings-as-errors -module-cache-path "$work/cache" -module-name "$name" -I "$work" -I "$built/Modules" \
        "${maps[@]}" "$@" "${sources[@]}"
}

check lifeline_fuzz Fuzz/Sources -typecheck -package-name "$package" -parse-as-library
check Measuring Benchmarks/Sources/Measuring -emit-module -emit-module-path "$work/Measuring.swiftmodule"
count=1
for directory in Benchmarks/Sources/*/; do
    name=$(basename "$directory")
    # PollFeeder is written in C.
    [ "$name" = Measuring ] || [ -z "$(find "$directory" -name "*.swift")" ] && continue
    mode=()
    # A file with @main is a library to the compiler; one named main.swift is a script.
    [ -f "$directory/main.swift" ] || mode=(-parse-as-library)
    check "$name" "$directory" -typecheck "${mode[@]}"
    count=$((count + 1))
done
echo "fuzzers and $count benchmarks checked"
