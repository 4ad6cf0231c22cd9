"""What an app writes around the calls of `Lifeline` that throw a `LifelineError`: each shape is compiled against the built module.

Swift 6.3.1 crashes on one shape, which the article *Errors and what to do* names. When a compiler takes it, the test says so (XPASS), and
the article can lose the paragraph.
"""

import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILT = ROOT / ".build" / "debug"

# The body of a function that gets a room and a channel. `catch` clauses that do not catch everything pass the rest on.
SHAPES = {
    "a loop in a typed do, and a last catch for the rest":
        "do throws(LifelineError) { for m in try await room.history(last: 20) { show(m) } } "
        "catch where error.code == .unsupported {} catch { throw error }",
    "a loop in a do, and a last catch for the rest":
        "do { for m in try await room.history(last: 20) { show(m) } } catch where error.code == .unsupported {} catch { throw error }",
    "a loop in a do that catches all":
        "do { for m in try await room.history(last: 20) { show(m) } } catch { print(error.code, error.reason) }",
    "a switch over the code":
        "do { for m in try await room.history(last: 20) { show(m) } } "
        "catch { switch error.code { case .unsupported: break\ncase .disconnected: throw error\ndefault: print(error) } }",
    "a guard in the catch":
        "do { for m in try await room.history(last: 20) { show(m) } } catch { guard error.code == .unsupported else { throw error } }",
    "the call before the loop":
        "let past: [Message]\ndo { past = try await room.history(last: 20) } "
        "catch { guard error.code == .unsupported else { throw error }; past = [] }\nfor m in past { show(m) }",
    "a typed error in a closure":
        "Task { do throws(LifelineError) { for m in try await room.history(last: 20) { show(m) } } catch { print(error.reason) } }",
    "some errors of a call without a loop":
        "do { _ = try await room.publish(1) } catch where error.code == .cancelled {}",
    "two calls and a loop":
        "do { let room = try await channel.subscribe(); for m in try await room.history(last: 3) { show(m) } } "
        "catch { print(error.reason) }",
    "decoding in a loop over messages":
        "for await m in room.messages { do { print(try m.decode(Int.self)) } catch { print(error.code) } }",
    "a loop that tries again":
        "while true { do { _ = try await room.history(last: 1); break } catch where error.code == .timeout { continue } "
        "catch { throw error } }",
    "try? with a default":
        "for m in (try? await room.history(last: 20)) ?? [] { show(m) }",
    "two calls at once":
        "async let a = room.history(last: 1)\nasync let b = room.history(last: 2)\nprint(try await a.count + b.count)",
}
CRASHES = {
    "a loop in a typed do, and some errors only":
        "do throws(LifelineError) { for m in try await room.history(last: 20) { show(m) } } catch where error.code == .unsupported {}",
    "the call before the loop, and some errors only":
        "var past: [Message] = []\ndo { past = try await room.history(last: 20) } catch where error.code == .unsupported {}\n"
        "for m in past { show(m) }",
    "a loop in a do, and some errors only":
        "do { for m in try await room.history(last: 20) { show(m) } } catch where error.code == .unsupported {}",
}
# Where the body stands. In a closure the error that is thrown on has no type.
FUNCTION = "func show(_ message: Message) {{}}\nfunc run(_ room: Room, _ channel: Channel) async throws {{\n{body}\n}}\n"
METHOD = (
    "func show(_ message: Message) {{}}\n"
    "@MainActor final class Model {{ func run(_ room: Room, _ channel: Channel) async throws {{\n{body}\n}} }}\n")


@pytest.fixture(scope="module")
def flags():
    maps = subprocess.run(["Scripts/module-maps.sh", str(BUILT.resolve())], cwd=ROOT, check=True, capture_output=True, text=True)
    return [flag for line in maps.stdout.split() for flag in ("-Xcc", f"-fmodule-map-file={line}")]


def compile_shape(flags, folder, frame, body):
    source = folder / "shape.swift"
    source.write_text("import Lifeline\n" + frame.format(body=body))
    return subprocess.run(
        ["swiftc", "-swift-version", "6", "-parse-as-library", "-warnings-as-errors", "-emit-sil", "-o", os.devnull,
         "-module-name", "Shape", "-I", str(BUILT / "Modules"), *flags, str(source)],
        capture_output=True, text=True, timeout=300, env=dict(os.environ, SWIFT_BACKTRACE="enable=no"))


@pytest.mark.parametrize("frame", [FUNCTION, METHOD], ids=["function", "method"])
@pytest.mark.parametrize("name", SHAPES)
def test_shape_compiles(flags, tmp_path, frame, name):
    result = compile_shape(flags, tmp_path, frame, SHAPES[name])
    assert result.returncode == 0, result.stderr[-2000:]


@pytest.mark.xfail(strict=False, raises=AssertionError, reason="Swift 6.3.1 crashes on it; the article says what to write instead")
@pytest.mark.parametrize("name", CRASHES)
def test_shape_that_the_article_warns_of(flags, tmp_path, name):
    result = compile_shape(flags, tmp_path, FUNCTION, CRASHES[name])
    if result.returncode != 0 and "Stack dump" not in result.stderr:
        raise RuntimeError(f"The shape is no Swift, so it says nothing of the compiler: {result.stderr[-2000:]}")
    assert result.returncode == 0
