"""Other people's clients on different servers of one cluster: what is published on one is the same on all, and every answer too.

Each test has channels, users and groups of its own, since all of them share three nodes.
"""

import json

import pytest
from cluster_harness import redis_program
from cluster_world import World
from lifeline_harness import APP_ID, rest, wait_until
from chat_client import Refused
from pubnub_harness import ask, cursor, poll, publish
from pusher_client import Closed, PusherSocket
from shared_cluster import client, cluster, library, name, ports, receiver, same  # noqa: F401

pytestmark = pytest.mark.skipif(redis_program() is None, reason="no redis-server found: run Scripts/setup.sh test")


@pytest.fixture
def sockets(ports, started):
    """A Pusher connection to each node."""
    return [started(PusherSocket, port) for port in ports]


# Pusher

def test_events_of_all_nodes_have_one_order_on_all_nodes(ports, sockets, name):
    for socket in sockets:
        socket.subscribe(name)
    libraries = [library(port) for port in ports]
    for number in range(30):
        libraries[number % 3].trigger(name, "tick", str(number))
    for socket in sockets:
        assert [socket.wait("tick", name)["data"] for _ in range(30)] == [str(number) for number in range(30)]


def test_batches_and_many_channels_reach_other_nodes(ports, sockets, name):
    for socket in sockets:
        socket.subscribe(f"{name}-1")
        socket.subscribe(f"{name}-2")
    library(ports[1]).trigger_batch([{"channel": f"{name}-{n % 2 + 1}", "name": "b", "data": str(n)} for n in range(10)])
    library(ports[2]).trigger([f"{name}-1", f"{name}-2"], "both", {})
    for socket in sockets:
        assert [socket.wait("b")["data"] for _ in range(10)] == [str(n) for n in range(10)]
        assert {socket.wait("both")["channel"] for _ in range(2)} == {f"{name}-1", f"{name}-2"}


def test_the_sender_on_another_node_is_left_out(ports, sockets, name):
    for socket in sockets:
        socket.subscribe(name)
    library(ports[0]).trigger(name, "first", {}, sockets[2].socket_id)
    library(ports[1]).trigger(name, "second", {})
    for socket in sockets[:2]:
        socket.wait("first", name)
    for socket in sockets:
        socket.wait("second", name)


def test_channels_and_users_are_the_same_on_each_node(ports, sockets, name):
    room, lobby = f"{name}-room", f"presence-{name}"
    for number, socket in enumerate(sockets):
        socket.subscribe(room)
        socket.subscribe(lobby, f"u{min(number, 1)}")
    counts = ["user_count", "subscription_count"]
    assert same(ports, lambda port: library(port).channels_info(f"presence-{name}", counts)) == {
        "channels": {lobby: {"user_count": 2, "subscription_count": 3}}}
    assert set(same(ports, lambda port: library(port).channels_info(name))["channels"]) == {room}
    assert same(ports, lambda port: library(port).channel_info(room, ["subscription_count"])) == {
        "occupied": True, "subscription_count": 3}
    users = same(ports, lambda port: library(port).users_info(lobby)["users"])
    assert {user["id"] for user in users} == {"u0", "u1"}
    assert same(ports, lambda port: library(port).users_info(f"presence-{name}-nobody")) == {"users": []}
    assert same(ports, lambda port: rest(port, "GET", f"/apps/{APP_ID}/users/nobody/none"))[0] == 404


def test_a_user_on_two_nodes_is_one_member(sockets, name):
    watcher, first, second = sockets
    lobby = f"presence-{name}"
    watcher.subscribe(lobby, "watcher")
    first.subscribe(lobby, "ann")
    assert watcher.wait("pusher_internal:member_added", lobby)["data"]["user_id"] == "ann"
    presence = second.subscribe(lobby, "ann")["data"]["presence"]
    assert presence["count"] == 2 and set(presence["ids"]) == {"ann", "watcher"}
    first.unsubscribe(lobby)
    watcher.trigger(lobby, "client-still", {})
    second.wait("client-still", lobby)
    second.drop()
    # Nothing was told of the second subscription, nor of the end of the first.
    assert watcher.wait("pusher_internal:member_removed", lobby)["data"] == {"user_id": "ann"}


def test_client_events_between_nodes_say_who_sent_them(sockets, name):
    lobby = f"presence-{name}"
    for number, socket in enumerate(sockets):
        socket.subscribe(lobby, f"u{number}")
    for number in range(10):
        sockets[2].trigger(lobby, "client-move", {"n": number})
    for socket in sockets[:2]:
        seen = [socket.skip_to("client-move", lobby) for _ in range(10)]
        data = [json.loads(event["data"]) if isinstance(event["data"], str) else event["data"] for event in seen]
        assert [item["n"] for item in data] == list(range(10))
        assert {event["user_id"] for event in seen} == {"u2"}


def test_a_cache_channel_gives_its_last_event_on_another_node(ports, started, name):
    channel = f"cache-{name}"
    early = started(PusherSocket, ports[2])
    early.subscribe(channel)
    early.wait("pusher:cache_miss", channel)
    library(ports[0]).trigger(channel, "headline", {"n": 1})
    early.wait("headline", channel)
    for port in ports[1:]:
        late = started(PusherSocket, port)
        late.subscribe(channel)
        assert json.loads(late.wait("headline", channel)["data"]) == {"n": 1}
    cached = same(ports, lambda port: library(port).channel_info(channel, ["cache"])["cache"]["data"])
    assert json.loads(cached) == {"n": 1}


def test_a_user_is_reached_and_ended_from_another_node(ports, sockets, name):
    for number, socket in enumerate(sockets):
        socket.signin({"id": name if number else f"{name}-other"})
        socket.subscribe(f"#server-to-user-{name if number else f'{name}-other'}")
    library(ports[0]).send_to_user(name, "news", {"n": 1})
    for socket in sockets[1:]:
        assert json.loads(socket.wait("news")["data"]) == {"n": 1}
    library(ports[0]).terminate_user_connections(name)
    for socket in sockets[1:]:
        assert socket.closed().code == 4009
    assert sockets[0].settled() == []


def test_watchers_learn_of_users_on_other_nodes(ports, started, name):
    watcher = started(PusherSocket, ports[0])
    watcher.signin({"id": f"{name}-w", "watchlist": [f"{name}-u"]})
    user = started(PusherSocket, ports[2])
    user.signin({"id": f"{name}-u"})
    told = watcher.skip_to("pusher_internal:watchlist_events")
    assert told["data"]["events"] == [{"name": "online", "user_ids": [f"{name}-u"]}]


def test_webhooks_of_all_nodes_are_told_once(receiver, sockets, name):
    lobby = f"presence-{name}"
    for number, socket in enumerate(sockets):
        socket.subscribe(lobby, f"u{min(number, 1)}")
    for user in ("u0", "u1"):
        receiver.wait("member_added", channel=lobby, user_id=user)
    sockets[1].trigger(lobby, "client-move", "{}")
    receiver.wait("client_event", channel=lobby)
    for socket in sockets:
        socket.unsubscribe(lobby)
    receiver.wait("channel_vacated", channel=lobby)
    for user in ("u0", "u1"):
        receiver.wait("member_removed", channel=lobby, user_id=user)
    told = [(event["name"], event.get("user_id")) for event in receiver.taken if event["channel"] == lobby]
    assert sorted(told, key=str) == sorted([
        ("channel_occupied", None), ("member_added", "u0"), ("member_added", "u1"), ("client_event", "u1"),
        ("channel_vacated", None), ("member_removed", "u0"), ("member_removed", "u1")], key=str)


def test_a_connection_that_breaks_leaves_its_channels_on_all_nodes(ports, sockets, name):
    sockets[2].subscribe(name)
    assert set(same(ports, lambda port: library(port).channels_info(name))["channels"]) == {name}
    sockets[2].drop()
    for port in ports:
        wait_until(lambda: library(port).channels_info(name)["channels"] == {}, 20, "the channel to be vacated")
    with pytest.raises(Closed):
        sockets[2].next()


# PubNub

def test_messages_pass_between_the_vendors_clients_on_different_nodes(client, name):
    subscribers, senders = [client(n, f"s{n}") for n in range(3)], [client(n, f"p{n}") for n in range(3)]
    for subscriber in subscribers:
        subscriber.subscribe(name)
    tokens = []
    for number in range(15):
        sender = senders[number % 3]
        tokens.append(int(sender.result(lambda p: p.publish().channel(name).message({"i": number})).timetoken))
    assert tokens == sorted(set(tokens))
    for subscriber in subscribers:
        got = subscriber.wait("messages", 15)
        assert [message.message["i"] for message in got] == list(range(15))
        assert [int(message.timetoken) for message in got] == tokens


def test_history_is_the_same_on_each_node(client, ports, name):
    tokens = [int(publish(ports[number % 3], name, number).json[2]) for number in range(12)]
    for query in (
            {"count": 5}, {"count": 4, "reverse": "true"}, {"count": 3, "start": tokens[6]},
            {"count": 100, "include_token": "true"}):
        same(ports, lambda port: ask(port, f"/v2/history/sub-key/demo/channel/{name}", uuid="u", **query).text)
    same(ports, lambda port: ask(port, f"/v3/history/sub-key/demo/channel/{name}", uuid="u", max="25").text)
    assert same(ports, lambda port: ask(
        port, f"/v3/history/sub-key/demo/message-counts/{name}", uuid="u", timetoken=tokens[4]).json["channels"]) == {name: 7}
    client(1, "u").result(lambda p: p.delete_messages().channel(name).start(tokens[9]).end(tokens[11]))
    for index in range(3):
        page = client(index, "u").result(lambda p: p.history().channel(name).count(100))
        assert [message.entry for message in page.messages] == list(range(10))


def test_a_cursor_moves_between_nodes_and_loses_nothing(ports, name):
    tt, seen = cursor(ports[0], name, uuid="mover"), []
    for number in range(30):
        publish(ports[number % 3], name, number)
        if number % 4 == 3:
            answer = poll(ports[(number + 1) % 3], tt, name, uuid="mover").json
            seen, tt = seen + [message["d"] for message in answer["m"]], answer["t"]["t"]
    for turn in range(6):
        if len(seen) == 30:
            break
        answer = poll(ports[turn % 3], tt, name, uuid="mover").json
        seen, tt = seen + [message["d"] for message in answer["m"]], answer["t"]["t"]
    assert seen == list(range(30))


def test_presence_and_state_of_users_on_different_nodes(client, ports, name):
    for index in range(3):
        client(index, f"{name}-{index}").subscribe(name)
    wait_until(
        lambda: ask(ports[1], f"/v2/presence/sub-key/demo/channel/{name}", uuid="x").json["occupancy"] == 3, 20, "three users")
    path = f"/v2/presence/sub-key/demo/channel/{name}"
    ask(ports[2], f"{path}/uuid/{name}-0/data", state=json.dumps({"mood": "good"}))
    here = same(ports, lambda port: ask(port, path, uuid="x", state="1").json)
    states = {entry["uuid"]: entry.get("state") for entry in here["uuids"]}
    assert set(states) == {f"{name}-{index}" for index in range(3)} and states[f"{name}-0"] == {"mood": "good"}
    for index in range(3):
        where = same(ports, lambda port: ask(port, f"/v2/presence/sub-key/demo/uuid/{name}-{index}").json["payload"])
        assert where == {"channels": [name]}
    assert same(ports, lambda port: ask(port, f"{path}/uuid/{name}-0").json["payload"]) == {"mood": "good"}


def test_joins_and_leaves_are_told_on_other_nodes(client, ports, name):
    watcher, other = client(0, f"{name}-w"), client(2, f"{name}-o")
    watcher.subscribe(name, presence=True)
    other.subscribe(name)
    wait_until(lambda: any(p.event == "join" and p.uuid == f"{name}-o" for p in watcher.presences), 20, "the join")
    other.unsubscribe(name)
    wait_until(lambda: any(p.event == "leave" and p.uuid == f"{name}-o" for p in watcher.presences), 20, "the leave")
    told = [(p.event, p.uuid) for p in watcher.presences if p.uuid == f"{name}-o"]
    assert told == [("join", f"{name}-o"), ("leave", f"{name}-o")]


def test_groups_change_on_all_nodes_under_a_held_poll(client, ports, name):
    owner, subscriber = client(1, "owner"), client(2, "subscriber")
    owner.result(lambda p: p.add_channel_to_channel_group().channel_group(name).channels([f"{name}-a"]))
    subscriber.subscribe(groups=[name])
    owner.result(lambda p: p.add_channel_to_channel_group().channel_group(name).channels([f"{name}-b"]))
    assert same(ports, lambda port: ask(
        port, f"/v1/channel-registration/sub-key/demo/channel-group/{name}", uuid="u").json["payload"]["channels"]) == [
            f"{name}-a", f"{name}-b"]
    publish(ports[0], f"{name}-b", "heard")
    got = subscriber.wait("messages", 1)[0]
    assert (got.channel, got.subscription, got.message) == (f"{name}-b", name, "heard")


def test_actions_on_messages_are_the_same_on_each_node(client, ports, name):
    watcher = client(2, "watcher")
    watcher.subscribe(name)
    token = publish(ports[0], name, "m").json[2]
    body = json.dumps({"type": "reaction", "value": "smile"}).encode()
    made = ask(
        ports[1], f"/v1/message-actions/demo/channel/{name}/message/{token}", "POST", body, {"Content-Type": "application/json"},
        uuid="u1")
    assert made.status == 200, made.text
    assert watcher.wait("actions", 1)
    listed = same(ports, lambda port: ask(port, f"/v1/message-actions/demo/channel/{name}", uuid="u").json["data"])
    assert [(action["type"], action["value"], action["messageTimetoken"]) for action in listed] == [("reaction", "smile", token)]


def test_a_file_of_one_node_is_listed_had_and_deleted_on_the_others(client, name):
    """FI-24."""
    sender, other, third = client(0, "sender"), client(1, "other"), client(2, "third")
    content = bytes(range(256)) * 2000
    sent = sender.result(lambda p: p.send_file().channel(name).file_name("a.bin").message("m").file_object(content))
    for one in (sender, other, third):
        assert [f["id"] for f in one.result(lambda p: p.list_files().channel(name)).data] == [sent.file_id]
        got = one.result(lambda p: p.download_file().channel(name).file_id(sent.file_id).file_name("a.bin"))
        assert got.data == content
    other.result(lambda p: p.delete_file().channel(name).file_id(sent.file_id).file_name("a.bin"))
    assert sender.result(lambda p: p.list_files().channel(name)).data == []


def test_signals_and_fires_between_nodes(client, name):
    subscriber, sender = client(0, "u1"), client(2, "u2")
    subscriber.subscribe(name)
    sender.result(lambda p: p.signal().channel(name).message("hi"))
    sender.result(lambda p: p.fire().channel(name).message("nobody hears this"))
    sender.result(lambda p: p.publish().channel(name).message("this"))
    assert subscriber.wait("signals", 1)[0].message == "hi"
    assert [message.message for message in subscriber.wait("messages", 1)] == ["this"]


def test_grants_and_revocations_hold_on_every_node(client, ports, name):
    from pubnub.models.consumer.v3.channel import Channel
    keys = {"publish_key": "guarded", "subscribe_key": "guarded"}
    server = client(0, "server", secret_key="guarded-secret", **keys)
    token = server.result(
        lambda p: p.grant_token().ttl(5).authorized_uuid("ann").channels([Channel.id(name).read().write()])).token

    def write(port):
        return ask(port, f"/publish/guarded/guarded/0/{name}/0/1", uuid="ann", auth=token).status

    assert [ask(port, f"/publish/guarded/guarded/0/{name}/0/1", uuid="ann").status for port in ports] == [403] * 3
    assert [write(port) for port in ports] == [200] * 3
    server.result(lambda p: p.revoke_token(token))
    assert [write(port) for port in ports] == [403] * 3
    assert [ask(port, f"/v2/subscribe/guarded/{name}/0", tt="0", uuid="ann", auth=token).status for port in ports] == [403] * 3


# Chat

@pytest.fixture
def world(ports, name):
    world = World(ports, name)
    yield world
    for session in world.sessions:
        session.drop()
    for api in world.apis:
        api.close()


def test_direct_messages_between_nodes(world):
    a, b = world.online("a", 1), world.online("b", 2)
    sent = [a.say(world.user("b"), f"m{number}")["id"] for number in range(20)]
    assert [event["id"] for event in b.wait_events(20)] == sent and b.repeated == 0
    b.say(world.user("a"), "back")
    assert a.wait_events(1)[0]["content"] == {"content": "back"}


def test_an_inbox_goes_on_at_another_node(world):
    a, b = world.online("a", 0), world.online("b", 1)
    a.say(world.user("b"), "live")
    b.wait_events(1)
    b.drop()
    for number in range(5):
        a.say(world.user("b"), f"off{number}")
    b.url = b.url.replace(str(world.ports[1]), str(world.ports[2]))
    welcome = b.connect(reconnect=True)
    assert (welcome["resumed"], welcome["lost"]) == (True, False)
    b.wait_events(6)
    assert b.texts() == ["live"] + [f"off{number}" for number in range(5)] and b.repeated == 0


def test_a_message_sent_again_on_another_node_is_delivered_once(world):
    a, b = world.online("a", 0), world.online("b", 1)
    first = a.say(world.user("b"), "once", cid="same")
    a.drop()
    a.url = a.url.replace(str(world.ports[0]), str(world.ports[2]))
    a.connect(reconnect=True)
    assert a.say(world.user("b"), "once", cid="same")["id"] == first["id"]
    a.say(world.user("b"), "after")
    b.wait_events(2)
    assert b.texts() == ["once", "after"]


def test_groups_and_receipts_over_nodes(world):
    a, b, c = (world.online(letter, node) for node, letter in enumerate("abc"))
    group = world.group(a, "b", "c")
    message = a.say(group, "read me", conv="group", receipt=True)["id"]
    for session in (b, c):
        session.wait_events(1, "msg")
        session.ask("receipt", conv="group", to=group, ids=[message])
    everyone = [session.ask("receipts", conv="group", to=group, ids=[message])["items"] for session in (a, b, c)]
    assert everyone == [[{"id": message, "read": 2, "unread": 0, "total": 2}]] * 3
    members = [session.ask("group.members", id=group)["members"] for session in (a, b, c)]
    assert members[0] == members[1] == members[2] and len(members[0]) == 3
    history = [session.ask("history", conv="group", ch=group)["messages"] for session in (a, b, c)]
    assert history[0] == history[1] == history[2] and [entry["id"] for entry in history[0]] == [message]
    a.ask("group.kick", id=group, users=[world.user("c")])
    with pytest.raises(Refused):
        c.say(group, "still here?", conv="group")


def test_open_channels_over_nodes(world):
    a, b, c = (world.online(letter, node) for node, letter in enumerate("abc"))
    lobby = world.name
    for count, session in enumerate((a, b, c)):
        assert session.ask("open.enter", ch=lobby, count=0)["count"] == count + 1
    for number in range(10):
        (a, b, c)[number % 3].say(lobby, f"m{number}", conv="open")
    a.wait_transient("msg", 6)
    b.wait_transient("msg", 7)
    for session, own in ((a, 0), (b, 1), (c, 2)):
        others = [f"m{number}" for number in range(10) if number % 3 != own]
        assert [event["content"]["content"] for event in session.wait_transient("msg", len(others))] == others
    b.ask("open.meta.set", ch=lobby, meta={"topic": "tea"})
    meta = [session.ask("open.meta", ch=lobby)["meta"] for session in (a, b, c)]
    assert meta == [[{"key": "topic", "value": "tea", "owner": world.user("b")}]] * 3
    # The number of the answer is the session's own.
    info = [{**session.ask("open.info", ch=lobby, limit=10), "n": 0} for session in (a, b, c)]
    assert info[0] == info[1] == info[2] and info[0]["count"] == 3


def test_a_device_on_another_node_kicks(world):
    first = world.online("a", 1)
    web = world.online("a", 0, device_class="web")
    second = world.online("a", 2)
    bye = first.wait_bye()
    assert (bye["code"], bye["retry"]) == (31010, False)
    assert second.say(world.user("b"), "I stay")["id"] and web.say(world.user("b"), "I too")["id"]


def test_online_status_over_nodes(world):
    a = world.online("a", 0)
    a.ask("user.subscribe", users=[world.user("b")], expiry=600)

    def told():
        return [e["online"] for p in a.transient for e in p.get("events", []) if e["user"] == world.user("b")]

    a.wait(lambda: told() == [False], what="b offline at first")
    b = world.online("b", 2)
    a.wait(lambda: told() == [False, True], what="b online")
    states = [api.result("user/connection-status/get", {"userId": world.user("b")})["status"] for api in world.apis]
    assert states == ["online"] * 3
    b.leave()
    a.wait(lambda: told() == [False, True, False], 15, "b offline again")


def test_the_server_api_is_the_same_on_each_node(world):
    a, b = world.online("a", 0), world.online("b", 1)
    group = world.group(a, "b")
    for number, api in enumerate(world.apis):
        api.result("group-channel/message/send", {
            "fromUserId": world.user("a"), "toGroupIds": [group], "messageType": "app:note",
            "content": json.dumps({"n": number})})
    assert [event["content"]["n"] for event in b.wait_events(3, "msg")] == [0, 1, 2]
    query = {"userId": world.user("a"), "groupId": group, "channelId": group}
    histories = [api.result("group-channel/history-message/list", query) for api in world.apis]
    assert histories[0] == histories[1] == histories[2] and "app:note" in json.dumps(histories[0])
    users = [api.result("user/get", {"userId": world.user("b")}) for api in world.apis]
    assert users[0] == users[1] == users[2]
    world.apis[2].result("user/ban", {"userIds": [world.user("b")], "durationMinutes": 10})
    assert b.wait_bye()["code"] == 31011
    banned = [api.result("user/ban/list", {"page": 1, "pageSize": 50}) for api in world.apis]
    assert banned[0] == banned[1] == banned[2]
    assert [user["userId"] for user in banned[0]["bannedUsers"]] == [world.user("b")]
