"""Storage of knowledge: records, their index, contradictions, originals; and the models that embed and
rerank texts.
"""

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
"""Redacts secrets from a text. A store applies it to every text it stores."""


class Embedder(Protocol):
    """Turns texts into unit vectors."""

    @property
    def model(self) -> str:
        """The id stored with every vector; empty if it makes none."""
        ...

    @property
    def sends_to(self) -> str:
        """The host that texts are sent to; empty if they stay on this machine."""
        ...

    def embed(self, texts: Sequence[str]) -> Vector:
        """One unit vector per text, shape (len(texts), dimensions)."""
        ...


class Reranker(Protocol):
    """Scores how well texts answer a question, reading both together."""

    @property
    def model(self) -> str:
        """The name of the model."""
        ...

    def judge(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """A score between 0 and 1 for each text, in order; fewer if the rest would take too long. Raises
        `Unavailable` if the model is missing, damaged or unsuitable.
        """
        ...


class Records(Protocol):
    """Records with their history (canonical). If two visible records have the same id, the nearer scope
    wins: project, team, organisation.
    """

    def get(self, record_ids: Sequence[str]) -> list[Record]:
        """The records with these ids, in this order; skips unknown ids."""
        ...

    def resolve(self, prefix: str) -> Record:
        """The only record whose id starts with `prefix` (4+ characters).

        Raises `NotFound`, or `Conflict` naming the candidates.
        """
        ...

    def beginning(self, prefixes: Sequence[str]) -> list[str]:
        """The distinct ids of all records that start with one of these, in order."""
        ...

    def find(self, query: Query) -> Page:
        """A page of matching records, newest first (created_at, then id, descending)."""
        ...

    def count(self, query: Query) -> dict[str, int]:
        """How many records match, per kind; `limit` and `cursor` are ignored."""
        ...

    def by_hash(self, content_hash: str, scope: Scope) -> Record | None:
        """The oldest active, candidate or inbox record of this scope with the same content hash."""
        ...

    def history(self, record_id: str) -> list[Change]:
        """Every change of a record, oldest first; `seq` starts at 1 for each record."""
        ...


class Survey(Protocol):
    """Aggregates over many records. Only scopes, kinds and statuses of a query are used."""

    def tally(self, query: Query, *, recent: datetime, stale: datetime) -> list[Tally]:
        """Counts per kind and context type, in this order; `recent` ones changed at or after that instant,
        `stale` ones before the other. Reads no records: 100,000 take a few hundredths of a second.
        """
        ...

    def first(self, query: Query, by: Order, limit: int) -> list[Record]:
        """The top records by an order: least recently changed, most used (5 times or more), or most
        feedback. Ties are sorted by id.
        """
        ...


class Contradictions(Protocol):
    """Pairs of contradicting records. Derived, except for decisions about them. A pair is visible if both
    records are.
    """

    def find(
        self, scopes: frozenset[Scope], *, states: Sequence[State] = ("open",), limit: int = 100
    ) -> list[Contradiction]:
        """Pairs with both records in `scopes`, latest found first, then by ids."""
        ...

    def of(self, record_id: str) -> list[Contradiction]:
        """All pairs of a record, latest found first."""
        ...


class Index(Protocol):
    """The derived hybrid index; it can be rebuilt. Code is limited to what `Files` shows: other checkouts
    are neither found nor counted. A view without `Files` finds none.
    """

    def lexical(self, words: Sequence[str], query: Query, limit: int) -> list[Match]:
        """Documents that share a word, best BM25 first (k1 1.2, b 0.75). Word and length statistics are
        pooled per family over all requested scopes, after filters.
        """
        ...

    def dense(self, vector: Vector, model: str, query: Query, limit: int) -> list[Match]:
        """The documents with a vector of `model` that are nearest by cosine. Cosines are exact; in large
        indexes one in some thousands of the nearest may be missing.
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
        """`lexical` for each query, and `dense` if there is a vector, in one call. Raises `Corrupt` if
        there are `misfits`.
        """
        ...

    def misfits(self, model: str, dimensions: int, query: Query) -> int:
        """How many documents in the parts that `dense` last searched have a vector of `model` with another
        length: another model had the same name.
        """
        ...

    def vectors(self, scope: Scope, ids: Sequence[str], model: str) -> tuple[list[str], Vector]:
        """The ids among these record documents that have a vector of `model`, and the unit vectors, one
        row each. Other documents are skipped.
        """
        ...

    def pending(self, model: str, limit: int, among: Sequence[str] | None = None) -> list[Pending]:
        """Documents without a vector of `model`, newest first; only ids in `among` if given."""
        ...

    def stats(self, model: str, query: Query | None = None) -> IndexStats:
        """The size of the index, or of the scopes and kinds of a query."""
        ...


class Originals(Protocol):
    """The full texts behind digests."""

    def get(self, id: str) -> Original | None:
        """The original with this id; if several scopes have it, the one stored last."""
        ...
