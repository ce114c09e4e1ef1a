"""Decide whether an agent used the context that was injected."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from contextd.domain.records import digest
from contextd.domain.sessions import Event, Session
from contextd_common.text.words import content_words

_NAME = re.compile(r"[\w-]+(?:[/.][\w-]+)+|\b[a-z]+[A-Z]\w+|\b\w+_\w+\b|\b[A-Z]{2,}\w*\b")
_SHARED_NAMES, _COVERED, _FEWEST = 3, 0.7, 5
"""A text was used if three of its names, or 70 % of at least five words within one step, recur in what the
agent did. With two names, half of the words, or words scattered over a long session, most sessions of a
project counted as uses.
"""

USED = "used"
"""Session data: the injected records that were used."""

LINES = "told_lines"
"""Session data: digests of injected lines that are no records."""

ENOUGH = 3
"""After this many sessions with an injection and no use, an item is muted."""


def told_in_vain(sessions: Iterable[Session]) -> Counter[str]:
    """For each record, the number of these sessions (latest first) that injected it since its last use."""
    counts: Counter[str] = Counter()
    used: set[str] = set()
    for session in sessions:
        used.update(map(str, session.data.get(USED, ())))
        counts.update(id for id in session.injected if id not in used)
    return counts


def lines_told(sessions: Iterable[Session]) -> Counter[str]:
    """In how many of these sessions each line was injected, by `line_digest`."""
    return Counter(str(line) for one in sessions for line in set(one.data.get(LINES, ())))


def line_digest(text: str) -> str:
    """A digest of a line that ignores punctuation and word order."""
    return digest(" ".join(sorted(set(content_words(text)))))[:12]


def told_lines(text: str) -> dict[str, Any]:
    """What a session stores about the lines of a briefing."""
    lines = [line[2:] for line in text.splitlines() if line.startswith("- ")]
    return {LINES: list(dict.fromkeys(map(line_digest, lines)))} if lines else {}


def injected_at(events: Iterable[Event]) -> dict[str, datetime]:
    """When each record was first injected."""
    found: dict[str, datetime] = {}
    for event in events:
        if event.type == "injection":
            for id in event.data.get("records", ()):
                found.setdefault(str(id), event.at)
    return found


def texts_after(events: Iterable[Event]) -> dict[str, list[str]]:
    """For each injected record, the agent's words and actions in the session from then on, step by step.
    Skips what a forked transcript repeats from before, and what the agent saved to contextd, since
    agents save again what they were just shown.
    """
    steps: list[tuple[datetime, str]] = []
    known = list(events)
    for event in known:
        if event.role == "assistant" and not event.data.get("sidechain") and not _to_us(event):
            given = event.data.get("input")
            steps.append((event.at, event.text if not given else f"{event.text} {given}"))
    return {
        id: [text for at, text in steps if at >= since] for id, since in injected_at(known).items()
    }


def _to_us(event: Event) -> bool:
    return "contextd" in str(event.data.get("tool", ""))


def was_used(text: str, steps: Sequence[str]) -> bool:
    """Whether injected text shows in later work."""
    whole = "\n".join(steps)
    names = {name.casefold() for name in _NAME.findall(text)}
    done = whole.casefold()
    if sum(name in done for name in names) >= _SHARED_NAMES:
        return True
    words = set(content_words(text))
    if len(words) < _FEWEST:
        return False
    # Words that all steps together lack are in no single step.
    return _covers(words, whole) and any(_covers(words, step) for step in steps)


def _covers(words: set[str], text: str) -> bool:
    return len(words & set(content_words(text))) >= _COVERED * len(words)
