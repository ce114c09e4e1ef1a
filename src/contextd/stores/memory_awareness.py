"""Aggregates over records and the pairs that disagree, in the in-memory store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from contextd.domain.awareness import (
    OFTEN_USED,
    STANDING,
    Contradiction,
    Order,
    State,
    Tally,
    ordered,
)
from contextd.domain.query import Query
from contextd.domain.records import Record
from contextd.domain.scope import Scope
from contextd.stores import codec
from contextd.stores.memory_space import Space


class MemorySurvey:
    """`Survey` by looking at every record."""

    def __init__(self, space: Space) -> None:
        self._space = space

    def tally(self, query: Query, *, recent: datetime, stale: datetime) -> list[Tally]:
        """See `Survey.tally`."""
        merged: dict[tuple[str, str], Tally] = {}
        for record in self._asked(query):
            told = record.data.get("contextType")
            name = record.kind, told if isinstance(told, str) else ""
            one = Tally(
                kind=name[0],
                type=name[1],
                count=1,
                oldest=record.created_at,
                newest=record.updated_at,
                recent=int(record.updated_at >= codec.utc(recent)),
                stale=int(record.updated_at < codec.utc(stale)),
            )
            merged[name] = merged[name].and_(one) if name in merged else one
        return [merged[name] for name in sorted(merged)]

    def first(self, query: Query, by: Order, limit: int) -> list[Record]:
        """See `Survey.first`."""
        found = self._asked(query)
        match by:
            case "stalest":
                found.sort(key=lambda r: (r.updated_at, r.id))
            case "most_used":
                found = [r for r in found if r.usage_count >= OFTEN_USED]
                found.sort(key=lambda r: (-r.usage_count, r.id))
            case "most_rated":
                found = [r for r in found if r.helpful + r.unhelpful > 0]
                found.sort(key=lambda r: (-r.helpful - r.unhelpful, r.id))
        return found[: max(0, limit)]

    def _asked(self, query: Query) -> list[Record]:
        with self._space.lock:
            records = list(self._space.state.records.values())
        return [
            record
            for record in records
            if record.scope in query.scopes
            and (not query.statuses or record.status in query.statuses)
            and (not query.kinds or record.kind in query.kinds)
        ]


class MemoryContradictions:
    """`Contradictions` in a dictionary."""

    def __init__(self, space: Space) -> None:
        self._space = space

    def put(self, found: Sequence[Contradiction]) -> None:
        """See `Contradictions.put`."""
        with self._space.lock:
            kept = self._space.state.contradictions
            for one in found:
                if one.a == one.b:
                    continue
                a, b = ordered(one.a, one.b)
                codec.dumps([one.kind, one.reason])
                known = kept.get((a, b))
                fresh = Contradiction(
                    a=a, b=b, kind=one.kind, reason=one.reason, found_at=codec.utc(one.found_at)
                )
                kept[a, b] = (
                    fresh if known is None else replace(known, kind=one.kind, reason=one.reason)
                )

    def find(
        self, scopes: frozenset[Scope], *, states: Sequence[State] = ("open",), limit: int = 100
    ) -> list[Contradiction]:
        """See `Contradictions.find`."""
        with self._space.lock:
            records = self._space.state.records
            found = [
                pair
                for pair in self._all()
                if records[pair.a].scope in scopes and records[pair.b].scope in scopes
            ]
        return [pair for pair in found if not states or pair.state in states][: max(0, limit)]

    def of(self, record_id: str) -> list[Contradiction]:
        """See `Contradictions.of`."""
        with self._space.lock:
            return [pair for pair in self._all() if record_id in (pair.a, pair.b)]

    def dismiss(self, one: str, other: str, note: str) -> bool:
        """See `Contradictions.dismiss`."""
        codec.dumps(note)
        return self._decide(one, other, "dismissed", note)

    def reopen(self, one: str, other: str) -> bool:
        """See `Contradictions.reopen`."""
        return self._decide(one, other, "open", "")

    def remove(self, pairs: Sequence[tuple[str, str]]) -> None:
        """See `Contradictions.remove`."""
        with self._space.lock:
            for pair in pairs:
                self._space.state.contradictions.pop(ordered(*pair), None)

    def _decide(self, one: str, other: str, state: State, note: str) -> bool:
        with self._space.lock:
            kept = self._space.state.contradictions
            pair = kept.get(ordered(one, other))
            if pair is not None:
                kept[pair.a, pair.b] = replace(pair, state=state, note=note)
            return pair is not None

    def _all(self) -> list[Contradiction]:
        state = self._space.state
        found: list[Contradiction] = []
        for pair in state.contradictions.values():
            one, other = state.records.get(pair.a), state.records.get(pair.b)
            if one is None or other is None:
                continue
            stands = one.status in STANDING and other.status in STANDING
            open_ = pair.state == "open"
            found.append(replace(pair, state="resolved") if open_ and not stands else pair)
        return sorted(found, key=lambda p: (-p.found_at.timestamp(), p.a, p.b))
