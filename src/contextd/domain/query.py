"""Queries for records and indexed texts, understood by every store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from contextd.domain.conditions import Condition
from contextd.domain.records import Record, digest
from contextd.domain.scope import Scope
from contextd_common.dataclass import dataclass

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]
else:
    # Importing numpy takes 0.13 s, a tenth of the budget of `init`, and only vectors need it.
    Vector = Any

CODE, EVENT = "code", "event"
"""Kinds of document that are not records: a chunk of code and a message of a session."""

Family = Literal["records", "messages", "code"]
"""A group of documents in a scope that share word statistics: how rare a word is in notes says nothing
about code or about another project.
"""

FAMILIES: tuple[Family, ...] = ("records", "messages", "code")


def family_of(kind: str) -> Family:
    """The family of a kind of document."""
    return "code" if kind == CODE else "messages" if kind == EVENT else "records"


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What to look for, in which scopes. A view ignores scopes and areas outside its grant, as if they did
    not exist.

    Empty `kinds` means every kind of record. `where` compares typed fields: equality, or containment for a
    list field (`contextType` is never a list). In an index, `where` sees facets only. `filter` is a further
    condition on typed fields. `filter`, `trust` and `source` (the displayed name of a source) apply to
    records only. With `code_of`, no code of another scope is found: parts of a project have copies of it.
    """

    scopes: frozenset[Scope]
    code_of: Scope | None = None
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
    """Records, newest first, and the cursor of the next page (empty at the end)."""

    records: list[Record]
    cursor: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A text to index. `near` holds context that counts less, such as the turns around a message. `facets`
    are `name=value` strings a query can filter by, tags as `tag=…`.
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
        """The hash that identifies its vector, so that equal text is embedded once."""
        return digest(self.text)


class Match(NamedTuple):
    """An indexed document and its score; higher is better."""

    id: str
    kind: str
    score: float


class Pending(NamedTuple):
    """A document without a vector, with its kind and scope."""

    kind: str
    id: str
    scope: Scope


@dataclass(frozen=True, slots=True)
class IndexStats:
    """The size of the index. `pending` documents have no vector of the given model yet."""

    documents: int
    vectors: int
    pending: int
