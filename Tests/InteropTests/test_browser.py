"""A real browser against `lifeline serve`: a page with nothing but the browser's own WebSocket and fetch."""

import hashlib
import hmac
import json
import time

import pytest
from browser import Browser, members
from browser_page import Page
from lifeline_harness import APP_ID, KEY, SECRET, Server, wait_until
from pusher_client import PusherSocket

BODY = json.dumps({"name": "from-page", "channel": "room", "data": "{}"})


def signed(method, path, body=""):
    query = {"auth_key": KEY, "auth_timestamp": str(int(time.time())), "auth_version": "1.0"}
    if body:
        query["body_md5"] = hashlib.md5(body.encode()).hexdigest()
    text = "&".join(f"{name}={query[name]}" for name in sorted(query))
    signature = hmac.new(SECRET.encode(), f"{method}\n{path}\n{text}".encode(), hashlib.sha256).hexdigest()
    return f"{path}?{text}&auth_signature={signature}"


def targets():
    return {"task": "fetch", "body": BODY, "publish": signed("POST", f"/apps/{APP_ID}/events", BODY),
            "channels": signed("GET", f"/apps/{APP_ID}/channels")}


def test_a_page_subscribes_receives_and_publishes(server, started):
    python = started(PusherSocket, server.port)
    python.subscribe("private-room")
    python.subscribe("presence-room", {"user_id": "python"})
    page = Page(started, server.port)
    assert page.wait(what="open")["protocol"] == "pusher-channels-protocol-7"
    assert page.wait_event("pusher:connection_established")["isText"]
    for channel in ("room", "private-room", "presence-room", "#server-to-user-page"):
        page.wait_event("pusher_internal:subscription_succeeded", channel)
    present = page.wait_event("pusher_internal:subscription_succeeded", "presence-room")["value"]["presence"]
    assert sorted(present["ids"]) == ["page", "python"] and present["hash"]["page"] == {"name": "Page"}
    assert python.skip_to("pusher_internal:member_added", "presence-room")["data"]["user_id"] == "page"

    for channel in ("room", "#server-to-user-page", "presence-room", "private-room"):
        assert server.publish(channel, "tick", json.dumps({"at": channel, "text": "grüße €"}))
    for channel in ("room", "#server-to-user-page", "presence-room", "private-room"):
        assert page.wait_event("tick", channel)["value"] == {"at": channel, "text": "grüße €"}

    assert json.loads(python.skip_to("client-hello")["data"]) == {"from": "page", "text": "grüße €"}
    python.trigger("presence-room", "client-hi", {"from": "python"})
    answer = page.wait_event("client-hi", "presence-room")
    assert answer["value"] == {"from": "python"} and answer["user_id"] == "python"
    assert {form["channel_name"] for path, form, _ in page.host.asked if path == "/pusher/auth"} == {
        "private-room", "presence-room"}

    server.end()
    assert page.wait(what="close") == {"what": "close", "code": 4100, "clean": True}


def test_a_page_may_read_answers_but_not_the_servers_figures(server, started):
    subscriber = started(PusherSocket, server.port)
    subscriber.subscribe("room")
    page = Page(started, server.port, **targets())
    page.wait(what="done")
    answers = {told["name"]: told for told in page.told if told["what"] == "fetch"}
    assert {name: told.get("status") for name, told in answers.items()} == {
        "publish": 200, "channels": 200, "unsigned": 401, "nothing": 404, "pubnub": 200, "poll": 200, "metrics": None}
    assert json.loads(answers["channels"]["text"]) == {"channels": {"room": {}}}
    assert "auth_key is missing" in answers["unsigned"]["text"]
    subscriber.wait("from-page", "room")


def test_a_page_of_another_origin_reads_nothing(started):
    page = Page(started, started(Server, 0, "--cors-origin", "https://app.example").port, **targets())
    page.wait(what="done")
    assert all(told.get("refused") for told in page.told if told["what"] == "fetch")


@pytest.mark.parametrize("allowed", [True, False])
def test_a_page_may_connect_only_from_an_allowed_origin(started, allowed):
    server = started(Server, 0, "--allowed-origin", "http://127.0.0.1" if not allowed else "http://127.0.0.1:*")
    page = Page(started, server.port)
    if allowed:
        page.wait_event("pusher_internal:subscription_succeeded", "private-room")
    else:
        assert page.wait(what="close")["code"] == 4009
        assert not [told for told in page.told if told.get("event") == "pusher:connection_established"]
    # Programs that are no browsers say no origin and are not asked.
    started(PusherSocket, server.port)


def test_nothing_of_a_browser_outlives_its_test(started):
    browser = started(Browser, "about:blank")
    group = browser.process.pid
    wait_until(lambda: len(members(group)) > 2, 120, "a browser with its children")
    browser.kill()
    assert members(group) == []
