#!/usr/bin/env python3
"""Judges what subscribers received by what was published: two logs of JSON lines, and optionally a log of faults.

Exit status: 0 PASS, 1 FAIL, 2 input that cannot be judged. Needs Python 3.9 or later and nothing else.

published.jsonl: a line before each call, and another one when it has ended; the last line of a number counts:
  {"t":1.25,"ch":"room","pub":"p1","seq":17,"h":"<hash of the payload>","ok":true|false|null}
  ok true: acknowledged, so it must be delivered. false: refused, so it must never appear. null: unknown, so it may appear once.

received.jsonl: what the subscriber's application saw, in the order in which it saw it:
  {"t":1.31,"sub":"s1","ev":"msg","ch":"room","pub":"p1","seq":17,"h":"..."}
  {"t":0.10,"sub":"s1","ev":"subscribed","ch":"room"}              confirmed; again after each resubscription
  {"t":9.90,"sub":"s1","ev":"unsubscribed","ch":"room"}            at the application's wish; no message may follow
  {"t":5.00,"sub":"s1","ev":"status","status":"disconnected"}      each change of the connection's state
  {"t":5.00,"sub":"s1","ev":"gap","ch":"room","since":3.0}         messages published from `since` until now may be missing

faults.jsonl: {"t0":3.0,"t1":8.0,"kind":"blackhole","sub":"s1","breaks":true}; without `sub` it is about every subscriber, and
  `breaks` says that the client has to notice it.

`t` is in seconds of one clock for all (CLOCK_MONOTONIC is the same for all processes of a machine).

Guarantees:
  recover  each acknowledged message that was published during a subscription arrives exactly once, unless a `gap` declares it missing
  live     a message may also be missing when the client reported the outage: published while a status other than connected was
           reported, or at most --detect seconds before

Anomalies: lost, duplicated, reordered, phantom (never published, or refused), corrupted, leak (of a channel that was not subscribed),
  after_unsub, late (more than --late seconds, unless published or delivered during a fault or --recover seconds after it),
  illegal_transition, repeated_state, slow_detect, slow_recover, undetected (a fault that breaks, without a status)
"""

import argparse
import collections
import json
import sys

UP = {"connected", "subscribed", "ready"}
EXAMPLES = 5


class BadInput(Exception):
    pass


def read(path):
    """The objects of a file of JSON lines."""
    objects = []
    with open(path) as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                objects.append(json.loads(line))
            except ValueError:
                raise BadInput(f"{path}:{number}: not JSON") from None
    return objects


def key_of(record):
    return record["ch"], record["pub"], record["seq"]


def quantile(values, part):
    return round(sorted(values)[min(len(values) - 1, int(len(values) * part))], 4) if values else None


class Judge:
    """Checks one subscriber after the other, and counts."""

    def __init__(self, published, faults, guarantee, order, late, detect, recover, settle, transitions):
        self.faults, self.guarantee, self.order, self.transitions = faults, guarantee, order, transitions
        self.late, self.detect, self.recover, self.settle = late, detect, recover, settle
        self.anomalies = collections.defaultdict(list)
        self.latencies, self.detections, self.recoveries = [], [], []
        self.expected = self.delivered = self.declared = self.unjudged = 0
        self.messages = {}
        for place, record in enumerate(published):
            key = key_of(record)
            if key in self.messages:
                self.messages[key].update(record)
            else:
                self.messages[key] = dict(record, place=place, began=record["t"])

    def in_fault(self, time):
        return any(fault["t0"] <= time <= fault["t1"] + self.recover for fault in self.faults)

    def subscriber(self, name, events, end):
        view = View(name, self)
        for event in events:
            view.take(event)
        view.close(end)
        self.completeness(view)
        statuses = [(event["t"], event["status"]) for event in events if event["ev"] == "status"]
        if statuses:
            own = [fault for fault in self.faults if fault.get("sub") in (None, name)]
            for fault in own:
                self.reaction(name, fault, own, statuses)

    def completeness(self, view):
        """Whether all that a subscriber had to get came."""
        for key, message in self.messages.items():
            windows = view.windows.get(key[0], ())
            began, ended = message["began"], message["t"]
            if message.get("ok") is not True or not any(start <= began <= stop for start, stop, _ in windows):
                continue
            if not any(start <= began and ended + slack <= stop for start, stop, slack in windows):
                self.unjudged += 1
                continue
            self.expected += 1
            if view.seen[key]:
                self.delivered += 1
            elif any(start <= began <= stop for start, stop in view.gaps[key[0]]) or (
                    self.guarantee == "live" and any(start - self.detect <= began <= stop for start, stop in view.outages)):
                self.declared += 1
            else:
                self.anomalies["lost"].append((view.name, round(began, 3), key))

    def reaction(self, name, fault, own, statuses):
        """When a subscriber noticed a fault, and when it was well again."""
        kind = fault.get("kind")
        noticed = next((time for time, status in statuses if time >= fault["t0"] and status not in UP), None)
        following = min((other["t0"] for other in own if other["t0"] > fault["t0"]), default=float("inf"))
        # A status after the next fault belongs to that one.
        if noticed is None or noticed > fault["t1"] + self.detect or noticed >= following:
            if fault.get("breaks"):
                self.anomalies["undetected"].append((name, fault["t0"], kind))
            return
        took = noticed - fault["t0"]
        self.detections.append(took)
        if took > self.detect:
            self.anomalies["slow_detect"].append((name, fault["t0"], kind, round(took, 2)))
        back = next((time for time, status in statuses if time >= max(noticed, fault["t1"]) and status in UP), None)
        if back is None and any(status in UP and noticed <= time <= fault["t1"] for time, status in statuses):
            # It was well again before the fault ended.
            back = fault["t1"]
        if back is None or back - fault["t1"] > self.recover:
            took = None if back is None else round(back - fault["t1"], 2)
            self.anomalies["slow_recover"].append((name, fault["t0"], kind, took))
        if back is not None:
            self.recoveries.append(max(0.0, back - fault["t1"]))

    def result(self, subscribers):
        outcomes = [message.get("ok") for message in self.messages.values()]
        return {
            "verdict": "FAIL" if self.anomalies else "PASS", "published": len(outcomes), "acked": outcomes.count(True),
            "indeterminate": outcomes.count(None), "subscribers": subscribers, "expected": self.expected,
            "delivered": self.delivered, "declared": self.declared, "unjudged": self.unjudged,
            "anomalies": {kind: len(examples) for kind, examples in sorted(self.anomalies.items())},
            "latency_s": {
                "p50": quantile(self.latencies, 0.5), "p99": quantile(self.latencies, 0.99), "max": quantile(self.latencies, 1)},
            "detect_s": {"p50": quantile(self.detections, 0.5), "max": quantile(self.detections, 1)},
            "recover_s": {"p50": quantile(self.recoveries, 0.5), "max": quantile(self.recoveries, 1)},
            "examples": {kind: examples[:EXAMPLES] for kind, examples in sorted(self.anomalies.items())}}


class View:
    """What one subscriber saw: when it was subscribed to what, its outages, its gaps and its messages."""

    def __init__(self, name, judge):
        self.name, self.judge = name, judge
        # Per channel: start, end, and how long before the end a message counts as in flight.
        self.windows, self.gaps = collections.defaultdict(list), collections.defaultdict(list)
        self.since, self.outages, self.seen, self.last = {}, [], collections.Counter(), {}
        self.state = self.down_since = None

    def anomaly(self, kind, time, *details):
        self.judge.anomalies[kind].append((self.name, time, *details))

    def take(self, event):
        kind, time = event["ev"], event["t"]
        if kind == "subscribed":
            self.since.setdefault(event["ch"], time)
        elif kind == "unsubscribed":
            if event["ch"] in self.since:
                self.windows[event["ch"]].append((self.since.pop(event["ch"]), time, self.judge.late))
        elif kind == "gap":
            self.gaps[event["ch"]].append((event.get("since", 0.0), time))
        elif kind == "status":
            self.status(event["status"], time)
        elif kind == "msg":
            self.message(event, time)

    def status(self, status, time):
        transitions = self.judge.transitions
        if status == self.state:
            self.anomaly("repeated_state", time, status)
        elif transitions is not None and status not in transitions.get(self.state or "", transitions.get("*", [])):
            self.anomaly("illegal_transition", time, f"{self.state}->{status}")
        if status not in UP and self.down_since is None and self.state is not None:
            self.down_since = time
        if status in UP and self.down_since is not None:
            self.outages.append((self.down_since, time))
            self.down_since = None
        self.state = status

    def message(self, event, time):
        judge, key = self.judge, key_of(event)
        if event["ch"] not in self.since:
            self.anomaly("after_unsub" if self.windows.get(event["ch"]) else "leak", time, key)
        message = judge.messages.get(key)
        if message is None or message.get("ok") is False:
            return self.anomaly("phantom", time, key)
        self.seen[key] += 1
        if self.seen[key] > 1:
            return self.anomaly("duplicated", time, key)
        if "h" in message and "h" in event and message["h"] != event["h"]:
            self.anomaly("corrupted", time, key)
        if judge.order != "none":
            by_channel = judge.order == "channel"
            line = (event["ch"],) if by_channel else (event["ch"], event["pub"])
            place = message["place"] if by_channel else event["seq"]
            if place < self.last.get(line, -1):
                self.anomaly("reordered", time, key)
            self.last[line] = max(self.last.get(line, -1), place)
        latency = time - message["began"]
        judge.latencies.append(latency)
        if latency > judge.late and not (judge.in_fault(message["began"]) or judge.in_fault(time)):
            self.anomaly("late", time, key, round(latency, 3))

    def close(self, end):
        for channel, start in self.since.items():
            self.windows[channel].append((start, end, self.judge.settle))
        if self.down_since is not None:
            self.outages.append((self.down_since, end))


def check(published, received, faults=(), guarantee="recover", order="channel", late=2.0, detect=10.0, recover=10.0, settle=5.0,
          transitions=None):
    """The verdict as a dictionary. Times are in seconds, `settle` is how long before the end nothing is judged."""
    judge = Judge(published, faults, guarantee, order, late, detect, recover, settle, transitions)
    subscribers = collections.defaultdict(list)
    for event in received:
        subscribers[event["sub"]].append(event)
    end = max([record["t"] for record in [*published, *received]], default=0.0)
    for name, events in subscribers.items():
        judge.subscriber(name, events, end)
    return judge.result(len(subscribers))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("published")
    parser.add_argument("received")
    parser.add_argument("--faults")
    parser.add_argument("--guarantee", choices=["recover", "live"], default="recover")
    parser.add_argument("--order", choices=["channel", "publisher", "none"], default="channel")
    parser.add_argument("--late", type=float, default=2.0, help="seconds")
    parser.add_argument("--detect", type=float, default=10.0, help="seconds")
    parser.add_argument("--recover", type=float, default=10.0, help="seconds")
    parser.add_argument("--settle", type=float, default=5.0, help="seconds before the end in which nothing is judged")
    parser.add_argument("--transitions", help="a JSON file: from each status those that may follow; the key \"\" is for the first one")
    parser.add_argument("--json", help="a file for the verdict")
    return parser.parse_args()


def main():
    options = arguments()
    try:
        transitions = None
        if options.transitions:
            with open(options.transitions) as file:
                transitions = json.load(file)
        result = check(
            read(options.published), read(options.received), read(options.faults) if options.faults else (), options.guarantee,
            options.order, options.late, options.detect, options.recover, options.settle, transitions)
        if not result["expected"]:
            raise BadInput("no acknowledged message was published during a subscription, so there is nothing to judge")
    except (BadInput, OSError, ValueError, KeyError, TypeError) as error:
        print(f"BAD INPUT {type(error).__name__}: {error}")
        return 2
    if options.json:
        with open(options.json, "w") as file:
            json.dump(result, file, indent=1)
    print(
        f"{result['verdict']}: {result['published']} published, {result['acked']} acknowledged, {result['indeterminate']} unknown; "
        f"{result['subscribers']} subscribers; {result['delivered']}/{result['expected']} delivered, {result['declared']} declared "
        f"missing, {result['unjudged']} too close to an end to judge; latency {result['latency_s']}; detect {result['detect_s']}; "
        f"recover {result['recover_s']}")
    for kind, count in result["anomalies"].items():
        print(f"  {kind}: {count}   e.g. " + "; ".join(map(str, result["examples"][kind][:3])))
    return 0 if result["verdict"] == "PASS" else 1


if __name__ == "__main__":
    sys.exit(main())
