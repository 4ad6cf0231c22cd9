#!/usr/bin/env python3
"""Prints the licences of all that is in the program: its own, and those of the packages whose modules are linked, found by the list of objects.

Usage: Scripts/dist/licences.py Objects.LinkFileList
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Libraries that the toolchain brings, without files of licences of their own.
RUNTIME = """Swift's standard library, Foundation and Dispatch (swift.org): Apache License 2.0 with Runtime Library Exception.
Parts of Foundation are data and code of ICU (unicode.org): Unicode License V3.
SQLite and zlib are not part of the program: it uses those of the system."""


def modules(objects):
    return set(re.findall(r"/([^/]+)\.build/", objects.read_text()))


def has_one(checkout, names):
    """Whether one of the modules is a folder of the package's sources."""
    folders = {path.name for pattern in ("*", "Sources/*") for path in checkout.glob(pattern) if path.is_dir()}
    return bool(folders & names)


def texts(checkout):
    """The files of licences and notices of a package."""
    found = [path for path in checkout.iterdir() if path.is_file() and re.match(r"(?i)(licen[cs]e|notice|copyright)", path.name)]
    return sorted(found, key=lambda path: path.name.lower())


def section(title, text):
    return f"{'=' * 78}\n{title}\n{'=' * 78}\n\n{text.strip()}\n"


def main():
    names = modules(Path(sys.argv[1]))
    checkouts = [path for path in sorted((ROOT / ".build" / "checkouts").iterdir(), key=lambda path: path.name.lower()) if has_one(path, names)]
    apache = (ROOT / "LICENSE").read_text()
    known = " ".join(apache.split())[:9000]
    print("What the program lifeline is made of, and under which licences.\n")
    print(section("Lifeline", apache))
    print(section("Libraries of the toolchain", RUNTIME))
    missing = [checkout.name for checkout in checkouts if not texts(checkout)]
    if missing or len(checkouts) < 5:
        sys.exit(f"no licence found for {missing}, among {len(checkouts)} packages")
    for checkout in checkouts:
        parts = []
        for file in texts(checkout):
            text = file.read_text()
            # The licence above is not printed once for each package.
            parts.append("Apache License 2.0, as above." if " ".join(text.split())[:9000] == known else text.strip())
        print(section(checkout.name, "\n\n".join(parts)))


main()
