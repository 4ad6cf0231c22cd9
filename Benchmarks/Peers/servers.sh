# Functions that fanout.sh and idle.sh share: start the servers one after the other, and measure each.
# Before it is sourced, `measure NAME PID OPTION...` has to be what is to be done with a server.

ulimit -n 20000

# up PORT: waits until something listens there.
up() {
    for _ in $(seq 100); do
        (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null && return 0
        sleep 0.1
    done
    echo "nothing on port $1" >&2
    return 1
}

# each SERVER...: starts each on processor 0 and measures it. OURS is our server's command, OURS_PORT, KEY, SECRET and APPID are its.
each() {
    local name server
    for name in "$@"; do
        case $name in
            nchan)
                taskset -c 0 nginx -c "$PWD/conf/nginx-nchan.conf" -p "$PWD/run" &
                server=$!
                up 9010 && measure nchan-ws "$(pgrep -P $server | head -1)" --port 9010 --proto raw --path '/sub?id=b' --pubpath '/pub?id=b'
                ;;
            mosquitto)
                taskset -c 0 mosquitto -c conf/mosquitto.conf 2>/dev/null &
                server=$!
                up 9020 && measure mosquitto-ws $server --port 9020 --proto mqtt --path /mqtt --pub ws
                ;;
            nats)
                GOMAXPROCS=1 taskset -c 0 nats-server -c conf/nats.conf 2>/dev/null &
                server=$!
                up 9030 && measure nats-ws $server --port 9030 --proto nats --pub ws
                ;;
            ours)
                read -r -a command <<<"$OURS"
                taskset -c 0 "${command[@]}" >/dev/null 2>&1 &
                server=$!
                up "${OURS_PORT:-6001}" && measure ours $server --port "${OURS_PORT:-6001}" --proto pusher --key "${KEY:-app-key}" \
                    --secret "${SECRET:-app-secret}" --appid "${APPID:-1001}"
                ;;
            *)
                echo "unknown server $name" >&2
                return 2
                ;;
        esac
        kill "$server"
        wait "$server" 2>/dev/null || true
        sleep 0.5
    done
}
