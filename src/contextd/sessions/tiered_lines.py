"""The briefing: what an agent should hold before its first step, within a token budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from contextd.domain.dataclass import dataclass
from contextd.domain.quoting import inline
from contextd.domain.tokens import count_tokens

HEADER = "Project briefing from contextd (recorded facts, quoted with source and age; they may be outdated)."

ALWAYS, BEARING = 0, 1
"""The tiers of what is told unasked: what always holds, and what bears on the task. Everything else is for
those who ask.
"""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a briefing. `id` names the record it quotes, `tier` and `why` say what put it there;
    lines with a higher `weight` stay when the budget is short.
    """

    text: str
    id: str = ""
    weight: float = 1.0
    tier: int = BEARING
    why: str = ""

    def __post_init__(self) -> None:
        """Quote the text: whatever it holds, it stays one line that opens no block."""
        object.__setattr__(self, "text", inline(self.text))


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with its lines, best first."""

    title: str
    lines: Sequence[Line]


@dataclass(frozen=True, slots=True)
class PackedBriefing:
    """A briefing's text, its tokens, the records in it, how many lines found no room, and the changes
    outside that it spoke of or kept back for having been told twice. `why` gives the tier and the reason
    of each record.
    """

    text: str
    tokens: int
    ids: list[str] = field(default_factory=list[str])
    left_out: int = 0
    changes: tuple[str, ...] = ()
    why: Mapping[str, tuple[int, str]] = field(default_factory=dict[str, tuple[int, str]])


def pack_briefing(sections: Sequence[Section], budget: int) -> PackedBriefing:
    """The sections in order, holding the heaviest lines that fit into `budget` tokens.

    Whole lines are dropped, never cut. A line's order inside its section is kept. A budget that has
    no room for the header gives an empty briefing.
    """
    if count_tokens(HEADER) > budget:
        return PackedBriefing("", 0, left_out=sum(len(section.lines) for section in sections))
    heads = {s.title: count_tokens(f"\n## {s.title}\n") for s in sections}
    ranked = sorted(
        ((line.weight, -i, -j) for i, s in enumerate(sections) for j, line in enumerate(s.lines)),
        reverse=True,
    )
    chosen: dict[int, set[int]] = {}
    spent, dropped = count_tokens(HEADER), 0
    for _, i, j in ((w, -i, -j) for w, i, j in ranked):
        cost = count_tokens(f"- {sections[i].lines[j].text}\n")
        if i not in chosen:
            cost += heads[sections[i].title]
        if spent + cost > budget:
            dropped += 1
            continue
        spent += cost
        chosen.setdefault(i, set()).add(j)
    parts, why = [HEADER], dict[str, tuple[int, str]]()
    for i, section in enumerate(sections):
        if i not in chosen:
            continue
        parts.append(f"\n## {section.title}")
        for j, line in enumerate(section.lines):
            if j in chosen[i]:
                parts.append(f"- {line.text}")
                if line.id:
                    why[line.id] = (line.tier, line.why)
    text = "\n".join(parts)
    return PackedBriefing(text, count_tokens(text), list(why), dropped, why=why)
