#!/usr/bin/env python3
"""One Pusher application on three servers: what each server spends on publishing with one leader and with six partitions, and which
channels pause when a server that leads some of them is killed.

The second part of `make demo-cluster`. Everything runs on loopback and ends by itself, within a minute.
"""

import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Tests" / "PythonHarness"))
from cluster_harness import Cluster, redis_program  # noqa: E402
from cluster_judge import NumberPublisher  # noqa: E402
from lifeline_harness import wait_until  # noqa: E402
from partition_judge import are_led, are_spread, channels_of, led  # noqa: E402
from partition_load import measure  # noqa: E402

START = time.monotonic()
PARTITIONS = 6
CHANNELS = 60
SECONDS = 4
# The largest share of the processor time that one of three servers takes when they all lead, and the longest pause, in seconds, of
# channels whose leader lives. Both leave room for a busy machine.
SHARE, PAUSE = 0.5, 1.5


def tell(text):
    print(f"{time.monotonic() - START:6.1f} s  {text}", flush=True)


def servers(spent):
    """The microseconds of the servers, without those of Redis."""
    return {name: time for name, time in spent.items() if name}


def describe(rate, spent):
    if not spent:
        return f"{rate:.0f} events a second"
    total = sum(spent.values()) or 1
    return f"{rate:.0f} events a second; processor time of the servers for each event: " + ", ".join(
        f"{name} {time:.0f} µs ({time / total:.0%})" for name, time in spent.items())


class Pulse(NumberPublisher):
    """Publishes to the channel of one partition and keeps when that was accepted."""

    def __init__(self, port, channel):
        super().__init__("pusher", port, [channel])
        self.times = []

    def run(self):
        watcher = threading.Thread(target=self.note, daemon=True)
        watcher.start()
        super().run()

    def note(self):
        known = 0
        while not self.stopping.wait(0.01):
            count = len(self.accepted)
            if count > known:
                known = count
                self.times.append(time.monotonic())

    def pause(self, since):
        """The longest time without an accepted event since then."""
        times = [since] + [time for time in self.times if time > since]
        return max((later - earlier for earlier, later in zip(times, times[1:])), default=0)


def kill_a_leader(cluster):
    """Kills a server that leads; whether only its channels paused."""
    victim = sorted(cluster.nodes)[0]
    lost = led(cluster.nodes[victim].port, PARTITIONS)
    others = [node.port for name, node in cluster.nodes.items() if name != victim]
    pulses = [Pulse(others[number % 2], name) for number, name in enumerate(channels_of(PARTITIONS))]
    for pulse in pulses:
        pulse.start()
    for pulse in pulses:
        pulse.wait_accepted()
    tell(f"kill -9 {victim}, which leads {len(lost)} of {PARTITIONS} partitions")
    since = time.monotonic()
    cluster.kill(victim)
    wait_until(lambda: are_led(cluster, PARTITIONS), 30, "others to lead")
    for pulse in pulses:
        pulse.wait_accepted(10)
    for pulse in pulses:
        pulse.stopping.set()
    for pulse in pulses:
        pulse.join(15)
    pauses = [pulse.pause(since) for pulse in pulses]
    stopped = max((pause for number, pause in enumerate(pauses) if number in lost), default=0)
    went_on = max((pause for number, pause in enumerate(pauses) if number not in lost), default=0)
    tell(f"channels of its partitions paused for {stopped:.1f} s, those of the other {PARTITIONS - len(lost)} for {went_on:.1f} s")
    return went_on < PAUSE


def main():
    if redis_program() is None:
        print("demo-partitions: no redis-server found: run Scripts/setup.sh test, or install Redis 7 or Valkey.", file=sys.stderr)
        return 1
    tell("starting Redis and the servers a, b and c, without partitions: one of them leads")
    cluster = Cluster()
    try:
        rate, spent = measure(cluster, CHANNELS, SECONDS)
        one = servers(spent)
        tell(f"one application, {CHANNELS} channels: {describe(rate, one)}")
    finally:
        cluster.end()
    tell(f"starting them again, with {PARTITIONS} partitions: each of them leads some")
    cluster = Cluster(options=("--partitions", str(PARTITIONS)))
    try:
        wait_until(lambda: are_spread(cluster, PARTITIONS), 60, "leaders to be spread")
        tell("each leads two partitions")
        rate, spent = measure(cluster, CHANNELS, SECONDS)
        several = servers(spent)
        tell(f"one application, {CHANNELS} channels: {describe(rate, several)}")
        is_fine = True
        if one and several and max(several.values()):
            grows, share = max(one.values()) / max(several.values()), max(several.values()) / sum(several.values())
            tell(f"the busiest server spends {share:.0%} of the time; on machines of their own, the three take {grows:.1f} times as many "
                 "events as with one leader")
            is_fine = share <= SHARE
        is_fine = kill_a_leader(cluster) and is_fine
        print("Publishing grows with the servers." if is_fine else "Publishing does not grow as it should.")
        return 0 if is_fine else 1
    finally:
        cluster.end()


if __name__ == "__main__":
    sys.exit(main())
