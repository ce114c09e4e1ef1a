"""Recap of a session for an agent whose window was compacted."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from contextd.briefing.directive_lines import told_directives
from contextd.briefing.injection_tiers import tier_zero_tokens
from contextd.domain.quoting import inline
from contextd.domain.sessions import Session
from contextd.runtime.runtime import Runtime
from contextd.sessions.ledger import EntriesOfTurns, LedgerEntry, chosen, ledger_of, spread, unsaid
from contextd.sessions.session_binding import branch_of
from contextd.sessions.thread import Thread, lines_of, thread_of
from contextd.sessions.turns import Turn
from contextd_common.text.tokens import count_tokens
from contextd_common.text.words import unpunctuated

_STATUS = 0.12
"""The share of the budget for the status of the work; the ledger of the session has the rest. With 0.3, requests of
the last turns displaced eight of 168 planted facts, and no piece of real gold needed them.
"""

_LONGEST = 180
"""Characters of a quoted sentence. With 260, three facts fewer of 120 fit."""


def recap(
    turns: Sequence[Turn],
    thread: Thread | None,
    budget: int,
    *,
    window: str = "",
    known_turns: EntriesOfTurns | None = None,
) -> list[str]:
    """Lines within `budget` tokens: the status of the work, then what is worth most of what the user and the
    agent said, in the order of the session. What `window`, the text the agent still has, says is left out.
    """
    status = lines_of(thread, int(budget * _STATUS)) if thread is not None else []
    lines = _unsaid(status, window) if window else status
    room = budget - sum(count_tokens(f"- {line}\n") for line in lines)
    known = "\n".join(line.partition(": ")[2] for line in lines)
    stated = spread(ledger_of(turns, _LONGEST, by_form=True, known=known_turns))
    entries = chosen(stated, room, _cost, known=f"{known}\n{window}")
    passages = groupby(entries, key=lambda entry: (entry.turn, entry.speaker))
    return [*lines, *(_line(speaker, list(passage)) for (_, speaker), passage in passages)]


def turns_read(runtime: Runtime) -> EntriesOfTurns:
    """The turns whose ledger was read: CONTEXT.md, compactions and the end of a session read the same turns."""
    return runtime.organisation.caches.of("ledgers of turns", _TURNS)


_TURNS = 400
"""Turns of some 10 kB with their entries: those of the sessions that run at a time."""


def recapped(
    runtime: Runtime, session: Session, turns: Sequence[Turn], ask: str = ""
) -> tuple[str, dict[str, tuple[int, str]]]:
    """Rebuild the context of a session after a compaction, with `ask` at its end: the session so far and
    the directives, with their tier and reason.
    """
    budget = runtime.settings.number("compaction.tokens") - count_tokens(f"{_RECAP}\n{ask}")
    root = str(runtime.checkout.root) if runtime.checkout else session.cwd
    thread = thread_of(turns, branch=branch_of(session), root=root)
    window = turns[-1].summary if turns else ""
    lines = recap(turns, thread, budget, window=window, known_turns=turns_read(runtime))
    directives = told_directives(
        runtime, tier_zero_tokens(runtime), work=" ".join(lines), aged=True
    )
    # Only word for word: a rule that the window states nearly so is worth its tokens.
    known = unpunctuated("\n".join((window, *lines)))
    rules = [
        line
        for line in (*directives.personal, *directives.lines)
        if line.id not in directives.records
        or unpunctuated(directives.records[line.id].content) not in known
    ]
    parts = [_RECAP, *(f"- {inline(line)}" for line in lines)] if lines else []
    parts += [_IN_FORCE, *(f"- {line.text}" for line in rules)] if rules else []
    text = "\n".join(parts).strip()
    if text:
        runtime.trace.own_texts.append(text)
    why = {line.id: (line.tier, line.why) for line in rules if line.id}
    return "\n\n".join(filter(None, (text, ask))), why


_IN_FORCE = "\n## Always"
_RECAP = "This session so far, from contextd (quoted from its own record):"


def _unsaid(status: Sequence[str], window: str) -> list[str]:
    """The lines of a status without what the window says."""
    labelled = [line.partition(": ") for line in status]
    rests = unsaid([text for _, _, text in labelled], window)
    return [f"{label}: {rest}" for (label, _, _), rest in zip(labelled, rests, strict=True) if rest]


def _line(speaker: str, entries: Sequence[LedgerEntry]) -> str:
    """The sentences of one passage behind its speaker: a label for each sentence took 18% of the budget."""
    *before, last = [entry.text for entry in entries]
    ended = (text if text.endswith(_ENDS) else f"{text};" for text in before)
    return f"{speaker.capitalize()}: {' '.join((*ended, last))}"


_ENDS = (".", "!", "?", ":", ";", "…", "。", "！", "？")


def _cost(entry: LedgerEntry, joins: bool) -> int:
    return count_tokens(f"{entry.text};" if joins else f"- {_line(entry.speaker, [entry])}\n")
