"""Simple baselines for learning: the last message, TextRank, the rules of 0.1."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from contextd.domain.sessions import Event
from contextd_bench.learning.recordings import Recording
from contextd_bench.learning.rules_of_0_1.extract import RuleFinding, extract
from contextd_common.text.tokens import count_tokens, trim_to_tokens
from contextd_common.text.words import content_words

_BUDGET = 350
"""The tokens a baseline may inject at a start: the budget of a briefing."""

_KEPT, _TOLD = 10, 5
_MOST_SENTENCES = 300
_DAMPING, _ROUNDS = 0.85, 40
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+|(?<=[。！？])")
_FEWEST_WORDS, _LONGEST = 4, 400


@dataclass(frozen=True, slots=True)
class Baseline:
    """`keeps` returns the statements to store from a session, `tells` the text to inject into the
    next one, from all sessions so far, the latest last.
    """

    name: str
    keeps: Callable[[Recording], list[str]]
    tells: Callable[[Sequence[Recording]], str]


def until(one: Recording, at: datetime) -> Recording:
    """What had been said in a recording by then."""
    exchanges = [each for each in one.exchanges if each.ended is not None and each.ended <= at]
    if len(exchanges) == len(one.exchanges):
        return one
    return Recording(
        one.project, one.name, one.external, one.lines, one.times, one.begins, exchanges
    )


def _nothing_kept(_: Recording) -> list[str]:
    return []


def _nothing_told(_: Sequence[Recording]) -> str:
    return ""


def _handed_off(one: Recording) -> list[str]:
    if not one.exchanges:
        return []
    answers = [each.answer for each in one.exchanges if each.answer]
    return [one.exchanges[-1].prompt, *answers[-1:]]


def _handoff(before: Sequence[Recording]) -> str:
    texts = _handed_off(before[-1]) if before else []
    return "\n".join(trim_to_tokens(text, _BUDGET // 2) or text[:600] for text in texts)


def _turn_ends(one: Recording) -> list[str]:
    return [each.answer for each in one.exchanges if each.answer]


def _ranked(one: Recording) -> list[str]:
    return textrank(_sentences(one), _KEPT)


def _ranked_told(before: Sequence[Recording]) -> str:
    return _bulleted(textrank(_sentences(before[-1]), _TOLD)) if before else ""


class _OldRules:
    """The rules of 0.1; what they find in a recording is worked out once."""

    def __init__(self) -> None:
        self._known: dict[Recording, list[RuleFinding]] = {}

    def findings(self, one: Recording) -> list[RuleFinding]:
        if one not in self._known:
            self._known[one] = extract(_events(one))
        return self._known[one]

    def keeps(self, one: Recording) -> list[str]:
        return [found.content for found in self.findings(one)]

    def tells(self, before: Sequence[Recording]) -> str:
        """The surest findings, of equally sure ones the latest, each once."""
        found = [
            (each.confidence, place, each.content)
            for place, one in enumerate(before)
            for each in self.findings(one)
        ]
        best = sorted(found, key=lambda row: (row[0], row[1]), reverse=True)
        return _bulleted(list(dict.fromkeys(text for _, _, text in best)))


def baselines() -> tuple[Baseline, ...]:
    """All last messages: not a baseline, but the upper limit of what agents' messages contain."""
    rules = _OldRules()
    return (
        Baseline("nothing", _nothing_kept, _nothing_told),
        Baseline("handoff", _handed_off, _handoff),
        Baseline("TextRank", _ranked, _ranked_told),
        Baseline("rules of 0.1", rules.keeps, rules.tells),
        Baseline("every turn's last message", _turn_ends, _nothing_told),
    )


def textrank(sentences: Sequence[str], count: int) -> list[str]:
    """The most central sentences (Mihalcea and Tarau 2004), in their order."""
    sentences = list(dict.fromkeys(sentences))[-_MOST_SENTENCES:]
    bags = [frozenset(content_words(text)) for text in sentences]
    terms = {word: place for place, word in enumerate(sorted(set().union(*bags)))}
    if not terms:
        return []
    uses = np.zeros((len(bags), len(terms)))
    for row, bag in enumerate(bags):
        uses[row, [terms[word] for word in bag]] = 1.0
    lengths = np.log(np.maximum(uses.sum(axis=1), 2.0))
    weights = (uses @ uses.T) / (lengths[:, None] + lengths[None, :])
    np.fill_diagonal(weights, 0.0)
    totals = weights.sum(axis=1, keepdims=True)
    steps = np.divide(weights, totals, out=np.zeros_like(weights), where=totals > 0)
    scores = np.ones(len(bags))
    for _ in range(_ROUNDS):
        scores = (1 - _DAMPING) + _DAMPING * steps.T @ scores
    best = sorted(np.argsort(-scores, kind="stable")[:count])
    return [sentences[place] for place in best]


def _sentences(one: Recording) -> list[str]:
    texts = [text for each in one.exchanges for text in (each.prompt, *each.answers)]
    pieces = [piece.strip() for text in texts for piece in _SENTENCE.split(text)]
    return [p for p in pieces if len(p) <= _LONGEST and len(content_words(p)) >= _FEWEST_WORDS]


def _events(one: Recording) -> list[Event]:
    events: list[Event] = []
    for each in one.exchanges:
        messages = [("user", each.prompt), *(("assistant", text) for text in each.answers)]
        for role, text in messages:
            events.append(
                Event(type="message", key=str(len(events)), at=each.at, role=role, text=text)
            )
        events += [
            Event(type="file_access", key=path, at=each.at, text=path)
            for path in sorted(each.edited)
        ]
    return events


def _bulleted(texts: Sequence[str]) -> str:
    lines: list[str] = []
    spent = 0
    for text in texts:
        line = f"- {' '.join(text.split())}"
        spent += count_tokens(line)
        if spent > _BUDGET:
            break
        lines.append(line)
    return "\n".join(lines)
