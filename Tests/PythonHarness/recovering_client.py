"""A Pusher client with recovery, written from docs/pusher-recovery.md alone, on a plain WebSocket library."""

import json
import queue
import threading

import websocket
from pusher_client import signature


class RecoveringClient:
    """Keeps positions over connections. `events` is what an application would see, in order: (channel, event, data), and
    (channel, "gap", None) where events may be missing."""

    def __init__(self, port, key="app-key", query="protocol=7&recovery=1", authorized_as=None):
        self.url, self.key, self.user = f"ws://127.0.0.1:{port}/app/{key}?{query}", key, authorized_as
        self.events, self.offer, self.socket, self.socket_id = [], None, None, None
        # By channel: position up to where nothing is missing, and the connection that got it; the last replayed one.
        self.positions, self.replayed = {}, {}
        self.channels, self.confirmed, self.asked = [], set(), set()

    def connect(self):
        self.socket = websocket.create_connection(self.url, timeout=20, suppress_origin=True)
        greeting = self.read()
        assert greeting["event"] == "pusher:connection_established", greeting
        data = json.loads(greeting["data"])
        self.socket_id, self.offer = data["socket_id"], data.get("recovery")
        if self.offer is None:
            self.positions.clear()
        self.replayed, self.confirmed, self.asked = ({} if self.offer is None else self.replayed), set(), set()
        for channel in self.channels:
            self.request(channel)

    def subscribe(self, channel):
        self.channels.append(channel)
        self.request(channel)
        self.wait_confirmed(channel)

    def request(self, channel):
        data = {"channel": channel}
        if channel.startswith(("private-", "presence-")):
            text = f"{self.socket_id}:{channel}"
            if channel.startswith("presence-"):
                data["channel_data"] = json.dumps({"user_id": self.user})
                text += ":" + data["channel_data"]
            data["auth"] = f"{self.key}:{signature(text)}"
        if channel in self.positions and channel not in self.asked:
            position, socket_id = self.positions[channel]
            data["recover"] = {"position": position, "socket_id": socket_id}
            self.asked.add(channel)
        self.send("pusher:subscribe", data)

    def send(self, event, data, **rest):
        self.socket.send(json.dumps({"event": event, "data": data, **rest}))

    def read(self):
        return json.loads(self.socket.recv())

    def step(self):
        """Takes one message."""
        message = self.read()
        event, channel, position = message["event"], message.get("channel"), message.get("position")
        if event == "pusher:ping":
            self.send("pusher:pong", {})
        elif event == "pusher_internal:subscription_succeeded":
            if channel in self.positions and message.get("recovered") is not True:
                self.events.append((channel, "gap", None))
            if position:
                self.positions[channel] = (position, self.socket_id)
            else:
                self.positions.pop(channel, None)
            self.replayed.pop(channel, None)
            self.confirmed.add(channel)
        elif channel and position:
            if channel not in self.confirmed and channel not in self.asked:
                return message
            known = self.replayed.get(channel) or self.positions.get(channel, ("", None))[0]
            if known.rpartition(":")[0] == position.rpartition(":")[0] and number(position) <= number(known):
                return message
            if channel in self.confirmed:
                self.positions[channel] = (position, self.socket_id)
            else:
                self.replayed[channel] = position
            self.events.append((channel, event, message["data"]))
        elif channel in self.confirmed and not event.startswith("pusher"):
            self.events.append((channel, event, message["data"]))
        return message

    def wait_confirmed(self, *channels):
        while not set(channels) <= self.confirmed:
            self.step()

    def wait_events(self, count):
        while len(self.events) < count:
            self.step()

    def settle(self):
        """Takes everything that had been sent when the server answered a ping."""
        self.send("pusher:ping", {})
        while self.step()["event"] != "pusher:pong":
            pass

    def drop(self):
        """Loses the connection without a word."""
        if self.socket:
            self.socket.shutdown()

    kill = drop


def number(position):
    return int(position.rpartition(":")[2] or 0)


class RawClient:
    """Every frame of a connection as it came, with what differs between connections put out."""

    def __init__(self, port, query="protocol=7&client=test&version=1"):
        self.socket = websocket.create_connection(
            f"ws://127.0.0.1:{port}/app/app-key?{query}", timeout=20, suppress_origin=True)
        self.frames = []
        greeting = self.socket.recv()
        self.socket_id = json.loads(json.loads(greeting)["data"])["socket_id"]
        self.frames.append(greeting.replace(self.socket_id, "SOCKET"))
        self.waiting = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        try:
            while text := self.socket.recv():
                self.waiting.put(text)
        except (OSError, websocket.WebSocketException):
            self.waiting.put(None)

    def send(self, event, data):
        self.socket.send(json.dumps({"event": event, "data": data}))

    def take(self, last):
        """Takes frames up to one that holds a text."""
        while True:
            frame = self.waiting.get(timeout=20)
            assert frame is not None, self.frames
            self.frames.append(frame.replace(self.socket_id, "SOCKET"))
            if last in frame:
                return

    def kill(self):
        self.socket.shutdown()
