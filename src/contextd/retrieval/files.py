"""In which file to look: what the pieces of a file say together, and what past work says of it.

A file's score is a sum of a few plain signals. What the code itself says is weighed by fitted weights
(`tools/fit_ranking.py`: subjects of commits that ask for the files they changed, and questions that ask
for one function); what is added to it was fitted by hand on the histories of five repositories (httpx,
click, express, datasette, petclinic). `docs/howto/measure-localisation.md` has the figures.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import field
from math import log, log1p

from contextd.domain.code import DOCUMENTS, VALUES, Chunk
from contextd.domain.dataclass import dataclass
from contextd.domain.words import content_words, query_words, words
from contextd.retrieval.hits import DENSE, LEXICAL, Hit, ScorePart
from contextd.retrieval.rank import in_order
from contextd.retrieval.reading import Read, read
from contextd.retrieval.weights import weights

SIGNALS = ("words", "further", "path")
"""Beside meaning: the file's best BM25 score, the scores of its other pieces, the rare words of its path,
each against the best file's. Their weights are against 1 for the best cosine.

`further` leaves the best piece out. While it was in, a file of one piece had its words counted twice, and
of CoSQA's questions 79 % found their function among ten where now 83 % do.
"""

MEANING = 0.58
"""What a file's best cosine is multiplied by: the scale of everything that is added below."""

TEST = -0.02
"""What being a test costs. Commits change tests with what they test, so that no fit on them says so."""

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


def by_file(hits: Sequence[Hit], question: str, past: Past, reading: Read = read) -> list[Hit]:
    """The hits in the order in which to look at their files. The best piece of a file has the file's
    score, its other pieces only what they say themselves; what is no code stays as it is.
    """
    chunks = {hit.id: hit.content for hit in hits if isinstance(hit.content, Chunk)}
    own, counts = _own(hits, chunks, question, reading), weights("code")
    a_name = len(question.split()) == 1
    meaning = MEANING * (ONE_NAME if a_name else 1.0)
    pieces: dict[str, list[Hit]] = {}
    for hit in hits:
        if hit.id in chunks:
            alone = _alone(hit, MEANING * counts["words"] * own[hit.id].words, meaning)
            if not _asks_for(question, chunks[hit.id]):
                alone = alone.plus([_unasked(chunks[hit.id])])
            pieces.setdefault(chunks[hit.id].path, []).append(alone)
    pieces = {path: in_order(some) for path, some in pieces.items()}
    best = _whole(pieces, own, question, meaning)
    if past.alike or past.recent:
        best = _with_past(best, past.alike, {} if a_name else past.recent)
    others = [hit for hit in hits if hit.id not in chunks]
    return in_order([*others, *best.values(), *(hit for own in pieces.values() for hit in own[1:])])


def signals(hits: Sequence[Hit], question: str) -> dict[str, Mapping[str, float]]:
    """What the pieces of each file say of it, by path: its best cosine as `meaning`, and `SIGNALS`."""
    chunks = {hit.id: hit.content for hit in hits if isinstance(hit.content, Chunk)}
    own = _own(hits, chunks, question, read)
    pieces: dict[str, list[_Own]] = {}
    for id, chunk in chunks.items():
        pieces.setdefault(chunk.path, []).append(own[id])
    return _told(pieces, question)


@dataclass(frozen=True, slots=True)
class _Own:
    """What a piece says itself: its BM25 score among the pieces, against the best one's, and its cosine."""

    words: float
    cosine: float


def _own(
    hits: Sequence[Hit], chunks: Mapping[str, Chunk], question: str, reading: Read
) -> dict[str, _Own]:
    word_scores = _said(chunks, query_words(question)[:_MOST_WORDS], reading)
    most = max(word_scores.values(), default=0.0) or 1.0
    return {
        hit.id: _Own(word_scores[hit.id] / most, max(0.0, hit.part(DENSE).raw))
        for hit in hits
        if hit.id in chunks
    }


def _told(pieces: Mapping[str, Sequence[_Own]], question: str) -> dict[str, Mapping[str, float]]:
    sums = {path: sum(one.words for one in some) for path, some in pieces.items()}
    most, named = max(sums.values(), default=0.0) or 1.0, _named(pieces, question)
    found: dict[str, Mapping[str, float]] = {}
    for path, some in pieces.items():
        best = max(one.words for one in some)
        found[path] = {
            "meaning": max(one.cosine for one in some),
            "words": best,
            "further": (sums[path] - best) / most,
            "path": named[path],
        }
    return found


def _said(chunks: Mapping[str, Chunk], asked: Sequence[str], reading: Read) -> dict[str, float]:
    """BM25 (k1 1.2, b 0.75) of each piece with its path and name, among these pieces only. The scores
    of the index count records and messages too: a memory of short notes makes all code look long.
    """
    counts: dict[str, dict[str, int]] = {}
    lengths: dict[str, int] = {}
    for id, chunk in chunks.items():
        place, text = words(f"{chunk.path} {chunk.symbol}"), reading(chunk.text)
        held = {word: place.count(word) + text.counts.get(word, 0) for word in asked}
        counts[id] = {word: n for word, n in held.items() if n}
        lengths[id] = len(place) + text.total
    mean = sum(lengths.values()) / max(1, len(lengths)) or 1.0
    rare = rareness([count.keys() for count in counts.values()])
    return {
        id: sum(
            rare[word] * n * (K1 + 1) / (n + K1 * (1 - B + B * lengths[id] / mean))
            for word, n in count.items()
        )
        for id, count in counts.items()
    }


def rareness(holders: Collection[Iterable[str]]) -> dict[str, float]:
    """The idf of each word among those that hold some (Robertson and Zaragoza 2009)."""
    having = Counter(word for some in holders for word in some)
    return {w: log(1 + (len(holders) - n + 0.5) / (n + 0.5)) for w, n in having.items()}


def _alone(hit: Hit, lexical: float, meaning: float) -> Hit:
    """A piece with what it says itself."""
    shared, dense = hit.part(LEXICAL), hit.part(DENSE)
    parts = (shared.with_amount(lexical), dense.with_amount(meaning * max(0.0, dense.raw)))
    return hit.with_parts(tuple([part for part in parts if part.amount or part.rank]))


def _whole(
    pieces: Mapping[str, Sequence[Hit]], own: Mapping[str, _Own], question: str, meaning: float
) -> dict[str, Hit]:
    """The best piece of each file, with the file's score but for the past."""
    file_signals = _told(
        {path: [own[hit.id] for hit in some] for path, some in pieces.items()}, question
    )
    counts = {name: MEANING * weight for name, weight in weights("code").items()}
    found: dict[str, Hit] = {}
    for path, (first, *more) in pieces.items():
        file, piece = file_signals[path], own[first.id]
        elsewhere = counts["words"] * (file["words"] - piece.words)
        elsewhere += meaning * (file["meaning"] - piece.cosine)
        further = counts["further"] * file["further"]
        parts = [
            ScorePart("file", elsewhere + further, why=_count(1 + len(more))),
            ScorePart("path", counts["path"] * file["path"], why="named by its path"),
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
    rare = rareness(shared.values())
    sums = {p: sum(rare[w] for w in some) / (1 + len(own[p]) / 20) for p, some in shared.items()}
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
