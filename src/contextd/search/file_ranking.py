"""Rank files: combine the scores of a file's pieces with what past work says about it.

A file's score is a sum of signals with fitted weights (`tools/fit_ranking.py`). First come the signals of the
code, fitted on commit subjects (their changed files are the answers) and on questions for one function. Then,
with those fixed, come the added signals, fitted on commit subjects only: purpose, length and history of the
file. `docs/howto/measure-localisation.md` has the figures.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import field
from math import log, log1p

from contextd.search.boosts import in_order
from contextd.search.exact_phrases import runs_of, verbatim_share
from contextd.search.file_purpose import place_signals, purposes_asked
from contextd.search.hits import DENSE, LEXICAL, Hit, ScorePart
from contextd.search.ranking_weights import CODE, FILES, FILES_WITH_PAST, MEANING, weights
from contextd.search.word_counts import Read, read
from contextd_code.values.source import DOCUMENTS, VALUES, Chunk
from contextd_common.dataclass import dataclass
from contextd_common.text.words import content_words, query_words, words

SIGNALS = ("words", "further", "path")
"""Besides meaning: the file's best BM25 score, the scores of its other pieces, and the rare words of its
path, each relative to the best file. Weights are relative to 1 for the best cosine.

`further` excludes the best piece. When it was included, the words of a one-piece file counted twice, and only
79 % of CoSQA's questions found their function in the top ten instead of 83 %.
"""

FILE_SIGNALS = ("test", "aside", "asked", "length")
"""Properties of the file itself: a test or example that was not requested, or one that was, and its
length. They apply to every piece: applied to the best one only, a penalty would lift the second piece
above it. Where history is known, length adds nothing: long files change often.
"""

PAST_SIGNALS = ("records", "commits", "recent")
"""History of a file: votes of records and commits (`votes.py`), and how recently it changed, relative to
the most frequently changed file.
"""

FAINT, PLAIN = 0.2, 0.6
"""The best cosine up to which file properties and recency count fully, and from which they do not count: a
query that matches text literally needs no prior. Commit subjects mostly reach 0.37 to 0.55, questions
for a function 0.52 to 0.75.
"""

DATA = -0.1
"""Penalty of data files unless the question asks for one. Set by hand on queries to one web application
with translations: they contain all of its texts and none of its code.
"""

PROSE = -0.2
"""Penalty of documents unless the question asks for one. Chosen on one repository (h3) among 0, −0.1 and
−0.2; on another (starlette) it raises MRR from 59.0 to 71.5.
"""

VERBATIM = 0.3
"""Bonus for containing the whole question verbatim: more than the cosines of a question's candidates
differ. Chosen among 0.05, 0.1, 0.2 and 0.3 on error messages of paramiko, with runs of four words: MRR
64.1 without, then 74.0, 77.1, 81.9 and 88.3. Questions without such a run are ranked as before.
"""

ONE_NAME = 0.25
"""Weight of meaning for a query that is a single name."""

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
"""In a query for code this may be a key or a name: either is meant literally."""


@dataclass(frozen=True, slots=True)
class Past:
    """The evidence of past work: parts added to the scores of files, and how recently files changed, on
    any scale. It moves files that the code search found, and adds none.
    """

    alike: Mapping[str, Sequence[ScorePart]] = field(default_factory=dict[str, Sequence[ScorePart]])
    recent: Mapping[str, float] = field(default_factory=dict[str, float])


def by_file(
    hits: Sequence[Hit],
    question: str,
    past: Past,
    reading: Read = read,
    embedded: float = 1.0,
) -> list[Hit]:
    """The hits in the order in which to read their files. The best piece of a file gets the file's score,
    its other pieces only their own; hits that are not code stay unchanged. If only a share of the
    pieces is `embedded`, meaning counts in that proportion.
    """
    chunks = {hit.id: hit.content for hit in hits if isinstance(hit.content, Chunk)}
    # A name asks for one place, independent of recent changes.
    recent = {} if _is_a_name(question) else past.recent
    counts = {name: MEANING * count for name, count in weights(CODE).items()}
    adding = {name: MEANING * count for name, count in weights(_family(recent)).items()}
    meaning = MEANING * (ONE_NAME if _is_a_name(question) else 1.0) * embedded
    own = _own(hits, chunks, question, reading)
    shared = {
        path: [
            ScorePart(name, adding[name] * n) for name, n in about.items() if n and name in adding
        ]
        for path, about in _known(chunks, question, _faintness(own)).items()
    }
    pieces: dict[str, list[Hit]] = {}
    runs = runs_of(question)
    for hit in hits:
        if hit.id in chunks:
            piece = chunks[hit.id]
            alone = _alone(hit, counts["words"] * own[hit.id].words, meaning)
            added = shared[piece.path]
            share = verbatim_share(runs, piece.text)
            if share:
                added = [*added, ScorePart("verbatim", VERBATIM * share, why="word for word")]
            if not _asks_for(question, piece):
                added = [*added, _unasked(piece)]
            pieces.setdefault(piece.path, []).append(alone.plus(added) if added else alone)
    pieces = {path: in_order(some) for path, some in pieces.items()}
    best = _whole(pieces, own, question, counts, meaning)
    if past.alike or recent:
        best = _with_past(best, past.alike, _lately(recent, best, _faintness(own)), adding)
    others = [hit for hit in hits if hit.id not in chunks]
    return in_order([*others, *best.values(), *(hit for own in pieces.values() for hit in own[1:])])


def signals(hits: Sequence[Hit], question: str) -> dict[str, Mapping[str, float]]:
    """The signals of each file's pieces, by path: its best cosine as `meaning`, and `SIGNALS`."""
    chunks = {hit.id: hit.content for hit in hits if isinstance(hit.content, Chunk)}
    own = _own(hits, chunks, question, read)
    pieces: dict[str, list[_Own]] = {}
    for id, chunk in chunks.items():
        pieces.setdefault(chunk.path, []).append(own[id])
    return _told(pieces, question)


def added_signals(hits: Sequence[Hit], question: str, past: Past) -> dict[str, dict[str, float]]:
    """The added signals, by path: `FILE_SIGNALS` and `PAST_SIGNALS`, unweighted."""
    chunks = {hit.id: hit.content for hit in hits if isinstance(hit.content, Chunk)}
    faint = _faintness(_own(hits, chunks, question, read))
    known = _known(chunks, question, faint)
    lately = _lately(past.recent, known, faint)
    found: dict[str, dict[str, float]] = {}
    for path, own in known.items():
        voices = dict.fromkeys(PAST_SIGNALS, 0.0) | {"recent": lately[path]}
        for part in past.alike.get(path, ()):
            voices[part.name] += part.raw
        found[path] = own | voices
    return found


def _is_a_name(question: str) -> bool:
    return len(question.split()) == 1


def _family(recent: Mapping[str, float]) -> str:
    return FILES_WITH_PAST if recent else FILES


@dataclass(frozen=True, slots=True)
class _Own:
    """A piece's own scores: its BM25 score relative to the best piece, and its cosine."""

    words: float
    cosine: float


def _own(
    hits: Sequence[Hit], chunks: Mapping[str, Chunk], question: str, reading: Read
) -> dict[str, _Own]:
    word_scores = _shares(_said(chunks, query_words(question)[:_MOST_WORDS], reading))
    return {
        hit.id: _Own(word_scores[hit.id], max(0.0, hit.part(DENSE).raw))
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


def _faintness(own: Mapping[str, _Own]) -> float:
    """How poorly the best piece matches, 0 to 1."""
    nearest = max((one.cosine for one in own.values()), default=0.0)
    return min(1.0, max(0.0, (PLAIN - nearest) / (PLAIN - FAINT)))


def _known(chunks: Mapping[str, Chunk], question: str, faint: float) -> dict[str, dict[str, float]]:
    """`FILE_SIGNALS` of each file, by path."""
    asked = purposes_asked(question)
    languages = {chunk.path: chunk.language for chunk in chunks.values()}
    lengths = _lengths(chunks.values())
    return {
        path: {
            name: faint * value
            for name, value in (*place_signals(path, language, asked), ("length", lengths[path]))
        }
        for path, language in languages.items()
    }


def _lengths(chunks: Iterable[Chunk]) -> dict[str, float]:
    """A tenth of the logarithm of each file's share of the longest file's lines, by the pieces found. Data
    and documents count as the mean, because their length means nothing.
    """
    ends: dict[str, int] = {}
    texts: set[str] = set()
    for chunk in chunks:
        ends[chunk.path] = max(ends.get(chunk.path, 0), chunk.end_line)
        if chunk.language in VALUES or chunk.language in DOCUMENTS:
            texts.add(chunk.path)
    lines = {path: log1p(end) for path, end in ends.items() if path not in texts}
    longest = max(lines.values(), default=0.0)
    mean = sum(lines.values()) / max(1, len(lines))
    return {path: (lines.get(path, mean) - longest) / 10 for path in ends}


def _said(chunks: Mapping[str, Chunk], asked: Sequence[str], reading: Read) -> dict[str, float]:
    """BM25 (k1 1.2, b 0.75) of each piece with its path and name, among these pieces only. The index's
    scores count records and messages too: many short notes make all code look long.
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


def _shares(scores: Mapping[str, float]) -> dict[str, float]:
    most = max(scores.values(), default=0.0) or 1.0
    return {id: score / most for id, score in scores.items()}


def rareness(holders: Collection[Iterable[str]]) -> dict[str, float]:
    """The idf of each word among the pieces (Robertson and Zaragoza 2009)."""
    having = Counter(word for some in holders for word in some)
    return {w: log(1 + (len(holders) - n + 0.5) / (n + 0.5)) for w, n in having.items()}


def _alone(hit: Hit, lexical: float, meaning: float) -> Hit:
    """A piece with its own scores only."""
    shared, dense = hit.part(LEXICAL), hit.part(DENSE)
    parts = (shared.with_amount(lexical), dense.with_amount(meaning * max(0.0, dense.raw)))
    return hit.with_parts(tuple([part for part in parts if part.amount or part.rank]))


def _whole(
    pieces: Mapping[str, Sequence[Hit]],
    own: Mapping[str, _Own],
    question: str,
    counts: Mapping[str, float],
    meaning: float,
) -> dict[str, Hit]:
    """The best piece of each file, with the file's score."""
    file_signals = _told(
        {path: [own[hit.id] for hit in some] for path, some in pieces.items()}, question
    )
    found: dict[str, Hit] = {}
    for path, (first, *more) in pieces.items():
        file, piece = file_signals[path], own[first.id]
        elsewhere = counts["words"] * (file["words"] - piece.words)
        elsewhere += meaning * (file["meaning"] - piece.cosine)
        further = counts["further"] * file["further"]
        parts = [
            ScorePart("file", elsewhere + further, why=_count(1 + len(more))),
            ScorePart("path", counts["path"] * file["path"], why="named by its path"),
        ]
        found[path] = first.plus([part for part in parts if part.amount])
    return found


def _asks_for(question: str, piece: Chunk) -> bool:
    """Whether the piece is code, or the question asks for its file type: for a document by its names, for
    data also by a key or a bare name, or by the file's own name or folder.
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
    """How well the question matches each path, 0 to 1: by words that few paths have, with a small bonus
    for short paths.
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
    lately: Mapping[str, float],
    adding: Mapping[str, float],
) -> dict[str, Hit]:
    found: dict[str, Hit] = {}
    for path, hit in best.items():
        parts = list(alike.get(path, ()))
        if lately[path]:
            parts.append(ScorePart("recent", adding["recent"] * lately[path], why="changed lately"))
        found[path] = hit.plus(parts)
    return found


def _lately(recent: Mapping[str, float], paths: Collection[str], faint: float) -> dict[str, float]:
    """How recently each changed, relative to the most frequently changed one."""
    shares = _shares({path: log1p(recent.get(path, 0.0)) for path in paths})
    return {path: faint * share for path, share in shares.items()}
