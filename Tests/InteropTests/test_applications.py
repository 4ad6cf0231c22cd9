"""Applications that are made at run time, by the console's page and by `lifeline apps` (rules AR-4, AR-15, AR-21, AR-23 to AR-25 and AR-30)."""

import base64
import json
import os
import subprocess

import pytest
from console_harness import ADMIN, READER, Console, ConsoleServer
from lifeline_harness import lifeline
from pusher_client import PusherSocket


@pytest.fixture
def server(started, tmp_path):
    return started(ConsoleServer, "--data", str(tmp_path / "data"))


def apps(server, *arguments, password=ADMIN):
    """The exit code, the lines of the output and the errors of `lifeline apps`."""
    done = subprocess.run(
        [lifeline(), "apps", *arguments, "--url", f"http://127.0.0.1:{server.admin_port}"], capture_output=True, text=True, timeout=60,
        env={**os.environ, "LIFELINE_ADMIN_PASSWORD": password})
    return done.returncode, done.stdout.splitlines(), done.stderr


def test_the_console_makes_and_removes_applications(server):
    admin, reader = Console(server, ADMIN), Console(server, READER)
    body = {"service": "pusher", "application": {"id": "7", "key": "seven"}}
    assert reader.act("apps", body)[0] == 403
    # Rule CO-17: a call with a cookie and without the session's token is not of the console's page.
    assert admin.act("apps", body, {"X-Lifeline-Token": None})[0] == 403
    status, made, _ = admin.act("apps", body)
    assert status == 201 and len(made["secret"]) == 40 and made["application"]["source"] == "runtime"
    rows = {(row["service"], row["id"]): row for row in reader.ask("applications")["applications"]}
    assert rows["pusher", "7"]["source"] == "runtime" and rows["pusher", "1001"]["source"] == "file"
    assert made["secret"] not in json.dumps([reader.ask("applications"), reader.ask("apps")])
    headers = {"Content-Type": "application/json", "X-Lifeline-Token": admin.token}
    assert admin.request("DELETE", "/console/api/apps/pusher/1001", "{}", headers)[0] == 409
    assert admin.request("DELETE", "/console/api/apps/pusher/7", "{}", headers)[0] == 200
    assert ("pusher", "7") not in {(row["service"], row["id"]) for row in admin.ask("applications")["applications"]}


def test_the_command_makes_applications_that_outlive_the_server(started, server, tmp_path):
    code, lines, _ = apps(server, "create", "pusher", "--id", "7", "--key", "seven", "--limit", "connections=5", "--json")
    made = json.loads(lines[0])
    assert code == 0 and (made["id"], made["key"], made["limits"]) == ("7", "seven", {"connections": 5}) and made["secret"]
    assert ["pusher", "7", "seven", "runtime", "enabled", "one"] in [line.split() for line in apps(server, "list")[1]]
    secret = json.loads(apps(server, "rotate", "pusher", "7", "--for", "3600", "--json")[1][0])["secret"]
    assert secret != made["secret"]
    code, lines, _ = apps(server, "set", "pusher", "7", "limits.connections=6", "clientEvents=true", "--json")
    assert code == 0 and json.loads(lines[0])["limits"] == {"connections": 6}
    for command, expected in (("rotate", 0), ("disable", 0), ("enable", 0)):
        arguments = ["--finish"] if command == "rotate" else []
        assert apps(server, command, "pusher", "7", *arguments)[0] == expected, command
    server.kill()
    again = started(ConsoleServer, "--data", str(tmp_path / "data"))
    assert [row for row in map(json.loads, apps(again, "list", "--json")[1]) if row["id"] == "7"][0]["source"] == "runtime"
    socket = started(PusherSocket, again.port, key="seven", secret=secret)
    socket.subscribe("private-room")
    assert apps(again, "remove", "pusher", "7")[:2] == (0, ["removed: pusher/7"])
    code, lines, errors = apps(again, "remove", "pusher", "7")
    assert code == 1 and lines == [] and "lifeline apps list" in errors


def test_refusals_say_what_to_do(server):
    for arguments, password, code, words in (
            (("list",), "not the password", 1, "--password-file"), (("create", "chat"), READER, 1, "read-only"),
            (("disable", "pusher", "1001"), ADMIN, 1, "SIGHUP"), (("create", "pusher", "--limit", "connections=-1"), ADMIN, 1, "limits.connections"),
            (("create", "pusher", "--limit", "connections"), ADMIN, 2, "connections=5000"), (("list",), "", 2, "LIFELINE_ADMIN_PASSWORD"),
            (("set", "pusher", "1001", "limits.connections=5"), ADMIN, 1, "SIGHUP"), (("set", "pusher", "1001", "connections"), ADMIN, 2, "limits.connections=5000")):
        done = apps(server, *arguments, password=password)
        assert done[0] == code and words in done[2], (arguments, done)


def test_a_program_without_the_type_of_json_is_told_so(server):
    """AR-15: as from curl -d, which sends the type of a form."""
    console = Console(server)
    password = base64.b64encode(f":{ADMIN}".encode()).decode()
    for kind, expected in (("application/x-www-form-urlencoded", 403), ("application/json", 201)):
        status, told, _ = console.request(
            "POST", "/console/api/apps", '{"service": "chat"}', {"Authorization": f"Basic {password}", "Content-Type": kind})
        assert status == expected and (status == 201 or "Content-Type: application/json" in told["error"]), told
