"""Programs whose time of day is off, and can be changed while they run. Clocks that only go on are left alone."""

import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

SOURCE = Path(__file__).with_suffix(".c")


class ShiftedClocks:
    """Makes clocks. Ends with the test."""

    def __init__(self):
        if sys.platform != "linux" or shutil.which("cc") is None:
            pytest.skip("a clock is shifted by a library for Linux that needs a C compiler: run Scripts/setup.sh test")
        self.folder = Path(tempfile.mkdtemp(prefix="lifeline-clock-"))
        self.library = self.folder / "shifted_clock.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", self.library, SOURCE], check=True, timeout=60)
        self.count = 0

    def clock(self, seconds):
        self.count += 1
        return ShiftedClock(self.library, self.folder / str(self.count), seconds)

    def kill(self):
        shutil.rmtree(self.folder, ignore_errors=True)


class ShiftedClock:
    def __init__(self, library, path, seconds):
        self.path, self.seconds = path, seconds
        path.write_bytes(struct.pack("=q", seconds))
        self.env = {"LD_PRELOAD": str(library), "LIFELINE_CLOCK": str(path)}

    def set(self, seconds):
        self.seconds = seconds
        with self.path.open("r+b") as file:
            file.write(struct.pack("=q", seconds))
