"""Numbers that clients of the three services get through a cluster's balancer, and a judge of what they saw."""

import hashlib
import http.client
import json
import random
import string
import threading
import time

from lifeline_harness import Listener, rest, wait_until

SERVICES = ("pusher", "pubnub", "nexconn")
CHANNEL = "judged"
PACE = 0.05


def chat_call(port, path, body):
    """A signed call of chat's server API on a connection of its own: status and text."""
    nonce, stamp = "".join(random.choices(string.ascii_letters, k=16)), str(int(time.time() * 1000))
    signature = hashlib.sha1(("app-secret" + nonce + stamp).encode()).hexdigest()
    return request(port, "POST", "/v4/" + path, json.dumps(body), {
        "App-Key": "app-key", "Nonce": nonce, "Timestamp": stamp, "Content-Type": "application/json", "Signature": signature})


def request(port, method, path, body=None, headers=None, timeout=10):
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    try:
        link.request(method, path, body, headers or {})
        answer = link.getresponse()
        return answer.status, answer.read().decode()
    finally:
        link.close()


def publish(service, port, number, channels=(CHANNEL,)):
    """Publishes a number, to other channels for Pusher only: status and text."""
    if service == "pusher":
        return rest(port, "POST", "/apps/1001/events", {"name": "n", "channels": list(channels), "data": str(number)})
    if service == "pubnub":
        return request(port, "GET", f"/publish/demo/demo/0/{CHANNEL}/0/{number}?uuid=publisher")
    return chat_call(port, "group-channel/message/send", {
        "fromUserId": "publisher", "toGroupIds": [CHANNEL], "messageType": "RC:TxtMsg",
        "content": json.dumps({"content": str(number)})})


def outcome(status, text):
    """True when it was accepted, False when nothing was done, None when nobody knows."""
    if status == 200:
        return '"code":' not in text.replace('"code":0', "")
    return False if status == 503 and "nothing was done" in text else None


class NumberPublisher(threading.Thread):
    """Publishes 1, 2, 3 … one after the other."""

    def __init__(self, service, port, channels=(CHANNEL,)):
        super().__init__(daemon=True)
        self.service, self.port, self.channels, self.outcomes = service, port, channels, {}
        self.stopping = threading.Event()

    def run(self):
        number = 0
        while not self.stopping.wait(PACE):
            number += 1
            try:
                self.outcomes[number] = outcome(*publish(self.service, self.port, number, self.channels))
            except (OSError, http.client.HTTPException):
                self.outcomes[number] = None

    @property
    def accepted(self):
        return [number for number, how in self.outcomes.copy().items() if how is True]

    def wait_accepted(self, count=5, timeout=30):
        """Waits for so many more that are accepted."""
        before = len(self.accepted)
        wait_until(lambda: len(self.accepted) >= before + count, timeout, f"{self.service} to be accepted again")


def numbers(listener):
    return [number_of(event) for event in listener.of("msg")]


def number_of(event):
    data = event["data"]
    return int(data["content"] if isinstance(data, dict) else data)


def problems(listener, publisher, is_late=False):
    """What is wrong with what a client saw: lost without a word, twice, out of order, or never accepted.

    With `is_late` a loss may also be declared later: who is with an old master that is cut off cannot be known before it is back.
    """
    found, seen, last, is_declared = [], set(), 0, False
    open_losses = []
    accepted = publisher.accepted
    known = set(accepted)
    for event in listener.events:
        if event["ev"] == "gap":
            is_declared = True
            open_losses = []
        if event["ev"] != "msg":
            continue
        number = number_of(event)
        if number in seen:
            found.append(f"{number} twice")
        if publisher.outcomes.get(number) is False:
            found.append(f"{number} was refused and came")
        if number in known:
            if number < last:
                found.append(f"{number} after {last}")
            missing = [other for other in known if last < other < number and other not in seen]
            if missing and seen and not is_declared:
                open_losses.append(f"{sorted(missing)} lost between {last} and {number}")
                if not is_late:
                    found += open_losses
            # What nobody answered may have been done late.
            last, is_declared = max(last, number), False
        seen.add(number)
    if accepted and last < accepted[-1] and not is_declared:
        found.append(f"the last one seen is {last} of {accepted[-1]}")
    return found + open_losses if is_late else found


class Watch:
    """One client and one publisher of each service, through the balancer."""

    def __init__(self, cluster, clients=1):
        self.cluster, self.listeners, self.publishers = cluster, [], {}
        port = cluster.balancer.port
        users = [f"nexconn-{index}" for index in range(clients)]
        for user in ["publisher", *users]:
            chat_call(port, "auth/access-token/issue", {"userId": user, "name": user, "avatarUrl": ""})
        status, text = chat_call(port, "group-channel/create", {
            "groupId": CHANNEL, "groupName": CHANNEL, "userId": "publisher", "memberUserIds": users})
        assert status == 200 and json.loads(text)["code"] == 0, text
        try:
            self._begin(clients)
        except BaseException:
            self.kill()
            raise

    def _begin(self, clients):
        for service in SERVICES:
            channel = "group:" + CHANNEL if service == "nexconn" else CHANNEL
            key, secret = ("demo", None) if service == "pubnub" else ("app-key", "app-secret")
            for index in range(clients):
                name = f"{service}-{index}"
                options = ("--user", name) if service == "nexconn" else ()
                self.listeners.append((service, Listener(
                    self.cluster.balancer.url, "--channel", channel, *options, service=service, name=name, key=key,
                    secret=secret)))
        for service, listener in self.listeners:
            listener.wait_subscribed("group:" + CHANNEL if service == "nexconn" else CHANNEL)
        for service in SERVICES:
            self.publishers[service] = NumberPublisher(service, self.cluster.balancer.port)
            self.publishers[service].start()
        self.flows()

    def flows(self, timeout=40):
        """Waits until every service accepts, and every client sees what is accepted from here on."""
        for publisher in self.publishers.values():
            publisher.wait_accepted(timeout=timeout)
        marks = {service: publisher.accepted[-1] for service, publisher in self.publishers.items()}
        for service, listener in self.listeners:
            wait_until(
                lambda: any(number >= marks[service] for number in numbers(listener)[-100:]), timeout,
                lambda: f"{service} to see {marks[service]}: {numbers(listener)[-3:]}, {listener.statuses[-4:]}")

    def gaps(self, service):
        return sum(len(listener.of("gap")) for kind, listener in self.listeners if kind == service)

    @property
    def all_gaps(self):
        """How many gaps were declared, by service."""
        return {service: self.gaps(service) for service in SERVICES}

    def judge(self, is_late=False):
        """Ends the publishers, and fails if anything was lost without a word, doubled or out of order.

        `is_late` is that of `problems`.
        """
        for publisher in self.publishers.values():
            publisher.stopping.set()
        for publisher in self.publishers.values():
            publisher.join(15)
        found = {}
        for service, listener in self.listeners:
            publisher = self.publishers[service]
            try:
                wait_until(lambda: numbers(listener)[-1] >= publisher.accepted[-1], 20, "the end")
            except AssertionError:
                pass  # The judgement says what is missing.
            found.setdefault(service, []).extend(problems(listener, publisher, is_late))
        print(f"gaps declared: {self.all_gaps}, accepted: {[len(publisher.accepted) for publisher in self.publishers.values()]}")
        assert not any(found.values()), found

    def kill(self):
        """For the fixture that ends what was started."""
        for publisher in self.publishers.values():
            publisher.stopping.set()
        for _, listener in self.listeners:
            listener.kill()
