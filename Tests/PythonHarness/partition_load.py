"""Publishing to many channels of one Pusher application through all servers of a cluster, and the processor time that it takes."""

import hashlib
import hmac
import http.client
import json
import multiprocessing
import os
import time
from pathlib import Path

from lifeline_harness import APP_ID, KEY, SECRET


def processor_time(process):
    """In seconds; None where the system has no /proc."""
    try:
        fields = Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def signed(path, body):
    """The target of a request with its signature."""
    query = f"auth_key={KEY}&auth_timestamp={int(time.time())}&auth_version=1.0&body_md5={hashlib.md5(body).hexdigest()}"
    text = f"POST\n{path}\n{query}".encode()
    return f"{path}?{query}&auth_signature={hmac.new(SECRET.encode(), text, hashlib.sha256).hexdigest()}"


def publish(port, number, channels, batch, seconds):
    """Publishes batches of so many events to all channels in turns over one connection, and returns the number of accepted events."""
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    turn, count, until = number, 0, time.monotonic() + seconds
    while time.monotonic() < until:
        names = [f"room-{(turn * batch + index) % channels}" for index in range(batch)]
        turn += 1
        body = json.dumps({"batch": [{"name": "e", "channel": name, "data": "x" * 100} for name in names]}).encode()
        link.request("POST", signed(f"/apps/{APP_ID}/batch_events", body), body, {"Content-Type": "application/json"})
        answer = link.getresponse()
        answer.read()
        if answer.status == 200:
            count += batch
    link.close()
    return count


def measure(cluster, channels, seconds, batch=1):
    """Publishes through all servers, two connections each, in requests of so many events.

    Returns the events in a second, and for each server and for Redis, under None, the microseconds of processor time for an event; {}
    without /proc.
    """
    processes = {**{name: node.process for name, node in cluster.nodes.items()}, None: cluster.redis.process}
    jobs = [
        (node.port, number * channels // 2, channels, batch, seconds) for number in range(2) for node in cluster.nodes.values()]
    # Processes, because threads of Python take turns.
    with multiprocessing.get_context("spawn").Pool(len(jobs)) as pool:
        pool.map(abs, range(len(jobs)))
        before = {name: processor_time(process) for name, process in processes.items()}
        begun = time.monotonic()
        total = sum(pool.starmap(publish, jobs, chunksize=1))
        took = time.monotonic() - begun
        after = {name: processor_time(process) for name, process in processes.items()}
    if None in before.values() or not total:
        return total / took, {}
    return total / took, {name: (after[name] - before[name]) * 1e6 / total for name in processes}
