"""docs/proof.md names tests that there are."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "proof.md"


def rows():
    """The first cell of each row, and its tests as file and name."""
    files = {path.name: path for path in (ROOT / "Tests").rglob("*") if path.suffix in (".py", ".swift")}
    for line in PAGE.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if not line.startswith("|") or cells[-1] == "tests" or set(line) <= set("|-"):
            continue
        named, file = [], None
        for word in re.findall(r"`([^`]+)`", cells[-1]):
            if word in files:
                file = files[word]
            else:
                assert file and not word.endswith((".py", ".swift")), f"{word} in {cells[0]}: no such file"
                named.append((file, word))
        yield cells[0].strip("| "), named


def test_every_name_stands_in_its_file():
    missing = [(file.name, name) for _, named in rows() for file, name in named if not stands_in(file, name)]
    assert missing == []


def stands_in(file, name):
    text = file.read_text()
    if file.suffix == ".py" and name.startswith("test_"):
        return f"def {name}(" in text
    return f'"{name}' in text or f":{name}" in text or f"`{name}`" in text


def test_every_row_has_tests():
    proved = {row: named for row, named in rows()}
    assert all(proved.values()), [row for row, named in proved.items() if not named]
    assert [row for row in proved if row.startswith("X")] == [f"X{n}" for n in range(1, 15)]
    numbers = [int(row.split()[0]) for row, _ in rows() if row.split()[0].isdigit()]
    assert numbers == [*range(1, 11), *range(1, 13)]
