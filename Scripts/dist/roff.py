"""Text and a small part of Markdown as roff for manual pages."""

import re


def escaped(text):
    """Text that roff shows as it is."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("…", "...").replace("–", "\\(en").replace("✓", "yes")
    text = text.replace("“", "\\(lq").replace("”", "\\(rq").replace("’", "'").replace("→", "\\(->").replace("≤", "<=")
    return re.sub(r"^([.'])", r"\\&\1", text)


def styled(text):
    """A line of Markdown: code and emphasis are bold, links are their text."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    parts = re.split(r"(`[^`]+`|\*\*[^*]+\*\*)", text)
    out = "".join(f"\\fB{escaped(part.strip('`*'))}\\fR" if part[:1] in ("`", "*") and len(part) > 2 else escaped(part) for part in parts)
    return re.sub(r"^([.'])", r"\\&\1", out)


def literal(lines):
    """Lines that keep their form."""
    return [".PP", ".RS 4", ".nf", *(escaped(line) for line in lines), ".fi", ".RE"]


def paragraphs(text):
    """A text of paragraphs; indented lines keep their form."""
    out, plain, code = [], [], []

    def flush():
        if plain:
            out.extend([".PP", escaped(" ".join(plain))])
            plain.clear()
        if code:
            out.extend(literal(code))
            code.clear()

    for line in text.splitlines():
        if line.startswith("  "):
            if plain:
                flush()
            code.append(line[2:])
        else:
            if code or not line.strip():
                flush()
            if line.strip():
                plain.append(line.strip())
    flush()
    return out


def _cells(row):
    return [cell.strip() for cell in row.strip().strip("|").split(" | ")]


def _table(rows):
    """Each row is an entry: the first cell names it, the others follow with the names of their columns."""
    head, out = _cells(rows[0]), []
    for row in rows[2:]:
        cells = _cells(row)
        facts = [(name, cell) for name, cell in zip(head[1:], cells[1:]) if cell and cell != "–"]
        out += [".TP", styled(cells[0])]
        for place, (name, cell) in enumerate(facts):
            if place:
                out.append(".br")
            out.append(styled(f"{name}: {cell}"))
        if not facts:
            out.append("\\&")
    return out


def markdown(text):
    """Headings of the third level, paragraphs, lists, tables and blocks of code."""
    out, lines = [], text.splitlines()
    while lines:
        line = lines.pop(0)
        if line.startswith("### "):
            out.append(f'.SS "{escaped(re.sub(r"^[0-9.]+ ", "", line[4:]))}"')
        elif line.startswith("```"):
            code = []
            while lines and not lines[0].startswith("```"):
                code.append(lines.pop(0))
            lines = lines[1:]
            out += literal(code)
        elif line.startswith("|"):
            rows = [line]
            while lines and lines[0].startswith("|"):
                rows.append(lines.pop(0))
            out += _table(rows)
        elif line.strip():
            begin = re.match(r"(\d+\.|-) +", line)
            words = [line[begin.end():] if begin else line.strip()]
            while lines and lines[0].strip() and not re.match(r"#|```|\||(\d+\.|-) ", lines[0]):
                words.append(lines.pop(0).strip())
            mark = "\\(bu" if begin and begin[1] == "-" else begin and begin[1]
            # A heading begins a paragraph already.
            if mark or not (out and out[-1].startswith(".SS")):
                out.append(f".IP {mark} 4" if mark else ".PP")
            out.append(styled(" ".join(words)))
    return out
