#!/usr/bin/env python3
"""Changes lines of the sources that rules are written at, one at a time, and says which changes no test notices.

All changes are compiled into one copy of the package, in build/mutation, where an environment variable switches one of them on. So there is one
build (10 to 15 minutes from nothing) and one run of tests for each change. A change that no test notices is a test that is missing, or a line
that makes no difference.

The tests of a change are those of its module: first the ones without sockets, then, when these notice nothing, the others, which may take minutes.
With --quick there are only the first, and fewer test targets to build.

Usage: Scripts/mutate.py [--quick] [--modules A,B] [--count 300] [--seed 1] [--list] [--only 17,23]
"""

import argparse
import dataclasses
import hashlib
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "Tests" / "PythonHarness"))
from swift_functions import blanked  # noqa: E402

WORK = ROOT / "build" / "mutation"
PACKAGE = WORK / "package"
SWITCH = "MutationSwitch.swift"
BUILD = ["swift", "build", "--ignore-lock", "-debug-info-format", "none", "--build-tests"]
# How far below a comment that names a rule its lines are looked for.
REACH = 30

# The tests of the server and its services, with sockets.
SERVER = "(LifelineServer|PusherServer|PubNubServer|ChatServer)Tests"
# The tests that are run for a module, the fastest first: the next ones run only when these notice nothing.
SUITES = {
    "Identifiers": ["IdentifiersTests", "PusherCoreTests|PubNubCoreTests|ChatCoreTests|PubNubProtocolTests"],
    "WireCoding": ["WireCodingTests|PusherProtocolTests|PubNubProtocolTests|ChatProtocolTests"],
    "BodyCompression": ["BodyCompressionTests", "(LifelineServer|PubNubServer)Tests.*Compress"],
    "WebSocketFraming": ["WebSocketFramingTests", "WebSocketTransportTests"],
    "ConnectionEngine": ["ConnectionEngineTests|EngineRuntimeTests", "IntegrationTests"],
    "EngineRuntime": ["EngineRuntimeTests", "IntegrationTests"],
    "ClientRuntime": ["ClientRuntimeTests", "IntegrationTests"],
    "TransportCommon": ["TransportCommonTests", "WebSocketTransportTests|HTTPTransportTests"],
    "HTTPTransport": ["HTTPTransportTests"],
    "WebSocketTransport": ["WebSocketTransportTests"],
    "RedisClient": ["RedisClientTests", "RedisClientServerTests"],
    "PusherProtocol": ["PusherProtocolTests", "PusherSwiftTests"],
    "PubNubProtocol": ["PubNubProtocolTests", "PubNubTests"],
    "ChatProtocol": ["ChatProtocolTests", "NexconnChatSDKTests"],
    "PusherSwift": ["PusherSwiftTests", "LifelineTests"],
    "PubNub": ["PubNubTests", "LifelineTests"],
    "NexconnChatSDK": ["NexconnChatSDKTests", "ChatAppTests|LifelineTests"],
    "DatabaseFile": ["DatabaseFileTests", "ChatDatabaseTests", "LifelineOutboxTests"],
    "ChatDatabase": ["ChatDatabaseTests", "NexconnChatSDKTests"],
    "LifelineOutbox": ["LifelineOutboxTests"],
    "Lifeline": ["LifelineTests", "LifelineCommandTests"],
    "LifelineUI": ["LifelineUITests"],
    "LifelineBackend": ["LifelineBackendTests"],
    "ServerStorage": ["ServerStorageTests", "HubStorageTests", SERVER],
    "HubStorage": ["HubStorageTests", "(LifelineServer|PubNubServer|ChatServer)Tests.*(Durab|Restart)"],
    "ServerValues": ["ServerValuesTests", SERVER],
    "ServerRuntime": ["ServerRuntimeTests", SERVER],
    "ServerCluster": ["ServerClusterTests", SERVER + ".*Cluster|ClusterRedisTests"],
    "RedisStoreEngine": ["RedisStoreEngineTests", "ClusterRedisTests"],
    "ServiceBridge": ["LifelineServerTests.*Bridge"],
    "ServerConsole": ["ServerConsoleTests", SERVER + ".*Console"],
    "PostgreSQLStorage": ["PostgreSQLStorageTests"],
    "LifelineServer": [SERVER],
    "LifelineCommand": ["LifelineCommandTests"],
    "PusherServer": ["PusherCoreTests", "PusherServerTests", "LifelineServerTests"],
    "PubNubServer": ["PubNubCoreTests", "PubNubServerTests"],
    "ChatServer": ["ChatCoreTests", "ChatServerTests"],
}
# Tests that watch real time on real sockets run one after the other.
PARALLEL = re.compile(r"^(ConnectionEngine|EngineRuntime|WebSocketFraming|RedisClient|Identifiers|WireCoding|BodyCompression|\w+Protocol|"
                      r"ServerStorage|PusherCore|PubNubCore|ChatCore|ServerValues|ServerRuntime|ServerCluster|RedisStoreEngine)Tests(\||$)")


@dataclasses.dataclass(frozen=True)
class Mutation:
    number: int
    path: str
    line: int
    column: int
    kind: str
    rule: str
    before: str
    after: str

    @property
    def module(self):
        return self.path.split("/")[1]

    def __str__(self):
        return f"{self.number:4} {self.path}:{self.line} ({self.rule}) {self.before} -> {self.after}"


def ruled_lines(text):
    """Numbers of lines that stand below a comment that names a rule, in the same declaration, with the rule."""
    lines, bare, found = text.split("\n"), blanked(text).split("\n"), {}
    for number, line in enumerate(lines):
        match = re.search(r"//.*?\b([A-Z]{2}-\d+)", line)
        if not match:
            continue
        depth, opened = 0, False
        for later in range(number + 1, min(number + 1 + REACH, len(lines))):
            code = bare[later]
            if not code.strip():
                if opened and depth <= 0:
                    break
                continue
            found.setdefault(later, match.group(1))
            depth += code.count("{") - code.count("}")
            opened = opened or "{" in code
            # The end of the declaration, or of the block that the comment stands in.
            if depth < 0 or (opened and depth == 0 and code.strip().endswith("}")):
                break
    return found


COMPARISON = re.compile(r"(?<=[\w)\]?]) (<=|>=|<|>|==|!=) (?=[\w(\[.\-])")
CONNECTIVE = re.compile(r" (&&|\|\|) ")
CONDITION = re.compile(r"^(\s*)(\} else )?(if|guard|while) (?!let |var |case |#)([^{},]+?) (\{|else \{)")
CALL = re.compile(r"^(\s+)((?:self\.)?[a-z]\w*(?:[.?!]+[a-z]\w*)*\(.*\))$")
NEIGHBOURS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&"}


def candidates(path, text):
    """Changes of one file that may be tried: (line, column, kind, rule, before, after), lines from 0."""
    lines, bare = text.split("\n"), blanked(text).split("\n")
    for number, rule in ruled_lines(text).items():
        code = bare[number]
        if re.match(r"\s*(case|@|import|#|\.)", code) or "precondition" in code or "assert" in code:
            continue
        shown = lines[number].strip()
        for match in COMPARISON.finditer(code):
            operator = match.group(1)
            if operator in ("==", "!=") and re.match(r"nil\b", code[match.end():]):
                continue
            yield number, match.start(1), "operator", rule, shown, NEIGHBOURS[operator]
        for match in CONNECTIVE.finditer(code):
            yield number, match.start(1), "operator", rule, shown, NEIGHBOURS[match.group(1)]
        if match := CONDITION.match(code):
            if balanced(match.group(4)):
                yield number, match.start(4), "condition", rule, shown, "never" if match.group(3) != "guard" else "always"
        elif (match := CALL.match(code)) and balanced(match.group(2)):
            previous = next((bare[i].strip() for i in range(number - 1, -1, -1) if bare[i].strip()), "")
            if previous.endswith((";", "}", ")", "{")) and not previous.endswith(("in {", "= {", "({")):
                yield number, match.start(2), "call", rule, shown, "nothing"


def balanced(text):
    depth = 0
    for character in text:
        depth += character in "([{"
        depth -= character in ")]}"
        if depth < 0:
            return False
    return depth == 0


def collect(modules, count, seed):
    """A sample of the changes, the same for the same sources and seed, with as many of each module as its share of the rules asks for."""
    found = []
    for module in modules:
        for path in sorted((ROOT / "Sources" / module).rglob("*.swift")):
            name = str(path.relative_to(ROOT))
            # One change at a line: two would be in each other's way.
            by_line = {}
            for change in candidates(name, path.read_text()):
                by_line.setdefault(change[0], []).append(change)
            for line, changes in sorted(by_line.items()):
                draw = random.Random(hashlib.sha256(f"{seed} {name} {changes[0][4]}".encode()).digest())
                found.append((name, draw.choice(changes), draw.random()))
    chosen = sorted(found, key=lambda item: item[2])[:count]
    chosen.sort(key=lambda item: (item[0], item[1][0]))
    return [
        Mutation(number, name, line + 1, column, kind, rule, before, after)
        for number, (name, (line, column, kind, rule, before, after), _) in enumerate(chosen, 1)
    ]


def symbol(number):
    """An operator of Swift that no one else uses, for a number: operators have no digits."""
    digits = "~^*&%|"
    name = ""
    for _ in range(5):
        number, digit = divmod(number, len(digits))
        name += digits[digit]
    return "<>" + name


def rewritten(text, mutations):
    """The text of a file with changes that can be switched on."""
    lines, bare = text.split("\n"), blanked(text).split("\n")
    for mutation in mutations:
        line, place = lines[mutation.line - 1], mutation.column
        number = mutation.number
        if mutation.kind == "operator":
            operator = NEIGHBOURS[mutation.after]
            line = line[:place] + symbol(number) + line[place + len(operator):]
        elif mutation.kind == "condition":
            end = CONDITION.match(bare[mutation.line - 1]).end(4)
            test = line[place:end]
            switched = f"(isMutated({number}) || ({test}))" if mutation.after == "always" else f"(!isMutated({number}) && ({test}))"
            line = line[:place] + switched + line[end:]
        else:
            line = line[:place] + f"if !isMutated({number}) {{ " + line[place:] + " }"
        lines[mutation.line - 1] = line
    return "\n".join(lines)


def switch(mutations):
    """The file that is added to a module: which change is on, and the operators of its changes."""
    text = [
        "#if canImport(Glibc)", "import Glibc", "#elseif canImport(Musl)", "import Musl", "#else", "import Darwin", "#endif", "",
        "/// The number of the change that is on.",
        'let mutationNumber: Int = getenv("LIFELINE_MUTATION").flatMap { Int(String(cString: $0)) } ?? 0', "",
        "@inline(never) func isMutated(_ number: Int) -> Bool { mutationNumber == number }",
    ]
    for mutation in mutations:
        if mutation.kind != "operator":
            continue
        name, after, before = symbol(mutation.number), mutation.after, NEIGHBOURS[mutation.after]
        if after in ("&&", "||"):
            group = "LogicalConjunctionPrecedence" if before == "&&" else "LogicalDisjunctionPrecedence"
            text.append(f"infix operator {name}: {group}")
            text.append(f"func {name} (a: Bool, b: @autoclosure () throws -> Bool) rethrows -> Bool {{")
            text.append(f"    isMutated({mutation.number}) ? try a {after} b() : try a {before} b()")
        else:
            kind = "Equatable" if after in ("==", "!=") else "Comparable"
            text.append(f"infix operator {name}: ComparisonPrecedence")
            text.append(f"func {name} <T: {kind}>(a: T, b: T) -> Bool {{")
            text.append(f"    isMutated({mutation.number}) ? a {after} b : a {before} b")
        text.append("}")
    return "\n".join(text) + "\n"


def write(path, text):
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def lay_out(mutations):
    """Makes the copy of the package what it has to be, and touches nothing else of it, so that a build goes on from the last one."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout.decode().split("\0")
    names = {name for name in listed if name and (ROOT / name).is_file()}
    changed = {}
    for mutation in mutations:
        changed.setdefault(mutation.path, []).append(mutation)
    for name in sorted(names):
        source, target = ROOT / name, PACKAGE / name
        if name in changed:
            write(target, rewritten(source.read_text(), changed[name]))
        elif not target.exists() or target.read_bytes() != source.read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target, follow_symlinks=False)
    for module in {name.split("/")[1] for name in names if name.startswith("Sources/")}:
        of_module = [mutation for mutation in mutations if mutation.module == module]
        path = PACKAGE / "Sources" / module / SWITCH
        if of_module:
            write(path, switch(of_module))
        else:
            path.unlink(missing_ok=True)
    for path in PACKAGE.rglob("*.swift"):
        relative = path.relative_to(PACKAGE)
        if relative.parts[0] in ("Sources", "Tests") and str(relative) not in names and path.name != SWITCH:
            path.unlink()


def targets(suites):
    """The test targets that suites of tests are in. A suite may begin with a choice, as in (PusherServer|ChatServer)Tests."""
    found = set()
    for suite in suites:
        for part in re.split(r"\|(?![^(]*\))", suite):
            choice, rest = re.match(r"\^?(?:\(([^)]*)\))?(.*)", part).groups()
            found |= {name + re.split(r"[.$]", rest)[0] for name in (choice or "").split("|")}
    return sorted(found)


def build(mutations, test_targets):
    """Compiles what can be compiled. Gives the changes that are left."""
    environment = dict(os.environ, LIFELINE_TEST_TARGETS=",".join(test_targets))
    while True:
        lay_out(mutations)
        print(f"Building with {len(mutations)} changes …", flush=True)
        log = WORK / "build.log"
        with log.open("w") as out:
            done = subprocess.run(BUILD, cwd=PACKAGE, env=environment, stdout=out, stderr=subprocess.STDOUT)
        if done.returncode == 0:
            return mutations
        places = set(re.findall(r"/(Sources/\S+?\.swift):(\d+):\d+: error:", log.read_text()))
        places = {(path, int(line)) for path, line in places}
        bad = {mutation for mutation in mutations if (mutation.path, mutation.line) in places}
        # Whoever leaves out a call that initializes is told so at another line: then all changes of that file go.
        bad = bad or {mutation for mutation in mutations if mutation.path in {path for path, _ in places}}
        if not bad:
            sys.exit(f"mutate: the build fails for another reason than a change: see {log}")
        print(f"{len(bad)} changes are no Swift, and are left out.", flush=True)
        mutations = [mutation for mutation in mutations if mutation not in bad]


def run_tests(suite, number, limit):
    """Whether the tests of a suite pass with a change switched on, and how long they took. Nobody waits longer than the limit."""
    command = [str(PACKAGE / ".build/debug/lifelinePackageTests.xctest"), "--testing-library", "swift-testing", "--filter", suite]
    if not PARALLEL.match(suite):
        command.append("--no-parallel")
    start = time.monotonic()
    process = subprocess.Popen(
        command, cwd=PACKAGE, env=dict(os.environ, LIFELINE_MUTATION=str(number)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        start_new_session=True)
    try:
        passed = process.wait(limit) == 0
    except subprocess.TimeoutExpired:
        passed = False
    # What the tests have started ends with them.
    try:
        os.killpg(process.pid, 9)
    except ProcessLookupError:
        pass
    process.wait()
    return passed, time.monotonic() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--modules", help="those whose lines are changed, by comma; all without it")
    parser.add_argument("--count", type=int, default=300, help="how many changes are drawn (default 300)")
    parser.add_argument("--seed", type=int, default=1, help="which are drawn (default 1)")
    parser.add_argument("--quick", action="store_true", help="run the first tests of each module only, those without sockets where there are any")
    parser.add_argument("--list", action="store_true", help="say what would be changed, and build nothing")
    parser.add_argument("--only", help="numbers of changes to try, by comma, of those that --list names")
    options = parser.parse_args()
    modules = options.modules.split(",") if options.modules else list(SUITES)
    if unknown := [module for module in modules if module not in SUITES]:
        sys.exit(f"mutate: no tests are known for {', '.join(unknown)}; there are some for {', '.join(SUITES)}")
    mutations = collect(modules, options.count, options.seed)
    if options.only:
        wanted = {int(number) for number in options.only.split(",")}
        mutations = [mutation for mutation in mutations if mutation.number in wanted]
    if options.list:
        for mutation in mutations:
            print(mutation)
        return
    drawn = len(mutations)
    suites = {module: SUITES[module][: 1 if options.quick else None] for module in {mutation.module for mutation in mutations}}
    needed = sorted({suite for names in suites.values() for suite in names})
    mutations = build(mutations, targets(needed))
    limits = {}
    for suite in needed:
        passed, seconds = run_tests(suite, 0, 1800)
        if not passed:
            sys.exit(f"mutate: {suite} fails without a change, so it can tell nothing: make it pass first.")
        limits[suite] = 30 + 3 * seconds
        print(f"{suite}: {seconds:.0f} s without a change", flush=True)
    survivors = []
    for place, mutation in enumerate(mutations, 1):
        noticed = next((suite for suite in suites[mutation.module] if not run_tests(suite, mutation.number, limits[suite])[0]), None)
        if not noticed:
            survivors.append(mutation)
        print(f"[{place}/{len(mutations)}] {'noticed' if noticed else 'SURVIVED'} {mutation}", flush=True)
    report = WORK / "survivors.txt"
    report.write_text("".join(f"{mutation}\n" for mutation in survivors))
    print(f"{drawn} changes drawn with seed {options.seed}: {len(mutations) - len(survivors)} noticed, {len(survivors)} survived, "
          f"{drawn - len(mutations)} are no Swift. The survivors are in {report.relative_to(ROOT)}.")


if __name__ == "__main__":
    main()
