#!/usr/bin/env python3
"""Counts the functions and initialisers with three or more unlabelled parameters in a row, by target.

At a call of such a function only the types and the order say what is what. Operators and closures' types are left out.

Usage: Scripts/unlabelled.py [--list] [TARGET...]

--list prints each of them with file and line.
"""
import re
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DECLARATION = re.compile(r"\b(?:func\s+(?P<name>\w+|`\w+`)|(?P<init>init)[?!]?)\s*(?:<[^(]*>)?\(")
LIMIT = 3


def parameters(text, start):
    """The parameters between the parenthesis before `start` and its partner."""
    depth, parts, part = 1, [], ""
    for character in text[start:]:
        if character in "([{<":
            depth += 1
        elif character in ")]}" or character == ">" and not part.endswith("-"):
            depth -= 1
            if depth == 0:
                break
        if character == "," and depth == 1:
            parts.append(part.strip())
            part = ""
        else:
            part += character
    return [part for part in parts + [part.strip()] if part]


def longest_run(names):
    """The most unlabelled parameters in a row."""
    longest = run = 0
    for name in names:
        run = run + 1 if re.match(r"(?:@\w+\s+)*_\s", name) else 0
        longest = max(longest, run)
    return longest


def functions(source):
    """Line and name of each such function of a source file."""
    # Comments would count as code; their lines stay.
    text = re.sub(r"//[^\n]*", "", source)
    for match in DECLARATION.finditer(text):
        if longest_run(parameters(text, match.end())) >= LIMIT:
            yield text.count("\n", 0, match.start()) + 1, match["name"] or "init"


def found(target):
    """File, line and name of each such function of a target."""
    for path in sorted((ROOT / "Sources" / target).rglob("*.swift")):
        for line, name in functions(path.read_text()):
            yield path.relative_to(ROOT), line, name


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--list"]
    targets = arguments or sorted(path.name for path in (ROOT / "Sources").iterdir() if path.is_dir())
    counts = Counter()
    for target in targets:
        for path, line, name in found(target):
            counts[target] += 1
            if "--list" in sys.argv:
                print(f"{path}:{line}: {name}")
    for target, count in counts.most_common():
        print(f"{count:5}  {target}")
    print(f"{counts.total():5}  in all")


if __name__ == "__main__":
    main()
