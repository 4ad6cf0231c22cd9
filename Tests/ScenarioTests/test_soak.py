"""V1: WebSocket, long-poll and chat clients, four of each behind a fault proxy of its own that misbehaves at random, and the checker's
verdict; and two of each while the server is killed at random, and four of each on a cluster whose nodes and Redis fail at random.

`LIFELINE_SOAK_FAULTS` is the number of faults over all clients (60 by default, 500 for the long run), `LIFELINE_SOAK_SEED` replays the
choice of faults of an earlier run, which is printed.
"""

import os
import random
import signal
import threading
import time

import lifeline_harness
import pytest
from cluster_harness import Cluster, Redis, redis_program
from lifeline_harness import DETECT, Listener, Proxy, Publisher, Server, free_port, rest, verdict, wait_until
from chat_scenarios import ChatListener, ChatPublisher
from pubnub_scenarios import PubNubConnection, PubNubListener, PubNubPublisher

pytestmark = pytest.mark.alone
FAULTS = int(os.environ.get("LIFELINE_SOAK_FAULTS", "60"))
SEED = int(os.environ.get("LIFELINE_SOAK_SEED") or random.randrange(1 << 32))
CLIENTS = 4
RATE = 100
# An attempt that began in the dark may still run out its 3 s before the pause.
RECOVER = 3 + lifeline_harness.RECOVER
# The channel of each kind of client. Chat's is a group, so that everybody has an inbox for what was missed.
CHANNELS = {"socket": "room", "poll": "room", "chat": "group:room"}
KINDS = {"socket": (Listener, "live"), "poll": (PubNubListener, "recover"), "chat": (ChatListener, "recover")}


class Patient:
    """A client, its proxy, and what was done to it."""

    def __init__(self, kind, number, started, port, proxied=True):
        self.kind, self.name = kind, f"{kind}-{number}"
        listener, self.guarantee = KINDS[kind]
        self.proxy = started(Proxy, port) if proxied else None
        url = self.proxy.url if proxied else f"http://127.0.0.1:{port}"
        self.listener = started(listener, url, "--channel", CHANNELS[kind], name=self.name)
        self.random = random.Random(f"{SEED}-{self.name}")
        self.faults, self.problem = [], None

    @property
    def is_polling(self):
        return self.kind == "poll"

    def suffer(self, count):
        try:
            for _ in range(count):
                time.sleep(self.random.uniform(0.3, 1.5))
                self.fault()
        except Exception as error:  # Told by the test, which runs on another thread.
            self.problem = error

    def fault(self):
        """One fault, and back to health. `breaks` says that the client has to notice."""
        draw, proxy = self.random, self.proxy
        kind = draw.choice([
            "kill", "kill", "reset", "close", "refuse", "http", "blackhole", "stall", "delay", "fragment", "truncate"])
        # A young poll on a kept connection that breaks without an answer is repeated in silence.
        breaks, lasting = True, draw.uniform(0.3, 1.5)
        before = len(self.listener.statuses)
        t0 = time.monotonic()
        if kind == "kill":
            proxy.kill_links(draw.choice(["rst", "fin"]))
            breaks, lasting = not self.is_polling, 0
        elif kind == "refuse":
            proxy.mode("refuse")
            proxy.kill_links(draw.choice(["rst", "fin"]))
        elif kind == "http":
            proxy.mode("http", status=draw.choice([200, 302, 503, 511]))
        elif kind == "blackhole":
            lasting = draw.uniform(5, 6)
            proxy.mode("blackhole")
        elif kind == "stall":
            breaks, lasting = False, draw.uniform(0.2, 1)
            proxy.mode("stall", dir=draw.choice(["both", "down"]))
        elif kind == "delay":
            breaks = False
            proxy.mode("delay", ms=draw.randrange(20, 150))
        elif kind == "fragment":
            breaks = False
            proxy.mode("fragment", size=draw.randrange(20, 200))
        elif kind == "truncate":
            # So many bytes may not come in that time.
            breaks = False
            proxy.mode("truncate", after=draw.randrange(1, 4000), how=draw.choice(["fin", "rst"]), dir="down")
        else:
            proxy.mode(kind)
        time.sleep(lasting)
        t1 = proxy.mode("pass")
        self.faults.append({"t0": t0, "t1": t1, "kind": kind, "breaks": breaks, "sub": self.name})
        wait_until(
            lambda: self.is_well(t1) and (not breaks or len(self.listener.statuses) > before), 30,
            lambda: f"{self.name} well again after {kind}, seed {SEED}; {self.listener.statuses[before - 1:]}")

    def is_well(self, since):
        """Whether the client is connected and has had a message from after `since`."""
        for event in reversed(self.listener.events):
            if event["ev"] == "status":
                return False
            if event["ev"] == "msg":
                return event["t"] > since + 0.05
        return False


def sources(server, chatting, rate=RATE):
    """Who publishes to each kind of client; the group of the chat clients exists when this returns."""
    group, port = CHANNELS["chat"].split(":")[1], server.port
    return {
        "socket": Publisher(server, CHANNELS["socket"], rate=rate), "poll": PubNubPublisher(port, CHANNELS["poll"], rate=rate),
        "chat": ChatPublisher(port, "group", group, CHANNELS["chat"], rate=rate, members=chatting)}


def judge(patients, published, tmp_path, detect=DETECT, recover=RECOVER):
    for patient in patients:
        folder = tmp_path / patient.name
        folder.mkdir()
        result = verdict(
            folder, published[patient.kind], patient.listener, patient.faults, detect=detect, recover=recover,
            guarantee=patient.guarantee)
        print(
            f"{patient.name}: {result['verdict']}, {len(patient.faults)} faults, {result['delivered']}/{result['expected']} delivered,"
            f" {result['declared']} owned up to, detect {result['detect_s']}, recover {result['recover_s']}")
        assert result["delivered"] > 100, "a run that delivers nothing proves nothing"


def test_v1_random_faults(started, tmp_path):
    print(f"\nLIFELINE_SOAK_SEED={SEED} LIFELINE_SOAK_FAULTS={FAULTS}")
    server = started(Server)
    published = sources(server, [f"chat-{number}" for number in range(CLIENTS)])
    patients = [Patient(kind, number, started, server.port) for kind in KINDS for number in range(CLIENTS)]
    for patient in patients:
        patient.listener.wait_subscribed(CHANNELS[patient.kind], timeout=60)
    published["chat"].start()
    threads = [
        threading.Thread(target=patient.suffer, args=(FAULTS // len(patients),), daemon=True) for patient in patients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    time.sleep(1)
    for source in published.values():
        source.stop()
    time.sleep(1)
    assert not [patient.problem for patient in patients if patient.problem]
    judge(patients, published, tmp_path)


def test_v1_the_server_is_killed(started, tmp_path):
    """`kill -9` at random, with messages on disk: chat loses nothing at all, the others nothing that they do not own up to."""
    print(f"\nLIFELINE_SOAK_SEED={SEED}")
    chance = random.Random(f"{SEED}-kills")
    options = ("--data", str(tmp_path / "data"))
    server = started(Server, free_port(), *options)
    port = server.port
    published = sources(server, [f"chat-{number}" for number in range(CLIENTS)], rate=50)
    patients = [
        Patient(kind, number, started, port, proxied=False) for kind, count in (("socket", 1), ("poll", 1), ("chat", 3))
        for number in range(count)]
    for patient in patients:
        patient.listener.wait_subscribed(CHANNELS[patient.kind], timeout=60)
    published["chat"].start()
    for _ in range(max(FAULTS // 15, 4)):
        time.sleep(chance.uniform(0.5, 3))
        before = [len(patient.listener.statuses) for patient in patients]
        t0 = time.monotonic()
        assert server.end(signal.SIGKILL) == -signal.SIGKILL
        time.sleep(chance.uniform(0, 1))
        server = published["socket"].server = started(Server, port, *options)
        t1 = time.monotonic()
        for patient, told in zip(patients, before):
            patient.faults.append({"t0": t0, "t1": t1, "kind": "server killed", "breaks": True, "sub": patient.name})
            wait_until(
                lambda: patient.is_well(t1) and len(patient.listener.statuses) > told, 30,
                lambda: f"{patient.name} well again after a kill, seed {SEED}; {patient.listener.statuses[told - 1:]}")
    time.sleep(1)
    for source in published.values():
        source.stop()
    time.sleep(1)
    judge(patients, published, tmp_path)
    assert published["chat"].repeated > 0, "no send was cut off: the run proves nothing"


class Undecided:
    """A publish through the balancer whose 503 leaves open what was done: nobody knows, which is not the same as refused."""

    def __init__(self, port):
        self.port = port

    def publish(self, channel, event, data):
        try:
            status, text = rest(self.port, "POST", "/apps/1001/events", {"name": event, "channels": [channel], "data": data})
        except OSError:
            return None
        return True if status == 200 else False if "nothing was done" in text else None


class UndecidedConnection(PubNubConnection):
    def publish(self, channel, body):
        outcome, token = super().publish(channel, body)
        # The connection may lead to a node that has just gone: the next one asks the balancer again.
        if outcome is False:
            self.close()
        return outcome or None, token


class Decided:
    """The records of a publisher or the events of a listener without messages of which nobody knows what became of them.

    Such a message may be done late, behind those that were published after it: the checker would call that reordered.
    """

    def __init__(self, source, listener=None):
        final = {record["seq"]: record["ok"] for record in source.records}
        unknown = {sequence for sequence, outcome in final.items() if outcome is None}
        self.records = [record for record in source.records if record["seq"] not in unknown]
        if listener is not None:
            late = [event["data"]["seq"] for event in listener.of("msg") if event["data"]["seq"] in unknown]
            assert len(late) == len(set(late)), f"seen twice: {late}"
            self.events = [event for event in listener.events if event["ev"] != "msg" or event["data"]["seq"] not in unknown]


def ended(patient, fault):
    """The fault with its end for one client: one that went on at another node was well before all nodes were."""
    statuses = [event for event in patient.listener.of("status") if fault["t0"] <= event["t"] <= fault["t1"]]
    return {**fault, "t1": statuses[-1]["t"]} if statuses and statuses[-1]["status"] == "connected" else fault


def cluster_fault(cluster, chance):
    """One fault of a node, of Redis or of the way between, and back to health: which it was, and whether clients must notice."""
    name = chance.choice(sorted(cluster.nodes))
    kind = chance.choice(["kill", "stop", "freeze node", "kill Redis", "freeze Redis", "cut"])
    if kind in ("kill", "stop"):
        cluster.kill(name, signal.SIGKILL if kind == "kill" else signal.SIGTERM)
        time.sleep(chance.uniform(0, 2))
        cluster.begin(name)
    elif kind == "freeze node":
        cluster.freeze(name, True)
        time.sleep(chance.uniform(2, 12))
        cluster.freeze(name, False)
    elif kind == "kill Redis":
        cluster.redis.kill()
        time.sleep(chance.uniform(0, 1))
        cluster.redis.start()
    elif kind == "freeze Redis":
        cluster.redis.freeze(True)
        time.sleep(chance.uniform(0.5, 2))
        cluster.redis.freeze(False)
    else:
        cluster.redis.command("CLIENT", "KILL", "TYPE", chance.choice(["pubsub", "normal"]))
    wait_until(lambda: len(cluster.balancer.healthy) == len(cluster.nodes), 60, f"every node to be ready after {kind} {name}")
    wait_until(cluster.leader, 30, f"a leader after {kind} {name}")
    return f"{kind} {name}"


@pytest.mark.skipif(redis_program() is None, reason="no redis-server found: run Scripts/setup.sh test")
@pytest.mark.skipif("LIFELINE_SOAK_FAULTS" not in os.environ, reason="takes minutes: set LIFELINE_SOAK_FAULTS to the number of faults")
def test_v1_cluster(started, tmp_path):
    """Nodes and Redis fail at random: no client loses what was acknowledged without owning up to it, or sees it twice."""
    count = int(os.environ.get("LIFELINE_SOAK_FAULTS", "10"))
    print(f"\nLIFELINE_SOAK_SEED={SEED} LIFELINE_SOAK_FAULTS={count}")
    chance = random.Random(f"{SEED}-cluster")
    cluster = Cluster(redis=Redis(fsync="always"))
    published = {}
    try:
        port = cluster.balancer.port
        # An answer to a poll has at most 100 messages: that many come while a client waits for a node that is frozen.
        published = sources(Undecided(port), [f"chat-{number}" for number in range(CLIENTS)], rate=12)
        published["poll"].connection = UndecidedConnection(port)
        patients = [Patient(kind, number, started, port, proxied=False) for kind in KINDS for number in range(CLIENTS)]
        for patient in patients:
            patient.listener.wait_subscribed(CHANNELS[patient.kind], timeout=60)
        published["chat"].start()
        for _ in range(count):
            time.sleep(chance.uniform(0.5, 2))
            t0 = time.monotonic()
            kind = cluster_fault(cluster, chance)
            t1 = time.monotonic()
            print(f"{kind}: {t1 - t0:.1f} s", flush=True)
            for patient in patients:
                # Whether a client notices depends on where the balancer has sent it.
                patient.faults.append({"t0": t0, "t1": t1, "kind": kind, "breaks": False, "sub": patient.name})
                wait_until(
                    lambda: patient.is_well(t1), 60,
                    lambda: f"{patient.name} well again after {kind}, seed {SEED}; {patient.listener.statuses[-6:]}; the publisher:"
                            f" {getattr(published[patient.kind], 'problem', None)!r}")
        time.sleep(1)
        for source in published.values():
            source.stop()
        time.sleep(1)
        for patient in patients:
            patient.listener.kill()
            patient.faults = [ended(patient, fault) for fault in patient.faults]
            patient.listener = Decided(published[patient.kind], patient.listener)
        decided = {kind: Decided(source) for kind, source in published.items()}
        # A frozen node's clients notice when its connections are silent, which may be while the next fault is on.
        judge(patients, decided, tmp_path, detect=DETECT + 12, recover=RECOVER + 12)
    finally:
        # The test has ended by then, one way or the other: publishers that stopped already stop once more.
        try:
            for source in published.values():
                source.problem = None
                source.stop()
        finally:
            cluster.end()
