"""Whether what an agent was told unasked was of any use to it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime

from contextd.domain.sessions import Event
from contextd.domain.words import content_words

_NAME = re.compile(r"[\w-]+(?:[/.][\w-]+)+|\b[a-z]+[A-Z]\w+|\b\w+_\w+\b|\b[A-Z]{2,}\w*\b")
_SHARED_NAMES, _COVERED, _FEWEST = 3, 0.7, 5
"""Three names of a text, or seven in ten of five words or more, said again in what the agent did. With two
names or half of the words, lines of one project counted as used in most of its sessions.
"""


def texts_after(events: Iterable[Event]) -> dict[str, str]:
    """For each record that was injected, what the agent said and did in the session from then on. The
    transcript of a session that was forked begins with what was said before; and what an agent gave
    contextd to keep is no use of it, since it records again what it was just told.
    """
    said: list[tuple[datetime, str]] = []
    told: dict[str, datetime] = {}
    for event in events:
        if event.type == "injection":
            for id in event.data.get("records", ()):
                told.setdefault(str(id), event.at)
        elif event.role == "assistant" and not event.data.get("sidechain") and not _to_us(event):
            given = event.data.get("input")
            said.append((event.at, event.text if not given else f"{event.text} {given}"))
    return {id: "\n".join(text for at, text in said if at >= since) for id, since in told.items()}


def _to_us(event: Event) -> bool:
    return "contextd" in str(event.data.get("tool", ""))


def was_used(told: str, did: str) -> bool:
    """Whether what was told shows in what was done afterwards."""
    names = {name.casefold() for name in _NAME.findall(told)}
    done = did.casefold()
    if sum(name in done for name in names) >= _SHARED_NAMES:
        return True
    words = set(content_words(told))
    return len(words) >= _FEWEST and len(words & set(content_words(did))) >= _COVERED * len(words)
