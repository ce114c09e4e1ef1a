"""What a record and a search cost as operations, over PostgreSQL and over SQLite: checks, redaction and log included."""

from __future__ import annotations

import random
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TextIO

from contextd.app import Host, load_operations
from contextd.domain.access import OWNER
from contextd.embedders import open_embedder
from contextd.runtime.doors import HomeDoor
from contextd.runtime.runtime import Request
from contextd.runtime.settings import load_settings
from contextd.thin.home import make_home
from contextd_bench.replica_rows import Sizes, print_row, text_of

CALL_GOAL = 2.0
"""How many times SQLite's CPU a call may take."""

_TERMS = 6
_BEFORE = 50
"""Records that are there already."""

Cost = Callable[[int, Callable[[int], object]], float]
"""CPU milliseconds of each of so many turns."""


def calls(url: str, name: str, sizes: Sizes, out: TextIO, cost: Cost) -> bool:
    """Measure `memory_record` and `context_search` as an agent calls them, without an embedder."""
    spent: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory(prefix="contextd-bench-") as folder:
        for place, flags in enumerate(({"store.url": url}, {"store.url": ""})):
            home, root = Path(folder) / f"home{place}", Path(folder) / f"shop{place}"
            root.mkdir()
            subprocess.run(["git", "init", "-q", str(root)], check=True)
            with _host(home, flags) as host:
                caller = replace(OWNER, org=name if place == 0 else OWNER.org)
                request = Request(surface="python", caller=caller, cwd=str(root), client="bench")
                for what, took in _spent(host, request, sizes, cost):
                    spent.setdefault(what, []).append(took)
    met = True
    for what, (there, here) in spent.items():
        met &= there <= CALL_GOAL * here
        goal = f"≤ {CALL_GOAL:g} ×: {there / here:.1f}"
        print_row(
            out,
            f"`{what}`, called",
            sizes.writes,
            f"{there:.2f} ms CPU",
            f"SQLite {here:.2f} ms",
            goal,
        )
    return met


def _spent(host: Host, request: Request, sizes: Sizes, cost: Cost) -> Iterator[tuple[str, float]]:
    chance = random.Random(3)

    def record(turn: int) -> None:
        values = {"title": f"Fact {turn}", "description": "what was seen", "outcome": "success"}
        host.call("memory_record", request, {**values, "text": text_of(chance)})

    def search(turn: int) -> None:
        words = " ".join(text_of(chance).split()[:_TERMS])
        host.call("context_search", request, {"query": words})

    for turn in range(_BEFORE):
        record(-1 - turn)
    yield "memory_record", cost(sizes.writes, record)
    search(0)
    yield "context_search", cost(sizes.writes, search)


@contextmanager
def _host(home: Path, flags: dict[str, str]) -> Iterator[Host]:
    load_operations()
    make_home(home)
    settings = load_settings(home=home, flags={"embedder.name": "none", **flags})
    host = Host(settings, open_embedder("none"), door=HomeDoor(), duties="none")
    try:
        yield host
    finally:
        host.close()
