"""Daemons that have their imports behind them.

A daemon's start is 2 s of CPU, nearly all of it imports, and most tests of processes are about what
comes afterwards. One process per test process imports once and forks a daemon for each home; what
runs in the fork is the daemon's own code from the claim of its home on. Tests of the start itself
take a cold home.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path


class PreparedDaemons:
    """The process that forks them."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", __file__],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        atexit.register(self.close)

    def start(self, environment: Mapping[str, str], cwd: Path) -> int:
        """Fork a daemon for the home that the environment names; its process id."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        wanted = {"environment": dict(environment), "cwd": str(cwd)}
        self._process.stdin.write(json.dumps(wanted) + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())

    def close(self) -> None:
        """End the process; daemons it forked live on."""
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            pipe.close()
        self._process.wait(60)


@cache
def prepared_daemons() -> PreparedDaemons:
    """Those of this test process, started when they are first asked for."""
    return PreparedDaemons()


def _serve() -> None:
    from contextd.thin.offline import TELEMETRY_OFF

    os.environ.update(TELEMETRY_OFF)
    import gc

    import contextd.launch
    import contextd.surfaces.mcp_stream
    from contextd.__main__ import lines_of_terminals
    from contextd.app import load_operations
    from contextd.thin.spawn import claim_home

    load_operations()
    gc.collect()
    gc.freeze()
    # Nobody waits for a daemon: those that end must leave no zombie.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for line in sys.stdin:
        wanted = json.loads(line)
        daemon = os.fork()
        if daemon == 0:
            home = _become(wanted["environment"], wanted["cwd"])
            claim = claim_home(home)
            os._exit(
                0 if claim is None else contextd.launch.run_daemon(claim, lines_of_terminals())
            )
        print(daemon, flush=True)


def _become(environment: dict[str, str], cwd: str) -> Path:
    """Take the place in the world that `spawn.start_daemon` gives a daemon; its home."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(environment)
    home = Path(environment["CONTEXTD_HOME"])
    log = home / "logs" / "daemon.log"
    log.parent.mkdir(mode=0o700, exist_ok=True)
    nothing = os.open(os.devnull, os.O_RDWR)
    written = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for descriptor, opened in ((0, nothing), (1, nothing), (2, written)):
        os.dup2(opened, descriptor)
    return home


if __name__ == "__main__":
    _serve()
