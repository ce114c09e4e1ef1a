"""What a store has that a backup lacks: no backup counts as complete that is not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from contextd.domain.records import Record
from contextd.domain.scope import Scope
from contextd.domain.upkeep import WrittenSince
from contextd.stores.backup_lag import written_since
from support.clocks import Shifted
from support.stores import Whole, opened

HERE = Scope("local", "default", "shop")
RENAMED = "ALTER TABLE changes RENAME COLUMN record_id TO record"
"""Makes the keys of a backup others than those of this version."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "contextd.db"


@pytest.fixture
def backup(path: Path) -> Iterator[Path]:
    """A backup with one note, of a store that got two more a minute later."""
    clock = Shifted()
    store = opened(f"sqlite://{path}", clock)
    whole = Whole(store, [HERE])
    made = path.with_name("kept.db")
    whole.put(Record(kind="context", scope=HERE, content="The depot opens at six."))
    whole.upkeep.backup(made)
    clock.move(minutes=1)
    for text in ("The depot closes at nine.", "Parcels are weighed twice."):
        whole.put(Record(kind="context", scope=HERE, content=text))
    yield made
    store.close()


def change(backup: Path, *statements: str) -> None:
    connection = apsw.Connection(str(backup))
    for statement in statements:
        connection.execute(statement)
    connection.close()


def test_changes_written_after_a_backup_are_counted(path: Path, backup: Path) -> None:
    assert written_since(path, backup) == WrittenSince(changes=2)
    assert written_since(path, None) == WrittenSince(changes=3)


def test_a_backup_of_an_older_schema_lacks_what_was_written_after_it(
    path: Path, backup: Path
) -> None:
    change(backup, RENAMED)
    assert written_since(path, backup) == WrittenSince(changes=2)


def test_a_backup_of_an_older_schema_without_a_change_lacks_everything(
    path: Path, backup: Path
) -> None:
    change(backup, RENAMED, "DELETE FROM changes")
    assert written_since(path, backup) == WrittenSince(changes=3)


def test_a_backup_made_last_lacks_nothing(path: Path, backup: Path, tmp_path: Path) -> None:
    latest = tmp_path / "latest.db"
    store = opened(f"sqlite://{path}")
    store.upkeep.backup(latest)
    store.close()
    assert not written_since(path, latest)


@pytest.mark.parametrize("damage", ["another program", "no database"])
def test_a_file_that_is_not_a_backup_lacks_every_change(
    path: Path, backup: Path, tmp_path: Path, damage: str
) -> None:
    other = tmp_path / "other.db"
    if damage == "another program":
        change(other, "CREATE TABLE customers (name TEXT)")
    else:
        other.write_bytes(b"SQLite format 3\x00" + b"x" * 4_096)
    assert backup.is_file()
    assert written_since(path, other) == WrittenSince(changes=3)
