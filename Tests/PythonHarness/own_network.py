"""A network namespace of a test's own, in which single connections can be made to die without a word."""

import itertools
import os
import re
import shutil
import subprocess

import pytest

PROGRAMS = ("ip", "nft", "ss")
_numbers = itertools.count(1)

TABLE = """
table inet dead {
    set ports { type inet_service; }
    chain incoming { type filter hook input priority 0; tcp sport @ports drop; tcp dport @ports drop; }
}
"""


# Of the interface that a namespace may have beside; 198.18/15 is for benchmarks (RFC 2544).
ADDRESS, GATEWAY = "198.18.0.1", "198.18.0.254"


class OwnNetwork:
    """A namespace with nothing but a loopback interface, unless a test gives it another one. Ends with the test."""

    def __init__(self):
        missing = [program for program in PROGRAMS if shutil.which(program) is None]
        if missing:
            pytest.skip(f"{', '.join(missing)} not found: run Scripts/setup.sh test")
        self.name = f"lifeline-{os.getpid()}-{next(_numbers)}"
        made = subprocess.run(["ip", "netns", "add", self.name], capture_output=True, text=True, timeout=20)
        if made.returncode:
            pytest.skip(f"network namespaces need root: {made.stderr.strip()}")
        try:
            self.run("ip", "link", "set", "lo", "up")
            self.run("nft", "-f", "-", input=TABLE)
        except BaseException:
            self.kill()
            raise

    def command(self, *words):
        return ["ip", "netns", "exec", self.name, *words]

    def run(self, *words, **options):
        """What a program in the namespace writes."""
        return subprocess.run(self.command(*words), check=True, capture_output=True, text=True, timeout=20, **options).stdout

    def wrapper(self, folder, program):
        """A program that starts `program` in the namespace, with the same arguments and as the same process."""
        path = folder / f"in-{self.name}"
        path.write_text(f'#!/bin/sh\nexec ip netns exec {self.name} {program} "$@"\n')
        path.chmod(0o755)
        return str(path)

    def received(self, port):
        """How many bytes each connection to `port` has brought its client, by the client's port."""
        lines = self.run("ss", "-Htni", "state", "established", "dport", "=", f":{port}").splitlines()
        found = {}
        for head, facts in zip(lines[::2], lines[1::2]):
            count = re.search(r"bytes_received:(\d+)", facts)
            found[int(head.split()[2].rsplit(":", 1)[1])] = int(count[1]) if count else 0
        return found

    def drop(self, ports):
        """From now on the packets of the connections from these ports vanish, in both directions."""
        self.run("nft", "add", "element", "inet", "dead", "ports", "{ " + ", ".join(map(str, ports)) + " }")

    def add_way_out(self, up=True):
        """An interface through which packets could leave: what clients take for a network. `ADDRESS` is this machine's on it."""
        self.run("ip", "link", "add", "out0", "type", "veth", "peer", "name", "out1")
        self.run("ip", "link", "set", "out1", "up")
        if up:
            self.open_way_out()

    def open_way_out(self):
        self.run("ip", "addr", "add", f"{ADDRESS}/24", "dev", "out0")
        self.run("ip", "link", "set", "out0", "up")
        self.run("ip", "route", "add", "default", "via", GATEWAY)

    def close_way_out(self):
        """Nothing leaves any more, and `ADDRESS` cannot be reached either, not even from this machine."""
        self.run("ip", "link", "set", "out0", "down")
        self.run("ip", "addr", "del", f"{ADDRESS}/24", "dev", "out0")

    def kill(self):
        subprocess.run(["ip", "netns", "del", self.name], capture_output=True, timeout=20)
