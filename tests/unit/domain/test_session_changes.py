"""How a change moves a session on: its status, its files and topics, its times and counts."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from contextd.domain.scope import Scope
from contextd.domain.sessions import (
    FILES_KEPT,
    TOPICS_KEPT,
    FileAccess,
    Fold,
    Session,
    SessionChange,
    changed,
)

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
EARLIER, LATER = NOON - timedelta(hours=1), NOON + timedelta(hours=1)


def session(**fields: Any) -> Session:
    whole = {"started_at": NOON, "last_seen_at": NOON} | fields
    return Session(id="s1", scope=Scope("local", "default", "shop"), **whole)


def after(before: Session, **change: Any) -> Session:
    return changed(before, SessionChange(id="s1", **change))


def access(path: str, count: int = 1, first: datetime = NOON, last: datetime = NOON) -> FileAccess:
    return FileAccess(path=path, count=count, first_at=first, last_at=last)


def test_a_status_only_advances_and_a_client_that_resumes_reopens_it() -> None:
    rows = [
        ("active", None, {"completed": True}, "active", None),
        ("active", NOON, {"completed": True}, "completed", NOON),
        ("active", None, {"archived": True}, "active", None),
        ("active", None, {"ended_at": NOON, "completed": True, "archived": True}, "archived", NOON),
        ("active", NOON, {"ended_at": LATER}, "active", NOON),
        ("completed", NOON, {"archived": True}, "archived", NOON),
        ("completed", NOON, {"completed": True}, "completed", NOON),
        ("completed", NOON, {"resumed": True}, "active", None),
        ("archived", NOON, {"resumed": True}, "active", None),
        ("archived", NOON, {"completed": True}, "archived", NOON),
        ("active", None, {"withdrawn": True}, "withdrawn", NOON),
        ("completed", EARLIER, {"withdrawn": True}, "withdrawn", EARLIER),
        ("withdrawn", NOON, {"resumed": True}, "withdrawn", NOON),
        ("withdrawn", NOON, {"readmitted": True}, "completed", NOON),
        ("withdrawn", NOON, {"archived": True}, "withdrawn", NOON),
        ("active", None, {"readmitted": True}, "active", None),
        ("completed", NOON, {"readmitted": True}, "completed", NOON),
    ]
    for status, ended, change, expected, end in rows:
        moved = after(session(status=status, ended_at=ended), **change)
        assert (moved.status, moved.ended_at) == (expected, end), (status, change)


def test_a_task_is_replaced_when_it_is_given_and_the_first_prompt_fills_an_empty_one() -> None:
    assert after(session(task="old"), task="new", first_task="prompt").task == "new"
    assert after(session(task="old"), task="").task == ""
    assert after(session(task="old"), first_task="prompt").task == "old"
    assert after(session(), first_task="prompt").task == "prompt"


def test_what_a_change_does_not_name_stays_and_counts_are_added() -> None:
    before = session(
        external_id="e1", outcome="success", tool_calls=2, tokens_served=30,
        injected=("a", "b"), data={"n": 2, "x": 1},
    )  # fmt: skip
    assert after(before) == before
    moved = after(
        before, external_id="e2", outcome="failure", calls=3, tokens=4,
        injected=("b", "c"), data={"x": 5, "y": 6}, counts={"n": 3, "new": 1},
    )  # fmt: skip
    assert (moved.external_id, moved.outcome) == ("e2", "failure")
    assert (moved.tool_calls, moved.tokens_served) == (5, 34)
    assert moved.injected == ("a", "b", "c")
    assert moved.data == {"n": 5, "x": 5, "y": 6, "new": 1}


def test_only_an_open_status_is_seen_later_and_never_earlier() -> None:
    assert after(session(), seen_at=LATER).last_seen_at == LATER
    assert after(session(), seen_at=EARLIER).last_seen_at == NOON
    assert after(session(status="completed", ended_at=NOON), seen_at=LATER).last_seen_at == NOON
    resumed = after(session(status="completed", ended_at=NOON), seen_at=LATER, resumed=True)
    assert resumed.last_seen_at == LATER


def test_further_accesses_are_added_and_the_latest_files_are_kept() -> None:
    before = session(files=(access("a", 2), access("b")))
    moved = after(before, files=(access("a", 1, EARLIER, LATER), access("c")))
    assert moved.files == (access("b"), access("a", 3, EARLIER, LATER), access("c"))
    many = after(before, files=tuple(access(f"f{n}") for n in range(FILES_KEPT)))
    assert [one.path for one in many.files] == [f"f{n}" for n in range(FILES_KEPT)]


def test_the_latest_topics_are_kept_each_once() -> None:
    topics = tuple(f"t{n}" for n in range(TOPICS_KEPT))
    assert after(session(topics=topics), topics=("t3", "new")).topics == (*topics[1:], "new")


def test_a_fold_of_all_events_takes_the_larger_counts_and_the_wider_times() -> None:
    before = session(
        files=(access("a", 3), access("b", 1, EARLIER)), topics=("old",), tool_calls=5,
        outcome="failure", ended_at=NOON,
    )  # fmt: skip
    fold = Fold(
        started_at=EARLIER, seen_at=LATER, ended_at=LATER, topics=("new",), calls=4,
        files=(access("a", 2, EARLIER, LATER), access("c", 7, LATER, LATER)), outcome="success",
    )  # fmt: skip
    moved = after(before, fold=fold)
    assert moved.files == (
        access("a", 3, EARLIER, LATER), access("b", 1, EARLIER), access("c", 7, LATER, LATER),
    )  # fmt: skip
    assert (moved.started_at, moved.last_seen_at, moved.ended_at) == (EARLIER, LATER, LATER)
    assert (moved.topics, moved.tool_calls, moved.outcome) == (("new",), 5, "success")


def test_a_fold_ends_no_open_session_and_empties_nothing() -> None:
    before = session(topics=("old",), outcome="failure", tool_calls=2)
    moved = after(before, fold=Fold(started_at=LATER, seen_at=EARLIER, ended_at=LATER, calls=9))
    assert (moved.started_at, moved.last_seen_at, moved.ended_at) == (NOON, NOON, None)
    assert (moved.topics, moved.outcome, moved.tool_calls) == (("old",), "failure", 9)
    files = tuple(access(f"f{n:03}", 1, NOON + timedelta(minutes=n)) for n in range(FILES_KEPT + 1))
    many = after(before, fold=Fold(started_at=NOON, seen_at=NOON, ended_at=NOON, files=files))
    assert [one.path for one in many.files] == [one.path for one in files[1:]]


@pytest.mark.parametrize(
    ("status", "ended", "is_open"),
    [("active", None, True), ("active", NOON, False), ("completed", None, False)],
)
def test_a_session_is_open_until_it_ends(status: Any, ended: Any, is_open: bool) -> None:
    assert session(status=status, ended_at=ended).is_open is is_open


def test_a_session_is_idle_from_the_minute_on_that_is_set() -> None:
    assert session().is_idle(LATER, 60)
    assert not session().is_idle(LATER, 60.01)
