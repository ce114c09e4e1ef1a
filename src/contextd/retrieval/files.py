"""In which file to look: what the pieces of a file say together, and what past work says of it.

A file's score is a sum of plain signals, weighed by fitted weights (`tools/fit_ranking.py`: subjects of
commits that ask for the files they changed, and questions that ask for one function). There are two sets
of weights: what is changed often and what is long are much the same files, so that length counts less
where a past is known. `docs/howto/measure-localisation.md` has the figures.
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
from contextd.retrieval.place import place_signals, purposes_asked
from contextd.retrieval.rank import in_order
from contextd.retrieval.reading import Read, read
from contextd.retrieval.weights import CODE_ALONE, CODE_WITH_PAST, MEANING, weights

SIGNALS = ("words", "further", "whole", "path", "length", "test", "aside", "asked")
"""Beside meaning: the file's best BM25 score, the scores of its other pieces, that of all its pieces read as
one, the rare words of its path, each against the best file's; how long it is; and whether it is a test or
an example that nobody asked for, or one that somebody did.

`further` leaves the best piece out. While it was in, a file of one piece had its words counted twice, and
of CoSQA's questions 79 % found their function among ten where now 83 % do.
"""

PAST_SIGNALS = ("records", "commits", "recent")
"""What the past says of a file: the voices of records and of commits (`votes.py`), and how lately it was
changed, against the one that was changed most.
"""

OF_FILE = ("length", "test", "aside", "asked")
"""What every piece of a file has of it: were it the best piece's alone, what speaks against a file would
lift its second piece above it.
"""

DATA = -0.1
"""What being a file of data costs where the question does not ask for one. By hand, on questions to
one web application with translations: all of its texts are in there, and none of its code.
"""

PROSE = -0.2
"""What being a document costs where the question does not ask for one. Chosen on one repository (h3) among
0, −0.1 and −0.2; on another (starlette) it moves MRR from 59.0 to 71.5.
"""

ONE_NAME = 0.25
"""What meaning counts for a question that is nothing but a name."""

K1, B = 1.2, 0.75
_MOST_WORDS = 64

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
    # A name asks for one place, whatever was changed lately.
    recent = {} if _is_a_name(question) else past.recent
    counts = {name: MEANING * count for name, count in weights(_family(recent)).items()}
    meaning = MEANING * (ONE_NAME if _is_a_name(question) else 1.0)
    own, told = _read_files(hits, chunks, question, reading)
    pieces: dict[str, list[Hit]] = {}
    for hit in hits:
        if hit.id in chunks:
            piece = chunks[hit.id]
            alone = _alone(hit, counts["words"] * own[hit.id].words, meaning)
            parts = [ScorePart(name, counts[name] * told[piece.path][name]) for name in OF_FILE]
            if not _asks_for(question, piece):
                parts.append(_unasked(piece))
            alone = alone.plus([part for part in parts if part.amount])
            pieces.setdefault(piece.path, []).append(alone)
    pieces = {path: in_order(some) for path, some in pieces.items()}
    best = _whole(pieces, own, told, counts, meaning)
    if past.alike or recent:
        best = _with_past(best, past.alike, recent, counts.get("recent", 0.0))
    others = [hit for hit in hits if hit.id not in chunks]
    return in_order([*others, *best.values(), *(hit for own in pieces.values() for hit in own[1:])])


def signals(
    hits: Sequence[Hit], question: str, reading: Read = read
) -> dict[str, Mapping[str, float]]:
    """What is known of each file by its pieces, by path: its best cosine as `meaning`, and `SIGNALS`."""
    chunks = {hit.id: hit.content for hit in hits if isinstance(hit.content, Chunk)}
    return _read_files(hits, chunks, question, reading)[1]


def past_signals(past: Past, paths: Iterable[str]) -> dict[str, dict[str, float]]:
    """What the past says of each of these files, by path: `PAST_SIGNALS`, without their weights."""
    paths = list(paths)
    recent = _lately(past.recent, paths)
    found = {path: dict.fromkeys(PAST_SIGNALS, 0.0) | {"recent": recent[path]} for path in paths}
    for path in paths:
        for part in past.alike.get(path, ()):
            found[path][part.name] += part.raw
    return found


def _is_a_name(question: str) -> bool:
    return len(question.split()) == 1


def _family(recent: Mapping[str, float]) -> str:
    return CODE_WITH_PAST if recent else CODE_ALONE


@dataclass(frozen=True, slots=True)
class _Own:
    """What a piece says itself: its BM25 score among the pieces, against the best one's, and its cosine."""

    words: float
    cosine: float


@dataclass(frozen=True, slots=True)
class _Counted:
    """How often a text has each of the words asked, and how many words it has."""

    held: Mapping[str, int]
    length: int


def _read_files(
    hits: Sequence[Hit], chunks: Mapping[str, Chunk], question: str, reading: Read
) -> tuple[dict[str, _Own], dict[str, Mapping[str, float]]]:
    """What each piece says, by id, and what is known of each file, by path."""
    counted = _counted(chunks, query_words(question)[:_MOST_WORDS], reading)
    scores = _shares(_bm25(counted))
    own = {
        hit.id: _Own(scores[hit.id], max(0.0, hit.part(DENSE).raw))
        for hit in hits
        if hit.id in chunks
    }
    pieces: dict[str, list[str]] = {}
    for id, chunk in chunks.items():
        pieces.setdefault(chunk.path, []).append(id)
    sums = {path: sum(own[id].words for id in ids) for path, ids in pieces.items()}
    most = max(sums.values(), default=0.0) or 1.0
    named = _named(pieces, question)
    whole = _shares(
        _bm25({path: _joined(counted[id] for id in ids) for path, ids in pieces.items()})
    )
    lengths = _lengths({path: [chunks[id] for id in ids] for path, ids in pieces.items()})
    asked = purposes_asked(question)
    told: dict[str, Mapping[str, float]] = {}
    for path, ids in pieces.items():
        best = max(own[id].words for id in ids)
        told[path] = {
            "meaning": max(own[id].cosine for id in ids),
            "words": best,
            "further": (sums[path] - best) / most,
            "whole": whole[path],
            "path": named[path],
            "length": lengths[path],
            **place_signals(path, chunks[ids[0]].language, asked),
        }
    return own, told


def _lengths(pieces: Mapping[str, Sequence[Chunk]]) -> dict[str, float]:
    """A tenth of the logarithm of how much of the longest file's lines each has, by the pieces found. Of data
    and documents length says nothing: they are as long as the mean.
    """
    lines = {
        path: log1p(max(chunk.end_line for chunk in some))
        for path, some in pieces.items()
        if some[0].language not in VALUES and some[0].language not in DOCUMENTS
    }
    longest = max(lines.values(), default=0.0)
    mean = sum(lines.values()) / max(1, len(lines))
    return {path: (lines.get(path, mean) - longest) / 10 for path in pieces}


def _counted(
    chunks: Mapping[str, Chunk], asked: Sequence[str], reading: Read
) -> dict[str, _Counted]:
    """The words asked in each piece with its path and name."""
    found: dict[str, _Counted] = {}
    for id, chunk in chunks.items():
        place, text = words(f"{chunk.path} {chunk.symbol}"), reading(chunk.text)
        held = {word: place.count(word) + text.counts.get(word, 0) for word in asked}
        found[id] = _Counted({w: n for w, n in held.items() if n}, len(place) + text.total)
    return found


def _joined(some: Iterable[_Counted]) -> _Counted:
    held, length = Counter[str](), 0
    for one in some:
        held.update(one.held)
        length += one.length
    return _Counted(held, length)


def _bm25(counted: Mapping[str, _Counted]) -> dict[str, float]:
    """BM25 (k1 1.2, b 0.75) among these texts only. The scores of the index count records and messages too:
    a memory of short notes makes all code look long.
    """
    mean = sum(one.length for one in counted.values()) / max(1, len(counted)) or 1.0
    rare = rareness([one.held.keys() for one in counted.values()])
    return {
        id: sum(
            rare[word] * n * (K1 + 1) / (n + K1 * (1 - B + B * one.length / mean))
            for word, n in one.held.items()
        )
        for id, one in counted.items()
    }


def _shares(scores: Mapping[str, float]) -> dict[str, float]:
    most = max(scores.values(), default=0.0) or 1.0
    return {id: score / most for id, score in scores.items()}


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
    pieces: Mapping[str, Sequence[Hit]],
    own: Mapping[str, _Own],
    told: Mapping[str, Mapping[str, float]],
    counts: Mapping[str, float],
    meaning: float,
) -> dict[str, Hit]:
    """The best piece of each file, with the file's score but for the past."""
    found: dict[str, Hit] = {}
    for path, (first, *more) in pieces.items():
        file, piece = told[path], own[first.id]
        elsewhere = counts["words"] * (file["words"] - piece.words)
        elsewhere += meaning * (file["meaning"] - piece.cosine)
        together = counts["further"] * file["further"] + counts["whole"] * file["whole"]
        parts = [
            ScorePart("file", elsewhere + together, why=_count(1 + len(more))),
            ScorePart("path", counts["path"] * file["path"], why="named by its path"),
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
    best: Mapping[str, Hit],
    alike: Mapping[str, Sequence[ScorePart]],
    recent: Mapping[str, float],
    weight: float,
) -> dict[str, Hit]:
    lately = _lately(recent, best)
    found: dict[str, Hit] = {}
    for path, hit in best.items():
        parts = list(alike.get(path, ()))
        if lately[path]:
            parts.append(ScorePart("recent", weight * lately[path], why="changed lately"))
        found[path] = hit.plus(parts)
    return found


def _lately(recent: Mapping[str, float], paths: Iterable[str]) -> dict[str, float]:
    """How lately each of these was changed, against the one that was changed most."""
    return _shares({path: log1p(recent.get(path, 0.0)) for path in paths})
