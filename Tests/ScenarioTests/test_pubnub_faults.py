"""Scenarios over long-poll: faults on real sockets, exact status sequences, and the checker's verdict.

Test profile: a link on which nothing is heard for 2 s is tested, and the test may take 1 s, so that a dead link is noticed within 3.5 s.
Nothing is lost in an outage as long as the service remembers it: the checker is asked for `recover`, not for `live`.
"""

import signal
import subprocess
import sys
import time

import pytest
from lifeline_harness import Proxy, Server, free_port, tools, verdict, wait_until
from pubnub_scenarios import PubNubConnection, PubNubListener, PubNubPublisher
from test_faults import retried

DETECT = 3.5
ONE_OUTAGE = ["connecting", "connected", "reconnecting", "connecting", "connected"]


@pytest.fixture
def link(started):
    """Server, fault proxy before it, and a listener on `room` through the proxy that is connected."""
    if tools() is None:
        pytest.skip("fault proxy and checker not found: set LIFELINE_TOOLS to their folder (see CONTRIBUTING.md)")
    server = started(Server)
    proxy = started(Proxy, server.port)
    listener = started(PubNubListener, proxy.url, "--channel", "room")
    listener.wait_subscribed("room")
    assert listener.statuses == ["connecting", "connected"]
    return server, proxy, listener


def publisher(server, **options):
    return PubNubPublisher(server.port, "room", **options)


def recovered(listener, timeout, subscriptions=2):
    return listener.wait_subscribed("room", subscriptions, timeout)[0]


def settle(listener, source, count=20):
    """Waits for so many more messages, and for all that were published."""
    listener.wait_messages(len(listener.of("msg")) + count, 10)
    source.stop()
    wait_until(lambda: listener.of("msg")[-1]["data"]["seq"] == source.sequence, 5, "the last message")


def judge(tmp_path, source, listener, faults=(), **limits):
    return verdict(tmp_path, source, listener, list(faults), guarantee="recover", **limits)


@pytest.mark.parametrize("how", ["rst", "fin"])
def test_s02_s03_a_hanging_poll_loses_its_link(link, tmp_path, how):
    server, proxy, listener = link
    source = publisher(server, rate=None)
    source.publish(10)
    listener.wait_messages(10)
    # Longer than a kept connection may take to turn out to be closed.
    time.sleep(1.3)
    t0 = proxy.kill_links(how)
    source.publish(10)
    again = recovered(listener, 4)
    assert listener.statuses == ONE_OUTAGE
    lost = listener.of("status")[2]
    assert lost["t"] - t0 <= 0.2
    assert lost["category"] == "unexpectedDisconnect" and lost["vendor"] == "PNUnexpectedDisconnectCategory"
    assert lost["will_retry"] and lost["retry_in"] is not None
    assert listener.of("status")[4]["vendor"] == "PNReconnectedCategory"
    assert again["t"] - t0 <= 1.5
    listener.wait_messages(20)
    result = judge(tmp_path, source, listener, [{"t0": t0, "t1": t0 + 0.05, "kind": how, "breaks": True}])
    assert result["declared"] == 0 and not listener.of("gap")


@pytest.mark.parametrize("how", ["rst", "fin"])
def test_s18_kept_connections_that_break_between_polls_are_no_outage(link, tmp_path, how):
    server, proxy, listener = link
    source = publisher(server, rate=50)
    for _ in range(5):
        listener.wait_messages(len(listener.of("msg")) + 20)
        proxy.kill_links(how)
    settle(listener, source)
    assert listener.statuses == ["connecting", "connected"]
    assert proxy.opens() >= 6
    assert judge(tmp_path, source, listener)["declared"] == 0


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
    assert judge(tmp_path, source, listener, [{"t0": t0, "t1": t1, "kind": mode, "breaks": True}])["declared"] == 0


def test_s09_refused_for_thirty_seconds(link, tmp_path):
    server, proxy, listener = link
    source = publisher(server, rate=2)
    listener.wait_messages(3)
    before = proxy.opens()
    proxy.mode("refuse")
    t0 = proxy.kill_links("rst")
    time.sleep(30)
    attempts = listener.statuses[2:].count("connecting")
    t1 = proxy.mode("pass")
    again = recovered(listener, 6)
    settle(listener, source, 3)
    assert 10 <= attempts <= 40, f"{attempts} attempts in 30 s"
    assert again["t"] - t1 <= 4
    # One for the time, one for the polls.
    assert before + 1 <= proxy.opens() <= before + 3
    assert retried(listener.statuses[2:])
    refused = [e for e in listener.of("status")[3:] if e["status"] == "reconnecting"]
    assert all(e["category"] == "networkUnavailable" for e in refused)
    assert judge(tmp_path, source, listener, [{"t0": t0, "t1": t1, "kind": "refuse", "breaks": True}])["declared"] == 0


@pytest.mark.parametrize("status,headers,category,code", [
    (200, {}, "malformedResponse", 200), (302, {"Location": "http://127.0.0.1:1/login"}, "malformedResponse", 302),
    (511, {}, "malformedResponse", 511), (407, {"Proxy-Authenticate": "Basic"}, "proxyUnavailable", 407),
    (503, {"Retry-After": "2"}, "overloaded", 503)])
def test_s13_somebody_else_answers(link, tmp_path, status, headers, category, code):
    server, proxy, listener = link
    source = publisher(server)
    listener.wait_messages(20)
    t0 = proxy.mode("http", status=status, headers=headers)
    lost = listener.wait_status("reconnecting", 2)
    time.sleep(3)
    t1 = proxy.mode("pass")
    recovered(listener, 8)
    settle(listener, source)
    assert lost["t"] - t0 <= 0.3
    assert (lost["category"], lost["code"]) == (category, code)
    if status == 503:
        assert 2 <= lost["retry_in"] <= 3
    assert retried(listener.statuses[2:])
    # The cursor is kept: what was published meanwhile is delivered, once.
    result = judge(tmp_path, source, listener, [{"t0": t0, "t1": t1, "kind": "http", "breaks": True}])
    assert result["declared"] == 0 or listener.of("gap")


def test_s18_an_answer_is_cut(link, tmp_path):
    server, proxy, listener = link
    source = publisher(server, rate=None)
    source.publish(5)
    listener.wait_messages(5)
    proxy.mode("truncate", after=150, how="fin", dir="down")
    t0 = time.monotonic()
    source.publish(1)
    lost = listener.wait_status("reconnecting", 2)
    t1 = proxy.mode("pass")
    recovered(listener, 4)
    source.publish(5)
    listener.wait_messages(11)
    # The checker leaves out what was published shortly before the end.
    time.sleep(0.5)
    source.publish(1)
    listener.wait_messages(12)
    assert lost["t"] - t0 <= 0.2
    assert lost["category"] == "unexpectedDisconnect"
    assert retried(listener.statuses[2:])
    result = judge(tmp_path, source, listener, [{"t0": t0, "t1": t1, "kind": "truncate", "breaks": True}])
    assert result["declared"] == 0


def test_s19_half_open(link, tmp_path):
    server, proxy, listener = link
    source = publisher(server, rate=5)
    listener.wait_messages(10)
    t0 = proxy.mode("blackhole")
    lost = listener.wait_status("reconnecting", DETECT + 1)
    assert lost["t"] - t0 <= DETECT
    assert lost["category"] == "timeout" and lost["vendor"] == "PNUnexpectedDisconnectCategory"
    time.sleep(max(0, t0 + 10 - time.monotonic()))
    t1 = proxy.mode("pass")
    # An attempt that began in the dark may still run out its time before the next one.
    again = recovered(listener, 8)
    settle(listener, source, 5)
    assert again["t"] - t1 <= 7
    assert retried(listener.statuses[2:])
    result = judge(tmp_path, source, listener, [{"t0": t0, "t1": t1, "kind": "blackhole", "breaks": True}], recover=7)
    # 50 messages in 10 s: fewer than the service remembers.
    assert result["declared"] == 0 and not listener.of("gap")


def test_s05_server_frozen(link, tmp_path):
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


def test_s06_a_short_stall_is_no_outage(link, tmp_path):
    server, proxy, listener = link
    source = publisher(server)
    listener.wait_messages(20)
    proxy.mode("stall")
    time.sleep(1)
    proxy.mode("pass")
    settle(listener, source)
    assert listener.statuses == ["connecting", "connected"]
    assert judge(tmp_path, source, listener)["declared"] == 0


def test_s20_more_messages_missed_than_the_service_remembers(link, tmp_path):
    server, proxy, listener = link
    source = publisher(server, rate=None)
    source.publish(5)
    listener.wait_messages(5)
    time.sleep(1.3)
    proxy.mode("refuse")
    t0 = proxy.kill_links("rst")
    listener.wait_status("reconnecting", 1)
    source.publish(150)
    t1 = proxy.mode("pass")
    recovered(listener, 5)
    listener.wait_messages(105)
    source.publish(5)
    listener.wait_messages(110)
    # The checker leaves out what was published shortly before the end.
    time.sleep(0.5)
    source.publish(1)
    listener.wait_messages(111)
    gaps = listener.of("gap")
    assert len(gaps) == 1 and gaps[0]["ch"] == "room"
    numbers = [e["data"]["seq"] for e in listener.of("msg")]
    assert numbers == list(range(1, 6)) + list(range(56, 162)), "the newest 100 of 150 come, and then what follows"
    result = judge(tmp_path, source, listener, [{"t0": t0, "t1": t1, "kind": "refuse", "breaks": True}])
    assert result["declared"] == 50


def test_f57_what_an_added_channel_brings(link):
    server, proxy, listener = link
    source = PubNubConnection(server.port)
    assert source.publish("late", '"before"')[0]
    # Moves the position past what is on the channel already.
    assert source.publish("room", '"here"')[0]
    listener.wait_messages(1)
    listener.say("subscribe late")
    listener.wait_subscribed("late")
    assert source.publish("late", '"after"')[0]
    listener.wait_messages(2)
    assert source.publish("room", '"end"')[0]
    listener.wait_messages(3)
    assert [e["data"] for e in listener.of("msg")] == ["here", "after", "end"]
    assert listener.statuses == ["connecting", "connected"], "a change of the list is no loss"


def test_f61_no_message_is_lost_or_repeated_while_the_list_changes(link, tmp_path):
    server, proxy, listener = link
    source = publisher(server, rate=100)
    listener.wait_messages(20)
    for number in range(30):
        listener.say(f"subscribe other-{number}")
        if number % 3 == 2:
            listener.say(f"unsubscribe other-{number - 1}")
    listener.wait_subscribed("other-29")
    settle(listener, source)
    assert listener.statuses == ["connecting", "connected"]
    assert judge(tmp_path, source, listener)["declared"] == 0


def test_f60_a_server_that_forgot_everything_is_a_gap(started):
    port = free_port()
    server = started(Server, port)
    listener = started(PubNubListener, server.url, "--channel", "room")
    listener.wait_subscribed("room")
    source = PubNubPublisher(port, "room", rate=None)
    source.publish(5)
    listener.wait_messages(5)
    time.sleep(1.3)
    t0 = time.monotonic()
    server.process.send_signal(signal.SIGKILL)
    lost = listener.wait_status("reconnecting", 1)
    assert lost["t"] - t0 <= 0.2
    started(Server, port)
    t1 = time.monotonic()
    assert recovered(listener, 5)["t"] - t1 <= 4
    wait_until(lambda: listener.of("gap"), 2, "the gap")
    # Its connection went with the server.
    source.connection.close()
    source.publish(5)
    listener.wait_messages(10)
    assert [e["data"]["seq"] for e in listener.of("msg")] == list(range(1, 11))
    assert retried(listener.statuses[2:])


CLOCK = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static volatile long *shift;
static int (*real)(clockid_t, struct timespec *);
__attribute__((constructor)) static void begin(void) {
    real = dlsym(RTLD_NEXT, "clock_gettime");
    int file = open(getenv("CLOCK_SHIFT"), O_RDONLY);
    void *page = mmap(0, sizeof *shift, PROT_READ, MAP_SHARED, file, 0);
    if (page != MAP_FAILED) shift = page;
}
int clock_gettime(clockid_t clock, struct timespec *time) {
    int code = real(clock, time);
    if (!code && shift && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) time->tv_sec += *shift;
    return code;
}
time_t time(time_t *out) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (out) *out = now.tv_sec;
    return now.tv_sec;
}
int gettimeofday(struct timeval *restrict out, void *restrict zone) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    out->tv_sec = now.tv_sec;
    out->tv_usec = now.tv_nsec / 1000;
    return 0;
}
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="sets the clock of one process by LD_PRELOAD")
def test_f64_the_clock_of_the_server_is_set_back(started, tmp_path, monkeypatch):
    (tmp_path / "clock.c").write_text(CLOCK)
    subprocess.run(
        ["cc", "-shared", "-fPIC", "-O1", "-o", tmp_path / "clock.so", tmp_path / "clock.c", "-ldl"], check=True, timeout=60)
    shift = tmp_path / "shift"
    shift.write_bytes((0).to_bytes(8, sys.byteorder))

    def set_clock(seconds):
        with shift.open("r+b") as file:
            file.write(seconds.to_bytes(8, sys.byteorder, signed=True))

    monkeypatch.setenv("LD_PRELOAD", str(tmp_path / "clock.so"))
    monkeypatch.setenv("CLOCK_SHIFT", str(shift))
    server = started(Server)
    monkeypatch.delenv("LD_PRELOAD")
    listener = started(PubNubListener, server.url, "--channel", "room")
    listener.wait_subscribed("room")
    source = publisher(server, rate=50)
    listener.wait_messages(20)
    before = source.tokens[-1]
    assert abs(before / 1e7 - time.time()) < 60
    for seconds in (-3600, 3600, -7200):
        set_clock(seconds)
        listener.wait_messages(len(listener.of("msg")) + 20)
    # The last step forward shows that the clock was the one the server reads.
    set_clock(3600)
    wait_until(lambda: source.tokens[-1] / 1e7 - time.time() > 3000, 5, "a timetoken of the clock set forward")
    settle(listener, source)
    assert source.tokens == sorted(set(source.tokens)), "strictly increasing"
    assert [e["data"]["seq"] for e in listener.of("msg")] == list(range(1, source.sequence + 1))
    assert listener.statuses == ["connecting", "connected"] and not listener.of("gap")


def test_a_client_that_was_frozen_recovers(link, tmp_path):
    server, proxy, listener = link
    time.sleep(1.3)
    listener.process.send_signal(signal.SIGSTOP)
    time.sleep(4)
    proxy.kill_links("rst")
    listener.process.send_signal(signal.SIGCONT)
    thawed = time.monotonic()
    lost = listener.wait_status("reconnecting", 3)
    assert lost["t"] - thawed <= 1.5
    assert recovered(listener, 5)["t"] - thawed <= 3
    assert listener.statuses == ONE_OUTAGE
