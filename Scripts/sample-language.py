#!/usr/bin/env python3
"""Prints a sample of the comments, error texts and rules of this package, for a reader who does not know the code.

The reader marks each entry that cannot be understood from the entry alone: a subject that is not named, a word that is not the field's
term, a sentence that needs a second reading. Each entry has its file and line; a comment also has the line of code below it. The same seed
on the same sources gives the same sample.
"""
import argparse
import random
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COMMENT = re.compile(r"^\s*///? ?(.*)$")
# A literal on one line, with interpolations of one level, and a literal over several lines.
LITERAL = re.compile(r'"""\n(.*?)"""|"((?:\\\((?:[^()]|\([^()]*\))*\)|\\.|[^"\\\n])*)"', re.S)
JOINED = re.compile(r"\s*\+\s*$")
# Begins with a capital or an interpolation, ends as a sentence does, and is no command of SQL.
SENTENCE = re.compile(r"(?!(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|PRAGMA|WHERE|AND) )[A-Z\\].*[.!?]$", re.S)
RULE = re.compile(r"^(?:- |\| )(?:\*\*)?([A-Z]{2}-\d+)(?:\*\*)?(?: \| | )(.*)$")
LEAST_WORDS = 4


def comments(text):
    """Each block of comment lines: its first line, its text, and the line of code below it."""
    lines = text.splitlines()
    number = 0
    while number < len(lines):
        first, words = number, []
        while number < len(lines) and (match := COMMENT.match(lines[number])):
            words.append(match[1])
            number += 1
        if not words:
            number += 1
        elif len(" ".join(words).split()) >= LEAST_WORDS and not words[0].startswith("swift-"):
            yield first + 1, "\n".join(words).strip(), lines[number].strip() if number < len(lines) else ""


def sentences(text):
    """Each literal that is a sentence, with its line. Literals that are joined with + are one text."""
    code = "\n".join("" if COMMENT.match(line) else line for line in text.splitlines()) + "\n"
    found, end = [], -1
    for match in LITERAL.finditer(code):
        words = match[1].replace("\\\n", " ") if match[1] is not None else match[2]
        if found and JOINED.fullmatch(code[end:match.start()] or "x"):
            found[-1] = (found[-1][0], found[-1][1] + words)
        else:
            found.append((code.count("\n", 0, match.start()) + 1, words))
        end = match.end()
    for line, words in ((line, " ".join(words.split())) for line, words in found):
        if len(words.split()) >= LEAST_WORDS and SENTENCE.match(words):
            yield line, words


def rules(text):
    """Each rule with its line. Lines below a rule of a list belong to it."""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if match := RULE.match(line):
            words = [f"{match[1]} {match[2].strip(' |')}"]
            while line.startswith("- ") and number + 1 < len(lines) and lines[number + 1].startswith("  "):
                number += 1
                words.append(lines[number].strip())
            yield lines.index(line) + 1, " ".join(words)


def sample(kind, files, count, chance):
    """Up to `count` entries of all files, as places and texts."""
    entries = [(file, entry) for file in files for entry in kind(file.read_text())]
    return chance.sample(entries, min(count, len(entries)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1, help="which sample (default: 1)")
    parser.add_argument("--comments", type=int, default=100, metavar="N", help="how many comments (default: 100)")
    parser.add_argument("--errors", type=int, default=50, metavar="N", help="how many sentences of errors and other output (default: 50)")
    parser.add_argument("--rules", type=int, default=0, metavar="N", help="how many rules of docs/ (default: 0)")
    parser.add_argument("--target", default="*", metavar="NAME", help="only comments and errors of one folder of Sources")
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)
    sources = sorted(ROOT.glob(f"Sources/{arguments.target}/**/*.swift"))
    if not sources:
        parser.error(f"there is no folder Sources/{arguments.target} with Swift files")
    documents = sorted(ROOT.glob("docs/**/*.md"))
    for title, kind, files, count in (
            ("COMMENTS", comments, sources, arguments.comments), ("ERRORS AND OUTPUT", sentences, sources, arguments.errors),
            ("RULES", rules, documents, arguments.rules)):
        for number, (file, (line, text, *code)) in enumerate(sample(kind, files, count, chance), 1):
            print(f"{title}\n" if number == 1 else "", end="")
            print(f"[ ] {number}. {file.relative_to(ROOT)}:{line}")
            print("\n".join(f"    {each}" for each in [*text.splitlines(), *(f"> {each}" for each in code if each)]) + "\n")


if __name__ == "__main__":
    main()
