"""Pack a briefing: the context an agent needs before its first step, within a token budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from contextd.domain.quoting import inline
from contextd_common.dataclass import dataclass
from contextd_common.text.tokens import count_tokens

HEADER = "Project briefing from contextd (recorded facts, quoted with source and age; they may be outdated)."

ALWAYS, BEARING = 0, 1
"""The tiers of injected context: what always applies, and what is relevant to the task. Everything else is
only returned on request.
"""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a briefing. `id` is the record it quotes; `tier` and `why` give the reason for including
    it. Lines with a higher `weight` stay if the budget is short.
    """

    text: str
    id: str = ""
    weight: float = 1.0
    tier: int = BEARING
    why: str = ""

    def __post_init__(self) -> None:
        """Quote the text, so that it stays one line and opens no Markdown block."""
        object.__setattr__(self, "text", inline(self.text))


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with its lines, best first."""

    title: str
    lines: Sequence[Line]


@dataclass(frozen=True, slots=True)
class PackedBriefing:
    """A briefing's text, its tokens, its records, the number of dropped lines, and the external changes it
    mentions or leaves out because they were shown twice already. `why` maps each record to its tier and
    reason.
    """

    text: str
    tokens: int
    ids: list[str] = field(default_factory=list[str])
    left_out: int = 0
    changes: tuple[str, ...] = ()
    why: Mapping[str, tuple[int, str]] = field(default_factory=dict[str, tuple[int, str]])


def pack_briefing(sections: Sequence[Section], budget: int) -> PackedBriefing:
    """Pack the sections in order, with the heaviest lines that fit into `budget` tokens.

    Lines are dropped whole, never cut, and keep their order within a section. If the header does not fit, the
    briefing is empty.
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
