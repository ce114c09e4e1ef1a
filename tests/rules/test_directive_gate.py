"""No path but an act takes anything from a directive: one gate, and a table of all who may pass it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import product

import pytest
from sources import nodes, python_files

from contextd.domain.confidence import SIGNALS, apply, confidence_at, is_sure
from contextd.domain.directives import ENDING_ACTS, in_force, is_directive
from contextd.domain.kinds import KINDS
from contextd.domain.records import STATUSES, Record
from contextd.domain.scope import Scope
from support.verdicts import act, agrees

GATED = "reports use: the gate in `knowledge/writing.py` gives back what it takes from a directive"
ACT = "somebody's decision, which the history names"
MERGE = (
    "keeps what was merged in a record that says the same; directives merge with directives alone"
)
FILE = "the file it stands in says so"
NOT_HERE_YET = "nothing of a bundle holds here before its importer says so"
NEVER_DIRECTIVE = "of a kind or a moment that holds no directive"

LOWERING = {
    "consolidation/merging.py": {"united": MERGE, "into": MERGE, "parted": MERGE},
    "domain/confidence.py": {"rated": GATED},
    "domain/directives.py": {
        "in_force": "the gate",
        "unweakened": "replays a history through the gate",
        "_replayed": "replays a history through the gate",
    },
    "awareness/operations/contradictions.py": {
        "resolve_contradiction": ACT,
        "reopen_contradiction": ACT,
    },
    "awareness/operations/gaps.py": {"dismiss_gap": NEVER_DIRECTIVE, "reopen_gap": NEVER_DIRECTIVE},
    "awareness/operations/stability.py": {"check_stability": GATED},
    "knowledge/operations/bubbles.py": {"delete_bubble": ACT},
    "learning/operations/candidates.py": {"_judged": ACT},
    "knowledge/operations/contexts.py": {"delete_context": ACT},
    "person/operations/person.py": {"person_accept": ACT},
    "knowledge/recording.py": {"_revised": ACT},
    "knowledge/operations/history.py": {"undo": ACT},
    "knowledge/operations/records.py": {"_move": ACT},
    "upkeep/operations/doctor.py": {"canary": NEVER_DIRECTIVE},
    "consolidation/merge_run.py": {"_archive": GATED},
    "learning/ended_rules.py": {"ended_by": ACT, "_give_back": ACT},
    "learning/episodes.py": {"_withdrawn": ACT},
    "learning/judged_again.py": {"judge_again": ACT},
    "learning/rewound.py": {"_moved": ACT},
    "imports/authority.py": {
        "without_authority": NOT_HERE_YET,
        "session_of_others": NEVER_DIRECTIVE,
    },
    "imports/entry_import.py": {"_sorted_out": ACT},
    "imports/note_import.py": {"archive_gone": FILE, "_again": FILE},
    "imports/sessions.py": {"_readmit": ACT},
    "person/files.py": {"_compared": FILE},
    "person/proposals.py": {"_plain": NEVER_DIRECTIVE},
    "policies/rule_file_sync.py": {"_one": FILE, "_new": FILE, "_gone": FILE, "to_new_file": FILE},
    "consolidation/promotion_proposals.py": {"_proposed": NEVER_DIRECTIVE},
    "remedies/learned_fixes.py": {"_came_back": GATED, "unite": ACT},
    "skills/skill_files.py": {"_changed": FILE, "_gone": FILE},
    "knowledge/superseding.py": {"_superseded": ACT},
    "imports/undo.py": {"_out_of_use": ACT},
    "consolidation/unmerging.py": {"_restored": ACT},
    "learning/corroboration.py": {"seen_again": GATED, "judge_use": GATED},
}
"""Every function that changes the status, the validity or the confidence of a record, and by what right. A
new one belongs here: what only reports use takes an action that is not in `ENDING_ACTS`.
"""

_LOWERS = {"confidence", "status", "valid_to"}
_OTHERS = ("domain/sessions.py", "domain/context_items.py", "briefing/window_scoring.py")
"""What changes sessions and windows, which have a status too."""

NOW = datetime(2026, 1, 1, tzinfo=UTC)
JUDGED = (
    "archive",
    "create",
    "expire",
    "feedback",
    "read",
    "signal",
    "any action not thought of yet",
)


the_gate = act(
    "src/contextd/domain/directives.py",
    "the gate lets something but an act weaken a directive, or stops an act: see `in_force`",
)


def lowering_sites() -> Iterator[tuple[str, str]]:
    """(file, function) of every copy of a record with another status, validity or confidence."""
    for path in python_files():
        name = path.as_posix().removeprefix("src/contextd/")
        if not path.as_posix().startswith("src/contextd/") or name.startswith(_OTHERS):
            continue
        for function in nodes(path):
            if isinstance(function, ast.FunctionDef) and any(map(_lowers, ast.walk(function))):
                yield path.as_posix(), function.name


def _lowers(node: ast.AST) -> bool:
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute | ast.Name)):
        return False
    called = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id
    named = {keyword.arg for keyword in node.keywords}
    return called == "with_" and bool(named & _LOWERS or None in named)


def test_every_place_that_lowers_a_record_says_by_what_right() -> None:
    found = {f"{file}: {name}" for file, name in lowering_sites()}
    listed = {f"src/contextd/{file}: {name}" for file, names in LOWERING.items() for name in names}
    agrees(
        sorted(found),
        sorted(listed),
        "LOWERING in tests/rules/test_directive_gate.py",
        "by what right it changes the status, the validity or the confidence of a record",
    )


def made(kind: str, **more: object) -> Record:
    record = Record(kind=kind, scope=Scope("local", "default", "shop"), content="The host is slow.")
    old = {"created_at": NOW, "updated_at": NOW, "last_used_at": NOW, "status": "active"}
    return record.with_(**{**old, **more})


def directives() -> list[Record]:
    """A directive of every kind that can hold one, by its kind, its type, its tag or its words."""
    by_kind = [made(name) for name, kind in KINDS.items() if "directive" in kind.traits]
    worded = [
        made(kind, content="Never touch the vendor folder.") for kind in ("context", "memory")
    ]
    labelled = [
        made("discovery", data={"type": "rule"}),
        made("context", data={"contextType": "preference"}),
        made("context", tags=("constraint",)),
        made("memory", tags=("anti-pattern",)),
    ]
    return [*by_kind, *worded, *labelled]


@the_gate
@pytest.mark.parametrize("record", directives(), ids=lambda record: f"{record.kind} {record.tags}")
def test_nothing_but_an_act_weakens_a_directive(record: Record) -> None:
    assert is_directive(record)
    for action, signal, status in product(JUDGED, SIGNALS, STATUSES):
        weakened = record.with_(
            confidence=apply(record.confidence, signal), status=status, valid_to=NOW
        )
        kept = in_force(record, weakened, action)
        assert (kept.status, kept.valid_to) == (record.status, None)
        assert kept.confidence >= record.confidence
        assert kept.text == weakened.text


@the_gate
@pytest.mark.parametrize("record", directives(), ids=lambda record: f"{record.kind} {record.tags}")
def test_a_directive_is_as_sure_after_ten_years(record: Record) -> None:
    later = NOW + timedelta(days=3_650)
    assert confidence_at(record, later) == record.confidence
    assert is_sure(replace(record, confidence=0.1), later)


@the_gate
@pytest.mark.parametrize("action", sorted(ENDING_ACTS))
def test_an_act_ends_a_directive(action: str) -> None:
    record = made("policy")
    ended = record.with_(status="archived", confidence=0.1)
    assert in_force(record, ended, action) == ended


@the_gate
def test_a_record_that_is_not_a_directive_still_decays_and_can_be_demoted() -> None:
    note = made("memory")
    sunk = note.with_(confidence=0.1, status="candidate")
    assert not is_directive(note)
    assert in_force(note, sunk, "signal") == sunk
    assert confidence_at(note, NOW + timedelta(days=3_650)) == 0
