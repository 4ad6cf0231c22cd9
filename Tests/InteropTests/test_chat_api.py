"""The server API, by plain signed HTTP, as an application's own server would use it."""

import hashlib
import json
import socket
import time
import urllib.request
import uuid

import pytest
from lifeline_harness import Server
from chat_client import APP_KEY, APP_SECRET, ChatSession, Farewell, Refused, ServerAPI


# The signature

def test_a_signed_call(api):
    result = api.result("auth/access-token/issue", {"userId": "u1", "name": "Uma", "avatarUrl": "http://127.0.0.1/u.png"})
    assert result["userId"] == "u1" and result["accessToken"]
    user = api.result("user/get", {"userId": "u1"})
    assert (user["name"], user["avatarUrl"]) == ("Uma", "http://127.0.0.1/u.png") and isinstance(user["createdAt"], str)


def tampered(headers, name, value):
    return {**headers, name: value}


def test_every_forged_signature_is_refused_alike(api):
    texts = {}
    good = api.headers()
    forged = [good["Signature"][:n] + format(int(good["Signature"][n], 16) ^ 1, "x") + good["Signature"][n + 1:] for n in range(40)]
    forged += ["", good["Signature"][:-1], good["Signature"].upper(), good["Signature"] + "0", "0" * 40, "é" * 20]
    forged += [hashlib.sha1((secret + good["Nonce"] + good["Timestamp"]).encode()).hexdigest() for secret in ("", "x", "app-secret ")]
    for signature in forged:
        status, answer = api.call("user/get", {"userId": "u1"}, headers={**good, "Signature": signature.encode("utf-8")})
        assert status == 401 and answer["code"] != 0, (signature, status, answer)
        is_formed = len(signature) == 40 and set(signature.lower()) <= set("0123456789abcdef")
        texts.setdefault(is_formed, set()).add(answer["errorMessage"])
    # Nothing tells how close a signature is.
    assert len(texts[True]) == 1, texts


@pytest.mark.parametrize("change", [
    {"App-Key": "nobody"}, {"App-Key": ""}, {"Nonce": "changed"}, {"Timestamp": "0"}, {"Timestamp": "soon"}, {"Timestamp": "-1"}])
def test_headers_that_do_not_fit(api, change):
    status, answer = api.call("user/get", {"userId": "u1"}, headers={**api.headers(), **change})
    assert status in (400, 401) and answer["code"] != 0


@pytest.mark.parametrize("missing", ["App-Key", "Nonce", "Timestamp", "Signature"])
def test_headers_that_are_missing(api, missing):
    headers = {name: value for name, value in api.headers().items() if name != missing}
    status, answer = api.call("user/get", {"userId": "u1"}, headers=headers)
    assert status in (400, 401) and missing.lower() in answer["errorMessage"].lower()


@pytest.mark.parametrize("seconds", [-3600, 3600])
def test_a_clock_that_is_far_off(api, seconds):
    headers = api.headers(timestamp=int((time.time() + seconds) * 1000))
    status, answer = api.call("user/get", {"userId": "u1"}, headers=headers)
    assert status == 401 and "clock" in answer["errorMessage"].lower()


@pytest.mark.parametrize("raw", [b"", b"{", b"[]", b"null", b'"x"', b"\xff\xfe", b'{"userId":5}', b'{"userId":""}', b'{"userid":"u1"}'])
def test_bodies_that_are_wrong(api, raw):
    status, answer = api.call("user/get", raw=raw)
    assert status == 400 and answer["code"] != 0 and answer["errorMessage"]


def test_paths_that_do_not_exist(api):
    for path in ("", "user", "user/get/more", "../health", "user/%2e%2e/get", "nothing/here", "user//get"):
        status, answer = api.call(path, {"userId": "u1"})
        assert status == 404 and answer["code"] != 0, path
    status, _ = api.call("user/get", method="GET", raw=b"")
    assert status in (404, 405)


def test_a_body_that_is_too_large(api):
    api.token("u1")
    status, answer = api.call("user/update", {"userId": "u1", "name": "x" * 10_000_000})
    assert status in (400, 413)
    api.close()
    assert api.result("user/get", {"userId": "u1"})


def test_headers_cannot_be_injected(api, server):
    with socket.create_connection(("127.0.0.1", server.port), timeout=5) as line:
        line.sendall(b"POST /v4/user/get HTTP/1.1\r\nHost: x\r\nApp-Key: a\r\nX-Request-ID: a\x0bb\r\nContent-Length: 2\r\n\r\n{}")
        head = line.recv(4096)
    assert b"Set-Cookie" not in head and head.startswith(b"HTTP/1.1 4")


def test_rate_limits(api, tmp_path):
    # The first hundred calls of a second are answered at any speed. What is beyond a rate depends on the speed of the machine with 100 a
    # second, not with one.
    assert {api.call("user/get", {"userId": "nobody-there"})[0] for _ in range(100)} == {404}
    config = tmp_path / "lifeline.json"
    config.write_text(json.dumps({"nexconn": [{"key": APP_KEY, "secret": APP_SECRET, "limits": {"callsPerSecond": 1}}]}))
    server = Server(0, "--config", str(config))
    limited = ServerAPI(server.port)
    try:
        answers = [limited.call("user/get", {"userId": "nobody-there"}) for _ in range(50)]
        refused = [answer for status, answer in answers if status == 429]
        assert refused and all(answer["code"] != 0 and answer["errorMessage"] for answer in refused)
        assert limited.token("u1"), "another address has its own limit"
    finally:
        limited.close()
        server.kill()


# Tokens and accounts

def test_tokens_expire(api, server, online):
    session = online("u1")
    old = session.token
    time.sleep(0.02)
    api.result("auth/access-token/expire", {"userIds": ["u1"], "expiresAt": int(time.time() * 1000)})
    assert session.wait_bye()["code"] == 31020
    for token, code in ((old, 31020), ("nonsense", 31004)):
        with pytest.raises(Farewell) as farewell:
            ChatSession(server.port, token).connect()
        assert (farewell.value.code, farewell.value.retry) == (code, False)
    time.sleep(0.02)
    fresh = ChatSession(server.port, api.token("u1"))
    fresh.connect()
    fresh.drop()


def test_several_tokens_are_good_at_a_time(api, server):
    tokens = {api.token("u1") for _ in range(3)}
    assert len(tokens) == 3
    for token in tokens:
        session = ChatSession(server.port, token)
        assert session.connect()["user"] == "u1"
        session.drop()


def test_a_ban_ends_the_session_and_an_unban_lifts_it(api, server, online):
    session = online("u1")
    api.result("user/ban", {"userIds": ["u1"], "durationMinutes": 10})
    assert session.wait_bye()["code"] == 31011
    banned = api.result("user/ban/list", {"page": 1, "pageSize": 50})["bannedUsers"]
    assert [user["userId"] for user in banned] == ["u1"] and banned[0]["banExpiresAt"]
    with pytest.raises(Farewell) as farewell:
        session.connect()
    assert farewell.value.code == 31009
    api.result("user/unban", {"userIds": ["u1"]})
    session.connect()


def test_deactivation(api, online):
    session = online("u1")
    api.result("user/deactivate", {"userIds": ["u1"]})
    assert session.wait_bye()["code"] == 31029
    with pytest.raises(Farewell) as farewell:
        session.connect()
    assert farewell.value.code == 31029
    api.result("user/reactivate", {"userIds": ["u1"]})
    session.connect()


def test_connection_status(api, online):
    api.token("u1")
    assert api.result("user/connection-status/get", {"userId": "u1"})["status"] == "offline"
    session = online("u1")
    assert api.result("user/connection-status/get", {"userId": "u1"})["status"] == "online"
    session.drop()


# Messages

def test_direct_messages(api, online):
    a, b = online("a"), online("b")
    result = api.result("direct-channel/message/send", {
        "fromUserId": "boss", "toUserIds": ["a", "b"], "messageType": "RC:TxtMsg", "content": json.dumps({"content": "hello"})})
    ids = {item["userId"]: item["messageId"] for item in result["messageIds"]} if isinstance(result, dict) and "messageIds" in result else None
    events = {"a": a.wait_events(1)[0], "b": b.wait_events(1)[0]}
    for user, event in events.items():
        assert (event["from"], event["to"], event["conv"], event["content"]) == ("boss", user, "direct", {"content": "hello"})
        assert ids is None or ids[user] == event["id"]


def test_a_content_that_is_no_json_object(api):
    for content in ("hello", "[1]", "", "{", 5, None, {"content": "x"}):
        status, answer = api.call("direct-channel/message/send", {
            "fromUserId": "boss", "toUserIds": ["a"], "messageType": "RC:TxtMsg", "content": content})
        assert status == 400 and "content" in answer["errorMessage"], content


def test_group_messages_and_recall(api, online):
    a, b = online("a"), online("b")
    group = "g" + uuid.uuid4().hex[:6]
    a.ask("group.create", group={"id": group, "name": "G"}, users=["b"])
    api.result("group-channel/message/send", {
        "fromUserId": "a", "toGroupIds": [group], "messageType": "app:note", "content": "{\"n\":1}"})
    event = b.wait_events(1, "msg")[0]
    assert (event["conv"], event["to"], event["type"], event["content"]) == ("group", group, "app:note", {"n": 1})
    history = api.result("group-channel/history-message/list", {"userId": "a", "groupId": group, "channelId": group})
    assert event["id"] in json.dumps(history)
    api.result("message/delete", {
        "fromUserId": "a", "targetId": group, "channelId": group, "channelType": "GROUP", "messageId": event["id"]})
    assert b.wait_events(1, "recall")[0]["id"] == event["id"]


def test_open_channel_messages(api, online):
    a = online("a")
    a.ask("open.enter", ch="lobby", count=0)
    api.result("open-channel/message/send", {
        "fromUserId": "boss", "toChannelIds": ["lobby"], "messageType": "RC:TxtMsg", "content": "{\"content\":\"hi\"}"})
    assert a.wait_transient("msg")[0]["content"] == {"content": "hi"}


def test_offline_users_get_it_later(api, server):
    api.token("a")
    api.result("direct-channel/message/send", {
        "fromUserId": "boss", "toUserIds": ["a"], "messageType": "RC:TxtMsg", "content": "{\"content\":\"later\"}"})
    session = ChatSession(server.port, api.token("a"))
    session.connect()
    assert session.wait_events(1)[0]["content"] == {"content": "later"}
    session.drop()


def test_the_bridge_joins_public_channels_of_one_name(started):
    """`serve --bridge`: what Pusher's REST API publishes reaches an open channel of chat, and the other way round by PubNub's history."""
    server = started(Server, 0, "--bridge")
    api = ServerAPI(server.port)
    session = ChatSession(server.port, api.token("u1"))
    session.connect()
    session.ask("open.enter", ch="lobby", count=0)
    assert server.publish("lobby", "price", json.dumps({"company": "ACME"}))
    assert server.publish("private-lobby", "price", json.dumps({"company": "hidden"}))
    message = session.wait_transient("msg")[0]
    assert (message["type"], message["content"], message["bridge"]) == ("price", {"company": "ACME"}, "pusher")
    session.say("lobby", "hello", conv="open")
    with urllib.request.urlopen(f"http://127.0.0.1:{server.port}/v2/history/sub-key/demo/channel/lobby?count=10", timeout=5) as answer:
        stored = json.load(answer)[0]
    assert {"company": "ACME"} in stored and any("hello" in json.dumps(item) for item in stored)
    assert len(session.transient) == len([e for e in session.transient if e["k"] != "msg"]) + 1, "an echo came back over the bridge"
    session.drop()
    api.close()
