#!/usr/bin/env bash
# Builds packages that use one client module each, from nothing, as a user would write them.
#
# Usage: Scripts/consumer.sh [--release] [--traits LIST] [MODULE]…
#
# MODULE is PusherSwift, PubNub, NexconnChat, Lifeline, LifelineOutbox, LifelineUI or LifelineBackend.
#
# Without options: resolves and builds a package with PusherSwift (debug), fails when that needs more than 10 packages, and checks
# that NexconnChat and LifelineServer without their traits fail with a sentence that says what to write, and that a package that says
# nothing about traits, and takes this one from its repository, resolves what the clients need and no more.
#   --release      builds the modules named (all without a name) for production, too, and prints the size of the stripped program.
#   --traits LIST  the traits of lifeline for all modules, as in --traits ChatDatabase,Server; `default` for all that a checkout has.
#   --checkout DIR the package to use; the one that this script is in without the option.
#   --help         prints this.
#
# For each module a line: packages resolved, MiB of checkouts, processor seconds of the debug build, bytes of the stripped program.
set -euo pipefail
limit=10
release= traits= modules=()
checkout=$(cd "$(dirname "$0")/.." && pwd)
while [ $# -gt 0 ]; do
    case $1 in
        --release) release=1 ;;
        --traits) traits=${2:?--traits needs a list, such as ChatDatabase,Server}; shift ;;
        --checkout) checkout=$(cd "${2:?--checkout needs a folder}" && pwd); shift ;;
        --help) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0"; exit 0 ;;
        PusherSwift | PubNub | NexconnChat | Lifeline | LifelineOutbox | LifelineUI | LifelineBackend) modules+=("$1") ;;
        *) echo "consumer.sh: \"$1\" is no option and no module; --help lists them." >&2; exit 2 ;;
    esac
    shift
done
if [ ${#modules[@]} -eq 0 ]; then
    if [ -n "$release" ]; then modules=(PusherSwift PubNub NexconnChat Lifeline LifelineOutbox LifelineUI LifelineBackend); else modules=(PusherSwift); fi
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# A user's machine is no CI of ours: warnings are warnings.
unset CI LIFELINE_TEST_TARGETS

# The program of a module: ten lines that use it as the README does.
program() {
    case $1 in
        PusherSwift)
            cat <<'SWIFT'
import Dispatch
import PusherSwift

let options = PusherClientOptions(
    authMethod: .endpoint(authEndpoint: "http://localhost:9292/pusher/auth"), host: .host("127.0.0.1"), port: 6001, useTLS: false)
let pusher = Pusher(key: "app-key", options: options)
let channel = pusher.subscribe("my-channel")
channel.bind(eventName: "new-price") { (event: PusherEvent) in print(event.data ?? "") }
pusher.connect()
dispatchMain()
SWIFT
            ;;
        PubNub)
            cat <<'SWIFT'
import Dispatch
import PubNub

let configuration = PNConfiguration(publishKey: "demo", subscribeKey: "demo")
configuration.origin = "127.0.0.1:6001"
configuration.TLSEnabled = false
let client = PubNub.clientWithConfiguration(configuration)
client.subscribeToChannels(["room"], withPresence: true)
client.publish(["hello": "world"], toChannel: "room") { status in print(status.isError) }
dispatchMain()
SWIFT
            ;;
        NexconnChat)
            cat <<'SWIFT'
import Dispatch
import NexconnChatSDK

let params = InitParams(appKey: "app-key")
params.naviServer = "http://127.0.0.1:6001"
NCEngine.initialize(params)
NCEngine.connect(params: ConnectParams(token: "token"), databaseOpenedHandler: nil) { userId, error in
    print(userId ?? "", error?.localizedDescription ?? "")
}
dispatchMain()
SWIFT
            ;;
        Lifeline)
            cat <<'SWIFT'
import Lifeline

let client = LifelineClient(.pusher(key: "app-key", host: .init("127.0.0.1", port: 6001, tls: false)))
Task { for await status in client.statuses { print(status) } }
try await client.connect()
let room = try await client.channel("room-42").subscribe()
for await message in room.messages { print(message.event) }
SWIFT
            ;;
        LifelineOutbox)
            cat <<'SWIFT'
import Lifeline
import LifelineOutbox

let client = LifelineClient(.pubnub(publishKey: "demo", subscribeKey: "demo", userID: "ann", host: .init("127.0.0.1", port: 6001, tls: false)))
let outbox = try await client.outbox(storage: .disk())
let receipt = try outbox.publish("hello", to: "room")
try await client.connect()
print(try await receipt.outcome())
SWIFT
            ;;
        LifelineUI)
            cat <<'SWIFT'
import LifelineUI

let client = LifelineClient(.pusher(key: "app-key", host: .init("127.0.0.1", port: 6001, tls: false)))
if #available(macOS 14, *) {
    let banner = ConnectionBanner(client)
    let model = ChannelModel(client.channel("prices"), of: [String: Int].self)
    try await client.connect()
    await model.run()
    print(banner.text ?? "", model.values)
}
SWIFT
            ;;
        LifelineBackend)
            cat <<'SWIFT'
import LifelineBackend

let backend = try PusherBackend(
    appID: "1001", keys: [PusherKey("app-key", secret: "app-secret")],
    address: BackendAddress("127.0.0.1", port: 6001, tls: false))
try await backend.trigger("new-price", on: ["prices"], data: ["ACME": 3])
SWIFT
            ;;
        LifelineServer)
            cat <<'SWIFT'
import LifelineServer

let server = try await LifelineServer.start(.init(port: 0))
print(server.url)
SWIFT
            ;;
    esac
}

# consumer MODULE TRAITS: writes a package; its folder is in $folder then.
consumer() {
    local module=$1 traits=$2 argument=
    folder=$work/$module-${traits:-none}
    case $traits in
        default) ;;
        '') argument=', traits: []' ;;
        *) argument=", traits: [\"${traits//,/\", \"}\"]" ;;
    esac
    mkdir -p "$folder/Sources/consumer"
    program "$module" >"$folder/Sources/consumer/main.swift"
    cat >"$folder/Package.swift" <<SWIFT
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "consumer", platforms: [.macOS(.v14)],
    dependencies: [.package(name: "lifeline", path: "$checkout"$argument)],
    targets: [.executableTarget(name: "consumer", dependencies: [.product(name: "$module", package: "lifeline")])])
SWIFT
}

# in_folder COMMAND…: prints what it says only when it fails.
in_folder() { (cd "$folder" && "$@" >"$folder/log" 2>&1) || { tail -n 40 "$folder/log" >&2; return 1; }; }

# processor COMMAND…: runs it as in_folder; its processor seconds, those of its children included, are in $seconds then.
processor() {
    local before after
    before=$(awk '{ print $16 + $17 }' "/proc/$$/stat" 2>/dev/null || echo 0)
    in_folder "$@"
    after=$(awk '{ print $16 + $17 }' "/proc/$$/stat" 2>/dev/null || echo 0)
    seconds=$(((after - before) / $(getconf CLK_TCK)))
}

measure() {
    local module=$1 wanted=$2 packages size=- seconds
    consumer "$module" "$wanted"
    in_folder swift package resolve
    packages=$(find "$folder/.build/checkouts" -mindepth 1 -maxdepth 1 -type d | wc -l)
    mebibytes=$(du -sm "$folder/.build/checkouts" | cut -f1)
    if [ "$module" = PusherSwift ] && [ -z "$wanted" ] && [ "$packages" -gt "$limit" ]; then
        echo "Failed: PusherSwift needs $packages packages; the limit is $limit:" >&2
        ls "$folder/.build/checkouts" >&2
        exit 1
    fi
    processor swift build
    if [ -n "$release" ]; then
        in_folder swift build -c release
        strip -o "$folder/stripped" "$folder/.build/release/consumer"
        size=$(stat -c %s "$folder/stripped")
    fi
    echo "$module: $packages packages, $mebibytes MiB of checkouts, $seconds processor seconds, $size bytes stripped"
}

# refusal MODULE TRAIT: without its trait, an error that says what to write, and no other.
refusal() {
    local module=$1 trait=$2
    consumer "$module" ''
    if (cd "$folder" && swift build --target consumer) >"$folder/log" 2>&1; then
        echo "Failed: $module was built without the trait $trait." >&2
        exit 1
    fi
    if ! grep -q "$module needs the package trait $trait" "$folder/log"; then
        echo "Failed: $module without the trait $trait does not say what is missing:" >&2
        tail -n 20 "$folder/log" >&2
        exit 1
    fi
    echo "$module without its trait: $(grep -m1 -o "$module needs the package trait.*" "$folder/log")"
}

# defaults: the committed state, taken from the repository by a package that names no traits. Resolving again with the versions written
# down must change nothing: tools fail that find other packages than those.
defaults() {
    local revision names
    if ! revision=$(git -C "$checkout" rev-parse HEAD 2>/dev/null); then
        echo "The default traits of a dependency were not checked: $checkout is no repository."
        return
    fi
    consumer NexconnChat default
    sed -i.bak "s#name: \"lifeline\", path: \"$checkout\"#url: \"file://$checkout\", revision: \"$revision\"#
        s#package: \"lifeline\"#package: \"$(basename "$checkout")\"#" "$folder/Package.swift"
    in_folder swift package resolve
    names=$(ls "$folder/.build/checkouts")
    if grep -qE 'argument-parser|async-http-client|certificates|service-lifecycle' <<<"$names"; then
        echo "Failed: without a word about traits a dependency brings more than the clients need:" >&2
        echo "$names" >&2
        exit 1
    fi
    rm -rf "$folder/.build"
    in_folder swift package resolve --force-resolved-versions
    echo "Without a word about traits: $(($(wc -l <<<"$names") - 1)) packages beside lifeline"
}

for module in "${modules[@]}"; do
    wanted=$traits
    if [ -z "$wanted" ] && { [ "$module" = NexconnChat ] || [ "$module" = LifelineOutbox ]; }; then wanted=ChatDatabase; fi
    measure "$module" "$wanted"
done
if [ -z "$release" ]; then
    refusal NexconnChat ChatDatabase
    refusal LifelineOutbox ChatDatabase
    refusal LifelineServer Server
    defaults
fi
