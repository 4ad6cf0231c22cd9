"""What a hostile server sends to a WebSocket client that speaks the Pusher protocol: `CASES`, each a name, what the client has to do, and bytes.

What a client has to do: `close:CODE`, fail the connection with that code (1002 protocol, 1007 no UTF-8, 1009 too big) and reconnect by its
policy; `ignore`, drop that frame only and stay connected; `any`, one of these, or wait for the rest of a frame that is announced longer than it
is, until its own heartbeat ends that.
"""

import json
import random
import struct

CASES = []


def frame(opcode, payload=b"", fin=1, rsv=0, mask=None):
    """A frame as a server sends it, with nothing checked."""
    first, bit, length = fin << 7 | rsv << 4 | opcode, 0x80 if mask else 0, len(payload)
    if length < 126:
        head = bytes([first, bit | length])
    elif length < 65_536:
        head = bytes([first, bit | 126]) + struct.pack(">H", length)
    else:
        head = bytes([first, bit | 127]) + struct.pack(">Q", length)
    if mask:
        return head + mask + bytes(byte ^ mask[place & 3] for place, byte in enumerate(payload))
    return head + payload


def text(body):
    return frame(1, body if isinstance(body, bytes) else body.encode())


def event(name, data, channel=None):
    """An event of the Pusher protocol, with its data as JSON in a string."""
    return text(json.dumps({"event": name, **({"channel": channel} if channel else {}), "data": json.dumps(data)}))


def code_bytes(code):
    return struct.pack(">H", code)


def case(name, want, raw):
    CASES.append((name, want, raw))


EVENT = event("m", {"a": 1}, "room")

# Framing.

for opcode in (3, 4, 5, 6, 7, 11, 12, 13, 14, 15):
    case(f"opcode-{opcode:x}", "close:1002", frame(opcode, b"x"))
for bits in (1, 2, 4, 7):
    case(f"rsv-{bits}", "close:1002", frame(1, b"x", rsv=bits))
case("masked-from-server", "close:1002", frame(1, b"{}", mask=b"abcd"))
case("ping-126", "close:1002", frame(9, b"p" * 126))
case("ping-fragmented", "close:1002", frame(9, b"p", fin=0))
case("cont-without-start", "close:1002", frame(0, b"x"))
case("text-inside-fragment", "close:1002", frame(1, b"{", fin=0) + text("{}"))
case("pong-unsolicited", "ignore", frame(10, b"zzz"))
case("ping-empty", "ignore", frame(9))
case("len16-nonminimal", "any", b"\x81\x7e\x00\x01x")
case("len64-nonminimal", "any", b"\x81\x7f" + struct.pack(">Q", 1) + b"x")
case("len64-msb", "close:1002|close:1009", b"\x81\x7f" + b"\xff" * 8)
case("len-2^62", "close:1009", b"\x81\x7f" + struct.pack(">Q", 1 << 62))
case("len-1GiB-announced", "close:1009", b"\x81\x7f" + struct.pack(">Q", 1 << 30) + b"x" * 100)
case("text-32MiB", "close:1009", frame(1, b"x" * (32 << 20)))
case("frag-never-ending", "close:1009", frame(1, b"x" * 65536, fin=0) + frame(0, b"x" * 65536, fin=0) * 511)
case("frag-empty-100k", "any", frame(1, b"", fin=0) + frame(0, b"", fin=0) * 100000)
case("frag-1byte-valid", "ignore", frame(1, b"{", fin=0) + frame(0, b"}", fin=1))
case("frag-split-utf8", "ignore", frame(1, b'{"event":"\xe2', fin=0) + frame(0, b"\x82", fin=0) + frame(9, b"mid") + frame(0, b'\xac"}'))
for name, raw in (
    ("lone-ff", b"\xff"),
    ("overlong", b"\xc0\xaf"),
    ("surrogate", b"\xed\xa0\x80"),
    ("beyond-10ffff", b"\xf4\x90\x80\x80"),
    ("truncated", b"\xe2\x82"),
):
    case("utf8-" + name, "close:1007", text(b'{"event":"' + raw + b'"}'))
case("binary-json", "ignore", frame(2, b'{"event":"m"}'))
case("binary-garbage", "ignore", frame(2, bytes(range(256))))
case("text-empty", "ignore", text(""))
case("partial-header-then-fin", "any", b"\x81")
case("partial-payload-then-fin", "any", b"\x81\x10abc")
case("http-mid-stream", "any", b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html>login</html>")
case("tls-alert-bytes", "any", b"\x15\x03\x03\x00\x02\x02\x28")
case("random-64k", "any", random.Random(5).randbytes(65536))
case("burst-20000-frames", "ignore", EVENT * 20000)

# Close frames.

for code in (0, 999, 1004, 1005, 1006, 1015, 1016, 2999):
    case(f"close-{code}", "any", frame(8, code_bytes(code)))
case("close-1byte", "close:1002", frame(8, b"\x03"))
case("close-bad-utf8", "any", frame(8, code_bytes(1000) + b"\xff\xfe"))
case("close-126", "close:1002", frame(8, code_bytes(1000) + b"r" * 124))
case("data-after-close", "any", frame(8, code_bytes(1000)) + EVENT * 3)
for code in (4000, 4001, 4004, 4009, 4099):
    case(f"pusher-{code}-no-reconnect", "any", frame(8, code_bytes(code) + b"no"))
for code in (4100, 4199):
    case(f"pusher-{code}-backoff", "any", frame(8, code_bytes(code)))
for code in (4200, 4201, 4299):
    case(f"pusher-{code}-at-once", "any", frame(8, code_bytes(code)))
for code in (4300, 4999, 3000, 1001, 1011, 1012, 1013):
    case(f"close-{code}-other", "any", frame(8, code_bytes(code)))

# JSON, and the Pusher protocol.

for name, body in (
    ("not-json", "hello"),
    ("null", "null"),
    ("true", "true"),
    ("number", "1e999"),
    ("array", "[]"),
    ("string", '"x"'),
    ("empty-object", "{}"),
    ("truncated", '{"event":"m","data":"'),
    ("trailing", '{"event":"m"} x'),
    ("nan", '{"event":NaN}'),
    ("bom", "\ufeff{}"),
    ("comment", '{"event":"m"/*x*/}'),
    ("single-quotes", "{'event':'m'}"),
    ("dup-keys", '{"event":"a","event":"b","channel":"room"}'),
    ("nul-escape", '{"event":"a\\u0000b","channel":"room"}'),
    ("lone-surrogate", '{"event":"\\ud800","channel":"room"}'),
    ("depth-100k", '{"event":"m","data":' + "[" * 100000 + "]" * 100000 + "}"),
    ("keys-20k", "{" + ",".join(f'"k{i}":1' for i in range(20000)) + "}"),
    ("int-overflow", '{"event":"m","channel":"room","data":123456789012345678901234567890}'),
    ("neg-exp", '{"event":"m","data":1e-400}'),
):
    case("json-" + name, "ignore", text(body))
for name, body in (
    ("event-number", '{"event":5}'),
    ("event-null", '{"event":null}'),
    ("event-empty", '{"event":""}'),
    ("channel-number", '{"event":"m","channel":5}'),
    ("data-object", '{"event":"m","channel":"room","data":{"a":1}}'),
    ("data-number", '{"event":"m","channel":"room","data":5}'),
    ("data-json-in-json-bad", '{"event":"m","channel":"room","data":"{bad"}'),
    ("unknown-internal", '{"event":"pusher_internal:new_thing","data":"{}"}'),
    ("unknown-pusher", '{"event":"pusher:new_thing","data":{}}'),
    ("error-no-data", '{"event":"pusher:error"}'),
    ("error-code-null", '{"event":"pusher:error","data":{"code":null,"message":null}}'),
    ("error-code-string", '{"event":"pusher:error","data":{"code":"4001","message":5}}'),
    ("established-again",
     '{"event":"pusher:connection_established","data":"{\\"socket_id\\":\\"9.9\\",\\"activity_timeout\\":30}"}'),
    ("established-no-data", '{"event":"pusher:connection_established"}'),
    ("established-bad-timeout",
     '{"event":"pusher:connection_established","data":"{\\"socket_id\\":\\"9.9\\",\\"activity_timeout\\":-5}"}'),
    ("established-huge-timeout",
     '{"event":"pusher:connection_established","data":"{\\"socket_id\\":\\"9.9\\",\\"activity_timeout\\":1e300}"}'),
    ("sub-ok-unknown-channel", '{"event":"pusher_internal:subscription_succeeded","channel":"never-asked","data":"{}"}'),
    ("msg-unknown-channel", '{"event":"m","channel":"never-asked","data":"{}"}'),
    ("presence-no-hash",
     '{"event":"pusher_internal:subscription_succeeded","channel":"presence-x","data":"{\\"presence\\":{\\"count\\":3}}"}'),
    ("presence-ids-mismatch",
     '{"event":"pusher_internal:subscription_succeeded","channel":"presence-x","data":"{\\"presence\\":{\\"count\\":1,\\"ids\\":[\\"a\\",\\"b\\"],\\"hash\\":{}}}"}'),
    ("member-removed-unknown",
     '{"event":"pusher_internal:member_removed","channel":"presence-x","data":"{\\"user_id\\":\\"ghost\\"}"}'),
    ("member-added-twice", '{"event":"pusher_internal:member_added","channel":"presence-x","data":"{\\"user_id\\":\\"u\\"}"}'),
    ("encrypted-bad-nonce",
     '{"event":"m","channel":"private-encrypted-x","data":"{\\"nonce\\":\\"!!\\",\\"ciphertext\\":\\"AA\\"}"}'),
    ("encrypted-plain", '{"event":"m","channel":"private-encrypted-x","data":"{\\"a\\":1}"}'),
    ("pong-unasked", '{"event":"pusher:pong","data":"{}"}'),
    ("channel-10MB-name", '{"event":"m","channel":"' + "c" * 10_000_000 + '"}'),
):
    # What these do to the connection is up to the client.
    is_free = "established" in name or "10MB" in name or "error" in name
    case("pusher-" + name, "any" if is_free else "ignore", text(body))
