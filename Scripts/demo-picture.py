#!/usr/bin/env python3
"""Draws docs/demo.svg, the picture of the README: runs `lifeline demo` and shows its first part as a terminal would.

usage: Scripts/demo-picture.py [FILE]

The program is $LIFELINE, or .build/debug/lifeline. The run is a real one and takes about a minute. Nothing is written unless the run
ends with exit code 0.
"""

import os
import pty
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

ROOT = Path(__file__).resolve().parents[1]
# Columns of the terminal; longer lines are wrapped.
COLUMNS = 100
# Pixels: the size of the type, the width of a column, the height of a line, the margin.
TYPE, COLUMN, LINE, MARGIN = 13, 7.8, 18, 20
# Height of the bar with the title.
BAR = 34
# The first part of the demonstration ends with this line.
LAST = "It adds up."
# Classes of the style sheet by the codes of the program's colours.
CLASSES = {"1": "bold", "2": "dim", "31": "red", "32": "green", "33": "yellow", "36": "cyan"}
TITLE = "Output of lifeline demo"
DESCRIPTION = (
    "A terminal. A server and two clients of Pusher Channels exchange events. The connection of one client is cut, then held half-open, then "
    "refused. Each status is shown with its time, cause and retry delay. A table then counts the events that were sent, received, "
    "duplicated and lost: no event arrived twice, and each lost one was published during an outage that the client had declared.")
STYLE = """
svg { --ground: #ffffff; --bar: #f0f2f4; --line: #d0d7de; --plain: #1f2328; --dim: #59636e; --red: #b3261e; --green: #1a7f37;
  --yellow: #8a5a00; --cyan: #0b6a88; }
@media (prefers-color-scheme: dark) { svg { --ground: #0d1117; --bar: #161b22; --line: #30363d; --plain: #e6edf3; --dim: #9198a1;
  --red: #ff7b72; --green: #4ac26b; --yellow: #d9a440; --cyan: #56c8e0; } }
text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre; fill: var(--plain); }
.bold { font-weight: bold; } .dim { fill: var(--dim); } .red { fill: var(--red); } .green { fill: var(--green); }
.yellow { fill: var(--yellow); } .cyan { fill: var(--cyan); } .title { fill: var(--dim); text-anchor: middle; }
.ground { fill: var(--ground); stroke: var(--line); } .bar { fill: var(--bar); } .rule { stroke: var(--line); }
""".strip()


@dataclass
class Piece:
    """Text of one colour."""
    text: str
    kind: str = ""


def run(program):
    """The lines of a real run on a terminal, with the codes of their colours."""
    outer, inner = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color"}
    environment.pop("NO_COLOR", None)
    process = subprocess.Popen([program, "demo"], stdin=subprocess.DEVNULL, stdout=inner, env=environment)
    os.close(inner)
    output = b""
    while True:
        try:
            part = os.read(outer, 65536)
        except OSError:  # What Linux says when the other end of a terminal is closed.
            break
        if not part:
            break
        output += part
    os.close(outer)
    code = process.wait()
    if code != 0:
        sys.exit(f"`{program} demo` ended with {code}, so no picture was drawn. Its last lines:\n" + output.decode()[-2000:])
    return output.decode().replace("\r\n", "\n").splitlines()


def first_part(lines):
    """The lines up to the verdict on the first part."""
    for index, line in enumerate(lines):
        if "".join(piece.text for piece in pieces(line)).startswith(LAST):
            return lines[:index + 1]
    sys.exit(f"No line of the demonstration begins with “{LAST}”, so its first part could not be found.")


def pieces(line):
    """A line of the terminal as pieces of one colour each."""
    found, kind = [], ""
    for text, code in re.findall(r"([^\x1b]*)(?:\x1b\[([\d;]*)m)?", line):
        if text:
            found.append(Piece(text, kind))
        kind = CLASSES.get(code, "")
    return found


def wrapped(line):
    """The lines of at most COLUMNS columns that a line becomes; what follows is indented like the last column of the timeline."""
    out, row, used = [], [], 0
    for piece in line:
        rest = piece.text
        while used + len(rest) > COLUMNS:
            cut = rest.rfind(" ", 0, COLUMNS - used + 1)
            cut = cut if cut > 0 else COLUMNS - used
            row.append(Piece(rest[:cut], piece.kind))
            out.append(row)
            rest = rest[cut:].lstrip()
            row, used = [Piece(" " * 31)], 31
        row.append(Piece(rest, piece.kind))
        used += len(rest)
    return [*out, row]


def texts(row, top):
    """The elements for a row: each stands at its column, whatever font there is, so runs of spaces need none."""
    column = 0
    for piece in row:
        for match in re.finditer(r"\S+(?: \S+)*", piece.text):
            x, length = MARGIN + (column + match.start()) * COLUMN, len(match[0]) * COLUMN
            kind = f' class="{piece.kind}"' if piece.kind else ""
            yield f'<text x="{x:g}" y="{top:g}" textLength="{length:g}"{kind}>{escape(match[0])}</text>'
        column += len(piece.text)


def picture(lines):
    """The picture of lines of a terminal, as SVG."""
    rows = [[Piece("$ ", "dim"), Piece("lifeline demo", "bold")]]
    for line in lines:
        rows += wrapped(pieces(line))
    width, height = round(2 * MARGIN + COLUMNS * COLUMN), BAR + 2 * MARGIN + len(rows) * LINE - (LINE - TYPE)
    body = []
    for index, row in enumerate(rows):
        body += texts(row, BAR + MARGIN + TYPE - 2 + index * LINE)
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img" '
        'aria-labelledby="title description">',
        f'<title id="title">{escape(TITLE)}</title>', f'<desc id="description">{escape(DESCRIPTION)}</desc>',
        f"<style>{STYLE}</style>",
        f'<rect class="ground" x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="8"/>',
        f'<path class="bar" d="M1 {BAR}V8a7 7 0 0 1 7-7H{width - 8}a7 7 0 0 1 7 7V{BAR}z"/>',
        f'<path class="rule" d="M1 {BAR}.5H{width - 1}"/>',
        f'<text class="title" x="{width / 2:g}" y="{BAR / 2 + 5:g}">lifeline demo: the first of three parts</text>',
        *body, "</svg>", ""])


def main():
    program = ROOT / (os.environ.get("LIFELINE") or ".build/debug/lifeline")
    if not program.exists():
        sys.exit(f"{program} does not exist: build it with `swift build --product lifeline`, or set LIFELINE.")
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "demo.svg"
    target.write_text(picture(first_part(run(str(program)))), encoding="utf-8")
    print(f"Wrote {target}.")


if __name__ == "__main__":
    main()
