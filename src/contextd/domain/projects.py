"""The repositories contextd knows."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime

from contextd.domain.scope import Scope


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
