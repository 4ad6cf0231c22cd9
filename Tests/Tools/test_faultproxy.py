"""Every mode of the fault proxy, before a server that says back what it hears. Limits from below only: a busy machine may take longer."""

import http.client
import json
import os
import socket
import subprocess
import sys
import threading
import time

import pytest
from lifeline_harness import TOOLS, Proxy, free_port, wait_until

# Seconds in which nothing may come, and in which something has to.
SILENCE, LIMIT = 0.5, 20


class Echo:
    """A server that says back what it hears."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                link, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(link,), daemon=True).start()

    @staticmethod
    def _serve(link):
        with link:
            try:
                while data := link.recv(65_536):
                    link.sendall(data)
            except OSError:
                pass

    def kill(self):
        self.listener.close()


@pytest.fixture
def proxy(started):
    return started(Proxy, started(Echo).port)


@pytest.fixture
def dial(proxy):
    links = []

    def make():
        link = socket.create_connection(("127.0.0.1", proxy.port), timeout=LIMIT)
        links.append(link)
        return link

    yield make
    for link in links:
        link.close()


def round_trip(link, data=b"x"):
    """Sends, waits until as much has come back, and returns it with the seconds that it took."""
    start, back = time.monotonic(), b""
    link.sendall(data)
    while len(back) < len(data):
        more = link.recv(65_536)
        assert more, f"the end after {back!r}"
        back += more
    return back, time.monotonic() - start


def is_silent(link):
    link.settimeout(SILENCE)
    try:
        return not link.recv(1) and None
    except TimeoutError:
        return True
    finally:
        link.settimeout(LIMIT)


def test_pass_and_what_it_counts(proxy, dial):
    assert round_trip(dial(), b"hello")[0] == b"hello"
    state = proxy._ask("/state")[1]
    assert (state["mode"], state["open"], state["total"], state["up"], state["down"]) == ({"mode": "pass"}, 1, 1, 5, 5)
    assert [event["ev"] for event in proxy._ask("/log")[1]] == ["mode", "open"]
    with pytest.raises(Exception, match="404"):
        proxy._ask("/elsewhere")


def test_what_slows_down_or_cuts_up_leaves_the_bytes_alone(proxy, dial):
    link, data = dial(), os.urandom(600)
    proxy.mode("delay", ms=150)
    back, took = round_trip(link, data)
    assert back == data and took >= 0.3
    proxy.mode("throttle", bps=2000)
    back, took = round_trip(link, data)
    assert back == data and took >= 0.2
    for mode, options in (("fragment", {"size": 1}), ("coalesce", {"ms": 50})):
        proxy.mode(mode, **options)
        assert round_trip(link, data)[0] == data, mode


def test_a_stall_ends_with_all_that_was_sent(proxy, dial):
    link = dial()
    round_trip(link)
    proxy.mode("stall")
    link.sendall(b"late")
    assert is_silent(link)
    proxy.mode("pass")
    assert link.recv(10) == b"late"


def test_a_blackhole_is_silent_and_what_lost_bytes_stays_dead(proxy, dial):
    link = dial()
    round_trip(link)
    proxy.mode("blackhole")
    link.sendall(b"lost")
    assert is_silent(link)
    proxy.mode("pass")
    link.sendall(b"lost too")
    assert is_silent(link)
    assert round_trip(dial())[0] == b"x"


def test_a_blackhole_one_way(proxy, dial):
    link = dial()
    round_trip(link)
    proxy.mode("blackhole", dir="down")
    link.sendall(b"12345")
    assert is_silent(link)
    assert proxy._ask("/state")[1]["up"] == 6


@pytest.mark.parametrize("mode", ["reset", "close"])
def test_ends_open_and_new_connections(proxy, dial, mode):
    link = dial()
    round_trip(link)
    proxy.mode(mode)
    # A new connection may be reset while it is still being made.
    for find in (lambda: link, dial):
        if mode == "reset":
            with pytest.raises(ConnectionResetError):
                find().recv(1)
        else:
            assert find().recv(1) == b""
    proxy.mode("pass")
    assert round_trip(dial())[0] == b"x"


@pytest.mark.parametrize("how", ["rst", "fin"])
def test_killing_links(proxy, dial, how):
    link = dial()
    round_trip(link)
    proxy.kill_links(how)
    if how == "rst":
        with pytest.raises(ConnectionResetError):
            link.recv(1)
    else:
        assert link.recv(1) == b""
    assert round_trip(dial())[0] == b"x"


def test_truncates_and_corrupts(proxy, dial):
    proxy.mode("truncate", after=3)
    link = dial()
    link.sendall(b"hello")
    assert link.recv(10) == b"hel" and link.recv(10) == b""
    proxy.mode("corrupt", p=1)
    back, _ = round_trip(dial(), b"\0" * 100)
    assert all(byte.bit_count() == 1 for byte in back)


def test_refuses_new_connections_and_keeps_open_ones(proxy, dial):
    link = dial()
    round_trip(link)
    proxy.mode("refuse")
    with pytest.raises(ConnectionRefusedError):
        dial()
    assert round_trip(link)[0] == b"x"
    proxy.mode("pass")
    assert round_trip(dial())[0] == b"x"


def test_silence_accepts_and_says_nothing(proxy, dial):
    proxy.mode("silence")
    link = dial()
    link.sendall(b"hello")
    assert is_silent(link)


def ask(link):
    link.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    answer = http.client.HTTPResponse(link)
    answer.begin()
    return answer.status, answer.headers, answer.read()


def test_answers_as_somebody_else(proxy, dial):
    proxy.mode("http")
    status, _, body = ask(dial())
    assert status == 200 and b"Free WiFi" in body
    proxy.mode("http", status=503, headers={"Retry-After": "7"}, body="{}")
    status, headers, body = ask(dial())
    assert (status, headers["Retry-After"], body) == (503, "7", b"{}")


def test_writes_the_answer_into_open_connections_unless_told_not_to(proxy, dial):
    touched = dial()
    round_trip(touched)
    proxy.mode("http", status=503)
    assert touched.recv(12) == b"HTTP/1.1 503"
    proxy.mode("pass")
    kept = dial()
    round_trip(kept)
    proxy.mode("http", status=503, new_only=True)
    assert round_trip(kept, b"still there")[0] == b"still there"
    assert ask(dial())[0] == 503


def test_a_connection_keeps_the_answer_of_the_mode_in_which_it_was_accepted(proxy, dial):
    """Its request may come when the mode has changed: however slow the client, it sees the fault that it ran into."""
    proxy.mode("http", status=503)
    link = dial()
    wait_until(lambda: proxy._ask("/state")[1]["open"] == 1, LIMIT, "the connection to be accepted")
    proxy.mode("pass")
    assert ask(link)[0] == 503


def test_injects_bytes(proxy, dial):
    link = dial()
    round_trip(link)
    proxy.inject(b"\x81\x00")
    assert link.recv(10) == b"\x81\x00"
    proxy._ask("/inject", {"text": "up", "dir": "up"}, "POST")
    assert link.recv(10) == b"up"


def test_a_schedule_and_the_log(started, tmp_path):
    steps = {"loop": True, "steps": [{"for": 0.05, "mode": "pass"}, {"for": 0.05, "mode": "reset"}]}
    (tmp_path / "flap.json").write_text(json.dumps(steps))
    log = tmp_path / "log.jsonl"
    program = subprocess.Popen(
        [sys.executable, str(TOOLS / "faultproxy.py"), "--listen", f"127.0.0.1:{free_port()}", "--upstream", "127.0.0.1:1",
         "--schedule", str(tmp_path / "flap.json"), "--log", str(log)], stdout=subprocess.DEVNULL)
    try:
        def modes():
            lines = log.read_text().splitlines() if log.exists() else []
            return [event["mode"] for event in map(json.loads, lines) if event["ev"] == "mode"]

        wait_until(lambda: len(modes()) >= 7, LIMIT, "a schedule that repeats")
        # The first is what the proxy starts with.
        assert modes()[1:7] == ["pass", "reset"] * 3
    finally:
        program.kill()
        program.wait(LIMIT)


def test_ends_when_asked(proxy):
    proxy._ask("/quit", {}, "POST")
    assert proxy.wait(LIMIT) == 0
