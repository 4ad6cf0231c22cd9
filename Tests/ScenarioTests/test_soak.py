"""V1: four WebSocket and four long-poll clients, each behind a fault proxy of its own that misbehaves at random, and the checker's verdict.

`LIFELINE_SOAK_FAULTS` is the number of faults over all clients (40 by default, 500 for the long run), `LIFELINE_SOAK_SEED` replays the
choice of faults of an earlier run, which is printed.
"""

import os
import random
import threading
import time

import pytest
from lifeline_harness import Listener, Proxy, Publisher, Server, tools, verdict, wait_until
from pubnub_scenarios import PubNubListener, PubNubPublisher

FAULTS = int(os.environ.get("LIFELINE_SOAK_FAULTS", "40"))
SEED = int(os.environ.get("LIFELINE_SOAK_SEED") or random.randrange(1 << 32))
CLIENTS = 4
RATE = 100
# An attempt that began in the dark may still run out its 3 s, and the pause after it is at most 3 s.
RECOVER = 8
CHANNEL = "room"


class Patient:
    """A client, its proxy, and what was done to it."""

    def __init__(self, name, listener, proxy, guarantee):
        self.name, self.listener, self.proxy, self.guarantee = name, listener, proxy, guarantee
        self.random = random.Random(f"{SEED}-{name}")
        self.faults, self.problem = [], None

    @property
    def is_polling(self):
        return self.guarantee == "recover"

    def suffer(self, count):
        try:
            for _ in range(count):
                time.sleep(self.random.uniform(0.3, 1.5))
                self.fault()
        except Exception as error:  # Told by the test, which runs on another thread.
            self.problem = error

    def fault(self):
        """One fault, and back to health. `breaks` says that the client has to notice."""
        draw, proxy = self.random, self.proxy
        kind = draw.choice([
            "kill", "kill", "reset", "close", "refuse", "http", "blackhole", "stall", "delay", "fragment", "truncate"])
        # A young poll on a kept connection that breaks without an answer is repeated in silence.
        breaks, lasting = True, draw.uniform(0.3, 1.5)
        before = len(self.listener.statuses)
        t0 = time.monotonic()
        if kind == "kill":
            proxy.kill_links(draw.choice(["rst", "fin"]))
            breaks, lasting = not self.is_polling, 0
        elif kind == "refuse":
            proxy.mode("refuse")
            proxy.kill_links(draw.choice(["rst", "fin"]))
        elif kind == "http":
            proxy.mode("http", status=draw.choice([200, 302, 503, 511]))
        elif kind == "blackhole":
            lasting = draw.uniform(3.8, 5)
            proxy.mode("blackhole")
        elif kind == "stall":
            breaks, lasting = False, draw.uniform(0.2, 1)
            proxy.mode("stall", dir=draw.choice(["both", "down"]))
        elif kind == "delay":
            breaks = False
            proxy.mode("delay", ms=draw.randrange(20, 150))
        elif kind == "fragment":
            breaks = False
            proxy.mode("fragment", size=draw.randrange(20, 200))
        elif kind == "truncate":
            # So many bytes may not come in that time.
            breaks = False
            proxy.mode("truncate", after=draw.randrange(1, 4000), how=draw.choice(["fin", "rst"]), dir="down")
        else:
            proxy.mode(kind)
        time.sleep(lasting)
        t1 = proxy.mode("pass")
        self.faults.append({"t0": t0, "t1": t1, "kind": kind, "breaks": breaks, "sub": self.name})
        wait_until(
            lambda: self.is_well(t1) and (not breaks or len(self.listener.statuses) > before), RECOVER + 4,
            f"{self.name} well again after {kind}, seed {SEED}; {self.listener.statuses[before - 1:]}")

    def is_well(self, since):
        """Whether the client is connected and has had a message from after `since`."""
        for event in reversed(self.listener.events):
            if event["ev"] == "status":
                return False
            if event["ev"] == "msg":
                return event["t"] > since + 0.05
        return False


def test_v1_random_faults(started, tmp_path):
    if tools() is None:
        pytest.skip("fault proxy and checker not found: set LIFELINE_TOOLS to their folder (see CONTRIBUTING.md)")
    print(f"\nLIFELINE_SOAK_SEED={SEED} LIFELINE_SOAK_FAULTS={FAULTS}")
    server = started(Server)
    patients = []
    for kind, guarantee, name in ((Listener, "live", "socket"), (PubNubListener, "recover", "poll")):
        for number in range(CLIENTS):
            proxy = started(Proxy, server.port)
            listener = started(kind, proxy.url, "--channel", CHANNEL, name=f"{name}-{number}")
            patients.append(Patient(f"{name}-{number}", listener, proxy, guarantee))
    for patient in patients:
        patient.listener.wait_subscribed(CHANNEL, timeout=15)
    sources = {"live": Publisher(server, CHANNEL, rate=RATE), "recover": PubNubPublisher(server.port, CHANNEL, rate=RATE)}
    threads = [
        threading.Thread(target=patient.suffer, args=(FAULTS // len(patients),), daemon=True) for patient in patients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    time.sleep(1)
    for source in sources.values():
        source.stop()
    time.sleep(1)
    assert not [patient.problem for patient in patients if patient.problem]
    for patient in patients:
        folder = tmp_path / patient.name
        folder.mkdir()
        result = verdict(
            folder, sources[patient.guarantee], patient.listener, patient.faults, detect=4.5, recover=RECOVER,
            guarantee=patient.guarantee)
        print(
            f"{patient.name}: {result['verdict']}, {len(patient.faults)} faults, {result['delivered']}/{result['expected']} delivered,"
            f" {result['declared']} owned up to, detect {result['detect_s']}, recover {result['recover_s']}")
        assert result["delivered"] > 100, "a run that delivers nothing proves nothing"
