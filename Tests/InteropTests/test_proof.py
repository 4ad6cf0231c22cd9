"""Rules, limits, attacks and hazards have tests: what Scripts/proofs.py finds is complete."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = (ROOT / "docs" / "rules" / "limits.md", ROOT / "docs" / "rules" / "pusherswift.md")
sys.path.insert(0, str(ROOT / "Scripts"))
import proofs  # noqa: E402


def rows():
    return [row for page in PAGES for row in re.findall(r"^\| ([XHPGU]\d+) \|", page.read_text(), re.M)]


def test_every_row_has_tests():
    assert rows() == [f"{kind}{n}" for kind, count in (("X", 14), ("H", 10), ("P", 12), ("G", 9), ("U", 14)) for n in range(1, count + 1)]
    known = proofs.index()
    assert [row for row in rows() if row not in known] == []


def test_comments_name_rows_and_rules():
    """What a comment "Proof of …" names is a row, or a rule of docs/."""
    rules = {rule for page in (ROOT / "docs").rglob("*.md") for rule in re.findall(rf"^(?:- |\| )(?:\*\*)?({proofs.RULE})\b", page.read_text(), re.M)}
    assert len(proofs.claims()) > 100, "the search finds what it is for"
    assert sorted(proofs.claims() - rules - set(rows())) == []


def test_names_and_comments_are_read(tmp_path):
    swift, python = tmp_path / "A.swift", tmp_path / "test_a.py"
    swift.write_text("""
    // Proof of HB-1, X2.
    @Test(
        "A name (SP-3)", arguments: [1])
    func a(n: Int) {}
    @Test func `LL-4: another`() {}
    @Test func plain() {}
""")
    python.write_text("# Proof of SV-5.\n@pytest.mark.x\ndef test_b():\n    pass\n")
    assert list(proofs.tests(swift)) == [("A name (SP-3)", ["HB-1", "X2", "SP-3"]), ("LL-4: another", ["LL-4"]), ("plain", [])]
    assert list(proofs.tests(python)) == [("test_b", ["SV-5"])]
