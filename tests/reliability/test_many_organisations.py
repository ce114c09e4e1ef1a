"""Many organisations in one database and one process: due work is found without opening the idle ones, in few threads."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from contextd.app import host as hosts
from contextd.app import load_operations
from contextd.app.host import Host
from contextd.domain.changes import NewJob
from contextd.domain.jobs import LANES
from contextd.embedders import EmbedderOptions, open_embedder
from contextd.runtime.doors import HomeDoor
from contextd.runtime.settings import load_settings
from contextd.stores import open_shared, open_store
from contextd.stores.postgres_migrate import migrate_postgres
from contextd.thin.home import LOCAL, make_home
from support import postgres_server

JOB = "retire_old_rows"
BACKLOG, EACH = 100, 3

Sizes = tuple[int, int, int]
"""Organisations known, with work, and open at once."""


@pytest.fixture
def database() -> Iterator[str]:
    with postgres_server.another_database() as url:
        migrate_postgres(url)
        yield url


def known(url: str, count: int) -> list[str]:
    """Organisations that another process made."""
    names = [f"team-{number}" for number in range(count)]
    with psycopg.connect(url, autocommit=True) as connection:
        for name in names:
            connection.execute("SELECT contextd.open_organisation(%s)", (name,))
    return names


def queue(url: str, jobs: dict[str, int]) -> None:
    """Add jobs from another process, which sends no signal to this one."""
    shared = open_shared(url)
    assert shared is not None
    for name, count in jobs.items():
        store = open_store(url, name, scrub=lambda text: text, shared=shared)
        store.queue.add([NewJob(name=JOB, lane=LANES[at % len(LANES)]) for at in range(count)])
        store.close()
    shared.close()


def numbers(connection: psycopg.Connection, names: list[str]) -> dict[int, str]:
    """The names of these organisations by number."""
    rows = connection.execute("SELECT org, name FROM contextd.organisations").fetchall()
    return {org: name for org, name in rows if name in names}


def left(connection: psycopg.Connection, named: dict[int, str]) -> dict[str, Counter[str]]:
    """For each of these organisations, how many jobs are in each state."""
    # Literals, so that only the partitions of these organisations are locked.
    among = ", ".join(map(str, named))
    rows = connection.execute(
        f"SELECT org, state, count(*) FROM contextd.jobs WHERE org IN ({among}) GROUP BY 1, 2".encode()
    )
    found: dict[str, Counter[str]] = {name: Counter() for name in named.values()}
    for org, state, count in rows:
        found[named[org]][state] = count
    return found


@pytest.mark.parametrize(
    "sizes",
    [
        pytest.param((40, 24, 8), marks=pytest.mark.long),
        pytest.param(
            (1_000, 50, hosts._OPEN_AT_ONCE), marks=[pytest.mark.slow, pytest.mark.timeout(3_600)]
        ),
    ],
)
def test_due_work_of_many_organisations_is_done_in_turn_by_as_many_threads_as_of_one(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sizes: Sizes
) -> None:
    count, busy, most = sizes
    monkeypatch.setattr(hosts, "_OPEN_AT_ONCE", most)
    names = known(database, count)
    load_operations()
    make_home(tmp_path)
    settings = load_settings(home=tmp_path, flags={"store.url": database})
    before = threading.active_count()
    host = Host(settings, open_embedder("none", EmbedderOptions()), door=HomeDoor())
    try:
        host.organisation(LOCAL)
        host.watch_database()
        # Spread over all that are known, and the first has an endless backlog until the others are done.
        greedy, *others = working = names[:: count // busy][:busy]
        queue(database, dict.fromkeys(others, EACH) | {greedy: BACKLOG})
        threads, opened = 0, 0
        with psycopg.connect(database, autocommit=True) as connection:
            named = numbers(connection, working)
            until = time.monotonic() + 1_800
            while True:
                now = left(connection, named)
                threads = max(threads, threading.active_count() - before)
                opened = max(opened, len(host._organisations))
                undone = {name: states for name, states in now.items() if set(states) != {"done"}}
                assert not any(states["failed"] for states in now.values()), now
                if not undone:
                    break
                if now[greedy]["ready"] < BACKLOG // 2 and len(undone) > 1:
                    queue(database, {greedy: BACKLOG})
                assert time.monotonic() < until, undone
                time.sleep(0.1)
        # The crews, a lease for each running job, and the four of the connection pool.
        assert threads <= sum(hosts._CREWS.values()) + 2 * len(LANES) + 4
        # One at rest may be busy for the moment in which another needs its place.
        assert opened <= most + most // 2
        assert {
            name for name, state in host.health()["services"].items() if state["failures"]
        } == set()
    finally:
        host.close()
    until = time.monotonic() + 30
    while threading.active_count() > before:
        assert time.monotonic() < until, threading.enumerate()
        time.sleep(0.05)
