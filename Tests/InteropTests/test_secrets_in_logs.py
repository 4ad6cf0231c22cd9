"""X11 (rules SO-42 and SV-13): what server and client programs say while things go right, wrong and to pieces, searched for secrets."""

import base64
import ctypes
import hashlib
import http.client
import http.server
import json
import os
import re
import resource
import signal
import subprocess
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

import pytest
from lifeline_harness import Listener, Program, Server, lifeline, rest, wait_until
from chat_client import ServerAPI
from pusher_client import PusherSocket, signature

OPERATIONS = Path(__file__).parents[2] / "docs" / "operations" / "service.md"
UNIT = Path(__file__).parents[2] / "deploy" / "package" / "lifeline.service"


class Secrets:
    """Random texts that must not be said, in every spelling that a program could say them in."""

    def __init__(self):
        self.known = {}

    def new(self, what):
        self.known[what] = f"{what}-{os.urandom(12).hex()}"
        return self.known[what]

    def also(self, what, text):
        self.known[what] = text
        return text

    @staticmethod
    def spellings(text):
        raw = text.encode()
        plain = base64.b64encode(raw).decode().rstrip("=")
        yield from {text, text[::-1], plain, base64.urlsafe_b64encode(raw).decode().rstrip("="), raw.hex(), raw.hex().upper(),
                    urllib.parse.quote(text, safe=""), hashlib.sha256(raw).hexdigest(), hashlib.sha1(raw).hexdigest(),
                    hashlib.md5(raw).hexdigest()}
        # Whoever cuts a secret off still says most of it.
        yield text[:-2]
        yield text[2:]

    def said_in(self, text):
        return [what for what, secret in self.known.items() for spelling in self.spellings(secret) if spelling in text]


class Receiver:
    """A webhook's address that refuses everything, and keeps the signatures that it got."""

    def __init__(self):
        self.signatures = signatures = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                self.rfile.read(int(self.headers["Content-Length"]))
                signatures.append(self.headers["X-Pusher-Signature"])
                self.send_response(500)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def receiver():
    receiver = Receiver()
    yield receiver
    receiver.close()


def get(port, path):
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=10) as answer:
            return answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.read().decode()


def configuration(secrets, receiver):
    hook = {
        "url": f"http://127.0.0.1:{receiver.port}/{secrets.new('webhook-path')}?token={secrets.new('webhook-token')}",
        "headers": {"Authorization": f"Bearer {secrets.new('webhook-header')}"}}
    return {
        "logLevel": "trace",
        "apps": [
            {"id": "1001", "key": "app-key", "secret": secrets.new("app-secret"), "previousSecret": secrets.new("old-app-secret"),
             "clientEvents": True, "webhooks": [hook], "allowedOrigins": ["http://127.0.0.1:*"]},
            {"id": "2", "key": "other", "secret": secrets.new("other-secret")}],
        "pubnub": [
            {"publishKey": "p", "subscribeKey": "s", "secret": secrets.new("pubnub-secret"), "previousSecret": secrets.new("old-pubnub-secret"),
             "accessManager": True}],
        "nexconn": [{"key": "chat", "secret": secrets.new("chat-secret"), "previousSecret": secrets.new("old-chat-secret")}]}


def drive(server, secrets, receiver):
    """Everything that has to do with a secret, right and wrong; returns what the server answered."""
    app, other = secrets.known["app-secret"], secrets.known["other-secret"]
    payload = secrets.new("payload")
    heard = []
    client = PusherSocket(server.port, secret=app)
    good = secrets.also("channel-signature", signature(f"{client.socket_id}:private-a", app))
    client.subscribe("private-a", auth=f"app-key:{good}")
    client.subscribe("presence-a", {"user_id": "u", "user_info": {"note": payload}})
    user = json.dumps({"id": "u", "user_info": {"note": payload}})
    secrets.also("user-signature", signature(f"{client.socket_id}::user::{user}", app))
    client.signin(user)
    wrong = signature(f"{client.socket_id}:private-b", other)
    secrets.also("wrong-signature", wrong)
    for auth in (f"app-key:{wrong}", f"{app}:{wrong}", wrong, app):
        client.ask("private-b", auth=auth)
        heard.append(json.dumps(client.error()))
    client.send("pusher:signin", {"auth": f"app-key:{wrong}", "user_data": user})
    heard.append(json.dumps(client.error()))
    client.trigger("presence-a", "client-x", {"note": payload})
    for raw in (payload, json.dumps({"event": payload}), json.dumps({"event": "pusher:subscribe", "data": payload})):
        client.raw(raw)
        heard.append(json.dumps(client.error()))
    with pytest.raises(Exception):
        PusherSocket(server.port, secret=app, origin="https://foreign.example")
    # Who mixes up the two lines of the credentials sends the secret as the key.
    with pytest.raises(Exception):
        PusherSocket(server.port, key=app)
    client.drop()

    # The same mistake with the HTTP APIs.
    heard.append(get(server.port, f"/apps/1001/channels?auth_key={app}&auth_signature={wrong}&auth_version=1.0&auth_timestamp={int(time.time())}"))
    heard.append(get(server.port, f"/v2/subscribe/{secrets.known['pubnub-secret']}/room/0?uuid=u"))
    heard.append(json.dumps(ServerAPI(server.port, secrets.known["chat-secret"], other).call("user/get", {"userId": "ann"})[1]))

    body = {"name": "x", "channel": "private-a", "data": payload}
    for secret, stamp in ((app, None), (other, None), (app, int(time.time()) - 9_000)):
        heard.append(rest(server.port, "POST", "/apps/1001/events", body, secret=secret, timestamp=stamp)[1])
    heard.append(rest(server.port, "POST", "/apps/1001/events", {"name": payload * 20, "data": app}, secret=app)[1])
    heard.append(rest(server.port, "POST", f"/apps/{payload}/events", body, secret=app)[1])
    heard.append(get(server.port, f"/apps/1001/channels?auth_key=app-key&auth_signature={wrong}&auth_version=1.0&auth_timestamp={payload}"))

    pubnub = secrets.known["pubnub-secret"]
    token = secrets.new("pubnub-token")
    for path in (f"/v2/subscribe/s/room/0?uuid=u&auth={token}", f"/publish/p/s/0/room/0/%22{payload}%22?uuid=u&auth={token}",
                 f"/v2/auth/grant/sub-key/s?signature=v2.{token}&timestamp={int(time.time())}", f"/v3/pam/s/grant?signature={pubnub}"):
        heard.append(get(server.port, path))

    api = ServerAPI(server.port, "chat", secrets.known["chat-secret"])
    secrets.also("chat-token", api.token("ann"))
    headers = api.headers()
    secrets.also("chat-signature", headers["Signature"])
    heard.append(json.dumps(api.call("user/get", {"userId": payload}, headers=headers)[1]))
    heard.append(json.dumps(api.call("user/get", {"userId": "ann"}, headers=headers)[1]))
    heard.append(json.dumps(api.call("user/get", {"userId": "ann"}, headers={**headers, "Signature": "0" * 40})[1]))
    api.close()
    wait_until(lambda: receiver.signatures, 60, "a webhook")
    secrets.also("webhook-signature", receiver.signatures[0])
    return heard


# Proof of X11.
def test_the_server_says_no_secret(started, tmp_path, receiver):
    secrets = Secrets()
    file = tmp_path / "lifeline.json"
    settings = configuration(secrets, receiver)
    file.write_text(json.dumps(settings))
    server = started(Server, 0, "--config", str(file))
    heard = drive(server, secrets, receiver)
    assert len(heard) > 15

    # A reload that fails at a secret, one that works, and one of something that is not JSON.
    for text, sign in ((json.dumps({**settings, "apps": [{**settings["apps"][0], "secret": {"a": secrets.new("odd-secret")}}]}), "not valid"),
                       (json.dumps({**settings, "apps": settings["apps"][:1]}), "have been reloaded"),
                       (json.dumps(settings)[:-5], "not JSON")):
        file.write_text(text)
        server.process.send_signal(signal.SIGHUP)
        wait_until(lambda: any(sign in line for line in server.errors), 60, f"{sign} in the log")
    server.end()

    said = "\n".join(server.lines + server.errors)
    assert "connected" in said and "webhook" in said, "the log says something"
    assert secrets.said_in(said) == []
    # What clients were told may repeat what they sent, but no secret of the server's.
    answers = "\n".join(heard)
    own = ("app-secret", "other-secret", "pubnub-secret", "chat-secret", "webhook-path", "webhook-token", "webhook-header", "channel-signature")
    assert [what for what in secrets.said_in(answers) if what in own] == []


# Proof of X11.
def test_a_server_that_cannot_start_says_no_secret(tmp_path, receiver):
    secrets = Secrets()
    settings = configuration(secrets, receiver)
    file = tmp_path / "lifeline.json"
    key = tmp_path / "server.key"
    key.write_text(f"-----BEGIN PRIVATE KEY-----\n{secrets.new('private-key')}\n-----END PRIVATE KEY-----\n")
    wrong = [
        {**settings, "apps": settings["apps"] + [settings["apps"][0]]},
        {**settings, "apps": [{**settings["apps"][0], "secert": secrets.new("misspelt")}]},
        {**settings, "app": settings["apps"][0]},
        {**settings, "nexconn": secrets.new("no-object")},
        {**settings, "tls": {"cert": str(key), "key": str(key)}},
        # Values of settings that hold no secrets are shown (SO-91).
        {**settings, "port": "no-port"},
        {**settings, "pathPrefix": "no-path"},
    ]
    for n, text in enumerate([json.dumps(item) for item in wrong] + [json.dumps(settings).replace("}", "", 1)]):
        file.write_text(text)
        for more in ([], ["--check"]):
            run = subprocess.run([lifeline(), "serve", "--config", str(file), *(["--port", "0"] if n != 5 else []), *more],
                                 capture_output=True, text=True, timeout=60)
            assert run.returncode in ((1, 2) if not more else (2,)), (n, run)
            assert run.stderr
            assert secrets.said_in(run.stdout + run.stderr) == [], n
            assert ('"no-port"' in run.stderr, '"no-path"' in run.stderr) == (n == 5, n == 6), (n, run.stderr)
    file.write_text(json.dumps(settings))
    run = subprocess.run([lifeline(), "serve", "--config", str(file), "--check"], capture_output=True, text=True, timeout=60)
    assert run.returncode == 0 and "app 1001" in run.stdout
    assert secrets.said_in(run.stdout + run.stderr) == []


# Proof of X11.
def test_the_client_says_no_secret(started, server, tmp_path):
    secrets = Secrets()
    secret, token, cipher = secrets.new("secret"), secrets.new("token"), secrets.new("cipher-key")
    url = server.url
    said = []
    listeners = [
        started(Listener, url, "--channel", "private-a", name="a", secret=secret),
        started(Listener, url, "--channel", "private-a", "--auth-endpoint", f"{url}/{token}", name="b", secret=None),
        started(Listener, url, "--channel", "a", "--token", token, "--cipher-key", cipher, name="c", service="pubnub", key="demo", secret=secret),
        started(Listener, url, "--channel", "a", "--token", token, name="d", service="nexconn", secret=None),
        started(Listener, url, "--channel", "a", "--user", "x", name="e", service="nexconn", secret=secret),
        started(Listener, "http://127.0.0.1:1", "--channel", "private-a", name="f", secret=secret)]
    for listener in listeners:
        wait_until(lambda: listener.of("error") or listener.of("subscribed") or len(listener.of("status")) >= 2
                   or listener.process.poll() is not None, 60, "a listener to say something")
    for listener in listeners:
        listener.end()
        said += listener.lines + listener.errors
    common = ["--channel", "private-a", "--data", '"x"', "--url"]
    for words in (["--secret", secret, *common, url], ["--secret", secret, *common, "http://127.0.0.1:1"],
                  ["--secret", secret, "--service", "pubnub", "--token", token, "--cipher-key", cipher, *common, url],
                  ["--secret", secret, "--service", "nexconn", *common, url], ["--token", token, "--service", "nexconn", *common, url],
                  ["--secret", secret, "--sercet", secret, *common, url]):
        for how in ([], ["--json"]):
            publish = started(Program, [lifeline(), "publish", *words, *how])
            publish.wait(60)
            said += publish.lines + publish.errors
    text = "\n".join(said)
    assert len(said) > 20
    assert secrets.said_in(text) == []
    assert not re.search(r"\b[0-9a-f]{64}\b", text), "a signature"


def crash(program, how):
    """Has the program crash on a thread that serves connections, and returns what it said."""
    threads = {int(path.name): (path / "comm").read_text() for path in Path(f"/proc/{program.process.pid}/task").iterdir()}
    loops = [thread for thread, name in threads.items() if name.startswith("NIO")]
    assert loops, threads
    assert ctypes.CDLL(None).tgkill(program.process.pid, loops[0], how) == 0
    wait_until(lambda: any(line.startswith("Backtrace took") for line in program.errors), 120, lambda: f"a backtrace: {program.errors[-20:]}")
    # Having told, the runtime lets the program go on and fall over the same place again, where none is when the signal is ours.
    program.end(signal.SIGKILL)
    return program.lines, "\n".join(program.errors)


@pytest.fixture
def documented(monkeypatch):
    """The settings for what a crash says that docs/operations/service.md and the unit have; and nothing is kept of the memory."""
    settings = re.search(r"`SWIFT_BACKTRACE=(\S+)`", OPERATIONS.read_text())[1]
    assert f"\nEnvironment=SWIFT_BACKTRACE={settings}\n" in UNIT.read_text()
    monkeypatch.setenv("SWIFT_BACKTRACE", settings)
    before = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, before[1]))
    yield settings
    resource.setrlimit(resource.RLIMIT_CORE, before)


# Proof of X11.
@pytest.mark.parametrize("how", [signal.SIGSEGV, signal.SIGILL], ids=lambda how: how.name)
def test_what_a_crash_says_is_no_secret(started, tmp_path, receiver, documented, how):
    """In the middle of requests that carry signatures, on the thread that reads them; and a client that has a secret."""
    secrets = Secrets()
    file = tmp_path / "lifeline.json"
    file.write_text(json.dumps(configuration(secrets, receiver)))
    server = started(Server, 0, "--config", str(file))
    app, client_secret = secrets.known["app-secret"], secrets.new("client-secret")
    listener = started(Listener, server.url, "--channel", "private-a", secret=app)
    listener.wait_subscribed("private-a")
    denied = started(Listener, server.url, "--channel", "private-a", name="denied", secret=client_secret)
    wait_until(lambda: denied.of("error"), 60, "the refusal")
    drive(server, secrets, receiver)

    def publish():
        try:
            while True:
                rest(server.port, "POST", "/apps/1001/events", {"name": "x", "channel": "private-a", "data": "1"}, secret=app)
        except (OSError, http.client.HTTPException):
            pass  # The crash.

    publisher = threading.Thread(target=publish)
    publisher.start()
    try:
        listener.wait_messages(20)
        ends = [crash(server, how)]
    finally:
        server.kill()
        publisher.join()
    ends += [crash(program, how) for program in (listener, denied)]
    for lines, errors in ends:
        assert re.search(r'Thread \d+ "NIO.*" crashed', errors), errors[-2000:]
        # What a client is sent it shows; that is no secret of its own.
        told = errors + "\n".join(line for line in lines if '"ev":"msg"' not in line)
        assert secrets.said_in(told) == []
        # Memory would be shown as pairs of digits.
        assert secrets.said_in(re.sub(r"\s", "", told)) == []
