"""How records and indexed texts are asked for, in words every store understands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from contextd.domain.conditions import Condition
from contextd.domain.dataclass import dataclass
from contextd.domain.records import Record, digest
from contextd.domain.scope import Scope

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]
else:
    # Numpy takes 0.13 s to import, a tenth of what `init` may take, and only vectors need it.
    Vector = Any

CODE, EVENT = "code", "event"
"""Kinds of document that are not records: a chunk of code, a message of a session."""

Family = Literal["records", "messages", "code"]
"""Documents of one family of a scope share their word statistics: how rare a word is among notes says
nothing of how rare it is in code, nor what another project writes.
"""

FAMILIES: tuple[Family, ...] = ("records", "messages", "code")


def family_of(kind: str) -> Family:
    """The family that documents of a kind belong to."""
    return "code" if kind == CODE else "messages" if kind == EVENT else "records"


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What is looked for, and in which scopes. A view answers for those of them it was granted, area
    by area, as if the others did not exist.

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


class Match(NamedTuple):
    """An indexed document and how well it matched; higher is better."""

    id: str
    kind: str
    score: float


class Pending(NamedTuple):
    """A document without a vector: what it is a document of, and whose it is."""

    kind: str
    id: str
    scope: Scope


@dataclass(frozen=True, slots=True)
class IndexStats:
    """How much is indexed. `pending` documents have no vector of the asked model yet."""

    documents: int
    vectors: int
    pending: int
