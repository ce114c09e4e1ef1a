"""What the store knows about itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from contextd.awareness import selfmodel
from contextd.awareness.gaps import Gap
from contextd.awareness.selfmodel import Disagreement, SelfModel, StaleEntry
from contextd.domain.awareness import Contradiction, Tally
from contextd.domain.kinds import kinds_that
from contextd.domain.records import Record
from contextd.domain.time import iso
from contextd.operations.core import operation
from contextd.runtime import Runtime
from contextd.schema.model import FIELDS, TYPE
from contextd.schema.text import content_of
from contextd.steps.disagreements import records_of
from contextd.steps.evidence import (
    everywhere,
    gaps_of,
    noise,
    observed_in,
    owner_of,
    surveyed,
    wanted,
)
from contextd.steps.views import shortened

_STALEST = 5
_PAIRS = 100


@operation("GET /api/awareness", profile="standard")
def introspect(runtime: Runtime) -> SelfModel:
    """See what this store knows, what is missing, stale or contradictory. Good at the start of a session."""
    now = runtime.clock.now()
    runtime.sinks.settle()
    runtime = everywhere(runtime)
    tallies = _tallies(runtime)
    pairs = runtime.view.contradictions.find(observed_in(runtime), limit=_PAIRS)
    bubbles = runtime.view.survey.tally(surveyed(runtime, "bubble"), recent=now, stale=now)
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
        contradictions=_disagreements(runtime, pairs),
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
    runtime = everywhere(runtime)
    gaps = gaps_of(runtime, _tallies(runtime), _stalest(runtime, runtime.clock.now()))
    runtime.trace.read([], type="awareness")
    return Gaps(gaps)


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
        lines = [f"{e.id[:8]} read {e.reads}×: {shortened(e.content)}" for e in self.entries]
        return "\n".join(lines) or "no record is often read and never useful"


@operation("GET /api/awareness/noise")
def list_noise(runtime: Runtime) -> Noise:
    """List records that are often handed out and were never reported as useful."""
    return Noise(
        [
            NoisyEntry(r.id, r.content, r.usage_count, r.unhelpful)
            for r in noise(everywhere(runtime))
        ]
    )


def _tallies(runtime: Runtime) -> list[Tally]:
    now = runtime.clock.now()
    return runtime.view.survey.tally(
        surveyed(runtime, *kinds_that("entry")),
        recent=now - timedelta(days=selfmodel.RECENT_DAYS),
        stale=now - timedelta(days=selfmodel.STALE_DAYS),
    )


def _stalest(runtime: Runtime, now: datetime) -> list[Record]:
    before = now - timedelta(days=selfmodel.STALE_DAYS)
    query = surveyed(runtime, *kinds_that("entry"))
    found = runtime.view.survey.first(query, "stalest", _STALEST)
    return [record for record in found if record.updated_at < before]


def _disagreements(runtime: Runtime, pairs: Sequence[Contradiction]) -> list[Disagreement]:
    texts = records_of(runtime, pairs)
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


def _said(record: Record) -> str:
    """What an entry says: of one whose fields made its text, these without its type and their names."""
    fields = record.data.get(FIELDS)
    made = isinstance(fields, Mapping) and record.content == content_of(
        str(record.data.get(TYPE, "")), fields
    )
    values = [v for v in fields.values() if isinstance(v, str)] if made and fields else []
    return shortened("; ".join(values) or record.content)
