"""Connections are limited by the address that they come from (rules SV-50 and SV-51)."""

import socket
import ssl
import subprocess
import time

import pytest
from lifeline_harness import KEY, Server, wait_until

REQUEST = b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n"
HANDSHAKE = (f"GET /app/{KEY}?protocol=7 HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
             "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n")


class Guest:
    """One connection from an address of its own."""

    def __init__(self, port, address="127.0.0.1", host="127.0.0.1"):
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self.socket = socket.socket(family)
        self.socket.settimeout(30)
        self.socket.bind((address, 0))
        self.is_reset = False
        try:
            self.socket.connect((host, port))
        except ConnectionResetError:
            # The server was faster than the system, which saw the connection and its end at once.
            self.is_reset = True

    def ask(self, request=REQUEST):
        """The status of the answer; None when the server has reset the connection, before anything was read of it."""
        if self.is_reset:
            return None
        try:
            self.socket.sendall(request)
            answer = self.socket.recv(65_536)
            assert answer, "closed in order, and not reset"
            return int(answer.split()[1])
        except (ConnectionResetError, BrokenPipeError):
            return None

    def kill(self):
        self.socket.close()


def metric(server, name):
    return next(float(line.split()[1]) for line in server.get("/metrics")[1].splitlines() if line.startswith(name + " "))


def limited(started, *options, limit=3):
    return started(Server, 0, "--max-connections-per-address", str(limit), "--connection-rate-per-address", "0", *options)


def test_an_address_with_too_many_connections_is_reset_and_others_are_not(started):
    server = limited(started, "--limit-loopback")
    first = [started(Guest, server.port, "127.0.0.2") for _ in range(3)]
    assert [guest.ask() for guest in first] == [200] * 3
    assert [started(Guest, server.port, "127.0.0.2").ask() for _ in range(5)] == [None] * 5
    assert started(Guest, server.port, "127.0.0.3").ask() == 200
    assert [guest.ask() for guest in first] == [200] * 3
    assert metric(server, "lifeline_connections_refused_by_address_total") == 5
    # A place that has been given back is free; WebSockets take one as well.
    first[0].kill()
    wait_until(lambda: started(Guest, server.port, "127.0.0.2").ask(HANDSHAKE.encode() + b"\r\n") == 101, 30, "a free place")
    assert started(Guest, server.port, "127.0.0.2").ask() is None


def test_this_machine_is_not_limited_unless_it_shall_be(started):
    server = limited(started)
    guests = [started(Guest, server.port, "127.0.0.2") for _ in range(10)]
    assert [guest.ask() for guest in guests] == [200] * 10


# Proof of SV-50.
def test_an_address_that_connects_too_fast_is_reset_until_time_has_passed(started):
    server = started(Server, 0, "--limit-loopback", "--connection-rate-per-address", "1", "--max-connections-per-address", "0")
    begin, answers = time.monotonic(), []
    while None not in answers:
        guest = started(Guest, server.port, "127.0.0.2")
        answers.append(guest.ask())
        guest.kill()
    # Five at once, and one for each second that has passed meanwhile.
    assert 5 <= len(answers) - 1 <= 6 + time.monotonic() - begin
    assert started(Guest, server.port, "127.0.0.3").ask() == 200
    wait_until(lambda: started(Guest, server.port, "127.0.0.2").ask() == 200, 30, "the next second")


# Proof of SV-51.
def test_behind_a_proxy_that_is_believed_the_client_that_it_names_is_limited(started):
    server = limited(started, "--trust-proxy-headers")

    def handshake(named):
        field = f"X-Forwarded-For: {named}\r\n" if named else ""
        guest = started(Guest, server.port)
        return guest, guest.ask((HANDSHAKE + field + "\r\n").encode())

    open_ones = [handshake("192.0.2.1") for _ in range(3)]
    assert [status for _, status in open_ones] == [101] * 3
    # Only what the proxy wrote counts, which is the last; a port of the client is none of its name.
    for named in ("192.0.2.1", "192.0.2.7, 192.0.2.1", "192.0.2.1:4711", "::ffff:192.0.2.1"):
        assert handshake(named)[1] == 429, named
    assert [handshake(named)[1] for named in ("192.0.2.2", "192.0.2.1, 192.0.2.3", "", "unknown")] == [101] * 4
    for number in range(3):
        assert handshake(f"2001:db8:0:1::{number}")[1] == 101
    assert handshake("2001:db8:0:1:ffff::9")[1] == 429 and handshake("[2001:db8:0:1::9]:443")[1] == 429
    assert handshake("2001:db8:0:2::1")[1] == 101
    assert metric(server, "lifeline_connections_refused_by_address_total") == 6
    # The proxy's own connections for requests are not limited.
    assert [started(Guest, server.port).ask() for _ in range(10)] == [200] * 10
    open_ones[0][0].kill()
    wait_until(lambda: handshake("192.0.2.1")[1] == 101, 30, "a free place")


def test_without_being_told_so_no_header_is_believed(started):
    server = limited(started, "--limit-loopback")
    field = "X-Forwarded-For: 192.0.2.{}\r\n\r\n"
    statuses = [started(Guest, server.port, "127.0.0.2").ask((HANDSHAKE + field.format(number)).encode()) for number in range(5)]
    assert statuses == [101] * 3 + [None] * 2


def test_the_limit_comes_before_tls(started, tmp_path):
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
                    "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", "key.pem", "-out", "cert.pem"], cwd=tmp_path, check=True, capture_output=True)
    server = limited(started, "--limit-loopback", "--tls-cert", str(tmp_path / "cert.pem"), "--tls-key", str(tmp_path / "key.pem"), limit=1)
    first = started(Guest, server.port, "127.0.0.2")
    context = ssl.create_default_context(cafile=str(tmp_path / "cert.pem"))
    with context.wrap_socket(first.socket, server_hostname="localhost"):
        # Reset without an alert, and before the client has said anything.
        assert started(Guest, server.port, "127.0.0.2").ask(b"") is None


def has_ipv6_loopback():
    """Whether this machine can listen on ::1, asked of the system and not of the server under test."""
    if not socket.has_ipv6:
        return False
    try:
        with socket.socket(socket.AF_INET6) as listener:
            listener.bind(("::1", 0))
        return True
    except OSError:
        return False


@pytest.mark.skipif(not has_ipv6_loopback(), reason="this machine has no ::1 to listen on")
def test_ipv6_loopback(started):
    server = limited(started, "--limit-loopback", "--host", "::1", limit=2)
    assert [started(Guest, server.port, "::1", "::1").ask() for _ in range(3)] == [200, 200, None]
