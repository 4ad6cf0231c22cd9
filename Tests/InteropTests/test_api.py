"""The public API: what the build has is recorded, and what breaks is found (Scripts/api.py)."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "Scripts" / "api.py"
BEFORE = """\
Sample : Sendable
Sample: struct Sample
Sample.count: var count: Int { get }
Sample.size(of:): func size(of name: String) -> Int
Kind: enum Kind
Kind.one: case one
Store: protocol Store
Store.close(): requirement func close()
"""


def run(*words, cwd=ROOT):
    done = subprocess.run(words, cwd=cwd, capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout + done.stderr


def test_the_public_api_is_the_recorded_one():
    """When this fails and the change is meant: make api, and a line in CHANGELOG.md."""
    assert run(str(SCRIPT), "check") == (0, "")


@pytest.fixture
def compared(tmp_path):
    """The outcome of comparing an API with what a change makes of it, as commits of a repository of its own."""
    (tmp_path / "Scripts").mkdir()
    (tmp_path / "Tests" / "API").mkdir(parents=True)
    shutil.copy(SCRIPT, tmp_path / "Scripts")
    file = tmp_path / "Tests" / "API" / "Sample.api"

    def git(*words):
        code, said = run("git", "-c", "user.name=t", "-c", "user.email=t@example.invalid", "-c", "commit.gpgsign=false", *words, cwd=tmp_path)
        assert code == 0, said
        return said.strip()

    def commit(content):
        file.write_text(content)
        git("add", "-A")
        git("commit", "-q", "--allow-empty", "-m", "c")
        return git("rev-parse", "HEAD")

    git("init", "-q")
    old = commit(BEFORE)

    def compare(before, after, in_work_tree=False):
        assert before in BEFORE
        content = BEFORE.replace(before, after)
        if in_work_tree:
            file.write_text(content)
            return run("Scripts/api.py", "compare", old, cwd=tmp_path)
        return run("Scripts/api.py", "compare", old, commit(content), cwd=tmp_path)

    return compare


@pytest.mark.parametrize("before,after,told", [
    ("Sample.count: var count: Int { get }\n", "", "removed (breaks): Sample.count: var count: Int { get }"),
    ("Sample : Sendable\n", "", "removed (breaks): Sample : Sendable"),
    ("-> Int", "-> UInt", "now: Sample.size(of:): func size(of name: String) -> UInt"),
    ("Kind.one: case one\n", "Kind.one: case one\nKind.two: case two\n", "added (breaks): Kind.two: case two"),
    ("Store.close(): requirement func close()\n", "Store.close(): requirement func close()\nStore.open(): requirement func open()\n",
     "added (breaks): Store.open(): requirement func open()"),
])
@pytest.mark.parametrize("in_work_tree", [False, True])
def test_what_breaks_is_named(compared, before, after, told, in_work_tree):
    code, said = compared(before, after, in_work_tree)
    assert code == 1 and told in said and "Breaks programs that use Sample." in said, said


@pytest.mark.parametrize("after", [
    BEFORE, BEFORE + "Sample.other: let other: Int\n", BEFORE + "Sample : Equatable\n", BEFORE + "New: enum New\nNew.one: case one\n",
    BEFORE + "Fresh: protocol Fresh\nFresh.run(): requirement func run()\n"])
def test_what_is_new_breaks_nothing(compared, after):
    code, said = compared(BEFORE, after)
    assert code == 0 and said.endswith("Nothing breaks.\n") and "breaks)" not in said, said
    assert said.count("  added: ") == after.count("\n") - BEFORE.count("\n")


def test_a_commit_without_a_record_is_told(tmp_path):
    (tmp_path / "Scripts").mkdir()
    shutil.copy(SCRIPT, tmp_path / "Scripts")
    run("git", "init", "-q", cwd=tmp_path)
    code, said = run("Scripts/api.py", "compare", "HEAD", cwd=tmp_path)
    assert code == 2 and said.startswith("api.py: git ls-tree")
