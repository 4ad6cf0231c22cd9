"""Webhooks of `lifeline serve`, judged by the vendor's own `pusher.validate_webhook` (rules SW-1 to SW-28)."""

import json
import time

import pytest
from lifeline_harness import APP_ID, KEY, SECRET, Server, wait_until
from pusher_client import PusherSocket
from webhook_receiver import WebhookReceiver


@pytest.fixture
def serve(started, tmp_path):
    """Starts a server with these webhooks."""
    def start(*webhooks, **application):
        config = tmp_path / "lifeline.json"
        config.write_text(json.dumps({"app": {
            "id": APP_ID, "key": KEY, "secret": SECRET, "clientEvents": True, "subscriptionCounts": True,
            "webhooks": list(webhooks), **application}}))
        return started(Server, 0, "--config", str(config))

    return start


# Proof of H7.
def test_every_event_has_its_documented_fields_and_a_valid_signature(serve, started):
    receiver = started(WebhookReceiver)
    server = serve({"url": receiver.url, "headers": {"X-Of-The-Application": "7"}})
    first, second = started(PusherSocket, server.port), started(PusherSocket, server.port)
    first.subscribe("presence-lobby", {"user_id": "ann", "user_info": {"name": "Ann"}})
    second.subscribe("presence-lobby", {"user_id": 7})
    first.wait("pusher_internal:member_added", "presence-lobby")
    first.subscribe("private-room")
    second.subscribe("private-room")
    second.subscribe("cache-empty")
    first.trigger("presence-lobby", "client-move", {"x": 1})
    first.trigger("private-room", "client-move", "a text")
    assert receiver.wait("channel_occupied", channel="presence-lobby") == [
        {"name": "channel_occupied", "channel": "presence-lobby"}]
    for user in ("ann", "7"):
        assert receiver.wait("member_added", user_id=user) == [
            {"name": "member_added", "channel": "presence-lobby", "user_id": user}]
    assert receiver.wait("cache_miss") == [{"name": "cache_miss", "channel": "cache-empty"}]
    assert receiver.wait("subscription_count", channel="private-room", subscription_count=2)
    assert not [event for event in receiver.of("subscription_count") if event["channel"] == "presence-lobby"]
    on_presence, on_private = (
        receiver.wait("client_event", channel=channel)[0] for channel in ("presence-lobby", "private-room"))
    assert json.loads(on_presence.pop("data")) == {"x": 1} and on_private.pop("data") == "a text"
    assert on_presence == {
        "name": "client_event", "channel": "presence-lobby", "event": "client-move", "socket_id": first.socket_id,
        "user_id": "ann"}
    assert on_private == {
        "name": "client_event", "channel": "private-room", "event": "client-move", "socket_id": first.socket_id}

    left = time.monotonic()
    second.drop()
    assert receiver.wait("member_removed") == [{"name": "member_removed", "channel": "presence-lobby", "user_id": "7"}]
    first.unsubscribe("private-room")
    receiver.wait("channel_vacated", channel="private-room")
    removed = next(r["at"] for r in receiver.requests if "member_removed" in r["body"])
    assert removed - left >= 2.9, "the end of a membership is told after three seconds"

    for request in receiver.requests:
        assert request["valid"], request["body"]
        assert request["headers"]["Content-Type"] == "application/json"
        assert request["headers"]["X-Of-The-Application"] == "7"
        assert request["path"] == "/hook" and len(request["valid"]["events"]) == 1


# Proof of G5.
def test_whoever_comes_back_at_once_was_never_away(serve, started):
    receiver = started(WebhookReceiver)
    server = serve({"url": receiver.url})
    stays, goes = started(PusherSocket, server.port), started(PusherSocket, server.port)
    goes.subscribe("room")
    goes.subscribe("presence-lobby", "ann")
    stays.subscribe("other")
    for channel in ("room", "presence-lobby", "other"):
        receiver.wait("channel_occupied", channel=channel)
    # A connection that breaks and one that replaces it, as in a tunnel.
    goes.drop()
    back = started(PusherSocket, server.port)
    back.subscribe("room")
    back.subscribe("presence-lobby", "ann")
    stays.unsubscribe("other")
    # Later than all that could have been told of the others.
    receiver.wait("channel_vacated", channel="other")
    assert [event["channel"] for event in receiver.of("channel_vacated")] == ["other"]
    assert not receiver.of("member_removed") and len(receiver.of("member_added")) == 1
    assert sorted(event["channel"] for event in receiver.of("channel_occupied")) == ["other", "presence-lobby", "room"]


# Proof of G5.
def test_a_batch_has_several_events_and_a_signature_over_all(serve, started):
    single, batched = started(WebhookReceiver), started(WebhookReceiver)
    server = serve({"url": single.url}, {"url": batched.url, "batches": True, "events": ["channel_occupied"]})
    client = started(PusherSocket, server.port)
    channels = [f"room-{i:02}" for i in range(40)]
    for channel in channels:
        client.ask(channel)
    for receiver in (single, batched):
        receiver.wait("channel_occupied", 40)
        assert sorted(event["channel"] for event in receiver.of("channel_occupied")) == channels
    assert all(len(request["valid"]["events"]) == 1 for request in single.requests)
    assert len(batched.requests) < 40 and max(len(request["valid"]["events"]) for request in batched.requests) > 1
    for request in batched.requests:
        told = [event["channel"] for event in request["valid"]["events"]]
        assert told == sorted(told), "a batch keeps the order"


# Proof of H7, G5.
def test_what_failed_is_tried_again_and_signed_anew(serve, started):
    failing, healthy = started(WebhookReceiver, [500, 503, 404]), started(WebhookReceiver)
    server = serve({"url": failing.url, "channelPrefix": "room"}, {"url": healthy.url, "channelPrefix": "room"})
    started(PusherSocket, server.port).subscribe("room")
    healthy.wait("channel_occupied")
    assert failing.wait("channel_occupied", timeout=30) == [{"name": "channel_occupied", "channel": "room"}]
    attempts = [r for r in failing.requests if "channel_occupied" in r["body"]]
    assert len(attempts) > 1 and [r["status"] == 200 for r in attempts] == [False] * (len(attempts) - 1) + [True]
    assert all(r["valid"] for r in attempts)
    assert len(healthy.of("channel_occupied")) == 1


def test_receivers_hear_what_they_ask_for(serve, started):
    receiver = started(WebhookReceiver)
    server = serve({
        "url": receiver.url, "events": ["channel_occupied", "client_event"], "channelPrefix": "private-",
        "channelSuffix": "-told"})
    client = started(PusherSocket, server.port)
    for channel in ("room-told", "private-room", "private-told-not", "private-last-told"):
        client.subscribe(channel)
    client.trigger("private-last-told", "client-a", {})
    receiver.wait("client_event")
    assert sorted((e["name"], e["channel"]) for e in receiver.taken) == [
        ("channel_occupied", "private-last-told"), ("client_event", "private-last-told")]


def test_a_server_that_stops_tells_the_ends(serve, started):
    receiver = started(WebhookReceiver)
    server = serve({"url": receiver.url})
    started(PusherSocket, server.port).subscribe("presence-lobby", {"user_id": "ann"})
    receiver.wait("member_added")
    assert server.end() == 0
    assert receiver.of("channel_vacated") == [{"name": "channel_vacated", "channel": "presence-lobby"}]
    assert receiver.of("member_removed") == [{"name": "member_removed", "channel": "presence-lobby", "user_id": "ann"}]


def test_a_receiver_that_is_not_there_holds_up_nobody(serve, started):
    gone = started(WebhookReceiver)
    gone.kill()
    server = serve({"url": gone.url})
    client = started(PusherSocket, server.port)
    client.subscribe("room")
    for number in range(200):
        assert server.publish("room", "tick", str(number))
    for number in range(200):
        assert client.wait("tick", "room")["data"] == str(number)
    assert gone.url not in "".join(server.errors), "an address may hold a token"


def test_the_log_and_the_metrics_say_which_receiver_fails(serve, started):
    """SO-118 to SO-120: by its number, at the level that is on without a setting, and without what may be secret in its address."""
    good, failing = started(WebhookReceiver), started(WebhookReceiver, [500, 500])
    address = failing.url.replace("://", "://user:hidden@") + "?token=hidden"
    server = serve({"url": good.url, "events": ["channel_occupied"]}, {"url": address, "events": ["channel_occupied"]})
    started(PusherSocket, server.port).subscribe("room")
    failing.wait("channel_occupied")
    told = wait_until(lambda: [line for line in server.errors if "accepts events again" in line], 30, "the end of the failures")
    warned = [line for line in server.errors if "webhook request failed" in line]
    assert len(warned) == 1 and " warning " in warned[0] and "reason=status 500" in warned[0], server.errors
    for line in told + warned:
        assert all(f" {part}" in line for part in ("service=pusher", f"app={APP_ID}", "receiver=1")), line
    text = server.get("/metrics")[1]
    failed = {number: f'lifeline_webhook_requests_failed_total{{service="pusher",app="{APP_ID}",receiver="{number}"}}' for number in (0, 1)}
    assert f"{failed[0]} 0\n" in text and f"{failed[1]} 2\n" in text
    assert not [line for line in server.errors + text.splitlines() if "hidden" in line or "/hook" in line]
