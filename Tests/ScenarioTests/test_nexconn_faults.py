"""Scenarios over chat sessions: faults on real sockets, exact status sequences, and the checker's verdict.

Test profile: a link on which nothing is heard for 2 s is tested, and the test may take 1 s, so that a dead link is noticed within 3.5 s.
Everything that a user's inbox is sent comes, once and in order, however often the link was lost: the checker is asked for `recover`.
"""

import signal
import time

import pytest
from lifeline_harness import Proxy, Server, free_port, tools, verdict, wait_until
from nexconn_client import ServerAPI
from nexconn_scenarios import NexconnListener, NexconnPublisher
from test_faults import retried

DETECT = 3.5
CHANNEL = "direct:p1"
ONE_OUTAGE = ["connecting", "connected", "reconnecting", "connecting", "connected"]


@pytest.fixture
def link(started):
    """Server, fault proxy before it, and a listener through the proxy that is connected."""
    if tools() is None:
        pytest.skip("fault proxy and checker not found: set LIFELINE_TOOLS to their folder (see CONTRIBUTING.md)")
    server = started(Server)
    proxy = started(Proxy, server.port)
    return server, proxy, listen(started, proxy.url)


def listen(started, url, *options, **named):
    listener = started(NexconnListener, url, "--channel", CHANNEL, *options, **named)
    listener.wait_subscribed(CHANNEL)
    assert listener.statuses == ["connecting", "connected"]
    return listener


def publisher(server, rate=20):
    """Sends at the rate; without one only when told to."""
    source = NexconnPublisher(server.port, "direct", "s1", CHANNEL, rate=rate)
    return source.start() if rate else source


def recovered(listener, timeout, subscriptions=2):
    return listener.wait_subscribed(CHANNEL, subscriptions, timeout)[0]


def settle(listener, source, count=20):
    """Waits for so many more messages, and for all that were sent."""
    listener.wait_messages(len(listener.of("msg")) + count, 15)
    source.stop()
    wait_until(lambda: listener.of("msg")[-1]["data"]["seq"] == source.sequence, 5, "the last message")


def judge(tmp_path, source, listener, faults=(), **limits):
    """The checker's verdict; nothing may be lost, doubled or reordered, and nothing was declared missing either."""
    result = verdict(tmp_path, source, listener, list(faults), guarantee="recover", **limits)
    assert result["declared"] == 0 and not listener.of("gap")
    assert [e["data"]["seq"] for e in listener.of("msg")] == list(range(1, source.sequence + 1))
    assert source.repeated == 0 or any(fault["kind"] == "kill" for fault in faults)
    return result


def test_s01_start_and_stop(link):
    server, proxy, listener = link
    assert [e["vendor"] for e in listener.of("status")] == ["connecting 10", "connected 0"]
    listener.say("disconnect")
    listener.wait_status("disconnected", 3)
    assert listener.statuses == ["connecting", "connected", "disconnecting", "disconnected"]
    opens = proxy.opens()
    listener.say("quit")
    assert listener.wait(5) == 0
    # One for the token, one for the session.
    assert opens <= 2 and proxy.opens() == opens


@pytest.mark.parametrize("how", ["rst", "fin"])
def test_s02_s03_one_lost_link(link, tmp_path, how):
    server, proxy, listener = link
    source = publisher(server)
    listener.wait_messages(20)
    t0 = proxy.kill_links(how)
    again = recovered(listener, 4)
    settle(listener, source)
    assert listener.statuses == ONE_OUTAGE
    lost = listener.of("status")[2]
    assert lost["t"] - t0 <= 0.2
    assert lost["category"] == "unexpectedDisconnect" and lost["vendor"] == "suspend 13"
    assert lost["will_retry"] and 0 <= lost["retry_in"] <= 0.05
    assert again["t"] - t0 <= 1.5
    judge(tmp_path, source, listener, [{"t0": t0, "t1": t0 + 0.05, "kind": how, "breaks": True}])


@pytest.mark.parametrize("mode", ["reset", "close"])
def test_s02_resets_for_a_second(link, tmp_path, mode):
    server, proxy, listener = link
    source = publisher(server)
    listener.wait_messages(20)
    t0 = proxy.mode(mode)
    time.sleep(1)
    t1 = proxy.mode("pass")
    again = recovered(listener, 5)
    settle(listener, source)
    assert retried(listener.statuses[2:])
    assert listener.of("status")[2]["t"] - t0 <= 0.2
    assert again["t"] - t1 <= 4
    judge(tmp_path, source, listener, [{"t0": t0, "t1": t1, "kind": mode, "breaks": True}])


def test_s04_half_open(link, tmp_path):
    server, proxy, listener = link
    source = publisher(server)
    listener.wait_messages(20)
    t0 = proxy.mode("blackhole")
    lost = listener.wait_status("reconnecting", DETECT + 1)
    assert lost["t"] - t0 <= DETECT
    assert lost["category"] == "timeout" and lost["vendor"] == "suspend 13"
    time.sleep(max(0, t0 + 10 - time.monotonic()))
    t1 = proxy.mode("pass")
    # An attempt that began in the dark may still run out its time before the next one.
    again = recovered(listener, 8)
    settle(listener, source)
    assert again["t"] - t1 <= 7
    assert retried(listener.statuses[2:])
    judge(tmp_path, source, listener, [{"t0": t0, "t1": t1, "kind": "blackhole", "breaks": True}], recover=7)


def test_s05_server_frozen(link):
    server, proxy, listener = link
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
    # What the server still finds of the session that it believed in kicks nobody.
    source = publisher(server, rate=None)
    source.publish(5)
    listener.wait_messages(5)
    source.stop()
    assert listener.statuses[-1] == "connected"


def test_s06_a_short_stall_is_no_outage(link, tmp_path):
    server, proxy, listener = link
    source = publisher(server)
    listener.wait_messages(20)
    proxy.mode("stall")
    time.sleep(1)
    proxy.mode("pass")
    settle(listener, source)
    assert listener.statuses == ["connecting", "connected"]
    judge(tmp_path, source, listener)


def test_s09_refused_for_thirty_seconds(link, tmp_path):
    server, proxy, listener = link
    source = publisher(server, rate=2)
    listener.wait_messages(3)
    proxy.mode("refuse")
    t0 = proxy.kill_links("rst")
    time.sleep(30)
    attempts = listener.statuses[2:].count("connecting")
    t1 = proxy.mode("pass")
    again = recovered(listener, 6)
    settle(listener, source, 3)
    assert 10 <= attempts <= 40, f"{attempts} attempts in 30 s"
    assert again["t"] - t1 <= 4
    assert retried(listener.statuses[2:])
    outage = [e for e in listener.of("status")[3:] if e["status"] == "reconnecting"]
    assert all(e["category"] == "networkUnavailable" and e["vendor"] == "networkUnavailable 1" for e in outage)
    # 0.05, 0.25, 0.5, 1, 2 and then 3 s are the longest pauses, a quarter of each the shortest.
    longest = [0.05, 0.25, 0.5, 1, 2] + [3] * len(outage)
    pauses = [e["retry_in"] for e in listener.of("status")[2:] if e["status"] == "reconnecting"]
    assert all(most / 4 - 0.001 <= pause <= most + 0.001 for pause, most in zip(pauses, longest)), pauses
    judge(tmp_path, source, listener, [{"t0": t0, "t1": t1, "kind": "refuse", "breaks": True}])


@pytest.mark.parametrize("status,headers,category", [
    (200, {}, "malformedResponse"), (302, {"Location": "http://127.0.0.1:1/login"}, "malformedResponse"),
    (511, {}, "malformedResponse"), (503, {"Retry-After": "2"}, "overloaded")])
def test_s13_somebody_else_answers(link, tmp_path, status, headers, category):
    server, proxy, listener = link
    source = publisher(server)
    listener.wait_messages(20)
    proxy.mode("http", status=status, headers=headers)
    t0 = proxy.kill_links("rst")
    wait_until(
        lambda: [e for e in listener.of("status") if e["status"] == "reconnecting" and e["category"] == category], 5, category)
    time.sleep(2)
    t1 = proxy.mode("pass")
    recovered(listener, 8)
    settle(listener, source)
    assert retried(listener.statuses[2:])
    refusals = [e for e in listener.of("status")[3:] if e["status"] == "reconnecting"]
    # On a kept connection the proxy answers before it is asked, and with a status of its own.
    if len(refusals) > 1 and refusals[0]["code"] == 200:
        refusals.pop(0)
    for refused in refusals:
        assert (refused["category"], refused["code"]) == (category, status)
        assert status != 503 or 2 <= refused["retry_in"] <= 3.75
    # The place in the inbox is kept: what was sent meanwhile comes, once.
    judge(tmp_path, source, listener, [{"t0": t0, "t1": t1, "kind": "http", "breaks": True}], recover=8)


def test_s13_a_proxy_that_wants_a_password_is_final(link):
    server, proxy, listener = link
    proxy.mode("http", status=407, headers={"Proxy-Authenticate": "Basic"})
    proxy.kill_links("rst")
    failed = listener.wait_status("failed", 5)
    assert (failed["category"], failed["vendor"], failed["will_retry"]) == ("proxyUnavailable", "proxyUnavailable 17", False)


def test_s03_the_server_is_killed_and_comes_back_with_its_data(started, tmp_path):
    port = free_port()
    options = ("--data", str(tmp_path / "data"))
    server = started(Server, port, *options)
    listener = listen(started, server.url)
    source = publisher(server)
    listener.wait_messages(20)
    faults = []
    for round in range(3):
        t0 = time.monotonic()
        server.process.send_signal(signal.SIGKILL)
        lost = listener.wait_status("reconnecting", 1, after=len(listener.statuses))
        assert lost["t"] - t0 <= 0.2
        time.sleep(0.3)
        server = started(Server, port, *options)
        t1 = time.monotonic()
        assert recovered(listener, 6, round + 2)["t"] - t1 <= 4
        listener.wait_messages(len(listener.of("msg")) + 10)
        faults.append({"t0": t0, "t1": t1, "kind": "kill", "breaks": True})
    settle(listener, source)
    judge(tmp_path, source, listener, faults)


def test_f60_a_server_that_forgot_everything_is_a_gap(started):
    port = free_port()
    server = started(Server, port)
    listener = listen(started, server.url)
    source = publisher(server, rate=None)
    source.publish(5)
    listener.wait_messages(5)
    server.process.send_signal(signal.SIGKILL)
    listener.wait_status("reconnecting", 1)
    server = started(Server, port)
    recovered(listener, 5)
    wait_until(lambda: listener.of("gap"), 3, "the gap")
    source.session.drop()
    source = publisher(server, rate=None)
    source.publish(5)
    listener.wait_messages(10)
    source.stop()
    assert [e["data"]["seq"] for e in listener.of("msg")] == [1, 2, 3, 4, 5] * 2
    assert len(listener.of("gap")) == 1


def expect_the_end(proxy, listener, category, code, vendor):
    """The last status, and nothing tried for ten seconds, in which the fast profile would have tried three times at least."""
    failed = listener.wait_status("failed", 5)
    assert (failed["category"], failed["code"], failed["vendor"]) == (category, code, vendor)
    assert not failed["will_retry"] and failed["retry_in"] is None
    opens, statuses = proxy.opens(), list(listener.statuses)
    time.sleep(10)
    assert proxy.opens() == opens and listener.statuses == statuses


def test_s12_f27_a_kick_is_final(link, started):
    server, proxy, listener = link
    other = listen(started, server.url, name="s2", user="s1")
    expect_the_end(proxy, listener, "kicked", 31010, "kickedOfflineByOtherClient 6")
    assert listener.statuses == ["connecting", "connected", "failed"]
    assert other.statuses == ["connecting", "connected"]


@pytest.mark.parametrize("path,body,category,code,vendor", [
    ("user/ban", {"userIds": ["s1"], "durationMinutes": 5}, "banned", 31011, "disconnException 16"),
    ("user/deactivate", {"userIds": ["s1"]}, "accountDeleted", 31029, "userAbandon 19"),
    ("auth/access-token/expire", {"userIds": ["s1"]}, "credentialsRejected", 31020, "tokenIncorrect 15")])
def test_s12_f27_what_the_operator_does_to_a_user_is_final(link, path, body, category, code, vendor):
    server, proxy, listener = link
    api = ServerAPI(server.port)
    if path.endswith("expire"):
        body = {**body, "expiresAt": int(time.time() * 1000) + 1000}
    t0 = time.monotonic()
    api.result(path, body)
    failed = listener.wait_status("failed", 3)
    assert failed["t"] - t0 <= 0.5
    expect_the_end(proxy, listener, category, code, vendor)
    assert listener.statuses == ["connecting", "connected", "failed"]


def test_f50_a_token_that_is_refused_is_not_asked_for_again(started):
    server = started(Server)
    proxy = started(Proxy, server.port)
    listener = started(NexconnListener, proxy.url, "--token", "wrong", "--channel", CHANNEL, secret=None)
    expect_the_end(proxy, listener, "credentialsRejected", 31004, "tokenIncorrect 15")
    assert listener.statuses == ["connecting", "failed"]
    assert proxy.opens() == 1


def test_f65_what_is_published_without_a_connection_waits_and_arrives_once(link, started):
    server, proxy, listener = link
    other = listen(started, server.url, name="p1")
    proxy.mode("refuse")
    proxy.kill_links("rst")
    listener.wait_status("reconnecting", 1)
    other.say('subscribe direct:s1')
    other.wait_subscribed("direct:s1")
    for number in range(1, 21):
        listener.say('publish direct:p1 {"seq":%d}' % number)
    time.sleep(1)
    assert not listener.of("published")
    proxy.mode("pass")
    wait_until(lambda: len(listener.of("published")) == 20, 8, "the outcomes")
    assert {e["outcome"] for e in listener.of("published")} == {"accepted"}
    received = [e["data"]["seq"] for e in other.of("msg") if e["ch"] == "direct:s1"]
    assert sorted(received) == list(range(1, 21))


def test_a_client_that_was_frozen_recovers(link):
    server, proxy, listener = link
    listener.process.send_signal(signal.SIGSTOP)
    time.sleep(4)
    proxy.kill_links("rst")
    listener.process.send_signal(signal.SIGCONT)
    thawed = time.monotonic()
    listener.wait_status("reconnecting", 3)
    assert recovered(listener, 5)["t"] - thawed <= 3
    assert listener.statuses == ONE_OUTAGE


def test_s17_open_channels_are_entered_again(link, started):
    server, proxy, listener = link
    api = ServerAPI(server.port)
    rooms = [f"open:room-{number}" for number in range(20)]
    for room in rooms:
        listener.say(f"subscribe {room}")
    for room in rooms:
        listener.wait_subscribed(room)
    t0 = proxy.kill_links("rst")
    for room in rooms:
        again = listener.wait_subscribed(room, 2, 6)[0]
        assert again["t"] - t0 <= 2.5
    assert listener.statuses == ONE_OUTAGE
    api.close()
