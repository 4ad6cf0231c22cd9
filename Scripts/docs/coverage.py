#!/usr/bin/env python3
"""Checks that every public declaration of the products has documentation. Usage: coverage.py DIRECTORY MODULE…

DIRECTORY holds the modules' symbol graphs, as `swift symbolgraph-extract` writes them. A declaration must have
- a doc comment that begins with a summary,
- `- Throws:`, if it throws,
- the queue, thread or task on which a closure is called, if it takes one: in its own comment or in that of an enclosing type.
Exempt are members that the compiler synthesizes or that come from another module, names that begin with an underscore, and members that
implement a requirement of a protocol, because the requirement has the documentation."""

import json
import re
import sys
from pathlib import Path

CALLED_ON = re.compile(r"\b(queue|threads?|tasks?|event loops?|actor)\b", re.I)


def depth_zero(fragments):
    """The text of a declaration without what stands in parentheses, such as the types of its parameters."""
    text, depth = "", 0
    for character in "".join(fragment["spelling"] for fragment in fragments):
        depth -= character == ")"
        if depth == 0:
            text += character
        depth += character == "("
    return text


class Graph:
    """The symbols of a module and of what it adds to other modules."""

    def __init__(self, directory, module):
        self.module, self.symbols, self.parents, self.witnesses = module, {}, {}, set()
        for file in sorted(directory.glob(f"{module}.symbols.json")) + sorted(directory.glob(f"{module}@*.symbols.json")):
            graph = json.loads(file.read_text())
            self.symbols.update({symbol["identifier"]["precise"]: symbol for symbol in graph["symbols"]})
            for relation in graph["relationships"]:
                if relation["kind"] in ("memberOf", "requirementOf"):
                    self.parents[relation["source"]] = relation["target"]
                if relation["kind"] in ("defaultImplementationOf", "overrides") or "sourceOrigin" in relation:
                    self.witnesses.add(relation["source"])

    def own(self):
        """The declarations that sources make, those of other modules that this one exports included."""
        for precise, symbol in self.symbols.items():
            if "::SYNTHESIZED::" in precise or precise in self.witnesses or "/Sources/" not in symbol.get("location", {}).get("uri", ""):
                continue
            if any(name.startswith("_") for name in symbol["pathComponents"]):
                continue
            if any(entry.get("isUnconditionallyUnavailable") for entry in symbol.get("availability", [])):
                continue
            yield symbol

    def text(self, symbol):
        return "\n".join(line["text"] for line in symbol.get("docComment", {}).get("lines", []))

    def texts_around(self, symbol):
        precise = symbol["identifier"]["precise"]
        while precise in self.symbols:
            yield self.text(self.symbols[precise])
            precise = self.parents.get(precise)


def problems(graph):
    for symbol in graph.own():
        text, fragments = graph.text(symbol), symbol.get("declarationFragments", [])
        if not text.strip():
            yield symbol, "no doc comment"
            continue
        if re.match(r"\s*- ", text):
            yield symbol, "no summary"
        declaration = depth_zero(fragments)
        if symbol["kind"]["identifier"].split(".")[-1] not in ("method", "init", "func"):
            # Of a property its accessors, not the function that it may hold.
            declaration = "".join(re.findall(r"{[^}]*}", declaration))
        if re.search(r"\bthrows\b", declaration) and "- Throws:" not in text:
            yield symbol, "throws, and has no '- Throws:'"
        parameters = symbol.get("functionSignature", {}).get("parameters", [])
        closures = ["".join(piece["spelling"] for piece in parameter.get("declarationFragments", [])) for parameter in parameters]
        if any("->" in closure for closure in closures) and not any(CALLED_ON.search(around) for around in graph.texts_around(symbol)):
            yield symbol, "takes a closure, and does not say on which queue, thread or task it is called"


def where(symbol):
    path = symbol["location"]["uri"].split("/Sources/")[-1]
    return f"Sources/{path}:{symbol['location']['position']['line'] + 1}: {'.'.join(symbol['pathComponents'])}"


def main(directory, modules):
    failed = 0
    for module in modules:
        graph = Graph(Path(directory), module)
        total, found = sum(1 for _ in graph.own()), sorted((where(symbol), problem) for symbol, problem in problems(graph))
        if not total:
            sys.exit(f"coverage: {directory} has no symbols of {module}")
        for place, problem in found:
            print(f"{place}: {problem}")
        print(f"coverage: {module}: {total} public declarations, {len(found)} problems")
        failed += len(found)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
