"""What is missing: from the schema, from what agents asked in vain, and from what grew old."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from contextd.awareness.questions import Embed, Missed, cluster
from contextd.domain.awareness import Tally
from contextd.domain.placeholders import ANSWER, LEARNED, SAID
from contextd.domain.records import Record
from contextd.domain.time import age, iso

Severity = Literal["info", "warning"]
Sort = Literal["empty_type", "missed", "stale_demand", "stale", "module", "changed_files", "noise"]

OFTEN_MISSED = 3
_SHOWN = 5
_QUOTED, _LONGEST = 120, 500
MOST_MISSED, MOST_SINGLE = 8, 3
DEMAND, MOSTLY = 5, 0.5


@dataclass(frozen=True, slots=True)
class SuggestedCall:
    """An operation to call. What only the user knows stands in angle brackets."""

    operation: str
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """Something missing. `suggestion` names the operation that closes it, `calls` are the calls;
    `subjects` are the types,
    questions, modules or record ids it is about; `count` and `last` say how often and when it was
    asked for (ISO 8601, empty when unknown).
    """

    kind: Sort
    description: str
    severity: Severity
    suggestion: str
    calls: list[SuggestedCall]
    subjects: list[str] = field(default_factory=list[str])
    count: int = 0
    last: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A context type of the schema. `required` names its required fields, `example` has a value
    that fits for each of them, or for the first field when none is required.
    """

    name: str
    description: str = ""
    required: tuple[str, ...] = ()
    example: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Everything gaps are read from. `reads` counts reads per type; `modules` have no knowledge;
    `changed` are records with their cited files that differ from when they were written; `stalest`
    are the oldest, `unused` those read often that never helped.
    """

    now: datetime
    wanted: Sequence[Wanted] = ()
    tallies: Sequence[Tally] = ()
    missed: Sequence[Missed] = ()
    reads: Mapping[str, int] = field(default_factory=dict[str, int])
    modules: Sequence[str] = ()
    changed: Sequence[tuple[Record, Sequence[str]]] = ()
    stalest: Sequence[Record] = ()
    unused: Sequence[Record] = ()


def find_gaps(evidence: Evidence, embed: Embed) -> list[Gap]:
    """Every gap, warnings first."""
    gaps = [
        *_missed(evidence, embed),
        *_empty(evidence),
        *_stale_demand(evidence),
        *_changed(evidence),
        *_stale(evidence),
        *_modules(evidence),
        *_noise(evidence),
    ]
    return sorted(gaps, key=lambda gap: gap.severity != "warning")


def _empty(evidence: Evidence) -> list[Gap]:
    filled = {tally.type for tally in evidence.tallies if tally.count}
    gaps: list[Gap] = []
    for wanted in evidence.wanted:
        if wanted.name in filled:
            continue
        about = f" ({wanted.description.rstrip('.')})" if wanted.description else ""
        fields = f" with {', '.join(wanted.required)}" if wanted.required else ""
        gaps.append(
            Gap(
                kind="empty_type",
                description=f"Type '{wanted.name}' is defined in your schema but has 0 entries.",
                severity="warning",
                suggestion=f"ask the user about {wanted.name}{about}, then save_typed_context"
                f" of type {wanted.name}{fields}",
                calls=[
                    SuggestedCall(
                        "save_typed_context",
                        {"type": wanted.name, "data": dict(wanted.example) or {"note": ANSWER}},
                    )
                ],
                subjects=[wanted.name],
            )
        )
    return gaps


def _missed(evidence: Evidence, embed: Embed) -> list[Gap]:
    gaps: list[Gap] = []
    single = 0
    for group in cluster(evidence.missed, embed):
        if _answered(group):
            continue
        count = sum(one.count for one in group)
        single += count == 1
        if count == 1 and single > MOST_SINGLE:
            continue
        times = [one.last for one in group if one.last is not None]
        last = max(times) if times else None
        first = _short(group[0].question)
        asked = f"'{first}'"
        if len(group) > 1:
            asked += f" (also as {', '.join(repr(_short(one.question)) for one in group[1:4])})"
        often = "once" if count == 1 else f"{count} times"
        when = f", last {age(last, evidence.now)}" if last else ""
        gaps.append(
            Gap(
                kind="missed",
                description=f"Agents asked for {asked} {often} without an answer{when}.",
                severity="warning" if count >= OFTEN_MISSED else "info",
                suggestion=f"ask the user what holds for '{first}', then"
                f" {_way_in(evidence.wanted)}",
                calls=[SuggestedCall("save_context", {"content": f"{first}: {SAID}"})],
                subjects=[one.question[:_LONGEST] for one in group],
                count=count,
                last=iso(last) if last else "",
            )
        )
    return gaps[:MOST_MISSED]


def _short(question: str) -> str:
    told = " ".join(question[:_LONGEST].split())
    return told if len(told) <= _QUOTED else told[: _QUOTED - 1] + "…"


def _answered(group: Sequence[Missed]) -> bool:
    """Whether one of its questions has an answer that came after the last of them was asked."""
    last = max((one.last for one in group if one.last is not None), default=None)
    return any(one.answered and (last is None or one.answered >= last) for one in group)


def _way_in(wanted: Sequence[Wanted]) -> str:
    return "save_typed_context or save_context the answer" if wanted else "save_context the answer"


def _stale_demand(evidence: Evidence) -> list[Gap]:
    gaps: list[Gap] = []
    usual = sum(evidence.reads.values()) / max(1, len(evidence.reads))
    for tally in evidence.tallies:
        name = tally.type or tally.kind
        reads = evidence.reads.get(name, 0)
        if reads < max(DEMAND, usual) or tally.stale < MOSTLY * tally.count:
            continue
        gaps.append(
            Gap(
                kind="stale_demand",
                description=f"Type '{name}' is in demand ({reads} reads) but"
                f" {tally.stale} of its {tally.count} entries are older than 90 days.",
                severity="warning",
                suggestion="go through them with query_by_type and the user, then update_context what"
                " still holds and delete_context the rest",
                calls=[SuggestedCall("query_by_type", {"type": name})],
                subjects=[name],
                count=reads,
            )
        )
    return gaps


def _stale(evidence: Evidence) -> list[Gap]:
    stale = sum(tally.stale for tally in evidence.tallies)
    if not stale:
        return []
    told = "1 entry is" if stale == 1 else f"{stale:,} entries are"
    return [
        Gap(
            kind="stale",
            description=f"{told} older than 90 days and may be stale.",
            severity="info",
            suggestion="ask the user whether the stalest entries still hold, then update_context what"
            " does, as it is or corrected, and delete_context what does not",
            calls=[_held(record) for record in evidence.stalest],
            subjects=[record.id for record in evidence.stalest],
            count=stale,
        )
    ]


def _changed(evidence: Evidence) -> list[Gap]:
    if not evidence.changed:
        return []
    paths = sorted({path for _, cited in evidence.changed for path in cited})
    count = len(evidence.changed)
    told = "1 entry cites" if count == 1 else f"{count} entries cite"
    return [
        Gap(
            kind="changed_files",
            description=f"{told} files that changed since: {_few(paths)}.",
            severity="info",
            suggestion="read_file these, then update_context what still holds, as it is or corrected;"
            " report_usefulness what does not",
            calls=[
                *(SuggestedCall("read_file", {"path": path}) for path in paths[:_SHOWN]),
                *(_held(record) for record, _ in evidence.changed[:_SHOWN]),
            ],
            subjects=sorted(record.id for record, _ in evidence.changed),
            count=count,
        )
    ]


def _modules(evidence: Evidence) -> list[Gap]:
    if not evidence.modules:
        return []
    several = len(evidence.modules) > 1
    return [
        Gap(
            kind="module",
            description=f"Nothing is known about module{'s' if several else ''}"
            f" {_few(evidence.modules)}.",
            severity="info",
            suggestion="when you work there, memory_record what you learn: decisions, traps, how to"
            " test it",
            calls=[
                SuggestedCall(
                    "memory_record",
                    {
                        "title": f"Working on {evidence.modules[0]}",
                        "description": f"When working on module {evidence.modules[0]}",
                        "content": f"In {evidence.modules[0]}: {LEARNED}",
                        "outcome": "success",
                    },
                )
            ],
            subjects=list(evidence.modules),
        )
    ]


def _noise(evidence: Evidence) -> list[Gap]:
    if not evidence.unused:
        return []
    count = len(evidence.unused)
    told = "1 entry is" if count == 1 else f"{count} entries are"
    return [
        Gap(
            kind="noise",
            description=f"{told} often read and never helped:"
            f" {_few([record.id[:8] for record in evidence.unused])}.",
            severity="info",
            suggestion="report_usefulness of what helps and what does not; delete_context notes nobody"
            " needs",
            calls=[
                SuggestedCall("report_usefulness", {"context_ids": [record.id], "useful": False})
                for record in evidence.unused[:_SHOWN]
            ],
            subjects=[record.id for record in evidence.unused],
            count=count,
        )
    ]


def _held(record: Record) -> SuggestedCall:
    """Saying that a record still holds, or for what is no note that it does not."""
    if record.kind == "context":
        return SuggestedCall("update_context", {"id": record.id})
    return SuggestedCall("report_usefulness", {"context_ids": [record.id], "useful": False})


def _few(names: Sequence[str]) -> str:
    shown = ", ".join(names[:5])
    return f"{shown} and {len(names) - 5} more" if len(names) > 5 else shown
