"""The programs of the README do what its text says: compiled as pasted, run against `lifeline serve`, which is stopped and started again."""

import json
import os
import re
import shlex
import signal
import subprocess

import pytest
from lifeline_harness import ROOT, Program, Server, free_port, lifeline, wait_until
from readme import README, blocks, compiled, runnable


@pytest.fixture
def running(started, tmp_path):
    """Starts the program of a snippet; its lines come as they are printed, and its files stay in the test's folder."""
    def run(name, port, *arguments):
        program = compiled(name, port, tmp_path)
        return started(Program, ["env", f"HOME={tmp_path}", f"XDG_DATA_HOME={tmp_path}", "stdbuf", "-oL", str(program), *arguments])

    return run


def wait_line(program, pattern, after=0):
    """The number of the first line from `after` on that has the pattern."""
    def found():
        return next((index + 1 for index, line in enumerate(program.lines) if index >= after and re.search(pattern, line)), None)

    return wait_until(found, 40, lambda: f"{pattern} after line {after} of {program.lines}; errors: {program.errors}") - 1


def restarted(started, server, lost):
    """Ends the server as Ctrl-C does, waits until the program has said so, and starts it again on its port."""
    server.end(signal.SIGINT)
    lost()
    return started(Server, server.port)


def publish(server):
    """The command of the README, for the test's port."""
    command = next(block for block in blocks("sh") if "lifeline publish" in block)
    run = subprocess.run([lifeline(), *shlex.split(command)[1:], "--url", server.url], capture_output=True, text=True, timeout=30)
    assert run.returncode == 0, run.stdout + run.stderr


def wait_subscribed(server, channel):
    wait_until(lambda: channel in json.loads(server.get("/apps/1001/channels")[1])["channels"], 40, f"{channel} to be subscribed")


def test_pusherswift(started, running):
    server = started(Server, free_port())
    program = running("pusher", server.port)
    wait_subscribed(server, "my-channel")
    publish(server)
    wait_line(program, r'^\{"company":"ACME","price":3\}$')
    seen = len(program.lines)
    server = restarted(started, server, lambda: wait_line(program, "^reconnecting .*[.]$", seen))
    wait_subscribed(server, "my-channel")
    seen = wait_line(program, "^connected", seen)
    publish(server)
    wait_line(program, "ACME", seen)
    assert program.process.poll() is None


def test_pubnub(started, running):
    server = started(Server, free_port())
    program = running("pubnub", server.port)
    wait_line(program, "^Connected$")
    wait_line(program, "^published$")
    seen = wait_line(program, "^room .*hello.*world")
    restarted(started, server, lambda: wait_line(program, "(?i)^Unexpected", seen))
    wait_line(program, "(?i)^Reconnected$", seen)
    assert program.process.poll() is None


def test_nexconnchatsdk(started, running):
    server = started(Server, free_port())
    script = next(block for block in blocks("sh") if "token chat" in block).replace(".build/debug/lifeline", lifeline()).strip()
    token = subprocess.run(
        ["bash", "-c", f"{script} --url http://127.0.0.1:{server.port}"], capture_output=True, text=True, timeout=30, check=True).stdout.strip()
    program = running("chat", server.port, token)
    wait_line(program, "^connected")
    seen = wait_line(program, r"^sent \d+ $")
    server.end(signal.SIGINT)
    # A server without --data has forgotten its tokens, so that a new one does not know this one.
    wait_line(program, "^(connecting|suspend|networkUnavailable)", seen)
    started(Server, server.port)
    wait_line(program, "^tokenIncorrect", seen)
    assert program.process.poll() is None


def test_lifeline(started, running):
    server = started(Server, free_port())
    program = running("lifeline", server.port)
    wait_subscribed(server, "my-channel")
    publish(server)
    wait_line(program, r'^Price\(company: "ACME", price: 3\)$')
    seen = len(program.lines)
    server = restarted(started, server, lambda: wait_line(program, "^waiting .*retry", seen))
    wait_line(program, "^messages may be missing: connectionLost$", seen)
    wait_subscribed(server, "my-channel")
    publish(server)
    wait_line(program, "ACME", seen)
    assert program.process.poll() is None


def test_lifelineserver(running):
    program = running("server", 6001)
    assert program.wait(60) == 0, program.errors
    assert len(program.lines) == 1 and re.fullmatch(r"Clients connect to http://127\.0\.0\.1:\d+\.", program.lines[0])


def test_each_program_is_tested():
    assert set(runnable()) == {"pusher", "pubnub", "chat", "lifeline", "server"}
    assert all("import " in source for source in runnable().values())


def test_the_package_is_one(tmp_path):
    """The manifest of section Install is read by SwiftPM and asks for products that are there."""
    manifest = next(block for block in blocks("swift") if "swift-tools-version" in block)
    (tmp_path / "Package.swift").write_text(manifest)
    run = subprocess.run(
        ["swift", "package", "--package-path", str(tmp_path), "dump-package"], capture_output=True, text=True, timeout=120,
        env={**os.environ, "HOME": str(tmp_path)})
    assert run.returncode == 0, run.stderr
    package = json.loads(run.stdout)
    dependency = package["dependencies"][0]["sourceControl"][0]
    # There is no tag yet: a version would not resolve.
    assert dependency["identity"] == "lifeline" and dependency["requirement"] == {"branch": ["main"]}
    products = [part["product"][0] for target in package["targets"] for part in target["dependencies"]]
    own = (ROOT / "Package.swift").read_text()
    assert products and all(f'.library(name: "{product}"' in own for product in products)
    # Without a list of traits SwiftPM takes the default ones, which bring the database of chat.
    assert dependency["traits"] == []
    traits = re.findall(r'`\["(\w+)"\]`', README.read_text())
    assert len(traits) == 2 and all(re.search(rf'\.trait\(\s*name: "{trait}"', own) for trait in traits)
