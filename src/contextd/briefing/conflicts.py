"""Keep records that contradict each other from being injected side by side as if both were true."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from datetime import timedelta
from itertools import combinations, product

from contextd.briefing.injection_tiers import RULES
from contextd.claims.contradiction_test import contradiction
from contextd.claims.judgement import Types
from contextd.claims.write_gate import RANK
from contextd.domain.applies_to import same_limits
from contextd.domain.directives import is_directive, is_users
from contextd.domain.kinds import EPISODE
from contextd.domain.records import Record, short_id
from contextd.knowledge.disagreements import disagreement
from contextd.runtime.runtime import Runtime
from contextd.schema.active_schema import schema_of
from contextd.sessions.briefing_lines import PackedBriefing, Section, pack_briefing
from contextd_common.dataclass import dataclass

_LABEL = re.compile(r"(?<=[^\W\d_]):\s+(?=\w)")
"""A colon after a label or before a reason: the text on either side is compared by itself."""

_ROUNDS = 4
"""How often a briefing is packed again: a line that replaces an outweighed one may be disputed too."""


@dataclass(frozen=True, slots=True)
class Odds:
    """Conflicts among records to be shown together: the record that outweighs each of the `outweighed`,
    and a mark that names the objection for each of the `disputed`.
    """

    outweighed: Mapping[str, str] = field(default_factory=dict[str, str])
    disputed: Mapping[str, str] = field(default_factory=dict[str, str])


def at_odds(runtime: Runtime, records: Sequence[Record], beside: Sequence[Record] = ()) -> Odds:
    """Find records that contradict each other or those in `beside`, and decide which ones weigh more. A pair
    that was resolved as both right does not count.
    """
    new = [record for record in records if record.kind != EPISODE]
    ids = {record.id for record in new}
    known = [one for one in beside if one.kind != EPISODE and one.id not in ids]
    if not new or len(new) + len(known) < 2:
        return Odds()
    types = schema_of(runtime).types
    outweighed: dict[str, str] = {}
    against: dict[str, list[str]] = {}
    for one, other in (*combinations(new, 2), *product(new, known)):
        if not opposes(one, other, types) or _is_dismissed(runtime, one, other):
            continue
        if outweighs(one, other):
            outweighed[other.id] = one.id
        elif outweighs(other, one):
            outweighed[one.id] = other.id
        else:
            against.setdefault(one.id, []).append(short_id(other.id))
            against.setdefault(other.id, []).append(short_id(one.id))
    marks = {
        id: f"disputed: {', '.join(others)} says otherwise"
        for id, others in against.items()
        if id not in outweighed
    }
    return Odds(outweighed, marks)


def opposes(one: Record, other: Record, types: Types) -> bool:
    """Whether one record demands what the other forbids, or denies it, for the same files. Of a fix only its
    solution is compared, because errors are worded alike.
    """
    if not same_limits(one.data, other.data):
        return False
    if not (_fix_of(one) or _fix_of(other)) and disagreement(one, other, types):
        return True
    return any(contradiction(mine, theirs) for mine, theirs in product(_said(one), _said(other)))


def outweighs(one: Record, other: Record) -> bool:
    """Whether a record replaces one that contradicts it: a rule does, then a directive, then a record of the
    user; otherwise its source must be trusted no less, its evidence be no weaker, and it must not be older.
    """
    for goes_before in (_is_rule, is_directive, is_users):
        if goes_before(one) != goes_before(other):
            return goes_before(one)
    later = one.created_at - other.created_at
    mine, theirs = _weight(one), _weight(other)
    no_less = all(here >= there for here, there in zip(mine, theirs, strict=True))
    return no_less and later > -_AT_ONCE and (mine != theirs or later > _AT_ONCE)


_AT_ONCE = timedelta(hours=1)
"""Statements within this time may not be a change of mind: they may be from two people, or on two cases."""


def _weight(record: Record) -> tuple[int, ...]:
    proven = int(record.data.get("occurrence_count", 1)) + record.helpful - record.unhelpful
    return RANK[record.trust], int(bool(record.data.get("verified"))), proven


def _fix_of(record: Record) -> str:
    return str(record.data.get("solution") or "")


def _said(record: Record) -> tuple[str, ...]:
    fix = _fix_of(record)
    texts = (fix,) if record.kind == "remediation" else (record.content, fix)
    return tuple(_LABEL.sub(". ", text) for text in texts if text)


def _is_rule(record: Record) -> bool:
    return record.kind in RULES


def _is_dismissed(runtime: Runtime, one: Record, other: Record) -> bool:
    pairs = runtime.view.contradictions.of(one.id)
    return any(pair.state == "dismissed" and other.id in (pair.a, pair.b) for pair in pairs)


def pack_agreeing(
    runtime: Runtime, sections: Sequence[Section], records: Mapping[str, Record], budget: int
) -> PackedBriefing:
    """Pack a briefing without outweighed records; disputed ones are marked."""
    outweighed: set[str] = set()
    marks: dict[str, str] = {}
    packed = pack_briefing(sections, budget)
    for _ in range(_ROUNDS):
        odds = at_odds(runtime, [records[id] for id in packed.ids])
        if odds.outweighed.keys() <= outweighed and odds.disputed.keys() <= marks.keys():
            break
        outweighed |= odds.outweighed.keys()
        marks |= odds.disputed
        packed = pack_briefing([_without(s, outweighed, marks) for s in sections], budget)
    return packed


def _without(section: Section, outweighed: set[str], marks: Mapping[str, str]) -> Section:
    lines = [
        replace(line, text=f"{line.text} ({marks[line.id]})") if line.id in marks else line
        for line in section.lines
        if line.id not in outweighed
    ]
    return Section(section.title, lines)
