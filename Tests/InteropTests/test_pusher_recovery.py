"""Recovery for Pusher (docs/pusher-recovery.md) with a client that was written from that page alone, and what other clients see."""

import json

import pytest
from lifeline_harness import Server
from pusher_client import signature
from recovering_client import RawClient, RecoveringClient


@pytest.fixture
def client(server, started):
    return lambda **options: started(RecoveringClient, options.pop("port", server.port), **options)


def numbers(client, channel):
    return [data for of, event, data in client.events if of == channel and event == "tick"]


@pytest.mark.parametrize("channel", ["room", "private-room", "presence-room", "private-encrypted-room"])
def test_nothing_is_lost_while_the_client_is_away(server, client, channel):
    away = client(authorized_as="ann")
    away.connect()
    away.subscribe(channel)
    assert server.publish(channel, "tick", "0")
    away.wait_events(1)
    for outage in range(3):
        away.drop()
        for number in range(30):
            assert server.publish(channel, "tick", str(1 + 30 * outage + number))
        away.connect()
        away.wait_confirmed(channel)
    away.settle()
    assert numbers(away, channel) == [str(number) for number in range(91)]
    assert "gap" not in {event for _, event, _ in away.events}


def test_a_replay_that_is_cut_is_told_once(server, client):
    away = client()
    away.connect()
    away.subscribe("room")
    away.drop()
    for number in range(50):
        assert server.publish("room", "tick", str(number))
    away.connect()
    away.wait_events(20)
    away.drop()
    assert server.publish("room", "tick", "50")
    away.connect()
    away.wait_confirmed("room")
    assert numbers(away, "room") == [str(number) for number in range(51)]
    assert "gap" not in {event for _, event, _ in away.events}


def test_what_cannot_be_replayed_is_a_gap(server, client):
    away, stays = client(), client()
    for one in (away, stays):
        one.connect()
        one.subscribe("room")
    away.drop()
    for number in range(120):
        assert server.publish("room", "tick", str(number))
    away.connect()
    away.wait_confirmed("room")
    assert away.events[-1] == ("room", "gap", None)
    assert numbers(away, "room") == [str(number) for number in range(20, 120)]
    # From here on it is as before.
    away.drop()
    assert server.publish("room", "tick", "120")
    away.connect()
    away.wait_confirmed("room")
    assert away.events[-1] == ("room", "tick", "120")


@pytest.mark.parametrize("data", [False, True])
def test_a_server_that_starts_again_declares_a_gap(started, client, tmp_path, data):
    options = ["--data", str(tmp_path / "data")] if data else []
    first = started(Server, 0, *options)
    away = client(port=first.port)
    away.connect()
    away.subscribe("room")
    assert first.publish("room", "tick", "0")
    away.wait_events(1)
    first.kill()
    started(Server, first.port, *options)
    away.drop()
    away.connect()
    away.wait_confirmed("room")
    assert away.events == [("room", "tick", "0"), ("room", "gap", None)]


def test_a_server_with_recovery_switched_off_offers_none(started, client, tmp_path):
    settings = tmp_path / "settings.json"
    settings.write_text(json.dumps({"app": {"recovery": {"messages": 0}}}))
    away = client(port=started(Server, 0, "--config", str(settings)).port)
    away.connect()
    assert away.offer is None
    away.subscribe("room")
    assert away.positions == {}


def test_members_who_came_and_went_are_replayed(server, client, connect):
    away = client(authorized_as="ann")
    away.connect()
    away.subscribe("presence-room")
    away.drop()
    server.wait_vacated("presence-room")
    other = connect()
    other.subscribe("presence-room", user="bob")
    other.kill()
    server.wait_vacated("presence-room")
    away.connect()
    away.wait_confirmed("presence-room")
    changes = [(event.rpartition(":")[2], json.loads(data)["user_id"]) for _, event, data in away.events]
    assert changes == [("member_added", "bob"), ("member_removed", "bob")]


@pytest.mark.parametrize("channel", ["room", "presence-room", "cache-room"])
def test_other_clients_are_sent_the_same_bytes(started, client, tmp_path, channel):
    """With recovery in use on the channel, and with recovery switched off (RV-1)."""
    settings = tmp_path / "settings.json"
    settings.write_text(json.dumps({"app": {"recovery": {"messages": 0}}}))
    seen = []
    for options in ([], ["--config", str(settings)]):
        server = started(Server, 0, *options)
        using = client(port=server.port, authorized_as="ann")
        using.connect()
        using.subscribe(channel)
        assert (using.offer is None) == bool(options)
        raw = started(RawClient, server.port)
        data = {"channel": channel}
        if channel.startswith("presence-"):
            data["channel_data"] = json.dumps({"user_id": "bob"})
            data["auth"] = "app-key:" + signature(f"{raw.socket_id}:{channel}:{data['channel_data']}")
        # It cannot ask for anything, since it did not ask in its handshake.
        data["recover"] = {"position": "x:0", "socket_id": raw.socket_id}
        raw.send("pusher:subscribe", data)
        raw.take("subscription_succeeded")
        for number in range(5):
            assert server.publish(channel, "tick", json.dumps({"n": number, "text": "é\"\\/\n"}))
        raw.take("\\\"n\\\": 4")
        using.drop()
        if channel.startswith("presence-"):
            raw.take("member_removed")
        raw.send("pusher:unsubscribe", {"channel": channel})
        raw.send("pusher:ping", {})
        raw.take("pusher:pong")
        seen.append(raw.frames)
    # How many subscribe is told when the others have left, which takes its time.
    seen = [[frame for frame in frames if "subscription_count" not in frame] for frames in seen]
    assert seen[0] == seen[1]
    assert not any("position" in frame or "recover" in frame for frame in seen[0])
