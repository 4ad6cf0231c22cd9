#!/usr/bin/env python3
"""Lists the tests of rules, limits, attacks and hazards: the index of proofs, made from the tests.

A test proves a rule of docs/rules or a row of docs/proof.md when its name has the identifier, such as `HB-61` or `X9`, or when a comment
"Proof of HB-61, X9." is directly above it. Where no test does, the files are listed that mention the identifier.
Without identifiers the index has all of them."""

import argparse
import html
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RULE = r"[A-Z]{2}-\d+"
IDENTIFIER = re.compile(rf"(?<![\w-])({RULE}|[XHPGU]\d{{1,2}})(?![\w-])")
COMMENT = r"^[ \t]*(?://|#) Proof of (?P<claim>.+)\.$"
NAMES = {
    ".py": re.compile(rf"{COMMENT}|^[ \t]*(?:async )?def (?P<function>test_\w+)\(", re.M),
    ".swift": re.compile(
        rf'{COMMENT}|@Test\(\s*"(?P<title>(?:[^"\\\n]|\\.)+)"|func `(?P<sentence>[^`]+)`\(|@Test\b[^"\n]*\bfunc (?P<function>\w+)\(', re.M),
}


def files():
    return sorted(path for path in (ROOT / "Tests").rglob("*") if path.suffix in NAMES and ".build" not in path.parts)


def tests(path):
    """The tests of a file: each name with the identifiers that the name or the comment above it has."""
    claimed = []
    for match in NAMES[path.suffix].finditer(path.read_text()):
        kind = match.lastgroup
        if kind == "claim":
            claimed = IDENTIFIER.findall(match[kind])
        else:
            yield match[kind], [*claimed, *IDENTIFIER.findall(match[kind])]
            claimed = []


def claims():
    """The identifiers in all comments "Proof of …"."""
    return {word for path in files() for claim in re.findall(COMMENT, path.read_text(), re.M) for word in IDENTIFIER.findall(claim)}


def index():
    """For each identifier its tests as file and name; the name is None where a file only mentions it."""
    found, mentioned = {}, {}
    for path in files():
        for name, identifiers in tests(path):
            for identifier in dict.fromkeys(identifiers):
                found.setdefault(identifier, []).append((path, name))
        for identifier in dict.fromkeys(re.findall(rf"\b{RULE}\b", path.read_text())):
            mentioned.setdefault(identifier, []).append((path, None))
    return {**mentioned, **found}


def order(identifier):
    return re.sub(r"\d+", lambda number: number[0].zfill(5), identifier)


def lines(proofs, identifiers):
    for identifier in identifiers:
        yield identifier
        for path, name in proofs[identifier]:
            yield f"    {path.relative_to(ROOT)}" + (f": {name}" if name else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("identifiers", nargs="*", metavar="ID", help="a rule such as HB-61, or a row of docs/proof.md such as X9")
    parser.add_argument("--html", metavar="FILE", help="write a page instead of printing")
    arguments = parser.parse_args()
    proofs = index()
    unknown = [identifier for identifier in arguments.identifiers if identifier not in proofs]
    if unknown:
        sys.exit(f"proofs: no test names {', '.join(unknown)}.")
    text = "\n".join(lines(proofs, arguments.identifiers or sorted(proofs, key=order)))
    if arguments.html:
        Path(arguments.html).write_text(f"<!doctype html><meta charset=\"utf-8\"><title>Index of proofs</title><pre>{html.escape(text)}</pre>\n")
    else:
        print(text)


if __name__ == "__main__":
    main()
