"""A client of the Pusher protocol on a plain WebSocket, written from the protocol's description and nothing of ours."""

import hashlib
import hmac
import json

import websocket
from lifeline_harness import KEY, SECRET


def sign(text, secret=SECRET, key=KEY):
    return f"{key}:{hmac.new(secret.encode(), text.encode(), hashlib.sha256).hexdigest()}"


class PusherSocket:
    """Connected; `greet=False` leaves the greeting unread. Reads fail after ten seconds."""

    def __init__(self, port, key=KEY, path=None, greet=True, **options):
        path = path or f"/app/{key}?protocol=7&client=test&version=1"
        # Only browsers name the page that asks.
        options = {"suppress_origin": "origin" not in options, "timeout": 10, **options}
        self.socket = websocket.create_connection(f"ws://127.0.0.1:{port}{path}", **options)
        self.socket_id = json.loads(self.expect("pusher:connection_established")["data"])["socket_id"] if greet else None

    @property
    def subprotocol(self):
        return self.socket.getsubprotocol()

    def send(self, event, data=None, channel=None):
        message = {"event": event, "data": data if data is not None else {}}
        if channel:
            message["channel"] = channel
        self.socket.send(json.dumps(message))

    def next(self):
        """The next message; the close code once the server has closed; None when it did so without a code."""
        opcode, payload = self.socket.recv_data()
        if opcode == websocket.ABNF.OPCODE_CLOSE:
            return int.from_bytes(payload[:2], "big") if len(payload) > 1 else None
        return json.loads(payload)

    def expect(self, event):
        """The next message, which has to be this event."""
        message = self.next()
        assert isinstance(message, dict) and message["event"] == event, f"{event} expected, got {message}"
        return message

    def skip_to(self, event):
        while True:
            message = self.next()
            assert isinstance(message, dict), f"closed with {message} before {event}"
            if message["event"] == event:
                return message

    def expect_silence(self):
        """Nothing has come before the answer to a question."""
        self.send("pusher:ping")
        self.expect("pusher:pong")

    def subscribe(self, channel, member=None, confirm=True):
        data = {"channel": channel}
        if channel.startswith("presence-"):
            data["channel_data"] = json.dumps(member or {"user_id": "u1"})
            data["auth"] = sign(f"{self.socket_id}:{channel}:{data['channel_data']}")
        elif channel.startswith("private-"):
            data["auth"] = sign(f"{self.socket_id}:{channel}")
        self.send("pusher:subscribe", data)
        return self.confirmed(channel) if confirm else None

    def confirmed(self, channel):
        """The confirmation of this channel: the first that is heard of it, behind news of others."""
        while (message := self.next()).get("channel") != channel:
            assert message["event"] != "pusher:error", message
        assert message["event"] == "pusher_internal:subscription_succeeded", message
        return message

    def sign_in(self, user, **more):
        data = json.dumps({"id": user, **more})
        self.send("pusher:signin", {"user_data": data, "auth": sign(f"{self.socket_id}::user::{data}")})
        return self.skip_to("pusher:signin_success")

    def kill(self):
        """For the fixture that ends what was started."""
        self.socket.close(timeout=1)
