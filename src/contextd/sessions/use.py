"""Whether what an agent was told unasked was of any use to it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from contextd.domain.records import digest
from contextd.domain.sessions import Event, Session
from contextd.domain.words import content_words

_NAME = re.compile(r"[\w-]+(?:[/.][\w-]+)+|\b[a-z]+[A-Z]\w+|\b\w+_\w+\b|\b[A-Z]{2,}\w*\b")
_SHARED_NAMES, _COVERED, _FEWEST = 3, 0.7, 5
"""Three names of a text, or seven in ten of five words or more in one breath, said again in what the agent
did. With two names, half of the words, or the words scattered over a long session, lines of one project
counted as used in most of its sessions.
"""

USED = "used"
"""Where a session keeps the records it was told that were of use to it."""

LINES = "told_lines"
"""Where a session keeps digests of what it was told that is no record."""

ENOUGH = 3
"""In so many sessions a thing is told unasked; was it of use to none of them, it rests."""


def told_in_vain(sessions: Iterable[Session]) -> Counter[str]:
    """In how many of these sessions, the latest first, each record was told since one had a use for it."""
    counts: Counter[str] = Counter()
    used: set[str] = set()
    for session in sessions:
        used.update(map(str, session.data.get(USED, ())))
        counts.update(id for id in session.injected if id not in used)
    return counts


def lines_told(sessions: Iterable[Session]) -> Counter[str]:
    """In how many of these sessions each line was told, by `line_digest`."""
    return Counter(str(line) for one in sessions for line in set(one.data.get(LINES, ())))


def line_digest(text: str) -> str:
    """What is the same of a line whatever its marks and order."""
    return digest(" ".join(sorted(set(content_words(text)))))[:12]


def told_lines(text: str) -> dict[str, Any]:
    """What a session keeps of the lines of a briefing."""
    lines = [line[2:] for line in text.splitlines() if line.startswith("- ")]
    return {LINES: list(dict.fromkeys(map(line_digest, lines)))} if lines else {}


def texts_after(events: Iterable[Event]) -> dict[str, list[str]]:
    """For each record that was injected, what the agent said and did in the session from then on, step by
    step. The
    transcript of a session that was forked begins with what was said before; and what an agent gave
    contextd to keep is no use of it, since it records again what it was just told.
    """
    steps: list[tuple[datetime, str]] = []
    injected_at: dict[str, datetime] = {}
    for event in events:
        if event.type == "injection":
            for id in event.data.get("records", ()):
                injected_at.setdefault(str(id), event.at)
        elif event.role == "assistant" and not event.data.get("sidechain") and not _to_us(event):
            given = event.data.get("input")
            steps.append((event.at, event.text if not given else f"{event.text} {given}"))
    return {id: [text for at, text in steps if at >= since] for id, since in injected_at.items()}


def _to_us(event: Event) -> bool:
    return "contextd" in str(event.data.get("tool", ""))


def was_used(text: str, steps: Sequence[str]) -> bool:
    """Whether what was told shows in what was done afterwards."""
    whole = "\n".join(steps)
    names = {name.casefold() for name in _NAME.findall(text)}
    done = whole.casefold()
    if sum(name in done for name in names) >= _SHARED_NAMES:
        return True
    words = set(content_words(text))
    if len(words) < _FEWEST:
        return False
    # Those that all steps together do not say, no single one does.
    return _covers(words, whole) and any(_covers(words, step) for step in steps)


def _covers(words: set[str], text: str) -> bool:
    return len(words & set(content_words(text))) >= _COVERED * len(words)
