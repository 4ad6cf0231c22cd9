"""`lifeline data copy` from the Redis of a cluster to PostgreSQL or a directory: what clients of all services have stored is served from the copy
(rules DC-12 to DC-17).

Publishers and readers are written from the facts about PubNub's protocol and use nothing of ours.
"""

import http.client
import json
import signal
import sqlite3
import subprocess
import urllib.parse
import urllib.request

import pytest
from chat_client import ChatSession, ServerAPI
from cluster_harness import redis_program
from lifeline_harness import Server, lifeline, wait_until
from postgres_harness import Postgres, postgres_programs

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.skipif(redis_program() is None, reason="no redis-server found: run Scripts/setup.sh test")]
with_postgres = pytest.mark.skipif(
    postgres_programs() is None, reason="needs PostgreSQL's initdb, in the PATH or in /usr/lib/postgresql")
CHANNELS = [f"room.{number}" for number in range(12)]
KEYSETS = [f"key-{number}" for number in range(3)]
SHOPS = ["shop-0", "shop-1"]
CONFIGURATION = {
    "pubnub": [{"publishKey": f"pub-{key}", "subscribeKey": key, "secret": f"secret-of-{key}"} for key in KEYSETS],
    "nexconn": [{"key": key, "secret": "chat-secret"} for key in SHOPS]}


@pytest.fixture
def database():
    database = Postgres()
    yield database
    database.end()


@pytest.fixture
def config(tmp_path):
    path = tmp_path / "lifeline.json"
    path.write_text(json.dumps(CONFIGURATION))
    return str(path)


def ask(port, path, method="GET", body=None, headers=None):
    """The status and the JSON of an answer; its text where that is no JSON."""
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        link.request(method, path, body, headers or {})
        answer = link.getresponse()
        text = answer.read().decode()
    finally:
        link.close()
    try:
        return answer.status, json.loads(text)
    except ValueError:
        return answer.status, text


def accepted(*arguments, **options):
    status, answer = ask(*arguments, **options)
    assert status in (200, 204), (arguments, status, answer)
    return answer


def publish(port, key, channel, value, query=""):
    text = urllib.parse.quote(json.dumps(value), safe="")
    return str(accepted(port, f"/publish/pub-{key}/{key}/0/{channel}/0/{text}?uuid=p{query}")[2])


def upload(port, key, content):
    """The id of a file that was uploaded as a browser does it."""
    form = accepted(port, f"/v1/files/{key}/channels/room.0/generate-upload-url", "POST", b'{"name": "f.txt"}')
    fields = [(field["key"], field["value"]) for field in form["file_upload_request"]["form_fields"]]
    parts = [f'--X\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n' for name, value in fields]
    body = "".join(parts) + f'--X\r\nContent-Disposition: form-data; name="file"; filename="f.txt"\r\n\r\n{content}\r\n--X--\r\n'
    accepted(port, f"/v1/files/{key}/upload", "POST", body.encode(), {"Content-Type": "multipart/form-data; boundary=X"})
    return form["data"]["id"]


def content(port, key, file):
    """What the link to a file leads to."""
    link = f"http://127.0.0.1:{port}/v1/files/{key}/channels/room.0/files/{file['id']}/{file['name']}?uuid=u"
    with urllib.request.urlopen(link, timeout=30) as answer:
        return answer.read().decode()


def fill_pubnub(port):
    """Stores something of every kind in each keyset."""
    as_json = {"Content-Type": "application/json"}
    for key in KEYSETS:
        tokens = [publish(port, key, CHANNELS[number % 12], {"number": number, "text": "ünï\u0000☃"}) for number in range(240)]
        publish(port, key, "kept", "for a day", "&store=1&ttl=24")
        action = json.dumps({"type": "reaction", "value": "smile"})
        accepted(port, f"/v1/message-actions/{key}/channel/room.0/message/{tokens[0]}?uuid=ann", "POST", action, as_json)
        accepted(port, f"/v1/channel-registration/sub-key/{key}/channel-group/g?add=room.2,room.1&uuid=u")
        accepted(port, f"/v2/objects/{key}/uuids/ann", "PATCH", json.dumps({"name": "Ann"}), as_json)
        accepted(port, f"/v2/objects/{key}/channels/room.0", "PATCH", json.dumps({"name": "Room"}), as_json)
        members = json.dumps({"set": [{"uuid": {"id": "ann"}}]})
        accepted(port, f"/v2/objects/{key}/channels/room.0/uuids", "PATCH", members, as_json)
        accepted(port, f"/v1/push/sub-key/{key}/devices/{'0' * 63}1?add=room.0&type=fcm")
        upload(port, key, f"content of {key}")


def seen_of_pubnub(port):
    """What clients find."""
    seen = {}
    for key in KEYSETS:
        for channel in [*CHANNELS, "kept"]:
            seen[key, channel] = accepted(
                port, f"/v2/history/sub-key/{key}/channel/{channel}?count=100&reverse=true&include_token=true")[0]
        seen[key, "counts"] = accepted(
            port, f"/v3/history/sub-key/{key}/message-counts/{','.join(CHANNELS)}?timetoken=1")["channels"]
        seen[key, "actions"] = accepted(port, f"/v1/message-actions/{key}/channel/room.0?uuid=u")["data"]
        seen[key, "group"] = accepted(port, f"/v1/channel-registration/sub-key/{key}/channel-group/g?uuid=u")["payload"]["channels"]
        seen[key, "user"] = accepted(port, f"/v2/objects/{key}/uuids/ann")["data"]
        seen[key, "channel"] = accepted(port, f"/v2/objects/{key}/channels/room.0")["data"]
        seen[key, "members"] = accepted(port, f"/v2/objects/{key}/channels/room.0/uuids")["data"]
        seen[key, "push"] = accepted(port, f"/v1/push/sub-key/{key}/devices/{'0' * 63}1?type=fcm")
        seen[key, "files"] = files = accepted(port, f"/v1/files/{key}/channels/room.0/files?uuid=u")["data"]
        for file in files:
            assert content(port, key, file) == f"content of {key}"
    return seen


class Chat:
    """Two users of a chat application with messages, receipts and settings."""

    def __init__(self, port, key):
        self.key, self.api = key, ServerAPI(port, key, "chat-secret")
        self.tokens = {user: self.api.token(user, name=user.title()) for user in ("ann", "bob", "cid")}
        self.ann, self.bob = (self.session(port, user) for user in ("ann", "bob"))
        self.ann.ask("group.create", group={"id": "g", "name": "Group"}, users=["bob", "cid"])
        self.ids = [self.ann.say("g", f"group {number}", conv="group", receipt=True)["id"] for number in range(150)]
        own = [self.ann.say("bob", f"direct {number}")["id"] for number in range(20)]
        self.bob.wait(lambda: self.bob.texts().count("direct 19") == 1, what="the last message")
        self.bob.ask("receipt", conv="group", to="g", ids=self.ids[:30])
        self.ann.ask("recall", conv="direct", to="bob", id=own[3])
        self.ann.ask("edit", conv="direct", to="bob", id=own[4], content={"content": "edited"})
        self.bob.ask("delete", conv="direct", ch="ann", ids=[own[5]])
        self.bob.ask("set", conv="group", ch="g", pinned=True, level=5)
        self.place = self.bob.place

    def session(self, port, user, place=None):
        session = ChatSession(port, self.tokens[user], device=f"{self.key}-{user}", app_key=self.key)
        session.place = place
        # An acknowledged inbox does not come again.
        session.acknowledges = user != "cid"
        session.connect(reconnect=place is not None)
        return session

    def seen(self, port):
        """What the users find, and whether an inbox is continued where the device was."""
        # Cid was never there, so all of the inbox comes.
        sessions = {user: self.session(port, user, self.place if user == "bob" else None) for user in self.tokens}
        bob, cid = sessions["bob"], sessions["cid"]
        cid.wait(lambda: len(cid.texts()) == 150, 20, "the whole inbox")
        groups = bob.ask("history", conv="group", ch="g", limit=100)["messages"]
        found = {
            "group": groups + bob.ask("history", conv="group", ch="g", limit=100, before=groups[-1]["id"])["messages"],
            "direct": {user: sessions[user].ask("history", conv="direct", ch=other, limit=100)["messages"]
                       for user, other in (("ann", "bob"), ("bob", "ann"))},
            "inbox": cid.texts(), "lost": [bool(session.lost) for session in sessions.values()],
            "receipts": bob.ask("receipts", conv="group", to="g", ids=self.ids[:40])["items"],
            "settings": bob.ask("settings")["channels"], "groups": bob.ask("group.info", ids=["g"])["groups"],
            "resumed": bob.welcome["resumed"], "place": cid.place}
        for session in sessions.values():
            session.drop()
        return found

    def close(self):
        for session in (self.ann, self.bob):
            session.drop()
        self.api.close()


def copy(*arguments):
    done = subprocess.run([lifeline(), "data", "copy", *arguments], capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


def filled(clusters, config, partitions):
    """A cluster that was stopped, with what its clients found before: of PubNub, and of each chat application."""
    cluster = clusters(names=("a", "b"), options=("--config", config, "--partitions", partitions, "--log-level", "warning"))
    port = cluster.nodes["a"].port
    fill_pubnub(port)
    chats = [Chat(port, key) for key in SHOPS]
    before = seen_of_pubnub(cluster.nodes["b"].port)
    talks = [chat.seen(port) for chat in chats]
    code, _, errors = copy(cluster.redis.url, str(config) + ".nowhere")
    assert code == 1 and "stop all of them" in errors, errors
    for chat in chats:
        chat.close()
    for name in list(cluster.nodes):
        cluster.kill(name, signal.SIGTERM)
    return cluster, before, chats, talks


def same(chats, port, talks):
    """DC-19: Only the inboxes of the first partition that has chat are those that the devices know. All of them have everything."""
    continued = []
    for chat, before in zip(chats, talks):
        found = chat.seen(port)
        continued.append(found == before)
        if not continued[-1]:
            assert not found["resumed"]
        for name in set(before) - {"resumed", "place", "lost"}:
            assert found[name] == before[name], name
    assert any(continued)
    return continued


# Proof of DC-12, DC-15, DC-17.
@with_postgres
@pytest.mark.parametrize("partitions", ["1", "4"])
def test_a_cluster_goes_on_with_postgresql_beside_redis(clusters, database, config, partitions):
    cluster, before, chats, talks = filled(clusters, config, partitions)
    code, text, errors = copy(cluster.redis.url, database.url, "--beside-redis", "--json")
    assert code == 0, errors
    report = json.loads(text)
    rows = {table["table"]: table["targetRows"] for table in report["tables"]}
    assert report["equal"] and report["besideRedis"] and (report["leftOut"], report["fileContents"], report["copiedFileContents"]) == (0, 3, 0)
    assert rows["messages.message"] >= 3 * 241 and rows["messages.record"] >= 9 and rows["chat.receipt"] == 60
    assert int(database.run("SELECT count(*) FROM lifeline.message WHERE stored")) >= 3 * 241
    # Nobody starts without the database, and a second copy is not needed.
    alone = subprocess.run(
        [lifeline(), "serve", "--port", "0", "--redis", cluster.redis.url, "--partitions", partitions, "--config", config],
        capture_output=True, text=True, timeout=60)
    assert alone.returncode == 1 and "with PostgreSQL beside it" in alone.stderr, alone.stderr
    code, _, errors = copy(cluster.redis.url, database.url, "--beside-redis")
    assert code == 1 and "in PostgreSQL beside Redis" in errors, errors

    # What was copied is in the database, whatever Redis still has.
    for pattern in (":pubnub:h:", ":pubnub:groups:", ":pubnub:actions:", ":pubnub:access", ":chat:docs:", ":chat:in:", ":chat:h:", ":chat:e:"):
        for key in [key for key in cluster.redis.ask("KEYS", "*") if pattern in key]:
            cluster.redis.ask("DEL", key)
    cluster.options = (*cluster.options, "--data", database.url)
    for name in ("a", "b"):
        cluster.begin(name)
    wait_until(lambda: len(cluster.balancer.healthy) == 2, 60, "both servers to be ready")
    ports = [node.port for node in cluster.nodes.values()]
    for port in ports:
        assert seen_of_pubnub(port) == before
    continued = same(chats, ports[0], talks)
    assert partitions != "1" or all(continued)
    # Everything goes on behind what was copied.
    last = before[KEYSETS[0], "room.0"][-1]["timetoken"]
    token = publish(ports[1], KEYSETS[0], "room.0", "after")
    assert int(token) > int(last)
    assert accepted(ports[0], f"/v2/history/sub-key/{KEYSETS[0]}/channel/room.0?count=1")[0] == ["after"]
    assert cluster.balancer.publish("c", "e", "1")


# Proof of DC-5, DC-6, DC-12, DC-16.
def test_a_single_server_goes_on_with_a_directory(clusters, config, tmp_path, started):
    cluster, before, chats, talks = filled(clusters, config, "4")
    target = str(tmp_path / "data")
    code, text, errors = copy(cluster.redis.url, target, "--json")
    assert code == 0, errors
    report = json.loads(text)
    assert report["equal"] and (report["fileContents"], report["copiedFileContents"]) == (3, 3) and not report["besideRedis"]
    # Given again, it finds all rows; without some of them it writes these only.
    with sqlite3.connect(f"{target}/lifeline.sqlite") as rows:
        removed = rows.execute("DELETE FROM message WHERE channel IN ('room.3', 'room.4') AND stored").rowcount
    rows.close()
    assert removed == 3 * 40
    code, text, errors = copy(cluster.redis.url, target, "--json")
    assert code == 0, errors
    assert sum(table["copied"] for table in json.loads(text)["tables"]) == removed
    server = started(Server, 0, "--config", config, "--data", target)
    assert seen_of_pubnub(server.port) == before
    same(chats, server.port, talks)
    publish(server.port, KEYSETS[0], "room.0", "later")
    server.end()
    # What was stored since is other data.
    code, _, errors = copy(cluster.redis.url, target)
    assert code == 1 and "has other data already" in errors and "--continue" in errors, errors


# Proof of DC-9, DC-15.
def test_a_copy_from_redis_says_what_is_wrong(clusters, config, tmp_path):
    cluster = clusters(names=("a",), options=("--config", config, "--log-level", "warning"))
    target, url = str(tmp_path / "data"), cluster.redis.url
    # A leader that was killed may still be taken for one that runs, for the rest of its lease.
    cluster.kill("a", signal.SIGKILL)
    wait_until(lambda: copy(url, target)[0] == 0, 30, "the lease to end")
    for arguments, code, words in (
        ((url, target, "--redis-prefix", "other"), 1, "has no data of a cluster with the prefix other"),
        ((f"{url} redis://127.0.0.1:{cluster.redis.port}/1", target), 1, "has no data of a cluster"),
        ((url, target, "--beside-redis"), 2, "--beside-redis needs a PostgreSQL database as TO"),
        ((target, url), 2, "only `lifeline data copy` can read from Redis"),
        ((target, f"{target}-2", "--redis", url), 2, "are for a copy from Redis"),
        ((f"redis://user@127.0.0.1:{cluster.redis.port}", target), 2, "a user without a password"),
        (("redis://:wrong@127.0.0.1:1", target), 1, "cannot be reached"),
    ):
        found, _, errors = copy(*arguments)
        assert found == code and words in errors, (arguments, found, errors)
        assert "wrong" not in errors
