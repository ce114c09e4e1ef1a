"""Sequences of successful steps, comparable across sessions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from contextd.domain.records import digest
from contextd.sessions.turns import Turn
from contextd.skills.command_steps import forms
from contextd_code.dataclass import dataclass

PROCEDURES = "procedures"
"""Session data: its successful sequences of steps."""

SHORTEST, LONGEST = 3, 6
_MOST_KEPT = 120
_BETWEEN = " → "

_COMMON = ("git ", "gh ")
"""Programs that end any work: their steps alone are no skill."""


@dataclass(frozen=True, slots=True)
class Procedure:
    """A sequence of steps, and the commands behind them."""

    steps: tuple[str, ...]
    commands: tuple[str, ...]

    @property
    def key(self) -> str:
        """A hash of the sequence."""
        return digest(_BETWEEN.join(self.steps))[:16]

    def holds(self, other: Procedure) -> bool:
        """Whether the other sequence is part of this one."""
        mine, theirs = self.steps, other.steps
        starts = range(len(mine) - len(theirs) + 1)
        return any(mine[at : at + len(theirs)] == theirs for at in starts)


def procedures_of(turns: Iterable[Turn]) -> list[Procedure]:
    """The distinct sequences of three or more steps in successful turns, longest first. Repeated steps
    count once, failed commands not at all.
    """
    found: dict[str, Procedure] = {}
    for turn in turns:
        if not _ended_well(turn):
            continue
        taken: list[tuple[str, str]] = []
        for command, well in turn.commands:
            for form in forms(command) if well else ():
                if not taken or taken[-1][0] != form:
                    taken.append((form, command))
        for one in _sequences(taken):
            found.setdefault(one.key, one)
    return sorted(found.values(), key=lambda one: (-len(one.steps), one.key))[:_MOST_KEPT]


def _sequences(taken: Sequence[tuple[str, str]]) -> Iterable[Procedure]:
    for length in range(SHORTEST, LONGEST + 1):
        for start in range(len(taken) - length + 1):
            some = taken[start : start + length]
            steps = tuple(form for form, _ in some)
            own = [step for step in steps if not step.startswith(_COMMON)]
            # Repetition is trial and error, and git steps alone are common to all work.
            if len(set(steps)) == length and own:
                yield Procedure(steps, tuple(dict.fromkeys(command for _, command in some)))


def _ended_well(turn: Turn) -> bool:
    last = turn.commands[-1] if turn.commands else None
    return last is not None and last[1] and not turn.failing and not turn.taken_back


def returned(
    found: Sequence[Procedure], kept_before: Iterable[object], sessions: int
) -> list[tuple[Procedure, int]]:
    """The sequences that at least this many sessions have, including this one, with their counts: the
    longest ones, without parts of others.
    """
    seen: Counter[str] = Counter()
    for keys in kept_before:
        seen.update(set(map(str, keys)) if isinstance(keys, list) else ())
    chosen: list[tuple[Procedure, int]] = []
    for one in found:
        times = seen[one.key] + 1
        if times >= sessions and not any(other.holds(one) for other, _ in chosen):
            chosen.append((one, times))
    return chosen
