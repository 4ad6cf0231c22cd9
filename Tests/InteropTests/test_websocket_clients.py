"""PyPI `pysher` and `asyncpusher` against `lifeline serve`, beside our own client."""

import asyncio
import json
import logging
import threading

import asyncpusher
import pysher
import pytest
from lifeline_harness import KEY, SECRET, Listener, Server, free_port, wait_until
from pusher_client import signature
from pusher_frames import members
from pysher_client import subscribed
from web_host import WebHost


@pytest.fixture
def sher(server):
    """A connected pysher, with the events it saw."""
    client = pysher.Pusher(
        KEY, custom_host="127.0.0.1", port=server.port, secure=False, secret=SECRET, user_data={"user_id": "p1"},
        log_level=logging.CRITICAL)
    connected = threading.Event()
    client.connection.bind("pusher:connection_established", lambda _: connected.set())
    client.connect()
    assert connected.wait(30)
    yield client
    # Its thread takes seconds to notice, and ends by itself.
    client.disconnect(0)


@pytest.mark.parametrize("channel", ["room", "private-room", "presence-room"])
def test_pysher_receives_what_is_published(sher, server, channel):
    _, events = subscribed(sher, channel)
    for i in range(20):
        assert server.publish(channel, "tick", json.dumps({"i": i}))
    wait_until(lambda: len(events) >= 20, 30, "20 events")
    assert [json.loads(data)["i"] for _, data in events] == list(range(20))


def test_pysher_and_our_client_exchange_client_events(sher, server, started):
    channel, events = subscribed(sher, "private-room")
    listener = started(Listener, server.url, "--channel", "private-room")
    listener.wait_subscribed("private-room")
    channel.trigger("client-hello", {"from": "pysher"})
    listener.wait_messages(1)
    assert listener.of("msg")[0]["event"] == "client-hello"
    assert listener.of("msg")[0]["data"] == {"from": "pysher"}
    assert server.publish("private-room", "tick", "{}")
    wait_until(lambda: events, 30, "the event behind it")
    assert [name for name, _ in events] == ["tick"], "a client event is not echoed to its sender"


def test_pysher_sees_our_client_join_and_leave(sher, server, started):
    _, events = subscribed(sher, "presence-room")
    listener = started(Listener, server.url, "--user", "u2", "--presence", "--channel", "presence-room")
    listener.wait_subscribed("presence-room")
    wait_until(lambda: events, 30, "member_added")
    listener.say("quit")
    assert listener.wait(20) == 0
    wait_until(lambda: len(events) == 2, 30, "member_removed")
    assert [(event, json.loads(data)["user_id"]) for event, data in events] == [
        ("pusher_internal:member_added", "u2"), ("pusher_internal:member_removed", "u2")]


def test_our_client_sees_pysher_join_and_leave(sher, server, started):
    listener = started(Listener, server.url, "--user", "u2", "--presence", "--channel", "presence-room")
    listener.wait_subscribed("presence-room")
    subscribed(sher, "presence-room")
    wait_until(lambda: any(e["action"] == "join" and e["user"] == "p1" for e in listener.of("presence")), 30, "join")
    sher.disconnect(0)
    wait_until(lambda: any(e["action"] == "leave" and e["user"] == "p1" for e in listener.of("presence")), 30, "leave")


def test_a_wrong_secret_is_never_confirmed(server):
    client = pysher.Pusher(
        KEY, custom_host="127.0.0.1", port=server.port, secure=False, secret="wrong", log_level=logging.CRITICAL)
    connected, answers = threading.Event(), []
    client.connection.bind("pusher:connection_established", lambda _: connected.set())
    client.connection.event_handler = lambda event, data, channel: answers.append((event, channel))
    client.connect()
    try:
        assert connected.wait(30)
        client.subscribe("private-room")
        wait_until(lambda: answers, 30, "an answer")
        client.subscribe("room")
        wait_until(lambda: ("pusher_internal:subscription_succeeded", "room") in answers, 30, "the answer behind it")
        assert [event for event, channel in answers if channel == "private-room"] == ["pusher:error"]
    finally:
        client.disconnect(0)


def test_pysher_asks_an_endpoint_for_authorisation(server, started):
    host = started(WebHost)
    client = pysher.Pusher(
        KEY, custom_host="127.0.0.1", port=server.port, secure=False, auth_endpoint=f"{host.url}/pusher/auth",
        log_level=logging.CRITICAL)
    connected = threading.Event()
    client.connection.bind("pusher:connection_established", lambda _: connected.set())
    client.connect()
    try:
        assert connected.wait(30)
        _, events = subscribed(client, "private-room")
        assert server.publish("private-room", "tick", "{}")
        wait_until(lambda: events, 30, "the event")
        assert [form["channel_name"] for _, form, _ in host.asked] == ["private-room"]
    finally:
        client.disconnect(0)


# Proof of G4.
@pytest.mark.parametrize("channel", ["cache-news", "private-cache-news", "presence-cache-news"])
def test_pysher_gets_what_a_cache_channel_remembers(sher, server, channel):
    for number in range(2):
        assert server.publish(channel, "tick", json.dumps({"n": number}))
    _, events = subscribed(sher, channel)
    wait_until(lambda: events, 30, "the remembered event")
    assert server.publish(channel, "tick", json.dumps({"n": 2}))
    wait_until(lambda: len(events) > 1, 30, "the next event")
    assert [json.loads(data)["n"] for _, data in events] == [1, 2]


def test_pysher_is_told_that_a_cache_channel_is_empty(sher):
    _, events = subscribed(sher, "cache-empty")
    wait_until(lambda: events, 30, "the miss")
    assert [event for event, _ in events] == ["pusher:cache_miss"]


def test_pysher_comes_back_after_a_restart(started):
    port = free_port()
    server = started(Server, port)
    client = pysher.Pusher(
        KEY, custom_host="127.0.0.1", port=port, secure=False, auto_sub=True, reconnect_interval=1, log_level=logging.CRITICAL)
    connections = []
    client.connection.bind("pusher:connection_established", connections.append)
    client.connect()
    try:
        wait_until(lambda: connections, 30, "the first connection")
        channel, events = subscribed(client, "room")
        again = threading.Event()
        channel.bind("pusher_internal:subscription_succeeded", lambda data: again.set())
        assert server.end() == 0
        server = started(Server, port)
        assert again.wait(30), "subscribed again on the next server"
        assert server.publish("room", "tick", '{"n":1}')
        wait_until(lambda: events, 30, "an event of the next server")
        assert len(connections) == 2
    finally:
        client.disconnect(0)


def test_asyncpusher_comes_back_with_private_and_presence_channels(started):
    port = free_port()
    server = started(Server, port)
    host = WebHost(member={"user_id": "async"})
    started(lambda: host)
    names = ["room", "private-room", "presence-room", "private-cache-room"]

    async def until(condition, what):
        for _ in range(300):
            if condition():
                return
            await asyncio.sleep(0.1)
        raise AssertionError(f"not within 30 s: {what}")

    async def authenticate(asked):
        return await asyncio.to_thread(host.answer, "/pusher/auth", asked)

    async def run():
        client = asyncpusher.Pusher(
            KEY, custom_host="127.0.0.1", custom_port=port, secure=False, channel_authenticator=authenticate, auto_sub=True)
        await client.connect()
        confirmed, seen = [], []

        async def confirm(data, name):
            confirmed.append((name, data))

        async def tick(data, name):
            seen.append((name, data["n"]))

        async def publish(current, number):
            for name in names:
                assert await asyncio.to_thread(current.publish, name, "tick", json.dumps({"n": number}))

        for name in names:
            channel = await client.subscribe(name)
            channel.bind("pusher_internal:subscription_succeeded", confirm, name)
            channel.bind("tick", tick, name)
        await until(lambda: len(confirmed) == 4, "four subscriptions")
        await publish(server, 1)
        await until(lambda: len(seen) == 4, "four events")
        assert await asyncio.to_thread(server.end) == 0
        following = await asyncio.to_thread(started, Server, port)
        await until(lambda: len(confirmed) == 8, "four subscriptions with the next server")
        await publish(following, 2)
        await until(lambda: len(seen) == 8, "four events of the next server")
        await client.disconnect()
        return confirmed, seen

    confirmed, seen = asyncio.run(run())
    assert seen == [(name, number) for number in (1, 2) for name in names]
    presence = [data for name, data in confirmed if name == "presence-room"]
    assert [data["presence"]["ids"] for data in presence] == [["async"], ["async"]]


def test_aiohttp_with_the_subprotocol_and_compression_offered(server):
    import aiohttp

    async def run():
        async with aiohttp.ClientSession() as session, session.ws_connect(
                f"ws://127.0.0.1:{server.port}/app/{KEY}?protocol=7", protocols=["other", "pusher-channels-protocol-7"],
                compress=15) as socket:
            greeting = await socket.receive_json(timeout=10)
            await socket.send_json({"event": "pusher:subscribe", "data": {"channel": "room"}})
            confirmed = await socket.receive_json(timeout=10)
            # Control frames of the library, and a message in fragments' clothing.
            await socket.ping(b"x" * 125)
            await socket.send_str(json.dumps({"event": "pusher:ping", "data": {"pad": "é" * 10_000}}))
            while (answer := await socket.receive_json(timeout=10))["event"] == "pusher_internal:subscription_count":
                pass
            return socket.protocol, greeting["event"], confirmed["event"], answer["event"]

    assert asyncio.run(run()) == (
        "pusher-channels-protocol-7", "pusher:connection_established", "pusher_internal:subscription_succeeded", "pusher:pong")


def test_a_plain_websocket_signs_in_and_joins_as_its_user(server, connect):
    """Pusher protocol, user authentication: a presence channel needs no channel_data after it (rules SP-8, SP-13)."""
    client, other = connect(), connect()
    client.signin({"id": "ann", "user_info": {"name": "Ann"}})
    assert members(client.subscribe("presence-lobby")) == {"ann": {"name": "Ann"}}
    client.subscribe("#server-to-user-ann")
    assert server.publish("#server-to-user-ann", "news", '{"n":1}')
    client.wait("news", "#server-to-user-ann")
    other.signin({"id": "ben"})
    other.ask("#server-to-user-ann")
    other.error()
    client.ask_signin({"id": "eve"}, auth=f"{KEY}:{signature(f'{client.socket_id}::user::' + json.dumps({'id': 'eve'}), 'guess')}")
    client.error()


def test_a_plain_websocket_watches_others(server, connect):
    """Pusher protocol, watchlist events: who is there comes first, then each first connection and each last one."""
    def news(client):
        data = client.wait("pusher_internal:watchlist_events")["data"]
        return {(event["name"], user) for event in data["events"] for user in event["user_ids"]}

    watcher, ann = connect(), connect()
    ann.signin({"id": "ann"})
    watcher.signin({"id": "watcher", "watchlist": ["ann", "ben"]})
    assert news(watcher) == {("online", "ann")}
    first, second = connect(), connect()
    first.subscribe("first-is-here")
    first.signin({"id": "ben"})
    assert news(watcher) == {("online", "ben")}
    second.signin({"id": "ben"})
    first.drop()
    server.wait_vacated("first-is-here")
    assert watcher.settled() == []
    second.drop()
    assert news(watcher) == {("offline", "ben")}


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
        await asyncio.to_thread(wait_until, lambda: channel.state == channel.State.SUBSCRIBED, 30, "the subscription")
        for i in range(10):
            assert await asyncio.to_thread(server.publish, "private-room", "tick", json.dumps({"i": i}))
        await asyncio.wait_for(done.wait(), 30)
        await channel.trigger({"event": "client-hello", "data": {"from": "asyncpusher"}})
        # Not before it has arrived: what is still to be sent would go with the connection.
        await asyncio.to_thread(listener.wait_messages, 11)
        await client.disconnect()
        return seen

    assert asyncio.run(run()) == list(range(10))
    assert listener.of("msg")[-1]["event"] == "client-hello"
