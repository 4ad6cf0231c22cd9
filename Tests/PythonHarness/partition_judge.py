"""Channels of one Pusher application in all partitions of a cluster, and a judge of what their clients saw."""

import http.client

from cluster_judge import NumberPublisher, numbers, problems
from lifeline_harness import APP_ID, Listener, wait_until

MASK = (1 << 64) - 1


def stable_hash(*texts):
    """The hash of CR-51, of texts with a zero byte between them."""
    value = 0xCBF29CE484222325
    for byte in b"\0".join(text.encode() for text in texts):
        value = ((value ^ byte) * 0x100000001B3) & MASK
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        value = ((value ^ (value >> 33)) * factor) & MASK
    return value ^ (value >> 33)


def partition_of(channel, count, application=APP_ID):
    """The partition of a Pusher channel (CR-80)."""
    return stable_hash("1", application, channel) % count


def channels_of(count, prefix="spread"):
    """For each partition a channel in it."""
    found, number = {}, 0
    while len(found) < count:
        name = f"{prefix}-{number}"
        found.setdefault(partition_of(name, count), name)
        number += 1
    return [found[partition] for partition in range(count)]


def led(port, count):
    """The partitions that a server leads, by its metrics."""
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        link.request("GET", "/metrics")
        lines = link.getresponse().read().decode().splitlines()
    finally:
        link.close()
    return {number for number in range(count) if f'lifeline_cluster_leading{{partition="{number}"}} 1' in lines}


def shares(cluster, count):
    """The partitions that each server leads."""
    return {name: led(node.port, count) for name, node in cluster.nodes.items()}


def are_led(cluster, count):
    """Whether every partition has one leader."""
    return sorted(number for numbers in shares(cluster, count).values() for number in numbers) == list(range(count))


def are_spread(cluster, count):
    """Whether every partition has one leader, and servers lead equally many."""
    sizes = [len(numbers) for numbers in shares(cluster, count).values()]
    return sum(sizes) == count and max(sizes) - min(sizes) <= 1 and are_led(cluster, count)


class ChannelView:
    """What a client saw of one of its channels."""

    def __init__(self, listener, channel):
        self.listener, self.channel = listener, channel

    @property
    def events(self):
        return [event for event in self.listener.events if event.get("ch") == self.channel]

    def of(self, kind):
        return [event for event in self.events if event["ev"] == kind]


class PartitionWatch:
    """For each partition a client with two channels: one that is published to alone, and one that is published to together with those of
    all other partitions."""

    def __init__(self, cluster, count):
        port = cluster.balancer.port
        alone, together = channels_of(count, "alone"), channels_of(count, "together")
        self.listeners, self.publishers, self.views = [], [], []
        try:
            for names in zip(alone, together):
                options = [word for name in names for word in ("--channel", name)]
                self.listeners.append(Listener(cluster.balancer.url, *options, name=names[0]))
            for listener, *names in zip(self.listeners, alone, together):
                for name in names:
                    listener.wait_subscribed(name)
            self.publishers = [NumberPublisher("pusher", port, [name]) for name in alone]
            self.publishers.append(NumberPublisher("pusher", port, together))
            for index, listener in enumerate(self.listeners):
                self.views.append((ChannelView(listener, alone[index]), self.publishers[index]))
                self.views.append((ChannelView(listener, together[index]), self.publishers[-1]))
            for publisher in self.publishers:
                publisher.start()
            self.flows()
        except BaseException:
            self.kill()
            raise

    def flows(self, timeout=60):
        """Waits until events of all partitions are accepted, and every client sees what is accepted from here on."""
        for publisher in self.publishers:
            publisher.wait_accepted(timeout=timeout)
        for view, publisher in self.views:
            mark = publisher.accepted[-1]
            wait_until(
                lambda: any(number >= mark for number in numbers(view)[-100:]), timeout,
                lambda: f"{view.channel} to see {mark}: {numbers(view)[-3:]}, {view.listener.statuses[-4:]}")

    @property
    def gaps(self):
        """How many gaps were declared."""
        return sum(len(listener.of("gap")) for listener in self.listeners)

    def judge(self):
        """Ends the publishers, and fails if anything was lost without a word, doubled or out of order in its channel."""
        for publisher in self.publishers:
            publisher.stopping.set()
        for publisher in self.publishers:
            publisher.join(25)
        found = {}
        for view, publisher in self.views:
            try:
                wait_until(lambda: numbers(view)[-1] >= publisher.accepted[-1], 20, "the end")
            except AssertionError:
                pass  # The judgement says what is missing.
            wrong = problems(view, publisher)
            if wrong:
                found[view.channel] = wrong[:5]
        accepted = sum(len(publisher.accepted) for publisher in self.publishers)
        print(f"accepted: {accepted}, of {sum(len(publisher.outcomes) for publisher in self.publishers)}; gaps declared: {self.gaps}")
        assert not found, found

    def kill(self):
        """For the fixture that ends what was started."""
        for publisher in self.publishers:
            publisher.stopping.set()
        for listener in self.listeners:
            listener.kill()
