"""A call that names no limit returns as many results as the operation documents."""

from __future__ import annotations

from typing import Any

import pytest

from contextd.app import load_operations
from contextd.domain.changes import Changes, WorkChanges
from contextd.domain.records import Record
from contextd.domain.sessions import Session
from contextd.runtime.operation import OPERATIONS, tool_schema
from support.desks import Desk
from support.verdicts import agrees

load_operations()

LISTS: dict[str, tuple[int, dict[str, Any]]] = {
    "context_search": (5, {"query": "parcel depot"}),
    "explain_search": (20, {"query": "parcel depot"}),
    "inbox": (30, {}),
    "list_contexts": (50, {}),
    "list_records": (50, {}),
    "list_sessions": (50, {}),
    "memory_search": (5, {"query": "parcel depot"}),
    "query_by_type": (50, {"type": "decision"}),
    "recall_context": (10, {"query": "parcel depot"}),
    "search_contexts": (10, {"query": "parcel depot"}),
}
"""The default of each list of stored knowledge, what else the call needs."""

ELSEWHERE = frozenset(
    "codebase_search context_window find_references find_symbol grep_codebase injection_tiers jobs"
    " list_contradictions remediation_search skill_search".split()
)
"""Lists of code, of jobs, and of what takes a session to make: their own tests count them."""


@pytest.fixture
def full(words_only: Desk) -> Desk:
    """A project with more of everything than a list returns."""
    scope = words_only.scope
    for n in range(60):
        text = f"The parcel of depot {n} leaves from gate {n * 7}, past shelf {n * 11}."
        words_only.put(
            Record(
                kind="context",
                scope=scope,
                content=text,
                data={"contextType": "decision", "structuredData": {"what": text}},
            )
        )
        words_only.put(Record(kind="memory", scope=scope, title=f"Depot {n}", content=text))
        words_only.put(Record(kind="discovery", scope=scope, content=text, status="inbox"))
        words_only.view.commit(
            Changes(work=WorkChanges(open=[Session(scope=scope, client="test")]))
        )
    words_only.host.work_off()
    return words_only


def listed(answer: dict[str, Any]) -> int:
    return next(len(part) for part in answer.values() if isinstance(part, list))


def test_a_list_without_a_limit_returns_its_documented_number(full: Desk) -> None:
    found = {}
    for name, (_, arguments) in LISTS.items():
        found[name] = listed(full.as_owner(name, **arguments))
    assert found == {name: default for name, (default, _) in LISTS.items()}


def test_every_list_with_a_default_is_counted() -> None:
    limited = {
        name
        for name, one in OPERATIONS.items()
        if "default" in tool_schema(one)["properties"].get("limit", {})
    }
    agrees(
        limited,
        {*LISTS, *ELSEWHERE},
        "LISTS in tests/unit/invocation/test_default_limits.py",
        "its default and arguments with which it lists more; or to ELSEWHERE there",
    )
