"""List, resolve and search for records that contradict each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Annotated, Any, Literal

from pydantic import Field

from contextd.awareness.gap_inputs import everywhere, observed_in
from contextd.claims.contradiction_search import compare_all, propose
from contextd.claims.judgement import outlined, statement_of
from contextd.domain.awareness import STANDING, Contradiction, State
from contextd.domain.changes import Decision, KnowledgeChanges
from contextd.domain.kinds import area_of, kinds_that
from contextd.domain.limits import Id, PageSize
from contextd.domain.records import Record, short_id
from contextd.domain.time import iso
from contextd.jobs.table import Task
from contextd.knowledge.disagreements import disagreement, pair_of, queue_comparison, records_of
from contextd.knowledge.record_views import shortened
from contextd.knowledge.writing import Changed, change_all
from contextd.redaction.redact import redact
from contextd.runtime.operation import in_steps, operation
from contextd.runtime.runtime import Runtime
from contextd.schema.active_schema import schema_of
from contextd.search.find_records import resolve
from contextd_common.dataclass import dataclass
from contextd_common.errors import NotFound
from contextd_common.text.remainder import cut_note

_PAGE = 2_000
_MOST_PAIRS = 10_000


@dataclass(frozen=True, slots=True)
class Side:
    """One of two records that contradict each other."""

    id: str
    kind: str
    content: str
    trust: str
    confidence: float
    updated_at: Annotated[str, Field(serialization_alias="updatedAt")]
    status: str


@dataclass(frozen=True, slots=True)
class Dispute:
    """Two records that contradict each other, and a proposal which one to keep."""

    id: str
    kind: str
    reason: str
    state: State
    found_at: Annotated[str, Field(serialization_alias="foundAt")]
    a: Side
    b: Side
    proposal: Literal["a", "b"]
    why: str
    note: str = ""

    def as_text(self) -> str:
        """Both sides and the proposal."""
        head = f"{self.id} {self.kind}: {self.reason}"
        if self.state != "open":
            return f"{head} [{self.state}{': ' + self.note if self.note else ''}]"
        return (
            f"{head}\n  a {short_id(self.a.id)}: {shortened(self.a.content)}"
            f"\n  b {short_id(self.b.id)}: {shortened(self.b.content)}"
            f"\n  proposal: keep {self.proposal} ({self.why})"
        )


@dataclass(frozen=True, slots=True)
class Disputes:
    """Pairs of contradicting records, latest found first. `notice` says if there are more."""

    contradictions: list[Dispute]
    notice: str = ""

    def as_text(self) -> str:
        """One paragraph per pair."""
        lines = [one.as_text() for one in self.contradictions]
        lines += [f"({self.notice})"] if self.notice else []
        return "\n".join(lines) or "no contradictions"


@operation("GET /api/contradictions", profile="standard")
def list_contradictions(
    runtime: Runtime,
    status: Literal["open", "dismissed", "resolved", "all"] = "open",
    limit: PageSize = 20,
) -> Disputes:
    """List records that contradict each other, with a proposal which one to keep.

    Args:
        status: Which of them.
        limit: The most pairs.
    """
    runtime.sinks.settle()
    runtime = everywhere(runtime)
    pairs = runtime.view.contradictions.find(
        observed_in(runtime),
        states=() if status == "all" else (status,),
        limit=limit + 1,
    )
    notice = cut_note(limit, limit, "pairs", "raise the limit", at_least=len(pairs) > limit)
    disputes = _disputes(runtime, pairs[:limit])
    runtime.trace.read([id for d in disputes for id in (d.a.id, d.b.id)], type="contradiction")
    return Disputes(disputes, notice)


@dataclass(frozen=True, slots=True)
class Resolved:
    """The outcome of a resolved contradiction. `superseded` records can be restored with undo."""

    id: str
    kept: list[str]
    superseded: list[str]
    message: str

    def as_text(self) -> str:
        """The message."""
        return self.message


@operation("POST /api/contradictions/{id}/resolve", effect="write", profile="standard")
def resolve_contradiction(
    runtime: Runtime, id: Id, keep: Literal["a", "b", "both", "neither"], note: str = ""
) -> Resolved:
    """Resolve a contradiction after the user decided which record is right. The other can be restored.

    Args:
        id: The contradiction's id, as list_contradictions shows it.
        keep: The record that is right; `both` if they do not contradict each other.
        note: Why, in a few words.
    """
    pair = _pair_named(runtime, id)
    one, other = runtime.view.records.get([pair.a, pair.b])
    if keep == "both":
        for record in (one, other):
            runtime.caller.require("write", record.scope, area_of(record.kind))
        why = redact(note, runtime.redaction_key).text
        runtime.commit(
            knowledge=KnowledgeChanges(decide=[Decision(pair.a, pair.b, "dismissed", why)])
        )
        return Resolved(id, [pair.a, pair.b], [], "kept both; they are no longer listed")
    winners = {"a": [one], "b": [other], "neither": []}[keep]
    losers = [record for record in (one, other) if record not in winners]
    now = runtime.clock.now()
    reason = f"contradiction ({pair.reason}), keep {keep}" + (f": {note}" if note else "")
    canonical = winners[0].id if winners else ""
    change_all(
        runtime,
        [
            Changed(
                loser,
                loser.with_(status="superseded", canonical_id=canonical, valid_to=now),
                "resolve",
                reason,
            )
            for loser in losers
        ],
    )
    ids = [loser.id for loser in losers]
    runtime.trace.wrote(ids, type="contradiction", action="update")
    back = " and ".join(f"`contextd records undo {short_id(loser)}`" for loser in ids)
    return Resolved(
        id,
        [record.id for record in winners],
        ids,
        f"superseded {' and '.join(short_id(loser) for loser in ids)}; {back} restores it",
    )


@operation(
    "POST /api/contradictions/{id}/reopen", effect="write", audience="owner", idempotent=True
)
def reopen_contradiction(runtime: Runtime, id: Id) -> Resolved:
    """Reopen a resolved contradiction: it is listed again, and both records count.

    Args:
        id: The contradiction's id, as list_contradictions shows it.
    """
    pair = _pair_named(runtime, id)
    reopened = [
        Changed(
            record,
            record.with_(status="active", canonical_id="", valid_to=None),
            "restore",
            "contradiction reopened",
        )
        for record in runtime.view.records.get([pair.a, pair.b])
        if record.status == "superseded"
    ]
    change_all(runtime, reopened, decide=[Decision(pair.a, pair.b, "open")])
    runtime.trace.wrote([pair.a, pair.b], type="contradiction", action="update")
    return Resolved(id, [pair.a, pair.b], [], "reopened; both records are in use")


@operation("POST /api/contradictions/search", effect="write", audience="owner", idempotent=True)
@in_steps
def compare_records(runtime: Runtime) -> dict[str, str]:
    """Compare all records in the background and list the pairs that contradict each other."""
    return {"job_id": queue_comparison(runtime)}


def _disputes(runtime: Runtime, pairs: list[Contradiction]) -> list[Dispute]:
    records = records_of(runtime, pairs)
    disputes: list[Dispute] = []
    for pair in pairs:
        if pair.a not in records or pair.b not in records:
            continue
        a, b = records[pair.a], records[pair.b]
        proposal = propose(a, b)
        disputes.append(
            Dispute(
                id=_name(pair),
                kind=pair.kind,
                reason=pair.reason,
                state=pair.state,
                found_at=iso(pair.found_at),
                a=_side(a),
                b=_side(b),
                proposal=proposal.keep,
                why=proposal.reason,
                note=pair.note,
            )
        )
    return disputes


def _name(pair: Contradiction) -> str:
    return f"{short_id(pair.a)}+{short_id(pair.b)}"


def _side(record: Record) -> Side:
    return Side(
        record.id,
        record.kind,
        record.content,
        record.trust,
        record.confidence,
        iso(record.updated_at),
        record.status,
    )


def _pair_named(runtime: Runtime, id: str) -> Contradiction:
    one, _, other = id.partition("+")
    hint = "list_contradictions shows them"
    if not one or not other:
        raise NotFound(f"no contradiction has the id {id!r}", hint)
    first, second = resolve(runtime, one), resolve(runtime, other)
    for pair in runtime.view.contradictions.of(first.id):
        if {pair.a, pair.b} == {first.id, second.id}:
            return pair
    raise NotFound(f"no contradiction {id!r}", hint)


def find_contradictions(runtime: Runtime, task: Task) -> Mapping[str, Any]:
    """Compare all records of a project and its wider scopes, and keep the pairs that disagree."""
    records = _all(runtime, task)
    found: list[Contradiction] = []
    types = schema_of(runtime).types
    compared = compare_all(
        records,
        lambda record: outlined(statement_of(record, types)),
        partial(disagreement, types=types),
    )
    for one, other, kind, reason in islice(compared, _MOST_PAIRS):
        task.hold.check()
        found.append(pair_of(runtime, one, other, kind, reason))
    by_id = {record.id: record for record in records}
    pairs = {(pair.a, pair.b) for pair in found}
    known = runtime.view.contradictions.find(frozenset(runtime.cascade), limit=_MOST_PAIRS)
    over = [
        (pair.a, pair.b)
        for pair in known
        if (pair.a, pair.b) not in pairs
        and pair.a in by_id
        and pair.b in by_id
        and disagreement(by_id[pair.a], by_id[pair.b], types) is None
    ]
    task.hold.check()
    runtime.commit(knowledge=KnowledgeChanges(disagree=found, agree=over))
    return {"records": len(records), "contradictions": len(found), "gone": len(over)}


def _all(runtime: Runtime, task: Task) -> Sequence[Record]:
    """Every record that makes a statement, read in batches."""
    records: list[Record] = []
    query = runtime.query(*kinds_that("compared"), statuses=STANDING, limit=_PAGE)
    for page in runtime.pages(query):
        task.hold.check()
        records += page
    return records
