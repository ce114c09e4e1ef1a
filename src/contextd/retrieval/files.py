"""In which file to look: what the pieces of a file say together, and what past work says of it.

A file's score is a sum of a few plain signals. Their weights were fitted on the histories of five
repositories (httpx, click, express, datasette, petclinic: the subject of a commit asks for the files
it changed) and hold on others; `docs/howto/measure-localisation.md` has the figures.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import log, log1p

from contextd.domain.code import Chunk
from contextd.domain.words import content_words, words
from contextd.retrieval.hits import DENSE, LEXICAL, Hit, Part
from contextd.retrieval.rank import in_order

MEANING, WORDS, FURTHER, PATH, TEST = 0.58, 0.15, 0.12, 0.12, -0.02
"""What a file's best cosine is multiplied by; what its best BM25 score, the sum of the scores of its
pieces, and the words of its path add, each divided by the best file's; and what being a test costs.
"""

RECENT, LEAD = 0.07, 0.08
"""What lately changed files gain at most; and by how much the past must outdo the code to change what
comes first: the first place is where it is wrong most easily.
"""

ONE_NAME = 0.25
"""What meaning counts for a question that is nothing but a name."""

_TEST = re.compile(
    r"(?:^|/)(?:tests?|__tests__|specs?)/|(?:^|[/_.])tests?[_.]|_test\.|\.spec\.", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Past:
    """What past work says: the parts it adds to the scores of files, and, by any scale, how lately
    files were changed. It moves files that the code proposes too, and brings none in.
    """

    alike: Mapping[str, Sequence[Part]] = field(default_factory=dict[str, Sequence[Part]])
    recent: Mapping[str, float] = field(default_factory=dict[str, float])


def by_file(hits: Sequence[Hit], question: str, past: Past) -> list[Hit]:
    """The hits in the order in which to look at their files. The best piece of a file has the file's
    score, its other pieces only what they say themselves; what is no code stays as it is.
    """
    pieces: dict[str, list[Hit]] = {}
    others: list[Hit] = []
    most = max((hit.part(LEXICAL).raw for hit in hits), default=0.0)
    a_name = len(question.split()) == 1
    meaning = MEANING * (ONE_NAME if a_name else 1.0)
    for hit in hits:
        if isinstance(hit.content, Chunk):
            pieces.setdefault(hit.content.path, []).append(_alone(hit, most, meaning))
        else:
            others.append(hit)
    pieces = {path: in_order(own) for path, own in pieces.items()}
    best = _whole(pieces, question, most, meaning)
    if past.alike or past.recent:
        best = _with_past(best, past.alike, {} if a_name else past.recent)
    return in_order([*others, *best.values(), *(hit for own in pieces.values() for hit in own[1:])])


def _alone(hit: Hit, most: float, meaning: float) -> Hit:
    """A piece with what it says itself."""
    dense, lexical = hit.part(DENSE), hit.part(LEXICAL)
    parts = (
        replace(lexical, amount=WORDS * lexical.raw / most if most else 0.0),
        replace(dense, amount=meaning * max(0.0, dense.raw)),
    )
    return replace(hit, parts=tuple(part for part in parts if part.rank))


def _whole(
    pieces: Mapping[str, Sequence[Hit]], question: str, most: float, meaning: float
) -> dict[str, Hit]:
    """The best piece of each file, with the file's score but for the past."""
    sums = {path: sum(hit.part(LEXICAL).raw for hit in own) for path, own in pieces.items()}
    most_of_all = max(sums.values(), default=0.0)
    named = _named(pieces, question)
    found: dict[str, Hit] = {}
    for path, (first, *more) in pieces.items():
        lexical = max(hit.part(LEXICAL).raw for hit in (first, *more))
        dense = max(hit.part(DENSE).raw for hit in (first, *more))
        elsewhere = WORDS * (lexical - first.part(LEXICAL).raw) / most if most else 0.0
        elsewhere += meaning * (max(0.0, dense) - max(0.0, first.part(DENSE).raw))
        further = FURTHER * sums[path] / most_of_all if most_of_all else 0.0
        parts = [
            Part("file", elsewhere + further, why=_count(len(more) + 1)),
            Part("path", PATH * named[path], why="named by its path"),
            Part("test", TEST if _TEST.search(path) else 0.0),
        ]
        found[path] = first.plus([part for part in parts if part.amount])
    return found


def _count(pieces: int) -> str:
    return f"{pieces} pieces of the file match" if pieces > 1 else "the whole file"


def _named(paths: Iterable[str], question: str) -> dict[str, float]:
    """How much the question names each path, from 0 to 1: by words that few of these paths have, and
    for short paths a little more.
    """
    asked = frozenset(content_words(question))
    own = {path: words(path) for path in paths}
    shared = {path: asked.intersection(some) for path, some in own.items()}
    holders: dict[str, int] = {}
    for some in shared.values():
        for word in some:
            holders[word] = holders.get(word, 0) + 1
    weights = {w: log(1 + (len(own) - n + 0.5) / (n + 0.5)) for w, n in holders.items()}
    sums = {p: sum(weights[w] for w in some) / (1 + len(own[p]) / 20) for p, some in shared.items()}
    most = max(sums.values(), default=0.0) or 1.0
    return {path: value / most for path, value in sums.items()}


def _with_past(
    best: Mapping[str, Hit], alike: Mapping[str, Sequence[Part]], recent: Mapping[str, float]
) -> dict[str, Hit]:
    first = in_order(best.values())[0].id if best else ""
    lately = {path: log1p(recent.get(path, 0.0)) for path in best}
    most = max(lately.values(), default=0.0) or 1.0
    found: dict[str, Hit] = {}
    for path, hit in best.items():
        parts = list(alike.get(path, ()))
        if lately[path]:
            parts.append(Part("recent", RECENT * lately[path] / most, why="changed lately"))
        if hit.id == first:
            parts.append(Part("lead", LEAD, why="first by the code alone"))
        found[path] = hit.plus(parts)
    return found
