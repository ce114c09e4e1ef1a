"""What is said on every stage, and what must and must not be read in it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from scripted_model import Asked, Turn, Use

BRIEFING = "Project briefing from contextd"
"""How every briefing begins."""

QUESTION = "The Stripe webhook charges twice, why?"
LEDGER = "Refunds are written to the ledger table before the provider is asked"
"""What the agent of the first session records."""

_LESSON = {
    "kind": "lesson",
    "title": "Refunds",
    "text": LEDGER,
    "fields": {"description": "When a refund is written", "outcome": "success"},
}
FIRST = (
    Turn("I read the code.", (Use("read_file", {"path": "no/such.py"}),)),
    Turn("I keep what I learned.", (Use("remember", _LESSON),)),
    Turn("It keeps no event id."),
)
"""A session that makes a mistake, learns something and says so."""

LATER = (
    Turn("I look it up.", (Use("context_search", {"query": "where are refunds written"}),)),
    Turn("That is what is known."),
)
"""A session that asks for what the first one learned."""

MISTAKE = "there is no file 'no/such.py'"
HINT = "did you mean 'prices.py'?"


def briefings(asked: Asked) -> int:
    """How often the briefing stands in a request."""
    return asked.text.count(BRIEFING)


def naming(folder: Path, turns: tuple[Turn, ...]) -> tuple[Turn, ...]:
    """The same turns, in which each call says which project it is about."""

    def named(use: Use) -> Use:
        return replace(use, arguments={**use.arguments, "project": str(folder)})

    return tuple(replace(turn, uses=tuple(map(named, turn.uses))) for turn in turns)
