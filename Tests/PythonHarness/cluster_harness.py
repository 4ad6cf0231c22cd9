"""Several servers on one Redis behind a balancer, all on loopback. The standard library only, since the demonstration runs it too."""

import asyncio
import http.client
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time

from lifeline_harness import Server, free_port, wait_until


def redis_program():
    """The program of redis-server, and under which name it has to be run; None when it is not installed.

    Debian's redis-tools has it as redis-check-rdb: the program goes by the name that it is called by.
    """
    for name in ("redis-server", "valkey-server", "redis-check-rdb"):
        path = shutil.which(name)
        if path:
            return path
    return None


class RedisTalk:
    """Asks whatever listens to `port` and speaks the protocol of Redis."""

    def command(self, *words):
        """The first line of the answer; empty when there is none."""
        try:
            return self._ask(words, lambda lines: lines.readline().decode().strip())
        except OSError:
            return ""

    def ask(self, *words):
        """The whole answer: text, number or list; an error is raised."""
        return self._ask(words, self._read)

    def _ask(self, words, read):
        text = f"*{len(words)}\r\n" + "".join(f"${len(word.encode())}\r\n{word}\r\n" for word in words)
        with socket.create_connection(("127.0.0.1", self.port), timeout=20) as link:
            link.sendall(text.encode())
            return read(link.makefile("rb"))

    @classmethod
    def _read(cls, lines):
        line = lines.readline().decode().strip()
        kind, rest = line[:1], line[1:]
        if kind == "$":
            return None if rest == "-1" else lines.read(int(rest) + 2)[:-2].decode(errors="replace")
        if kind == "*":
            return [cls._read(lines) for _ in range(int(rest))]
        if kind not in (":", "+"):
            raise AssertionError(f"Redis answered {line!r}")
        return int(rest) if kind == ":" else rest


class Redis(RedisTalk):
    """A redis-server of one's own, with an append-only file in a folder that goes with it."""

    def __init__(self, *options, appendonly="yes", fsync="everysec", port=None, env=None):
        self.folder = tempfile.mkdtemp(prefix="lifeline-redis-")
        self.port = port or free_port()
        self.options = ["--appendonly", appendonly, "--appendfsync", fsync, *options]
        self.env = env
        self.process = None
        self.start()

    @property
    def url(self):
        return f"redis://127.0.0.1:{self.port}"

    def start(self, *more, answer="+PONG"):
        """Starts the server, again after ``kill``, and waits until it answers PING with a line that begins with `answer`.

        `more` are options for this start only.
        """
        self.process = subprocess.Popen(
            ["redis-server", "--bind", "127.0.0.1", "--port", str(self.port), "--dir", self.folder, "--save", "", "--logfile",
             os.path.join(self.folder, "log"), *self.options, *more],
            executable=redis_program(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, **self.env} if self.env else None)
        wait_until(lambda: self.command("PING").startswith(answer), 30, f"Redis to answer {answer}")

    def info(self, section):
        """The fields of a section of INFO."""
        return dict(line.split(":", 1) for line in self.ask("INFO", section).splitlines() if ":" in line)

    def log(self):
        with open(os.path.join(self.folder, "log"), errors="replace") as file:
            return file.read()

    def kill(self):
        self.process.kill()
        self.process.wait(20)

    def freeze(self, is_frozen):
        self.process.send_signal(signal.SIGSTOP if is_frozen else signal.SIGCONT)

    def end(self):
        self.freeze(False)
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


class Balancer:
    """Spreads TCP connections over those servers that say that they are ready, in turns."""

    def __init__(self):
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.targets, self.healthy, self.turn = {}, [], 0
        self.loop = asyncio.new_event_loop()
        self.stopping = threading.Event()
        started = threading.Event()
        threading.Thread(target=self._serve, args=(started,), daemon=True).start()
        started.wait(10)
        threading.Thread(target=self._look, daemon=True).start()

    def _serve(self, started):
        asyncio.set_event_loop(self.loop)
        self.loop.run_until_complete(asyncio.start_server(self._connection, "127.0.0.1", self.port, backlog=1024))
        started.set()
        self.loop.run_forever()

    def _look(self):
        while not self.stopping.wait(0.25):
            self.healthy = [port for port in list(self.targets.values()) if self._is_ready(port)]

    @staticmethod
    def _is_ready(port):
        try:
            link = http.client.HTTPConnection("127.0.0.1", port, timeout=1)
            link.request("GET", "/ready")
            return link.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False

    async def _connection(self, reader, writer):
        ports = self.healthy
        self.turn += 1
        for index in range(len(ports)):
            port = ports[(self.turn + index) % len(ports)]
            try:
                upstream = await asyncio.wait_for(asyncio.open_connection("127.0.0.1", port), 1)
            except (OSError, asyncio.TimeoutError):
                continue
            await asyncio.gather(self._copy(reader, upstream[1]), self._copy(upstream[0], writer))
            return
        writer.close()

    @staticmethod
    async def _copy(reader, writer):
        try:
            while data := await reader.read(65_536):
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        finally:
            writer.close()

    def publish(self, channel, event, data):
        """As a server does, over whichever server has the turn."""
        return Server.publish(self, channel, event, data)

    def end(self):
        self.stopping.set()
        self.loop.call_soon_threadsafe(self.loop.stop)


class Cluster:
    """Nodes on one Redis, with a balancer before them."""

    def __init__(self, names=("a", "b", "c"), options=(), redis=None, urls=None, envs=None, programs=None):
        """`urls`, `envs` and `programs` have the address of Redis, the variables and the program of single nodes, by their names."""
        self.redis = redis or Redis()
        self.balancer = Balancer()
        self.options = options
        self.urls, self.envs, self.programs = urls or {}, envs or {}, programs or {}
        self.nodes = {}
        for name in names:
            self.begin(name)
        wait_until(lambda: len(self.balancer.healthy) == len(self.nodes), 60, "every node to be ready")

    def begin(self, name, program=None):
        """Starts a node, again after ``kill``; with `program`, another one than the program under test."""
        url = self.urls.get(name, self.redis.url)
        node = Server(0, "--redis", url, "--node", name, *self.options, env=self.envs.get(name), program=program or self.programs.get(name))
        self.nodes[name] = node
        self.balancer.targets[name] = node.port
        return node

    def kill(self, name, how=signal.SIGKILL):
        """Ends a node without a word, or, with SIGTERM, in order."""
        self.balancer.targets.pop(name, None)
        node = self.nodes.pop(name)
        node.process.send_signal(how)
        node.process.wait(30)

    def freeze(self, name, is_frozen):
        self.nodes[name].process.send_signal(signal.SIGSTOP if is_frozen else signal.SIGCONT)

    def metric(self, name, metric):
        """The value of a metric of a node without labels, or None."""
        link = http.client.HTTPConnection("127.0.0.1", self.nodes[name].port, timeout=10)
        link.request("GET", "/metrics")
        for line in link.getresponse().read().decode().splitlines():
            if line.split(" ")[0] == metric:
                return float(line.split(" ")[1])
        return None

    def leader(self):
        """The name of the node that leads, or None."""
        return next((name for name in self.nodes if self.metric(name, "lifeline_cluster_leading") == 1), None)

    def end(self):
        for name in list(self.nodes):
            self.freeze(name, False)
            self.nodes[name].kill()
        self.balancer.end()
        self.redis.end()
