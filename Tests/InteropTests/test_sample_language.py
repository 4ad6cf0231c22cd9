"""What Scripts/sample-language.py finds in sources, and that a seed gives one sample."""

import importlib.util
import subprocess
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "Scripts" / "sample-language.py"
SOURCE = '''import NIOCore

/// Counts the messages of a channel.
/// Any thread may call it.
func count() {
    // Short.
    let pattern = "https://"
    fail("The port \\(port(of: "a b")) is in use: "
        + "choose another one.")
    fail("""
        The file cannot be read. \\
        Give another one.
        """)
}
'''


def script():
    spec = importlib.util.spec_from_file_location("sample_language", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_comments_are_blocks_with_the_code_below():
    assert list(script().comments(SOURCE)) == [(3, "Counts the messages of a channel.\nAny thread may call it.", "func count() {")]


def test_sentences_are_whole():
    found = list(script().sentences(SOURCE))
    assert [line for line, _ in found] == [8, 10]
    assert found[0][1].startswith("The port") and found[0][1].endswith("is in use: choose another one.")
    assert found[1][1] == "The file cannot be read. Give another one."


def test_rules_are_those_of_lists_and_of_tables():
    text = "- **AB-1** A rule\n  of two lines.\n\n| AB-2 | Another rule | decided |\n"
    assert list(script().rules(text)) == [(1, "AB-1 A rule of two lines."), (4, "AB-2 Another rule | decided")]


def test_a_seed_gives_one_sample():
    def printed(*options):
        return subprocess.run([SCRIPT, "--comments", "5", "--errors", "3", "--rules", "2", *options], capture_output=True, text=True, check=True, timeout=60).stdout

    first = printed("--seed", "7")
    assert first == printed("--seed", "7") != printed("--seed", "8")
    assert first.count("[ ] ") == 10 and all(title in first for title in ("COMMENTS\n", "ERRORS AND OUTPUT\n", "RULES\n"))
    assert "Sources/Identifiers/" in printed("--target", "Identifiers")
    wrong = subprocess.run([SCRIPT, "--target", "Nothing"], capture_output=True, text=True, timeout=60)
    assert wrong.returncode == 2 and "Sources/Nothing" in wrong.stderr
