"""A client of the first version of PubNub's subscribe protocol, which the vendor's C library speaks: it does what that library does in its
functional tests, over plain HTTP, and reads answers as strictly as the library does."""

import json
import re
import socket
import threading
import urllib.parse

import pytest
from lifeline_harness import AT_ONCE
from pubnub_harness import ask, publish


class FirstVersionClient:
    """Keeps the cursor of the last answer, whatever it subscribed to, as the library does."""

    def __init__(self, port, user):
        self.port, self.user, self.cursor = port, user, "0"
        self.messages, self.channels, self.matched = [], None, None

    def subscribe(self, channels="", group=None, timeout=30):
        query = {"uuid": self.user, "pnsdk": "test/1.0"} | ({"channel-group": group} if group else {})
        path = f"/subscribe/demo/{urllib.parse.quote(channels, safe=',') or ','}/0/{self.cursor}"
        answer = ask(self.port, path, timeout=timeout, **query)
        assert answer.status == 200, answer.text
        self.read(answer.text)
        return self.messages

    def read(self, text):
        # The library looks for the quote and the bracket at the end, and goes backwards from there.
        match = re.fullmatch(r'\[\[(.*)\],"(\d{1,20})"(?:,"([^"]*)")?(?:,"([^"]*)")?\]', text, re.DOTALL)
        assert match, text
        parts = json.loads(text)
        self.messages, self.cursor = parts[0], parts[1]
        self.channels = parts[-1].split(",") if len(parts) > 2 else None
        self.matched = parts[2].split(",") if len(parts) > 3 else None
        assert self.channels is None or len(self.channels) == len(self.messages), text


def group(port, name, **query):
    answer = ask(port, f"/v1/channel-registration/sub-key/demo/channel-group/{name}", uuid="u", **query)
    assert answer.status == 200, answer.text


def test_one_channel(server):
    client = FirstVersionClient(server.port, "c1")
    assert client.subscribe("first-one") == [] and client.channels is None
    publish(server.port, "first-one", "Test 1")
    publish(server.port, "first-one", {"b": [1, "]\"", "é"]})
    received = []
    while len(received) < 2:
        received += client.subscribe("first-one")
    assert received == ["Test 1", {"b": [1, "]\"", "é"]}] and client.channels is None


def test_the_cursor_of_one_channel_serves_for_another(server):
    client = FirstVersionClient(server.port, "c2")
    client.subscribe("first-a")
    publish(server.port, "first-a", "M1")
    publish(server.port, "first-b", "M1 - 2")
    assert client.subscribe("first-a") == ["M1"]
    assert client.subscribe("first-b") == ["M1 - 2"]


def test_several_channels_are_named(server):
    client = FirstVersionClient(server.port, "c3")
    client.subscribe("first-x,first-y")
    publish(server.port, "first-x", 1)
    publish(server.port, "first-y", 2)
    received = []
    while len(received) < 2:
        messages = client.subscribe("first-x,first-y")
        received += zip(messages, client.channels or [])
    assert received == [(1, "first-x"), (2, "first-y")] and client.matched is None


def test_groups_are_named_with_their_channels(server):
    group(server.port, "first-g", add="first-gx,first-gy")
    client = FirstVersionClient(server.port, "c4")
    client.subscribe(group="first-g")
    publish(server.port, "first-gx", "Test M2")
    publish(server.port, "first-gy", "Test M2-2")
    received = []
    while len(received) < 2:
        messages = client.subscribe(group="first-g")
        received += zip(messages, client.channels or [], client.matched or [])
    assert received == [("Test M2", "first-gx", "first-g"), ("Test M2-2", "first-gy", "first-g")]
    publish(server.port, "first-own", 3)
    both = FirstVersionClient(server.port, "c5")
    both.cursor = client.cursor
    assert both.subscribe("first-own", group="first-g") == [3]
    assert (both.matched, both.channels) == (["first-own"], ["first-own"])


@pytest.mark.parametrize("by_group", [False, True])
def test_a_client_that_went_away_catches_up(server, by_group):
    name = f"first-back-{by_group}"
    group(server.port, name + "-g", add=name)
    client = FirstVersionClient(server.port, "c6")
    arguments = {"group": name + "-g"} if by_group else {"channels": name}
    client.subscribe(**arguments)
    # A poll that is given up, with its connection: what comes meanwhile waits for the next one.
    with socket.create_connection(("127.0.0.1", server.port)) as connection:
        path = f"/subscribe/demo/{',' if by_group else name}/0/{client.cursor}?uuid=c6" + (f"&channel-group={name}-g" if by_group else "")
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
    publish(server.port, name, "while away")
    assert client.subscribe(**arguments) == ["while away"]


def test_a_held_poll_is_answered_at_once(server):
    client = FirstVersionClient(server.port, "c7")
    client.subscribe("first-held")
    thread = threading.Thread(target=client.subscribe, args=("first-held",))
    thread.start()
    publish(server.port, "first-held", "now")
    thread.join(AT_ONCE + 20)
    assert not thread.is_alive() and client.messages == ["now"]


def test_errors_are_the_ones_that_the_library_looks_for(server):
    broken = ask(server.port, "/publish/demo/demo/0/first/0/%22Test%20", uuid="u")
    assert broken.status == 400 and broken.json[:2] == [0, "Invalid JSON"]
    comma = ask(server.port, "/publish/demo/demo/0/,/0/%22Test%22", uuid="u")
    assert comma.status == 400 and comma.json[:2] == [0, "Invalid Character in Channel Name"]
    unknown = ask(server.port, "/subscribe/nobody/first/0/0", uuid="u")
    assert unknown.status == 400 and unknown.json["message"] == "Invalid Subscribe Key"


def test_a_message_about_a_file_needs_no_storage(server):
    client = FirstVersionClient(server.port, "c8")
    client.subscribe("first-file")
    message = {"message": "look", "file": {"id": "f1", "name": "cat.png"}}
    path = "/v1/files/publish-file/demo/demo/0/first-file/0"
    sent = ask(server.port, f"{path}/{urllib.parse.quote(json.dumps(message), safe='')}", uuid="p")
    assert sent.status == 200 and sent.json[:2] == [1, "Sent"]
    posted = ask(server.port, path, "POST", json.dumps(message).encode(), uuid="p")
    assert posted.status == 200
    received = []
    while len(received) < 2:
        received += client.subscribe("first-file")
    assert received == [message, message]
