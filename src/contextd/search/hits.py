"""Search results: values with the explanation of their own score."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from contextd.domain.records import Record
from contextd.domain.validity import CURRENT, Validity
from contextd_common.dataclass import dataclass

LEXICAL, DENSE = "words", "meaning"
"""The names of the two search methods."""

_MOVES = 2
"""Maximum boosts in the short explanation: with all six it was longer than a message."""


class Texted(Protocol):
    """Anything with a text: a record, a chunk of code, an event of a session."""

    @property
    def text(self) -> str:
        """The text."""
        ...


Hydrate = Callable[[Sequence[str]], Mapping[str, Texted]]
"""Returns the contents of documents by id; skips deleted ones."""


@dataclass(frozen=True, slots=True)
class ScorePart:
    """The amount a component or boost adds to a score.

    `rank` counts from 1 and `raw` is the component's own score; `rank` is 0 for a boost and for a component
    without the document.
    """

    name: str
    amount: float
    rank: int = 0
    raw: float = 0.0
    why: str = ""

    def with_amount(self, amount: float) -> ScorePart:
        """The part with another amount."""
        return ScorePart(self.name, amount, self.rank, self.raw, self.why)


def _named(parts: Sequence[ScorePart], name: str) -> ScorePart:
    for part in parts:
        if part.name == name:
            return part
    return ScorePart(name, 0.0)


@dataclass(frozen=True, slots=True)
class Candidate:
    """An indexed document that may match. Its score is the sum of its parts."""

    id: str
    kind: str
    parts: tuple[ScorePart, ...]

    @property
    def score(self) -> float:
        """Between 0 and 1 before boosts."""
        return sum([part.amount for part in self.parts])

    def part(self, name: str) -> ScorePart:
        """The part of the score called `name`; one that adds nothing if there is none."""
        return _named(self.parts, name)


@dataclass(frozen=True, slots=True)
class Hit:
    """A ranked candidate with its content. Its score is the sum of its parts and orders the hits of one
    search; `relevance`, above 0 and at most 1, is comparable across searches. `validity` is set where
    the store is available (`search/validity.py`).
    """

    id: str
    kind: str
    parts: tuple[ScorePart, ...]
    content: Texted
    relevance: float = 0.0
    validity: Validity = CURRENT

    @property
    def score(self) -> float:
        """The final score."""
        return sum([part.amount for part in self.parts])

    @property
    def text(self) -> str:
        """The text."""
        return self.content.text

    @property
    def record(self) -> Record | None:
        """The content, if it is a record."""
        return self.content if isinstance(self.content, Record) else None

    @property
    def why(self) -> str:
        """A short explanation of the rank: `words #1, meaning #4, confirmed helpful`. Only the largest
        boosts; the parts have all.
        """
        reasons = [f"{part.name} #{part.rank}" for part in self.parts if part.rank]
        moves = [
            part
            for part in self.parts
            if not part.rank and part.name not in (LEXICAL, DENSE) and abs(part.amount) >= 0.01
        ]
        most = sorted(moves, key=lambda part: -abs(part.amount))[:_MOVES]
        reasons += [part.why or part.name for part in moves if part in most]
        return ", ".join(reasons)

    def part(self, name: str) -> ScorePart:
        """The part of the score called `name`; one that adds nothing if there is none."""
        return _named(self.parts, name)

    def plus(self, parts: Sequence[ScorePart]) -> Hit:
        """The hit with more parts."""
        return self.with_parts((*self.parts, *parts))

    def with_parts(self, parts: tuple[ScorePart, ...]) -> Hit:
        """The hit with other parts."""
        return Hit(self.id, self.kind, parts, self.content, self.relevance, self.validity)

    def with_relevance(self, relevance: float) -> Hit:
        """The hit with another relevance."""
        return Hit(self.id, self.kind, self.parts, self.content, relevance, self.validity)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A candidate that was excluded, and why."""

    id: str
    kind: str
    score: float
    reason: str


@dataclass(frozen=True, slots=True)
class Lost:
    """Excluded candidates of a search: repeats of other hits, irrelevant ones, and deleted ones. Computed
    on demand, since it is rarely requested.
    """

    beaten: Sequence[Hit | LeftOut] = ()
    far: Sequence[Candidate] = ()
    missing: Sequence[Candidate] = ()

    def told(self) -> tuple[LeftOut, ...]:
        """Each excluded candidate, and the reason."""
        below, far = "below the limit", "not close enough to the question"
        return (
            *(h if isinstance(h, LeftOut) else _left_out(h, below) for h in self.beaten),
            *(_left_out(candidate, far) for candidate in self.far),
            *(_left_out(candidate, "no longer there") for candidate in self.missing),
        )


def _left_out(one: Hit | Candidate, reason: str) -> LeftOut:
    return LeftOut(one.id, one.kind, one.score, reason)


@dataclass(frozen=True, slots=True)
class Candidates:
    """The first half of a search: best first, before contents are read from the store.

    `notice` reports limits, such as a search by words only.
    """

    candidates: tuple[Candidate, ...]
    words: tuple[str, ...]
    notice: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a search: hits, best first, and excluded candidates. No hits means that nothing is
    relevant, provided it also searched `by_meaning`.
    """

    hits: tuple[Hit, ...]
    lost: Lost = Lost()
    notice: str = ""
    by_meaning: bool = True

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        """The excluded candidates with reasons."""
        return self.lost.told()
