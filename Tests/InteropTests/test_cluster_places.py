"""The limit of an application's connections on several real servers and a real Redis (rules CP-31, CP-32, CP-61, CP-62)."""

import json
import threading

import pytest
from cluster_harness import Cluster, redis_program
from lifeline_harness import APP_ID, KEY, SECRET, wait_until
from pusher_client import PusherSocket

pytestmark = [
    pytest.mark.cluster, pytest.mark.skipif(redis_program() is None, reason="no redis-server found: run Scripts/setup.sh test")]
LIMIT, TRIES = 10, 30


@pytest.fixture
def cluster(tmp_path):
    config = tmp_path / "config.json"
    config.write_text(json.dumps({"apps": [{"id": APP_ID, "key": KEY, "secret": SECRET, "limits": {"connections": LIMIT}}]}))
    cluster = Cluster(options=("--config", str(config)))
    yield cluster
    cluster.end()


def connect(port, admitted, codes):
    socket = PusherSocket(port, greeted=False)
    if socket.next()["event"] == "pusher:connection_established":
        admitted.append(socket)
    else:
        codes.append(socket.closed().code)


def storm(cluster):
    """Clients that connect to all servers at the same moment: those who are admitted, and the codes of the others."""
    admitted, codes = [], []
    ports = [node.port for node in cluster.nodes.values()]
    threads = [threading.Thread(target=connect, args=(ports[n % len(ports)], admitted, codes)) for n in range(TRIES)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(admitted) + len(codes) == TRIES
    return admitted, codes


def test_no_more_are_admitted_than_the_limit_allows_whoever_leads(cluster):
    members, codes = storm(cluster)
    assert len(members) == LIMIT and set(codes) == {4004}
    # Places that get free at one server are those of all.
    for member in members:
        member.drop()
    members = []
    wait_until(lambda: members.extend(storm(cluster)[0]) or len(members) >= LIMIT, 30, "the places to be taken again")
    assert len(members) == LIMIT
    # The next leader knows the places of all servers, also of those that have not announced themselves.
    leader = wait_until(cluster.leader, 20, "a leader")
    lost = [member for member in members if member.socket.sock.getpeername()[1] == cluster.nodes[leader].port]
    cluster.kill(leader)
    wait_until(lambda: cluster.leader() not in (None, leader), 20, "another leader")
    assert storm(cluster)[0] == []
    # Those of the server that was killed are free when it is given up.
    back = []
    wait_until(lambda: back.extend(storm(cluster)[0]) or len(back) >= len(lost), 60, "the places of the killed server to be free")
    assert len(back) == len(lost)
    for member in [*members, *back]:
        member.drop()
