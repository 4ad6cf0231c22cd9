"""A browser without a window that opens one page."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

NAMES = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "chrome"]


def browser():
    found = next((path for path in map(shutil.which, NAMES) if path), None)
    if found is None:
        raise RuntimeError(f"No browser found: one of {', '.join(NAMES)} has to be installed (Scripts/setup.sh test does so).")
    return found


class Browser:
    """Runs until it is ended; its profile goes with it."""

    def __init__(self, url):
        self.profile = tempfile.TemporaryDirectory(prefix="lifeline-browser-", ignore_cleanup_errors=True)
        # With a port for debugging it stays, although nobody asks there. A group of its own: it has children.
        self.process = subprocess.Popen(
            [browser(), "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-background-networking", "--remote-debugging-port=0", f"--user-data-dir={self.profile.name}", url],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)

    def kill(self):
        """For the fixture that ends what was started. What is installed may be a script that starts the browser, which would
        outlive it: so the group is ended, and only when nothing of it is left this returns."""
        for how, limit in ((signal.SIGTERM, 5), (signal.SIGKILL, 10)):
            try:
                os.killpg(self.process.pid, how)
            except ProcessLookupError:
                break
            end = time.monotonic() + limit
            while members(self.process.pid) and time.monotonic() < end:
                time.sleep(0.02)
        self.process.wait(5)
        self.profile.cleanup()


def members(group):
    """The processes of a group, without those that have ended and wait for their parent."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, process_group = stat.read_text().rpartition(")")[2].split()[:3]
        except OSError:
            continue
        if int(process_group) == group and state != "Z":
            found.append(stat.parent.name)
    return found
