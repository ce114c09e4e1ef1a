"""A lost database: the message names the way back that exists on this machine."""

from __future__ import annotations

import os
from pathlib import Path

from contextd.stores.missing_file import newest_copy, ways_on


def copy(path: Path, age: int, size: int = 4096) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"x" * size)
    os.utime(path, (1_000_000 - age, 1_000_000 - age))
    return path


def test_outside_the_home_no_command_of_contextd_is_offered(tmp_path: Path) -> None:
    said = ways_on(tmp_path / "own.db", None)
    assert "restore a copy of it" in said
    assert "contextd store" not in said


def test_without_a_backup_the_message_says_where_none_is(tmp_path: Path) -> None:
    said = ways_on(tmp_path / "contextd.db", tmp_path / "backups")
    assert f"no backup in {tmp_path / 'backups'}" in said
    assert "store restore --fresh" in said


def test_the_newest_backup_is_the_one_to_restore(tmp_path: Path) -> None:
    copy(tmp_path / "backups" / "a.db", age=20)
    newest = copy(tmp_path / "backups" / "b.db", age=10)
    copy(tmp_path / "contextd.db.before-0031", age=30)
    said = ways_on(tmp_path / "contextd.db", tmp_path / "backups")
    assert f"`contextd store restore {newest}`" in said
    assert "store restore --fresh" in said


def test_an_empty_copy_and_a_file_set_aside_are_no_backups(tmp_path: Path) -> None:
    copy(tmp_path / "backups" / "empty.db", age=1, size=0)
    copy(tmp_path / "contextd.db.before-restore", age=1)
    kept = copy(tmp_path / "contextd.db.before-0031", age=50)
    assert newest_copy(tmp_path / "contextd.db", tmp_path / "backups") == kept
