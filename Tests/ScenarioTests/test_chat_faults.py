"""Scenarios over chat sessions: faults on real sockets, exact status sequences, and the checker's verdict.

Everything that a user's inbox is sent comes, once and in order, however often the link was lost: the checker is asked for `recover`.
What takes its time is in test_every_service.py.
"""

import signal
import time

import pytest
from lifeline_harness import AT_ONCE, GRACE, RECOVER, Server, free_port, verdict, wait_until
from chat_client import ServerAPI
from chat_scenarios import ChatListener, ChatPublisher
from test_faults import retried

CHANNEL = "direct:p1"
ONE_OUTAGE = ["connecting", "connected", "reconnecting", "connecting", "connected"]


@pytest.fixture
def link(started, server, proxies):
    """Server, fault proxy before it, and a listener through the proxy that is connected."""
    proxy = proxies(server.port)
    return server, proxy, listen(started, proxy.url)


def listen(started, url, *options, **named):
    listener = started(ChatListener, url, "--channel", CHANNEL, *options, **named)
    listener.wait_subscribed(CHANNEL)
    assert listener.statuses == ["connecting", "connected"]
    return listener


def publisher(server, rate=20):
    """Sends at the rate; without one only when told to."""
    source = ChatPublisher(server.port, "direct", "s1", CHANNEL, rate=rate)
    return source.start() if rate else source


def recovered(listener, subscriptions=2):
    return listener.wait_subscribed(CHANNEL, subscriptions)[0]


def settle(listener, source, count=20):
    """Waits for so many more messages, and for all that were sent."""
    listener.wait_messages(len(listener.of("msg")) + count)
    source.stop()
    wait_until(lambda: listener.of("msg")[-1]["data"]["seq"] == source.sequence, 30, "the last message")


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
    listener.wait_status("disconnected")
    assert listener.statuses == ["connecting", "connected", "disconnecting", "disconnected"]
    opens = proxy.opens()
    listener.say("quit")
    assert listener.wait(20) == 0
    # One for the token, one for the session.
    assert opens <= 2 and proxy.opens() == opens


@pytest.mark.parametrize("how", ["rst", "fin"])
def test_s02_s03_one_lost_link(link, tmp_path, how):
    server, proxy, listener = link
    source = publisher(server)
    listener.wait_messages(20)
    t0 = proxy.kill_links(how)
    again = recovered(listener)
    settle(listener, source)
    assert listener.statuses == ONE_OUTAGE
    lost = listener.of("status")[2]
    assert lost["t"] - t0 <= AT_ONCE
    assert lost["category"] == "unexpectedDisconnect" and lost["vendor"] == "suspend 13"
    assert lost["will_retry"] and 0 <= lost["retry_in"] <= 0.05
    assert again["t"] - t0 <= 0.5 + AT_ONCE + GRACE
    judge(tmp_path, source, listener, [{"t0": t0, "t1": t0 + 0.05, "kind": how, "breaks": True}])


@pytest.mark.parametrize("mode", ["reset", "close"])
def test_s02_resets_for_a_second(link, tmp_path, mode):
    server, proxy, listener = link
    source = publisher(server)
    listener.wait_messages(20)
    t0 = proxy.mode(mode)
    time.sleep(1)
    t1 = proxy.mode("pass")
    again = recovered(listener)
    settle(listener, source)
    assert retried(listener.statuses[2:])
    assert listener.of("status")[2]["t"] - t0 <= AT_ONCE
    assert again["t"] - t1 <= RECOVER
    judge(tmp_path, source, listener, [{"t0": t0, "t1": t1, "kind": mode, "breaks": True}])


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


@pytest.mark.parametrize("status,headers,category", [
    (200, {}, "malformedResponse"), (302, {"Location": "http://127.0.0.1:1/login"}, "malformedResponse"),
    (511, {}, "malformedResponse"), (503, {"Retry-After": "2"}, "overloaded")])
def test_s13_somebody_else_answers(link, tmp_path, status, headers, category):
    server, proxy, listener = link
    source = publisher(server)
    listener.wait_messages(20)
    t0 = proxy.replace_answers(status, headers)
    wait_until(
        lambda: [e for e in listener.of("status") if e["status"] == "reconnecting" and e["category"] == category], 20, category)
    time.sleep(2)
    t1 = proxy.mode("pass")
    recovered(listener)
    settle(listener, source)
    assert retried(listener.statuses[2:])
    lost, *refusals = [e for e in listener.of("status") if e["status"] == "reconnecting"]
    assert lost["category"] == "unexpectedDisconnect" and refusals
    for refused in refusals:
        assert (refused["category"], refused["code"]) == (category, status)
        assert status != 503 or 2 <= refused["retry_in"] <= 3.75
    # The place in the inbox is kept: what was sent meanwhile comes, once.
    judge(tmp_path, source, listener, [{"t0": t0, "t1": t1, "kind": "http", "breaks": True}], recover=8)


def test_s13_a_proxy_that_wants_a_password_is_final(link):
    server, proxy, listener = link
    proxy.replace_answers(407, {"Proxy-Authenticate": "Basic"})
    failed = listener.wait_status("failed")
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
        # Counted before: the news may be faster than this process.
        t0, told = time.monotonic(), len(listener.statuses)
        server.process.send_signal(signal.SIGKILL)
        lost = listener.wait_status("reconnecting", after=told)
        assert lost["t"] - t0 <= AT_ONCE
        time.sleep(0.3)
        server = started(Server, port, *options)
        t1 = time.monotonic()
        assert recovered(listener, round + 2)["t"] - t1 <= RECOVER
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
    listener.wait_status("reconnecting")
    server = started(Server, port)
    recovered(listener)
    wait_until(lambda: listener.of("gap"), 20, "the gap")
    source.session.drop()
    source = publisher(server, rate=None)
    source.publish(5)
    listener.wait_messages(10)
    source.stop()
    assert [e["data"]["seq"] for e in listener.of("msg")] == [1, 2, 3, 4, 5] * 2
    assert len(listener.of("gap")) == 1


def test_s12_f27_f50_what_is_final_is_not_tried_again(server, started, proxies):
    """A kick, what an operator does to a user, and a token that is wrong: the last status, and nothing tried for ten seconds, in which
    the fast profile would have tried three times at least. A client and a proxy for each, so that all are waited for at once."""
    api = ServerAPI(server.port)
    victims = {}
    for user in ("kicked", "banned", "deactivated", "expired"):
        proxy = proxies(server.port)
        victims[user] = (proxy, listen(started, proxy.url, name=user))
    proxy = proxies(server.port)
    victims["wrong"] = (proxy, started(ChatListener, proxy.url, "--token", "wrong", "--channel", CHANNEL, secret=None, name="wrong"))
    deeds = {
        "kicked": lambda: listen(started, server.url, name="other", user="kicked"),
        "banned": lambda: api.result("user/ban", {"userIds": ["banned"], "durationMinutes": 5}),
        "deactivated": lambda: api.result("user/deactivate", {"userIds": ["deactivated"]}),
        "expired": lambda: api.result(
            "auth/access-token/expire", {"userIds": ["expired"], "expiresAt": int(time.time() * 1000) + 1000}),
        "wrong": lambda: None}
    ends = {
        "kicked": ("kicked", 31010, "kickedOfflineByOtherClient 6"), "banned": ("banned", 31011, "disconnException 16"),
        "deactivated": ("accountDeleted", 31029, "userAbandon 19"), "expired": ("credentialsRejected", 31020, "tokenIncorrect 15"),
        "wrong": ("credentialsRejected", 31004, "tokenIncorrect 15")}
    made = {}
    for user, (_, listener) in victims.items():
        t0 = time.monotonic()
        made[user] = deeds[user]()
        failed = listener.wait_status("failed")
        if user not in ("kicked", "wrong"):
            # These two take the start of a program.
            assert failed["t"] - t0 <= AT_ONCE, user
        assert (failed["category"], failed["code"], failed["vendor"]) == ends[user]
        assert not failed["will_retry"] and failed["retry_in"] is None
    opens = {user: proxy.opens() for user, (proxy, _) in victims.items()}
    time.sleep(10)
    for user, (proxy, listener) in victims.items():
        assert proxy.opens() == opens[user] and (user != "wrong" or opens[user] == 1)
        assert listener.statuses == (["connecting", "failed"] if user == "wrong" else ["connecting", "connected", "failed"])
    assert made["kicked"].statuses == ["connecting", "connected"]
    api.close()


def test_f65_what_is_published_without_a_connection_waits_and_arrives_once(link, started):
    server, proxy, listener = link
    other = listen(started, server.url, name="p1")
    proxy.mode("refuse")
    proxy.kill_links("rst")
    listener.wait_status("reconnecting")
    other.say('subscribe direct:s1')
    other.wait_subscribed("direct:s1")
    for number in range(1, 21):
        listener.say('publish direct:p1 {"seq":%d}' % number)
    time.sleep(1)
    assert not listener.of("published")
    proxy.mode("pass")
    wait_until(lambda: len(listener.of("published")) == 20, 30, "the outcomes")
    assert {e["outcome"] for e in listener.of("published")} == {"accepted"}
    # The sender's outcome may be printed before the receiver's message.
    other.wait_messages(20)
    received = [e["data"]["seq"] for e in other.of("msg") if e["ch"] == "direct:s1"]
    assert sorted(received) == list(range(1, 21))


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
        again = listener.wait_subscribed(room, 2)[0]
        assert again["t"] - t0 <= 2.5 + GRACE
    assert listener.statuses == ONE_OUTAGE
    api.close()
