"""`contextd bench`: measures recall on public data and speed on this machine, with baselines."""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Sequence
from pathlib import Path

from contextd.benchmarks.recall import RECALL
from contextd.benchmarks.speed import SPEED
from contextd.domain.errors import ContextdError


def main(arguments: Sequence[str]) -> int:
    """Run the named benchmarks; returns the exit code."""
    names = [*RECALL, *SPEED]
    parser = argparse.ArgumentParser(
        "contextd bench",
        description="Measure recall (locomo, cosqa need --data) and speed, each beside a baseline.",
        epilog="Example: contextd bench locomo cosqa --data path/to/data",
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(names))
    parser.add_argument("--data", type=Path, help="The folder that holds the public data sets.")
    chosen = parser.parse_args(arguments)
    unknown = [name for name in chosen.names if name not in names]
    if unknown:
        parser.error(f"no benchmark {unknown[0]!r}; there are {', '.join(names)}")
    wanted = chosen.names or (names if chosen.data else list(SPEED))
    print(
        f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    )
    try:
        for name in wanted:
            if name in RECALL:
                if chosen.data is None:
                    parser.error(f"{name} needs --data, the folder with the data set")
                RECALL[name](chosen.data, out=sys.stdout)
            else:
                _speed(name)
    except ContextdError as error:
        print(f"{error.code}: {error.message}\nhint: {error.hint}", file=sys.stderr)
        return 1
    return 0


def _speed(name: str) -> None:
    print(f"\n## {name}\n| what | n | p50 ms | p95 ms | CPU ms |\n|---|---|---|---|---|")
    for figure in SPEED[name]():
        print(figure.row(), flush=True)
