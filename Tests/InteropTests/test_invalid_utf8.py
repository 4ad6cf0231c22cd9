"""No service accepts bytes that are not UTF-8, or hands them on (rule PN-43)."""

import json

import pytest
from lifeline_harness import APP_ID
from chat_client import ChatSession, ServerAPI
from pubnub_harness import ask, cursor, poll, publish
from pusher_client import Closed, PusherSocket
from test_pusher_http_edges import Wire, escaped, signed

BAD = ["%FF", "x%C0%AFy", "%ED%A0%80", "%E2%82", "%F4%90%80%80"]

PUBNUB = [
    "/publish/demo/demo/0/room%s/0/1", "/publish/demo/demo/0/room/0/%%22a%s%%22", "/signal/demo/demo/0/room/0/%%22%s%%22",
    "/publish/demo/demo/0/room/0/1?uuid=u%s", "/publish/demo/demo/0/room/0/1?meta=%%7B%%22a%%22%%3A%%22%s%%22%%7D",
    "/v2/subscribe/demo/room%s/0?tt=0", "/v2/subscribe/demo/room/0?tt=0&uuid=u%s", "/v2/subscribe/demo/room/0?tt=0&channel-group=g%s",
    "/v2/subscribe/demo/room/0?tt=0&state=%%7B%%22room%%22%%3A%%7B%%22a%%22%%3A%%22%s%%22%%7D%%7D",
    "/v2/subscribe/demo/room/0?tt=0&filter-expr=a%%20%%3D%%3D%%20%%22%s%%22",
    "/v2/presence/sub-key/demo/channel/room%s/heartbeat?uuid=u", "/v2/presence/sub-key/demo/channel/room/heartbeat?uuid=u%s",
    "/v2/presence/sub_key/demo/channel/room/leave?uuid=u%s",
    "/v2/presence/sub-key/demo/channel/room/uuid/u%s/data?state=%%7B%%7D",
    "/v2/presence/sub-key/demo/channel/room/uuid/u/data?state=%%7B%%22a%%22%%3A%%22%s%%22%%7D",
    "/v1/channel-registration/sub-key/demo/channel-group/g%s?add=a", "/v1/channel-registration/sub-key/demo/channel-group/g?add=a%s",
    "/v3/history/sub-key/demo/channel/room%s", "/v2/history/sub-key/demo/channel/room%s",
]


@pytest.mark.parametrize("path", PUBNUB)
def test_pubnub_addresses(server, path):
    tt = cursor(server.port)
    for bad in BAD:
        answer = ask(server.port, path % bad)
        # PubNub has one text for every address that cannot be read (rule PV-7).
        said = any(words in answer.text for words in ("UTF-8", "Could Not Parse Request"))
        assert answer.status == 400 and said, (bad, answer.status, answer.text)
    publish(server.port, "room", "good")
    assert [message["d"] for message in poll(server.port, tt).json["m"]] == ["good"]


def test_pubnub_bodies(server):
    tt = cursor(server.port)
    headers = {"Content-Type": "application/json"}
    for body in (b'"\xff"', b'{"a\xc3":1}', b'"\xed\xa0\x80"', b'"\\ud800"'):
        assert ask(server.port, "/publish/demo/demo/0/room/0", "POST", body, headers, uuid="u").status == 400, body
        action = b'{"type":"t","value":' + body + b"}"
        answer = ask(server.port, f"/v1/message-actions/demo/channel/room/message/{tt}", "POST", action, headers, uuid="u")
        assert answer.status == 400, (body, answer.text)
    publish(server.port, "room", "good")
    assert [message["d"] for message in poll(server.port, tt).json["m"]] == ["good"]


def test_pusher_http_api(server):
    path = f"/apps/{APP_ID}/events"
    listener = PusherSocket(server.port)
    listener.subscribe("room")
    wire = Wire(server.port)

    def trigger(body):
        query = escaped(signed("POST", path, body))
        wire.send(f"POST {path}?{query} HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n"
                  f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
        return wire.answer()

    good = {"name": "e", "channels": ["room"], "data": "x"}
    for member in ("name", "channels", "data"):
        text = json.dumps({**good, member: ["room~"] if member == "channels" else "~"}).encode()
        for bad in (b"\xff", b"\xc0\xaf", b"\xed\xa0\x80", b"\\ud800"):
            assert trigger(text.replace(b"~", bad))[0] == 400, (member, bad)
    assert trigger(json.dumps(good).encode())[0] == 200
    assert listener.wait("e", "room")["data"] == "x"


def test_websocket_frames(server):
    """RFC 6455, 8.1: the connection fails with 1007, and nobody gets the bytes."""
    listener = PusherSocket(server.port)
    listener.subscribe("private-room")
    sender = PusherSocket(server.port)
    sender.subscribe("private-room")
    sender.socket.send(b'{"event":"client-e","channel":"private-room","data":"\xff"}', opcode=1)
    with pytest.raises(Closed) as closed:
        sender.next()
    assert closed.value.code == 1007
    other = PusherSocket(server.port)
    other.subscribe("private-room")
    other.trigger("private-room", "client-e", "good")
    assert listener.wait("client-e", "private-room")["data"] == "good"


def test_chat_server_api(server):
    api = ServerAPI(server.port)
    api.token("u8a")
    for body in (b'{"userId":"u\xff"}', b'{"userId":"u8a","name":"\xc0\xaf"}', b'{"userId":"\\ud800"}'):
        for call in ("user/get", "auth/access-token/issue"):
            status, answer = api.call(call, raw=body)
            assert status == 400 and answer["code"] != 0, (call, body, status, answer)
    api.close()


def test_chat_session(server):
    api = ServerAPI(server.port)
    listener, sender = (ChatSession(server.port, api.token(user)) for user in ("u8l", "u8s"))
    listener.connect()
    sender.connect()
    # Half of a surrogate pair is no text either. A frame that is no JSON has no number, so it is refused with number 0.
    sender.send('{"t":"send","n":900,"conv":"direct","to":"u8l","type":"RC:TxtMsg","cid":"c","content":{"content":"\\ud800"}}')
    sender.wait(lambda: sender.answers.keys() & {0, 900}, what="the refusal")
    assert sender.answers[min(sender.answers.keys() & {0, 900})]["t"] == "no"
    sender.drop()
    again = ChatSession(server.port, api.token("u8s"))
    again.connect()
    again.say("u8l", "good")
    assert listener.wait_events(1, "msg")[0]["content"]["content"] == "good"
    for session in (listener, again):
        session.drop()
    api.close()
