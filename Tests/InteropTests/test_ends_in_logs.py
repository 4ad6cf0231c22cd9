"""What the log of `lifeline serve` says when a client is refused or cut, and how much of it (rules SO-116 and SO-117)."""

import json
import re
import time
import urllib.error
import urllib.request

import pytest
from lifeline_harness import Server, rest, wait_until
from chat_client import ChatSession, Farewell, ServerAPI
from pusher_client import PusherSocket

ORIGINS = {"apps": [{"id": "1", "key": "open-key", "secret": "secret-of-this-test", "limits": {"connections": 1}},
                    {"id": "2", "key": "page-key", "secret": "other-secret-of-this-test", "allowedOrigins": ["https://app.example"]},
                    {"id": "3", "key": "off-key", "secret": "third-secret-of-this-test", "enabled": False},
                    {"id": "4", "key": "tls-key", "secret": "fourth-secret-of-this-test", "requireTLS": True}],
           "nexconn": {"key": "chat-key", "secret": "chat-secret-of-this-test", "enabled": False},
           "pubnub": {"publishKey": "pub-key", "subscribeKey": "sub-key", "secret": "keyset-secret-of-this-test", "accessManager": True}}


def lines(server, message="connection ended"):
    found = []
    for line in server.errors:
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if entry.get("message") == message:
            found.append({**entry, **entry.get("metadata", {})})
    return found


def line(server, message="connection ended", **wanted):
    """The first line with these values."""
    return wait_until(
        lambda: next((each for each in lines(server, message) if all(str(each.get(name)) == value for name, value in wanted.items())), None),
        30, lambda: f"{wanted} in {server.errors[-8:]}")


@pytest.fixture
def server(started, tmp_path):
    config = tmp_path / "lifeline.json"
    config.write_text(json.dumps(ORIGINS))
    return started(Server, 0, "--config", str(config), "--log-format", "json")


def refused(port, key, **options):
    with pytest.raises(Exception):
        PusherSocket(port, key=key, **options)


def test_a_refused_connection_has_its_reason(server, started):
    refused(server.port, "nobody")
    said = line(server, code="4001")
    assert said["level"] == "notice" and said["reason"] == "There is no application with this key." and said["key"] == "nobo…"
    assert said["by"] == "server" and said["service"] == "pusher" and said["address"] == "127.0.0.1" and said["connection"]


@pytest.mark.parametrize("code, app, key, options", [
    ("4003", "3", "off-key", {}), ("4000", "4", "tls-key", {}), ("4009", "2", "page-key", {"origin": "https://elsewhere.example"})])
def test_a_refusal_names_the_application_that_refused(server, code, app, key, options):
    """SO-148: whose key the client has named."""
    refused(server.port, key, **options)
    said = line(server, code=code)
    assert said["app"] == app and said["reason"] and said["key"] == f"{key[:4]}…"
    assert said.get("origin") == options.get("origin")


def test_a_disabled_chat_application_is_named(server):
    """SO-148: as with Pusher."""
    with pytest.raises(Farewell):
        ChatSession(server.port, "no token of ours", app_key="chat-key").connect()
    said = line(server, code="31008")
    assert said["app"] == "chat-key" and said["service"] == "chat" and said["reason"] == "The application is disabled."


def test_a_limit_is_the_servers_matter(server, started):
    started(PusherSocket, server.port, key="open-key")
    refused(server.port, "open-key")
    said = line(server, code="4004")
    assert said["level"] == "warning" and "limit of connections" in said["reason"] and said["app"] == "1"


def test_a_refused_request_says_why_and_no_secret(server):
    with pytest.raises(urllib.error.HTTPError):
        urllib.request.urlopen(
            f"http://127.0.0.1:{server.port}/apps/1/channels?auth_key=open-key&auth_timestamp=1&auth_version=1.0&auth_signature=00", timeout=30)
    said = line(server, "request refused", status="401")
    assert said["level"] == "notice" and said["reason"] and said["address"] == "127.0.0.1"
    assert "secret-of-this-test" not in "\n".join(server.errors)


def test_a_refused_request_has_its_origin_and_its_bytes(server):
    """SO-174: as an ended connection has."""
    request = urllib.request.Request(f"http://127.0.0.1:{server.port}/apps/1/channels", headers={"Origin": "https://app.example"})
    with pytest.raises(urllib.error.HTTPError):
        urllib.request.urlopen(request, timeout=30)
    said = line(server, "request refused", status="401")
    assert said["origin"] == "https://app.example" and int(said["received_bytes"]) > len("GET /apps/1/channels HTTP/1.1")


def fetch(server, path):
    """A request that is refused."""
    with pytest.raises(urllib.error.HTTPError):
        urllib.request.urlopen(f"http://127.0.0.1:{server.port}{path}", timeout=30)


def test_a_wrong_signature_of_pusher_shows_what_was_signed(server):
    """SO-150: the text alone."""
    assert rest(server.port, "GET", "/apps/1/channels?filter_by_prefix=a-b&mine=private", key="open-key", secret="typed-secret-of-this-test", timestamp=None)[0] in (400, 401)
    said = line(server, "request refused", status="401", app="1")
    assert said["service"] == "pusher" and said["level"] == "notice" and said["reason"].startswith("auth_signature is wrong.")
    assert re.fullmatch(r"GET /apps/1/channels auth_key=open-key&auth_timestamp=\d+&auth_version=1\.0&filter_by_prefix=a-b&mine=…", said["signed"])
    assert "secret-of-this-test" not in "\n".join(server.errors) and "private" not in said["signed"]


def test_an_application_that_is_not_there_is_named_by_its_beginning(server):
    """SO-150: a path that names an application is not one that scanners ask for."""
    assert rest(server.port, "GET", "/apps/1234567/channels")[0] == 404
    said = line(server, "request refused", status="404")
    assert said["level"] == "notice" and said["named"] == "1234…" and "app" not in said and said["service"] == "pusher"
    fetch(server, "/v2/subscribe/nobodys-key/c/0?tt=0&uuid=u")
    said = line(server, "request refused", service="pubnub")
    assert said["named"] == "nobo…" and said["reason"] == "Invalid Subscribe Key"
    # A scanner's.
    fetch(server, "/wp-login.php")
    assert [each for each in lines(server, "request refused") if each["level"] != "debug" and each.get("route") == "other"] == []


def test_a_request_that_is_refused_before_it_is_read_is_named(server):
    """SO-150: what is known without its body, which is too large."""
    body = {"name": "e", "channels": ["c"], "data": "x" * 300_000}
    assert rest(server.port, "POST", "/apps/1/events", body, key="open-key", secret="secret-of-this-test")[0] == 413
    said = line(server, "request refused", status="413")
    assert (said["service"], said["app"], said["reason"]) == ("pusher", "1", "The request body is larger than 262144 bytes.")


@pytest.mark.parametrize("path, reason", [
    ("/v2/subscribe/sub-key/c/0?tt=0&uuid=u", "The request has neither a token nor a signature."),
    ("/publish/pub-key/sub-key/0/c/0/%22words%22?uuid=u&auth=token-of-elsewhere", "The auth key has no grant for the requested resource, or the token is not one of this keyset.")])
def test_why_pubnubs_clients_are_refused(server, path, reason):
    """SO-150: the client gets "Forbidden" where access is refused."""
    fetch(server, path)
    said = line(server, "request refused", service="pubnub")
    assert (said["app"], said["reason"], said["level"]) == ("sub-key", reason, "notice")
    written = "\n".join(server.errors)
    assert "token-of-elsewhere" not in written and "words" not in written


def test_a_wrong_publish_key_has_its_sentence(started):
    """SO-150: the answer to a publish is a list."""
    server = started(Server, 0, "--log-format", "json")
    fetch(server, "/publish/other-key/demo/0/c/0/%22words%22?uuid=u")
    said = line(server, "request refused", service="pubnub")
    assert (said["app"], said["reason"]) == ("demo", "Invalid Key") and "words" not in "\n".join(server.errors)


def test_a_wrong_signature_of_pubnub_shows_what_was_signed(server):
    """SO-150: without values that may be anything."""
    fetch(server, f"/v2/auth/grant/sub-key/sub-key?timestamp={int(time.time())}&channel=private-words&r=1&signature=v2.wrong")
    said = line(server, "request refused", status="403", app="sub-key")
    assert re.fullmatch(r"GET pub-… /v2/auth/grant/sub-key/sub-key channel=X&r=X&timestamp=\d+ and a body of 0 bytes", said["signed"])
    assert "private-words" not in "\n".join(server.errors) and "v2.wrong" not in "\n".join(server.errors)


def test_a_wrong_signature_of_chat_shows_what_was_signed(server):
    """SO-150: nonce and time, and the sentence without the JSON around it."""
    api = ServerAPI(server.port, key="chat-key", secret="typed-secret-of-this-test")
    headers = api.headers(nonce="nonce-1")
    assert api.call("open-channel/create", {"channelId": "c"}, headers=headers)[0] == 401
    said = line(server, "request refused", service="chat")
    assert said["app"] == "chat-key" and said["reason"].startswith("The signature is wrong: send SHA1(secret + Nonce + Timestamp)")
    assert said["signed"] == f"the secret, then nonce-1{headers['Timestamp']}" and "secret-of-this-test" not in "\n".join(server.errors)


def test_an_error_on_a_connection_that_goes_on_is_logged(server, started):
    """SO-151: with what the backend should have signed."""
    client = started(PusherSocket, server.port, key="open-key", secret="secret-of-this-test")
    socket_id = client.socket_id
    client.send("pusher:subscribe", {"channel": "presence-room", "auth": "open-key:" + 64 * "0", "channel_data": '{"user_id":"private-words"}'})
    said = line(server, "error sent to the client", code="4009")
    assert (said["level"], said["app"], said["service"], said["channel"]) == ("notice", "1", "pusher", "presence-room")
    assert said["reason"] == "The subscription is not authorized." and said["signed"] == f"{socket_id}:presence-room:channel_data"
    client.send("client-typing", {"x": "private-words"}, channel="private-room")
    line(server, "error sent to the client", code="4301")
    assert "private-words" not in "\n".join(server.errors)


def test_a_chat_frame_that_cannot_be_read_is_logged(started):
    """SO-173: a frame without a member, and one that is not JSON; the session goes on."""
    server = started(Server, 0, "--log-format", "json")
    session = ChatSession(server.port, ServerAPI(server.port).token("ann"))
    session.connect()
    session.send(json.dumps({"t": "send", "n": 7, "cid": "c", "content": "private-words"}))
    session.send("private-words")
    session.say("ben", "hello")
    said = line(server, "error sent to the client", service="chat")
    assert (said["level"], said["app"], said["user"], said["address"]) == ("notice", "app-key", "ann", "127.0.0.1")
    assert said["code"] == "33003" and said["reason"] and said["session"]
    wait_until(lambda: len(lines(server, "error sent to the client")) == 2, 30, "the second line")
    assert "private-words" not in "\n".join(server.errors)
    session.drop()


def test_what_repeats_is_counted_instead_of_written(server):
    for _ in range(200):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{server.port}/apps/1/channels", timeout=30)
        except urllib.error.HTTPError:
            pass
    written = lines(server, "request refused")
    # Each event loop has its own burst; far fewer than 200 whatever the number of loops that a test machine has.
    assert 0 < len(written) < 180, len(written)


def test_an_ordinary_goodbye_is_a_line_for_debugging_only(started):
    quiet, wordy = started(Server, 0, "--log-format", "json"), started(Server, 0, "--log-format", "json", "--log-level", "debug")
    for server in (quiet, wordy):
        PusherSocket(server.port).kill()
    said = line(wordy)
    assert said["level"] == "debug" and int(said["received_bytes"]) >= 0 and int(said["seconds"]) >= 0
    assert lines(quiet) == []


def test_the_metric_counts_codes(server):
    refused(server.port, "nobody")
    line(server, code="4001")

    def counted():
        with urllib.request.urlopen(f"http://127.0.0.1:{server.port}/metrics", timeout=30) as answer:
            return 'lifeline_connections_closed_total{service="pusher",code="4001"} 1' in answer.read().decode()

    wait_until(counted, 30, "the metric")
