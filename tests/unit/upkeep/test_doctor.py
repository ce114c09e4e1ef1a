"""What `contextd doctor` finds wrong with a home, each with what to do about it."""

from __future__ import annotations

import os
from collections import namedtuple
from types import SimpleNamespace
from typing import Any

import pytest

from contextd.domain.changes import WorkChanges
from contextd.domain.query import Query
from contextd.domain.records import STATUSES
from contextd.domain.sessions import Session
from support.desks import Desk

DOCTOR = "contextd.upkeep.operations.doctor"


def check(desk: Desk, name: str) -> Any:
    [found] = [one for one in desk.as_owner("doctor")["checks"] if one["name"] == name]
    return found


def failing(desk: Desk, *words: str) -> list[str]:
    """The names of the failing checks that say all of these words."""
    checks = desk.as_owner("doctor")["checks"]
    return [c["name"] for c in checks if not c["ok"] and all(word in c["detail"] for word in words)]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no modes")
def test_a_home_that_others_can_read_is_told_with_the_command_that_closes_it(words_only: Desk):
    home = words_only.host.settings.home
    assert failing(words_only, "others on this machine") == []
    home.chmod(0o750)
    assert failing(words_only, "others on this machine", f"chmod 700 {home}") != []


def test_a_full_disk_is_told_before_writes_fail(words_only: Desk, monkeypatch):
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(
        f"{DOCTOR}.shutil.disk_usage", lambda path: usage(10**12, 10**12, 1_000_000)
    )
    assert failing(words_only, "only 1 MB free") != []


def test_a_record_that_no_search_finds_is_told_and_the_canary_leaves_no_trace(
    words_only: Desk, monkeypatch
):
    words_only.as_owner("init")
    assert failing(words_only, "not found") == []
    monkeypatch.setattr(f"{DOCTOR}.find_records", lambda *a, **k: SimpleNamespace(hits=[]))
    assert failing(words_only, "a new record was not found", "reindex") != []
    query = Query(scopes=frozenset({words_only.scope}), statuses=STATUSES)
    found = words_only.view.records.find(query).records
    assert {one.status for one in found if "canary" in one.tags} <= {"deleted"}


def test_three_sessions_with_hooks_of_which_nothing_was_captured_are_told(words_only: Desk):
    words_only.as_owner("init")
    now = words_only.runtime().clock.now()
    for count in range(3):
        assert failing(words_only, "nothing was captured") == [], count
        session = Session(
            scope=words_only.scope, status="completed", started_at=now, last_seen_at=now,
            ended_at=now, client="claude-code", external_id=str(count), data={"hooked": True},
        )  # fmt: skip
        words_only.runtime().commit(work=WorkChanges(open=[session]))
    assert failing(words_only, "nothing was captured in the last 3 sessions", "contextd install")
