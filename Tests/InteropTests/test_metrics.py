"""What `/metrics` of `lifeline serve` tells, read by the parser of Prometheus' own library (rules ME-1 to ME-5)."""

import re
from pathlib import Path

import pytest
from lifeline_harness import APP_ID, rest, wait_until
from prometheus_client.parser import text_string_to_metric_families
from pusher_client import PusherSocket

DOCUMENT = Path(__file__).parents[2] / "docs" / "metrics.md"


def families(server):
    status, text = server.get("/metrics")
    assert status == 200
    found = list(text_string_to_metric_families(text))
    assert len({family.name for family in found}) == len(found)
    return {family.name: family for family in found}


def value(found, name, **labels):
    family = found[name.removesuffix("_total")]
    return next((s.value for s in family.samples if s.name == name and s.labels == labels), None)


@pytest.fixture
def client(server):
    client = PusherSocket(server.port)
    yield client
    client.drop()


# Proof of G9.
def test_every_family_is_documented_and_the_other_way_round(server, client):
    known = dict(re.findall(r"^\| `(lifeline_\w+)` \| (\w+) \|", DOCUMENT.read_text(), re.MULTILINE))
    client.send("client-e", {}, "private-nowhere")
    status, _ = rest(server.port, "POST", f"/apps/{APP_ID}/events", {"name": "e", "channel": "c", "data": "d"})
    assert status == 200
    rest(server.port, "GET", "/nowhere")
    refused = PusherSocket(server.port, key="nobody", greeted=False)

    def missing():
        """What is documented and not told. What needs a bridge, a webhook, TLS, a data directory, an admin port or a Redis is not there
        without, and `lifeline_client_` is what clients measure."""
        found = families(server)
        absent = (name for name in known if name.removesuffix("_total") not in found)
        return [name for name in absent if not any(word in name for word in ("bridge", "webhook", "certificate", "redis", "cluster", "store_", "runtime_applications", "lifeline_client_"))]

    # Counted on the loop of the connection, whenever that has its turn.
    wait_until(lambda: not missing(), 30, lambda: f"all that is documented; without {missing()}")
    refused.drop()
    found = families(server)
    for name, family in found.items():
        full = name + "_total" if family.type == "counter" else name
        assert known.get(full) == family.type, f"{full} is a {family.type}"
        assert family.documentation


def test_numbers_move_with_what_happens(server, client):
    labels = {"service": "pusher", "app": APP_ID}
    before = families(server)
    for n in range(3):
        rest(server.port, "POST", f"/apps/{APP_ID}/events", {"name": "e", "channel": f"c{n}", "data": "d"})
    other = PusherSocket(server.port)

    def grown():
        after = families(server)
        return [
            (value(after, name, **at) or 0) - (value(before, name, **at) or 0) for name, at in (
                ("lifeline_connections", labels), ("lifeline_connections_accepted_total", labels),
                ("lifeline_events_published_total", labels), ("lifeline_http_requests_total", {"route": "publish", "status": "2xx"}))]

    # Each is counted on a loop of its own.
    wait_until(lambda: grown() == [1, 1, 3, 3], 30, lambda: f"a connection and three events more; {grown()}")
    other.drop()
    wait_until(lambda: grown() == [0, 1, 3, 3], 30, lambda: f"a connection less; {grown()}")
    after = families(server)
    for name in ("lifeline_process_resident_bytes", "lifeline_process_open_files", "lifeline_process_open_files_limit"):
        assert value(after, name) > 0
    assert 0 <= value(after, "lifeline_uptime_seconds") < 3600


# Proof of ME-2.
def test_what_clients_choose_is_no_label(server, client):
    client.subscribe("a-channel-of-a-client")
    for path in ("/a-path-of-a-client", "/apps/a-path-of-a-client/channels", "/app/a-path-of-a-client"):
        server_status, _ = rest(server.port, "GET", path)
        assert server_status >= 400
    text = server.get("/metrics")[1]
    assert "of-a-client" not in text
