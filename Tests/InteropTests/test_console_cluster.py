"""The consoles of two servers on one Redis (rules CO-32, CO-33 and CO-40)."""

import json
import threading
import urllib.request
from types import SimpleNamespace

import pytest
from cluster_harness import Cluster
from console_harness import ADMIN, Console
from lifeline_harness import free_port, wait_until
from chat_client import ChatSession, ServerAPI
from pusher_client import PusherSocket


@pytest.fixture
def cluster():
    ports = {name: free_port() for name in "ab"}
    made = Cluster("ab", options=("--public-metrics",), envs={
        name: {"LIFELINE_ADMIN_PORT": str(port), "LIFELINE_ADMIN_PASSWORD": ADMIN} for name, port in ports.items()})
    made.consoles = {name: Console(SimpleNamespace(admin_port=port), ADMIN) for name, port in ports.items()}
    yield made
    made.end()


def test_each_console_shows_the_cluster_and_acts_for_it(cluster, started):
    leading = cluster.leader()
    following = "b" if leading == "a" else "a"
    leader, follower = cluster.consoles[leading], cluster.consoles[following]
    told = leader.ask("overview")["cluster"]
    assert told["connected"] and told["role"] == "leader" and told["nodes"] == 2
    told = follower.ask("overview")["cluster"]
    assert told["connected"] and told["role"] == "follower" and told["leader"] == leading and told["members"] == []
    # CO-99: both have applied the same batches, as soon as nothing new comes.
    wait_until(lambda: 0 < leader.ask("overview")["cluster"]["sequence"] == follower.ask("overview")["cluster"]["sequence"], 30, "the same batch")
    # CO-89: each server with when it was heard; the leader among them.
    wait_until(lambda: not any(member["expected"] for member in leader.ask("overview")["cluster"]["members"]), 30, "both servers")
    members = leader.ask("overview")["cluster"]["members"]
    assert [(member["name"], member["leads"]) for member in members] == [(name, name == leading) for name in "ab"]
    assert all(0 <= member["silent"] < 10_000 for member in members)
    # CR-48: known ten seconds after the last server has come.
    wait_until(lambda: all(member["version"] for member in leader.ask("overview")["cluster"]["members"]), 30, "both versions")
    assert {member["version"] for member in leader.ask("overview")["cluster"]["members"]} == {leader.ask("overview")["version"]}
    api = ServerAPI(cluster.nodes[following].port)
    api.result("open-channel/create", {"channelId": "lobby", "destroyType": 1})
    session = ChatSession(cluster.nodes[following].port, api.token("ann"))
    session.connect()
    client = started(PusherSocket, cluster.nodes[following].port)
    client.subscribe("room")
    client.subscribe("presence-room", {"user_id": "u"})
    client.signin({"id": "u"})
    for console in (leader, follower):
        assert [channel["name"] for channel in console.ask("channels?service=pusher&app=1001")["channels"]] == ["presence-room", "room"]
        assert console.ask("channel?service=pusher&app=1001&channel=presence-room")["members"] == ["u"]
        listed = console.ask("channels?service=chat&app=app-key")["channels"]
        assert [(channel["name"], channel["users"]) for channel in listed] == [("lobby", 0)]
    assert sorted(user["user"] for user in follower.ask("users")["users"]) == ["ann", "u"] and leader.ask("users")["users"] == []

    lines = []
    feed = urllib.request.urlopen(urllib.request.Request(
        f"http://127.0.0.1:{follower.port}/console/api/feed", headers={"Cookie": follower.cookie}), timeout=60)
    assert feed.readline() == b"retry: 3000\n"

    def read():
        try:
            for line in feed:
                if line.startswith(b"data: "):
                    lines.extend(json.loads(line[6:])["events"])
        except (OSError, ValueError):
            pass  # The test has ended.

    threading.Thread(target=read, daemon=True).start()
    assert leader.act("publish", {"service": "pusher", "app": "1001", "channel": "room", "event": "tick", "data": "x"})[0] == 200
    assert follower.act("publish", {"service": "pubnub", "app": "demo", "channel": "room", "data": "x"})[0] == 200
    chat = {"service": "chat", "app": "app-key", "channel": "lobby", "user": "ann", "data": "hello"}
    assert leader.act("publish", chat)[0] == 200
    assert client.wait("tick", "room")["data"] == "x"
    for service, app, channel in (("pubnub", "demo", "room"), ("chat", "app-key", "lobby")):
        wait_until(lambda: [line for line in lines if (line["service"], line["app"], line.get("channel")) == (service, app, channel)], 30,
                   lambda: f"the message of {service} in {lines}")
    wait_until(lambda: {"kind": "published", "service": "pusher", "app": "1001", "channel": "room", "name": "tick", "bytes": 1} in lines, 30,
               lambda: f"the event in {lines}")
    assert leader.act("terminate", {"service": "pusher", "app": "1001", "user": "u"})[0] == 200
    wait_until(lambda: client.end, 30, "the end of the connection")
    assert client.end[0] == 4009
    assert follower.ask("ended")["ended"][0]["code"] == 4009
    status, told, _ = leader.act("terminate", {"service": "chat", "app": "app-key", "user": "ann"})
    assert (status, told["told"]) == (200, "The user's session was ended.")
    assert session.wait_bye()["code"] == 31010
    assert session.connect()["user"] == "ann"
