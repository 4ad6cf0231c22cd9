#!/usr/bin/env bash
# Receive rate of clients: COUNT events of SIZE bytes, sent at once by bin/feeder (plain C, six million messages a second), ROUNDS times each.
# Client and feeder are pinned to a processor each. A client is any command that subscribes to the channel and prints one line of JSON:
# {"client", "n", "secs", "msgs_per_s", "cpu_us_per_msg"}.
# Usage: OURS='our_client 9003 feed-200000-150' ./quiet.sh ./recv.sh [COUNT] [SIZE] [ROUNDS] [CLIENT]...
set -uo pipefail
cd "$(dirname "$0")"
count=${1:-200000}
size=${2:-150}
rounds=${3:-5}
shift $(($# < 3 ? $# : 3))
[ $# -gt 0 ] || set -- raw_c_scan libwebsockets picows websockets asyncpusher pysher ${OURS:+ours}
port=${PORT:-9003}
channel=feed-$count-$size
python=venv/bin/python
out=results/recv-$count-$size-$(date +%H%M%S).jsonl

declare -A commands=(
    [raw_c_count]="bin/raw_recv $port $channel count"
    [raw_c_scan]="bin/raw_recv $port $channel scan"
    [libwebsockets]="bin/lws_recv $port $channel"
    [picows]="$python clients/raw_recv.py $port $channel picows"
    [picows-count]="$python clients/raw_recv.py $port $channel picows-count"
    [websockets]="$python clients/raw_recv.py $port $channel websockets"
    # A tenth is enough for it to be measured.
    [pysher]="$python clients/pysher_recv.py $port feed-$((count / 10))-$size"
    [asyncpusher]="$python clients/asyncpusher_recv.py $port $channel"
    [ours]="${OURS:-}"
)

taskset -c 0 bin/feeder "$port" 2>/dev/null &
feeder=$!
sleep 0.4
for _ in $(seq "$rounds"); do
    for client in "$@"; do
        read -r -a command <<<"${commands[$client]:?unknown client $client}"
        timeout 90 taskset -c 1 "${command[@]}" 2>&1 | tail -1 >>"$out"
    done
done
kill $feeder
"$python" table.py "$out"
