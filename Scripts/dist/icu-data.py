#!/usr/bin/env python3
"""Makes an object with the part of ICU's data that the program needs: 34 MB of Swift's libFoundationICU.a are data for each language, and the
program formats nothing for people of other languages than English. Linked before the archive, the object takes the place of its data.

Usage: icu-data.py directory-of-Swift's-static-libraries object.o
Left out are languages but English, converters of character sets, transliteration, dictionaries for finding words, places to break lines, names of
characters, collation, and names of currencies, languages, regions, units and time zones. ICU falls back to `root` for what is not there, as in programs
that its own data build tool has made small. Lists, normalisation, time zones, calendars and regular expressions stay.
The format is ICU's common data (unicode/udata.h, ucmndata.h): a header, the number of items, for each the offsets of its name and of its data,
sorted by name, then the names, then the data at multiples of 16 bytes."""

import pathlib
import re
import struct
import subprocess
import sys
import tempfile

# Folders of which the program needs nothing: it compares no strings by a language, and names no currencies, regions, units or time zones.
UNUSED = {"translit", "coll", "curr", "lang", "rbnf", "region", "unit", "zone"}
LANGUAGES = {"root", "en", "en_001", "en_150", "en_GB", "en_US", "en_US_POSIX"}
# Names of languages, such as de, zh_Hant_TW or sr_Latn; anything else in a folder of languages is a list that all need.
LANGUAGE = re.compile(r"[a-z]{2,3}(_[A-Z][a-z]{3})?(_([A-Z]{2}|[0-9]{3}))?(_[A-Z]+)?")


def is_needed(item):
    """Whether the program needs an item, such as `icudt76l/coll/de.res`."""
    folders, _, name = item.partition("/")[2].rpartition("/")
    stem, _, kind = name.rpartition(".")
    if kind in ("cnv", "dict", "spp", "cfu") or folders.partition("/")[0] in UNUSED or stem == "unames":
        return False
    if folders == "brkitr" and stem.startswith("line"):
        return False
    if kind == "res":
        return stem in LANGUAGES or not LANGUAGE.fullmatch(stem)
    return True


def items(data):
    """The header of common data, and the items with their bytes, in the order of their names."""
    if data[2:4] != b"\xda\x27" or data[12:16] != b"CmnD" or data[16] != 1:
        raise ValueError("the archive has no data of ICU in the format that this script knows")
    size = struct.unpack_from("<H", data)[0]
    count = struct.unpack_from("<I", data, size)[0]
    places = [struct.unpack_from("<II", data, size + 4 + 8 * index) for index in range(count)]
    ends = [offset for _, offset in places[1:]] + [len(data) - size]
    found = []
    for (name, begin), end in zip(places, ends, strict=True):
        first = size + name
        found.append((data[first : data.index(0, first)].decode("ascii"), data[size + begin : size + end]))
    return data[:size], found


def packed(header, kept):
    """Common data of the same header with these items."""
    names, offsets, position = b"", [], 4 + 8 * len(kept)
    for name, _ in kept:
        offsets.append(position + len(names))
        names += name.encode("ascii") + b"\0"
    position += len(names)
    places, contents = [], b""
    for index, (_, content) in enumerate(kept):
        contents += bytes(-(len(header) + position + len(contents)) % 16)
        places.append(struct.pack("<II", offsets[index], position + len(contents)))
        contents += content
    return header + struct.pack("<I", len(kept)) + b"".join(places) + names + contents


def main(libraries, target):
    archive = pathlib.Path(libraries, "lib_FoundationICU.a").resolve()
    with tempfile.TemporaryDirectory() as folder:
        member = "icu_packaged_data.cpp.o"
        subprocess.run(["ar", "x", archive, member], cwd=folder, check=True)
        symbols = subprocess.run(["nm", "-g", "--defined-only", member], cwd=folder, check=True, capture_output=True, text=True).stdout.split()
        symbol = symbols[-1]
        if len(symbols) != 3 or not re.fullmatch(r"icudt\d+_dat", symbol):
            raise ValueError(f"{archive} has other symbols beside the data of ICU: {symbols}")
        subprocess.run(["objcopy", "-O", "binary", "-j", ".rodata", member, "all"], cwd=folder, check=True)
        header, found = items(pathlib.Path(folder, "all").read_bytes())
        data = packed(header, [(name, content) for name, content in found if is_needed(name)])
        pathlib.Path(folder, "part").write_bytes(data)
        # A name without the folder, so that the object is the same each time.
        source = f'.section .rodata\n.balign 16\n.globl {symbol}\n.type {symbol}, @object\n.size {symbol}, {len(data)}\n{symbol}:\n.incbin "part"\n'
        source += '.section .note.GNU-stack,"",@progbits\n'
        pathlib.Path(folder, "part.s").write_text(source)
        subprocess.run(["as", "-o", pathlib.Path(target).resolve(), "part.s"], cwd=folder, check=True)
    print(f"data of ICU: {len(data)} of {sum(len(content) for _, content in found)} bytes, {len(header)} in the header", file=sys.stderr)


if __name__ == "__main__":
    main(*sys.argv[1:])
