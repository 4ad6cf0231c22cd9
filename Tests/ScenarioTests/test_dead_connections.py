"""Only the connection on which a client waits dies; all others to the service work (rules WT-28, HT-30, PX-40 to PX-42).

A namespace drops the packets of one connection: nothing acknowledges them, and the kernel finds out. The fault proxy acknowledges what
it loses: then only asking again, or a ping on the same connection, finds out. And a message that never ends keeps a connection busy,
which is of no more use (rule LV-16).
"""

import sys
import time

import pytest
from lifeline_harness import DETECT, GRACE, Listener, Server, lifeline, wait_until
from chat_scenarios import ChatListener, ChatPublisher
from own_network import OwnNetwork
from pubnub_scenarios import PubNubListener, PubNubPublisher

ONE_OUTAGE = ["connecting", "connected", "reconnecting", "connecting", "connected"]
# The fast profile asks a silent poll again after 6 s. The kernel gives a connection up after 3 s.
RENEWAL, KERNEL = 6, 3.5
GET = "import sys, urllib.request; urllib.request.urlopen(sys.argv[1], timeout=20).read()"


@pytest.fixture
def network(started, tmp_path, monkeypatch):
    """A namespace in which all programs of the test run."""
    network = started(OwnNetwork)
    monkeypatch.setenv("LIFELINE", network.wrapper(tmp_path, lifeline()))
    return network


def publish(network, server, number):
    network.run(sys.executable, "-c", GET, f"http://127.0.0.1:{server.port}/publish/demo/demo/0/room/0/{number}?uuid=publisher")


def poll_connection(network, server, listener):
    """The client's port of the connection that brings messages: the only one on which bytes came when one was published."""
    for _ in range(20):
        before, count = network.received(server.port), len(listener.of("msg"))
        publish(network, server, 0)
        listener.wait_messages(count + 1)
        after = network.received(server.port)
        grown = [port for port, count in after.items() if count > before.get(port, count)]
        if len(grown) == 1:
            return grown[0]
    raise AssertionError(f"no connection brings messages: {before} {after}")


def test_wt28_the_packets_of_the_poll_vanish(started, network):
    server = started(Server)
    listener = started(PubNubListener, server.url, "--channel", "room")
    listener.wait_subscribed("room")
    poll = poll_connection(network, server, listener)
    count = len(listener.of("msg"))
    t0 = time.monotonic()
    network.drop([poll])
    for number in range(1, 4):
        publish(network, server, number)
    lost = listener.wait_status("reconnecting")
    # Heartbeats and tests are answered on other connections: only the kernel can have known.
    assert lost["category"] == "unexpectedDisconnect"
    assert lost["t"] - t0 <= KERNEL + GRACE
    listener.wait_messages(count + 3)
    assert [e["data"] for e in listener.of("msg")[count:]] == [1, 2, 3]
    assert listener.statuses == ONE_OUTAGE and not listener.of("gap")


@pytest.mark.parametrize("kind,channel", [(Listener, "room"), (ChatListener, "direct:p1")])
def test_wt28_the_packets_of_a_websocket_vanish(started, network, kind, channel):
    server = started(Server)
    listener = started(kind, server.url, "--channel", channel)
    listener.wait_subscribed(channel)
    t0 = time.monotonic()
    network.drop(network.received(server.port))
    lost = listener.wait_status("reconnecting")
    # The session's ping and the kernel's probe take the same time.
    assert lost["category"] in ("timeout", "unexpectedDisconnect")
    assert lost["t"] - t0 <= KERNEL + GRACE
    listener.wait_subscribed(channel, 2)


def swallow(proxy, publish):
    """The proxy loses what `publish` brings to clients, and works again; returns when it began."""
    before = proxy.received()
    t0 = proxy.mode("blackhole")
    publish()
    wait_until(lambda: proxy.received() > before, 20, "the proxy to lose something")
    proxy.mode("pass")
    return t0


def test_px40_a_proxy_loses_the_answer_to_a_poll(started, server, proxies):
    proxy = proxies(server.port)
    listener = started(PubNubListener, proxy.url, "--channel", "room")
    listener.wait_subscribed("room")
    source = PubNubPublisher(server.port, "room", rate=None)
    # An answer shows that the poll is held, and that the link will not be tested for 2 s.
    source.publish(5)
    listener.wait_messages(5)
    opens = proxy.opens()
    t0 = swallow(proxy, source.publish)
    source.publish(3)
    listener.wait_messages(9, timeout=RENEWAL + 20)
    late = listener.of("msg")[-1]["t"] - t0
    assert [e["data"]["seq"] for e in listener.of("msg")] == list(range(1, 10))
    assert listener.statuses == ["connecting", "connected"], "nothing was lost, so nothing is told"
    assert not listener.of("gap") and proxy.opens() > opens
    assert late <= RENEWAL + GRACE
    source.publish(3)
    listener.wait_messages(12)
    assert [e["data"]["seq"] for e in listener.of("msg")] == list(range(1, 13))


@pytest.mark.parametrize("service", ["pusher", "nexconn"])
def test_px42_a_proxy_loses_a_message_of_a_websocket(started, server, proxies, service):
    """The siblings: the pings of these two take the way of the messages, and find out."""
    proxy = proxies(server.port)
    if service == "pusher":
        channel, listener = "room", started(Listener, proxy.url, "--channel", "room")
        send = lambda: server.publish("room", "tick", '{"seq":1}')
    else:
        channel, listener = "direct:p1", started(ChatListener, proxy.url, "--channel", "direct:p1")
        source = ChatPublisher(server.port, "direct", "s1", channel, rate=None)
        send = source.publish
    listener.wait_subscribed(channel)
    t0 = swallow(proxy, send)
    lost = listener.wait_status("reconnecting")
    assert lost["category"] == "timeout" and lost["t"] - t0 <= DETECT
    listener.wait_subscribed(channel, 2)
    if service == "nexconn":
        listener.wait_messages(1)
        assert [e["data"]["seq"] for e in listener.of("msg")] == [1]


@pytest.mark.parametrize("service", ["pusher", "nexconn", "pubnub"])
def test_lv16_a_message_that_drips_is_cut(started, server, proxies, service):
    """Bytes keep coming, so that the link lives; but the message that they belong to does not end within the fast profile's 5 s."""
    proxy = proxies(server.port)
    kind = {"pusher": Listener, "nexconn": ChatListener, "pubnub": PubNubListener}[service]
    channel = "direct:p1" if service == "nexconn" else "room"
    listener = started(kind, proxy.url, "--channel", channel)
    listener.wait_subscribed(channel)
    if service == "pubnub":
        start = b"HTTP/1.1 200 OK\r\nContent-Type: text/javascript\r\nContent-Length: 100000\r\n\r\n"
        words = "The server's answer began, but was not complete in time."
    else:
        # A frame of 100,000 bytes: the server's pongs become its contents, drop by drop.
        start = bytes([0x82, 127]) + (100_000).to_bytes(8, "big")
        words = "A message from the server began, but was not complete in time."
    t0 = proxy.inject(start)
    lost = listener.wait_status("reconnecting")
    assert (lost["category"], lost["reason"]) == ("timeout", words)
    assert 5 <= lost["t"] - t0 <= 5 + GRACE
    listener.wait_subscribed(channel, 2)
