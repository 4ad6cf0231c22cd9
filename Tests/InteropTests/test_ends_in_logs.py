"""What the log of `lifeline serve` says when a client is refused or cut, and how much of it (rules SO-116 and SO-117)."""

import json
import urllib.error
import urllib.request

import pytest
from lifeline_harness import Server, wait_until
from nexconn_client import ChatSession, Farewell
from pusher_client import PusherSocket

ORIGINS = {"apps": [{"id": "1", "key": "open-key", "secret": "secret-of-this-test", "limits": {"connections": 1}},
                    {"id": "2", "key": "page-key", "secret": "other-secret-of-this-test", "allowedOrigins": ["https://app.example"]},
                    {"id": "3", "key": "off-key", "secret": "third-secret-of-this-test", "enabled": False},
                    {"id": "4", "key": "tls-key", "secret": "fourth-secret-of-this-test", "requireTLS": True}],
           "nexconn": {"key": "chat-key", "secret": "chat-secret-of-this-test", "enabled": False}}


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
