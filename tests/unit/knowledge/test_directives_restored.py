"""Directives that older versions weakened for want of use are restored; those that an act ended stay ended."""

from __future__ import annotations

from typing import Any

import pytest

from contextd.domain.changes import Changes, KnowledgeChanges, Put
from contextd.domain.records import Record
from contextd.jobs.table import new_job
from support.desks import Desk

RULE = "Never write an export into the public folder."
FACT = "The export of March has 1,200 rows."
UNUSED = "unused, told in session 01234567"
AGED = "confidence 0.20, 0.08 after resting unused; undo brings it back"

Step = tuple[str, str, dict[str, Any]]
"""The action, the reason and the fields of one change that an older version committed."""

DEMOTED: Step = ("signal", UNUSED, {"status": "candidate", "confidence": 0.28})
ARCHIVED: Step = ("archive", AGED, {"status": "archived"})
EDITED: Step = ("update", "edited by hand", {"tags": ("exports",)})
DROPPED: Step = ("update", "settled: drop", {"status": "archived"})
FILE_GONE: Step = ("archive", ".context/policies/a.yaml was removed", {"status": "archived"})
DISLIKED: Step = ("feedback", "not helpful", {"confidence": 0.3})


def saved(desk: Desk, content: str = RULE) -> Record:
    id = desk("remember", content=content)["id"]
    return desk.record(id)


def committed(desk: Desk, id: str, *steps: Step) -> Record:
    """The record after these changes, written past the gate as older versions wrote them."""
    for action, reason, fields in steps:
        after = desk.record(id).with_(**fields)
        desk.view.commit(
            Changes(
                actor="contextd", knowledge=KnowledgeChanges(records=[Put(after, action, reason)])
            )
        )
    return desk.record(id)


def restored(desk: Desk) -> None:
    runtime = desk.runtime()
    runtime.queue(new_job("restore_directives", runtime.scope, runtime.place))
    desk.host.work_off()


@pytest.mark.parametrize(
    "steps",
    [
        (DEMOTED,),
        (DEMOTED, ARCHIVED),
        (ARCHIVED,),
        (DISLIKED,),
        (DEMOTED, EDITED, ARCHIVED),
        (DROPPED, ("restore", "by hand", {"status": "active"}), DEMOTED),
    ],
)
def test_a_rule_that_silence_weakened_is_as_on_its_first_day(
    desk: Desk, steps: tuple[Step, ...]
) -> None:
    first = saved(desk)
    committed(desk, first.id, *steps)
    restored(desk)
    now = desk.record(first.id)
    assert (now.status, now.confidence) == (first.status, first.confidence)
    last = desk.view.records.history(first.id)[-1]
    assert last.action == "restore"
    assert "no decision had ended" in last.reason


@pytest.mark.parametrize(
    "steps",
    [
        (DROPPED,),
        (DEMOTED, DROPPED),
        (FILE_GONE,),
        (DEMOTED, ("delete", "by hand", {"status": "deleted"})),
        (("resolve", "says the opposite", {"status": "superseded"}), DISLIKED),
    ],
)
def test_a_rule_that_an_act_ended_stays_ended(desk: Desk, steps: tuple[Step, ...]) -> None:
    first = saved(desk)
    before = committed(desk, first.id, *steps)
    restored(desk)
    assert desk.record(first.id).status == before.status != "active"


def test_a_fact_that_nobody_used_stays_archived(desk: Desk) -> None:
    fact = saved(desk, FACT)
    before = committed(desk, fact.id, DEMOTED, ARCHIVED)
    restored(desk)
    assert desk.record(fact.id) == before


def test_a_second_run_changes_nothing(desk: Desk) -> None:
    rule = saved(desk)
    committed(desk, rule.id, DEMOTED)
    restored(desk)
    count = len(desk.view.records.history(rule.id))
    restored(desk)
    assert len(desk.view.records.history(rule.id)) == count
