"""The store's model of itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from contextd.awareness import selfmodel
from contextd.awareness.gap_inputs import (
    everywhere,
    gaps_of,
    noise,
    observed_in,
    stalest_of,
    surveyed,
    tallies_of,
    wanted,
)
from contextd.awareness.selfmodel import DeclaredTypes, Disagreement, SelfModel, StaleEntry
from contextd.domain.awareness import Contradiction
from contextd.domain.records import Record, short_id
from contextd.domain.time import iso
from contextd.knowledge.disagreements import records_of
from contextd.knowledge.record_views import shortened
from contextd.projects.store_owner import owner_of
from contextd.runtime.operation import operation
from contextd.runtime.runtime import Runtime
from contextd.schema.active_schema import schema_of
from contextd.schema.model import FIELDS, TYPE
from contextd.schema.text import content_of
from contextd_common.dataclass import dataclass

_PAIRS = 100


@operation("GET /api/awareness", profile="standard")
def introspect(runtime: Runtime) -> SelfModel:
    """Summarise this store: coverage, gaps, stale and contradicting records. Good at the start of a session."""
    now = runtime.clock.now()
    runtime.sinks.settle()
    runtime = everywhere(runtime)
    tallies = tallies_of(runtime)
    pairs = runtime.view.contradictions.find(observed_in(runtime), limit=_PAIRS)
    bubbles = runtime.view.survey.tally(surveyed(runtime, "bubble"), recent=now, stale=now)
    stalest = stalest_of(runtime)
    model = selfmodel.build(
        owner=owner_of(runtime, observed_in(runtime)),
        tallies=tallies,
        bubbles=sum(tally.count for tally in bubbles),
        declared=DeclaredTypes(
            [one.name for one in wanted(runtime)],
            [str(problem) for problem in schema_of(runtime).problems],
        ),
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
class NoisyEntry:
    """A record that was reported as unhelpful and never as helpful."""

    id: str
    content: str
    reads: int
    unhelpful: int

    def as_text(self) -> str:
        """One line."""
        counts = f"read {self.reads}×, unhelpful {self.unhelpful}×"
        return f"{short_id(self.id)} {counts}: {shortened(self.content)}"


@dataclass(frozen=True, slots=True)
class Noise:
    """Records reported as unhelpful, most reported first."""

    entries: list[NoisyEntry]

    def as_text(self) -> str:
        """One line per record."""
        return (
            "\n".join(entry.as_text() for entry in self.entries)
            or "no record was reported as unhelpful"
        )


@operation("GET /api/awareness/noise")
def list_noise(runtime: Runtime) -> Noise:
    """List records reported as unhelpful and never as helpful."""
    return Noise(
        [
            NoisyEntry(r.id, r.content, r.usage_count, r.unhelpful)
            for r in noise(everywhere(runtime))
        ]
    )


def _disagreements(runtime: Runtime, pairs: Sequence[Contradiction]) -> list[Disagreement]:
    texts = records_of(runtime, pairs)
    return [
        Disagreement(
            pair.a,
            pair.b,
            f"Entry {short_id(pair.a)} says '{_said(texts[pair.a])}'\n"
            f"but entry {short_id(pair.b)} says '{_said(texts[pair.b])}' ({pair.reason}).",
        )
        for pair in pairs
        if pair.a in texts and pair.b in texts
    ]


def _said(record: Record) -> str:
    """The text of an entry; if it was built from fields, their values without type and names."""
    fields = record.data.get(FIELDS)
    made = isinstance(fields, Mapping) and record.content == content_of(
        str(record.data.get(TYPE, "")), fields
    )
    values = [v for v in fields.values() if isinstance(v, str)] if made and fields else []
    return shortened("; ".join(values) or record.content)
