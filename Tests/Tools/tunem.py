#!/usr/bin/env python3
"""Delay, jitter, loss, reordering, duplication, corruption and a rate for packets, on kernels without sch_netem. Needs root and ip.

Two TUN devices are moved into two network namespaces, and this process carries the IP packets between them. The server's side is
198.19.0.1 and fd00:19::1, the client's 198.19.0.2 and fd00:19::2.

  tunem.py --make --control 127.0.0.1:19103 [--srv rl-srv] [--cli rl-cli] [--seed 1] [--schedule FILE]

Control interface (HTTP with JSON bodies): GET /stats, and
  PUT /set {"dir": "both|up|down", "delay_ms": 100, "jitter_ms": 20, "loss": 5, "loss_burst": 3, "reorder": 10, "dup": 1, "corrupt": 0.5,
            "rate_kbit": 256, "limit": 200, "blackhole": false, "keep_order": false}
Up is from the client to the server. Loss, reordering, duplication and corruption are percentages; `loss_burst` is the mean length of a burst of
losses, `limit` the most packets that wait; with `keep_order` jitter reorders nothing. What is missing is 0.
"""

import argparse
import asyncio
import contextlib
import fcntl
import heapq
import json
import os
import random
import struct
import subprocess
import time

TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 1, 0x1000
# Corruption spares this many bytes: the headers of IP and TCP.
HEADERS = 40


class Link:
    """One direction."""

    def __init__(self, chance):
        self.chance, self.config, self.queue, self.count = chance, {}, [], 0
        self.busy_until, self.last, self.is_losing = 0.0, 0.0, False
        self.statistics = dict(rx=0, tx=0, lost=0, dup=0, reordered=0, corrupt=0, overflow=0)

    def happens(self, name):
        percent = self.config.get(name, 0)
        return bool(percent) and self.chance.random() * 100 < percent

    def loses(self):
        """Whether the next packet is lost. Bursts follow Gilbert's model."""
        loss, burst = self.config.get("loss", 0) / 100, max(1.0, self.config.get("loss_burst", 1))
        if burst == 1:
            probability = loss
        elif self.is_losing:
            probability = 1 - 1 / burst
        else:
            probability = loss / burst / max(1e-9, 1 - loss)
        self.is_losing = self.chance.random() < probability
        return self.is_losing

    def put(self, packet, now):
        config, statistics = self.config, self.statistics
        statistics["rx"] += 1
        if config.get("blackhole") or self.loses():
            statistics["lost"] += 1
            return
        if len(self.queue) >= config.get("limit", 1000):
            statistics["overflow"] += 1
            return
        if len(packet) > HEADERS and self.happens("corrupt"):
            place = self.chance.randrange(HEADERS, len(packet))
            packet = packet[:place] + bytes([packet[place] ^ 1 << self.chance.randrange(8)]) + packet[place + 1:]
            statistics["corrupt"] += 1
        delay = config.get("delay_ms", 0)
        due = now + max(0.0, delay + self.chance.uniform(-1, 1) * config.get("jitter_ms", 0)) / 1000
        if self.happens("reorder"):
            due = now
            statistics["reordered"] += 1
        if config.get("rate_kbit"):
            self.busy_until = max(self.busy_until, now) + len(packet) * 8 / (config["rate_kbit"] * 1000)
            due = max(due, self.busy_until + delay / 1000)
        if config.get("keep_order"):
            due = self.last = max(self.last, due)
        copies = 1
        if self.happens("dup"):
            copies = 2
            statistics["dup"] += 1
        for _ in range(copies):
            self.count += 1
            heapq.heappush(self.queue, (due, self.count, packet))


class Emulator:
    def __init__(self, options):
        chance = random.Random(options.seed)
        self.links = {"up": Link(chance), "down": Link(chance)}
        self.devices, self.timer = {}, None
        for side, namespace, number in (("srv", options.srv, 1), ("cli", options.cli, 2)):
            if options.make:
                subprocess.run(["ip", "netns", "add", namespace], stderr=subprocess.DEVNULL)
                run("ip", "-n", namespace, "link", "set", "lo", "up")
            self.devices[side] = device(f"rlt{side}", namespace, number)

    def read(self, side):
        direction, now = "up" if side == "cli" else "down", time.monotonic()
        for _ in range(64):
            try:
                self.links[direction].put(os.read(self.devices[side], 2048), now)
            except BlockingIOError:
                break
        self.flush()

    def flush(self):
        """Writes what is due, and comes back when the next packet is."""
        now, following = time.monotonic() + 0.0005, None
        for direction, side in (("up", "srv"), ("down", "cli")):
            link = self.links[direction]
            while link.queue and link.queue[0][0] <= now:
                packet = heapq.heappop(link.queue)[2]
                try:
                    os.write(self.devices[side], packet)
                    link.statistics["tx"] += 1
                except OSError:
                    link.statistics["overflow"] += 1
            if link.queue:
                due = link.queue[0][0]
                following = due if following is None else min(following, due)
        if self.timer:
            self.timer.cancel()
            self.timer = None
        if following is not None:
            self.timer = asyncio.get_running_loop().call_later(max(0, following - time.monotonic()), self.flush)

    def set(self, config):
        direction = config.get("dir", "both")
        for name in ("up", "down") if direction == "both" else (direction,):
            self.links[name].config = config

    async def control(self, reader, writer):
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
            lengths = [line.split(":")[1] for line in head.split("\r\n") if line.startswith("content-length:")]
            if lengths:
                self.set(json.loads(await reader.readexactly(int(lengths[0]))))
            answer = {
                name: {**link.statistics, "queued": len(link.queue), "config": link.config} for name, link in self.links.items()}
        except Exception as error:  # Whoever steers is told what was wrong with the request.
            answer = {"error": repr(error)}
        body = json.dumps(answer).encode()
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n" % len(body) + body)
        await writer.drain()
        writer.close()


def run(*words):
    subprocess.run(words, check=True)


def device(name, namespace, number):
    """The descriptor of a new TUN device in a namespace."""
    descriptor = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(descriptor, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TUN | IFF_NO_PI))
    run("ip", "link", "set", name, "netns", namespace)
    run("ip", "-n", namespace, "addr", "add", f"198.19.0.{number}/24", "dev", name)
    run("ip", "-n", namespace, "-6", "addr", "add", f"fd00:19::{number}/64", "dev", name, "nodad")
    run("ip", "-n", namespace, "link", "set", name, "up", "mtu", "1500", "txqueuelen", "1000")
    return descriptor


async def main(options):
    emulator, loop = Emulator(options), asyncio.get_running_loop()
    for side in ("srv", "cli"):
        loop.add_reader(emulator.devices[side], emulator.read, side)
    if options.control:
        await asyncio.start_server(emulator.control, *options.control.rsplit(":", 1))
    schedule = None
    if options.schedule:
        with open(options.schedule) as file:
            schedule = json.load(file)
    print("ready", flush=True)
    while schedule:
        for step in schedule["steps"]:
            emulator.set(step)
            await asyncio.sleep(step["for"])
        if not schedule.get("loop"):
            break
    await asyncio.Event().wait()


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--srv", default="rl-srv", help="the server's namespace")
    parser.add_argument("--cli", default="rl-cli", help="the client's namespace")
    parser.add_argument("--control", default="", help="address of the control interface; none without it")
    parser.add_argument("--schedule", default="", help='a JSON file: {"loop": true, "steps": [{"for": 2.0, "loss": 5}]}')
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--make", action="store_true", help="create both namespaces")
    return parser.parse_args()


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(main(arguments()))
