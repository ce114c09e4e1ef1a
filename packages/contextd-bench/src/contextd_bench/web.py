"""`contextd bench web`: how long the server works on each page, over a store of many records.

With other sizes: python -m contextd_bench.web [--records 10000] [--rounds 30]
"""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from contextd.app import Host, load_operations
from contextd.domain.changes import Changes, KnowledgeChanges, Put
from contextd.domain.records import Record, Source
from contextd.runtime.runtime import Runtime
from contextd.surfaces.calls import Calls
from contextd.surfaces.web.access import Access
from contextd.surfaces.web.server import Pages
from contextd_bench.scratch import opened

PAGES = (
    "/", "/records", "/records?kind=memory", "/records?tag=auth", "/records?trust=human", "/records?q=token+refresh+window",
    "/records/{id}", "/records/{id}/edit",
    "/records/new", "/sessions", "/jobs", "/awareness", "/schema", "/window",
    "/static/app.css",
)  # fmt: skip
KINDS = ("memory", "discovery", "context", "context")
SUBJECTS = "token refresh,billing worker,login form,price cache,audit log,search index".split(",")
CLAIMS = "keeps a sliding window,must never log secrets,is retried three times,is built once".split(
    ","
)
_BATCH = 500


def main(arguments: Sequence[str]) -> int:
    """Fill a store, ask for every page, print CPU and wall time; returns the exit code."""
    parser = argparse.ArgumentParser(description="Time the pages of the dashboard.")
    parser.add_argument("--records", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=30)
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "shop"
        root.mkdir()
        subprocess.run(["git", "init", "-q", str(root)], check=True)
        with opened(root, Path(folder) / "home", embedder_name="none") as bench:
            known = fill(bench.runtime, given.records)
            asyncio.run(measure(bench.host, root, known, given.rounds))
    return 0


def fill(runtime: Runtime, count: int) -> str:
    """Store so many records; returns the id of one."""
    chance, now, last = random.Random(7), datetime.now(UTC), ""
    for start in range(0, count, _BATCH):
        batch = [
            _record(runtime, chance, now, number)
            for number in range(start, min(count, start + _BATCH))
        ]
        puts = [Put(record, "create") for record in batch]
        runtime.view.commit(Changes(actor="benchmark", knowledge=KnowledgeChanges(records=puts)))
        last = batch[-1].id
    return last


def _record(runtime: Runtime, chance: random.Random, now: datetime, number: int) -> Record:
    kind = chance.choice(KINDS)
    subject, claim = chance.choice(SUBJECTS), chance.choice(CLAIMS)
    data = {
        "memory": {"outcome": "success"},
        "discovery": {"type": "decision"},
        "context": {"contextType": chance.choice(["decision", "preference"])},
    }[kind]
    at = now - timedelta(days=chance.expovariate(1 / 40))
    return Record(
        kind=kind,
        scope=runtime.scope,
        title=f"The {subject} {claim}",
        content=f"The {subject} {claim}, case {number}.",
        data=data,
        tags=tuple(chance.sample(["auth", "ci", "speed"], 1)),
        source=Source(client="benchmark"),
        created_at=at,
        updated_at=at,
    )


async def measure(host: Host, root: Path, record: str, rounds: int) -> None:
    """Print the median and the 95th percentile of every page, in milliseconds."""
    access = Access()
    calls = Calls(lambda: host, 8, load_operations)
    pages = Pages(calls, access)
    cookie = f"{access.cookie_name}={access.redeem(access.new_code(str(root)))}"
    # The templates are loaded with the daemon's first page, whichever that is.
    await _ask(pages, "/jobs", cookie)
    await pages.warmed()
    print(f"{'page':36} {'first cpu':>10} {'cpu ms':>8} {'wall ms':>8} {'p95':>8} {'bytes':>8}")
    for path in PAGES:
        first, *times = [
            await _ask(pages, path.format(id=record), cookie) for _ in range(rounds + 1)
        ]
        wall = sorted(wall for _, wall, _ in times)
        cpu = statistics.median(cpu for cpu, _, _ in times)
        late = wall[min(len(wall) - 1, int(len(wall) * 0.95))]
        middle = statistics.median(wall)
        print(f"{path:36} {first[0]:10.1f} {cpu:8.1f} {middle:8.1f} {late:8.1f} {times[-1][2]:8}")
    await calls.close()


async def _ask(pages: Pages, path: str, cookie: str) -> tuple[float, float, int]:
    """(CPU ms of this process, wall ms, bytes) of one request."""
    name, _, query = path.partition("?")
    scope: dict[str, Any] = {
        "type": "http",
        "method": "GET",
        "path": name,
        "raw_path": name.encode(),
        "query_string": query.encode(),
        "headers": [(b"host", b"127.0.0.1"), (b"cookie", cookie.encode())],
        "server": ("127.0.0.1", 1),
        "scheme": "http",
        "root_path": "",
    }
    size = 0

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        nonlocal size
        if message["type"] == "http.response.start" and message["status"] != 200:
            raise RuntimeError(f"{path} answered {message['status']}")
        size += len(message.get("body", b""))

    cpu, wall = time.process_time(), time.perf_counter()
    await pages(scope, receive, send)
    return 1000 * (time.process_time() - cpu), 1000 * (time.perf_counter() - wall), size


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
