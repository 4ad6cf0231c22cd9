"""What a crash of the program leaves behind (rule SO-46), and what clients notice of it."""

import ctypes
import re
import signal
from pathlib import Path

import pytest
from lifeline_harness import Listener, Server, free_port, wait_until

VERSION = re.search(r'"(.*)"', (Path(__file__).resolve().parents[2] / "Sources/WireCoding/PackageVersion.swift").read_text())[1]
# As in the program of the packages, in which Swift's program for traces is not found.
NO_TRACE = {"SWIFT_BACKTRACE": "enable=no"}


def crash(server, how):
    """Sends the signal of a crash to a thread that serves connections. These block SIGABRT until they call abort(): the process gets it."""
    if how == signal.SIGABRT:
        server.process.send_signal(how)
        return
    threads = {int(path.name): (path / "comm").read_text() for path in Path(f"/proc/{server.process.pid}/task").iterdir()}
    loops = [thread for thread, name in threads.items() if name.startswith("NIO")]
    assert loops, threads
    assert ctypes.CDLL(None).tgkill(server.process.pid, loops[0], how) == 0


@pytest.mark.parametrize("how", [signal.SIGILL, signal.SIGTRAP, signal.SIGSEGV, signal.SIGABRT], ids=lambda how: how.name)
def test_a_crash_says_version_signal_and_where_it_was(started, how):
    """SO-46: without Swift's own trace; the process ends by the signal, as systemd's Restart=on-failure wants it."""
    server = started(Server, 0, env=NO_TRACE)
    crash(server, how)
    assert server.wait(60) == -how
    text = "\n".join(server.errors)
    begin = text.index(f"lifeline {VERSION} crashed: signal {how:02d}\n")
    trace = text[begin:text.index("lifeline: end of the backtrace", begin)].splitlines()[1:]
    # Addresses within the program and within libraries: `/usr/bin/lifeline(+0x123)[0x456]`.
    assert len(trace) >= 3 and all(re.search(r"\[0x[0-9a-f]+\]$", line) for line in trace), trace
    assert any("lifeline" in line for line in trace), trace


def test_clients_come_back_after_a_crash_and_declare_what_may_be_missing(started):
    """SO-46: systemd starts the server again; here the test does."""
    port = free_port()
    server = started(Server, port, env=NO_TRACE)
    listener = started(Listener, server.url, "--channel", "room")
    listener.wait_subscribed("room")
    crash(server, signal.SIGILL)
    assert server.wait(60) == -signal.SIGILL
    listener.wait_status("reconnecting")
    started(Server, port, env=NO_TRACE)
    listener.wait_status("connected", 60, after=2)
    wait_until(lambda: listener.of("gap"), 60, lambda: f"the gap: {listener.statuses}")


def test_the_unit_restarts_after_a_crash():
    unit = (Path(__file__).resolve().parents[2] / "deploy/package/lifeline.service").read_text()
    assert "\nRestart=on-failure\n" in unit and re.search(r"\nEnvironment=SWIFT_BACKTRACE=\S*interactive=no", unit)
