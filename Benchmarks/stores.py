#!/usr/bin/env python3
"""What the stores of one server cost, SQLite, PostgreSQL and Redis beside each other in one run.

Usage: Benchmarks/stores.py LIFELINE [--rows N…] [--in-flight N…] [--seconds N] [--redis-messages N] [--parts PART…], with the parts write, read and
memory. `Benchmarks/run.sh stores` builds the program and calls it. Rows are made by SQL, for Redis by publishing. Servers, databases and load share
the machine's processors, so only ratios of one run mean something. PostgreSQL waits for the disk at each commit, as it does unless it is told
otherwise; SQLite does so for reservations only (HB-44), and Redis writes its log once a second.
"""

import argparse
import json
import os
import pwd
import re
import selectors
import shutil
import socket
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Tests" / "PythonHarness"))
parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("lifeline", help="the program, built for release")
parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000, 10_000_000], help="messages in the store for the part read")
parser.add_argument("--in-flight", type=int, nargs="+", default=[1, 64, 1024], help="publishes that are not yet acknowledged")
parser.add_argument("--seconds", type=float, default=5, help="how long each rate is measured")
parser.add_argument("--redis-messages", type=int, default=1_000_000, help="messages for the memory of Redis")
parser.add_argument("--days", type=int, default=30, help="days over which rows are spread")
parser.add_argument("--parts", nargs="+", default=["write", "read", "memory"], choices=["write", "read", "memory"])
ARGUMENTS = parser.parse_args()
os.environ["LIFELINE"] = ARGUMENTS.lifeline
from cluster_harness import Redis, redis_program  # noqa: E402
from lifeline_harness import Server, wait_until  # noqa: E402

OPTIONS = ("--log-level", "error", "--connection-rate-per-address", "0", "--max-connections-per-address", "0")
CHANNELS = 100
DAY = 864_000_000_000
PAYLOAD = '"' + "x" * 98 + '"'


def show(name, **figures):
    print(name + ": " + ", ".join(f"{key} {value}" for key, value in figures.items()), flush=True)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class PostgreSQL:
    """A server of its own, with PostgreSQL's defaults."""

    def __init__(self):
        found = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: float(path.parent.name))
        programs = found[-1] if found else Path(shutil.which("initdb") or sys.exit("PostgreSQL's initdb is missing")).parent
        self.folder = Path(tempfile.mkdtemp(prefix="lifeline-benchmark-"))
        self.port = free_port()
        self.as_user = []
        if os.getuid() == 0:
            os.chown(self.folder, pwd.getpwnam("postgres").pw_uid, -1)
            self.as_user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--"]
        data = str(self.folder / "data")
        subprocess.run([*self.as_user, programs / "initdb", "-D", data, "-U", "lifeline", "-A", "trust", "-E", "UTF8", "--locale=C"],
                       check=True, stdout=subprocess.DEVNULL)
        self.process = subprocess.Popen(
            [*self.as_user, programs / "postgres", "-D", data, "-k", str(self.folder), "-p", str(self.port), "-c", "listen_addresses=127.0.0.1",
             "-c", "max_wal_size=4GB"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.psql = [programs / "psql", "-h", "127.0.0.1", "-p", str(self.port), "-U", "lifeline", "-d", "postgres", "-v", "ON_ERROR_STOP=1", "-qAt"]
        wait_until(lambda: subprocess.run([*self.psql, "-c", "SELECT 1"], capture_output=True).returncode == 0, 60, "PostgreSQL")

    @property
    def url(self):
        return f"postgres://lifeline@127.0.0.1:{self.port}/postgres"

    def run(self, sql):
        return subprocess.run([*self.psql, "-f", "-"], input=sql, text=True, check=True, capture_output=True).stdout.strip()

    def end(self):
        self.process.terminate()
        self.process.wait(60)
        shutil.rmtree(self.folder, ignore_errors=True)


class Store:
    """A kind of store, the options of a server with it, and how rows get into it."""

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="lifeline-benchmark-"))

    def end(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self):
        return Server(0, *OPTIONS, *self.options)


class SQLiteStore(Store):
    name = "SQLite"

    @property
    def options(self):
        return ("--data", str(self.folder / "data"))

    def fill(self, count, first, step):
        with sqlite3.connect(self.folder / "data" / "lifeline.sqlite") as database:
            database.execute(
                """
                WITH RECURSIVE series (number) AS (SELECT 0 UNION ALL SELECT number + 1 FROM series WHERE number + 1 < ?)
                INSERT INTO message (application, channel, timetoken, publisher, payload, kind, stored)
                SELECT 'demo', 'c' || (number % ?), ? + number * ?, 'u', CAST(? AS BLOB), 0, 1 FROM series
                """, (count, CHANNELS, first, step, PAYLOAD))
            tables = {name for name, in database.execute("SELECT name FROM sqlite_master")}
            if "message_usage" in tables:
                database.execute("DELETE FROM message_usage")
                database.execute(
                    f"""
                    INSERT INTO message_usage SELECT application, timetoken / {DAY}, count(*), sum(length(payload)) FROM message
                    WHERE stored = 1 GROUP BY 1, 2
                    """)
        database.close()

    def size(self):
        return sum(path.stat().st_size for path in (self.folder / "data").glob("lifeline.sqlite*"))


class PostgreSQLStore(Store):
    name = "PostgreSQL"

    def __init__(self):
        super().__init__()
        self.server = PostgreSQL()

    @property
    def options(self):
        return ("--data", self.server.url, "--data-files", str(self.folder / "files"))

    def fill(self, count, first, step):
        statements = ["SET search_path TO lifeline; SET synchronous_commit = off;"]
        if self.server.run("SELECT relkind FROM pg_class WHERE oid = 'lifeline.message'::regclass") == "p":
            statements += [
                f"CREATE TABLE IF NOT EXISTS message_d{day} PARTITION OF message FOR VALUES FROM ({day * DAY}) TO ({(day + 1) * DAY});"
                for day in range(first // DAY, (first + count * step) // DAY + 1)
                if self.server.run(f"SELECT to_regclass('lifeline.message_d{day}') IS NULL") == "t"]
        statements += [
            f"""
            INSERT INTO message (application, channel, timetoken, publisher, payload, kind, stored)
            SELECT 'demo', ('c' || (number % {CHANNELS}))::bytea, {first} + number * {step}, 'u', '{PAYLOAD}', 0, true
            FROM generate_series(0, {count - 1}::int8) AS number;
            """]
        if self.server.run("SELECT to_regclass('lifeline.message_usage') IS NOT NULL") == "t":
            statements += [
                f"""
                DELETE FROM message_usage;
                INSERT INTO message_usage SELECT application, timetoken / {DAY}, count(*), sum(octet_length(payload)) FROM message
                WHERE stored GROUP BY 1, 2;
                """]
        self.server.run("\n".join([*statements, "ANALYZE message; CHECKPOINT;"]))

    def size(self):
        return int(self.server.run("SELECT pg_database_size('postgres')"))

    def end(self):
        self.server.end()
        super().end()


class RedisStore(Store):
    name = "Redis"

    def __init__(self):
        super().__init__()
        self.redis = Redis()

    @property
    def options(self):
        return ("--redis", self.redis.url)

    def end(self):
        self.redis.end()
        super().end()


def stores():
    yield SQLiteStore
    yield PostgreSQLStore
    if redis_program():
        yield RedisStore


class RedisAndPostgreSQLStore(RedisStore):
    """Redis keeps the last minutes, PostgreSQL what lasts."""

    name = "Redis with PostgreSQL"

    def __init__(self):
        super().__init__()
        self.server = PostgreSQL()

    @property
    def options(self):
        return (*super().options, "--data", self.server.url)

    def end(self):
        super().end()
        self.server.end()


class Load:
    """Connections that each publish a message and wait for its acknowledgement, again and again."""

    def __init__(self, port, connections):
        self.selector = selectors.DefaultSelector()
        self.links = []
        for number in range(connections):
            link = socket.create_connection(("127.0.0.1", port), timeout=60)
            link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            payload = PAYLOAD.replace('"', "%22")
            request = f"GET /publish/demo/demo/0/c{number % CHANNELS}/0/{payload}?uuid=u&store=1 HTTP/1.1\r\nHost: localhost\r\n\r\n"
            self.links.append(link)
            self.selector.register(link, selectors.EVENT_READ, (link, request.encode(), bytearray()))

    def run(self, seconds=None, count=None):
        """Messages that were acknowledged, those that were refused, and the seconds."""
        sent = answered = refused = 0
        start = time.monotonic()
        end = start + (seconds or 3_600)
        for key in list(self.selector.get_map().values()):
            key.data[0].sendall(key.data[1])
            sent += 1
        while answered + refused < sent:
            for key, _ in self.selector.select(60):
                link, request, buffer = key.data
                buffer += link.recv(65_536)
                head = buffer.find(b"\r\n\r\n")
                if head < 0:
                    continue
                length = int(re.search(rb"content-length: *(\d+)", buffer[:head], re.IGNORECASE)[1])
                if len(buffer) < head + 4 + length:
                    continue
                if buffer.startswith(b"HTTP/1.1 200"):
                    answered += 1
                else:
                    refused += 1
                buffer.clear()
                if (time.monotonic() < end) if count is None else sent < count:
                    link.sendall(request)
                    sent += 1
        return answered, refused, time.monotonic() - start

    def close(self):
        for link in self.links:
            link.close()
        self.selector.close()


def write():
    """Stored and acknowledged messages a second."""
    for kind in stores():
        store = kind()
        server = store.start()
        for connections in ARGUMENTS.in_flight:
            load = Load(server.port, connections)
            load.run(seconds=min(1, ARGUMENTS.seconds))
            answered, refused, seconds = load.run(seconds=ARGUMENTS.seconds)
            load.close()
            show(f"{store.name}, {connections} in flight", acknowledged=f"{answered / seconds:,.0f}/s", refused=refused)
        server.kill()
        store.end()


def milliseconds(path, port, times):
    link = socket.create_connection(("127.0.0.1", port), timeout=120)
    link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    spent = []
    for number in range(times):
        request = f"GET {path(number)} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
        start = time.monotonic()
        link.sendall(request)
        buffer = b""
        while b"\r\n\r\n" not in buffer or len(buffer) < buffer.find(b"\r\n\r\n") + 4 + int(
                re.search(rb"content-length: *(\d+)", buffer, re.IGNORECASE)[1]):
            buffer += link.recv(1 << 20)
        spent.append((time.monotonic() - start) * 1e3)
        body = json.loads(buffer[buffer.find(b"\r\n\r\n") + 4:])
        assert len(body[0]) == 100, body
    link.close()
    return spent


def read():
    """Pages of 100 newest and oldest messages, and a restart, with many rows."""
    for count in ARGUMENTS.rows:
        now = time.time_ns() // 100
        first = now - ARGUMENTS.days * DAY
        for kind in (SQLiteStore, PostgreSQLStore):
            store = kind()
            store.start().end()
            start = time.monotonic()
            store.fill(count, first, max(1, (now - first) // count))
            show(f"{store.name}, {count:,} rows over {ARGUMENTS.days} days", filled=f"{time.monotonic() - start:.1f} s",
                 size=f"{store.size() / 1e6:,.0f} MB")
            start = time.monotonic()
            server = store.start()
            show(f"{store.name}, {count:,} rows", started=f"{time.monotonic() - start:.2f} s")
            for name, more in (("newest", ""), ("oldest", "&reverse=true")):
                spent = milliseconds(lambda number: f"/v2/history/sub-key/demo/channel/c{number % CHANNELS}?count=100{more}", server.port, 300)
                show(f"{store.name}, {count:,} rows, 100 {name}", median=f"{statistics.median(spent):.2f} ms",
                     p99=f"{statistics.quantiles(spent, n=100)[98]:.2f} ms", first=f"{spent[0]:.2f} ms")
            load = Load(server.port, 64)
            answered, refused, seconds = load.run(seconds=ARGUMENTS.seconds)
            load.close()
            show(f"{store.name}, {count:,} rows, 64 in flight", acknowledged=f"{answered / seconds:,.0f}/s", refused=refused)
            server.kill()
            start = time.monotonic()
            server = store.start()
            show(f"{store.name}, {count:,} rows, after kill -9", started=f"{time.monotonic() - start:.2f} s")
            server.end()
            store.end()


def memory():
    """The memory of Redis for stored messages of 100 bytes; with PostgreSQL those of the last 20 minutes are all that it keeps."""
    if not redis_program():
        return show("Redis", skipped="redis-server is missing")
    for kind in (RedisStore, RedisAndPostgreSQLStore):
        memory_of(kind())


def memory_of(store):
    server = store.start()

    def used():
        return int(store.redis.info("memory")["used_memory"])

    before = used()
    load = Load(server.port, 256)
    answered, refused, seconds = load.run(count=ARGUMENTS.redis_messages)
    load.close()
    more = used() - before
    show(f"{store.name}, {answered:,} stored messages of 100 bytes", memory=f"{more / 1e6:,.1f} MB", each=f"{more / max(answered, 1):.0f} bytes",
         refused=refused, rate=f"{answered / seconds:,.0f}/s")
    server.kill()
    start = time.monotonic()
    server = store.start()
    show(f"{store.name}, {answered:,} messages, after kill -9", started=f"{time.monotonic() - start:.2f} s")
    server.kill()
    store.end()


if __name__ == "__main__":
    for part in ARGUMENTS.parts:
        globals()[part]()
