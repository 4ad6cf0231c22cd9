#!/usr/bin/env python3
"""A TCP proxy that injects faults. Needs Python 3.9 or later and nothing else; binds and dials what it is told, so keep it on loopback.

  faultproxy.py --listen 127.0.0.1:19100 --upstream 127.0.0.1:19010 --control 127.0.0.1:19101
                [--mode pass] [--schedule flap.json] [--seed 1] [--log events.jsonl]

Control interface (HTTP with JSON bodies):
  PUT /mode {"mode": NAME, ...}         sets the mode of open and of new connections; with "new_only": true of new ones only
  POST /kill {"how": "rst|fin"}         ends every open connection
  POST /inject {"hex": "..."} or {"text": "..."}, "dir": "down|up"     writes these bytes into every open connection
  GET /state                            mode, number of connections, bytes
  GET /log                              the events so far
  POST /quit

Modes, with their options; "dir" is both, up (client to server) or down:
  pass
  delay ms= jitter_ms=      holds every read back
  coalesce ms=              collects what comes within this time into one write
  fragment size=1 ms=0      splits every read into pieces
  throttle bps=             limits the rate
  blackhole dir=            reads and discards; sends neither FIN nor RST. A connection that lost bytes stays dead afterwards, as after a
                            lost entry of a NAT
  stall dir=                stops reading. Afterwards everything arrives: an outage with retransmits, or a slow consumer
  corrupt p= dir=           flips one bit of a byte with this probability
  truncate after=N how=fin|rst dir=    ends a connection after N bytes
  reset, close              RST or FIN for open connections, and for every new one at once
  refuse                    stops listening, so that new connections get ECONNREFUSED; open ones stay
  silence                   accepts and never answers, and never dials the server
  http status= body= headers={}        answers the first request of every new connection with this, as a captive portal or a gateway does.
                            A connection keeps the answer of the mode in which it was accepted. Into open connections the answer is
                            written at once, followed by FIN; "new_only" leaves them alone

A schedule: {"loop": true, "steps": [{"for": 2.0, "mode": "pass"}, {"for": 1.5, "mode": "blackhole"}]}

The log is evidence of connection attempts and of the time between them: {"t": seconds, "ev": "open|close|mode", ...}
"""

import argparse
import asyncio
import contextlib
import json
import random
import socket
import struct
import sys
import time

PORTAL = "<html><head><title>Welcome to Free WiFi</title></head><body><form action=/login>...</form></body></html>"
# A pump whose peer's FIN is to be swallowed waits this long, in seconds: longer than any test.
FOREVER = 86_400
START = time.monotonic()


class Connection:
    """One connection of a client, and the one to the server that belongs to it."""

    def __init__(self, number, config, client):
        self.number, self.config, self.client, self.server = number, config, client, None
        self.carried = {"up": 0, "down": 0}
        self.dead = set()
        self.left = {}

    @property
    def mode(self):
        return self.config["mode"]

    def applies(self, direction):
        """Whether the mode is about this direction."""
        default = "down" if self.mode in ("corrupt", "truncate") else "both"
        return self.config.get("dir", default) in ("both", direction)

    def is_stalled(self, direction):
        return self.mode == "stall" and self.applies(direction)

    def swallows(self, direction):
        return direction in self.dead or (self.mode in ("blackhole", "silence") and self.applies(direction))

    def end(self, how):
        for writer in (self.client, self.server):
            if writer is None or writer.is_closing():
                continue
            if how == "rst":
                linger = struct.pack("ii", 1, 0)
                writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                writer.transport.abort()
            else:
                writer.close()


def http_answer(config):
    """The bytes that mode `http` answers with."""
    body = config.get("body", PORTAL).encode()
    headers = {
        "Content-Type": "text/html", "Content-Length": str(len(body)), "Connection": "close", **config.get("headers", {})}
    lines = [f"HTTP/1.1 {config.get('status', 200)} X"] + [f"{name}: {value}" for name, value in headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + body


class Proxy:
    def __init__(self, upstream, chance, log_file=None):
        self.upstream, self.chance, self.log_file = upstream, chance, log_file
        self.config = {"mode": "pass"}
        self.connections, self.events, self.total = {}, [], 0
        self.address = self.listener = None
        self.changed, self.quitting = asyncio.Event(), asyncio.Event()

    def log(self, event, **fields):
        entry = {"t": round(time.monotonic() - START, 4), "ev": event, **fields}
        self.events.append(entry)
        if self.log_file:
            self.log_file.write(json.dumps(entry) + "\n")
            self.log_file.flush()

    async def listen(self, host, port):
        self.address = (host, port)
        self.listener = await asyncio.start_server(self.accept, host, port, backlog=2048)

    async def set_mode(self, config):
        mode = config.get("mode", "pass")
        self.log("mode", **{name: value for name, value in config.items() if name != "body"})
        if mode == "refuse" and self.listener:
            # The listening socket only: open connections live on.
            self.listener.close()
            self.listener = None
        elif mode != "refuse" and self.listener is None:
            await self.listen(*self.address)
        if not config.get("new_only"):
            for connection in list(self.connections.values()):
                self.change(connection, config)
        self.config = config
        # Wakes the pumps that are stalled.
        waiting, self.changed = self.changed, asyncio.Event()
        waiting.set()

    def change(self, connection, config):
        connection.config = config
        if config["mode"] == "reset":
            connection.end("rst")
        elif config["mode"] == "close":
            connection.end("fin")
        elif config["mode"] == "http":
            connection.client.write(http_answer(config))
            connection.end("fin")

    async def accept(self, reader, writer):
        self.total += 1
        connection = Connection(self.total, self.config, writer)
        self.connections[connection.number] = connection
        self.log("open", id=connection.number, mode=connection.mode, open=len(self.connections))
        set_no_delay(writer)
        why = "peer"
        try:
            why = await self.serve(connection, reader, writer)
        except (OSError, asyncio.TimeoutError, asyncio.IncompleteReadError) as error:
            why = type(error).__name__
        finally:
            connection.end("fin")
            self.connections.pop(connection.number, None)
            self.log("close", id=connection.number, why=why, open=len(self.connections), **connection.carried)

    async def serve(self, connection, reader, writer):
        """Runs a connection to its end and returns the reason for it. The mode in which it was accepted decides how it begins."""
        config = connection.config
        mode = config["mode"]
        if mode in ("reset", "close"):
            connection.end("rst" if mode == "reset" else "fin")
            return mode
        if mode == "http":
            await asyncio.wait_for(reader.read(65_536), 10)
            writer.write(http_answer(config))
            await writer.drain()
            connection.end("fin")
            return mode
        if mode == "silence" or (mode == "blackhole" and config.get("dir", "both") == "both"):
            # Mute for the whole life of the connection.
            while await reader.read(65_536):
                pass
            return "peer"
        try:
            server_reader, connection.server = await asyncio.open_connection(*self.upstream)
        except OSError as error:
            connection.end("rst")
            return f"upstream {error.strerror or error}"
        set_no_delay(connection.server)
        pumps = {
            asyncio.create_task(self.pump(connection, reader, connection.server, "up")),
            asyncio.create_task(self.pump(connection, server_reader, writer, "down"))}
        done, pending = await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
        why = next(iter(done)).result()
        # What the other direction still has goes out first.
        await asyncio.sleep(0.05)
        for pump in pending:
            pump.cancel()
        await asyncio.gather(*pending, return_exceptions=True)
        return why

    async def pump(self, connection, reader, writer, direction):
        """Carries one direction until it ends, and returns the reason."""
        source = "client" if direction == "up" else "server"
        while True:
            await self.unstalled(connection, direction)
            try:
                data = await reader.read(16_384)
            except OSError:
                return f"rst-from-{source}"
            # The mode may have changed while this read was waiting.
            await self.unstalled(connection, direction)
            if not data:
                if connection.swallows(direction):
                    await asyncio.sleep(FOREVER)
                return f"fin-from-{source}"
            connection.carried[direction] += len(data)
            if connection.swallows(direction):
                connection.dead.add(direction)
                continue
            try:
                if not await self.forward(connection, reader, writer, direction, data):
                    return "truncated"
            except OSError:
                return f"write-failed-{direction}"

    async def unstalled(self, connection, direction):
        while connection.is_stalled(direction):
            await self.changed.wait()

    async def forward(self, connection, reader, writer, direction, data):
        """Writes what was read, as the mode has it. False when that ended the connection."""
        config = connection.config
        mode = connection.mode if connection.applies(direction) else "pass"
        if mode == "delay":
            await asyncio.sleep((config.get("ms", 100) + self.chance.uniform(0, config.get("jitter_ms", 0))) / 1000)
        elif mode == "coalesce":
            more = await collect(reader, config.get("ms", 100) / 1000)
            connection.carried[direction] += len(more)
            data += more
        elif mode == "corrupt":
            data = self.corrupted(data, config.get("p", 0.01))
        elif mode == "truncate":
            left = connection.left.setdefault(direction, config.get("after", 0))
            connection.left[direction] = left - len(data)
            if len(data) >= left:
                writer.write(data[:left])
                await writer.drain()
                connection.end(config.get("how", "fin"))
                return False
        elif mode == "fragment":
            for piece in pieces(data, config.get("size", 1)):
                writer.write(piece)
                await writer.drain()
                await asyncio.sleep(config.get("ms", 0) / 1000)
            return True
        elif mode == "throttle":
            rate = config.get("bps", 1024)
            for piece in pieces(data, max(1, rate // 20)):
                writer.write(piece)
                await writer.drain()
                await asyncio.sleep(len(piece) / rate)
            return True
        writer.write(data)
        await writer.drain()
        return True

    def corrupted(self, data, probability):
        return bytes(
            byte ^ (1 << self.chance.randrange(8)) if self.chance.random() < probability else byte for byte in data)

    # The control interface.

    async def control(self, reader, writer):
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin1")
            method, path = head.split()[:2]
            lengths = [line.split(":")[1] for line in head.lower().split("\r\n") if line.startswith("content-length:")]
            body = await reader.readexactly(int(lengths[0])) if lengths else b""
            status, answer = await self.command(method, path, json.loads(body or b"{}"))
        except Exception as error:  # Whoever steers the proxy is told what was wrong with the request.
            status, answer = 400, {"error": repr(error)}
        body = json.dumps(answer).encode()
        head = f"HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        with contextlib.suppress(OSError):
            writer.write(head.encode() + body)
            await writer.drain()
        writer.close()

    async def command(self, method, path, request):
        """Does what the control interface was asked for: the status and the JSON of the answer."""
        if path == "/log":
            return 200, self.events
        if path == "/state":
            connections = self.connections.values()
            carried = {way: sum(connection.carried[way] for connection in connections) for way in ("up", "down")}
            return 200, {"mode": self.config, "open": len(connections), "total": self.total, **carried}
        if path == "/mode" and method in ("PUT", "POST"):
            await self.set_mode({"mode": "pass", **request})
        elif path == "/kill":
            for connection in list(self.connections.values()):
                connection.end(request.get("how", "rst"))
            # The loop closes the sockets in its next round. Whoever gets the answer may rely on it that the RST or FIN is on its way.
            await asyncio.sleep(0)
        elif path == "/inject":
            raw = bytes.fromhex(request["hex"]) if "hex" in request else request["text"].encode()
            for connection in list(self.connections.values()):
                target = connection.client if request.get("dir", "down") == "down" else connection.server
                if target:
                    target.write(raw)
        elif path == "/quit":
            asyncio.get_running_loop().call_later(0.1, self.quitting.set)
        else:
            return 404, {"error": "no such path"}
        return 200, {"ok": True}

    async def run_schedule(self, schedule):
        while True:
            for step in schedule["steps"]:
                await self.set_mode({"mode": "pass", **{name: value for name, value in step.items() if name != "for"}})
                await asyncio.sleep(step["for"])
            if not schedule.get("loop"):
                return


def set_no_delay(writer):
    writer.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def pieces(data, size):
    return [data[start:start + size] for start in range(0, len(data), size)]


async def collect(reader, seconds):
    """What comes within this time."""
    end, data = time.monotonic() + seconds, b""
    while (left := end - time.monotonic()) > 0:
        try:
            more = await asyncio.wait_for(reader.read(65_536), left)
        except asyncio.TimeoutError:
            break
        if not more:
            break
        data += more
    return data


def address(text):
    """The host and port of `host:port`; an IPv6 address may stand in brackets."""
    host, _, port = text.rpartition(":")
    return host.strip("[]"), int(port)


async def main(options):
    with open(options.log, "w") if options.log else contextlib.nullcontext() as log_file:
        proxy = Proxy(address(options.upstream), random.Random(options.seed), log_file)
        await proxy.listen(*address(options.listen))
        await proxy.set_mode({"mode": options.mode})
        if options.control:
            await asyncio.start_server(proxy.control, *address(options.control))
        tasks = []
        if options.schedule:
            with open(options.schedule) as file:
                tasks.append(asyncio.create_task(proxy.run_schedule(json.load(file))))
        print("ready", flush=True)
        await proxy.quitting.wait()


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--listen", default="127.0.0.1:19100")
    parser.add_argument("--upstream", default="127.0.0.1:19010")
    parser.add_argument("--control", default="", help="address of the control interface; none without it")
    parser.add_argument("--mode", default="pass")
    parser.add_argument("--schedule", default="", help="a JSON file with steps")
    parser.add_argument("--log", default="", help="a file for the events, one JSON object a line")
    parser.add_argument("--seed", type=int, default=1, help="of jitter and corruption")
    return parser.parse_args()


if __name__ == "__main__":
    try:
        asyncio.run(main(arguments()))
    except KeyboardInterrupt:
        sys.exit(0)
