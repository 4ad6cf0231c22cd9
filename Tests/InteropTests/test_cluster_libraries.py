"""Other people's libraries and a browser on one server of a cluster, while others publish and ask on the other servers.

Each test has channels and users of its own, since all of them share three nodes. The page of the browser has names of its own, which no
other test uses.
"""

import asyncio
import json
import logging
import threading

import asyncpusher
import pysher
import pytest
from browser_page import Page
from cluster_harness import redis_program
from lifeline_harness import KEY, SECRET, wait_until
from pubnub_harness import MANAGERS
from pusher_client import PusherSocket
from pysher_client import subscribed
from shared_cluster import client, cluster, library, name, ports, receiver, same  # noqa: F401
from web_host import WebHost

pytestmark = pytest.mark.skipif(redis_program() is None, reason="no redis-server found: run Scripts/setup.sh test")
COUNT = 30


def publish_by_turns(ports, channel, count=COUNT):
    """Numbers, one after the other, by the first and the last node in turns."""
    libraries = [library(ports[0]), library(ports[2])]
    for number in range(count):
        libraries[number % 2].trigger(channel, "tick", {"n": number})


def numbers(events):
    return [json.loads(data)["n"] for event, data in events if event == "tick"]


def channels(name):
    return [name, f"private-{name}", f"presence-{name}"]


def counts(ports, channel):
    """What each node says of a channel, which has to be the same."""
    asked = ["subscription_count"] + (["user_count"] if channel.startswith("presence-") else [])
    return same(ports, lambda port: library(port).channel_info(channel, asked))


def wait_vacated(ports, name):
    for port in ports:
        for channel in channels(name):
            wait_until(lambda: not library(port).channel_info(channel)["occupied"], 30, f"{channel} to be vacated")


@pytest.fixture
def sher(ports, started):
    """Connects pysher to a node; with an endpoint it does not know the secret."""
    made = []

    def make(index, user=None, endpoint=None):
        made.append(pysher.Pusher(
            KEY, custom_host="127.0.0.1", port=ports[index], secure=False, secret="" if endpoint else SECRET,
            user_data={"user_id": user} if user else None, auth_endpoint=endpoint, log_level=logging.CRITICAL))
        connected = threading.Event()
        made[-1].connection.bind("pusher:connection_established", lambda _: connected.set())
        made[-1].connect()
        assert connected.wait(30)
        return made[-1]

    yield make
    for one in made:
        one.disconnect(0)


def test_pysher_receives_what_other_nodes_publish(sher, ports, name):
    one = sher(1, "ann")
    for channel in channels(name):
        events = subscribed(one, channel)[1]
        publish_by_turns(ports, channel)
        library(ports[1]).trigger(channel, "tick", {"n": "last"})
        wait_until(lambda: "last" in numbers(events), 30, "the last event")
        assert numbers(events) == [*range(COUNT), "last"]
        wanted = {"occupied": True, "subscription_count": 1}
        assert counts(ports, channel) == ({**wanted, "user_count": 1} if channel.startswith("presence-") else wanted)
    assert same(ports, lambda port: library(port).users_info(f"presence-{name}")) == {"users": [{"id": "ann"}]}
    one.disconnect(0)
    wait_vacated(ports, name)


def test_pysher_asks_an_endpoint_on_another_node(sher, ports, started, name):
    host = started(WebHost)
    events = subscribed(sher(1, endpoint=f"{host.url}/pusher/auth"), f"private-{name}")[1]
    publish_by_turns(ports, f"private-{name}")
    wait_until(lambda: len(numbers(events)) >= COUNT, 30, "the events")
    assert numbers(events) == list(range(COUNT))
    assert [form["channel_name"] for _, form, _ in host.asked] == [f"private-{name}"]


def test_pysher_on_two_nodes_see_one_another(sher, ports, name):
    ann, ben = sher(1, "ann"), sher(2, "ben")
    lobby = f"presence-{name}"
    channel, of_ann = subscribed(ann, lobby)
    of_ben = subscribed(ben, lobby)[1]
    wait_until(lambda: of_ann, 30, "the member")
    channel.trigger("client-hello", {"from": "ann"})
    wait_until(lambda: of_ben, 30, "the client event")
    assert [(event, json.loads(data)["from"]) for event, data in of_ben] == [("client-hello", "ann")]
    assert counts(ports, lobby) == {"occupied": True, "subscription_count": 2, "user_count": 2}
    ben.disconnect(0)
    wait_until(lambda: len(of_ann) == 2, 30, "the end of the member")
    assert [(event, json.loads(data)["user_id"]) for event, data in of_ann] == [
        ("pusher_internal:member_added", "ben"), ("pusher_internal:member_removed", "ben")]
    assert counts(ports, lobby) == {"occupied": True, "subscription_count": 1, "user_count": 1}


def test_asyncpusher_receives_what_other_nodes_publish(ports, started, name):
    host = WebHost(member={"user_id": "async"})
    started(lambda: host)
    other = started(PusherSocket, ports[2])
    other.subscribe(f"private-{name}")
    seen, ready = {channel: [] for channel in channels(name)}, []

    async def authenticate(asked):
        return await asyncio.to_thread(host.answer, "/pusher/auth", asked)

    async def until(condition, what):
        await asyncio.to_thread(wait_until, condition, 30, what)

    async def run():
        one = asyncpusher.Pusher(
            KEY, custom_host="127.0.0.1", custom_port=ports[1], secure=False, channel_authenticator=authenticate)
        await one.connect()

        async def confirm(_, channel):
            ready.append(channel)

        async def tick(data, channel):
            seen[channel].append(data["n"])

        for channel in channels(name):
            made = await one.subscribe(channel)
            made.bind("pusher_internal:subscription_succeeded", confirm, channel)
            made.bind("tick", tick, channel)
        await until(lambda: len(ready) == 3, "three subscriptions")
        for channel in channels(name):
            await asyncio.to_thread(publish_by_turns, ports, channel)
            await asyncio.to_thread(library(ports[1]).trigger, channel, "tick", {"n": "last"})
            await until(lambda: "last" in seen[channel], f"the last event of {channel}")
            expected = 2 if channel == f"private-{name}" else 1
            assert (await asyncio.to_thread(counts, ports, channel))["subscription_count"] == expected
        users = await asyncio.to_thread(same, ports, lambda port: library(port).users_info(f"presence-{name}"))
        assert users == {"users": [{"id": "async"}]}
        await one.channels[f"private-{name}"].trigger({"event": "client-hello", "data": {"from": "asyncpusher"}})
        hello = await asyncio.to_thread(other.skip_to, "client-hello")
        assert json.loads(hello["data"]) == {"from": "asyncpusher"}
        await one.disconnect()

    asyncio.run(run())
    assert seen == {channel: [*range(COUNT), "last"] for channel in channels(name)}
    other.unsubscribe(f"private-{name}")
    wait_vacated(ports, name)


@pytest.mark.parametrize("manager", MANAGERS)
def test_pubnub_subscribes_publishes_and_asks_on_three_nodes(client, name, manager):
    # The event engine says that it leaves only when it also sends heartbeats.
    writer, asker = client(0, f"{name}-w"), client(2, f"{name}-q")
    reader = client(1, f"{name}-r", manager, enable_presence_heartbeat=True)
    reader.subscribe(name)
    tokens = [int(writer.result(lambda p: p.publish().channel(name).message({"n": n})).timetoken) for n in range(COUNT)]
    got = reader.wait("messages", COUNT)
    assert [(message.message["n"], int(message.timetoken)) for message in got] == list(enumerate(tokens))

    def here():
        found = asker.result(lambda p: p.here_now().channels(name).include_uuids(True).include_state(True)).channels
        return found[0] if found and found[0].occupancy else None

    room = wait_until(here, 20, "the reader to be there")
    assert room.occupancy == 1 and [occupant.uuid for occupant in room.occupants] == [f"{name}-r"]
    assert asker.result(lambda p: p.where_now().uuid(f"{name}-r")).channels == [name]
    assert asker.result(lambda p: p.where_now().uuid(f"{name}-w")).channels == []
    reader.result(lambda p: p.set_state().channels(name).state({"mood": manager}))
    assert asker.result(lambda p: p.get_state().channels(name).uuid(f"{name}-r")).channels == {name: {"mood": manager}}
    assert [occupant.state for occupant in here().occupants] == [{"mood": manager}]

    page = asker.result(lambda p: p.history().channel(name).count(100).include_timetoken(True))
    assert [(entry.entry["n"], int(entry.timetoken)) for entry in page.messages] == list(enumerate(tokens))
    fetched = asker.result(lambda p: p.fetch_messages().channels([name]).count(25)).channels[name]
    assert [entry.message["n"] for entry in fetched] == list(range(COUNT - 25, COUNT))
    counted = asker.result(lambda p: p.message_counts().channel(name).channel_timetokens([tokens[9]]))
    assert counted.channels == {name: COUNT - 10}

    assert len(reader.messages) == COUNT, "something came twice"
    # A poll that the library sends beside its leave may come behind it and join again, on a single server too: by now it is held.
    reader.unsubscribe(name)
    wait_until(lambda: here() is None, 20, "the reader to be gone")


def test_a_browser_receives_what_other_nodes_publish(ports, started):
    python = started(PusherSocket, ports[0])
    python.subscribe("private-room")
    python.subscribe("presence-room", "python")
    page = Page(started, ports[2])
    rooms = ["room", "private-room", "presence-room", "#server-to-user-page"]
    for channel in rooms:
        page.wait_event("pusher_internal:subscription_succeeded", channel)
    assert python.skip_to("pusher_internal:member_added", "presence-room")["data"]["user_id"] == "page"
    for channel, count in (("room", 1), ("private-room", 2), ("presence-room", 2)):
        assert counts(ports, channel)["subscription_count"] == count
    users = same(ports, lambda port: library(port).users_info("presence-room"))["users"]
    assert {user["id"] for user in users} == {"python", "page"}

    senders = [library(ports[0]), library(ports[1])]
    for number in range(COUNT):
        senders[number % 2].trigger(rooms[:3], "number", {"n": number})
        senders[number % 2].send_to_user("page", "number", {"n": number})
    for channel in rooms:
        senders[0].trigger(channel, "tick", {})
    for channel in rooms:
        page.wait_event("tick", channel)
        seen = [told["value"]["n"] for told in page.told if told.get("event") == "number" and told.get("channel") == channel]
        assert seen == list(range(COUNT)), channel

    # The page answers the last event of the private channel.
    assert json.loads(python.skip_to("client-hello", "private-room")["data"]) == {"from": "page", "text": "grüße €"}
    python.trigger("presence-room", "client-hi", {"from": "python"})
    answer = page.wait_event("client-hi", "presence-room")
    assert (answer["value"], answer["user_id"]) == ({"from": "python"}, "python")
