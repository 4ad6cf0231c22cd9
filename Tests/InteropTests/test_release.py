"""What a release stands on: one version everywhere, workflows and templates that can be read, privacy manifests that are true."""

import plistlib
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from lifeline_harness import lifeline

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
CLIENTS = ("PusherSwift", "PubNub", "NexconnChatSDK", "Lifeline", "LifelineOutbox")


def text(path):
    return (ROOT / path).read_text()


# The version.

def version():
    return re.search(r'static let current = "(\d+\.\d+\.\d+)"', text("Sources/WireCoding/PackageVersion.swift"))[1]


def test_program_changelog_and_readme_name_one_version():
    assert subprocess.run([lifeline(), "--version"], capture_output=True, text=True, timeout=60).stdout.strip() == version()
    assert re.search(r"^## (.*)$", text("CHANGELOG.md"), re.M)[1].split()[0] == version()
    assert set(re.findall(r'from: "([^"]+)"', text("README.md"))) == {version()}
    assert f"({version().rpartition('.')[0]}.x)" in text("SECURITY.md")


def test_the_version_is_written_once():
    found = [file.name for file in sorted((ROOT / "Sources").rglob("*.swift")) if f'{version()}"' in file.read_text() or f"/{version()}" in file.read_text()]
    assert found == ["PackageVersion.swift"]


# Manual pages. Making the package needs a minute; this takes a second, and fails for the same documents that were moved.

def test_manual_pages_name_documents_that_exist(tmp_path):
    told = tmp_path / "help.json"
    told.write_text(subprocess.run([lifeline(), "--experimental-dump-help"], capture_output=True, text=True, timeout=60, check=True).stdout)
    for section in ("man1", "man5"):
        (tmp_path / section).mkdir()
    made = subprocess.run([sys.executable, ROOT / "Scripts/dist/man-pages.py", told, ROOT / "docs/operations/settings.md", version(), tmp_path],
                          capture_output=True, text=True, timeout=60)
    assert made.returncode == 0, made.stderr
    settings = (tmp_path / "man5/lifeline.json.5").read_text()
    assert r"share/doc/lifeline/docs/operations/applications.md.gz" in settings and "](" not in settings


# Workflows.

def steps(workflow):
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_is_complete_and_pinned(path):
    workflow = yaml.safe_load(path.read_text())
    # YAML 1.1 takes the word `on` for true.
    assert {"name", True, "permissions", "jobs"} <= workflow.keys()
    assert workflow["permissions"] == {"contents": "read"}
    for name, job in workflow["jobs"].items():
        assert "runs-on" in job and "latest" not in job["runs-on"], name
        assert 0 < job["timeout-minutes"] <= 90 and job["steps"], name
    for step in steps(workflow):
        assert ("uses" in step) != ("run" in step), step
        if "uses" in step:
            # A tag may move; a commit does not.
            assert re.fullmatch(r"actions/[\w-]+@[0-9a-f]{40}", step["uses"]), step["uses"]
            assert re.search(re.escape(step["uses"]) + r" # v\d+\.\d+\.\d+$", path.read_text(), re.M), f"{step['uses']} without its version"


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_what_a_workflow_runs_is_there(path):
    makefile, package = text("Makefile"), text("Package.swift")
    workflow = yaml.safe_load(path.read_text())
    for script in [step["run"] for step in steps(workflow) if "run" in step]:
        assert subprocess.run(["bash", "-n"], input=script, text=True, timeout=20).returncode == 0, script
        for target in re.findall(r"^\s*make ([a-z-]+)", script, re.M):
            assert re.search(rf"^{target}:", makefile, re.M), target
        for program in re.findall(r"(?<![\w./-])((?:\.ci|Scripts)/[\w.-]+)", script):
            assert (ROOT / program).exists(), program
    for job in workflow["jobs"].values():
        for target in filter(None, job.get("env", {}).get("LIFELINE_TEST_TARGETS", "").split(",")):
            assert f'"{target}"' in package, target
        for scheme in job.get("strategy", {}).get("matrix", {}).get("scheme", []):
            assert f'.library(name: "{scheme}"' in package, scheme


def test_there_is_a_workflow_for_each_system():
    names = {path.name for path in WORKFLOWS}
    assert {"linux.yml", "macos.yml"} <= names
    assert any(step.get("run") == ".ci/run" for step in steps(yaml.safe_load(text(".github/workflows/linux.yml"))))
    assert "Nobody has run this workflow yet" in text(".github/workflows/macos.yml")


# Templates, and the Swift Package Index.

@pytest.mark.parametrize("name", ["bug", "feature"])
def test_an_issue_template_is_what_github_takes(name):
    form = yaml.safe_load(text(f".github/ISSUE_TEMPLATE/{name}.yml"))
    assert form["name"] and form["description"]
    fields = [field for field in form["body"] if field["type"] != "markdown"]
    assert {field["type"] for field in fields} <= {"input", "textarea", "dropdown", "checkboxes"}
    names = [field["id"] for field in fields]
    assert len(names) == len(set(names)) and all(field["attributes"]["label"] for field in fields)
    if name == "bug":
        assert {"versions", "statuses", "doctor"} <= set(names)
        options = next(field for field in fields if field["id"] == "product")["attributes"]["options"]
        libraries = re.findall(r'\.library\(name: "(\w+)"', text("Package.swift"))
        assert [library for library in libraries if not any(library in option for option in options)] == []


def test_what_the_package_index_builds_is_there():
    index = yaml.safe_load(text(".spi.yml"))
    assert index["version"] == 1
    package = text("Package.swift")
    for build in index["builder"]["configs"]:
        for target in build.get("documentation_targets", []):
            assert (ROOT / "Sources" / target).is_dir(), target
        assert "scheme" not in build or f'.library(name: "{build["scheme"]}"' in package


# Privacy manifests.

# Apple's categories for which an app has to give a reason, with what of our sources is in them, and the reasons that are true here.
ACCESSED = {
    "NSPrivacyAccessedAPICategoryFileTimestamp": (
        r"\bf?l?stat(?:at)?\(|getattrlist|[cC]reationDate|[mM]odificationDate", {"C617.1"}),
    "NSPrivacyAccessedAPICategorySystemBootTime": (r"systemUptime|mach_absolute_time", {"35F9.1"}),
    "NSPrivacyAccessedAPICategoryDiskSpace": (r"volumeAvailableCapacity|systemFreeSize|\.systemSize|\bf?statv?fs\(", {"E174.1"}),
    "NSPrivacyAccessedAPICategoryActiveKeyboards": (r"activeInputModes", set()),
    "NSPrivacyAccessedAPICategoryUserDefaults": (r"\bUserDefaults\b", {"CA92.1"}),
}


def closure(module):
    """A target of this package and all of its own targets that it stands on, by their imports."""
    found, new = set(), {module}
    while new:
        found |= new
        imports = {
            name for module in new for file in (ROOT / "Sources" / module).rglob("*.swift")
            for name in re.findall(r"^\s*(?:@\w+(?:\(\w+\))? )*(?:public |internal )?import (?:\w+ )?(\w+)", file.read_text(), re.M)}
        new = {name for name in imports if (ROOT / "Sources" / name).is_dir()} - found
    return found


def accessed(module):
    """The categories of which the sources behind a module use something; comments do not count."""
    code = "\n".join(
        re.sub(r"//.*", "", file.read_text()) for name in closure(module) for file in sorted((ROOT / "Sources" / name).rglob("*.swift")))
    return {category for category, (pattern, _) in ACCESSED.items() if re.search(pattern, code)}


@pytest.mark.parametrize("module", CLIENTS)
def test_a_privacy_manifest_says_what_the_sources_do(module):
    manifest = plistlib.loads((ROOT / "Sources" / module / "PrivacyInfo.xcprivacy").read_bytes())
    assert manifest["NSPrivacyTracking"] is False
    assert manifest["NSPrivacyTrackingDomains"] == [] and manifest["NSPrivacyCollectedDataTypes"] == []
    told = {entry["NSPrivacyAccessedAPIType"]: set(entry["NSPrivacyAccessedAPITypeReasons"]) for entry in manifest["NSPrivacyAccessedAPITypes"]}
    assert set(told) == accessed(module)
    assert all(reasons and reasons <= ACCESSED[category][1] for category, reasons in told.items())


def test_every_client_has_its_manifest_in_the_package():
    package = text("Package.swift")
    for module in CLIENTS:
        assert re.search(rf'client\(\s*"{module}"', package), f"{module} without its privacy manifest"
    assert "TransportCommon" in closure("PusherSwift") and "ChatDatabase" in closure("NexconnChatSDK")
