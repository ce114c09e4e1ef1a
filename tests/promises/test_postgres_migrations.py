"""Migrations of a PostgreSQL database: two at once, one that waits, one that is killed."""

from __future__ import annotations

import time
from concurrent.futures import Future, ThreadPoolExecutor

import psycopg
import pytest

from contextd.domain.query import Query
from contextd.domain.records import Record
from contextd.stores import postgres_migrate
from contextd.stores.postgres_migrate import migrate_postgres, migrations, schema_of
from contextd_common.errors import Unavailable
from support import postgres_server
from support.stores import Whole, opened
from support.strategies import SCOPES

pytestmark = pytest.mark.long

KNOWN = len(migrations())
OURS = """SELECT count(pid) FROM pg_stat_activity WHERE datname = current_database()
    AND application_name = 'contextd' AND pid <> pg_backend_pid()"""


def test_of_two_that_migrate_at_once_one_waits_for_the_other():
    with postgres_server.another_database() as url, ThreadPoolExecutor(2) as pool:
        done = list(pool.map(migrate_postgres, (url, url)))
        assert sorted(done) == [(0, KNOWN), (KNOWN, KNOWN)]
        opened(f"{url}#x").close()


def test_a_migration_that_is_killed_leaves_nothing_half_done_and_runs_again():
    with (
        postgres_server.another_database() as url,
        psycopg.connect(url, autocommit=True) as other,
        ThreadPoolExecutor(1) as pool,
    ):
        for delay in (0.0, 0.03):
            running = pool.submit(migrate_postgres, url)
            wait_for_it(other, running)
            time.sleep(delay)
            other.execute(OURS.replace("count(pid)", "pg_terminate_backend(pid)"))
            assert running.exception() is None or isinstance(running.exception(), Unavailable)
            # Killed after its commit, it does not hear that all is done.
            assert schema_of(other) == KNOWN or running.exception() is not None
        assert migrate_postgres(url)[1] == KNOWN
        store = Whole(opened(f"{url}#x"))
        assert store.check() == []
        store.close()


def test_a_migration_does_not_wait_in_the_queue_of_a_lock_and_tries_again():
    with (
        postgres_server.another_database() as url,
        psycopg.connect(url) as holder,
        psycopg.connect(url, autocommit=True) as other,
        ThreadPoolExecutor(1) as pool,
    ):
        # The name of the schema is locked until this transaction ends.
        holder.execute("CREATE SCHEMA contextd")
        running = pool.submit(migrate_postgres, url)
        waiting, gone = "SELECT count(*) > 0 FROM pg_locks WHERE NOT granted", [(True,), (False,)]
        for state in gone:
            while other.execute(waiting).fetchone() != state and not running.done():
                pass
        assert not running.done()
        holder.rollback()
        assert running.result() == (0, KNOWN)


OLD_DOCUMENT = """INSERT INTO docs (part, id, kind, status, confidence, digest, terms, seq, length)
    SELECT no, 'old', 'memory', 'active', 1, 'd', 't', 1, 3 FROM parts"""
OLD_WORDS = """INSERT INTO loose_postings (part, term, doc, times, nears)
    SELECT part, term, no, times, 0 FROM docs, (VALUES ('walrus', 2), ('quay', 1)) AS given (term, times)"""


def test_words_that_had_a_row_each_are_found_after_the_migration(monkeypatch):
    shop, scripts = SCOPES[2], migrations()
    with postgres_server.another_database() as url:
        monkeypatch.setattr(postgres_migrate, "migrations", lambda: scripts[:4])
        migrate_postgres(url)
        with psycopg.connect(url, autocommit=True) as old:
            old.execute("SET search_path = contextd, pg_catalog; SELECT open_organisation('x')")
            old.execute("SET app.org = 1")
            old.execute(f"INSERT INTO parts (scope, family, clock) VALUES ('{shop}', 'records', 1)")
            old.execute(OLD_DOCUMENT)
            old.execute(OLD_WORDS)
        monkeypatch.undo()
        assert migrate_postgres(url) == (4, KNOWN)
        store = Whole(opened(f"{url}#x"))
        query = Query(scopes=frozenset({shop}))
        assert [one.id for one in store.index.lexical(["walrus"], query, 5)] == ["old"]
        store.put(Record(id="new", kind="memory", scope=shop, content="another walrus"))
        found = store.index.lexical(["walrus"], query, 5)
        assert [one.id for one in found] == ["old", "new"]
        store.close()


def wait_for_it(other: psycopg.Connection[tuple[int]], running: Future[tuple[int, int]]) -> None:
    while other.execute(OURS).fetchone() == (0,) and not running.done():
        pass
