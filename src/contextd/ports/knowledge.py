"""What contextd keeps of knowledge: records, their index, contradictions, originals; and what understands texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Protocol

from contextd.domain.awareness import Contradiction, Order, State, Tally
from contextd.domain.originals import Original
from contextd.domain.query import IndexStats, Match, Page, Pending, Query, Vector
from contextd.domain.records import Change, Record
from contextd.domain.scope import Scope

Scrub = Callable[[str], str]
"""Takes the secrets out of a text. A store applies it to every text that enters it."""


class Embedder(Protocol):
    """Turns texts into unit vectors."""

    @property
    def model(self) -> str:
        """The id every vector it makes carries; empty when it makes none."""
        ...

    @property
    def sends_to(self) -> str:
        """The host that texts are sent to; empty when they stay on this machine."""
        ...

    def embed(self, texts: Sequence[str]) -> Vector:
        """One row of unit length per text, shape (len(texts), dimensions)."""
        ...


class Reranker(Protocol):
    """Judges how well texts answer a question, reading both together."""

    @property
    def model(self) -> str:
        """What judges, by name."""
        ...

    def judge(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """Between 0 and 1 for each text, in their order; for fewer of them where a search would wait too
        long for the rest. Raises `Unavailable` when the model is missing, damaged or of no use.
        """
        ...


class Records(Protocol):
    """Canonical knowledge, with its history. Of two visible records with one id the nearer scope's
    is meant: project before team before organisation.
    """

    def get(self, record_ids: Sequence[str]) -> list[Record]:
        """The records with these ids, in this order; ids of none are left out."""
        ...

    def resolve(self, prefix: str) -> Record:
        """The one record whose id starts with `prefix` (4+ characters).

        Raises `NotFound`, or `Conflict` naming the candidates when there are several.
        """
        ...

    def beginning(self, prefixes: Sequence[str]) -> list[str]:
        """The ids of all records that begin with one of these, each once, in order."""
        ...

    def find(self, query: Query) -> Page:
        """A page of matching records, newest first (created_at, then id, descending)."""
        ...

    def count(self, query: Query) -> dict[str, int]:
        """How many records match, per kind; `limit` and `cursor` are ignored."""
        ...

    def by_hash(self, content_hash: str, scope: Scope) -> Record | None:
        """The oldest active or inbox record of this scope that says the same thing."""
        ...

    def history(self, record_id: str) -> list[Change]:
        """Every change of a record, oldest first; `seq` counts from 1 in each record's history."""
        ...


class Survey(Protocol):
    """Many records at once. Of a query only scopes, kinds and statuses count."""

    def tally(self, query: Query, *, recent: datetime, stale: datetime) -> list[Tally]:
        """Counts per kind and context type, in this order; `recent` ones changed at or after that
        instant, `stale` ones before that one. Reads no record: 100,000 take a few hundredths of a
        second.
        """
        ...

    def first(self, query: Query, by: Order, limit: int) -> list[Record]:
        """The records that come first: those not changed for longest, those used most (5 times or
        more), or those with most reports of having helped or not. Equal ones by id.
        """
        ...


class Contradictions(Protocol):
    """Pairs of records found to disagree. Derived, but for what was decided about them. A pair is
    seen by who sees both records.
    """

    def find(
        self, scopes: frozenset[Scope], *, states: Sequence[State] = ("open",), limit: int = 100
    ) -> list[Contradiction]:
        """Pairs with both records in `scopes`, latest found first, then by ids."""
        ...

    def of(self, record_id: str) -> list[Contradiction]:
        """Every pair a record is in, latest found first."""
        ...


class Index(Protocol):
    """The derived hybrid index. Everything in it can be rebuilt. Of code it has what `Files` has: other
    checkouts neither answer nor count.
    """

    def lexical(self, words: Sequence[str], query: Query, limit: int) -> list[Match]:
        """Documents that share a word, best BM25 first (k1 1.2, b 0.75). How rare a word is and how
        long texts are is counted in each scope and family alone.
        """
        ...

    def dense(self, vector: Vector, model: str, query: Query, limit: int) -> list[Match]:
        """Documents nearest by cosine among those with a vector of `model`. Their cosines are exact; where
        vectors are many, one in some thousands of the nearest may be missing.
        """
        ...

    def rankings(
        self,
        asked: Sequence[Sequence[str]],
        vector: Vector | None,
        model: str,
        query: Query,
        limit: int,
    ) -> tuple[list[list[Match]], list[Match]]:
        """`lexical` for the words of each asking, and `dense` unless there is no vector, together.
        Raises `Corrupt` where there are `misfits`.
        """
        ...

    def misfits(self, model: str, dimensions: int, query: Query) -> int:
        """How many documents of the parts that `dense` was just asked for have a vector of `model` that
        is of another length: another model went by its name.
        """
        ...

    def vectors(self, scope: Scope, ids: Sequence[str], model: str) -> tuple[list[str], Vector]:
        """Those of these documents of records that have a vector of `model`, and the vectors, a row for
        each: of unit length, as `dense` compares them. Of what is no record's there is none.
        """
        ...

    def pending(self, model: str, limit: int, among: Sequence[str] | None = None) -> list[Pending]:
        """Documents without a vector of `model`, newest first; of those with an id in `among` only,
        when it is given.
        """
        ...

    def stats(self, model: str, query: Query | None = None) -> IndexStats:
        """How much is indexed, of the scopes and kinds of a query where one is given."""
        ...


class Originals(Protocol):
    """What stands behind digests."""

    def get(self, id: str) -> Original | None:
        """The original with this id; of those in several scopes the one kept last."""
        ...
