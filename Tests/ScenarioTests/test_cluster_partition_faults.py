"""Partitions of a cluster move to servers that come and from servers that go, and their servers and Redis fail at random: clients of one
Pusher application, whose channels are in all partitions, lose nothing without being told, and see nothing twice or out of order.

`LIFELINE_CLUSTER_MOVES` is the number of servers that come and go (2 by default, 50 for the long run). `LIFELINE_SOAK_FAULTS` is the
number of random faults (3 by default, 500 for the long run), and `LIFELINE_SOAK_SEED` replays the choice of faults of an earlier run,
which is printed.
"""

import json
import os
import random
import signal
import time

import pytest
from cluster_harness import Redis, redis_program
from lifeline_harness import APP_ID, rest, wait_until
from partition_judge import PartitionWatch, are_led, are_spread, channels_of, shares
from pusher_client import PusherSocket

pytestmark = [
    pytest.mark.cluster, pytest.mark.skipif(redis_program() is None, reason="no redis-server found: run Scripts/setup.sh test")]
PARTITIONS = 4
MOVES = int(os.environ.get("LIFELINE_CLUSTER_MOVES", "2"))
FAULTS = int(os.environ.get("LIFELINE_SOAK_FAULTS", "3"))
SEED = int(os.environ.get("LIFELINE_SOAK_SEED") or random.randrange(1 << 32))


@pytest.fixture
def several(clusters):
    """Starts a cluster with servers of these names on two Redis, each of which keeps two of the four partitions: cluster and Redis."""
    others = []

    def start(*names):
        # Redis that is killed keeps what it has confirmed, so that every loss is the servers' fault.
        first, second = Redis(fsync="always"), Redis(fsync="always")
        others.append(second)
        cluster = clusters(names=names, redis=first, options=("--redis", second.url, "--partitions", str(PARTITIONS)))
        wait_until(lambda: are_spread(cluster, PARTITIONS), 60, lambda: f"leaders to be spread: {shares(cluster, PARTITIONS)}")
        return cluster, [first, second]

    yield start
    for redis in others:
        redis.end()


def users(port, channel):
    """The users of a presence channel, or None when the server cannot say."""
    status, text = rest(port, "GET", f"/apps/{APP_ID}/channels/{channel}/users")
    return sorted(user["id"] for user in json.loads(text)["users"]) if status == 200 else None


def test_servers_come_and_go_under_load(several, started):
    """CR-55 to CR-57: each server that comes takes over its share, and its share goes on when it goes."""
    cluster, _ = several("a", "b")
    watch = started(PartitionWatch, cluster, PARTITIONS)
    lobbies = channels_of(PARTITIONS, "presence-lobby")
    stays = started(PusherSocket, cluster.nodes["a"].port)
    for lobby in lobbies:
        stays.subscribe(lobby, "stays")
    for number in range(MOVES):
        name, how = f"n{number}", signal.SIGKILL if number % 2 else signal.SIGTERM
        node = cluster.begin(name)
        begun = time.monotonic()
        wait_until(lambda: are_spread(cluster, PARTITIONS), 60, lambda: f"{name} to have its share: {shares(cluster, PARTITIONS)}")
        print(f"{name} has its share after {time.monotonic() - begun:.1f} s; {how.name}", flush=True)
        watch.flows()
        guest = PusherSocket(node.port)
        for lobby in lobbies:
            guest.subscribe(lobby, f"guest-{number}")
        cluster.kill(name, how)
        guest.drop()
        wait_until(lambda: are_led(cluster, PARTITIONS), 30, lambda: f"others to lead: {shares(cluster, PARTITIONS)}")
        watch.flows()
    # Whoever was on a server that is gone is gone, in every partition and for every server.
    for port in [node.port for node in cluster.nodes.values()]:
        for lobby in lobbies:
            wait_until(lambda: users(port, lobby) == ["stays"], 30, lambda: f"ghosts to go: {users(port, lobby)}")
    # The watched clients are on servers that stay, and Redis has lost nothing.
    watch.judge()
    assert watch.gaps == 0


def fault(cluster, redis, chance):
    """One fault of a server, of a Redis or of the way between, and the end of it: which it was."""
    name, number = chance.choice(sorted(cluster.nodes)), chance.randrange(len(redis))
    kind = chance.choice(["kill", "stop", "freeze server", "kill Redis", "freeze Redis", "cut", "forget scripts"])
    if kind in ("kill", "stop"):
        cluster.kill(name, signal.SIGKILL if kind == "kill" else signal.SIGTERM)
        time.sleep(chance.uniform(0, 2))
        cluster.begin(name)
    elif kind == "freeze server":
        cluster.freeze(name, True)
        time.sleep(chance.uniform(2, 12))
        cluster.freeze(name, False)
    elif kind == "kill Redis":
        redis[number].kill()
        time.sleep(chance.uniform(0, 1))
        redis[number].start()
    elif kind == "freeze Redis":
        redis[number].freeze(True)
        time.sleep(chance.uniform(0.5, 2))
        redis[number].freeze(False)
    elif kind == "cut":
        redis[number].command("CLIENT", "KILL", "TYPE", chance.choice(["pubsub", "normal"]))
    else:
        redis[number].command("SCRIPT", "FLUSH")
    return f"{kind} {name if kind in ('kill', 'stop', 'freeze server') else number}"


def test_faults_at_random(several, started):
    """CR-54: a fault stops the partitions that it concerns, and nothing is lost without being declared."""
    print(f"\nLIFELINE_SOAK_SEED={SEED} LIFELINE_SOAK_FAULTS={FAULTS}")
    chance = random.Random(f"{SEED}-partitions")
    cluster, redis = several("a", "b", "c")
    watch = started(PartitionWatch, cluster, PARTITIONS)
    for _ in range(FAULTS):
        time.sleep(chance.uniform(0.5, 2))
        begun = time.monotonic()
        kind = fault(cluster, redis, chance)
        wait_until(
            lambda: len(cluster.balancer.healthy) == len(cluster.nodes) and are_led(cluster, PARTITIONS), 60,
            lambda: f"all partitions to be led after {kind}, seed {SEED}: {shares(cluster, PARTITIONS)}")
        print(f"{kind}: {time.monotonic() - begun:.1f} s", flush=True)
        watch.flows()
    watch.judge()
