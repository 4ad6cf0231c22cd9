"""Nodes and a Redis whose clocks are wrong: timetokens grow all the same, with all their digits, and none is given twice."""

import json
import re
import time

import pytest
from cluster_fixtures import wait_healthy
from cluster_harness import Redis, redis_program
from cluster_judge import request
from lifeline_harness import APP_ID, rest, wait_until
from pubnub_harness import ask, cursor, poll, publish
from pusher_client import PusherSocket
from shifted_clock import ShiftedClocks

pytestmark = [
    pytest.mark.alone, pytest.mark.skipif(redis_program() is None, reason="no redis-server found: run Scripts/setup.sh test")]
HOUR = 3600
TOKEN = re.compile(r'(?<!\d)\d{17}(?!\d)')


class Reader:
    """Polls one node after the other with one cursor, as a client does behind a balancer."""

    def __init__(self, ports, channel):
        self.channel, self.seen, self.tokens = channel, [], []
        self.cursor = cursor(ports[0], channel, uuid="reader")

    def read(self, ports, count):
        """Reads until so many more messages have come."""
        wanted, turn = len(self.seen) + count, 0
        while len(self.seen) < wanted:
            answer = poll(ports[turn % len(ports)], self.cursor, self.channel, uuid="reader")
            assert answer.status == 200, answer.text
            assert not answer.json["t"].get("d"), f"a gap was declared: {answer.text}"
            for message in answer.json["m"]:
                self.seen.append(message["d"])
                self.tokens.append(message["p"]["t"])
            assert int(answer.json["t"]["t"]) >= int(self.cursor), "the cursor went back"
            self.cursor = answer.json["t"]["t"]
            turn += 1


def publish_all(ports, channel, numbers):
    """Publishes numbers on one node after the other: the timetokens as texts."""
    tokens = []
    for number in numbers:
        answer = publish(ports[number % len(ports)], channel, number)
        assert answer.status == 200, answer.text
        tokens.append(answer.json[2])
    return tokens


def settle(cluster):
    """Waits until one node has led for a while: after a loss each node says in its turn what it has lost, and the next one leads then."""
    def generations():
        return {cluster.metric(name, "lifeline_cluster_generation") for name in cluster.nodes}

    def is_settled():
        before = generations()
        time.sleep(3)
        served = all(publish(node.port, "other", "x").status == 200 for node in cluster.nodes.values())
        return served and len(before) == 1 and generations() == before

    wait_until(is_settled, 90, "a leader that stays")


def check(tokens):
    assert all(TOKEN.fullmatch(token) for token in tokens), tokens
    assert [int(token) for token in tokens] == sorted({int(token) for token in tokens}), "a timetoken came twice or went back"


def test_nodes_an_hour_off(clusters, started):
    """CB-5: each node leads in turn, with a clock that is an hour ahead, an hour behind, or right."""
    clocks = started(ShiftedClocks)
    shifts = {"ahead": HOUR, "behind": -HOUR, "right": 0}
    cluster = clusters(names=tuple(shifts), envs={name: clocks.clock(shift).env for name, shift in shifts.items()})
    for name, node in cluster.nodes.items():
        told = int(json.loads(request(node.port, "GET", "/time/0")[1])[0]) / 10_000_000 - time.time()
        # A node tells a time after every timetoken (HB-22): that of its own clock, or of the leader's where that is ahead.
        assert min(abs(told - shift) for shift in (shifts[name], HOUR)) < 60, f"the clock of {name} is off by {told} s"
    nodes = cluster.nodes
    reader = Reader([node.port for node in nodes.values()], "hours")
    stays = started(PusherSocket, nodes["right"].port)
    stays.subscribe("presence-lobby", "stays")
    tokens, seen, leaders = [], 0, []
    # Who is present with a timeout must not be gone, or stay, because another clock decides.
    watched = ask(nodes["right"].port, "/v2/subscribe/demo/presences/0", tt="0", uuid="present", heartbeat="300")
    assert watched.status == 200
    for _ in range(3):
        leader = wait_until(cluster.leader, 20, "a leader")
        leaders.append(leader)
        ports = [node.port for node in cluster.nodes.values()]
        tokens += publish_all(ports, "hours", range(seen, seen + 12))
        seen += 12
        reader.read(ports, 12)
        here = ask(ports[0], "/v2/presence/sub-key/demo/channel/presences", uuid="x").json
        assert here["occupancy"] == 1, here
        if len(cluster.nodes) == 1:
            break
        # The next one leads: the one that ended comes back as a follower.
        cluster.kill(leader)
        wait_until(lambda: cluster.leader() not in (None, leader), 30, "another leader")
        wait_until(lambda: publish(next(iter(cluster.nodes.values())).port, "other", "x").status == 200, 30, "a publish")
        cluster.begin(leader)
        wait_healthy(cluster)
    check(tokens)
    assert reader.seen == list(range(seen)) and reader.tokens == tokens
    for node in cluster.nodes.values():
        kept = ask(node.port, "/v2/history/sub-key/demo/channel/hours", uuid="u", count=100, include_token="true")
        assert TOKEN.findall(kept.text)[:seen] == tokens
    if cluster.nodes.get("right") and stays.end is None:
        assert [event for event in stays.settled() if event["event"] == "pusher_internal:member_removed"] == []


def test_the_clock_of_redis_jumps(clusters, started):
    """CR-11: leases and generations are by that clock; back and forth by a minute, and with a restart of Redis in between."""
    clock = started(ShiftedClocks).clock(60)
    cluster = clusters(redis=Redis(env=clock.env, fsync="always"))
    assert abs(int(cluster.redis.ask("TIME")[0]) - time.time() - 60) < 5
    ports = [node.port for node in cluster.nodes.values()]
    reader, tokens, seen = Reader(ports, "jumps"), [], 0
    connections = [started(PusherSocket, port) for port in ports]
    for number, connection in enumerate(connections):
        connection.subscribe("presence-lobby", f"u{number}")
    for shift in (-60, 60, 0, -120, 30):
        clock.set(shift)
        tokens += publish_all(ports, "jumps", range(seen, seen + 9))
        seen += 9
        reader.read(ports, 9)
    clock.set(-600)
    cluster.redis.kill()
    cluster.redis.start()
    wait_healthy(cluster)
    settle(cluster)
    tokens += publish_all(ports, "jumps", range(seen, seen + 9))
    reader.read(ports, 9)
    check(tokens)
    assert reader.seen == list(range(seen + 9)) and reader.tokens == tokens
    for port in ports:
        status, text = rest(port, "GET", f"/apps/{APP_ID}/channels/presence-lobby/users")
        assert status == 200 and len(json.loads(text)["users"]) == 3
    for connection in connections:
        assert not [event for event in connection.settled() if event["event"] == "pusher_internal:member_removed"]


def test_redis_comes_back_empty_with_a_clock_that_is_behind(clusters, started):
    """CR-11: generations grow although Redis has forgotten them and its clock was set back; no node stays deaf."""
    clock = started(ShiftedClocks).clock(0)
    cluster = clusters(redis=Redis(env=clock.env, appendonly="no"))
    ports = [node.port for node in cluster.nodes.values()]
    before = publish_all(ports, "back", range(9))
    clock.set(-HOUR)
    cluster.redis.kill()
    cluster.redis.start()
    wait_healthy(cluster)
    settle(cluster)
    reader = Reader(ports, "back")
    after = publish_all(ports, "back", range(9, 18))
    reader.read(ports, 9)
    check(before + after)
    assert reader.seen == list(range(9, 18))


def test_timetokens_keep_all_digits_over_nodes_and_leaders(clusters):
    """The text of a timetoken is the same wherever it is read, also after the leader has changed and Redis was restarted."""
    cluster = clusters(redis=Redis(fsync="always"))
    ports = [node.port for node in cluster.nodes.values()]
    reader = Reader(ports, "digits")
    tokens = publish_all(ports, "digits", range(15))
    reader.read(ports, 15)
    leader = wait_until(cluster.leader, 20, "a leader")
    cluster.kill(leader)
    cluster.redis.kill()
    cluster.redis.start()
    wait_healthy(cluster)
    ports = [node.port for node in cluster.nodes.values()]
    settle(cluster)
    tokens += publish_all(ports, "digits", range(15, 25))
    reader.read(ports, 10)
    check(tokens)
    assert reader.tokens == tokens
    for port in ports:
        first = ask(port, "/v2/history/sub-key/demo/channel/digits", uuid="u", count=100, include_token="true")
        assert TOKEN.findall(first.text)[:25] == tokens
        third = ask(port, "/v3/history/sub-key/demo/channel/digits", uuid="u", max=100)
        assert TOKEN.findall(third.text) == tokens
        between = ask(
            port, "/v2/history/sub-key/demo/channel/digits", uuid="u", count=100, start=tokens[9], end=tokens[4],
            include_token="true")
        assert [entry["message"] for entry in between.json[0]] == list(range(4, 9)), between.text
