#!/usr/bin/env bash
# Builds the benchmarks and the server for release and runs everything that can be run here.
# Usage: Benchmarks/run.sh [engine] [receive] [latency] [reconnect] [fanout] [idle] [pubnub] [pubnub-latency] [polls] [held] [store] [stores] [chat] [chat-store] [chat-database] [double] [cluster]
# (default: all)
# What is compared with comes from Debian and PyPI, and load programs are built from Peers: in a copy, .build-peers. See README.md.
set -euo pipefail
cd "$(dirname "$0")"
root=$(cd .. && pwd)
copy=$PWD/.build-peers
what=${*:-engine receive latency reconnect fanout idle pubnub pubnub-latency polls held store stores chat chat-store chat-database double cluster}

echo "building for release"
swift build -c release >/dev/null
bin=$(swift build -c release --show-bin-path)
swift build -c release --product lifeline >/dev/null
lifeline=$bin/lifeline

# up PORT: waits until something listens there.
up() { for _ in $(seq 50); do (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null && return 0; sleep 0.1; done; echo "nothing on port $1" >&2; return 1; }
# load NAME SERVER_PID ARGUMENTS…: the load program against one server, on the other core.
load() { local name=$1 pid=$2; shift 2; taskset -c 1 bin/wsload --pid "$pid" "$@" | sed "s/^{/{\"server\":\"$name\",/"; }
# beside SERVER…: runs `measure NAME PID OPTIONS…` against nchan's and our long-poll, one after the other.
beside() {
    taskset -c 0 nginx -c "$PWD/conf/nginx-nchan.conf" -p "$PWD/run" & local server=$!
    up 9010; "$@" nchan-longpoll "$(pgrep -P $server | head -1)" --port 9010 --proto nchanlp --path '/lp?id=b' --pubpath '/pub?id=b'
    kill $server; wait $server 2>/dev/null || true
    taskset -c 0 "$lifeline" serve --port 6001 --threads 1 --log-level error >/dev/null & server=$!
    up 6001; "$@" ours $server --port 6001 --proto pubnub
    kill $server; wait $server 2>/dev/null || true
}
# peers: sets them up, again when something of them has changed.
peers() {
    if [ -f "$copy/.ready" ] && [ -z "$(find Peers -newer "$copy/.ready" -print -quit)" ]; then return 0; fi
    echo "setting up peers in $copy"
    cp -r Peers/. "$copy"
    "$copy/setup.sh"
    touch "$copy/.ready"
}
fan() { load "$1" "$2" --subs 1000 --secs 4 --window 1 "${@:3}"; load "$1" "$2" --subs 1000 --secs 4 --window 8 --pubs 8 "${@:3}"; }
hold() { load "$1" "$2" --subs 10000 --idle 3 --conc 200 "${@:3}"; }

mkdir -p "$copy/run"
for part in $what; do
    case $part in
    engine | store | stores | chat | chat-store | chat-database | double) ;;
    *) peers ;;
    esac
    [ "$part" != cluster ] || "$root/Scripts/setup.sh" redis
done
cd "$copy"

for part in $what; do
    echo "== $part"
    case $part in
    engine) "$bin/EngineBenchmark" ;;
    double) "$bin/TestServiceBenchmark" ;;
    cluster) "$([ -x "$root/.venv/bin/python" ] && echo "$root/.venv/bin/python" || echo python3)" "$root/Benchmarks/cluster.py" "$lifeline" bin/wsload ;;
    receive) OURS="$bin/PusherReceive 9003 feed-200000-150" ./quiet.sh ./recv.sh 200000 150 5 raw_c_scan libwebsockets picows asyncpusher pysher ours ;;
    latency)
        taskset -c 0 bin/feeder 9003 2>/dev/null & feeder=$!
        sleep 0.4
        for run in 1 2 3; do taskset -c 1 "$bin/PusherReceive" 9003 pace-1000-150-5; done
        kill $feeder ;;
    reconnect) for mode in connect drop restart; do python3 reconnect.py $mode raw_c pysher asyncpusher "ours=$bin/PusherReceive {port} {ch}"; done ;;
    fanout) OURS="$lifeline serve --port 6001 --threads 1 --log-level error" ./quiet.sh ./fanout.sh 1000 4 nchan mosquitto nats ours ;;
    idle) OURS="$lifeline serve --port 6001 --threads 1 --log-level error" ./quiet.sh ./idle.sh 10000 nchan mosquitto nats ours ;;
    pubnub)
        taskset -c 0 "$bin/PollFeeder" 9004 & feeder=$!
        up 9004
        for batch in 100 10 1; do
            total=$((batch == 1 ? 20000 : batch * 4000))
            taskset -c 1 venv/bin/python clients/pubnub_recv.py 9004 "feed-$((total / 10))-$batch" native
            taskset -c 1 "$bin/PubNubReceive" 9004 "feed-$total-$batch"
        done
        taskset -c 1 "$bin/LongPollRate" 9004 feed-20000-1
        kill $feeder ;;
    pubnub-latency)
        taskset -c 0 "$bin/PollFeeder" 9004 & feeder=$!
        up 9004
        for run in 1 2 3; do taskset -c 1 "$bin/PubNubReceive" 9004 pace-1000-1-5; done
        kill $feeder ;;
    polls) beside fan ;;
    held) beside hold ;;
    store) "$bin/StoreBenchmark" ;;
    stores) python3 "$root/Benchmarks/stores.py" "$lifeline" ;;
    chat-store) "$bin/StoreBenchmark" chat ;;
    chat)
        # The server on one core, the load on the other: users of the latency and idle parts are the same 10,000.
        for data in "" "$PWD/run/chat-data"; do
            rm -rf "$PWD/run/chat-data" "$PWD/run/chat-tokens"
            taskset -c 0 "$bin/ChatBenchmark" serve 6011 "$PWD/run/chat-tokens" 10000 $data & server=$!
            # The tokens are written once the server is up.
            up 6011
            for _ in $(seq 100); do [ -s "$PWD/run/chat-tokens" ] && break; sleep 0.1; done
            taskset -c 1 "$bin/ChatBenchmark" latency 6011 "$PWD/run/chat-tokens" 5000
            taskset -c 1 "$bin/ChatBenchmark" acked 6011 "$PWD/run/chat-tokens" 8 16 64
            [ -n "$data" ] || taskset -c 1 "$bin/ChatBenchmark" idle 6011 "$PWD/run/chat-tokens" $server 10000
            kill $server; wait $server 2>/dev/null || true
        done
        rm -rf "$PWD/run/chat-data" "$PWD/run/chat-tokens" ;;
    chat-database) "$bin/ChatDatabaseBenchmark" ;;
    *) echo "unknown part $part" >&2; exit 2 ;;
    esac
done
