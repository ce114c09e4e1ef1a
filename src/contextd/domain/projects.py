"""The repositories contextd knows."""

from __future__ import annotations

from dataclasses import field
from datetime import UTC, datetime

from contextd.domain.dataclass import dataclass
from contextd.domain.scope import PERSON, Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """A repository contextd knows. `identity` is what makes two clones one project; `roots` are the
    checkouts it was met in, the latest last.
    """

    identity: str
    scope: Scope
    name: str
    roots: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    created_at: datetime = field(default_factory=lambda: datetime.now(UTC))


THE_PERSON = Project(identity="person", scope=PERSON, name="person")
"""Where a call stands that is about the person and in no project. It is in no directory of projects."""
