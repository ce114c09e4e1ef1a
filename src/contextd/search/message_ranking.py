"""Rank messages by their role and position in a session, in addition to words and meaning.

A linear ranker over a few named signals, each a part of the score. Only differences between messages count:
the best one by words and meaning keeps its score, so records beside them do not lose.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from heapq import nlargest
from math import log1p

from contextd.domain.documents import message_place
from contextd.domain.sessions import Event
from contextd.search.boosts import in_order
from contextd.search.hits import Hit, ScorePart
from contextd.search.ranking_weights import weights
from contextd_common.dataclass import dataclass
from contextd_common.text.languages import ByLanguage
from contextd_common.text.words import words

SIGNALS = ("length", "question", "answer", "session", "assisted", "speaker", "own", "oneself")

_LONGEST = 300
"""Longer messages count as this many characters: few in the training data are longer."""

_BEST_OF_SESSION = 3
_USER = "user"
_NOBODY = frozenset({_USER, "assistant", "system", "tool"})
"""Roles that are not names: a question about users is not about what one of them said. With an assistant,
the user's question is followed by a long answer, which says nothing about either message.
"""

_OF_ONESELF = ByLanguage(
    {
        "en": r"(?<![\w/.-])(?:[Ii]|[Mm](?:y|e|ine)|[Ww]e|[Oo]urs?|us)(?![\w/-])",
        "de": r"\b(?:[Ii]ch|[Mm]ich|[Mm]ir|[Mm]eine?[mnrs]?|[Ww]ir|[Uu]ns|[Uu]nsere?[mnrs]?)\b",
        "fr": r"\b(?:[Jj]e|[Jj][’']|[Mm]oi|[Mm]on|[Mm]a|[Mm]es|[Nn]ous|[Nn]otre|[Nn]os|[Oo]n)(?:\b|(?<=[’']))",
        "es": r"\b(?:[Yy]o|[Mm]e|[Mm]i|[Mm]is|[Nn]os|[Nn]osotr[oa]s|[Nn]uestr[oa]s?)\b",
        "ja": r"私|僕|俺|自分|我々|うち(?:の|は)|弊社",
        "zh": r"我|咱|本人",
    },
    0,
)
"""Not the `I` of I/O, the `us` of us-east-1 or the US."""

_WHY = {
    "length": ("says much", "says little"),
    "question": ("says something", "asks itself"),
    "answer": ("answers a question like it", "answers no question like it"),
    "session": ("in a session about it", "in a session about something else"),
    "assisted": ("in a session about it", "in a session about something else"),
    "speaker": ("said by whom it names", "said by another"),
    "own": (
        "said by the user, who asks of themselves",
        "not said by the user, who asks of themselves",
    ),
    "oneself": ("says something of oneself", "says nothing of oneself"),
}


def by_message(hits: Sequence[Hit], question: str) -> list[Hit]:
    """The hits in order, with messages ranked; other hits keep their score."""
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
    """A message found, with its position in its session."""

    session: str
    seq: int
    event: Event
    score: float

    @property
    def asks(self) -> bool:
        return self.event.text.rstrip().endswith(("?", "？"))


def signals(hits: Sequence[Hit], question: str) -> list[Mapping[str, float]]:
    """The signals of each message, by name, from 0 to about 1.

    `session` compares the other hits of its session with the best session; `assisted` does the same where an
    assistant took part, because such sessions have fewer topics. `answer` is the score of the question right
    before it; like `length`, `question` and `oneself` (it says I or we), it only applies to people. `own`
    marks a message of the user if the question is about them ("which database did I choose").
    """
    messages = [one for hit in hits if (one := _spoken(hit)) is not None]
    by_place = {(one.session, one.seq): one for one in messages}
    sums: dict[str, float] = {}
    for session in {one.session for one in messages}:
        best = nlargest(_BEST_OF_SESSION, (one.score for one in messages if one.session == session))
        sums[session] = sum(best)
    most = max(sums.values(), default=0.0) or 1.0
    named = frozenset(words(question))
    of_oneself = _OF_ONESELF.search(question) is not None
    found: list[Mapping[str, float]] = []
    for one in messages:
        person = one.event.role not in _NOBODY
        before = by_place.get((one.session, one.seq - 1)) if person else None
        role = words(one.event.role) if person else []
        length = log1p(min(_LONGEST, len(one.event.text))) / log1p(_LONGEST)
        around = sums[one.session] / most
        found.append(
            {
                "length": length if person else 0.0,
                "question": float(person and one.asks),
                "answer": before.score if before is not None and before.asks else 0.0,
                "session": around if person else 0.0,
                "assisted": 0.0 if person else around,
                "speaker": float(bool(role) and named.issuperset(role)),
                "own": float(of_oneself and one.event.role == _USER),
                "oneself": float(person and _OF_ONESELF.search(one.event.text) is not None),
            }
        )
    return found


def _spoken(hit: Hit) -> _Said | None:
    place, event = message_place(hit.id), hit.content
    return _Said(*place, event, hit.score) if place and isinstance(event, Event) else None
