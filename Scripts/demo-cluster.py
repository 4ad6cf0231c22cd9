#!/usr/bin/env python3
"""Three servers on one Redis behind a balancer, with clients of the three services, while servers and Redis are killed and frozen.

Prints what is done and adds up what every client saw: a message that was accepted and is neither seen nor declared missing is an error, and so
is one that is seen twice or in another order. Everything runs on loopback and ends by itself, within two minutes.
"""

import hashlib
import http.client
import json
import random
import string
import sys
import threading
import time
import urllib.parse
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Tests" / "PythonHarness"))
from cluster_harness import Cluster, redis_program  # noqa: E402
from lifeline_harness import Listener, rest, wait_until  # noqa: E402

START = time.monotonic()
CHANNEL = "demo"
PACE = 0.1


def tell(text):
    print(f"{time.monotonic() - START:6.1f} s  {text}", flush=True)


def chat_headers():
    nonce = "".join(random.choices(string.ascii_letters, k=16))
    stamp = str(int(time.time() * 1000))
    return {"App-Key": "app-key", "Nonce": nonce, "Timestamp": stamp, "Content-Type": "application/json",
            "Signature": hashlib.sha1(("app-secret" + nonce + stamp).encode()).hexdigest()}


def call_chat(port, path, body):
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    link.request("POST", "/v4/" + path, json.dumps(body), chat_headers())
    answer = link.getresponse()
    return answer.status, answer.read().decode()


def make_group(port, users):
    """The group in which chat's messages are sent, so that everybody has an inbox for what was missed."""
    for user in users:
        call_chat(port, "auth/access-token/issue", {"userId": user, "name": user, "avatarUrl": ""})
    status, text = call_chat(port, "group-channel/create", {
        "groupId": CHANNEL, "groupName": CHANNEL, "userId": users[0], "memberUserIds": users[1:]})
    assert status == 200 and json.loads(text)["code"] == 0, text


class Publisher(threading.Thread):
    """Publishes numbers through the balancer; each is accepted, refused, or nobody knows."""

    def __init__(self, service, port):
        super().__init__(daemon=True)
        self.service, self.port = service, port
        self.accepted, self.unknown, self.refused = [], [], 0
        self.stopping = threading.Event()

    def run(self):
        number = 0
        while not self.stopping.wait(PACE):
            number += 1
            try:
                status, text = self.publish(number)
            except (OSError, http.client.HTTPException):
                status, text = None, ""
            if status == 200 and '"code":' not in text.replace('"code":0', ""):
                self.accepted.append(number)
            elif status == 503 and "nothing was done" in text:
                self.refused += 1
            else:
                self.unknown.append(number)

    def publish(self, number):
        if self.service == "pusher":
            return rest(self.port, "POST", "/apps/1001/events", {"name": "n", "channels": [CHANNEL], "data": str(number)})
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        if self.service == "pubnub":
            link.request("GET", f"/publish/demo/demo/0/{CHANNEL}/0/{number}?uuid=publisher")
        else:
            return call_chat(self.port, "group-channel/message/send", {
                "fromUserId": "publisher", "toGroupIds": [CHANNEL], "messageType": "RC:TxtMsg",
                "content": json.dumps({"content": str(number)})})
        answer = link.getresponse()
        return answer.status, answer.read().decode()


def number_of(event):
    data = event["data"]
    return int(data["content"] if isinstance(data, dict) else data)


def judge(listener, publisher):
    """What a client saw, and what is wrong with it."""
    seen, gaps, problems = [], 0, []
    known = set(publisher.accepted)
    last = 0
    isDeclared = False
    for event in listener.events:
        if event["ev"] == "gap":
            gaps += 1
            isDeclared = True
        if event["ev"] == "msg":
            number = number_of(event)
            if number in seen:
                problems.append(f"{number} twice")
            elif number < last and number in known:
                problems.append(f"{number} after {last}")
            missing = [n for n in known if last < n < number]
            if missing and seen and not isDeclared:
                problems.append(f"{missing} missing and not declared")
            seen.append(number)
            # What nobody answered may have been done late.
            if number in known:
                last, isDeclared = max(last, number), False
    return seen, gaps, problems


def main():
    if redis_program() is None:
        print("demo-cluster: no redis-server found: run Scripts/setup.sh test, or install Redis 7 or Valkey.", file=sys.stderr)
        return 1
    tell("starting Redis and the servers a, b and c")
    cluster = Cluster()
    listeners, publishers = {}, {}
    try:
        tell(f"{cluster.leader()} leads; {cluster.balancer.url} spreads clients over all three")
        make_group(cluster.balancer.port, ["publisher", "nexconn-0", "nexconn-1", "nexconn-2"])
        for service in ("pusher", "pubnub", "nexconn"):
            channel = "group:" + CHANNEL if service == "nexconn" else CHANNEL
            for index in range(3):
                listeners[service, index] = Listener(
                    cluster.balancer.url, "--channel", channel, service=service, name=f"{service}-{index}",
                    key="demo" if service == "pubnub" else "app-key", secret=None if service == "pubnub" else "app-secret")
        for (service, _), listener in listeners.items():
            listener.wait_subscribed("group:" + CHANNEL if service == "nexconn" else CHANNEL)
        tell("nine clients are subscribed: three each of Pusher, PubNub and chat")
        for service in ("pusher", "pubnub", "nexconn"):
            publishers[service] = Publisher(service, cluster.balancer.port)
            publishers[service].start()
        time.sleep(3)

        leader = cluster.leader()
        tell(f"kill -9 {leader}, which leads")
        cluster.kill(leader)
        successor = wait_until(cluster.leader, 20, "another leader")
        tell(f"{successor} leads")
        time.sleep(3)
        tell(f"{leader} starts again")
        cluster.begin(leader)
        wait_until(lambda: len(cluster.balancer.healthy) == 3, 30, "three servers")

        sleeper = next(name for name in cluster.nodes if name != cluster.leader())
        tell(f"{sleeper} is stopped for 13 s, longer than the others wait for it")
        cluster.freeze(sleeper, True)
        time.sleep(13)
        cluster.freeze(sleeper, False)
        wait_until(lambda: len(cluster.balancer.healthy) == 3, 30, "three servers")
        tell(f"{sleeper} is back")

        tell("kill -9 Redis, and start it again after a second")
        cluster.redis.kill()
        time.sleep(1)
        cluster.redis.start()
        wait_until(lambda: len(cluster.balancer.healthy) == 3, 30, "three servers")
        tell("all three servers are ready again")
        time.sleep(3)

        last = cluster.leader()
        tell(f"{last}, which leads, is stopped in order")
        cluster.kill(last, how=15)
        successor = wait_until(cluster.leader, 20, "another leader")
        tell(f"{successor} leads")
        time.sleep(4)
        for publisher in publishers.values():
            publisher.stopping.set()
        for publisher in publishers.values():
            publisher.join(15)
        time.sleep(4)

        print()
        isFine = True
        for (service, index), listener in listeners.items():
            publisher = publishers[service]
            seen, gaps, problems = judge(listener, publisher)
            isFine = isFine and not problems and bool(seen) and seen[-1] >= publisher.accepted[-1]
            print(
                f"{service}-{index}: {len(set(seen) & set(publisher.accepted))} of {len(publisher.accepted)} accepted messages seen, "
                f"{gaps} gaps declared" + (f"; WRONG: {problems[:3]}" if problems else ""))
            if seen and seen[-1] < publisher.accepted[-1]:
                print(f"    WRONG: the last one was {seen[-1]} of {publisher.accepted[-1]}; {listener.statuses[-4:]}")
        for service, publisher in publishers.items():
            print(f"{service}: {len(publisher.accepted)} accepted, {publisher.refused} refused, {len(publisher.unknown)} of unknown fate")
        print("It adds up." if isFine else "It does not add up.")
        return 0 if isFine else 1
    finally:
        for listener in listeners.values():
            listener.kill()
        cluster.end()


if __name__ == "__main__":
    sys.exit(main())
