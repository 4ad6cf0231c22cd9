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


class OwnNetwork:
    """A namespace with nothing but a loopback interface. Ends with the test."""

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

    def kill(self):
        subprocess.run(["ip", "netns", "del", self.name], capture_output=True, timeout=20)
