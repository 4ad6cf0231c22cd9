"""What is in the packages that Scripts/dist.sh makes (rules PI-1, PI-2, PI-10 to PI-12)."""

import gzip
import hashlib
import json
import re
import shutil
import subprocess

import pytest
from lifeline_harness import ROOT

# Libraries that the program may need. Objects of the debug build need libcurl besides, for FoundationNetworking.
SYSTEM = re.compile(r"(libc|libm|libgcc_s|libstdc\+\+|libz|libsqlite3|ld-linux-.*)\.so\.\d+")


def output(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True, timeout=120).stdout


def control(deb):
    return dict(re.findall(r"^([\w-]+): (.*)$", output("dpkg-deb", "-f", deb), re.M))


def commands(command, path=()):
    yield "-".join([*path, command["commandName"]])
    for child in command.get("subcommands", []):
        if child["commandName"] != "help":
            yield from commands(child, [*path, command["commandName"]])


def test_checksums_are_those_of_the_files(made, deb, tarball):
    """Rule PI-1."""
    told = dict(reversed(line.split("  ")) for line in (made / "SHA256SUMS").read_text().splitlines())
    assert told == {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in made.iterdir() if file.name != "SHA256SUMS"}
    assert {deb.name, tarball.name} <= told.keys()


def test_the_version_is_that_of_the_program(deb, content):
    version = re.search(r'static let current = "(.*)"', (ROOT / "Sources/WireCoding/PackageVersion.swift").read_text())[1]
    assert output(content / "usr/bin/lifeline", "--version").strip() == version
    assert control(deb)["Version"] in (version, f"{version}~debug")
    # So the release replaces what a test has installed.
    assert subprocess.run(["dpkg", "--compare-versions", f"{version}~debug", "lt", version]).returncode == 0


def test_the_program_is_stripped_and_has_swift_in_it(deb, content):
    """Rule PI-2."""
    program = content / "usr/bin/lifeline"
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", output("readelf", "-d", program))
    is_debug = control(deb)["Version"].endswith("~debug")
    assert needed and [name for name in needed if not SYSTEM.fullmatch(name)] == (["libcurl.so.4"] if is_debug else [])
    sections = output("readelf", "-S", "-W", program)
    assert ".symtab" not in sections and ".swift_ast" not in sections
    depends = control(deb)["Depends"]
    for package in ("libc6", "libsqlite3-0", "libstdc++6", "zlib1g", "passwd"):
        assert re.search(rf"(^|[ |]){re.escape(package)}(t64)?\b", depends), f"{package} is not in {depends}"
    assert "libpq5" not in depends and control(deb)["Suggests"] == "libpq5"


def test_the_program_tells_no_names_and_has_the_data_that_it_needs(made, deb, content):
    """Rules PI-2 and PI-13."""
    program = content / "usr/bin/lifeline"
    told = [line.split() for line in output("readelf", "--dyn-syms", "-W", program).splitlines()]
    own = [words[7] for words in told if len(words) > 7 and words[4] == "GLOBAL" and words[3] == "FUNC" and words[6] != "UND"]
    assert len(own) < 50, own[:10]
    data = program.read_bytes()
    assert b"/uts46.nrm\0" in data and b"/zoneinfo64.res\0" in data and b"/en_US.res\0" in data
    assert b"/de.res\0" not in data and b"/cjdict.dict\0" not in data and b"/gb18030-2022.cnv\0" not in data
    if not control(deb)["Version"].endswith("~debug"):
        [names] = made.glob("*.debug.gz")
        assert gzip.decompress(names.read_bytes()).startswith(b"\x7fELF")


def test_files_have_their_sums_and_belong_to_root(deb, content):
    listed = {path: digest for digest, path in (line.split("  ", 1) for line in (content / "DEBIAN/md5sums").read_text().splitlines())}
    files = {str(file.relative_to(content)): file for file in content.rglob("*") if file.is_file() and "DEBIAN" not in file.parts}
    assert listed == {name: hashlib.md5(file.read_bytes()).hexdigest() for name, file in files.items()}
    for line in output("dpkg-deb", "-c", deb).splitlines():
        mode, owner = line.split()[:2]
        assert owner == "root/root" and mode in ("drwxr-xr-x", "-rw-r--r--", "-rwxr-xr-x"), line
    # Made at the installation, so that there are no two machines with the same secrets.
    assert not any(name.startswith("etc/") for name in files)


def test_each_command_has_a_manual_page(content):
    """Rule PI-11."""
    told = json.loads(output(content / "usr/bin/lifeline", "--experimental-dump-help"))["command"]
    pages = {file.name for file in content.glob("usr/share/man/man1/*")}
    assert pages == {f"{name}.1.gz" for name in commands(told)} and "lifeline-serve.1.gz" in pages
    page = gzip.decompress((content / "usr/share/man/man1/lifeline-serve.1.gz").read_bytes()).decode()
    for option in re.findall(r"--([a-z-]+)", output(content / "usr/bin/lifeline", "serve", "--help")):
        assert f"\\-\\-{option.replace('-', chr(92) + '-')}" in page, option
    settings = gzip.decompress((content / "usr/share/man/man5/lifeline.json.5.gz").read_bytes()).decode()
    for name in re.findall(r"^\| `(\w+)`", (ROOT / "docs/operations/settings.md").read_text(), re.M):
        assert f"\\fB{name}\\fR" in settings, name


@pytest.mark.skipif(shutil.which("mandoc") is None, reason="needs mandoc")
def test_manual_pages_are_well_formed(content, tmp_path):
    for file in content.glob("usr/share/man/man?/*.gz"):
        page = tmp_path / file.stem
        page.write_bytes(gzip.decompress(file.read_bytes()))
        checked = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", page], capture_output=True, text=True, timeout=60)
        assert checked.stdout + checked.stderr == ""
        shown = output("mandoc", "-T", "utf8", page)
        assert "lifeline" in shown and "`" not in shown.replace("``", "") and "**" not in shown, file.name


def test_documents_that_manual_pages_name_are_there(content):
    """Rule PI-11."""
    named = set()
    for file in (content / "usr/share/man").rglob("*.gz"):
        text = gzip.decompress(file.read_bytes()).decode().replace("\\-", "-")
        named |= set(re.findall(r"share/doc/lifeline/docs/\S+?\.md\.gz", text))
        assert set(re.findall(r"\b[\w/-]+\.md\b", text)) <= {name.removesuffix(".gz") for name in named}, file
    assert "share/doc/lifeline/docs/operations/settings.md.gz" in named
    assert [name for name in named if not (content / "usr" / name).exists()] == []


@pytest.mark.parametrize("shell, path", [
    ("bash", "bash-completion/completions/lifeline"), ("zsh", "zsh/vendor-completions/_lifeline"),
    ("fish", "fish/vendor_completions.d/lifeline.fish")])
def test_shells_can_read_the_completions(content, shell, path):
    """Rule PI-12."""
    file = content / "usr/share" / path
    assert "doctor" in file.read_text()
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed, which reads its own completions: Scripts/setup.sh dist-test installs it")
    checked = subprocess.run([shell, "-n", file], capture_output=True, text=True, timeout=60)
    assert checked.returncode == 0 and checked.stderr == ""


def test_licences_of_all_that_is_linked_are_there(content):
    text = (content / "usr/share/doc/lifeline/copyright").read_text()
    for name in ("Lifeline", "swift-nio", "swift-nio-ssl", "swift-crypto", "GRDB.swift", "swift-argument-parser", "Unicode License"):
        assert name in text, name


def test_the_unit_is_valid_and_locked_up(content, tmp_path):
    """Rule PI-7."""
    unit = content / "usr/lib/systemd/system/lifeline.service"
    text = unit.read_text()
    for line in ("Type=notify", "LimitNOFILE=200000", "User=lifeline", "NoNewPrivileges=yes", "ProtectSystem=strict", "CapabilityBoundingSet="):
        assert line in text.splitlines(), line
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze, which checks the unit, is not installed: it comes with systemd")
    # The program and the pages are not where the unit has them, since nothing is installed here.
    copy = tmp_path / "lifeline.service"
    copy.write_text(re.sub(r"^Documentation=.*\n", "", text, flags=re.M).replace("/usr/bin/lifeline", str(content / "usr/bin/lifeline")))
    verified = subprocess.run(["systemd-analyze", "verify", "--man=no", copy], capture_output=True, text=True, timeout=60)
    assert "lifeline.service" not in verified.stdout + verified.stderr
    judged = subprocess.run(["systemd-analyze", "security", "--offline=true", "--threshold=15", copy], capture_output=True, text=True, timeout=60)
    assert judged.returncode == 0, judged.stdout[-200:]


def test_the_archive_is_for_a_prefix(tarball):
    """Rule PI-10."""
    names = output("tar", "-tzf", tarball).splitlines()
    top = tarball.name.removesuffix(".tar.gz")
    assert {name.split("/")[0] for name in names} == {top}
    for path in ("bin/lifeline", "share/man/man1/lifeline.1.gz", "share/man/man5/lifeline.json.5.gz", "share/bash-completion/completions/lifeline",
                 "share/zsh/site-functions/_lifeline", "share/fish/vendor_completions.d/lifeline.fish", "share/doc/lifeline/copyright",
                 "share/lifeline/lifeline.json.in", "lib/systemd/system/lifeline.service"):
        assert f"{top}/{path}" in names, path
    assert "ExecStart=/usr/local/bin/lifeline" in output("tar", "-xzOf", tarball, f"{top}/lib/systemd/system/lifeline.service")
