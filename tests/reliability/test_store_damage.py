"""What a store does when its file, its disk or its driver is not as it should be."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import apsw
import pytest
from shop_notes import SHOP, at, note, put, stored, view_of

from contextd.domain.changes import Changes, CodeChange, KnowledgeChanges, Put
from contextd.domain.query import Query
from contextd.runtime.runtime import SystemClock
from contextd.stores import migrate
from contextd.stores.connection import SqliteDatabase, require_sqlite, translated
from contextd.stores.sqlite import SqliteStore
from contextd_code.values.source import Chunk, SourceFile
from contextd_common.errors import (
    Busy,
    ContextdError,
    Corrupt,
    Invalid,
    TooLarge,
    Unavailable,
)
from support.stores import opened, plain

LOCKED = {"BusyError", "LockedError", "ProtocolError", "SchemaChangeError"}
DAMAGED = {"CorruptError", "NotADBError", "FormatError"}


def every(kind: type[apsw.Error]) -> list[type[apsw.Error]]:
    return [kind, *(below for child in kind.__subclasses__() for below in every(child))]


@pytest.mark.parametrize("kind", every(apsw.Error), ids=lambda kind: kind.__name__)
def test_every_error_of_the_driver_becomes_one_of_ours_with_a_hint(kind):
    with pytest.raises(ContextdError) as told, translated(Path("/data/contextd.db")):
        raise kind("details")
    assert told.value.hint
    assert "/data/contextd.db" in told.value.message
    assert isinstance(told.value.__cause__, kind)
    if kind.__name__ in LOCKED:
        assert type(told.value) is Busy
    assert (type(told.value) is Corrupt) is (kind.__name__ in DAMAGED)


def test_a_lock_is_never_taken_for_damage(tmp_path):
    store = SqliteStore(tmp_path / "contextd.db", SystemClock(), plain, timeout=0.05)
    other = SqliteStore(tmp_path / "contextd.db", SystemClock(), plain)
    put(store, "one")
    with other.database.write():
        with pytest.raises(Busy):
            put(store, "two")
        assert stored(store) == ["one"]
    put(store, "three")
    assert stored(store) == ["one", "three"]
    assert [path.name for path in tmp_path.iterdir() if "corrupt" in path.name] == []
    store.close()
    other.close()


def test_text_the_driver_cannot_take_is_the_callers_mistake(tmp_path):
    store = opened(at(tmp_path))
    with pytest.raises(Invalid):
        view_of(store).sessions.by_external("\ud800", "x")
    with pytest.raises(Invalid):
        view_of(store).records.find(Query(scopes=frozenset({SHOP}), where={"n": 2**70}))
    store.close()


def test_a_value_too_large_fails_its_whole_commit(tmp_path):
    store = SqliteStore(tmp_path / "contextd.db", SystemClock(), plain)
    store.database.connection.limit(apsw.SQLITE_LIMIT_LENGTH, 10_000)
    with pytest.raises(TooLarge):
        put(store, "big", "x" * 20_000)
    both = [Put(note("small"), "write"), Put(note("big", "x" * 20_000), "write")]
    with pytest.raises(TooLarge):
        view_of(store).commit(Changes(actor="w", knowledge=KnowledgeChanges(records=both)))
    assert stored(store) == []
    put(store, "small")
    assert stored(store) == ["small"]
    store.close()


def test_a_full_disk_is_unavailable_and_keeps_what_was_acknowledged(tmp_path):
    store = SqliteStore(tmp_path / "contextd.db", SystemClock(), plain)
    put(store, "one")
    pages = store.database.value("PRAGMA page_count")
    store.database.value(f"PRAGMA max_page_count={pages + 4}")
    acknowledged = ["one"]
    with pytest.raises(Unavailable, match="disk is full"):  # noqa: PT012
        for n in range(100):
            put(store, f"more-{n:03}", "x" * 2_000)
            acknowledged.append(f"more-{n:03}")
    assert stored(store) == sorted(acknowledged)
    store.database.value("PRAGMA max_page_count=1000000")
    put(store, "again")
    assert stored(store) == sorted([*acknowledged, "again"])
    assert store.upkeep.check() == []
    store.close()


def test_a_file_that_is_no_database_is_refused_and_kept(tmp_path):
    (tmp_path / "contextd.db").write_bytes(b"not a database at all" * 300)
    with pytest.raises(Corrupt, match=r"contextd\.db") as refusal:
        opened(at(tmp_path))
    assert "restore a backup" in refusal.value.hint
    assert (tmp_path / "contextd.db").read_bytes() == b"not a database at all" * 300


def test_a_database_of_another_program_is_refused_and_kept(tmp_path):
    other = apsw.Connection(str(tmp_path / "contextd.db"))
    other.execute("CREATE TABLE theirs (x)")
    other.close()
    before = (tmp_path / "contextd.db").read_bytes()
    with pytest.raises(Unavailable, match="another program"):
        opened(at(tmp_path))
    assert (tmp_path / "contextd.db").read_bytes() == before


@pytest.mark.parametrize("seed", range(6))
def test_damaged_pages_are_told_by_name_and_a_backup_brings_everything_back(tmp_path, seed):
    import random

    store = opened(at(tmp_path))
    for n in range(60):
        put(store, f"record-{n:02}", "x" * 900)
    store.upkeep.backup(tmp_path / "copy.db")
    expected = stored(store)
    store.close()
    path = tmp_path / "contextd.db"
    damaged = bytearray(path.read_bytes())
    chance = random.Random(seed)
    for _ in range(40):
        page = chance.randrange(1, len(damaged) // 4096)
        damaged[page * 4096 : page * 4096 + 64] = chance.randbytes(64)
    path.write_bytes(damaged)
    try:
        broken = opened(at(tmp_path))
        problems = broken.upkeep.check()
        broken.close()
    except Corrupt as refusal:
        problems = [refusal.message]
    assert problems
    assert any("contextd.db" in line for line in problems)
    assert len(path.read_bytes()) == len(damaged)
    (tmp_path / "copy.db").replace(path)
    for left in ("contextd.db-wal", "contextd.db-shm"):
        (tmp_path / left).unlink(missing_ok=True)
    restored = opened(at(tmp_path))
    assert stored(restored) == expected
    assert restored.upkeep.check() == []
    restored.close()


def test_a_check_reports_records_and_index_that_are_out_of_step(tmp_path):
    store = SqliteStore(tmp_path / "contextd.db", SystemClock(), plain)
    put(store, "one")
    put(store, "two")
    store.database.connection.execute("DELETE FROM records WHERE id = 'one'")
    view_of(store).commit(Changes(knowledge=KnowledgeChanges(forget={SHOP: ["two"]})))
    store.database.connection.execute("DELETE FROM lexicon_1 WHERE rowid = 1")
    problems = store.upkeep.check()
    assert len(problems) == 3
    assert any(problem.endswith("indexed but deleted: one") for problem in problems)
    assert any(problem.endswith("without words: two, one") for problem in problems)
    store.close()


def test_pieces_of_a_file_that_is_gone_are_told_and_go_with_the_next_index(tmp_path):
    store = SqliteStore(tmp_path / "contextd.db", SystemClock(), plain)
    paths = ("kept.py", "lost.py")
    files = [
        SourceFile(
            path=path, size=5, mtime_ns=1, digest=path,
            chunks=(Chunk(id=path, path=path, start_line=1, end_line=1, text="x = 1"),),
        )
        for path in paths
    ]  # fmt: skip
    view_of(store).commit(Changes(code=[CodeChange(scope=SHOP, put=files)]))
    connection = store.database.connection
    connection.execute("PRAGMA foreign_keys = OFF; DELETE FROM contents WHERE path = 'lost.py'")
    connection.execute("PRAGMA foreign_keys = ON")
    assert "2 rows refer to missing rows" in store.upkeep.check()
    store.upkeep.rebuild(SHOP)
    assert not [one for one in store.upkeep.check() if "refer to missing rows" in one]
    [kept] = view_of(store).files.of(SHOP).get(paths)
    assert [chunk.text for chunk in kept.chunks] == ["x = 1"]
    store.close()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_home_is_unavailable(tmp_path):
    (tmp_path / "home").mkdir(mode=0o500)
    with pytest.raises(Unavailable) as refusal:
        opened(at(tmp_path / "home"))
    assert refusal.value.hint


def test_a_path_that_cannot_be_is_unavailable(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(Unavailable) as refusal:
        opened(at(tmp_path / "file" / "below"))
    assert refusal.value.hint


def test_an_old_sqlite_is_refused():
    for fine in ("3.51.3", "3.53.0", "4.0"):
        assert require_sqlite(fine) is None
    for old in ("3.51.2", "3.40.1"):
        with pytest.raises(Unavailable) as refusal:
            require_sqlite(old)
        assert "apsw" in refusal.value.hint


def test_a_backup_under_load_is_one_consistent_state(tmp_path):
    store = opened(at(tmp_path))
    for n in range(50):
        put(store, f"before-{n:02}")
    stop = threading.Event()
    written: list[str] = []

    def write() -> None:
        while not stop.is_set():
            put(store, f"during-{len(written):05}")
            written.append("")

    writer = threading.Thread(target=write)
    writer.start()
    copies = []
    for number in range(5):
        store.upkeep.backup(tmp_path / f"copies/{number}.db")
        copies.append(len(written))
    stop.set()
    writer.join()
    for number, known in enumerate(copies):
        copy = opened(f"sqlite://{tmp_path}/copies/{number}.db")
        ids = stored(copy)
        during = [id_ for id_ in ids if id_.startswith("during")]
        assert len(ids) - len(during) == 50
        assert during == [f"during-{n:05}" for n in range(len(during))]
        assert len(during) <= known + 1
        assert copy.upkeep.check() == []
        copy.close()
    assert list(tmp_path.glob("copies/*.partial")) == []
    store.close()


def test_a_backup_never_overwrites_the_store_itself(tmp_path):
    store = opened(at(tmp_path))
    put(store, "one")
    with pytest.raises(Invalid):
        store.upkeep.backup(tmp_path / "contextd.db")
    (tmp_path / "taken").write_text("x")
    with pytest.raises(Unavailable):
        store.upkeep.backup(tmp_path / "taken" / "copy.db")
    assert stored(store) == ["one"]
    store.close()


def test_a_closed_store_says_so(tmp_path):
    store = opened(at(tmp_path))
    store.close()
    store.close()
    with pytest.raises(Unavailable, match="closed"):
        stored(store)
    with pytest.raises(Unavailable, match="closed"):
        put(store, "one")


def test_close_gives_back_the_connections_of_every_thread(tmp_path):
    store = opened(at(tmp_path))
    threads = [threading.Thread(target=put, args=(store, f"t{n}")) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    store.close()
    assert not (tmp_path / "contextd.db-wal").exists()
    descriptors = Path("/proc/self/fd")
    held = [fd.resolve() for fd in descriptors.iterdir()] if descriptors.exists() else []
    assert [path for path in held if path.is_relative_to(tmp_path)] == []


EXTRA = "CREATE TABLE later (x TEXT) STRICT; INSERT INTO later VALUES ('one'), ('two');"


def schema(path: Path) -> list[object]:
    reader = apsw.Connection(str(path))
    found = reader.execute("SELECT type, name, sql FROM sqlite_schema ORDER BY name").fetchall()
    reader.close()
    return found


@pytest.mark.parametrize("first", range(1, len(migrate.migrations()) + 1))
def test_a_migrated_store_equals_a_fresh_one_and_its_old_state_is_kept(tmp_path, first):
    scripts = [*migrate.migrations(), EXTRA]
    before = migrate.schema_of(scripts[:first])
    old, fresh = (SqliteDatabase(tmp_path / name, SystemClock()) for name in ("old.db", "fresh.db"))
    migrate.migrate(old, scripts[:first])
    migrate.migrate(old, scripts)
    migrate.migrate(fresh, scripts)
    assert old.rows("SELECT x FROM later") == [("one",), ("two",)]
    for database in (old, fresh):
        assert database.value("PRAGMA journal_mode") == "wal"
        database.close()
    assert schema(tmp_path / "old.db") == schema(tmp_path / "fresh.db")
    assert "later" not in str(schema(tmp_path / f"old.db.before-{before + 1:04}"))
    assert list(tmp_path.glob("fresh.db.before*")) == []


def test_a_migration_that_fails_changes_nothing(tmp_path):
    scripts = migrate.migrations()
    database = SqliteDatabase(tmp_path / "contextd.db", SystemClock())
    migrate.migrate(database, scripts)
    with pytest.raises(Unavailable):
        migrate.migrate(
            database, [*scripts, "CREATE TABLE half (x); INSERT INTO nowhere VALUES (1)"]
        )
    assert database.value("PRAGMA user_version") == migrate.schema_of(scripts)
    assert database.value("SELECT count(*) FROM sqlite_schema WHERE name = 'half'") == 0
    migrate.migrate(database, [*scripts, EXTRA])
    assert database.value("SELECT count(*) FROM later") == 2
    database.close()


MIGRATING = """
import sys
from pathlib import Path
from contextd.runtime.runtime import SystemClock
from contextd.stores.connection import SqliteDatabase
from contextd.stores.migrate import migrate, migrations
database = SqliteDatabase(Path(sys.argv[1]), SystemClock())
print("ready", flush=True)
migrate(database, [*migrations(), sys.argv[2]])
print("done", flush=True)
"""
LONG = (
    EXTRA
    + """WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 60000)
    INSERT INTO later SELECT 'row ' || x FROM n;"""
)


@pytest.mark.parametrize("milliseconds", [1, 5, 15, 30, 60])
def test_a_migration_that_is_killed_happened_or_did_not(tmp_path, milliseconds):
    store = opened(at(tmp_path))
    put(store, "one")
    store.close()
    path = tmp_path / "contextd.db"
    child = subprocess.Popen(
        [sys.executable, "-c", MIGRATING, str(path), LONG], stdout=subprocess.PIPE
    )
    assert child.stdout is not None
    assert child.stdout.readline() == b"ready\n"
    time.sleep(milliseconds / 1000)
    child.kill()
    child.communicate()
    database = SqliteDatabase(path, SystemClock())
    assert database.value("PRAGMA user_version") - migrate.schema_of(migrate.migrations()) in (0, 1)
    migrate.migrate(database, [*migrate.migrations(), LONG])
    assert database.value("SELECT count(*) FROM later") == 60_002
    assert database.value("SELECT count(*) FROM records") == 1
    assert database.value("PRAGMA integrity_check") == "ok"
    database.close()


def test_a_store_of_a_newer_contextd_is_refused_and_kept(tmp_path):
    database = SqliteDatabase(tmp_path / "contextd.db", SystemClock())
    migrate.migrate(database, [*migrate.migrations(), EXTRA])
    database.close()
    with pytest.raises(Unavailable, match="newer contextd") as refusal:
        opened(at(tmp_path))
    assert "upgrade" in refusal.value.hint


class _ReadsTheSchemaLate(SqliteDatabase):
    """A database that another connection migrates just after this one has read its version."""

    def value(self, sql, values=()):
        found = super().value(sql, values)
        if sql == "PRAGMA user_version" and self.path not in _MIGRATED:
            _MIGRATED.add(self.path)
            other = SqliteDatabase(self.path, SystemClock())
            migrate.migrate(other, migrate.migrations())
            other.close()
        return found


_MIGRATED: set[Path] = set()


def test_a_store_created_while_its_version_is_read_is_not_taken_for_another_programs(tmp_path):
    path = tmp_path / "contextd.db"
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA journal_mode=WAL").fetchall()
    connection.close()
    late = _ReadsTheSchemaLate(path, SystemClock())
    migrate.migrate(late, migrate.migrations())
    assert late.value("PRAGMA user_version") == migrate.schema_of(migrate.migrations())
    late.close()


def test_a_new_store_may_be_opened_by_many_at_once(tmp_path):
    problems: list[BaseException] = []

    def open_and_write(number: int) -> None:
        try:
            store = opened(at(tmp_path))
            put(store, f"t{number}")
            store.close()
        except BaseException as problem:
            problems.append(problem)

    threads = [threading.Thread(target=open_and_write, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    store = opened(at(tmp_path))
    assert stored(store) == [f"t{n}" for n in range(6)]
    store.close()
