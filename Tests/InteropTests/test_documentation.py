"""What the README and docs/ say must be true of the code: links, paths, rules, flags, commands, snippets."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from lifeline_harness import lifeline

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Scripts"))
import proofs  # noqa: E402

PAGES = sorted([ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md", ROOT / "CODE_OF_CONDUCT.md",
                *ROOT.glob("docs/**/*.md"), *ROOT.glob("Examples/*.md"), *ROOT.glob("Benchmarks/*.md"), *ROOT.glob("Tests/Tools/*.md"),
                *ROOT.glob("Sources/*/*.docc/**/*.md")])
COMMANDS = ("serve", "listen", "publish", "history", "presence", "demo", "doctor", "config", "token", "channels", "users", "apps", "data", "bench")
# Commands that have commands of their own; their options are those of all of them together.
NESTED = {"config": ("init", "check", "show", "list"), "token": ("chat", "pubnub", "pusher"), "users": ("terminate",),
          "apps": ("list", "create", "rotate", "disable", "enable", "remove"), "data": ("copy",)}


def name(page):
    return page.relative_to(ROOT).as_posix()


def prose(page):
    """A page without its blocks of code."""
    return re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.S | re.M)


def blocks(page):
    """The blocks of code of a page, each with its language."""
    return re.findall(r"^```(\w*)\n(.*?)^```$", page.read_text(), flags=re.S | re.M)


def anchors(page):
    """As GitHub makes them of headings."""
    headings = re.findall(r"^#+ (.*)$", prose(page), flags=re.M)
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}


def test_links_lead_somewhere():
    broken = []
    for page in PAGES:
        for link in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
            if re.match(r"https?:", link):
                continue
            path, _, anchor = link.partition("#")
            target = (page.parent / path).resolve() if path else page
            if not target.exists() or (anchor and anchor not in anchors(target)):
                broken.append(f"{name(page)}: {link}")
    assert broken == []


# Documents that are not in the repository: notes of ours, tickets, and numbers of rows in lists.
ELSEWHERE = re.compile(r"\b(?:(?:wire|API|chat) sheet|[Ss]heet \d|\(seed\b|\bthe seed(?: says|.s)|(?<!upstream )issue \d+|[Dd]esign, (?:section )?\d|\w+-wire\.md|reliability\.md)")


def test_sources_can_be_read_by_everybody():
    pages = [page for page in PAGES if page.parent != ROOT]
    named = [f"{name(file)}: {match}" for file in [*pages, *ROOT.glob("Sources/**/*.swift")]
             for match in ELSEWHERE.findall("\n".join(line for line in file.read_text().splitlines() if file.suffix == ".md" or "//" in line))]
    assert named == []


def test_paths_and_make_targets_exist():
    makefile = (ROOT / "Makefile").read_text()
    wrong = []
    for page in PAGES:
        text = page.read_text()
        for path in re.findall(r"`((?:Sources|Tests|Scripts|docs|Examples|Benchmarks)/[\w./+*-]*)`", text):
            if not (ROOT / path).exists() and not list(ROOT.glob(path)):
                wrong.append(f"{name(page)}: {path}")
        code = re.findall(r"`make ([a-z-]+)", text) + [target for _, block in blocks(page) for target in re.findall(r"^make ([a-z-]+)", block, re.M)]
        wrong += [f"{name(page)}: make {target}" for target in code if not re.search(rf"^{target}:", makefile, re.M)]
    assert wrong == []


# Rules.

DEFINITION = re.compile(r"^(?:- |\| )(?:\*\*)?([A-Z]{2}-\d+)(?:\*\*)?(?: \| | (?!to ))")


def rules():
    found = {}
    for page in sorted((ROOT / "docs").rglob("*.md")):
        for line in page.read_text().splitlines():
            match = DEFINITION.match(line)
            if match:
                found.setdefault(match[1], []).append(name(page))
    return found


def test_each_rule_is_written_once():
    twice = {rule: pages for rule, pages in rules().items() if len(pages) > 1}
    assert twice == {}


def test_rules_that_are_named_exist():
    known = rules()
    assert len(known) > 900, "the search finds what it is for"
    prefixes = {rule[:2] for rule in known}
    files = [*PAGES, *ROOT.glob("Sources/**/*.swift"), *ROOT.glob("Tests/**/*.swift"), *ROOT.glob("Tests/**/*.py"), *ROOT.glob("Benchmarks/**/*.swift")]
    missing = set()
    for file in files:
        if ".build" in file.parts:
            continue
        for rule in re.findall(r"\b([A-Z]{2}-\d+)\b", file.read_text()):
            if rule[:2] in prefixes and rule not in known:
                missing.add(f"{name(file)}: {rule}")
    assert sorted(missing) == []


def test_the_index_of_rules_is_complete():
    """docs/behaviour.md says where the rules of each prefix are."""
    index = (ROOT / "docs" / "behaviour.md").read_text()
    rows = {}
    for prefixes, where in re.findall(r"^\| ([A-Z]{2}(?:, [A-Z]{2})*) \|[^|]*\|([^|]*)\|$", index, flags=re.M):
        for prefix in prefixes.split(", "):
            rows[prefix] = where
    wrong = []
    for rule, pages in rules().items():
        where = rows.get(rule[:2], "")
        page = pages[0].removeprefix("docs/")
        if page != "behaviour.md" and f"({page})" not in where or page == "behaviour.md" and "this file" not in where:
            wrong.append(f"{rule} is in {page}, the index says {where.strip() or 'nothing'}")
    assert wrong == []


# Limits.

LIMITS = ROOT / "docs" / "rules" / "limits.md"
COLUMNS = ["what grows", "bound", "beyond it", "rule"]
# Bounds that no test reaches yet.
UNTESTED = {"BR-12", "WT-13"}


def tables(page):
    """The tables of a page: the cells of each row but the ruler."""
    found, before = [], ""
    for line in page.read_text().splitlines():
        if line.startswith("|") and not set(line) <= set("|- "):
            if not before.startswith("|"):
                found.append([])
            found[-1].append([cell.strip() for cell in line.strip().strip("|").split(" | ")])
        before = line
    return found


def test_every_limit_has_its_bound_rule_and_test():
    """Nothing without a row, and no row whose rules no test names. Keys of Redis are compared by test_redis_keys.py."""
    known, tested, wrong, rows = rules(), proofs.index().keys() | UNTESTED, [], 0
    keys = LIMITS.read_text().split("## Redis of a cluster")[1].split("\n## ")[0]
    for table in tables(LIMITS):
        if table[0][0] == "row":
            continue
        assert table[0] == COLUMNS, table[0]
        for cells in table[1:]:
            rows += 1
            if len(cells) != len(COLUMNS) or not all(cells):
                wrong.append(f"{cells[0]}: {len(cells)} columns")
                continue
            named = re.findall(r"\b[A-Z]{2}-\d+\b", cells[3])
            if not named or any(rule not in known for rule in named):
                wrong.append(f"{cells[0]}: the rule {cells[3]}")
            elif not tested & set(named) and not (cells[0].startswith("`") and cells[0] in keys):
                wrong.append(f"{cells[0]}: no test names {cells[3]}")
    assert wrong == []
    assert rows > 40, "the search finds what it is for"


def test_each_module_has_a_row_in_the_architecture():
    rows = [name for cells in tables(ROOT / "docs" / "architecture.md")[0][1:] for name in re.findall(r"`(\w+)`", cells[0])]
    assert sorted(rows) == sorted(folder.name for folder in (ROOT / "Sources").iterdir() if folder.is_dir())


# Settings.

SETTINGS = ROOT / "docs" / "operations" / "settings.md"
# Each table by the heading of its first column, and where its settings are among those of the program.
PLACES = {"file": "", "field": "apps[0].", "limit": "apps[0].limits.", "field of recovery": "apps[0].recovery.", "field of `pubnub`": "pubnub[0].",
          "field of `nexconn`": "nexconn[0].", "limit of `nexconn`": "nexconn[0].limits."}
UNITS = {"": 1, "s": 1, "MiB": 1 << 20, "GiB": 1 << 30}
# What is written where a setting has no value unless it is set, and where its value depends on the machine.
UNSET = ("none", "in memory", "no TLS", "for ever", "", "–", "made at the first start")
OTHERS = ("all", "the name of the machine", "one for each processor that the server may use")


def settings_of_the_program(tmp_path, variables=None):
    """What `config show` prints for lists with one application each, by names."""
    file = tmp_path / "lifeline.json"
    file.write_text(json.dumps({
        "apps": [{"id": "1", "key": "a", "secret": "a-secret-of-a-test"}],
        "pubnub": [{"publishKey": "p", "subscribeKey": "s", "secret": "b-secret-of-a-test"}],
        "nexconn": [{"key": "k", "secret": "c-secret-of-a-test"}]}))
    text = subprocess.run([lifeline(), "config", "show", "--json", "--config", str(file)], capture_output=True, text=True, timeout=60, check=True,
                          env={**os.environ, **(variables or {})}).stdout
    return {line["setting"]: line for line in map(json.loads, text.splitlines())}


def documented_settings():
    """Name and default of each row."""
    for table in tables(SETTINGS):
        place = PLACES.get(table[0][0])
        column = next((table[0].index(head) for head in ("default", "default in a list") if head in table[0]), None)
        for cells in table[1:] if place is not None else []:
            for name in re.findall(r"`([^`]+)`", cells[0]):
                yield place + name, cells[column]


def same(written, value):
    """Whether a default of the page is a value of the program."""
    plain = re.sub(r", .*| with .*", "", written).strip("`")
    number = re.fullmatch(r"(\d+(?:\.\d+)?) ?(\w*)", plain)
    if number and number[2] in UNITS:
        return value == float(number[1]) * UNITS[number[2]]
    if plain in ("true", "false"):
        return value is (plain == "true")
    return value in (plain, [plain]) or plain in OTHERS or plain in UNSET and value in (None, [])


def test_settings_are_those_of_the_program(tmp_path):
    """Every setting has a row, with its default; and every row is a setting."""
    known, written = settings_of_the_program(tmp_path), dict(documented_settings())
    assert sorted(known.keys() ^ written.keys()) == []
    wrong = [f"{name}: {written[name]}, and the program has {line['value']}" for name, line in known.items()
             if line["source"] == "default" and not same(written[name], line["value"])]
    assert wrong == []


def test_a_wrong_default_is_found():
    assert same("64 MiB", 67108864) and same("1800 s", 1800) and same("4100, with `reusePort` 4200", 4100) and same("`*`", ["*"]) and same("false", False)
    assert not same("64 MiB", 64) and not same("100", 1000) and not same("true", False) and not same("`text`", "json")


def test_options_and_variables_of_settings_exist(tmp_path):
    serve, known = options("serve"), settings_of_the_program(tmp_path)
    assert set(re.findall(r"`(--[a-z-]+)`", SETTINGS.read_text())) - serve - options("config") == set()
    [table] = [table for table in tables(SETTINGS) if table[0][0] == "file"]
    variables = {cells[0].strip("`"): re.search(r"`(LIFELINE_\w+)`", cells[1])[1] for cells in table[1:] if "," not in cells[0]}
    # Each is set to the default of its setting, and named as where that comes from.
    # Without an admin port and a certificate two are not read, and without Redis the third one is refused.
    variables = {name: variable for name, variable in variables.items() if name not in ("publicMetrics", "tls.checkInterval", "partitions")}
    given = {name: json.dumps(known[name]["value"]) for name in variables if isinstance(known[name]["value"], int)}
    assert len(given) > 20, "the search finds what it is for"
    shown = settings_of_the_program(tmp_path, {variables[name]: value for name, value in given.items()})
    assert [name for name in given if variables[name] not in shown[name]["source"]] == []


# The program.

def options(command):
    """All that `--help` shows."""
    text = "".join(
        subprocess.run([lifeline(), command, *nested, "--help"], capture_output=True, text=True, timeout=60, check=True).stdout
        for nested in [(), *((word,) for word in NESTED.get(command, ()))])
    return set(re.findall(r"--[a-z][a-z0-9-]*", text)) | {"--help"}


def test_commands_have_the_options_that_are_written():
    known = {command: options(command) for command in COMMANDS}
    everything = set().union(*known.values())
    wrong = []
    lines = 0
    for page in PAGES:
        text = page.read_text()
        code = [line for _, block in blocks(page) for line in block.replace("\\\n", " ").splitlines()] + re.findall(r"`([^`\n]+)`", text)
        for line in code:
            match = re.search(r"(?:^|[\s/=])lifeline ([a-z]+)\b(.*)", line)
            if match and match[1] in known:
                lines += 1
                wrong += [f"{name(page)}: {line}: {flag}" for flag in re.findall(r"(?<![\w-])--[a-z][a-z0-9-]*", match[2]) if flag not in known[match[1]]]
            elif re.fullmatch(r"--[a-z][a-z0-9-]*(?: .*)?", line):
                flag = line.split()[0]
                if flag not in everything and not written_in_examples(flag) and flag not in {"--example"}:
                    wrong.append(f"{name(page)}: {flag}")
    assert lines > 15, "the search finds what it is for"
    assert wrong == []


def written_in_examples(flag):
    return any(f'"{flag}"' in file.read_text() for file in ROOT.glob("Examples/*/*.swift"))


# Swift.

def squeezed(code):
    return re.sub(r"\s+", "", "\n".join(line for line in code.splitlines() if not line.startswith("import ")))


def test_snippets_are_compiled():
    """Each stands word for word in a file that is compiled. Those of the README are run by test_readme_snippets.py."""
    folders = ("Tests/IntegrationTests/Snippets", "Tests/LifelineTestingTests/Examples")
    compiled = [(file.read_text(), squeezed(file.read_text())) for folder in folders for file in (ROOT / folder).glob("*.swift")]
    missing = []
    found = 0
    for page in PAGES:
        for language, code in blocks(page):
            if page.name == "README.md" and page.parent == ROOT or language != "swift" or code.startswith("// Package.swift"):
                continue
            found += 1
            imports = [line for line in code.splitlines() if line.startswith("import ")]
            if not any(squeezed(code) in text and all(line in source for line in imports) for source, text in compiled):
                missing.append(f"{name(page)}: {code.strip().splitlines()[0]} …")
    assert found >= 5
    assert missing == []


def test_metrics_have_the_types_and_meanings_of_the_sources():
    made = subprocess.run([sys.executable, ROOT / "Scripts" / "metrics-table.py", "--check"], capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
