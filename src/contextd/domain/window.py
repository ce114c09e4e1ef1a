"""A context item: something contextd served in a session, and so a part of the agent's window."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal

ItemType = Literal["file", "module", "discovery", "session"]
ItemStatus = Literal["active", "archived"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextItem:
    """A file by its path, a module by its name, a piece of knowledge or a session by its id.

    `source` with `type` is its key in a session. What it says is kept where it comes from, whole;
    an item is only what the window needs to know of it. `tokens` is the most it was served with at
    once. `reason` says why it was archived.
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
