#!/usr/bin/env python3
"""Counts what the server allocates, and which system calls it makes, for a connection, a subscription, a publish and a delivery.

Usage: count.py LIFELINE [--connections N] [--publishes N] [--json]

LIFELINE is the program to look at, best a release build with symbols. The server runs with one thread on loopback, once with an allocator that
counts (Peers/load/allocations.c, compiled with cc) and once under strace, when that is installed. Counts do not depend on the machine's speed, so
two builds compare on a loaded machine as well.
"""
import argparse
import base64
import hashlib
import hmac
import json
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

PEERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "Peers", "load")
KEY, SECRET, APPLICATION = "count-key", "count-secret", "1"
CHANNEL = "count"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """A server with one application, and the counters of its allocations."""

    def __init__(self, program, folder, library=None):
        self.port = free_port()
        self.counters = os.path.join(folder, "counters")
        environment = {k: v for k, v in os.environ.items() if not k.startswith("LIFELINE_")}
        if library:
            environment |= {"LD_PRELOAD": library, "ALLOCATIONS": self.counters}
        configuration = os.path.join(folder, "lifeline.json")
        with open(configuration, "w") as file:
            json.dump({"apps": [{"id": APPLICATION, "key": KEY, "secret": SECRET}]}, file)
        os.chmod(configuration, 0o600)
        self.process = subprocess.Popen(
            [program, "serve", "--config", configuration, "--port", str(self.port), "--threads", "1", "--log-level", "error",
             "--max-connections-per-address", "0", "--connection-rate-per-address", "0"],
            env=environment, stdout=subprocess.DEVNULL)
        for _ in range(200):
            if self.process.poll() is not None:
                sys.exit("count.py: the server did not start")
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                break
            except OSError:
                time.sleep(0.05)
        else:
            sys.exit("count.py: the server does not listen after 10 s")

    def counts(self):
        """Calls, bytes asked for, blocks in use, bytes in use."""
        # What a request has caused behind its answer is over then.
        time.sleep(0.5)
        with open(self.counters, "rb") as file:
            return struct.unpack("=4q", file.read(32))

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(20)


class Subscriber:
    """A Pusher client on a plain socket."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.buffer = b""
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(
            f"GET /app/{KEY}?protocol=7&client=count&version=1 HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode())
        self.read_until(b"connection_established")

    def read_until(self, text):
        while text not in self.buffer:
            piece = self.socket.recv(65536)
            if not piece:
                sys.exit("count.py: the server closed a connection")
            self.buffer += piece
        self.buffer = b""

    def subscribe(self):
        text = json.dumps({"event": "pusher:subscribe", "data": {"channel": CHANNEL}}).encode()
        mask = os.urandom(4)
        self.socket.sendall(bytes([0x81, 0x80 | len(text)]) + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(text)))
        self.read_until(b"subscription_succeeded")


class Publisher:
    """A backend that publishes over one connection that is kept."""

    def __init__(self, port):
        self.port = port
        self.socket = socket.create_connection(("127.0.0.1", port))

    def publish(self, text):
        body = json.dumps({"name": "event", "channel": CHANNEL, "data": text}).encode()
        path = f"/apps/{APPLICATION}/events"
        query = f"auth_key={KEY}&auth_timestamp={int(time.time())}&auth_version=1.0&body_md5={hashlib.md5(body).hexdigest()}"
        signature = hmac.new(SECRET.encode(), f"POST\n{path}\n{query}".encode(), hashlib.sha256).hexdigest()
        self.socket.sendall(
            f"POST {path}?{query}&auth_signature={signature} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
        answer = self.socket.recv(65536)
        if not answer.startswith(b"HTTP/1.1 200"):
            sys.exit(f"count.py: a publish was answered with {answer[:200]!r}")


def phases(server, connections, publishes, step):
    """Does everything once; `step(name, times)` is told before each phase how many units of it follow, and None at the end."""
    def publish(publisher, subscribers, name):
        for number in range(publishes):
            mark = f"{name}-{number:06}"
            publisher.publish(mark.ljust(100, "."))
            for subscriber in subscribers:
                subscriber.read_until(mark.encode())
    publisher = Publisher(server.port)
    warm = [Subscriber(server.port) for _ in range(20)]
    for subscriber in warm:
        subscriber.subscribe()
    publish(publisher, warm, "warm")
    for subscriber in warm:
        subscriber.socket.close()
    step("connection", connections)
    subscribers = [Subscriber(server.port) for _ in range(connections)]
    step("subscription", connections)
    for subscriber in subscribers:
        subscriber.subscribe()
    step("publish", publishes)
    publish(publisher, subscribers, "event")
    step(None, 0)
    return subscribers, publisher


def allocations(program, folder, connections, publishes):
    library = os.path.join(folder, "allocations.so")
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", library, os.path.join(PEERS, "allocations.c"), "-ldl"], check=True)
    server = Server(program, folder, library)
    found, state = {}, {}

    def step(name, times):
        now = server.counts()
        if state:
            difference = [(b - a) / state["times"] for a, b in zip(state["counts"], now)]
            found[state["name"]] = dict(zip(["calls", "bytes", "blocks kept", "bytes kept"], difference))
        state.update(name=name, times=times, counts=now)

    kept = phases(server, connections, publishes, step)
    server.stop()
    del kept
    return found


def system_calls(program, folder, connections, publishes):
    server = Server(program, folder)
    found, state = {}, {}
    summary = os.path.join(folder, "strace")

    def step(name, times):
        time.sleep(0.5)
        if state:
            state["strace"].send_signal(signal.SIGINT)
            state["strace"].wait()
            calls = {}
            for line in open(summary):
                match = re.match(r"\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+)\s+(?:\d+\s+)?(\w+)$", line)
                if match and match.group(2) != "total":
                    calls[match.group(2)] = int(match.group(1)) / state["times"]
            found[state["name"]] = dict(sorted(calls.items(), key=lambda item: -item[1]))
        if name:
            tracer = subprocess.Popen(["strace", "-f", "-c", "-q", "-o", summary, "-p", str(server.process.pid)], stderr=subprocess.DEVNULL)
            time.sleep(1)
            state.update(name=name, times=times, strace=tracer)

    kept = phases(server, connections, publishes, step)
    server.stop()
    del kept
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", metavar="LIFELINE")
    parser.add_argument("--connections", type=int, default=500, help="connections that subscribe (500; at most 5000)")
    parser.add_argument("--publishes", type=int, default=50, help="events that are published to all of them (50)")
    parser.add_argument("--json", action="store_true", help="print one object of JSON")
    options = parser.parse_args()
    connections, publishes = min(max(options.connections, 1), 5000), min(max(options.publishes, 1), 1000)
    with tempfile.TemporaryDirectory() as folder:
        allocated = allocations(options.program, folder, connections, publishes)
        called = system_calls(options.program, folder, connections, publishes) if shutil.which("strace") else {}
    for counts in (allocated, called):
        if "publish" in counts:
            counts[f"delivery (of 1 publish to {connections})"] = {k: v / connections for k, v in counts["publish"].items()}
    if options.json:
        print(json.dumps({"allocations": allocated, "system calls": called}))
        return
    for name, counts in allocated.items():
        print(f"{name}: " + ", ".join(f"{value:,.1f} {key}" for key, value in counts.items()))
    for name, counts in called.items():
        print(f"{name}: " + ", ".join(f"{value:,.2f} {key}" for key, value in list(counts.items())[:6] if value >= 0.01))
    if not called:
        print("System calls were not counted, because strace is not installed.")


main()
