"""PubNub's side of the harness: listeners over long-poll, and a publisher that keeps the checker's log."""

import hashlib
import http.client
import json
import threading
import time
import urllib.parse

from lifeline_harness import Listener

PUBLISH_KEY = SUBSCRIBE_KEY = "demo"


class PubNubListener(Listener):
    """`lifeline listen --service pubnub --json` with the fast timing profile."""

    def __init__(self, url, *options, name="s1", timing="fast", key=SUBSCRIBE_KEY):
        super().__init__(url, *options, name=name, timing=timing, service="pubnub", key=key, secret=None)


class PubNubConnection:
    """Publishes on one kept connection, written from the protocol's description and nothing of ours."""

    def __init__(self, port):
        self.port, self.connection = port, None

    def get(self, path):
        """The answer's JSON, or None when nobody knows whether the request arrived."""
        try:
            if self.connection is None:
                self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
            self.connection.request("GET", path)
            answer = self.connection.getresponse()
            body = answer.read()
            return (answer.status, json.loads(body))
        except (OSError, http.client.HTTPException, ValueError):
            self.close()
            return None

    def publish(self, channel, body):
        """True when acknowledged, False when refused, None when unknown; and the timetoken."""
        path = f"/publish/{PUBLISH_KEY}/{SUBSCRIBE_KEY}/0/{urllib.parse.quote(channel, safe='')}/0/" + urllib.parse.quote(
            body, safe="") + "?uuid=publisher"
        answer = self.get(path)
        if answer is None:
            return None, None
        status, parts = answer
        if status == 200 and parts[0] == 1:
            return True, int(parts[2])
        return False, None

    def close(self):
        if self.connection is not None:
            self.connection.close()
        self.connection = None


class PubNubPublisher:
    """Publishes numbered messages at a steady rate, directly to the server. `rate=None` publishes only when told to."""

    def __init__(self, port, channel, rate=20, name="p1"):
        self.connection, self.channel, self.rate, self.name = PubNubConnection(port), channel, rate, name
        self.records, self.tokens, self.sequence = [], [], 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        if rate:
            self._thread.start()

    def _run(self):
        due = time.monotonic()
        while not self._stop.is_set():
            due += 1 / self.rate
            self.publish()
            self._stop.wait(max(0, due - time.monotonic()))

    def publish(self, count=1):
        for _ in range(count):
            self.sequence += 1
            body = json.dumps({"pub": self.name, "seq": self.sequence})
            record = {
                "t": time.monotonic(), "ch": self.channel, "pub": self.name, "seq": self.sequence,
                "h": hashlib.sha256(body.encode()).hexdigest(), "ok": None}
            self.records.append(record)
            outcome, token = self.connection.publish(self.channel, body)
            if token is not None:
                self.tokens.append(token)
            self.records.append({**record, "t": time.monotonic(), "ok": outcome})

    def stop(self):
        self._stop.set()
        if self._thread.ident is not None:
            self._thread.join(10)
        self.connection.close()
