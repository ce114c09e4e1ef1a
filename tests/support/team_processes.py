"""The processes of a server for a team, as an operator starts them, and requests to them."""

from __future__ import annotations

import http.client
import json
import socket
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

from support import postgres_server

CONTEXTD = Path(sys.executable).with_name("contextd")


class Processes:
    """The processes of a server over one database, each with a home of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._started: list[subprocess.Popen[str]] = []

    def run(self, *arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        return subprocess.run(
            [str(CONTEXTD), *arguments],
            env=self._environment("command", settings),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def start(self, *arguments: str, **settings: str) -> subprocess.Popen[str]:
        """Start a process that runs until it is stopped."""
        number = len(self._started)
        with (self._folder / f"{number}.log").open("w") as log:
            process = subprocess.Popen(
                [str(CONTEXTD), *arguments],
                env=self._environment(str(number), settings),
                stderr=log,
                text=True,
            )
        self._started.append(process)
        return process

    def log(self, number: int) -> list[dict[str, Any]]:
        """What a process logged."""
        lines = (self._folder / f"{number}.log").read_text("utf-8").splitlines()
        return [json.loads(line) for line in lines]

    def _environment(self, name: str, settings: dict[str, str]) -> dict[str, str]:
        return {
            "PATH": "/usr/bin:/bin",
            "CONTEXTD_HOME": str(self._folder / f"home-{name}"),
            "CONTEXTD_STORE_URL": postgres_server.url(),
            "CONTEXTD_STORE_SECRET": "a secret of the operator, long enough",
            "CONTEXTD_EMBEDDER_NAME": "none",
            "CONTEXTD_SERVER_DRAIN_SECONDS": "1",
            **settings,
        }

    def close(self) -> None:
        """Kill what still runs."""
        for process in self._started:
            process.kill()
            process.wait()


def free_port() -> int:
    with closing(socket.socket()) as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def ask(
    port: int, line: str, body: Any = None, token: str = "", key: str = "", timeout: float = 30
) -> tuple[int, Any]:
    """(status, JSON) of one request."""
    method, _, path = line.partition(" ")
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    headers |= {"Idempotency-Key": key} if key else {}
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    with closing(connection):
        data = None if body is None else json.dumps(body).encode()
        connection.request(method, path, data, headers)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read() or b"null")


def ready(port: int, wanted: int = 200) -> None:
    """Wait until a process says so."""
    for _ in range(600):
        try:
            if ask(port, "GET /readyz")[0] == wanted:
                return
        except OSError:
            pass
        time.sleep(0.05)
    raise AssertionError(f"no {wanted} from {port}")


def made(processes: Processes, port: int) -> tuple[str, str]:
    """A new organisation, and its administrator's token."""
    name = postgres_server.organisation()
    done = processes.run("tenant", "create", name, "--admin", "ada")
    assert done.returncode == 0, done.stderr
    code = done.stdout.split()[-1]
    status, answer = ask(port, "POST /api/codes/exchange", {"code": code, "label": "laptop"})
    assert status == 200
    assert ask(port, "POST /api/codes/exchange", {"code": code})[0] == 403
    return name, str(answer["token"])
