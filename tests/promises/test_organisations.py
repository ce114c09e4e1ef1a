"""Organisations in one PostgreSQL database: behind the literal in each statement stands row-level security."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import errors, sql
from psycopg.conninfo import conninfo_to_dict

from contextd.domain.changes import NewJob, Put
from contextd.domain.originals import Original
from contextd.domain.query import Query
from contextd.domain.records import Record
from contextd.domain.sessions import Session
from contextd.stores import delete_organisation
from contextd.stores.postgres_migrate import migrate_postgres, migrations
from contextd_common.errors import NotFound, Unavailable
from support import postgres_server
from support.clocks import Ticking
from support.stores import Whole, address, opened
from support.strategies import EPOCH, SCOPES

pytestmark = pytest.mark.long

SHOP = SCOPES[2]
HERE = Query(scopes=frozenset(SCOPES), statuses=())


@pytest.fixture
def two(tmp_path: Path) -> Iterator[list[Whole]]:
    """Two organisations with the same scopes, ids and words."""
    stores = [Whole(opened(address("postgresql", tmp_path), Ticking())) for _ in range(2)]
    for store, secret in zip(stores, ("alpha", "omega"), strict=True):
        store.put(Record(id="same-id", kind="memory", scope=SHOP, content=f"the {secret} upload"))
        store.open(Session(id="s", scope=SHOP, task=secret, started_at=EPOCH))
        store.queue.add([NewJob(name=secret, scope=SHOP)])
    yield stores
    for store in stores:
        store.close()


@pytest.fixture
def raw() -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(postgres_server.url(), autocommit=True) as connection:
        yield connection


def number_of(store: Whole) -> int:
    return int(store.store.database.org)  # type: ignore[attr-defined]


def begin(raw: psycopg.Connection[Any], org: int | str) -> None:
    raw.execute("SELECT set_config('app.org', %s, true)", (str(org),))
    raw.execute("SET LOCAL search_path = contextd")
    raw.execute("SET LOCAL ROLE contextd_app")


def test_one_organisation_sees_nothing_of_another(two):
    one, other = two
    assert [m.id for m in one.index.lexical(["alpha"], HERE, 5)] == ["same-id"]
    assert one.index.lexical(["omega"], HERE, 5) == []
    assert "omega" not in repr(one.records.find(HERE).records)
    assert one.sessions.get("s").task == "alpha"
    assert [job.name for job in one.jobs.list()] == ["alpha"]
    assert other.queue.claim("w", 60, lanes=["upkeep"], place="").name == "omega"
    assert other.queue.claim("w", 60, lanes=["upkeep"], place="") is None
    assert one.index.stats("").documents == 1
    other.put(Record(id="of-other", kind="memory", scope=SHOP, content="only here"))
    with pytest.raises(NotFound) as refusal:
        one.records.resolve("of-other")
    assert "only here" not in refusal.value.message + refusal.value.hint


def test_without_the_literal_row_level_security_still_hides_other_organisations(two, raw):
    orgs = [number_of(store) for store in two]
    assert len(postgres_server.tables()) > 20
    for table in postgres_server.tables():
        everything = sql.SQL("SELECT org FROM {}").format(sql.Identifier(table))
        for asked, visible in ((orgs[0], {orgs[0]}), ("", set())):
            with raw.transaction():
                begin(raw, asked)
                found = {org for (org,) in raw.execute(everything)}
            assert found <= visible, (table, asked)
    with raw.transaction():
        begin(raw, orgs[0])
        assert {org for (org,) in raw.execute("SELECT DISTINCT org FROM doc_counts")} == {orgs[0]}


def test_the_planner_knows_the_rows_of_a_new_organisation_at_once(two, raw):
    store = two[0]
    records = [
        Record(id=f"r{at}", kind="memory", scope=SHOP, content=f"upload {at}") for at in range(256)
    ]
    store.commit(records=[Put(record, "write") for record in records])
    store.embed(*records)
    for table in ("docs", "vectors"):
        name = f"contextd.{table}_{number_of(store)}"
        [(rows,)] = raw.execute("SELECT reltuples FROM pg_class WHERE oid = %s::regclass", (name,))
        assert rows >= 256, table


def test_a_foreign_row_is_refused_and_a_partition_is_closed(two, raw):
    one, other = (number_of(store) for store in two)
    row = "(org, scope, session, digest, at) VALUES (%s, 'a', 'b', 'c', 1)"
    statements = (f"INSERT INTO handed_out {row}", f"SELECT * FROM records_{other} WHERE org = %s")

    def tried(statement: str) -> None:
        with raw.transaction():
            begin(raw, one)
            raw.execute(statement.encode(), (other,))

    for statement in statements:
        with pytest.raises(errors.InsufficientPrivilege):
            tried(statement)
    with raw.transaction():
        begin(raw, one)
        changed = raw.execute("UPDATE records SET kind = 'x' WHERE true RETURNING org").fetchall()
        assert {org for (org,) in changed} == {one}


def test_a_deleted_organisation_leaves_no_byte_in_the_files_of_tables(two, raw):
    one, other = two
    marker = "zqxjkvbp"
    for number in range(30):
        one.put(Record(id=f"r{number}", kind="memory", scope=SHOP, content=f"{marker} {number}"))
    one.queue.add([NewJob(name=marker, scope=SHOP)])
    # A table in which nobody else has rows.
    one.commit(originals=[Original(scope=SHOP, id="o", about=marker, text="x", tokens=1, at=EPOCH)])
    org = number_of(one)
    found = raw.execute("SELECT name FROM contextd.organisations WHERE org = %s", (org,)).fetchone()
    # Statistics hold values too, of the partition and of the whole table.
    raw.execute("ANALYZE")
    raw.execute("CHECKPOINT")
    assert len(holding(marker)) > 3
    one.close()
    copies = delete_organisation(postgres_server.url(), found[0])
    assert holding(marker) == []
    assert "write-ahead log up to segment" in copies[0]
    assert any("backups" in copy for copy in copies)
    with pytest.raises(NotFound):
        delete_organisation(postgres_server.url(), found[0])
    assert other.records.get(["same-id"])[0].content == "the omega upload"
    left = "SELECT count(*) FROM pg_class WHERE relname LIKE %s"
    assert raw.execute(left, (f"%\\_{org}",)).fetchone() == (0,)


def holding(marker: str) -> list[Path]:
    """The files of the server's databases that hold a text; its write-ahead log is another matter."""
    base = Path(str(conninfo_to_dict(postgres_server.url())["host"]))
    files = [file for file in base.rglob("*") if file.is_file() and "pg_wal" not in file.parts]
    return [file for file in files if marker.encode() in file.read_bytes()]


def test_migrating_again_changes_nothing_and_a_newer_schema_is_refused(two, raw):
    known = len(migrations())
    assert migrate_postgres(postgres_server.url()) == (known, known)
    raw.execute("UPDATE contextd.schema SET version = version + 1")
    try:
        for attempt in (
            lambda: migrate_postgres(postgres_server.url()),
            lambda: opened(postgres_server.url()),
        ):
            with pytest.raises(Unavailable, match="newer contextd") as refusal:
                attempt()
            assert refusal.value.hint == "upgrade contextd"
    finally:
        raw.execute("UPDATE contextd.schema SET version = version - 1")


def test_a_call_survives_that_the_server_dropped_every_idle_connection(two, raw):
    two[0].put(Record(id="before", kind="memory", scope=SHOP, content="kept"))
    raw.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE application_name = 'contextd' AND pid <> pg_backend_pid()"
    )
    assert [one.id for one in two[0].records.get(["before"])] == ["before"]


def test_a_server_that_does_not_answer_is_a_typed_error(tmp_path):
    with pytest.raises(Unavailable, match="cannot be reached") as refusal:
        opened(f"postgresql://nobody@127.0.0.1:1/none#{tmp_path.name}")
    assert refusal.value.hint
