"""Our client against a service that is not ours: bodies recorded from the real one."""

import json
import subprocess
import urllib.parse

import pytest
from lifeline_harness import Listener, lifeline, wait_until
from recorded_pubnub import (
    ACCESS_TEXT, ACTION, INTERVAL, JOIN, MESSAGE, OBJECT, SIGNAL, TEXT, TIMEOUT, WITH_META, WITH_ORIGIN, RecordedService, answer)


@pytest.fixture
def recorded(started):
    def start(*polls, **options):
        return started(RecordedService, *polls, **options)

    return start


@pytest.fixture
def listen(started):
    def start(service, *options):
        return started(
            Listener, service.url, *options, service="pubnub", key="demo", secret=None)

    return start


def test_recorded_messages_are_told_with_their_channel_and_payload(recorded, listen):
    service = recorded(
        answer("15808216792242558", MESSAGE, WITH_META), answer("15808216792242559", WITH_ORIGIN, SIGNAL, OBJECT, ACTION))
    client = listen(service, "--channel", "test-channel", "--channel", "test-channel1", "--channel", "demo.*")
    client.wait_messages(3)
    got = [(e["ch"], e["data"]) for e in client.of("msg")]
    assert got[:3] == [
        ("test-channel1", {"test-message": ["message"]}), ("test-channel", "Hello there"), ("demo.ruby", "test_message")]
    assert [e["user"] for e in client.of("msg")][:2] == ["Serhii", "serhii"]
    assert [e["status"] for e in client.of("status")] == ["connecting", "connected"]
    wait_until(lambda: len(service.subscribes()) >= 4, 30, "the fourth poll")
    cursors = [(p.get("tt"), p.get("tr")) for _, p in service.subscribes()]
    assert cursors[:2] == [("0", None), ("15782702386156836", "12")]
    assert cursors[3] == ("15808216792242559", "12")
    assert all(p["uuid"] and p["pnsdk"] for _, p in service.subscribes())


def test_recorded_presence_is_told(recorded, listen):
    service = recorded(
        answer("15800701747899766", JOIN),
        routes={"/v2/presence/sub-key/demo/channel/test-channel1":
                '{"status": 200, "message": "OK", "occupancy": 2, "uuids": ["hb","other"], "service": "Presence"}'})
    client = listen(service, "--presence", "--channel", "test-channel1")
    wait_until(lambda: "serhii" in [e["user"] for e in client.of("presence")], 30, "the join")
    # Whoever is known to be there can be told to have gone: the answer to who is there may come after the first events.
    wait_until(lambda: "hb" in [e["user"] for e in client.of("presence")], 30, "the answer to who is there")
    service.give(answer("15800701747899767", TIMEOUT, INTERVAL))
    wait_until(lambda: any(e["user"] == "hb" and e["action"] != "join" for e in client.of("presence")), 30, "the timeout")
    told = [(e["action"], e["user"]) for e in client.of("presence")]
    assert ("join", "serhii") in told and any(user == "hb" and action != "join" for action, user in told)


def test_the_cursor_never_goes_back(recorded, listen):
    service = recorded(answer("15808216792242558", MESSAGE), answer("15700000000000000"), answer("0"))
    client = listen(service, "--channel", "test-channel1")
    client.wait_messages(1)
    wait_until(lambda: len(service.subscribes()) >= 5, 30, "five polls")
    assert [p["tt"] for _, p in service.subscribes()][2:5] == ["15808216792242558"] * 3


def test_a_denied_channel_is_named_and_retried(recorded, listen):
    service = recorded((403, ACCESS_TEXT, '{"message":"Forbidden","payload":{"channels":["test-channel1"]},"error":true,"service":"Access Manager","status":403}'),
                       answer("15808216792242558", MESSAGE))
    client = listen(service, "--channel", "test-channel1")
    client.wait_messages(1)
    denied = [e for e in client.of("status") if e["category"] == "accessDenied"]
    assert denied and denied[0]["will_retry"] and denied[0]["code"] == 403


def test_a_portal_is_no_service(recorded, listen):
    service = recorded((200, "text/html", "<html>Please sign in</html>"), answer("15808216792242558", MESSAGE))
    client = listen(service, "--channel", "test-channel1")
    client.wait_messages(1)
    assert "malformedResponse" in [e["category"] for e in client.of("status")]
    assert len(client.of("msg")) == 1


def test_a_malformed_filter_is_final(recorded, listen):
    service = recorded((481, ACCESS_TEXT, '{"message":"bad filter","error":true,"service":"Access Manager","status":481}'))
    client = listen(service, "--channel", "c", "--filter", "a = = b")
    wait_until(lambda: client.statuses and client.statuses[-1] == "failed", 30, "failed")
    assert client.of("status")[-1]["category"] == "malformedFilter"


def run(*arguments):
    done = subprocess.run([lifeline(), *arguments], capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


def test_publish_prints_the_outcome(recorded):
    service = recorded(routes={"/publish/demo/demo/0/room/0": '[1,"Sent","15782703013118714"]'})
    code, out, error = run("publish", "--service", "pubnub", "--url", service.url, "--key", "demo", "--publish-key", "demo",
                           "--channel", "room", "--data", '{"a":"b c/d"}')
    assert code == 0, error
    assert "15782703013118714" in out and "accepted" in out
    path = next(p for p, _ in service.requests if p.startswith("/publish/"))
    sent = service.bodies[0] if service.bodies else urllib.parse.unquote(path.rpartition("/")[2])
    assert json.loads(sent) == {"a": "b c/d"}


def test_a_refused_publish_says_why_and_fails(recorded):
    service = recorded(routes={"/publish/": (400, TEXT, '[0,"Invalid Key","15782703013118714"]')})
    code, out, error = run("publish", "--service", "pubnub", "--url", service.url, "--key", "demo", "--publish-key", "wrong",
                           "--channel", "room", "--data", '1')
    assert code == 1 and "Invalid Key" in out + error


def test_history_prints_recorded_messages(recorded):
    service = recorded(routes={
        "/v3/history/sub-key/demo/channel/room": '{"status":200,"error":false,"error_message":"","channels":{"room":[{"message":{"i":1},"timetoken":"15782703013118714","meta":"","uuid":"u","message_type":null},{"message":"two","timetoken":"15782703013118715","meta":{"a":1},"uuid":"v","message_type":""}]}}',
        "/v2/history/sub-key/demo/channel/room": '[[{"message":{"i":1},"timetoken":15782703013118714},{"message":"two","timetoken":15782703013118715}],15782703013118714,15782703013118715]'})
    code, out, error = run("history", "--service", "pubnub", "--url", service.url, "--key", "demo", "--channel", "room", "--json")
    assert code == 0, error
    assert [json.loads(line)["data"] for line in out.splitlines()] == [{"i": 1}, "two"]


def test_presence_prints_who_is_there(recorded):
    service = recorded(routes={
        "/v2/presence/sub-key/demo/channel/room":
        '{"status": 200, "message": "OK", "occupancy": 2, "uuids": ["a",{"uuid":"b","state":{"mood":"good"}}], "service": "Presence"}'})
    code, out, error = run("presence", "--service", "pubnub", "--url", service.url, "--key", "demo", "--channel", "room", "--json")
    assert code == 0, error
    assert '"a"' in out and '"b"' in out
