"""What is missing: from the schema, from what agents asked in vain, and from what grew old."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from contextd.domain.awareness import Tally
from contextd.domain.records import Record
from contextd.domain.time import age, iso
from contextd.domain.words import content_words
from contextd.ports import Vector

Severity = Literal["info", "warning"]
Sort = Literal["empty_type", "missed", "stale_demand", "stale", "module", "changed_files", "noise"]

SAME_WORDS, SAME_MEANING, NEAR_MEANING = 0.5, 0.55, 0.45
"""Two questions are one gap when they share half their words, or mean nearly the same, or share a
word and mean something alike."""

OFTEN_MISSED = 3
MOST_QUESTIONS, MOST_EMBEDDED = 40, 12
MOST_MISSED, MOST_SINGLE = 8, 3
DEMAND, MOSTLY = 5, 0.5

Embed = Callable[[Sequence[str]], Vector | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """Something missing. `suggestion` names the operation that closes it; `subjects` are the types,
    questions, modules or record ids it is about; `count` and `last` say how often and when it was
    asked for (ISO 8601, empty when unknown).
    """

    kind: Sort
    description: str
    severity: Severity
    suggestion: str
    subjects: list[str] = field(default_factory=list[str])
    count: int = 0
    last: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A context type of the schema. `required` names its required fields."""

    name: str
    description: str = ""
    required: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Missed:
    """A question without an answer, how often it was asked and when last, if that is known."""

    question: str
    count: int
    last: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Everything gaps are read from. `reads` counts reads per type; `modules` have no knowledge;
    `changed` maps records to their cited files that differ from when they were written; `unused`
    are read often and never helped.
    """

    now: datetime
    wanted: Sequence[Wanted] = ()
    tallies: Sequence[Tally] = ()
    missed: Sequence[Missed] = ()
    reads: Mapping[str, int] = field(default_factory=dict[str, int])
    modules: Sequence[str] = ()
    changed: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
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
                subjects=[wanted.name],
            )
        )
    return gaps


def _missed(evidence: Evidence, embed: Embed) -> list[Gap]:
    gaps: list[Gap] = []
    single = 0
    for group in cluster(evidence.missed, embed):
        count = sum(one.count for one in group)
        single += count == 1
        if count == 1 and single > MOST_SINGLE:
            continue
        times = [one.last for one in group if one.last is not None]
        last = max(times) if times else None
        asked = f"'{group[0].question}'"
        if len(group) > 1:
            asked += f" (also as {', '.join(repr(one.question) for one in group[1:4])})"
        often = "once" if count == 1 else f"{count} times"
        when = f", last {age(last, evidence.now)}" if last else ""
        gaps.append(
            Gap(
                kind="missed",
                description=f"Agents asked for {asked} {often} without an answer{when}.",
                severity="warning" if count >= OFTEN_MISSED else "info",
                suggestion=f"ask the user what holds for '{group[0].question}', then"
                f" {_way_in(evidence.wanted)}",
                subjects=[one.question for one in group],
                count=count,
                last=iso(last) if last else "",
            )
        )
    return gaps[:MOST_MISSED]


def _way_in(wanted: Sequence[Wanted]) -> str:
    return "save_typed_context or save_context the answer" if wanted else "save_context the answer"


def cluster(missed: Sequence[Missed], embed: Embed) -> list[list[Missed]]:
    """Questions that mean the same in one group, most asked first; the same for the same input.

    First by words, then the groups asked most by the meaning of their first questions. Only the 40
    questions asked most are looked at, and 12 of them embedded. Without vectors words alone decide.
    """
    asked = sorted(missed, key=lambda one: (-one.count, one.question))[:MOST_QUESTIONS]
    groups: list[list[Missed]] = []
    said: list[set[str]] = []
    for one in asked:
        words = set(content_words(one.question))
        at = next((i for i, other in enumerate(said) if _same_words(words, other)), -1)
        if at < 0:
            groups.append([one])
            said.append(words)
        else:
            groups[at].append(one)
    joined = _by_meaning(sorted(groups, key=_weight), embed)
    return sorted(joined, key=_weight)


def _weight(group: Sequence[Missed]) -> tuple[int, str]:
    return -sum(one.count for one in group), group[0].question


def _same_words(one: set[str], other: set[str]) -> bool:
    shared = len(one & other)
    return shared > 0 and shared >= SAME_WORDS * len(one | other)


def _by_meaning(groups: Sequence[list[Missed]], embed: Embed) -> list[list[Missed]]:
    head, rest = groups[:MOST_EMBEDDED], groups[MOST_EMBEDDED:]
    rows = embed([group[0].question for group in head]) if len(head) > 1 else None
    if rows is None:
        return list(groups)
    words = [set(content_words(group[0].question)) for group in head]
    joined: list[list[int]] = []
    for i in range(len(head)):
        for members in joined:
            near = max(float(rows[i] @ rows[j]) for j in members)
            alike = any(words[i] & words[j] for j in members)
            if near >= SAME_MEANING or (alike and near >= NEAR_MEANING):
                members.append(i)
                break
        else:
            joined.append([i])
    return [[one for i in members for one in head[i]] for members in joined] + list(rest)


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
                suggestion="go through the oldest of them with the user, then update_context what"
                " still holds and delete_context the rest",
                subjects=[name],
                count=reads,
            )
        )
    return gaps


def _stale(evidence: Evidence) -> list[Gap]:
    stale = sum(tally.stale for tally in evidence.tallies)
    if not stale:
        return []
    told = "1 entry is" if stale == 1 else f"{stale} entries are"
    return [
        Gap(
            kind="stale",
            description=f"{told} older than 90 days and may be stale.",
            severity="info",
            suggestion="ask the user whether the stalest entries still hold, then update_context or"
            " delete_context them",
            count=stale,
        )
    ]


def _changed(evidence: Evidence) -> list[Gap]:
    if not evidence.changed:
        return []
    paths = sorted({path for cited in evidence.changed.values() for path in cited})
    count = len(evidence.changed)
    told = "1 entry cites" if count == 1 else f"{count} entries cite"
    return [
        Gap(
            kind="changed_files",
            description=f"{told} files that changed since: {_few(paths)}.",
            severity="info",
            suggestion="read_file these, then update_context what no longer holds, or"
            " report_usefulness what still does",
            subjects=sorted(evidence.changed),
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
            suggestion="report_usefulness when one helps; delete_context what never does",
            subjects=[record.id for record in evidence.unused],
            count=count,
        )
    ]


def _few(names: Sequence[str]) -> str:
    shown = ", ".join(names[:5])
    return f"{shown} and {len(names) - 5} more" if len(names) > 5 else shown
