"""The HTTP API of `lifeline serve` at its edges, over plain sockets (rules SV-5 to SV-11, SR-1 to SR-21; hazards 6 and 7)."""

import gzip
import hashlib
import hmac
import http.server
import json
import socket
import threading
import time
import urllib.parse

import pusher
import pytest
from lifeline_harness import APP_ID, KEY, SECRET, Server, wait_until
from pusher_client import PusherSocket

EVENTS, BATCH, CHANNELS = (f"/apps/{APP_ID}/{call}" for call in ("events", "batch_events", "channels"))


def signed(method, path, body=b"", extra=(), secret=SECRET, change=None, at=None):
    """The parameters of a signed request in order; `change` sees them before they are signed."""
    pairs = [("auth_key", KEY), ("auth_timestamp", str(int(time.time()) if at is None else at)), ("auth_version", "1.0"), *extra]
    if body:
        pairs.append(("body_md5", hashlib.md5(body).hexdigest()))
    pairs = change(pairs) if change else pairs
    lower = sorted(((name.lower(), value) for name, value in pairs), key=lambda pair: pair[0])
    text = f"{method}\n{path}\n" + "&".join(f"{name}={value}" for name, value in lower)
    return pairs + [("auth_signature", hmac.new(secret.encode(), text.encode(), hashlib.sha256).hexdigest())]


def escaped(pairs):
    return "&".join(f"{urllib.parse.quote(name, safe='[]')}={urllib.parse.quote(value, safe='')}" for name, value in pairs)


class Wire:
    """One connection; writes bytes as they are and reads whole answers."""

    def __init__(self, port):
        self.socket, self.unread = socket.create_connection(("127.0.0.1", port), timeout=30), b""

    def send(self, text):
        self.socket.sendall(text if isinstance(text, bytes) else text.encode())

    def more(self):
        piece = self.socket.recv(65_536)
        self.unread += piece
        return piece

    def answer(self, to_head=False):
        """Status, header fields and body of the next answer; None when there is none any more."""
        while b"\r\n\r\n" not in self.unread:
            try:
                if not self.more():
                    return None
            except ConnectionResetError:
                return None
        head, _, self.unread = self.unread.partition(b"\r\n\r\n")
        first, *lines = head.decode().split("\r\n")
        fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        status = int(first.split()[1])
        length = 0 if to_head or status in (100, 204) else int(fields["content-length"])
        while len(self.unread) < length:
            assert self.more(), "the answer is cut off"
        body, self.unread = self.unread[:length], self.unread[length:]
        return status, fields, body.decode()

    def further_answers(self):
        """The statuses of all other answers; without waiting until the server no longer listens to what it has refused."""
        self.socket.shutdown(socket.SHUT_WR)
        statuses = []
        while (answer := self.answer()) is not None:
            statuses.append(answer[0])
        return statuses

    def ask(self, method, path, body=b"", extra=(), fields=(), pairs=None):
        """A signed request; status and body of its answer."""
        body = body if isinstance(body, bytes) else json.dumps(body).encode()
        query = escaped(signed(method, path, body, extra) if pairs is None else pairs)
        lines = [f"{method} {path}?{query} HTTP/1.1", "Host: x", *fields] + ([f"Content-Length: {len(body)}"] if body else [])
        self.send("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
        status, _, text = self.answer()
        return status, text

    def kill(self):
        """For the fixture that ends what was started."""
        self.socket.close()


@pytest.fixture(scope="module")
def server():
    server = Server()
    yield server
    server.kill()


@pytest.fixture
def wire(server, started):
    return started(Wire, server.port)


def event(**fields):
    return {"name": "e", "channel": "room", "data": "d", **fields}


# Authentication


def test_each_parameter_is_needed_and_each_wrong_one_is_named(wire):
    def without(name):
        return lambda pairs: [pair for pair in pairs if pair[0] != name]

    def instead(name, value):
        return lambda pairs: [(n, value if n == name else v) for n, v in pairs]

    body, now = json.dumps(event()).encode(), int(time.time())
    for name in ("auth_key", "auth_timestamp", "auth_version", "body_md5"):
        status, text = wire.ask("POST", EVENTS, body, pairs=signed("POST", EVENTS, body, change=without(name)))
        assert status == 401 and name in text, (name, status, text)
        status, text = wire.ask("POST", EVENTS, body, pairs=signed("POST", EVENTS, body, change=instead(name, "")))
        assert status == 401, (name, status, text)
    status, text = wire.ask("POST", EVENTS, body, pairs=without("auth_signature")(signed("POST", EVENTS, body)))
    assert status == 401 and "auth_signature" in text
    for value in ("1", "1.00", "2.0", "1.0 "):
        assert wire.ask("POST", EVENTS, body, pairs=signed("POST", EVENTS, body, change=instead("auth_version", value)))[0] == 401
    for value in ("now", "1.5e9", f"{now}.0", str(now * 1000), str(-now), "9" * 30, "0x10", f" {now}", str(now - 700), str(now + 700)):
        status, text = wire.ask("POST", EVENTS, body, pairs=signed("POST", EVENTS, body, at=value))
        assert status == 401 and SECRET not in text and KEY not in text, (value, status, text)
    for offset in (-580, 0, 580):
        assert wire.ask("POST", EVENTS, body, pairs=signed("POST", EVENTS, body, at=now + offset)) == (200, "{}")


def test_the_md5_of_a_body_and_of_none(wire):
    body = json.dumps(event()).encode()
    upper = signed("POST", EVENTS, body, change=lambda pairs: [(n, v.upper() if n == "body_md5" else v) for n, v in pairs])
    assert wire.ask("POST", EVENTS, body, pairs=upper)[0] == 200
    nothing = hashlib.md5(b"").hexdigest()
    assert wire.ask("GET", CHANNELS, extra=[("body_md5", nothing)])[0] == 200
    assert wire.ask("GET", CHANNELS, extra=[("body_md5", nothing[::-1])])[0] == 401
    terminate = f"/apps/{APP_ID}/users/nobody/terminate_connections"
    assert wire.ask("POST", terminate) == (200, "{}")
    assert wire.ask("POST", terminate, {}) == (200, "{}")


def test_names_of_parameters_count_in_any_case_and_come_once(wire):
    body = json.dumps(event()).encode()
    assert wire.ask("POST", EVENTS, body, pairs=[(n.upper(), v) for n, v in signed("POST", EVENTS, body)])[0] == 200
    pairs = signed("POST", EVENTS, body)
    for name, value in pairs:
        for other in (name, name.upper()):
            assert wire.ask("POST", EVENTS, body, pairs=pairs + [(other, value)])[0] == 400, (name, other)
    assert wire.ask("POST", EVENTS, body, pairs=pairs[::-1])[0] == 200


def test_whose_key_it_is(started, tmp_path):
    config = tmp_path / "lifeline.json"
    config.write_text(json.dumps({"apps": [
        {"id": APP_ID, "key": KEY, "secret": SECRET}, {"id": "2", "key": "k2", "secret": SECRET},
        {"id": "3", "key": "k3", "secret": SECRET, "enabled": False}]}))
    wire = started(Wire, started(Server, 0, "--config", str(config)).port)
    for app, status in ((APP_ID, 200), ("2", 401), ("3", 403), ("4", 404), ("", 404), ("%31001", 200), (APP_ID + "%2F", 404)):
        path = f"/apps/{app}/channels"
        assert wire.ask("GET", path)[0] == status, app
    assert wire.ask("POST", "/users/u/terminate_connections", {}) == (200, "{}")
    nobody = [(n, "nobody" if n == "auth_key" else v) for n, v in signed("POST", "/users/u/terminate_connections")]
    assert wire.ask("POST", "/users/u/terminate_connections", pairs=nobody)[0] == 401


def test_parameters_are_signed_as_they_are_and_escaped_as_they_must(wire, server, started):
    subscriber = started(PusherSocket, server.port)
    subscriber.subscribe("a=b@c,d.e;f_g-h")
    data = 'a&b=c+d %20 "é" €\n/?#[]'
    extra = [("name", "Ereignis / é"), ("channels[]", "room"), ("channels[]", "a=b@c,d.e;f_g-h"), ("data", data)]
    assert wire.ask("POST", EVENTS, extra=extra) == (200, "{}")
    message = subscriber.skip_to("Ereignis / é")
    assert message["data"] == data
    # A blank may be a plus in a query.
    query = escaped(signed("POST", EVENTS, extra=[("name", "a b"), ("channel", "a=b@c,d.e;f_g-h"), ("data", "c d")]))
    wire.send(f"POST {EVENTS}?{query.replace('%20', '+')} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n")
    assert wire.answer()[0] == 200
    assert subscriber.skip_to("a b")["data"] == "c d"
    # In a path it is a plus, which no channel has; what is escaped in a path is one part of it.
    for name, status in (("a%3Db%40c%2Cd.e%3Bf_g-h", 200), ("a+b", 400), ("a%2Fb", 400), ("a%2Fusers", 400), ("", 400), ("%00", 400)):
        assert wire.ask("GET", f"{CHANNELS}/{name}")[0] == status, name
    assert json.loads(wire.ask("GET", f"{CHANNELS}/a%3Db%40c%2Cd.e%3Bf_g-h")[1]) == {"occupied": True}


# Publishing


# Proof of SV-11, SR-67.
@pytest.mark.parametrize("body, status", [
    (event(data="x" * 10_240), 200), (event(data="x" * 10_241), 413), (event(data="é" * 5_120), 200), (event(data="é" * 5_121), 413),
    (event(data="€" * 3_413), 200), (event(data="€" * 3_414), 413), (event(data="\0" * 10_240), 200), (event(data="😀" * 2_560), 200),
    (event(data=""), 200), (event(data=None), 400), (event(data=1), 400), (event(data={}), 400), (event(data=[]), 400),
    (event(name="n" * 200), 200), (event(name="n" * 201), 400), (event(name="é" * 101), 400), (event(name=""), 400), (event(name=7), 400),
    (event(channel="c" * 164), 200), (event(channel="c" * 165), 400), (event(channel=""), 400),
    (event(channel="#server-to-user-" + "é" * 64), 200), (event(channel="#server-to-user-" + "é" * 65), 400), (event(channel=["room"]), 400),
    (event(channel="#other"), 400), (event(channel="#server-to-user-u1"), 200), (event(channel="private-encrypted-a"), 200),
    (event(channels="room"), 400), (event(channels=[]), 400), (event(channels=[7]), 400), (event(channels=["room", None]), 400),
    (event(channels=[f"c{n}" for n in range(100)]), 200), (event(channels=[f"c{n}" for n in range(101)]), 400),
    (event(channels=["room", "private-encrypted-a"]), 400), (event(channels=["room"] * 100), 200),
    (event(socket_id="1.1"), 200), (event(socket_id="9" * 31 + "." + "9" * 31), 200), (event(socket_id=None), 200),
    (event(socket_id=""), 400), (event(socket_id="1"), 400), (event(socket_id="1."), 400), (event(socket_id="1.1.1"), 400),
    (event(socket_id="1.1\n"), 400), (event(socket_id=" 1.1"), 400), (event(socket_id="a.1"), 400), (event(socket_id="-1.1"), 400),
    (event(socket_id=1.1), 400), (event(socket_id="١.١"), 400), (event(info=""), 200), (event(info="user_count,subscription_count"), 200),
    (event(info="cache"), 400), (event(info="user"), 400), (event(info=["user_count"]), 400), (event(unknown={"a": [1]}), 200),
    ([], 400), ("text", 400), (None, 400), (7, 400), ({}, 400), ([event()], 400)], ids=lambda value: str(value)[:40])
def test_limits_and_forms_of_an_event(wire, body, status):
    got, text = wire.ask("POST", EVENTS, json.dumps(body, ensure_ascii=False).encode())
    assert got == status, text
    assert text.startswith("{") if got == 200 else text.endswith("\n"), text
    # As one of a batch it is the same, as far as it may be.
    if isinstance(body, dict) and "channels" not in body and body.get("name") and body.get("channel"):
        assert wire.ask("POST", BATCH, json.dumps({"batch": [event(), body]}).encode())[0] == status


# Proof of SR-68.
@pytest.mark.parametrize("body", [
    b"{", b'{"name":"e","channel":"room","data":"d"}x', b'{"name":"e","channel":"room","data":"d",}', b"\xff\xfe{}", b"null", b" ",
    b'{"name":"e","channel":"room","data":"\xff"}', b'{"name":"e","channel":"room","data":"\xed\xa0\x80"}', b"{'name':'e'}",
    b"name=e&channel=room&data=d", b"[" * 100_000, gzip.compress(json.dumps(event()).encode(), mtime=0)], ids=lambda body: str(body[:24]))
def test_what_is_no_json_is_refused(wire, body):
    for path in (EVENTS, BATCH):
        status, text = wire.ask("POST", path, body, fields=["Content-Type: application/json"])
        assert status == 400 and text.endswith(".\n"), text
    assert wire.ask("POST", EVENTS, event()) == (200, "{}")


def test_the_content_type_does_not_matter(wire):
    for kind in ("application/json; charset=utf-8", "text/plain", "application/x-www-form-urlencoded", "", "*/*"):
        assert wire.ask("POST", EVENTS, event(), fields=[f"Content-Type: {kind}"]) == (200, "{}")


def test_a_batch_is_as_large_as_its_events_and_all_or_nothing(wire, server, started):
    subscriber = started(PusherSocket, server.port)
    subscriber.subscribe("room")
    assert wire.ask("POST", BATCH, {"batch": []}) == (200, "{}")
    # Libraries escape what is not ASCII: up to six bytes for one.
    for data in ("x" * 10_240, "д" * 5_120, "😀" * 2_560, "\x01" * 10_240):
        assert wire.ask("POST", BATCH, {"batch": [event(name=f"n{n}", data=data) for n in range(10)]}) == (200, "{}")
        for n in range(10):
            assert subscriber.skip_to(f"n{n}")["data"] == data
    assert wire.ask("POST", EVENTS, event(padding="x" * 262_144))[0] == 413
    wire = started(Wire, server.port)
    good = event(name="never")
    for batch, status in (
            ([good] * 11, 400), ([good] * 9 + [event(data="x" * 10_241)], 413), ([good, event(channel="a b")], 400), ([good, 7], 400),
            ([good, {"name": "e", "data": "d"}], 400), ([good, {"name": "e", "data": "d", "channels": ["room"]}], 400),
            ({"0": good}, 400), (None, 400), ("x", 400)):
        assert wire.ask("POST", BATCH, {"batch": batch})[0] == status, batch
    assert wire.ask("POST", BATCH, [good])[0] == 400
    wire.ask("POST", EVENTS, event(name="last"))
    while (message := subscriber.next())["event"] != "last":
        assert message["event"] != "never"


def test_answers_have_exactly_these_shapes(started):
    server = started(Server)
    wire = started(Wire, server.port)
    subscribers = [started(PusherSocket, server.port) for _ in range(3)]
    for user, subscriber in zip(("7", "7", "ann"), subscribers):
        subscriber.subscribe("presence-room", {"user_id": user})
        subscriber.subscribe("room")
    shapes = [
        ("POST", EVENTS, event(channels=["room", "presence-room", "empty", "room"], info="user_count,subscription_count"),
         '{"channels":{"room":{"subscription_count":3},"presence-room":{"user_count":2,"subscription_count":3},'
         '"empty":{"subscription_count":0}}}'),
        ("POST", BATCH, {"batch": [event(info="subscription_count"), event(), event(channel="presence-x", info="user_count")]},
         '{"batch":[{"subscription_count":3},{},{"user_count":0}]}'),
        ("GET", CHANNELS, {}, '{"channels":{"presence-room":{},"room":{}}}'),
        ("GET", CHANNELS, {"filter_by_prefix": "presence-", "info": "user_count"}, '{"channels":{"presence-room":{"user_count":2}}}'),
        ("GET", CHANNELS, {"filter_by_prefix": "presence-", "info": "user_count,subscription_count"},
         '{"channels":{"presence-room":{"user_count":2,"subscription_count":3}}}'),
        ("GET", CHANNELS, {"filter_by_prefix": "ro", "info": "subscription_count"}, '{"channels":{"room":{"subscription_count":3}}}'),
        ("GET", CHANNELS, {"filter_by_prefix": "ro"}, '{"channels":{"room":{}}}'),
        ("GET", CHANNELS, {"filter_by_prefix": "rooms"}, '{"channels":{}}'),
        ("GET", f"{CHANNELS}/room", {}, '{"occupied":true}'),
        ("GET", f"{CHANNELS}/room", {"info": "subscription_count"}, '{"occupied":true,"subscription_count":3}'),
        ("GET", f"{CHANNELS}/presence-room", {"info": "user_count"}, '{"occupied":true,"user_count":2}'),
        ("GET", f"{CHANNELS}/presence-room", {"info": "subscription_count"}, '{"occupied":true,"subscription_count":3}'),
        ("GET", f"{CHANNELS}/presence-none", {"info": "user_count"}, '{"occupied":false,"user_count":0}'),
        ("GET", f"{CHANNELS}/cache-none", {"info": "cache"}, '{"occupied":false,"cache":null}'),
        ("GET", f"{CHANNELS}/presence-room/users", {}, '{"users":[{"id":"7"},{"id":"ann"}]}'),
        ("GET", f"{CHANNELS}/presence-none/users", {}, '{"users":[]}')]
    for method, path, asked, expected in shapes:
        body, extra = (asked, ()) if method == "POST" else (b"", list(asked.items()))
        assert wire.ask(method, path, body, extra=extra) == (200, expected), (path, asked)
    for path, asked in ((CHANNELS, {"info": "user_count"}), (CHANNELS, {"info": "user_count", "filter_by_prefix": "presence"}),
                        (CHANNELS, {"info": "cache"}), (CHANNELS, {"info": "x"}), (f"{CHANNELS}/room/users", {}),
                        (f"{CHANNELS}/room", {"info": "user_count"}), (f"{CHANNELS}/presence-room", {"info": "cache"})):
        assert wire.ask("GET", path, extra=list(asked.items()))[0] == 400, (path, asked)


# HTTP


def test_methods_and_paths_that_are_not_there(wire):
    for method, path, allowed in (
            ("GET", EVENTS, "POST"), ("DELETE", CHANNELS, "GET, HEAD"), ("POST", CHANNELS, "GET, HEAD"), ("PUT", BATCH, "POST"),
            ("PATCH", f"{CHANNELS}/a/users", "GET, HEAD"), ("HEAD", EVENTS, "POST")):
        wire.send(f"{method} {path} HTTP/1.1\r\nHost: x\r\n\r\n")
        status, fields, _ = wire.answer(to_head=method == "HEAD")
        assert (status, fields.get("allow")) == (405, allowed + ", OPTIONS"), (method, path)
    for path in (EVENTS + "/", "/" + EVENTS, "/apps//1001/events", f"/apps/{APP_ID}", "/apps", "/APPS/1001/events", EVENTS + "/x",
                 f"/apps/{APP_ID}/Events", EVENTS.replace("/events", "%2Fevents"), f"{CHANNELS}/a/b/c", "/users/u", "//", "/apps/."):
        assert wire.ask("POST", path, event())[0] == 404, path


def test_head_and_preflight_requests(started):
    wire = started(Wire, started(Server).port)
    query = escaped(signed("HEAD", CHANNELS))
    wire.send(f"HEAD {CHANNELS}?{query} HTTP/1.1\r\nHost: x\r\n\r\n")
    status, fields, _ = wire.answer(to_head=True)
    assert (status, fields["content-length"]) == (200, str(len('{"channels":{}}')))
    page = "Origin: https://a.example\r\nAccess-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: content-type"
    wire.send(f"OPTIONS {EVENTS} HTTP/1.1\r\nHost: x\r\n{page}\r\n\r\n")
    status, fields, _ = wire.answer()
    assert status == 204 and "content-length" not in fields and "POST" in fields["access-control-allow-methods"]
    assert fields["access-control-allow-origin"] == "*" and "*" in fields["access-control-allow-headers"]
    assert wire.ask("POST", EVENTS, event(), fields=["Origin: https://a.example"]) == (200, "{}")


def test_bodies_in_chunks_with_100_continue_and_one_behind_the_other(wire, server, started):
    subscriber = started(PusherSocket, server.port)
    subscriber.subscribe("room")
    body = json.dumps(event(name="chunked", data="x" * 5_000)).encode()
    query = escaped(signed("POST", EVENTS, body))
    wire.send(f"POST {EVENTS}?{query} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n")
    assert wire.answer()[0] == 100
    for start in range(0, len(body), 1_000):
        piece = body[start:start + 1_000]
        wire.send(f"{len(piece):X};a=b\r\n".encode() + piece + b"\r\n")
    wire.send("0\r\nTrailer: x\r\n\r\n")
    assert wire.answer()[0] == 200
    subscriber.skip_to("chunked")
    requests = b""
    for n in range(50):
        body = json.dumps(event(name=f"n{n}")).encode()
        requests += (f"POST {EVENTS}?{escaped(signed('POST', EVENTS, body))} HTTP/1.1\r\nHost: x\r\n"
                     f"Content-Length: {len(body)}\r\n\r\n").encode() + body + b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n"
    for start in range(0, len(requests), 777):
        wire.send(requests[start:start + 777])
    for n in range(50):
        assert wire.answer()[2] == "{}" and wire.answer()[2] == '{"status":"ok"}'
        assert subscriber.skip_to(f"n{n}")["data"] == "d"
    wire.send("GET /health HTTP/1.0\r\n\r\n")
    assert wire.answer()[1]["connection"] == "close" and wire.answer() is None


HIDDEN = "GET /health HTTP/1.1\r\nHost: x\r\n\r\n"


@pytest.mark.parametrize("fields", [
    "Content-Length: 0\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked\r\nContent-Length: 0",
    f"Content-Length: 0\r\nContent-Length: {len(HIDDEN)}", "Content-Length: 0, 5", "Content-Length: +0", "Content-Length: -1",
    "Content-Length: 0x0", "Content-Length: 99999999999999999999", "Content-Length : 0", "Transfer-Encoding: gzip",
    "Transfer-Encoding: chunked, identity", "Transfer-Encoding : chunked", "Transfer-Encoding: xchunked", "Transfer-Encoding: \x0bchunked",
    "Transfer-Encoding: gzip, chunked", "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked", "Transfer-Encoding: identity",
    "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked, chunked", "Transfer-Encoding:",
    "Transfer-Encoding: ,chunked", "Transfer-Encoding: chunked;q=1", "Transfer-Encoding:\r\n chunked", "Transfer-Encoding: chun\u212aed",
    "Content-Length:\r\n 0", "Content-Length: 0\r\nX: a\r\n b", "Content-Length: 0\r\nX: a\nY: b", "Content-Length: 0\nX: a",
    "Content-Length: 0\r\nX\t: a", "Content-Length: 0, 0", "Content-Length: 0\r\nContent-Length: 0", "Content-Length:",
    "X: a\rContent-Length: 0", "X: a\0b", "X\0: a", ": a", "X: a\x7fb\x00"], ids=repr)
def test_a_length_that_can_be_read_in_two_ways_hides_no_request(started, server, fields):
    """Whatever is unclear is refused, and what stands behind it is not taken for a request."""
    wire = started(Wire, server.port)
    wire.send(f"POST {EVENTS} HTTP/1.1\r\nHost: x\r\n{fields}\r\n\r\n0\r\n\r\n{HIDDEN}")
    status, answered, _ = wire.answer()
    assert 400 <= status < 500 and status not in (401, 404), status
    assert answered["connection"] == "close" and wire.further_answers() == []


HOSTS = ["", "Host: x\r\nHost: y", "Host: x\r\nHost: x", "Host: x\r\nhost: y", "Host: x y", "Host: x, y", "Host: x,y", "Host: x/y", "Host: u@x",
         "Host: x\u212a", "Host: x?y", "Host: x\\y", 'Host: "x"']


@pytest.mark.parametrize("fields", HOSTS, ids=repr)
@pytest.mark.parametrize("line", ["GET /health HTTP/1.1", "HEAD /health HTTP/1.1", f"POST {EVENTS} HTTP/1.1\r\nContent-Length: 0",
                                  "GET /time/0 HTTP/1.1", "GET /%zz HTTP/1.1", "GET /v4/x HTTP/1.1",
                                  "GET /app/app-key HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                                  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="], ids=lambda line: line[:24])
def test_a_request_without_exactly_one_host_is_refused(started, server, line, fields):
    """Rule SV-47, whichever parser reads the request, whatever it asks for, and also behind a request that is in order."""
    for before in ("", HIDDEN):
        wire = started(Wire, server.port)
        wire.send(before + line + "\r\n" + (fields + "\r\n" if fields else "") + "\r\n" + HIDDEN)
        if before:
            assert wire.answer()[0] == 200
        status, answered, _ = wire.answer(to_head=line.startswith("HEAD"))
        assert (status, answered["connection"]) == (400, "close") and wire.further_answers() == []


@pytest.mark.parametrize("text, status", [
    ("GET /health HTTP/1.1\r\nHost:\r\n", 200), ("GET /health HTTP/1.1\r\nHOST:x:80 \r\n", 200), ("GET /health HTTP/1.1\r\nHost: [::1]:80\r\n", 200),
    ("GET /health HTTP/1.0\r\n", 200), ("GET /health HTTP/1.0\r\nHost: x\r\nHost: y\r\n", 400),
    (f"POST {EVENTS} HTTP/1.0\r\nTransfer-Encoding: chunked\r\n", 400),
    (f"POST {EVENTS} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: \t Chunked \r\n\r\n0\r\n", 401)], ids=lambda value: repr(value)[:60])
def test_hosts_and_codings_that_are_allowed_and_those_of_older_clients(started, server, text, status):
    wire = started(Wire, server.port)
    wire.send(text + "\r\n")
    assert wire.answer()[0] == status


# Proof of SV-49.
@pytest.mark.parametrize("target, fields", [("x:80", "Host: x:80"), ("/health", "Host: x"), ("x", "Host: x"),
                                            ("x:80", "Host: x:80\r\nContent-Length: 5"), ("x:80", "Host: x:80\r\nConnection: keep-alive")])
def test_no_tunnel_is_opened_and_nothing_behind_it_is_read(started, server, target, fields):
    """Rule SV-49: bytes behind CONNECT would belong to the tunnel, so the connection ends."""
    wire = started(Wire, server.port)
    wire.send(f"CONNECT {target} HTTP/1.1\r\n{fields}\r\n\r\n{HIDDEN}")
    status, answered, _ = wire.answer()
    assert (status, answered["connection"], answered["allow"]) == (405, "close", "") and wire.further_answers() == []


# Proof of SV-48.
def test_chunks_of_much_framing_and_little_body_end_the_connection(started, server):
    """Rule SV-48: an extension or many tiny chunks do not keep the server reading."""
    head = f"POST {EVENTS} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    for framing, status in (("1;" + "a" * 40_000, 400), ("1;" + "a" * 4_000 + "\r\nx\r\n0\r\n\r\n", 401),
                            ("1\r\nx\r\n" * 20_000 + "0\r\n\r\n", 401), ("0" * 40_000, 400)):
        wire = started(Wire, server.port)
        wire.send(head)
        wire.send(framing)
        got, answered, _ = wire.answer()
        assert got == status and (status == 401 or answered["connection"] == "close"), framing[:10]


@pytest.mark.parametrize("chunks", ["5", "g", "-1", "FFFFFFFFFFFFFFFFF", "0x1", "1 \n", "\n", "1;\n"], ids=repr)
def test_a_chunk_that_is_none_ends_the_connection(started, server, chunks):
    wire = started(Wire, server.port)
    wire.send(f"POST {EVENTS} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n{chunks}\r\nab\r\n0\r\n\r\n{HIDDEN}")
    status, answered, _ = wire.answer()
    assert status in (400, 401) and answered["connection"] == "close" and wire.further_answers() == []


# Proof of SV-9, PV-3.
@pytest.mark.parametrize("text, status", [
    ("GET /health HTTP/1.1\r\nHost: x\r\nX: " + "x" * 9_000, 431), ("GET /health HTTP/1.1\r\n" + "X: y\r\n" * 70 + "Host: x", 431),
    ("GET /" + "a" * 40_000 + " HTTP/1.1\r\nHost: x", 414), ("GET /health HTTP/3.0\r\nHost: x", 400),
    ("GET /health\r\n", 400), ("PRI * HTTP/2.0\r\n\r\nSM", 400), ("GET health HTTP/1.1\r\nHost: x", 400), ("GET /a b HTTP/1.1\r\nHost: x", 400),
    ("G@T /health HTTP/1.1\r\nHost: x", 400), ("get /health HTTP/1.1\r\nHost: x", 400), ("GET /%4 HTTP/1.1\r\nHost: x", 400),
    ("GET /%ff HTTP/1.1\r\nHost: x", 400), ("GET http://x/health HTTP/1.1\r\nHost: x", 200), ("\r\n\r\nGET /health HTTP/1.1\r\nHost: x", 200),
    ("GET /health?a#b HTTP/1.1\r\nHost: x", 400), ("OPTIONS * HTTP/1.1\r\nHost: x", 400)], ids=lambda value: repr(value)[:40])
def test_requests_that_are_odd(started, server, text, status):
    wire = started(Wire, server.port)
    wire.send(text + "\r\n\r\n")
    assert wire.answer()[0] == status
    assert server.get("/health")[0] == 200


# Webhooks


class Receiver:
    """Takes webhooks; the first requests are answered with what `answers` says, as bytes, and nothing for an empty one."""

    def __init__(self, *answers):
        self.bodies, self.answers, receiver = [], list(answers), self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                receiver.bodies.append(self.rfile.read(int(self.headers["Content-Length"])).decode())
                answer = receiver.answers.pop(0) if receiver.answers else b"HTTP/1.1 204 No Content\r\n\r\n"
                try:
                    self.wfile.write(answer)
                except OSError:
                    pass
                self.close_connection = not answer.startswith(b"HTTP/1.1 204")

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/hook"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def kill(self):
        """For the fixture that ends what was started."""
        self.server.shutdown()
        self.server.server_close()


@pytest.mark.parametrize("answer", [
    b"", b"nonsense\r\n\r\n", b"HTTP/1.1 302 Found\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nContent-Length: 2000000\r\n\r\n" + b"x" * 2_000_000, b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nx",
    b"HTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n", b"HTTP/1.1 429 Slow\r\nRetry-After: 3600\r\nContent-Length: 0\r\n\r\n"],
    ids=lambda answer: repr(answer[:24]))
def test_whatever_is_no_success_is_tried_again(started, tmp_path, answer):
    """Rules SW-22 and SW-23: nothing is lost by it, and nobody else waits."""
    odd, good = started(Receiver, answer), started(Receiver)
    config = tmp_path / "lifeline.json"
    config.write_text(json.dumps({"app": {
        "id": APP_ID, "key": KEY, "secret": SECRET,
        "webhooks": [{"url": r.url, "events": ["channel_occupied"]} for r in (odd, good)]}}))
    server = started(Server, 0, "--config", str(config))
    started(PusherSocket, server.port).subscribe("room")
    wait_until(lambda: len(odd.bodies) >= 2, 60, "the second attempt")
    told = [json.loads(body) for body in odd.bodies]
    assert [body["events"] for body in told[:2]] == [[{"name": "channel_occupied", "channel": "room"}]] * 2
    assert told[0]["time_ms"] <= told[1]["time_ms"]
    first, second = (f'{{service="pusher",app="{APP_ID}",receiver="{number}"}}' for number in (0, 1))
    wait_until(
        lambda: all(f"lifeline_webhook_events_total{labels} 1\n" in server.get("/metrics")[1] for labels in (first, second)), 60, "both are told")
    assert len(odd.bodies) == 2 and len(good.bodies) == 1
    text = server.get("/metrics")[1]
    assert f"lifeline_webhook_requests_failed_total{first} 1\n" in text and f"lifeline_webhook_requests_failed_total{second} 0\n" in text
    assert f"lifeline_webhook_events_dropped_total{first} 0\n" in text


# The vendor's library


def test_what_the_vendors_library_sends(started):
    """Each public method as it goes over the wire, so that what the server is tested with is what the documentation names."""
    asked = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            url = urllib.parse.urlsplit(self.path)
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            asked.append((self.command, url.path, dict(urllib.parse.parse_qsl(url.query)), json.loads(body) if body else None))
            self.send_response(200)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

        do_GET = do_POST

        def log_message(self, *arguments):
            pass

    recorder = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=recorder.serve_forever, daemon=True).start()
    try:
        client = pusher.Pusher(APP_ID, KEY, SECRET, host="127.0.0.1", port=recorder.server_port, ssl=False)
        client.trigger(["a", "b"], "e", {"n": "é"}, "1.2")
        client.trigger("a", "e", "text")
        client.trigger_batch([{"channel": "a", "name": "e", "data": {"n": 1}, "socket_id": "1.2"}])
        client.channels_info("presence-", ["user_count"])
        client.channel_info("presence-a", ["user_count", "subscription_count"])
        client.users_info("presence-a")
        client.send_to_user("u1", "e", "text")
        client.terminate_user_connections("u1")
    finally:
        recorder.shutdown()
        recorder.server_close()
    assert [(method, path, body) for method, path, _, body in asked] == [
        ("POST", EVENTS, {"name": "e", "channels": ["a", "b"], "data": '{"n": "é"}', "socket_id": "1.2"}),
        ("POST", EVENTS, {"name": "e", "channels": ["a"], "data": "text"}),
        ("POST", BATCH, {"batch": [{"channel": "a", "name": "e", "data": '{"n": 1}', "socket_id": "1.2"}]}),
        ("GET", CHANNELS, None), ("GET", f"{CHANNELS}/presence-a", None), ("GET", f"{CHANNELS}/presence-a/users", None),
        ("POST", EVENTS, {"name": "e", "channels": ["#server-to-user-u1"], "data": "text"}),
        # Not as the documentation has it, which names the application first (SV-10).
        ("POST", "/users/u1/terminate_connections", {})]
    own = {"auth_key", "auth_timestamp", "auth_version", "auth_signature", "body_md5"}
    assert all(own <= set(query) for _, _, query, _ in asked), "body_md5 comes with every request (hazard 6)"
    assert [{name: query[name] for name in set(query) - own} for _, _, query, _ in asked] == [
        {}, {}, {}, {"info": "user_count", "filter_by_prefix": "presence-"}, {"info": "user_count,subscription_count"}, {}, {}, {}]
