#!/usr/bin/env python3
"""Keeps the tables of docs/metrics.md in step with the metrics that the sources define.

The type and the meaning of each metric come from the sources, where the meaning is also the HELP text of /metrics. Labels and the order of
rows are written by hand. A metric of the sources without a row, and a row without a metric, are errors."""

import argparse
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs" / "metrics.md"
TEXT = r'"((?:[^"\\\n]|\\.)*)"'
ROW = re.compile(r"^\| `lifeline_(\w+)` \| (\w+) \| ([^|]*)\|.*$", re.MULTILINE)
DEFINITION = re.compile(rf'"([a-z]+(?:_[a-z]+)*)",\s*(?:\.(\w+),\s*)?(?:help:\s*)?{TEXT}((?:\s*\+\s*{TEXT})*)')


def definitions(text):
    """Name, type and meaning of the metrics in a source; the type is None where the code around it decides."""
    for name, kind, first, rest, _ in DEFINITION.findall(text):
        meaning = first + "".join(re.findall(TEXT, rest))
        if meaning[:1].isalnum() and meaning[:1] == meaning[:1].upper() and meaning.endswith("."):
            yield name, kind or None, meaning


def defined():
    found = {}
    for path in sorted((ROOT / "Sources").rglob("*.swift")):
        text = path.read_text()
        if "PrometheusText" in text:
            found |= {name: (kind, meaning) for name, kind, meaning in definitions(text)}
    return found


def rewritten(text, metrics):
    """The document with the types and meanings of the sources, and what is wrong with its rows."""
    rows = {name for name, *_ in ROW.findall(text.partition("\n## Clients\n")[0])}
    problems = [f"lifeline_{name} has no row" for name in sorted(set(metrics) - rows)]
    problems += [f"lifeline_{name} is not in the sources" for name in sorted(rows - set(metrics))]

    def row(match):
        name, written, labels = match.groups()
        if name not in metrics:
            return match[0]
        kind, meaning = metrics[name]
        return f"| `lifeline_{name}` | {kind or written} | {labels}| {meaning} |"

    return ROW.sub(row, text), problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="change nothing; exit with 1 when the document differs")
    arguments = parser.parse_args()
    text = DOCUMENT.read_text()
    new, problems = rewritten(text, defined())
    if new != text:
        if arguments.check:
            problems.append("docs/metrics.md differs from the sources: run Scripts/metrics-table.py")
        else:
            DOCUMENT.write_text(new)
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
