"""What `contextd doctor` finds wrong with a home, each with what to do about it."""

from __future__ import annotations

import os
from collections import namedtuple
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from contextd.domain.changes import WorkChanges
from contextd.domain.query import Query
from contextd.domain.records import STATUSES
from contextd.domain.sessions import Session
from contextd.imports.transcripts import UNREAD
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


def test_ten_failed_jobs_are_named_and_more_are_mentioned(words_only: Desk):
    assert check(words_only, "jobs")["detail"] == "none failed permanently"
    for number in range(10):
        words_only.failed_job(f"job_{number}", "no luck")
    told = check(words_only, "jobs")
    assert not told["ok"]
    assert all(f"job_{number}: no luck" in told["detail"] for number in range(10))
    assert "and others" not in told["detail"]
    words_only.failed_job("job_10", "no luck")
    told = check(words_only, "jobs")["detail"]
    assert (told.count("no luck"), told.count("and others")) == (10, 1)


def test_events_that_are_set_aside_are_named_with_what_to_do(words_only: Desk, monkeypatch):
    def aside(count: int, events: int) -> None:
        some = [
            SimpleNamespace(events=events, told=lambda now, n=n: f"file {n}") for n in range(count)
        ]
        monkeypatch.setattr(f"{DOCTOR}.set_aside_in", lambda home: some)

    assert check(words_only, "spool")["detail"] == "no event is set aside"
    aside(10, 1)
    told = check(words_only, "spool")
    assert (told["ok"], "file 9" in told["detail"]) == (False, True)
    assert "; and" not in told["detail"]
    assert "recorded at the next try" in told["detail"]
    aside(12, 0)
    told = check(words_only, "spool")["detail"]
    assert ("; and 2 more" in told, "file 10" in told) == (True, False)
    assert "delete the files" in told


def test_transcripts_that_could_not_be_read_are_counted_by_client(words_only: Desk):
    now = words_only.runtime().clock.now()

    def session(client: str, days: int, **data: Any) -> Session:
        at = now - timedelta(days=days)
        return Session(
            scope=words_only.scope, client=client, started_at=at, last_seen_at=at, data=data
        )

    def opened(*sessions: Session) -> Any:
        words_only.runtime().commit(work=WorkChanges(open=sessions))
        return check(words_only, "transcripts")

    told = opened(
        session("a", 1, transcript_stamp="x"),
        session("b", 2, transcript_stamp="x"),
        session("a", 60, **{UNREAD: {"path": "old.jsonl", "why": "gone"}}),
    )
    assert (told["ok"], told["detail"][:7]) == (True, "2 read ")
    broken = {UNREAD: {"path": "t.jsonl", "why": "no JSON"}}
    told = opened(session("b", 1, **broken), session("b", 2, **broken), session("", 1, **broken))
    assert not told["ok"]
    assert "b: 2 sessions not read, t.jsonl: no JSON" in told["detail"]
    assert "unnamed client: 1 session not read" in told["detail"]
    assert "old.jsonl" not in told["detail"]
