"""Channels and users of all services in the console: search, totals, groups and presence (rules CO-85 and CO-86)."""

import json
import threading
import urllib.parse
import urllib.request

import pytest
from console_harness import ADMIN, Console, ConsoleServer, go, log_in
from devtools import DrivenBrowser
from lifeline_harness import wait_until
from chat_client import ChatSession, ServerAPI
from pusher_client import PusherSocket

MARKUP = "<img src=x onerror=window.broken=1>"


@pytest.fixture
def server(started):
    """Channels and users of each service."""
    server = started(ConsoleServer)
    pusher = started(PusherSocket, server.port)
    for channel in ("prices", "private-Room-1", "private-room-2", "presence-lobby"):
        pusher.subscribe(channel, {"user_id": "u"} if channel.startswith("presence-") else None)
    pusher.signin({"id": "Pusher-User"})

    def hold(user, channels):
        names = ",".join(urllib.parse.quote(channel, safe="") for channel in channels)
        token = 0
        try:
            while True:
                address = f"http://127.0.0.1:{server.port}/v2/subscribe/demo/{names}/0?tt={token}&uuid={urllib.parse.quote(user, safe='')}&heartbeat=300"
                with urllib.request.urlopen(address, timeout=300) as answer:
                    token = json.load(answer)["t"]["t"]
        except (OSError, ValueError):
            pass  # The server has ended.

    for user, channels in (("ann", ["weather", "News"]), ("bob", ["weather"]), (MARKUP, [f"c{number}" for number in range(7)])):
        threading.Thread(target=hold, args=(user, channels), daemon=True).start()
    api = ServerAPI(server.port)
    for number in range(3):
        api.result("open-channel/create", {"channelId": f"stage-{number}", "destroyType": 1})
    server.chat = ChatSession(server.port, api.token("carl"))
    server.chat.connect()
    api.token("dora")
    api.result("group-channel/create", {"groupId": "team-A", "groupName": "All of us", "userId": "carl", "memberUserIds": ["dora"]})
    api.result("group-channel/create", {"groupId": "team-b", "groupName": "Others", "userId": "dora"})
    console = Console(server, ADMIN)
    wait_until(lambda: console.ask("users?service=pubnub&app=demo")["total"] == 3, 30, "users of PubNub")
    return server


def names(told, key="channels", name="name"):
    return [row[name] for row in told[key]]


def test_names_are_searched_and_counted(server):
    """CO-85: in all services, with where to go on."""
    console = Console(server, ADMIN)
    pusher = "channels?service=pusher&app=1001"
    told = console.ask(pusher)
    assert names(told) == ["presence-lobby", "prices", "private-Room-1", "private-room-2"] and told["total"] == 4
    told = console.ask(pusher + "&contains=ROOM&limit=1")
    assert names(told) == ["private-Room-1"] and told["total"] == 2 and told["next"] == "private-Room-1"
    told = console.ask(pusher + "&contains=ROOM&limit=1&after=private-Room-1")
    assert names(told) == ["private-room-2"] and told["total"] == 2 and told["next"] is None
    pubnub = "channels?service=pubnub&app=demo"
    assert console.ask(pubnub)["total"] == 9
    told = console.ask(pubnub + "&contains=eWs")
    assert [(row["name"], row["users"]) for row in told["channels"]] == [("News", 1)] and told["total"] == 1
    assert [row["users"] for row in console.ask(pubnub + "&contains=weather")["channels"]] == [2]
    chat = "channels?service=chat&app=app-key"
    told = console.ask(chat)
    assert names(told) == ["stage-0", "stage-1", "stage-2"] and told["total"] == 3
    told = console.ask(chat + "&contains=GE-&limit=2")
    assert names(told) == ["stage-0", "stage-1"] and told["total"] is None and told["next"] == "stage-1"
    told = console.ask(chat + "&contains=GE-&limit=2&after=stage-1")
    assert names(told) == ["stage-2"] and told["next"] is None
    for what in (pusher, pubnub, chat):
        told = console.ask(what + "&contains=nowhere")
        assert told == {"channels": [], "total": 0, "next": None}
        assert console.request("GET", f"/console/api/{what}&contains={'x' * 1025}")[0] == 400


def test_channels_of_a_kind(server, started):
    """CO-97: of Pusher, whose names say the kind."""
    console = Console(server, ADMIN)
    # Each gets the event of an empty cache behind its confirmation.
    for channel in ("private-encrypted-x", "private-cache-y", "cache-z"):
        started(PusherSocket, server.port).subscribe(channel)
    pusher = "channels?service=pusher&app=1001&kind="
    wait_until(lambda: console.ask(pusher)["total"] == 7, 30, "all channels")
    found = {kind: names(console.ask(pusher + kind)) for kind in ("public", "private", "presence", "encrypted", "cache")}
    assert found == {"public": ["cache-z", "prices"], "private": ["private-Room-1", "private-cache-y", "private-room-2"], "presence": ["presence-lobby"],
                     "encrypted": ["private-encrypted-x"], "cache": ["cache-z", "private-cache-y"]}
    told = console.ask(pusher + "private&contains=room&limit=1")
    assert (names(told), told["total"], told["next"]) == (["private-Room-1"], 2, "private-Room-1")
    status, told, _ = console.request("GET", f"/console/api/{pusher}group")
    assert (status, told["error"]) == (400, "kind is public, private, presence, encrypted or cache.")


def test_connections_and_sessions_are_counted(server, started):
    """CO-98: in all, and those that match, on every page."""
    console = Console(server, ADMIN)
    clients = [started(PusherSocket, server.port) for _ in range(4)]
    for number, client in enumerate(clients[:3]):
        client.signin({"id": f"Clerk-{number}"})
    wait_until(lambda: console.ask("users")["total"] == 5, 30, "the sessions")
    told = console.ask("connections?limit=2")
    assert (told["total"], len(told["connections"])) == (6, 2) and told["next"]
    told = console.ask(f"connections?limit=2&after={told['next']}")
    assert (told["total"], len(told["connections"])) == (6, 2)
    seen, after = [], ""
    while after is not None:
        told = console.ask(f"connections?service=pusher&limit=2{after and f'&after={after}'}")
        assert told["total"] == 5
        seen += names(told, "connections", "id")
        after = told["next"]
    assert len(seen) == len(set(seen)) == 5
    assert [console.ask(f"connections?service={service}")["total"] for service in ("pusher", "chat")] == [5, 1]
    told = console.ask("connections?contains=clerk-1")
    assert (told["total"], names(told, "connections", "user")) == (1, ["Clerk-1"])
    told = console.ask("users?contains=CLERK&limit=1")
    assert told["total"] == 3 and len(told["users"]) == 1


def test_groups_of_chat_are_listed_with_their_members(server):
    """CO-86: with names and the number of members."""
    console = Console(server, ADMIN)
    told = console.ask("channels?service=chat&app=app-key&kind=group")
    assert [(row["name"], row["title"], row["users"]) for row in told["channels"]] == [("team-A", "All of us", 2), ("team-b", "Others", 1)]
    assert told["total"] == 2
    assert names(console.ask("channels?service=chat&app=app-key&kind=group&contains=M-a")) == ["team-A"]
    told = console.ask("channel?service=chat&app=app-key&kind=group&channel=team-A")
    assert sorted(told["members"]) == ["carl", "dora"] and told["count"] == 2
    assert console.request("GET", "/console/api/channels?service=chat&app=app-key&kind=other")[0] == 400
    assert console.request("GET", "/console/api/channel?service=chat&app=app-key&kind=group&channel=nowhere")[0] in (400, 404)


def test_users_by_presence_and_by_session(server):
    """CO-86: PubNub's with the channels that they are on, those of the others by their sessions."""
    console = Console(server, ADMIN)
    told = console.ask("users?service=pubnub&app=demo")
    assert names(told, "users", "user") == [MARKUP, "ann", "bob"]
    assert told["users"][0]["channels"] == [f"c{number}" for number in range(5)] and told["users"][0]["channelCount"] == 7
    assert told["users"][1]["channels"] == ["News", "weather"]
    told = console.ask("users?service=pubnub&app=demo&contains=N&limit=1&after=" + urllib.parse.quote(MARKUP))
    assert names(told, "users", "user") == ["ann"] and told["total"] == 2 and told["next"] is None
    assert console.ask("users?service=pubnub&app=nobody")["users"] == []
    assert sorted(names(console.ask("users"), "users", "user")) == ["Pusher-User", "carl"]
    assert names(console.ask("users?contains=r-u"), "users", "user") == ["Pusher-User"]
    assert names(console.ask("users?service=chat&contains=AR"), "users", "user") == ["carl"]


@pytest.mark.parametrize("width", [1280, 360])
def test_the_pages_of_channels_and_users(server, started, width):
    """CO-85 and CO-86: as they are used in a browser."""
    page = started(DrivenBrowser)
    page.look(width)
    log_in(page, server)
    page.errors[:] = [error for error in page.errors if "401" not in error]

    def fill(**values):
        page.evaluate(f"""(() => {{ const form = document.querySelector('main form');
            for (const [name, value] of Object.entries({json.dumps(values)})) form.elements[name].value = value;
            form.requestSubmit(); }})()""")

    def shows(*texts):
        for text in texts:
            page.wait(f"document.querySelector('main').innerText.includes({json.dumps(text)})")

    go(page, "channels", "Channels")
    fill(application="pusher 1001", contains="ROOM")
    shows("2 channels in all", "private-Room-1", "private-room-2")
    assert not page.evaluate("document.querySelector('[name=kind]').offsetParent")
    fill(application="pusher 1001", contains="nowhere")
    shows("0 channels in all", "None of them has “nowhere” in its name.")
    fill(application="pusher 1001", contains="", access="presence")
    shows("1 channel in all", "presence-lobby")
    fill(application="pubnub demo", contains="")
    shows("9 channels in all", "weather")
    fill(application="chat app-key")
    shows("3 channels in all", "stage-2")
    fill(kind="group")
    shows("2 groups in all", "team-A", "All of us")
    page.evaluate("[...document.querySelectorAll('main button')].find(b => b.getAttribute('aria-label') === 'Members of team-A').click()")
    shows("Members of team-A", "dora")
    go(page, "connections", "Connections")
    shows("2 connections in all")
    fill(contains="carl")
    shows("1 connection in all")
    go(page, "users", "Users")
    shows("2 sessions in all", "Pusher-User", "carl")
    fill(service="pubnub demo")
    shows("3 users in all", MARKUP, "c0, c1, c2, c3, c4 and 2 more")
    assert page.evaluate("document.querySelectorAll('main button.danger').length") == 0
    fill(contains="bo")
    shows("1 user in all", "bob")
    fill(service="chat", contains="")
    page.wait("document.querySelectorAll('main button.danger').length === 1")
    shows("carl")
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
    assert page.evaluate("window.broken") is None and page.errors == []
