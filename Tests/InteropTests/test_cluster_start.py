"""What a server and `lifeline doctor` say of the Redis that they are given (rules CR-30 to CR-33)."""

import json
import os
import re
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path

import pytest
from cluster_fixtures import is_long
from cluster_harness import Redis, redis_program
from lifeline_harness import ROOT, Program, Server, free_port, lifeline, wait_until
from pusher_client import PusherSocket

pytestmark = pytest.mark.skipif(redis_program() is None, reason="needs redis-server 7, or redis-check-rdb of redis-tools, in the PATH")
SECRET = "hunter2-of-redis"


@pytest.fixture
def redis():
    made = []

    def make(*options, **more):
        made.append(Redis(*options, **more))
        return made[-1]

    yield make
    for server in made:
        server.end()


def doctor(url, *options):
    """The exit code, and the steps by their names."""
    done = subprocess.run(
        [lifeline(), "doctor", "--redis", url, "--json", *options], capture_output=True, text=True, timeout=60)
    return done.returncode, {step["step"]: step for step in map(json.loads, done.stdout.splitlines())}


def refusal(*options, **variables):
    """The exit code and the error of a server that does not start."""
    done = subprocess.run(
        [lifeline(), "serve", "--port", "0", *options], capture_output=True, text=True, timeout=60, env={**os.environ, **variables})
    return done.returncode, done.stderr


class OldRedis:
    """Answers the handshake as a Redis of this version does, and keeps what it was asked."""

    def __init__(self, version):
        hello = {"server": "redis", "version": version, "proto": 3, "id": 5, "mode": "standalone", "role": "master"}
        self.answers = {
            "HELLO": f"%{len(hello)}\r\n" + "".join(
                f"+{name}\r\n" + (f":{value}\r\n" if isinstance(value, int) else f"+{value}\r\n") for name, value in hello.items()),
            "ROLE": "*3\r\n+master\r\n:0\r\n*0\r\n", "PING": "+PONG\r\n"}
        self.asked = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"redis://:{SECRET}@127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                link = self.listener.accept()[0]
            except OSError:
                return  # The test has ended.
            threading.Thread(target=self._talk, args=(link,), daemon=True).start()

    def _talk(self, link):
        with link, link.makefile("rb") as lines:
            try:
                while line := lines.readline():
                    words = [lines.read(int(lines.readline()[1:]) + 2)[:-2].decode() for _ in range(int(line[1:]))]
                    self.asked.append(words[0])
                    link.sendall(self.answers.get(words[0], "-ERR not known here\r\n").encode())
            except OSError:
                pass  # The server has seen enough.

    def end(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()


@pytest.fixture
def old_redis():
    made = []

    def make(version):
        made.append(OldRedis(version))
        return made[-1]

    yield make
    for server in made:
        server.end()


def user_url(server, rights):
    """The address with a user who has these rights."""
    server.ask("ACL", "SETUSER", "node", "reset", "on", f">{SECRET}", *rights.split())
    return f"redis://node:{SECRET}@127.0.0.1:{server.port}"


def test_the_doctor_finds_nothing_wrong_with_a_good_redis(redis):
    server = redis("--client-output-buffer-limit", "pubsub 256mb 64mb 60", "--maxmemory", "256mb", "--appendfsync", "always")
    code, steps = doctor(server.url)
    assert code == 0
    assert {name: step["result"] for name, step in steps.items()} == dict.fromkeys(
        ["connection", "server", "rights", "eviction", "memory", "persistence", "replicas", "buffers", "clock", "latency"], "passed")


def test_the_doctor_says_what_to_change(redis):
    server = redis("--maxmemory", "64mb", "--maxmemory-policy", "allkeys-lru", "--client-output-buffer-limit", "pubsub 8mb 1mb 60")
    server.command("CONFIG", "SET", "appendonly", "no")
    code, steps = doctor(server.url)
    assert code == 1
    assert steps["eviction"]["result"] == "failed" and "noeviction" in steps["eviction"]["advice"]
    assert steps["persistence"]["result"] == "noted" and "appendonly yes" in steps["persistence"]["advice"]
    assert steps["buffers"]["result"] == "noted" and "client-output-buffer-limit" in steps["buffers"]["advice"]


@pytest.mark.parametrize("limit", ["64mb", "0"])
def test_a_redis_that_throws_keys_away_ends_the_start_at_once(redis, limit):
    """CR-30: also without a limit of memory, which somebody may set at any time."""
    server = redis("--maxmemory", limit, "--maxmemory-policy", "allkeys-lru")
    begun = time.monotonic()
    code, error = refusal("--redis", server.url)
    assert code == 1 and "maxmemory-policy to noeviction" in error and time.monotonic() - begun < 20


def test_a_replica_is_no_place_to_start(redis):
    master = redis()
    replica = redis("--replicaof", "127.0.0.1", str(master.port))
    wait_until(lambda: replica.command("PING").startswith("+PONG"), 30, "the replica")
    code, steps = doctor(replica.url, "--timeout", "2")
    assert code == 1 and "not a master" in steps["connection"]["detail"]


def test_a_wrong_password_ends_the_start_and_no_password_is_shown(redis):
    server = redis()
    server.command("CONFIG", "SET", "requirepass", "another")
    url = f"redis://:{SECRET}@127.0.0.1:{server.port}"
    code, error = refusal("--redis", url)
    assert code == 1 and "WRONGPASS" in error and SECRET not in error
    code, steps = doctor(url)
    assert code == 1 and "WRONGPASS" in steps["connection"]["detail"] and SECRET not in json.dumps(steps)


def test_the_password_is_in_no_list_of_processes_and_in_no_log(redis):
    server = redis()
    server.command("CONFIG", "SET", "requirepass", SECRET)
    node = Server(0, "--redis", f"redis://:{SECRET}@127.0.0.1:{server.port}", "--log-level", "trace")
    try:
        assert SECRET not in Path(f"/proc/{node.process.pid}/cmdline").read_text()
        status, text = node.get("/ready")
        assert status == 200, text
    finally:
        node.end()
    assert SECRET not in "\n".join(node.lines + node.errors)


def test_a_redis_that_is_away_is_waited_for(redis):
    port = free_port()
    node = Program([lifeline(), "serve", "--port", "0", "--redis", f"redis://127.0.0.1:{port}"])
    try:
        wait_until(lambda: any("trying for 30 s" in line for line in node.errors), 20, "the word that it tries")
        assert node.process.poll() is None and not node.lines
        server = redis(port=port)
        node.ready(lambda: any(line.startswith("lifeline: ready") for line in node.lines), "the server")
        assert server.process.poll() is None
    finally:
        node.end()


@is_long
@pytest.mark.parametrize("is_listening", [False, True])
def test_a_start_without_redis_ends_after_30_s(is_listening):
    """Nobody listens, or whoever does says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1] if is_listening else free_port()
        begun = time.monotonic()
        code, error = refusal("--redis", f"redis://:{SECRET}@127.0.0.1:{port}")
        lasted = time.monotonic() - begun
    assert code == 1 and 29 < lasted < 45, (code, lasted)
    assert "trying for 30 s" in error and "cannot be reached" in error and "lifeline doctor" in error
    assert f"127.0.0.1:{port}" in error and SECRET not in error


def test_a_replica_is_waited_for_until_it_is_promoted(redis):
    """Who starts while another server takes over need not start twice."""
    master = redis()
    replica = redis("--replicaof", "127.0.0.1", str(master.port))
    node = Program([lifeline(), "serve", "--port", "0", "--redis", replica.url])
    try:
        wait_until(lambda: any("not a master (its role is slave)" in line for line in node.errors), 20, "the word that it is a replica")
        assert node.process.poll() is None and not node.lines
        replica.ask("REPLICAOF", "NO", "ONE")
        node.ready(lambda: any(line.startswith("lifeline: ready") for line in node.lines), "the server")
    finally:
        node.end()


def test_a_redis_that_takes_no_writes_ends_the_start_at_once(redis):
    server = redis()
    server.ask("CONFIG", "SET", "min-replicas-to-write", "1")
    begun = time.monotonic()
    code, error = refusal("--redis", server.url)
    assert code == 1 and time.monotonic() - begun < 20
    assert "Redis takes no writes" in error and "NOREPLICAS" in error
    code, steps = doctor(server.url)
    assert code == 1 and steps["rights"]["result"] == "failed" and "NOREPLICAS" in steps["rights"]["detail"]


@pytest.mark.parametrize("version", ["6.0.20", "6.2.14"])
def test_an_old_redis_ends_the_start_at_once(old_redis, version):
    server = old_redis(version)
    begun = time.monotonic()
    code, error = refusal("--redis", server.url)
    assert code == 1 and time.monotonic() - begun < 20
    assert f"Redis has version {version}. Version 7 or later is needed." in error and SECRET not in error
    assert set(server.asked) <= {"HELLO", "ROLE", "PING"}, "nothing is written to it"
    code, steps = doctor(server.url)
    assert code == 1 and f"version {version}" in steps["connection"]["detail"] and list(steps) == ["connection"]
    assert "Install Redis 7" in steps["connection"]["advice"]


@pytest.mark.parametrize("rights, right", [("~* &* +@all -role", "+role"), ("~* &* +@all -ping", "+ping")])
def test_the_doctor_names_the_right_that_the_connection_lacks(redis, rights, right):
    """CL-115."""
    code, steps = doctor(user_url(redis(), rights))
    assert code == 1 and list(steps) == ["connection"] and steps["connection"]["result"] == "failed"
    assert right in steps["connection"]["advice"] and SECRET not in json.dumps(steps)


def test_the_doctor_says_what_to_do_about_each_connection_that_cannot_be_made(redis):
    """CL-115."""
    master = redis()
    replica = redis("--replicaof", "127.0.0.1", str(master.port))
    locked = redis()
    locked.ask("CONFIG", "SET", "requirepass", "other")
    for url, words in (
            (replica.url, "address of the master"), (locked.url, "Put the password"),
            (f"redis://:{SECRET}@127.0.0.1:{locked.port}", "Check user and password"),
            (f"redis://127.0.0.1:{free_port()}", "whether Redis runs there")):
        code, steps = doctor(url, "--timeout", "5")
        assert code == 1 and words in steps["connection"]["advice"], (url, steps)
        assert SECRET not in json.dumps(steps)


@pytest.mark.parametrize("rights, refused", [
    ("~other:* &* +@all", "DEL"), ("~* resetchannels +@all", "PUBLISH"), ("~* &* +@all -@scripting", "EVAL"),
    ("~* &* +@read +@connection +role +info", "EVAL"), ("~* &* +@all -xadd", "XADD"), ("~* &* +@all -info", "'info' command"),
])
def test_a_user_without_rights_ends_the_start_at_once(redis, rights, refused):
    url = user_url(redis(), rights)
    begun = time.monotonic()
    code, error = refusal("--redis", url)
    assert code == 1 and time.monotonic() - begun < 20
    assert "NOPERM" in error and refused in error and SECRET not in error
    assert re.search(r"Allow the user ~\S+ &\S+ \+@all", error), error
    code, steps = doctor(url)
    wrong = [step for step in steps.values() if step["result"] == "failed"]
    assert code == 1 and wrong and all("Allow the user" in step["advice"] for step in wrong)
    assert SECRET not in json.dumps(steps)


def rights_of_the_error(server):
    error = refusal("--redis", user_url(server, "~other:* &* +@all"))[1]
    return re.search(r"Allow the user (~\S+ &\S+ \+@all)", error)[1]


def rights_of_the_manual(_):
    text = (ROOT / "docs" / "cluster.md").read_text()
    return re.search(r"`ACL SETUSER lifeline on >PASSWORD ([^`]+)`", text)[1]


@pytest.mark.parametrize("source", [rights_of_the_error, rights_of_the_manual])
def test_the_rights_that_are_asked_for_are_enough(redis, started, source):
    server = redis()
    url = user_url(server, source(server))
    server.ask("ACL", "LOG", "RESET")
    assert doctor(url)[0] == 0
    nodes = [started(Server, 0, "--redis", url, "--node", name) for name in "ab"]
    socket = started(PusherSocket, nodes[1].port)
    socket.subscribe("room")
    assert nodes[0].publish("room", "tick", "{}")
    socket.wait("tick", "room")
    wrong = [entry for entry in server.ask("ACL", "LOG") if "node" in entry]
    assert wrong == [], "Redis has refused something"


def test_examinations_at_the_same_moment_do_not_disturb_each_other(redis):
    """CR-30: servers that start together examine Redis together."""
    server = redis()
    doctors = [
        subprocess.Popen([lifeline(), "doctor", "--redis", server.url, "--json"], stdout=subprocess.PIPE, text=True) for _ in range(12)]
    failed = [step for process in doctors for step in map(json.loads, process.communicate(timeout=60)[0].splitlines())
              if step["result"] == "failed"]
    assert failed == []
    assert server.ask("KEYS", "*doctor*") == [], "an examination leaves nothing behind"


@pytest.mark.parametrize("replicas, least, words", [
    (1, "1", "set min-replicas-to-write 0"), (1, "0", None), (2, "0", "Set min-replicas-to-write 1"), (2, "1", None),
    (2, "2", "set min-replicas-to-write 1")])
def test_the_doctor_advises_on_replicas(redis, replicas, least, words):
    """With as many replicas as every write needs, the failure of one server ends all writes."""
    master = redis("--min-replicas-to-write", least, "--repl-diskless-sync-delay", "0")
    for _ in range(replicas):
        redis("--replicaof", "127.0.0.1", str(master.port), appendonly="no")
    wait_until(lambda: master.info("replication").get("connected_slaves") == str(replicas), 30, "the replicas")
    wait_until(lambda: not master.command("SET", "x", "1").startswith("-"), 30, "the replicas to be good enough")
    step = doctor(master.url)[1]["replicas"]
    assert step["result"] == ("noted" if words else "passed"), step
    assert words is None or words in step["advice"]


def test_a_new_password_is_taken_by_sighup(redis, started, tmp_path):
    """CR-35 and CR-36: a server that is locked out comes back with the new password, without a new start."""
    server = redis()
    old = user_url(server, "~* &* +@all")
    file = tmp_path / "lifeline.json"
    file.write_text(json.dumps({"redis": old}))
    node = started(Server, 0, "--config", str(file), "--node", "a")
    server.ask("ACL", "SETUSER", "node", "resetpass", ">another-secret")
    server.ask("CLIENT", "KILL", "USER", "node")
    wait_until(lambda: node.get("/ready")[0] == 503, 20, "the server to be locked out")
    wait_until(lambda: any("Redis refuses this server" in line for line in node.errors), 20, "the word of it")
    file.write_text(json.dumps({"redis": old.replace(SECRET, "another-secret")}))
    node.process.send_signal(signal.SIGHUP)
    wait_until(lambda: node.get("/ready")[0] == 200, 20, "the server to sign in")
    said = "\n".join(node.lines + node.errors)
    assert SECRET not in said and "another-secret" not in said and "only after a restart" not in said


def test_every_server_is_unready_while_redis_takes_no_writes(redis, started):
    """CR-37 and CR-38."""
    server = redis()
    nodes = [started(Server, 0, "--redis", server.url, "--node", name) for name in "ab"]
    server.ask("CONFIG", "SET", "min-replicas-to-write", "1")
    for node in nodes:
        wait_until(lambda node=node: node.get("/ready")[0] == 503, 20, "a server to notice it")
        assert "redis" in node.get("/ready")[1]
        assert "lifeline_redis_refusing_writes 1" in node.get("/metrics")[1]
    server.ask("CONFIG", "SET", "min-replicas-to-write", "0")
    server.ask("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
    for node in nodes:
        wait_until(lambda node=node: node.get("/ready")[0] == 200, 20, "a server to be ready again")
        wait_until(lambda node=node: "lifeline_redis_evicting 1" in node.get("/metrics")[1], 30, "the policy to be noticed")
        wait_until(lambda node=node: any("Set maxmemory-policy to noeviction" in line for line in node.errors), 20, "the log to say it")


def test_a_start_without_redis_can_be_ended():
    """CR-34: a signal ends a start that waits for Redis at once, in order."""
    node = Program([lifeline(), "serve", "--port", "0", "--redis", f"redis://:{SECRET}@127.0.0.1:{free_port()}"])
    try:
        wait_until(lambda: any("trying for 30 s" in line for line in node.errors), 20, "the word that it tries")
    finally:
        code = node.end()
    assert code == 0
    assert SECRET not in "\n".join(node.lines + node.errors)


@pytest.mark.parametrize("place", ["variable", "file", "option before both", "variable before file"])
def test_where_the_address_comes_from(redis, started, tmp_path, place):
    """A secret in the address is shown nowhere, wherever it was given."""
    server = redis()
    url, wrong = user_url(server, "~* &* +@all"), f"redis://:{SECRET}@127.0.0.1:1"
    option, variable, entry = {
        "variable": (None, url, None), "file": (None, None, url), "option before both": (url, wrong, wrong),
        "variable before file": (None, url, wrong)}[place]
    options, env = ["--log-level", "trace", "--node", "a"], {}
    if option:
        options += ["--redis", option]
    if variable:
        env["LIFELINE_REDIS"] = variable
    if entry:
        file = tmp_path / "lifeline.json"
        file.write_text(json.dumps({"redis": entry}))
        options += ["--config", str(file)]
    checked = subprocess.run(
        [lifeline(), "serve", "--check", *options], capture_output=True, text=True, timeout=60, env={**os.environ, **env})
    assert checked.returncode == 0 and f"127.0.0.1:{server.port}" in checked.stdout, checked
    node = started(Server, 0, *options, env=env)
    answers = [node.get(path) for path in ("/ready", "/metrics", "/health", "/")]
    assert answers[0][0] == 200, answers[0]
    assert SECRET not in Path(f"/proc/{node.process.pid}/cmdline").read_text()
    assert "user=node" in server.ask("CLIENT", "LIST") and server.ask("KEYS", "*lifeline*")
    node.end()
    said = checked.stdout + checked.stderr + json.dumps(answers) + "\n".join(node.lines + node.errors)
    assert SECRET not in said


@pytest.mark.parametrize("address", [
    f"http://:{SECRET}@h", f"redis://:{SECRET}@h:99999", f"redis://:{SECRET}@h?nothing=1", f"redis://:{SECRET}@a,b",
    f"redis://:{SECRET}@", f"redis://:{SECRET}@h/x", f"redis://user:{SECRET}@{SECRET}@h", f"{SECRET}",
])
def test_no_error_repeats_the_password_of_an_address(address, tmp_path):
    file = tmp_path / "lifeline.json"
    file.write_text(json.dumps({"redis": address}))
    for options, variables in ((["--redis", address], {}), ([], {"LIFELINE_REDIS": address}), (["--config", str(file)], {})):
        for more in ([], ["--check"]):
            code, error = refusal(*options, *more, **variables)
            assert code == 2 and error and SECRET not in error, (options, error)
    checked = subprocess.run([lifeline(), "doctor", "--redis", address], capture_output=True, text=True, timeout=60)
    assert checked.returncode != 0 and SECRET not in checked.stdout + checked.stderr


@pytest.mark.parametrize("options, word", [
    (("--redis", "http://h"), "redis://"), (("--redis", "redis://h", "--data", "/nowhere"), "data"),
    (("--redis", "redis://h", "--bridge"), "bridge"), (("--node", "a"), "redis"), (("--redis", "redis://h", "--redis-prefix", "a b"), "prefix"),
    (("--redis", "redis://a,b"), "sentinel"),
])
def test_settings_that_do_not_fit_are_wrong_usage(options, word):
    code, error = refusal(*options)
    assert code == 2 and word in error
