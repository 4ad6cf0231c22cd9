"""Every fuzz target has seeds and a row in Fuzz/README.md, and every folder of seeds and every dictionary has a target."""

import pathlib
import re

FUZZ = pathlib.Path(__file__).resolve().parents[2] / "Fuzz"
# Seeds are beginnings. libFuzzer takes longer over long inputs, and a clone contains them all.
LONGEST_SEED = 8192


def targets():
    return {
        name
        for file in (FUZZ / "Sources").glob("*.swift")
        for name in re.findall(r'FuzzTarget\(name: "([a-z-]+)"', file.read_text())
    }


def test_each_target_has_seeds_and_a_row():
    rows = set(re.findall(r"`([a-z-]+)`", " ".join(re.findall(r"^\| (`.*?) \|", (FUZZ / "README.md").read_text(), re.M))))
    assert len(targets()) > 20
    assert targets() == rows == {folder.name for folder in (FUZZ / "Seeds").iterdir()}
    assert {file.stem for file in (FUZZ / "Dictionaries").glob("*.dict")} - {"common"} <= targets()


def test_seeds_are_few_and_short():
    for folder in (FUZZ / "Seeds").iterdir():
        sizes = [file.stat().st_size for file in folder.iterdir()]
        assert 1 <= len(sizes) <= 64 and max(sizes) <= LONGEST_SEED, folder.name
