"""A minimal Debian of a test's own, in namespaces, and the service of the package in it as systemd would start it."""

import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import tempfile
from pathlib import Path

import pytest
from lifeline_harness import ROOT, Program, wait_until

# A disk that is slow and two other tests beside it.
LIMIT = 300


def archive():
    """The file system that Scripts/dist/bare-debian.sh makes once. Skips where it cannot."""
    if os.geteuid() != 0:
        pytest.skip("only root can make a Debian tree and namespaces")
    made = subprocess.run([ROOT / "Scripts" / "dist" / "bare-debian.sh"], capture_output=True, text=True, timeout=1800)
    if made.returncode == 3:
        pytest.skip(f"no Debian tree: {made.stderr.strip()}")
    assert made.returncode == 0, made.stderr
    return Path(made.stdout.strip())


class Tree:
    """An unpacked file system. What runs in it sees only its files and processes, and the machine's network."""

    def __init__(self):
        # A short path: that of a socket in there has 107 bytes at most.
        self.root = Path(tempfile.mkdtemp(prefix="lifeline-"))
        self.holder = None
        try:
            subprocess.run(["tar", "-xf", archive(), "-C", self.root], check=True, timeout=LIMIT)
            # As the unit has it: ProtectProc=invisible and ProcSubset=pid hide the rest.
            mounts = f"""set -e
                mount --bind {self.root} {self.root}
                mount -t proc -o hidepid=invisible,subset=pid proc {self.root}/proc
                mount -t tmpfs tmpfs {self.root}/dev
                for name in null zero full random urandom tty; do touch {self.root}/dev/$name; mount --bind /dev/$name {self.root}/dev/$name; done
                echo ready
                exec sleep infinity"""
            self.holder = Program(["unshare", "--mount", "--pid", "--fork", "--kill-child", "--propagation", "private", "sh", "-c", mounts])
            self.holder.ready(lambda: "ready" in self.holder.lines, "the namespaces of the tree")
            children = Path(f"/proc/{self.holder.process.pid}/task/{self.holder.process.pid}/children").read_text().split()
            self.inner = children[0]
        except BaseException:
            self.kill()
            raise

    def command(self, *words):
        # The root is changed in there: outside, the mounts are not visible.
        return ["nsenter", f"--target={self.inner}", "--mount", "--pid", "chroot", str(self.root), "env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
                "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C", *map(str, words)]

    def attempt(self, *words, **options):
        return subprocess.run(
            self.command(*words), capture_output=True, text=True, timeout=LIMIT, stdin=subprocess.DEVNULL, **options)

    def run(self, *words, **options):
        """What a program in the tree writes; it must succeed."""
        done = self.attempt(*words, **options)
        assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"
        return done.stdout

    def put(self, file):
        """Copies a file into the tree, and returns its path in there."""
        shutil.copy(file, self.root / "tmp" / Path(file).name)
        return f"/tmp/{Path(file).name}"

    def facts(self, path):
        """Owner, group and mode of a file."""
        return self.run("stat", "-c", "%U:%G %a", path).strip()

    def kill(self):
        if self.holder:
            # Ends every process in there, and with them the mounts.
            self.holder.kill()
        shutil.rmtree(self.root, ignore_errors=True)


def unit(text):
    """The section [Service] of a unit: each setting with its values."""
    found = {}
    for line in text.split("[Service]\n")[1].split("\n[")[0].splitlines():
        if line and not line.startswith("#"):
            name, _, value = line.partition("=")
            found.setdefault(name, []).append(value)
    return found


class Service:
    """The service that the package has installed, started with its unit's command, user and variables, in a file system that is read-only
    but for its own directory. Tells its states to a socket of the test."""

    def __init__(self, tree, watchdog=None):
        self.tree = tree
        self.unit = unit((tree.root / "usr/lib/systemd/system/lifeline.service").read_text())
        self.states = self._socket()
        variables = dict(value.split("=", 1) for value in self.unit["Environment"])
        file = tree.root / self.unit["EnvironmentFile"][0].removeprefix("-").lstrip("/")
        if file.exists():
            variables |= dict(line.split("=", 1) for line in file.read_text().splitlines() if line)
        variables["NOTIFY_SOCKET"] = "/run/notify"
        if watchdog:
            variables["WATCHDOG_USEC"] = str(watchdog)
        [state], [user], [group] = self.unit["StateDirectory"], self.unit["User"], self.unit["Group"]
        start = f"""set -e
            mount --bind /var/lib/{state} /var/lib/{state}
            mount -o remount,bind,ro /
            echo $$
            exec setpriv --reuid {user} --regid {group} --init-groups --no-new-privs --bounding-set=-all --inh-caps=-all \\
                env {" ".join(f"{name}={shlex.quote(value)}" for name, value in variables.items())} {self.unit["ExecStart"][0]}"""
        self.program = Program(tree.command("unshare", "--mount", "--propagation", "private", "sh", "-c", start))
        try:
            self.id = self.program.ready(lambda: next((line for line in self.program.lines if line.isdigit()), None), "the process")
            ready = self.program.ready(
                lambda: next((line for line in self.program.lines if line.startswith("lifeline: ready ")), None), "the server")
            self.port = int(ready.rsplit(":", 1)[1])
        except BaseException:
            self.kill()
            raise

    def _socket(self):
        path = self.tree.root / "run" / "notify"
        path.unlink(missing_ok=True)
        states = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        states.bind(str(path))
        path.chmod(0o777)
        states.settimeout(60)
        return states

    def next_state(self):
        """What the next datagram assigns."""
        text = self.states.recv(4096).decode()
        return dict(line.split("=", 1) for line in text.splitlines())

    def reload(self):
        """The unit's ExecReload."""
        [command] = self.unit["ExecReload"]
        self.tree.run(*shlex.split(command.replace("${MAINPID}", self.id)))

    def status(self):
        """/proc/PID/status of the server, as the machine sees it."""
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                text = (entry / "status").read_text()
                inner = re.search(r"^NSpid:.*\t(\d+)$", text, re.M)[1]
                if inner == self.id and (entry / "exe").resolve().name == "lifeline" and "lifeline\n" in text and (entry / "root").resolve() == self.tree.root:
                    return text
            except (OSError, TypeError):
                continue
        raise AssertionError("no such process")

    def stop(self):
        """Exit code after SIGTERM."""
        self.tree.run("sh", "-c", f"kill -{int(signal.SIGTERM)} {self.id}")
        wait_until(lambda: self.program.process.poll() is not None, 60, "the end of the server")
        self.states.close()
        return self.program.wait(10)

    def kill(self):
        if self.program.process.poll() is None:
            self.tree.attempt("sh", "-c", f"kill -KILL {getattr(self, 'id', 0) or 'none'}")
        self.program.kill()
        self.states.close()
