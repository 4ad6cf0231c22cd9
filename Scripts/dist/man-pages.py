#!/usr/bin/env python3
"""Writes the manual pages: lifeline(1) and one for each subcommand from what the program tells of itself, lifeline.json(5) from the settings
in docs/operations/settings.md.

Usage: Scripts/dist/man-pages.py help.json settings.md version directory
help.json is what `lifeline --experimental-dump-help` prints.
"""

import datetime
import json
import os
import posixpath
import re
import sys
from pathlib import Path

from roff import escaped, markdown, paragraphs


def date():
    moment = datetime.datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), datetime.timezone.utc)
    return moment.strftime("%Y-%m-%d")


def head(name, section, version, kind):
    return [f'.TH {name.upper()} {section} {date()} "Lifeline {version}" "{kind}"']


def shown(items):
    return [item for item in items if item.get("shouldDisplay", True)]


def subcommands(command):
    return [child for child in shown(command.get("subcommands", [])) if child["commandName"] != "help"]


def written(name):
    return ("-" if name["kind"] == "short" else "--") + name["name"]


def term(argument):
    """How an argument is written: its names and what its value is."""
    value = f"\\fI{escaped(argument.get('valueName', 'value'))}\\fR"
    if argument["kind"] == "positional":
        return value
    names = ", ".join(f"\\fB{escaped(written(name))}\\fR" for name in argument["names"])
    return names if argument["kind"] == "flag" else f"{names} {value}"


def usage(path, command):
    words = [f"\\fB{escaped(' '.join(path))}\\fR"]
    options = [argument for argument in shown(command.get("arguments", [])) if argument["kind"] != "positional"]
    for argument in options:
        if not argument["isOptional"]:
            words.append(f"\\fB{escaped(written(argument['preferredName']))}\\fR" + (
                "" if argument["kind"] == "flag" else f" \\fI{escaped(argument['valueName'])}\\fR"))
    if options:
        words.append("[\\fIoption\\fR ...]")
    for argument in shown(command.get("arguments", [])):
        if argument["kind"] == "positional":
            word = term(argument) + (" ..." if argument["isRepeating"] else "")
            words.append(f"[{word}]" if argument["isOptional"] else word)
    if subcommands(command):
        words.append("\\fIcommand\\fR ...")
    return " ".join(words)


def together(arguments):
    """The same, with a flag and its opposite as one."""
    out = []
    for argument in arguments:
        last = out[-1] if out else None
        if last and argument["kind"] == last["kind"] == "flag" and [name["name"] for name in argument["names"]] == ["no-" + last["names"][-1]["name"]]:
            out[-1] = {**last, "names": last["names"] + argument["names"]}
        else:
            out.append(argument)
    return out


def options(command):
    """The arguments, those with a title below it."""
    groups = {}
    for argument in together(shown(command.get("arguments", []))):
        groups.setdefault(argument.get("sectionTitle") or "", []).append(argument)
    out = []
    for title, arguments in sorted(groups.items(), key=lambda group: group[0] != ""):
        out.append(f'.SS "{escaped(title)}"' if title else ".SH OPTIONS")
        if title and ".SH OPTIONS" not in out:
            out.insert(0, ".SH OPTIONS")
        for argument in arguments:
            text = argument.get("abstract") or ""
            if argument.get("defaultValue") and "(default" not in text:
                text = f"{text} (default: {argument['defaultValue']})"
            out += [".TP", term(argument), escaped(text) or "\\&"]
            if argument.get("discussion"):
                out += [".br", escaped(" ".join(argument["discussion"].split()))]
    return out


def page(path, command, version, others):
    name = "-".join(path)
    abstract = (command.get("abstract") or "").rstrip(".")
    text, _, examples = (command.get("discussion") or "").partition("\nEXAMPLES\n")
    out = head(name, 1, version, "User Commands")
    out += [".SH NAME", f"{escaped(name)} \\- {escaped(abstract)}", ".SH SYNOPSIS", usage(path, command)]
    body = paragraphs(text)
    out += [".SH DESCRIPTION", *(body[1:] if body[:1] == [".PP"] else body)] if body else []
    children = subcommands(command)
    if children:
        out.append(".SH COMMANDS")
        for child in children:
            out += [".TP", f"\\fB{escaped('-'.join([*path, child['commandName']]))}\\fR(1)", escaped(child.get("abstract") or "")]
    out += options(command)
    out += [".SH EXIT STATUS", "0 for success, 1 for a failure, 2 for an invalid command line or setting."]
    if examples:
        out += [".SH EXAMPLES", *paragraphs(examples)[1:]]
    also = [f"\\fB{escaped(other)}\\fR(1)" for other in others if other != name] + ["\\fBlifeline.json\\fR(5)"]
    out += [".SH SEE ALSO", ",\n".join(also)]
    return name, out


def family(path, command):
    yield path, command
    for child in subcommands(command):
        yield from family([*path, child["commandName"]], child)


def named(link):
    """A link of docs/operations/settings.md, as a path from the root of the repository."""
    return posixpath.normpath(posixpath.join("docs/operations", link))


def settings(page, version):
    """lifeline.json(5)."""
    example = re.search(r"^```json\n(.*?)^```", page, re.S | re.M)[0]
    section = re.sub(r"^# [^\n]*\n|^## Example\n```.*?^```\n", "", page, flags=re.S | re.M)
    # Links to other pages are named by their file, links within the page by their text.
    section = re.sub(r"\[[^\]]*\]\(([./a-z-]+\.md)(?:#[\w-]*)?\)", lambda link: named(link[1]), section)
    body = markdown(section.replace("\n## ", "\n### "))
    out = head("lifeline.json", 5, version, "File Formats")
    out += [".SH NAME", "lifeline.json \\- settings of the Lifeline server", ".SH DESCRIPTION",
            "A JSON object that", "\\fBlifeline serve \\-\\-config\\fR", "reads. Every setting is also a variable of the environment, and many are options.",
            *body, ".SH FILES", ".TP", "\\fI/etc/lifeline/lifeline.json\\fR",
            "The settings of the service. The package makes it with secrets of its own, and never changes it.",
            ".TP", "\\fI/etc/lifeline/lifeline.env\\fR", "Variables of the service, one on each line. It need not exist.",
            ".TP", "\\fI/var/lib/lifeline\\fR", "Messages.",
            ".SH EXAMPLES", *markdown(example)[1:], ".SH SEE ALSO", "\\fBlifeline\\-serve\\fR(1)"]
    return out


def installed(lines, documents):
    """The lines, with documents of the repository (docs/X.md) where the package has them."""
    def place(match):
        name = match[1].replace("\\-", "-")
        if not (documents / name).exists():
            raise SystemExit(f"man-pages: docs/{name} is named and does not exist")
        return f"share/doc/lifeline/docs/{name}.gz".replace("-", "\\-")

    return re.sub(r"(?<![\w/])docs/((?:[a-z]+/)?[a-z]+(?:\\?-[a-z]+)*\.md)\b", place, "\n".join(lines)) + "\n"


def main():
    told, source, version, folder = sys.argv[1:]
    documents = Path(source).parent.parent
    root = json.loads(Path(told).read_text())["command"]
    commands = list(family([root["commandName"]], root))
    names = ["-".join(path) for path, _ in commands]
    for path, command in commands:
        name, lines = page(path, command, version, names)
        (Path(folder) / "man1" / f"{name}.1").write_text(installed(lines, documents))
    (Path(folder) / "man5" / "lifeline.json.5").write_text(installed(settings(Path(source).read_text(), version), documents))


main()
