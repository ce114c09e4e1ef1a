"""Score and prune a session's context window, as pure functions.

score = 0.6 · recency + 0.4 · access, after the seed's FR-6: recency is 1.0 now and falls linearly to
0.0 at 30 days, access is the item's count by the largest count of all items.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from contextd.domain.context_items import ContextItem
from contextd.domain.time import age

RECENCY, ACCESS = 0.6, 0.4
SPAN = timedelta(days=30)
FULL, TARGET = 0.80, 0.64
"""Fill levels of the window above which items are archived, and down to which."""


def recency(last_at: datetime, now: datetime) -> float:
    """1.0 for something used now, 0.0 for something not used for 30 days."""
    return min(1.0, max(0.0, 1.0 - (now - last_at) / SPAN))


def scored(items: Sequence[ContextItem], now: datetime) -> list[ContextItem]:
    """The items with their scores, from 0 to 1, at `now`."""
    most = max((item.count for item in items), default=0)
    return [
        item.with_(
            score=round(
                RECENCY * recency(item.last_at, now) + ACCESS * (item.count / most if most else 0),
                4,
            )
        )
        for item in items
    ]


def used(items: Sequence[ContextItem]) -> int:
    """Tokens of the active items."""
    return sum(item.tokens for item in items if item.status == "active")


def pruned(items: Sequence[ContextItem], capacity: int, now: datetime) -> list[ContextItem]:
    """Select the items to archive, lowest score first, with the reason; empty while the window is less than
    80 % full. The remaining active items take at most 64 % of `capacity` tokens. Expects scored items.
    """
    total = used(items)
    if total <= FULL * capacity:
        return []
    share = f"window {percent(total, capacity)}% full"
    archived_items = []
    # Among equal scores the least recently used item goes first, then the largest.
    order = sorted(items, key=lambda i: (i.score, i.last_at, -i.tokens, i.type, i.source))
    for item in order:
        if total <= TARGET * capacity:
            break
        if item.status == "active":
            total -= item.tokens
            last = age(item.last_at, now)
            reason = f"{share}; score {item.score:.2f}, used {item.count}×, last {last}"
            archived_items.append(item.with_(status="archived", reason=reason))
    return archived_items


def percent(tokens: int, capacity: int) -> int:
    """The fill level of the window, in whole percent."""
    return round(100 * tokens / capacity) if capacity else 0


def usage_line(tokens: int, capacity: int) -> str:
    """`65% (65,000 / 100,000 tokens)`."""
    return f"{percent(tokens, capacity)}% ({tokens:,} / {capacity:,} tokens)"
