#!/usr/bin/env bash
# Builds the benchmarks and the server for release and runs everything that can be run here.
# Usage: Benchmarks/run.sh [engine] [receive] [latency] [reconnect] [fanout] [idle] [store]      (default: all)
# Peers and load programs are those of LIFELINE_TOOLS/bench (default ../shared/tools/bench); set up in a copy, see README.md.
set -euo pipefail
cd "$(dirname "$0")"
root=$(cd .. && pwd)
tools=${LIFELINE_TOOLS:-$root/../shared/tools}/bench
copy=$PWD/.build-peers
what=${*:-engine receive latency reconnect fanout idle store}

echo "building for release"
swift build -c release >/dev/null
bin=$(swift build -c release --show-bin-path)
swift build -c release --product lifeline >/dev/null
lifeline=$bin/lifeline

if [ ! -d "$tools" ]; then
    echo "No peers in $tools: only the engine benchmark runs. Set LIFELINE_TOOLS to the folder with the load programs." >&2
    exec "$bin/EngineBenchmark"
fi
if [ ! -x "$copy/bin/wsload" ]; then
    echo "setting up peers in $copy"
    mkdir -p "$copy" && cp -r "$tools/." "$copy" && (cd "$copy" && bash setup.sh)
fi
cd "$copy"

for part in $what; do
    echo "== $part"
    case $part in
    engine) "$bin/EngineBenchmark" ;;
    store) "$bin/StoreBenchmark" ;;
    receive) OURS="$bin/PusherReceive 9003 feed-200000-150" ./quiet.sh ./recv.sh 200000 150 5 raw_c_scan libwebsockets picows asyncpusher pysher ours ;;
    latency)
        taskset -c 0 bin/feeder 9003 2>/dev/null & feeder=$!
        sleep 0.4
        for run in 1 2 3; do taskset -c 1 "$bin/PusherReceive" 9003 pace-1000-150-5; done
        kill $feeder ;;
    reconnect) for mode in connect drop restart; do python3 reconnect.py $mode raw_c pysher asyncpusher "ours=$bin/PusherReceive {port} {ch}"; done ;;
    fanout) OURS="$lifeline serve --port 6001 --log-level error" ./quiet.sh ./fanout.sh 1000 4 nchan mosquitto nats ours ;;
    idle) OURS="$lifeline serve --port 6001 --log-level error" ./quiet.sh ./idle.sh 10000 nchan mosquitto nats ours ;;
    *) echo "unknown part $part" >&2; exit 2 ;;
    esac
done
