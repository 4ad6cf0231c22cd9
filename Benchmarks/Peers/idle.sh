#!/usr/bin/env bash
# Memory for each idle connection (resident memory of the process; not what the kernel takes).
# Usage: OURS='lifeline serve --port 6001 --threads 1' ./quiet.sh ./idle.sh [CONNECTIONS] [nchan|mosquitto|nats|ours]...
set -uo pipefail
cd "$(dirname "$0")"
connections=${1:-10000}
shift $(($# < 1 ? $# : 1))
[ $# -gt 0 ] || set -- nchan mosquitto nats ${OURS:+ours}

measure() {
    local name=$1 pid=$2
    shift 2
    # A server that has just begun still takes memory of its own.
    sleep 1
    timeout 130 taskset -c 1 bin/wsload --subs "$connections" --idle 3 --conc 200 --pid "$pid" "$@" | sed "s/^{/{\"server\":\"$name\",/"
}
. ./servers.sh
each "$@"
