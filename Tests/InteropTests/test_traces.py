"""Rules SO-97 and SO-98: spans of requests that belong to a trace, as a collector gets them over OTLP."""

import http.client
import http.server
import json
import subprocess
import threading

import pytest
from lifeline_harness import Server, lifeline, wait_until

TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
SAMPLED = {"traceparent": f"00-{TRACE}-{PARENT}-01"}


class Collector(http.server.BaseHTTPRequestHandler):
    """Takes what is sent to `/v1/traces`."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        self.server.requests.append((self.path, self.headers["content-type"], body))
        self.send_response(self.server.status)
        self.send_header("content-length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_):
        pass


@pytest.fixture
def collector():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Collector)
    server.requests, server.status = [], 200
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()


def spans(collector):
    found = []
    for path, kind, body in list(collector.requests):
        assert (path, kind) == ("/v1/traces", "application/json")
        for resource in json.loads(body)["resourceSpans"]:
            assert {"key": "service.name", "value": {"stringValue": "lifeline"}} in resource["resource"]["attributes"]
            for scope in resource["scopeSpans"]:
                found += scope["spans"]
    return found


def attributes(span):
    return {each["key"]: next(iter(each["value"].values())) for each in span["attributes"]}


def get(server, path, headers):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status


def test_requests_of_a_trace_have_spans_and_others_have_none(started, collector):
    server = started(Server, 0, "--traces-endpoint", f"http://127.0.0.1:{collector.server_address[1]}")
    assert get(server, "/time/0", SAMPLED) == 200
    assert get(server, "/apps/1001/channels?auth_key=secret-of-nobody", SAMPLED) == 401
    assert get(server, "/time/0", {"traceparent": f"00-{TRACE}-{PARENT}-00"}) == 200
    assert get(server, "/time/0", {"traceparent": "00-nonsense"}) == 200
    assert get(server, "/time/0", {}) == 200
    wait_until(lambda: len(spans(collector)) >= 2, 20, "two spans")
    # A server that stops sends what is left.
    assert get(server, "/publish/demo/demo/0/room/0/%22private%22", SAMPLED) == 200
    assert server.end() == 0
    found = spans(collector)
    assert [span["traceId"] for span in found] == [TRACE] * 3 and [span["parentSpanId"] for span in found] == [PARENT] * 3
    assert len({span["spanId"] for span in found}) == 3
    assert [attributes(span)["http.response.status_code"] for span in found] == ["200", "401", "200"]
    assert all(span["kind"] == 2 and span["name"] == "GET " + attributes(span)["http.route"] for span in found)
    assert all(0 < int(span["startTimeUnixNano"]) <= int(span["endTimeUnixNano"]) for span in found)
    text = b"".join(body for _, _, body in collector.requests)
    assert b"secret-of-nobody" not in text and b"private" not in text and b"room" not in text


def test_a_collector_that_refuses_is_told_in_the_log_once(started, collector):
    collector.status = 503
    server = started(Server, 0, "--traces-endpoint", f"http://127.0.0.1:{collector.server_address[1]}/v1/traces/")
    for count in (1, 2):
        assert get(server, "/time/0", SAMPLED) == 200
        wait_until(lambda: len(collector.requests) >= count, 20, f"{count} requests of the exporter")
    assert get(server, "/time/0", {}) == 200
    assert server.end() == 0
    assert "\n".join(server.errors).count("spans cannot be exported") == 1


def test_an_address_that_cannot_be_used_is_refused():
    for address in ("127.0.0.1:4318", "ftp://host", "http://", "http://user:word@host", "http://host?x=1"):
        run = subprocess.run([lifeline(), "serve", "--check", "--traces-endpoint", address], capture_output=True, text=True, timeout=60)
        assert run.returncode == 2 and "--traces-endpoint" in run.stderr and "http://127.0.0.1:4318" in run.stderr
