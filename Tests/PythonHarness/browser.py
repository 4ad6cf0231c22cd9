"""A browser without a window that opens one page."""

import shutil
import signal
import subprocess
import tempfile

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
        """For the fixture that ends what was started."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(5)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait(5)
        self.profile.cleanup()
