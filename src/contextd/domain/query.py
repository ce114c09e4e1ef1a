"""How records and indexed texts are asked for, in words every store understands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from contextd.domain.conditions import Condition
from contextd.domain.records import Record, digest
from contextd.domain.scope import Scope

CODE, EVENT = "code", "event"
"""Kinds of document that are not records: a chunk of code, a message of a session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What may be looked at. Built by `Runtime.query`, which puts the caller's scopes in.

    Empty `kinds` means every kind of record. `where` compares typed fields: equality, or
    containment for a list field (`contextType` is never one). In an index, `where` sees facets only. `filter` is a further
    condition on typed fields; only records can be asked with one. So can `trust` and `source`, the
    name a source is shown by.
    """

    scopes: frozenset[Scope]
    kinds: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ("active",)
    tags: tuple[str, ...] = ()
    where: Mapping[str, Any] = field(default_factory=dict[str, Any])
    filter: Condition | None = None
    session: str = ""
    trust: str = ""
    source: str = ""
    min_confidence: float = 0.0
    valid_at: datetime | None = None
    limit: int = 50
    cursor: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """Records, newest first, and where the next page starts (empty at the end)."""

    records: list[Record]
    cursor: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A text to index. `near` holds neighbouring text that counts less, such as the turns around a
    message. `facets` are `name=value` strings a query can filter by, tags as `tag=…`.
    """

    id: str
    kind: str
    scope: Scope
    text: str
    near: str = ""
    status: str = "active"
    facets: tuple[str, ...] = ()
    confidence: float = 1.0
    valid_from: datetime | None = None
    valid_to: datetime | None = None

    @property
    def digest(self) -> str:
        """The hash its vector is kept under, so that equal text is embedded once."""
        return digest(self.text)


@dataclass(frozen=True, slots=True)
class Match:
    """An indexed document and how well it matched; higher is better."""

    id: str
    kind: str
    score: float


class Pending(NamedTuple):
    """A document without a vector: what it is of, and whose it is."""

    kind: str
    id: str
    scope: Scope


@dataclass(frozen=True, slots=True)
class IndexStats:
    """How much is indexed. `pending` documents have no vector of the asked model yet."""

    documents: int
    vectors: int
    pending: int
