"""PyPI `pysher` and `asyncpusher` against `lifeline serve`, beside our own client."""

import asyncio
import json
import logging
import threading

import asyncpusher
import pysher
import pytest
from lifeline_harness import KEY, SECRET, Listener, wait_until


@pytest.fixture
def sher(server):
    """A connected pysher, with the events it saw."""
    client = pysher.Pusher(
        KEY, custom_host="127.0.0.1", port=server.port, secure=False, secret=SECRET, user_data={"user_id": "p1"},
        log_level=logging.CRITICAL)
    connected = threading.Event()
    client.connection.bind("pusher:connection_established", lambda _: connected.set())
    client.connect()
    assert connected.wait(5)
    yield client
    client.disconnect(2)


def subscribed(client, name):
    """Subscribes and waits for the confirmation; returns the channel and the list that its events go to."""
    confirmed, events = threading.Event(), []
    channel = client.subscribe(name)
    channel.bind("pusher_internal:subscription_succeeded", lambda data: confirmed.set())
    for event in ("tick", "client-hello", "pusher_internal:member_added", "pusher_internal:member_removed"):
        channel.bind(event, lambda data, event=event: events.append((event, data)))
    assert confirmed.wait(5), name
    return channel, events


@pytest.mark.parametrize("channel", ["room", "private-room", "presence-room"])
def test_pysher_receives_what_is_published(sher, server, channel):
    _, events = subscribed(sher, channel)
    for i in range(20):
        assert server.publish(channel, "tick", json.dumps({"i": i}))
    wait_until(lambda: len(events) >= 20, 5, "20 events")
    assert [json.loads(data)["i"] for _, data in events] == list(range(20))


def test_pysher_and_our_client_exchange_client_events(sher, server, started):
    channel, events = subscribed(sher, "private-room")
    listener = started(Listener, server.url, "--channel", "private-room")
    listener.wait_subscribed("private-room")
    channel.trigger("client-hello", {"from": "pysher"})
    listener.wait_messages(1)
    assert listener.of("msg")[0]["event"] == "client-hello"
    assert listener.of("msg")[0]["data"] == {"from": "pysher"}
    assert events == [], "a client event is not echoed to its sender"


def test_pysher_sees_our_client_join_and_leave(sher, server, started):
    _, events = subscribed(sher, "presence-room")
    listener = started(Listener, server.url, "--user", "u2", "--presence", "--channel", "presence-room")
    listener.wait_subscribed("presence-room")
    wait_until(lambda: events, 5, "member_added")
    listener.say("quit")
    assert listener.wait(5) == 0
    wait_until(lambda: len(events) == 2, 5, "member_removed")
    assert [(event, json.loads(data)["user_id"]) for event, data in events] == [
        ("pusher_internal:member_added", "u2"), ("pusher_internal:member_removed", "u2")]


def test_our_client_sees_pysher_join_and_leave(sher, server, started):
    listener = started(Listener, server.url, "--user", "u2", "--presence", "--channel", "presence-room")
    listener.wait_subscribed("presence-room")
    subscribed(sher, "presence-room")
    wait_until(lambda: any(e["action"] == "join" and e["user"] == "p1" for e in listener.of("presence")), 5, "join")
    sher.disconnect(2)
    wait_until(lambda: any(e["action"] == "leave" and e["user"] == "p1" for e in listener.of("presence")), 5, "leave")


def test_a_wrong_secret_is_never_confirmed(server):
    client = pysher.Pusher(
        KEY, custom_host="127.0.0.1", port=server.port, secure=False, secret="wrong", log_level=logging.CRITICAL)
    connected, confirmed, errors = threading.Event(), threading.Event(), []
    client.connection.bind("pusher:connection_established", lambda _: connected.set())
    client.connection.bind("pusher:error", errors.append)
    client.connect()
    try:
        assert connected.wait(5)
        client.subscribe("private-room").bind("pusher_internal:subscription_succeeded", lambda _: confirmed.set())
        assert not confirmed.wait(1)
    finally:
        client.disconnect(2)


def test_asyncpusher_receives_and_triggers(server, started):
    listener = started(Listener, server.url, "--channel", "private-room")
    listener.wait_subscribed("private-room")

    async def authenticate(asked):
        import hashlib
        import hmac
        text = f"{asked['socket_id']}:{asked['channel_name']}"
        signature = hmac.new(SECRET.encode(), text.encode(), hashlib.sha256).hexdigest()
        return {"auth": f"{KEY}:{signature}"}

    async def run():
        seen, done = [], asyncio.Event()
        client = asyncpusher.Pusher(
            KEY, custom_host="127.0.0.1", custom_port=server.port, secure=False,
            channel_authenticator=authenticate)
        await client.connect()
        channel = await client.subscribe("private-room")

        async def tick(data):
            seen.append(data["i"])
            if len(seen) == 10:
                done.set()

        channel.bind("tick", tick)
        for _ in range(50):
            if channel.state == channel.State.SUBSCRIBED:
                break
            await asyncio.sleep(0.1)
        assert channel.state == channel.State.SUBSCRIBED
        for i in range(10):
            assert await asyncio.to_thread(server.publish, "private-room", "tick", json.dumps({"i": i}))
        await asyncio.wait_for(done.wait(), 5)
        await channel.trigger({"event": "client-hello", "data": {"from": "asyncpusher"}})
        await asyncio.sleep(0.2)
        await client.disconnect()
        return seen

    assert asyncio.run(run()) == list(range(10))
    listener.wait_messages(11)
    assert listener.of("msg")[-1]["event"] == "client-hello"
