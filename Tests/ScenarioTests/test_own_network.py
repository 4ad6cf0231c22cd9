"""What each of the four APIs tells of this machine's network, with one and without one (rules LL-91, PA-94, PK-90 and NC-70).

In a namespace a server and the clients reach each other by the address of an interface, which the test switches off and on: the kernel
then has no way out, and tells the clients so.
"""

import os

import pytest
from lifeline_harness import DETECT, GRACE, ROOT, RECOVER, Program, Server, lifeline, wait_until
from own_network import ADDRESS, OwnNetwork

APIS = ("lifeline", "pusher", "pubnub", "chat")
# The news of a burst are looked at after 50 ms.
TOLD = 1 + GRACE


class Watch(Program):
    """All four clients in one program."""

    def __init__(self, network, port, token):
        program = (ROOT / (os.environ.get("LIFELINE") or ".build/debug/lifeline")).parent / "network-watch"
        if not program.exists():
            raise RuntimeError(f"{program} does not exist: build it with `swift build --product network-watch`.")
        super().__init__(network.command(str(program), ADDRESS, str(port), token))

    def words(self, api):
        return [line.split()[1] for line in self.lines if line.split()[0] == api]

    def network_words(self, api):
        return [word for word in self.words(api) if word.startswith("network-")]

    def wait_network(self, words):
        for api in APIS:
            wait_until(lambda: self.network_words(api) == words, TOLD, lambda: f"{words} of {api}: {self.lines} {self.errors}")

    def wait_connected(self, count, timeout):
        for api in APIS:
            wait_until(
                lambda: self.words(api).count("connected") >= count, timeout, lambda: f"{api} to connect: {self.lines} {self.errors}")


@pytest.fixture
def network(started):
    return started(OwnNetwork)


@pytest.fixture
def server(started, network, tmp_path, monkeypatch):
    program = network.wrapper(tmp_path, lifeline())
    monkeypatch.setenv("LIFELINE", program)
    # Nobody else can reach the namespace.
    server = started(Server, 0, "--host", "0.0.0.0", "--allow-public-secrets")
    monkeypatch.undo()
    return server


def watch(started, network, server):
    token = network.run(lifeline(), "token", "chat", "ann", "--secret", "app-secret", "--url", f"http://127.0.0.1:{server.port}")
    return started(Watch, network, server.port, token.strip())


def test_the_network_goes_and_comes(started, network, server):
    network.add_way_out()
    clients = watch(started, network, server)
    clients.wait_connected(1, RECOVER)
    assert all(clients.network_words(api) == [] for api in APIS), "a machine with a network has nothing to tell"
    before = {api: clients.words(api).count("other") for api in APIS}
    network.close_way_out()
    clients.wait_network(["network-down"])
    # A connection that has lost nothing yet would outlive a shorter outage.
    for api in APIS:
        wait_until(
            lambda: clients.words(api).count("other") > before[api], DETECT, lambda: f"{api} to lose its connection: {clients.lines}")
    network.open_way_out()
    clients.wait_network(["network-down", "network-up"])
    clients.wait_connected(2, RECOVER)
    for api in ("pubnub", "chat"):
        words = clients.words(api)
        assert "connected" not in words[words.index("network-down"):words.index("network-up")], (api, words)


def test_a_machine_without_a_network_is_told_nothing_until_there_is_one(started, network, server):
    """It may only ever want to reach itself (rule NM-1)."""
    network.add_way_out(up=False)
    clients = watch(started, network, server)
    for api in APIS:
        wait_until(lambda: "other" in clients.words(api), TOLD, lambda: f"{api} to try: {clients.lines} {clients.errors}")
    assert all(clients.network_words(api) == [] for api in APIS)
    network.open_way_out()
    clients.wait_connected(1, RECOVER)
    assert all(clients.network_words(api) == [] for api in APIS)
    network.close_way_out()
    clients.wait_network(["network-down"])
