"""Scripts/setup.sh on machines of several kinds, which are made of stand-ins for the programs that it calls."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = "zlib1g-dev libsqlite3-dev"
TEST = f"{BUILD} libpq5 libssl-dev nftables"
DIST = f"{BUILD} dpkg-dev"
COMMANDS = "swift python3 cc openssl ip make redis-server promtool chromium"


class Machine:
    """Has these packages and commands; `lists` are what apt knows of, `offline` says that it reaches nothing."""

    def __init__(self, folder, packages="", commands=COMMANDS, lists="", root=True, sudo=False, offline=False, debian=True):
        self.folder = folder
        self.calls = folder / "calls"
        self.calls.touch()
        for name, text in {"packages": packages, "lists": lists}.items():
            (folder / name).write_text("".join(f"{word}\n" for word in text.split()))
        # The script unpacks tools beside its own folder.
        self.script = folder / "project" / "Scripts" / "setup.sh"
        self.script.parent.mkdir(parents=True)
        shutil.copy(ROOT / "Scripts" / "setup.sh", self.script)
        for name in ("bash", "env", "grep", "cat", "mktemp", "mkdir", "mv", "rm", "tar"):
            (folder / name).symlink_to(shutil.which(name))
        for name in commands.split():
            self.program(name, "exit 0")
        self.program("id", f"echo {0 if root else 1000}")
        self.program("apt-cache", f"""case $1 in
            show) grep -qx "$2" {folder}/lists {folder}/packages;;
            madison) if grep -qx "$2" {folder}/lists; then echo "$2 | 1 | http://deb.example stable/main"; fi;;
            *) exit 100;; esac""")
        if debian:
            self.program("dpkg-query", f'grep -qx "$3" {folder}/packages && echo "install ok installed"')
        if sudo:
            self.program("sudo", f'echo "sudo $*" >> {folder}/calls; [ "$1" = -n ] && exit 0; exec "$@"')
        self.program("apt-get", f"""echo "$*" >> {folder}/calls
            if [ {int(offline)} = 1 ]; then exit 100; fi
            if [ "$1" = download ]; then echo package > "${{@: -1}}_1_amd64.deb"; exit 0; fi
            if [ "$1" = update ]; then printf '%s\\n' {TEST} {DIST} debootstrap mandoc zsh fish redis-tools python3 python3-venv python3-dev chromium-headless-shell >> {folder}/lists; exit 0; fi
            for word in "$@"; do case $word in install|-*) ;; *)
                grep -qx "$word" {folder}/lists || exit 100
                echo "$word" >> {folder}/packages;; esac; done""")

        # Every package has the same content.
        (folder / "content" / "usr" / "bin").mkdir(parents=True)
        (folder / "content" / "usr" / "bin" / "promtool").write_text("program")
        (folder / "content" / "usr" / "bin" / "promtool").chmod(0o755)
        self.program("dpkg-deb", f"{shutil.which('tar')} -c -C {folder}/content ./usr")

    def program(self, name, text):
        path = self.folder / name
        path.write_text(f"#!/bin/bash\n{text}\n")
        path.chmod(0o755)

    def run(self, purpose="test"):
        done = subprocess.run(
            [shutil.which("bash"), self.script, purpose], env={**os.environ, "PATH": str(self.folder), "CI": ""}, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=60)
        return done.returncode, done.stdout, done.stderr

    @property
    def apt(self):
        return [line for line in self.calls.read_text().splitlines() if not line.startswith("sudo -n")]


@pytest.fixture
def machine(tmp_path):
    return lambda **options: Machine(tmp_path, **options)


@pytest.mark.parametrize("purpose", ["build", "test"])
def test_where_everything_is_nothing_is_fetched_or_said(machine, purpose):
    there = machine(packages=TEST, root=False)
    assert there.run(purpose) == (0, "", "")
    assert there.apt == []


def test_a_fresh_machine_gets_what_is_missing_once(machine):
    fresh = machine(commands="swift cc openssl ip make promtool")
    code, said, errors = fresh.run()
    assert code == 0 and "installing" in said and errors == ""
    installed = set((fresh.folder / "packages").read_text().split())
    assert {*TEST.split(), "redis-tools", "python3", "python3-venv", "python3-dev", "chromium-headless-shell"} == installed
    assert fresh.apt[0].startswith("update")


@pytest.mark.parametrize("purpose, more", [("dist", ""), ("dist-test", " debootstrap mandoc zsh fish")])
def test_packaging_gets_its_tools_and_no_browser(machine, purpose, more):
    fresh = machine(commands="swift python3 strip")
    assert fresh.run(purpose)[0] == 0
    assert set((fresh.folder / "packages").read_text().split()) == set((DIST + more).split())


def test_the_second_run_finds_it_there(machine):
    fresh = machine(commands="swift python3 cc openssl ip make redis-check-rdb promtool chromium")
    assert fresh.run()[0] == 0
    calls = fresh.apt
    assert fresh.run() == (0, "", "") and fresh.apt == calls


def test_without_root_it_says_what_to_install(machine):
    user = machine(root=False, commands="swift python3 cc openssl ip make redis-server promtool")
    code, _, errors = user.run()
    assert code == 1 and user.apt == []
    assert f"apt-get install {TEST} chromium-headless-shell" in errors


def test_with_sudo_it_installs(machine):
    user = machine(root=False, sudo=True, lists=TEST)
    assert user.run()[0] == 0
    assert all(call.startswith(("sudo env", "sudo apt-get", "install", "update")) for call in user.apt) and user.apt


@pytest.mark.parametrize("root", [True, False])
def test_only_the_browser_is_missing_and_cannot_be_had(machine, root):
    """Ubuntu has no such package: the rest goes on, and the lists are not fetched again with every run."""
    ubuntu = machine(packages=TEST, lists=TEST, commands="swift python3 cc openssl ip make redis-server promtool", root=root)
    code, _, errors = ubuntu.run()
    assert code == 0 and "tests with a browser" in errors
    assert ubuntu.apt == []


def test_a_fresh_machine_with_sqlite_gets_a_browser(machine):
    """What is installed is known to apt without any lists, so it says nothing about them."""
    fresh = machine(packages=TEST, commands="swift python3 cc openssl ip make redis-server promtool")
    assert fresh.run() == (0, "setup: installing chromium-headless-shell\n", "")
    assert [call.split()[0] for call in fresh.apt] == ["update", "install"]


@pytest.mark.parametrize("root", [True, False])
def test_promtool_is_unpacked_once_and_nothing_is_installed(machine, root):
    """An installed prometheus would be a server that runs."""
    user = machine(packages=TEST, lists=TEST, commands="swift python3 cc openssl ip make redis-server chromium", root=root)
    code, said, errors = user.run()
    assert code == 0 and "promtool" in said and errors == ""
    assert user.apt == ["download -qq prometheus"]
    assert (user.folder / "project" / "build" / "tools" / "promtool").read_text() == "program"
    assert user.run() == (0, "", "") and len(user.apt) == 1


def test_packages_and_promtool_can_both_be_missing(machine):
    fresh = machine(commands="swift cc openssl ip make")
    assert fresh.run()[0] == 0
    assert [call.split()[0] for call in fresh.apt] == ["update", "install", "download"]
    assert (fresh.folder / "project" / "build" / "tools" / "promtool").exists()


def test_a_promtool_that_cannot_be_fetched_ends_nothing(machine):
    """The tests that need it say so."""
    alone = machine(packages=TEST, lists=TEST, commands="swift python3 cc openssl ip make redis-server chromium", offline=True)
    code, _, errors = alone.run()
    assert code == 0 and "tests of alert rules" in errors


def test_without_a_network_it_says_so(machine):
    alone = machine(offline=True)
    code, _, errors = alone.run()
    assert code == 1 and "Is there a network?" in errors and "zlib1g-dev" in errors


def test_old_lists_are_fetched_anew(machine):
    old = machine(lists="libsqlite3-dev")
    assert old.run("build")[0] == 0
    assert [call.split()[0] for call in old.apt] == ["install", "update", "install"]


def test_without_swift_it_says_where_to_get_it(machine):
    code, _, errors = machine(commands="python3").run()
    assert code == 1 and "swift.org/install" in errors


def test_elsewhere_it_says_what_is_needed(machine):
    code, said, _ = machine(debian=False).run()
    assert code == 0 and "Python 3" in said


def test_a_word_that_it_does_not_know(machine):
    code, _, errors = machine().run("everything")
    assert code == 2 and "usage" in errors
