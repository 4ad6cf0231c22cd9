"""The chat session, as a client in another language sees it that was written from docs/chat-protocol.md alone."""

import json
import time
import uuid

import pytest
import websocket
from chat_client import PATH, SUBPROTOCOL, ChatSession, Farewell, Lost, Refused, ServerAPI


class World:
    """A server, its API, and devices that are ended afterwards."""

    def __init__(self, server):
        self.server, self.api, self.sessions, self.tokens = server, ServerAPI(server.port), [], {}

    def token(self, user):
        if user not in self.tokens:
            self.tokens[user] = self.api.token(user)
        return self.tokens[user]

    def device(self, user, **options):
        session = ChatSession(self.server.port, self.token(user), **options)
        self.sessions.append(session)
        return session

    def online(self, user, **options):
        session = self.device(user, **options)
        session.connect()
        session.wait(lambda: session.caught_up, what="the end of the packages")
        return session

    def group(self, owner, *members):
        group = "g" + uuid.uuid4().hex[:8]
        owner.ask("group.create", group={"id": group, "name": "Group"}, users=list(members))
        return group


@pytest.fixture
def world(server):
    world = World(server)
    yield world
    for session in world.sessions:
        session.drop()
    world.api.close()


# Section 2: opening

def test_welcome(world):
    welcome = world.device("u1").connect()
    assert welcome["user"] == "u1"
    assert abs(welcome["time"] - time.time() * 1000) < 60_000
    assert welcome["epoch"] and welcome["q"] == 0 and welcome["lost"] is False
    assert welcome["heartbeat"] >= 1000
    assert set(welcome["settings"]) >= {"modifiableMinutes", "deviceSync", "presence"}


@pytest.mark.parametrize("change, code", [
    ({"appKey": "nobody"}, 31002), ({"token": "wrong"}, 31004), ({"token": ""}, 31004),
    ({"device": {"id": "", "class": "mobile"}}, 31025), ({"v": 99}, 31025), ({"t": "send"}, 31025)])
def test_a_hello_that_is_not_welcome(world, change, code):
    hello = {"t": "hello", "v": 1, "appKey": "app-key", "token": world.token("u1"), "device": {"id": "d", "class": "mobile", "os": "x"}}
    with pytest.raises(Farewell) as farewell:
        world.device("u1").connect(hello={**hello, **change})
    assert (farewell.value.code, farewell.value.retry) == (code, False)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"t":5}', '{"t":"hello"}', "\u0000"])
def test_a_first_frame_that_is_none(world, text):
    socket = websocket.create_connection(f"ws://127.0.0.1:{world.server.port}{PATH}", timeout=5, subprotocols=[SUBPROTOCOL])
    socket.send(text)
    assert json.loads(socket.recv())["code"] == 31025
    opcode, data = socket.recv_data()
    assert opcode == websocket.ABNF.OPCODE_CLOSE and int.from_bytes(data[:2], "big") == 4000
    socket.close()


def test_binary_is_refused(world):
    session = world.online("u1")
    session.socket.send_binary(b"{}")
    session.wait(lambda: session.socket is None, what="the end of the connection")


def test_unknown_frames_and_members_are_ignored(world):
    session = world.online("u1")
    session.send({"t": "whatever", "x": 1})
    with pytest.raises(Refused) as refusal:
        session.ask("what.is.this", y=2)
    assert refusal.value.code == -101
    assert session.ask("settings", unknown={"a": [1]})["channels"] == []


@pytest.mark.parametrize("frame", [
    {"t": "send"}, {"t": "send", "cid": "c", "conv": "direct", "to": "u2", "type": "RC:TxtMsg"},
    {"t": "send", "cid": "c", "conv": "nowhere", "to": "u2", "type": "RC:TxtMsg", "content": {}},
    {"t": "send", "cid": "c", "conv": "direct", "to": "", "type": "RC:TxtMsg", "content": {}},
    {"t": "send", "cid": "", "conv": "direct", "to": "u2", "type": "RC:TxtMsg", "content": {}},
    {"t": "send", "cid": "c", "conv": "direct", "to": "u2", "type": "", "content": {}},
    {"t": "send", "cid": "c", "conv": "direct", "to": "u2", "type": "T", "content": "text"},
    {"t": "send", "cid": "c", "conv": "system", "to": "u2", "type": "T", "content": {}},
    {"t": "history", "conv": "direct", "ch": "u2", "limit": 101}, {"t": "history", "conv": "direct", "ch": "u2", "limit": 0}])
def test_requests_that_are_wrong_are_refused_and_the_session_goes_on(world, frame):
    session = world.online("u1")
    with pytest.raises(Refused):
        session.ask(frame["t"], **{key: value for key, value in frame.items() if key != "t"})
    assert session.say("u1x", "still here")["id"]


def test_leave(world):
    session = world.online("u1")
    session.leave()
    assert session.bye is None and session.socket is None


# Section 2: one device of a class

def test_a_second_device_kicks_the_first(world):
    first, second = world.online("u1"), world.online("u1")
    bye = first.wait_bye()
    assert (bye["code"], bye["retry"]) == (31010, False)
    assert second.say("u2", "I stay")["id"]


def test_devices_of_other_classes_stay(world):
    mobile, web = world.online("u1"), world.online("u1", device_class="web")
    assert mobile.say("u2", "a")["id"] and web.say("u2", "b")["id"]


def test_a_reconnecting_device_kicks_unless_it_yields(world):
    polite = world.online("u1", yields=True)
    polite.drop()
    other = world.online("u1")
    with pytest.raises(Farewell) as farewell:
        polite.connect(reconnect=True)
    assert (farewell.value.code, farewell.value.retry) == (31023, False)
    assert other.say("u2", "still here")["id"]
    rude = world.device("u1")
    rude.connect(reconnect=True)
    assert other.wait_bye()["code"] == 31010


# Section 4: the inbox

def test_messages_arrive_in_order_with_numbers_that_increase(world):
    a, b = world.online("u1"), world.online("u2")
    sent = [a.say("u2", f"m{n}")["id"] for n in range(20)]
    events = b.wait_events(20)
    assert [event["id"] for event in events] == sent
    assert b.texts() == [f"m{n}" for n in range(20)]
    assert [int(i) for i in sent] == sorted({int(i) for i in sent})
    assert events[0] | {"id": 0, "time": 0, "cid": 0} == {
        "k": "msg", "id": 0, "time": 0, "conv": "direct", "from": "u1", "to": "u2", "type": "RC:TxtMsg",
        "content": {"content": "m0"}, "cid": 0}
    assert b.repeated == 0


def test_missed_messages_come_once_and_in_order(world):
    a, b = world.online("u1"), world.online("u2")
    a.say("u2", "live")
    b.wait_events(1)
    b.drop()
    for n in range(450):
        a.post("send", cid=f"c{n}", conv="direct", to="u2", type="RC:TxtMsg", content={"content": f"off{n}"})
    a.wait(lambda: len(a.order) >= 451, what="all answers")
    assert a.order == sorted(a.order), "answers come in the order of the sends"
    before = len(b.packages)
    welcome = b.connect(reconnect=True)
    assert (welcome["resumed"], welcome["lost"]) == (True, False)
    b.wait_events(451)
    b.wait(lambda: b.caught_up, what="the end of the packages")
    assert b.texts() == ["live"] + [f"off{n}" for n in range(450)]
    assert b.packages[before:] == [200, 200, 50] and b.repeated == 0


def test_the_next_package_waits_for_the_acknowledgement(world):
    a, b = world.online("u1"), world.device("u2")
    for n in range(250):
        a.post("send", cid=f"c{n}", conv="direct", to="u2", type="RC:TxtMsg", content={})
    a.wait(lambda: len(a.order) >= 250, what="all answers")
    b.acknowledges = False
    b.connect()
    b.wait_events(200)
    with pytest.raises(AssertionError):
        b.wait_events(201, timeout=0.5)
    b.send({"t": "ack", "q": b.place[1]})
    b.wait_events(250)


def test_a_new_device_gets_what_nobody_has_acknowledged(world):
    a, b = world.online("u1"), world.online("u2")
    a.say("u2", "read")
    b.wait_events(1)
    b.leave()
    a.say("u2", "unread")
    fresh = world.online("u2")
    fresh.wait_events(1)
    assert fresh.texts() == ["unread"]


def test_another_epoch_is_said_to_be_lost(world):
    b = world.online("u2")
    b.drop()
    b.place = ("another", 7)
    welcome = b.connect(reconnect=True)
    assert (welcome["resumed"], welcome["lost"]) == (False, True)


def test_a_message_sent_again_is_delivered_once(world):
    a, b = world.online("u1"), world.online("u2")
    first = a.say("u2", "once", cid="same")
    again = a.say("u2", "once", cid="same")
    a.drop()
    a.connect(reconnect=True)
    third = a.say("u2", "once", cid="same")
    assert first["id"] == again["id"] == third["id"]
    a.say("u2", "after", cid="other")
    b.wait_events(2)
    assert b.texts() == ["once", "after"]


def test_status_messages_reach_only_who_is_there(world):
    a, b = world.online("u1"), world.online("u2")
    a.say("u2", "now", status=True)
    assert b.wait_transient("msg")[0]["content"] == {"content": "now"}
    b.drop()
    a.say("u2", "gone", status=True)
    a.say("u2", "kept")
    b.connect(reconnect=True)
    b.wait_events(1)
    assert b.texts() == ["kept"]
    assert [m["content"]["content"] for m in a.ask("history", conv="direct", ch="u2")["messages"]] == ["kept"]


# Section 5

def test_options_travel_with_the_message(world):
    a, b = world.online("u1"), world.online("u2")
    options = {
        "persist": False, "count": False, "receipt": True, "quiet": True, "noLast": True, "meta": {"k": "v", "a+=-_9": "☃"},
        "push": {"title": "x"}}
    a.say("u2", "☃ \u0000 \\ \"", **options)
    event = b.wait_events(1)[0]
    assert {key: event[key] for key in options} == options and event["content"]["content"] == "☃ \u0000 \\ \""
    assert a.ask("history", conv="direct", ch="u2")["messages"] == []


def test_size_limits(world):
    a, b = world.online("u1"), world.online("u2")
    a.say("u2", "x" * 131_000)
    with pytest.raises(Refused) as refusal:
        a.say("u2", "x" * 131_073)
    assert refusal.value.code == 30016
    assert len(b.wait_events(1)[0]["content"]["content"]) == 131_000
    with pytest.raises(Lost):
        a.say("u2", "x" * 200_000)


def test_recall_edit_and_metadata(world):
    a, b = world.online("u1"), world.online("u2")
    gone, changed = a.say("u2", "gone")["id"], a.say("u2", "old", meta={"a": "1", "b": "2"})["id"]
    a.ask("recall", conv="direct", to="u2", id=gone)
    a.ask("edit", conv="direct", to="u2", id=changed, content={"content": "new"})
    b.ask("meta", conv="direct", to="u1", id=changed, set={"a": "3"}, **{"del": ["b"]})
    recall, edit = b.wait_events(1, "recall")[0], b.wait_events(1, "edit")[0]
    assert (recall["id"], recall["from"], recall["sender"]) == (gone, "u1", "u1")
    assert (edit["id"], edit["content"]) == (changed, {"content": "new"})
    meta = a.wait_events(1, "meta")[0]
    assert (meta["id"], meta["set"], meta["del"]) == (changed, {"a": "3"}, ["b"])
    history = a.ask("history", conv="direct", ch="u2")["messages"]
    assert [(m["id"], m["content"], m.get("meta")) for m in history] == [(changed, {"content": "new"}, {"a": "3"})]
    assert history[0]["edited"] > 0
    with pytest.raises(Refused) as refusal:
        b.ask("edit", conv="direct", to="u1", id=changed, content={})
    assert refusal.value.code == 25107
    with pytest.raises(Refused) as refusal:
        a.ask("recall", conv="direct", to="u2", id="17")
    assert refusal.value.code in (25101, 34203)


def test_receipts(world):
    a, b, c = world.online("u1"), world.online("u2"), world.online("u3")
    group = world.group(a, "u2", "u3")
    message = a.say(group, "read me", conv="group", receipt=True)["id"]
    b.wait_events(1, "msg")
    b.ask("receipt", conv="group", to=group, ids=[message])
    item = a.wait_events(1, "receipt")[0]["items"][0]
    assert item == {"id": message, "read": 1, "unread": 1, "total": 2}
    b.ask("receipt", conv="group", to=group, ids=[message])  # once more changes nothing
    c.ask("receipt", conv="group", to=group, ids=[message])
    items = a.ask("receipts", conv="group", to=group, ids=[message])["items"]
    assert items == [{"id": message, "read": 2, "unread": 0, "total": 2}]
    users = a.ask("receipt.users", conv="group", to=group, id=message)["items"]
    assert [user["user"] for user in users] == ["u2", "u3"]


def test_typing_and_read_on_another_device(world):
    a, b, web = world.online("u1"), world.online("u2"), world.online("u2", device_class="web")
    a.send({"t": "typing", "to": "u2", "type": "RC:TxtMsg"})
    typing = b.wait_transient("typing")[0]
    assert (typing["from"], typing["to"], typing["type"]) == ("u1", "u2", "RC:TxtMsg")
    b.ask("read", conv="direct", ch="u1", time=123_456)
    read = web.wait_events(1, "read")[0]
    assert (read["conv"], read["ch"], read["time"]) == ("direct", "u1", 123_456)


def test_history_in_both_directions(world):
    a = world.online("u1")
    ids = [a.say("u2", f"m{n}")["id"] for n in range(25)]
    page = a.ask("history", conv="direct", ch="u2")
    assert [m["id"] for m in page["messages"]] == ids[:4:-1] and page["more"]
    page = a.ask("history", conv="direct", ch="u2", before=ids[5], limit=100)
    assert [m["id"] for m in page["messages"]] == ids[4::-1] and not page["more"]
    page = a.ask("history", conv="direct", ch="u2", after=ids[3], limit=10)
    assert [m["id"] for m in page["messages"]] == ids[4:14] and page["more"]
    page = a.ask("history", conv="direct", ch="u2", afterTime=0, limit=2)
    assert [m["id"] for m in page["messages"]] == ids[:2]
    other = world.online("u2")
    assert [m["id"] for m in other.ask("history", conv="direct", ch="u1", limit=3)["messages"]] == ids[:-4:-1]
    assert world.online("u3").ask("history", conv="direct", ch="u1")["messages"] == []


def test_history_hides_what_a_user_deleted(world):
    a, b = world.online("u1"), world.online("u2")
    ids = [a.say("u2", f"m{n}")["id"] for n in range(4)]
    a.ask("delete", conv="direct", ch="u2", ids=[ids[1]])
    assert [m["id"] for m in a.ask("history", conv="direct", ch="u2")["messages"]] == [ids[3], ids[2], ids[0]]
    assert len(b.ask("history", conv="direct", ch="u1")["messages"]) == 4


# Section 6

def test_settings(world):
    mobile, web = world.online("u1"), world.online("u1", device_class="web")
    mobile.ask("set", conv="direct", ch="u2", pinned=True)
    mobile.ask("set", conv="direct", ch="u2", level=5)
    mobile.ask("set", conv="group", level=1)
    events = web.wait_events(3, "set")
    assert events[0]["pinned"] is True and events[1]["level"] == 5 and "ch" not in events[2]
    settings = web.ask("settings")
    assert settings["channels"] == [{"conv": "direct", "ch": "u2", "pinned": True, "level": 5}]
    assert settings["types"] == [{"conv": "group", "level": 1}]


# Section 7

def test_groups(world):
    a, b, c = world.online("u1"), world.online("u2"), world.online("u3")
    group = world.group(a, "u2")
    created = b.wait_events(1, "group")[0]
    assert (created["op"], created["group"]["id"], created["group"]["owner"]) == ("create", group, "u1")
    with pytest.raises(Refused) as refusal:
        c.say(group, "let me in", conv="group")
    assert refusal.value.code == 22406
    assert c.ask("group.join", id=group)["process"] == 0
    c.say(group, "hello", conv="group")
    assert b.wait_events(1, "msg")[0]["from"] == "u3"
    assert [event["op"] for event in b.wait_events(2, "group")] == ["create", "join"]
    info = a.ask("group.info", ids=[group])["groups"][0]
    assert (info["name"], info["count"]) == ("Group", 3)
    members = a.ask("group.members", id=group)["members"]
    assert {(m["user"], m["role"]) for m in members} == {("u1", "owner"), ("u2", "member"), ("u3", "member")}
    a.ask("group.admins", id=group, add=["u2"], remove=[])
    a.ask("group.update", id=group, set={"name": "Renamed"})
    assert c.wait_events(1, "groupInfo")[0]["group"]["name"] == "Renamed"
    b.ask("group.kick", id=group, users=["u3"])
    assert c.wait(lambda: [e for e in c.events if e.get("op") == "kick"], what="the kick")[0]["operator"] == "u2"
    with pytest.raises(Refused):
        c.say(group, "still here?", conv="group")
    with pytest.raises(Refused) as refusal:
        a.ask("group.quit", id=group)
    assert refusal.value.code == 25417
    a.ask("group.transfer", id=group, user="u2", leave=True)
    b.ask("group.dismiss", id=group)
    with pytest.raises(Refused) as refusal:
        b.ask("group.members", id=group)
    assert refusal.value.code == 25410


def test_group_messages_for_some_members(world):
    a, b, c = world.online("u1"), world.online("u2"), world.online("u3")
    group = world.group(a, "u2", "u3")
    a.say(group, "secret", conv="group", users=["u3"])
    a.say(group, "all", conv="group")
    b.wait_events(1, "msg")
    c.wait_events(2, "msg")
    assert (b.texts(), c.texts()) == (["all"], ["secret", "all"])


# Section 8

def test_open_channels(world):
    a, b = world.online("u1"), world.online("u2")
    with pytest.raises(Refused) as refusal:
        a.say("lobby", "nowhere", conv="open")
    assert refusal.value.code == 23410
    entrance = a.ask("open.enter", ch="lobby", count=0)
    with pytest.raises(Refused) as refusal:
        b.say("lobby", "outside", conv="open")
    assert refusal.value.code == 23406
    assert entrance["count"] == 1 and entrance["messages"] == []
    ids = [a.say("lobby", f"m{n}", conv="open")["id"] for n in range(5)]
    entrance = b.ask("open.enter", ch="lobby", count=3)
    assert [m["id"] for m in entrance["messages"]] == ids[2:]
    joined = a.wait(
        lambda: [e for e in a.transient if e["k"] == "openMembers" and e["actions"][0]["user"] == "u2"], what="the join")[0]
    assert joined["count"] == 2 and joined["actions"][0]["action"] == "join"
    a.say("lobby", "live", conv="open")
    assert b.wait_transient("msg")[0]["content"] == {"content": "live"}
    b.ask("open.meta.set", ch="lobby", meta={"topic": "tea"})
    assert a.wait_transient("openMeta")[0]["changes"] == [{"key": "topic", "value": "tea", "op": "update"}]
    assert a.ask("open.meta", ch="lobby")["meta"] == [{"key": "topic", "value": "tea", "owner": "u2"}]
    assert {m["user"] for m in a.ask("open.info", ch="lobby", limit=10)["members"]} == {"u1", "u2"}
    b.ask("open.exit", ch="lobby")
    a.wait(lambda: [e for e in a.transient if e["k"] == "openMembers" and e["actions"][0]["action"] == "leave"], what="the leave")


def test_coming_back_to_an_open_channel(world):
    a, b = world.online("u1"), world.online("u2")
    for session in (a, b):
        session.ask("open.enter", ch="lobby", count=0)
    seen = a.say("lobby", "seen", conv="open")["id"]
    b.wait_transient("msg")
    b.drop()
    for n in range(3):
        a.say("lobby", f"missed{n}", conv="open")
    b.connect(reconnect=True)
    entrance = b.ask("open.enter", ch="lobby", count=50, after=seen)
    assert [m["content"]["content"] for m in entrance["messages"]] == ["missed0", "missed1", "missed2"]
    assert entrance["more"] is False


# Section 9

def test_online_status(world):
    a = world.online("u1")
    assert a.ask("user.subscribe", users=["u2", "u3"], expiry=600)["failed"] == []
    first = a.wait_transient("presence")[0]["events"]
    assert {event["user"]: event["online"] for event in first}.get("u2") is False
    b = world.online("u2")
    a.wait(lambda: any(e["user"] == "u2" and e["online"] for p in a.transient for e in p.get("events", [])), what="u2 online")
    b.leave()
    a.wait(
        lambda: [e["online"] for p in a.transient for e in p.get("events", []) if e["user"] == "u2"][-1] is False, 15, "u2 offline")
    assert {entry["user"] for entry in a.ask("user.subscriptions")["users"]} == {"u2", "u3"}


def test_users_and_blocking(world):
    a, b = world.online("u1"), world.online("u2")
    b.ask("user.update", name="Bea", avatar="http://127.0.0.1/b.png", ext={"ext_team": "blue"})
    assert a.ask("user.get", users=["u2"])["users"] == [
        {"user": "u2", "name": "Bea", "avatar": "http://127.0.0.1/b.png", "ext": {"ext_team": "blue"}}]
    b.ask("block.add", users=["u1"])
    with pytest.raises(Refused) as refusal:
        a.say("u2", "hello?")
    assert refusal.value.code == 405
    assert b.ask("block.list")["users"] == ["u1"]
    b.ask("block.remove", users=["u1"])
    assert a.say("u2", "hello!")["id"]
