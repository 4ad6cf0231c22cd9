#!/usr/bin/env bash
# Two network namespaces joined by a veth pair, and faults of the packets between them. Needs root, ip and nft; nothing outside is touched.
#   rl-srv 198.18.0.1 fd00:18::1   <-- veth -->   rl-cli 198.18.0.2 fd00:18::2      (198.18/15 is for benchmarks, RFC 2544)
# Usage: netns.sh up | down | status      `down` ends what still runs in the namespaces
#        netns.sh loss PERCENT | rate KBIT | clear
#        netns.sh blackhole | blackhole1 | unblackhole      drops packets without a word, both ways or from the server only
#        netns.sh rst | unrst                               resets every TCP connection of the server
#        netns.sh linkdown | linkup
#        netns.sh netem ARGUMENTS...      of tc, on kernels with sch_netem; elsewhere use tunem.py
# RL_SRV and RL_CLI give the namespaces other names.
set -euo pipefail
server=${RL_SRV:-rl-srv}
client=${RL_CLI:-rl-cli}

in_server() { ip netns exec "$server" "$@"; }
in_client() { ip netns exec "$client" "$@"; }
rules() { in_server nft -f -; }
forget() { in_server nft delete table inet "$1"; }

case "${1:-}" in
    up)
        ip netns add "$server"
        ip netns add "$client"
        ip link add rls0 netns "$server" type veth peer name rlc0 netns "$client"
        in_server ip addr add 198.18.0.1/24 dev rls0
        in_client ip addr add 198.18.0.2/24 dev rlc0
        in_server ip -6 addr add fd00:18::1/64 dev rls0 nodad
        in_client ip -6 addr add fd00:18::2/64 dev rlc0 nodad
        for name in "$server" "$client"; do ip netns exec "$name" ip link set lo up; done
        in_server ip link set rls0 up
        in_client ip link set rlc0 up
        ;;
    down)
        for name in "$server" "$client"; do
            ip netns pids "$name" 2>/dev/null | xargs -r kill
            ip netns del "$name" 2>/dev/null || true
        done
        ;;
    netem)
        shift
        in_server tc qdisc replace dev rls0 root netem "$@" || {
            echo "netns.sh: this kernel has no sch_netem; use tunem.py" >&2
            exit 3
        }
        in_client tc qdisc replace dev rlc0 root netem "$@"
        ;;
    loss)
        thousandths=$(awk "BEGIN { print int(${2:?percent} * 10) }")
        in_server nft add table inet rll
        for hook in input output; do
            in_server nft "add chain inet rll $hook { type filter hook $hook priority 0; }"
            in_server nft "add rule inet rll $hook numgen random mod 1000 < $thousandths drop"
        done
        ;;
    rate)
        in_server tc qdisc replace dev rls0 root tbf rate "${2:?kbit}kbit" burst 8k latency 500ms
        in_client tc qdisc replace dev rlc0 root tbf rate "${2}kbit" burst 8k latency 500ms
        ;;
    clear)
        forget rll 2>/dev/null || true
        in_server tc qdisc del dev rls0 root 2>/dev/null || true
        in_client tc qdisc del dev rlc0 root 2>/dev/null || true
        ;;
    blackhole)
        rules <<'END'
table inet rl {
    chain i { type filter hook input priority 0; policy drop; }
    chain o { type filter hook output priority 0; policy drop; }
}
END
        ;;
    blackhole1)
        rules <<'END'
table inet rl { chain o { type filter hook output priority 0; policy drop; }
}
END
        ;;
    unblackhole) forget rl ;;
    rst)
        rules <<'END'
table inet rlr {
    chain i { type filter hook input priority 0; meta l4proto tcp reject with tcp reset; }
}
END
        ;;
    unrst) forget rlr ;;
    linkdown) in_client ip link set rlc0 down ;;
    linkup)
        in_client ip link set rlc0 up
        # The address went with the link.
        in_client ip -6 addr add fd00:18::2/64 dev rlc0 nodad 2>/dev/null || true
        ;;
    status)
        ip netns list
        in_server tc -s qdisc show dev rls0
        in_server nft list ruleset
        ;;
    *)
        sed -n '2,10s/^# \{0,1\}//p' "$0"
        exit 2
        ;;
esac
