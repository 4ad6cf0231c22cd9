"""`lifeline config`, `token`, `channels`, `users` and `bench` against a server, with other libraries as witnesses (rules CL-100 to CL-112)."""

import json
import os
import stat
import subprocess

import pytest
from lifeline_harness import Program, Server, free_port, lifeline, wait_until
from pubnub.exceptions import PubNubException
from pubnub_harness import Client


def run(*arguments, env=None, text=None, timeout=120, cwd=None):
    """Exit code, standard output and standard error of the program."""
    done = subprocess.run(
        [lifeline(), *arguments], capture_output=True, text=True, encoding="utf-8", input=text if text is not None else "",
        timeout=timeout, env={**os.environ, **(env or {})}, cwd=cwd)
    return done.returncode, done.stdout, done.stderr


def output(*arguments, **options):
    """Standard output of a run that has to succeed."""
    code, out, errors = run(*arguments, **options)
    assert code == 0, (code, out, errors)
    return out


def test_a_written_configuration_serves_and_its_secrets_work_and_stay_private(started, tmp_path):
    path = tmp_path / "lifeline.json"
    out = output("config", "init", "--output", str(path))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    written = json.loads(path.read_text())
    secrets = [written[name][0]["secret"] for name in ("apps", "pubnub", "nexconn")]
    assert len(set(secrets)) == 3 and not any(secret in out for secret in secrets)
    code, _, errors = run("config", "init", "--output", str(path))
    assert code == 2 and "--force" in errors and json.loads(path.read_text()) == written
    assert output("config", "init", "--output", "-", "--services", "pubnub").startswith("{")
    report = output("config", "check", str(path))
    assert report.startswith("lifeline: valid ") and not any(secret in report for secret in secrets)
    shown = output("config", "show", "--config", str(path), "--json")
    assert not any(secret in shown for secret in secrets)
    lines = {line["setting"]: line for line in map(json.loads, shown.splitlines())}
    assert lines["apps[0].key"]["value"] == written["apps"][0]["key"]
    assert lines["apps[0].key"]["source"] == f"{path}, line 8" and lines["host"]["source"] == f"{path}, line 2"
    open_shown = output("config", "show", "--config", str(path), "--json", "--show-secrets")
    assert all(secret in open_shown for secret in secrets)
    server = started(Server, 0, "--config", str(path))
    with_file = ["--url", server.url, "--config", str(path)]
    token = output("token", "chat", "ann", *with_file).strip()
    assert len(token) == 64
    assert json.loads(output("channels", "--service", "pubnub", *with_file, "--json") or "null") is None
    assert output("channels", *with_file) == "No channels.\n"


def test_check_says_everything_that_is_wrong_at_once(tmp_path):
    path = tmp_path / "bad.json"
    path.write_text('{\n  "port": "x",\n  "threads": 0,\n  "apps": [{"id": "1", "key": "k", "secret": ""}]\n}\n')
    for arguments in (["config", "check", str(path)], ["serve", "--check", "--config", str(path)]):
        code, out, errors = run(*arguments, env={"LIFELINE_BRIDGE": "maybe"})
        assert code == 2 and out == ""
        for part in (f'port ({path}, line 2) is "x"', f"threads ({path}, line 3)", f"({path}, line 4)", 'LIFELINE_BRIDGE is "maybe"'):
            assert part in errors, part
    code, out, _ = run("config", "check", str(path), "--json")
    answer = json.loads(out)
    assert code == 2 and answer["valid"] is False and len(answer["errors"]) == 3


def test_a_pusher_signature_lets_a_connection_in(server, connect):
    socket = connect()
    url = ["--url", server.url]
    for channel, more in (("private-a", []), ("presence-a", ["--user", "ann", "--user-info", '{"name":"Ann"}'])):
        data = json.loads(output("token", "pusher", socket.socket_id, channel, *more, *url))
        socket.send("pusher:subscribe", {"channel": channel, **data})
        socket.wait("pusher_internal:subscription_succeeded")
    wait_until(lambda: "presence-a" in output("channels", *url), 30, "the channel")
    rows = {r["ch"]: r for r in map(json.loads, output("channels", *url, "--members", "--json").splitlines())}
    assert rows["private-a"]["subscriptions"] == 1 and rows["private-a"]["members"] is None
    assert rows["presence-a"]["users"] == 1 and rows["presence-a"]["members"] == ["ann"]
    assert [json.loads(l)["ch"] for l in output("channels", *url, "--prefix", "pres", "--json").splitlines()] == ["presence-a"]
    assert run("channels", *url, env={"LIFELINE_APP_SECRET": "wrong"})[0] == 1


def test_watch_tells_what_changes(server, started, connect):
    watcher = started(Program, [lifeline(), "channels", "--url", server.url, "--watch", "--interval", "0.1", "--json"])
    socket = connect()
    socket.send("pusher:subscribe", {"channel": "room"})

    def events():
        return [(line["ev"], line["ch"]) for line in map(json.loads, watcher.lines)]

    wait_until(lambda: events() and events()[0][1] == "room", 30, "the channel")
    socket.send("pusher:unsubscribe", {"channel": "room"})
    wait_until(lambda: ("vacated", "room") in events(), 30, "its end")


def test_terminate_ends_the_connections_of_that_user_only(server, connect):
    ann, ben = connect(), connect()
    ann.signin({"id": "ann"})
    ben.signin({"id": "ben"})
    assert output("users", "terminate", "ann", "--url", server.url).startswith("terminated: ")
    assert ann.closed().code == 4009
    ben.settled()
    assert run("users", "terminate", "ann", "--service", "pubnub", "--url", server.url)[0] == 2


def test_terminate_ends_a_chat_session_and_voids_its_token(server, started):
    url = ["--service", "nexconn", "--url", server.url]
    token = output("token", "chat", "ann", "--url", server.url).strip()
    listener = started(Program, [lifeline(), "listen", *url, "--token", token, "--channel", "lobby", "--json", "--for", "60"])
    wait_until(lambda: any('"connected"' in line for line in listener.lines), 30, "connected")
    # The token has to be older than the call, whose clock counts milliseconds.
    assert json.loads(output("users", "terminate", "ann", *url, "--json"))["user"] == "ann"
    wait_until(lambda: any('"failed"' in line for line in listener.lines), 30, lambda: f"the end, got {listener.lines}")


@pytest.mark.parametrize("local", [False, True])
def test_a_granted_token_opens_in_the_pubnub_library_what_it_names_and_nothing_else(started, local):
    server = started(Server, 0, "--pubnub-access-manager")
    url = ["--url", server.url]
    token = output(
        "token", "pubnub", "--channel", "room=read,write", "--channel-pattern", "lobby-[0-9]+=read", "--authorized-uuid", "ann",
        "--ttl", "5", *url, *(["--local"] if local else [])).strip()
    parsed = json.loads(output("token", "pubnub", "--parse", "-", "--json", text=token + "\n"))
    assert parsed["resources"]["channels"] == {"room": ["read", "write"]} and parsed["authorized_uuid"] == "ann"
    client = Client("native", server.port, "ann")
    try:
        assert client.pubnub.parse_token(token)["authorized_uuid"] == "ann"
        with pytest.raises(PubNubException):
            client.result(lambda p: p.publish().channel("room").message("before"))
        client.pubnub.set_token(token)
        client.subscribe("room", "lobby-7")
        client.result(lambda p: p.publish().channel("room").message("hello"))
        assert client.wait("messages", 1)[0].message == "hello"
        for channel in ("other", "lobby-7"):
            with pytest.raises(PubNubException) as refusal:
                client.result(lambda p, channel=channel: p.publish().channel(channel).message("no"))
            assert "403" in str(refusal.value) or refusal.value.get_status_code() == 403
    finally:
        client.stop()
    other = Client("native", server.port, "ben")
    try:
        other.pubnub.set_token(token)
        with pytest.raises(PubNubException):
            other.result(lambda p: p.publish().channel("room").message("no"))
    finally:
        other.stop()


def test_secrets_come_from_variables_and_files_and_never_appear(server, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("wrong-secret-4711\n")
    for arguments, env in ((["--secret-file", str(secret)], {}), ([], {"LIFELINE_NEXCONN_SECRET": "wrong-secret-4711"})):
        code, out, errors = run("token", "chat", "ann", "--url", server.url, *arguments, env=env)
        assert code == 1 and "signature" in errors.lower() or "secret" in errors
        assert "4711" not in out + errors
    secret.write_text("app-secret\n")
    assert len(output("token", "chat", "ann", "--url", server.url, "--secret-file", str(secret)).strip()) == 64


def test_a_closed_port_is_named():
    code, _, errors = run("channels", "--url", "http://127.0.0.1:9")
    assert code == 1 and "127.0.0.1:9 refuses connections" in errors


@pytest.mark.parametrize("service,subscribers,channels,rate", [("pusher", 40, 4, 100), ("pusher", 10, 1, 40), ("pubnub", 12, 3, 60)])
def test_bench_accounts_for_every_message(server, service, subscribers, channels, rate):
    result = json.loads(output(
        "bench", "--service", service, "--url", server.url, "--subscribers", str(subscribers), "--channels", str(channels),
        "--rate", str(rate), "--duration", "3", "--json"))
    assert result["published"] == result["accepted"] == 3 * rate
    assert result["delivered"] == 3 * rate * subscribers // channels
    assert (result["lost"], result["duplicates"], result["reconnects"]) == (0, 0, 0)
    latency = result["latency"]
    assert 0 < latency["p50"] <= latency["p90"] <= latency["p99"] <= latency["max"]


def test_bench_counts_what_is_lost_while_the_server_is_away(started):
    port = free_port()
    server = started(Server, port)
    bench = started(Program, [
        lifeline(), "bench", "--url", server.url, "--subscribers", "5", "--rate", "50", "--duration", "6", "--json"])
    wait_until(lambda: "bench-" in output("channels", "--url", server.url), 30, "subscribers")
    server.kill()
    again = started(Server, port)
    assert bench.wait(60) == 1
    result = json.loads(bench.lines[-1])
    published, accepted, unique = result["published"], result["accepted"], result["delivered"] - result["duplicates"]
    assert accepted + result["refused"] + result["unknown"] == published and 0 < accepted < 300
    # What was accepted came or is lost; what was answered in no clear way may have come as well, and is not expected.
    assert accepted * 5 - result["lost"] <= unique <= (accepted + result["unknown"]) * 5 - result["lost"]
    assert again.process.poll() is None


def test_bench_asks_before_it_loads_another_machine():
    code, _, errors = run("bench", "--url", "http://192.0.2.1:6001")
    assert code == 2 and "--yes" in errors
    code, _, errors = run("bench", "--service", "pubnub", "--url", "https://ps.pndsn.com", "--yes")
    assert code == 2 and "public service" in errors
    assert run("bench", "--subscribers", "2", "--channels", "3")[0] == 2


def test_bash_completes_names_of_files(tmp_path):
    """PI-12: after every option that takes a file or a folder, and where a command does."""
    (tmp_path / "lifeline.json").write_text("{}")
    (tmp_path / "list").mkdir()
    script = tmp_path / "script"
    script.write_text(output("--generate-completion-script", "bash"))

    def offered(*words):
        """What bash offers for the last of the words."""
        command = " ".join(words)
        done = subprocess.run(
            ["bash", "-c", f'source "$0"; COMP_LINE="{command}"; COMP_POINT=${{#COMP_LINE}}; COMP_WORDS=({command}); COMP_CWORD={len(words) - 1}; '
             f'_lifeline lifeline {words[-1]} {words[-2]}; printf "%s\\n" "${{COMPREPLY[@]}}"', str(script)],
            capture_output=True, text=True, timeout=60, cwd=tmp_path)
        return set(done.stdout.split())

    def taking(command, path=()):
        """Options and positions of a command and of its own ones that take a file or a folder."""
        words = (*path, command["commandName"])
        for argument in command.get("arguments", []):
            if argument.get("valueName") in ("file", "directory"):
                yield words + ((f"--{argument['names'][0]['name']}",) if argument["kind"] == "option" else ()), argument["valueName"]
        for child in command.get("subcommands", []):
            yield from taking(child, words)

    found = list(taking(json.loads(output("--experimental-dump-help"))["command"]))
    assert len(found) > 20
    for words, kind in found:
        assert {"list"} | ({"lifeline.json"} if kind == "file" else set()) <= {name.rstrip("/") for name in offered(*words, "li")}, words


def test_commands_call_chat_chat(server):
    """SO-125: and take the name that its settings have, too; what programs read stays as it was."""
    for name in ("chat", "nexconn"):
        assert '"session","result":"passed"' in output("doctor", server.url, "--service", name, "--secret", "app-secret", "--json").replace(", ", ",").replace(": ", ":")
        code, _, errors = run("listen", "--service", name, "--channel", "a", "--url", server.url)
        assert code == 2 and "--service chat has to know" in errors
        check = output("serve", "--check", "--services", f"pusher,{name}")
        assert "\nchat: presence on" in check and "\npubnub: off" in check and "nexconn" not in check
    assert '"value":["nexconn"]' in output("config", "show", "--services", "chat", "--json")
    shown = output("doctor", server.url, "--service", "chat")
    assert "chat, no TLS" in shown and "nexconn" not in shown
    for command in ("listen", "doctor", "history"):
        told = " ".join(output(command, "--help").split())
        assert "(values: pusher, pubnub, chat; default: pusher)" in told and "nexconn" not in told, command
