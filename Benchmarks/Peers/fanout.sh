#!/usr/bin/env bash
# Fan-out: one publisher, SUBSCRIBERS subscribers. Three lines for each server: 20 messages a second (latency), one and eight on their way.
# All servers are pinned to one processor, and have one thread each.
# Usage: OURS='lifeline serve --port 6001 --threads 1' ./quiet.sh ./fanout.sh [SUBSCRIBERS] [SECONDS] [nchan|mosquitto|nats|ours]...
set -uo pipefail
cd "$(dirname "$0")"
subscribers=${1:-1000}
seconds=${2:-4}
shift $(($# < 2 ? $# : 2))
[ $# -gt 0 ] || set -- nchan mosquitto nats ${OURS:+ours}
out=results/fanout-$subscribers-$(date +%H%M%S).jsonl

load() {
    local name=$1 pid=$2
    shift 2
    taskset -c 1 bin/wsload --subs "$subscribers" --secs "$seconds" --pid "$pid" "$@" | sed "s/^{/{\"server\":\"$name\",/" | tee -a "$out"
}
measure() {
    load "$@" --rate 20
    load "$@" --window 1
    load "$@" --window 8 --pubs 8
}
. ./servers.sh
each "$@"
echo "-> $out"
