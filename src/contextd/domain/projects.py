"""The repositories contextd knows."""

from __future__ import annotations

from dataclasses import field
from datetime import UTC, datetime

from contextd.domain.scope import PERSON, Scope
from contextd_common.dataclass import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """A repository contextd knows. `identity` is what it was first known by, unique among projects; `sightings` are
    what was seen of it since: first commits with remotes, ids, and where its checkouts have their history from. `roots`
    are its known checkouts, the latest last.

    A *part* (`part_of`) is what checkouts write that the owner does not trust: it reads the whole project and is read there
    once it has joined, which makes it one of the `parts` of the whole. A project that its owner joined to another one is a
    part that has joined.

    `news` is what was not shown to anyone yet, as `KIND:VALUE` (`projects/project_news.py`).
    """

    identity: str
    scope: Scope
    name: str
    roots: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    sightings: tuple[str, ...] = ()
    part_of: Scope | None = None
    parts: tuple[Scope, ...] = ()
    news: tuple[str, ...] = ()
    created_at: datetime = field(default_factory=lambda: datetime.now(UTC))

    @property
    def cascade(self) -> tuple[Scope, ...]:
        """The scopes that a call in this project reads, nearest first: its own, its parts, the whole, and the wider ones. The
        person is above all organisations.
        """
        own, *wider = self.scope.cascade
        whole = (self.part_of,) if self.part_of is not None else ()
        return tuple(dict.fromkeys((own, *self.parts, *whole, *wider, PERSON)))


THE_PERSON = Project(identity="person", scope=PERSON, name="person")
"""The project of calls about the person only. It is not in the list of projects."""
