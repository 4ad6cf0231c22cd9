"""What a hostile client of the chat session or the server API can do, and what must not come of it (X1 to X14 where they apply)."""

import base64
import hashlib
import json
import os
import random
import socket
import threading
import time

import pytest
import websocket
from lifeline_harness import GRACE, Server
from chat_client import APP_SECRET, PATH, SUBPROTOCOL, ChatSession, Farewell, Lost, Refused, ServerAPI


def test_forged_tokens_open_nothing(server, api):
    """X1: 500 tokens that are nearly right, and the same answer for all of them."""
    good, chance = api.token("victim"), random.Random(1)
    forged = [good[:-1], good + "A", good.swapcase(), good[::-1], "", " " + good, good + "\n", "null"]
    while len(forged) < 500:
        place = chance.randrange(len(good))
        changed = good[:place] + chance.choice("ABCDEFabcdef0123456789-_") + good[place + 1:]
        if changed != good:
            forged.append(changed)
    answers = set()
    for token in forged:
        with pytest.raises(Farewell) as farewell:
            ChatSession(server.port, token).connect()
        answers.add(str({key: farewell.value.args[0].count(key) for key in ("31004",)}))
        assert farewell.value.code == 31004
    assert len(answers) == 1


NAMES = [
    "with space", "a/b", "../../etc/passwd", "%2e%2e", "a,b", "ünï☃", "а-cyrillic", "a" * 64, "'; DROP TABLE users; --", "a%00b", "a&b=c",
    "<script>", "a:b", "*", "a-pnpres", "private-x", "{}", "\\", '"']


def test_names_stay_what_they_are(api, online):
    """X7: every name is either refused or means exactly itself."""
    watcher = online("watcher")
    for name in NAMES:
        session = online(name)
        session.say("watcher", name)
        session.drop()
    watcher.wait_events(len(NAMES))
    assert [(event["from"], event["content"]["content"]) for event in watcher.events] == [(name, name) for name in NAMES]
    for name in NAMES:
        page = watcher.ask("history", conv="direct", ch=name)["messages"]
        assert [message["from"] for message in page] == [name]


@pytest.mark.parametrize("name", ["", "a" * 65, "a\nb", "a\r\nX: y", "a\x00b", "a\x1fb", "\x7f"])
def test_names_that_cannot_be(api, online, name):
    status, answer = api.call("auth/access-token/issue", {"userId": name, "name": "n", "avatarUrl": ""})
    assert status == 400 and answer["code"] != 0
    session = online("u1")
    for kind, members in (
            ("send", {"cid": "c", "conv": "direct", "to": name, "type": "T", "content": {}}), ("open.enter", {"ch": name, "count": 0}),
            ("group.create", {"group": {"id": name, "name": "n"}, "users": []})):
        with pytest.raises(Refused):
            session.ask(kind, **members)
    assert session.say("u2", "still here")["id"]


def test_nobody_reads_what_is_not_theirs(api, online):
    """X4: without membership there is no message, no history, no list of members, and nothing to change."""
    a, b, eve = online("a"), online("b"), online("eve")
    a.ask("group.create", group={"id": "g", "name": "g"}, users=["b"])
    secret = a.say("g", "secret", conv="group")["id"]
    private = a.say("b", "private")["id"]
    b.wait_events(2, "msg")
    for kind, members in (
            ("history", {"conv": "group", "ch": "g"}), ("group.members", {"id": "g"}), ("group.kick", {"id": "g", "users": ["a"]}),
            ("recall", {"conv": "group", "to": "g", "id": secret}), ("edit", {"conv": "group", "to": "g", "id": secret, "content": {}}),
            ("meta", {"conv": "group", "to": "g", "id": secret, "set": {"a": "b"}, "del": []}),
            ("recall", {"conv": "direct", "to": "a", "id": private}), ("edit", {"conv": "direct", "to": "b", "id": private, "content": {}}),
            ("receipts", {"conv": "group", "to": "g", "ids": [secret]}), ("receipt.users", {"conv": "group", "to": "g", "id": secret}),
            ("group.update", {"id": "g", "set": {"name": "mine"}}), ("group.dismiss", {"id": "g"}),
            ("group.transfer", {"id": "g", "user": "eve", "leave": False}), ("group.admins", {"id": "g", "add": ["eve"], "remove": []})):
        with pytest.raises(Refused) as refusal:
            answer = eve.ask(kind, **members)
            print(kind, answer)
        assert refusal.value.code != 0, kind
    assert eve.ask("history", conv="direct", ch="b")["messages"] == []
    assert [event["k"] for event in eve.events] == []
    assert [m["id"] for m in b.ask("history", conv="group", ch="g")["messages"] if m["type"] == "RC:TxtMsg"] == [secret]


def test_a_random_crowd_hears_only_what_it_may(api, online):
    """X5: 12 users, 6 groups, 6 open channels, random messages; everybody gets exactly what the model says."""
    chance = random.Random(7)
    users = [f"u{n}" for n in range(12)]
    sessions = {user: online(user) for user in users}
    members, open_members = {}, {}
    for n in range(6):
        owner, others = users[n], chance.sample(users[6:], 3)
        sessions[owner].ask("group.create", group={"id": f"g{n}", "name": "g"}, users=others)
        members[f"g{n}"] = [owner, *others]
        open_members[f"o{n}"] = chance.sample(users, 4)
        for user in open_members[f"o{n}"]:
            sessions[user].ask("open.enter", ch=f"o{n}", count=0)
    inbox, live = {user: [] for user in users}, {user: [] for user in users}
    for n in range(300):
        conv = chance.choice(["direct", "group", "open"])
        sender = chance.choice(users)
        if conv == "direct":
            to = chance.choice([user for user in users if user != sender])
            audience = [to]
        else:
            to = chance.choice(list(members if conv == "group" else open_members))
            audience = (members if conv == "group" else open_members)[to]
            if sender not in audience:
                with pytest.raises(Refused):
                    sessions[sender].say(to, "no", conv=conv)
                continue
        sessions[sender].say(to, f"m{n}", conv=conv)
        for user in audience:
            if user != sender:
                (live if conv == "open" else inbox)[user].append(f"m{n}")
    for user, session in sessions.items():
        session.wait_events(len(inbox[user]), "msg")
        session.wait(lambda: len([e for e in session.transient if e["k"] == "msg"]) >= len(live[user]), what="the open channels' messages")
    time.sleep(0.2)  # What must not come would come now.
    for user, session in sessions.items():
        assert session.texts() == inbox[user]
        assert [e["content"]["content"] for e in session.transient if e["k"] == "msg" and e["from"] != user] == live[user]


def test_too_much_of_everything(server, api, online):
    """X9: sizes and numbers beyond the limits are refused, and others do not notice."""
    session, other = online("u1"), online("u2")
    for kind, members in (
            ("user.subscribe", {"users": [f"x{n}" for n in range(201)], "expiry": 600}), ("user.get", {"users": [f"x{n}" for n in range(101)]}),
            ("receipts", {"conv": "direct", "to": "u2", "ids": [str(n) for n in range(101)]}),
            ("group.info", {"ids": [f"g{n}" for n in range(21)]}), ("user.update", {"name": "x" * 100_000}),
            ("open.enter", {"ch": "o", "count": 51}), ("open.enter", {"ch": "o", "count": 0, "extra": "x" * 129}),
            ("user.subscribe", {"users": ["a"], "expiry": 59}),
            ("send", {"cid": "c" * 65, "conv": "direct", "to": "u2", "type": "T", "content": {}}),
            ("send", {"cid": "c", "conv": "direct", "to": "u2", "type": "T" * 33, "content": {}}),
            ("send", {"cid": "c", "conv": "direct", "to": "u2", "type": "T", "content": {}, "meta": {"k" * 33: "v"}}),
            ("send", {"cid": "c", "conv": "direct", "to": "u2", "type": "T", "content": {}, "meta": {"k": "v" * 4097}})):
        with pytest.raises(Refused):
            session.ask(kind, **members)
    deep = '{"t":"send","n":900,"cid":"d","conv":"direct","to":"u2","type":"T","content":' + '{"a":' * 20_000 + "1" + "}" * 20_000 + "}"
    session.send(deep)
    with pytest.raises(Refused) as refusal:
        session.answer(0)  # Nobody knows the number of what cannot be read.
    assert refusal.value.code == 33003
    assert session.say("u3", "still here")["id"]
    assert other.say("u3", "unharmed")["id"]


@pytest.fixture
def impatient(monkeypatch):
    """For a server that waits for requests and hellos as long as this and not ten seconds."""
    monkeypatch.setenv("LIFELINE_REQUEST_TIMEOUT", "4")
    return 4


def test_slow_and_half_open_peers_do_not_stop_the_others(impatient, server, api, online):
    """X10: half handshakes, sessions that never say hello, and readers that never read."""
    lines = []
    for n in range(200):
        line = socket.create_connection(("127.0.0.1", server.port), timeout=30)
        line.sendall([b"GET /nexconn/v1 HT", b"POST /v4/user/get HTTP/1.1\r\nContent-Length: 100\r\n\r\n{", b""][n % 3])
        lines.append(line)
    silent = [
        websocket.create_connection(f"ws://127.0.0.1:{server.port}{PATH}", timeout=60, subprotocols=[SUBPROTOCOL]) for _ in range(20)]
    begun = time.monotonic()
    session = online("u1")
    assert time.monotonic() - begun < GRACE
    assert session.say("u2", "through")["id"]
    for line in silent:
        bye = json.loads(line.recv())  # not later than four seconds after the upgrade
        assert bye["code"] == 31025
        line.close()
    assert time.monotonic() - begun < impatient + 5 * GRACE
    for line in lines:
        line.close()


def test_secrets_stay_out_of_logs(started):
    """X11: everything that a server says at its most talkative, searched for secrets in several spellings."""
    server = started(Server, 0, "--log-level", "trace")
    api = ServerAPI(server.port)
    token = api.token("u1")
    session = ChatSession(server.port, token)
    session.connect()
    payload = "payload-" + os.urandom(8).hex()
    session.say("u2", payload)
    with pytest.raises(Farewell):
        ChatSession(server.port, token + "x").connect()
    headers = api.headers()
    api.call("user/get", {"userId": "u1"}, headers={**headers, "Signature": "0" * 40})
    api.call("user/get", {"userId": payload}, headers=headers)
    session.drop()
    api.close()
    server.end()
    said = "\n".join(server.lines + server.errors)
    assert "u1" in said or "session" in said, "nothing was logged: the test proves nothing"
    for secret in (APP_SECRET, token, payload, headers["Signature"], "0" * 40):
        for spelling in (secret, base64.b64encode(secret.encode()).decode(), hashlib.sha1(secret.encode()).hexdigest(), secret[:-1]):
            assert spelling not in said, spelling


def test_a_storm_of_connections(server, api):
    """X10: 1,500 connections that come and go leave the server as it was."""
    token = api.token("u1")

    def storm():
        for n in range(150):
            try:
                line = socket.create_connection(("127.0.0.1", server.port), timeout=5)
                if n % 2:
                    line.sendall(b"GET /nexconn/v1 HTTP/1.1\r\nHost: x\r\n")
                line.close()
            except OSError:
                pass

    threads = [threading.Thread(target=storm) for _ in range(10)]
    before = len(os.listdir(f"/proc/{server.process.pid}/fd"))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    session = ChatSession(server.port, token)
    assert session.connect()["user"] == "u1"
    session.drop()
    end = time.monotonic() + 30
    while len(os.listdir(f"/proc/{server.process.pid}/fd")) > before + 5:
        assert time.monotonic() < end, "descriptors were not given back"
        time.sleep(0.1)
