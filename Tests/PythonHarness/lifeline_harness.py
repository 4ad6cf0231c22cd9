"""Starts and stops the programs of a scenario: `lifeline serve`, `lifeline listen`, and the fault proxy.

Everything runs on loopback, on free ports, and ends with the test; only processes that were started here are ended.
"""

import fcntl
import hashlib
import hmac
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Fault proxy, checker and certificates: see its README.
TOOLS = ROOT / "Tests" / "Tools"
APP_ID, KEY, SECRET = "1001", "app-key", "app-secret"
# Seconds that a busy machine may add to what timers decide.
GRACE = 4
# The fast profile notices a dead link when nothing was heard for 2 s and its test got no answer for 1 s; it pauses 3 s at most.
DETECT, RECOVER = 3 + GRACE, 3 + GRACE
# What waits for no timer. The shortest that could bring about the same takes 2 s.
AT_ONCE = 1.5


def lifeline():
    """The program under test: $LIFELINE, or the debug build."""
    # A relative path is one from the top of the project, wherever a test has gone.
    path = ROOT / (os.environ.get("LIFELINE") or ".build/debug/lifeline")
    if not path.exists():
        raise RuntimeError(f"{path} does not exist: build it with `swift build --product lifeline`, or set LIFELINE.")
    return str(path)


def free_port():
    """A port that is free, and stays so while whoever listens there is away: none of those that the system gives to outgoing
    connections, of which the clients that try to come back make many."""
    try:
        first = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    except (OSError, ValueError):
        first = 32_768
    while True:
        port = random.randrange(10_000, first) if first > 11_000 else 0
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            port = probe.getsockname()[1]
        if claim(port):
            return port


def claim(port):
    """Whether this process has the port to itself among all tests that run on this machine, until the process ends.

    A port that was found free is bound some time later by a program that the test starts. Until then nothing but the claim keeps
    another test from finding it free as well. RedisProcess.swift claims in the same way.
    """
    folder = Path(tempfile.gettempdir()) / f"lifeline-test-ports-{os.getuid()}"
    folder.mkdir(exist_ok=True)
    file = os.open(folder / str(port), os.O_CREAT | os.O_RDWR, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(file)
        return False
    # The descriptor stays open, and with it the lock.
    return True


def wait_until(condition, timeout, what):
    """The first true value of `condition`, or a failure that says what was awaited; `what` may be a function, which knows more then."""
    end = time.monotonic() + timeout
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.02)
    raise AssertionError(f"not within {timeout} s: {what() if callable(what) else what}")


class Program:
    """A process whose output lines are gathered as they come."""

    def __init__(self, command, stdin=False, env=None):
        """`env` are variables in addition to those of this process."""
        self.command = command
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE if stdin else subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, bufsize=1, encoding="utf-8", env={**os.environ, **env} if env else None)
        self.lines, self.errors = [], []
        self.readers = [
            threading.Thread(target=self._read, args=(self.process.stdout, self.lines), daemon=True),
            threading.Thread(target=self._read, args=(self.process.stderr, self.errors), daemon=True)]
        for reader in self.readers:
            reader.start()

    @staticmethod
    def _read(stream, lines):
        for line in stream:
            lines.append(line.rstrip("\n"))

    def say(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def end(self, how=signal.SIGTERM, timeout=20):
        """Ends the process and returns its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        try:
            self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(5)
            raise AssertionError(f"{self.command} did not end within {timeout} s of signal {how}")
        for reader in self.readers:
            reader.join(2)
        return self.process.returncode

    def wait(self, timeout):
        code = self.process.wait(timeout)
        for reader in self.readers:
            reader.join(2)
        return code

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(20)

    def ready(self, condition, what):
        """What the condition finds. A program that does not begin is ended here: nobody else knows of it yet."""
        def begun():
            value = condition()
            assert value or self.process.poll() is None, f"it ended with {self.process.returncode}: {self.errors}"
            return value

        try:
            return wait_until(begun, 60, what)
        except BaseException:
            self.kill()
            raise


class Server(Program):
    """`lifeline serve`. On a chosen port it can be killed and come back."""

    def __init__(self, port=0, *options, env=None, program=None):
        """`program` is another one than the program under test."""
        super().__init__([program or lifeline(), "serve", "--port", str(port), *options], env=env)
        ready = self.ready(
            lambda: next((l for l in self.lines if l.startswith("lifeline: ready ")), None), "the server's ready line")
        self.url = ready.split()[-1]
        self.port = urllib.parse.urlsplit(self.url).port

    def get(self, path):
        return rest(self.port, "GET", path)

    def wait_vacated(self, channel):
        """Waits until nobody is subscribed to the channel: what a connection that was dropped leaves behind takes its time."""
        wait_until(
            lambda: channel not in json.loads(self.get(f"/apps/{APP_ID}/channels")[1])["channels"], 30, f"{channel} to be vacated")

    def publish(self, channel, event, data):
        """Publishes over REST; True when acknowledged, False when refused, None when unknown."""
        try:
            status, _ = rest(self.port, "POST", f"/apps/{APP_ID}/events", {"name": event, "channels": [channel], "data": data})
            return status == 200
        except (OSError, urllib.error.URLError):
            return None


def rest(port, method, path, body=None, key=KEY, secret=SECRET, timestamp=None):
    """A signed REST request, written from the protocol's description and nothing of ours."""
    raw = json.dumps(body).encode() if body is not None else b""
    query = {"auth_key": key, "auth_timestamp": str(timestamp or int(time.time())), "auth_version": "1.0"}
    if raw:
        query["body_md5"] = hashlib.md5(raw).hexdigest()
    base, _, extra = path.partition("?")
    for pair in filter(None, extra.split("&")):
        name, _, value = pair.partition("=")
        query[name] = value
    text = "&".join(f"{k}={query[k]}" for k in sorted(query))
    signature = hmac.new(secret.encode(), f"{method}\n{base}\n{text}".encode(), hashlib.sha256).hexdigest()
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}{base}?{text}&auth_signature={signature}", data=raw or None, method=method,
        headers={"Content-Type": "application/json"} if raw else {})
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


class Proxy(Program):
    """The fault proxy, with its log as independent evidence."""

    def __init__(self, upstream):
        self.port, self.control = free_port(), free_port()
        super().__init__([
            sys.executable, str(TOOLS / "faultproxy.py"), "--listen", f"127.0.0.1:{self.port}", "--upstream",
            f"127.0.0.1:{upstream}", "--control", f"127.0.0.1:{self.control}"])
        self.ready(lambda: "ready" in self.lines, "the fault proxy")
        self.url = f"http://127.0.0.1:{self.port}"

    def _ask(self, path, body=None, method="GET"):
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.control}{path}", data=None if body is None else json.dumps(body).encode(), method=method)
        # Before the answer: by then a client may have noticed, and what is seen before a fault is not blamed on it.
        begun = time.monotonic()
        with urllib.request.urlopen(request, timeout=20) as answer:
            return begun, json.load(answer)

    def mode(self, name, **options):
        """Sets the mode and returns since when."""
        return self._ask("/mode", {"mode": name, **options}, "PUT")[0]

    def replace_answers(self, status, headers):
        """From now on somebody else answers, as a captive portal or a gateway does; ends the links that there are and returns since when.

        New connections only get that answer: written into an open one it would come before it is asked for, and what a client
        makes of that depends on what it was about to do.
        """
        self.mode("http", status=status, headers=headers, new_only=True)
        return self.kill_links("rst")

    def kill_links(self, how):
        return self._ask("/kill", {"how": how}, "POST")[0]

    def inject(self, raw):
        return self._ask("/inject", {"hex": raw.hex(), "dir": "down"}, "POST")[0]

    def opens(self):
        """How many connections the proxy has seen."""
        return self._ask("/state")[1]["total"]

    def received(self):
        """How many bytes came from the server, those that were lost included."""
        return self._ask("/state")[1]["down"]


class Listener(Program):
    """`lifeline listen --json` with the fast timing profile."""

    def __init__(self, url, *options, name="s1", timing="fast", service="pusher", key=KEY, secret=SECRET):
        command = [lifeline(), "listen", "--service", service, "--url", url, "--key", key, "--timing", timing, "--name", name]
        if secret:
            command += ["--secret", secret]
        super().__init__(command + ["--json", *options], stdin=True)
        self.service = service
        self._parsed, self._upto = [], 0

    @property
    def events(self):
        while self._upto < len(self.lines):
            self._parsed.append(json.loads(self.lines[self._upto]))
            self._upto += 1
        return self._parsed

    def of(self, kind):
        return [e for e in self.events if e["ev"] == kind]

    @property
    def statuses(self):
        return [e["status"] for e in self.of("status")]

    def wait_status(self, status, timeout=20, after=0):
        """The first such status line at or after position `after` of the statuses."""
        return wait_until(
            lambda: next((e for e in self.of("status")[after:] if e["status"] == status), None), timeout,
            lambda: f"{self.service}'s status {status} after {self.statuses}")

    def wait_subscribed(self, channel, count=1, timeout=30):
        return wait_until(
            lambda: [e for e in self.of("subscribed") if e["ch"] == channel][count - 1:], timeout,
            lambda: f"{channel} subscribed {count} times; errors: {self.of('error')} {self.errors}")

    def wait_messages(self, count, timeout=30):
        return wait_until(lambda: len(self.of("msg")) >= count, timeout, lambda: f"{count} messages, got {len(self.of('msg'))}")


def close_frame(code, reason=b""):
    """An unmasked WebSocket close frame, as a server sends it."""
    body = code.to_bytes(2, "big") + reason
    return bytes([0x88, len(body)]) + body


class Publisher:
    """Publishes numbered messages at a steady rate, directly to the server, and keeps the log that the checker reads."""

    def __init__(self, server, channel, rate=20):
        self.server, self.channel, self.rate = server, channel, rate
        self.records, self.sequence = [], 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        while not self._stop.wait(1 / self.rate):
            self.sequence += 1
            body = json.dumps({"pub": "p1", "seq": self.sequence})
            record = {
                "t": time.monotonic(), "ch": self.channel, "pub": "p1", "seq": self.sequence,
                "h": hashlib.sha256(body.encode()).hexdigest(), "ok": None}
            self.records.append(record)
            outcome = self.server.publish(self.channel, "tick", body)
            self.records.append({**record, "t": time.monotonic(), "ok": outcome})

    def stop(self):
        self._stop.set()
        self._thread.join(10)


def verdict(tmp_path, publisher, listener, faults, detect=DETECT, recover=RECOVER, guarantee="live"):
    """Hands both logs to the checker and returns its result; fails with its words."""
    received = []
    for event in listener.events:
        if event["ev"] == "msg":
            body = json.dumps(event["data"])
            received.append({
                "t": event["t"], "sub": event["sub"], "ev": "msg", "ch": event["ch"], "pub": event["data"]["pub"],
                "seq": event["data"]["seq"], "h": hashlib.sha256(body.encode()).hexdigest()})
        else:
            received.append(event)
    files = {"published": publisher.records, "received": received, "faults": faults}
    for name, lines in files.items():
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    out = tmp_path / "verdict.json"
    run = subprocess.run(
        [sys.executable, str(TOOLS / "checker.py"), str(tmp_path / "published.jsonl"), str(tmp_path / "received.jsonl"),
         "--faults", str(tmp_path / "faults.jsonl"), "--guarantee", guarantee, "--detect", str(detect), "--recover", str(recover),
         "--late", str(GRACE), "--settle", "0.3", "--json", str(out)], capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stdout + run.stderr
    return json.loads(out.read_text())
