"""`MEMORY.md`: what sessions taught for good, with what speaks for each of it."""

from __future__ import annotations

from collections.abc import Sequence

from contextd.domain.dataclass import dataclass
from contextd.domain.quoting import inline
from contextd.domain.tokens import count_tokens
from contextd.domain.words import one_line

BUDGET = 1_500
"""Tokens of all of it: what the memory file of the original took (seed 004)."""

_LONGEST = 320


@dataclass(frozen=True, slots=True)
class Durable:
    """One memory: its section, what it says, and how many sessions said it, used it, and found it of help."""

    section: str
    text: str
    times_said: int = 1
    used: int = 0
    helpful: int = 0

    @property
    def evidence(self) -> int:
        """How much speaks for it."""
        return self.times_said + self.used + 2 * self.helpful

    @property
    def line(self) -> str:
        """As it stands in the file."""
        counts = [
            f"said in {self.times_said} sessions" if self.times_said > 1 else "",
            f"used in {self.used}" if self.used else "",
            f"found helpful {self.helpful}×" if self.helpful else "",
        ]
        counted = ", ".join(part for part in counts if part)
        return f"- {inline(one_line(self.text, _LONGEST))}" + (f" ({counted})" if counted else "")


def render(project: str, memories: Sequence[Durable], budget: int = BUDGET) -> str:
    """The file's text within `budget` tokens: sections in the order in which they first occur, in each what
    most speaks for first. What has the least evidence goes first where there is no room.
    """
    left = sorted(memories, key=lambda one: -one.evidence)
    while left and count_tokens(_text(project, memories, left)) > budget:
        left.pop()
    return _text(project, memories, left)


def _text(project: str, memories: Sequence[Durable], chosen: Sequence[Durable]) -> str:
    sections = dict.fromkeys(one.section for one in memories)
    parts = [f"# Memory of {inline(project)}"]
    for section in sections:
        lines = [one.line for one in chosen if one.section == section]
        if lines:
            parts.append("\n".join([f"## {inline(section)}", *lines]))
    return "\n\n".join(parts if len(parts) > 1 else [*parts, "Nothing is known for sure yet."])
