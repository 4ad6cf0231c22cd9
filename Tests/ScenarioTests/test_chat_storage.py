"""Chat on disk: what was acknowledged survives `kill -9` and reaches everybody once, in order.

Senders and readers are the second client, written from the session document alone.
"""

import random
import signal
import threading
import time

import pytest
from lifeline_harness import Server, free_port, wait_until
from chat_client import ChatSession, Lost, Refused, ServerAPI


class Persistent(threading.Thread):
    """A device that comes back until it is told to stop."""

    def __init__(self, port, token, name):
        super().__init__(daemon=True)
        self.session = ChatSession(port, token, device=name)
        self.session.connect()
        self.stopped, self.problem = threading.Event(), None

    def until_connected(self):
        end = time.monotonic() + 30
        while self.session.socket is None and not self.stopped.is_set():
            try:
                self.session.connect(reconnect=True)
            except (OSError, Lost, Exception) as error:
                if not isinstance(error, (OSError, Lost)) and "Connection" not in repr(error) and "Handshake" not in repr(error):
                    raise
                assert time.monotonic() < end, "the server did not come back"
                time.sleep(0.05)

    def run(self):
        try:
            self.work()
        except Exception as error:  # Told by the test, which runs on another thread.
            self.problem = error

    def stop(self):
        self.stopped.set()
        self.join(20)
        assert self.problem is None, self.problem


class Sender(Persistent):
    """Sends numbers, one after the other; what got no answer goes out again with the same client id."""

    def __init__(self, port, token, name, conv, to):
        super().__init__(port, token, name)
        self.name_, self.conv, self.to = name, conv, to
        self.acknowledged, self.repeated = [], 0

    def work(self):
        number = 0
        while not self.stopped.wait(0.005):
            number += 1
            while not self.stopped.is_set():
                try:
                    self.until_connected()
                    answer = self.session.ask(
                        "send", cid=f"{self.name_}-{number}", conv=self.conv, to=self.to, type="app:n",
                        content={"by": self.name_, "n": number})
                    self.acknowledged.append((number, answer["id"]))
                    break
                except Lost:
                    self.repeated += 1


class Reader(Persistent):
    """Only reads, and goes on from its place in the inbox after every loss."""

    def work(self):
        while not self.stopped.wait(0.02):
            if self.session.socket is None:
                self.until_connected()

    @property
    def messages(self):
        return [(e["content"]["by"], e["content"]["n"], e["id"]) for e in list(self.session.events) if e["k"] == "msg"]


def acknowledged(senders):
    return sum(len(sender.acknowledged) for sender in senders)


@pytest.mark.parametrize("seed", [1, 2])
def test_nothing_acknowledged_is_lost_to_kill_9(started, tmp_path, seed):
    chance = random.Random(seed)
    options = ("--data", str(tmp_path / "data"))
    server = started(Server, free_port(), *options)
    port = server.port
    api = ServerAPI(port)
    tokens = {user: api.token(user) for user in ("a", "b", "c", "x", "y", "z")}
    api.close()
    readers = {user: Reader(port, tokens[user], f"dev-{user}") for user in ("x", "y", "z")}
    readers["x"].session.ask("group.create", group={"id": "g", "name": "g"}, users=["a", "b", "c", "y", "z"])
    senders = [
        Sender(port, tokens["a"], "a", "group", "g"), Sender(port, tokens["b"], "b", "group", "g"),
        Sender(port, tokens["c"], "c", "direct", "x")]
    threads = [*readers.values(), *senders]
    for thread in threads:
        thread.start()
    for _ in range(5):
        before = acknowledged(senders)
        more = chance.randrange(20, 200)
        wait_until(lambda: acknowledged(senders) > before + more, 30, "sends")
        assert server.end(signal.SIGKILL) == -signal.SIGKILL
        server = started(Server, port, *options)
    before = acknowledged(senders)
    wait_until(lambda: acknowledged(senders) > before + 60, 30, "sends after the last restart")
    for sender in senders:
        sender.stop()
    expected = {
        "x": {m for sender in senders for m in [(sender.name_, *pair) for pair in sender.acknowledged]},
        "y": {m for sender in senders[:2] for m in [(sender.name_, *pair) for pair in sender.acknowledged]}}
    expected["z"] = expected["y"]
    for user, reader in readers.items():
        wait_until(lambda: expected[user] <= set(reader.messages), 20, f"the last messages of {user}")
    time.sleep(0.3)  # Whatever comes too often would come now.
    assert sum(sender.repeated for sender in senders) > 0, "no send was cut off: the test proves nothing"
    for user, reader in readers.items():
        reader.stop()
        messages = reader.messages
        assert len(messages) == len(set(messages)) and not reader.session.lost
        assert [int(m[2]) for m in messages] == sorted(int(m[2]) for m in messages), "reordered"
        for sender in senders[:2]:
            numbers = [n for by, n, _ in messages if by == sender.name_]
            assert numbers == sorted(set(numbers)), "doubled or reordered"
            # The last one may have been cut off by the end of the test.
            assert set(numbers) - {n for n, _ in sender.acknowledged} <= {len(sender.acknowledged) + 1}
    history, before = [], {}
    last = ChatSession(port, tokens["y"], device="dev-y")
    last.place = readers["y"].session.place
    last.connect()
    while True:
        page = last.ask("history", conv="group", ch="g", limit=100, **before)
        history += page["messages"]
        if not page["more"]:
            break
        before = {"before": page["messages"][-1]["id"]}
    assert [m["id"] for m in reversed(history) if m["type"] == "app:n"] == [m[2] for m in readers["y"].messages]
    last.drop()


def test_users_groups_and_settings_survive_kill_9(started, tmp_path):
    options = ("--data", str(tmp_path / "data"))
    server = started(Server, free_port(), *options)
    api = ServerAPI(server.port)
    token = api.token("u1", name="Uma")
    session = ChatSession(server.port, token, device="d")
    session.connect()
    session.ask("group.create", group={"id": "g", "name": "Group"}, users=["u2"])
    session.ask("set", conv="group", ch="g", pinned=True, level=5)
    session.ask("open.enter", ch="lobby", count=0)
    session.ask("open.meta.set", ch="lobby", meta={"topic": "tea"})
    server.end(signal.SIGKILL)
    started(Server, server.port, *options)
    session.drop()
    welcome = session.connect(reconnect=True)
    assert welcome["resumed"] and not welcome["lost"]
    assert session.ask("group.info", ids=["g"])["groups"][0]["count"] == 2
    assert session.ask("settings")["channels"] == [{"conv": "group", "ch": "g", "pinned": True, "level": 5}]
    session.ask("open.enter", ch="lobby", count=0)
    assert session.ask("open.meta", ch="lobby")["meta"] == [{"key": "topic", "value": "tea", "owner": "u1"}]
    assert api.result("user/get", {"userId": "u1"})["name"] == "Uma"
    session.drop()
    api.close()


def test_in_memory_a_restart_says_what_it_forgot(started):
    server = started(Server, free_port())
    api = ServerAPI(server.port)
    session = ChatSession(server.port, api.token("u1"), device="d")
    session.connect()
    epoch = session.place[0]
    server.end(signal.SIGKILL)
    started(Server, server.port)
    session.drop()
    with pytest.raises(Exception):
        session.connect(reconnect=True)  # The token is forgotten as well.
    api.close()
    session.token = api.token("u1")
    welcome = session.connect(reconnect=True)
    assert welcome["lost"] and not welcome["resumed"] and welcome["epoch"] != epoch
    session.drop()
    api.close()
