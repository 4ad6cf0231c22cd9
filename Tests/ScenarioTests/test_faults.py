"""Scenarios S01-S06 and S08-S12: faults on real sockets, exact status sequences, and the checker's verdict.

Test profile: activity timeout 2 s, pong wait 1 s, so a dead link must be noticed within 3.5 s.
"""

import signal
import time

import pytest
from lifeline_harness import Publisher, Server, close_frame, verdict, wait_until

DETECT = 3.5


def retried(statuses):
    """Whether these statuses are one outage: reconnecting, failed attempts, then connected."""
    return (
        len(statuses) >= 3 and len(statuses) % 2 == 1 and statuses[-1] == "connected"
        and all(s == ("reconnecting" if i % 2 == 0 else "connecting") for i, s in enumerate(statuses[:-1])))


def start(proxied, *options):
    server, proxy, listen = proxied
    listener = listen("--channel", "room", *options)
    listener.wait_subscribed("room")
    assert listener.statuses == ["connecting", "connected"]
    return server, proxy, listener


def recovered(listener, timeout, subscriptions=2):
    """Waits until the channel is confirmed again and returns the confirmation."""
    return listener.wait_subscribed("room", subscriptions, timeout)[0]


def test_s01_start_and_stop(proxied):
    server, proxy, listener = start(proxied)
    begun = listener.of("status")[0]["t"]
    assert listener.of("status")[1]["t"] - begun <= 0.5
    listener.say("disconnect")
    listener.wait_status("disconnected", 3)
    assert listener.statuses == ["connecting", "connected", "disconnecting", "disconnected"]
    listener.say("quit")
    assert listener.wait(5) == 0
    assert proxy.opens() == 1


@pytest.mark.parametrize("how", ["rst", "fin"])
def test_s02_s03_one_lost_link(proxied, tmp_path, how):
    server, proxy, listener = start(proxied)
    publisher = Publisher(server, "room")
    listener.wait_messages(20)
    t0 = proxy.kill_links(how)
    again = recovered(listener, 4)
    listener.wait_messages(len(listener.of("msg")) + 20)
    publisher.stop()
    assert listener.statuses == ["connecting", "connected", "reconnecting", "connecting", "connected"]
    lost = listener.of("status")[2]
    assert lost["t"] - t0 <= 0.2
    assert lost["category"] == "unexpectedDisconnect" and lost["will_retry"] and lost["retry_in"] is not None
    assert again["t"] - t0 <= 1.5
    assert listener.of("gap"), "what may have been missed is declared"
    verdict(tmp_path, publisher, listener, [{"t0": t0, "t1": t0 + 0.05, "kind": how, "breaks": True}])


@pytest.mark.parametrize("mode", ["reset", "close"])
def test_s02_resets_for_a_second(proxied, tmp_path, mode):
    server, proxy, listener = start(proxied)
    publisher = Publisher(server, "room")
    listener.wait_messages(20)
    t0 = proxy.mode(mode)
    time.sleep(1)
    t1 = proxy.mode("pass")
    again = recovered(listener, 5)
    listener.wait_messages(len(listener.of("msg")) + 20)
    publisher.stop()
    assert retried(listener.statuses[2:])
    assert again["t"] - t1 <= 4
    verdict(tmp_path, publisher, listener, [{"t0": t0, "t1": t1, "kind": mode, "breaks": True}])


def test_s03_server_killed_and_back(started, tmp_path):
    from lifeline_harness import Listener, free_port
    port = free_port()
    server = started(Server, port)
    listener = started(Listener, server.url, "--channel", "room")
    listener.wait_subscribed("room")
    t0 = time.monotonic()
    server.process.send_signal(signal.SIGKILL)
    lost = listener.wait_status("reconnecting", 1)
    assert lost["t"] - t0 <= 0.2
    started(Server, port)
    t1 = time.monotonic()
    assert recovered(listener, 5)["t"] - t1 <= 4
    assert retried(listener.statuses[2:])


def test_s04_half_open(proxied, tmp_path):
    server, proxy, listener = start(proxied)
    publisher = Publisher(server, "room")
    listener.wait_messages(20)
    t0 = proxy.mode("blackhole")
    lost = listener.wait_status("reconnecting", DETECT + 1)
    assert lost["t"] - t0 <= DETECT
    assert lost["category"] == "timeout"
    time.sleep(max(0, t0 + 10 - time.monotonic()))
    t1 = proxy.mode("pass")
    # An attempt that began in the dark may still run out its time before the next one.
    again = recovered(listener, 8)
    listener.wait_messages(len(listener.of("msg")) + 20)
    publisher.stop()
    assert again["t"] - t1 <= 7
    assert retried(listener.statuses[2:])
    verdict(tmp_path, publisher, listener, [{"t0": t0, "t1": t1, "kind": "blackhole", "breaks": True}], recover=7)


def test_s05_server_frozen(proxied, tmp_path):
    server, proxy, listener = start(proxied)
    t0 = time.monotonic()
    server.process.send_signal(signal.SIGSTOP)
    try:
        lost = listener.wait_status("reconnecting", DETECT + 1)
        assert lost["t"] - t0 <= DETECT
        assert lost["category"] == "timeout"
        time.sleep(max(0, t0 + 10 - time.monotonic()))
    finally:
        server.process.send_signal(signal.SIGCONT)
    t1 = time.monotonic()
    assert recovered(listener, 8)["t"] - t1 <= 7
    assert retried(listener.statuses[2:])


def test_s06_a_short_stall_is_no_outage(proxied, tmp_path):
    server, proxy, listener = start(proxied)
    publisher = Publisher(server, "room")
    listener.wait_messages(20)
    proxy.mode("stall")
    time.sleep(1)
    proxy.mode("pass")
    listener.wait_messages(30)
    publisher.stop()
    assert listener.statuses == ["connecting", "connected"]
    result = verdict(tmp_path, publisher, listener, [])
    assert result["declared"] == 0


@pytest.mark.parametrize("mode", ["silence", "half answered"])
def test_s08_handshake_hangs(proxied, mode):
    server, proxy, listen = proxied
    if mode == "silence":
        proxy.mode("silence")
    else:
        proxy.mode("truncate", after=40, how="fin", dir="down")
    listener = listen("--channel", "room")
    first = listener.wait_status("reconnecting", 4)
    assert first["t"] - listener.of("status")[0]["t"] <= 3.3
    assert first["category"] in ("timeout", "networkUnavailable", "unexpectedDisconnect", "malformedResponse")
    second = listener.wait_status("reconnecting", 8, after=3)
    assert second["attempt"] == 2
    t1 = proxy.mode("pass")
    assert listener.wait_subscribed("room", timeout=8)[0]["t"] - t1 <= 7
    assert listener.statuses[0] == "connecting"
    assert retried(listener.statuses[1:])


def test_s09_refused_for_thirty_seconds(proxied, tmp_path):
    server, proxy, listener = start(proxied)
    publisher = Publisher(server, "room", rate=5)
    listener.wait_messages(3)
    before = proxy.opens()
    proxy.mode("refuse")
    t0 = proxy.kill_links("rst")
    time.sleep(30)
    attempts = listener.statuses[2:].count("connecting")
    t1 = proxy.mode("pass")
    again = recovered(listener, 6)
    listener.wait_messages(len(listener.of("msg")) + 3)
    publisher.stop()
    assert 10 <= attempts <= 25, f"{attempts} attempts in 30 s"
    assert again["t"] - t1 <= 4
    assert proxy.opens() == before + 1
    assert retried(listener.statuses[2:])
    refused = [e for e in listener.of("status")[3:] if e["status"] == "reconnecting"]
    assert all(e["category"] == "networkUnavailable" for e in refused)
    assert [e["attempt"] for e in refused] == list(range(2, len(refused) + 2))
    verdict(tmp_path, publisher, listener, [{"t0": t0, "t1": t1, "kind": "refuse", "breaks": True}])


@pytest.mark.parametrize("code,category", [
    (4200, "serverRestart"), (1001, "serverRestart"), (1012, "serverRestart"), (4100, "overloaded"), (4301, None), (4999, None)])
def test_s10_s11_closed_by_the_server(proxied, code, category):
    server, proxy, listener = start(proxied)
    t0 = proxy.inject(close_frame(code, b"bye"))
    again = recovered(listener, 6)
    assert listener.statuses == ["connecting", "connected", "reconnecting", "connecting", "connected"]
    lost = listener.of("status")[2]
    assert lost["code"] == code
    assert lost["t"] - t0 <= 0.2
    if category:
        assert lost["category"] == category
    if code == 4100:
        assert 1 <= listener.of("status")[3]["t"] - lost["t"] <= 3
    else:
        assert again["t"] - t0 <= 1.5
    assert not listener.of("error"), "a routine close is a status, not an error"


@pytest.mark.parametrize("code", [4000, 4001, 4004, 4009, 4042])
def test_s12_what_must_not_be_retried(proxied, code):
    server, proxy, listener = start(proxied)
    opens = proxy.opens()
    t0 = proxy.inject(close_frame(code, b"no"))
    failed = listener.wait_status("failed", 2)
    assert failed["t"] - t0 <= 0.2
    assert failed["code"] == code and not failed["will_retry"] and failed["retry_in"] is None
    time.sleep(5)
    assert listener.statuses == ["connecting", "connected", "failed"]
    assert proxy.opens() == opens
    listener.say("connect")
    recovered(listener, 3)


def test_s12_an_unknown_key_is_refused_by_our_server(proxied):
    server, proxy, listen = proxied
    listener = listen("--channel", "room", key="no-such-key")
    failed = listener.wait_status("failed", 3)
    assert failed["code"] == 4001
    time.sleep(3)
    assert listener.statuses == ["connecting", "failed"]
    assert proxy.opens() == 1


def test_a_drained_server_says_4200_and_clients_come_back(started):
    from lifeline_harness import Listener, free_port
    port = free_port()
    server = started(Server, port)
    listener = started(Listener, server.url, "--channel", "room")
    listener.wait_subscribed("room")
    assert server.end(signal.SIGTERM, timeout=6) == 0
    lost = listener.wait_status("reconnecting", 2)
    assert (lost["code"], lost["category"]) == (4200, "serverRestart")
    started(Server, port)
    recovered(listener, 5)


def test_one_hundred_channels_come_back_within_two_seconds(proxied):
    server, proxy, listen = proxied
    names = [f"room-{i}" for i in range(100)]
    listener = listen(*[word for name in names for word in ("--channel", name)])
    wait_until(lambda: len(listener.of("subscribed")) == 100, 10, "100 channels")
    for round in range(3):
        proxy.kill_links("rst")
        count = 100 * (round + 2)
        wait_until(lambda: len(listener.of("subscribed")) >= count, 8, f"{count} confirmations")
        connected = [e for e in listener.of("status") if e["status"] == "connected"][-1]
        assert listener.of("subscribed")[-1]["t"] - connected["t"] <= 2
    assert len(listener.of("subscribed")) == 400


def test_a_client_that_was_frozen_recovers(proxied):
    server, proxy, listener = start(proxied)
    listener.process.send_signal(signal.SIGSTOP)
    time.sleep(4)
    proxy.kill_links("rst")
    listener.process.send_signal(signal.SIGCONT)
    thawed = time.monotonic()
    lost = listener.wait_status("reconnecting", 3)
    assert lost["t"] - thawed <= 1.5
    assert recovered(listener, 5)["t"] - thawed <= 3
    assert listener.statuses == ["connecting", "connected", "reconnecting", "connecting", "connected"]
