"""What a cluster does when its Redis loads, loses what it had confirmed, or is another server than a moment before: replicas, Sentinels,
shards, and a master that is cut off. Judged as in test_cluster_faults.py.

What takes longer than ten seconds runs with `LIFELINE_CLUSTER_FAULTS=all` only.
"""

import json
import time

import pytest
from cluster_fixtures import is_long, wait_healthy
from cluster_harness import Redis, redis_program
from cluster_judge import CHANNEL, SERVICES, Watch, chat_call, request
from lifeline_harness import APP_ID, Server, free_port, rest, wait_until
from chat_client import ChatSession, ServerAPI
from pubnub_harness import cursor, poll, publish
from pusher_client import PusherSocket
from redis_topologies import RedisPath, ShardedRedis, WatchedRedis, cut_tail

pytestmark = [
    pytest.mark.alone, pytest.mark.skipif(redis_program() is None, reason="no redis-server found: run Scripts/setup.sh test")]
NO_GAPS = dict.fromkeys(SERVICES, 0)


class Absent:
    """Users of PubNub and chat who are away while messages for them are acknowledged: they get all of them, or are told."""

    def __init__(self, port):
        self.port, self.expected = port, []
        self.cursor = cursor(port, "absent", uuid="absent")
        self.api = ServerAPI(port)
        self.session = ChatSession(port, self.api.token("absent"))
        self.session.connect()
        self.session.say("absent", "to have a place in an inbox")
        self.session.drop()
        self.api.token("sender")

    def publish(self, port, count=5):
        """Each of these is acknowledged."""
        for number in range(count):
            assert publish(port, "absent", number).status == 200
            status, text = chat_call(port, "direct-channel/message/send", {
                "fromUserId": "sender", "toUserIds": ["absent"], "messageType": "RC:TxtMsg",
                "content": json.dumps({"content": f"absent-{number}"})})
            assert status == 200 and '"code":0' in text.replace(" ", ""), text
            self.expected.append(number)

    def is_told(self, port=None):
        """Whether users of each service heard of a loss; fails when they did not and got less than everything."""
        port = port or self.port
        assert publish(port, "absent", "the end").status == 200
        answer = poll(port, self.cursor, "absent", uuid="absent").json
        if not (is_gap := answer["t"].get("d", False)):
            assert [message["d"] for message in answer["m"]] == [*self.expected, "the end"], answer
        self.session.url = self.session.url.replace(str(self.port), str(port))
        welcome = self.session.connect(reconnect=True)
        if not welcome["lost"]:
            self.session.wait_events(len(self.expected))
            assert self.session.texts()[-len(self.expected):] == [f"absent-{number}" for number in self.expected]
        self.session.drop()
        self.api.close()
        return {"pubnub": is_gap, "nexconn": welcome["lost"]}


# The append-only file

def test_redis_loses_the_end_of_its_file_and_gets_it_again(clusters, started):
    """CR-3: the leader has what was lost, so nobody misses anything."""
    cluster = clusters(redis=Redis("--aof-load-truncated", "yes"))
    watch = started(Watch, cluster)
    absent = Absent(cluster.nodes["a"].port)
    absent.publish(cluster.nodes["b"].port)
    cluster.redis.kill()
    cut_tail(cluster.redis, 30_000)
    cluster.redis.start()
    wait_healthy(cluster)
    watch.flows()
    watch.judge()
    assert watch.gaps("pubnub") == watch.gaps("nexconn") == 0
    assert absent.is_told() == {"pubnub": False, "nexconn": False}


def test_redis_loses_the_end_of_its_file_and_the_leader_dies(clusters, started):
    """CR-9: nobody has what was lost, and every client is told."""
    cluster = clusters(redis=Redis("--aof-load-truncated", "yes"))
    watch = started(Watch, cluster)
    leader = wait_until(cluster.leader, 20, "a leader")
    port = next(node.port for name, node in cluster.nodes.items() if name != leader)
    absent = Absent(port)
    # The token of the absent user is not to be lost as well.
    for publisher in watch.publishers.values():
        publisher.wait_accepted(30)
    absent.publish(port)
    cluster.redis.kill()
    cluster.kill(leader)
    cut_tail(cluster.redis, 30_000)
    cluster.redis.start()
    wait_healthy(cluster)
    watch.flows()
    watch.judge()
    assert all(watch.all_gaps.values()), watch.all_gaps
    assert absent.is_told() == {"pubnub": True, "nexconn": True}


# Loading

@pytest.mark.parametrize("seconds", [4, pytest.param(20, marks=is_long)])
def test_redis_loads_for_long(clusters, started, seconds):
    """Calls wait and fail, connections are held for up to 30 s, and everything is repaired afterwards."""
    cluster = clusters(redis=Redis("--aof-use-rdb-preamble", "yes", "--loading-process-events-interval-bytes", "1024"))
    watch = started(Watch, cluster)
    port = cluster.nodes["a"].port
    connection = started(PusherSocket, port)
    connection.subscribe("held")
    # What is loaded slowly comes first, in one piece: each of these keys takes a millisecond.
    cluster.redis.ask("EVAL", "for i = 1, ARGV[1] do redis.call('SET', 'filler:' .. i, 'x') end return 1", "0", str(seconds * 1000))
    cluster.redis.ask("BGREWRITEAOF")
    wait_until(lambda: cluster.redis.info("persistence")["aof_rewrite_in_progress"] == "0"
               and cluster.redis.info("persistence")["aof_rewrite_scheduled"] == "0", 30, "the file to be written anew")
    cluster.redis.kill()
    begun = time.monotonic()
    cluster.redis.start("--key-load-delay", "1000", answer="-LOADING")
    status, text = wait_until(
        lambda: (answer := request(port, "GET", "/ready"))[0] == 503 and answer, 10, "the node not to be ready")
    assert "redis" in text
    asked = time.monotonic()
    status, text = rest(port, "POST", f"/apps/{APP_ID}/events", {"name": "n", "channels": ["other"], "data": "1"})
    if time.monotonic() - begun < seconds:
        assert status == 503 and 2 < time.monotonic() - asked < 6, text
    wait_until(lambda: cluster.redis.command("PING") == "+PONG", 60, "Redis to have loaded everything")
    assert time.monotonic() - begun > seconds * 0.8
    wait_healthy(cluster)
    watch.flows()
    watch.judge()
    assert watch.all_gaps == NO_GAPS
    # The connection was held all the time.
    assert cluster.nodes["b"].publish("held", "still", "{}")
    connection.wait("still", "held")


# Masters

def test_redis_is_demoted_and_promoted_again(cluster, watch):
    """READONLY, without a Sentinel that says anything."""
    for pause in (0, 2):
        assert cluster.redis.command("REPLICAOF", "127.0.0.1", str(free_port())) == "+OK"
        time.sleep(pause)
        assert cluster.redis.command("REPLICAOF", "NO", "ONE") == "+OK"
        wait_healthy(cluster)
        watch.flows()
    watch.judge()
    assert watch.all_gaps == NO_GAPS


@pytest.mark.parametrize("leader_dies", [False, True])
def test_a_failover_loses_the_last_writes(clusters, started, leader_dies):
    """CR-3 and CR-9: while the leader lives it writes again what Redis has lost; otherwise everybody is told."""
    redis = WatchedRedis()
    cluster = clusters(redis=redis)
    watch = started(Watch, cluster)
    leader = wait_until(cluster.leader, 20, "a leader")
    port = next(node.port for name, node in cluster.nodes.items() if name != leader)
    absent = Absent(port)
    redis.hold()
    absent.publish(port)
    for publisher in watch.publishers.values():
        publisher.wait_accepted(34)
    redis.master.kill()
    if leader_dies:
        cluster.kill(leader)
    redis.path.lead(free_port())
    redis.sentinel.start()
    wait_until(lambda: redis.sentinel.master() == redis.replica.port, 30, "the Sentinel to choose the replica")
    wait_healthy(cluster)
    watch.flows()
    watch.judge()
    if leader_dies:
        assert all(watch.all_gaps.values()), watch.all_gaps
    else:
        assert watch.all_gaps == NO_GAPS
    assert absent.is_told() == dict.fromkeys(("pubnub", "nexconn"), leader_dies)


@pytest.mark.parametrize("times", [1, pytest.param(3, marks=is_long)])
def test_a_planned_failover_loses_nothing_that_was_acknowledged(clusters, started, times):
    """CR-46, RC-40: the old master answers all the time, and what it still takes is lost unless the leader writes it again."""
    redis = WatchedRedis(is_direct=True)
    cluster = clusters(redis=redis)
    watch = started(Watch, cluster)
    leader = wait_until(cluster.leader, 20, "a leader")
    absent = Absent(next(node.port for name, node in cluster.nodes.items() if name != leader))
    for target in (redis.replica, redis.master, redis.replica)[:times]:
        absent.publish(absent.port)
        redis.sentinel.fail_over(target.port)
        wait_healthy(cluster)
        watch.flows()
        assert cluster.leader() == leader
        if times > 1:
            wait_until(lambda: target.info("replication").get("connected_slaves") == "1", 60, "the former master to follow")
    watch.judge()
    assert watch.all_gaps == NO_GAPS
    assert not any(absent.is_told().values())


@is_long
@pytest.mark.parametrize("with_leader", [False, True])
def test_an_old_master_is_isolated_with_a_node(clusters, started, with_leader):
    """CR-9: what the old master confirms is lost when it comes back, and everybody is told, on both sides."""
    old = Redis()
    to_old = RedisPath(old.port)
    new = Redis("--replicaof", "127.0.0.1", str(to_old.port))
    paths = {name: RedisPath(old.port) for name in "abc"}
    try:
        wait_until(lambda: new.info("replication")["master_link_status"] == "up", 30, "the replica to follow")
        cluster = clusters(redis=old, urls={name: path.url for name, path in paths.items()})
        watch = started(Watch, cluster, clients=3)
        leader = wait_until(cluster.leader, 20, "a leader")
        alone = leader if with_leader else next(name for name in cluster.nodes if name != leader)
        absent = Absent(cluster.nodes[next(name for name in cluster.nodes if name != alone)].port)
        near = started(PusherSocket, cluster.nodes[alone].port)
        near.subscribe("near")
        # The old master and one node on one side, the new master and the others on the other. Users go to the others.
        cluster.balancer.targets.pop(alone)
        to_old.hold()
        new.command("REPLICAOF", "NO", "ONE")
        for name, path in paths.items():
            if name != alone:
                path.lead(new.port)
        wait_until(lambda: cluster.nodes[alone].publish("near", "n", "1"), 30, "the side of the old master to accept")
        near.wait("n", "near")
        absent.publish(cluster.nodes[alone].port)
        for publisher in watch.publishers.values():
            publisher.wait_accepted(20, timeout=60)
        # All are together again: the old master follows the new one.
        to_old.lead(new.port)
        old.command("REPLICAOF", "127.0.0.1", str(new.port))
        paths[alone].lead(new.port)
        assert near.closed(timeout=40).code == 4200
        cluster.balancer.targets[alone] = cluster.nodes[alone].port
        wait_healthy(cluster)
        watch.flows()
        watch.judge(is_late=True)
        assert absent.is_told() == {"pubnub": True, "nexconn": True}
    finally:
        new.end()
        for path in [to_old, *paths.values()]:
            path.end()


# Shards

def test_a_slot_moves_under_load(clusters, started):
    redis = ShardedRedis()
    cluster = clusters(redis=redis)
    watch = started(Watch, cluster)
    source = redis.owner
    target = next(master for master in redis.masters if master is not source)
    # The keys of a batch are on both sides for a while: then it is refused as a whole.
    moved = redis.move_slot(source, target, lambda: time.sleep(0.05))
    assert moved > 5 and redis.owner is target
    wait_healthy(cluster)
    watch.flows()
    watch.judge()
    assert watch.all_gaps == NO_GAPS
    for name, node in cluster.nodes.items():
        assert cluster.metric(name, "lifeline_cluster_losses_total") == 0
        assert not [line for line in node.errors if "Redis refused commands" in line]
    # What was acknowledged while the slot moved is kept, too.
    kept = json.loads(request(node.port, "GET", f"/v2/history/sub-key/demo/channel/{CHANNEL}?count=100&uuid=u")[1])[0]
    accepted = watch.publishers["pubnub"].accepted
    assert not [number for number in accepted if number >= kept[0] and number not in kept]


@pytest.mark.parametrize("how", ["asked", "killed"])
def test_a_shard_fails_over(clusters, started, how):
    redis = ShardedRedis()
    cluster = clusters(redis=redis)
    watch = started(Watch, cluster)
    if how == "asked":
        assert redis.replica.command("CLUSTER", "FAILOVER") == "+OK"
    else:
        redis.owner.kill()
    wait_until(lambda: redis.replica.owns(redis.SLOT), 30, "the replica to have the slot")
    wait_healthy(cluster)
    watch.flows()
    watch.judge()
    assert watch.all_gaps == NO_GAPS


# Slow readers

def test_a_node_reads_too_slowly_and_is_cut(cluster, watch, proxies, started):
    """Redis ends a connection whose buffer is full; the node reads what it missed from the log."""
    proxy = proxies(cluster.redis.port)
    node = started(Server, 0, "--redis", f"redis://127.0.0.1:{proxy.port}", "--node", "far")
    connection = started(PusherSocket, node.port)
    connection.subscribe("other")
    assert cluster.redis.command("CONFIG", "SET", "client-output-buffer-limit", "pubsub 256kb 128kb 1") == "+OK"
    proxy.mode("stall", dir="down")
    text, count = "x" * 9_000, 0
    limit = time.monotonic() + 60
    while "overcoming of output buffer limits" not in cluster.redis.log():
        assert time.monotonic() < limit, f"Redis has cut nobody after {count} messages"
        batch = [{"channel": "other", "name": "n", "data": f"{count + index} {text}"} for index in range(10)]
        assert rest(cluster.nodes["a"].port, "POST", f"/apps/{APP_ID}/batch_events", {"batch": batch})[0] == 200
        count += 10
    proxy.mode("pass")
    for number in range(count):
        assert connection.wait("n", "other", timeout=40)["data"] == f"{number} {text}"
    wait_until(lambda: request(node.port, "GET", "/ready")[0] == 200, 40, "the node to be ready")
    watch.judge()
