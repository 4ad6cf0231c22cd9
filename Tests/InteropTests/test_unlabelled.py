"""Which functions Scripts/unlabelled.py counts."""

import importlib.util
import subprocess
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "Scripts" / "unlabelled.py"
SOURCE = '''
struct Window {
    // func old(_ a: Int, _ b: Int, _ c: Int)
    init(_ start: Int, _ end: Int, _ table: [String: Int]) {}
    func two(_ first: Int, _ second: (Int, Int), by third: Int, _ fourth: Int) {}
    func map<Key: Hashable, Value>(
        _ keys: Dictionary<Key, Value>, _ body: @escaping (Key, Value) -> Void, _ limit: Int = 3
    ) {}
    func last(named name: String, _ a: Int, _ b: inout [Int], @Reason _ c: Int) {}
}
'''


def script():
    spec = importlib.util.spec_from_file_location("unlabelled", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_three_unlabelled_parameters_in_a_row_count():
    assert list(script().functions(SOURCE)) == [(4, "init"), (6, "map"), (9, "last")]


def test_no_function_of_the_package_counts():
    """But one: the public initialiser of a permission, whose labels an app's code has."""
    result = subprocess.run([SCRIPT, "--list"], capture_output=True, text=True, check=True)
    *listed, target, total = result.stdout.splitlines()
    assert target.split() == ["1", "LifelineBackend"] and total.split() == ["1", "in", "all"], "\n".join(listed)
    assert len(listed) == 1 and listed[0].startswith("Sources/LifelineBackend/PubNub/PubNubPermissions.swift:")
