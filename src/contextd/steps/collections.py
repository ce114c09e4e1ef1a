"""The collections that are consolidated, and how each is: a row of the seed's configuration each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from contextd.domain.errors import Invalid, nearest
from contextd.domain.records import Record
from contextd.settings import Settings

Strategy = Literal["resolution_match", "pattern_match", "strategy_generalization"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionRow:
    """A collection: records of a kind in one scope. The names are those of its settings. Records of which
    all fields in `alike` differ are about different things; of sentences in `agreeing` none may be
    opposite. With it, leftovers of the kinds in `archives` are archived.
    """

    name: str
    kind: str
    job: str
    archives: tuple[str, ...]
    alike: tuple[str, ...]
    agreeing: tuple[str, ...]
    enabled: str
    schedule: str
    similarity_threshold: str
    min_cluster_size: str
    merge_strategy: str
    archive_originals: str
    boost: str


COLLECTIONS: dict[str, CollectionRow] = {
    row.name: row
    for row in (
        CollectionRow(
            name="remediations",
            kind="remediation",
            job="consolidate_remediations",
            archives=("remediation",),
            alike=(),
            agreeing=("root_cause",),
            enabled="consolidation.remediations.enabled",
            schedule="consolidation.remediations.schedule",
            similarity_threshold="consolidation.remediations.similarity_threshold",
            min_cluster_size="consolidation.remediations.min_cluster_size",
            merge_strategy="consolidation.remediations.merge_strategy",
            archive_originals="consolidation.remediations.archive_originals",
            boost="consolidation.remediations.boost_confidence_per_occurrence",
        ),
        CollectionRow(
            name="anti_patterns",
            kind="anti_pattern",
            job="consolidate_anti_patterns",
            archives=("anti_pattern",),
            alike=("detection",),
            agreeing=("instead", "why_bad"),
            enabled="consolidation.anti_patterns.enabled",
            schedule="consolidation.anti_patterns.schedule",
            similarity_threshold="consolidation.anti_patterns.similarity_threshold",
            min_cluster_size="consolidation.anti_patterns.min_cluster_size",
            merge_strategy="consolidation.anti_patterns.merge_strategy",
            archive_originals="consolidation.anti_patterns.archive_originals",
            boost="consolidation.anti_patterns.boost_confidence_per_occurrence",
        ),
        CollectionRow(
            name="memories",
            kind="memory",
            job="consolidate_memories",
            # What sessions said is learned the same way, and has no collection of its own here.
            archives=("memory", "discovery"),
            alike=("outcome", "topic"),
            agreeing=("description",),
            enabled="consolidation.memories.enabled",
            schedule="consolidation.memories.schedule",
            similarity_threshold="consolidation.memories.similarity_threshold",
            min_cluster_size="consolidation.memories.min_cluster_size",
            merge_strategy="consolidation.memories.merge_strategy",
            archive_originals="consolidation.memories.archive_originals",
            boost="consolidation.memories.boost_confidence_per_occurrence",
        ),
    )
}
"""Every collection that is consolidated, by name."""


def collection_named(name: str) -> CollectionRow:
    """The collection called `name`. Raises `Invalid` with the nearest one."""
    if name not in COLLECTIONS:
        hint = nearest(name, list(COLLECTIONS)) or "one of " + ", ".join(COLLECTIONS)
        raise Invalid(f"no collection {name!r} is consolidated", hint)
    return COLLECTIONS[name]


@dataclass(frozen=True, slots=True)
class Consolidating:
    """How a collection is consolidated here and now."""

    row: CollectionRow
    threshold: float
    least: int
    strategy: Strategy
    archived: bool
    boost: float

    def compared(self, record: Record) -> str:
        """What of a record is compared with others."""
        if self.strategy == "resolution_match":
            return str(record.data.get("solution") or record.content)
        return record.content


def consolidating(row: CollectionRow, settings: Settings) -> Consolidating:
    """The settings in force for a collection."""
    strategy = settings.text(row.merge_strategy)
    return Consolidating(
        row=row,
        threshold=min(1.0, settings.fraction(row.similarity_threshold)),
        least=settings.number(row.min_cluster_size),
        strategy=strategy,  # type: ignore[arg-type]
        archived=settings.flag(row.archive_originals),
        boost=settings.fraction(row.boost),
    )
