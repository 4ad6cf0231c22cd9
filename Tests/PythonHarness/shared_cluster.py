"""Three nodes that all tests of a file share, and other people's clients on each of them."""

import json
import uuid

import pusher
import pytest
from cluster_harness import Cluster
from lifeline_harness import APP_ID, KEY, SECRET, wait_until
from pubnub_harness import Client
from webhook_receiver import WebhookReceiver


@pytest.fixture(scope="module")
def receiver():
    receiver = WebhookReceiver()
    yield receiver
    receiver.kill()


@pytest.fixture(scope="module")
def cluster(receiver, tmp_path_factory):
    """Three nodes; the second keyset of PubNub wants grants."""
    config = tmp_path_factory.mktemp("cluster") / "lifeline.json"
    keys = {"publishKey": "demo", "subscribeKey": "demo", "secret": "demo-secret"}
    guarded = {"publishKey": "guarded", "subscribeKey": "guarded", "secret": "guarded-secret", "accessManager": True}
    config.write_text(json.dumps({
        "app": {"id": APP_ID, "key": KEY, "secret": SECRET, "clientEvents": True, "webhooks": [{"url": receiver.url}]},
        "pubnub": [keys, guarded]}))
    cluster = Cluster(options=("--config", str(config)))
    yield cluster
    cluster.end()


@pytest.fixture
def ports(cluster):
    """The port of the leader, then those of the others: whoever publishes on the first is nearest to the decision."""
    leader = wait_until(cluster.leader, 20, "a leader")
    return [cluster.nodes[name].port for name in sorted(cluster.nodes, key=lambda name: name != leader)]


@pytest.fixture
def name():
    return "n" + uuid.uuid4().hex[:10]


@pytest.fixture
def client(ports):
    made = []

    def make(index, user, manager="native", **settings):
        made.append(Client(manager, ports[index], user, **settings))
        return made[-1]

    yield make
    for one in made:
        one.stop()


def same(ports, look):
    """What every node answers alike."""
    answers = [look(port) for port in ports]
    assert all(answer == answers[0] for answer in answers), answers
    return answers[0]


def library(port):
    return pusher.Pusher(app_id=APP_ID, key=KEY, secret=SECRET, host="127.0.0.1", port=port, ssl=False)
