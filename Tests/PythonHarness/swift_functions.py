"""Finds functions in Swift sources, as far as checks of sources need it: by their braces, without literals and comments."""

import re
from dataclasses import dataclass


def blanked(text):
    """The text with blanks for what stands in comments and literals, and of the same length. Names in backticks become one word."""
    out, place, end = list(text), 0, len(text)

    def wipe(start, stop):
        out[start:stop] = [c if c == "\n" else " " for c in text[start:stop]]

    while place < end:
        literal = re.compile(r'(#*)("""|")').match(text, place)
        if text.startswith("//", place):
            stop = text.find("\n", place)
            stop = end if stop < 0 else stop
            wipe(place, stop)
        elif text.startswith("/*", place):
            stop = text.find("*/", place)
            stop = end if stop < 0 else stop + 2
            wipe(place, stop)
        elif literal:
            hashes, quote = literal.groups()
            stop = _end_of_literal(text, literal.end(), quote + hashes, "\\" + hashes)
            wipe(literal.end(), stop)
            stop += len(quote + hashes)
        elif text[place] == "`":
            stop = text.index("`", place + 1) + 1
            out[place:stop] = [c if c.isalnum() else "_" for c in text[place:stop]]
        else:
            stop = place + 1
        place = stop
    return "".join(out)


def _end_of_literal(text, place, close, escape):
    while place < len(text) and not text.startswith(close, place):
        if text.startswith(escape + "(", place):
            # What is put into a literal may have literals in turn.
            place += len(escape) + 1
            depth = 1
            while depth and place < len(text):
                inner = re.compile(r'"(?:\\.|[^"\\\n])*"').match(text, place)
                depth += {"(": 1, ")": -1}.get(text[place], 0)
                place = inner.end() if inner else place + 1
        else:
            place += len(escape) + 1 if text.startswith(escape, place) else 1
    return place


def closing(text, start, pair="{}"):
    """The place behind the bracket that closes the one at `start`."""
    depth = 0
    for place in range(start, len(text)):
        depth += {pair[0]: 1, pair[1]: -1}.get(text[place], 0)
        if depth == 0:
            return place + 1
    return len(text)


@dataclass
class Function:
    name: str
    line: int
    is_test: bool
    body: str


def functions(text):
    """The functions of a source with a body each; `text` is one without literals."""
    found = []
    for match in re.finditer(r"\bfunc\s+(\w+)\s*(?:<[^>{]*>)?\(", text):
        after = closing(text, match.end() - 1, "()")
        start = re.compile(r"[^{}]*?\{").match(text, after)
        # Without one it is a demand of a protocol.
        if not start or re.search(r"\b(?:func|var|let|init|case)\b|\n\s*\n", start.group()):
            continue
        body = text[start.end() - 1:closing(text, start.end() - 1)]
        found.append(Function(match.group(1), text.count("\n", 0, match.start()) + 1, _is_test(text[:match.start()]), body))
    return found


def _is_test(before):
    """Whether `@Test` is the last attribute in front of a function."""
    attribute = before.rfind("@Test")
    if attribute < 0:
        return False
    rest = before[attribute + len("@Test"):]
    if rest.lstrip().startswith("("):
        start = rest.index("(")
        rest = rest[closing(rest, start, "()"):]
    return not re.search(r"[{}]|\b(?:func|struct|class|var|let)\b", rest)


def unconditional(body, needed):
    """A body without what stands in the branches of `if` and in `catch`, but for an `if` of which each branch has what is needed."""
    while match := re.search(r"\bif\b[^{}]*\{|\bcatch\b[^{}]*\{", body):
        start, stop, branches, has_else = match.end() - 1, 0, [], match.group().startswith("catch")
        while True:
            stop = closing(body, start)
            branches.append(body[start:stop])
            following = re.compile(r"\s*else\b([^{}]*)\{").match(body, stop)
            if not following:
                break
            has_else |= not following.group(1).strip()
            start = following.end() - 1
        is_sure = len(branches) > 1 and has_else and all(re.search(needed, unconditional(branch, needed)) for branch in branches)
        body = body[:match.start()] + (" #expect " if is_sure else " ") + body[stop:]
    return body
