"""The package in a bare Debian without Swift: installed, started as its unit says, used, updated and removed, in this order (rules PI-3 to PI-9)."""

import json
import re
import subprocess
import time

import pytest
from bare_debian import LIMIT, Service, Tree
from lifeline_harness import rest
from pusher_client import PusherSocket

SETTINGS = "/etc/lifeline/lifeline.json"


@pytest.fixture(scope="module")
def tree():
    tree = Tree()
    yield tree
    tree.kill()


@pytest.fixture(scope="module")
def installed(tree, deb):
    """The tree with the package and what it depends on."""
    assert tree.attempt("which", "swift").returncode != 0 and tree.attempt("which", "lifeline").returncode != 0
    tree.run("apt-get", "install", "-y", "--no-install-recommends", tree.put(deb))
    # A port of the system's choice: the tree shares the machine's network.
    (tree.root / "etc/lifeline/lifeline.env").write_text("LIFELINE_PORT=0\nLIFELINE_ADMIN_PORT=0\n")
    return tree


def settings(tree):
    return json.loads((tree.root / SETTINGS.lstrip("/")).read_text())


def secrets(tree):
    return re.findall(r'"((?:sec-)?[0-9a-f]{40})"', (tree.root / SETTINGS.lstrip("/")).read_text())


def test_the_package_makes_a_user_and_settings(installed):
    """Rules PI-3, PI-4."""
    user = installed.run("getent", "passwd", "lifeline").strip().split(":")
    assert int(user[2]) < 1000 and user[5:] == ["/var/lib/lifeline", "/usr/sbin/nologin"]
    assert installed.facts("/etc/lifeline") == "root:lifeline 750"
    assert installed.facts(SETTINGS) == "root:lifeline 640"
    assert installed.facts("/var/lib/lifeline") == "lifeline:lifeline 750"
    assert len(set(secrets(installed))) == 3 and "@" not in (installed.root / SETTINGS.lstrip("/")).read_text()
    assert settings(installed)["host"] == "127.0.0.1"
    assert settings(installed)["adminPort"] == 6002 and re.fullmatch(r"[0-9a-f]{32}", settings(installed)["adminPassword"])
    checked = installed.run("setpriv", "--reuid=lifeline", "--regid=lifeline", "--clear-groups", "lifeline", "serve", "--config", SETTINGS, "--check")
    assert "console: http://127.0.0.1:6002/console with a password" in checked
    assert "warning" not in checked and "messages: kept in /var/lib/lifeline" in checked


def test_without_randomness_there_are_no_settings(installed):
    """Rule PI-4."""
    script = "umount -R /dev; mv /etc/lifeline/lifeline.json /tmp/kept; ! /var/lib/dpkg/info/lifeline.postinst configure; ls /etc/lifeline"
    try:
        tried = installed.attempt("unshare", "--mount", "--propagation", "private", "sh", "-c", script)
        assert "no secrets can be made" in tried.stderr and "lifeline.json\n" not in tried.stdout
    finally:
        installed.run("mv", "/tmp/kept", SETTINGS)


def test_others_cannot_read_the_secrets(installed):
    assert installed.attempt("setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", "cat", SETTINGS).returncode != 0


def test_without_libpq_the_program_says_how_to_install_it(installed):
    """Rules PI-2 and PG-19."""
    tried = installed.attempt("lifeline", "serve", "--port", "0", "--services", "pusher,chat", "--data", "postgres://127.0.0.1:1/lifeline")
    assert tried.returncode != 0 and "apt-get install libpq5" in tried.stderr, tried.stderr


def test_the_service_publishes_delivers_reloads_and_stops(installed):
    """Rules PI-7, PI-8, and PI-20 to PI-23."""
    begin = time.monotonic()
    service = Service(installed)
    try:
        print(f"\nready after {time.monotonic() - begin:.2f} s")
        assert service.next_state() == {"READY": "1", "STATUS": f"Accepts connections at http://127.0.0.1:{service.port}."}
        status = service.status()
        print("idle: " + ", ".join(re.findall(r"^(?:VmRSS|RssAnon|Threads):.*", status, re.M)))
        assert re.search(r"^CapEff:\t0+$", status, re.M) and re.search(r"^NoNewPrivs:\t1$", status, re.M)
        [app] = settings(installed)["apps"]
        subscriber = PusherSocket(service.port, key=app["key"], secret=app["secret"])
        subscriber.subscribe("room")
        answer = rest(service.port, "POST", f"/apps/{app['id']}/events", {"name": "price", "channel": "room", "data": "3"}, app["key"], app["secret"])
        assert answer[0] == 200
        assert subscriber.wait("price")["data"] == "3"
        # A wrong secret is refused: it is no server with public credentials.
        assert rest(service.port, "GET", f"/apps/{app['id']}/channels", None, app["key"], "app-secret")[0] == 401

        keyset = settings(installed)["pubnub"][0]
        publish = installed.run(
            "lifeline", "publish", "--service", "pubnub", "--url", f"http://127.0.0.1:{service.port}", "--key", keyset["subscribeKey"],
            "--publish-key", keyset["publishKey"], "--channel", "room", "--data", '"kept"')
        assert publish.startswith("accepted: room has the message")

        changed = settings(installed)
        changed["apps"].append({"id": "2", "key": "second", "secret": "a-secret-of-the-second"})
        (installed.root / SETTINGS.lstrip("/")).write_text(json.dumps(changed))
        service.reload()
        assert service.next_state()["RELOADING"] == "1"
        assert service.next_state()["READY"] == "1"
        second = PusherSocket(service.port, key="second", secret="a-secret-of-the-second")
        second.drop()
        # The first has lived through it.
        rest(service.port, "POST", f"/apps/{app['id']}/events", {"name": "price", "channel": "room", "data": "4"}, app["key"], app["secret"])
        assert subscriber.wait("price")["data"] == "4"
        subscriber.drop()

        assert service.stop() == 0
    finally:
        service.kill()
    assert "the applications have been reloaded" in "\n".join(service.program.errors)


def test_the_service_keeps_messages_and_feeds_the_watchdog(installed):
    """Rules PI-8, PI-25."""
    service = Service(installed, watchdog=200_000)
    try:
        assert service.next_state()["READY"] == "1"
        assert service.next_state() == {"WATCHDOG": "1"} and service.next_state() == {"WATCHDOG": "1"}
        keyset = settings(installed)["pubnub"][0]
        history = installed.run(
            "lifeline", "history", "--service", "pubnub", "--url", f"http://127.0.0.1:{service.port}", "--key", keyset["subscribeKey"],
            "--publish-key", keyset["publishKey"], "--channel", "room")
        assert "kept" in history
        assert service.stop() == 0
    finally:
        service.kill()


def test_manual_and_completions_are_where_they_are_looked_for(installed):
    for path in ("/usr/share/man/man1/lifeline-serve.1.gz", "/usr/share/man/man5/lifeline.json.5.gz", "/usr/share/bash-completion/completions/lifeline",
                 "/usr/share/zsh/vendor-completions/_lifeline", "/usr/share/fish/vendor_completions.d/lifeline.fish"):
        # Minimal systems leave out manual pages, as their dpkg.cfg says.
        assert installed.attempt("test", "-f", path).returncode == 0 or "/man/" in path, path


def newer(deb, folder):
    """The same package with a higher version."""
    subprocess.run(["dpkg-deb", "-R", deb, folder / "newer"], check=True, timeout=LIMIT)
    control = folder / "newer" / "DEBIAN" / "control"
    control.write_text(re.sub(r"^Version: .*$", "Version: 99.0", control.read_text(), flags=re.M))
    subprocess.run(["dpkg-deb", "--root-owner-group", "-Znone", "-b", folder / "newer", folder / "newer.deb"], check=True, capture_output=True, timeout=LIMIT)
    return folder / "newer.deb"


def test_an_update_keeps_settings_and_messages(installed, deb, tmp_path):
    """Rule PI-5."""
    before = (installed.root / SETTINGS.lstrip("/")).read_bytes(), installed.run("getent", "passwd", "lifeline")
    kept = sorted(file.name for file in (installed.root / "var/lib/lifeline").iterdir())
    installed.run("dpkg", "-i", installed.put(newer(deb, tmp_path)))
    assert "Version: 99.0" in installed.run("dpkg", "-s", "lifeline")
    assert ((installed.root / SETTINGS.lstrip("/")).read_bytes(), installed.run("getent", "passwd", "lifeline")) == before
    assert "lifeline.sqlite" in kept and sorted(file.name for file in (installed.root / "var/lib/lifeline").iterdir()) == kept
    assert installed.facts(SETTINGS) == "root:lifeline 640"


def test_removal_keeps_settings_and_purging_does_not(installed, deb):
    """Rule PI-6."""
    before = secrets(installed)
    installed.run("dpkg", "-r", "lifeline")
    assert installed.attempt("test", "-e", "/usr/bin/lifeline").returncode != 0
    assert secrets(installed) == before
    installed.run("dpkg", "-P", "lifeline")
    for path in ("/etc/lifeline", "/var/lib/lifeline", "/usr/share/lifeline", "/usr/lib/systemd/system/lifeline.service"):
        assert installed.attempt("test", "-e", path).returncode != 0, path
    # Whoever installs it again gets other secrets.
    installed.run("dpkg", "-i", installed.put(deb))
    again = secrets(installed)
    assert len(again) == 3 and not set(again) & set(before)


def test_the_archive_runs_too(installed, tarball):
    """Rule PI-10."""
    installed.run("tar", "-xzf", installed.put(tarball), "-C", "/usr/local", "--strip-components=1")
    assert re.fullmatch(r"\d+\.\d+\.\d+\n", installed.run("/usr/local/bin/lifeline", "--version"))
