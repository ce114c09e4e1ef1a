"""A user with nothing: an empty home directory, two small repositories in it and contextd on the path. No
program started here reaches anything but this machine, and none is left running.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from packages import NODE, npm_package

from contextd.clients import CLIENTS
from contextd.clients.install import files_of
from contextd.thin.client import call
from e2e.homes import wait_for

CONTEXTD = Path(sys.executable).with_name("contextd")

_NOWHERE = "http://127.0.0.1:9"
"""A proxy at which nobody listens: whoever wants to leave the machine fails at once."""

_PATIENCE_SECONDS = 240

_FACTS = (
    "Amounts of money are integers in cents, never floats",
    "Prices are shown with two decimals and the currency behind them",
    "The warehouse sends its stock levels at six in the morning",
    "Orders get their number from a sequence, without gaps",
    "Customers of business accounts pay within thirty days",
    "Product pictures are kept in four sizes",
    "The search page asks the replica, not the primary database",
    "Mail goes through a queue with three workers",
    "Coupons expire at midnight of the shop's time zone",
    "The tax of books is seven percent",
    "Addresses are checked when an order is sent, not when it is typed",
    "Logs are kept for ninety days",
    "The admin pages are reached through the office network only",
    "Exports are written as CSV with a byte order mark",
    "Returns need a photograph of the parcel",
    "Carts are forgotten after two weeks",
    "Every job writes how long it took into the metrics table",
    "Translations are loaded at start and never again",
    "Gift cards have no owner until they are used",
    "Suppliers are paid on the first Tuesday of a month",
    "Deliveries to islands take three days more",
    "The old mobile app still asks version two of the interface",
)
"""What is known about the shop: more than a briefing holds."""

ASIDE = "Stripe repeats a webhook that got no answer in ten seconds, so keep its event id"
"""The oldest fact, which stands in no briefing and is brought by a prompt about it."""

NEXT_DOOR = "The oven of the bakery is hot by five in the morning"


class Stage:
    """One user's home directory and the programs that run in it."""

    def __init__(self, folder: Path, programs: Sequence[Path]) -> None:
        self.folder = folder
        self.user = folder / "u"
        self.home = folder / "c"
        self.shop, self.bakery = folder / "shop", folder / "bakery"
        self._before: dict[Path, bytes | None] = {}
        self._connected: dict[Path, bytes | None] = {}
        self.user.mkdir()
        self.home.mkdir(mode=0o700)
        # As long as clients wait at a prompt: what is said is looked at here, not how soon.
        (self.home / "config.yaml").write_text("hooks:\n  deadline_ms: 1900\n")
        path = [CONTEXTD.parent, *programs, Path("/usr/local/bin"), Path("/usr/bin"), Path("/bin")]
        self.environment = {
            "PATH": os.pathsep.join(map(str, path)),
            "HOME": str(self.user),
            "CONTEXTD_HOME": str(self.home),
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "http_proxy": _NOWHERE,
            "https_proxy": _NOWHERE,
            "HTTP_PROXY": _NOWHERE,
            "HTTPS_PROXY": _NOWHERE,
            "NO_PROXY": "127.0.0.1,localhost",
            "no_proxy": "127.0.0.1,localhost",
        }
        if "PYTHONPATH" in os.environ:
            self.environment["PYTHONPATH"] = os.environ["PYTHONPATH"]
        for repository in (self.shop, self.bakery):
            self._make_repository(repository)

    def write(self, path: str, content: Any) -> None:
        """Write a file below the user's home directory; what is no text as JSON."""
        file = self.user / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content if isinstance(content, str) else json.dumps(content, indent=1))

    def run(
        self,
        *command: str,
        cwd: Path | None = None,
        environment: Mapping[str, str] | None = None,
        stdin: str = "",
    ) -> subprocess.CompletedProcess[str]:
        """Run a program to its end, with nothing of this process's environment."""
        return subprocess.run(
            command,
            input=stdin,
            capture_output=True,
            text=True,
            cwd=cwd or self.shop,
            env={**self.environment, **(environment or {})},
            timeout=_PATIENCE_SECONDS,
            check=False,
        )

    def contextd(self, *arguments: str, cwd: Path | None = None) -> str:
        """What a command of contextd prints that succeeds."""
        done = self.run(str(CONTEXTD), *arguments, cwd=cwd)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def connect(self, client: str) -> str:
        """Have a client told of contextd, as a user does; what the command printed."""
        self._before = self._files_of(client)
        said = self.contextd("install", client)
        self._connected = self._files_of(client)
        return said

    def disconnect(self, client: str) -> None:
        """Take contextd out of it again. Its files are as they were, to the byte, and one that the client
        wrote meanwhile does not name contextd.
        """
        written = self._files_of(client)
        self.contextd("uninstall", client)
        for path, after in self._files_of(client).items():
            if written[path] == self._connected[path]:
                assert after == self._before[path], path
            else:
                assert b"contextd" not in (after or b""), path

    def _files_of(self, client: str) -> dict[Path, bytes | None]:
        paths = files_of(CLIENTS[client], self.user, None, None)
        return {path: path.read_bytes() if path.is_file() else None for path in paths}

    def know(self) -> None:
        """Have both repositories known, and the facts about them."""
        for repository, facts in (
            (self.shop, (ASIDE, *_FACTS)),
            (self.bakery, (NEXT_DOOR,)),
        ):
            self.contextd("init", ".", cwd=repository)
            for fact in facts:
                call("remember", {"content": fact}, home=self.home, cwd=str(repository))
        self.greet()
        self.rest()

    def greet(self) -> None:
        """Have an agent been here: what the first one of all asks for takes a moment longer."""
        client = {"name": "first", "version": "1"}
        asked = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}
        lines: tuple[dict[str, Any], ...] = (
            {"id": 1, "method": "initialize", "params": asked},
            {"method": "notifications/initialized"},
            {"id": 2, "method": "tools/list"},
        )
        spoken = "".join(json.dumps({"jsonrpc": "2.0", **line}) + "\n" for line in lines)

        def answered() -> bool:
            # A shim that is left by its agent waits ten seconds for what was asked.
            return len(self.run(str(CONTEXTD), "mcp", stdin=spoken).stdout.splitlines()) == 2

        wait_for(answered, "an agent is greeted", 60)

    def rest(self) -> None:
        """Wait until everything that was to be done in the background is done."""

        def still() -> bool:
            status = json.loads(self.contextd("daemon", "status", "--json"))
            return not status.get("waiting_jobs") and not status.get("preparations")

        wait_for(still, "the background work is done", 60)

    def settle(self) -> None:
        """Wait until every session is over and learned from."""

        def over() -> bool:
            listed = json.loads(self.contextd("list-sessions", "--json"))["sessions"]
            return all(one["status"] == "completed" for one in listed)

        wait_for(over, "every session is over", 120)
        self.rest()

    def reboot(self) -> None:
        """End every process of this user, as a reboot does, and have files read from the disk again, where
        one may.
        """
        self._end(self.processes)
        with contextlib.suppress(OSError):
            os.sync()
            Path("/proc/sys/vm/drop_caches").write_text("3")

    def tidy(self) -> None:
        """End what a program left running; contextd's daemon stays."""
        daemon = json.loads((self.home / "daemon.json").read_text("utf-8"))["pid"]
        self._end(lambda: [pid for pid in self.processes() if pid != daemon])

    def clear(self) -> None:
        """End every process and remove everything."""
        self._end(self.processes)
        shutil.rmtree(self.folder, ignore_errors=True)

    @staticmethod
    def _end(living: Callable[[], list[int]]) -> None:
        for pid in living():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        wait_for(lambda: not living(), "what was to end has ended")

    def processes(self) -> list[int]:
        """Every living process that was started with this user's home directory."""
        mark = f"HOME={self.user}".encode()
        found = []
        for process in Path("/proc").iterdir():
            if process.name.isdigit() and int(process.name) != os.getpid():
                with contextlib.suppress(OSError):
                    if mark in (process / "environ").read_bytes().split(b"\0"):
                        found.append(int(process.name))
        return found

    def _make_repository(self, folder: Path) -> None:
        folder.mkdir()
        (folder / "prices.py").write_text(
            f'"""Prices of the {folder.name}."""\n\n\ndef total(cents):\n    return sum(cents)\n'
        )
        who = ["-c", "user.name=A User", "-c", "user.email=user@example.com"]
        for arguments in (["init", "-q"], ["add", "."], [*who, "commit", "-qm", "Begin"]):
            done = self.run("git", *arguments, cwd=folder)
            assert done.returncode == 0, done.stderr


@contextlib.contextmanager
def raised_stage(*packages: str) -> Iterator[Stage]:
    """A stage with the programs of these npm packages; everything on it is gone afterwards."""
    programs = [npm_package(spec) for spec in (NODE, *packages)]
    folder = Path(tempfile.mkdtemp(prefix="ctx-")).resolve()
    stage = Stage(folder, programs)
    try:
        yield stage
    finally:
        stage.clear()
