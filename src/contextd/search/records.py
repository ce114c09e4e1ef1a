"""Which record answers, where somebody asked: what it is beside words, meaning and its own worth.

A linear ranker over named signals, each a part of the score. Only differences between records count: the best
one so far keeps its score, so that messages and code beside them lose nothing. What nobody asked for is not
ranked by this: limits read its scores.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from math import exp

from contextd.domain.records import Record
from contextd.domain.regex import regex
from contextd.domain.words import content_words
from contextd.search.asked import Asked
from contextd.search.hits import Hit, ScorePart
from contextd.search.rank import in_order
from contextd.search.weights import RECORDS, weights

SIGNALS = ("current",)

_A_WHILE = timedelta(days=30)
"""After this a record is a third as current. With 7 or 90 days it came out alike, within noise."""

_ASKS = regex(
    r"(?i)\s*(?:how|what|why|when|where|which|who|whose|is|are|was|were|do|does|did|has|have|should|may|can|could|will|would)\b"
)
_ORDERS = regex(r"(?i)\s*(?:please|(?:can|could|would|will) (?:you|we))\b")
"""`Can you add …?` asks for work, whatever its mark; `Can I use …?` does not."""

_LEAST = 0.001
"""What moves a score by less is not worth telling."""

_WHY = {"current": ("of present work", "of earlier work")}


def by_record(hits: Sequence[Hit], question: str, now: datetime | None) -> list[Hit]:
    """The hits in the order in which records answer; what is no record keeps its score. `hits` are in order,
    and `now` is when it is asked, where that is known.
    """
    records = [hit.content for hit in hits if isinstance(hit.content, Record)]
    if len(records) < 2 or now is None or not is_task(question):
        return list(hits)
    found, counts = signals(records, question, now), weights(RECORDS)
    amounts = {name: _against_first(found[name], counts[name]) for name in SIGNALS}
    rows, moved = zip(*amounts.values(), strict=True), list[Hit]()
    for hit in hits:
        if not isinstance(hit.content, Record):
            moved.append(hit)
            continue
        parts = [
            ScorePart(name, amount, 0, 0.0, _WHY[name][amount < 0.0])
            for name, amount in zip(SIGNALS, next(rows), strict=True)
            if not -_LEAST < amount < _LEAST
        ]
        moved.append(hit.with_parts((*hit.parts, *parts)) if parts else hit)
    return in_order(moved)


def _against_first(values: Sequence[float], count: float) -> list[float]:
    first = values[0]
    return [count * (value - first) for value in values]


def signals(
    records: Sequence[Record], question: str, now: datetime | None
) -> Mapping[str, Sequence[float]]:
    """What is told of these records, by name: a number from 0 to 1 for each.

    `current` falls with a record's age where the question is a task: work goes on with what was written
    lately, while "why is …" asks about any time.
    """
    current = [0.0] * len(records)
    if now is not None and is_task(question):
        # A record may have been written while the question was on its way.
        current = [exp(min(0.0, (one.updated_at - now) / _A_WHILE)) for one in records]
    return {"current": current}


def is_task(question: str) -> bool:
    """Whether a question says what is to be done or what happens, and does not ask what is or was."""
    first = question.strip().partition("\n")[0].rstrip()
    if _ORDERS.match(first):
        return True
    return not (first.endswith(("?", "？")) or _ASKS.match(first))


_BESIDE = 1
"""Words that a title may have besides those asked for."""


def titled_first(hits: Sequence[Hit], asked: Asked) -> list[Hit]:
    """The hits, records whose title is what was asked before all others: who names a note means it. `hits` are in
    order.
    """
    if not hits or not asked.count:
        return list(hits)
    top, named = hits[0].score, list[Hit]()
    for hit in hits:
        record = hit.record
        if record is None or not _is_titled(record.title, asked):
            named.append(hit)
            continue
        lift = ScorePart("title", max(0.0, top - hit.score) + _LEAST, why="has that title")
        named.append(hit.plus([lift]))
    return in_order(named)


def _is_titled(title: str, asked: Asked) -> bool:
    words = set(content_words(title)) if title else set()
    return asked.words <= words and len(words) <= asked.count + _BESIDE
