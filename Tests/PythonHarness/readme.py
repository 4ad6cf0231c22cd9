"""The README's blocks of code, and what compiles them.

A block of Swift with a comment `<!-- runs: NAME -->` above it is a complete main.swift. It is compiled against the modules of the debug
build and linked with the objects of the program `lifeline`, in which every module is. That takes seconds; a package that depends on this
one would build everything anew, and targets of this package would have to be in its plan, of which there is one for all tests.
"""

import re
import subprocess
from pathlib import Path

from lifeline_harness import ROOT, lifeline

README = ROOT / "README.md"


def blocks(language):
    """The blocks of a language, in order."""
    return re.findall(rf"^```{language}\n(.*?)^```$", README.read_text(), flags=re.S | re.M)


def runnable():
    """The complete programs by their names."""
    return dict(re.findall(r"^<!-- runs: (\w+) -->\n```swift\n(.*?)^```$", README.read_text(), flags=re.S | re.M))


def compiled(name, port, folder):
    """The program of a block, with another port than 6001."""
    source, program = folder / "main.swift", folder / name
    source.write_text(runnable()[name].replace("6001", str(port)))
    built = Path(lifeline()).resolve().parent
    command = [
        "swiftc", "-swift-version", "6", "-warnings-as-errors", "-Onone", "-module-name", "Snippet", "-I", str(built / "Modules"),
        *(part for path in module_maps(built) for part in ("-Xcc", f"-fmodule-map-file={path}")),
        "-module-cache-path", str(built / "ModuleCache"), str(source), f"@{object_list(built, folder)}", "-lstdc++", "-o", str(program)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, (run.stdout + run.stderr)[:4000]
    return program


def module_maps(built):
    """The C modules that the package and its dependencies have."""
    checkouts = built.parent.parent / "checkouts"
    found = [*checkouts.glob("*/Sources/**/module.modulemap"), *ROOT.glob("Sources/**/module.modulemap"), *built.glob("*.build/**/*.modulemap")]
    return [path for path in found if "Tests" not in str(path.relative_to(path.anchor)) and "-tool" not in str(path)]


def object_list(built, folder):
    """A file that names all objects of the server and of the SDKs: those of two programs, without the programs' own."""
    kept = {}
    for product, own in (("lifeline", "LifelineCommand"), ("network-watch", "network_watch")):
        names = (built / f"{product}.product" / "Objects.LinkFileList").read_text().splitlines()
        libraries = [name for name in names if f"/{own}.build/" not in name]
        assert len(libraries) < len(names), "the program's own objects have another place"
        kept |= dict.fromkeys(libraries)
    path = folder / "objects"
    path.write_text("\n".join(kept) + "\n")
    return path
