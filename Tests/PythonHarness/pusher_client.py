"""A client of Pusher protocol 7, written from the protocol's description and nothing of ours: strict about every frame."""

import hashlib
import hmac
import json
import queue
import socket
import threading
import time

import websocket
from lifeline_harness import KEY, SECRET

SUBPROTOCOL = "pusher-channels-protocol-7"


class Closed(Exception):
    """The server has closed the connection."""

    def __init__(self, code, reason, errors):
        super().__init__(f"closed with {code}: {reason}; errors before: {errors}")
        self.code, self.reason, self.errors = code, reason, errors


def signature(text, secret=SECRET):
    return hmac.new(secret.encode(), text.encode(), hashlib.sha256).hexdigest()


def members(event):
    """Ids and hash of a confirmed presence subscription."""
    presence = event["data"]["presence"]
    assert presence["count"] == len(presence["ids"]) == len(presence["hash"])
    assert sorted(presence["ids"]) == sorted(presence["hash"])
    return presence["hash"]


class PusherSocket:
    """One connection. Events are taken in order; pings are answered as a browser does, whose stack answers control frames only."""

    def __init__(self, port, key=KEY, secret=SECRET, path=None, query="protocol=7&client=test&version=1.0", subprotocol=SUBPROTOCOL,
                 scheme="ws", answers_pings=True, greeted=True, **options):
        self.key, self.secret, self.answers_pings = key, secret, answers_pings
        self.path = path if path is not None else f"/app/{key}"
        self.events, self.seen, self.counts, self.end = queue.Queue(), [], [], None
        self.pings = 0
        self.socket = websocket.create_connection(
            f"{scheme}://127.0.0.1:{port}{self.path}?{query}", subprotocols=[subprotocol] if subprotocol else None, timeout=10,
            enable_multithread=True, skip_utf8_validation=True, **options)
        self.subprotocol = self.socket.subprotocol
        self.socket.settimeout(60)
        threading.Thread(target=self._read, daemon=True).start()
        self.socket_id = None
        if greeted:
            greeting = self.wait("pusher:connection_established")
            assert "channel" not in greeting
            self.socket_id, self.activity_timeout = greeting["data"]["socket_id"], greeting["data"]["activity_timeout"]

    # Reading.

    def _read(self):
        try:
            while True:
                opcode, payload = self.socket.recv_data(control_frame=True)
                if opcode == websocket.ABNF.OPCODE_TEXT:
                    self.events.put(self._decode(payload))
                elif opcode == websocket.ABNF.OPCODE_CLOSE:
                    code = int.from_bytes(payload[:2], "big") if payload else 1005
                    self.end = (code, payload[2:].decode())
                    break
                elif opcode == websocket.ABNF.OPCODE_PING:
                    self.pings += 1
        except (OSError, websocket.WebSocketException) as error:
            self.end = self.end or (None, str(error))
        self.events.put(None)

    @staticmethod
    def _decode(payload):
        """The envelope with `data` parsed: it has to be a string of JSON but for pusher:error, whose data is an object."""
        event = json.loads(payload.decode("utf-8"))
        assert isinstance(event, dict) and isinstance(event["event"], str), event
        assert set(event) <= {"event", "channel", "data", "user_id"}, event
        event["raw"] = event.get("data")
        if event["event"] == "pusher:error":
            assert isinstance(event["data"], dict), event
            assert isinstance(event["data"]["message"], str) and isinstance(event["data"].get("code"), (int, type(None))), event
        elif event["event"].startswith(("pusher:", "pusher_internal:")):
            assert isinstance(event["data"], str), event
            event["data"] = json.loads(event["data"])
        return event

    def next(self, timeout=8):
        """The next event but pings, which are answered, and counts, which are kept apart. Raises Closed at the end."""
        end = time.monotonic() + timeout
        while True:
            try:
                event = self.events.get(timeout=max(end - time.monotonic(), 0.001))
            except queue.Empty:
                raise AssertionError(f"nothing within {timeout} s; seen: {self.seen[-5:]}") from None
            if event is None:
                self.events.put(None)
                code, reason = self.end
                raise Closed(code, reason, [e["data"] for e in self.seen if e["event"] == "pusher:error"])
            if event["event"] == "pusher:ping" and self.answers_pings:
                self.send("pusher:pong", {})
                continue
            if event["event"] == "pusher_internal:subscription_count":
                assert set(event["data"]) == {"subscription_count"}
                self.counts.append((event["channel"], event["data"]["subscription_count"]))
                continue
            self.seen.append(event)
            return event

    def wait(self, name, channel=None, timeout=8):
        """The next event, which has to have this name."""
        event = self.next(timeout)
        assert event["event"] == name and (channel is None or event.get("channel") == channel), (name, channel, event)
        return event

    def closed(self, timeout=8):
        """How the server closed: code, reason and the errors before."""
        try:
            while True:
                self.next(timeout)
        except Closed as closed:
            return closed

    def settled(self):
        """Everything that had come when the server had answered two pings, one after the other: confirmations and publishes go
        through a queue of their own, which the first answer may overtake."""
        events = []
        for _ in range(2):
            self.send("pusher:ping", {})
            while (event := self.next())["event"] != "pusher:pong":
                events.append(event)
        return events

    # Sending.

    def send(self, event, data=None, channel=None, **outer):
        message = {"event": event, **({"channel": channel} if channel is not None else {}), **outer}
        if data is not None:
            message["data"] = data
        self.raw(json.dumps(message))

    def raw(self, text):
        self.socket.send(text)

    def auth(self, channel, channel_data=None, socket_id=None, secret=None, key=None):
        text = f"{socket_id or self.socket_id}:{channel}" + (f":{channel_data}" if channel_data is not None else "")
        return f"{key or self.key}:{signature(text, secret or self.secret)}"

    def ask(self, channel, user=None, auth=None, channel_data=None):
        """Sends a subscription, signed where the name wants it."""
        data = {"channel": channel}
        if user is not None:
            channel_data = json.dumps(user if isinstance(user, dict) else {"user_id": user})
        if channel_data is not None:
            data["channel_data"] = channel_data
        if auth is not None or channel.startswith(("private-", "presence-")):
            data["auth"] = auth if auth is not None else self.auth(channel, channel_data)
        self.send("pusher:subscribe", data)

    def subscribe(self, channel, user=None, **options):
        self.ask(channel, user, **options)
        return self.wait("pusher_internal:subscription_succeeded", channel)

    def unsubscribe(self, channel):
        self.send("pusher:unsubscribe", {"channel": channel})

    def trigger(self, channel, event, data):
        self.send(event, data, channel)

    def ask_signin(self, user, auth=None):
        text = user if isinstance(user, str) else json.dumps(user)
        self.send("pusher:signin", {
            "auth": auth or f"{self.key}:{signature(f'{self.socket_id}::user::{text}', self.secret)}", "user_data": text})
        return text

    def signin(self, user):
        text = self.ask_signin(user)
        answer = self.wait("pusher:signin_success")
        assert answer["data"] == {"user_data": text}
        return answer

    def error(self, code=...):
        """The next event, which has to be an error."""
        event = self.wait("pusher:error")
        assert code is ... or event["data"].get("code") == code, event
        return event["data"]

    def drop(self):
        """Hangs up without a word."""
        try:
            # Closing alone would wait for the thread that reads.
            self.socket.sock.shutdown(socket.SHUT_RDWR)
            self.socket.shutdown()
        except (AttributeError, OSError):
            pass

    def close(self):
        try:
            self.socket.close(timeout=1)
        except (OSError, websocket.WebSocketException):
            pass
