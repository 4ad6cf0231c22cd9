"""The keys that a cluster leaves in Redis, compared with those that docs/rules/limits.md lists."""

import json
import re
from pathlib import Path

import pytest
from cluster_harness import Redis, redis_program
from lifeline_harness import APP_ID, Server, rest, wait_until
from chat_client import ChatSession, ServerAPI
from pubnub.models.consumer.v3.channel import Channel
from pubnub.pubnub import PubNub
from pubnub_harness import SECRET_KEY, ask, configuration, publish
from pusher_client import PusherSocket

pytestmark = pytest.mark.skipif(redis_program() is None, reason="no redis-server found: run Scripts/setup.sh test")
LIMITS = Path(__file__).parents[2] / "docs" / "rules" / "limits.md"
PREFIX = "{lifeline:lifeline}:"
# Kinds that only faults, other limits or an examination of Redis leave.
RARE = {
    "applications", "loss", "doctor:RUN", "pusher:connections", "pusher:histories", "pusher:positions", "pubnub:trimmed:KEYSET", "pubnub:late:KEYSET", "pubnub:webhooks", "chat:reserved", "chat:l:HOUR:APP",
    "chat:webhooks", "pubnub:usage:KEYSET", "pubnub:order:KEYSET", "pubnub:sizes:KEYSET", "chat:usage:APP", "chat:order:APP", "chat:sizes:APP",
    "chat:changed:APP"}


def documented():
    """The kinds of keys in the table, each with the expression that its names match."""
    text = LIMITS.read_text().split("## Redis of a cluster")[1].split("\n## ")[0]
    kinds = {}
    for line in text.splitlines():
        first = line.split(" | ")[0]
        if line.startswith("| `"):
            for kind in re.findall(r"`([^`]+)`", first.split(" (")[0]):
                kinds[kind] = re.compile(re.sub(r"[A-Z]+", ".+", kind.replace("-", "\\-")) + r"\Z", re.S)
    return kinds


def kind_of(name, kinds):
    found = [kind for kind, pattern in kinds.items() if pattern.match(name)]
    # The kind with the longest fixed part, since names of channels may have any letters.
    return max(found, key=lambda kind: len(re.sub(r"[A-Z]+.*", "", kind)), default=None)


def use_pusher(port):
    with_member = PusherSocket(port)
    with_member.subscribe("presence-room", {"user_id": "ann"})
    with_member.signin({"id": "ann"})
    for channel in ("cache-news", "room"):
        assert rest(port, "POST", f"/apps/{APP_ID}/events", {"name": "e", "channel": channel, "data": "1"})[0] == 200
    other = PusherSocket(port)
    other.subscribe("presence-room", {"user_id": "bob"})
    other.signin({"id": "bob"})
    other.drop()
    return with_member


def use_pubnub(port):
    for channel in ("a", "b:c"):
        assert publish(port, channel, "stored", store="1").status == 200
    assert publish(port, "short", "expires", store="1", ttl="1").status == 200
    token = publish(port, "a", "noted", store="1").json[2]
    assert ask(port, "/v1/channel-registration/sub-key/demo/channel-group/g", add="a").status == 200
    assert ask(
        port, f"/v1/message-actions/demo/channel/a/message/{token}", "POST",
        json.dumps({"type": "reaction", "value": "smile"}).encode(), {"Content-Type": "application/json"}, uuid="u1").status == 200
    assert ask(
        port, "/v2/objects/demo/uuids/u1", "PATCH", json.dumps({"name": "n"}).encode(), {"Content-Type": "application/json"}).status == 200
    assert ask(port, "/v2/presence/sub-key/demo/channel/a/heartbeat", uuid="u1").status == 200
    upload = ask(port, "/v1/files/demo/channels/a/generate-upload-url", "POST", b'{"name": "f.txt"}').json
    fields = [(field["key"], field["value"]) for field in upload["file_upload_request"]["form_fields"]]
    parts = [f'--X\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n' for name, value in fields]
    body = "".join(parts) + '--X\r\nContent-Disposition: form-data; name="file"; filename="f.txt"\r\n\r\nhello\r\n--X--\r\n'
    assert ask(
        port, "/v1/files/demo/upload", "POST", body.encode(), {"Content-Type": "multipart/form-data; boundary=X"}).status == 204
    owner = PubNub(configuration(port, "owner", secret_key=SECRET_KEY))
    tokens = [owner.grant_token().channels([Channel.id("a").read()]).ttl(5).sync().result.get_token() for _ in range(2)]
    owner.revoke_token(tokens[0]).sync()
    return tokens + [value for name, value in fields if name == "Signature"]


def use_chat(port):
    api = ServerAPI(port)
    token = api.token("ann")
    session = ChatSession(port, token)
    session.connect()
    api.token("bob")
    sent = session.say("bob", "hello")
    reader = ChatSession(port, api.token("bob"))
    reader.connect()
    reader.wait_events(1)
    session.ask("open.enter", ch="r", count=1)
    return api, session, reader, sent, token


def test_every_kind_of_key_is_documented():
    """Whatever the services write has a row with its bound and its end, and each row is of a kind that there is. CC-33, CB-16: no key has a
    token or a signature."""
    redis = Redis(appendonly="no")
    server, kinds, found = None, documented(), set()

    def look():
        for name in redis.ask("KEYS", "*"):
            kind = kind_of(name.removeprefix(PREFIX), kinds) if name.startswith(PREFIX) else None
            assert kind, f"{name} is of no kind that limits.md lists"
            found.add(kind)
        return found >= set(kinds) - RARE

    try:
        server = Server(0, "--redis", redis.url, "--webhook", "http://127.0.0.1:9/hook")
        socket = use_pusher(server.port)
        # Those who have gone are only remembered for seconds.
        wait_until(lambda: look() or {"pusher:absences", "pusher:offline"} <= found, 20, "what is kept of members who went")
        secrets = use_pubnub(server.port)
        api, *sessions, sent, token = use_chat(server.port)
        mark(api, sessions, sent)
        wait_until(look, 20, lambda: f"keys of the kinds {sorted(set(kinds) - RARE - found)}")
        for secret in [*secrets, token]:
            assert not is_anywhere(redis, secret)
        assert is_anywhere(redis, "hello")
        for client in [socket, *sessions]:
            client.drop()
        api.close()
    finally:
        if server:
            server.kill()
        redis.end()


def is_anywhere(redis, words):
    """Whether the text is in any key or value."""
    script = """
        for _, key in ipairs(redis.call('KEYS', '*')) do
          local kind = redis.call('TYPE', key).ok
          local value = kind == 'hash' and redis.call('HGETALL', key) or kind == 'stream' and redis.call('XRANGE', key, '-', '+')
            or kind == 'set' and redis.call('SMEMBERS', key) or kind == 'zset' and redis.call('ZRANGE', key, 0, -1)
            or redis.call('GET', key)
          if string.find(key .. cjson.encode(value), ARGV[1], 1, true) then return 1 end
        end
        return 0"""
    return redis.ask("EVAL", script, "0", words) == 1


def mark(api, sessions, sent):
    """A receipt, a hidden message and a hidden conversation."""
    session, reader = sessions
    api.result("group-channel/create", {"groupId": "g", "groupName": "g", "userId": "ann", "memberUserIds": ["bob"]})
    said = session.say("g", "for all", conv="group", receipt=True)
    reader.wait_events(1, "msg")
    reader.ask("receipt", conv="group", to="g", ids=[said["id"]])
    reader.ask("delete", conv="direct", ch="ann", ids=[sent["id"]])
    session.ask("delete", conv="direct", ch="bob", before=int(sent["time"]) + 1_000)
