"""Find gaps: from the schema, from questions without results, and from old records."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime
from typing import Any, Literal

from contextd.awareness.missed_queries import ASKING, Embed, Missed, cluster
from contextd.domain.awareness import Tally
from contextd.domain.placeholders import ANSWER, LEARNED, SAID
from contextd.domain.records import Record, digest, short_id
from contextd.domain.time import day, iso
from contextd_common.dataclass import dataclass
from contextd_common.text.words import content_words

Severity = Literal["info", "warning"]
Sort = Literal[
    "broken_schema",
    "empty_type",
    "missed",
    "stale_demand",
    "stale",
    "module",
    "changed_files",
    "noise",
]

OFTEN_MISSED = 3
_SHOWN = 5
_QUOTED, _LONGEST = 120, 500
MOST_MISSED, MOST_SINGLE = 8, 3
DEMAND, MOSTLY = 5, 0.5


@dataclass(frozen=True, slots=True)
class SuggestedCall:
    """An operation to call. Values that only the user knows are in angle brackets."""

    operation: str
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """A knowledge gap. `suggestion` names the operation that closes it, `calls` are the calls; `subjects` are
    the types, questions, modules or record ids it is about; `count` and `last` are how often and when it was
    asked for (ISO 8601, empty if unknown).
    """

    id: str = ""
    kind: Sort
    description: str
    severity: Severity
    suggestion: str
    calls: list[SuggestedCall]
    subjects: list[str] = field(default_factory=list[str])
    count: int = 0
    last: str = ""

    def __post_init__(self) -> None:
        """Derive the id from the subjects, so that the same gap keeps it between calls."""
        about = self.subjects[0] if self.kind in _NAMED_BY_SUBJECT and self.subjects else ""
        object.__setattr__(self, "id", digest(f"{self.kind}\n{about}")[:12])

    def as_text(self) -> str:
        """The gap, and below it how to close it."""
        mark = "⚠" if self.severity == "warning" else "ℹ"
        return f"{mark} {self.description} ({self.id})\n  → {self.suggestion}"


_NAMED_BY_SUBJECT: tuple[Sort, ...] = ("empty_type", "missed", "stale_demand")

Dismissed = Collection[tuple[str, str]]
"""The subjects of dismissed gaps, each with the kind of gap."""

Answers = Callable[[Sequence[str], datetime | None], bool]
"""Whether a record saved since then answers one of these questions, in any words."""


def _by_nobody(questions: Sequence[str], since: datetime | None) -> bool:
    del questions, since
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A context type of the schema. `required` names its required fields; `example` has a valid value for each
    of them, or for the first field if none is required.
    """

    name: str
    description: str = ""
    required: tuple[str, ...] = ()
    example: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """The input for finding gaps. `reads` counts reads per type; `modules` have no records; `changed` are
    records with their cited files that differ from when they were written; `stalest` are the oldest,
    `unused` those reported as unhelpful. `broken` are the errors in the schema's files.
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
    broken: Sequence[str] = ()
    dismissed: Dismissed = frozenset()

    def standing(self) -> Evidence:
        """The same without dismissed gaps. A question is matched among similar ones."""
        away = self.dismissed
        return replace(
            self,
            wanted=[one for one in self.wanted if ("empty_type", one.name) not in away],
            modules=[one for one in self.modules if ("module", one) not in away],
            changed=[one for one in self.changed if ("changed_files", one[0].id) not in away],
            stalest=[one for one in self.stalest if ("stale", one.id) not in away],
            broken=[one for one in self.broken if ("broken_schema", one) not in away],
            unused=[one for one in self.unused if ("noise", one.id) not in away],
        )


def find_gaps(evidence: Evidence, embed: Embed, answers: Answers = _by_nobody) -> list[Gap]:
    """All gaps that were not dismissed, warnings first."""
    known = evidence
    evidence = evidence.standing()
    asked, missed = _asked_types(known, embed, answers)
    gaps = [
        *_broken(evidence),
        *missed,
        *_empty(evidence, asked),
        *_stale_demand(evidence),
        *_changed(evidence),
        *_stale(evidence),
        *_modules(evidence),
        *_noise(evidence),
    ]
    return sorted(gaps, key=lambda gap: gap.severity != "warning")


def _broken(evidence: Evidence) -> list[Gap]:
    if not evidence.broken:
        return []
    more = len(evidence.broken) - 1
    others = f" (and {more} more)" if more else ""
    return [
        Gap(
            kind="broken_schema",
            description=f"The schema has mistakes: {evidence.broken[0]}{others}.",
            severity="warning",
            suggestion="correct the file; describe_schema lists every mistake, and entries saved"
            " meanwhile are typed afterwards",
            calls=[SuggestedCall("describe_schema", {})],
            subjects=list(evidence.broken),
        )
    ]


def _empty(evidence: Evidence, asked: Mapping[str, Sequence[Missed]]) -> list[Gap]:
    filled = _filled(evidence)
    gaps: list[Gap] = []
    for wanted in evidence.wanted:
        if wanted.name in filled:
            continue
        about = f" ({wanted.description.rstrip('.')})" if wanted.description else ""
        fields = f" with {', '.join(wanted.required)}" if wanted.required else ""
        group = asked.get(wanted.name, ())
        count, last = _times(group)
        demand = f" Agents asked for it {_often(count)}{_lately(last)}." if group else ""
        gaps.append(
            Gap(
                kind="empty_type",
                description=f"Type '{wanted.name}' is defined in your schema but has 0 entries."
                + demand,
                severity="warning",
                suggestion=f"ask the user about {wanted.name}{about}, then remember it"
                f" as kind {wanted.name}{fields}",
                calls=[
                    SuggestedCall(
                        "remember",
                        {"kind": wanted.name, "fields": dict(wanted.example) or {"note": ANSWER}},
                    )
                ],
                subjects=[wanted.name, *(one.question[:_LONGEST] for one in group)],
                count=count,
                last=iso(last) if last else "",
            )
        )
    return gaps


def _filled(evidence: Evidence) -> set[str]:
    return {tally.type for tally in evidence.tallies if tally.count}


def _times(group: Sequence[Missed]) -> tuple[int, datetime | None]:
    """How often a group of questions was asked, and the last time."""
    last = max((one.last for one in group if one.last is not None), default=None)
    return sum(one.count for one in group), last


def _often(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _lately(last: datetime | None) -> str:
    return f", last on {day(last)}" if last else ""


def _asked_types(
    evidence: Evidence, embed: Embed, answers: Answers
) -> tuple[dict[str, list[Missed]], list[Gap]]:
    """Questions without results that name a type of the schema, by type, and the gaps for all other
    questions.
    """
    asked: dict[str, list[Missed]] = {}
    gaps: list[Gap] = []
    single, filled = 0, _filled(evidence)
    for group in cluster(evidence.missed, embed):
        wanted = next((w for w in evidence.wanted if _asks_for(group, w)), None)
        if wanted is not None and wanted.name not in filled:
            asked.setdefault(wanted.name, []).extend(group)
            continue
        away = any(("missed", one.question[:_LONGEST]) in evidence.dismissed for one in group)
        if wanted is not None or away or _answered(group):
            continue
        count, last = _times(group)
        single += count == 1
        if (count == 1 and single > MOST_SINGLE) or len(gaps) == MOST_MISSED:
            continue
        if not answers([one.question for one in group], last):
            gaps.append(_missed(evidence, group))
    return asked, gaps


def _asks_for(group: Sequence[Missed], wanted: Wanted) -> bool:
    """Whether a question names a type, allowing one extra word."""
    name = frozenset(content_words(wanted.name.replace("_", " ")))
    asked = [frozenset(content_words(one.question[:_LONGEST])) for one in group]
    return any(name <= words and len(words - ASKING - name) <= 1 for words in asked)


def _missed(evidence: Evidence, group: Sequence[Missed]) -> Gap:
    count, last = _times(group)
    first = _short(group[0].question)
    quoted_questions = f"'{first}'"
    if len(group) > 1:
        quoted_questions += (
            f" (also as {', '.join(repr(_short(one.question)) for one in group[1:4])})"
        )
    return Gap(
        kind="missed",
        description=f"Agents asked for {quoted_questions} {_often(count)}"
        f" without an answer{_lately(last)}.",
        severity="warning" if count >= OFTEN_MISSED else "info",
        suggestion=f"ask the user about '{first}', then remember the answer"
        + (", as one of the types if one fits" if evidence.wanted else ""),
        calls=[SuggestedCall("remember", {"text": f"{first}: {SAID}"})],
        subjects=[one.question[:_LONGEST] for one in group],
        count=count,
        last=iso(last) if last else "",
    )


def _short(question: str) -> str:
    text = " ".join(question[:_LONGEST].split())
    return text if len(text) <= _QUOTED else text[: _QUOTED - 1] + "…"


def _answered(group: Sequence[Missed]) -> bool:
    """Whether one of its questions has an answer that is newer than the last of them."""
    _, last = _times(group)
    return any(one.answered and (last is None or one.answered >= last) for one in group)


def _stale_demand(evidence: Evidence) -> list[Gap]:
    gaps: list[Gap] = []
    usual = sum(evidence.reads.values()) / max(1, len(evidence.reads))
    for tally in evidence.tallies:
        name = tally.type or tally.kind
        reads = evidence.reads.get(name, 0)
        if ("stale_demand", name) in evidence.dismissed:
            continue
        if reads < max(DEMAND, usual) or tally.stale < MOSTLY * tally.count:
            continue
        gaps.append(
            Gap(
                kind="stale_demand",
                description=f"Type '{name}' is in demand ({reads} reads) but"
                f" {tally.stale} of its {tally.count} entries are older than 90 days.",
                severity="warning",
                suggestion="go through them with query_by_type and the user, then update_context those"
                " that still hold and delete_context the rest",
                calls=[SuggestedCall("query_by_type", {"type": name})],
                subjects=[name],
                count=reads,
            )
        )
    return gaps


def _stale(evidence: Evidence) -> list[Gap]:
    stale = sum(tally.stale for tally in evidence.tallies)
    away = any(kind == "stale" for kind, _ in evidence.dismissed)
    if not stale or (away and not evidence.stalest):
        return []
    opening = "1 entry is" if stale == 1 else f"{stale:,} entries are"
    return [
        Gap(
            kind="stale",
            description=f"{opening} older than 90 days and may be stale.",
            severity="info",
            suggestion="ask the user whether the stalest entries still hold, then update_context those"
            " that do, as they are or corrected, and delete_context those that do not",
            calls=[_call_about(record, "update_context") for record in evidence.stalest],
            subjects=[record.id for record in evidence.stalest],
            count=stale,
        )
    ]


def _changed(evidence: Evidence) -> list[Gap]:
    if not evidence.changed:
        return []
    paths = sorted({path for _, cited in evidence.changed for path in cited})
    count = len(evidence.changed)
    opening = "1 entry cites" if count == 1 else f"{count} entries cite"
    return [
        Gap(
            kind="changed_files",
            description=f"{opening} files that changed since: {_few(paths)}.",
            severity="info",
            suggestion="read_file these, then update_context entries that still hold, as they are or corrected;"
            " report_usefulness those that do not",
            calls=[
                *(SuggestedCall("read_file", {"path": path}) for path in paths[:_SHOWN]),
                *(_call_about(one, "update_context") for one, _ in evidence.changed[:_SHOWN]),
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
            description=f"No records about module{'s' if several else ''}"
            f" {_few(evidence.modules)}.",
            severity="info",
            suggestion="when you work there, remember what you learn: decisions, traps, how to test it",
            calls=[
                SuggestedCall(
                    "remember",
                    {
                        "kind": "memory",
                        "title": f"Working on {evidence.modules[0]}",
                        "text": f"In {evidence.modules[0]}: {LEARNED}",
                        "fields": {"description": f"When working on module {evidence.modules[0]}"},
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
    opening = "1 entry is" if count == 1 else f"{count} entries are"
    return [
        Gap(
            kind="noise",
            description=f"{opening} reported as unhelpful, and never as helpful:"
            f" {_few([short_id(record.id) for record in evidence.unused])}.",
            severity="info",
            suggestion="update_context entries that are wrong, or delete_context those that are not needed",
            calls=[_call_about(one, "delete_context") for one in evidence.unused[:_SHOWN]],
            subjects=[record.id for record in evidence.unused],
            count=count,
        )
    ]


def _call_about(record: Record, for_notes: str) -> SuggestedCall:
    """The call `for_notes` of a note; other kinds are reported as unhelpful."""
    if record.kind == "context":
        return SuggestedCall(for_notes, {"id": record.id})
    return SuggestedCall("report_usefulness", {"ids": [record.id], "useful": False})


def _few(names: Sequence[str]) -> str:
    shown = ", ".join(names[:5])
    return f"{shown} and {len(names) - 5} more" if len(names) > 5 else shown
