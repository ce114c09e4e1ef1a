"""How much memory each process of a test run took at most."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

_KEY = "peak_memory"


class PeakMemory:
    """A plugin of pytest that prints the peak of each worker at the end of a run: three of them and the daemons that
    they start must fit into a small machine, so each is to take less than 500 MB.
    """

    def __init__(self) -> None:
        self._peaks: dict[str, int] = {}

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Hand the peak of a worker to the process that prints."""
        output = getattr(session.config, "workeroutput", None)
        if output is not None:
            output[_KEY] = peak_memory()
        elif not session.config.getoption("numprocesses", None):
            self._peaks["this process"] = peak_memory()

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take the peak of a worker, which has none if it crashed."""
        self._peaks[node.gateway.id] = getattr(node, "workeroutput", {}).get(_KEY, 0)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the peaks."""
        said = [f"{name} {size} MB" for name, size in sorted(self._peaks.items()) if size]
        if said:
            terminalreporter.write_line("Peak memory: " + ", ".join(said))


def peak_memory() -> int:
    """The most memory that this process had at once, in megabytes; 0 where the system does not say it."""
    try:
        lines = Path("/proc/self/status").read_text("utf-8").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) >> 10 for line in lines if line.startswith("VmHWM:")), 0)
