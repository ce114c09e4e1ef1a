"""Detect messages that take back what was said or done before."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from contextd.domain.directives import sentences
from contextd.domain.ending_words import DENIAL
from contextd.domain.endings import ending_in
from contextd.sessions.retraction_words import ASKS_ABOUT, TAKES_BACK, TAKES_BACK_FIRST
from contextd.sessions.turns import Turn
from contextd_common.text.words import one_line

_READ = 400
"""Characters to examine: people retract at the beginning of a message."""

ALIKE, NEXT = 0.45, 0.25
"""Minimum cosine between a retraction and the earlier turn it concerns, and the lower one for the turn
directly before it, which is nearly always meant.
"""

_QUOTED = 120
"""Characters of a retraction that are shown beside what it takes back."""

_BACK = 4
"""Earlier turns that are compared."""


def takes_back(words: str) -> bool:
    """Whether a message takes something back, in one of ten languages."""
    start = words.strip()[:_READ]
    return bool(TAKES_BACK_FIRST.match(start) or TAKES_BACK.search(ASKS_ABOUT.sub("?", start)))


def names_a_rule(words: str) -> bool:
    """Whether what a message takes back is a rule that it names, not the turn before."""
    taking = [one for one in sentences(words) if takes_back(one)]
    return bool(taking) and not DENIAL.match(words) and all(map(ending_in, taking))


def mark_taken_back(turns: Sequence[Turn], likeness: Callable[[int, int], float]) -> list[int]:
    """Mark the turns that later words take back, and return the retracting turns.

    `likeness` of two turns is the cosine of the first one's topic and the user's words in the second.
    """
    taking: list[int] = []
    for later, turn in enumerate(turns):
        retraction = next((text for text in (turn.prompt, *turn.answers) if takes_back(text)), None)
        if retraction is None:
            continue
        taking.append(later)
        for earlier in range(max(0, later - _BACK), later):
            bar = NEXT if earlier == later - 1 and not names_a_rule(retraction) else ALIKE
            if likeness(earlier, later) >= bar:
                turns[earlier].taken_back = True
                turns[earlier].taken_back_by = (turn.key, one_line(retraction, _QUOTED))
    return taking


def mark_as_stored(turns: Sequence[Turn], stretches: Iterable[Sequence[Any]]) -> None:
    """Mark the turns within the stretches of a session that its data names as taken back."""
    for after, last, by, words in stretches:
        for turn in turns:
            if after < turn.last_seq <= last:
                turn.taken_back, turn.taken_back_by = True, (str(by), str(words))
