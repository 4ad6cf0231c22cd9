"""What a server and `lifeline doctor` say of the Redis that they are given (rules CR-30 to CR-33)."""

import json
import subprocess
import time
from pathlib import Path

import pytest
from cluster_harness import Redis, redis_program
from lifeline_harness import Program, Server, free_port, lifeline, wait_until

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


def refusal(*options):
    """The exit code and the error of a server that does not start."""
    done = subprocess.run([lifeline(), "serve", "--port", "0", *options], capture_output=True, text=True, timeout=60)
    return done.returncode, done.stderr


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


def test_a_redis_that_throws_keys_away_ends_the_start_at_once(redis):
    server = redis("--maxmemory", "64mb", "--maxmemory-policy", "allkeys-lru")
    begun = time.monotonic()
    code, error = refusal("--redis", server.url)
    assert code == 1 and "maxmemory-policy to noeviction" in error and time.monotonic() - begun < 20


def test_a_replica_is_no_place_to_start(redis):
    master = redis()
    replica = redis("--replicaof", "127.0.0.1", str(master.port))
    wait_until(lambda: replica.command("PING").startswith("+PONG"), 30, "the replica")
    code, steps = doctor(replica.url, "--timeout", "2")
    assert code == 1 and "no master" in steps["connection"]["detail"]


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


@pytest.mark.parametrize("options, word", [
    (("--redis", "http://h"), "redis://"), (("--redis", "redis://h", "--data", "/nowhere"), "data"),
    (("--redis", "redis://h", "--bridge"), "bridge"), (("--node", "a"), "redis"), (("--redis", "redis://h", "--redis-prefix", "a b"), "prefix"),
    (("--redis", "redis://a,b"), "sentinel"),
])
def test_settings_that_do_not_fit_are_wrong_usage(options, word):
    code, error = refusal(*options)
    assert code == 2 and word in error
