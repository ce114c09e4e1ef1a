"""A context item: something contextd served in a session, and so a part of the agent's window."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from typing import Any, Literal

from contextd.domain.dataclass import dataclass

ItemType = Literal["file", "module", "discovery", "session"]
ItemStatus = Literal["active", "archived"]


@dataclass(frozen=True, slots=True)
class Serving:
    """Something that was just served, and what it cost in tokens."""

    type: ItemType
    source: str
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextItem:
    """A file by its path, a module by its name, a piece of knowledge or a session by its id.

    `source` with `type` is its key in a session. Its text stays where it comes from; an item holds
    only what the window needs to know of it. `tokens` is the most it was served with at once.
    `reason` says why it was archived.
    """

    type: ItemType
    source: str
    tokens: int
    count: int
    first_at: datetime
    last_at: datetime
    score: float = 0.0
    status: ItemStatus = "active"
    reason: str = ""

    def with_(self, **changes: Any) -> ContextItem:
        """A copy with these fields changed."""
        return replace(self, **changes)

    def served_again(self, tokens: int, at: datetime) -> ContextItem:
        """The item after it was served once more: counted, and active again."""
        return self.with_(
            tokens=max(self.tokens, tokens),
            count=self.count + 1,
            last_at=max(self.last_at, at),
            status="active",
            reason="",
        )


def first_served(serving: Serving, at: datetime) -> ContextItem:
    """The item of something that was not served in the session before."""
    return ContextItem(
        type=serving.type,
        source=serving.source,
        tokens=serving.tokens,
        count=1,
        first_at=at,
        last_at=at,
    )


def together(servings: Iterable[Serving]) -> list[Serving]:
    """One serving per source: the pieces of one answer count once, with their tokens together."""
    tokens: dict[tuple[ItemType, str], int] = {}
    for serving in servings:
        key = serving.type, serving.source
        tokens[key] = tokens.get(key, 0) + max(0, serving.tokens)
    return [Serving(type, source, cost) for (type, source), cost in tokens.items()]
