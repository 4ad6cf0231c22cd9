#!/usr/bin/env bash
# Type-checks the SwiftUI front end of Examples/ChatApp, and the code in the documentation of LifelineUI, on Linux, against the declarations
# in Tests/SwiftUIStubs. Nothing is linked or run; on an Apple platform nobody has built it yet. Needs a debug build (swift build). Usage: Scripts/check-swiftui.sh
set -euo pipefail
cd "$(dirname "$0")/.."
built=$(swift build --show-bin-path)
work=${SWIFTUI_BUILD:-$PWD/.build/swiftui}
[ -f "$built/Modules/ChatAppModel.swiftmodule" ] || { echo "build first: swift build" >&2; exit 2; }
mkdir -p "$work"
flags=(-swift-version 6 -warnings-as-errors -parse-as-library -module-cache-path "$work/cache")
swiftc "${flags[@]}" -emit-module -module-name SwiftUI -o "$work/SwiftUI.swiftmodule" Tests/SwiftUIStubs/SwiftUI.swift
# The C modules of what the library stands on.
maps=()
while IFS= read -r map; do maps+=(-Xcc "-fmodule-map-file=$map"); done < <(
    find .build/checkouts/*/Sources Sources -name module.modulemap -not -path '*Tests*'
    find "$built/" -maxdepth 3 -name '*.modulemap' -not -path '*Tests*' -not -path '*tool*')
mapfile -t sources < <(find Examples/ChatApp/SwiftUI -name '*.swift' | sort)
swiftc "${flags[@]}" -typecheck -module-name ChatApp -I "$work" -I "$built/Modules" "${maps[@]}" "${sources[@]}"
echo "SwiftUI: ${#sources[@]} file of Examples/ChatApp checked"
swiftc "${flags[@]}" -typecheck -module-name Snippets -I "$work" -I "$built/Modules" "${maps[@]}" Tests/IntegrationTests/Snippets/UISnippets.swift
echo "SwiftUI: the code in the documentation of LifelineUI checked"
