"""What one tool saves every tool for searching finds."""

from __future__ import annotations

from typing import Any

import pytest

from contextd.domain.records import Record
from support.desks import NOTES, Desk

TEXT = "Invoices of the shop are numbered per country and year, without gaps."
ASKED = "how are invoices numbered"

SAVED: dict[str, tuple[str, dict[str, Any]]] = {
    "a note": ("save_context", {"content": TEXT}),
    "something remembered": ("remember", {"content": TEXT}),
    "a lesson": (
        "memory_record",
        {"title": "Invoices", "description": "numbering", "content": TEXT, "outcome": "success"},
    ),
    "a failure": (
        "memory_record",
        {"title": "Invoices", "description": "numbering", "content": TEXT, "outcome": "failure"},
    ),
    "a fact": ("remember", {"content": TEXT, "kind": "discovery", "fields": {"type": "fact"}}),
    "a rule": ("remember", {"content": TEXT, "kind": "discovery", "fields": {"type": "rule"}}),
    "a policy": ("remember", {"content": TEXT, "kind": "policy", "fields": {"requirement": TEXT}}),
    "a warning": (
        "remember",
        {"content": TEXT, "kind": "anti_pattern", "title": "Gaps in the numbers of invoices"},
    ),
    "a fix": (
        "remediation_record",
        {"title": "Invoices", "problem": "How invoices are numbered", "root_cause": "a gap",
         "solution": TEXT},
    ),
}  # fmt: skip
"""Each way to save something, by what it is."""

SEARCHES = ("context_search", "memory_search", "recall_context", "search_contexts")


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("what", SAVED)
def test_it_is_found(desk: Desk, what: str, search: str) -> None:
    tool, given = SAVED[what]
    saved = desk(tool, **given)
    answer = desk.answer(search, query=ASKED)
    rows = next(value for value in answer.value.values() if isinstance(value, list))
    assert rows[0]["id"] == saved["id"]
    assert "numbered per country" in answer.text


@pytest.mark.parametrize("search", SEARCHES)
def test_notes_of_a_neighbouring_project_are_not_found(desk: Desk, search: str) -> None:
    assert NOTES[1] not in desk.answer(search, query="when are invoices immutable").text


@pytest.mark.parametrize("search", SEARCHES)
def test_a_candidate_says_that_nobody_confirmed_it(desk: Desk, search: str) -> None:
    made = Record(
        kind="discovery", scope=desk.scope, content=TEXT, data={"type": "fact"}, status="candidate"
    )
    desk.put(made, "create")
    answer = desk.answer(search, query=ASKED)
    rows = next(value for value in answer.value.values() if isinstance(value, list))
    row = next(row for row in rows if row["id"] == made.id)
    assert row["validity"] == "candidate, not confirmed"
    assert "candidate, not confirmed" in answer.text
