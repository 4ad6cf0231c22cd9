"""What must be true of every source file, now and of those to come."""

import ast
import functools
import re
import subprocess
import sys
from pathlib import Path

from swift_functions import blanked, functions, unconditional

SOURCES = Path(__file__).resolve().parents[2] / "Sources"
SECRETS = r"(?:signature|digest|hmac|md5|secret|mac|tag|Signature|Digest|HMAC|MD5|Secret|MAC|Tag)"
CODES = r"(?:sign|code|mac|digest|bodyMD5|channelAuth|userAuth|authenticationCode|hash)"
# Both sides are this program's own: nobody outside can choose one of them and look at the clock.
OWN = {
    "TransportCommon/TLS/Certificates/DERReader.swift": "tags of DER, which are no secrets",
    "TransportCommon/TLS/Certificates/NameConstraints.swift": "tags of DER, which are no secrets",
    "ServerRuntime/Sockets/ServerCertificate.swift": "whether a file has changed",
    "NexconnChatSDK/Client/InstallationStore.swift": "which of its own files belongs to a token",
}


@functools.cache
def lines():
    return [
        (file.relative_to(SOURCES).as_posix(), number, line.split("//")[0]) for file in sorted(SOURCES.rglob("*.swift"))
        for number, line in enumerate(file.read_text().splitlines(), 1)]


@functools.cache
def suspicious(code):
    """Whether a line compares what could be a secret with an operator that stops at the first difference."""
    before = rf"\b\w*{SECRETS}(?:\(\))?\s*(?:==|!=)(?!\s*(?:nil\b|\.))"
    after = rf"(?:==|!=)\s*(?:[a-z]\w*[.?]+)*(?:\w*{SECRETS}\b(?![\w.(\"])|{CODES}\()"
    return bool(re.search(before, code) or re.search(after, code))


# Proof of X3.
def test_the_search_finds_what_it_is_for():
    for code in ("guard signature == expected else {", "if given.lowercased() == bodyMD5(body) {", "request.auth == sign(text, secret: s)",
                 "return digest != other", "box.tag == code", "x == application.secret", "auth == channelAuth(a)", "a.bodyMD5 == b"):
        assert suspicious(code), code
    for code in ("guard signature != nil", "$0.name != \"signature\"", "signature.count == 40", "sharedSecret == nil ? a : b",
                 "certificate.signatureAlgorithm == .sha1", "parts[3] == \"grant\"", "token == .end"):
        assert not suspicious(code), code


# Proof of X3.
def test_one_function_compares_secrets():
    """X3 (rule SO-41): nothing but ConstantTime compares signatures, codes and secrets that somebody outside could guess at."""
    found = [f"{file}:{number}: {code.strip()}" for file, number, code in lines() if suspicious(code) and file not in OWN]
    assert found == []
    stale = [file for file in OWN if not any(name == file and suspicious(code) for name, _, code in lines())]
    assert stale == [], "exceptions that nothing needs any more"


# Proof of X3.
def test_there_is_one_such_function():
    loops = {file for file, _, code in lines() if re.search(r"\|=[^=].*\^", code)}
    assert loops == {"WireCoding/Text/ConstantTime.swift"}


# Tests that cannot fail

TESTS = SOURCES.parent / "Tests"
EXPECTATION = r"#expect|#require|Issue\.record|\bconfirmation\("
# What functions of tests are called that fail, throw or never return when something is not so. They are looked at, too.
JUDGES = r"(?:expect|check|wait|until|eventually|skip|holds|acknowledged|opened|run|observe|compare|hear|error)"
# Tests that prove something without an expectation.
PROOFS = {
    "PusherSwiftTests/Surface/SendableTests.swift types_that_only_the_library_makes_are_Sendable_too": "it would not compile",
}


def fails(sources):
    """What must occur in a test of these sources, which are those of one target, so that it can fail."""
    bodies, sources = {}, list(sources)
    for function in (function for source in sources for function in source):
        # What only sets something up may have expectations, too; they say nothing about the test.
        if not function.is_test and (re.match(JUDGES, function.name) or re.search(EXPECTATION, function.body) and not re.match("with|start|make", function.name)):
            bodies.setdefault(function.name, []).append(function.body)
    # Whoever waits for ever is ended by the limit of the suite.
    judges = {name for name in bodies if re.match("wait|until", name)} | {"wait"}
    judges |= {name for name, all_of in bodies.items() if re.search(EXPECTATION + r"|\bthrow\s+(?!error\b)", "".join(all_of))}
    while more := {name for name in bodies.keys() - judges if re.search(rf"\b(?:{'|'.join(judges)})\b", "".join(bodies[name]))}:
        judges |= more
    return rf"{EXPECTATION}|\b(?:{'|'.join(sorted(judges))})\s*[({{]"


def without_expectation(sources, support=()):
    """Name and line of the tests of one target without an expectation, or with some in the branches of `if` only.

    The sources of the targets that tests of several targets share are its support."""
    needed = fails([*sources.values(), *support])
    for file, source in sources.items():
        for function in source:
            if function.is_test and "Issue.record" not in function.body and not re.search(needed, unconditional(function.body, needed)):
                yield f"{file} {function.name.strip('_')}"


def parsed(*texts):
    return {f"{number}.swift": functions(blanked(text)) for number, text in enumerate(texts)}


def test_the_search_for_tests_that_cannot_fail_finds_them():
    for body in ("_ = read(x)", 'print("#expect(a)")', "// #expect(a)", "if let a { #expect(a == 1) }", "if a { b() } else { #expect(c) }", "if a { #expect(b) } else if c { #expect(d) }",
                 "do { try a() } catch { #expect(b) }", "await withServer { server in try await server.start() }", "start()",
                 'let a = "\\(b("}"))"; #"\\"#', "expectNothing()"):
        source = '@Test("A {title}", arguments: [1, 2].map { "\\($0)" })\n    func made(a: Int) async throws {\n' + body + "\n}\n"
        helpers = "func start() { go() }\nfunc expectNothing() { print(1) }\nfunc withServer(_ a: () -> Void) throws { do { try b() } catch { throw error } }"
        assert list(without_expectation(parsed(source, helpers))) == ["0.swift made"], body
    for body in ("#expect(a == 1)", "guard case .b = c else { return #expect(Bool(false)) }", "if a { Issue.record(b) }", "for a in b { #expect(a) }",
                 "if a { #expect(b) } else if c { #expect(d) } else { #expect(e) }", "isSo(1)",
                 "try await client.expect(1)", "await seen.wait(for: 1)", "let a = try #require(b)", "checkAll(1)", "await eventually { a }"):
        source = "struct A {\n    @Test func `a name: {with braces}`() {\n" + body + "\n}\n}"
        helpers = "func expect(_ a: Int) throws { guard a == 1 else { throw B() } }\nfunc checkAll(_ a: Int) { try? expect(a) }\nfunc eventually() { #expect(a) }\nfunc isSo(_ a: Int) { #expect(a) }"
        assert list(without_expectation(parsed(source, helpers))) == [], body
    # What is no test is not looked at.
    assert list(without_expectation(parsed("@Test func a() { #expect(b) }\nfunc c() {}\nprotocol D { func e() }"))) == []


def test_every_test_can_fail():
    targets, imports = {}, {}
    for file in sorted(TESTS.rglob("*.swift")):
        name, text = file.relative_to(TESTS).as_posix(), file.read_text()
        targets.setdefault(name.split("/")[0], {})[name] = functions(blanked(text))
        imports.setdefault(name.split("/")[0], set()).update(re.findall(r"^@testable import (\w+TestSupport)$", text, re.M))
    assert sum(function.is_test for target in targets.values() for source in target.values() for function in source) > 2_000
    found = {
        name for target, sources in targets.items()
        for name in without_expectation(sources, [source for support in imports[target] for source in targets[support].values()])}
    assert found == set(PROOFS), "tests without an expectation that is always reached, or exceptions that nothing needs any more"


def python_without_expectation(text, judges):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            code = ast.unparse(ast.Module(node.body, []))
            if not re.search(rf"\bassert\b|\braise\b|pytest\.raises|\b(?:{'|'.join(judges)})\(", code):
                yield node.name


def python_judges(texts):
    """Functions of the harness that check something by themselves."""
    return {
        node.name for text in texts for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef) and re.match(JUDGES + "|closed|settled", node.name)
        and re.search(r"\bassert\b|\braise\b|\.wait\(", ast.unparse(node))}


def test_every_python_test_can_fail():
    harness = {"def wait(a):\n    assert a", "def error(a):\n    pass"}
    assert list(python_without_expectation("def test_a():\n    b()\n    c.error(1)", python_judges(harness))) == ["test_a"]
    for body in ("assert a", "c.wait(1)", "with pytest.raises(A): b()"):
        assert list(python_without_expectation(f"def test_a():\n    {body}", python_judges(harness))) == [], body
    texts = {file.relative_to(TESTS).as_posix(): file.read_text() for file in sorted(TESTS.rglob("*.py"))}
    judges = python_judges(text for name, text in texts.items() if name.startswith("PythonHarness/"))
    found = [f"{name} {test}" for name, text in texts.items() for test in python_without_expectation(text, judges | python_judges([text]))]
    assert found == []


# A failure that is thrown away says why

# What ends or waits: nobody could do anything about its failure.
ENDINGS = (r"close|stop|shutdownGracefully|gracefulShutdown|release|finishSockets|removeItem|sleep|futureResult\.get")
# As a statement: nothing is made of its value, so the failure is gone. In functions of one expression it is the value.
THROWN_AWAY = r"(?:^|[{;])\s*(?:_ = )?try\? (?!.*\b(?:" + ENDINGS + r")\b)"
# Functions whose value is nil for what cannot be read.
VALUES = {"ChatDatabase/Tables/MessageColumns.swift", "PubNubProtocol/Wire/PubNubProblem+Answer.swift", "PusherServer/PusherService+Console.swift",
          "PusherSwift/Events/AnyJSON.swift"}


def unargued_failures(text):
    """Lines with a `try?` whose value nobody takes, without a comment in one of the two lines above or in the line itself."""
    lines = text.split("\n")
    for number, line in enumerate(lines):
        code, _, comment = line.partition("//")
        if re.search(THROWN_AWAY, code) and not re.search(r"\b(?:guard|if|let|var|return|map|compactMap|flatMap|first|contains)\b", code) and not comment:
            if not any(above.strip().startswith("//") for above in lines[max(number - 2, 0):number]):
                yield number + 1


def test_failures_that_are_thrown_away_are_argued():
    assert list(unargued_failures("a()\ntry? write(b)\nTask { try? await client.connect() }\n_ = try? redis.perform(c)")) == [2, 3, 4]
    for code in ("// The next start does it.\ntry? write(b)", "try? write(b) // It is a cache.", "defer { try? file.close() }", "guard (try? write(b)) != nil else { return }",
                 "let a = try? write(b)", "try? await Task.sleep(for: a)"):
        assert list(unargued_failures(code)) == [], code
    found = [f"{file.relative_to(SOURCES)}:{number}" for file in sorted(SOURCES.rglob("*.swift"))
             if file.relative_to(SOURCES).as_posix() not in VALUES for number in unargued_failures(file.read_text())]
    assert found == []


# Ids are compared by bytes

ID_TARGETS = ("ServerStorage", "HubStorage", "PostgreSQLStorage", "ServerRuntime", "PusherServer", "PubNubServer", "ChatServer", "ServiceBridge", "LifelineServer", "PusherProtocol", "PubNubProtocol", "ChatProtocol", "PusherSwift", "PubNub",
              "NexconnChatSDK", "Lifeline", "LifelineBackend", "LifelineOutbox", "LifelineUI", "ChatDatabase", "DatabaseFile")
# Members of JSON are no ids; their values tell them.
KEYED = (r"\[String\s*:(?!\s*(?:Any|AnyObject|JSONText|JSONValue)\])|\b(?:Ordered)?Set<String>"
         r"|\b(?:Ordered)?Dictionary<String\s*,(?!\s*(?:Any|JSONText|JSONValue)>)")
# What is called so holds names of fields and the texts of each: headers, metadata, members of a profile.
FIELDS = r"(?i)header|metadata|params|extra|extprofile|pairs|\bset: \[String: String\]"
# Files in which a `String` is the key of a table all the same, by the reason.
STRING_KEYS = {
    "names of header fields": ["Lifeline/Pusher/EndpointHeaders.swift", "PusherServer/Webhooks/PusherWebhookRequest.swift"],
    "names of events, and fixed words of the protocol": [
        "Lifeline/Pusher/PusherAdapter.swift", "PusherSwift/Channels/GlobalChannel.swift", "PusherSwift/Channels/PusherChannel.swift"],
    "names of the types that the app itself registers": ["NexconnChatSDK/Messages/Contents/ContentRegistry.swift"],
    "names of an object's fields": ["PubNub/Async/PubNub+AsyncMetadata.swift", "PubNub/Calls/Objects/ObjectDrafts.swift"],
    "paths of own files": ["PubNub/Configuration/IdentityStore.swift"],
    "the vendor's classes have dictionaries of this type, made for the app when it asks": [
        "PubNub/Async/PubNub+AsyncHistory.swift", "PubNub/Async/PubNub+AsyncPresence.swift",
        "PubNub/Builders/PNPresenceHeartbeatAPICallBuilder.swift", "PubNub/Client/PNPAMToken.swift", "PubNub/Results/PNHistoryResult.swift",
        "PubNub/Results/PNPresenceResults.swift", "PubNub/Results/PNStateResults.swift", "PubNubProtocol/Calls/History/PubNubCountsCall.swift",
        "PusherSwift/Channels/PusherChannels.swift", "PusherSwift/Connection/PusherConnection+Channels.swift"],
    "names of fields of a log entry": [
        "PubNubServer/Access/PubNubAccess.swift", "ServerRuntime/HTTP/HTTPAnswer.swift", "ServerRuntime/HTTP/HTTPProblem.swift"],
    "names of own tables": ["PostgreSQLStorage/Messages/MessagePartitions.swift", "PostgreSQLStorage/Tables/PostgreSQLTables.swift"],
    "names of fields of an open channel, each with a text": ["ChatServer/Application/ServedChatApplication+Open.swift"],
    "turns of requests and deliveries: two equivalent spellings would wait for each other, and nothing else": ["ServerRuntime/Webhooks/WebhookQueue.swift"],
}


def string_keys(code):
    """Whether a line has a table or set whose keys are compared as Unicode has it and not by their bytes (rule HB-11)."""
    return bool(re.search(KEYED, code)) and not re.search(FIELDS, code)


def test_the_search_for_string_keys_finds_them():
    for code in ("var users: [String: User] = [:]", "let a: [String : Int]", "var seen = Set<String>()", "[Key: [String: Int64]]", "OrderedSet<String>",
                 "var a: OrderedDictionary<String, Int>", "Dictionary<String,Int>()", "[String: [JSONValue]]"):
        assert string_keys(code), code
    for code in ("var a: [Identifier: User]", "Set<Identifier>", "let a: [String: Any]", "[String: JSONValue]", "var headers: [String: String]", "[String]",
                 "OrderedDictionary<String, JSONValue>", "a ? [String]() : b"):
        assert not string_keys(code), code


def test_no_string_is_a_key_where_an_id_is_meant():
    """HB-11: a table of `String` keys takes two spellings of an id that Unicode holds for equivalent for one."""
    found = {file for file, _, code in lines() if file.split("/")[0] in ID_TARGETS and string_keys(code)}
    allowed = {file for files in STRING_KEYS.values() for file in files}
    assert sorted(found - allowed) == [], "use Identifier, or say here why the keys are no ids"
    assert sorted(allowed - found) == [], "exceptions that nothing needs any more"
    assert len(allowed) == sum(len(files) for files in STRING_KEYS.values())


# Subscripts with computed bounds

BOUND_TARGETS = ID_TARGETS + ("ServerConsole", "ServerCluster", "RedisClient", "WireCoding", "WebSocketFraming", "BodyCompression", "TransportCommon", "HTTPTransport", "WebSocketTransport", "ServerValues")
# Says on its own line, or on the line above, why a computed bound cannot lie outside.
IN_BOUNDS = "// in bounds: "
# Files with computed bounds in many places, by the reason.
BOUND_FILES = {
    "the functions that check bounds": ["WireCoding/CheckedAccess.swift"],
    "scanners that compare with the count before each byte, for every message; fuzz tests run them on mutated bytes": [
        "ServerRuntime/HTTP/PlainRequestHead.swift", "PubNubServer/Subscribe/SubscribeTarget.swift", "WireCoding/JSON/JSONBytes.swift", "WireCoding/JSON/JSONRepairWalk.swift",
        "WireCoding/JSON/JSONScanner.swift", "WireCoding/JSON/JSONScanner+Text.swift", "WireCoding/JSON/JSONScanner+Values.swift",
        "WireCoding/JSON/JSONWriter.swift", "WebSocketFraming/Receiving/WebSocketReceiver.swift"],
    "the lengths of keys, nonces and blocks are fixed, and tested with the vectors of the algorithm": ["PusherProtocol/Wire/SecretBox.swift"],
    "positions that were found in the same ordered list, and as many fields as were asked for": [
        "ChatServer/Cluster/Store/RedisChatStore+Reading.swift", "HubStorage/Chat/ChatStoreContents.swift"],
    "what the kernel says about routes of this machine": ["TransportCommon/Network/RouteMessages.swift", "TransportCommon/Network/RouteSocket.swift"],
}
# What gives a place that is in a collection, or at its end.
FOUND = r"(?:firstIndex|lastIndex|firstRange|index|firstPosition|partitioningIndex)\b|\.(?:startIndex|endIndex|lowerBound|upperBound)\b"


def subscripts(code):
    """What stands in each subscript of a line without literals, brackets inside left out, with the code before it."""
    for match in re.finditer(r"(?<=[\w)\]?`])\[", code):
        inside, depth = "", 0
        for character in code[match.start():]:
            depth -= character in ")]}"
            inside += character if depth == 1 else ""
            depth += character in "([{"
            if depth == 0:
                break
        yield inside[:-1] if depth == 0 and inside.endswith(")") else inside, code[match.start():], code[:match.start()]


def computed(code, before=()):
    """Whether a line without literals has a subscript whose bounds are computed, and does not compare them first.

    `before` are the lines before it, for places that have been found there."""
    for inside, after, earlier in subscripts(code):
        bounds = re.match(r"(.*?)\s*\.\.[.<]\s*(.*)$", inside)
        if not bounds:
            names = re.findall(r"([\w.]+)\s*&?[-+*/%]\s*[\w.]+", inside)
            # `i - 1` behind `i > 0`, `i + 1` behind `i + 1 < count`, `count - 1` behind `count > n`.
            if any(not re.search(rf"{re.escape(name)}\b(?:\s*&?\+\s*\w+)?\s*(?:<|>|== 0)", earlier) for name in names):
                return True
            continue
        low, high = bounds.groups()
        if low and high and not (low.isdigit() and high.isdigit()):
            return True
        for bound in (low, high):
            if re.search(r"[-+*/%]", bound):
                return True
            name = re.fullmatch(r"\$?\w+", bound)
            if name and not bound.isdigit() and not re.search(FOUND, (code if bound == "$0" else "")):
                named = re.compile(rf"\b{bound}\b[^=]*=[^=].*(?:{FOUND})")
                if not any(named.search(line) for line in [*before[-12:], earlier]):
                    return True
            if not name and bound and not re.search(FOUND, after):
                return True
    return False


def computed_bounds(text):
    """The numbers of the lines with computed bounds and without a reason."""
    plain, original = blanked(text).splitlines(), text.splitlines()
    for number, line in enumerate(plain):
        reasons = original[max(number - 1, 0):number + 1]
        if "[" in line and computed(line, plain[max(number - 12, 0):number]) and not any(IN_BOUNDS in reason for reason in reasons):
            yield number + 1


def test_the_search_for_computed_bounds_finds_them():
    for code in ("let rest = body[position..<min(body.count, start + limit)]", "return list[start..<end].map(f)", "body[start...].first", "page[..<count]", "a[(colon + 1)...]",
                 "bytes[index + 1]", "items[count - 1]", "word[i &+ 1]", "all[2 * i]", "let x = text[text.index(after: a)..<end]", "f(a[b..<c], d)"):
        assert list(computed_bounds(code)) == [1], code
    for code in ("let a = bytes[index]", "bytes[0..<4]", "a[...]", "a[b.endIndex...]", "text[..<range.lowerBound]", "let c = a.firstIndex(of: b); d = a[..<c]", "text[text.index(after: colon)...]",
                 "guard i + 1 < a.count, a[i + 1] == 0 else {", "while i > 0, a[i - 1] > b {", "a.clamped(from: b, to: c)", "[-1, 0].contains(a)", "let s = \"a[b..<c]\"", "// a[b..<c]",
                 "a[b..<c] // in bounds: c is the count", "// in bounds: b is at most c\na[b..<c]", "let a: [String: Int] = [:]", "guard let end = text.lastIndex(of: c)\nelse { return }\nreturn text[..<end]"):
        assert list(computed_bounds(code)) == [], code


def test_bounds_of_foreign_bytes_are_checked():
    """SV-85: a slice or subscript whose bounds are computed goes through `element(at:)`, `clamped(from:to:)` or `slice(from:to:)`, or says why it is in bounds."""
    found = {}
    for file in sorted(SOURCES.rglob("*.swift")):
        name = file.relative_to(SOURCES).as_posix()
        if name.split("/")[0] in BOUND_TARGETS and (numbers := list(computed_bounds(file.read_text()))):
            found[name] = numbers
    allowed = {file for files in BOUND_FILES.values() for file in files}
    places = [f"{name}:{number}" for name, numbers in found.items() for number in numbers if name not in allowed]
    assert places == [], "use WireCoding/CheckedAccess.swift, or say behind `in bounds:` why the bounds are right"
    assert sorted(allowed - found.keys()) == [], "exceptions that nothing needs any more"


# A type's name has one meaning

# Braces, and what a type or an extension begins with. `class func` and a variable `actor` are followed by no capital.
TYPE_TOKEN = re.compile(r"[{}]|\b(struct|class|enum|actor|protocol|typealias|extension)\s+([A-Z_][\w.]*)")
# Names that two modules declare, by the reason.
DOUBLED_NAMES = {
    "Message": "public in Lifeline, and the vendor's name in NexconnChatSDK",
    "PusherConnection": "the vendor's name in PusherSwift, and one connection on a server in PusherServer",
    "WebSocketConnection": "the vendor's name in PusherSwift, and one connection on a server in ServerRuntime",
}


def type_names(text):
    """The names of the types that a source declares, each with those of its outer types in front. Nothing private, and nothing inside of functions."""
    code, outer, started = blanked(text), [], None
    for match in TYPE_TOKEN.finditer(code):
        kind, name = match.groups()
        before = re.split(r"[{};\n]", code[:match.start()][-200:])[-1]
        if match[0] == "{":
            outer.append(started)
            started = None
        elif match[0] == "}":
            del outer[-1:]
        elif not re.search(r"\bimport\s+$", before):
            is_private = bool(re.search(r"\b(?:file)?private\b", before))
            if kind != "extension" and not is_private and None not in outer:
                yield ".".join([*outer, name])
            if kind != "typealias":
                started = None if is_private else name


def doubled(modules):
    """The names that several modules declare, with the modules; `modules` has the texts of each by its name."""
    found = {}
    for module, texts in modules.items():
        for name in {name for text in texts for name in type_names(text)}:
            found.setdefault(name, set()).add(module)
    return {name: owners for name, owners in found.items() if len(owners) > 1}


def test_the_search_for_doubled_names_finds_them():
    text = """@available(macOS 14, *)
@MainActor public final class A<B> where B: C {
    package enum D: Int { case e }
    private struct F { struct G {} }
    class func make() { struct Local {} }
    typealias H = Int
    var actor: O { list.map { actor in actor } }
}
import struct Elsewhere.Q
extension A.D { indirect enum I {} }
private protocol J {}
public extension K { struct L {} }
// struct M {}
let n = "struct N {}"
actor O {}
"""
    assert list(type_names(text)) == ["A", "A.D", "A.H", "A.D.I", "K.L", "O"]
    assert doubled({"X": [text], "Y": ["struct O {}\nstruct I {}\nextension A { struct D {} }"], "Z": ["struct P {}", "struct P {}"]}) == {
        "O": {"X", "Y"}, "A.D": {"X", "Y"}}


def test_a_name_of_a_type_has_one_meaning():
    """A name that two modules declare sends readers and searches to the wrong type: give the second one the name of what it is."""
    modules = {}
    for file in sorted(SOURCES.rglob("*.swift")):
        if ".docc" not in file.as_posix():
            modules.setdefault(file.relative_to(SOURCES).parts[0], []).append(file.read_text())
    found = doubled(modules)
    assert {name: sorted(found[name]) for name in sorted(found.keys() - DOUBLED_NAMES.keys())} == {}, "rename one, or say here why both have the name"
    assert sorted(DOUBLED_NAMES.keys() - found.keys()) == [], "exceptions that nothing needs any more"


# Types exist on all platforms of the manifest

# Such a type requires macOS 14 and iOS 17, and the compiler on Linux says nothing about it. Functions may have parameter packs.
PACKED_TYPE = re.compile(r"\b(?:struct|class|enum|actor)\s+\w+\s*<[^{>]*\beach\s")


def test_no_type_has_a_parameter_pack():
    assert PACKED_TYPE.search("struct Block<each Input>: Sendable {") and PACKED_TYPE.search("final class A<B,\n    each C> {")
    assert not PACKED_TYPE.search("func call<each Input>(_ input: repeat each Input) {") and not PACKED_TYPE.search("struct A<B> { func c<each D>() {} }")
    found = [file.relative_to(SOURCES).as_posix() for file in sorted(SOURCES.rglob("*.swift")) if PACKED_TYPE.search(blanked(file.read_text()))]
    assert found == [], "use a tuple as the type's parameter, as EngineRuntime's CallerBlock does"


# The map of the modules


def script(name, *arguments):
    root = SOURCES.parent
    return subprocess.run([sys.executable, root / "Scripts" / name, *arguments], cwd=root, capture_output=True, text=True)


# Releases under a lock

# What an app gives to these modules may call them when it is released.
APP_TARGETS = ("PusherSwift", "PubNub", "NexconnChatSDK", "Lifeline", "EngineRuntime", "LifelineUI", "LifelineOutbox", "ClientRuntime")
# Statements that release something under a lock, by the reason why that is nothing of the app's.
RELEASES = {
    "values without objects of the app": [
        "PusherSwift/Authorization/AuthorizationRunner.swift: state.problems[Identifier(job.channel)] = nil",
        "PusherSwift/Connection/PusherConnection+Delivery.swift: $0.reportedCode = nil", "PubNub/Client/PubNub+Copying.swift: $0.removeAll()",
        "PubNub/Client/PubNub+Delivery.swift: $0.removeAll()", "PubNub/Client/PubNub+Subscribing.swift: wanted.remove(list)",
        "PubNub/Client/PubNub+Subscribing.swift: $0 = newValue", "PubNub/Logging/LogFiles.swift: $0 = newValue",
        "Lifeline/Tokens/TokenSource.swift: state.refusal = nil", "LifelineUI/Combine/DemandGate.swift: state.demand = nil",
        "PusherSwift/Channels/PusherChannel.swift: $0.subscribed = newValue", "PubNub/Logging/PNLLogger.swift: $0.isEnabled = newValue",
        "NexconnChatSDK/Client/ChatClient+Intake.swift: state.unkept.removeFirst()", "NexconnChatSDK/Engine/LogThreshold.swift: $0 = newValue",
        "PubNub/Logging/PNLLogger.swift: $0.writesToConsole = newValue", "PubNub/Logging/PNLLogger.swift: $0.writesToFile = newValue"],
    "weak references": ["PusherSwift/Connection/DelegateBox.swift: $0.delegate = newValue", "PusherSwift/Socket/NWWebSocket.swift: $0.delegate = newValue"],
    "returned by the same closure, and used outside": [
        "PusherSwift/Socket/SocketGate.swift: state.link = nil", "Lifeline/Tokens/TokenSource.swift: state.asking = nil",
        "EngineRuntime/Broadcast/EventStream.swift: state.consumer = nil"],
    "closures and observations of the library, which hold its own objects weakly": [
        "PusherSwift/Socket/SocketLink.swift: state.network = nil", "NexconnChatSDK/Client/ChatClient+Life.swift: $0.sweep = nil",
        "EngineRuntime/Observing/ApplicationMonitor.swift: state.observers[id] = nil"],
}
RELEASE = re.compile(r"(?:_ = )?[\w$.?!]+(?:\[[^\]]*\])?(?:\.remove(?:Value|All|First|Last)?\(.*\)| = nil)|\$0[\w.]* = newValue")


def releases(text):
    """Statements in closures of `withLock` and `withLockedValue` that release what was stored; a removed value that is the closure's result is not."""
    code, found = blanked(text), []
    for start in re.finditer(r"\bwithLock(?:edValue)?(?:\([^()]*\))?\s*\{", code):
        end, depth = start.end(), 1
        while end < len(code) and depth:
            depth += (code[end] == "{") - (code[end] == "}")
            end += 1
        body = re.sub(r"^\s*(?:\[[^\]]*\]\s*)?(?:\w+(?:, \w+)*|\([^)]*\))\s*(?:->\s*[^{\n]*?)?\bin\b", "", code[start.end():end - 1]).strip()
        for statement in (part.strip() for line in body.split("\n") for part in line.split(";")):
            is_result = statement == body and re.search(r"\.remove(?!All)\w*\(", statement) and not statement.startswith("_ =")
            if RELEASE.fullmatch(statement) and not is_result:
                found.append(statement)
    return found


def test_the_search_for_releases_under_a_lock_finds_them():
    for code in ("box.withLockedValue { $0 = newValue }", "state.withLockedValue { $0.delegate = nil }", "a.withLock {\n    handlers.removeAll()\n}",
                 "s.withLockedValue { state in\n    state.body = nil\n    return 1\n}", "s.withLockedValue { _ = $0.calls.removeValue(forKey: id) }"):
        assert releases(code), code
    for code in ("let former = s.withLockedValue { $0.calls.removeValue(forKey: id) }", "s.withLockedValue { $0.count += 1 }",
                 "s.withLockedValue { state in\n    let former = state.body\n    return former\n}", "state.body = nil"):
        assert not releases(code), code


def test_no_object_of_an_app_is_released_under_a_lock():
    """It may call the library in its `deinit`, which then waits for the lock that it holds itself: let the closure return it, and drop it behind."""
    found = {f"{file.relative_to(SOURCES).as_posix()}: {statement}" for target in APP_TARGETS for file in sorted((SOURCES / target).rglob("*.swift"))
             for statement in releases(file.read_text())}
    allowed = {statement for statements in RELEASES.values() for statement in statements}
    assert sorted(found - allowed) == [], "return it out of the closure, or say here why it is nothing of the app's"
    assert sorted(allowed - found) == [], "exceptions that nothing needs any more"


def test_targets_declare_what_they_import():
    """A target that imports what it does not declare builds by luck, and one that declares more misleads its readers."""
    done = script("check-imports.py")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_picture_of_the_modules_is_that_of_the_manifest():
    done = script("module-map.py", "--check")
    assert (done.returncode, done.stderr) == (0, "")
