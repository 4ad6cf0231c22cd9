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


def test_a_run_counts_the_sources_of_a_target():
    result = subprocess.run([SCRIPT, "--list", "ServerRuntime"], capture_output=True, text=True, check=True)
    *listed, target, total = result.stdout.splitlines()
    assert target.split() == [str(len(listed)), "ServerRuntime"] and total.split() == [str(len(listed)), "in", "all"]
    assert all(line.startswith("Sources/ServerRuntime/") for line in listed)
