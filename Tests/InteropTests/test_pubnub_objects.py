"""App Context of PyPI `pubnub` against `lifeline serve`: its 16 calls, and what its listener hears of them (rules PO)."""

import itertools

import pytest
from lifeline_harness import wait_until
from pubnub.exceptions import PubNubException
from pubnub.models.consumer.objects_v2.channel_members import PNUserMember
from pubnub.models.consumer.objects_v2.common import MemberIncludes, MembershipIncludes
from pubnub.models.consumer.objects_v2.memberships import PNChannelMembership
from pubnub.models.consumer.objects_v2.sort import PNSortKey, PNSortKeyValue
from pubnub.models.subscription import PNEventEmitter
from pubnub.pubnub_asyncio import PubNubAsyncioException
from pubnub_harness import MANAGERS, Client, ask

# The calls that libraries of before have are the ones to be tested.
pytestmark = pytest.mark.filterwarnings("ignore:The function:DeprecationWarning")
REFUSALS = (PubNubException, PubNubAsyncioException)
NAMES = itertools.count()


@pytest.fixture(params=MANAGERS)
def manager(request):
    return request.param


@pytest.fixture
def client(manager, server):
    made = []

    def make(user):
        made.append(Client(manager, server.port, user))
        return made[-1]

    yield make
    for one in made:
        one.stop()


@pytest.fixture
def name():
    """Names that no other test of this server has."""
    prefix = f"objects-{next(NAMES)}-"
    return lambda text: prefix + text


def test_users(client, name):
    caller, ann, bob = client("caller"), name("ann"), name("bob")
    set_ann = caller.result(
        lambda p: p.set_uuid_metadata().uuid(ann).set_name("Ann").email("a@b").external_id("7").profile_url("http://p")
        .custom({"age": 41, "team": "red"}).set_status("active").set_type("admin").include_custom(True).include_status(True)
        .include_type(True))
    assert set_ann.status == 200
    data = set_ann.data
    assert (data["id"], data["name"], data["email"], data["externalId"], data["profileUrl"]) == (ann, "Ann", "a@b", "7", "http://p")
    assert data["custom"] == {"age": 41, "team": "red"} and data["status"] == "active" and data["type"] == "admin"
    assert data["updated"].endswith("Z") and data["eTag"]
    caller.result(lambda p: p.set_uuid_metadata().uuid(bob).set_name("Bob"))
    read = caller.result(lambda p: p.get_uuid_metadata().uuid(ann).include_custom(True))
    assert read.data["custom"] == {"age": 41, "team": "red"} and read.data["eTag"] == data["eTag"]

    def listed(make=lambda builder: builder):
        prefix = name("")
        return caller.result(lambda p: make(p.get_all_uuid_metadata().filter(f"id LIKE '{prefix}*'").include_total_count(True)))

    everybody = listed()
    assert [d["id"] for d in everybody.data] == [ann, bob] and everybody.total_count == 2
    by_name = listed(lambda b: b.sort(PNSortKey.desc(PNSortKeyValue.NAME)))
    assert [d["id"] for d in by_name.data] == [bob, ann]
    first = listed(lambda b: b.limit(1))
    assert [d["id"] for d in first.data] == [ann] and first.next is not None
    second = listed(lambda b: b.limit(1).page(first.next))
    assert [d["id"] for d in second.data] == [bob] and second.prev is not None
    back = listed(lambda b: b.limit(1).page(second.prev))
    assert [d["id"] for d in back.data] == [ann]
    assert caller.result(lambda p: p.remove_uuid_metadata().uuid(ann)).status == 200
    with pytest.raises(REFUSALS) as refused:
        caller.result(lambda p: p.get_uuid_metadata().uuid(ann))
    assert "Requested object was not found." in str(refused.value)


def test_channels(client, name):
    caller, room, hall = client("caller"), name("room"), name("hall")
    data = caller.result(
        lambda p: p.set_channel_metadata().channel(room).set_name("Room").description("D").custom({"n": 1.5, "ok": True})
        .set_status("open").set_type("group").include_custom(True).include_status(True).include_type(True)).data
    assert (data["id"], data["name"], data["description"], data["custom"]) == (room, "Room", "D", {"n": 1.5, "ok": True})
    assert data["status"] == "open" and data["type"] == "group"
    caller.result(lambda p: p.set_channel_metadata().channel(hall).set_name("Hall"))
    assert caller.result(lambda p: p.get_channel_metadata().channel(room)).data["description"] == "D"
    listed = caller.result(
        lambda p: p.get_all_channel_metadata().filter(f"id LIKE '{name('')}*' && name != 'Hall'").include_custom(True)
        .include_total_count(True))
    assert [d["id"] for d in listed.data] == [room] and listed.total_count == 1 and listed.data[0]["custom"]["ok"] is True
    assert caller.result(lambda p: p.remove_channel_metadata().channel(room)).status == 200
    with pytest.raises(REFUSALS):
        caller.result(lambda p: p.get_channel_metadata().channel(room))


def test_memberships_from_the_side_of_a_user(client, name):
    caller, ann = client("caller"), name("ann")
    rooms = [name(f"room{i}") for i in range(4)]
    caller.result(lambda p: p.set_channel_metadata().channel(rooms[0]).set_name("First").custom({"x": 1}))
    made = caller.result(
        lambda p: p.set_memberships().uuid(ann)
        .channel_memberships([PNChannelMembership(rooms[0], {"a": 1}), PNChannelMembership(rooms[1])])
        .include(MembershipIncludes(custom=True, total_count=True, channel=True, channel_custom=True)))
    assert [d["channel"]["id"] for d in made.data] == rooms[:2] and made.total_count == 2
    assert made.data[0]["custom"] == {"a": 1} and made.data[0]["channel"]["name"] == "First"
    assert made.data[0]["channel"]["custom"] == {"x": 1} and made.data[1]["custom"] is None
    managed = caller.result(
        lambda p: p.manage_memberships().uuid(ann)
        .set([PNChannelMembership(rooms[2]), PNChannelMembership(rooms[3])])
        .remove([PNChannelMembership(rooms[1])]))
    assert [d["channel"]["id"] for d in managed.data] == [rooms[0], rooms[2], rooms[3]]
    removed = caller.result(
        lambda p: p.remove_memberships().uuid(ann).channel_memberships([PNChannelMembership(rooms[3])]))
    assert [d["channel"]["id"] for d in removed.data] == [rooms[0], rooms[2]]
    read = caller.result(
        lambda p: p.get_memberships().uuid(ann).filter("channel.name == 'First'").include_total_count(True).limit(10))
    assert [d["channel"]["id"] for d in read.data] == [rooms[0]] and read.total_count == 1


def test_members_from_the_side_of_a_channel(client, name):
    caller, room = client("caller"), name("room")
    users = [name(f"user{i}") for i in range(4)]
    caller.result(lambda p: p.set_uuid_metadata().uuid(users[0]).set_name("Ann").custom({"x": 1}))
    made = caller.result(
        lambda p: p.set_channel_members().channel(room)
        .uuids([PNUserMember(users[0], custom={"a": 1}), PNUserMember(users[1])])
        .include(MemberIncludes(custom=True, total_count=True, user=True, user_custom=True)))
    assert [d["uuid"]["id"] for d in made.data] == users[:2] and made.total_count == 2
    assert made.data[0]["uuid"]["name"] == "Ann" and made.data[0]["uuid"]["custom"] == {"x": 1} and made.data[0]["custom"] == {"a": 1}
    managed = caller.result(
        lambda p: p.manage_channel_members().channel(room).set([PNUserMember(users[2]), PNUserMember(users[3])])
        .remove([PNUserMember(users[1])]))
    assert [d["uuid"]["id"] for d in managed.data] == [users[0], users[2], users[3]]
    removed = caller.result(lambda p: p.remove_channel_members().channel(room).uuids([PNUserMember(users[3])]))
    assert [d["uuid"]["id"] for d in removed.data] == [users[0], users[2]]
    read = caller.result(
        lambda p: p.get_channel_members().channel(room).sort(PNSortKey.desc(PNSortKeyValue.ID)).include_total_count(True))
    assert [d["uuid"]["id"] for d in read.data] == [users[2], users[0]] and read.total_count == 2


def test_what_a_listener_hears(client, name, monkeypatch):
    # Version 10.8.0 hands each event to its own subscription objects first, which lack these three methods: without them its
    # subscription ends with an AttributeError at the first event of App Context, whoever sends it.
    for method in ("channel", "uuid", "membership"):
        monkeypatch.setattr(PNEventEmitter, method, lambda self, event: None, raising=False)
    listener, caller = client("listener"), client("caller")
    room, ann = name("room"), name("ann")
    listener.subscribe(room, ann)
    for _ in range(2):  # Setting the same again is no change (PO-16).
        caller.result(lambda p: p.set_channel_metadata().channel(room).set_name("Room").custom({"a": 1}))
    caller.result(lambda p: p.set_memberships().uuid(ann).channel_memberships([PNChannelMembership(room)]))
    caller.result(lambda p: p.set_uuid_metadata().uuid(ann).set_name("Ann"))
    caller.result(lambda p: p.remove_memberships().uuid(ann).channel_memberships([PNChannelMembership(room)]))
    caller.result(lambda p: p.remove_uuid_metadata().uuid(ann))
    caller.result(lambda p: p.remove_channel_metadata().channel(room))
    # Both channels are told of a membership; of the user's change while it is a member, too.
    expected = [
        ("channel", "set"), ("membership", "set"), ("membership", "set"), ("uuid", "set"), ("uuid", "set"),
        ("membership", "delete"), ("membership", "delete"), ("uuid", "delete"), ("channel", "delete"),
    ]
    heard = listener.objects
    wait_until(lambda: len(heard) >= len(expected), 30, lambda: f"events: {[(k, e.event) for k, e in heard]}")
    assert [(kind, event.event) for kind, event in heard] == expected
    data = [event.data for _, event in heard]
    assert data[0]["id"] == room and data[0]["name"] == "Room" and data[0]["custom"] == {"a": 1} and data[0]["eTag"]
    assert data[1]["channel"]["id"] == room and data[1]["uuid"]["id"] == ann
    assert data[3]["id"] == ann and data[3]["name"] == "Ann" and data[7] == {"id": ann} and data[8] == {"id": room}
    assert listener.messages == []


def test_a_version_that_is_not_the_newest_is_refused(server, name):
    # With plain requests: the library keeps the header field for later calls of all clients.
    path, headers = f"/v2/objects/demo/channels/{name('room')}", {"Content-Type": "application/json"}
    first = ask(server.port, path, "PATCH", b'{"name":"1"}', headers).json["data"]["eTag"]
    assert ask(server.port, path, "PATCH", b'{"name":"2"}', headers | {"If-Match": first}).status == 200
    refused = ask(server.port, path, "PATCH", b'{"name":"3"}', headers | {"If-Match": first})
    assert refused.status == 412 and refused.json["error"]["source"] == "objects"
    assert ask(server.port, path).json["data"]["name"] == "2"
