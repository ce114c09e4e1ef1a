"""The consolidated collections; each is a row from the seed's configuration."""

from __future__ import annotations

from typing import Literal

from contextd.domain.records import Record
from contextd.runtime.settings import Settings
from contextd_common.dataclass import dataclass
from contextd_common.errors import Invalid, nearest

Strategy = Literal["resolution_match", "pattern_match", "strategy_generalization"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionRow:
    """A collection: records of one kind in one scope. Records whose `alike` fields differ are about
    different things; `agreeing` fields must not contradict each other. The run also archives weak
    records of the kinds in `archives`.
    """

    name: str
    kind: str
    job: str
    archives: tuple[str, ...]
    alike: tuple[str, ...]
    agreeing: tuple[str, ...]

    def setting(self, what: str) -> str:
        """The name of one of its settings."""
        return f"consolidation.{self.name}.{what}"


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
        ),
        CollectionRow(
            name="anti_patterns",
            kind="anti_pattern",
            job="consolidate_anti_patterns",
            archives=("anti_pattern",),
            alike=("detection",),
            agreeing=("instead", "why_bad"),
        ),
        CollectionRow(
            name="memories",
            kind="memory",
            job="consolidate_memories",
            # Statements from sessions are learned the same way and have no collection of their own.
            archives=("memory", "discovery"),
            alike=("outcome", "topic"),
            agreeing=("description",),
        ),
    )
}
"""Every consolidated collection, by name."""


def collection_named(name: str) -> CollectionRow:
    """The collection called `name`. Raises `Invalid` with the nearest name."""
    if name not in COLLECTIONS:
        hint = nearest(name, list(COLLECTIONS)) or "one of " + ", ".join(COLLECTIONS)
        raise Invalid(f"unknown collection {name!r}", hint)
    return COLLECTIONS[name]


@dataclass(frozen=True, slots=True)
class Consolidating:
    """How a collection is consolidated, from the settings in force."""

    row: CollectionRow
    threshold: float
    least: int
    strategy: Strategy
    archived: bool
    boost: float

    def compared(self, record: Record) -> str:
        """The text of a record that is compared."""
        if self.strategy == "resolution_match":
            return str(record.data.get("solution") or record.content)
        return record.content


def consolidating(row: CollectionRow, settings: Settings) -> Consolidating:
    """The settings in force for a collection."""
    strategy = settings.text(row.setting("merge_strategy"))
    return Consolidating(
        row=row,
        threshold=min(1.0, settings.fraction(row.setting("similarity_threshold"))),
        least=settings.number(row.setting("min_cluster_size")),
        strategy=strategy,  # type: ignore[arg-type]
        archived=settings.flag(row.setting("archive_originals")),
        boost=settings.fraction(row.setting("boost_confidence_per_occurrence")),
    )
