"""The demonstration adds up: `lifeline demo` plays all three services through outages and says so itself; docs/demo.svg shows a run of it."""

import re
import xml.etree.ElementTree as ElementTree

import pytest
from lifeline_harness import ROOT, Program, lifeline

PICTURE = ROOT / "docs" / "demo.svg"
SVG = "{http://www.w3.org/2000/svg}"


# On a busy machine attempts to connect take other turns than in the picture.
@pytest.mark.alone
def test_the_demonstration_adds_up_and_looks_as_in_its_picture(started):
    demo = started(Program, [lifeline(), "demo"])
    code = demo.wait(180)
    assert code == 0, "\n".join(demo.lines[-60:])
    assert sum(line.startswith("It adds up.") for line in demo.lines) == 3
    # Entries of a log would stand between the lines of the tables.
    assert demo.errors == []
    known = {shape(line) for line in demo.lines}
    unknown = [row for row in rows()[1:] if shape(row) not in known]
    assert unknown == [], "make picture"


def shape(line):
    """What a line has in common with that of another run: no times, counts and ports. Of a timeline's line: who, and the word."""
    numbers = re.sub(r"\d+(?:\.\d+)?", "0", " ".join(line.split()))
    timeline = re.match(r"0 (?:ann|ben|all|line) (?:sees \w+|\S+)", numbers)
    return timeline[0] if timeline else numbers


def rows():
    """The lines of the picture: the texts at one height, in order. A line that was wrapped is whole again."""
    found, heights = [], {}
    for text in ElementTree.parse(PICTURE).iter(f"{SVG}text"):
        if text.get("class") != "title":
            heights.setdefault(float(text.get("y")), []).append((float(text.get("x")), text.text))
    for _, texts in sorted(heights.items()):
        line, start = " ".join(text for _, text in sorted(texts)), min(texts)[0]
        if start > 200:
            found[-1] += " " + line
        else:
            found.append(line)
    return found


def test_the_picture_is_whole():
    lines = rows()
    assert lines[0] == "$ lifeline demo"
    assert lines[-1].startswith("It adds up.")
    assert sum("● " in line for line in lines) >= 3, "three outages"


def test_the_picture_needs_nothing_from_elsewhere_and_has_a_description():
    """It is shown as an image: a script or an address would not work there, and has no place in it."""
    root = ElementTree.parse(PICTURE).getroot()
    for element in root.iter():
        assert element.tag.removeprefix(SVG) in {"svg", "title", "desc", "style", "rect", "path", "text"}, element.tag
        assert not [name for name in element.attrib if name.startswith("on") or "href" in name]
    style = root.find(f"{SVG}style").text
    assert "url(" not in style and "@import" not in style
    assert "prefers-color-scheme: dark" in style
    assert root.get("role") == "img" and root.find(f"{SVG}title").text and root.find(f"{SVG}desc").text
    assert float(root.get("width")) <= 840
