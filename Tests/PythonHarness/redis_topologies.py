"""Redis with replicas, Sentinels and shards, and ways to it that a test can cut: real redis-server processes on loopback."""

import asyncio
import os
import re
import shutil
import subprocess
import tempfile
import threading
from pathlib import Path

from cluster_harness import Redis, RedisTalk, redis_program
from lifeline_harness import free_port, wait_until


def append_only_file(redis):
    """The part of the append-only file that grows."""
    return max(Path(redis.folder, "appendonlydir").glob("*.incr.aof"), key=lambda path: int(path.name.split(".")[-3]))


def cut_tail(redis, count):
    """Removes the last bytes of the append-only file of a Redis that is not running."""
    path = append_only_file(redis)
    size = path.stat().st_size
    assert size > count, f"the file has {size} bytes only"
    os.truncate(path, size - count)


class Sentinel(RedisTalk):
    """Makes the replica the master half a second after the master has gone. `port` is where it finds the master."""

    def __init__(self, port, name="m"):
        self.folder = tempfile.mkdtemp(prefix="lifeline-sentinel-")
        self.port, self.name = free_port(), name
        path = Path(self.folder, "sentinel.conf")
        path.write_text(
            f"bind 127.0.0.1\nport {self.port}\ndir {self.folder}\nlogfile {self.folder}/log\nprotected-mode no\n"
            f"sentinel monitor {name} 127.0.0.1 {port} 1\nsentinel down-after-milliseconds {name} 500\n"
            f"sentinel failover-timeout {name} 3000\n")
        self.start()

    def start(self):
        """Again after ``kill``, with what it knew."""
        self.process = subprocess.Popen(
            ["redis-server", str(Path(self.folder, "sentinel.conf")), "--sentinel"], executable=redis_program(),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until(self._answers, 30, "the Sentinel to answer")

    def _answers(self):
        try:
            return self.command("PING") == "+PONG"
        except OSError:
            return False

    def kill(self):
        self.process.kill()
        self.process.wait(20)

    def master(self):
        """The port of the master, as the Sentinel knows it."""
        found = self.ask("SENTINEL", "GET-MASTER-ADDR-BY-NAME", self.name)
        return int(found[1]) if found else None

    def fail_over(self, port):
        """Makes the replica at `port` the master while the master lives. Asks again until it has happened: the Sentinel refuses while it has not
        looked at the replica lately, and gives up when the replica is not connected at that moment or does not answer in time."""
        def has_happened():
            if self.master() != port:
                self.command("SENTINEL", "FAILOVER", self.name)
            return self.master() == port

        wait_until(has_happened, 120, lambda: f"the Sentinel to change the master; it says: {self.log()[-1500:]}")

    def log(self):
        return Path(self.folder, "log").read_text(errors="replace")

    def end(self):
        self.process.kill()
        self.process.wait(20)
        shutil.rmtree(self.folder, ignore_errors=True)


class WatchedRedis:
    """A master, its replica and a Sentinel. The replica hears the master over `path`, which can be cut."""

    def __init__(self, is_direct=False):
        """`is_direct`: the replica follows the master itself. A Sentinel that sees a replica follow another address than the master's corrects it
        sooner or later, and the replica that connects anew in that moment is none that it would promote."""
        self.parts = []
        try:
            self.master = self._add(Redis("--repl-diskless-sync-delay", "0"))
            self.path = self._add(RedisPath(self.master.port))
            followed = self.master if is_direct else self.path
            self.replica = self._add(Redis("--replicaof", "127.0.0.1", str(followed.port), "--repl-diskless-sync-delay", "0"))
            wait_until(lambda: self.replica.info("replication")["master_link_status"] == "up", 30, "the replica to follow")
            self.sentinel = self._add(Sentinel(self.master.port))
            wait_until(
                lambda: self.sentinel.command("PING") == "+PONG" and self.sentinel.ask("SENTINEL", "REPLICAS", "m"), 30,
                "the Sentinel to know the replica")
        except BaseException:
            self.end()
            raise

    def _add(self, part):
        self.parts.append(part)
        return part

    def hold(self):
        """From now on the replica gets nothing. Without a Sentinel: one that sees for eight seconds that the replica follows another address
        than the master's has it follow the master directly."""
        self.sentinel.kill()
        self.replica.command("REPLICAOF", "127.0.0.1", str(self.path.port))
        wait_until(lambda: self.replica.info("replication")["master_link_status"] == "up", 30, "the replica to follow")
        self.path.hold()

    @property
    def url(self):
        # The first of them is not there.
        return f"redis://127.0.0.1:1,127.0.0.1:{self.sentinel.port}?sentinel=m"

    def command(self, *words):
        return self.master.command(*words)

    def end(self):
        for part in reversed(self.parts):
            part.end()


class RedisPath:
    """A way to a port of the loopback. It can be held, so that nothing passes, and be led elsewhere."""

    def __init__(self, target):
        self.target, self.port = target, free_port()
        self.links = set()
        self.flowing = None
        self.loop = asyncio.new_event_loop()
        started = threading.Event()
        threading.Thread(target=self._serve, args=(started,), daemon=True).start()
        started.wait(10)

    @property
    def url(self):
        return f"redis://127.0.0.1:{self.port}"

    def _serve(self, started):
        asyncio.set_event_loop(self.loop)
        self.flowing = asyncio.Event()
        self.flowing.set()
        self.loop.run_until_complete(asyncio.start_server(self._connection, "127.0.0.1", self.port, backlog=128))
        started.set()
        self.loop.run_forever()

    async def _connection(self, reader, writer):
        await self.flowing.wait()
        try:
            upstream = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            return writer.close()
        self.links |= {writer, upstream[1]}
        await asyncio.gather(self._copy(reader, upstream[1]), self._copy(upstream[0], writer))
        self.links -= {writer, upstream[1]}

    async def _copy(self, reader, writer):
        try:
            while data := await reader.read(65_536):
                await self.flowing.wait()
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        finally:
            writer.close()

    def _call(self, body):
        done = threading.Event()
        self.loop.call_soon_threadsafe(lambda: (body(), done.set()))
        done.wait(10)

    def hold(self):
        """From now on nothing passes, and nobody is told."""
        self._call(self.flowing.clear)

    def lead(self, target):
        """Ends the connections, with what was held, and leads to another port from now on."""
        def change():
            for link in list(self.links):
                link.transport.abort()
            self.target = target
            self.flowing.set()

        self._call(change)

    def end(self):
        self.loop.call_soon_threadsafe(self.loop.stop)


def slot_of(key):
    """The slot of a key in a Redis Cluster: CRC-16/XMODEM of its hash tag."""
    tag = re.search(r"\{(.+?)\}", key)
    total = 0
    for byte in (tag[1] if tag else key).encode():
        total ^= byte << 8
        for _ in range(8):
            total = (total << 1 ^ 0x1021 if total & 0x8000 else total << 1) & 0xFFFF
    return total % 16_384


class ShardedRedis:
    """A Redis Cluster of three masters; the one that has the slot of our keys has a replica."""

    SLOT = slot_of("{lifeline:lifeline}")

    def __init__(self):
        self.masters, self.replica = [], None
        try:
            self.masters = [self._make() for _ in range(3)]
            ranges = [(0, 5460), (5461, 10922), (10923, 16383)]
            for index, (master, (first, last)) in enumerate(zip(self.masters, ranges)):
                assert master.command("CLUSTER", "ADDSLOTSRANGE", str(first), str(last)) == "+OK"
                assert master.command("CLUSTER", "SET-CONFIG-EPOCH", str(index + 1)) == "+OK"
            for other in self.masters[1:]:
                self._meet(other)
            for master in self.masters:
                wait_until(lambda: master.info_of_cluster()["cluster_state"] == "ok", 60, "the shards to know each other")
            self.replica = self._make()
            self._meet(self.replica)
            name = self.owner.ask("CLUSTER", "MYID")
            wait_until(lambda: self.replica.command("CLUSTER", "REPLICATE", name) == "+OK", 60, "the replica to know its master")
            wait_until(lambda: self.replica.info("replication").get("master_link_status") == "up", 60, "the replica to follow")
        except BaseException:
            self.end()
            raise

    @staticmethod
    def _make():
        return ShardServer(
            "--cluster-enabled", "yes", "--cluster-config-file", "nodes.conf", "--cluster-node-timeout", "1500",
            "--cluster-port", str(free_port()), "--repl-diskless-sync-delay", "0")

    def _meet(self, other):
        bus = other.options[other.options.index("--cluster-port") + 1]
        assert self.masters[0].command("CLUSTER", "MEET", "127.0.0.1", str(other.port), bus) == "+OK"

    @property
    def owner(self):
        """The master that has the slot."""
        for server in [*self.masters, self.replica]:
            if server and server.process.poll() is None and server.owns(self.SLOT):
                return server
        raise AssertionError("nobody has the slot")

    @property
    def url(self):
        return "redis://" + ",".join(f"127.0.0.1:{master.port}" for master in self.masters) + "?cluster=true"

    def command(self, *words):
        return self.owner.command(*words)

    def move_slot(self, source, target, pause):
        """Moves the slot, one key after the other, with `pause` called between them."""
        slot, names = str(self.SLOT), [server.ask("CLUSTER", "MYID") for server in (source, target)]
        target.ask("CLUSTER", "SETSLOT", slot, "IMPORTING", names[0])
        source.ask("CLUSTER", "SETSLOT", slot, "MIGRATING", names[1])
        moved = 0
        while keys := source.ask("CLUSTER", "GETKEYSINSLOT", slot, "1"):
            source.ask("MIGRATE", "127.0.0.1", str(target.port), "", "0", "10000", "KEYS", *keys)
            moved += 1
            pause()
        for server in (target, source, *self.masters):
            server.ask("CLUSTER", "SETSLOT", slot, "NODE", names[1])
        return moved

    def end(self):
        for server in [*self.masters, self.replica]:
            if server:
                server.end()


class ShardServer(Redis):
    def info_of_cluster(self):
        return dict(line.split(":", 1) for line in self.ask("CLUSTER", "INFO").splitlines() if ":" in line)

    def owns(self, slot):
        """Whether this server is the master of a slot, as it says itself."""
        own = next(line for line in self.ask("CLUSTER", "NODES").splitlines() if "myself" in line).split(" ")
        ranges = [word.split("-") for word in own[8:] if not word.startswith("[")]
        return "master" in own[2] and any(int(first) <= slot <= int(last) for first, *rest in ranges for last in (rest or [first]))
