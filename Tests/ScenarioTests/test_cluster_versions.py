"""Servers of two versions in one cluster, as during an upgrade: those under test, and those of the program that `LIFELINE_BEFORE` names.
Clients of the three services lose nothing without being told, see nothing twice and nothing out of order (rules CR-65 to CR-68, CR-71)."""

import os
import signal

import pytest
from cluster_fixtures import wait_healthy
from cluster_harness import redis_program
from cluster_judge import Watch
from lifeline_harness import lifeline, wait_until
from partition_judge import PartitionWatch, are_led

BEFORE = os.environ.get("LIFELINE_BEFORE")
pytestmark = [
    pytest.mark.cluster, pytest.mark.skipif(redis_program() is None, reason="no redis-server found: run Scripts/setup.sh test"),
    pytest.mark.skipif(not BEFORE, reason="needs two versions: set LIFELINE_BEFORE to the program of the version before")]


@pytest.fixture(params=[False, True], ids=["upgrade", "downgrade"])
def programs(request):
    """The program of the first servers, and that of those which replace them."""
    both = (BEFORE, lifeline())
    return both[::-1] if request.param else both


def replace_all(cluster, program, watch):
    """As docs/cluster.md describes it: each server is followed by one of the other program, the leader last."""
    leader = cluster.leader()
    for name in sorted(cluster.nodes, key=lambda name: name == leader):
        cluster.begin(f"{name}-next", program)
        wait_healthy(cluster)
        watch.flows()
        cluster.kill(name, signal.SIGTERM)
        watch.flows()


def test_servers_are_replaced_one_after_the_other(clusters, started, programs):
    first, second = programs
    cluster = clusters(programs={name: first for name in "abc"})
    watch = started(Watch, cluster)
    replace_all(cluster, second, watch)
    watch.judge()
    assert not any(watch.all_gaps.values())


def test_partitions_move_to_servers_of_the_other_version(clusters, started, programs):
    first, second = programs
    cluster = clusters(programs={name: first for name in "abc"}, options=("--partitions", "4"))
    watch = started(PartitionWatch, cluster, 4)
    replace_all(cluster, second, watch)
    wait_until(lambda: are_led(cluster, 4), 30, "a leader of each partition")
    watch.judge()
    assert watch.gaps == 0


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_leadership_moves_between_versions(clusters, started, how):
    programs = {"before-0": BEFORE, "after-0": lifeline()}
    cluster = clusters(names=tuple(programs), programs=programs)
    watch = started(Watch, cluster)
    led = []
    for turn in range(1, 5):
        leader = wait_until(cluster.leader, 20, "a leader")
        version = leader.partition("-")[0]
        led.append(version)
        cluster.kill(leader, how)
        watch.flows()
        cluster.begin(f"{version}-{turn}", programs[f"{version}-0"])
        wait_healthy(cluster)
    watch.judge()
    # With two servers the other one leads next.
    assert all(former != next for former, next in zip(led, led[1:])), led
