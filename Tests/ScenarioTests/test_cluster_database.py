"""A cluster whose servers have a PostgreSQL database beside Redis: what was acknowledged is in the database when a leader or Redis is lost, and
what the database does not take is refused (rules CR-60 to CR-64).

Publishers and readers are written from the facts about PubNub's protocol and use nothing of ours.
"""

import http.client
import json
import subprocess
import threading
import time
import urllib.parse
from concurrent.futures import ThreadPoolExecutor

import pytest
from cluster_fixtures import follower
from cluster_harness import Redis, redis_program
from lifeline_harness import lifeline, wait_until
from chat_client import ChatSession, Refused, ServerAPI
from postgres_harness import Postgres, postgres_programs

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.skipif(redis_program() is None, reason="no redis-server found: run Scripts/setup.sh test"),
    pytest.mark.skipif(postgres_programs() is None, reason="needs PostgreSQL's initdb, in the PATH or in /usr/lib/postgresql")]


@pytest.fixture
def database():
    database = Postgres()
    yield database
    database.end()


@pytest.fixture
def pair(clusters, database):
    """Two servers with a Redis and a database."""
    return clusters(names=("a", "b"), options=("--data", database.url, "--log-level", "warning"))


def ask(port, path, method="GET", body=None):
    """The status, the headers and the body of an answer; raises OSError or HTTPException when there is none."""
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        link.request(method, path, body)
        answer = link.getresponse()
        return answer.status, answer.headers, answer.read().decode()
    finally:
        link.close()


def publish(port, channel, value):
    """The status, and the timetoken of what was accepted."""
    text = urllib.parse.quote(json.dumps(value), safe="")
    status, _, body = ask(port, f"/publish/demo/demo/0/{channel}/0/{text}?uuid=p")
    return status, json.loads(body)[2] if status == 200 else None


def history(port, channel):
    """Every stored message of a channel with its timetoken, oldest first, page by page."""
    found, start = [], "0"
    while True:
        status, _, body = ask(
            port, f"/v2/history/sub-key/demo/channel/{channel}?count=100&reverse=true&include_token=true&start={start}")
        assert status == 200, body
        page = [(item["message"], str(item["timetoken"])) for item in json.loads(body)[0]]
        found += page
        if len(page) < 100:
            return found
        start = page[-1][1]


class Publisher(threading.Thread):
    """Publishes numbers one after the other through the servers in turns. `accepted` has the timetokens of those that were acknowledged."""

    def __init__(self, cluster, channel):
        super().__init__(daemon=True)
        self.cluster, self.channel = cluster, channel
        self.accepted, self.count = {}, 0
        self.ended = threading.Event()

    def run(self):
        while not self.ended.wait(0.01):
            self.count += 1
            ports = [node.port for node in list(self.cluster.nodes.values())]
            try:
                status, token = publish(ports[self.count % len(ports)], self.channel, self.count)
            except (OSError, http.client.HTTPException):
                continue
            if status == 200:
                self.accepted[self.count] = str(token)

    def end(self):
        self.ended.set()
        self.join(30)


class Reader(threading.Thread):
    """Polls one server, and goes on from its cursor."""

    def __init__(self, port, channel):
        super().__init__(daemon=True)
        self.port, self.channel = port, channel
        self.messages = []
        self.ended = threading.Event()
        self.cursor = json.loads(ask(port, f"/v2/subscribe/demo/{channel}/0?tt=0&uuid=r")[2])["t"]

    def run(self):
        while not self.ended.is_set():
            path = f"/v2/subscribe/demo/{self.channel}/0?tt={self.cursor['t']}&tr={self.cursor['r']}&uuid=r"
            try:
                status, _, body = ask(self.port, path)
            except (OSError, http.client.HTTPException):
                continue
            if status != 200:
                time.sleep(0.05)
                continue
            answer = json.loads(body)
            self.cursor = answer["t"]
            self.messages += [(message["d"], message["p"]["t"]) for message in answer["m"]]


# Proof of CR-60, CR-63.
def test_pages_have_what_redis_has_forgotten(pair, database):
    first, second = pair.nodes["a"].port, pair.nodes["b"].port
    sent = [(number, str(publish(first if number % 2 else second, "room", number)[1])) for number in range(250)]
    # Whatever Redis keeps of them: it has no history, and now not the last minutes either.
    assert not [key for key in pair.redis.ask("KEYS", "*") if ":pubnub:h:" in key], "a history is in Redis"
    assert pair.redis.ask("DEL", *[key for key in pair.redis.ask("KEYS", "*") if ":pubnub:q:" in key]) == 1
    for port in (first, second):
        assert history(port, "room") == sent, "a page has a hole, or a message twice"
        status, _, body = ask(port, f"/v3/history/sub-key/demo/message-counts/room?timetoken={sent[99][1]}")
        assert status == 200 and json.loads(body)["channels"] == {"room": 150}
    assert database.run("SELECT count(*) FROM lifeline.message WHERE stored") == "250"


# Proof of CR-61, CR-62.
def test_what_was_acknowledged_is_there_after_leaders_were_killed(pair, database):
    watcher = follower(pair)
    publisher, reader = Publisher(pair, "room"), Reader(pair.nodes[watcher].port, "room")
    publisher.start()
    reader.start()
    wait_until(lambda: len(publisher.accepted) > 100, 30, "messages before the end of the leader")
    pair.kill(wait_until(pair.leader, 20, "a leader"))
    assert wait_until(pair.leader, 30, "another leader") == watcher
    before = len(publisher.accepted)
    wait_until(lambda: len(publisher.accepted) > before + 100, 60, "messages of the next leader")
    publisher.end()
    stored = history(pair.nodes[watcher].port, "room")
    wait_until(lambda: len(reader.messages) >= len(stored), 20, lambda: f"{len(reader.messages)} of {len(stored)} messages were read")
    reader.ended.set()

    numbers = [number for number, _ in stored]
    assert numbers == sorted(set(numbers)), "a message is there twice, or in another order"
    assert dict(stored).items() >= publisher.accepted.items(), "an acknowledged message is missing, or has another timetoken"
    assert reader.messages == stored, "what a reader saw is not what was stored"
    assert database.run("SELECT count(*) FROM lifeline.message WHERE stored") == str(len(stored))


# Proof of CR-61, CR-64.
def test_what_the_database_does_not_take_is_refused(pair, database):
    ports = [node.port for node in pair.nodes.values()]
    assert publish(ports[0], "room", "before")[0] == 200
    database.stop()
    for port in ports:
        status, headers, _ = ask(port, "/publish/demo/demo/0/room/0/1?uuid=p")
        assert status == 503 and headers["Retry-After"] == "1"
        # What does not last goes on.
        assert ask(port, "/signal/demo/demo/0/room/0/1?uuid=p")[0] == 200
    for port in ports:
        answer = wait_until(lambda: (found := ask(port, "/ready"))[0] == 503 and found, 20, "a server that is not ready")
        assert "store" in answer[2]
        # A service that stores nothing meanwhile notices within a second.
        for service in ("pubnub", "chat"):
            away = f'lifeline_store_available{{service="{service}"}} 0'
            wait_until(lambda: away in ask(port, "/metrics")[2], 20, f"{away} of port {port}")
    database.start()
    for port in ports:
        wait_until(lambda: ask(port, "/ready")[0] == 200, 30, "a server that is ready")
        assert f'lifeline_store_available{{service="pubnub"}} 1' in ask(port, "/metrics")[2]
        assert publish(port, "room", "after")[0] == 200
    assert [message for message, _ in history(ports[1], "room")] == ["before", "after", "after"]


# Proof of CR-64.
def test_nobody_leads_without_the_database(pair, database):
    watcher = follower(pair)
    port = pair.nodes[watcher].port
    assert publish(port, "room", "before")[0] == 200
    database.stop()
    pair.kill(wait_until(pair.leader, 20, "a leader"))

    def failed():
        return sum("a service could not load its stored state" in line for line in pair.nodes[watcher].errors)

    wait_until(lambda: failed() > 1, 30, "two attempts to lead")
    begun, before = time.monotonic(), failed()
    wait_until(lambda: failed() > before + 2, 30, "further attempts")
    assert time.monotonic() - begun > 1.5, "elections follow each other at once"
    assert ask(port, "/ready")[0] == 503
    database.start()
    wait_until(lambda: ask(port, "/ready")[0] == 200, 30, "the server to lead")
    assert publish(port, "room", "after")[0] == 200
    assert [message for message, _ in history(port, "room")] == ["before", "after"]


# Proof of CR-60, CR-62.
def test_histories_survive_a_redis_that_comes_back_empty(clusters, database):
    redis = Redis(appendonly="no")
    pair = clusters(names=("a", "b"), options=("--data", database.url, "--log-level", "warning"), redis=redis)
    port = pair.nodes["a"].port
    first = str(publish(port, "room", 1)[1])
    redis.kill()
    redis.start()
    wait_until(lambda: len(pair.balancer.healthy) == 2, 60, "both servers to be ready")
    # What is refused meanwhile may be stored nevertheless, so each attempt has a number of its own.
    attempts = iter(range(2, 10_000))

    def accepted():
        number = next(attempts)
        token = publish(port, "room", number)[1]
        return token and (number, str(token))

    last = wait_until(accepted, 30, "a message to be accepted")
    stored = history(pair.nodes["b"].port, "room")
    assert stored[0] == (1, first) and stored[-1] == last
    assert [number for number, _ in stored] == sorted({number for number, _ in stored})


# Proof of CC-35, CC-36.
def test_chat_goes_on_with_the_next_leader(pair, database):
    watcher = follower(pair)
    port = pair.nodes[watcher].port
    api = ServerAPI(port)
    ann, bob = (ChatSession(port, api.token(user), device=user) for user in ("ann", "bob"))
    for session in (ann, bob):
        session.connect()
    ann.say("bob", "before")
    bob.wait(lambda: bob.texts() == ["before"], what="the first message")
    pair.kill(wait_until(pair.leader, 20, "a leader"))
    wait_until(pair.leader, 30, "another leader")
    ann.say("bob", "after", timeout=30)
    bob.wait(lambda: bob.texts() == ["before", "after"], what="the message of the next leader")
    # Also for who comes only now.
    late = ChatSession(port, api.token("bob"), device="late", device_class="desktop")
    late.connect()
    page = late.ask("history", conv="direct", ch="ann", limit=10)
    assert [message["content"]["content"] for message in page["messages"]] == ["after", "before"]
    assert database.run("SELECT count(*) FROM lifeline.event WHERE conversation IS NOT NULL") == "2"
    database.stop()
    with pytest.raises(Refused) as refusal:
        ann.say("bob", "meanwhile", timeout=30)
    assert refusal.value.code == 33002
    database.start()
    wait_until(lambda: ask(port, "/ready")[0] == 200, 30, "the server to be ready")
    ann.say("bob", "at last", timeout=30)
    bob.wait(lambda: bob.texts() == ["before", "after", "at last"], what="the message after the database came back")
    for session in (ann, bob, late):
        session.drop()
    api.close()


# Proof of CC-42, PG-39.
def test_applications_of_all_partitions_are_stored_in_one_table(clusters, database, tmp_path):
    keys = ["app-key", "demo", "app-1", "1001"]  # in the partitions 0 to 3, by the hash of CR-51
    config = tmp_path / "lifeline.json"
    config.write_text(json.dumps({"nexconn": [{"key": key, "secret": "chat-secret"} for key in keys]}))
    cluster = clusters(names=("a", "b"), options=(
        "--config", str(config), "--partitions", "4", "--data", database.url, "--log-level", "warning"))
    port = cluster.nodes["a"].port

    def sent(key):
        """The ids of the messages of an application, which are sent at the same time as those of the others."""
        api = ServerAPI(port, key, "chat-secret")
        ann = ChatSession(port, api.token("ann"), device=f"{key}-ann", app_key=key)
        ann.connect()
        ids = [int(ann.say("bob", str(number), timeout=30)["id"]) for number in range(100)]
        ann.drop()
        api.close()
        return ids

    with ThreadPoolExecutor(len(keys)) as pool:
        ids = list(pool.map(sent, keys))
    for number, own in enumerate(ids):
        assert own == sorted(own) and {id % 16 for id in own} == {number}
    assert database.run("SELECT count(*) FROM lifeline.event WHERE conversation IS NOT NULL") == "400"


# Proof of CR-60.
def test_a_server_without_the_database_does_not_join(pair):
    done = subprocess.run(
        [lifeline(), "serve", "--port", "0", "--redis", pair.redis.url, "--node", "c"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and "with PostgreSQL beside it" in done.stderr, done.stderr
