"""Webhooks that wait when the leader of a cluster goes: the next leader sends them (rules CP-54, CP-60 and CR-43 to CR-45)."""

import http.client
import json
import signal
import threading

import pytest
from cluster_harness import Cluster, redis_program
from lifeline_harness import APP_ID, KEY, SECRET, wait_until
from pusher_client import PusherSocket
from webhook_receiver import WebhookReceiver

pytestmark = pytest.mark.skipif(redis_program() is None, reason="no redis-server found: run Scripts/setup.sh test")
COUNT = 40


@pytest.fixture
def receiver(started):
    return started(WebhookReceiver)


@pytest.fixture
def cluster(receiver, tmp_path):
    config = tmp_path / "lifeline.json"
    config.write_text(json.dumps({"app": {
        "id": APP_ID, "key": KEY, "secret": SECRET, "clientEvents": True, "limits": {"clientEventsPerSecond": 10_000},
        "webhooks": [{"url": receiver.url, "events": ["client_event"]}]}}))
    cluster = Cluster(options=("--config", str(config)))
    yield cluster
    cluster.end()


def metric(node, name):
    """The value of a metric of the application of Pusher, 0 without one."""
    link = http.client.HTTPConnection("127.0.0.1", node.port, timeout=10)
    link.request("GET", "/metrics")
    for line in link.getresponse().read().decode().splitlines():
        if line.startswith(name + "{") and 'service="pusher"' in line:
            return float(line.rsplit(" ", 1)[1])
    return 0


def on_a_follower(cluster, started):
    """A member of a private channel, and another one that gets what the first one says, on nodes that do not lead."""
    leader = wait_until(cluster.leader, 20, "a leader")
    ports = [node.port for name, node in cluster.nodes.items() if name != leader]
    speaker, listener = (started(PusherSocket, port) for port in ports)
    for socket in (speaker, listener):
        socket.subscribe("private-room")
    return leader, speaker, listener


def say(speaker, listener, numbers):
    """Returns when the last one was relayed: then it is decided."""
    for number in numbers:
        speaker.trigger("private-room", "client-n", {"n": number})
    for number in numbers:
        assert heard(listener) == number


def heard(listener):
    """The number of the next event."""
    data = listener.wait("client-n", "private-room")["data"]
    return (json.loads(data) if isinstance(data, str) else data)["n"]


def told(receiver):
    return [json.loads(event["data"])["n"] for event in receiver.of("client_event")]


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_what_waits_for_a_receiver_that_fails_is_sent_by_the_next_leader(cluster, receiver, started, how):
    receiver.statuses = [503] * 10_000
    leader, speaker, listener = on_a_follower(cluster, started)
    say(speaker, listener, range(COUNT))
    wait_until(lambda: len(receiver.requests) >= 1, 20, "the receiver to be asked")
    cluster.kill(leader, how)
    receiver.statuses.clear()
    next_leader = wait_until(cluster.leader, 20, "another leader")
    wait_until(lambda: set(told(receiver)) == set(range(COUNT)), 30, lambda: f"{COUNT} events, of which came {told(receiver)}")
    # The receiver had taken none, so none comes twice, and each in its order.
    assert told(receiver) == list(range(COUNT))
    wait_until(lambda: metric(cluster.nodes[next_leader], "lifeline_webhook_events_total") == COUNT, 10, "each to be counted")
    assert metric(cluster.nodes[next_leader], "lifeline_webhook_events_dropped_total") == 0
    wait_until(lambda: cluster.redis.ask("HLEN", "{lifeline:lifeline}:pusher:webhooks") == 0, 10, "nothing to be kept any more")


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_events_under_load_arrive_at_least_once_when_the_leader_goes(cluster, receiver, started, how):
    leader, speaker, listener = on_a_follower(cluster, started)
    relayed, ended = [], threading.Event()

    def speak():
        number = 0
        while not ended.wait(0.005):
            speaker.trigger("private-room", "client-n", {"n": number})
            number += 1

    def listen():
        while not ended.is_set():
            try:
                relayed.append(heard(listener))
            except AssertionError:  # Nothing comes any more.
                return
            except Exception:  # The connection is closed when the test ends.
                if not ended.is_set():
                    raise
                return

    threads = [threading.Thread(target=action, daemon=True) for action in (speak, listen)]
    for thread in threads:
        thread.start()
    wait_until(lambda: len(relayed) >= 100, 30, "a hundred events")
    cluster.kill(leader, how)
    before = len(relayed)
    wait_until(lambda: len(relayed) >= before + 100, 30, "events under the next leader")
    ended.set()
    threads[0].join(10)
    seen = set(relayed)
    wait_until(lambda: seen <= set(told(receiver)), 30, lambda: f"events that were relayed and not told: {seen - set(told(receiver))}")
    doubled = len(told(receiver)) - len(set(told(receiver)))
    print(f"{len(seen)} events were relayed; {doubled} of the webhooks came twice")
    assert doubled <= (4 if how == signal.SIGKILL else 0)
