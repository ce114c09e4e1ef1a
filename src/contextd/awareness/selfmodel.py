"""The store's description of itself. Pure: counts and pairs go in, the model comes out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from contextd.awareness.gaps import Gap
from contextd.domain.awareness import Tally
from contextd.domain.details import RENDERED
from contextd.domain.quoting import document, indented
from contextd.domain.time import age, iso
from contextd_common.dataclass import dataclass

RECENT_DAYS, STALE_DAYS = 7, 90
SPARSE = 5
"""A store with fewer entries is too small to judge."""

ENOUGH_COVERAGE, ENOUGH_FRESHNESS = 0.8, 0.7
UNTYPED = "context"

Overall = Literal["healthy", "needs-attention", "sparse"]
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class StoreIdentity:
    """The size and age of the store. Instants are ISO 8601, empty for an empty store."""

    owner: str
    context_count: Annotated[int, Field(serialization_alias="contextCount")]
    type_breakdown: Annotated[dict[str, int], Field(serialization_alias="typeBreakdown")]
    bubble_count: Annotated[int, Field(serialization_alias="bubbleCount")]
    oldest_entry: Annotated[str, Field(serialization_alias="oldestEntry")]
    newest_entry: Annotated[str, Field(serialization_alias="newestEntry")]


@dataclass(frozen=True, slots=True)
class Coverage:
    """Schema types with entries, and the number of entries without a type."""

    types_with_entries: Annotated[list[str], Field(serialization_alias="typesWithEntries")]
    types_empty: Annotated[list[str], Field(serialization_alias="typesEmpty")]
    untyped: int


@dataclass(frozen=True, slots=True)
class StaleEntry:
    """One of the entries with the oldest last change."""

    id: str
    type: str
    updated_at: Annotated[str, Field(serialization_alias="updatedAt")]


@dataclass(frozen=True, slots=True)
class Freshness:
    """Entries changed in the last 7 days, and those not changed for 90."""

    recently_updated: Annotated[int, Field(serialization_alias="recentlyUpdated")]
    stale: int
    stalest_entries: Annotated[list[StaleEntry], Field(serialization_alias="stalestEntries")]


@dataclass(frozen=True, slots=True)
class Missing:
    """A gap in the self-model."""

    description: str
    severity: Literal["info", "warning"]
    suggestion: str


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Two entries that contradict each other."""

    entry_a: Annotated[str, Field(serialization_alias="entryA")]
    entry_b: Annotated[str, Field(serialization_alias="entryB")]
    description: str


@dataclass(frozen=True, slots=True)
class Condition:
    """Scores from 0 to 1: schema types with entries, and entries changed within 90 days. `reasons` say
    why the store is not healthy.
    """

    coverage_score: Annotated[float, Field(serialization_alias="coverageScore")]
    freshness_score: Annotated[float, Field(serialization_alias="freshnessScore")]
    overall_health: Annotated[Overall, Field(serialization_alias="overallHealth")]
    reasons: list[str] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True)
class SelfModel:
    """The store's content, gaps, old entries and contradictions."""

    identity: StoreIdentity
    coverage: Coverage
    freshness: Freshness
    gaps: list[Missing]
    contradictions: list[Disagreement]
    health: Condition
    summary: Annotated[str, Field(exclude=True), RENDERED] = field(default="", repr=False)

    def as_text(self) -> str:
        """The model as text for an agent."""
        return self.summary


@dataclass(frozen=True, slots=True)
class DeclaredTypes:
    """The context types of the schema, and the problems in its files."""

    names: Sequence[str]
    problems: Sequence[str] = ()


def build(
    *,
    owner: str,
    tallies: Sequence[Tally],
    bubbles: int,
    declared: DeclaredTypes,
    stalest: Sequence[StaleEntry],
    gaps: Sequence[Gap],
    contradictions: Sequence[Disagreement],
    now: datetime,
) -> SelfModel:
    """Build the self-model. `tallies` use `RECENT_DAYS` and `STALE_DAYS`; `stalest` come oldest first.

    Without a schema coverage is 1, or 0 for an empty store. Freshness of an empty store is 0.
    """
    defined = declared.names
    total = sum(tally.count for tally in tallies)
    stale = sum(tally.stale for tally in tallies)
    named = breakdown(tallies)
    with_entries = {tally.type for tally in tallies if tally.type}
    filled = [name for name in defined if name in with_entries]
    coverage = len(filled) / len(defined) if defined else float(total > 0)
    freshness = (total - stale) / total if total else 0.0
    reasons = _reasons(
        total=total,
        empty=[name for name in defined if name not in with_entries],
        coverage=coverage,
        stale=stale,
        freshness=freshness,
        disagreements=len(contradictions),
        broken=declared.problems,
    )
    model = SelfModel(
        StoreIdentity(
            owner=owner,
            context_count=total,
            type_breakdown={name: tally.count for name, tally in named.items()},
            bubble_count=bubbles,
            oldest_entry=iso(min(t.oldest for t in tallies)) if tallies else "",
            newest_entry=iso(max(t.newest for t in tallies)) if tallies else "",
        ),
        Coverage(
            types_with_entries=sorted(with_entries),
            types_empty=[name for name in defined if name not in with_entries],
            untyped=sum(t.count for t in tallies if t.kind == "context" and not t.type),
        ),
        Freshness(sum(t.recent for t in tallies), stale, list(stalest)),
        [Missing(gap.description, gap.severity, gap.suggestion) for gap in gaps],
        list(contradictions),
        Condition(
            round(coverage, 4),
            round(freshness, 4),
            "sparse" if total < SPARSE else "needs-attention" if reasons else "healthy",
            reasons,
        ),
    )
    return _with_text(model, named, len(filled), len(defined), now, broken=bool(declared.problems))


def _reasons(
    *,
    total: int,
    empty: Sequence[str],
    coverage: float,
    stale: int,
    freshness: float,
    disagreements: int,
    broken: Sequence[str],
) -> list[str]:
    """Why a store is not healthy: fewer than 5 entries, a schema with mistakes, below 80 % coverage or
    70 % freshness, or two entries that contradict each other.
    """
    reasons: list[str] = []
    if total < SPARSE:
        few = "1 entry" if total == 1 else f"{total} entries" if total else "no entries"
        reasons.append(f"{few}; below {SPARSE} there is too little to judge")
    reasons += [f"the schema has a mistake: {one}" for one in broken[:_SHOWN]]
    if empty and coverage < ENOUGH_COVERAGE:
        reasons.append(f"no entries of {', '.join(empty[:_SHOWN])}")
    if total and freshness < ENOUGH_FRESHNESS:
        reasons.append(f"{stale} of {total} entries did not change for {STALE_DAYS} days")
    if disagreements:
        pairs = "1 pair" if disagreements == 1 else f"{disagreements} pairs"
        reasons.append(f"{pairs} of entries contradict each other")
    return reasons


def breakdown(tallies: Sequence[Tally]) -> dict[str, Tally]:
    """Tallies by type, largest first: the context type, or the kind of what has none."""
    named: dict[str, Tally] = {}
    for tally in tallies:
        name = tally.type or tally.kind
        named[name] = named[name].and_(tally) if name in named else tally
    return dict(sorted(named.items(), key=lambda item: (-item[1].count, item[0])))


def _with_text(
    model: SelfModel,
    named: Mapping[str, Tally],
    filled: int,
    defined: int,
    now: datetime,
    *,
    broken: bool,
) -> SelfModel:
    total, health = model.identity.context_count, model.health
    types = f"{len(named)} type{'' if len(named) == 1 else 's'}"
    entries = f"{total} entr{'y' if total == 1 else 'ies'}"
    lines = ["I am the context store for this workspace.", ""]
    lines.append(f"I have {entries} across {types}:" if total else "I have no entries yet.")
    for name, tally in named.items():
        label = "untyped" if name == UNTYPED else name
        count = f"{tally.count} entr{'y' if tally.count == 1 else 'ies'}"
        lines.append(f"  - {label}: {count} (newest: {age(tally.newest, now)})")
    coverage = f"{filled} of {defined} defined types have entries"
    if not defined:
        coverage = "no type of the schema can be read" if broken else "no schema"
    fresh = f"{total - model.freshness.stale} of {total} entries updated within {STALE_DAYS} days"
    lines += [
        "",
        f"Health: {health.overall_health}",
        f"  Coverage: {round(100 * health.coverage_score)}% ({coverage})",
        f"  Freshness: {round(100 * health.freshness_score)}% ({fresh})",
        *(f"  Because: {reason}" for reason in health.reasons),
    ]
    if model.gaps:
        lines += ["", "Gaps:"]
        for gap in model.gaps:
            mark = "⚠" if gap.severity == "warning" else "ℹ"
            lines += [f"  {mark} {gap.description}", f"    → {gap.suggestion}"]
    if model.contradictions:
        lines += ["", "Contradictions:"]
        for one in model.contradictions[:_SHOWN]:
            first, *rest = one.description.split("\n")
            lines += [f"  ⚠ {first}", *(indented(f"    {line}") for line in rest)]
            lines.append("    Consider resolving with resolve_contradiction, or update_context.")
        if len(model.contradictions) > _SHOWN:
            lines.append(
                f"  … and {len(model.contradictions) - _SHOWN} more in list_contradictions"
            )
    return replace(model, summary=document(lines))
