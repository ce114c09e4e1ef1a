"""Records, aggregates and contradictions in dictionaries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from contextd.domain.awareness import (
    STANDING,
    Contradiction,
    Order,
    State,
    Tally,
    ordered,
)
from contextd.domain.changes import Decision, KnowledgeChanges, Put, Removal
from contextd.domain.conditions import holds
from contextd.domain.kinds import area_of
from contextd.domain.query import Page, Query
from contextd.domain.records import PRESENT, Change, Record
from contextd.domain.scope import Scope
from contextd.domain.time import to_micros
from contextd.stores import codec, filters, rules
from contextd.stores.granted_rows import GrantedRows, nearest
from contextd_common.errors import Conflict
from reference_store.space import Key, Space, is_valid_at, utc
from reference_store.space import State as Stored

_OFTEN_USED = 5
"""Fewer uses than this never count as often used."""


class MemoryRecords:
    """`Records`, limited to a grant."""

    def __init__(self, space: Space, granted: GrantedRows) -> None:
        self._space, self._granted = space, granted

    def visible(self) -> list[Record]:
        """Every readable record."""
        with self._space.lock:
            records = list(self._space.state.records.values())
        return [record for record in records if self._granted.reads(record.scope, record.kind)]

    def get(self, record_ids: Sequence[str]) -> list[Record]:
        """See `Records.get`."""
        found = nearest(self.visible())
        return [found[id_] for id_ in record_ids if id_ in found]

    def resolve(self, prefix: str) -> Record:
        """See `Records.resolve`."""
        filters.check_prefix(prefix)
        found = [r for id_, r in sorted(nearest(self.visible()).items()) if id_.startswith(prefix)]
        exact = [record for record in found if record.id == prefix]
        return filters.only_one(prefix, exact or found)

    def beginning(self, prefixes: Sequence[str]) -> list[str]:
        """See `Records.beginning`."""
        wanted = tuple(prefixes)
        return sorted({record.id for record in self.visible() if record.id.startswith(wanted)})

    def find(self, query: Query) -> Page:
        """See `Records.find`."""
        after = filters.read_cursor(query.cursor)
        found = self._matching(query)
        if after:
            found = [r for r in found if (to_micros(r.created_at), r.id) < after]
        found.sort(key=lambda r: (r.created_at, r.id, str(r.scope)), reverse=True)
        return filters.page(found[: max(0, query.limit) + 1], query.limit)

    def count(self, query: Query) -> dict[str, int]:
        """See `Records.count`."""
        counts: dict[str, int] = {}
        for record in self._matching(query):
            counts[record.kind] = counts.get(record.kind, 0) + 1
        return counts

    def _matching(self, query: Query) -> list[Record]:
        filters.check_where(query.where)
        filters.check_condition(query.filter)
        return [record for record in self.visible() if _matches(record, query)]

    def by_hash(self, content_hash: str, scope: Scope) -> Record | None:
        """See `Records.by_hash`."""
        found = [
            record
            for record in self.visible()
            if record.scope == scope
            and record.status in PRESENT
            and record.content_hash == content_hash
        ]
        return min(found, key=lambda r: (r.created_at, r.id), default=None)

    def history(self, record_id: str) -> list[Change]:
        """See `Records.history`."""
        with self._space.lock:
            state = self._space.state
            found = [
                (scope, change)
                for (scope, id_), changes in state.changes.items()
                if id_ == record_id and self._granted.reads(scope, state.change_kinds[scope, id_])
                for change in changes
            ]
        return rules.nearest_history(found)


def write_record(state: Stored, change: Put | Removal, actor: str, now: datetime) -> Change:
    """Apply one change of a record. Raises `Conflict`."""
    record = change.record
    key = record.scope, record.id
    before = state.records.get(key)
    if (before.version if before else 0) != record.version:
        raise rules.changed_meanwhile(record)
    if before is not None and area_of(before.kind) != area_of(record.kind):
        raise Conflict(
            f"{record.id!r} is a {before.kind}, which cannot change", "save a new record instead"
        )
    after: Record | None = None
    if isinstance(change, Removal):
        state.records.pop(key, None)
    else:
        same = [
            other.id
            for other in state.records.values()
            if other.scope == record.scope
            and other.id != record.id
            and other.status in PRESENT
            and other.content_hash == record.content_hash
        ]
        if change.alone and same:
            raise rules.already_there(same[0])
        body = codec.loads(codec.dumps(codec.record_to_json(record)))
        after = codec.record_from_json(body)
        state.records[key] = replace(after, version=record.version + 1)
    history = state.changes.get(key, ())
    if change.undoes is not None and change.undoes in {one.undoes for one in history}:
        raise rules.undone_already(record.id)
    made = Change(
        history[-1].seq + 1 if history else 1,
        record.id,
        now,
        actor,
        change.action,
        change.reason,
        replace(before, version=0) if before else None,
        after,
        change.undoes,
    )
    state.changes[key] = (*history, made)
    state.change_kinds.setdefault(key, record.kind)
    return made


class MemorySurvey:
    """`Survey` by examining every record."""

    def __init__(self, records: MemoryRecords) -> None:
        self._records = records

    def tally(self, query: Query, *, recent: datetime, stale: datetime) -> list[Tally]:
        """See `Survey.tally`."""
        fresh_from, stale_before = utc(recent), utc(stale)
        merged: dict[tuple[str, str], Tally] = {}
        for record in self._asked(query):
            type_ = record.data.get("contextType")
            key = record.kind, type_ if isinstance(type_, str) else ""
            one = Tally(
                kind=key[0],
                type=key[1],
                count=1,
                oldest=record.created_at,
                newest=record.updated_at,
                recent=int(record.updated_at >= fresh_from),
                stale=int(record.updated_at < stale_before),
            )
            known = merged.get(key)
            merged[key] = one if known is None else known.and_(one)
        return [merged[name] for name in sorted(merged)]

    def first(self, query: Query, by: Order, limit: int) -> list[Record]:
        """See `Survey.first`."""
        found = self._asked(query)
        if by == "stalest":
            found.sort(key=lambda r: (r.updated_at, r.id))
        elif by == "most_used":
            found = [r for r in found if r.usage_count >= _OFTEN_USED]
            found.sort(key=lambda r: (-r.usage_count, r.id))
        else:
            found = [r for r in found if r.helpful + r.unhelpful > 0]
            found.sort(key=lambda r: (-r.helpful - r.unhelpful, r.id))
        ids = list(dict.fromkeys(record.id for record in found))
        return self._records.get(ids[: max(0, limit)])

    def _asked(self, query: Query) -> list[Record]:
        return [
            record
            for record in self._records.visible()
            if record.scope in query.scopes
            and (not query.statuses or record.status in query.statuses)
            and (not query.kinds or record.kind in query.kinds)
        ]


class MemoryContradictions:
    """`Contradictions`, limited to a grant."""

    def __init__(self, space: Space, granted: GrantedRows) -> None:
        self._space, self._granted = space, granted

    def find(
        self, scopes: frozenset[Scope], *, states: Sequence[State] = ("open",), limit: int = 100
    ) -> list[Contradiction]:
        """See `Contradictions.find`."""
        found = [
            pair
            for (one, other), pair in self._visible()
            if one[0] in scopes and other[0] in scopes and (not states or pair.state in states)
        ]
        return found[: max(0, limit)]

    def of(self, record_id: str) -> list[Contradiction]:
        """See `Contradictions.of`."""
        return [pair for _, pair in self._visible() if record_id in (pair.a, pair.b)]

    def _visible(self) -> list[tuple[tuple[Key, Key], Contradiction]]:
        found: list[tuple[tuple[Key, Key], Contradiction]] = []
        with self._space.lock:
            state = self._space.state
            for keys, pair in state.contradictions.items():
                one, other = (state.records.get(key) for key in keys)
                if one is None or other is None or not (self._sees(one) and self._sees(other)):
                    continue
                stands = one.status in STANDING and other.status in STANDING
                over = pair.state == "open" and not stands
                found.append((keys, replace(pair, state="resolved") if over else pair))
        return sorted(found, key=lambda row: (-to_micros(row[1].found_at), row[1].a, row[1].b))

    def _sees(self, record: Record) -> bool:
        return self._granted.reads(record.scope, record.kind)


def write_contradictions(state: Stored, changes: KnowledgeChanges, places: dict[str, Scope]) -> int:
    """Store, delete and decide pairs; return how many decisions concerned an existing pair."""
    for one in changes.disagree:
        a, b = ordered(one.a, one.b)
        if a == b or a not in places or b not in places:
            continue
        codec.dumps([one.kind, one.reason])
        keys = (places[a], a), (places[b], b)
        known = state.contradictions.get(keys)
        fresh = Contradiction(
            a=a, b=b, kind=one.kind, reason=one.reason, found_at=utc(one.found_at)
        )
        state.contradictions[keys] = (
            replace(known, kind=one.kind, reason=one.reason) if known else fresh
        )
    for pair in changes.agree:
        a, b = ordered(*pair)
        if a in places and b in places:
            state.contradictions.pop(((places[a], a), (places[b], b)), None)
    return sum(_decide(state, decision, places) for decision in changes.decide)


def _decide(state: Stored, decision: Decision, places: dict[str, Scope]) -> int:
    codec.dumps(decision.note)
    a, b = ordered(decision.a, decision.b)
    keys = (places.get(a, Scope("nowhere")), a), (places.get(b, Scope("nowhere")), b)
    pair = state.contradictions.get(keys)
    if pair is None:
        return 0
    note = decision.note if decision.state == "dismissed" else ""
    state.contradictions[keys] = replace(pair, state=decision.state, note=note)
    return 1


def _matches(record: Record, query: Query) -> bool:
    """Whether a record matches a query, ignoring `limit` and `cursor`."""
    return (
        record.scope in query.scopes
        and (not query.kinds or record.kind in query.kinds)
        and (not query.statuses or record.status in query.statuses)
        and (not query.session or record.session == query.session)
        and (not query.trust or record.trust == query.trust)
        and (not query.source or str(record.source) == query.source)
        and record.confidence >= query.min_confidence
        and set(query.tags) <= set(record.tags)
        and all(_equal(record.data.get(name), value) for name, value in query.where.items())
        and (query.filter is None or holds(query.filter, record.data))
        and (
            query.valid_at is None
            or is_valid_at(record.valid_from, record.valid_to, query.valid_at)
        )
    )


def _equal(stored: Any, asked: Any) -> bool:
    if isinstance(stored, list):
        return asked is not None and asked in stored
    return bool(stored == asked)
