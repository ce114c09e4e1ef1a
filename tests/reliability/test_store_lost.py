"""A store that is gone, emptied or cut off is told as such, and never begun anew in silence."""

from __future__ import annotations

import os
import re
import shutil
import threading
import time
from pathlib import Path

import apsw
import pytest
from shop_notes import at, put, stored

from contextd.runtime.runtime import SystemClock
from contextd.stores.connection import SqliteDatabase
from contextd.stores.migrate import migrations, schema_of
from contextd.stores.sqlite import SqliteStore
from contextd_common.errors import Corrupt, Unavailable
from support.stores import opened, plain


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where a store with two records was; a backup of it lies in `backups`."""
    store = opened(at(tmp_path))
    put(store, "one")
    put(store, "two")
    store.upkeep.backup(tmp_path / "backups" / "older.db")
    os.utime(tmp_path / "backups" / "older.db", (1, 1))
    store.upkeep.backup(tmp_path / "backups" / "newest.db")
    store.close()
    return tmp_path


def remove(path: Path) -> None:
    path.unlink()


def empty(path: Path) -> None:
    os.truncate(path, 0)


def cut_to_one_byte(path: Path) -> None:
    os.truncate(path, 1)


def replace_by_an_empty_database(path: Path) -> None:
    path.unlink()
    fresh = apsw.Connection(str(path))
    fresh.execute("PRAGMA journal_mode=WAL").fetchall()
    fresh.close()


LOSSES = [remove, empty, cut_to_one_byte, replace_by_an_empty_database]


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.mark.parametrize("lose", LOSSES, ids=lambda lose: lose.__name__)
def test_a_lost_store_is_refused_with_its_newest_backup_and_both_ways_on(folder, lose):
    path = folder / "contextd.db"
    lose(path)
    before = contents(folder)
    for _ in range(2):
        with pytest.raises(Corrupt) as refusal:
            opened(at(folder), backups=folder / "backups")
        assert str(path) in refusal.value.message
        assert f"`contextd store restore {folder}/backups/newest.db`" in refusal.value.hint
        assert "`contextd store restore --fresh`" in refusal.value.hint
    assert contents(folder) == before


@pytest.mark.parametrize("lose", LOSSES, ids=lambda lose: lose.__name__)
def test_without_backups_a_lost_store_is_refused_too(folder, lose):
    shutil.rmtree(folder / "backups")
    lose(folder / "contextd.db")
    with pytest.raises(Corrupt) as refusal:
        opened(at(folder), backups=folder / "backups")
    assert "there is no backup" in refusal.value.hint
    assert "`contextd store restore --fresh`" in refusal.value.hint


@pytest.mark.parametrize("lose", LOSSES[:2], ids=lambda lose: lose.__name__)
def test_a_backup_or_a_log_is_trace_enough_where_everything_else_is_gone(folder, lose):
    (folder / "contextd.db.made").unlink()
    lose(folder / "contextd.db")
    with pytest.raises(Corrupt, match=r"backup of it, .*newest\.db"):
        opened(at(folder), backups=folder / "backups")
    shutil.rmtree(folder / "backups")
    (folder / "contextd.db-wal").write_bytes(b"x" * 5000)
    with pytest.raises(Corrupt, match=r"contextd\.db-wal still exists"):
        opened(at(folder), backups=folder / "backups")
    assert (folder / "contextd.db-wal").stat().st_size == 5000


def test_a_store_of_its_own_address_says_how_to_begin_anew(folder):
    remove(folder / "contextd.db")
    with pytest.raises(Corrupt) as refusal:
        opened(at(folder))
    mark = folder / "contextd.db.made"
    assert str(mark) in refusal.value.hint
    mark.unlink()
    store = opened(at(folder))
    assert stored(store) == []
    store.close()


def test_a_copy_that_a_migration_made_is_a_backup_and_what_was_put_aside_is_none(folder):
    shutil.rmtree(folder / "backups")
    path = folder / "contextd.db"
    shutil.copy(path, folder / "contextd.before-restore-1.db")
    path.rename(folder / "contextd.db.before-0005")
    (folder / "contextd.db.before-0006.partial").write_bytes(b"x" * 5000)
    with pytest.raises(Corrupt) as refusal:
        opened(at(folder), backups=folder / "backups")
    assert f"`contextd store restore {folder}/contextd.db.before-0005`" in refusal.value.hint


@pytest.mark.parametrize("lose", [*LOSSES[:2], LOSSES[3]], ids=lambda lose: lose.__name__)
def test_it_is_begun_anew_only_when_that_is_asked_for(folder, lose):
    lose(folder / "contextd.db")
    store = opened(at(folder), backups=folder / "backups", fresh=True)
    assert stored(store) == []
    put(store, "three")
    store.close()
    store = opened(at(folder), backups=folder / "backups")
    assert stored(store) == ["three"]
    store.close()


def test_a_store_that_another_process_is_making_at_this_moment_is_not_lost(folder):
    path = folder / "contextd.db"
    replace_by_an_empty_database(path)
    other = SqliteDatabase(path, SystemClock())
    began = threading.Event()

    def make() -> None:
        with other.turnstile.hold():
            began.set()
            time.sleep(0.2)  # until the other one stands at the gate
            for script in migrations():
                other.connection.execute(script)
            other.connection.execute(f"PRAGMA user_version={schema_of(migrations())}")
        other.close()

    maker = threading.Thread(target=make)
    maker.start()
    began.wait(60)
    beside = opened(at(folder), backups=folder / "backups")
    maker.join()
    put(beside, "three")
    assert stored(beside) == ["three"]
    beside.close()


def test_a_new_store_needs_no_permission_and_marks_itself(tmp_path):
    (tmp_path / "backups" / "clients").mkdir(parents=True)
    (tmp_path / "contextd.db").touch()
    store = opened(at(tmp_path), backups=tmp_path / "backups")
    assert "first opened by contextd" in (tmp_path / "contextd.db.made").read_text("utf-8")
    store.close()


def test_a_store_made_before_there_were_marks_gets_one(folder):
    (folder / "contextd.db.made").unlink()
    opened(at(folder)).close()
    assert (folder / "contextd.db.made").exists()
    remove(folder / "contextd.db")
    with pytest.raises(Corrupt):
        opened(at(folder))


def test_a_link_that_leads_nowhere_any_more_is_a_loss(folder):
    path = folder / "contextd.db"
    real = folder / "data" / "store.db"
    real.parent.mkdir()
    path.rename(real)
    path.symlink_to(real)
    opened(at(folder)).close()
    real.unlink()
    with pytest.raises(Corrupt, match="missing"):
        opened(at(folder))
    assert not real.exists()


@pytest.mark.parametrize("lose", [remove, replace_by_an_empty_database])
def test_a_store_lost_while_it_is_open_takes_no_more_writes_and_says_so(folder, lose):
    store = SqliteStore(folder / "contextd.db", SystemClock(), plain)
    lose(folder / "contextd.db")
    with pytest.raises(Unavailable, match="deleted or replaced"):
        put(store, "three")
    assert "deleted or replaced while it was open" in "; ".join(store.upkeep.check())
    problems: list[BaseException] = []

    def look() -> None:
        try:
            stored(store)
        except BaseException as problem:
            problems.append(problem)

    if lose is remove:
        thread = threading.Thread(target=look)
        thread.start()
        thread.join()
        assert isinstance(problems[0], Unavailable)
        assert not (folder / "contextd.db").exists()
    store.close()


LEAF = 0x0D
"""The first byte of a page that holds rows of a table."""


def cut_sizes(size: int) -> list[int]:
    return [size - 1, size - 100, size - 4096, size - 5000, size // 2, size // 2 + 77, 8192, 4097,
            4096, 2000, 100, 99, 17, 1]  # fmt: skip


@pytest.mark.parametrize("number", range(14))
def test_a_store_cut_off_anywhere_is_refused_or_found_and_the_reason_is_never_empty(
    tmp_path, number
):
    store = opened(at(tmp_path))
    for one in range(40):
        put(store, f"record-{one:02}", "x" * 900)
    store.close()
    path = tmp_path / "contextd.db"
    size = cut_sizes(path.stat().st_size)[number]
    os.truncate(path, size)
    try:
        broken = opened(at(tmp_path), backups=tmp_path / "backups")
    except Corrupt as refusal:
        reasons, hint = [refusal.message], refusal.hint
    else:
        reasons, hint = broken.upkeep.check(), "contextd store restore"
        broken.close()
    assert "contextd store restore" in hint
    assert reasons
    for reason in reasons:
        assert "contextd.db" in reason or "run `contextd store reindex`" in reason
        assert reason.rstrip().rpartition(": ")[2]
        assert "***" not in reason
        assert "\n" not in reason
    assert path.stat().st_size == size


def test_damage_of_many_pages_is_told_in_a_few_lines(tmp_path):
    store = opened(at(tmp_path))
    for one in range(200):
        put(store, f"record-{one:03}", "y" * 2500)
    store.close()
    path = tmp_path / "contextd.db"
    damaged = bytearray(path.read_bytes())
    for start in range(0, len(damaged), 4096):
        if damaged[start] == LEAF and b"y" * 2000 in damaged[start : start + 4096]:
            damaged[start] = 0xFF
    path.write_bytes(damaged)
    broken = opened(at(tmp_path))
    problems = broken.upkeep.check()
    broken.close()
    assert 1 < len(problems) <= 12
    assert any(re.search(r": and \d+ more$", problem) for problem in problems)
    assert all("\n" not in problem for problem in problems)
