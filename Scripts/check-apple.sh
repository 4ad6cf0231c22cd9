#!/usr/bin/env bash
# Checks on Linux the code that only Apple platforms compile: the modules that import Network, Security, CommonCrypto,
# NIOTransportServices, UIKit, AppKit or Combine are compiled against the declarations in Tests/AppleStubs, with data races and warnings as errors.
# Nothing is linked or run. The stubs were written from knowledge of Apple's public interfaces; nobody has built this on an Apple machine yet.
# Needs a debug build (swift build). Usage: Scripts/check-apple.sh
set -euo pipefail
cd "$(dirname "$0")/.."
built=$(swift build --show-bin-path)
work=${APPLE_BUILD:-$PWD/.build/apple}
[ -f "$built/Modules/ConnectionEngine.swiftmodule" ] || { echo "build first: swift build" >&2; exit 2; }
rm -rf "$work/common" "$work/UIKit" "$work/AppKit" "$work/Combine"
mkdir -p "$work/common" "$work/UIKit" "$work/AppKit" "$work/Combine"
maps=()
while IFS= read -r map; do maps+=(-Xcc "-fmodule-map-file=$map"); done < <(Scripts/module-maps.sh "$built")
flags=(-swift-version 6 -parse-as-library -module-cache-path "$work/cache" -suppress-warnings)
# Apple's enums may grow, as those of a module with library evolution.
for name in Security Network; do
    swiftc "${flags[@]}" -enable-library-evolution -emit-module -module-name $name -I "$work/common" \
        -o "$work/common/$name.swiftmodule" "Tests/AppleStubs/Common/$name.swift"
done
swiftc "${flags[@]}" -emit-module -module-name NIOTransportServices -I "$work/common" -I "$built/Modules" "${maps[@]}" \
    -o "$work/common/NIOTransportServices.swiftmodule" Tests/AppleStubs/Common/NIOTransportServices.swift
swiftc "${flags[@]}" -emit-module -module-name CommonCrypto -o "$work/common/CommonCrypto.swiftmodule" \
    Tests/AppleStubs/Common/CommonCrypto.swift
for name in UIKit AppKit Combine; do
    swiftc "${flags[@]}" -emit-module -module-name $name -o "$work/$name/$name.swiftmodule" "Tests/AppleStubs/$name/$name.swift"
done
package=$(basename "$PWD" | tr '[:upper:]' '[:lower:]' | tr -c '[:alnum:]\n' _)

# check MODULE STUBS…: up to the intermediate language, since data races between regions are only found there.
check() {
    local module=$1 sources search=()
    shift
    for folder in "$@"; do search+=(-I "$work/$folder"); done
    mapfile -t sources < <(find "Sources/$module" -name '*.swift' | sort)
    swiftc -swift-version 6 -warnings-as-errors -parse-as-library -module-cache-path "$work/cache" -D DEBUG \
        -wmo -emit-sil -o /dev/null -package-name "$package" -module-name "$module" \
        "${search[@]}" -I "$built/Modules" "${maps[@]}" "${sources[@]}"
    echo "Apple: ${#sources[@]} files of $module checked against $*"
}

check TransportCommon common
check PubNubProtocol common
check EngineRuntime UIKit
check EngineRuntime AppKit
check LifelineUI Combine
