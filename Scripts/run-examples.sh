#!/usr/bin/env bash
# Builds the programs in Examples/ and runs each against a server of its own, one outage included. Ends with 0 when all said what they should.
# usage: Scripts/run-examples.sh [directory with built programs]
set -euo pipefail
cd "$(dirname "$0")/.."
bin=${1:-}
if [ -z "$bin" ]; then
    for product in lifeline example-chatroom example-presence example-prices example-chatapp; do
        swift build -debug-info-format none --product "$product" >&2
    done
    bin=$(swift build -debug-info-format none --show-bin-path)
fi
work=$(mktemp -d)
server=
cleanup() {
    [ -z "$server" ] || kill -9 "$server" 2>/dev/null || true
    rm -rf "$work"
}
trap cleanup EXIT

# serve PORT: starts a server; its port is in $port then.
serve() {
    : >"$work/ready"
    "$bin/lifeline" serve --port "$1" >"$work/ready" 2>"$work/server.log" &
    server=$!
    # Its end is our doing and no news.
    disown "$server"
    for _ in $(seq 600); do
        port=$(sed -n 's|^lifeline: ready http://127.0.0.1:\([0-9]*\)$|\1|p' "$work/ready")
        [ -z "$port" ] || return 0
        sleep 0.1
    done
    echo "the server did not start" >&2
    cat "$work/server.log" >&2
    exit 1
}

# free_port: prints one outside the range that the system gives to outgoing connections. A client that knocks while the server is
# away could otherwise be given the server's own port for its end, and keep it.
free_port() {
    local candidate
    for _ in $(seq 100); do
        candidate=$((15000 + RANDOM % 15000))
        (exec 3<>"/dev/tcp/127.0.0.1/$candidate") 2>/dev/null || { echo "$candidate"; return 0; }
    done
    echo "no free port between 15000 and 30000" >&2
    return 1
}

# run NAME PROGRAM ARGUMENT...: its output is in $work/NAME.
run() {
    local name=$1
    shift
    echo "examples: $name"
    if ! timeout 60 "$bin/$1" "${@:2}" --port "$port" >"$work/$name" 2>&1; then
        echo "examples: $name failed:" >&2
        cat "$work/$name" >&2
        exit 1
    fi
}

# says NAME TEXT: the output has that text.
says() {
    grep -qF -- "$2" "$work/$1" && return 0
    echo "examples: $1 did not say '$2':" >&2
    cat "$work/$1" >&2
    exit 1
}

# appears NAME TEXT: waits until the output has that text.
appears() {
    for _ in $(seq 600); do
        if grep -qF -- "$2" "$work/$1"; then return 0; fi
        sleep 0.1
    done
    says "$1" "$2"
}

serve "$(free_port)"
for service in pusher pubnub nexconn; do
    run "chatroom-$service" example-chatroom ann --service "$service" --once
    says "chatroom-$service" "ann: hello from ann"
done
says chatroom-pusher "no history"
run chatroom-again example-chatroom ben --service pubnub --once
says chatroom-again "(earlier) ann: hello from ann"

run presence example-presence ann --once
says presence "visitor: join Online: ann, visitor"
says presence "visitor: leave Online: ann"

for service in pusher pubnub nexconn; do
    run "chatapp-$service" example-chatapp ann --service "$service" --once
    says "chatapp-$service" "-- Connecting"
    says "chatapp-$service" "ann: hello from ann"
done
says chatapp-pusher "-- here: ann"
run chatapp-again example-chatapp ben --service pubnub --once
says chatapp-again "ann: hello from ann"

run prices example-prices --prices 5
says prices "board: ACME"

echo "examples: prices with an outage"
# By lines: a file gets them in blocks otherwise.
timeout 60 stdbuf -oL "$bin/example-prices" --prices 30 --port "$port" >"$work/outage" 2>&1 &
prices=$!
appears outage ACME
kill -9 "$server"
while kill -0 "$server" 2>/dev/null; do sleep 0.1; done
appears outage "board: waiting"
# A server that is back between two prices leaves the feed nothing to tell.
appears outage "feed: "
serve "$port"
wait "$prices" || { cat "$work/outage" >&2; exit 1; }
says outage "board: GAP (connectionLost)"
says outage "board: STALE until the next price"
echo "examples: all passed"
