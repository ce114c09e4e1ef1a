"""Whether the home's lock is held by a daemon, by another program, or by nobody."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from contextd.thin import spawn
from contextd.thin.home import lock_path
from contextd.thin.spawn import is_alive, is_foreign, take_lock


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path


def raising(error: type[OSError]) -> Callable[[int, int], None]:
    def kill(pid: int, signal: int) -> None:
        raise error

    return kill


def test_nobody_holds_the_lock_of_a_new_home(home: Path) -> None:
    assert not is_alive(home)
    assert not is_foreign(home)


@pytest.mark.parametrize(
    ("named", "error", "foreign"),
    [
        ("this one", None, False),
        ("4000000", ProcessLookupError, True),
        # It runs for another user: that it is no daemon cannot be known.
        ("1", PermissionError, False),
        ("word", None, True),
        ("9" * 30, None, True),
    ],
)
def test_a_lock_is_anothers_if_the_process_that_the_file_names_is_gone(
    home: Path,
    named: str,
    error: type[OSError] | None,
    foreign: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lock = take_lock(home)
    assert lock is not None
    lock_path(home).write_text(str(os.getpid()) if named == "this one" else named)
    if error is not None:
        monkeypatch.setattr(spawn.os, "kill", raising(error))
    assert is_alive(home)
    assert is_foreign(home) is foreign
    os.close(lock)
    assert not is_foreign(home)
