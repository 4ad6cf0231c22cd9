#!/usr/bin/env python3
"""What several servers on one Redis cost beside one server without it, in one run.

Usage: Benchmarks/cluster.py LIFELINE WSLOAD [SECONDS [PART…]], with the parts compare, spread, grow, repair, presence, partitions and scripts; all of them without one.
`Benchmarks/run.sh cluster` builds both programs and calls it. Everything is on loopback and shares the machine's processors, the load included,
so only ratios of one run mean something.
"""

import http.client
import json
import os
import re
import selectors
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Tests" / "PythonHarness"))
LIFELINE, WSLOAD = sys.argv[1], sys.argv[2]
SECONDS = float(sys.argv[3]) if len(sys.argv) > 3 else 4
os.environ["LIFELINE"] = LIFELINE
from cluster_harness import Cluster  # noqa: E402
from lifeline_harness import APP_ID, KEY, SECRET, Server, wait_until  # noqa: E402
from chat_client import ServerAPI  # noqa: E402
from partition_judge import are_spread  # noqa: E402
from partition_load import measure  # noqa: E402
from pusher_client import PusherSocket, signature  # noqa: E402

OPTIONS = ("--threads", "1", "--log-level", "error", "--connection-rate-per-address", "0", "--max-connections-per-address", "0")


def load(server, *options, publish_to=None, wait=True):
    command = [
        WSLOAD, "--pid", str(server.process.pid), "--port", str(server.port), "--proto", "pusher", "--key", "app-key", "--secret",
        "app-secret", "--appid", "1001", "--secs", str(SECONDS), *map(str, options)]
    if publish_to:
        command += ["--pubport", str(publish_to.port)]
    run = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    return finish(run) if wait else run


def finish(run):
    text = run.communicate(timeout=120)[0]
    return json.loads(text.strip().splitlines()[-1])


def processor_time(process):
    fields = Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def show(name, **figures):
    print(name + ": " + ", ".join(f"{key} {value}" for key, value in figures.items()), flush=True)


def compare():
    """One server without Redis and one with it, in turns."""
    results = {"in process": {1: [], 8: []}, "on Redis": {1: [], 8: []}}
    waits = {"in process": [], "on Redis": []}
    for _ in range(3):
        for name in results:
            cluster = Cluster(("a",), OPTIONS) if name == "on Redis" else None
            server = cluster.nodes["a"] if cluster else Server(0, *OPTIONS)
            for window in (1, 8):
                figures = load(server, "--subs", 1000, "--window", window, "--pubs", window)
                results[name][window].append(figures["server_cpu_us_per_deliv"])
            figures = load(server, "--subs", 9, "--rate", 1000)
            waits[name].append((figures["p50_ms"], figures["p99_ms"]))
            cluster.end() if cluster else server.kill()
    for window in (1, 8):
        plain, redis = (statistics.median(results[name][window]) for name in results)
        show(f"CPU per delivery to 1,000, {window} in flight", **{
            "in process": f"{plain:.3f} µs", "on Redis": f"{redis:.3f} µs", "ratio": f"{redis / plain:.2f}"})
    (p50, p99), (q50, q99) = [tuple(statistics.median(column) for column in zip(*waits[name])) for name in waits]
    show("added latency at 1,000 publishes/s", p50=f"{q50 - p50:.2f} ms", p99=f"{q99 - p99:.2f} ms")


def spread():
    """Three servers, 5,000 publishes/s, nine subscribers."""
    cluster = Cluster(("a", "b", "c"), OPTIONS)
    nodes = list(cluster.nodes.values())
    before = processor_time(cluster.redis.process)
    runs = [load(node, "--subs", 3, "--rate", 1667, "--pubs", 4, wait=False) for node in nodes]
    figures = [finish(run) for run in runs]
    redis = processor_time(cluster.redis.process) - before
    show("three servers, 5,000 publishes/s to nine subscribers", deliveries=f"{sum(f['deliv_per_s'] for f in figures):,.0f}/s",
         p50=f"{max(f['p50_ms'] for f in figures):.1f} ms", p99=f"{max(f['p99_ms'] for f in figures):.1f} ms",
         redis=f"{redis / SECONDS * 100:.0f} % of a processor")
    leader = cluster.nodes[cluster.leader()]
    before = processor_time(cluster.redis.process)
    figures = load(leader, "--subs", 1, "--window", 256, "--pubs", 64)
    redis = processor_time(cluster.redis.process) - before
    show("publishes through one leader, one subscriber", publishes=f"{figures['pub_per_s']:,.0f}/s",
         redis=f"{redis / SECONDS * 100:.0f} % of a processor")
    cluster.end()


def grow():
    """Deliveries to 3,000 subscribers on one, two and three servers."""
    for count in (1, 2, 3):
        cluster = Cluster(("a", "b", "c")[:count], OPTIONS)
        nodes = list(cluster.nodes.values())
        runs = [
            load(node, "--subs", 3000 // count, *(("--window", 8, "--pubs", 8) if node is nodes[0] else ("--rate", 0.5)), wait=False)
            for node in nodes]
        figures = [finish(run) for run in runs]
        show(f"{count} servers, 3,000 subscribers together", deliveries=f"{sum(f['deliv_per_s'] for f in figures):,.0f}/s")
        cluster.end()


def repair():
    """Channels that are subscribed to, and a node whose messages are cut."""
    cluster = Cluster(("a", "b"), OPTIONS)
    node = cluster.nodes["b"]
    sockets = []
    start = time.monotonic()
    for number in range(1_000):
        client = PusherSocket(node.port)
        for channel in range(100):
            client.send("pusher:subscribe", {"channel": f"c{number}-{channel}"})
        sockets.append(client)
    wait_until(lambda: (cluster.metric("b", 'lifeline_channels{service="pusher",app="1001"}') or 0) >= 100_000, 120, "all channels")
    show("100,000 channels subscribed", after=f"{time.monotonic() - start:.1f} s")
    start = time.monotonic()
    cluster.redis.command("CLIENT", "KILL", "TYPE", "pubsub")
    wait_until(lambda: cluster.metric("b", "lifeline_cluster_current") == 1 and cluster.metric("b", "lifeline_redis_connected") == 1,
               60, "the repair")
    show("100,000 channels repaired after a cut", after=f"{time.monotonic() - start:.2f} s")
    leader = cluster.leader()
    generation = cluster.metric("b", "lifeline_cluster_generation")
    start = time.monotonic()
    if leader == "a":
        cluster.kill("a")
        wait_until(lambda: cluster.metric("b", "lifeline_cluster_generation") != generation
                   and cluster.metric("b", "lifeline_cluster_leading") == 1, 60, "the new leader")
        show("100,000 channels, the leader killed, the other one leads", after=f"{time.monotonic() - start:.2f} s")
    for client in sockets:
        client.drop()
    cluster.end()


class Member:
    """A client of a presence channel that takes what comes and looks at nothing but the answer to its subscription."""

    def __init__(self, port, number):
        self.link = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.link.sendall(
            f"GET /app/{KEY}?protocol=7 HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n".encode())
        greeting = self.read_up_to(b"activity_timeout")
        socket_id = re.search(rb'socket_id\\":\\"([0-9.]+)', greeting)[1].decode()
        user = json.dumps({"user_id": f"user-{number:05}"})
        text = json.dumps({"event": "pusher:subscribe", "data": {
            "channel": "presence-room", "channel_data": user,
            "auth": f"{KEY}:{signature(f'{socket_id}:presence-room:{user}')}"}}).encode()
        # A mask of zeros leaves the bytes as they are.
        self.link.sendall(bytes([0x81, 0xFE]) + len(text).to_bytes(2, "big") + bytes(4) + text)
        self.read_up_to(b"subscription_succeeded")

    def read_up_to(self, word):
        found = b""
        while word not in found:
            part = self.link.recv(65_536)
            assert part, found[-200:]
            found = found[-len(word):] + part if len(found) > 1 << 16 else found + part
        return found


class Drain:
    """Reads what members are sent, and forgets it."""

    def __init__(self):
        self.selector = selectors.DefaultSelector()
        self.lock = threading.Lock()
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def add(self, member):
        with self.lock:
            self.selector.register(member.link, selectors.EVENT_READ)

    def run(self):
        while not self.ended.is_set():
            with self.lock:
                ready = self.selector.select(0) if self.selector.get_map() else []
            for key, _ in ready:
                key.fileobj.recv(1 << 20)
            if not ready:
                time.sleep(0.001)


def presence():
    """Members who join a presence channel one after the other, on two servers in turns."""
    folder = tempfile.mkdtemp(prefix="lifeline-benchmark-")
    config = Path(folder, "config.json")
    config.write_text(json.dumps({"apps": [{"id": APP_ID, "key": KEY, "secret": SECRET, "limits": {"presenceMembers": 100_000}}]}))
    cluster = Cluster(("a", "b"), (*OPTIONS, "--config", str(config)))
    leader = cluster.nodes[cluster.leader()]
    drain, members = Drain(), []

    def state():
        commands = spent(cluster.redis).get("evalsha", (0, 0))
        return (time.monotonic(), processor_time(leader.process), commands[1],
                int(cluster.redis.info("stats")["total_net_input_bytes"]))

    before, count = state(), 0
    for size in (250, 500, 1_000, 2_000, 4_000):
        while len(members) < size:
            member = Member(list(cluster.nodes.values())[len(members) % 2].port, len(members))
            drain.add(member)
            members.append(member)
        after = state()
        joins = size - count
        seconds, leading, micros, read = (b - a for a, b in zip(before, after))
        show(f"presence, {count} to {size} members", wall=f"{seconds / joins * 1e3:.1f} ms a join", leader=f"{leading / joins * 1e3:.2f} ms",
             redis=f"{micros / joins:.0f} µs", to_redis=f"{read / joins / 1024:.1f} KiB")
        before, count = state(), size
    drain.ended.set()
    cluster.end()
    shutil.rmtree(folder)


def partitions():
    """What an event costs each process when one application has 1,000 channels, with one leader and with leaders on three servers."""
    for count in (1, 6):
        cluster = Cluster(options=(*OPTIONS, "--partitions", str(count)))
        if count > 1:
            wait_until(lambda: are_spread(cluster, count), 60, "leaders to be spread")
        for batch in (1, 10):
            rate, times = measure(cluster, 1_000, SECONDS, batch)
            servers = {name: micros for name, micros in times.items() if name}
            show(f"partitions, {count}, {batch} in a request", events=f"{rate:.0f}/s", busiest=f"{max(servers.values()) / sum(servers.values()):.0%} of the servers",
                 all=f"{sum(times.values()):.0f} µs an event", redis=f"{times[None]:.0f} µs", **{
                     name: f"{micros:.0f} µs" for name, micros in servers.items()})
        cluster.end()


def spent(redis):
    """Calls and microseconds of each command of Redis so far, those that scripts call included."""
    found = {}
    for name, text in redis.info("commandstats").items():
        fields = dict(field.split("=") for field in text.split(","))
        found[name.removeprefix("cmdstat_")] = (int(fields["calls"]), int(fields["usec"]))
    return found


def scripts():
    """What the scripts cost in Redis: one operation at a time, so that each is a batch of its own."""
    cluster = Cluster(("a",), OPTIONS)
    port, redis = cluster.nodes["a"].port, cluster.redis
    api, client = ServerAPI(port), PusherSocket(port)
    client.subscribe("room")
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=10)

    def get(path):
        line.request("GET", path)
        line.getresponse().read()

    users = [f"u{number}" for number in range(100)]
    for user in ["ann", "ben", *users]:
        api.token(user)
    api.result("group-channel/create", {"userId": "ann", "groupId": "g", "groupName": "G", "memberUserIds": users})
    api.result("open-channel/create", {"channelId": "o", "destroyType": 1})
    text = {"fromUserId": "ann", "messageType": "RC:TxtMsg", "content": json.dumps({"content": "x" * 80})}

    # One connection may subscribe only so often.
    guests = {"c": PusherSocket(port), "p": PusherSocket(port)}

    def come_and_go(guest, channel, user=None):
        guest.ask(channel, user)
        guest.skip_to("pusher_internal:subscription_succeeded", channel)
        guest.unsubscribe(channel)
        guest.settled()

    def send(path, fields):
        while api.call(path, {**text, **fields})[0] == 429:
            time.sleep(0.05)

    body = urllib.parse.quote(json.dumps("x" * 100))
    operations = {
        "Pusher, an event": lambda number: cluster.nodes["a"].publish("room", "e", "x" * 100),
        "Pusher, a channel subscribed to and left": lambda number: come_and_go(guests["c"], f"c{number}"),
        "Pusher, a member who comes and goes": lambda number: come_and_go(guests["p"], "presence-p", {"user_id": f"u{number}"}),
        "PubNub, a message that is not stored": lambda number: get(f"/publish/demo/demo/0/room/0/{body}?uuid=u&store=0"),
        "PubNub, a message that is stored": lambda number: get(f"/publish/demo/demo/0/room/0/{body}?uuid=u&store=1"),
        "PubNub, a user who comes and goes": lambda number: (
            get(f"/v2/presence/sub-key/demo/channel/room/heartbeat?uuid=u{number}&heartbeat=60"),
            get(f"/v2/presence/sub-key/demo/channel/room/leave?uuid=u{number}")),
        "chat, a message to one": lambda number: send("direct-channel/message/send", {"toUserIds": ["ben"]}),
        "chat, a message to a group of 101": lambda number: send("group-channel/message/send", {"toGroupIds": ["g"]}),
        "chat, a message in an open channel": lambda number: send("open-channel/message/send", {"toChannelIds": ["o"]}),
    }
    for name, operation in operations.items():
        count = 50 if "member" in name else 300
        before = spent(redis)
        for number in range(count):
            operation(number)
        after = spent(redis)
        cost = {key: [(b - a) / count for a, b in zip(before.get(key, (0, 0)), value)] for key, value in after.items()}
        calls, micros = cost.pop("evalsha")
        inner = sorted(((each, key) for key, (_, each) in cost.items() if key not in ("ping", "info")), reverse=True)[:4]
        show(name, batches=f"{calls:.1f}", redis=f"{micros:.0f} µs", of_which=" ".join(f"{key} {each:.0f}" for each, key in inner if each >= 0.5))
    line.close()
    api.close()
    for socket in (client, *guests.values()):
        socket.drop()
    cluster.end()


if __name__ == "__main__":
    parts = (compare, spread, grow, repair, presence, partitions, scripts)
    for part in [part for part in parts if part.__name__ in sys.argv[4:]] or parts:
        part()
