"""What becomes of output that nobody can take, and of history that cannot be read (rules CL-120 and CL-123)."""

import os
import subprocess

import pytest
from lifeline_harness import Server, free_port, lifeline

SERVER_COMMANDS = {
    "publish": ["publish", "--channel", "room", "--data", "1", "--secret", "app-secret"],
    "publish-pubnub": ["publish", "--service", "pubnub", "--channel", "room", "--data", "1"],
    "history": ["history", "--service", "pubnub", "--channel", "room"],
    "presence": ["presence", "--service", "pubnub", "--channel", "room", "--json"],
    "listen": ["listen", "--channel", "room", "--for", "1"],
    "channels": ["channels", "--secret", "app-secret"],
    "doctor": ["doctor"],
    "token": ["token", "chat", "ann", "--secret", "app-secret"],
}
OTHERS = {
    "help": ["--help"],
    "help-of-a-command": ["publish", "--help"],
    "version": ["--version"],
    "config-init": ["config", "init", "--output", "-"],
    "config-show": ["config", "show"],
    "serve-check": ["serve", "--check"],
}


def run(arguments, out):
    return subprocess.run(
        [lifeline(), *arguments], stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.PIPE, text=True, timeout=120)


def addressed(arguments, server):
    return [*arguments, server.url] if arguments == ["doctor"] else [*arguments, "--url", server.url]


@pytest.fixture
def server(started):
    return started(Server, 0)


@pytest.mark.parametrize("name", OTHERS)
def test_output_that_cannot_be_written_is_a_failure(name):
    with open("/dev/full", "w") as full:
        done = run(OTHERS[name], full)
    assert done.returncode == 1 and "Standard output could not be written" in done.stderr, done
    assert "No space left on device" in done.stderr


@pytest.mark.parametrize("name", SERVER_COMMANDS)
def test_so_it_is_for_what_asks_a_server(name, server):
    subprocess.run([lifeline(), *addressed(SERVER_COMMANDS["publish-pubnub"], server)], check=True, stdout=subprocess.DEVNULL)
    with open("/dev/full", "w") as full:
        done = run(addressed(SERVER_COMMANDS[name], server), full)
    assert done.returncode == 1 and "Standard output could not be written" in done.stderr, done


@pytest.mark.parametrize("name", ["help", "config-init", "config-show"])
def test_whoever_closes_a_pipe_has_read_enough(name):
    reader, writer = os.pipe()
    os.close(reader)
    done = run(OTHERS[name], writer)
    os.close(writer)
    assert done.returncode == 0 and done.stderr == "", done


def test_a_server_runs_also_when_nobody_can_read_that_it_is_ready(server):
    # It listens on a port of its own, so it is ended by hand.
    with open("/dev/full", "w") as full:
        process = subprocess.Popen([lifeline(), "serve", "--port", "0"], stdout=full, stderr=subprocess.PIPE, text=True)
        for line in process.stderr:
            if "listening" in line:
                break
        process.terminate()
        assert process.wait(30) == 0


def test_the_http_api_may_be_elsewhere(started):
    one, other = started(Server, 0), started(Server, 0)
    call = ["publish", "--channel", "room", "--data", "1", "--secret", "app-secret", "--url", one.url, "--api-url"]
    done = subprocess.run([lifeline(), *call, other.url], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done
    nobody = f"http://127.0.0.1:{free_port()}"
    done = subprocess.run([lifeline(), *call, nobody], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
    assert done.returncode == 1, done
    for wrong in ("nowhere", one.url + "/below"):
        done = subprocess.run([lifeline(), *call, wrong], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
        assert done.returncode == 2 and f"--api-url {wrong}" in done.stderr, done


def test_a_message_that_cannot_be_read_hides_no_other(server):
    def publish(text, *key):
        call = ["publish", "--service", "pubnub", "--channel", "room", "--data", f'"{text}"', *key]
        subprocess.run([lifeline(), *addressed(call, server)], check=True, stdout=subprocess.DEVNULL)

    for text, key in [("one", "right"), ("two", "other"), ("three", "right"), ("four", "other")]:
        publish(text, "--cipher-key", key)
    call = addressed(["history", "--service", "pubnub", "--channel", "room", "--cipher-key", "right"], server)
    done = subprocess.run([lifeline(), *call], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
    lines = done.stdout.splitlines()
    assert len(lines) == 2 and "one" in lines[0] and "three" in lines[1]
    assert done.returncode == 1 and "2 messages could not be read and are left out." in done.stderr
