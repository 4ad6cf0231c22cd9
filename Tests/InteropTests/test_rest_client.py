"""PyPI `pusher`, the vendor's own server library, against `lifeline serve`."""

import hashlib
import hmac
import json
import subprocess

import pusher
import pytest
from lifeline_harness import APP_ID, KEY, SECRET, Listener, Server, lifeline, rest
from pusher_client import PusherSocket
from web_host import MASTER_KEY, WebHost


@pytest.fixture
def client(server):
    return pusher.Pusher(app_id=APP_ID, key=KEY, secret=SECRET, host="127.0.0.1", port=server.port, ssl=False)


@pytest.fixture
def listen(server, started):
    def start(*channels, **named):
        words = [word for channel in channels for word in ("--channel", channel)]
        listener = started(Listener, server.url, *words, *named.pop("options", ()), **named)
        for channel in channels:
            listener.wait_subscribed(channel)
        return listener

    return start


def test_trigger_reaches_a_subscriber(client, listen):
    listener = listen("room")
    assert client.trigger("room", "new-price", {"company": "ACME", "price": 3}) == {}
    listener.wait_messages(1)
    message = listener.of("msg")[0]
    assert (message["ch"], message["event"], message["data"]) == ("room", "new-price", {"company": "ACME", "price": 3})


def test_trigger_to_many_channels(client, listen):
    channels = [f"room-{i}" for i in range(10)]
    listener = listen(*channels)
    client.trigger(channels, "tick", "plain text, not JSON")
    listener.wait_messages(10)
    assert {m["ch"] for m in listener.of("msg")} == set(channels)
    assert all(m["data"] == "plain text, not JSON" for m in listener.of("msg"))


def test_trigger_batch_keeps_order(client, listen):
    listener = listen("room")
    client.trigger_batch([{"channel": "room", "name": "tick", "data": {"i": i}} for i in range(10)])
    listener.wait_messages(10)
    assert [m["data"]["i"] for m in listener.of("msg")] == list(range(10))


def test_channels_and_channel_info(client, listen):
    listen("room", "presence-lobby", options=("--user", "u1"))
    assert set(client.channels_info()["channels"]) == {"room", "presence-lobby"}
    counted = client.channels_info("presence-", ["user_count"])
    assert counted["channels"]["presence-lobby"]["user_count"] == 1
    assert client.channel_info("room")["occupied"] is True
    assert client.channel_info("nobody")["occupied"] is False
    assert client.channel_info("presence-lobby", ["user_count"])["user_count"] == 1
    assert client.users_info("presence-lobby")["users"] == [{"id": "u1"}]


def test_bad_parameters_are_the_clients_own_error_types(client):
    with pytest.raises(pusher.errors.PusherBadRequest):
        client.users_info("room")
    with pytest.raises(pusher.errors.PusherBadRequest):
        client.channels_info("room-", ["user_count"])


def test_a_wrong_secret_is_refused(server):
    wrong = pusher.Pusher(app_id=APP_ID, key=KEY, secret="wrong", host="127.0.0.1", port=server.port, ssl=False)
    with pytest.raises(pusher.errors.PusherBadAuth):
        wrong.trigger("room", "tick", "{}")


def test_authenticate_makes_signatures_that_the_server_accepts(client, server, started):
    """A tiny auth endpoint made of the vendor's library; our client subscribes through it."""
    host = started(WebHost)
    listener = started(
        Listener, server.url, "--auth-endpoint", f"{host.url}/pusher/auth", "--channel", "private-a", "--channel", "presence-b",
        secret=None)
    listener.wait_subscribed("private-a")
    listener.wait_subscribed("presence-b")
    assert client.users_info("presence-b")["users"] == [{"id": "u7"}]
    assert {form["channel_name"] for _, form, _ in host.asked} == {"private-a", "presence-b"}
    assert all(fields["Content-Type"].startswith("application/x-www-form-urlencoded") for _, _, fields in host.asked)


def test_encrypted_triggers_are_readable_with_the_shared_secret_only(client, server, started):
    host, channel = started(WebHost), "private-encrypted-orders"
    listener = started(
        Listener, server.url, "--auth-endpoint", f"{host.url}/pusher/auth", "--channel", channel, secret=None)
    listener.wait_subscribed(channel)
    stranger = started(PusherSocket, server.port)
    stranger.subscribe(channel)
    sender = pusher.Pusher(
        app_id=APP_ID, key=KEY, secret=SECRET, host="127.0.0.1", port=server.port, ssl=False,
        encryption_master_key_base64=MASTER_KEY)
    data = {"item": "tea", "qty": 2, "note": "grüße"}
    assert sender.trigger(channel, "order", data) == {}
    sender.trigger_batch([{"channel": channel, "name": "order", "data": data}])
    listener.wait_messages(2)
    assert [(m["event"], m["data"]) for m in listener.of("msg")] == [("order", data)] * 2
    seen = json.loads(stranger.wait("order", channel)["data"])
    assert set(seen) == {"nonce", "ciphertext"} and "tea" not in str(seen)
    with pytest.raises(ValueError):
        sender.trigger([channel, "room"], "order", data)


def test_trigger_with_every_kind_of_data_and_name(client, server, started):
    channel = "room-A_1=2@x,y.z;"
    subscriber = started(PusherSocket, server.port)
    subscriber.subscribe(channel)
    kinds = ["", "text", "grüße €", '{"a":1}', {"a": [1, None, "€"]}, [1, 2], 7, True, None, {"long": "x" * 10_000}]
    for data in kinds:
        client.trigger(channel, "ein Ereignis/é:1", data)
        message = subscriber.wait("ein Ereignis/é:1", channel)
        assert message["data"] == data if isinstance(data, str) else json.loads(message["data"]) == data
    client.trigger([f"c{i}" for i in range(99)] + [channel], "many", {})
    subscriber.wait("many", channel)
    with pytest.raises(pusher.errors.PusherBadStatus, match="(?s)413.*content of this event"):
        client.trigger(channel, "long", "x" * 10_241)


def test_socket_id_keeps_an_event_from_its_sender(client, server, started):
    sender, other = started(PusherSocket, server.port), started(PusherSocket, server.port)
    for socket in (sender, other):
        socket.subscribe("room")
    client.trigger("room", "first", {}, sender.socket_id)
    client.trigger_batch([{"channel": "room", "name": "second", "data": {}, "socket_id": sender.socket_id}])
    client.trigger("room", "third", {})
    for name in ("first", "second", "third"):
        other.wait(name, "room")
    sender.wait("third", "room")


def test_a_batch_answers_in_order_and_may_be_encoded_already(client, server, started):
    subscriber = started(PusherSocket, server.port)
    subscriber.subscribe("presence-lobby", {"user_id": "u1"})
    events = [
        {"channel": "presence-lobby", "name": "a", "data": "1", "info": "user_count"},
        {"channel": "room", "name": "b", "data": "2", "info": "subscription_count"}, {"channel": "room", "name": "c", "data": "3"},
        {"channel": "presence-lobby", "name": "d", "data": "4", "info": "user_count,subscription_count"}]
    assert client.trigger_batch(events, already_encoded=True) == {
        "batch": [{"user_count": 1}, {"subscription_count": 0}, {}, {"user_count": 1, "subscription_count": 1}]}
    with pytest.raises(pusher.errors.PusherBadRequest, match="Batch too large.*10 events"):
        client.trigger_batch([{"channel": "room", "name": "c", "data": "3"}] * 11)


# Proof of G8.
def test_every_attribute_of_a_channel(client, server, started):
    first, second = started(PusherSocket, server.port), started(PusherSocket, server.port)
    for socket, user in ((first, "u1"), (second, "u1")):
        socket.subscribe("room")
        socket.subscribe("presence-lobby@x", {"user_id": user})
    client.trigger("cache-news", "headline", {"n": 1})
    assert client.channel_info("room", ["subscription_count"]) == {"occupied": True, "subscription_count": 2}
    assert client.channel_info("presence-lobby@x", ["user_count"]) == {"occupied": True, "user_count": 1}
    cache = client.channel_info("cache-news", ["cache", "subscription_count"])
    assert cache["occupied"] is False and cache["subscription_count"] == 0
    assert json.loads(cache["cache"]["data"]) == {"n": 1} and 0 < cache["cache"]["ttl"] <= 1800
    assert client.channel_info("cache-empty", ["cache"]) == {"occupied": False, "cache": None}
    assert client.channels_info("presence-lobby@", ["user_count"]) == {"channels": {"presence-lobby@x": {"user_count": 1}}}
    assert client.channels_info("nothing") == {"channels": {}}
    both = {"user_count": 1, "subscription_count": 2}
    assert client.channel_info("presence-lobby@x", ["user_count", "subscription_count"]) == {"occupied": True, **both}
    assert client.channels_info("presence-", ["user_count", "subscription_count"]) == {"channels": {"presence-lobby@x": both}}
    assert client.users_info("presence-empty") == {"users": []}
    for channel, attribute in (("room", "user_count"), ("room", "cache"), ("room", "x")):
        with pytest.raises(pusher.errors.PusherBadRequest):
            client.channel_info(channel, [attribute])


# Proof of G1.
def test_users_sign_in_get_events_of_their_own_and_are_ended(client, server, started):
    ann, other, ben = (started(PusherSocket, server.port) for _ in range(3))
    for socket, user in ((ann, "ann@x;1"), (other, "ann@x;1"), (ben, "ben")):
        made = client.authenticate_user(socket.socket_id, {"id": user, "user_info": {"name": "é"}})
        socket.send("pusher:signin", made)
        assert socket.wait("pusher:signin_success")["data"] == {"user_data": made["user_data"]}
        socket.subscribe(f"#server-to-user-{user}")
    client.send_to_user("ann@x;1", "news", {"n": 1})
    for socket in (ann, other):
        assert json.loads(socket.wait("news", "#server-to-user-ann@x;1")["data"]) == {"n": 1}
    assert client.terminate_user_connections("ann@x;1") == {}
    for socket in (ann, other):
        closed = socket.closed()
        assert closed.code == 4009 and [error["code"] for error in closed.errors] == [4009]
    client.send_to_user("ben", "news", {"n": 2})
    assert json.loads(ben.wait("news", "#server-to-user-ben")["data"]) == {"n": 2}


def test_a_webhook_body_validates(client):
    """The vendor's own check, on a body that was signed as the protocol says; the server's bodies have a file of their own."""
    import time
    body = json.dumps({"time_ms": int(time.time() * 1000), "events": [{"name": "channel_occupied", "channel": "room"}]})
    signature = hmac.new(SECRET.encode(), body.encode(), hashlib.sha256).hexdigest()
    assert client.validate_webhook(KEY, signature, body)["events"][0]["channel"] == "room"
    assert client.validate_webhook(KEY, signature, body + " ") is None


def test_the_clients_made_of_a_url_and_of_the_environment(server, monkeypatch):
    url = f"http://{KEY}:{SECRET}@127.0.0.1/apps/{APP_ID}"
    monkeypatch.setenv("PUSHER_URL", url)
    for client in (pusher.Pusher.from_url(url, port=server.port), pusher.Pusher.from_env(port=server.port)):
        assert client.channels_info() == {"channels": {}}


def test_the_asynchronous_backend(server):
    import asyncio

    from pusher.aiohttp import AsyncIOBackend

    async def run():
        client = pusher.Pusher(
            app_id=APP_ID, key=KEY, secret=SECRET, host="127.0.0.1", port=server.port, ssl=False, backend=AsyncIOBackend)
        return await client.trigger("room", "tick", {}), await client.channels_info()

    assert asyncio.run(run()) == ({}, {"channels": {}})


# Proof of G9.
def test_limits_and_disabled_applications_are_the_vendors_own_errors(started, tmp_path):
    config = tmp_path / "lifeline.json"
    config.write_text(json.dumps({"apps": [
        {"id": "1", "key": "k1", "secret": "s1", "limits": {"publishesPerSecond": 5, "queriesPerSecond": 0}},
        {"id": "2", "key": "k2", "secret": "s2", "enabled": False}, {"id": "3", "key": "k3", "secret": "s3"}]}))
    server = started(Server, 0, "--config", str(config))
    limited, disabled, other = (
        pusher.Pusher(app_id=n, key=f"k{n}", secret=f"s{n}", host="127.0.0.1", port=server.port, ssl=False) for n in "123")
    # Twenty at once, whatever the bucket holds, are owed for more than three seconds.
    limited.trigger([f"c{i}" for i in range(20)], "tick", {})
    with pytest.raises(pusher.errors.PusherBadStatus, match="429"):
        limited.trigger("room", "tick", {})
    with pytest.raises(pusher.errors.PusherBadStatus, match="429"):
        limited.channels_info()
    with pytest.raises(pusher.errors.PusherForbidden, match="disabled"):
        disabled.trigger("room", "tick", {})
    for _ in range(20):
        assert other.trigger("room", "tick", {}) == {}
    assert other.channels_info() == {"channels": {}}


def test_behind_a_path_prefix(started):
    import requests
    server = started(Server, 0, "--path-prefix", "/realtime")
    answer = requests.get(f"http://127.0.0.1:{server.port}/realtime/health", timeout=10)
    assert answer.status_code == 200 and answer.headers["Access-Control-Allow-Origin"] == "*"
    assert rest(server.port, "GET", f"/realtime/apps/{APP_ID}/channels") == (200, '{"channels":{}}')
    assert rest(server.port, "GET", f"/apps/{APP_ID}/channels")[0] == 404
    subscriber = started(PusherSocket, server.port, path=f"/realtime/app/{KEY}")
    subscriber.subscribe("room")
    status, _ = rest(server.port, "POST", f"/realtime/apps/{APP_ID}/events", {"name": "tick", "channel": "room", "data": "1"})
    assert status == 200 and subscriber.wait("tick", "room")["data"] == "1"
    listener = started(Listener, server.url, "--channel", "room")
    listener.wait_subscribed("room")
    done = subprocess.run(
        [lifeline(), "publish", "--url", server.url, "--secret", SECRET, "--channel", "room", "--data", '{"n":2}'],
        capture_output=True, text=True, timeout=30)
    assert done.returncode == 0, done.stderr
    listener.wait_messages(1)
    assert listener.of("msg")[0]["data"] == {"n": 2}


def test_an_unknown_application_is_the_vendors_own_error_with_our_text(server):
    client = pusher.Pusher(app_id="77", key=KEY, secret=SECRET, host="127.0.0.1", port=server.port, ssl=False)
    with pytest.raises(pusher.errors.PusherBadStatus, match="404: There is no application with this id"):
        client.channels_info()


def test_socket_id_excludes_the_sender(client, listen, server):
    listener = listen("room")
    client.trigger("room", "tick", {"n": 1})
    listener.wait_messages(1)
    status, body = rest(server.port, "POST", f"/apps/{APP_ID}/events", {
        "name": "tick", "channel": "room", "data": "{}", "socket_id": "1.1"})
    assert status == 200, body
    listener.wait_messages(2)


@pytest.mark.parametrize("change", ["signature", "body", "old", "key", "version"])
def test_forged_requests_are_refused(server, change):
    import time
    import urllib.error
    import urllib.request
    body = json.dumps({"name": "tick", "channel": "room", "data": "{}"}).encode()
    query = {
        "auth_key": KEY, "auth_timestamp": str(int(time.time()) - (601 if change == "old" else 0)), "auth_version": "1.0",
        "body_md5": hashlib.md5(body).hexdigest()}
    if change == "version":
        query["auth_version"] = "0.1"
    if change == "key":
        query["auth_key"] = "other"
    text = "&".join(f"{k}={query[k]}" for k in sorted(query))
    path = f"/apps/{APP_ID}/events"
    signature = hmac.new(SECRET.encode(), f"POST\n{path}\n{text}".encode(), hashlib.sha256).hexdigest()
    if change == "signature":
        signature = ("0" if signature[0] != "0" else "1") + signature[1:]
    if change == "body":
        body = body.replace(b"tick", b"tock")
    request = urllib.request.Request(
        f"http://127.0.0.1:{server.port}{path}?{text}&auth_signature={signature}", data=body, method="POST")
    with pytest.raises(urllib.error.HTTPError) as error:
        urllib.request.urlopen(request, timeout=5)
    assert error.value.code in (400, 401, 403)


def test_limits(server, client):
    path = f"/apps/{APP_ID}/events"
    assert rest(server.port, "POST", path, {"name": "t", "channel": "room", "data": "x" * 10241})[0] == 413
    assert rest(server.port, "POST", path, {"name": "t", "channel": "room", "data": "x" * 10240})[0] == 200
    assert rest(server.port, "POST", path, {"name": "t", "channels": [f"c{i}" for i in range(101)], "data": ""})[0] == 400
    assert rest(server.port, "POST", path, {"name": "t" * 201, "channel": "room", "data": ""})[0] == 400
    assert rest(server.port, "POST", path, {"name": "t", "channel": "bad name", "data": ""})[0] == 400
    assert rest(server.port, "GET", f"/apps/{APP_ID}/nothing")[0] == 404
    assert rest(server.port, "GET", "/apps/9999/channels")[0] in (401, 403, 404)


# Proof of H6.
@pytest.mark.parametrize("query", [
    "name=tick&channel=room&data={}", "name=tick&channels[]=room&channels[]=other&data={}", "name=tick&channels[0]=room&data={}"])
def test_parameters_in_the_query(server, started, query):
    import time
    subscriber = started(PusherSocket, server.port)
    subscriber.subscribe("room")
    pairs = [tuple(pair.split("=", 1)) for pair in query.split("&")] + [
        ("auth_key", KEY), ("auth_timestamp", str(int(time.time()))), ("auth_version", "1.0")]
    path = f"/apps/{APP_ID}/events"
    text = "&".join(f"{name}={value}" for name, value in sorted(pairs, key=lambda pair: pair[0]))
    signature = hmac.new(SECRET.encode(), f"POST\n{path}\n{text}".encode(), hashlib.sha256).hexdigest()
    import requests
    answer = requests.post(
        f"http://127.0.0.1:{server.port}{path}", params=pairs + [("auth_signature", signature)], timeout=10)
    assert (answer.status_code, answer.text) == (200, "{}")
    assert subscriber.wait("tick", "room")["data"] == "{}"


def test_the_older_call_names_the_channel_in_its_path(server, started):
    subscriber = started(PusherSocket, server.port)
    subscriber.subscribe("room")
    assert rest(server.port, "POST", f"/apps/{APP_ID}/channels/room/events?name=tick", {"n": 1}) == (200, "{}")
    assert json.loads(subscriber.wait("tick", "room")["data"]) == {"n": 1}


def test_a_clock_that_is_off_is_told_by_how_much(server):
    import time
    status, text = rest(server.port, "GET", f"/apps/{APP_ID}/channels", timestamp=int(time.time()) - 7200)
    assert status == 401 and "clock differs by 720" in text and "behind" in text


def test_health(server):
    assert all(server.get(path)[0] == 200 for path in ("/health", "/up", "/"))
