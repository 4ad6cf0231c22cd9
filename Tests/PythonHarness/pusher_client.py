"""A client of Pusher protocol 7 that takes nothing on trust: every frame has to keep the rules of `pusher_frames`."""

import hashlib
import hmac
import json
import queue
import socket
import threading
import time

import pusher_frames
import websocket
from lifeline_harness import KEY, SECRET
from pusher_frames import SUBPROTOCOL


class Closed(Exception):
    """The server has closed the connection."""

    def __init__(self, code, reason, errors):
        super().__init__(f"closed with {code}: {reason}; errors before: {errors}")
        self.code, self.reason, self.errors = code, reason, errors


def signature(text, secret=SECRET):
    return hmac.new(secret.encode(), text.encode(), hashlib.sha256).hexdigest()


class PusherSocket:
    """One connection. Events are taken in order; pings are answered as a browser does, whose stack answers control frames only."""

    def __init__(self, port, key=KEY, secret=SECRET, path=None, query="protocol=7&client=test&version=1.0", subprotocol=SUBPROTOCOL,
                 scheme="ws", answers_pings=True, greeted=True, **options):
        self.key, self.secret, self.answers_pings = key, secret, answers_pings
        self.path = path if path is not None else f"/app/{key}"
        self.events, self.seen, self.counts = queue.Queue(), [], []
        # How it ended, and what was wrong with a frame.
        self.end, self.problem = None, None
        # Only browsers say which page asks; the library would say the server's own address.
        options = {"suppress_origin": "origin" not in options, **options}
        self.socket = websocket.create_connection(
            f"{scheme}://127.0.0.1:{port}{self.path}?{query}", subprotocols=[subprotocol] if subprotocol else None, timeout=30,
            enable_multithread=True, skip_utf8_validation=True, **options)
        self.subprotocol = self.socket.subprotocol
        self.socket.settimeout(300)
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        self.socket_id = None
        if greeted:
            try:
                greeting = self.wait("pusher:connection_established")
            except BaseException:
                self.drop()
                raise
            self.socket_id, self.activity_timeout = greeting["data"]["socket_id"], greeting["data"]["activity_timeout"]

    # Reading.

    def _read(self):
        end = None
        try:
            while not isinstance(end, tuple):
                end = pusher_frames.read(*self.socket.recv_data(control_frame=True))
                if isinstance(end, dict):
                    self.events.put(end)
        except (OSError, websocket.WebSocketException) as error:
            end = (None, str(error))
        except Exception as error:  # Told to whoever reads next, and by `kill` at the latest: this thread has no test to fail.
            self.problem = error
        self.end = end if isinstance(end, tuple) else (None, "a frame against the rules")
        self.events.put(None)

    def next(self, timeout=20):
        """The next event but pings, which are answered, and counts, which are kept apart. Raises Closed at the end."""
        end = time.monotonic() + timeout
        while True:
            try:
                event = self.events.get(timeout=max(end - time.monotonic(), 0.001))
            except queue.Empty:
                raise AssertionError(f"nothing within {timeout} s; seen: {self.seen[-5:]}") from None
            if event is None:
                self.events.put(None)
                if self.problem:
                    raise self.problem
                code, reason = self.end
                raise Closed(code, reason, [e["data"] for e in self.seen if e["event"] == "pusher:error"])
            if event["event"] == "pusher:ping" and self.answers_pings:
                self.send("pusher:pong", {})
                continue
            if event["event"] == "pusher_internal:subscription_count":
                self.counts.append((event["channel"], event["data"]["subscription_count"]))
                continue
            self.seen.append(event)
            return event

    def wait(self, name, channel=None, timeout=20):
        """The next event, which has to have this name."""
        event = self.next(timeout)
        assert event["event"] == name and (channel is None or event.get("channel") == channel), (name, channel, event)
        return event

    def skip_to(self, name, channel=None, timeout=20):
        """The next event of this name, behind whatever else there is; but no error."""
        end = time.monotonic() + timeout
        while (event := self.next(max(end - time.monotonic(), 0.001)))["event"] != name or channel not in (None, event.get("channel")):
            assert event["event"] != "pusher:error", event
        return event

    def closed(self, timeout=20):
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

    # Ending.

    def drop(self):
        """Hangs up without a word."""
        try:
            # Closing alone would wait for the thread that reads.
            self.socket.sock.shutdown(socket.SHUT_RDWR)
        except (AttributeError, OSError):
            pass  # The server was first.
        self.reader.join(10)
        self.socket.shutdown()

    def kill(self):
        """For the fixture that ends what was started: no frame, also none that nobody waited for, may have been against the rules."""
        self.drop()
        if self.problem:
            raise self.problem
