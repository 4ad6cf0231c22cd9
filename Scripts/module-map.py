#!/usr/bin/env python3
"""Draws docs/modules.svg, the map of the modules, from Package.swift.

A module stands above everything that it depends on. A line leads down to each dependency, except to those that another dependency
has already. Modules of tests, examples and other packages are left out.

Usage: Scripts/module-map.py [--check]

--check draws nothing: it exits with 1 when the picture is not the one that Package.swift gives.
"""
import json
import os
import subprocess
import sys
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "modules.svg"
WIDTH, HEIGHT, GAP_X, GAP_Y, MARGIN = 138, 30, 12, 46, 16
# Colour and legend by what a module belongs to. The first word that a name contains decides.
KINDS = [
    ("#b45309", "Pusher", ("Pusher",)),
    ("#047857", "PubNub", ("PubNub",)),
    ("#6d28d9", "chat", ("Nexconn", "Chat")),
    ("#b91c1c", "server", ("Server", "Redis", "Hub", "Console", "Bridge", "Store")),
    ("#1d4ed8", "connection and neutral API", ("",)),
]


def dependencies() -> dict[str, set[str]]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("LIFELINE_")}
    text = subprocess.run(
        ["swift", "package", "--ignore-lock", "dump-package"], cwd=ROOT, env=environment, check=True, capture_output=True, text=True
    ).stdout
    targets = {
        target["name"]: target
        for target in json.loads(text)["targets"]
        if target["type"] in ("regular", "executable")
        and (target.get("path") or "Sources/").startswith("Sources/")
        and not target["name"].endswith("Requirements")
    }
    return {
        name: {
            value[0] for dependency in target["dependencies"] for kind, value in dependency.items() if kind in ("byName", "target")
        } & targets.keys()
        for name, target in targets.items()
    }


def reached(graph: dict[str, set[str]], name: str) -> set[str]:
    found, waiting = set(), list(graph[name])
    while waiting:
        next_one = waiting.pop()
        if next_one not in found:
            found.add(next_one)
            waiting += graph[next_one]
    return found


def reduced(graph: dict[str, set[str]]) -> dict[str, set[str]]:
    """Without the lines to what another dependency depends on."""
    all_of = {name: reached(graph, name) for name in graph}
    return {name: {one for one in used if not any(one in all_of[other] for other in used)} for name, used in graph.items()}


def rows(graph: dict[str, set[str]]) -> list[list[str]]:
    """The modules by their height above those that depend on nothing, from the top down."""
    heights: dict[str, int] = {}

    def height(name: str) -> int:
        if name not in heights:
            heights[name] = 1 + max((height(one) for one in graph[name]), default=-1)
        return heights[name]

    result: list[list[str]] = [[] for _ in range(1 + max(map(height, graph)))]
    for name in sorted(graph):
        result[heights[name]].append(name)
    # From the bottom up, each module near the middle of what it depends on; ties by name, so that the picture is always the same.
    for below, row in zip(result, result[1:]):
        lower = {name: index for names in result[: result.index(row)] for index, name in enumerate(names)}
        row.sort(key=lambda name: (sum(lower[one] for one in graph[name]) / max(1, len(graph[name])), name))
    return result[::-1]


def kind(name: str) -> int:
    return next(index for index, (_, _, words) in enumerate(KINDS) if any(word in name for word in words))


def picture() -> str:
    graph = reduced(dependencies())
    layers = rows(graph)
    widest = max(map(len, layers))
    full = 2 * MARGIN + widest * WIDTH + (widest - 1) * GAP_X
    place: dict[str, tuple[float, float]] = {}
    for level, row in enumerate(layers):
        left = (full - len(row) * WIDTH - (len(row) - 1) * GAP_X) / 2
        for index, name in enumerate(row):
            place[name] = (left + index * (WIDTH + GAP_X), MARGIN + level * (HEIGHT + GAP_Y))
    bottom = MARGIN + len(layers) * (HEIGHT + GAP_Y)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {full} {bottom + 12}" font-family="system-ui, sans-serif" font-size="12">',
        "<title>The modules of Lifeline: each stands above what it depends on</title>",
        f'<rect width="{full}" height="{bottom + 12}" fill="#ffffff"/>',
    ]
    for name, used in sorted(graph.items()):
        x, y = place[name]
        for one in sorted(used):
            to_x, to_y = place[one]
            colour = KINDS[kind(name)][0]
            lines.append(
                f'<path d="M{x + WIDTH / 2:g} {y + HEIGHT:g}C{x + WIDTH / 2:g} {y + HEIGHT + 26:g} {to_x + WIDTH / 2:g} {to_y - 26:g} '
                f'{to_x + WIDTH / 2:g} {to_y:g}" fill="none" stroke="{colour}" stroke-opacity="0.45"/>'
            )
    for name, (x, y) in sorted(place.items()):
        lines.append(f'<rect x="{x:g}" y="{y:g}" width="{WIDTH}" height="{HEIGHT}" rx="5" fill="{KINDS[kind(name)][0]}"/>')
        lines.append(f'<text x="{x + WIDTH / 2:g}" y="{y + 19:g}" fill="#ffffff" text-anchor="middle">{escape(name)}</text>')
    for index, (colour, text, _) in enumerate(KINDS):
        lines.append(f'<text x="{MARGIN + index * 130}" y="{bottom}" fill="{colour}">■ {escape(text)}</text>')
    return "\n".join(lines + ["</svg>", ""])


if __name__ == "__main__":
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    drawn = picture()
    if sys.argv[1:]:
        if not PICTURE.is_file() or PICTURE.read_text() != drawn:
            sys.exit("docs/modules.svg is not the map that Package.swift gives. Run Scripts/module-map.py and commit the picture.")
    else:
        PICTURE.write_text(drawn)
