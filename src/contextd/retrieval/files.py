"""In which file to look: what the pieces of a file say together, and what past work says of it.

A file's score is a sum of a few plain signals. Their weights were fitted on the histories of five
repositories (httpx, click, express, datasette, petclinic: the subject of a commit asks for the files
it changed) and hold on others; `docs/howto/measure-localisation.md` has the figures.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import field, replace
from math import log, log1p

from contextd.domain.code import DOCUMENTS, VALUES, Chunk
from contextd.domain.dataclass import dataclass
from contextd.domain.words import content_words, query_words, words
from contextd.retrieval.hits import DENSE, LEXICAL, Hit, ScorePart
from contextd.retrieval.rank import in_order

MEANING, WORDS, FURTHER, PATH, TEST = 0.58, 0.15, 0.12, 0.12, -0.02
"""What a file's best cosine is multiplied by; what its best BM25 score, the sum of the scores of its
pieces, and the words of its path add, each divided by the best file's; and what being a test costs.
"""

DATA = -0.1
"""What being a file of data costs where the question does not ask for one. By hand, on questions to
one web application with translations: all of its texts are in there, and none of its code.
"""

PROSE = -0.2
"""What being a document costs where the question does not ask for one. Chosen on one repository (h3) among
0, −0.1 and −0.2; on another (starlette) it moves MRR from 59.0 to 71.5.
"""

RECENT, LEAD = 0.07, 0.12
"""What lately changed files gain at most; and by how much the past must outdo the code to change what
comes first: the first place is where it is wrong most easily.
"""

ONE_NAME = 0.25
"""What meaning counts for a question that is nothing but a name."""

K1, B = 1.2, 0.75
_MOST_WORDS = 64

_TEST = re.compile(
    r"(?:^|/)(?:tests?|__tests__|specs?)/|(?:^|[/_.])tests?[_.]|_test\.|\.spec\.", re.IGNORECASE
)
_ASKS_DATA = frozenset(
    words(
        """json yaml yml toml xml csv svg ini config configuration configured setting settings
        translation translations translated translate locale locales i18n l10n fixture fixtures
        dependency dependencies workflow manifest"""
    )
)
_ASKS_PROSE = frozenset(
    words(
        """doc docs document documents documented documentation readme changelog guide guides tutorial
        manual markdown md rst typo typos wording spelling contributing license notebook"""
    )
)
_IDENTIFIER = re.compile(r"\w[._-]\w")
"""In a question of code this may be a key, or a name: either way it asks for a very text."""


@dataclass(frozen=True, slots=True)
class Past:
    """What past work says: the parts it adds to the scores of files, and, by any scale, how lately
    files were changed. It moves files that the code proposes too, and brings none in.
    """

    alike: Mapping[str, Sequence[ScorePart]] = field(default_factory=dict[str, Sequence[ScorePart]])
    recent: Mapping[str, float] = field(default_factory=dict[str, float])


def by_file(hits: Sequence[Hit], question: str, past: Past) -> list[Hit]:
    """The hits in the order in which to look at their files. The best piece of a file has the file's
    score, its other pieces only what they say themselves; what is no code stays as it is.
    """
    chunks = {hit.id: hit.content for hit in hits if isinstance(hit.content, Chunk)}
    said = _said(chunks, query_words(question)[:_MOST_WORDS])
    most = max(said.values(), default=0.0) or 1.0
    a_name = len(question.split()) == 1
    meaning = MEANING * (ONE_NAME if a_name else 1.0)
    own = {hit.id: _Own(said[hit.id], hit.part(DENSE).raw) for hit in hits if hit.id in chunks}
    pieces: dict[str, list[Hit]] = {}
    for hit in hits:
        if hit.id in chunks:
            alone = _alone(hit, WORDS * own[hit.id].words / most, meaning)
            if not _asks_for(question, chunks[hit.id]):
                alone = alone.plus([_unasked(chunks[hit.id])])
            pieces.setdefault(chunks[hit.id].path, []).append(alone)
    pieces = {path: in_order(some) for path, some in pieces.items()}
    best = _whole(pieces, own, question, WORDS / most, meaning)
    if past.alike or past.recent:
        best = _with_past(best, past.alike, {} if a_name else past.recent)
    others = [hit for hit in hits if hit.id not in chunks]
    return in_order([*others, *best.values(), *(hit for own in pieces.values() for hit in own[1:])])


@dataclass(frozen=True, slots=True)
class _Own:
    """What a piece says itself: its BM25 score among the pieces, and its cosine."""

    words: float
    cosine: float


def _said(chunks: Mapping[str, Chunk], asked: Sequence[str]) -> dict[str, float]:
    """BM25 (k1 1.2, b 0.75) of each piece with its path and name, among these pieces only. The scores
    of the index count records and messages too: a memory of short notes makes all code look long.
    """
    wanted = frozenset(asked)
    counts: dict[str, Counter[str]] = {}
    lengths: dict[str, int] = {}
    for id, chunk in chunks.items():
        every = words(f"{chunk.path} {chunk.symbol}\n{chunk.text}")
        counts[id], lengths[id] = Counter(w for w in every if w in wanted), len(every)
    mean = sum(lengths.values()) / max(1, len(lengths)) or 1.0
    weights = _rareness([count.keys() for count in counts.values()])
    return {
        id: sum(
            weights[word] * n * (K1 + 1) / (n + K1 * (1 - B + B * lengths[id] / mean))
            for word, n in count.items()
        )
        for id, count in counts.items()
    }


def _rareness(holders: Collection[Iterable[str]]) -> dict[str, float]:
    """The idf of each word among those that hold some (Robertson and Zaragoza 2009)."""
    having = Counter(word for some in holders for word in some)
    return {w: log(1 + (len(holders) - n + 0.5) / (n + 0.5)) for w, n in having.items()}


def _alone(hit: Hit, lexical: float, meaning: float) -> Hit:
    """A piece with what it says itself."""
    dense = hit.part(DENSE)
    parts = (
        replace(hit.part(LEXICAL), amount=lexical),
        replace(dense, amount=meaning * max(0.0, dense.raw)),
    )
    return replace(hit, parts=tuple(part for part in parts if part.amount or part.rank))


def _whole(
    pieces: Mapping[str, Sequence[Hit]],
    own: Mapping[str, _Own],
    question: str,
    lexical: float,
    meaning: float,
) -> dict[str, Hit]:
    """The best piece of each file, with the file's score but for the past."""
    sums = {path: sum(own[hit.id].words for hit in some) for path, some in pieces.items()}
    most = max(sums.values(), default=0.0) or 1.0
    named = _named(pieces, question)
    found: dict[str, Hit] = {}
    for path, (first, *more) in pieces.items():
        every = [own[hit.id] for hit in (first, *more)]
        elsewhere = lexical * (max(one.words for one in every) - every[0].words)
        elsewhere += meaning * (
            max(0.0, *(one.cosine for one in every)) - max(0.0, every[0].cosine)
        )
        parts = [
            ScorePart("file", elsewhere + FURTHER * sums[path] / most, why=_count(len(every))),
            ScorePart("path", PATH * named[path], why="named by its path"),
            ScorePart("test", TEST if _TEST.search(path) else 0.0),
        ]
        found[path] = first.plus([part for part in parts if part.amount])
    return found


def _asks_for(question: str, piece: Chunk) -> bool:
    """Whether the piece is code, or the question asks for what it is: for a document by what those are
    called, for data also by a key or nothing but a name, or by the file's own name or folder.
    """
    if piece.language in DOCUMENTS:
        return not _ASKS_PROSE.isdisjoint(content_words(question))
    if piece.language not in VALUES:
        return True
    if len(question.split()) == 1 or _IDENTIFIER.search(question):
        return True
    own = words("/".join(piece.path.split("/")[-2:]))
    return not _ASKS_DATA.union(own).isdisjoint(content_words(question))


def _unasked(piece: Chunk) -> ScorePart:
    if piece.language in DOCUMENTS:
        return ScorePart("document", PROSE)
    return ScorePart("data", DATA)


def _count(pieces: int) -> str:
    return f"{pieces} pieces of the file match" if pieces > 1 else "the whole file"


def _named(paths: Iterable[str], question: str) -> dict[str, float]:
    """How much the question names each path, from 0 to 1: by words that few of these paths have, and
    for short paths a little more.
    """
    asked = frozenset(content_words(question))
    own = {path: words(path) for path in paths}
    shared = {path: asked.intersection(some) for path, some in own.items()}
    weights = _rareness(shared.values())
    sums = {p: sum(weights[w] for w in some) / (1 + len(own[p]) / 20) for p, some in shared.items()}
    most = max(sums.values(), default=0.0) or 1.0
    return {path: value / most for path, value in sums.items()}


def _with_past(
    best: Mapping[str, Hit], alike: Mapping[str, Sequence[ScorePart]], recent: Mapping[str, float]
) -> dict[str, Hit]:
    first = in_order(best.values())[0].id if best else ""
    lately = {path: log1p(recent.get(path, 0.0)) for path in best}
    most = max(lately.values(), default=0.0) or 1.0
    found: dict[str, Hit] = {}
    for path, hit in best.items():
        parts = list(alike.get(path, ()))
        if lately[path]:
            parts.append(ScorePart("recent", RECENT * lately[path] / most, why="changed lately"))
        if hit.id == first:
            parts.append(ScorePart("lead", LEAD, why="first by the code alone"))
        found[path] = hit.plus(parts)
    return found
