"""What a limit cuts off is named: with a limit of 1 and three hits the answer says so, with room for all it does not."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pytest

from contextd.app import load_operations
from contextd.domain.records import Record
from contextd.runtime.operation import OPERATIONS
from contextd_common.text.remainder import cut_note
from support.desks import Desk
from support.repositories import written
from support.verdicts import agrees

load_operations()

CODE = (
    "def weigh(parcel):\n    return parcel\n\n\n"
    "def weigh_all(parcels):\n    return weigh(parcels)\n\n\n"
    "def weigh_twice(parcel):\n    return weigh(weigh(parcel))\n\n\n"
    "def weigh_later(parcel):\n    return weigh(parcel)\n"
)

CUT: Mapping[str, dict[str, Any]] = {
    "list_contradictions": {},
    "context_window": {},
    "find_symbol": {"name": "weigh"},
    "find_references": {"name": "weigh"},
    "grep_codebase": {"pattern": "return"},
    "list_contexts": {},
    "inbox": {},
    "list_records": {},
    "query_by_type": {"type": "note"},
    "list_sessions": {},
    "jobs": {},
}
"""The operations whose limit cuts a list of all that there is."""

RANKED = {
    "codebase_search", "context_search", "explain_search", "memory_search", "recall_context",
    "remediation_search", "search_contexts", "skill_search",
    # How many of the latest sessions to look through, which its answer says.
    "injection_tiers",
}  # fmt: skip
"""Searches: everything has some rank, so that there is no number of hits."""

_REMAINDER = re.compile(
    r"\b(?:1|0) of (?:more than )?\d+ \w+|… \d+ more \w+|\(more: cursor=", re.IGNORECASE
)


@pytest.fixture
def full(words_only: Desk) -> Desk:
    """A project with at least three of everything."""
    desk = words_only
    written(desk.root, {"parcels.py": CODE})
    desk.as_owner("init")
    desk("codebase_index")
    desk.as_owner("schema_put", types={"note": {"fields": {"what": {"type": "string"}}}})
    for n, thing in enumerate(("Exports", "Imports", "Invoices")):
        for word in ("always", "never"):
            desk("save_context", content=f"{thing} {word} run in the worker process.")
        desk("save_typed_context", type="note", data={"what": f"{thing} are numbered"})
        desk.put(Record(
            kind="discovery", scope=desk.scope, content=f"{thing} are printed on paper {n}.",
            status="candidate",
        ))  # fmt: skip
        desk.connected(f"agent-{n}")("session_start", task_description=f"sort {thing}")
    for path in ("parcels.py", "package.json", "README.md"):
        if (desk.root / path).exists():
            desk("read_file", path=path)
    desk("context_search", query="exports")
    desk.host.flush()
    desk.host.work_off()
    return desk


def test_every_operation_with_a_limit_is_known_to_cut_or_to_rank() -> None:
    limited = {
        name
        for name, op in OPERATIONS.items()
        if "limit" in op.arguments.model_json_schema()["properties"]
    }
    agrees(
        limited,
        {*CUT, *RANKED},
        "CUT in tests/unit/invocation/test_remainders.py",
        "arguments with which it lists more than one; its text says how many more there are. Or to RANKED there, if "
        "it gives the best only",
    )


def test_an_answer_that_a_limit_cuts_names_the_remainder(full: Desk) -> None:
    owner = full.on("cli")
    silent, alarmed = [], []
    for name, given in CUT.items():
        text = owner.answer(name, **given, limit=1).text
        silent += [] if _REMAINDER.search(text) else [(name, text[:300])]
        text = owner.answer(name, **given, limit=100).text
        alarmed += [(name, text[:300])] if _REMAINDER.search(text) else []
    assert silent == []
    assert alarmed == []


def test_a_note_on_what_is_cut_is_empty_if_nothing_is() -> None:
    assert cut_note(3, 3, "places", "raise the limit") == ""
    assert cut_note(0, 0, "places", "raise the limit") == ""
    assert cut_note(12, 1_040, "places", "raise the limit") == "12 of 1,040 places: raise the limit"
    assert cut_note(5, 5, "jobs", "wait", at_least=True) == "5 of more than 5 jobs: wait"
