"""`MEMORY.md`: lasting lessons of sessions, with the evidence for each."""

from __future__ import annotations

from collections.abc import Sequence

from contextd.domain.quoting import inline
from contextd_common.dataclass import dataclass
from contextd_common.text.tokens import count_tokens
from contextd_common.text.words import one_line

BUDGET = 1_500
"""Token budget of the file: the size of the original's memory file (seed 004)."""

_LONGEST = 320


@dataclass(frozen=True, slots=True)
class Durable:
    """One memory: its section and text, and the number of sessions that stated it, used it, and rated it
    helpful.
    """

    section: str
    text: str
    times_said: int = 1
    used: int = 0
    helpful: int = 0

    @property
    def evidence(self) -> int:
        """The amount of evidence for it."""
        return self.times_said + self.used + 2 * self.helpful

    @property
    def line(self) -> str:
        """Its line in the file."""
        counts = [
            f"said in {self.times_said} sessions" if self.times_said > 1 else "",
            f"used in {self.used}" if self.used else "",
            f"found helpful {self.helpful}×" if self.helpful else "",
        ]
        counted = ", ".join(part for part in counts if part)
        return f"- {inline(one_line(self.text, _LONGEST))}" + (f" ({counted})" if counted else "")


def render(project: str, memories: Sequence[Durable], budget: int = BUDGET) -> str:
    """Render the file within `budget` tokens: sections in order of first occurrence, each with the
    best-supported memories first. Those with the least evidence are dropped if space runs out.
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
    return "\n\n".join(parts if len(parts) > 1 else [*parts, "No confirmed memories yet."])
