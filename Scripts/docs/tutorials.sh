#!/usr/bin/env bash
# Type-checks each step of each tutorial against the built modules. A file whose name has Tests in it is checked together with the last
# step of what it tests. Usage: tutorials.sh FLAG_OF_THE_COMPILER…
set -euo pipefail
cd "$(dirname "$0")/../../Sources/Lifeline/Lifeline.docc/Resources"
count=0
for step in *.swift Tested/*.swift; do
    files=("$step")
    name=$(basename "$step")
    if [[ $name == *Tests-* ]]; then
        files+=("$(find . -name "${name%Tests-*}-*.swift" | sort -t- -k2 -n | tail -1)")
    fi
    swiftc -typecheck -swift-version 6 -parse-as-library -warnings-as-errors -module-name Tutorial "$@" "${files[@]}" ||
        { echo "docs: $step does not compile." >&2; exit 1; }
    count=$((count + 1))
done
[ "$count" -gt 0 ]
echo "docs: $count steps of tutorials compile"
