"""A session's daemon and `contextd init` do not index the same files side by side."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from contextd.codebase.scan_lock import scan_turn
from contextd.codebase.scanning import scan_project
from support.desks import Desk
from support.repositories import committed


class StillWaitingError(Exception):
    """Ends a scan that waits."""


def waiting() -> None:
    raise StillWaitingError


def test_a_scan_waits_while_another_scans_the_same_checkout(desk: Desk) -> None:
    with scan_turn(desk.runtime(), waiting):
        with pytest.raises(StillWaitingError):
            scan_project(desk.runtime(), check=waiting)
        assert not desk.view.files.of(desk.scope).count()

    assert scan_project(desk.runtime()).put


def test_who_waited_finds_the_files_indexed_and_parses_none(desk: Desk) -> None:
    first = scan_project(desk.runtime())
    second = scan_project(desk.runtime())
    assert (first.parsed > 0, second.parsed, second.put) == (True, 0, 0)


def test_checkouts_are_scanned_side_by_side(desk: Desk, tmp_path: Path) -> None:
    other = desk.at(committed(tmp_path / "other", {"a.py": "def alpha(): return 1\n"}))
    with scan_turn(other.runtime(), waiting):
        assert scan_project(desk.runtime()).put


def test_a_few_changed_files_do_not_wait_for_a_scan_of_all(desk: Desk) -> None:
    desk("codebase_index")
    (desk.root / "src/late.ts").write_text("export function addedLately() { return 1; }\n")
    with scan_turn(desk.runtime(), waiting):
        assert desk("find_symbol", name="addedLately")["symbols"]


def test_init_states_the_same_whoever_indexed_the_files(desk: Desk) -> None:
    scan_project(desk.runtime())
    indexed_before = desk.as_owner("init")
    again = desk.as_owner("init")
    assert indexed_before["stack"] == again["stack"]
    assert indexed_before["stack"]


def test_a_home_that_takes_no_lock_file_still_scans(desk: Desk) -> None:
    locks = desk.runtime().settings.home / "scans"
    shutil.rmtree(locks, ignore_errors=True)
    locks.write_text("in the way")
    assert scan_project(desk.runtime()).put
