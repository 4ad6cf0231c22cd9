"""What a hostile server answers to an HTTP client that polls as PubNub's clients do: `CASES`, each a name, the category that the client has to
report (network, timeout, malformed, denied, bad_request, server, throttled, ok, any), and bytes.
"""

import json

CASES = []


def case(name, want, raw):
    CASES.append((name, want, raw if isinstance(raw, bytes) else raw.encode()))


def answer(status, body, content_type="text/javascript; charset=UTF-8", extra="", length=None):
    """An answer whose length is what it should be, or what is given."""
    raw = body if isinstance(body, bytes) else body.encode()
    head = f"HTTP/1.1 {status} X\r\nContent-Type: {content_type}\r\nContent-Length: {len(raw) if length is None else length}\r\n{extra}\r\n"
    return head.encode() + raw


GOOD = '{"t":{"t":"17000000000000001","r":1},"m":[]}'
case("ok-empty", "ok", answer(200, GOOD))
case("portal-200-html", "malformed", answer(200, "<html>login</html>", "text/html"))
case("portal-200-html-json-type", "malformed", answer(200, "<html>login</html>"))
case("portal-302", "malformed", "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/login\r\nContent-Length: 0\r\n\r\n")
case("511", "malformed", answer(511, "<html>", "text/html"))
for status, want in (
    (400, "bad_request"), (401, "denied"), (403, "denied"), (404, "bad_request"), (407, "network"), (408, "timeout"), (413, "bad_request"),
    (414, "bad_request"), (429, "throttled"), (500, "server"), (502, "server"), (503, "server"), (504, "server"), (418, "bad_request"),
    (599, "server"), (999, "malformed"),
):
    body = {"status": status, "error": True, "message": "m", "service": "s", "payload": {"channels": ["a"]}}
    case(f"status-{status}", want, answer(status, json.dumps(body)))
case("429-retry-after", "throttled", answer(429, "{}", extra="Retry-After: 3\r\n"))
case("503-retry-after-date", "server", answer(503, "{}", extra="Retry-After: Wed, 21 Oct 2065 07:28:00 GMT\r\n"))
case("429-retry-after-negative", "throttled", answer(429, "{}", extra="Retry-After: -5\r\n"))
case("429-retry-after-1e12", "throttled", answer(429, "{}", extra="Retry-After: 1000000000000\r\n"))
for name, body in (
    ("empty", ""),
    ("null", "null"),
    ("array", "[]"),
    ("no-t", '{"m":[]}'),
    ("t-number", '{"t":17,"m":[]}'),
    ("tt-text", '{"t":{"t":"abc","r":1},"m":[]}'),
    ("tt-number", '{"t":{"t":17000000000000001,"r":1},"m":[]}'),
    ("tt-zero", '{"t":{"t":"0","r":1},"m":[]}'),
    ("tt-back", '{"t":{"t":"1","r":1},"m":[]}'),
    ("tt-21-digits", '{"t":{"t":"170000000000000010000","r":1},"m":[]}'),
    ("r-missing", '{"t":{"t":"17000000000000001"},"m":[]}'),
    ("m-null", '{"t":{"t":"17000000000000001","r":1},"m":null}'),
    ("m-object", '{"t":{"t":"17000000000000001","r":1},"m":{}}'),
    ("m-item-null", '{"t":{"t":"17000000000000001","r":1},"m":[null]}'),
    ("m-no-channel", '{"t":{"t":"17000000000000001","r":1},"m":[{"d":1}]}'),
    ("unknown-type-e99", '{"t":{"t":"17000000000000001","r":1},"m":[{"a":"0","c":"room","d":1,"e":99,"p":{"t":"1","r":1}}]}'),
    ("truncated", GOOD[:-5]),
    ("two-docs", GOOD + GOOD),
    ("utf8-bad", b'{"t":{"t":"1\xff","r":1},"m":[]}'),
    ("depth-100k", '{"t":' + "[" * 100000),
    ("10MB", '{"t":{"t":"17000000000000001","r":1},"m":["' + "x" * 10_000_000 + '"]}'),
):
    # What a client makes of these is up to it.
    is_free = name in ("10MB", "tt-number", "r-missing", "tt-back", "tt-zero", "m-null")
    want = "ok" if name == "unknown-type-e99" else "any" if is_free else "malformed"
    case("body-" + name, want, answer(200, body))
messages = [
    {"a": "0", "f": 0, "i": "u", "p": {"t": str(17000000000000000 + number), "r": 1}, "k": "sub", "c": "room", "d": number}
    for number in range(101)]
case("101-msgs", "ok+exceeded", answer(200, json.dumps({"t": {"t": "17000000000000101", "r": 1}, "m": messages})))
case("cl-too-long", "network", answer(200, GOOD, length=len(GOOD) + 10))
case("cl-too-short", "malformed", answer(200, GOOD, length=10))
case("cl-negative", "malformed", answer(200, GOOD, length=-1))
case("cl-twice", "any", answer(200, GOOD, extra=f"Content-Length: {len(GOOD) + 5}\r\n"))
case("chunked-bad-size", "malformed", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n")
case("chunked-truncated", "network", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nabc")
case("gzip-bomb-header", "malformed", answer(200, b"\x1f\x8b\x08\x00garbage", extra="Content-Encoding: gzip\r\n"))
case("status-line-garbage", "malformed", "HELLO\r\n\r\n")
case("http-0.9", "malformed", "<html>")
case("header-64k", "malformed", "HTTP/1.1 200 OK\r\nX: " + "y" * 65536 + "\r\n\r\n")
case("headers-5000", "any", "HTTP/1.1 200 OK\r\n" + "X: y\r\n" * 5000 + "Content-Length: 0\r\n\r\n")
case("1xx-loop", "any", "HTTP/1.1 100 Continue\r\n\r\n" * 50 + answer(200, GOOD).decode())
case("fin-now", "network", b"")
case("tls-on-plain", "malformed", b"\x15\x03\x01\x00\x02\x02\x46")
