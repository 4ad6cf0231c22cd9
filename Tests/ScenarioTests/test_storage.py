"""`lifeline serve --data`: what was acknowledged survives `kill -9`, in history and for readers that catch up (rules HB-42 to HB-46).

Publishers and readers are written from the facts about PubNub's protocol and use nothing of ours.
"""

import http.client
import json
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
import urllib.parse

import pytest
from lifeline_harness import ROOT, Server, free_port, lifeline, wait_until

CHANNELS = [f"room.{number}" for number in range(4)]


class Line:
    """One connection to the server, opened anew when it is lost."""

    def __init__(self, port, timeout=15):
        self.port, self.timeout, self.connection = port, timeout, None

    def get(self, path):
        return self.ask("GET", path)

    def ask(self, method, path, body=None):
        """Status and body as JSON; raises OSError or HTTPException when the outcome is unknown."""
        if self.connection is None:
            self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=self.timeout)
        try:
            self.connection.request(method, path, body)
            answer = self.connection.getresponse()
            return answer.status, json.loads(answer.read())
        except (OSError, http.client.HTTPException):
            self.connection.close()
            self.connection = None
            raise

    def until_it_works(self, path, unless=None):
        """The first answer; None when `unless` is set before there is one."""
        end = time.monotonic() + 30
        while not (unless and unless.is_set()):
            try:
                return self.get(path)
            except (OSError, http.client.HTTPException):
                assert time.monotonic() < end, f"no answer to {path}"
                time.sleep(0.02)


class NumberingPublisher(threading.Thread):
    """Publishes numbers one after the other; what got no answer is not repeated. Waits as long as `held` says so."""

    def __init__(self, port, name, channel, held, rate=40):
        super().__init__(daemon=True)
        self.held = held
        self.line, self.name_, self.channel, self.rate = Line(port), name, channel, rate
        self.acknowledged, self.unknown = {}, set()
        self.stopped = threading.Event()

    def run(self):
        number = 0
        while not self.stopped.wait(1 / self.rate):
            if self.held():
                continue
            number += 1
            text = urllib.parse.quote(json.dumps({"by": self.name_, "n": number}), safe="")
            try:
                status, body = self.line.get(f"/publish/demo/demo/0/{self.channel}/0/{text}?uuid={self.name_}")
                if status == 200:
                    self.acknowledged[number] = int(body[2])
            except (OSError, http.client.HTTPException):
                self.unknown.add(number)


class Reader(threading.Thread):
    """Polls, and goes on from its cursor after every loss."""

    def __init__(self, port, path):
        super().__init__(daemon=True)
        self.line, self.path = Line(port), path
        self.messages, self.fullest = [], 0
        self.stopped = threading.Event()
        _, body = self.line.until_it_works(f"/v2/subscribe/demo/{path}/0?tt=0&uuid=reader")
        self.cursor = body["t"]

    def run(self):
        while not self.stopped.is_set():
            answer = self.line.until_it_works(
                f"/v2/subscribe/demo/{self.path}/0?tt={self.cursor['t']}&tr={self.cursor['r']}&uuid=reader", unless=self.stopped)
            if answer is None:
                return
            body = answer[1]
            assert int(body["t"]["t"]) >= int(self.cursor["t"])
            self.cursor = body["t"]
            self.fullest = max(self.fullest, len(body["m"]))
            # Presence of the readers themselves matches a wildcard too.
            self.messages += [(m["c"], m["d"], int(m["p"]["t"])) for m in body["m"] if not m["c"].endswith("-pnpres")]


def whole_history(line, channel):
    """Every stored message of a channel, oldest first, page by page."""
    found, start = [], 0
    while True:
        _, body = line.until_it_works(
            f"/v2/history/sub-key/demo/channel/{channel}?count=100&reverse=true&include_token=true&start={start}")
        page = [(channel, item["message"], item["timetoken"]) for item in body[0]]
        found += page
        if len(page) < 100:
            return found
        start = page[-1][2]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_nothing_acknowledged_is_lost_to_kill_9(started, tmp_path, seed):
    chance = random.Random(seed)
    options = ("--data", str(tmp_path / "data"), "--pubnub-poll-hold", "2")
    server = started(Server, free_port(), *options)
    port = server.port
    readers = [Reader(port, ",".join(CHANNELS)), Reader(port, "room.*")]

    def held():
        """Whether a reader is so far behind that its queue, which holds a hundred, could lose something: machines differ."""
        return sum(len(p.acknowledged) for p in publishers) > min(len(reader.messages) for reader in readers) + 40

    publishers = [NumberingPublisher(port, f"p{i}", CHANNELS[i % len(CHANNELS)], held) for i in range(6)]
    for thread in readers + publishers:
        thread.start()
    for _ in range(5):
        before = sum(len(p.acknowledged) for p in publishers)
        more = chance.randrange(20, 150)
        wait_until(lambda: sum(len(p.acknowledged) for p in publishers) > before + more, 30, "publishes")
        assert server.end(signal.SIGKILL) == -signal.SIGKILL
        server = started(Server, port, *options)
    before = sum(len(p.acknowledged) for p in publishers)
    wait_until(lambda: sum(len(p.acknowledged) for p in publishers) > before + 60, 30, "publishes after the last restart")
    for publisher in publishers:
        publisher.stopped.set()
        publisher.join(20)
    line = Line(port)
    stored = {channel: whole_history(line, channel) for channel in CHANNELS}
    everything = sorted((m for page in stored.values() for m in page), key=lambda m: m[2])
    for reader in readers:
        wait_until(lambda: len(reader.messages) >= len(everything), 20, "the last messages")
        reader.stopped.set()
    time.sleep(0.3)  # Whatever comes too often would come now.

    assert len({m[2] for m in everything}) == len(everything), "a timetoken came twice"
    assert sum(len(p.unknown) for p in publishers) > 0, "no publish was cut off: the test proves nothing"
    for publisher in publishers:
        mine = [(m[1]["n"], m[2]) for m in stored[publisher.channel] if m[1]["by"] == publisher.name_]
        numbers = [number for number, _ in mine]
        assert numbers == sorted(set(numbers)), "doubled or reordered"
        assert dict(mine).items() >= publisher.acknowledged.items(), "an acknowledged message is missing or has another token"
        assert set(numbers) - publisher.acknowledged.keys() <= publisher.unknown, "a refused message is there"
    for reader in readers:
        assert reader.fullest < 100, "more was missed than a queue holds: the test proves nothing"
        assert reader.messages == everything, "what a reader saw is not what was stored"


def test_groups_survive_kill_9(started, tmp_path):
    options = ("--data", str(tmp_path / "data"))
    server = started(Server, free_port(), *options)
    line = Line(server.port)
    assert line.get("/v1/channel-registration/sub-key/demo/channel-group/g?add=b,a")[0] == 200
    server.end(signal.SIGKILL)
    server = started(Server, server.port, *options)
    _, body = line.until_it_works("/v1/channel-registration/sub-key/demo/channel-group/g")
    assert body["payload"]["channels"] == ["b", "a"]


def test_message_actions_survive_kill_9(started, tmp_path):
    options = ("--data", str(tmp_path / "data"))
    server = started(Server, free_port(), *options)
    line = Line(server.port)
    actions, tokens = "/v1/message-actions/demo/channel/room", []
    message = line.get("/publish/demo/demo/0/room/0/1?uuid=u")[1][2]
    for number in range(50):
        status, body = line.ask("POST", f"{actions}/message/{message}?uuid=ann", json.dumps({"type": "reaction", "value": str(number)}))
        assert status == 200
        tokens.append(body["data"]["actionTimetoken"])
    assert line.ask("DELETE", f"{actions}/message/{message}/action/{tokens[3]}?uuid=ann")[0] == 200
    server.end(signal.SIGKILL)
    server = started(Server, server.port, *options)
    _, body = line.until_it_works(actions)
    assert [action["actionTimetoken"] for action in body["data"]] == tokens[:3] + tokens[4:]
    assert line.ask("POST", f"{actions}/message/{message}?uuid=ann", json.dumps({"type": "reaction", "value": "3"}))[0] == 200
    # The actions go with their message, also from the disk (PV-74).
    assert line.ask("DELETE", "/v3/history/sub-key/demo/channel/room")[0] == 200
    server.end(signal.SIGKILL)
    server = started(Server, server.port, *options)
    _, body = line.until_it_works(actions)
    assert body["data"] == []


def test_a_directory_of_the_first_version_is_taken_over(started, tmp_path):
    data = tmp_path / "data"
    server = started(Server, 0, "--data", str(data))
    assert Line(server.port).get("/publish/demo/demo/0/room/0/1?uuid=u")[0] == 200
    server.end()
    with sqlite3.connect(data / "lifeline.sqlite") as database:
        database.executescript("DROP TRIGGER message_removed; DROP TABLE message_usage; DROP TABLE message_action; DROP TABLE access; DROP TABLE record; DELETE FROM grdb_migrations WHERE identifier NOT LIKE '1 %';")
        grants = [{"on": "channel", "name": "room", "auth": "k", "rights": 1, "ttl": 0}]
        database.execute("INSERT INTO message (application, channel, timetoken, payload, kind, stored) VALUES ('access:demo', 'journal', 5, ?, 0, 1)",
                         [json.dumps(grants).encode()])
    database.close()
    for _ in range(2):
        server = started(Server, 0, "--data", str(data), "--pubnub-access-manager")
        line = Line(server.port)
        assert line.get("/v2/history/sub-key/demo/channel/room?auth=k")[1][0] == [1]
        assert line.get("/v2/history/sub-key/demo/channel/room?auth=other")[0] == 403
        server.end()


def refused(*options):
    """Exit code and errors of a server that is not to start."""
    result = subprocess.run([lifeline(), "serve", "--port", "0", *options], capture_output=True, text=True, timeout=60)
    return result.returncode, result.stderr


def test_a_directory_is_for_one_server_at_a_time(started, tmp_path):
    started(Server, 0, "--data", str(tmp_path / "data"))
    code, errors = refused("--data", str(tmp_path / "data"))
    assert code == 1 and "another server is using" in errors and "--data" in errors


def test_a_file_that_is_no_database_is_left_alone(tmp_path):
    file = tmp_path / "lifeline.sqlite"
    file.write_text("not a database " * 1000)
    code, errors = refused("--data", str(tmp_path))
    assert code == 1 and "damaged" in errors and str(file) in errors
    assert file.read_text() == "not a database " * 1000


def test_without_a_directory_nothing_is_written(started, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    server = started(Server)
    assert Line(server.port).get("/publish/demo/demo/0/room/0/1?uuid=u")[0] == 200
    assert server.end() == 0
    assert list(tmp_path.iterdir()) == []


def test_keys_come_from_the_environment(started, monkeypatch):
    monkeypatch.setenv("LIFELINE_PUBNUB_SUBSCRIBE_KEY", "sub-own")
    monkeypatch.setenv("LIFELINE_PUBNUB_PUBLISH_KEY", "pub-own")
    line = Line(started(Server).port)
    assert line.get("/publish/pub-own/sub-own/0/room/0/1?uuid=u")[0] == 200
    assert line.get("/publish/demo/demo/0/room/0/1?uuid=u")[0] == 400


def test_poll_hold_and_access_manager_are_settings(started):
    line = Line(started(Server, 0, "--pubnub-poll-hold", "1", "--pubnub-access-manager").port)
    assert line.get("/publish/demo/demo/0/room/0/1?uuid=u")[0] == 403
    line = Line(started(Server, 0, "--pubnub-poll-hold", "1").port)
    _, body = line.get("/v2/subscribe/demo/room/0?tt=0&uuid=u")
    begun = time.monotonic()
    _, body = line.get(f"/v2/subscribe/demo/room/0?tt={body['t']['t']}&tr={body['t']['r']}&uuid=u")
    # The default is 280.
    assert body["m"] == [] and 0.5 < time.monotonic() - begun < 30
    code, errors = refused("--pubnub-poll-hold", "0")
    assert code == 2 and "1 to 300" in errors


def commands(heading):
    """The block of shell commands under a heading of docs/operations/data.md."""
    text = (ROOT / "docs" / "operations" / "data.md").read_text()
    return re.search(rf"^\*\*{heading}\*\*[^`]*?(?:`[^`\n]+`[^`]*?)*```sh\n(.*?)```", text, re.MULTILINE | re.DOTALL)[1]


def shell(block, tmp_path):
    """Runs commands as an operator would. Without Debian's `sqlite3`, Python's module makes the copy, by the same call of SQLite."""
    tools = tmp_path / "tools"
    if not shutil.which("sqlite3") and not tools.exists():
        tools.mkdir()
        (tools / "sqlite3").write_text(f"""#!{sys.executable}
import re, sqlite3, sys
copy = re.fullmatch(r"\\.backup '(.+)'", sys.argv[2])[1]
source, target = sqlite3.connect(sys.argv[1]), sqlite3.connect(copy)
source.backup(target)
target.close()
source.close()
""")
        (tools / "sqlite3").chmod(0o755)
    env = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "DATA": str(tmp_path / "data"), "BACKUP": str(tmp_path / "backup")}
    done = subprocess.run(["sh", "-euc", block], env=env, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGKILL])
def test_backup_and_restore_as_operations_md_says(started, tmp_path, end):
    """HB-69: word for word, with a log that a crash has left behind and with that of a stop."""
    data = tmp_path / "data"
    server = started(Server, 0, "--data", str(data))
    line = Line(server.port)
    assert line.get("/publish/demo/demo/0/room/0/1?uuid=u")[0] == 200
    (data / "files" / "x").mkdir(parents=True, exist_ok=True)
    (data / "files" / "x" / "content").write_text("old")
    shell(commands("Backup"), tmp_path)
    assert line.get("/publish/demo/demo/0/room/0/2?uuid=u")[0] == 200
    assert line.get("/v2/history/sub-key/demo/channel/room")[1][0] == [1, 2]
    server.end(end)
    if end == signal.SIGTERM:
        assert (data / "lifeline.sqlite-wal").stat().st_size == 0 and (data / "chat.sqlite-wal").stat().st_size == 0
    shell(commands("Restore"), tmp_path)
    assert (data / "files" / "x" / "content").read_text() == "old"
    server = started(Server, 0, "--data", str(data))
    assert Line(server.port).get("/v2/history/sub-key/demo/channel/room")[1][0] == [1]
    server.end()


def test_after_a_stop_the_database_file_alone_is_complete(started, tmp_path):
    data = tmp_path / "data"
    server = started(Server, 0, "--data", str(data))
    assert Line(server.port).get("/publish/demo/demo/0/room/0/1?uuid=u")[0] == 200
    assert server.end() == 0
    copy = tmp_path / "copy"
    copy.mkdir(0o700)
    shutil.copy(data / "lifeline.sqlite", copy)
    server = started(Server, 0, "--data", str(copy))
    assert Line(server.port).get("/v2/history/sub-key/demo/channel/room")[1][0] == [1]
    server.end()
