"""A store, and the view of it that one caller was granted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from contextd.domain.access import Grant
from contextd.domain.changes import Changes, Committed
from contextd.domain.code import (
    CodePlace,
)
from contextd.domain.conditions import Condition
from contextd.domain.lately import Lately
from contextd.domain.projects import Project
from contextd.domain.query import Query, Vector
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
from contextd.ports.upkeep import Upkeep
from contextd.ports.work import Jobs, Observations, Queue, Sessions


class View(Protocol):
    """What one grant can reach: the only way to data.

    Reads see what was committed before they began. There is no transaction to hold open: what is
    written together is one `Changes`.
    """

    grant: Grant
    records: Records
    survey: Survey
    contradictions: Contradictions
    index: Index
    files: Files
    sessions: Sessions
    originals: Originals
    observations: Observations
    jobs: Jobs

    def commit(self, changes: Changes, *, call: str = "") -> Committed:
        """Write all of a unit of work, or nothing. Acknowledged means committed: once it returns, the
        writes survive kill -9.

        Excludes what happened since the values were read: a record with another version than it was
        made from is a `Conflict`, and so is a second record with the same content where `alone` asks
        for none. A session is changed as it stands at that moment. It does not exclude other commits
        between a read and this one: whoever decides by what was read names it by a version. With
        `call`, the key of the call this is part of, a second commit under that key through a view of
        the same grant is a `Conflict`.
        Raises `Denied` for a cell that may not be written, `NotFound` for a session that is not there.
        """
        ...

    def near(
        self, vector: Vector, model: str, query: Query, limit: int
    ) -> list[tuple[Record, float]]:
        """The records `Index.dense` finds, with their cosines."""
        ...

    def sharing(
        self,
        asked: Sequence[Sequence[str]],
        query: Query,
        limit: int,
        *,
        also: Condition | None = None,
    ) -> list[Record]:
        """The records `Index.lexical` finds for the words of each asking, each once, in that order; before
        them a page of those of `query` that meet `also`.
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
        """The records that are both among the first `by_words` that `Index.lexical` finds and among the
        first `by_meaning` of `Index.dense`, with a cosine of `least` or more: nearest first, with it.
        """
        ...

    def lately(
        self,
        query: Query,
        rules: Query,
        person: Query,
        scope: Scope,
        *,
        sessions: int,
        observations: int,
    ) -> Lately:
        """What a briefing begins with, together: a page of records each of `query`, `rules` and `person`, the
        usage of the scopes of `query`, and of `scope` the latest sessions. `sessions` and `observations`
        say how many at most.
        """
        ...

    def answered(self, call: str) -> str | None:
        """What was answered to a call whose changes were committed: empty when the answer was not
        kept, None when nothing was committed under this key.
        """
        ...

    def keep_answer(self, call: str, answer: str) -> None:
        """Keep what was answered to a call that committed something."""
        ...


class Directory(Protocol):
    """Which projects there are, for everybody. Who may see which is decided by the caller's grant."""

    def all(self) -> list[Project]:
        """Every project, by scope."""
        ...

    def register(self, project: Project) -> Project:
        """Add a project, or its roots and aliases to the one that has its identity. A name that another
        project of the team has gets a number. Returns the project as it stands now.
        """
        ...

    def save(self, project: Project) -> None:
        """Replace what is known of the project with this scope."""
        ...


class Store(Protocol):
    """One organisation's data."""

    directory: Directory
    queue: Queue
    upkeep: Upkeep

    def view(self, grant: Grant, code: CodePlace | None = None) -> View:
        """What this grant can reach, standing in the checkout `code`. Cheap: one is made for every call."""
        ...

    def close(self) -> None:
        """Give back what this thread and process hold."""
        ...
