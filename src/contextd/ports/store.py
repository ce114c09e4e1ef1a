"""A store, and a caller's view of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from contextd.domain.access import Grant
from contextd.domain.changes import Changes, Committed
from contextd.domain.checkout_keys import CheckoutKey
from contextd.domain.conditions import Condition
from contextd.domain.projects import Project
from contextd.domain.query import Query, Vector
from contextd.domain.recent_activity import Lately
from contextd.domain.records import Record
from contextd.domain.scope import Scope
from contextd.ports.code import Files
from contextd.ports.knowledge import (
    Contradictions,
    Index,
    Originals,
    Records,
    Survey,
)
from contextd.ports.members import MemberTable
from contextd.ports.upkeep import Upkeep
from contextd.ports.work import Jobs, Observations, Queue, Replicas, ReplicaSignals, Sessions


class View(Protocol):
    """What a grant can reach: the only access to data.

    Reads see everything committed before they began. There are no open transactions: writes that belong
    together are one `Changes`. `files` is None in a store without code indexes, such as one for a team.
    """

    grant: Grant
    records: Records
    survey: Survey
    contradictions: Contradictions
    index: Index
    files: Files | None
    sessions: Sessions
    originals: Originals
    observations: Observations
    jobs: Jobs

    def commit(self, changes: Changes, *, call: str = "", answer: str = "") -> Committed:
        """Commit a unit of work atomically. Once it returns, the writes survive kill -9.

        Detects concurrent changes: a record with another version than expected is a `Conflict`, and so is a
        second record with the same content if `alone` is set; a second open session of one scope under a client's own id
        is `Stale`. A session change applies to the session's
        current state. Other commits between a read and this one are not excluded, so decisions based on a
        read must name its version. With `call`, the key of the call, a second commit under that key through a
        view of the same grant is a `Conflict`; `answer`, the answer of the call, is stored in the same transaction. Raises
        `Denied` for a cell without write permission, or by-products of one without read permission,
        `NotFound` for an unknown session, `Unavailable` for code in a store without code indexes.
        """
        ...

    def near(
        self, vector: Vector, model: str, query: Query, limit: int
    ) -> list[tuple[Record, float]]:
        """The records found by `Index.dense`, with their cosines."""
        ...

    def sharing(
        self,
        asked: Sequence[Sequence[str]],
        query: Query,
        limit: int,
        *,
        also: Condition | None = None,
    ) -> list[Record]:
        """The distinct records found by `Index.lexical` for each query, in order; before them a page of
        records of `query` that also meet `also`.
        """
        ...

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
        """Records in both the first `by_words` results of `Index.lexical` and the first `by_meaning` of
        `Index.dense`, with a cosine of at least `least`: nearest first, with the cosine.
        """
        ...

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
        """The input of a briefing in one call: a page of records each for `query`, `rules` and `person`,
        the usage of the scopes of `query`, and the latest sessions of `scopes`. `sessions` and
        `observations` are limits.
        """
        ...

    def answered(self, call: str) -> str | None:
        """The answer to a call whose changes were committed: empty if it was not stored, None if nothing
        was committed under this key.
        """
        ...

    def keep_answer(self, call: str, answer: str) -> None:
        """Store the answer to a call that committed in steps, once it is known."""
        ...


class Directory(Protocol):
    """The list of projects. It is not filtered: the caller's grant decides who sees which."""

    def all(self) -> list[Project]:
        """Every project, by scope."""
        ...

    def register(self, project: Project) -> Project:
        """Add a project, or add roots and aliases to the one with the same identity. A name taken by
        another project of the team gets a number. Returns the stored project.
        """
        ...

    def save(self, project: Project) -> None:
        """Replace the project with this scope."""
        ...


class Store(Protocol):
    """One organisation's data. `members` is None in a store of one person."""

    directory: Directory
    queue: Queue
    replicas: Replicas
    signals: ReplicaSignals
    upkeep: Upkeep
    members: MemberTable | None

    def view(self, grant: Grant, code: CheckoutKey | None = None) -> View:
        """A view for this grant, bound to the checkout `code`; a store without code indexes ignores that.
        Cheap: one is made for every call.
        """
        ...

    def close(self) -> None:
        """Release the resources of this thread and process."""
        ...
