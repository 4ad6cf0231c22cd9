"""The rules for every frame that a server of Pusher protocol 7 sends, written from the protocol's description and nothing of ours."""

import json
import re

import websocket

SUBPROTOCOL = "pusher-channels-protocol-7"
ABOUT_THE_CONNECTION = {
    "pusher:connection_established", "pusher:ping", "pusher:pong", "pusher:signin_success", "pusher_internal:watchlist_events"}
ABOUT_A_CHANNEL = {
    "pusher:cache_miss", "pusher_internal:subscription_succeeded", "pusher_internal:subscription_count",
    "pusher_internal:member_added", "pusher_internal:member_removed"}


def read(opcode, payload):
    """One frame: its event; the code and reason of a close frame as a tuple; None for the control frames that the library answers.

    An event is the envelope with its `data` parsed where the protocol says that it is JSON; `raw` has it as it came.
    """
    if opcode in (websocket.ABNF.OPCODE_PING, websocket.ABNF.OPCODE_PONG):
        return None
    if opcode == websocket.ABNF.OPCODE_CLOSE:
        assert len(payload) != 1, payload
        return (int.from_bytes(payload[:2], "big") if payload else 1005, payload[2:].decode("utf-8"))
    assert opcode == websocket.ABNF.OPCODE_TEXT, f"a frame with opcode {opcode}: the protocol is text"
    event = parsed(payload.decode("utf-8"))
    assert isinstance(event, dict) and isinstance(event.get("event"), str) and event["event"], event
    assert set(event) <= {"event", "channel", "data", "user_id"}, event
    assert all(isinstance(event[name], str) for name in ("channel", "user_id") if name in event), event
    event["raw"] = event.get("data")
    name = event["event"]
    if name == "pusher:error":
        data = event["data"]
        assert isinstance(data, dict) and set(data) <= {"code", "message"}, event
        assert isinstance(data["message"], str) and isinstance(data.get("code"), (int, type(None))), event
    else:
        # In every other event it is a text, whatever it was when it was sent.
        assert isinstance(event.get("data"), str), event
        if name.startswith(("pusher:", "pusher_internal:")):
            assert name in ABOUT_THE_CONNECTION | ABOUT_A_CHANNEL, event
            assert ("channel" in event) == (name in ABOUT_A_CHANNEL), event
            event["data"] = parsed(event["data"])
            check(name, event["data"], event)
        else:
            assert "channel" in event, event
    if "user_id" in event:
        assert name.startswith("client-") and event["channel"].startswith("presence-"), event
    return event


def check(name, data, event):
    """The data of an event of the protocol itself."""
    if name == "pusher:connection_established":
        assert set(data) == {"socket_id", "activity_timeout"} and re.fullmatch(r"[0-9]+\.[0-9]+", data["socket_id"]), event
        assert type(data["activity_timeout"]) is int and data["activity_timeout"] > 0, event
    elif name == "pusher:signin_success":
        assert set(data) == {"user_data"} and isinstance(data["user_data"], str), event
    elif name == "pusher_internal:watchlist_events":
        assert set(data) == {"events"} and data["events"], event
        for change in data["events"]:
            assert set(change) == {"name", "user_ids"} and change["name"] in ("online", "offline") and change["user_ids"], event
            assert all(isinstance(user, str) for user in change["user_ids"]), event
    elif name == "pusher_internal:subscription_count":
        assert set(data) == {"subscription_count"} and type(data["subscription_count"]) is int, event
        assert not event["channel"].startswith("presence-"), event
    elif name == "pusher_internal:member_added":
        assert {"user_id"} <= set(data) <= {"user_id", "user_info"} and isinstance(data["user_id"], str), event
    elif name == "pusher_internal:member_removed":
        assert set(data) == {"user_id"} and isinstance(data["user_id"], str), event
    elif name == "pusher_internal:subscription_succeeded" and event["channel"].startswith("presence-"):
        assert set(data) == {"presence"} and set(data["presence"]) == {"count", "ids", "hash"}, event
        members(event)
    else:
        assert event["raw"] == "{}", event


def members(event):
    """The hash of a confirmed presence subscription: id and information of everybody who is there."""
    presence = event["data"]["presence"]
    assert presence["count"] == len(presence["ids"]) == len(presence["hash"])
    assert sorted(presence["ids"]) == sorted(presence["hash"])
    return presence["hash"]


def parsed(text):
    """JSON in which no name comes twice and no number is none."""
    def once(pairs):
        assert len(dict(pairs)) == len(pairs), f"a name twice: {text}"
        return dict(pairs)

    def refuse(word):
        raise AssertionError(f"{word} is no JSON: {text}")

    return json.loads(text, object_pairs_hook=once, parse_constant=refuse)
