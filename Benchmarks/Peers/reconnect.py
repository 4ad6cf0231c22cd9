#!/usr/bin/env python3
"""Connect and reconnect times, seen from the server, so that any client can be measured.

Usage: reconnect.py connect|drop|restart CLIENT...     CLIENT: raw_c, pysher, asyncpusher, or NAME=COMMAND with {port} and {ch}

  connect  from the start of the program to its subscription at the server, five times
  drop     the server closes the connection 300 ms after each subscription: from there to the next one, four times
  restart  the server is killed and its port refuses for DOWN seconds (default 3): from its return to the subscription
"""

import os
import queue
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
PYTHON = HERE / "venv" / "bin" / "python"
PORT = int(os.environ.get("PORT", "9005"))
CLIENTS = {
    "raw_c": f"{HERE}/bin/raw_recv {{port}} {{ch}}", "pysher": f"{PYTHON} {HERE}/clients/pysher_recv.py {{port}} {{ch}}",
    "asyncpusher": f"{PYTHON} {HERE}/clients/asyncpusher_recv.py {{port}} {{ch}}"}
# The feeder listens after this many seconds.
START = 0.3


class Server:
    """The feeder, with its log of what clients do."""

    def __init__(self):
        self.process = subprocess.Popen(
            [HERE / "bin" / "feeder", str(PORT), "--log"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.events = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        time.sleep(START)

    def _read(self):
        for line in self.process.stdout:
            self.events.put(line.split())

    def wait(self, event, timeout):
        """When that happened next, or None."""
        end = time.monotonic() + timeout
        while (left := end - time.monotonic()) > 0:
            try:
                fields = self.events.get(timeout=left)
            except queue.Empty:
                break
            if fields[1] == event:
                return float(fields[0])
        return None

    def forget(self):
        while not self.events.empty():
            self.events.get()

    def kill(self):
        self.process.kill()
        self.process.wait()


def start(command, channel):
    return subprocess.Popen(command.format(port=PORT, ch=channel).split(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def end(process):
    process.kill()
    process.wait()


def since(moment, start):
    return None if moment is None else moment - start


def milliseconds(times):
    return " ".join("none" if time is None else f"{time * 1e3:.0f}" for time in times)


def connect(name, command):
    server, times = Server(), []
    for _ in range(5):
        begun, client = time.monotonic(), start(command, "quiet")
        times.append(since(server.wait("subscribe", 15), begun))
        end(client)
        time.sleep(0.3)
        server.forget()
    server.kill()
    median = statistics.median([time for time in times if time is not None] or [0])
    print(f"connect {name}: ms {milliseconds(times)}  median {median * 1e3:.0f}", flush=True)


def drop(name, command):
    server, times = Server(), []
    client = start(command, "drop-300")
    for _ in range(4):
        dropped = server.wait("drop", 25)
        times.append(since(server.wait("subscribe", 60), dropped) if dropped is not None else None)
        if times[-1] is None:
            break
    end(client)
    server.kill()
    print(f"drop {name}: drop->resubscribe ms {milliseconds(times)}", flush=True)


def restart(name, command):
    down, server = float(os.environ.get("DOWN", "3")), Server()
    client = start(command, "quiet")
    server.wait("subscribe", 15)
    time.sleep(0.7)
    server.kill()
    time.sleep(down)
    back, server = time.monotonic(), Server()
    took = since(server.wait("subscribe", 70), back)
    print(f"restart {name}: down {down:g} s, back->resubscribe ms {milliseconds([took])} (alive={client.poll() is None})", flush=True)
    end(client)
    server.kill()


def main():
    modes = {"connect": connect, "drop": drop, "restart": restart}
    if len(sys.argv) < 2 or sys.argv[1] not in modes:
        print(__doc__)
        sys.exit(2)
    for client in sys.argv[2:] or CLIENTS:
        name, _, command = client.partition("=")
        modes[sys.argv[1]](name, command or CLIENTS[name])


if __name__ == "__main__":
    main()
