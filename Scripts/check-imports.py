#!/usr/bin/env python3
"""Compares what each target of Package.swift declares as its dependencies with what its sources import.

A target may import only what it declares, and declares only what it imports: otherwise a build works by the order in which modules are
compiled, and a stranger reads a wrong map. Prints one line for each difference, and exits with 1 when there is any.

Usage: Scripts/check-imports.py
"""
import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Dependencies without an import: they fail to compile with a sentence that names the trait that is missing.
WITHOUT_IMPORT = {("ChatDatabase", "ChatRequirements"), ("HubStorage", "ServerRequirements"), ("LifelineOutbox", "OutboxRequirements")}
IMPORT = re.compile(
    r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|private|fileprivate)\s+)?import\s+"
    r"(?:(?:struct|class|enum|protocol|func|typealias|let|var)\s+)?(\w+)",
    re.MULTILINE,
)


def manifest() -> dict:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("LIFELINE_")}
    text = subprocess.run(
        ["swift", "package", "--ignore-lock", "dump-package"], cwd=ROOT, env=environment, check=True, capture_output=True, text=True
    ).stdout
    return json.loads(text)


def declared(target: dict) -> set[str]:
    """The names of modules that a target declares. A product of another package has the name of its module here."""
    names = set()
    for dependency in target["dependencies"]:
        for kind in ("byName", "target", "product"):
            if kind in dependency:
                names.add(dependency[kind][0])
    return names


def folder(target: dict) -> Path:
    if target.get("path"):
        return ROOT / target["path"]
    return ROOT / ("Tests" if target["type"] == "test" else "Sources") / target["name"]


def imported(target: dict) -> set[str]:
    base, names = folder(target), set()
    only = target.get("sources")
    files = [base / name for name in only] if only else base.rglob("*.swift")
    for file in files:
        if any(part.endswith(".docc") for part in file.relative_to(base).parts):
            continue
        names.update(IMPORT.findall(file.read_text()))
    return names


def differences() -> list[tuple[str, str, str]]:
    """Target, module, and what is wrong: "missing" or "unused"."""
    package = manifest()
    targets = [target for target in package["targets"] if target["type"] != "system"]
    modules = {target["name"] for target in package["targets"]}
    for target in targets:
        modules |= declared(target)
    found = []
    for target in targets:
        names, used = declared(target), imported(target) & modules
        for name in sorted(used - names - {target["name"]}):
            found.append((target["name"], name, "missing"))
        for name in sorted(names - used):
            if (target["name"], name) not in WITHOUT_IMPORT:
                found.append((target["name"], name, "unused"))
    return found


if __name__ == "__main__":
    found = differences()
    for target, name, what in found:
        if what == "missing":
            print(f"{target} imports {name}, which Package.swift does not declare for it. Add it to the target's dependencies.")
        else:
            print(f"{target} declares {name} in Package.swift, and imports it nowhere. Remove it from the target's dependencies.")
    sys.exit(1 if found else 0)
