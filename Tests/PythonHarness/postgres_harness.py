"""A PostgreSQL server of one's own, on loopback. The standard library only."""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

from lifeline_harness import free_port, wait_until


def postgres_programs():
    """The folder of PostgreSQL's programs, which Debian keeps out of the PATH; None when it is not installed."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: float(path.parent.parent.name))
    path = str(found[-1]) if found else shutil.which("initdb")
    return Path(path).parent if path else None


class Postgres:
    """A server with a folder that goes with it. As root its programs run as the user postgres."""

    def __init__(self):
        self.programs = postgres_programs()
        self.folder = Path(tempfile.mkdtemp(prefix="lifeline-postgres-"))
        self.data = str(self.folder / "data")
        self.port = free_port()
        self.as_user = []
        if os.getuid() == 0:
            user = pwd.getpwnam("postgres")
            os.chown(self.folder, user.pw_uid, user.pw_gid)
            self.as_user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--"]
        subprocess.run(
            [*self.as_user, self.programs / "initdb", "-D", self.data, "-U", "lifeline", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.process = None
        self.start()

    @property
    def url(self):
        return f"postgres://lifeline@127.0.0.1:{self.port}/postgres"

    def start(self):
        """Starts the server, again after ``stop``, and waits until it accepts connections."""
        self.process = subprocess.Popen(
            [*self.as_user, self.programs / "postgres", "-D", self.data, "-k", str(self.folder), "-p", str(self.port), "-c",
             "listen_addresses=127.0.0.1", "-c", "fsync=off"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until(lambda: self._ask("SELECT 1").returncode == 0, 60, "PostgreSQL to accept connections")

    def run(self, sql):
        """The result of a statement, without headings."""
        done = self._ask(sql)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def _ask(self, sql):
        return subprocess.run(
            [self.programs / "psql", "-h", "127.0.0.1", "-p", str(self.port), "-U", "lifeline", "-d", "postgres", "-v", "ON_ERROR_STOP=1", "-qAt",
             "-c", sql], capture_output=True, text=True, timeout=60)

    def stop(self):
        """Ends the server at once, and with it all connections."""
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait(60)
        # Processes of connections may outlive it for a moment.
        Path(self.data, "postmaster.pid").unlink(missing_ok=True)

    def end(self):
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)
