"""Scenarios over long-poll: faults on real sockets, exact status sequences, and the checker's verdict.

Nothing is lost in an outage as long as the service remembers it: the checker is asked for `recover`, not for `live`. What takes its
time is in test_every_service.py.
"""

import signal
import subprocess
import sys
import time

import pytest
from lifeline_harness import AT_ONCE, GRACE, RECOVER, Server, free_port, verdict, wait_until
from pubnub_scenarios import PubNubConnection, PubNubListener, PubNubPublisher
from test_faults import retried

ONE_OUTAGE = ["connecting", "connected", "reconnecting", "connecting", "connected"]


@pytest.fixture
def link(started, server, proxies):
    """Server, fault proxy before it, and a listener on `room` through the proxy that is connected."""
    proxy = proxies(server.port)
    listener = started(PubNubListener, proxy.url, "--channel", "room")
    listener.wait_subscribed("room")
    assert listener.statuses == ["connecting", "connected"]
    return server, proxy, listener


def publisher(server, **options):
    return PubNubPublisher(server.port, "room", **options)


def recovered(listener, subscriptions=2):
    return listener.wait_subscribed("room", subscriptions)[0]


def settle(listener, source, count=20):
    """Waits for so many more messages, and for all that were published."""
    listener.wait_messages(len(listener.of("msg")) + count)
    source.stop()
    wait_until(lambda: listener.of("msg")[-1]["data"]["seq"] == source.sequence, 30, "the last message")


def judge(tmp_path, source, listener, faults=(), **limits):
    return verdict(tmp_path, source, listener, list(faults), guarantee="recover", **limits)


@pytest.mark.parametrize("how", ["rst", "fin"])
def test_s02_s03_a_hanging_poll_loses_its_link(link, tmp_path, how):
    server, proxy, listener = link
    source = publisher(server, rate=None)
    source.publish(10)
    listener.wait_messages(10)
    # Longer than a kept connection may take to turn out to be closed.
    time.sleep(2)
    t0 = proxy.kill_links(how)
    source.publish(10)
    again = recovered(listener)
    assert listener.statuses == ONE_OUTAGE
    lost = listener.of("status")[2]
    assert lost["t"] - t0 <= AT_ONCE
    assert lost["category"] == "unexpectedDisconnect" and lost["vendor"] == "PNUnexpectedDisconnectCategory"
    assert lost["will_retry"] and lost["retry_in"] is not None
    assert listener.of("status")[4]["vendor"] == "PNReconnectedCategory"
    assert again["t"] - t0 <= 0.5 + AT_ONCE + GRACE
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
    again = recovered(listener)
    settle(listener, source)
    assert retried(listener.statuses[2:])
    assert listener.of("status")[2]["t"] - t0 <= AT_ONCE
    assert again["t"] - t1 <= RECOVER
    assert judge(tmp_path, source, listener, [{"t0": t0, "t1": t1, "kind": mode, "breaks": True}])["declared"] == 0


@pytest.mark.parametrize("status,headers,category,code", [
    (200, {}, "malformedResponse", 200), (302, {"Location": "http://127.0.0.1:1/login"}, "malformedResponse", 302),
    (511, {}, "malformedResponse", 511), (407, {"Proxy-Authenticate": "Basic"}, "proxyUnavailable", 407),
    (503, {"Retry-After": "2"}, "overloaded", 503)])
def test_s13_somebody_else_answers(link, tmp_path, status, headers, category, code):
    server, proxy, listener = link
    source = publisher(server)
    listener.wait_messages(20)
    t0 = proxy.replace_answers(status, headers)
    lost = listener.wait_status("reconnecting")
    # A poll that had begun when the link went is lost with it; the next one is answered by somebody else.
    if lost["code"] is None:
        assert lost["category"] == "unexpectedDisconnect"
        lost = listener.wait_status("reconnecting", after=listener.statuses.index("reconnecting") + 1)
    time.sleep(1.5)
    t1 = proxy.mode("pass")
    recovered(listener)
    settle(listener, source)
    assert lost["t"] - t0 <= 0.5 + AT_ONCE
    for refused in [e for e in listener.of("status") if e["status"] == "reconnecting" and e["t"] >= lost["t"]]:
        assert (refused["category"], refused["code"]) == (category, code)
        assert status != 503 or 2 <= refused["retry_in"] <= 3.75
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
    lost = listener.wait_status("reconnecting")
    t1 = proxy.mode("pass")
    recovered(listener)
    source.publish(5)
    listener.wait_messages(11)
    # The checker leaves out what was published shortly before the end.
    time.sleep(0.5)
    source.publish(1)
    listener.wait_messages(12)
    assert lost["t"] - t0 <= AT_ONCE
    assert lost["category"] == "unexpectedDisconnect"
    assert retried(listener.statuses[2:])
    result = judge(tmp_path, source, listener, [{"t0": t0, "t1": t1, "kind": "truncate", "breaks": True}])
    assert result["declared"] == 0


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
    time.sleep(2)
    proxy.mode("refuse")
    t0 = proxy.kill_links("rst")
    listener.wait_status("reconnecting")
    source.publish(150)
    t1 = proxy.mode("pass")
    recovered(listener)
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
    time.sleep(2)
    t0 = time.monotonic()
    server.process.send_signal(signal.SIGKILL)
    lost = listener.wait_status("reconnecting")
    assert lost["t"] - t0 <= AT_ONCE
    started(Server, port)
    t1 = time.monotonic()
    assert recovered(listener)["t"] - t1 <= RECOVER
    wait_until(lambda: listener.of("gap"), 20, "the gap")
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
    wait_until(lambda: source.tokens[-1] / 1e7 - time.time() > 3000, 20, "a timetoken of the clock set forward")
    settle(listener, source)
    assert source.tokens == sorted(set(source.tokens)), "strictly increasing"
    assert [e["data"]["seq"] for e in listener.of("msg")] == list(range(1, source.sequence + 1))
    assert listener.statuses == ["connecting", "connected"] and not listener.of("gap")
