"""Pusher's recovery through an upgrade of a cluster as docs/cluster.md describes it, where new servers are started first and the old ones are
then stopped one after the other, the leader last, and through leaders that are killed (rules RV-20 to RV-23, RV-40 to RV-43)."""

import json
import signal
import threading
import time

import pytest
import websocket
from cluster_harness import Cluster, redis_program
from lifeline_harness import APP_ID, rest, wait_until
from recovering_client import RecoveringClient

pytestmark = pytest.mark.skipif(redis_program() is None, reason="no redis-server found: run Scripts/setup.sh test")
CLIENTS, CHANNELS = 6, 4


@pytest.fixture
def cluster():
    cluster = Cluster(names=("old-a", "old-b"))
    yield cluster
    cluster.end()


class Reader:
    """Comes back over the balancer whenever its connection ends, up to the event that says that it is over."""

    def __init__(self, port, channel):
        self.client, self.channel = RecoveringClient(port), channel
        self.connections = 0
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while not self.is_over:
            try:
                self.client.connect()
                self.connections += 1
                if not self.client.channels:
                    self.client.subscribe(self.channel)
                while not self.is_over:
                    self.client.step()
            except (OSError, websocket.WebSocketException, ValueError):
                time.sleep(0.05)

    @property
    def is_over(self):
        return any(event == "over" for _, event, _ in self.client.events)

    @property
    def numbers(self):
        return [json.loads(data)["n"] for _, event, data in self.client.events if event == "n"]

    @property
    def gaps(self):
        return sum(event == "gap" for _, event, _ in self.client.events)


class Publisher:
    """Publishes over the balancer, in turns to the channels, until it is ended. `accepted` has what was confirmed."""

    def __init__(self, port, channels):
        self.port, self.channels = port, channels
        self.accepted, self.count = {channel: [] for channel in channels}, 0
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def publish(self, channel, event, data):
        try:
            return rest(self.port, "POST", f"/apps/{APP_ID}/events", {"name": event, "channel": channel, "data": data})[0] == 200
        except (OSError, ValueError):
            return False

    def run(self):
        while not self.ended.wait(0.003):
            channel = self.channels[self.count % len(self.channels)]
            self.count += 1
            if self.publish(channel, "n", json.dumps({"n": self.count})):
                self.accepted[channel].append(self.count)

    def end(self):
        self.ended.set()
        self.thread.join(20)
        for channel in self.channels:
            wait_until(lambda: self.publish(channel, "over", "{}"), 20, "the last event to be taken")


def begin(cluster):
    """Clients that are subscribed, and a publisher."""
    port = cluster.balancer.port
    channels = [f"room-{number}" for number in range(CHANNELS)]
    readers = [Reader(port, channels[number % CHANNELS]) for number in range(CLIENTS)]
    wait_until(lambda: all(reader.client.confirmed for reader in readers), 20, "everybody to be subscribed")
    publisher = Publisher(port, channels)
    wait_until(lambda: publisher.count > 100, 30, "a hundred events")
    return publisher, readers


def check(publisher, readers):
    """Everybody has everything that was acknowledged, once and in order, and was told of no gap."""
    before = publisher.count
    wait_until(lambda: publisher.count > before + 200, 60, "events after the change")
    publisher.end()
    wait_until(lambda: all(reader.is_over for reader in readers), 30, lambda: [reader.client.events[-1:] for reader in readers])
    print(f"{publisher.count} events, {[reader.connections for reader in readers]} connections, gaps {[r.gaps for r in readers]}")
    for reader in readers:
        assert reader.gaps == 0
        assert reader.numbers == sorted(set(reader.numbers)), "in their order, each once"
        assert not (lost := set(publisher.accepted[reader.channel]) - set(reader.numbers)), lost


def test_a_rolling_upgrade_costs_clients_with_recovery_nothing(cluster):
    publisher, readers = begin(cluster)
    for name in ("new-a", "new-b"):
        cluster.begin(name)
    wait_until(lambda: len(cluster.balancer.healthy) == 4, 60, "the new servers to be ready")
    leader = wait_until(cluster.leader, 20, "a leader")
    for name in sorted(("old-a", "old-b"), key=lambda name: name == leader):
        cluster.kill(name, signal.SIGTERM)
    check(publisher, readers)
    assert all(reader.connections > 1 for reader in readers)


def test_leaders_that_are_killed_cost_clients_with_recovery_nothing(cluster):
    """RV-40: what was acknowledged is replayed by whoever leads next, which has it from the log."""
    publisher, readers = begin(cluster)
    for name in ("new-a", "new-b", "new-c"):
        leader = wait_until(cluster.leader, 20, "a leader")
        cluster.kill(leader)
        before = publisher.count
        wait_until(lambda: cluster.leader() not in (None, leader), 20, "another leader")
        cluster.begin(name)
        wait_until(lambda: publisher.count > before + 100 and len(cluster.balancer.healthy) == 2, 60, "two servers and more events")
    check(publisher, readers)
