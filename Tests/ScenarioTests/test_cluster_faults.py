"""What a cluster of three nodes does when nodes, Redis or the way between them fail: clients of the three services lose nothing
without being told, see nothing twice and nothing out of order, and nobody stays in a presence channel who is gone.

What takes longer than ten seconds runs with `LIFELINE_CLUSTER_FAULTS=all` only.
"""

import json
import signal
import threading
import time

import pytest
from cluster_fixtures import follower, is_long, members, wait_healthy
from cluster_harness import Redis, redis_program
from cluster_judge import CHANNEL, Watch, request
from lifeline_harness import APP_ID, Server, rest, wait_until
from chat_client import ChatSession, ServerAPI
from pusher_client import PusherSocket

pytestmark = [
    pytest.mark.cluster, pytest.mark.skipif(redis_program() is None, reason="no redis-server found: run Scripts/setup.sh test")]


# Nodes

@pytest.mark.parametrize("leads", [False, True])
def test_a_node_is_killed(cluster, watch, started, leads):
    victim = wait_until(cluster.leader, 20, "a leader") if leads else follower(cluster)
    watcher = next(name for name in cluster.nodes if name != victim)
    stays, goes = started(PusherSocket, cluster.nodes[watcher].port), started(PusherSocket, cluster.nodes[victim].port)
    stays.subscribe("presence-lobby", "stays")
    goes.subscribe("presence-lobby", "goes")
    stays.wait("pusher_internal:member_added")
    begun = time.monotonic()
    cluster.kill(victim)
    assert stays.wait("pusher_internal:member_removed", timeout=25)["data"] == {"user_id": "goes"}
    took = time.monotonic() - begun
    print(f"told of the end after {took:.1f} s")
    # A node is given up 10 s after its last word (CR-13), and the leader 10 s after it renewed its lease (CR-14); the rest is for a busy
    # machine.
    assert took < 12
    watch.flows()
    for node in cluster.nodes.values():
        assert members(node.port) == ["stays"]
    assert [event for event in stays.settled() if event["event"] == "pusher_internal:member_removed"] == []
    watch.judge()


def test_the_leader_stops_in_order(cluster, watch):
    last = wait_until(cluster.leader, 20, "a leader")
    cluster.kill(last, signal.SIGTERM)
    assert wait_until(cluster.leader, 20, "another leader") != last
    watch.flows()
    watch.judge()
    assert watch.gaps("pubnub") == watch.gaps("nexconn") == 0


@is_long
@pytest.mark.parametrize("leads", [False, True])
def test_a_node_sleeps_for_longer_than_the_others_wait(cluster, watch, leads):
    sleeper = wait_until(cluster.leader, 20, "a leader") if leads else follower(cluster)
    cluster.freeze(sleeper, True)
    time.sleep(13)
    cluster.freeze(sleeper, False)
    wait_healthy(cluster)
    watch.flows()
    watch.judge()


def test_two_nodes_with_one_name_are_two_nodes(cluster, watch, started):
    twin = started(Server, 0, "--redis", cluster.redis.url, "--node", "a")
    cluster.balancer.targets["twin"] = twin.port
    wait_until(lambda: twin.port in cluster.balancer.healthy, 20, "the twin to be ready")
    leader = wait_until(cluster.leader, 20, "a leader")
    wait_until(lambda: cluster.metric(leader, "lifeline_cluster_nodes") == 4, 20, "four nodes")
    watch.flows()
    watch.judge()


def test_a_node_that_joins_late_has_everything(cluster, watch, started):
    early = started(PusherSocket, cluster.nodes["a"].port)
    early.subscribe("presence-lobby", "early")
    late = cluster.begin("late")
    history = [
        request(node.port, "GET", f"/v2/history/sub-key/demo/channel/{CHANNEL}?count=3&reverse=true&uuid=u")
        for node in (cluster.nodes["a"], late)]
    assert history[0] == history[1] and history[0][0] == 200
    assert members(late.port) == ["early"]
    second = started(PusherSocket, late.port)
    assert second.subscribe("presence-lobby", "late")["data"]["presence"]["count"] == 2
    assert early.wait("pusher_internal:member_added")["data"]["user_id"] == "late"
    watch.judge()


# Redis

@pytest.mark.parametrize("fsync", ["everysec", "always"])
def test_redis_is_killed_and_comes_back(clusters, started, fsync):
    cluster = clusters(redis=Redis(fsync=fsync))
    watch = started(Watch, cluster)
    cluster.redis.kill()
    cluster.redis.start()
    wait_healthy(cluster)
    watch.flows()
    watch.judge()
    assert watch.gaps("pubnub") == watch.gaps("nexconn") == 0


def test_redis_comes_back_empty_and_clients_are_told(clusters, started):
    cluster = clusters(redis=Redis(appendonly="no"))
    watch = started(Watch, cluster)
    api = ServerAPI(cluster.nodes["a"].port)
    session = ChatSession(cluster.nodes["b"].port, api.token("u1"))
    session.connect()
    session.say("u1", "to have a place in an inbox")
    cluster.redis.kill()
    cluster.redis.start()
    assert session.wait_bye(20)["retry"]
    wait_healthy(cluster)
    for service in ("pusher", "pubnub"):
        watch.publishers[service].wait_accepted()
    told = {"pusher": "gap", "pubnub": "gap", "nexconn": "error"}
    for service, listener in watch.listeners:
        # The group of the chat client is gone with everything else, and the client is told so.
        wait_until(lambda: listener.of(told[service]), 30, lambda: f"{service} to be told: {listener.statuses}")
    # Tokens are gone, too.
    session.token = api.token("u1")
    assert session.connect(reconnect=True)["lost"] is True
    session.drop()
    api.close()


def test_redis_freezes_for_a_second_and_nothing_is_lost(cluster, watch):
    cluster.redis.freeze(True)
    time.sleep(1)
    cluster.redis.freeze(False)
    watch.flows()
    watch.judge()
    for publisher in watch.publishers.values():
        assert all(publisher.outcomes.values()), "a call was not only late, but failed"
    assert watch.gaps("pusher") == watch.gaps("pubnub") == watch.gaps("nexconn") == 0


def test_redis_freezes_for_longer_than_calls_wait(cluster, watch, started):
    """CP-21: whoever subscribes meanwhile is confirmed late."""
    late = started(PusherSocket, cluster.nodes["b"].port)
    cluster.redis.freeze(True)
    late.ask("late")
    status, _ = rest(cluster.nodes["a"].port, "POST", f"/apps/{APP_ID}/events", {"name": "n", "channels": ["other"], "data": "1"})
    assert status == 503
    time.sleep(2)
    cluster.redis.freeze(False)
    late.wait("pusher_internal:subscription_succeeded", "late", timeout=40)
    wait_healthy(cluster)
    watch.flows()
    watch.judge()


def test_redis_is_full_and_gets_room_again(cluster, watch):
    assert cluster.redis.command("CONFIG", "SET", "maxmemory", "1mb") == "+OK"
    leader = wait_until(cluster.leader, 20, "a leader")
    wait_until(lambda: cluster.metric(leader, "lifeline_redis_refusing_writes") == 1, 10, "Redis to refuse")
    for node in cluster.nodes.values():
        wait_until(lambda port=node.port: request(port, "GET", "/ready")[0] == 503, 20, "every server to notice it (CR-37)")
    assert cluster.redis.command("CONFIG", "SET", "maxmemory", "0") == "+OK"
    wait_healthy(cluster)
    watch.flows()
    watch.judge()


def test_a_script_keeps_redis_busy(cluster, watch):
    def occupy():
        # The answer comes when the script is killed, or not in time.
        cluster.redis.command("EVAL", "while true do end", "0")

    assert cluster.redis.command("CONFIG", "SET", "busy-reply-threshold", "100") == "+OK"
    thread = threading.Thread(target=occupy, daemon=True)
    thread.start()
    wait_until(lambda: cluster.redis.command("PING").startswith("-BUSY"), 10, "Redis to be busy")
    time.sleep(1)
    assert cluster.redis.command("SCRIPT", "KILL") == "+OK"
    thread.join(10)
    wait_healthy(cluster)
    watch.flows()
    watch.judge()


@pytest.mark.parametrize("words", [
    ("SCRIPT", "FLUSH"), ("CLIENT", "KILL", "TYPE", "pubsub"), ("CLIENT", "KILL", "TYPE", "normal")])
def test_redis_forgets_scripts_or_cuts_connections(cluster, watch, words):
    for _ in range(3):
        answer = cluster.redis.command(*words)
        assert answer.startswith(("+OK", ":")), answer
        watch.flows()
    watch.judge()
    assert watch.gaps("pusher") == watch.gaps("pubnub") == watch.gaps("nexconn") == 0


# The way to Redis

@pytest.fixture
def hampered(cluster, watch, proxies, started):
    """A fourth node whose way to Redis is a fault proxy: cluster, watch, the proxy and a connection to the node."""
    proxy = proxies(cluster.redis.port)
    node = started(Server, 0, "--redis", f"redis://127.0.0.1:{proxy.port}", "--node", "far")
    connection = started(PusherSocket, node.port)
    connection.subscribe("other")
    return cluster, watch, proxy, node, connection


def test_a_node_with_a_slow_way_to_redis(hampered):
    cluster, watch, proxy, node, connection = hampered
    proxy.mode("delay", ms=200)
    for number in range(5):
        assert node.publish("other", "n", str(number))
    assert [connection.wait("n", "other")["data"] for _ in range(5)] == [str(number) for number in range(5)]
    watch.judge()


@pytest.mark.parametrize("direction", ["up", "down"])
def test_one_direction_of_the_way_to_redis_stalls(hampered, direction):
    cluster, watch, proxy, node, connection = hampered
    proxy.mode("stall", dir=direction)
    for number in range(5):
        assert cluster.nodes["a"].publish("other", "n", str(number))
    time.sleep(2)
    proxy.mode("pass")
    assert [connection.wait("n", "other")["data"] for _ in range(5)] == [str(number) for number in range(5)]
    watch.judge()


@is_long
def test_a_node_is_cut_off_from_redis(hampered):
    cluster, watch, proxy, node, connection = hampered
    proxy.mode("blackhole")
    for number in range(5):
        assert cluster.nodes["a"].publish("other", "n", str(number))
    time.sleep(8)
    proxy.mode("pass")
    wait_until(lambda: request(node.port, "GET", "/ready")[0] == 200, 40, "the node to be ready")
    assert [connection.wait("n", "other")["data"] for _ in range(5)] == [str(number) for number in range(5)]
    watch.judge()


# Everything

def test_all_nodes_stop_and_start_again(cluster, watch):
    ports = {}
    for publisher in watch.publishers.values():
        publisher.stopping.set()
        publisher.join(15)
    path = f"/v2/history/sub-key/demo/channel/{CHANNEL}?count=100&uuid=u"
    before = request(cluster.nodes["a"].port, "GET", path)
    assert request(
        cluster.nodes["a"].port, "GET", "/v1/channel-registration/sub-key/demo/channel-group/kept?add=x,y&uuid=u")[0] == 200
    for name in list(cluster.nodes):
        cluster.kill(name, signal.SIGTERM)
        ports[name] = None
    for name in ports:
        cluster.begin(name)
    wait_healthy(cluster)
    for node in cluster.nodes.values():
        assert request(node.port, "GET", path) == before
        status, text = request(node.port, "GET", "/v1/channel-registration/sub-key/demo/channel-group/kept?uuid=u")
        assert status == 200 and json.loads(text)["payload"]["channels"] == ["x", "y"]
    watch.judge()
