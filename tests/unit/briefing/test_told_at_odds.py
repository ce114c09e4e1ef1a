"""Two opposite things are not told side by side as if both held."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from contextd.domain.changes import KnowledgeChanges
from contextd.domain.records import Record
from contextd.knowledge.disagreements import pair_of
from support.clients import CodingClient
from support.desks import Desk

ERROR = "panic: sync: unlock of unlocked mutex in withLock"
DO = "add defer Release after Acquire in withLock"
NEVER = "never add defer Release after Acquire"


def fix(desk: Desk, solution: str, *, days: float = 0, error: str = ERROR, **more: Any) -> str:
    """A fix that was recorded some days ago."""
    fields = {"title": error, "problem": error, "root_cause": "", "solution": solution}
    id: str = desk("remediation_record", **fields)["id"]
    return aged(desk, id, days, **more)


def aged(desk: Desk, id: str, days: float, **more: Any) -> str:
    [record] = desk.view.records.get([id])
    data = {**record.data, **more}
    earlier = replace(record, created_at=record.created_at - timedelta(days=days), data=data)
    desk.put(earlier, "update")
    return id


def memory(desk: Desk, content: str, *, days: float = 0, trust: Any = "agent") -> str:
    record = Record(kind="memory", scope=desk.scope, title="", content=content, trust=trust)
    record = replace(record, created_at=record.created_at - timedelta(days=days))
    desk.put(record, "create")
    return record.id


@pytest.fixture
def session(desk: Desk, tmp_path: Path) -> CodingClient:
    return CodingClient(desk, tmp_path)


def test_of_two_opposite_fixes_the_newer_one_is_told(desk, session):
    old, new = fix(desk, DO, days=9), fix(desk, NEVER)
    told = session.told("PostToolUseFailure", tool_name="Bash", error=f"Exit code 1\n{ERROR}")
    assert NEVER in told
    assert DO not in told
    answer = desk("remediation_search", error=ERROR)["remediations"]
    assert {one["id"]: bool(one["disputed"]) for one in answer} == {old: True, new: False}
    assert new[:8] in next(one for one in answer if one["id"] == old)["disputed"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "Restart the daemon with the flag --clean",
            "Do not restart the daemon with the flag --clean",
        ),
        ("Set the timeout of the pool to 30 seconds", "Set the timeout of the pool to 5 seconds"),
    ],
)
def test_an_opposite_fix_is_not_taken_for_the_one_that_is_known(desk, one, other):
    assert fix(desk, one) != fix(desk, other)
    assert len(desk("remediation_search", error=ERROR)["remediations"]) == 2


def test_a_newer_fix_that_is_proven_less_is_disputed(desk, session):
    old = fix(desk, DO, days=9, occurrence_count=5)
    fix(desk, NEVER)
    told = session.told("PostToolUseFailure", tool_name="Bash", error=f"Exit code 1\n{ERROR}")
    assert DO in told
    assert "says otherwise" in told
    assert all(one["disputed"] for one in desk("remediation_search", error=ERROR)["remediations"])
    assert old[:8] in told


def test_a_briefing_holds_one_side_or_says_that_both_are_disputed(desk, session):
    memory(desk, f"Leaked locks: {DO}", days=9)
    memory(desk, "Never add defer Release after Acquire: it releases before the goroutine ends")
    memory(desk, "Locks of the store are renewed every ten seconds")
    told = session.starts()
    assert "Never add defer" in told
    assert DO not in told
    assert "every ten seconds" in told
    memory(desk, "Keep the cache in front of the store", days=3, trust="human")
    memory(desk, "Do not keep the cache in front of the store")
    told = CodingClient(desk, session.folder).starts()
    assert told.count("says otherwise") == 2


def test_a_fix_that_contradicts_the_injected_briefing_is_not_injected(desk, session):
    memory(desk, NEVER, trust="human")
    assert NEVER in session.starts()
    fix(desk, DO, days=3)
    assert not session.told("PostToolUseFailure", tool_name="Bash", error=f"Exit code 1\n{ERROR}")


def test_both_are_told_once_somebody_decided_that_both_are_right(desk, session):
    one = memory(desk, "Deploy the shop from the release branch", days=3)
    other = memory(desk, "Never deploy the shop from the release branch")
    runtime = desk.runtime()
    runtime.commit(
        knowledge=KnowledgeChanges(disagree=[pair_of(runtime, one, other, "polarity", "opposite")])
    )
    [pair] = desk("list_contradictions")["contradictions"]
    desk("resolve_contradiction", id=pair["id"], keep="both", note="two shops")
    told = session.starts()
    assert told.count("eploy the shop from the release branch") == 2
    assert "disputed" not in told


@pytest.mark.parametrize("by", ["agent", "human"])
def test_a_rule_is_told_and_no_later_note_that_forbids_it(desk, session, by):
    wanted = "Always add defer Release after Acquire in withLock"
    fields = {"severity": "critical", "requirement": wanted}
    rule = desk("remember", kind="policy", title="Locks", content=wanted, fields=fields)["id"]
    aged(desk, rule, 9)
    memory(desk, "Never add defer Release after Acquire in withLock", trust=by)
    told = session.starts()
    assert wanted in told
    assert "Never add defer" not in told
    assert "says otherwise" not in told
