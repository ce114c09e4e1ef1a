"""The person's layer: who the owner of this machine is and their preferences, for all projects."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime
from typing import Any, Literal

from contextd.domain.applies_to import is_limited
from contextd.domain.kinds import kinds_that
from contextd.domain.query import Page, Query
from contextd.domain.records import Record, Status
from contextd.domain.scope import PERSON, Scope
from contextd.knowledge.told_here import is_told_here
from contextd.person.person_md import (
    SOUL_MD,
    STRENGTHS,
    USER_MD,
    Strength,
    name_in,
    strength_of,
    without_mark,
)
from contextd.runtime.runtime import Runtime
from contextd.sessions.briefing_lines import ALWAYS, Line
from contextd_common.dataclass import dataclass
from contextd_common.errors import Invalid, NotFound
from contextd_common.text.tokens import count_tokens, trim_to_tokens

BRIEFED = 80
"""Token budget in a briefing: five to eight short lines, enough for the strongest preferences."""

_SHORTEST_LINE, LONGEST_LINE = 3, 40
"""Tokens."""

_FIRST = 20.0
"""Above any weight of a project line: the person comes first."""

_PAGE = 500
_NAME_FIELDS = ("name", "full_name", "fullName")

Level = Literal["project", "team", "org", "person"]
"""Who a saved record applies to."""


def kept_in(runtime: Runtime, level: Level | None) -> Scope:
    """The scope for a save; the call's own if no `level` is given.

    Raises `NotFound` if the call has no scope of that level, `Invalid` if there is no person's layer, and
    `Denied` if the caller may not use it.
    """
    if level == "person" and runtime.organisation.name != PERSON.org:
        raise Invalid(
            f"{runtime.organisation.name} has no person's layer",
            "save it from a local project, or outside any project",
        )
    if level == "person":
        runtime.caller.require("write", PERSON)
        return PERSON
    if level is None:
        return runtime.scope
    found = next((scope for scope in runtime.scope.cascade if scope.level == level), None)
    if found is None:
        raise NotFound(
            f"this call is not in a project{runtime.nowhere}",
            "run `contextd init` in the repository, or save it with scope person",
        )
    return found


def where_kept(runtime: Runtime, scope: Scope, level: Level | None) -> str:
    """A note about a save to the person's layer; empty for others."""
    if scope != PERSON or level == "org":
        return ""
    if level == "person":
        return "saved in the person's layer: available in every project, sent to no server"
    return f"saved in the person's layer, available in every project{runtime.nowhere}"


def persons_records(
    runtime: Runtime, *statuses: Status, kinds: Sequence[str] = (), ended: bool = False
) -> list[Record]:
    """Records of the person's layer with one of these statuses, oldest first; active ones by default."""
    if PERSON not in runtime.view.grant.scopes():
        return []
    valid_at = None if ended else runtime.clock.now()
    query = _query(kinds, statuses or ("active",), valid_at)
    return _every(runtime, query, runtime.view.records.find(query))


def _query(kinds: Sequence[str], statuses: Sequence[Status], valid_at: datetime | None) -> Query:
    return Query(
        scopes=frozenset({PERSON}),
        kinds=tuple(kinds),
        statuses=tuple(statuses),
        valid_at=valid_at,
        limit=_PAGE,
    )


def _every(runtime: Runtime, query: Query, page: Page) -> list[Record]:
    """All records of a query whose first page is given, oldest first."""
    found = list(page.records)
    while page.cursor:
        page = runtime.view.records.find(replace(query, cursor=page.cursor))
        found += page.records
    return found[::-1]


def is_personal(record: Record) -> bool:
    """Whether a record describes the person. Policies and standards in their layer are about work, and so
    is promoted knowledge.
    """
    about_them = not record.data.get("promoted_from")
    return about_them and record.scope == PERSON and record.kind in _personal_kinds()


def _personal_kinds() -> tuple[str, ...]:
    binding = kinds_that("binding")
    return tuple(kind for kind in kinds_that("briefed") if kind not in binding)


def personal_records(runtime: Runtime, *statuses: Status) -> list[Record]:
    """Records about the person, by importance: strong, mild, flexible."""
    return _in_order(persons_records(runtime, *statuses, kinds=_personal_kinds()))


def personal_query(runtime: Runtime) -> Query:
    """The query for a briefing's lines about the person."""
    return _query(_personal_kinds(), ("active",), runtime.clock.now())


def _in_order(records: Iterable[Record]) -> list[Record]:
    return sorted(filter(is_personal, records), key=_order)


@dataclass(frozen=True, slots=True)
class Personal:
    """The person's part of a briefing: its lines, and their records by id."""

    lines: list[Line] = field(default_factory=list[Line])
    records: dict[str, Record] = field(default_factory=dict[str, Record])


def personal(
    runtime: Runtime,
    budget: int = BRIEFED,
    first: Page | None = None,
    besides: Container[str] = (),
) -> Personal:
    """The person's lines within `budget` tokens: strong, mild, flexible; whole sentences. `first` is the
    first page of `personal_query`, if already read. Records in `besides` are shown elsewhere.
    """
    chosen = Personal()
    seen_texts: set[str] = set()
    left = budget
    if first is None:
        known = personal_records(runtime)
    else:
        known = _in_order(_every(runtime, personal_query(runtime), first))
    for record in known:
        if left < _SHORTEST_LINE:
            break
        if record.id in besides or is_limited(record) or not is_told_here(runtime, record):
            continue
        text = trim_to_tokens(told_by(record), LONGEST_LINE)
        cost = count_tokens(f"- {text}\n")
        if not text or cost > left or text.casefold() in seen_texts:
            continue
        left -= cost
        seen_texts.add(text.casefold())
        weight = _FIRST - len(chosen.lines) / 100
        chosen.lines.append(Line(text, record.id, weight, ALWAYS, "stated by the person"))
        chosen.records[record.id] = record
    return chosen


def _order(record: Record) -> tuple[Any, ...]:
    # The agent's own character follows what the person says about themselves.
    soul = from_file(record) == SOUL_MD
    rank = STRENGTHS.index(strength(record))
    return rank, soul, -record.confidence, record.created_at, record.id


def from_file(record: Record) -> str:
    """The file of the home that contains a record's line; empty if none."""
    name = record.source.ref.partition("#")[0]
    return name if name in (USER_MD, SOUL_MD) else ""


def strength(record: Record) -> Strength:
    """How strong a preference is: by the record's fields, else by its wording."""
    typed = _typed(record)
    for fields in (typed, record.data):
        named = str(fields.get("strength", "")).casefold()
        for one in STRENGTHS:
            if named == one:
                return one
    return strength_of(told_by(record), record.title)


def told_by(record: Record) -> str:
    """The text of a record about the person, without the words added by its type."""
    typed = _typed(record)
    texts = [str(v) for n, v in typed.items() if isinstance(v, str) and v and n != "strength"]
    if texts:
        claim = max(texts, key=len)
        about = next((text for text in texts if text != claim), "")
        known = not about or about.casefold() in claim.casefold()
        return " ".join((claim if known else f"{about}: {claim}").split())
    content = " ".join(without_mark(record.content).split())
    title = "" if record.title.casefold() in STRENGTHS else record.title.rstrip("… ")
    if not title or content.casefold().startswith(title.casefold()):
        return content
    return f"{title}: {content}"


def _typed(record: Record) -> Mapping[str, Any]:
    found = record.data.get("structuredData")
    return found if isinstance(found, Mapping) else {}


def owner_name(runtime: Runtime) -> str:
    """The person's name, from USER.md or their layer; empty if unknown."""
    records = [r for r in persons_records(runtime, kinds=("context",)) if from_file(r) != SOUL_MD]
    for record in sorted(records, key=lambda r: (from_file(r) != USER_MD, r.created_at)):
        typed = _typed(record)
        about_owner = str(record.data.get("contextType", "")) in ("identity", "owner", "user")
        named = next((str(typed[n]) for n in _NAME_FIELDS if typed.get(n)), "")
        found = named if about_owner and named else name_in(record.content)
        if found:
            return found
    return ""
