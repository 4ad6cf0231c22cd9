"""Chat's side of the harness: listeners, and a publisher that keeps the checker's log and sends again what got no answer."""

import hashlib
import json
import threading
import time

from lifeline_harness import Listener, wait_until
from chat_client import APP_KEY, APP_SECRET, ChatSession, Farewell, Lost, Refused, ServerAPI


class ChatListener(Listener):
    """`lifeline listen --service nexconn --json` with the fast timing profile."""

    def __init__(self, url, *options, name="s1", timing="fast", key=APP_KEY, secret=APP_SECRET, user=None):
        super().__init__(
            url, "--user", user or name, *options, name=name, timing=timing, service="nexconn", key=key, secret=secret)


class ChatPublisher:
    """Sends numbered messages at a steady rate to one conversation, directly to the server.

    Written from the session document and nothing of ours. What got no answer goes out again with the same client id until it is answered,
    so nothing stays unknown.
    """

    def __init__(self, port, conv, to, channel, rate=20, name="p1", members=()):
        self.api = ServerAPI(port)
        self.session = ChatSession(port, self.api.token(name), device=f"device-{name}")
        self.session.connect()
        if conv == "group":
            for user in members:
                self.api.token(user)
            self.session.ask("group.create", group={"id": to, "name": to}, users=list(members))
        elif conv == "open":
            self.session.ask("open.enter", ch=to, count=0)
        self.conv, self.to, self.channel, self.rate, self.name = conv, to, channel, rate, name
        self.records, self.sequence, self.repeated, self.problem = [], 0, 0, None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self):
        """Begins to send at the rate. What is sent before a listener is there waits for it, and would count as late."""
        self._thread.start()
        return self

    def _run(self):
        due = time.monotonic()
        try:
            while not self._stop.is_set():
                due = max(due + 1 / self.rate, time.monotonic() - 1)
                self.publish()
                self._stop.wait(max(0, due - time.monotonic()))
        except Exception as error:  # Told by stop(), which runs on another thread.
            self.problem = error

    def publish(self, count=1):
        for _ in range(count):
            self.sequence += 1
            content = {"pub": self.name, "seq": self.sequence}
            record = {
                "t": time.monotonic(), "ch": self.channel, "pub": self.name, "seq": self.sequence,
                "h": hashlib.sha256(json.dumps(content).encode()).hexdigest(), "ok": None}
            self.records.append(record)
            outcome = self._send(content)
            self.records.append({**record, "t": time.monotonic(), "ok": outcome})

    def _send(self, content):
        end = time.monotonic() + 60
        while True:
            try:
                if self.session.socket is None:
                    self.session.connect(reconnect=True)
                    if self.conv == "open":
                        self.session.ask("open.enter", ch=self.to, count=0)
                self.session.ask(
                    "send", cid=f"{self.name}-{content['seq']}", conv=self.conv, to=self.to, type="app:tick", content=content)
                return True
            except Refused as error:
                # Nobody has answered in time, and it may be done late (CC-28): the same client id makes sure that it is done once.
                if error.code != 33002:
                    return False
                assert time.monotonic() < end, f"nobody decided: {error!r}"
                self.repeated += 1
                time.sleep(0.1)
            except (Lost, OSError, ConnectionError, AssertionError) as error:
                assert time.monotonic() < end, f"the server did not come back: {error!r}"
                self.repeated += 1
                time.sleep(0.02)
            except Farewell as error:
                # A server that has no leader for a while says that one may come back.
                if not error.retry:
                    raise
                assert time.monotonic() < end, f"the server did not take the user back: {error!r}"
                self.repeated += 1
                time.sleep(0.1)
            except Exception as error:  # The WebSocket library has its own family for what a server that dies does to a handshake.
                if "websocket" not in type(error).__module__:
                    raise
                self.repeated += 1
                time.sleep(0.02)

    def stop(self):
        self._stop.set()
        if self._thread.ident is not None:
            self._thread.join(30)
        assert self.problem is None, self.problem
        self.session.drop()
        self.api.close()
