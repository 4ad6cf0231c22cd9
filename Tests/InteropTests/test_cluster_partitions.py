"""Servers whose applications and channels are spread over partitions, and over two Redis that know nothing of each other."""

import json
import subprocess
import threading
import urllib.request

import pytest
from cluster_harness import Redis, redis_program
from lifeline_harness import APP_ID, KEY, SECRET, Server, lifeline, rest, wait_until
from chat_client import ChatSession, ServerAPI
from pubnub_harness import publish
from pusher_client import PusherSocket

pytestmark = [
    pytest.mark.cluster, pytest.mark.skipif(redis_program() is None, reason="no redis-server found: run Scripts/setup.sh test")]
PARTITIONS = 4
# Partitions 0 to 3, by the vectors of CR-51.
APPS = ["g", "1001", "c", "1002"]
# For each of these a channel in its own partition, by the vectors of CR-80.
ROOMS = {"g": "b", "1001": "h", "c": "b", "1002": "b"}
# For each partition a channel of the application 1001.
CHANNELS = ["room", "h", "b", "a"]


class Partitions:
    """Servers on two Redis, with one Pusher application in each of four partitions."""

    def __init__(self, folder):
        self.config = folder / "config.json"
        self.config.write_text(json.dumps({"apps": [
            {"id": id, "key": KEY if id == APP_ID else f"key-{id}", "secret": SECRET} for id in APPS]}))
        self.redis = [Redis(), Redis()]
        self.nodes = {}

    def begin(self, name):
        urls = [word for redis in self.redis for word in ("--redis", redis.url)]
        self.nodes[name] = Server(0, *urls, "--partitions", str(PARTITIONS), "--node", name, "--config", str(self.config))
        return self.nodes[name]

    def kill(self, name):
        self.nodes.pop(name).kill()

    def metrics(self, name):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.nodes[name].port}/metrics", timeout=10) as answer:
            return answer.read().decode().splitlines()

    def published(self, name):
        """The events of all applications that a server has counted."""
        return sum(
            int(line.split()[-1]) for line in self.metrics(name)
            if line.startswith("lifeline_events_published_total{") and 'service="pusher"' in line)

    def led(self, name):
        """The partitions that a server leads, by its metrics."""
        lines = self.metrics(name)
        return {number for number in range(PARTITIONS) if f'lifeline_cluster_leading{{partition="{number}"}} 1' in lines}

    def are_spread(self):
        led = [self.led(name) for name in self.nodes]
        share = {PARTITIONS // len(led), -(-PARTITIONS // len(led))}
        return sorted(number for numbers in led for number in numbers) == list(range(PARTITIONS)) and {len(n) for n in led} <= share

    def end(self):
        for name in list(self.nodes):
            self.kill(name)
        for redis in self.redis:
            redis.end()


@pytest.fixture
def cluster(tmp_path):
    made = Partitions(tmp_path)
    yield made
    made.end()


def say(port, app, text, channel=None):
    key = KEY if app == APP_ID else f"key-{app}"
    event = {"name": "e", "channel": channel or ROOMS[app], "data": text}
    return rest(port, "POST", f"/apps/{app}/events", event, key=key, secret=SECRET)[0]


def test_all_services_work_over_partitions_and_leaders_are_spread(cluster):
    first = cluster.begin("a")
    assert cluster.led("a") == set(range(PARTITIONS))
    second = cluster.begin("b")
    readers = {app: PusherSocket(second.port, key=KEY if app == APP_ID else f"key-{app}") for app in APPS}
    for app, reader in readers.items():
        reader.subscribe(ROOMS[app])
    # Events of all applications go on while the leaders hand over.
    sent, stop = [], threading.Event()

    def write():
        while not stop.is_set():
            sent.append(len(sent))
            assert {say(first.port, app, str(sent[-1])) for app in APPS} == {200}

    writer = threading.Thread(target=write)
    writer.start()
    wait_until(cluster.are_spread, 60, "each server to lead two partitions")
    stop.set()
    writer.join(60)
    for reader in readers.values():
        assert [int(reader.wait("e")["data"]) for _ in sent] == sent
    # CR-53: each Redis has some of the partitions, and the layout.
    for redis in cluster.redis:
        names = redis.ask("KEYS", "{lifeline:lifeline*")
        assert "{lifeline:lifeline}:layout" in names
        assert len({name.split("}")[0] for name in names if name.endswith("}:leader")}) == PARTITIONS // 2
    assert publish(first.port, "room", "hello", store="1").status == 200
    api = ServerAPI(first.port)
    session, other = ChatSession(first.port, api.token("ann")), ChatSession(second.port, api.token("bob"))
    session.connect()
    other.connect()
    session.say("bob", "hello")
    other.wait_events(1)
    # CR-54: a leader that is killed stops only the applications of its partitions.
    lost = cluster.led("a")
    cluster.kill("a")
    for number, app in enumerate(APPS):
        if number not in lost:
            assert say(second.port, app, "after") == 200
    wait_until(lambda: cluster.led("b") == set(range(PARTITIONS)), 60, "the other server to lead everything")
    assert {say(second.port, app, "last") for app in APPS} == {200}


def test_one_application_uses_all_leaders(cluster):
    """CR-80, CP-75 and CP-78: channels of one application are decided about by all servers."""
    first, second = cluster.begin("a"), cluster.begin("b")
    wait_until(cluster.are_spread, 60, "each server to lead two partitions")
    reader = PusherSocket(second.port)
    for channel in CHANNELS:
        reader.subscribe(channel)
    for number in range(10):
        body = {"name": "e", "channels": CHANNELS, "data": str(number)}
        assert rest(first.port, "POST", f"/apps/{APP_ID}/events", body)[0] == 200
    batch = {"batch": [{"name": "e", "channel": channel, "data": str(number)} for number in (10, 11) for channel in CHANNELS]}
    assert rest(first.port, "POST", f"/apps/{APP_ID}/batch_events", batch)[0] == 200
    found = {channel: [] for channel in CHANNELS}
    for _ in range(12 * len(CHANNELS)):
        event = reader.wait("e")
        found[event["channel"]].append(int(event["data"]))
    assert found == {channel: list(range(12)) for channel in CHANNELS}
    for node in (first, second):
        status, listed = rest(node.port, "GET", f"/apps/{APP_ID}/channels")[:2]
        listed = json.loads(listed) if isinstance(listed, (str, bytes)) else listed
        assert status == 200 and sorted(listed["channels"]) == sorted(CHANNELS)
    # CR-88: each event is counted once, by the server that decides about its channel.
    assert [cluster.published(name) > 0 for name in ("a", "b")] == [True, True]
    assert sum(cluster.published(name) for name in ("a", "b")) == 12 * len(CHANNELS)
    # CR-54: a leader that is killed stops only its channels, and these for a while.
    lost = cluster.led("a")
    cluster.kill("a")
    for number, channel in enumerate(CHANNELS):
        if number not in lost:
            assert say(second.port, APP_ID, "after", channel) == 200 and reader.wait("e")["channel"] == channel
    wait_until(lambda: cluster.led("b") == set(range(PARTITIONS)), 60, "the other server to lead everything")
    for channel in CHANNELS:
        assert say(second.port, APP_ID, "last", channel) == 200 and reader.wait("e")["data"] == "last"


def test_a_layout_of_a_version_that_does_not_spread_channels_is_refused(cluster):
    """CR-81: the versions would look for the same channel in different partitions."""
    for redis in cluster.redis:
        redis.ask("SET", "{lifeline:lifeline}:layout", "partitions=4 redis=1")
    done = subprocess.run(
        [lifeline(), "serve", "--port", "0", "--redis", cluster.redis[0].url, "--partitions", "4"], capture_output=True, text=True,
        timeout=60)
    assert done.returncode != 0 and "with each application in one of them" in done.stderr and "remove the key" in done.stderr
    cluster.redis[0].ask("DEL", "{lifeline:lifeline}:layout")
    urls = ["--redis", cluster.redis[0].url, "--partitions", "4"]
    Server(0, *urls, "--node", "a").kill()
    assert cluster.redis[0].ask("GET", "{lifeline:lifeline}:layout") == "partitions=4 redis=1 channels"


def test_a_redis_that_fails_stops_only_its_partitions(cluster):
    node = cluster.begin("a")
    assert {say(node.port, app, "before") for app in APPS} == {200}
    kept = {name.split("}")[0].split(":")[-1] for name in cluster.redis[0].ask("KEYS", "*}:leader")}
    cluster.redis[0].kill()
    for number, app in enumerate(APPS):
        if str(number) not in kept:
            assert say(node.port, app, "while") == 200
    with urllib.request.urlopen(f"http://127.0.0.1:{node.port}/ready", timeout=10) as answer:
        assert answer.status == 200
    cluster.redis[0].start()
    wait_until(lambda: {say(node.port, app, "after") for app in APPS} == {200}, 60, "all applications to be served again")


def test_a_server_with_another_layout_does_not_start(cluster):
    cluster.begin("a")
    urls = [redis.url for redis in cluster.redis]
    for options, stored in [
        (["--redis", urls[0], "--redis", urls[1], "--partitions", "8"], "4 partitions"), (["--redis", urls[0]], "4 partitions"),
    ]:
        done = subprocess.run([lifeline(), "serve", "--port", "0", *options], capture_output=True, text=True, timeout=60)
        assert done.returncode != 0 and stored in done.stderr and "{lifeline:lifeline}:layout" in done.stderr
