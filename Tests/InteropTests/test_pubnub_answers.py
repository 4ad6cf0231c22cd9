"""Answers of `lifeline serve` compared with the PubNub protocol's recorded ones: status, content type, key order, spacing, values."""

import gzip
import json
import re
import socket
import threading
import time
import zlib

import pytest
from lifeline_harness import AT_ONCE
from pubnub_harness import ask, cursor, poll, publish

TEXT = 'text/javascript; charset="UTF-8"'
TOKEN = r"\d{17}"


def keys(text):
    """The keys of every object of a JSON text in the order in which they stand."""
    return json.loads(text, object_pairs_hook=lambda pairs: [name for name, _ in pairs])


def test_time(server):
    answer = ask(server.port, "/time/0")
    assert re.fullmatch(rf"\[{TOKEN}\]", answer.text) and answer.headers["Content-Type"] == TEXT
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert abs(answer.json[0] / 1e7 - time.time()) < 5


def test_publish_and_its_errors(server):
    assert re.fullmatch(rf'\[1,"Sent","{TOKEN}"\]', publish(server.port, "room", {"a": 1}).text)
    bad_key = ask(server.port, "/publish/nobody/demo/0/room/0/1", uuid="u")
    assert bad_key.status == 400 and re.fullmatch(rf'\[0,"Invalid Key","{TOKEN}"\]', bad_key.text)
    bad_json = ask(server.port, "/publish/demo/demo/0/room/0/%7Bbroken", uuid="u")
    assert bad_json.status == 400 and re.fullmatch(rf'\[0,"Invalid JSON","{TOKEN}"\]', bad_json.text)
    bad_sub = ask(server.port, "/publish/demo/nobody/0/room/0/1", uuid="u")
    assert bad_sub.status == 400
    assert bad_sub.text == '{"message":"Invalid Subscribe Key","error":true,"service":"Access Manager","status":400}'
    long = ask(server.port, "/publish/demo/demo/0/room/0", "POST", json.dumps("x" * 40000).encode(), uuid="u")
    assert long.status in (400, 413) and re.fullmatch(rf'\[0,"Message Too Large","{TOKEN}"\]', long.text)
    assert ask(server.port, "/publish/demo/demo/0/room/0/" + "1" * 40000, uuid="u").status == 414


@pytest.mark.parametrize("label", ["gzip", "deflate", None])
@pytest.mark.parametrize("packing", ["gzip", "zlib", "raw"])
def test_bodies_are_unpacked_by_their_first_bytes(server, packing, label):
    if label is None and packing != "gzip":
        label = "gzip"
    message = {"text": f"{packing} under {label}"}
    data = json.dumps(message).encode()
    raw = zlib.compressobj(wbits=-15)
    body = {"gzip": gzip.compress(data), "zlib": zlib.compress(data), "raw": raw.compress(data) + raw.flush()}[packing]
    tt = cursor(server.port)
    headers = {"Content-Type": "application/json"} | ({"Content-Encoding": label} if label else {})
    sent = ask(server.port, "/publish/demo/demo/0/room/0", "POST", body, headers, uuid="p")
    assert sent.status == 200, sent.text
    assert poll(server.port, tt).json["m"][0]["d"] == message


def test_signal_and_its_limit(server):
    tt = cursor(server.port)
    assert re.fullmatch(rf'\[1,"Sent","{TOKEN}"\]', ask(server.port, "/signal/demo/demo/0/room/0/%22hi%22", uuid="s").text)
    long = ask(server.port, "/signal/demo/demo/0/room/0/%22" + "x" * 80 + "%22", uuid="s")
    assert long.status == 400 and re.fullmatch(rf'\[0,"Signal size too large","{TOKEN}"\]', long.text)
    element = poll(server.port, tt).json["m"][0]
    assert list(element) == ["a", "f", "e", "i", "p", "k", "c", "d"] and element["e"] == 1 and element["i"] == "s"


def test_handshake_answers_at_once_with_a_cursor_and_no_messages(server):
    publish(server.port, "room", "before")
    for path in ("/v2/subscribe/demo/room/0?tt=0&uuid=u", "/v2/subscribe/demo/room/0?uuid=u", "/v2/subscribe/demo/room/0?tt=0&tr=4&uuid=u"):
        answer = ask(server.port, path)
        assert re.fullmatch(rf'\{{"t":\{{"t":"{TOKEN}","r":\d+\}},"m":\[\]\}}', answer.text), answer.text
        assert answer.headers["Content-Type"] == TEXT


def test_cursor_as_json_parameter(server):
    tt = cursor(server.port)
    publish(server.port, "room", "hello")
    for text in (f'{{"r":1,"t":"{tt}"}}', f'{{"t":"{tt}","r":1}}'):
        answer = ask(server.port, "/v2/subscribe/demo/room/0", t=text, uuid="u")
        assert [m["d"] for m in answer.json["m"]] == ["hello"]


def test_elements_have_the_recorded_keys_in_order(server):
    tt = cursor(server.port)
    publish(server.port, "room", "plain")
    publish(server.port, "room", {"k": 1}, meta='{"access-level":"editor"}', seqn="7")
    publish(server.port, "room", "typed", custom_message_type="tick")
    publish(server.port, "room", "origin", ortt='{"t":"14654005804445482"}')
    plain, full, typed, origin = poll(server.port, tt).json["m"]
    assert list(plain) == ["a", "f", "i", "p", "k", "c", "d"] and list(plain["p"]) == ["t", "r"]
    assert re.fullmatch(TOKEN, plain["p"]["t"]) and isinstance(plain["p"]["r"], int)
    assert (plain["f"], plain["i"], plain["k"], plain["c"], plain["d"]) == (0, "p1", "demo", "room", "plain")
    assert list(full) == ["a", "f", "i", "s", "p", "k", "c", "u", "d"]
    assert full["s"] == 7 and full["u"] == {"access-level": "editor"} and full["d"] == {"k": 1}
    assert list(typed) == ["a", "f", "i", "cmt", "p", "k", "c", "d"] and typed["cmt"] == "tick"
    assert list(origin) == ["a", "f", "i", "o", "p", "k", "c", "d"] and origin["o"] == {"t": "14654005804445482"}


def test_the_subscription_that_matched_is_named(server):
    port = server.port
    ask(port, "/v1/channel-registration/sub-key/demo/channel-group/g", add="in-group", uuid="u")
    tt = cursor(port)
    for channel in ("a", "in-group", "demo.x"):
        publish(port, channel, channel)
    several = poll(port, tt, "a,other,demo.*", **{"channel-group": "g"}).json["m"]
    assert [(m["c"], m["b"]) for m in several] == [("a", "a"), ("in-group", "g"), ("demo.x", "demo.*")]
    only_group = poll(port, tt, ",", **{"channel-group": "g"}).json["m"]
    assert [(m["c"], m["b"]) for m in only_group] == [("in-group", "g")]


def test_a_held_poll_is_released_by_a_message_within_milliseconds(server):
    tt = cursor(server.port)
    got = {}

    def wait():
        got["answer"], got["at"] = poll(server.port, tt), time.monotonic()

    held = threading.Thread(target=wait)
    held.start()
    time.sleep(0.3)
    assert "answer" not in got
    sent = time.monotonic()
    publish(server.port, "room", 1)
    held.join(30)
    # Whatever looks after polls from time to time would take longer.
    assert [m["d"] for m in got["answer"].json["m"]] == [1] and got["at"] - sent < AT_ONCE
    assert int(got["answer"].json["t"]["t"]) >= int(got["answer"].json["m"][0]["p"]["t"])


def test_the_queue_holds_a_hundred_and_an_answer_no_more(server):
    tt = cursor(server.port)
    for i in range(150):
        publish(server.port, "room", i)
    first = poll(server.port, tt).json
    assert [m["d"] for m in first["m"]] == list(range(50, 150))
    for i in range(5):
        publish(server.port, "room", 1000 + i)
    assert [m["d"] for m in poll(server.port, first["t"]["t"]).json["m"]] == [1000, 1001, 1002, 1003, 1004]


def test_a_closed_poll_is_let_go_and_nothing_is_lost(server):
    tt = cursor(server.port)
    for _ in range(20):
        with socket.create_connection(("127.0.0.1", server.port)) as raw:
            raw.sendall(f"GET /v2/subscribe/demo/room/0?tt={tt}&tr=1&uuid=u HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            time.sleep(0.02)
    publish(server.port, "room", "kept")
    assert [m["d"] for m in poll(server.port, tt).json["m"]] == ["kept"]


def test_presence_events(server):
    port = server.port
    tt = cursor(port, "room-pnpres", uuid="watcher")
    ask(port, "/v2/subscribe/demo/room/0", tt="0", uuid="serhii", heartbeat="300")
    element = poll(port, tt, "room-pnpres", uuid="watcher").json["m"][0]
    assert list(element) in (["a", "f", "p", "k", "c", "u", "d"], ["a", "f", "p", "k", "c", "u", "d", "b"])
    assert element["c"] == "room-pnpres" and list(element["d"]) == ["action", "uuid", "timestamp", "occupancy"]
    assert element["d"]["action"] == "join" and element["d"]["uuid"] == "serhii" and element["d"]["occupancy"] == 1
    assert element["u"] == {
        "pn_action": "join", "pn_uuid": "serhii", "pn_timestamp": element["d"]["timestamp"], "pn_occupancy": 1,
        "pn_ispresence": 1, "pn_channel": "room"}


def test_presence_requests(server):
    port, base = server.port, "/v2/presence/sub-key/demo"
    hello = ask(port, f"{base}/channel/room/heartbeat", heartbeat="300", uuid="u1")
    assert hello.text == '{"status": 200, "message": "OK", "service": "Presence"}' and hello.headers["Content-Type"] == TEXT
    here = ask(port, f"{base}/channel/room", uuid="x", disable_uuids="0", state="0")
    assert here.text == '{"status": 200, "message": "OK", "occupancy": 1, "uuids": ["u1"], "service": "Presence"}'
    counted = ask(port, f"{base}/channel/room", uuid="x", disable_uuids="1")
    assert counted.text == '{"status": 200, "message": "OK", "occupancy": 1, "service": "Presence"}'
    state = ask(port, f"{base}/channel/room/uuid/u1/data", state='{"mood":"good"}', uuid="u1")
    assert state.json == {"status": 200, "message": "OK", "payload": {"mood": "good"}, "service": "Presence"}
    with_state = ask(port, f"{base}/channel/room", uuid="x", state="1")
    assert with_state.json["uuids"] == [{"uuid": "u1", "state": {"mood": "good"}}]
    many = ask(port, f"{base}/channel/room,other", uuid="x")
    assert keys(many.text) is not None and many.json["payload"]["channels"]["room"]["occupancy"] == 1
    assert many.json["payload"]["total_occupancy"] == 1
    everything = ask(port, base, uuid="x")
    assert everything.json["payload"]["total_channels"] == 1
    where = ask(port, f"{base}/uuid/u1", uuid="x")
    assert where.text == '{"status": 200, "message": "OK", "payload": {"channels": ["room"]}, "service": "Presence"}'
    got = ask(port, f"{base}/channel/room/uuid/u1", uuid="u1")
    assert got.json["payload"] == {"mood": "good"} and got.json["channel"] == "room" and got.json["uuid"] == "u1"
    missing = ask(port, f"{base}/channel/room/uuid/u1/data", uuid="u1")
    assert missing.status == 400
    assert missing.text == '{"status": 400, "error": 1, "message": "No state specified.", "service": "Presence"}'
    bye = ask(port, "/v2/presence/sub_key/demo/channel/room/leave", uuid="u1")
    assert bye.text == '{"status": 200, "action": "leave", "message": "OK", "service": "Presence"}'
    assert ask(port, f"{base}/channel/room", uuid="x").json["occupancy"] == 0


def test_history_two(server):
    port, path = server.port, "/v2/history/sub-key/demo/channel/h"
    assert ask(port, path, uuid="u").text == "[[],0,0]"
    tokens = [int(publish(port, "h", {"i": i}).json[2]) for i in range(3)]
    assert ask(port, path, uuid="u").text == '[[{"i": 0},{"i": 1},{"i": 2}],%d,%d]' % (tokens[0], tokens[2])
    with_token = ask(port, path, uuid="u", include_token="true", count="1")
    assert with_token.text == '[[{"message":{"i": 2},"timetoken":%d}],%d,%d]' % (tokens[2], tokens[2], tokens[2])
    with_meta = ask(port, path, uuid="u", include_meta="true", count="1").json
    assert with_meta[0] == [{"message": {"i": 2}, "meta": ""}]
    assert ask(port, path, uuid="u", start=str(tokens[1])).json[0] == [{"i": 0}]
    assert ask(port, path, uuid="u", end=str(tokens[1])).json[0] == [{"i": 1}, {"i": 2}]
    publish(port, "h", "unstored", store="0")
    assert len(ask(port, path, uuid="u").json[0]) == 3
    text = ask(port, path, uuid="u", include_token="true", string_message_token="true", count="1").json
    assert text[0][0]["timetoken"] == str(tokens[2])


def test_history_three(server):
    port = server.port
    token = publish(port, "h ä", {"i": 1}, custom_message_type="tick").json[2]
    answer = ask(port, "/v3/history/sub-key/demo/channel/h%20%C3%A4", uuid="u", include_uuid="true", include_meta="true",
                 include_message_type="true", include_custom_message_type="true")
    assert answer.text.startswith('{"status":200,"error":false,"error_message":"","channels":{"h%20%C3%A4":[{"message":')
    item = answer.json["channels"]["h%20%C3%A4"][0]
    assert item["timetoken"] == token and item["uuid"] == "p1" and item["meta"] == "" and item["custom_message_type"] == "tick"
    plain = ask(port, "/v3/history/sub-key/demo/channel/h%20%C3%A4", uuid="u", encode_channels="false")
    assert list(plain.json["channels"]) == ["h ä"]
    assert ask(port, "/v3/history/sub-key/demo/channel/none", uuid="u").text.endswith('"channels":{}}')
    gone = ask(port, "/v3/history/sub-key/demo/channel/h%20%C3%A4", "DELETE", uuid="u")
    assert gone.text == '{"status":200,"error":false,"error_message":""}'
    assert ask(port, "/v3/history/sub-key/demo/channel/h%20%C3%A4", uuid="u").json["channels"] == {}


def test_message_counts(server):
    port, path = server.port, "/v3/history/sub-key/demo/message-counts/"
    tokens = [publish(port, "a", i).json[2] for i in range(4)]
    assert ask(port, path + "a,b", uuid="u", timetoken=tokens[0]).json["channels"] == {"a": 3, "b": 0}
    assert ask(port, path + "a,b", uuid="u", channelsTimetoken=f"{tokens[2]},{tokens[0]}").json["channels"] == {"a": 1, "b": 0}
    wrong = ask(port, path + "a", uuid="u")
    assert wrong.status == 400
    assert wrong.text == '{"status":400,"error":true,"error_message":"Invalid Arguments","channels":{}}'


def test_channel_groups(server):
    port, base = server.port, "/v1/channel-registration/sub-key/demo/channel-group"
    done = '{"status": 200, "message": "OK", "service": "channel-registry", "error": false}'
    assert ask(port, f"{base}/g1", add="c1,c2", uuid="u").text == done
    listed = ask(port, f"{base}/g1", uuid="u")
    assert listed.text == (
        '{"status": 200, "payload": {"channels": ["c1", "c2"], "group": "g1"}, "service": "channel-registry", "error": false}')
    groups = ask(port, base, uuid="u")
    assert groups.text == (
        '{"status": 200, "payload": {"namespace": "", "groups": ["g1"]}, "service": "channel-registry", "error": false}')
    assert ask(port, f"{base}/g1", remove="c1", uuid="u").text == done
    assert ask(port, f"{base}/g1/remove", uuid="u").text == done
    assert ask(port, base, uuid="u").json["payload"]["groups"] == []
    wrong = ask(port, f"{base}/g1", add="a:b", uuid="u")
    assert wrong.status == 400 and wrong.json["message"] == "Reserved character in input parameters."


def test_every_answer_has_a_content_type_and_keeps_the_connection(server):
    with socket.create_connection(("127.0.0.1", server.port)) as raw:
        stream = raw.makefile("rb")
        for path in ("/time/0", "/publish/nobody/demo/0/room/0/1?uuid=u", "/v2/subscribe/demo/room/0?uuid=u", "/v2/nothing/here",
                     "/v2/subscribe/nobody/room/0?uuid=u", "/time/0"):
            raw.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            status = int(stream.readline().split()[1])
            headers = {}
            while (line := stream.readline()) not in (b"\r\n", b""):
                name, _, value = line.decode().partition(":")
                headers[name.lower()] = value.strip()
            stream.read(int(headers["content-length"]))
            assert "content-type" in headers and headers.get("connection") != "close", path
            assert status in (200, 400, 404)


def test_preflight_requests_of_browsers(server):
    answer = ask(server.port, "/publish/demo/demo/0/room/0", "OPTIONS", headers={"Origin": "http://x", "Access-Control-Request-Method": "POST"})
    assert answer.status in (200, 204) and "POST" in answer.headers["Access-Control-Allow-Methods"]


def test_a_group_change_releases_a_held_poll(server):
    port, base = server.port, "/v1/channel-registration/sub-key/demo/channel-group"
    ask(port, f"{base}/g", add="a", uuid="u")
    tt, got = cursor(port, ",", **{"channel-group": "g"}), []
    held = threading.Thread(target=lambda: got.append(poll(port, tt, ",", **{"channel-group": "g"})))
    held.start()
    # A change that comes before the poll releases nothing.
    for n in range(100):
        ask(port, f"{base}/g", add=f"b{n}", uuid="u")
        held.join(0.2)
        if got:
            break
    assert got and got[0].json["m"] == []
