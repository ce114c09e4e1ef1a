"""Combined reads. A remote store answers each in one round trip; in process they call the single reads in
turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from contextd.domain.conditions import Condition
from contextd.domain.query import Match, Query, Vector
from contextd.domain.recent_activity import Lately
from contextd.domain.records import Record
from contextd.domain.scope import Scope
from contextd.ports.knowledge import Index, Records
from contextd.ports.work import Observations, Sessions
from contextd_common.errors import Corrupt


def require_same_length(misfits: int, model: str) -> None:
    """Raise `Corrupt` if this many texts have vectors of another length."""
    if misfits:
        raise Corrupt(
            f"{model} makes vectors of another length than those of {misfits} texts",
            "`contextd store reindex` computes them again",
        )


class LocalRankings:
    """The combined read of an `Index` in this process."""

    def rankings(
        self: Index,
        asked: Sequence[Sequence[str]],
        vector: Vector | None,
        model: str,
        query: Query,
        limit: int,
    ) -> tuple[list[list[Match]], list[Match]]:
        """See `Index.rankings`."""
        near = [] if vector is None else self.dense(vector, model, query, limit)
        if vector is not None:
            require_same_length(self.misfits(model, len(vector), query), model)
        return [self.lexical(words, query, limit) for words in asked], near


class LocalReads:
    """The combined reads of a `View` in this process."""

    records: Records
    index: Index
    sessions: Sessions
    observations: Observations

    def near(
        self, vector: Vector, model: str, query: Query, limit: int
    ) -> list[tuple[Record, float]]:
        """See `View.near`."""
        matches = self.index.dense(vector, model, query, limit)
        found = {record.id: record for record in self.records.get([m.id for m in matches])}
        return [(found[m.id], m.score) for m in matches if m.id in found]

    def sharing(
        self,
        asked: Sequence[Sequence[str]],
        query: Query,
        limit: int,
        *,
        also: Condition | None = None,
    ) -> list[Record]:
        """See `View.sharing`."""
        meeting = self.records.find(replace(query, filter=also)).records if also else ()
        matches = [match for words in asked for match in self.index.lexical(words, query, limit)]
        first = {record.id for record in meeting}
        further = dict.fromkeys(match.id for match in matches if match.id not in first)
        return [*meeting, *(self.records.get(list(further)) if further else ())]

    def alike(
        self,
        words: Sequence[str],
        vector: Vector,
        model: str,
        query: Query,
        *,
        by_words: int,
        by_meaning: int,
        least: float,
    ) -> list[tuple[Record, float]]:
        """See `View.alike`."""
        near = self.index.dense(vector, model, query, by_meaning)
        close = {match.id: match.score for match in near if match.score >= least}
        # Without any, the words need not be looked up.
        shared = self.index.lexical(words, query, by_words) if close else []
        found = self.records.get([match.id for match in shared if match.id in close])
        return sorted(((one, close[one.id]) for one in found), key=lambda pair: -pair[1])

    def lately(
        self,
        query: Query,
        rules: Query,
        person: Query,
        scopes: frozenset[Scope],
        *,
        sessions: int,
        observations: int,
    ) -> Lately:
        """See `View.lately`."""
        usage = self.observations.summary(query.scopes)
        return Lately(
            self.records.find(query).records,
            self.records.find(rules).records,
            self.records.find(person),
            self.sessions.find(scopes, limit=sessions),
            usage,
            self.observations.recent(query.scopes, observations) if usage.missed_queries else [],
        )
