"""A temporary home, the real commands on it, and certainty that nothing of it is left running."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from mcp import StdioServerParameters

from contextd.thin.client import call
from contextd.thin.spawn import is_alive
from support.prepared_daemons import prepared_daemons

CONTEXTD = Path(sys.executable).with_name("contextd")
TESTS = Path(__file__).parents[1]
LOCAL_HOST = Path(__file__).parents[1] / "support" / "local_host.py"


class Home:
    """One home and the processes on it. Unless it is cold, whatever is started on it finds a daemon."""

    def __init__(self, path: Path, *, cold: bool = False) -> None:
        self.path = path
        self._cold = cold
        self._started: list[subprocess.Popen[bytes]] = []
        self._forked: list[int] = []
        self.project = path / "project"
        self.project.mkdir(parents=True)
        self.environment = {
            **{
                name: value for name, value in os.environ.items() if not name.startswith("CONTEXTD")
            },
            "CONTEXTD_HOME": str(path),
            # A hook that gives up because the machine is busy is a case of its own.
            "CONTEXTD_HOOKS_DEADLINE_MS": "30000",
        }
        for name in ("CLAUDE_PROJECT_DIR", "CURSOR_VERSION", "CLAUDECODE"):
            self.environment.pop(name, None)

    def run(self, *arguments: str, stdin: str = "", **options: Any) -> Any:
        """Run a command to its end."""
        self.warm()
        return subprocess.run(
            [str(CONTEXTD), *arguments], input=stdin, text=True, capture_output=True,
            env=self.environment, cwd=self.project, timeout=60, check=False, **options,
        )  # fmt: skip

    def trust(self, root: Path) -> None:
        """Trust a folder, as its owner does on the command line."""
        self._call("trust", root)

    def settle(self, root: Path | None = None) -> None:
        """Trust and scan a project, as `contextd init` does. The daemon does it: the command takes a second of CPU
        to import everything into a process of its own.
        """
        root = root or self.project
        self._call("trust", root, {"by": "init"})
        self._call("init", root)

    def _call(self, operation: str, root: Path, arguments: Mapping[str, Any] | None = None) -> None:
        self.warm()
        call(operation, arguments, home=self.path, cwd=str(root), client="cli")

    def popen(self, *arguments: str, **options: Any) -> subprocess.Popen[bytes]:
        """Start a command."""
        self.warm()
        process = subprocess.Popen(
            [str(CONTEXTD), *arguments], env=self.environment, cwd=self.project, **options
        )
        self._started.append(process)
        return process

    def start(self) -> int:
        """A running daemon's process id; started when there is none."""
        from contextd.thin.channel import connect

        self.warm()
        connect(self.path, "control").close()
        wait_for(lambda: "port" in self.about(), "the daemon is up")
        return int(self.about()["pid"])

    def warm(self) -> None:
        """See that a daemon runs, unless the home is to stay cold."""
        if not self._cold and not is_alive(self.path):
            self._forked.append(prepared_daemons().start(self.environment, self.project))
            wait_for(lambda: is_alive(self.path), "the daemon has claimed its home")

    def start_local(self) -> subprocess.Popen[bytes]:
        """A daemon whose operations are the probes of `local_host.py`."""
        daemon = subprocess.Popen(
            [sys.executable, str(LOCAL_HOST), str(self.path)],
            env={**self.environment, "PYTHONPATH": str(TESTS)},
            stdin=subprocess.DEVNULL, cwd=self.project,
        )  # fmt: skip
        self._started.append(daemon)
        wait_for(lambda: "port" in self.about(), "the local daemon is up")
        return daemon

    def about(self) -> dict[str, Any]:
        """What the daemon published; empty when there is none."""
        try:
            published: dict[str, Any] = json.loads((self.path / "daemon.json").read_text("utf-8"))
        except (OSError, ValueError):
            return {}
        return published

    def shim(self, *arguments: str) -> StdioServerParameters:
        """How an agent is configured to start contextd."""
        self.warm()
        return StdioServerParameters(
            command=str(CONTEXTD), args=["mcp", *arguments],
            env=self.environment, cwd=self.project,
        )  # fmt: skip

    def processes(self, word: str = "") -> list[int]:
        """Every living process of this home whose command line has `word`."""
        mark = f"CONTEXTD_HOME={self.path}".encode()
        # Of a forked process, /proc tells what the one that it was forked from was started with.
        found = [
            pid for pid in self._forked if word in "contextd daemon run" and not has_ended(pid)
        ]
        for process in Path("/proc").iterdir():
            if not process.name.isdigit() or int(process.name) == os.getpid():
                continue
            with contextlib.suppress(OSError):
                environment = (process / "environ").read_bytes().split(b"\0")
                command = (
                    (process / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                )
                if mark in environment and word in command:
                    found.append(int(process.name))
        return found

    def daemons(self) -> list[int]:
        """Every living daemon of this home."""
        return self.processes("daemon run")

    def log(self) -> str:
        """The daemon's log so far."""
        path = self.path / "logs" / "daemon.log"
        return path.read_text("utf-8") if path.exists() else ""

    def clear(self) -> None:
        """End every process of this home and remove it."""
        for pid in self.processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)
                os.kill(pid, signal.SIGKILL)
        for process in self._started:
            process.wait(60)
            for pipe in (process.stdin, process.stdout, process.stderr):
                with contextlib.suppress(BrokenPipeError):
                    if pipe is not None:
                        pipe.close()
        wait_for(lambda: not self.processes(), "every process of the home has ended")
        shutil.rmtree(self.path, ignore_errors=True)


@contextlib.contextmanager
def temporary_home(*, cold: bool = False) -> Iterator[Home]:
    """A home with a path short enough for a socket."""
    home = Home(Path(tempfile.mkdtemp(prefix="ctx-")).resolve(), cold=cold)
    try:
        yield home
    finally:
        home.clear()


def wait_for(condition: Callable[[], Any], what: str, seconds: float = 60.0) -> Any:
    """Wait until something is true and return it."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < deadline, f"not within {seconds:g} s: {what}"
        time.sleep(0.02)


def has_ended(pid: int) -> bool:
    """Whether a process is gone, or a zombie its parent has not looked at."""
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)
    try:
        state = (
            Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()[0]
        )
    except OSError:
        return True
    return state == "Z"
