"""Recap of a session for an agent whose window was compacted."""

from __future__ import annotations

from collections.abc import Sequence

from contextd.sessions.ledger import LedgerEntry, chosen, ledger_of
from contextd.sessions.thread import Thread, lines_of
from contextd.sessions.turns import Turn
from contextd_code.text.tokens import count_tokens

_STATUS = 0.3
"""The share of the budget for the status of the work; the ledger of the session has the rest."""


def recap(
    turns: Sequence[Turn], thread: Thread | None, budget: int, *, window: str = ""
) -> list[str]:
    """Lines within `budget` tokens: the status of the work, then what is worth most of what the user and the
    agent said, in the order of the session. What `window`, the text the agent still has, says is left out.
    """
    lines = lines_of(thread, int(budget * _STATUS)) if thread is not None else []
    room = budget - sum(count_tokens(f"- {line}\n") for line in lines)
    known = "\n".join(line.partition(": ")[2] for line in lines)
    entries = chosen(ledger_of(turns), room, _cost, known=f"{known}\n{window}")
    return [*lines, *map(_line, entries)]


def _line(entry: LedgerEntry) -> str:
    return f"{entry.speaker.capitalize()}: {entry.text}"


def _cost(entry: LedgerEntry) -> int:
    return count_tokens(f"- {_line(entry)}\n")
