"""Scripts/mutate.py on a small source: where it changes what, and that each change can be switched on in a program."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Scripts"))
import mutate  # noqa: E402

SOURCE = """
struct Window {
    var size = 2
    var log: [String] = []

    // No rule is named here.
    func free(_ count: Int) -> Bool { count < 7 }

    // Rule XY-1: a window has room for `size` entries; 3 < 4 && 5 == 6 in a comment is no code.
    func hasRoom(_ count: Int) -> Bool {
        let text = "a < b && c"
        return count < size && !text.isEmpty
    }

    // Rule XY-2
    mutating func add(_ name: String) {
        guard hasRoom(log.count) else { return }
        if name.isEmpty { return }
        note(name)
    }

    mutating func note(_ name: String) { log.append(name) }
}
"""
PROGRAM = """
var window = Window()
for name in ["a", "", "b", "c"] { window.add(name) }
print(window.log.joined(separator: ","), window.hasRoom(2))
"""


def changes():
    found = list(mutate.candidates("Sources/Demo/Window.swift", SOURCE))
    return [
        mutate.Mutation(number, "Sources/Demo/Window.swift", line + 1, column, kind, rule, before, after)
        for number, (line, column, kind, rule, before, after) in enumerate(found, 1)
    ]


def test_only_code_below_a_rule_is_changed():
    assert [(change.kind, change.rule, change.before, change.after) for change in changes()] == [
        ("operator", "XY-1", "return count < size && !text.isEmpty", "<="),
        ("operator", "XY-1", "return count < size && !text.isEmpty", "||"),
        ("condition", "XY-2", "guard hasRoom(log.count) else { return }", "always"),
        ("condition", "XY-2", "if name.isEmpty { return }", "never"),
        ("call", "XY-2", "note(name)", "nothing"),
    ]


@pytest.mark.parametrize("text", ['let a = "x < y"', '// x < y', '/* x < y */', '#"x < "y"#', '"""\nx < y\n"""', '"\\" < "'])
def test_text_and_comments_are_no_code(text):
    bare = mutate.blanked(f"{text}\nq < r")
    assert len(bare) == len(text) + 6 and bare.count("<") == 1 and bare.endswith("\nq < r")


def test_operators_have_names_of_their_own():
    names = [mutate.symbol(number) for number in range(7776)]
    assert len(set(names)) == 7776


def test_the_suites_of_all_modules_are_there():
    modules = {path.name for path in (ROOT / "Sources").iterdir() if path.is_dir()}
    assert set(mutate.SUITES) <= modules
    suites = mutate.targets(suite for names in mutate.SUITES.values() for suite in names)
    assert [name for name in suites if not (ROOT / "Tests" / name).is_dir()] == []


@pytest.mark.parametrize("suites", [["LifelineCommandTests"], [suite for names in mutate.SUITES.values() for suite in names]], ids=["one", "all"])
def test_targets_keep_what_they_depend_on(suites):
    """A build for some test targets leaves out programs; not those that the tests depend on."""
    def targets(**environment):
        done = subprocess.run(
            ["swift", "package", "dump-package"], cwd=ROOT, env={**os.environ, **environment}, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        return {target["name"]: target for target in json.loads(done.stdout)["targets"]}

    kept = targets(LIFELINE_TEST_TARGETS=",".join(mutate.targets(suites)))
    needed = {dependency["byName"][0] for target in kept.values() for dependency in target["dependencies"] if "byName" in dependency}
    assert sorted(needed & (targets().keys() - kept.keys())) == []


def test_no_module_with_rules_is_left_out():
    def has_rules(module):
        return any(mutate.ruled_lines(path.read_text()) for path in (ROOT / "Sources" / module).rglob("*.swift"))

    # What tests are made with, and descriptions that Python tests compare with the server.
    others = {"EngineTesting", "LifelineTesting", "StoreConformance", "ServerDescriptions"}
    left_out = {path.name for path in (ROOT / "Sources").iterdir() if path.is_dir()} - set(mutate.SUITES) - others
    assert [module for module in sorted(left_out) if has_rules(module)] == []


def test_each_change_is_switched_on_by_its_number(tmp_path):
    # One change of a line at a time, as in a run.
    every = [change for change in changes() if change.after != "||"]
    (tmp_path / "Window.swift").write_text(mutate.rewritten(SOURCE, every))
    (tmp_path / "Switch.swift").write_text(mutate.switch(every))
    (tmp_path / "main.swift").write_text(PROGRAM)
    done = subprocess.run(
        ["swiftc", "-o", "demo", "main.swift", "Switch.swift", "Window.swift"], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr

    def run(number):
        return subprocess.run([tmp_path / "demo"], env={"LIFELINE_MUTATION": str(number)}, capture_output=True, text=True, timeout=60).stdout

    assert run(0) == "a,b false\n"
    said = {change.after: run(change.number) for change in every}
    assert said == {"<=": "a,b,c true\n", "always": "a,b,c false\n", "never": "a, false\n", "nothing": " false\n"}
