"""PyPI `pubnub` with its three subscription managers against `lifeline serve`."""

import json

import pytest
from lifeline_harness import wait_until
from pubnub.enums import PNStatusCategory
from pubnub.exceptions import PubNubException
from pubnub_harness import MANAGERS, Client, ask, publish


@pytest.fixture(params=MANAGERS)
def manager(request):
    """One of the three; a test may choose by a mark of its own."""
    return request.param


@pytest.fixture
def client(manager, server, request):
    made = []

    def make(user="u1", **settings):
        made.append(Client(manager, server.port, user, **settings))
        return made[-1]

    yield make
    for one in made:
        one.stop()


def test_messages_arrive_once_and_in_order_with_all_their_fields(client, server):
    subscriber, sender = client("u1"), client("u2")
    subscriber.subscribe("room")
    for i in range(30):
        sender.result(lambda p: p.publish().channel("room").message({"i": i}).meta({"n": i}).custom_message_type("tick"))
    got = subscriber.wait("messages", 30)
    assert [m.message["i"] for m in got] == list(range(30))
    assert [m.user_metadata["n"] for m in got] == list(range(30))
    assert {m.publisher for m in got} == {"u2"} and {m.custom_message_type for m in got} == {"tick"}
    assert {m.channel for m in got} == {"room"} and {m.subscription for m in got} <= {None, "room"}
    tokens = [int(m.timetoken) for m in got]
    assert tokens == sorted(set(tokens))


def test_a_list_change_loses_and_repeats_nothing(client, server):
    subscriber = client()
    subscriber.subscribe("a")
    for i in range(20):
        publish(server.port, "a", i)
        if i == 9:
            subscriber.subscribe("b")
        if i == 14:
            subscriber.subscribe("c")
    wait_until(lambda: len(subscriber.messages) >= 20, 30, "20 messages")
    assert [m.message for m in subscriber.messages if m.channel == "a"] == list(range(20))
    wait_until(lambda: ask(server.port, "/v2/presence/sub-key/demo/channel/c", uuid="x").json["occupancy"] == 1, 30, "joined c")
    publish(server.port, "b", "on b")
    publish(server.port, "c", "on c")
    wait_until(lambda: {"on b", "on c"} <= {m.message for m in subscriber.messages if isinstance(m.message, str)}, 30, "both")


def test_join_and_leave_of_another_user_are_seen(client, server):
    # The event engine leaves in its own words only when it also sends heartbeats.
    watcher, other = client("watcher"), client("other", enable_presence_heartbeat=True)
    watcher.subscribe("room", presence=True)
    other.subscribe("room")
    wait_until(lambda: any(p.event == "join" and p.uuid == "other" for p in watcher.presences), 30, "the join")
    joined = next(p for p in watcher.presences if p.uuid == "other")
    assert joined.channel == "room" and joined.occupancy == 2 and int(joined.timestamp) > 1_500_000_000
    other.unsubscribe("room")
    wait_until(lambda: any(p.event == "leave" and p.uuid == "other" for p in watcher.presences), 30, "the leave")


def test_signals_are_told_apart_from_messages(client, server):
    subscriber, sender = client("u1"), client("u2")
    subscriber.subscribe("room")
    sender.result(lambda p: p.signal().channel("room").message("hi"))
    got = subscriber.wait("signals", 1)
    assert got[0].message == "hi" and got[0].publisher == "u2" and subscriber.messages == []


def test_fire_is_acknowledged_and_not_delivered(client, server):
    subscriber, sender = client("u1"), client("u2")
    subscriber.subscribe("room")
    sender.result(lambda p: p.fire().channel("room").message("nobody hears this"))
    sender.result(lambda p: p.publish().channel("room").message("this"))
    assert [m.message for m in subscriber.wait("messages", 1)] == ["this"]


def test_channel_groups_deliver_and_change_under_a_held_poll(client, server):
    owner = client("owner")
    owner.result(lambda p: p.add_channel_to_channel_group().channel_group("g1").channels(["a", "b"]))
    assert owner.result(lambda p: p.list_channels_in_channel_group().channel_group("g1")).channels == ["a", "b"]
    subscriber = client("u1")
    subscriber.subscribe(groups=["g1"])
    publish(server.port, "b", "from b")
    got = subscriber.wait("messages", 1)
    assert got[0].channel == "b" and got[0].subscription == "g1"
    owner.result(lambda p: p.add_channel_to_channel_group().channel_group("g1").channels(["c"]))
    publish(server.port, "c", "from c")
    assert subscriber.wait("messages", 2)[1].channel == "c"
    owner.result(lambda p: p.remove_channel_from_channel_group().channel_group("g1").channels(["a"]))
    publish(server.port, "a", "unheard")
    publish(server.port, "b", "heard")
    assert subscriber.wait("messages", 3)[2].message == "heard"


def test_wildcards_match_deeper_channels(client, server):
    subscriber = client()
    subscriber.subscribe("news.*")
    publish(server.port, "news.sport", 1)
    publish(server.port, "news.sport.chess", 2)
    publish(server.port, "newspaper", 3)
    publish(server.port, "news.end", 4)
    got = subscriber.wait("messages", 3)
    assert [m.message for m in got] == [1, 2, 4]
    assert {m.subscription for m in got} == {"news.*"}


@pytest.mark.parametrize("manager", ["native", "asyncio"])  # the event engine of this version sends no filter
def test_a_filter_is_applied_by_the_server(client, server):
    subscriber = client(filter_expression="lang == 'en' && data.i > 1")
    subscriber.subscribe("room")
    for i in range(4):
        for lang in ("en", "de"):
            publish(server.port, "room", {"i": i, "lang": lang}, meta=json.dumps({"lang": lang}))
    got = subscriber.wait("messages", 2)
    assert [m.message for m in got] == [{"i": 2, "lang": "en"}, {"i": 3, "lang": "en"}]


@pytest.mark.parametrize("random_iv", [True, False])
def test_encrypted_messages_pass_between_two_clients_and_through_history(client, server, random_iv):
    settings = dict(cipher_key="enigma", use_random_initialization_vector=random_iv)
    subscriber, sender = client("u1", **settings), client("u2", **settings)
    subscriber.subscribe("secret")
    sender.result(lambda p: p.publish().channel("secret").message({"hello": "world"}))
    assert subscriber.wait("messages", 1)[0].message == {"hello": "world"}
    page = sender.result(lambda p: p.history().channel("secret").count(10))
    assert [m.entry for m in page.messages] == [{"hello": "world"}]


def test_compressed_and_posted_publishes_arrive(client, server):
    subscriber, sender = client("u1"), client("u2", should_compress=True)
    subscriber.subscribe("room")
    text = "x" * 5000
    sender.result(lambda p: p.publish().channel("room").message({"text": text}).use_post(True))
    client("u3").result(lambda p: p.publish().channel("room").message({"text": "plain"}).use_post(True))
    got = subscriber.wait("messages", 2)
    assert [m.message["text"] for m in got] == [text, "plain"]


def test_history_counts_and_deletion(client, server):
    one = client()
    tokens = [int(one.result(lambda p: p.publish().channel("h").message({"i": i}).meta({"m": i})).timetoken) for i in range(10)]
    page = one.result(lambda p: p.history().channel("h").count(4).include_timetoken(True))
    assert [m.entry["i"] for m in page.messages] == [6, 7, 8, 9]
    assert [m.timetoken for m in page.messages] == tokens[6:]
    older = one.result(lambda p: p.history().channel("h").count(4).start(tokens[6]))
    assert [m.entry["i"] for m in older.messages] == [2, 3, 4, 5]
    oldest = one.result(lambda p: p.history().channel("h").count(3).reverse(True))
    assert [m.entry["i"] for m in oldest.messages] == [0, 1, 2]
    many = one.result(
        lambda p: p.fetch_messages().channels(["h", "empty"]).maximum_per_channel(5).include_meta(True).include_uuid(True))
    assert [m.message["i"] for m in many.channels["h"]] == [5, 6, 7, 8, 9]
    assert [m.meta["m"] for m in many.channels["h"]] == [5, 6, 7, 8, 9] and "empty" not in many.channels
    counts = one.result(lambda p: p.message_counts().channel(["h", "empty"]).channel_timetokens([tokens[4], tokens[0]]))
    assert counts.channels == {"h": 5, "empty": 0}
    one.result(lambda p: p.delete_messages().channel("h").start(tokens[7]).end(tokens[9]))
    left = one.result(lambda p: p.history().channel("h").count(100))
    assert [m.entry["i"] for m in left.messages] == list(range(8))


def test_presence_state_and_where_now(client, server):
    one = client("u1")
    one.subscribe("a", "b")
    wait_until(lambda: ask(server.port, "/v2/presence/sub-key/demo/channel/a", uuid="x").json["occupancy"] == 1, 30, "present")
    assert sorted(one.result(lambda p: p.where_now().uuid("u1")).channels) == ["a", "b"]
    assert one.result(lambda p: p.set_state().channels(["a"]).state({"mood": "good"})).state == {"mood": "good"}
    assert one.result(lambda p: p.get_state().channels(["a"])).channels == {"a": {"mood": "good"}}
    here = one.result(lambda p: p.here_now().channels(["a", "b"]).include_state(True).include_uuids(True))
    assert here.total_channels == 2 and here.total_occupancy == 2
    occupants = {c.channel_name: [(o.uuid, o.state) for o in c.occupants] for c in here.channels}
    assert occupants["a"] == [("u1", {"mood": "good"})] and [uuid for uuid, _ in occupants["b"]] == ["u1"]


def test_a_malformed_filter_is_refused_with_481_and_a_body(server):
    answer = ask(server.port, "/v2/subscribe/demo/room/0", **{"tt": "0", "uuid": "u1", "filter-expr": "lang = = 'en"})
    assert answer.status == 481 and answer.json["error"] is True and answer.json["status"] == 481


def test_a_wrong_key_is_refused_and_the_next_call_works(client, server):
    wrong = client("u1", publish_key="nobody")
    with pytest.raises(Exception) as refused:
        wrong.result(lambda p: p.publish().channel("room").message("x"))
    assert "Invalid Key" in str(refused.value) or "400" in str(refused.value)
    assert int(client("u2").result(lambda p: p.publish().channel("room").message("x")).timetoken) > 0


def test_time_is_a_timetoken(client, server):
    assert len(str(int(client().result(lambda p: p.time())))) == 17
