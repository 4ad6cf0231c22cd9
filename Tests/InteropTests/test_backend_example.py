"""`Examples/Backend`, an application's own server on `LifelineBackend`, beside PyPI's `pusher` and our client (rules BK-1 to BK-6)."""

import hashlib
import hmac
import json
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

import pusher
import pytest
from lifeline_harness import APP_ID, KEY, SECRET, Listener, Program, lifeline
from web_host import MASTER_KEY


class Backend(Program):
    def __init__(self, realtime):
        super().__init__([str(Path(lifeline()).parent / "example-backend"), str(realtime)])
        self.port = int(self.ready(lambda: next((l for l in self.lines if l.startswith("ready ")), None), "the ready line").split()[1])

    def post(self, path, body, **headers):
        raw = body if isinstance(body, bytes) else urllib.parse.urlencode(body).encode()
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        try:
            with urllib.request.urlopen(urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", raw, fields), timeout=20) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, {}


@pytest.fixture
def backend(server, started):
    return started(Backend, server.port)


@pytest.fixture
def library(server):
    return pusher.Pusher(
        app_id=APP_ID, key=KEY, secret=SECRET, host="127.0.0.1", port=server.port, ssl=False, encryption_master_key_base64=MASTER_KEY)


@pytest.mark.parametrize("channel,user", [
    ("private-a", "ann"), ("private-user-ann", "ann"), ("private-cache-a", "ann"), ("private-encrypted-orders", "ann"), ("private-A_b=@,.;", "ann")])
@pytest.mark.parametrize("socket", ["1.2", "123456789.987654321"])
def test_grants_are_those_of_the_vendors_library(backend, library, channel, user, socket):
    """BK-5: byte-equal signatures and keys for the same input."""
    expected = library.authenticate(channel, socket)
    secret = expected.get("shared_secret")
    if isinstance(secret, bytes):
        expected["shared_secret"] = secret.decode()
    assert backend.post("/pusher/auth", {"socket_id": socket, "channel_name": channel}, X_User=user) == (200, expected)


def test_grants_of_presence_channels_are_signed_as_the_vendors_library_does(backend, library):
    """BK-5: the same member, whatever the spaces in its JSON; the signature is over the text that is sent."""
    status, grant = backend.post("/pusher/auth", {"socket_id": "1.2", "channel_name": "presence-a"}, X_User="ann")
    member = {"user_id": "ann", "user_info": {"name": "ann"}}
    assert status == 200 and json.loads(grant["channel_data"]) == member == json.loads(library.authenticate("presence-a", "1.2", member)["channel_data"])
    signed = hmac.new(SECRET.encode(), f"1.2:presence-a:{grant['channel_data']}".encode(), hashlib.sha256).hexdigest()
    assert grant["auth"] == f"{KEY}:{signed}"


def test_who_may_not_subscribe_gets_no_grant(backend):
    assert backend.post("/pusher/auth", {"socket_id": "1.2", "channel_name": "private-user-ben"}, X_User="ann") == (403, {})
    assert backend.post("/pusher/auth", {"socket_id": "1.2::user::{}", "channel_name": "private-a"}, X_User="ann") == (400, {})
    assert backend.post("/elsewhere", b"") == (404, {})


def test_our_client_subscribes_through_it_and_hears_both_servers(backend, library, server, started):
    """BK-1, BK-4: what the example and what PyPI's library trigger arrives alike, also encrypted."""
    channels = ["private-a", "presence-b", "private-encrypted-c"]
    words = [word for channel in channels for word in ("--channel", channel)]
    listener = started(Listener, server.url, "--auth-endpoint", f"http://127.0.0.1:{backend.port}/pusher/auth", *words, secret=None)
    for channel in channels:
        listener.wait_subscribed(channel)
    for number, channel in enumerate(channels):
        assert backend.post("/trigger", {"channel": channel, "event": "price", "data": json.dumps({"price": "3 €"})}) == (200, {})
        library.trigger(channel, "price", {"price": "3 €"})
        listener.wait_messages(2 * number + 2)
    heard = [(message["ch"], message["event"], message["data"]) for message in listener.of("msg")]
    assert sorted(heard) == sorted((channel, "price", {"price": "3 €"}) for channel in channels for _ in range(2))


def test_webhooks_are_verified_as_the_vendors_library_does(backend, library):
    """BK-6: both take the same request and refuse the same changes of it."""
    body = json.dumps({"time_ms": int(time.time() * 1000), "events": [{"name": "channel_occupied", "channel": "room"}]}).encode()
    signature = hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
    for sent, key, given, is_right in [
            (body, KEY, signature, True), (body + b" ", KEY, signature, False), (body, "other", signature, False), (body, KEY, signature[:-1] + "x", False)]:
        status, _ = backend.post("/pusher/webhook", sent, X_Pusher_Key=key, X_Pusher_Signature=given)
        assert status == (200 if is_right else 401)
        assert (library.validate_webhook(key, given, sent.decode()) is not None) == is_right
    assert any(line.startswith("webhook: channelOccupied") and "room" in line for line in backend.lines)
