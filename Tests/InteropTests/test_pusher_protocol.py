"""Pusher protocol 7 as a client sees it: handshake, channels, users and every close code, by a client that is not ours."""

import json
import time

import pytest
import websocket
from lifeline_harness import APP_ID, KEY, SECRET, Server, rest, wait_until
from pusher_frames import SUBPROTOCOL, members


@pytest.fixture
def serve(started, tmp_path):
    """A server of this configuration."""

    def start(**settings):
        path = tmp_path / "lifeline.json"
        path.write_text(json.dumps(settings))
        return started(Server, 0, "--config", str(path))

    return start


def app(**settings):
    return {"id": APP_ID, "key": KEY, "secret": SECRET, "clientEvents": True, "subscriptionCounts": True, **settings}


def publish(server, channel, name, data="1", **more):
    status, answer = rest(server.port, "POST", f"/apps/{APP_ID}/events", {"name": name, "channel": channel, "data": data, **more})
    assert status == 200, answer
    return json.loads(answer)


# Connecting.

# Proof of H1.
def test_the_subprotocol_is_echoed_and_not_required(connect):
    """Hazard 1."""
    assert connect().subprotocol == SUBPROTOCOL
    assert connect(subprotocol=None).subprotocol is None
    assert connect(subprotocol=None, header=["Sec-WebSocket-Protocol: something-else"]).subprotocol is None


def test_the_greeting(connect):
    first, second = connect(), connect()
    for client in (first, second):
        assert client.activity_timeout == 120
    assert first.socket_id != second.socket_id


# Proof of H4, H9.
@pytest.mark.parametrize("options, code", [
    ({"path": "/app/unknown"}, 4001), ({"path": "/app/App-Key"}, 4001), ({"path": "/app/"}, 4005), ({"path": "/other/app-key"}, 4005),
    ({"path": "/app/app-key/more"}, 4005), ({"query": "protocol=seven"}, 4006), ({"query": "protocol="}, 4006),
    ({"query": "protocol=-1"}, 4006), ({"query": "protocol=3"}, 4007), ({"query": "protocol=8"}, 4007), ({"query": "protocol=99"}, 4007)])
def test_refused_connections(connect, options, code):
    """Hazard 9: an error with the code as an object, then a close frame of the same code."""
    closed = connect(greeted=False, **options).closed()
    assert closed.code == code and [e["code"] for e in closed.errors] == [code]


# Proof of H9.
@pytest.mark.parametrize("query", ["", "client=x", "protocol=7", "protocol=5&flash=false", "version=1&client=js&protocol=7&flash=false"])
def test_accepted_queries(connect, query):
    assert connect(query=query).socket_id


# Proof of H9.
def test_an_app_that_is_off_full_or_wants_tls(serve, connect):
    server = serve(apps=[
        app(limits={"connections": 1}), {"id": "2", "key": "off", "secret": "s", "enabled": False},
        {"id": "3", "key": "tls", "secret": "s", "requireTLS": True}])
    assert connect(port=server.port).socket_id
    for key, code in (("off", 4003), ("tls", 4000), (KEY, 4004)):
        closed = connect(port=server.port, key=key, greeted=False).closed()
        assert closed.code == code and closed.errors[0]["code"] == code
    assert rest(server.port, "GET", "/apps/2/channels", key="off", secret="s")[0] == 403


def test_pages_that_may_connect(serve, connect):
    server = serve(apps=[app(allowedOrigins=["https://shop.example", "https://*.shop.example"])])
    for origin in ("https://shop.example", "https://www.shop.example", "HTTPS://SHOP.example", None):
        assert connect(port=server.port, **({"origin": origin} if origin else {"suppress_origin": True})).socket_id
    for origin in ("https://evil.example", "http://shop.example", "https://shop.example.evil", "https://evilshop.example", "null", "https://shop.example:8443"):
        closed = connect(port=server.port, origin=origin, greeted=False).closed()
        assert closed.code == 4009, origin


# Proof of G9.
def test_a_drain_asks_to_come_back(server, connect):
    client = connect()
    server.process.terminate()
    closed = client.closed()
    assert closed.code == 4100 and closed.errors == [{"code": 4100, "message": closed.errors[0]["message"]}]


# Subscribing.

# Proof of H2, G7.
def test_every_confirmation_has_data(connect):
    """Hazard 2."""
    client = connect()
    for name in ("room", "private-room", "private-encrypted-room"):
        assert client.subscribe(name)["raw"] == "{}"


# Proof of H10.
def test_a_second_subscription(connect, server):
    """Hazard 10, and the subscription that there was goes on."""
    client = connect()
    client.subscribe("room")
    client.ask("room")
    assert client.error()["message"].startswith("Existing subscription to channel room")
    publish(server, "room", "once")
    assert [e["event"] for e in client.settled()] == ["once"]
    client.unsubscribe("room")
    client.unsubscribe("room")
    client.unsubscribe("never")
    publish(server, "room", "gone")
    assert client.settled() == []
    client.subscribe("room")


# Proof of H8.
def test_members_are_users_and_not_connections(server, connect):
    """Hazard 8: two tabs are one member; numbers become text; no information is null; nobody hears of themselves."""
    watcher, one, two = connect(), connect(), connect()
    one.subscribe("one-is-here")
    watcher.subscribe("presence-room", "watcher")
    assert members(one.subscribe("presence-room", {"user_id": 7})) == {"watcher": None, "7": None}
    assert watcher.wait("pusher_internal:member_added")["data"]["user_id"] == "7"
    two.subscribe("presence-room", {"user_id": "7", "user_info": {"tab": 2}})
    assert watcher.settled() == [] and one.settled() == [] and two.settled() == []
    one.drop()
    server.wait_vacated("one-is-here")
    assert watcher.settled() == []
    two.unsubscribe("presence-room")
    assert watcher.wait("pusher_internal:member_removed")["data"] == {"user_id": "7"}
    assert watcher.settled() == []


# Proof of G3.
def test_how_many_subscribe(serve, connect):
    """At once up to a hundred; above that every five seconds at most, and the last count is told."""
    server = serve(apps=[app()])
    first = connect(port=server.port)
    first.subscribe("room")
    for _ in range(99):
        connect(port=server.port).subscribe("room")
    first.settled()
    assert first.counts == [("room", n) for n in range(1, 101)]
    del first.counts[:]
    begun = time.monotonic()
    more = [connect(port=server.port) for _ in range(20)]
    for client in more:
        client.subscribe("room")
    wait_until(lambda: first.settled() == [] and first.counts and first.counts[-1] == ("room", 120), 30, "the last count")
    assert len(first.counts) <= 2 + (time.monotonic() - begun) / 5
    first.subscribe("presence-room", "u")
    first.settled()
    assert not any(name == "presence-room" for name, _ in first.counts)


# Proof of G3.
def test_counts_are_told_only_when_the_app_says_so(serve, connect):
    server = serve(apps=[app(subscriptionCounts=False)])
    client = connect(port=server.port)
    client.subscribe("room")
    assert client.settled() == [] and client.counts == []


# Proof of G4.
@pytest.mark.parametrize("name", ["cache-a", "private-cache-a", "private-encrypted-cache-a", "presence-cache-a"])
def test_cache_channels(connect, server, name):
    user = "u" if name.startswith("presence") else None
    first, second, third = connect(), connect(), connect()
    first.subscribe(name, user)
    assert first.wait("pusher:cache_miss", name)["raw"] == "{}"
    publish(server, name, "price", '{"n":1}')
    publish(server, name, "price", '{"n":2}')
    assert [e["data"] for e in first.settled() if e["event"] == "price"] == ['{"n":1}', '{"n":2}']
    if name.startswith(("private-cache", "presence")):
        first.trigger(name, "client-price", {"n": 3})
        first.settled()
    second.subscribe(name, user)
    assert second.wait("price", name)["data"] == '{"n":2}'
    first.drop()
    second.drop()
    third.subscribe(name, user)
    assert third.wait("price", name)["data"] == '{"n":2}'


# Events.

# Proof of H5.
def test_client_events(connect):
    """Not echoed; data is text whatever it was (hazard 5); presence adds the sender."""
    sender, other = connect(), connect()
    for client, user in ((sender, "ann"), (other, "ben")):
        client.subscribe("private-room")
        client.subscribe("presence-room", user)
    sender.settled()
    for n, data in enumerate([{"a": 1}, [1, 2], "text", 5, None, True]):
        sender.trigger("private-room", "client-x", data) if data is not None else sender.raw(
            '{"event":"client-x","channel":"private-room","data":null}')
        event = other.wait("client-x", "private-room")
        assert isinstance(event["data"], str) and "user_id" not in event
        assert (event["data"] if data == "text" else json.loads(event["data"])) == data
    sender.trigger("presence-room", "client-y", {})
    assert other.wait("client-y", "presence-room")["user_id"] == "ann"
    assert sender.settled() == []


def test_odd_messages_do_not_end_the_connection(connect):
    client = connect()
    for text in ("", "{", "[]", "null", '"x"', "5", "{}", '{"event":5}', '{"event":null}', '{"event":"pusher:subscribe"}',
                 '{"event":"pusher:subscribe","data":"x"}', '{"event":"pusher:subscribe","data":{"channel":5}}',
                 '{"event":"pusher:signin"}', '{"event":"pusher:signin","data":{"auth":1}}', '{"event":"unknown"}', "[" * 5_000):
        client.raw(text)
        client.error()
    client.subscribe("room")


# Proof of H3.
def test_both_kinds_of_ping_are_answered(connect):
    """Hazard 3."""
    client = connect()
    client.send("pusher:ping")
    assert client.wait("pusher:pong")
    client.raw('{"event":"pusher:ping","data":"{}"}')
    client.wait("pusher:pong")
    raw = websocket.create_connection(f"ws://127.0.0.1:{client.socket.sock.getpeername()[1]}/app/{KEY}?protocol=7", timeout=10)
    raw.recv()
    raw.ping(b"echo me")
    assert raw.recv_data(control_frame=True) == (websocket.ABNF.OPCODE_PONG, b"echo me")
    raw.close()


# Users.

# Proof of G1.
def test_signing_in(connect, server):
    client = connect()
    text = json.dumps({"id": "ann", "user_info": {"name": "Ann"}})
    client.ask_signin(text)
    answer = client.wait("pusher:signin_success")
    assert answer["data"] == {"user_data": text}
    client.subscribe("#server-to-user-ann")
    publish(server, "#server-to-user-ann", "note", "for ann")
    event = client.wait("note", "#server-to-user-ann")
    assert event["data"] == "for ann" and "user_id" not in event
    client.ask_signin({"id": "ben"})
    client.error(4009)
    client.ask("#server-to-user-ben")
    client.error()
    # A presence channel as the user who is signed in, signed without channel data.
    assert members(client.subscribe("presence-room")) == {"ann": {"name": "Ann"}}


@pytest.mark.parametrize("own, foreign", [("Kim", "\u212aim"), ("jos\u00e9", "jose\u0301")])
def test_users_who_only_look_the_same(connect, server, own, foreign):
    """Unicode takes these ids for equivalent; whoever signs for them does not, and neither gets what is meant for the other."""
    mine, other = connect(), connect()
    mine.signin({"id": own})
    mine.subscribe(f"#server-to-user-{own}")
    other.signin({"id": foreign})
    other.ask(f"#server-to-user-{own}")
    other.error(4009)
    other.subscribe(f"#server-to-user-{foreign}")
    publish(server, f"#server-to-user-{own}", "secret")
    assert mine.wait("secret")["channel"] == f"#server-to-user-{own}"
    assert other.settled() == []
    mine.subscribe("presence-room", own)
    assert members(other.subscribe("presence-room", foreign)) == {own: None, foreign: None}
    assert mine.wait("pusher_internal:member_added")["data"]["user_id"] == foreign


@pytest.mark.parametrize("data", ["", "x", "[]", "{}", '{"id":""}', '{"id":null}', '{"id":5}', '{"id":{"a":1}}'])
def test_user_data_that_names_nobody(connect, data):
    client = connect()
    client.ask_signin(data)
    client.error(4009)


# Proof of G1.
def test_the_connections_of_a_user_end(connect, server):
    clients = [connect() for _ in range(4)]
    for client in clients[:2]:
        client.signin({"id": "ann"})
    clients[2].signin({"id": "ben"})
    clients[3].subscribe("presence-room", "ann")
    assert rest(server.port, "POST", f"/apps/{APP_ID}/users/ann/terminate_connections", {})[0] == 200
    for client in clients[:2]:
        closed = client.closed()
        assert closed.code == 4009 and closed.errors[-1]["code"] == 4009
    assert clients[2].settled() == [] and clients[3].settled() == []
    connect().signin({"id": "ann"})


def changes(event):
    assert event["event"] == "pusher_internal:watchlist_events"
    return [(change["name"], sorted(change["user_ids"])) for change in event["data"]["events"]]


# Proof of G2.
def test_watchlists(server, connect):
    """Who is online at sign-in, then whoever comes with a first connection or goes with the last."""
    connect().signin({"id": "ben"})
    connect().signin({"id": "cid"})
    watcher = connect()
    watcher.signin({"id": "ann", "watchlist": ["ben", "cid", "dan", "ann2"]})
    assert changes(watcher.next()) == [("online", ["ben", "cid"])]
    dan, again = connect(), connect()
    dan.subscribe("dan-is-here")
    dan.signin({"id": "dan"})
    assert changes(watcher.next()) == [("online", ["dan"])]
    again.signin({"id": "dan"})
    dan.drop()
    server.wait_vacated("dan-is-here")
    assert watcher.settled() == []
    again.drop()
    assert changes(watcher.next()) == [("offline", ["dan"])]
    connect().signin({"id": "eve"})
    connect().subscribe("presence-room", "dan")
    assert watcher.settled() == []


# Proof of G2.
def test_a_watchlist_that_is_too_long(connect):
    watched = [f"u{n}" for n in range(101)]
    for name in ("u5", "u100"):
        connect().signin({"id": name})
    watcher = connect()
    watcher.ask_signin({"id": "ann", "watchlist": watched})
    events = watcher.settled()
    assert [e["data"]["code"] for e in events if e["event"] == "pusher:error"] == [4302]
    assert [changes(e) for e in events if e["event"] == "pusher_internal:watchlist_events"] == [[("online", ["u5"])]]


# Proof of SP-17.
def test_connections_that_authorise_nothing(serve, connect):
    server = serve(apps=[app(authorizationTimeout=2)])
    # These two have their time behind them when those that began later are closed.
    (signed := connect(port=server.port)).signin({"id": "ann"})
    (private := connect(port=server.port)).subscribe("private-room")
    (public := connect(port=server.port)).subscribe("room")
    for client in (public, connect(port=server.port)):
        closed = client.closed(timeout=30)
        assert closed.code == 4009 and closed.errors[-1]["code"] == 4009
    assert signed.settled() == [] and private.settled() == []


def test_apps_without_users_and_client_events(serve, connect):
    server = serve(apps=[app(userAuthentication=False, clientEvents=False)])
    client = connect(port=server.port)
    client.ask_signin({"id": "ann"})
    client.error(4009)
    client.subscribe("private-room")
    client.trigger("private-room", "client-x", {})
    client.error(4301)
