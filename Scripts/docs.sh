#!/usr/bin/env bash
# Builds one static site with the documentation of all products from the modules that have been built, and checks it: every public
# declaration is documented, every link leads somewhere, and the code of the tutorials compiles.
# Needs a debug build (swift build) and Python 3. Usage: Scripts/docs.sh [directory of the build]
# DOCS_BASE_PATH is the path of the site on its host; empty for the root.
set -euo pipefail
cd "$(dirname "$0")/.."
built=$(cd "${1:-$(swift build --show-bin-path)}" && pwd)
site=$PWD/build/docs
work=$PWD/build/docs-work
# In this order, because links to another module need its archive.
modules=(Identifiers ServerStorage HubStorage StoreConformance LifelineServer LifelineTesting PusherSwift PubNub NexconnChatSDK Lifeline LifelineOutbox LifelineUI LifelineBackend)
# Types of these modules are part of a product's interface, as its Exports.swift says.
exported() {
    case $1 in
        Lifeline) echo ConnectionEngine,TransportCommon ;;
        LifelineBackend) echo TransportCommon ;;
        LifelineServer) echo ServerRuntime ;;
        ServerStorage) echo ServerValues ;;
    esac
}

for name in "${modules[@]}"; do
    [ -f "$built/Modules/$name.swiftmodule" ] || { echo "docs: $name has not been built; run swift build first." >&2; exit 2; }
done
rm -rf "$site" "$work"
mkdir -p "$work/archives"

flags=(-I "$built/Modules" -target "$(swiftc -print-target-info | sed -n 's/^ *"triple": "\(.*\)",/\1/p')" -module-cache-path "$work/cache")
while IFS= read -r map; do flags+=(-Xcc "-fmodule-map-file=$map"); done < <(Scripts/module-maps.sh "$built")

# The symbols of a module as its users see them, from the built module: nothing is compiled for it.
symbols() {
    mkdir -p "$work/symbols/$1"
    swift symbolgraph-extract -module-name "$1" -minimum-access-level public -skip-synthesized-members \
        -experimental-allowed-reexported-modules="$(exported "$1")" -output-dir "$work/symbols/$1" "${flags[@]}"
    cp "$work/symbols/$1"/*.json "$work/symbols/"
}
for name in "${modules[@]}"; do symbols "$name"; done
python3 Scripts/docs/coverage.py "$work/symbols" "${modules[@]}"

Scripts/docs/tutorials.sh "${flags[@]}"

dependencies=()
for name in "${modules[@]}"; do
    docc convert "Sources/$name/$name.docc" --additional-symbol-graph-dir "$work/symbols/$name" \
        --output-path "$work/archives/$name.doccarchive" --fallback-display-name "$name" --fallback-bundle-identifier "$name" \
        --fallback-default-module-kind Module \
        --warnings-as-errors --enable-experimental-external-link-support ${dependencies[@]+"${dependencies[@]}"} \
        ${DOCS_BASE_PATH:+--hosting-base-path "$DOCS_BASE_PATH"}
    dependencies+=(--dependency "$work/archives/$name.doccarchive")
done
docc merge "$work/archives"/*.doccarchive --output-path "$site" \
    --synthesized-landing-page-name Lifeline --synthesized-landing-page-kind Package --synthesized-landing-page-topics-style list
# The root of the site leads to the list of modules.
printf '<!doctype html><title>Lifeline</title><meta http-equiv="refresh" content="0; url=documentation/">\n' >"$site/index.html"
python3 Scripts/proofs.py --html "$site/proofs.html"
python3 Scripts/docs/links.py "$site" "${DOCS_BASE_PATH:-}"
echo "docs: $site"
