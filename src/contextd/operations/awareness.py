"""What the store knows about itself, and what it is told about its records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from contextd.awareness import selfmodel
from contextd.awareness.contradictions import propose
from contextd.awareness.export import awareness_json
from contextd.awareness.gaps import Gap
from contextd.awareness.selfmodel import Disagreement, SelfModel, StaleEntry
from contextd.disk import replace_file
from contextd.domain.awareness import STANDING, Contradiction, State, Tally
from contextd.domain.confidence import apply
from contextd.domain.errors import Invalid, NotFound
from contextd.domain.kinds import KINDS
from contextd.domain.query import Query
from contextd.domain.records import Record
from contextd.domain.scope import Scope
from contextd.domain.time import iso
from contextd.governance.redact import redact
from contextd.operations.contradicting import queue_comparison
from contextd.operations.core import operation
from contextd.operations.evidence import (
    ENTRIES,
    gaps_of,
    noise,
    observed_in,
    owner_of,
    surveyed,
    wanted,
)
from contextd.operations.finding import resolve
from contextd.operations.typed import FIELDS, TYPE
from contextd.operations.writing import change
from contextd.runtime import Runtime
from contextd.schema.text import content_of

_STALEST = 5
_PAIRS = 100


@operation("GET /api/awareness", profile="standard")
def introspect(runtime: Runtime) -> SelfModel:
    """See what this store knows, what is missing, stale or contradictory. Good at the start of a session."""
    now = runtime.clock.now()
    runtime.sinks.settle()
    _compare_daily(runtime, now)
    tallies = _tallies(runtime)
    pairs = runtime.store.contradictions.find(_scopes(runtime), limit=_PAIRS)
    bubbles = runtime.store.survey.tally(surveyed(runtime, "bubble"), recent=now, stale=now)
    stalest = _stalest(runtime, now)
    model = selfmodel.build(
        owner=owner_of(runtime),
        tallies=tallies,
        bubbles=sum(tally.count for tally in bubbles),
        defined=[one.name for one in wanted(runtime)],
        stalest=[
            StaleEntry(r.id, str(r.data.get("contextType") or r.kind), iso(r.updated_at))
            for r in stalest
        ],
        gaps=gaps_of(runtime, tallies, stalest),
        contradictions=_told(runtime, pairs),
        now=now,
    )
    runtime.trace.read([], type="awareness")
    return model


@dataclass(frozen=True, slots=True)
class Gaps:
    """What is missing, warnings first."""

    gaps: list[Gap]

    def as_text(self) -> str:
        """A line per gap and one per suggestion."""
        lines: list[str] = []
        for gap in self.gaps:
            mark = "⚠" if gap.severity == "warning" else "ℹ"
            lines += [f"{mark} {gap.description}", f"  → {gap.suggestion}"]
        return "\n".join(lines) or "no gaps: nothing was asked in vain, nothing is old"


@operation("GET /api/awareness/gaps", profile="standard")
def get_gaps(runtime: Runtime) -> Gaps:
    """List what is missing or old here, each with what to do about it."""
    runtime.sinks.settle()
    gaps = gaps_of(runtime, _tallies(runtime), _stalest(runtime, runtime.clock.now()))
    runtime.trace.read([], type="awareness")
    return Gaps(gaps)


@dataclass(frozen=True, slots=True)
class Score:
    """Where a record stands after a report."""

    id: str
    confidence: float
    helpful: int
    unhelpful: int


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """A report of usefulness, taken, with the new scores."""

    acknowledged: bool
    scores: list[Score]

    def as_text(self) -> str:
        """A line per record."""
        told = [
            f"{s.id[:8]}: confidence {s.confidence:.2f}, helped {s.helpful}×, not {s.unhelpful}×"
            for s in self.scores
        ]
        return "\n".join(["noted", *told])


@operation(
    "POST /api/awareness/usefulness",
    effect="write",
    profile="standard",
    aliases={"ids": "context_ids"},
)
def report_usefulness(
    runtime: Runtime, context_ids: list[str], useful: bool, notes: str = ""
) -> Acknowledged:
    """Report whether records you were given helped. It moves their rank for everybody.

    Args:
        context_ids: Ids of the records, or their first characters.
        useful: Whether they helped.
        notes: Why, in a few words.
    """
    if not context_ids:
        raise Invalid("no ids given", "give the ids of the records you used")
    records = {r.id: r for r in (resolve(runtime, id) for id in context_ids)}
    signal = "helpful" if useful else "unhelpful"
    reason = f"{signal}: {notes}" if notes else signal
    with runtime.store.transaction():
        after = [
            change(
                runtime,
                record.with_(
                    confidence=apply(record.confidence, signal),
                    helpful=record.helpful + useful,
                    unhelpful=record.unhelpful + (not useful),
                ),
                action="feedback",
                reason=reason,
            )
            for record in records.values()
        ]
    runtime.trace.wrote(list(records), type="feedback", action="update")
    return Acknowledged(True, [Score(r.id, r.confidence, r.helpful, r.unhelpful) for r in after])


@dataclass(frozen=True, slots=True)
class Side:
    """One of two records that disagree."""

    id: str
    kind: str
    content: str
    trust: str
    confidence: float
    updated_at: Annotated[str, Field(serialization_alias="updatedAt")]
    status: str


@dataclass(frozen=True, slots=True)
class Dispute:
    """Two records that disagree, and which one to keep. `proposal` is a proposal only."""

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
            f"{head}\n  a {self.a.id[:8]}: {_short(self.a.content)}"
            f"\n  b {self.b.id[:8]}: {_short(self.b.content)}"
            f"\n  proposal: keep {self.proposal} ({self.why})"
        )


@dataclass(frozen=True, slots=True)
class Disputes:
    """Pairs of records that disagree, latest found first."""

    contradictions: list[Dispute]

    def as_text(self) -> str:
        """A paragraph per pair."""
        told = "\n".join(one.as_text() for one in self.contradictions)
        return told or "no contradictions are known"


@operation("GET /api/contradictions", profile="standard")
def list_contradictions(
    runtime: Runtime,
    state: Literal["open", "dismissed", "resolved", "all"] = "open",
    limit: int = 20,
) -> Disputes:
    """List records that contradict each other, with a proposal which one to keep.

    Args:
        state: Which of them.
        limit: The most pairs.
    """
    if not 1 <= limit <= 1000:
        raise Invalid(f"limit is {limit}", "choose 1 to 1000")
    runtime.sinks.settle()
    _compare_daily(runtime, runtime.clock.now())
    pairs = runtime.store.contradictions.find(
        _scopes(runtime), states=() if state == "all" else (state,), limit=limit
    )
    disputes = _disputes(runtime, pairs)
    runtime.trace.read([id for d in disputes for id in (d.a.id, d.b.id)], type="contradiction")
    return Disputes(disputes)


@dataclass(frozen=True, slots=True)
class Resolved:
    """What became of a contradiction. `superseded` can be brought back with undo."""

    id: str
    kept: list[str]
    superseded: list[str]
    message: str

    def as_text(self) -> str:
        """The message."""
        return self.message


@operation("POST /api/contradictions/{id}/resolve", effect="write", profile="standard")
def resolve_contradiction(
    runtime: Runtime, id: str, keep: Literal["a", "b", "both", "neither"], note: str = ""
) -> Resolved:
    """Settle a contradiction once the user said what holds. What is not kept can be brought back.

    Args:
        id: The contradiction's id, as list_contradictions shows it.
        keep: Which record holds; `both` says that they do not contradict each other.
        note: Why, in a few words.
    """
    pair = _pair_named(runtime, id)
    store = runtime.store
    one, other = store.records.get([pair.a, pair.b])
    if keep == "both":
        for record in (one, other):
            runtime.caller.require("write", record.scope, KINDS[record.kind].area)
        told = redact(note, runtime.redaction_key).text
        store.contradictions.dismiss(pair.a, pair.b, told)
        return Resolved(id, [pair.a, pair.b], [], "kept both; they are no longer listed")
    kept = {"a": [one], "b": [other], "neither": []}[keep]
    losers = [record for record in (one, other) if record not in kept]
    now = runtime.clock.now()
    reason = f"contradiction ({pair.reason}), keep {keep}" + (f": {note}" if note else "")
    with store.transaction():
        for loser in losers:
            gone = loser.with_(
                status="superseded", canonical_id=kept[0].id if kept else "", valid_to=now
            )
            change(runtime, gone, action="resolve", reason=reason)
    ids = [loser.id for loser in losers]
    runtime.trace.wrote(ids, type="contradiction", action="update")
    back = " and ".join(f"`undo {loser[:8]}`" for loser in ids)
    return Resolved(
        id,
        [record.id for record in kept],
        ids,
        f"superseded {' and '.join(loser[:8] for loser in ids)}; {back} brings it back",
    )


@operation(
    "POST /api/contradictions/{id}/reopen", effect="write", audience="owner", idempotent=True
)
def reopen_contradiction(runtime: Runtime, id: str) -> Resolved:
    """Take back how a contradiction was settled: it is listed again, and both records hold.

    Args:
        id: The contradiction's id, as list_contradictions shows it.
    """
    pair = _pair_named(runtime, id)
    with runtime.store.transaction():
        runtime.store.contradictions.reopen(pair.a, pair.b)
        for record in runtime.store.records.get([pair.a, pair.b]):
            if record.status == "superseded":
                back = record.with_(status="active", canonical_id="", valid_to=None)
                change(runtime, back, action="restore", reason="contradiction opened again")
    runtime.trace.wrote([pair.a, pair.b], type="contradiction", action="update")
    return Resolved(id, [pair.a, pair.b], [], "open again; both records are in use")


@operation("POST /api/contradictions/search", effect="write", audience="owner", idempotent=True)
def compare_records(runtime: Runtime) -> dict[str, str]:
    """Compare all records in the background and list the pairs that contradict each other."""
    return {"job_id": queue_comparison(runtime)}


@dataclass(frozen=True, slots=True)
class NoisyEntry:
    """A record that is read often and never helped."""

    id: str
    content: str
    reads: int
    unhelpful: int


@dataclass(frozen=True, slots=True)
class Noise:
    """Records read often that never helped, most read first."""

    entries: list[NoisyEntry]

    def as_text(self) -> str:
        """A line per record."""
        lines = [f"{e.id[:8]} read {e.reads}×: {_short(e.content)}" for e in self.entries]
        return "\n".join(lines) or "no record is often read and never useful"


@operation("GET /api/awareness/noise")
def list_noise(runtime: Runtime) -> Noise:
    """List records that are often handed out and were never reported as useful."""
    return Noise([NoisyEntry(r.id, r.content, r.usage_count, r.unhelpful) for r in noise(runtime)])


@dataclass(frozen=True, slots=True)
class Exported:
    """Where the usage log was written."""

    path: str
    bytes: int


@operation("POST /api/awareness/export", effect="write", audience="owner", idempotent=True)
def export_awareness(runtime: Runtime, path: str = "") -> Exported:
    """Write the project's usage log, its totals and what was useful as awareness.json, under 200 KB.

    Args:
        path: The file to write; awareness.json in the home when empty.
    """
    target = Path(path).expanduser() if path else runtime.settings.home / "awareness.json"
    body = awareness_body(runtime)
    replace_file(target, body)
    return Exported(str(target), len(body))


def awareness_body(runtime: Runtime) -> bytes:
    """The bytes of awareness.json, about the project or, outside of any, the whole home."""
    store = runtime.store
    rated = store.survey.first(_entries(runtime), "most_rated", 500)
    scopes = observed_in(runtime)
    recent = store.observations.recent(1000, scopes=scopes)
    return awareness_json(recent, store.observations.summary(scopes=scopes), rated)


def _entries(runtime: Runtime) -> Query:
    return surveyed(runtime, *ENTRIES, statuses=STANDING)


def _scopes(runtime: Runtime) -> frozenset[Scope]:
    return _entries(runtime).scopes


def _tallies(runtime: Runtime) -> list[Tally]:
    now = runtime.clock.now()
    return runtime.store.survey.tally(
        surveyed(runtime, *ENTRIES),
        recent=now - timedelta(days=selfmodel.RECENT_DAYS),
        stale=now - timedelta(days=selfmodel.STALE_DAYS),
    )


def _stalest(runtime: Runtime, now: datetime) -> list[Record]:
    before = now - timedelta(days=selfmodel.STALE_DAYS)
    found = runtime.store.survey.first(surveyed(runtime, *ENTRIES), "stalest", _STALEST)
    return [record for record in found if record.updated_at < before]


def _compare_daily(runtime: Runtime, now: datetime) -> None:
    if runtime.project is not None:
        runtime.sinks.later(lambda: _queued(runtime, f"{now:%Y-%m-%d}"))


def _queued(runtime: Runtime, slot: str) -> None:
    queue_comparison(runtime, slot=slot)


def _told(runtime: Runtime, pairs: list[Contradiction]) -> list[Disagreement]:
    texts = _records_of(runtime, pairs)
    return [
        Disagreement(
            pair.a,
            pair.b,
            f"Entry {pair.a[:8]} says '{_said(texts[pair.a])}'\n"
            f"but entry {pair.b[:8]} says '{_said(texts[pair.b])}' ({pair.reason}).",
        )
        for pair in pairs
        if pair.a in texts and pair.b in texts
    ]


def _records_of(runtime: Runtime, pairs: list[Contradiction]) -> Mapping[str, Record]:
    ids = list(dict.fromkeys(id for pair in pairs for id in (pair.a, pair.b)))
    return {record.id: record for record in runtime.store.records.get(ids)}


def _disputes(runtime: Runtime, pairs: list[Contradiction]) -> list[Dispute]:
    records = _records_of(runtime, pairs)
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
    return f"{pair.a[:8]}+{pair.b[:8]}"


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
        raise Invalid(f"{id!r} is not the id of a contradiction", hint)
    first, second = resolve(runtime, one), resolve(runtime, other)
    for pair in runtime.store.contradictions.of(first.id):
        if {pair.a, pair.b} == {first.id, second.id}:
            return pair
    raise NotFound(f"no contradiction {id!r}", hint)


def _said(record: Record) -> str:
    """What an entry says: of one whose fields made its text, these without its type and their names."""
    fields = record.data.get(FIELDS)
    made = isinstance(fields, Mapping) and record.content == content_of(
        str(record.data.get(TYPE, "")), fields
    )
    told = [v for v in fields.values() if isinstance(v, str)] if made and fields else []
    return _short("; ".join(told) or record.content)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 120 else line[:119] + "…"
