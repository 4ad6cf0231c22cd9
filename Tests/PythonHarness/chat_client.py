"""A second client of the chat session, written from docs/chat-protocol.md alone, and plain signed calls of the server API.

Nothing of ours is used: a WebSocket library from PyPI, and the standard library.
"""

import hashlib
import http.client
import json
import random
import socket
import string
import threading
import time
import uuid

import websocket

APP_KEY, APP_SECRET = "app-key", "app-secret"
SUBPROTOCOL = "nexconn.lifeline.v1"
PATH = "/nexconn/v1"


class ServerAPI:
    """`POST /v4/…` with the four headers of the vendor's documentation, on one kept connection."""

    def __init__(self, port, key=APP_KEY, secret=APP_SECRET):
        self.port, self.key, self.secret, self.connection = port, key, secret, None

    def headers(self, timestamp=None, nonce=None):
        nonce = nonce or "".join(random.choices(string.ascii_letters + string.digits, k=16))
        stamp = str(int(time.time() * 1000) if timestamp is None else timestamp)
        return {
            "App-Key": self.key, "Nonce": nonce, "Timestamp": stamp, "Content-Type": "application/json",
            "Signature": hashlib.sha1((self.secret + nonce + stamp).encode()).hexdigest()}

    def call(self, path, body=None, raw=None, method="POST", headers=None):
        """Status and JSON."""
        data = raw if raw is not None else json.dumps({} if body is None else body).encode()
        for attempt in (1, 2):
            fresh = self.connection is None
            if fresh:
                self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
            try:
                self.connection.request(method, "/v4/" + path, body=data, headers=headers or self.headers())
                answer = self.connection.getresponse()
                text = answer.read()
                return answer.status, json.loads(text) if text else None
            except (OSError, http.client.HTTPException):
                self.close()
                if fresh or attempt == 2:
                    raise

    def result(self, path, body=None):
        """The result of a call that has to succeed."""
        status, answer = self.call(path, body)
        assert (status, answer.get("code")) == (200, 0), (path, status, answer)
        return answer.get("result")

    def token(self, user, name=None):
        return self.result("auth/access-token/issue", {"userId": user, "name": name or user, "avatarUrl": ""})["accessToken"]

    def close(self):
        if self.connection is not None:
            self.connection.close()
        self.connection = None


class Refused(Exception):
    """The server answered `no`."""

    def __init__(self, code, reason):
        super().__init__(f"{code}: {reason}")
        self.code, self.reason = code, reason


class Farewell(Exception):
    """The server said `bye`."""

    def __init__(self, frame):
        super().__init__(str(frame))
        self.code, self.retry = frame["code"], frame.get("retry", False)


class Lost(Exception):
    """The connection ended before the answer came."""


class ChatSession:
    """One device of one user. `connect` may be called again after a loss; the inbox goes on where it was."""

    def __init__(self, port, token, device=None, device_class="mobile", yields=False, host="127.0.0.1", app_key=APP_KEY):
        self.url, self.token, self.app_key, self.yields = f"ws://{host}:{port}{PATH}", token, app_key, yields
        self.device = {"id": device or uuid.uuid4().hex, "class": device_class, "os": "Linux"}
        self.socket, self.reader, self.bye, self.welcome = None, None, None, None
        self.place = None  # (epoch, q)
        self.events, self.transient, self.repeated = [], [], 0
        self.acknowledges = True
        self.packages, self.lost = [], False
        self.numbers, self.answers, self.order = 0, {}, []
        self.changed = threading.Condition()
        self.caught_up = False

    # Opening and ending

    def connect(self, reconnect=False, timeout=10, hello=None):
        """Connects and returns the welcome; raises Farewell when the server does not want this session."""
        self.bye, self.caught_up, self.answers = None, False, {}
        self.socket = websocket.create_connection(self.url, timeout=timeout, subprotocols=[SUBPROTOCOL])
        assert self.socket.subprotocol == SUBPROTOCOL, self.socket.subprotocol
        frame = {
            "t": "hello", "v": 1, "appKey": self.app_key, "token": self.token, "device": self.device, "client": "python/1",
            "reconnect": reconnect, "yields": self.yields}
        if self.place:
            frame["resume"] = {"epoch": self.place[0], "q": self.place[1]}
        self.send(hello if hello is not None else frame)
        first = self.receive()
        if first is None:
            raise Lost()
        if first["t"] == "bye":
            self.bye, line, self.socket = first, self.socket, None
            line.close()
            raise Farewell(first)
        assert first["t"] == "welcome", first
        self.welcome, self.lost = first, self.lost or first["lost"]
        self.place = (first["epoch"], first["q"])
        self.socket.settimeout(None)
        self.reader = threading.Thread(target=self._read, args=(self.socket,), daemon=True)
        self.reader.start()
        return first

    def send(self, frame):
        # The thread that reads lets go of the line when it is lost.
        line = self.socket
        if line is None:
            raise Lost()
        try:
            line.send(frame if isinstance(frame, str) else json.dumps(frame))
        except (OSError, websocket.WebSocketException) as error:
            raise Lost() from error

    def receive(self):
        try:
            text = self.socket.recv()
        except (OSError, websocket.WebSocketException):
            return None
        return json.loads(text) if text else None

    def leave(self, disable_push=False):
        self.send({"t": "leave", "disablePush": disable_push})
        self.reader.join(5)
        assert not self.reader.is_alive(), "the server did not close after leave"

    def drop(self):
        """Ends the connection without a word."""
        line = self.socket
        if line is not None:
            try:
                # Wakes the reader, which closing alone would not.
                line.sock.shutdown(socket.SHUT_RDWR)
            except (OSError, AttributeError):
                pass  # The server was first, and the line is gone.
            if self.reader is not None:
                self.reader.join(5)
            line.shutdown()

    # Reading

    def _read(self, line):
        while True:
            try:
                text = line.recv()
            except (OSError, websocket.WebSocketException):
                text = ""
            if not text:
                break
            frame = json.loads(text)
            with self.changed:
                self._take(frame, line)
                self.changed.notify_all()
        with self.changed:
            if self.socket is line:
                self.socket = None
            self.changed.notify_all()

    def _take(self, frame, line):
        kind = frame["t"]
        if kind in ("ok", "no"):
            self.answers[frame["n"]] = frame
            self.order.append(frame["n"])
        elif kind == "pack":
            self.packages.append(len(frame["in"]))
            for item in frame["in"]:
                self._keep(item)
            if not frame["more"]:
                self.caught_up = True
            if frame["in"] and self.acknowledges:
                self._acknowledge(line)
        elif kind == "in":
            self._keep(frame)
            if self.acknowledges:
                self._acknowledge(line)
        elif kind == "ev":
            self.transient.append(frame["e"])
        elif kind == "bye":
            self.bye = frame

    def _keep(self, item):
        epoch, last = self.place
        if item["q"] <= last:
            self.repeated += 1
            return
        self.place = (epoch, item["q"])
        self.events.append(item["e"])

    def _acknowledge(self, line):
        try:
            line.send(json.dumps({"t": "ack", "q": self.place[1]}))
        except (OSError, websocket.WebSocketException):
            pass

    # Asking

    def post(self, kind, **members):
        """Sends a request and returns its number."""
        with self.changed:
            self.numbers += 1
            number = self.numbers
        self.send({"t": kind, "n": number, **members})
        return number

    def answer(self, number, timeout=10):
        self.wait(lambda: number in self.answers or self.socket is None, timeout, f"the answer to {number}")
        with self.changed:
            frame = self.answers.get(number)
        if frame is None:
            raise Lost()
        if frame["t"] == "no":
            raise Refused(frame["code"], frame["reason"])
        return frame

    def ask(self, kind, timeout=10, **members):
        if self.socket is None:
            raise Lost()
        return self.answer(self.post(kind, **members), timeout)

    def say(self, to, text, conv="direct", cid=None, **members):
        """Sends a text message and returns the answer."""
        return self.ask(
            "send", cid=cid or uuid.uuid4().hex, conv=conv, to=to, type="RC:TxtMsg", content={"content": text}, **members)

    # Waiting

    def wait(self, condition, timeout=10, what="something"):
        end = time.monotonic() + timeout
        with self.changed:
            while True:
                value = condition()
                if value:
                    return value
                left = end - time.monotonic()
                assert left > 0, f"not within {timeout} s: {what}"
                self.changed.wait(left)

    def wait_events(self, count, kind=None, timeout=10):
        """The first `count` events of the inbox (of a kind)."""
        def there():
            found = [event for event in self.events if kind is None or event["k"] == kind]
            return found if len(found) >= count else None
        return self.wait(there, timeout, f"{count} events {kind or ''}, got {[e['k'] for e in self.events][-20:]}")

    def wait_transient(self, kind, count=1, timeout=10):
        def there():
            found = [event for event in self.transient if event["k"] == kind]
            return found if len(found) >= count else None
        return self.wait(there, timeout, f"{count} times {kind}, got {self.transient[-5:]}")

    def wait_bye(self, timeout=10):
        """The server's farewell, once the connection is closed."""
        self.wait(lambda: self.socket is None, timeout, "the end of the connection")
        assert self.bye is not None, "the connection ended without a farewell"
        return self.bye

    def texts(self):
        return [event["content"].get("content") for event in self.events if event["k"] == "msg"]
