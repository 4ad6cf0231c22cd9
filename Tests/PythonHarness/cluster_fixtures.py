"""Fixtures and questions of the tests that let nodes, Redis or the way between them fail."""

import json
import os

import pytest
from cluster_harness import Cluster
from cluster_judge import Watch
from lifeline_harness import APP_ID, rest, wait_until

is_long = pytest.mark.skipif(
    os.environ.get("LIFELINE_CLUSTER_FAULTS") != "all", reason="takes longer than ten seconds: set LIFELINE_CLUSTER_FAULTS=all")


@pytest.fixture
def clusters():
    """Starts clusters, and ends them."""
    made = []

    def start(*arguments, **options):
        made.append(Cluster(*arguments, **options))
        return made[-1]

    yield start
    for cluster in made:
        cluster.end()


@pytest.fixture
def cluster(clusters):
    return clusters()


@pytest.fixture
def watch(cluster, started):
    return started(Watch, cluster)


def follower(cluster):
    leader = wait_until(cluster.leader, 20, "a leader")
    return next(name for name in cluster.nodes if name != leader)


def wait_healthy(cluster, timeout=40):
    wait_until(lambda: len(cluster.balancer.healthy) == len(cluster.nodes), timeout, "every node to be ready")


def members(port):
    """The users of the presence channel, or None when the node cannot say."""
    status, text = rest(port, "GET", f"/apps/{APP_ID}/channels/presence-lobby/users")
    return sorted(user["id"] for user in json.loads(text)["users"]) if status == 200 else None
