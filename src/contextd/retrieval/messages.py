"""Which message of a session answers: what it is and where it stands, beside words and meaning.

A linear ranker over a few named signals, each a part of the score. Only differences between messages
count: the best one by words and meaning keeps its score, so that records beside them lose nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from heapq import nlargest
from math import log1p

from contextd.domain.dataclass import dataclass
from contextd.domain.documents import message_place
from contextd.domain.sessions import Event
from contextd.domain.words import words
from contextd.retrieval.hits import Hit, ScorePart
from contextd.retrieval.rank import in_order
from contextd.retrieval.weights import weights

SIGNALS = ("length", "question", "answer", "session", "speaker")

_LONGEST = 300
"""Characters from which a message is no longer any longer: few that the weights were fitted on are."""

_BEST_OF_SESSION = 3
_NOBODY = frozenset({"user", "assistant", "system", "tool"})
"""Roles that are no names: a question about users is not about what one of them said."""

_WHY = {
    "length": ("says much", "says little"),
    "question": ("says something", "asks itself"),
    "answer": ("answers a question like it", "answers no question like it"),
    "session": ("in a session about it", "in a session about something else"),
    "speaker": ("said by whom it names", "said by another"),
}


def by_message(hits: Sequence[Hit], question: str) -> list[Hit]:
    """The hits in the order in which messages answer; what is no message keeps its score."""
    messages = [hit for hit in hits if _spoken(hit) is not None]
    if len(messages) < 2:
        return list(hits)
    found, counts = signals(messages, question), weights("messages")
    best = found[max(range(len(messages)), key=lambda at: messages[at].score)]
    moved = {
        hit.id: hit.plus(
            [
                ScorePart(name, amount, why=_WHY[name][amount < 0])
                for name in SIGNALS
                if (amount := counts[name] * (own[name] - best[name]))
            ]
        )
        for hit, own in zip(messages, found, strict=True)
    }
    return in_order(moved.get(hit.id, hit) for hit in hits)


@dataclass(frozen=True, slots=True)
class _Said:
    """A message that was found, with its place in its session."""

    session: str
    seq: int
    event: Event
    score: float

    @property
    def asks(self) -> bool:
        return self.event.text.rstrip().endswith(("?", "？"))


def signals(hits: Sequence[Hit], question: str) -> list[Mapping[str, float]]:
    """What is told of each of these messages, by name, from 0 to about 1.

    `session` compares what else was found in its session with the best session; `answer` is the score
    of the question right before it.
    """
    messages = [one for hit in hits if (one := _spoken(hit)) is not None]
    by_place = {(one.session, one.seq): one for one in messages}
    sums: dict[str, float] = {}
    for session in {one.session for one in messages}:
        best = nlargest(_BEST_OF_SESSION, (one.score for one in messages if one.session == session))
        sums[session] = sum(best)
    most = max(sums.values(), default=0.0) or 1.0
    named = frozenset(words(question))
    found: list[Mapping[str, float]] = []
    for one in messages:
        before = by_place.get((one.session, one.seq - 1))
        role = [] if one.event.role in _NOBODY else words(one.event.role)
        found.append(
            {
                "length": log1p(min(_LONGEST, len(one.event.text))) / log1p(_LONGEST),
                "question": float(one.asks),
                "answer": before.score if before is not None and before.asks else 0.0,
                "session": sums[one.session] / most,
                "speaker": float(bool(role) and named.issuperset(role)),
            }
        )
    return found


def _spoken(hit: Hit) -> _Said | None:
    place, event = message_place(hit.id), hit.content
    return _Said(*place, event, hit.score) if place and isinstance(event, Event) else None
