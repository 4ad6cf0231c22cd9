"""PyPI `pusher`, the vendor's own server library, against `lifeline serve`."""

import hashlib
import hmac
import json

import pusher
import pytest
from lifeline_harness import APP_ID, KEY, SECRET, Listener, rest, wait_until


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


def test_authenticate_makes_signatures_that_the_server_accepts(client, server, started, tmp_path):
    """A tiny auth endpoint made of the vendor's library; our client subscribes through it."""
    import http.server
    import threading
    import urllib.parse

    asked = []

    class Endpoint(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            form = urllib.parse.parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
            channel, socket_id = form["channel_name"][0], form["socket_id"][0]
            asked.append((channel, self.headers["Content-Type"]))
            data = {"user_id": "u7", "user_info": {"name": "Ada"}} if channel.startswith("presence-") else None
            body = json.dumps(client.authenticate(channel, socket_id, data)).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments):
            pass

    endpoint = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
    threading.Thread(target=endpoint.serve_forever, daemon=True).start()
    try:
        listener = started(
            Listener, server.url, "--auth-endpoint", f"http://127.0.0.1:{endpoint.server_port}/pusher/auth", "--channel",
            "private-a", "--channel", "presence-b", secret=None)
        listener.wait_subscribed("private-a")
        listener.wait_subscribed("presence-b")
        assert client.users_info("presence-b")["users"] == [{"id": "u7"}]
        assert {channel for channel, _ in asked} == {"private-a", "presence-b"}
        assert all(kind.startswith("application/x-www-form-urlencoded") for _, kind in asked)
    finally:
        endpoint.shutdown()


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


def test_health(server):
    assert server.get("/health")[0] == 200
