"""Fixes of recurring errors: learned from sessions, and recorded by hand."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from typing import Any

from contextd.claims.contradiction_test import contradiction
from contextd.claims.judgement import repeats
from contextd.domain.confidence import START
from contextd.domain.records import PRESENT, Record
from contextd.domain.scope import Scope
from contextd.domain.sessions import Session
from contextd.knowledge.writing import Provenance, RecordText, Saved, change, save_new, trust_of
from contextd.learning.statements import anchor_of
from contextd.remedies.lookup import known_remedies
from contextd.remedies.session_errors import ERRORS, Met, Sightings, sightings
from contextd.remedies.signatures import symptom_lines
from contextd.runtime.runtime import Runtime
from contextd.skills.procedures import forms
from contextd_common.errors import Stale
from contextd_common.text.words import content_words

RETURNS = 3
"""Sessions that must have had an error before its fix is stored. Of the error-to-success chains within one
session, 2 in 225 were worth storing; of errors in three sessions, 5 in 9.
"""

WITNESSES = 2
"""Sessions that must have ended an error by the same step before it is proposed as its fix. Of 12 recurring
errors in 94 sessions, one had such a step in two or more sessions, and it was right; for the others each
session did something else.
"""

SHARE = 1 / 3
"""Minimum share of an error's sessions that the step ended. Steps that are run all the time end every
error eventually. A step below this share is no longer proposed.
"""

_SESSIONS = 200
_MOST_SYMPTOMS, _MOST_SOURCES, _MOST_FILES = 12, 20, 30
_SAME_FIX = 0.6
"""Share of content words above which two solutions are the same."""

_NAMESPACE = uuid.UUID("0b6f0f3d-8c7b-5a39-9a43-6f5c6a1d2e88")


def keep_remedies(runtime: Runtime, session: Session, errors: Sequence[Met]) -> int:
    """Propose fixes of errors met in `RETURNS` sessions, or ended by the same step in `WITNESSES`; return
    how many proposals are new. Each is a candidate until it is accepted.
    """
    ended = [met for met in errors if met.ended and met.steps]
    if not ended:
        return 0
    before = runtime.view.sessions.find(frozenset({session.scope}), limit=_SESSIONS)
    errors_before = {one.id: one.data.get(ERRORS) for one in before if one.id != session.id}
    return sum(
        _proposed(runtime, session, met, sightings(met.signature, errors_before)) for met in ended
    )


def _proposed(runtime: Runtime, session: Session, met: Met, seen: Sightings) -> bool:
    times = len(seen.sessions) + 1
    ended = {form: (*seen.fixes.get(form, ()), session.id) for form in met.fixes}
    proven = [form for form in ended if _is_proven(len(ended[form]), times)]
    if not proven and times < RETURNS:
        return False
    id = str(uuid.uuid5(_NAMESPACE, f"{session.scope}:{met.signature}"))
    data = _remediation(runtime, met, [*seen.sessions, session.id], proven)
    data["fixed_in"] = list(dict.fromkeys(one for form in proven for one in ended[form]))
    known = runtime.view.records.get([id])
    if known:
        every = {**seen.fixes, **ended}
        doubted = not any(_is_proven(len(each), times) for each in every.values())
        return _came_back(runtime, known[0], session, data, doubted=doubted)
    saved = save_new(
        runtime,
        RecordText("remediation", title=met.line[:120], content=content_of(data), data=data),
        Provenance(
            source=session.client,
            trust="extracted",
            session=session.id,
            anchor=anchor_of(runtime, session, data["affected_files"]),
        ),
        id=id,
        candidate=True,
    )
    return saved.outcome == "added"


def _is_proven(ended: int, met: int) -> bool:
    return ended >= max(WITNESSES, met * SHARE)


def _remediation(
    runtime: Runtime, met: Met, sessions: Sequence[str], proven: Sequence[str]
) -> dict[str, Any]:
    """The data of a proposal: the proven steps, or all steps of this session."""
    root = str(runtime.checkout.root) + "/" if runtime.checkout else ""
    edits = [met.edits[form] for form in proven if form in met.edits]
    files = [edit.path for edit in edits] if proven else met.files
    diff = "\n".join(edit.diff for edit in edits) if proven else met.diff
    steps = [met.fixes[form] for form in proven] or met.steps
    return {
        "problem": met.line,
        "symptoms": [met.line],
        "solution": "; ".join(dict.fromkeys(steps)).replace(root, ""),
        "tried": [one.replace(root, "") for one in met.tried if not _holds_any(one, proven)],
        "affected_files": [path.removeprefix(root) for path in dict.fromkeys(files)],
        "code_diff": diff,
        "occurrence_count": len(sessions),
        "source_sessions": list(sessions)[-_MOST_SOURCES:],
        "signatures": signatures_of([met.line]),
        "verified": bool(proven),
    }


def _holds_any(tried: str, proven: Collection[str]) -> bool:
    """Whether the failed attempts include a step that ended the error elsewhere: then the cause was
    different.
    """
    return any(form in proven for command in _commands(tried) for form in forms(command))


def _commands(steps: str) -> list[str]:
    """The commands in a text worded by `Met.steps`."""
    return steps.split("`")[1::2]


def _came_back(
    runtime: Runtime,
    record: Record,
    session: Session,
    data: Mapping[str, Any],
    *,
    doubted: bool,
) -> bool:
    """Count another session with the error. A candidate without a proven step takes over a proven one; a
    learned fix that is known and in doubt becomes a candidate again. Returns whether the proposal is new.
    """
    if record.status not in PRESENT or session.id in record.data.get("source_sessions", ()):
        return False
    changes: dict[str, Any] = {
        "occurrence_count": data["occurrence_count"],
        "source_sessions": _united(record, data, "source_sessions", _MOST_SOURCES),
    }
    mended = {form for step in _commands(str(record.data["solution"])) for form in forms(step)}
    tried = [one for one in data["tried"] if not _holds_any(one, mended)]
    changes["tried"] = _united(record, {"tried": tried}, "tried", 3)
    waits = record.status == "candidate"
    rises = waits and data["verified"] and not record.data.get("verified")
    if waits and data["verified"]:
        fields = ("solution", "affected_files", "code_diff", "verified", "fixed_in")
        changes |= {name: data[name] for name in fields}
    merged = {**record.data, **changes}
    sinks = doubted and record.trust == "extracted"
    if sinks:
        merged["verified"] = False
    after = record.with_(data=merged, status="candidate" if sinks else record.status)
    if merged["solution"] != record.data["solution"]:
        after = after.with_(content=content_of(merged))
    with suppress(Stale):
        change(runtime, record, after, action="signal", reason=f"met in session {session.id[:8]}")
    return rises


def record_remedy(
    runtime: Runtime, scope: Scope, title: str, data: Mapping[str, Any]
) -> tuple[Saved, bool]:
    """Store a fix, or merge it into a known one for the same error in this scope; also returns whether it
    was merged.
    """
    lines = [str(data["problem"]), *map(str, data.get("symptoms", ()))]
    fields = {**data, "signatures": signatures_of(lines), "occurrence_count": 1}
    if runtime.session:
        fields["source_sessions"] = [runtime.session]
    for found in known_remedies(runtime, "\n".join(lines), statuses=PRESENT, noted=True):
        if found.record.scope == scope and _same_fix(found.record, fields):
            return Saved("duplicate", "", unite(runtime, found.record, fields, count=True)), True
    saved = save_new(
        runtime,
        RecordText("remediation", title=title, content=content_of(fields), data=fields),
        Provenance(session=runtime.session),
        scope=scope,
    )
    if saved.outcome != "duplicate" or saved.record.scope != scope:
        return saved, False
    # The write gate counted it as seen again.
    return Saved("duplicate", "", unite(runtime, saved.record, fields, count=False)), True


def unite(runtime: Runtime, record: Record, data: Mapping[str, Any], *, count: bool) -> Record:
    """The record with symptoms, files and sessions of another account of the same fix added."""
    names = {"symptoms": _MOST_SYMPTOMS, "affected_files": _MOST_FILES}
    names |= {"source_sessions": _MOST_SOURCES, "signatures": 2 * _MOST_SYMPTOMS}
    merged = dict(record.data)
    for name, most in names.items():
        merged[name] = _united(record, data, name, most)
    for name in ("root_cause", "code_diff"):
        merged[name] = merged.get(name) or data.get(name) or ""
    merged["occurrence_count"] = int(merged.get("occurrence_count", 1)) + count
    if merged == record.data and record.status != "candidate":
        return record
    after = record.with_(data=merged, content=content_of(merged))
    if record.status == "candidate":
        # Recording the fix that waits for review accepts it.
        trust = trust_of(runtime)
        sure = max(record.confidence, START[trust])
        after = after.with_(status="active", trust=trust, confidence=sure)
    return change(runtime, record, after, action="update", reason="recorded again")


def _united(record: Record, data: Mapping[str, Any], name: str, most: int) -> list[str]:
    both = [*record.data.get(name, ()), *data.get(name, ())]
    return list(dict.fromkeys(map(str, both)))[:most]


def _same_fix(record: Record, data: Mapping[str, Any]) -> bool:
    mine, theirs = str(record.data.get("solution", "")), str(data["solution"])
    if contradiction(mine, theirs):
        return False
    if repeats(theirs, mine) or repeats(mine, theirs):
        return True
    ours, other = set(content_words(mine)), set(content_words(theirs))
    return bool(ours and other) and len(ours & other) >= _SAME_FIX * max(len(ours), len(other))


def signatures_of(lines: Sequence[str]) -> list[str]:
    """The keys that identify the errors in these lines."""
    return [line.key for line in symptom_lines(lines)][: 2 * _MOST_SYMPTOMS]


def content_of(data: Mapping[str, Any]) -> str:
    """The text of a remediation: the problem, the cause and the solution."""
    problem = str(data["problem"]).strip()
    more = [one for one in map(str, data.get("symptoms", ())) if one.strip() not in problem]
    parts = [problem, *(f"Symptom: {one.strip()}" for one in more)]
    parts += [f"Cause: {data['root_cause']}"] if data.get("root_cause") else []
    return "\n".join([*parts, f"Fix: {data['solution']}"])
