"""Tools that others are tested with: they start without anything but Python, bash and OpenSSL, and say how they are used."""

import json
import os
import subprocess
import sys

import pytest
from lifeline_harness import TOOLS, free_port

PROGRAMS = sorted(path for path in TOOLS.rglob("*") if path.is_file() and os.access(path, os.X_OK))


def run(*words, **options):
    return subprocess.run(words, capture_output=True, text=True, timeout=120, **options)


def test_all_programs_are_there():
    names = {path.name for path in PROGRAMS}
    assert names >= {"faultproxy.py", "checker.py", "badinput.py", "certs.sh", "certs_check.sh", "netns.sh", "tunem.py", "herd_sim.py"}


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.name)
def test_says_how_it_is_used(path):
    # Without the packages of the tests: nothing of them may be needed.
    command = [sys.executable, "-I", "-S", str(path)] if path.suffix == ".py" and path.name != "badinput.py" else [str(path)]
    done = run(*command, "--help")
    assert path.name in done.stdout and done.returncode in (0, 2) and not done.stderr, done.stderr


def test_the_hostile_server_lists_its_cases():
    lines = [json.loads(line) for line in run(sys.executable, str(TOOLS / "badinput.py"), "list").stdout.splitlines()]
    kinds = [line["kind"] for line in lines]
    assert kinds.count("ws") == 120 and kinds.count("http") == 61
    assert len({(line["kind"], line["id"]) for line in lines}) == len(lines)


def test_openssl_agrees_with_the_certificates(tmp_path):
    made = run(str(TOOLS / "certs.sh"), str(tmp_path / "certs"))
    assert made.returncode == 0 and "28 cases" in made.stdout, made.stderr
    checked = run(str(TOOLS / "certs_check.sh"), str(tmp_path / "certs"), env={**os.environ, "PORT": str(free_port())})
    assert checked.stdout.splitlines()[-1] == "27 passed, 0 failed", checked.stdout


def test_certificates_do_not_overwrite_a_folder_with_other_files(tmp_path):
    (tmp_path / "mine").write_text("x")
    assert run(str(TOOLS / "certs.sh"), str(tmp_path)).returncode == 2
    assert (tmp_path / "mine").exists()


def test_the_simulation_of_a_herd():
    lines = run(sys.executable, str(TOOLS / "herd_sim.py"), "50").stdout.splitlines()
    assert sum(line.startswith("Lifeline: ") for line in lines) == 3
