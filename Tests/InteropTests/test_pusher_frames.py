"""The strict client is strict: what a server must not send fails the test in which it comes."""

import base64
import contextlib
import hashlib
import json
import socket
import threading

import pytest
from pusher_client import PusherSocket
from pusher_frames import read
from websocket import ABNF

ESTABLISHED = {"event": "pusher:connection_established", "data": '{"socket_id":"1.2","activity_timeout":120}'}
PRESENCE = {"presence": {"count": 1, "ids": ["7"], "hash": {"7": None}}}
ROOM = {"event": "pusher_internal:subscription_succeeded", "channel": "room", "data": "{}"}
LOBBY = {"event": "pusher_internal:subscription_succeeded", "channel": "presence-lobby", "data": json.dumps(PRESENCE)}
GOOD = [
    ESTABLISHED, ROOM, LOBBY, {"event": "pusher:ping", "data": "{}"}, {"event": "pusher:error", "data": {"code": None, "message": "m"}},
    {"event": "tick", "channel": "room", "data": "no JSON"},
    {"event": "client-a", "channel": "presence-lobby", "data": "1", "user_id": "7"}]
BAD = [
    # Hazards 2, 4, 5 and 8.
    {**ROOM, "data": {}}, {key: ROOM[key] for key in ("event", "channel")}, {**ROOM, "data": '{"a":1}'},
    {"event": "pusher:error", "data": '{"code":4001,"message":"m"}'}, {"event": "pusher:error", "data": {"code": "4001", "message": "m"}},
    {"event": "client-a", "channel": "private-room", "data": {"a": 1}}, {"event": "tick", "channel": "room"},
    {**LOBBY, "data": json.dumps({"presence": {**PRESENCE["presence"], "count": 2}})},
    {**LOBBY, "data": json.dumps({"presence": {**PRESENCE["presence"], "ids": [7]}})}, {**LOBBY, "data": "{}"},
    # Events of other servers, and places where nothing belongs.
    {"event": "pusher:subscription_error", "channel": "room", "data": "{}"}, {"event": "tick", "data": "1"},
    {"event": "online", "data": "{}"}, {**ESTABLISHED, "channel": "room"}, {**ROOM, "extra": 1}, {**ROOM, "channel": 7},
    {"event": "client-a", "channel": "private-room", "data": "1", "user_id": "7"},
    {"event": "pusher_internal:subscription_count", "channel": "presence-lobby", "data": '{"subscription_count":1}'},
    {"event": "pusher_internal:member_removed", "channel": "presence-lobby", "data": '{"user_id":7}'},
    {"event": "pusher:connection_established", "data": '{"socket_id":"1.2","activity_timeout":0}'},
    {"event": "pusher:connection_established", "data": '{"socket_id":"abc","activity_timeout":120}'},
    [], "text", {}, {"event": ""}]
RAW = [
    b"", b"{", b'{"event":"\xff"}', b'{"event":"tick","event":"tock","channel":"room","data":"1"}',
    b'{"event":"pusher:error","data":{"code":NaN,"message":"m"}}']


def test_what_keeps_the_rules_is_read():
    for event in GOOD:
        assert read(ABNF.OPCODE_TEXT, json.dumps(event).encode())["event"] == event["event"]
    assert read(ABNF.OPCODE_CLOSE, b"\x0f\xa1bye") == (4001, "bye") and read(ABNF.OPCODE_CLOSE, b"") == (1005, "")
    assert read(ABNF.OPCODE_PING, b"x") is None


@pytest.mark.parametrize("payload", [json.dumps(event).encode() for event in BAD] + RAW)
def test_what_breaks_them_is_not(payload):
    with pytest.raises((AssertionError, ValueError, KeyError)):
        read(ABNF.OPCODE_TEXT, payload)


@pytest.mark.parametrize("opcode, payload", [
    (ABNF.OPCODE_BINARY, json.dumps(ROOM).encode()), (ABNF.OPCODE_CLOSE, b"\x0f"), (ABNF.OPCODE_CLOSE, b"\x0f\xa1\xff")])
def test_frames_of_the_wrong_kind_are_not(opcode, payload):
    with pytest.raises((AssertionError, ValueError)):
        read(opcode, payload)


def test_a_frame_that_nobody_waited_for_fails_the_test_all_the_same():
    said = threading.Event()

    def serve():
        line, _ = listener.accept()
        with line:
            head = b""
            while b"\r\n\r\n" not in head:
                head += line.recv(4096)
            key = next(l.split(b":", 1)[1].strip() for l in head.split(b"\r\n") if l.lower().startswith(b"sec-websocket-key:"))
            accept = base64.b64encode(hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())
            line.sendall(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Protocol: "
                         b"pusher-channels-protocol-7\r\nSec-WebSocket-Accept: " + accept + b"\r\n\r\n")
            for event in (ESTABLISHED, {**ROOM, "data": {}}):
                text = json.dumps(event).encode()
                line.sendall(bytes([0x81, len(text)]) + text)
            said.set()
            with contextlib.suppress(ConnectionResetError):
                while line.recv(4096):
                    pass

    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = threading.Thread(target=serve)
        server.start()
        client = PusherSocket(listener.getsockname()[1])
        assert said.wait(30)
        client.reader.join(30)
        with pytest.raises(AssertionError):
            client.kill()
        with pytest.raises(AssertionError):
            client.next()
        server.join(30)
