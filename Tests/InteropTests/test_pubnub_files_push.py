"""Files and push registration of PyPI `pubnub`, and the webhook for what is to be pushed, against `lifeline serve`."""

import hashlib
import hmac
import http.server
import json
import threading

import pytest
from lifeline_harness import Server, wait_until
from pubnub.enums import PNPushEnvironment, PNPushType
from pubnub.exceptions import PubNubException
from pubnub_harness import SECRET_KEY, SUBSCRIBE_KEY, Client, ask, publish

TOKEN = "ab12" * 16


@pytest.fixture
def client():
    made = []

    def make(port, **settings):
        made.append(Client("native", port, "ann", **settings))
        return made[-1]

    yield make
    for one in made:
        one.stop()


class Pusher:
    """Stands for whoever has the credentials of Apple and Google."""

    def __init__(self):
        self.requests = []
        owner = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                owner.requests.append((self.headers, body))
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/push"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def events(self):
        return [event for _, body in self.requests for event in json.loads(body)["events"]]

    def kill(self):
        self.server.shutdown()
        self.server.server_close()


@pytest.mark.parametrize("cipher", [None, "enigma"])
def test_a_file_is_sent_listed_downloaded_and_deleted(server, client, cipher):
    """FI-10 to FI-15."""
    one = client(server.port, **({"cipher_key": cipher} if cipher else {}))
    content = bytes(range(256)) * 1000
    sent = one.result(lambda p: p.send_file().channel("room").file_name("caf\u00e9 1.png").message({"t": 1}).should_store(True)
                      .file_object(content))
    assert sent.name == "caf\u00e9 1.png" and sent.file_id and int(sent.timestamp) > 0
    listed = one.result(lambda p: p.list_files().channel("room"))
    assert [(f["name"], f["id"]) for f in listed.data] == [(sent.name, sent.file_id)] and listed.count == 1 and listed.next is None
    assert (listed.data[0]["size"] == len(content)) == (cipher is None)
    url = one.result(lambda p: p.get_file_url().channel("room").file_id(sent.file_id).file_name(sent.name)).file_url
    assert url.startswith(f"http://127.0.0.1:{server.port}/v1/files/demo/content/{sent.file_id}/")
    got = one.result(lambda p: p.download_file().channel("room").file_id(sent.file_id).file_name(sent.name))
    assert got.data == content
    history = one.result(lambda p: p.fetch_messages().channels(["room"]).include_message_type(True))
    assert [m.message_type for m in history.channels["room"]] == ["4"] or history.channels["room"][0].message_type == 4
    one.result(lambda p: p.delete_file().channel("room").file_id(sent.file_id).file_name(sent.name))
    assert one.result(lambda p: p.list_files().channel("room")).data == []


def test_lists_of_files_have_pages(server, client):
    """FI-12."""
    one = client(server.port)
    for name in "abcde":
        one.result(lambda p, name=name: p.send_file().channel("room").file_name(name).message("m").file_object(b"x"))
    names, cursor = [], None
    while True:
        page = one.result(lambda p, cursor=cursor: p.list_files("room", limit=2, next=cursor))
        names += [f["name"] for f in page.data]
        cursor = page.next
        if not cursor:
            break
    assert names == list("edcba")


def test_a_file_that_is_too_large_is_refused_and_not_told_of(started, client):
    """FI-4, FI-18."""
    server = started(Server, 0, "--pubnub-file-bytes", "1000")
    one = client(server.port)
    with pytest.raises(PubNubException) as refusal:
        one.result(lambda p: p.send_file().channel("room").file_name("a").message("m").file_object(b"x" * 1001))
    assert "EntityTooLarge" in str(refusal.value)
    assert one.result(lambda p: p.list_files().channel("room")).data == []
    assert ask(server.port, "/v2/history/sub-key/demo/channel/room").json == [[], 0, 0]


def test_files_outlive_a_restart_with_a_data_directory(started, client, tmp_path):
    """FI-20."""
    server = started(Server, 0, "--data", str(tmp_path / "data"))
    one = client(server.port)
    sent = one.result(lambda p: p.send_file().channel("room").file_name("a").message("m").file_object(b"kept"))
    server.kill()
    server = started(Server, 0, "--data", str(tmp_path / "data"))
    again = client(server.port)
    got = again.result(lambda p: p.download_file().channel("room").file_id(sent.file_id).file_name("a"))
    assert got.data == b"kept"


@pytest.mark.parametrize("kind", ["apns", "fcm", "gcm", "apns2"])
def test_a_device_is_registered_listed_and_removed(server, client, kind):
    """PU-1 to PU-4."""
    one = client(server.port)
    number = {"apns": PNPushType.APNS, "fcm": PNPushType.FCM, "gcm": PNPushType.GCM, "apns2": PNPushType.APNS2}[kind]

    def ready(builder):
        builder = builder.push_type(number).device_id(TOKEN)
        return builder.topic("com.app").environment(PNPushEnvironment.PRODUCTION) if kind == "apns2" else builder

    def channels():
        return one.result(lambda p: ready(p.list_push_channels())).channels

    assert channels() == []
    one.result(lambda p: ready(p.add_channels_to_push().channels(["b", "a", "c"])))
    assert channels() == ["a", "b", "c"]
    one.result(lambda p: ready(p.remove_channels_from_push().channels(["b"])))
    assert channels() == ["a", "c"]
    one.result(lambda p: ready(p.remove_device_from_push()))
    assert channels() == []


def test_what_is_to_be_pushed_goes_to_the_webhook_signed(started, client):
    """PU-20 to PU-25."""
    pusher = started(Pusher)
    server = started(Server, 0, "--pubnub-push-webhook", pusher.url)
    one = client(server.port)
    one.result(lambda p: p.add_channels_to_push().channels(["room"]).push_type(PNPushType.FCM).device_id("T1"))
    one.result(lambda p: p.add_channels_to_push().channels(["room"]).push_type(PNPushType.APNS2).device_id(TOKEN).topic("com.app"))
    publish(server.port, "room", {"text": "for subscribers only"})
    payload = {
        "text": "hi", "pn_gcm": {"data": {"n": 1}},
        "pn_apns": {"aps": {"alert": "Hi"}, "pn_push": [{"version": "v2", "targets": [{"topic": "com.app"}]}]}}
    publish(server.port, "room", payload)
    wait_until(lambda: len(pusher.events) >= 2, 30, lambda: f"two events, got {pusher.events}")
    headers, body = pusher.requests[0]
    assert headers["X-Lifeline-Key"] == SUBSCRIBE_KEY
    assert headers["X-Lifeline-Signature"] == hmac.new(SECRET_KEY.encode(), body, hashlib.sha256).hexdigest()
    assert [(e["service"], e["devices"]) for e in pusher.events] == [("apns2", [TOKEN]), ("fcm", ["T1"])]
    assert [e["payload"] for e in pusher.events] == [payload["pn_apns"], payload["pn_gcm"]]
    assert {e["channel"] for e in pusher.events} == {"room"} and pusher.events[0]["topic"] == "com.app"
