import os
import subprocess
from pathlib import Path

import pytest
from lifeline_harness import ROOT


@pytest.fixture(scope="session")
def made():
    """The directory that Scripts/dist.sh has made."""
    folder = ROOT / os.environ.get("LIFELINE_DIST", "build/dist-debug")
    assert (folder / "SHA256SUMS").exists(), f"{folder} has no packages: run make dist, or Scripts/dist.sh --debug"
    return folder


@pytest.fixture(scope="session")
def deb(made):
    [file] = made.glob("*.deb")
    return file


@pytest.fixture(scope="session")
def tarball(made):
    [file] = made.glob("*.tar.gz")
    return file


@pytest.fixture(scope="session")
def content(deb, tmp_path_factory):
    """The files of the package, unpacked and not installed; its own ones in DEBIAN."""
    folder = tmp_path_factory.mktemp("package") / "content"
    subprocess.run(["dpkg-deb", "-R", deb, folder], check=True, timeout=120)
    return Path(folder)
