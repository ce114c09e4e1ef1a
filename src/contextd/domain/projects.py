"""The repositories contextd knows."""

from __future__ import annotations

from dataclasses import field
from datetime import UTC, datetime

from contextd.domain.scope import PERSON, Scope
from contextd_code.dataclass import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """A repository contextd knows. `identity` is what it was first known by, unique among projects; `sightings` are
    what was seen of it since: first commits with remotes, ids, and where its checkouts have their history from. `roots`
    are its known checkouts, the latest last.
    """

    identity: str
    scope: Scope
    name: str
    roots: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    sightings: tuple[str, ...] = ()
    created_at: datetime = field(default_factory=lambda: datetime.now(UTC))


THE_PERSON = Project(identity="person", scope=PERSON, name="person")
"""The project of calls about the person only. It is not in the list of projects."""
