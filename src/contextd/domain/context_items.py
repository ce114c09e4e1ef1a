"""A context item: something contextd served in a session, and so part of the agent's window."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from typing import Any, Literal

from contextd_common.dataclass import dataclass

ItemType = Literal["file", "module", "discovery", "session"]
ItemStatus = Literal["active", "archived"]


@dataclass(frozen=True, slots=True)
class Serving:
    """Something that was just served, and its cost in tokens."""

    type: ItemType
    source: str
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextItem:
    """A file by its path, a module by its name, a record or a session by its id.

    `source` and `type` are its key in a session. The item holds what the window needs to know, not the text.
    `tokens` is the largest size it was served with. `reason` says why it was archived.
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
        """The item after it was served again: counted, and active."""
        return self.with_(
            tokens=max(self.tokens, tokens),
            count=self.count + 1,
            last_at=max(self.last_at, at),
            status="active",
            reason="",
        )


def first_served(serving: Serving, at: datetime) -> ContextItem:
    """A new item for something not yet served in the session."""
    return ContextItem(
        type=serving.type,
        source=serving.source,
        tokens=serving.tokens,
        count=1,
        first_at=at,
        last_at=at,
    )


def together(servings: Iterable[Serving]) -> list[Serving]:
    """One serving per source: the pieces of one answer count once, with their tokens added up."""
    tokens: dict[tuple[ItemType, str], int] = {}
    for serving in servings:
        key = serving.type, serving.source
        tokens[key] = tokens.get(key, 0) + max(0, serving.tokens)
    return [Serving(type, source, cost) for (type, source), cost in tokens.items()]
