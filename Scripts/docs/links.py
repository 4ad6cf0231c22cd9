#!/usr/bin/env python3
"""Checks the links of the documentation's site. Usage: links.py SITE [BASE_PATH]

Every page, picture and symbol that a page refers to has to be part of the site, with its anchor, and nothing may be left unresolved."""

import json
import sys
from pathlib import Path


def values(node, key):
    """All values of a key, however deep."""
    if isinstance(node, dict):
        for name, value in node.items():
            if name == key:
                yield value
            yield from values(value, key)
    elif isinstance(node, list):
        for value in node:
            yield from values(value, key)


def mentioned(node):
    """The identifiers of all links in the text of a page. Those in its lists of conformances are no links."""
    if isinstance(node, dict):
        if node.get("type") == "reference":
            yield node.get("identifier")
        for value in node.values():
            yield from mentioned(value)
    elif isinstance(node, list):
        for value in node:
            yield from mentioned(value)


def anchors(page):
    return {anchor.lower() for anchor in values(page, "anchor") if isinstance(anchor, str)}


def main(site, base=""):
    site, prefix = Path(site), "/" + base.strip("/") if base.strip("/") else ""
    pages = {file.relative_to(site / "data").with_suffix("").as_posix().lower(): json.loads(file.read_text())
             for file in sorted((site / "data").rglob("*.json"))}
    broken, links = [], 0
    for name, page in pages.items():
        in_text = set(mentioned(page))
        # Chapters of tutorials have no page of their own.
        chapters = {chapter.get("reference") for chapter in page.get("hierarchy", {}).get("modules", [])}
        for identifier, reference in page.get("references", {}).items():
            kind, url = reference.get("type"), reference.get("url", "")
            if kind == "unresolvable" and identifier in in_text:
                broken.append(f"{name}: {reference.get('title')} is unresolved")
            elif identifier in chapters:
                continue
            elif url.startswith("/"):
                links += 1
                path, _, anchor = url.removeprefix(prefix).lstrip("/").lower().partition("#")
                if path.rstrip("/") not in pages or not (site / path / "index.html").exists():
                    broken.append(f"{name}: {url}")
                elif anchor and anchor not in anchors(pages[path.rstrip("/")]):
                    broken.append(f"{name}: {url}: no such anchor")
            for variant in reference.get("variants", []):
                links += 1
                file = variant["url"].removeprefix(prefix).lstrip("/")
                if not (site / file).exists():
                    broken.append(f"{name}: {variant['url']}")
    for line in sorted(set(broken)):
        print(line)
    if not links:
        sys.exit(f"links: {site} has no links")
    print(f"links: {len(pages)} pages, {links} links, {len(set(broken))} broken")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
