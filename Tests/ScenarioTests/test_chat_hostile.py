"""A chat server that lies, babbles and breaks off: whatever it says, the client neither crashes nor hangs, shows nothing that is no
message, and is well again with the next honest word (B4, X13)."""

import base64
import hashlib
import json
import random
import socket
import struct
import threading

from lifeline_harness import wait_until
from chat_scenarios import ChatListener

WELCOME = {
    "t": "welcome", "user": "ann", "session": "s", "time": 1763710000000, "epoch": "e", "q": 0, "resumed": False, "lost": False,
    "heartbeat": 30000, "settings": {"modifiableMinutes": 1440, "deviceSync": False, "presence": True}}
PACK = {"t": "pack", "more": False, "in": []}


def message(number, q=None, **members):
    event = {
        "k": "msg", "id": str(17637100000000000 + number), "time": 1763710000000, "conv": "direct", "from": "ben", "to": "ann",
        "type": "RC:TxtMsg", "content": {"content": f"m{number}"}, **members}
    return {"t": "in", "q": number if q is None else q, "e": event}


def frame(body, opcode=1, fin=True):
    data = body if isinstance(body, bytes) else (body if isinstance(body, str) else json.dumps(body)).encode()
    head = bytes([(0x80 if fin else 0) | opcode])
    if len(data) < 126:
        return head + bytes([len(data)]) + data
    if len(data) < 65536:
        return head + bytes([126]) + struct.pack(">H", len(data)) + data
    return head + bytes([127]) + struct.pack(">Q", len(data)) + data


def junk(seed):
    """What is to be ignored: broken JSON, wrong kinds, and mutations of honest frames."""
    chance = random.Random(seed)
    frames = [
        "", "null", "[]", "5", '"x"', "{", "{}", '{"t":5}', '{"t":"unheard"}', '{"t":"in"}', '{"t":"in","q":"1","e":{}}', '{"t":"in","q":-1}',
        '{"t":"in","q":1e300,"e":{"k":"msg"}}', '{"t":"ev","e":null}', '{"t":"ev","e":{"k":"presence","events":5}}', '{"t":"ok","n":99}',
        '{"t":"ok"}', '{"t":"no","n":7,"code":"x"}', '{"t":"ev","e":{"k":"typing"}}', '{"t":"welcome"}', json.dumps(WELCOME),
        '{"t":"ev","e":' + '{"a":' * 5000 + "1" + "}" * 5001, "{" + ",".join(f'"k{n}":1' for n in range(20000)) + "}",
        '{"t":"ev","e":{"k":"openMembers","ch":"o","actions":[{"user":"' + "u" * 100000 + '","action":"join"}],"count":1e99}}']
    honest = [json.dumps(message(n)["e"]) for n in range(5)] + [json.dumps(PACK)]
    for _ in range(150):
        # Inside an `ev` of an unknown kind nothing of it can be a message.
        text = list('{"t":"xv","e":' + chance.choice(honest) + "}")
        for _ in range(chance.randrange(1, 6)):
            place = chance.randrange(1, len(text))
            text[place] = chance.choice(list('{}[]",:0e-\\ \u00ff') + ["", "\\u0000", "\\ud800"])
        if '"t":"xv"' in "".join(text):
            frames.append("".join(text))
    chance.shuffle(frames)
    return b"".join(frame(f) for f in frames)


ENDS = {
    "text before the welcome": frame(message(1)),
    "a masked frame": b"\x81\x82abcd" + b"xx",
    "a reserved bit": b"\xc1\x02{}",
    "no UTF-8": frame(WELCOME) + frame(b'{"t":"\xff"}'),
    "a length that cannot be": b"\x81\x7f" + b"\xff" * 8,
    "half a frame": frame(WELCOME) + b"\x81\x10abc",
    "an event before the last package": frame(WELCOME) + frame(message(1)),
    "HTML": b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html>login</html>",
    "64 KiB of noise": random.Random(5).randbytes(65536),
    "bye that may be retried": frame({"t": "bye", "code": 32061, "reason": "r", "retry": True}),
    "bye without a code": frame({"t": "bye"}),
    "close 1011": b"\x88\x02" + struct.pack(">H", 1011),
}


class Liar:
    """Takes connections one after the other and says to each what comes next; from then on it is honest."""

    def __init__(self, lies):
        self.lies, self.heard, self.connections = lies, [], 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.open = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                line, _ = self.listener.accept()
            except OSError:
                return
            self.open.append(line)
            lie = self.lies[self.connections] if self.connections < len(self.lies) else None
            self.connections += 1
            threading.Thread(target=self._serve, args=(line, lie), daemon=True).start()

    def _serve(self, line, lie):
        try:
            head = b""
            while b"\r\n\r\n" not in head:
                head += line.recv(4096)
            key = next(l.split(b":", 1)[1].strip() for l in head.split(b"\r\n") if l.lower().startswith(b"sec-websocket-key:"))
            accept = base64.b64encode(hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())
            line.sendall(
                b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                b"Sec-WebSocket-Protocol: nexconn.lifeline.v1\r\nSec-WebSocket-Accept: " + accept + b"\r\n\r\n")
            line.recv(65536)  # the hello
            if lie is not None:
                line.sendall(lie)
                line.settimeout(20)
                while line.recv(65536):  # until the client hangs up
                    pass
            else:
                line.sendall(frame(WELCOME) + frame(PACK) + junk(self.connections))
                line.sendall(frame(message(1)) + frame(message(1)) + frame(message(2)) + junk(99) + frame(message(3)))
                while line.recv(65536):
                    pass
        except (OSError, StopIteration):
            pass
        finally:
            line.close()

    def end(self):
        self.listener.close()
        for line in self.open:
            line.close()


def test_a_server_that_lies(started):
    """Three servers at once, since each lie costs the pause that follows it."""
    lies = list(ENDS.values())
    liars = [Liar(lies[n::3]) for n in range(3)]
    try:
        listeners = [started(
            ChatListener, f"http://127.0.0.1:{liar.port}", "--token", "t", "--channel", "direct:ben", name="ann", secret=None)
            for liar in liars]
        for liar, listener in zip(liars, listeners):
            wait_until(
                lambda: liar.connections > len(liar.lies), 120, lambda: f"all lies told, so far {liar.connections}; {listener.errors}")
            listener.wait_messages(3)
            assert [event["data"]["content"] for event in listener.of("msg")] == ["m1", "m2", "m3"]
            assert listener.process.poll() is None and not listener.errors
            listener.say("status")
            wait_until(lambda: listener.of("status")[-1]["status"] == "connected", 20, "an answer to a command")
            assert "failed" not in listener.statuses
            assert listener.end() == 0
    finally:
        for liar in liars:
            liar.end()
