"""Attacks on the console of `lifeline serve` (rules CO-10 to CO-20)."""

import concurrent.futures
import http.client
import json
import os
import pty
import re
import resource
import signal
import socket
import subprocess
import threading
import time

import pytest
from console_harness import ADMIN, READER, Console, ConsoleServer
from lifeline_harness import Server, free_port, lifeline, wait_until
from pusher_client import PusherSocket

PUBLISH = {"service": "pusher", "app": "1001", "channel": "room", "event": "e", "data": "d"}


@pytest.fixture
def server(started):
    return started(ConsoleServer)


def test_nothing_but_the_page_without_a_password(server):
    stranger = Console(server)
    for path in ("overview", "applications", "channels?service=pusher&app=1001", "users", "connections", "ended", "webhooks", "polls",
                 "errors", "feed", "session", "channel?service=pusher&app=1001&channel=x"):
        status, told, _ = stranger.request("GET", f"/console/api/{path}")
        assert (status, told) == (401, {"error": "Log in first."}), path
    for name in ("publish", "terminate", "logout"):
        assert stranger.act(name, {}, {"X-Lifeline-Token": "0" * 64})[0] == 401
    status, page, answer = stranger.request("GET", "/console")
    assert status == 200 and "<title>Lifeline console</title>" in page
    fields = {name.lower(): value for name, value in answer.headers.items()}
    assert fields["content-security-policy"].startswith("default-src 'self';") and "unsafe" not in fields["content-security-policy"]
    assert fields["x-frame-options"] == "DENY" and fields["x-content-type-options"] == "nosniff" and fields["cache-control"] == "no-store"
    assert not any(name.startswith("access-control") for name in fields)
    assert not re.search(r"<script(?![^>]*src=)|\son\w+=|style=", page), "an inline script or style"


def test_what_a_password_opens_and_what_it_does_not(server, started):
    subscriber = started(PusherSocket, server.port)
    subscriber.subscribe("room")
    admin, reader = Console(server, ADMIN), Console(server, READER)
    assert (admin.role, reader.role) == ("admin", "read-only")
    for console in (admin, reader):
        assert console.ask("overview")["connections"] == 1
    # Rule CO-12: the server says no, whatever the page shows.
    for name, body in (("publish", PUBLISH), ("terminate", {"service": "pusher", "app": "1001", "user": "u"})):
        status, told, _ = reader.act(name, body)
        assert status == 403 and "read-only" in told["error"]
    assert admin.act("publish", PUBLISH)[0] == 200
    assert subscriber.wait("e", "room")["data"] == "d"
    assert admin.act("logout", {})[0] == 200
    assert admin.request("GET", "/console/api/overview")[0] == 401


def test_cookies_are_for_the_console_alone_and_never_taken_over(server):
    console = Console(server)
    planted = "lifeline_console=" + "a" * 64
    console.cookie = planted
    status, _, answer = console.log_in(ADMIN)
    given = answer.headers["Set-Cookie"]
    assert status == 200 and planted not in given, "an id that somebody set must not become a session (session fixation)"
    assert re.fullmatch(r"lifeline_console=[0-9a-f]{64}; Path=/console; HttpOnly; SameSite=Strict", given)
    assert console.request("GET", "/console/api/overview", headers={"Cookie": planted})[0] == 401
    # Two cookies of that name: one of them is somebody else's.
    assert console.request("GET", "/console/api/overview", headers={"Cookie": f"{console.cookie}; {planted}"})[0] == 401
    first = console.cookie
    console.log_in(ADMIN)
    assert console.cookie != first and console.request("GET", "/console/api/overview", headers={"Cookie": first})[0] == 401


@pytest.mark.parametrize("headers", [
    {"X-Lifeline-Token": None}, {"X-Lifeline-Token": ""}, {"X-Lifeline-Token": "0" * 64},
    {"Origin": "https://evil.example"}, {"Origin": "null"}, {"Origin": "http://127.0.0.1:1"}, {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"}, {"Sec-Fetch-Site": "none"}, {"Content-Type": "text/plain"},
    {"Content-Type": "application/x-www-form-urlencoded"}, {"Content-Type": None},
], ids=str)
def test_other_pages_cannot_use_a_session(server, headers):
    console = Console(server, ADMIN)
    status, told, _ = console.act("publish", PUBLISH, headers)
    assert status == 403 and "own page" in told["error"]
    own = {"Origin": f"http://127.0.0.1:{server.admin_port}", "Sec-Fetch-Site": "same-origin"}
    assert console.act("publish", PUBLISH, own)[0] == 200


def test_the_token_of_another_session_is_worth_nothing(server):
    one, other = Console(server, ADMIN), Console(server, ADMIN)
    assert one.act("publish", PUBLISH, {"X-Lifeline-Token": other.token})[0] == 403
    assert one.request("GET", "/console/api/publish")[0] == 405


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "localhost.evil.example", "127.0.0.1.evil.example", "[::1].x"])
def test_a_name_that_was_pointed_here_is_refused(server, host):
    console = Console(server, ADMIN)
    for path in ("/console", "/console/api/overview", "/metrics", "/ready"):
        assert console.request("GET", path, host=host)[0] in (400, 403), path
    for host in (f"localhost:{server.admin_port}", "127.0.0.1", f"[::1]:{server.admin_port}"):
        assert console.request("GET", "/console/api/overview", host=host)[0] == 200


def test_names_that_are_configured_are_taken(started):
    server = started(ConsoleServer, "--admin-name", "console.example.com")
    assert Console(server).request("GET", "/console", host="Console.Example.com:443")[0] == 200
    assert Console(server).request("GET", "/console", host="example.com")[0] == 403


def test_behind_a_proxy_that_ends_tls(started):
    """CO-87 and CO-88: as in a container, where the port has no certificate; here the proxy is on this machine."""
    server = started(ConsoleServer, "--admin-host", "0.0.0.0", "--admin-trust-proxy", "127.0.0.0/8", "--admin-name", "console.example")
    wait_until(lambda: "https://console.example/console" in "\n".join(server.errors), 10, "the address of the console in the log")
    proxied = {"X-Forwarded-Proto": "https", "X-Forwarded-For": "203.0.113.7"}

    def through(console, headers=proxied):
        plain = console.request
        console.request = lambda method, path, body=None, given=None, **more: plain(
            method, path, body, {**headers, **(given or {})}, **{"host": "console.example", **more})
        return console

    browser = through(Console(server))
    assert browser.request("GET", "/console")[0] == 200
    status, _, answer = browser.log_in(ADMIN, {"Origin": "https://console.example", "Sec-Fetch-Site": "same-origin"})
    assert status == 200
    assert re.fullmatch(r"__Host-lifeline_console=[0-9a-f]{64}; Path=/; Secure; HttpOnly; SameSite=Strict", answer.headers["Set-Cookie"])
    assert browser.ask("overview")["reasons"] == []
    assert browser.act("publish", PUBLISH)[0] == 200
    # What came to the proxy in the clear gets nothing, not even the page that asks for the password.
    for insecure in ({"X-Forwarded-Proto": "http"}, {"X-Forwarded-Proto": "https, http"}, {"X-Forwarded-Proto": ""}):
        clear = through(Console(server), insecure)
        for path in ("/console", "/console/app.js", "/console/api/overview", "/metrics"):
            status, told, _ = clear.request("GET", path)
            assert status == 403 and "adminTrustProxy" in told["error"], path
        assert clear.log_in(ADMIN)[0] == 403
        assert clear.request("GET", "/ready")[0] == 200 and clear.request("GET", "/health")[0] == 200
    # Figures need the password, and limits hold for the address that the proxy names.
    assert through(Console(server)).request("GET", "/metrics")[0] == 401
    guesser = through(Console(server), {**proxied, "X-Forwarded-For": "127.0.0.1, 198.51.100.9"})
    for number in range(10):
        status = guesser.log_in(f"wrong password {number}")[0]
    assert status == 429 and through(Console(server)).log_in(ADMIN)[0] == 200
    wait_until(lambda: "198.51.100.9" in "\n".join(server.errors), 10, "the address of the one who guesses")


# Proof of CO-13.
def test_a_storm_of_wrong_passwords_is_slowed_down(server):
    console = Console(server, ADMIN)
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda number: Console(server).log_in(f"wrong password {number}"), range(80)))
    statuses = [status for status, _, _ in answers]
    assert set(statuses) <= {401, 429} and 429 in statuses, statuses
    # Hashing takes its time, in which another attempt may become free: so one after the other until none is left.
    for number in range(100):
        status, _, refused = Console(server).log_in(f"wrong password {number}")
        if status == 429 and int(refused.headers["Retry-After"]) > 2:
            break
    assert status == 429 and 1 <= int(refused.headers["Retry-After"]) <= 10
    # The right one has to wait, too; whoever is logged in goes on.
    status, told, _ = Console(server).log_in(ADMIN)
    assert status == 429 and "Try again in" in told["error"]
    assert console.ask("overview")["reasons"] == []
    assert server.get("/health")[0] == 200
    text = "\n".join(server.errors)
    assert "wrong password for the console" in text and "wrong password 1" not in text and ADMIN not in text


def test_wrong_passwords_of_all_kinds(server):
    for body in (b"", b"[]", b"{}", b'{"password": 7}', b'{"password": null}', b"\xff", b'{"password":'):
        assert Console(server).request("POST", "/console/api/login", body, {"Content-Type": "application/json"})[0] == 400, body
    for password in ("", ADMIN.upper(), ADMIN + " ", ADMIN[:-1], "é" * 500):
        assert Console(server).log_in(password)[0] in (401, 429), password


# Proof of CO-20.
def test_bodies_and_paths_that_are_too_much(server):
    console = Console(server, ADMIN)
    json_type = {"Content-Type": "application/json"}
    assert console.request("POST", "/console/api/login", b"x" * 10_000, json_type)[0] == 413
    assert console.act("publish", {**PUBLISH, "data": "x" * 300_000})[0] == 413
    assert console.act("publish", {**PUBLISH, "data": "x" * 20_000})[0] == 413
    for path in ("/console/../etc/passwd", "/console/..%2f..%2fetc%2fpasswd", "/console/%2e%2e/%2e%2e/etc/passwd", "/console//etc/passwd",
                 "/console/index.html", "/console/app.js/", "/console/app.js%00", "/console/api/../app.js", "/console/api/metrics"):
        assert console.request("GET", path)[0] in (400, 404), path
    for path in ("channels?service=pusher&app=nobody", "channels?service=nobody&app=1001", "channels?service=chat&app=nobody"):
        assert console.request("GET", f"/console/api/{path}")[0] in (400, 404), path
    for query in ("limit=0", "limit=501", "limit=x", "prefix=" + "x" * 1025, "limit=1&limit=2", "after=-1.-1.-1"):
        assert console.request("GET", f"/console/api/connections?{query}")[0] in (200, 400), query
    assert console.request("GET", "/console/api/connections?limit=501")[0] == 400
    assert console.ask("connections?after=9.99.99")["connections"] == []


# Proof of CO-41.
def test_few_look_on_at_a_time(server):
    """CO-41: readers cannot take the places of admins."""
    admins, readers = [Console(server, ADMIN) for _ in range(2)], [Console(server, READER) for _ in range(4)]
    feeds = []

    def watch(console):
        feed = socket.create_connection(("127.0.0.1", server.admin_port), timeout=30)
        feed.sendall(f"GET /console/api/feed HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {console.cookie}\r\n\r\n".encode())
        feeds.append(feed)
        return int(feed.recv(1024).split()[1])

    try:
        assert [watch(console) for console in readers for _ in range(2)] == [200] * 4 + [503] * 4
        assert [watch(admins[0]) for _ in range(4)] == [200] * 3 + [503]
        status, told, _ = admins[0].request("GET", "/console/api/feed")
        assert status == 503 and "Close another page" in told["error"]
        assert watch(admins[1]) == 200
        # The end of a session is the end of its feeds.
        for console in admins + readers:
            assert console.act("logout", {})[0] == 200
        for feed in feeds:
            feed.settimeout(30)
            while feed.recv(4096):
                pass
    finally:
        for feed in feeds:
            feed.close()


def silent(address, count):
    """Connections that say nothing."""
    wanted = count + 200
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(wanted, hard), hard))
    return [socket.create_connection(address, timeout=30) for _ in range(count)]


# Proof of SV-50, CO-7.
def test_connections_that_say_nothing_keep_nobody_out(server):
    """CO-7: a new connection takes the place of the one that has been silent for the longest time."""
    console = Console(server, ADMIN)
    held = silent(("127.0.0.1", server.admin_port), 1_100)
    try:
        assert console.ask("overview")["reasons"] == [] and Console(server, READER).role == "read-only"
        # Beyond 1,024 the first ones are gone, and the others soon, without another connection.
        for connection in held:
            connection.settimeout(30)
            assert connection.recv(1) == b""
    finally:
        for connection in held:
            connection.close()


# Proof of CO-7.
def test_the_admin_port_answers_when_descriptors_are_used_up(server):
    """CO-7: some are kept for it."""
    process = server.process.pid
    open_now = len(os.listdir(f"/proc/{process}/fd"))
    _, hard = resource.prlimit(process, resource.RLIMIT_NOFILE)
    resource.prlimit(process, resource.RLIMIT_NOFILE, (open_now + 20, hard))
    held = silent(("127.0.0.1", server.port), 60)
    try:
        wait_until(lambda: any("cannot be accepted" in line for line in server.errors), 30, "no descriptor is left")
        for _ in range(40):
            console = Console(server, ADMIN)
            assert console.ask("overview")["connections"] == 0
        # Silent connections of the admin port do not use the reserve up either.
        held += silent(("127.0.0.1", server.admin_port), 40)
        assert console.ask("overview")["connections"] == 0
    finally:
        for connection in held:
            connection.close()
        resource.prlimit(process, resource.RLIMIT_NOFILE, (hard, hard))


def guess(server, source, number):
    """One wrong password from an address of 127.0.0.0/8; the status of the answer."""
    connection = http.client.HTTPConnection("127.0.0.1", server.admin_port, timeout=60, source_address=(source, 0))
    try:
        connection.request(
            "POST", "/console/api/login", json.dumps({"password": f"a wrong password {number}"}),
            {"Content-Type": "application/json", "Host": "127.0.0.1"})
        answer = connection.getresponse()
        answer.read()
        return answer.status
    finally:
        connection.close()


# Proof of CO-13.
def test_many_addresses_that_guess_do_not_lock_the_owner_out(server):
    """CO-13: neither an address that has logged in before, nor a session, nor an address that begins."""
    owner = Console(server, ADMIN)
    sources = [f"127.0.1.{number}" for number in range(1, 201)]
    stopped, answers = threading.Event(), []

    def storm(mine):
        number = 0
        while not stopped.is_set():
            answers.append(guess(server, mine[number % len(mine)], number))
            assert answers[-1] in (401, 429)
            number += 1

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        storms = [pool.submit(storm, sources[index::8]) for index in range(8)]
        try:
            wait_until(lambda: len(answers) >= 20, 120, "a storm")
            # With the session, and from an address that has logged in before.
            assert owner.log_in(ADMIN)[0] == 200
            assert Console(server, ADMIN).role == "admin"
            # From an address that has never been seen, within a few attempts.
            status = None
            for attempt in range(3):
                connection = http.client.HTTPConnection("127.0.0.1", server.admin_port, timeout=60, source_address=("127.0.3.1", 0))
                connection.request(
                    "POST", "/console/api/login", json.dumps({"password": ADMIN}),
                    {"Content-Type": "application/json", "Host": "127.0.0.1"})
                status = connection.getresponse().status
                connection.close()
                if status == 200 or stopped.wait(2):
                    break
            assert status == 200
        finally:
            stopped.set()
        for done in storms:
            done.result(60)


def test_figures_move_to_the_admin_port(started):
    server = started(ConsoleServer)
    assert server.get("/metrics")[0] == 404 and server.get("/health")[0] == 200
    status, text, _ = Console(server).request("GET", "/metrics")
    assert status == 200 and "lifeline_ready 1" in text
    assert Console(server).request("GET", "/ready")[1] == {"status": "ready", "reasons": []}
    assert started(ConsoleServer, "--public-metrics").get("/metrics")[0] == 200
    assert started(Server).get("/metrics")[0] == 200


def test_at_an_address_for_others_there_is_no_admin_port_without_tls(started):
    server = started(ConsoleServer, "--admin-host", "0.0.0.0")
    wait_until(lambda: any("admin port is off" in line for line in server.errors), 30, "a line in the log")
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.1", server.admin_port), timeout=5).close()
    checked = subprocess.run(
        [lifeline(), "serve", "--admin-port", "7000", "--admin-host", "0.0.0.0", "--check"], capture_output=True, text=True, timeout=60)
    assert checked.returncode == 0 and "warning: the admin port would be off" in checked.stdout


def test_a_password_is_made_once_and_shown_in_a_terminal_only(tmp_path):
    def start():
        """Starts a server whose errors go to a terminal; returns what the terminal shows, and the ports."""
        admin = free_port()
        outer, inner = pty.openpty()
        process = subprocess.Popen(
            [lifeline(), "serve", "--port", "0", "--admin-port", str(admin), "--data", str(tmp_path / "data")],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=inner, text=True)
        os.close(inner)
        try:
            assert process.stdout.readline().startswith("lifeline: ready")
            end, shown = time.monotonic() + 30, b""
            while b"admin port" not in shown and time.monotonic() < end:
                shown += os.read(outer, 65_536)
            made = re.search(r"the password of the console is (\w{24})", shown.decode())
            server = type("Ports", (), {"admin_port": admin})
            return made and made.group(1), made and Console(server).log_in(made.group(1))[0]
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(30)
            os.close(outer)

    password, status = start()
    assert password and status == 200
    kept = tmp_path / "data" / "console-password"
    assert kept.stat().st_mode & 0o777 == 0o600 and password not in kept.read_text() and kept.read_text().startswith("scrypt ")
    assert start()[0] is None, "a second start shows nothing"


def test_without_a_terminal_no_password_is_made(started, tmp_path):
    admin = free_port()
    server = started(Server, 0, "--admin-port", str(admin), "--data", str(tmp_path / "data"))
    ports = type("Ports", (), {"admin_port": admin})
    status, told, _ = Console(ports).request("GET", "/console")
    assert status == 503 and "LIFELINE_ADMIN_PASSWORD" in told["error"]
    assert Console(ports).log_in("anything that is long")[0] == 503
    assert Console(ports).request("GET", "/metrics")[0] == 200
    assert any("console is off" in line for line in server.errors) and not (tmp_path / "data" / "console-password").exists()


@pytest.mark.parametrize("variables, part", [
    ({"LIFELINE_ADMIN_PASSWORD": "short"}, "12 to 1024"), ({"LIFELINE_ADMIN_PASSWORD": ""}, "LIFELINE_ADMIN_PASSWORD"),
    ({"LIFELINE_ADMIN_PASSWORD": ADMIN, "LIFELINE_ADMIN_READ_ONLY_PASSWORD": ADMIN}, "two different ones"),
    ({"LIFELINE_ADMIN_TRUST_PROXY": "0.0.0.0/0"}, "not of everybody"), ({"LIFELINE_ADMIN_TRUST_PROXY": "proxy.example"}, "LIFELINE_ADMIN_TRUST_PROXY"),
    ({"LIFELINE_ADMIN_NAMES": "http://x"}, "host names"), ({"LIFELINE_ADMIN_PORT": "6001"}, "a port of its own"),
], ids=str)
def test_settings_that_cannot_be_meant(variables, part):
    environment = {**os.environ, "LIFELINE_ADMIN_PORT": "7000", **variables}
    checked = subprocess.run([lifeline(), "serve", "--check"], capture_output=True, text=True, timeout=60, env=environment)
    assert checked.returncode == 2 and part in checked.stderr, checked.stderr
    assert ADMIN not in checked.stderr and "short" not in checked.stderr


def test_a_password_needs_a_port(started):
    checked = subprocess.run(
        [lifeline(), "serve", "--check"], capture_output=True, text=True, timeout=60, env={**os.environ, "LIFELINE_ADMIN_PASSWORD": ADMIN})
    assert checked.returncode == 2 and "--admin-port" in checked.stderr and ADMIN not in checked.stderr


def test_json_of_the_console_is_valid(server):
    console = Console(server, READER)
    for path in ("overview", "applications", "users", "connections", "ended", "webhooks", "polls", "errors"):
        assert json.loads(json.dumps(console.ask(path)))
