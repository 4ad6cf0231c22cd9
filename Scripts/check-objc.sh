#!/usr/bin/env bash
# Checks the Objective-C faces of NexconnChatSDK and PusherSwift on Linux: their sources are type-checked as on Apple platforms, where
# `canImport(ObjectiveC)` holds, against the declarations in Tests/ObjectiveC/Modules; the headers that come of it are then used by
# the programs in Tests/ObjectiveC whose names begin alike. Nothing is linked or run.
# Needs a debug build (swift build) and clang. Usage: Scripts/check-objc.sh
set -euo pipefail
cd "$(dirname "$0")/.."
stubs=$PWD/Tests/ObjectiveC/Modules
built=$(swift build --show-bin-path)
work=${OBJC_BUILD:-$PWD/.build/objc}
toolchain=$(swiftc -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')
export SWIFT_BACKTRACE=enable=no

for name in ChatDatabase WebSocketTransport PusherProtocol; do
    [ -f "$built/Modules/$name.swiftmodule" ] || { echo "build first: swift build" >&2; exit 2; }
done
mkdir -p "$work/modules"
# The toolchain's modules without its Foundation, in the place of which the stubs stand.
for name in Swift _Concurrency _StringProcessing SwiftOnoneSupport Synchronization Glibc Dispatch _Builtin_float \
    FoundationEssentials _FoundationCollections; do
    ln -sfn "$toolchain/linux/$name.swiftmodule" "$work/modules/$name.swiftmodule"
done
flags=(
    -frontend -enable-objc-interop -nostdimport -parse-as-library -swift-version 6
    -disable-implicit-string-processing-module-import -plugin-path "$toolchain/host/plugins"
    -I "$work/modules" -I "$work" -I "$stubs" -module-cache-path "$work/cache"
)
# What SwiftPM calls the package that the modules were built in, for declarations that are `package`.
package=$(basename "$PWD" | tr '[:upper:]' '[:lower:]' | tr -c '[:alnum:]\n' _)
for name in ObjectiveC Foundation; do
    swiftc "${flags[@]}" -emit-module -import-underlying-module -module-name $name -o "$work/$name.swiftmodule" "$stubs/$name.swift"
done
# Network's types as Apple ships them: enums that may grow, and nothing said about threads.
swiftc "${flags[@]}" -enable-library-evolution -suppress-warnings -emit-module -module-name Network \
    -o "$work/Network.swiftmodule" "$stubs/Network.swift"

# The C modules of what the library stands on.
maps=()
while IFS= read -r map; do maps+=(-Xcc "-fmodule-map-file=$map"); done < <(Scripts/module-maps.sh "$built")

# check MODULE PREFIX: the module's sources, and the programs PREFIX*.m.
check() {
    local module=$1 prefix=$2 sources programs
    # Functions that throw cannot be checked here: the compiler crashes for want of the real Foundation. They throw typed errors,
    # which Objective-C has no words for, so that they are no part of its face; in a copy of the sources this is said.
    rm -rf "$work/sources" && cp -R "Sources/$module" "$work/sources"
    find "$work/sources" -name '*.swift' -exec perl -0pi -e \
        's/^([ \t]*)((?:public|open) (?:final |override |required |convenience |static |class )*(?:func|init)\b[^}{]*?\bthrows\b)/$1\@nonobjc $2/mg;
            s/(\@nonobjc\s+#endif\s+(?:\@\w+\s+)*)\@nonobjc /$1/g' {} +
    mapfile -t sources < <(find "$work/sources" -name '*.swift' | sort)
    mapfile -t programs < <(find Tests/ObjectiveC -name "$prefix*.m" | sort)

    swiftc "${flags[@]}" -I "$built/Modules" "${maps[@]}" -typecheck -package-name "$package" -module-name "$module" \
        -emit-objc-header-path "$work/$module-Swift.h" "${sources[@]}"
    for program in "${programs[@]}"; do
        clang -target x86_64-unknown-linux-gnu -fobjc-runtime=macosx -fobjc-arc -fblocks -fsyntax-only -Wall -Werror \
            -x objective-c -I "$stubs" -I "$work" "$program"
    done
    echo "Objective-C: ${#sources[@]} files of $module checked, used by ${#programs[@]} programs"
}

check NexconnChatSDK nexconn
check PusherSwift pusher
