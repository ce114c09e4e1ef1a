"""Which record answers, where somebody asked: what it is beside words, meaning and its own worth.

A linear ranker over named signals, each a part of the score. Only differences between records count: the best
one so far keeps its score, so that messages and code beside them lose nothing. What nobody asked for is not
ranked by this: limits read its scores.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from math import exp, log1p

from contextd.domain.records import Record
from contextd.domain.regex import regex
from contextd.retrieval.hits import Hit, ScorePart
from contextd.retrieval.rank import in_order
from contextd.retrieval.reading import Said, read_said
from contextd.retrieval.weights import RECORDS, weights

SIGNALS = ("current", "length")

DAYS = 30
"""After so many days a record is a third as current. With 7 or 90 it came out alike, within noise."""

_LONGEST = 50
"""Words from which a record is no longer any longer."""

_ASKS = regex(
    r"(?i)\s*(?:how|what|why|when|where|which|who|whose|is|are|was|were|do|does|did|has|have|should|may)\b"
)
_ORDERS = regex(r"(?i)\s*(?:can|could|would|will|please)\b")
"""`Can you add …?` asks for work, whatever its mark."""

_WHY = {
    "current": ("of present work", "of earlier work"),
    "length": ("says much for its kind", "says little for its kind"),
}


def by_record(
    hits: Sequence[Hit], question: str, now: datetime | None, saying: Said = read_said
) -> list[Hit]:
    """The hits in the order in which records answer; what is no record keeps its score. `now` is when it is
    asked, where that is known; `saying` counts the words of a record.
    """
    records = [hit for hit in hits if hit.record is not None]
    if len(records) < 2:
        return list(hits)
    found, counts = signals(records, question, now, saying), weights(RECORDS)
    best = found[max(range(len(records)), key=lambda at: records[at].score)]
    moved = {
        hit.id: hit.plus(
            [
                ScorePart(name, amount, why=_WHY[name][amount < 0])
                for name in SIGNALS
                if (amount := counts[name] * (own[name] - best[name]))
            ]
        )
        for hit, own in zip(records, found, strict=True)
    }
    return in_order(moved.get(hit.id, hit) for hit in hits)


def signals(
    hits: Sequence[Hit], question: str, now: datetime | None, saying: Said = read_said
) -> list[Mapping[str, float]]:
    """What is told of each of these records, by name, from -1 to 1.

    `current` falls with a record's age where the question is a task: work goes on with what was written
    lately, while "why is …" asks about any time. `length` is compared with the others of its kind, since
    one kind is not worth more than another for its length.
    """
    records = [hit.record for hit in hits if hit.record is not None]
    told = now if is_task(question) else None
    lengths = [log1p(min(_LONGEST, saying(one).total)) / log1p(_LONGEST) for one in records]
    by_kind: dict[str, list[float]] = defaultdict(list)
    for one, length in zip(records, lengths, strict=True):
        by_kind[one.kind].append(length)
    means = {kind: sum(some) / len(some) for kind, some in by_kind.items()}
    return [
        {"current": _current(one, told), "length": length - means[one.kind]}
        for one, length in zip(records, lengths, strict=True)
    ]


def is_task(question: str) -> bool:
    """Whether a question says what is to be done or what happens, and does not ask what is or was."""
    first = question.strip().partition("\n")[0].rstrip()
    if _ORDERS.match(first):
        return True
    return not (first.endswith(("?", "？")) or _ASKS.match(first))


def _current(record: Record, now: datetime | None) -> float:
    if now is None:
        return 0.0
    return exp(-max(0.0, (now - record.updated_at).total_seconds()) / (86_400 * DAYS))
