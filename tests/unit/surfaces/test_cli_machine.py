"""A disk that is full or a place that is forbidden is named with what to do; nothing is left half done."""

from __future__ import annotations

import errno
import resource
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import pytest

from contextd.surfaces.cli.home import _swap
from contextd.surfaces.cli.main import main
from contextd.thin.home import LOCAL, database_path
from contextd_common.errors import Unavailable


@contextmanager
def files_up_to(size: int) -> Iterator[None]:
    """No file of this process may pass so many bytes, as on a disk that fills up."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_backup_that_cannot_be_copied_leaves_the_store_as_it_was(tmp_path: Path) -> None:
    store = database_path(tmp_path, LOCAL)
    store.parent.mkdir(parents=True)
    store.write_bytes(b"what was stored")
    backup = tmp_path / "kept.db"
    backup.write_bytes(b"x" * 60_000)
    with files_up_to(20_000), pytest.raises(Unavailable, match="cannot be copied") as told:
        _swap(backup, tmp_path)
    assert "the store is unchanged" in told.value.hint
    assert store.read_bytes() == b"what was stored"
    assert [path.name for path in store.parent.iterdir()] == [store.name]


@pytest.mark.parametrize(
    ("number", "hint"),
    [(errno.ENOSPC, "free some space"), (errno.EACCES, "permissions"), (errno.EROFS, "written")],
)
def test_errors_of_the_disk_are_answered_with_a_message_and_a_hint(
    number: int, hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def write(words: Sequence[str]) -> int:
        raise OSError(number, "refused by the machine", "/somewhere/file")

    def no_contextd(*, fresh: bool = False) -> NoReturn:
        raise AssertionError(f"it opens no home, fresh or not: {fresh}")

    extras = {"write": ("Write a file.", write)}
    code = main(["write"], load=lambda: None, standalone=no_contextd, extras=extras)
    said = capsys.readouterr().err
    assert code == 1
    assert "/somewhere/file: refused by the machine" in said
    assert hint in said
    assert "Traceback" not in said
