"""The checker on logs that are made up: runs without a fault pass, and each anomaly is found, as often as it is there, and nothing else."""

import collections
import hashlib
import json
import random
import subprocess
import sys

import pytest
from lifeline_harness import TOOLS

sys.path.insert(0, str(TOOLS))
from checker import check  # noqa: E402

SEEDS = range(4)
TRANSITIONS = {
    "": ["connecting"], "connecting": ["connected", "disconnected"], "connected": ["disconnected"], "disconnected": ["connecting"]}


class Run:
    """What three subscribers saw of 400 messages in two channels, without a fault."""

    def __init__(self, seed, count=400, subscribers=3, channels=2):
        self.chance = random.Random(seed)
        self.published, self.received, self.sent = [], [], []
        for number in range(subscribers):
            name = f"s{number}"
            self.received += [
                {"t": 0.1, "sub": name, "ev": "status", "status": "connecting"},
                {"t": 0.2, "sub": name, "ev": "status", "status": "connected"}]
            self.received += [{"t": 0.3, "sub": name, "ev": "subscribed", "ch": f"c{channel}"} for channel in range(channels)]
        sequences, time = collections.Counter(), 1.0
        for _ in range(count):
            time += self.chance.uniform(0.001, 0.02)
            key = f"c{self.chance.randrange(channels)}", f"p{self.chance.randrange(2)}"
            sequences[key] += 1
            digest = hashlib.sha1(f"{key}{sequences[key]}".encode()).hexdigest()[:8]
            message = {"t": round(time, 4), "ch": key[0], "pub": key[1], "seq": sequences[key], "h": digest}
            self.published += [{**message, "ok": None}, {**message, "t": message["t"] + 0.001, "ok": True}]
            self.sent.append(message)
            self.received += [
                {**message, "t": message["t"] + 0.005, "sub": f"s{number}", "ev": "msg"} for number in range(subscribers)]
        self.received.append({"t": time + 10, "sub": "s0", "ev": "gap", "ch": "none", "since": time + 10})
        self.messages = [event for event in self.received if event["ev"] == "msg"]

    def without(self, is_left_out):
        return [event for event in self.received if event["ev"] != "msg" or not is_left_out(event)]

    def replaced(self, old, new):
        return [new if event is old else event for event in self.received]

    def outcome(self, message, ok):
        """The published log with another outcome of one message."""
        return [{**record, "ok": ok} if same(record, message) and record["ok"] is not None else record for record in self.published]


def same(one, other):
    return all(one.get(name) == other[name] for name in ("ch", "pub", "seq"))


def expect(anomalies, published, received, *arguments, **options):
    result = check(published, received, *arguments, **options)
    assert result["anomalies"] == anomalies, result["examples"]
    assert result["verdict"] == ("FAIL" if anomalies else "PASS")
    return result


@pytest.fixture(params=SEEDS)
def run(request):
    return Run(request.param)


def test_clean_lost_twice_damaged_and_invented(run):
    expect({}, run.published, run.received)
    dropped = [id(event) for event in run.chance.sample(run.messages, 4)]
    expect({"lost": 4}, run.published, run.without(lambda event: id(event) in dropped))
    twice = [{**event, "t": event["t"] + 1} for event in run.chance.sample(run.messages, 3)]
    expect({"duplicated": 3}, run.published, run.received + twice)
    one = run.chance.choice(run.messages)
    expect({"corrupted": 1}, run.published, run.replaced(one, {**one, "h": "bad"}))
    invented = {"t": 5, "sub": "s1", "ev": "msg", "ch": "c0", "pub": "p9", "seq": 1}
    expect({"phantom": 1}, run.published, [*run.received, invented])


def test_outcomes_of_publishing(run):
    message = run.chance.choice(run.sent)
    refused = [{**record, "ok": False} if same(record, message) else record for record in run.published]
    expect({"phantom": 3}, refused, run.received)
    # Of which nobody knows the outcome may come, once, or not.
    unknown = [record for record in run.published if not (same(record, message) and record["ok"])]
    expect({}, unknown, run.received)
    expect({}, unknown, run.without(lambda event: same(event, message)))


def test_order_and_lateness(run):
    own = [place for place, event in enumerate(run.received) if event["ev"] == "msg" and (event["sub"], event["ch"]) == ("s0", "c0")]
    first = run.chance.randrange(len(own) - 1)
    swapped = list(run.received)
    swapped[own[first]], swapped[own[first + 1]] = swapped[own[first + 1]], swapped[own[first]]
    expect({"reordered": 1}, run.published, swapped)
    expect({}, run.published, swapped, order="none")
    one = run.chance.choice(run.messages)
    late = run.replaced(one, {**one, "t": one["t"] + 3})
    expect({"late": 1}, run.published, late, order="none")
    expect({}, run.published, late, [{"t0": one["t"] - 1, "t1": one["t"] + 2, "kind": "stall"}], order="none")


def test_subscriptions(run):
    expect({"leak": 1}, run.published, [*run.received, {**run.messages[0], "sub": "sX"}])
    time = run.messages[len(run.messages) // 2]["t"]

    def is_over(event):
        return (event["sub"], event["ch"]) == ("s2", "c0") and event["t"] > time

    left = run.without(is_over)
    place = next(place for place, event in enumerate(left) if event["t"] > time)
    left.insert(place, {"t": time, "sub": "s2", "ev": "unsubscribed", "ch": "c0"})
    expect({}, run.published, left)
    left.insert(place + 1, next(event for event in run.messages if is_over(event)))
    expect({"after_unsub": 1}, run.published, left)


def test_outages(run):
    start = run.messages[len(run.messages) // 2]["t"]
    end = start + 0.5
    seen = run.without(lambda event: event["sub"] == "s1" and start <= event["t"] - 0.005 <= end)
    missing = len(run.received) - len(seen)
    expect({"lost": missing}, run.published, seen)

    def statuses(back):
        times = {"disconnected": end - 0.1, "connecting": end + 0.01, "connected": back}
        return [{"t": time, "sub": "s1", "ev": "status", "status": status} for status, time in times.items()]

    told, fault = seen + statuses(end + 0.02), {"t0": start, "t1": end, "kind": "blackhole", "sub": "s1", "breaks": True}
    result = expect({}, run.published, told, [fault], guarantee="live")
    assert result["declared"] == missing and abs(result["detect_s"]["max"] - 0.4) < 0.02
    expect({"lost": missing}, run.published, told)
    gaps = [{"t": end + 0.02, "sub": "s1", "ev": "gap", "ch": channel, "since": start} for channel in ("c0", "c1")]
    expect({}, run.published, seen + gaps)
    expect({"undetected": 1}, run.published, run.received, [{**fault, "t1": start + 1}])
    expect({"slow_recover": 1}, run.published, seen + statuses(end + 8), [fault], guarantee="live", recover=5)
    expect({"slow_detect": 1}, run.published, told, [{**fault, "t0": start - 0.8}], guarantee="live", detect=1.0, recover=5)


def test_statuses(run):
    def status(name):
        return [*run.received, {"t": 6, "sub": "s0", "ev": "status", "status": name}]

    expect({"repeated_state": 1}, run.published, status("connected"))
    expect({"illegal_transition": 1}, run.published, status("connecting"), transitions=TRANSITIONS)
    expect({}, run.published, run.received, transitions=TRANSITIONS)


@pytest.mark.parametrize("received,code", [
    (lambda run: run.received, 0), (lambda run: run.received[:-300] + run.received[-1:], 1), (lambda run: run.received[:-300], 2),
    (lambda run: [], 2), (None, 2), (lambda run: ["no object"], 2)])
def test_the_program_and_its_exit_status(tmp_path, received, code):
    """2 also when nothing could be judged: a run that delivers nothing proves nothing."""
    run = Run(99)
    (tmp_path / "published").write_text("".join(json.dumps(line) + "\n" for line in run.published))
    if received:
        (tmp_path / "received").write_text("".join(json.dumps(line) + "\n" for line in received(run)))
    done = subprocess.run(
        [sys.executable, str(TOOLS / "checker.py"), "published", "received", "--json", "verdict"], cwd=tmp_path, capture_output=True,
        text=True, timeout=60)
    assert done.returncode == code, done.stdout + done.stderr
    assert done.stdout.startswith({0: "PASS", 1: "FAIL", 2: "BAD INPUT"}[code])
    assert (tmp_path / "verdict").exists() == (code != 2)


def test_a_line_that_is_no_json_is_named(tmp_path):
    (tmp_path / "published").write_text('{"t":1}\n{not json\n')
    done = subprocess.run(
        [sys.executable, str(TOOLS / "checker.py"), "published", "published"], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and "published:2: not JSON" in done.stdout
