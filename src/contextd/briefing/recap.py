"""Recap of a session for an agent whose window was compacted."""

from __future__ import annotations

import re
from collections.abc import Sequence

from contextd.sessions.episode import best_lines, plain
from contextd.sessions.thread import Thread, lines_of
from contextd.sessions.turns import Turn
from contextd_code.text.tokens import count_tokens
from contextd_code.text.words import one_line

_WORDS, _FOUND = 240, 220
_SHORTEST = 16
_LIST_MARK = re.compile(r"^\s*(?:[-*+•>]|\d{1,2}[.)]|#{1,6})\s*")


def recap(turns: Sequence[Turn], thread: Thread | None, budget: int) -> list[str]:
    """Lines within `budget` tokens: the work's status, then alternating, latest first, the user's statements
    and the agent's findings and decisions.
    """
    half = budget // 2
    lines = lines_of(thread, half) if thread is not None else []
    room = budget - sum(count_tokens(f"- {line}\n") for line in lines)
    text = "\n".join(lines)
    user_words, found = _user_words(turns), _findings(turns)
    for place in range(max(len(user_words), len(found))):
        for words in (user_words, found):
            line = words[place] if place < len(words) else ""
            cost = count_tokens(f"- {line}\n")
            if line and cost <= room and _core(line) not in text:
                lines.append(line)
                text += "\n" + line
                room -= cost
    return lines


def _core(line: str) -> str:
    return line.partition(": ")[2].rstrip(" …")[:120]


def _user_words(turns: Sequence[Turn]) -> list[str]:
    """The user's statements, latest first: a rule stated once holds for the whole session."""
    return [
        f"The user said: {one_line(words, _WORDS)}"
        for turn in reversed(turns)
        if not turn.taken_back
        for words in reversed((turn.prompt, *turn.answers))
        if len(words.strip()) >= _SHORTEST
    ]


def _findings(turns: Sequence[Turn]) -> list[str]:
    """The most informative lines of each answer, latest first; more lines of a summary that was handed over."""
    found: list[str] = []
    for turn in reversed(turns):
        if turn.taken_back:
            continue
        lines = best_lines(plain(turn.answer), 2 * _FOUND)[:3]
        lines += best_lines(plain(turn.summary), 6 * _FOUND)
        found += [
            f"Found or decided: {one_line(_LIST_MARK.sub('', line), _FOUND)}" for line in lines
        ]
    return list(dict.fromkeys(found))
