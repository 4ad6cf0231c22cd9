#!/usr/bin/env python3
"""The public API of this package's libraries: records it, checks it, and compares that of two commits.

  Scripts/api.py record             writes Tests/API/MODULE.api from the debug build; make api builds first
  Scripts/api.py check              compares the debug build with these files: 0 when they are the same, 1 when not
  Scripts/api.py compare OLD [NEW]  compares the files of two commits (NEW: the work tree): 0 when nothing breaks, 1 when something does

A file has a line for each public declaration and each conformance, sorted. It is made of symbol graphs, on Linux: what is declared on Apple
platforms only is not in it. What a library exports of other modules is in the library's file, behind the name of its module.

These break programs that compile: what is removed or changed, a new case of an enumeration, a new requirement of a protocol.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDER = Path("Tests/API")
# Every type conforms to these without a word.
IMPLIED = {"SendableMetatype", "Copyable", "Escapable", "BitwiseCopyable"}
EXPORT = re.compile(r"^\s*@_exported import (?:\w+ )?(\w+)(?:\.(\w+))?$", re.M)


class Failure(Exception):
    pass


def run(*words):
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise Failure(f"{' '.join(words[:4])} failed: {done.stderr.strip()[-2000:]}")
    return done.stdout


# What there is.

def library_modules():
    """The modules of the package's libraries."""
    package = json.loads(run("swift", "package", "dump-package"))
    libraries = [product for product in package["products"] if "library" in product["type"]]
    return sorted({target for product in libraries for target in product["targets"]})


def exports(module):
    """What a module exports of others in this package: pairs of a module and a name in it, or None for all of it."""
    found = []
    for file in sorted((ROOT / "Sources" / module).rglob("*.swift")):
        found += [pair for pair in EXPORT.findall(file.read_text()) if (ROOT / "Sources" / pair[0]).is_dir()]
    return [(other, name or None) for other, name in found]


def module_maps(built):
    """Arguments with the maps of the C modules that a debug build needs, its own and those of checkouts."""
    places = [*(ROOT / ".build" / "checkouts").glob("*/Sources"), ROOT / "Sources"]
    maps = [file for place in places for file in place.rglob("module.modulemap") if "Tests" not in str(file)]
    maps += [file for pattern in ("*.modulemap", "*/*.modulemap", "*/*/*.modulemap") for file in built.glob(pattern)
             if "Tests" not in str(file) and "tool" not in file.relative_to(built).as_posix()]
    return [word for file in sorted(maps) for word in ("-Xcc", f"-fmodule-map-file={file}")]


def symbol_graphs(modules, built, folder):
    """Extracts the graphs of these modules and returns for each its own and those of its extensions of other modules."""
    target = json.loads(run("swiftc", "-print-target-info"))["target"]["unversionedTriple"]
    graphs, maps = {}, module_maps(built)
    for module in modules:
        if not (built / "Modules" / f"{module}.swiftmodule").exists():
            raise Failure(f"{module} is not built: run make api, or swift build.")
        run("swift", "symbolgraph-extract", "-module-name", module, "-I", str(built / "Modules"), *maps, "-target", target,
            "-minimum-access-level", "public", "-skip-inherited-docs", "-skip-synthesized-members",
            "-module-cache-path", str(folder / "cache"), "-output-dir", str(folder))
        files = [folder / f"{module}.symbols.json", *sorted(folder.glob(f"{module}@*.symbols.json"))]
        graphs[module] = [json.loads(file.read_text()) for file in files]
    return graphs


def lines(graphs, only=None, prefix=""):
    """Declarations and conformances of a module's graphs; only those of one declaration and its members when it is named."""
    found = set()
    for graph in graphs:
        symbols = {symbol["identifier"]["precise"]: symbol for symbol in graph["symbols"]}
        needed = {edge["source"] for edge in graph["relationships"] if edge["kind"] in ("requirementOf", "optionalRequirementOf")}
        for precise, symbol in symbols.items():
            if only in (None, symbol["pathComponents"][0]):
                text = " ".join("".join(part["spelling"] for part in symbol["declarationFragments"]).split())
                found.add(f"{prefix}{path(symbol)}: {'requirement ' if precise in needed else ''}{text}")
        for edge in graph["relationships"]:
            symbol = symbols.get(edge["source"])
            if edge["kind"] in ("conformsTo", "inheritsFrom") and symbol and only in (None, symbol["pathComponents"][0]):
                target = symbols.get(edge["target"])
                name = path(target) if target else edge.get("targetFallback", "").removeprefix("Swift.")
                if name not in IMPLIED:
                    found.add(f"{prefix}{path(symbol)} : {name}")
    return found


def path(symbol):
    return ".".join(symbol["pathComponents"])


def current():
    """The lines of each library's module in the debug build."""
    modules = library_modules()
    exported = {module: exports(module) for module in modules}
    others = {other for pairs in exported.values() for other, _ in pairs}
    with tempfile.TemporaryDirectory(prefix="lifeline-api-") as folder:
        graphs = symbol_graphs(sorted({*modules, *others}), ROOT / ".build" / "debug", Path(folder))
    listings = {}
    for module in modules:
        found = lines(graphs[module])
        for other, name in exported[module]:
            found |= lines(graphs[other], only=name, prefix=f"{other}.")
        listings[module] = sorted(found)
    return listings


def recorded():
    return {file.stem: file.read_text().splitlines() for file in sorted((ROOT / FOLDER).glob("*.api"))}


def committed(commit):
    names = run("git", "ls-tree", "--name-only", commit, f"{FOLDER}/").split()
    if not names:
        raise Failure(f"{commit} has no {FOLDER}: it is older than this script.")
    return {Path(name).stem: run("git", "show", f"{commit}:{name}").splitlines() for name in names if name.endswith(".api")}


# What has changed.

class Difference:
    """What is new in one module, and what is gone."""

    def __init__(self, module, old, new):
        self.module = module
        self.removed, self.added = sorted(set(old) - set(new)), sorted(set(new) - set(old))
        gone = {line.split(": ")[0]: line for line in self.removed}
        self.types_before = {line.split(": ")[0] for line in old}

        def has_changed(line):
            return ": " in line and " : " not in line and line.split(": ")[0] in gone

        self.changed = [(gone[line.split(": ")[0]], line) for line in self.added if has_changed(line)]
        befores, afters = {before for before, _ in self.changed}, {after for _, after in self.changed}
        self.removed = [line for line in self.removed if line not in befores]
        self.added = [line for line in self.added if line not in afters]

    def __bool__(self):
        return bool(self.removed or self.added or self.changed)

    def breaks_although_new(self, line):
        """A case of an enumeration, or a requirement of a protocol, that was there before."""
        name, _, text = line.partition(": ")
        return re.match(r"(?:case|requirement) ", text) is not None and name.rpartition(".")[0] in self.types_before

    @property
    def breaks(self):
        return bool(self.removed or self.changed or any(map(self.breaks_although_new, self.added)))

    def show(self):
        print(f"{self.module}:")
        for line in self.removed:
            print(f"  removed (breaks): {line}")
        for before, after in self.changed:
            print(f"  changed (breaks): {before}")
            print(f"               now: {after}")
        for line in self.added:
            print(f"  added{' (breaks)' if self.breaks_although_new(line) else ''}: {line}")


def differences(old, new):
    found = [Difference(module, old.get(module, []), new.get(module, [])) for module in sorted({*old, *new})]
    found = [difference for difference in found if difference]
    for difference in found:
        difference.show()
    return found


# Commands.

def record(_):
    folder = ROOT / FOLDER
    folder.mkdir(exist_ok=True)
    listings = current()
    for file in folder.glob("*.api"):
        if file.stem not in listings:
            file.unlink()
    for module, found in listings.items():
        (folder / f"{module}.api").write_text("".join(f"{line}\n" for line in found))
    print(f"{sum(map(len, listings.values()))} lines of {len(listings)} modules in {FOLDER}")
    return 0


def check(_):
    found = differences(recorded(), current())
    if found:
        print(f"The public API is not what {FOLDER} says. If this is meant, run make api, and say in CHANGELOG.md what has changed.")
    return 1 if found else 0


def compare(options):
    found = differences(committed(options.old), committed(options.new) if options.new else recorded())
    breaking = [difference.module for difference in found if difference.breaks]
    print(f"Breaks programs that use {', '.join(breaking)}." if breaking else "Nothing breaks.")
    return 1 if breaking else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("record").set_defaults(act=record)
    commands.add_parser("check").set_defaults(act=check)
    comparison = commands.add_parser("compare")
    comparison.add_argument("old")
    comparison.add_argument("new", nargs="?")
    comparison.set_defaults(act=compare)
    options = parser.parse_args()
    try:
        return options.act(options)
    except Failure as failure:
        print(f"api.py: {failure}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # Whoever read this has seen enough.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


if __name__ == "__main__":
    sys.exit(main())
