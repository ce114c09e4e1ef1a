"""Remediations: errors, and the fixes that worked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from typing import Annotated, Literal

from contextd.briefing.conflicts import at_odds
from contextd.briefing.remedy_injection import standing_note, times
from contextd.domain.context_items import Serving
from contextd.domain.details import RENDERED
from contextd.domain.limits import Range, Statement, Text
from contextd.domain.records import Record, short_id
from contextd.domain.result_display import text_form
from contextd.domain.time import age
from contextd.knowledge.acknowledgement import Recorded, recorded
from contextd.knowledge.git_anchors import from_elsewhere, standings
from contextd.knowledge.record_views import noted
from contextd.person.person import kept_in, where_kept
from contextd.redaction.cutting import beginning
from contextd.redaction.redact import redact
from contextd.remedies.learned_fixes import record_remedy
from contextd.remedies.lookup import is_about_another, known_remedies
from contextd.remedies.signatures import error_lines, normalised, plain
from contextd.runtime.operation import operation
from contextd.runtime.runtime import Runtime
from contextd.search.find_records import find_records
from contextd.search.logged_queries import asked, unanswered
from contextd.search.validity import validities
from contextd_common.dataclass import dataclass
from contextd_common.text.tokens import count_tokens

ALIKE = 0.65
"""Minimum relevance of a fix for a differently worded error. Programs word errors alike: of 141 real
errors compared with 24 unrelated fixes, 51 reach 0.4 and 4 reach 0.65. Questions in prose use the
general threshold.
"""

_ASKED = 600
"""Characters of a query: an error message fits, and stack frames add nothing."""

_MOST_LISTED, _MOST_SYMPTOMS = 100, 12


@dataclass(frozen=True, slots=True)
class Remediation:
    """A fix: problem, failed attempts, solution and place. `match` says how it was found. `stands` is the
    state of the code it changed, empty without citations. `disputed` names an opposing fix, `validity`
    says whether it still holds.
    """

    id: str
    title: str
    problem: str
    solution: str
    match: str
    score: float
    symptoms: list[str] = field(default_factory=list[str])
    root_cause: str = ""
    tried: list[str] = field(default_factory=list[str])
    code_diff: Annotated[str, RENDERED] = ""
    affected_files: list[str] = field(default_factory=list[str])
    commit: str = ""
    stands: str = ""
    disputed: str = ""
    validity: str = ""
    occurrence_count: int = 1
    sessions: list[str] = field(default_factory=list[str])
    verified: bool = False
    confidence: float = 0.0
    status: str = "active"
    scope: str = ""
    source: str = ""
    age: str = ""

    def as_text(self) -> str:
        """The solution, then its evidence."""
        lines = [self.title or self.problem]
        if self.problem and self.problem not in lines[0]:
            lines.append(f"  problem: {self.problem}")
        lines += [f"  cause: {self.root_cause}"] if self.root_cause else []
        lines.append(f"  what worked: {self.solution}")
        lines += [f"  did not help: {one}" for one in self.tried]
        lines += [f"  files: {', '.join(self.affected_files)}"] if self.affected_files else []
        if self.code_diff:
            lines.append("  diff:\n" + "\n".join("    " + d for d in self.code_diff.splitlines()))
        count = "met once" if self.occurrence_count == 1 else f"met {self.occurrence_count}×"
        marks = [self.match, short_id(self.id), self.source, self.age, count]
        marks += [f"commit {self.commit[:8]}"] if self.commit else []
        marks += [self.stands, self.disputed, self.validity]
        return "\n".join([*lines, f"  ({' · '.join(filter(None, marks))})"])


@dataclass(frozen=True, slots=True)
class Remediations:
    """Fixes, best first."""

    remediations: list[Remediation]
    note: str = ""

    def as_text(self) -> str:
        """One paragraph per fix."""
        lines = [one.as_text() for one in self.remediations]
        return "\n".join([*lines, self.note] if self.note else lines)


@operation("POST /api/remediations/search", profile="standard")
def remediation_search(
    runtime: Runtime,
    query: Text,
    context: str = "",
    limit: Annotated[int, Range(1, _MOST_LISTED)] = 5,
) -> Remediations:
    """Find fixes for an error: paste the message or the whole stack trace as it is.

    Args:
        query: What the tool or program said.
        context: What you were doing.
        limit: The most results.
    """
    sure = known_remedies(runtime, query, quoted=True)[:limit]
    matches = {one.record.id: (_MATCH[one.nearness], 1.0) for one in sure}
    records = [one.record for one in sure]
    question = _question(*(redact(one, runtime.redaction_key).text for one in (query, context)))
    notice = ""
    if len(records) < limit and question:
        found = find_records(
            runtime, question, ("remediation",), limit=limit, handed_out=False, strict=True
        )
        notice = found.notice
        lines = error_lines(query)
        for hit in found.hits:
            if lines and (hit.score < ALIKE or is_about_another(hit.record, lines)):
                continue
            if hit.record.id not in matches and len(records) < limit:
                matches[hit.record.id] = (f"words and meaning ({hit.why})", round(hit.score, 4))
                records.append(hit.record)
    shown = _shown(runtime, records, matches)
    ids = [one.id for one in shown]
    handed = [record for record in records if record.id in ids]
    runtime.trace.used += handed
    runtime.trace.own_texts += [record.text for record in handed]
    runtime.trace.gave += [
        Serving("discovery", one.id, count_tokens(text_form(one))) for one in shown
    ]
    noted = asked(runtime, question or beginning(query, _ASKED), ids, type="remediation")
    nothing = unanswered(runtime, "no known fix", noted=noted)
    return Remediations(shown, notice if shown else nothing)


_MATCH = {
    "same": "the same error",
    "like": "its words are in the error",
    "quoted": "its error is quoted here",
}


def _question(error: str, context: str) -> str:
    """The query for an error, without details that differ next time."""
    lines = [normalised(line.line) for line in error_lines(error)[:3]]
    message = "\n".join(lines) or " ".join(plain(error[: 4 * _ASKED]).split())
    for mark in ("'…'", "…/…", "#"):
        message = message.replace(mark, " ")
    return f"{message[:_ASKED]}\n{context[:_ASKED]}".strip()


def _shown(
    runtime: Runtime, records: Sequence[Record], matches: dict[str, tuple[str, float]]
) -> list[Remediation]:
    standing = standings(runtime, records)
    hidden = from_elsewhere(runtime, standing)
    odds = at_odds(runtime, [one for one in records if one.id not in hidden])
    valid, found = validities(runtime, records), []
    for record in sorted(records, key=lambda one: valid[one.id].replaced):
        if record.id in hidden:
            continue
        stands = standing.get(record.id)
        match, score = matches[record.id]
        shown = _view(runtime, record, match, score, standing_note(record, stands))
        instead = odds.outweighed.get(record.id, "")
        outweighed = f"{short_id(instead)} contradicts it and has more weight" if instead else ""
        disputed = outweighed or odds.disputed.get(record.id, "")
        note = noted(record, valid[record.id])
        found.append(replace(shown, disputed=disputed, validity=note))
    return found


def _view(runtime: Runtime, record: Record, match: str, score: float, stands: str) -> Remediation:
    data = record.data
    return Remediation(
        id=record.id,
        title=record.title,
        problem=str(data.get("problem", "")),
        solution=str(data.get("solution", "")),
        match=match,
        score=score,
        symptoms=list(map(str, data.get("symptoms", ())))[:_MOST_SYMPTOMS],
        root_cause=str(data.get("root_cause") or ""),
        tried=list(map(str, data.get("tried", ()))),
        code_diff=str(data.get("code_diff") or ""),
        affected_files=list(map(str, data.get("affected_files", ()))),
        commit=record.anchor.commit,
        stands=stands,
        occurrence_count=int(data.get("occurrence_count", 1)),
        sessions=list(map(str, data.get("source_sessions", ()))),
        verified=bool(data.get("verified")),
        confidence=record.confidence,
        status=record.status,
        scope=str(record.scope),
        source=str(record.source),
        age=age(record.created_at, runtime.clock.now()),
    )


@operation("POST /api/remediations", effect="write", profile="standard")
def remediation_record(
    runtime: Runtime,
    title: Text,
    problem: Text,
    root_cause: str,
    solution: Statement,
    symptoms: list[str] | None = None,
    code_diff: str = "",
    paths: list[str] | None = None,
    scope: Literal["project", "team", "org", "person"] | None = None,
) -> Recorded:
    """Record an error and the fix that worked, for the next session that meets it.

    Args:
        title: Short name.
        problem: What went wrong.
        root_cause: Why.
        solution: What fixed it.
        symptoms: The error messages, word for word.
        code_diff: The change.
        paths: The files it changed.
        scope: Person: all their projects.
    """
    where = kept_in(runtime, scope)
    data = {
        "problem": problem.strip(),
        "symptoms": [one.strip() for one in symptoms or () if one.strip()],
        "root_cause": root_cause.strip(),
        "solution": solution.strip(),
        "code_diff": code_diff,
        "affected_files": list(paths or ()),
    }
    saved, united = record_remedy(runtime, where, title, data)
    runtime.trace.wrote(
        [saved.record.id], type="remediation", action="update" if united else "write"
    )
    note = where_kept(runtime, where, scope)
    if united:
        note = "; ".join(filter(None, (f"{times(saved.record)}, symptoms united", note)))
    return recorded(saved, note)
