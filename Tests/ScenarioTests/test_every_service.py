"""Scenarios S04, S05, S09, S19 and S23, which take their time, for clients of all three services at once.

The fast profile tests a link on which nothing is heard for 2 s, and the test may take 1 s. Nothing is lost in an
outage, over Pusher because the server replays it (RV-33): the checker is asked for `recover`.
"""

import signal
import time

import pytest
from lifeline_harness import AT_ONCE, DETECT, GRACE, RECOVER, Listener, Publisher, verdict, wait_until
from chat_scenarios import ChatListener, ChatPublisher
from pubnub_scenarios import PubNubListener, PubNubPublisher
from test_faults import retried


class Subject:
    """A client of one service behind a proxy of its own, and who publishes to it."""

    def __init__(self, started, server, proxy, service, rate):
        kind = {"pusher": Listener, "pubnub": PubNubListener, "nexconn": ChatListener}[service]
        self.service, self.proxy, self.channel = service, proxy, "direct:p1" if service == "nexconn" else "room"
        self.listener = started(kind, proxy.url, "--channel", self.channel)
        self.listener.wait_subscribed(self.channel)
        assert self.statuses == ["connecting", "connected"]
        if service == "pusher":
            self.source = Publisher(server, self.channel, rate=rate)
        elif service == "pubnub":
            self.source = PubNubPublisher(server.port, self.channel, rate=rate)
        else:
            self.source = ChatPublisher(server.port, "direct", "s1", self.channel, rate=rate).start()

    @property
    def statuses(self):
        return self.listener.statuses

    def has_heard(self, count):
        self.listener.wait_messages(len(self.listener.of("msg")) + count)

    def recovered(self):
        return self.listener.wait_subscribed(self.channel, 2)[0]

    def settle(self, count=5):
        """So many messages more, and all of them."""
        self.has_heard(count)
        self.source.stop()
        wait_until(
            lambda: self.listener.of("msg")[-1]["data"]["seq"] == self.source.sequence, 30, f"{self.service}'s last message")

    def judge(self, tmp_path, t0, t1, kind, recover):
        folder = tmp_path / self.service
        folder.mkdir()
        result = verdict(
            folder, self.source, self.listener, [{"t0": t0, "t1": t1, "kind": kind, "breaks": True}], recover=recover,
            guarantee="recover")
        assert result["declared"] == 0 and not self.listener.of("gap")
        if self.service == "nexconn":
            assert [e["data"]["seq"] for e in self.listener.of("msg")] == list(range(1, self.source.sequence + 1))


@pytest.fixture
def subjects(started, server, proxies):
    def start(rate):
        return [Subject(started, server, proxies(server.port), service, rate) for service in ("pusher", "pubnub", "nexconn")]

    return start


def test_s04_s19_half_open(subjects, tmp_path):
    patients = subjects(rate=5)
    for patient in patients:
        patient.has_heard(5)
    t0 = {patient: patient.proxy.mode("blackhole") for patient in patients}
    for patient in patients:
        lost = patient.listener.wait_status("reconnecting")
        assert lost["t"] - t0[patient] <= DETECT, patient.service
        assert lost["category"] == "timeout", patient.service
        assert lost["vendor"] == {
            "pusher": lost["vendor"], "pubnub": "PNUnexpectedDisconnectCategory", "nexconn": "suspend 13"}[patient.service]
    time.sleep(max(0, max(t0.values()) + 10 - time.monotonic()))
    t1 = {patient: patient.proxy.mode("pass") for patient in patients}
    for patient in patients:
        # An attempt that began in the dark may still run out its 3 s before the next one.
        assert patient.recovered()["t"] - t1[patient] <= 3 + RECOVER, patient.service
        patient.settle()
        assert retried(patient.statuses[2:]), patient.service
        # 50 messages in 10 s: fewer than any service remembers.
        patient.judge(tmp_path, t0[patient], t1[patient], "blackhole", 3 + RECOVER)


def test_s05_server_frozen(subjects, server):
    patients = subjects(rate=5)
    for patient in patients:
        patient.has_heard(5)
        # Whoever publishes would wait for the frozen server, and its own timeouts are not what this is about.
        patient.source.stop()
    t0 = time.monotonic()
    server.process.send_signal(signal.SIGSTOP)
    try:
        for patient in patients:
            lost = patient.listener.wait_status("reconnecting")
            assert lost["t"] - t0 <= DETECT, patient.service
            assert lost["category"] == "timeout", patient.service
        time.sleep(max(0, t0 + 10 - time.monotonic()))
    finally:
        server.process.send_signal(signal.SIGCONT)
    t1 = time.monotonic()
    for patient in patients:
        assert patient.recovered()["t"] - t1 <= 3 + RECOVER, patient.service
        assert retried(patient.statuses[2:]), patient.service
    # What the server still finds of the session that it believed in kicks nobody.
    again = ChatPublisher(server.port, "direct", "s1", "direct:p1", rate=None)
    chat = patients[-1].listener
    before = len(chat.of("msg"))
    # The server knows a message by its number and takes none twice.
    again.sequence = patients[-1].source.sequence
    again.publish(5)
    chat.wait_messages(before + 5)
    again.stop()
    assert all(patient.statuses[-1] == "connected" for patient in patients)


def test_s09_refused_for_thirty_seconds(subjects, tmp_path):
    patients = subjects(rate=2)
    for patient in patients:
        patient.has_heard(3)
    t0, opens = {}, {}
    for patient in patients:
        opens[patient] = patient.proxy.opens()
        patient.proxy.mode("refuse")
        t0[patient] = patient.proxy.kill_links("rst")
    time.sleep(30)
    attempts = {patient: patient.statuses[2:].count("connecting") for patient in patients}
    t1 = {patient: patient.proxy.mode("pass") for patient in patients}
    for patient in patients:
        again = patient.recovered()
        patient.settle(3)
        # PubNub draws its pauses from a quarter of 1 s up to all of it (PX-5): 48 attempts in 30 s in the mean, and 15 more are six
        # standard deviations away.
        most = {"pusher": 25, "pubnub": 63, "nexconn": 40}[patient.service]
        assert 10 <= attempts[patient] <= most, (patient.service, attempts[patient])
        assert again["t"] - t1[patient] <= RECOVER, patient.service
        assert retried(patient.statuses[2:]), patient.service
        # What is refused is no connection. Those that also make calls need one more for them.
        assert opens[patient] + 1 <= patient.proxy.opens() <= opens[patient] + (1 if patient.service == "pusher" else 3)
        outage = [e for e in patient.listener.of("status")[2:] if e["status"] == "reconnecting"]
        assert outage[0]["t"] - t0[patient] <= AT_ONCE, patient.service
        assert all(e["category"] == "networkUnavailable" for e in outage[1:]), patient.service
        if patient.service == "pusher":
            assert [e["attempt"] for e in outage[1:]] == list(range(2, len(outage) + 1))
        if patient.service == "nexconn":
            assert all(e["vendor"] == "networkUnavailable 1" for e in outage[1:])
            # 0.05, 0.25, 0.5, 1, 2 and then 3 s are the longest pauses, a quarter of each the shortest.
            longest = [0.05, 0.25, 0.5, 1, 2] + [3] * len(outage)
            pauses = [e["retry_in"] for e in outage]
            assert all(most / 4 - 0.001 <= pause <= most + 0.001 for pause, most in zip(pauses, longest)), pauses
        patient.judge(tmp_path, t0[patient], t1[patient], "refuse", RECOVER)


def test_s23_a_client_that_was_frozen_recovers(subjects):
    patients = subjects(rate=5)
    for patient in patients:
        patient.has_heard(5)
    for patient in patients:
        patient.source.stop()
    # What is under way arrives before the freeze, so that a poll is held in it. The freeze is longer than the test of a link (3 s), and
    # both end well before a poll that was silent for 6 s is asked again on a new connection without a word (PX-40).
    time.sleep(0.5)
    for patient in patients:
        patient.listener.process.send_signal(signal.SIGSTOP)
    time.sleep(3.3)
    for patient in patients:
        patient.proxy.kill_links("rst")
    thawed = time.monotonic()
    for patient in patients:
        patient.listener.process.send_signal(signal.SIGCONT)
    for patient in patients:
        assert patient.listener.wait_status("reconnecting")["t"] - thawed <= AT_ONCE + GRACE, patient.service
        assert patient.recovered()["t"] - thawed <= RECOVER, patient.service
        assert patient.statuses == ["connecting", "connected", "reconnecting", "connecting", "connected"], patient.service
