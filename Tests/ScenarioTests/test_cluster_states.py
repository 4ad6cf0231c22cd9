"""Servers that join a cluster whose keysets have much state: they read it beside the log, so the log, Redis's buffers and the clients of the
other servers do not suffer from it."""

import json
import socket
import struct
import time

import pytest
from cluster_harness import Redis, redis_program
from lifeline_harness import Server, wait_until
from pubnub_harness import ask, cursor, poll, publish

pytestmark = pytest.mark.skipif(redis_program() is None, reason="no redis-server found: run Scripts/setup.sh test")
KEYSETS = ["demo", "k2", "k3"]
PREFIX = "{lifeline:lifeline}:"


def text(words):
    return struct.pack(">I", len(words)) + words


def fill(redis):
    """Writes recent messages of 33 MB and a channel group for each keyset, in the form in which the servers write them."""
    now = time.time_ns() // 100 - 10_000_000
    with socket.create_connection(("127.0.0.1", redis.port), timeout=20) as link:
        answers = link.makefile("rb")

        def send(*words):
            link.sendall(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words))
            line = answers.readline()
            if line.startswith(b"$"):
                answers.readline()
            assert not line.startswith(b"-"), line

        send(b"SET", f"{PREFIX}pubnub:began".encode(), b"1")
        payload = text(b'"' + b"x" * 30_000 + b'"')
        for keyset in KEYSETS:
            send(b"SADD", f"{PREFIX}pubnub:keysets".encode(), keyset.encode())
            send(b"HSET", f"{PREFIX}pubnub:groups:{keyset}".encode(), b"g", struct.pack(">I", 1) + text(b"grouped"))
            for number in range(1_100):
                body = struct.pack(">Q", now + number) + text(b"c%d" % (number % 11)) + b"\0" + payload + b"\0" + bytes(8) + bytes(5)
                send(b"XADD", f"{PREFIX}pubnub:q:{keyset}".encode(), b"%d-0" % (now + number), b"m", body)
    return now


def catch_up(server, token):
    """How many messages of one channel a reader gets who was there before the last hundred of all channels."""
    answer = poll(server.port, str(token), "c5").json
    assert not answer["t"].get("d"), "a gap was declared"
    return len(answer["m"])


def metric(server, name):
    lines = ask(server.port, "/metrics").text.splitlines()
    return next(float(line.split()[1]) for line in lines if line.split(" ")[0] == name)


def test_states_of_96_mib_reach_servers_that_start(tmp_path):
    """CB-24, CR-40: a server that restarts and two that join serve everything, and Redis disconnects nobody although its limit is low."""
    config = tmp_path / "lifeline.json"
    config.write_text(json.dumps({
        "pubnub": [{"publishKey": key, "subscribeKey": key, "secret": f"{key}-secret"} for key in KEYSETS]}))
    redis = Redis("--client-output-buffer-limit", "pubsub 16mb 8mb 10", appendonly="no")
    servers = []
    try:
        first = fill(redis)
        for name in ("a", "b"):
            servers.append(Server(0, "--config", str(config), "--redis", redis.url, "--node", name))
        for server in servers:
            for key in KEYSETS:
                wait_until(
                    lambda server=server, key=key: ask(server.port, f"/v2/subscribe/{key}/ch/0?tt=0&uuid=u").status == 200, 30,
                    f"the state of {key}")
        start = cursor(servers[1].port, "ch", uuid="r")
        assert publish(servers[0].port, "ch", "news").status == 200
        assert [message["d"] for message in poll(servers[1].port, start, "ch").json["m"]] == ["news"]
        group = cursor(servers[1].port, ",", **{"channel-group": "g"})
        assert publish(servers[0].port, "grouped", "to a group").status == 200
        answer = poll(servers[1].port, group, ",", **{"channel-group": "g"}).json
        assert [message["d"] for message in answer["m"]] == ["to a group"]
        for server in servers:
            assert catch_up(server, first + 999) == len(range(5, 1_100, 11)) - len(range(5, 1_000, 11))
        assert [metric(server, "lifeline_cluster_repairs_total") for server in servers] == [0, 0]
        # The log has none of it.
        assert int(redis.ask("MEMORY", "USAGE", f"{PREFIX}log", "SAMPLES", "0")) < 8 << 20
    finally:
        for server in servers:
            server.kill()
        redis.end()
