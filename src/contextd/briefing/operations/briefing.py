"""Operation that returns the briefing of a project."""

from __future__ import annotations

from dataclasses import field
from typing import Annotated, Literal

from contextd.briefing.briefing import brief, quoted_in
from contextd.domain.details import RENDERED
from contextd.runtime.operation import operation
from contextd.runtime.runtime import Runtime
from contextd_common.dataclass import dataclass

_DEPTHS = {"minimal": 0.4, "standard": 1.0, "comprehensive": 3.0}


@dataclass(frozen=True, slots=True)
class Briefing:
    """A packed briefing. `items` are the ids of the records it quotes."""

    briefing: Annotated[str, RENDERED]
    token_count: int
    project: str
    items: list[str] = field(default_factory=list[str])
    left_out: int = 0

    def as_text(self) -> str:
        """The briefing itself."""
        return self.briefing


@operation("GET /api/briefing", profile="standard")
def briefing_get(
    runtime: Runtime,
    depth: Literal["minimal", "standard", "comprehensive"] = "standard",
    task: str = "",
) -> Briefing:
    """Get the project's briefing: description, recent work, rules, knowledge gaps.

    Args:
        depth: How much to include.
        task: Your task.
    """
    budget = round(runtime.settings.number("briefing.tokens") * _DEPTHS[depth])
    packed = brief(runtime, budget=budget, task=task)
    runtime.trace.read(packed.ids, type="briefing")
    runtime.trace.gave += quoted_in(packed.ids, packed.tokens)
    return Briefing(packed.text, packed.tokens, str(runtime.scope), packed.ids, packed.left_out)
