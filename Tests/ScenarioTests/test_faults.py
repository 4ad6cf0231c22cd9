"""Scenarios S01-S06 and S08-S12: faults on real sockets, exact status sequences, and the checker's verdict. Those that take their
time are in test_every_service.py, for all services at once.
"""

import signal
import time

import pytest
from lifeline_harness import (
    AT_ONCE, GRACE, RECOVER, Listener, Publisher, Server, close_frame, free_port, verdict, wait_until)


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


def complete(tmp_path, publisher, listener, faults):
    """Judges a client whose server replays what was missed (RV-33): nothing is lost, and no gap is declared."""
    result = verdict(tmp_path, publisher, listener, faults, guarantee="recover")
    assert result["declared"] == 0 and not listener.of("gap"), result
    return result


def recovered(listener, subscriptions=2):
    """Waits until the channel is confirmed again and returns the confirmation."""
    return listener.wait_subscribed("room", subscriptions)[0]


def test_s01_start_and_stop(proxied):
    server, proxy, listener = start(proxied)
    begun = listener.of("status")[0]["t"]
    assert listener.of("status")[1]["t"] - begun <= AT_ONCE
    listener.say("disconnect")
    listener.wait_status("disconnected")
    assert listener.statuses == ["connecting", "connected", "disconnecting", "disconnected"]
    listener.say("quit")
    assert listener.wait(20) == 0
    assert proxy.opens() == 1


@pytest.mark.parametrize("recovery", [True, False])
@pytest.mark.parametrize("how", ["rst", "fin"])
def test_s02_s03_one_lost_link(proxied, tmp_path, how, recovery):
    server, proxy, listener = start(proxied, *([] if recovery else ["--no-recovery"]))
    publisher = Publisher(server, "room")
    listener.wait_messages(20)
    t0 = proxy.kill_links(how)
    again = recovered(listener)
    listener.wait_messages(len(listener.of("msg")) + 20)
    publisher.stop()
    assert listener.statuses == ["connecting", "connected", "reconnecting", "connecting", "connected"]
    lost = listener.of("status")[2]
    assert lost["t"] - t0 <= AT_ONCE
    assert lost["category"] == "unexpectedDisconnect" and lost["will_retry"] and lost["retry_in"] is not None
    # The pause is at most half a second, and the next attempt works.
    assert again["t"] - t0 <= 0.5 + AT_ONCE + GRACE
    faults = [{"t0": t0, "t1": t0 + 0.05, "kind": how, "breaks": True}]
    if recovery:
        complete(tmp_path, publisher, listener, faults)
    else:
        assert listener.of("gap"), "what may have been missed is declared"
        verdict(tmp_path, publisher, listener, faults)


@pytest.mark.parametrize("mode", ["reset", "close"])
def test_s02_resets_for_a_second(proxied, tmp_path, mode):
    server, proxy, listener = start(proxied)
    publisher = Publisher(server, "room")
    listener.wait_messages(20)
    t0 = proxy.mode(mode)
    time.sleep(1)
    t1 = proxy.mode("pass")
    again = recovered(listener)
    listener.wait_messages(len(listener.of("msg")) + 20)
    publisher.stop()
    assert retried(listener.statuses[2:])
    assert again["t"] - t1 <= RECOVER
    complete(tmp_path, publisher, listener, [{"t0": t0, "t1": t1, "kind": mode, "breaks": True}])


@pytest.mark.parametrize("data", [False, True])
def test_s03_server_killed_and_back(started, tmp_path, data):
    """Events for Pusher clients are kept in memory, also with --data, so a client that comes back is told of the loss."""
    port, options = free_port(), ["--data", str(tmp_path / "data")] if data else []
    server = started(Server, port, *options)
    listener = started(Listener, server.url, "--channel", "room")
    listener.wait_subscribed("room")
    t0 = time.monotonic()
    server.process.send_signal(signal.SIGKILL)
    lost = listener.wait_status("reconnecting")
    assert lost["t"] - t0 <= AT_ONCE
    started(Server, port, *options)
    t1 = time.monotonic()
    assert recovered(listener)["t"] - t1 <= RECOVER
    assert retried(listener.statuses[2:])
    wait_until(lambda: listener.of("gap"), 5, "the gap")


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
    complete(tmp_path, publisher, listener, [])


@pytest.mark.parametrize("mode", ["silence", "half answered"])
def test_s08_handshake_hangs(proxied, mode):
    server, proxy, listen = proxied
    if mode == "silence":
        proxy.mode("silence")
    else:
        proxy.mode("truncate", after=40, how="fin", dir="down")
    listener = listen("--channel", "room")
    first = listener.wait_status("reconnecting")
    assert first["t"] - listener.of("status")[0]["t"] <= 3 + GRACE
    assert first["category"] in ("timeout", "networkUnavailable", "unexpectedDisconnect", "malformedResponse")
    second = listener.wait_status("reconnecting", after=3)
    assert second["attempt"] == 2
    t1 = proxy.mode("pass")
    assert listener.wait_subscribed("room")[0]["t"] - t1 <= 3 + RECOVER
    assert listener.statuses[0] == "connecting"
    assert retried(listener.statuses[1:])


# Proof of P11.
@pytest.mark.parametrize("code,category", [
    (4200, "serverRestart"), (1001, "serverRestart"), (1012, "serverRestart"), (4100, "overloaded"), (4301, None), (4999, None)])
def test_s10_s11_closed_by_the_server(proxied, tmp_path, code, category):
    server, proxy, listener = start(proxied)
    publisher = Publisher(server, "room")
    listener.wait_messages(20)
    t0 = proxy.inject(close_frame(code, b"bye"))
    again = recovered(listener)
    assert listener.statuses == ["connecting", "connected", "reconnecting", "connecting", "connected"]
    lost = listener.of("status")[2]
    assert lost["code"] == code
    assert lost["t"] - t0 <= AT_ONCE
    if category:
        assert lost["category"] == category
    if code == 4100:
        assert 1 <= listener.of("status")[3]["t"] - lost["t"] <= 2 + GRACE
    else:
        assert again["t"] - t0 <= 1 + AT_ONCE + GRACE
    assert not listener.of("error"), "a routine close is a status, not an error"
    listener.wait_messages(len(listener.of("msg")) + 20)
    publisher.stop()
    complete(tmp_path, publisher, listener, [{"t0": t0, "t1": t0 + 0.05, "kind": str(code), "breaks": True}])


# Proof of P11.
def test_s12_what_must_not_be_retried(server, started, proxies):
    """Each code at a proxy and a client of its own, so that all are waited for at once; and a key that our server does not know."""
    closed, failed = {}, {}
    for code in (4000, 4001, 4004, 4009, 4042):
        proxy = proxies(server.port)
        closed[code] = (proxy, started(Listener, proxy.url, "--channel", "room"), ["connecting", "connected", "failed"])
    for proxy, listener, _ in closed.values():
        listener.wait_subscribed("room")
    for code, (proxy, listener, _) in closed.items():
        t0 = proxy.inject(close_frame(code, b"no"))
        failed[code] = listener.wait_status("failed")
        assert failed[code]["t"] - t0 <= AT_ONCE
    proxy = proxies(server.port)
    closed["key"] = (proxy, started(Listener, proxy.url, "--channel", "room", key="no-such-key"), ["connecting", "failed"])
    failed["key"] = closed["key"][1].wait_status("failed")
    for code, told in failed.items():
        assert told["code"] == (4001 if code == "key" else code)
        assert not told["will_retry"] and told["retry_in"] is None
    time.sleep(5)
    for proxy, listener, statuses in closed.values():
        assert listener.statuses == statuses
        assert proxy.opens() == 1
    for code, (_, listener, _) in closed.items():
        if code != "key":
            listener.say("connect")
            recovered(listener)


def test_a_drained_server_says_4100_and_clients_come_back(started):
    port = free_port()
    server = started(Server, port)
    listener = started(Listener, server.url, "--channel", "room")
    listener.wait_subscribed("room")
    assert server.end(signal.SIGTERM) == 0
    lost = listener.wait_status("reconnecting")
    assert (lost["code"], lost["category"]) == (4100, "overloaded")
    started(Server, port)
    recovered(listener)


def test_one_hundred_channels_come_back_within_two_seconds(proxied):
    server, proxy, listen = proxied
    names = [f"room-{i}" for i in range(100)]
    listener = listen(*[word for name in names for word in ("--channel", name)])
    wait_until(lambda: len(listener.of("subscribed")) == 100, 30, "100 channels")
    for round in range(3):
        proxy.kill_links("rst")
        count = 100 * (round + 2)
        wait_until(lambda: len(listener.of("subscribed")) >= count, 30, f"{count} confirmations")
        connected = [e for e in listener.of("status") if e["status"] == "connected"][-1]
        # The limit is two seconds.
        assert listener.of("subscribed")[-1]["t"] - connected["t"] <= 2 + GRACE
    assert len(listener.of("subscribed")) == 400
