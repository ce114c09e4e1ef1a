"""`contextd bench`: measures recall on public data and speed on this machine, with baselines."""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from contextd.benchmarks import awareness, code, localise, speed, web
from contextd.benchmarks.recall import RECALL
from contextd.domain.errors import ContextdError

LOCALISE = "localise"
CODE = "code"
WEB = "web"
SPEED = {**speed.SPEED, "awareness": awareness.run}


def main(arguments: Sequence[str]) -> int:
    """Run the named benchmarks; returns the exit code."""
    names = [*RECALL, LOCALISE, CODE, WEB, *SPEED]
    parser = argparse.ArgumentParser(
        "contextd bench",
        description="Measure recall (locomo, cosqa, contradictions need --data) and speed, each beside a baseline.",
        epilog="Example: contextd bench locomo cosqa --data path/to/data",
    )
    shown = ", ".join(names).replace(LOCALISE, f"{LOCALISE} [PATH …] (repositories; this one)")
    shown = shown.replace(
        f" {CODE},", f" {CODE} [PATH] (a repository; our own and a generated one),"
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=shown)
    parser.add_argument("--data", type=Path, help="The folder that holds the public data sets.")
    parser.add_argument(
        "--typescript",
        type=Path,
        help="A folder with node_modules/typescript, to judge imports with.",
    )
    chosen = parser.parse_args(arguments)
    if chosen.names[:1] == [CODE] and len(chosen.names) == 2:
        where = Path(chosen.names[1])
        if not where.is_dir():
            parser.error(f"{where} is no folder")
        return _guarded(lambda: code.run(where, typescript=chosen.typescript, out=sys.stdout))
    if chosen.names[:1] == [LOCALISE]:
        return _guarded(lambda: _localise(chosen.names[1:] or ["."]))
    unknown = [name for name in chosen.names if name not in names]
    if unknown:
        parser.error(f"no benchmark {unknown[0]!r}; there are {', '.join(names)}")
    wanted = chosen.names or [*(RECALL if chosen.data else ()), *SPEED]
    print(
        f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    )

    def each() -> None:
        for name in wanted:
            if name == LOCALISE:
                _localise(["."])
            elif name == CODE:
                code.run(None, typescript=chosen.typescript, out=sys.stdout)
            elif name == WEB:
                web.main([])
            elif name in RECALL:
                if chosen.data is None:
                    parser.error(f"{name} needs --data, the folder with the data set")
                RECALL[name](chosen.data, out=sys.stdout)
            else:
                _speed(name)

    return _guarded(each)


def _guarded(work: Callable[[], object]) -> int:
    try:
        work()
    except ContextdError as error:
        print(f"{error.code}: {error.message}\nhint: {error.hint}", file=sys.stderr)
        return 1
    return 0


def _localise(paths: Sequence[str]) -> None:
    for path in paths:
        localise.run(Path(path), out=sys.stdout)


def _speed(name: str) -> None:
    print(f"\n## {name}\n| what | n | p50 ms | p95 ms | CPU ms |\n|---|---|---|---|---|")
    for figure in SPEED[name]():
        print(figure.row(), flush=True)
