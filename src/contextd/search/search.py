"""From a query to ranked hits: search by words and meaning, fuse, boost, remove duplicates."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from contextd.domain.kinds import EPISODE
from contextd.domain.language_bias import LanguageBias, bias_of
from contextd.domain.query import CODE, EVENT, Match, Query, Vector
from contextd.ports.knowledge import Embedder, Index, Reranker
from contextd.search.abbreviations import spelled_out, with_other_forms
from contextd.search.answer_threshold import is_answered, is_named
from contextd.search.boosts import Standpoint, distinct, in_order, ranked
from contextd.search.file_ranking import Past, by_file
from contextd.search.hits import (
    DENSE,
    LEXICAL,
    Candidate,
    Candidates,
    Hit,
    Hydrate,
    LeftOut,
    Lost,
    Result,
    ScorePart,
    Texted,
)
from contextd.search.message_ranking import by_message
from contextd.search.query_sanity import makes_sense
from contextd.search.query_words import MOST_WORDS, OVERLAP, Asked, Pair
from contextd.search.rank_fusion import Fuse, fuse_ranks, fuse_scores
from contextd.search.record_ranking import by_record, titled_first
from contextd.search.rerank import reranked
from contextd.search.word_counts import Read, Said, read, read_said
from contextd_code.values.source import Chunk
from contextd_common.dataclass import dataclass
from contextd_common.errors import Corrupt, Unavailable
from contextd_common.text.words import query_words, words

DEPTH = 100
"""Maximum documents from each search method."""

RELEVANT, STRICT = 0.30, 0.40
"""Minimum relevance of the best hit of a search, and of every hit that is injected.

Relevance is the cosine plus 0.3 × (shared content words)/(content words of the query + 1); a text with most
of the query's content words is always relevant. Measured: all questions with an answer get one (LoCoMo,
CoSQA). Of CoSQA's questions on LoCoMo's conversations 1 % get one, the other way round 29 %. Of prompts such
as `ok continue` or `make the button blue`, on notes about a code base, 20 % reach the first and 5 % the
second.
"""

SURE = 0.35
"""Minimum relevance in file searches for a query without content words."""

NAMED = 0.15
"""Relevance from which code with a query word in its path or name is shown beside an answer."""

LOUD = 0.12
"""Minimum total of the votes for a file to be an answer if the code itself does not match. In replays with commit
subjects, and LoCoMo's questions on the same code, off-topic queries get no more answers.
"""

LEAST = 0.01
"""Minimum relevance of a shown hit."""

FAIR = 1.0
"""The BM25 score per query word below which the best match is poor. Rare words score 3 and more."""

_MOST_CHARACTERS = 8_000
_NAMES_CODE = re.compile(r"[a-z][A-Z]|\w_\w|\w\(|\w\.\w|::|`")


@dataclass(frozen=True, slots=True)
class Recipe:
    """How the two rankings are fused. Weights are for a query in plain language."""

    fuse: Fuse
    lexical: float
    dense: float
    relevant: float = RELEVANT


PROSE = Recipe(fuse_scores, 1.0, 1.0)
RECIPES: Mapping[str, Recipe] = {CODE: Recipe(fuse_ranks, 1.0, 2.0, relevant=0.25)}
"""Recipes of kinds that need their own; the others are prose.

Measured: on conversations the mean of scores finds 82 % of turns in the top ten, rank fusion 77 %. On code,
rank fusion with double weight for meaning finds 83 %, equal weights 79 %. Code is less similar to its
descriptions than prose: of commit subjects searched in their repository, 0.30 answers 95 % (httpx) and 76 %
(petclinic), 0.25 answers 99 % and 83 %; of unrelated questions 4 % and 8 %, then 5 % and 14 %.
"""


def search(
    index: Index,
    embedder: Embedder,
    question: str,
    query: Query,
    *,
    limit: int = DEPTH,
    embedded: float = 1.0,
) -> Candidates:
    """The documents that match a query best, by words and by meaning.

    A query of several lines is searched twice: its first line, and all of it. Without vectors (no embedder,
    or it fails) the search uses words only and reports it. If only a share of the code is `embedded`, meaning
    counts for code in that proportion: the nearest of few need not be near.
    """
    question = question[:_MOST_CHARACTERS]
    asked = _askings(question)
    terms = query_words(question)[:MOST_WORDS]
    if not terms:
        return Candidates((), (), "the question has no words")
    recipe = _recipe(query)
    vector, notice = None, "searched by words only: there is no embedder"
    if embedder.model:
        try:
            vector, notice = _vector(embedder, [spelled_out(text) for text in asked]), ""
        except Unavailable as error:
            notice = f"searched by words only: {error.message}"
    shared = [with_other_forms(query_words(text)[:MOST_WORDS]) for text in asked]
    try:
        lexical, dense = index.rankings(shared, vector, embedder.model, query, DEPTH)
    except Corrupt as error:
        (lexical, dense), vector = index.rankings(shared, None, "", query, DEPTH), None
        hint = f" ({error.hint})" if error.hint else ""
        notice = f"searched by words only: {error.message}{hint}"
    lists = {LEXICAL: _summed(lexical)}
    if vector is not None:
        lists[DENSE] = dense
    weights = _weights(recipe, question, lists[LEXICAL], len(terms))
    if recipe is not PROSE:
        weights[DENSE] *= embedded
    if recipe is not PROSE or embedded == 1.0:
        fused = recipe.fuse(lists, weights, DEPTH, limit)
    else:
        # Records are embedded at once, so their similarities do not depend on other pending texts.
        fused = _damped(recipe.fuse(lists, weights, DEPTH), embedded)[:limit]
    return Candidates(tuple(fused), tuple(terms), notice)


@dataclass(frozen=True, slots=True)
class SearchSource:
    """What a search runs on: the index, of whose texts a share is `embedded`, the models, and a function
    that loads the contents of hits.
    """

    index: Index
    embedder: Embedder
    hydrate: Hydrate
    reranker: Reranker | None = None
    embedded: float = 1.0


@dataclass(frozen=True, slots=True)
class WordReaders:
    """How the words of a text and of a record are counted; both may cache."""

    of_text: Read = read
    of_record: Said = read_said


_UNPLACED, _UNCACHED = Standpoint(), WordReaders()


def find(
    source: SearchSource,
    question: str,
    query: Query,
    *,
    limit: int = 10,
    standing: Standpoint = _UNPLACED,
    strict: bool = False,
    past: Past | None = None,
    word_readers: WordReaders = _UNCACHED,
) -> Result:
    """The answer to a query: at most `limit` hits, best first, or none if nothing is relevant.

    Nothing is relevant if no hit reaches `RELEVANT` (less for code) or, by words only, if none shares a
    content word. `strict` is for injection: each hit must reach `STRICT`. `standing`
    describes the context. With `past`, what earlier work says about files, code is ranked by file, and fitted
    weights (`search/answer_threshold.py`) and `LOUD` decide what is an answer. The reranker of the source orders the
    first hits of explicit searches.
    """
    # Evidence for a file or a message may lift a hit from far down.
    deep = 2 * DEPTH if past is not None or EVENT in query.kinds else max(30, 3 * limit)
    index, embedder, embedded = source.index, source.embedder, source.embedded
    found = search(index, embedder, question, query, limit=deep, embedded=embedded)
    contents = source.hydrate([candidate.id for candidate in found.candidates])
    asked = Asked(question, word_readers.of_text, word_readers.of_record)
    missing_candidates = [c for c in found.candidates if c.id not in contents]
    present = [(c, contents[c.id]) for c in found.candidates if c.id in contents]
    waiting = frozenset[str]()
    if embedded < 1.0 and contents:
        waiting = frozenset(
            one.id for one in index.pending(embedder.model, len(contents), list(contents))
        )
    relevant, far = _relevant(
        present,
        asked,
        strict=strict,
        lexical_only=bool(found.notice),
        floor=_recipe(query).relevant,
        past=past,
        waiting=waiting,
        bias=bias_of(embedder.model, question),
    )
    hits = in_order(ranked(candidate, content, standing) for candidate, content in relevant)
    if (
        hits
        and not any(hit.part(LEXICAL).rank for hit in hits)
        and not makes_sense(spelled_out(question))
    ):
        # Even the vector of an unknown word is near to something.
        far += [candidate for candidate, _ in relevant]
        hits = []
    if not strict:
        hits = titled_first(by_record(hits, question, standing.now), asked)
    if past is None:
        hits = by_message(hits, question)
    else:
        hits = by_file(hits, question, past, word_readers.of_text, embedded)
    # Injection must not wait for a reranker.
    hits, unjudged = reranked(hits, question, None if strict else source.reranker)
    top_hits, left = distinct(hits, limit)
    top_hits = _compared(top_hits, asked)
    weak = [] if strict or found.notice else _weak(top_hits, waiting)
    left = [*left, *(LeftOut(hit.id, hit.kind, hit.score, _WEAK) for hit in weak)]
    top_hits = [hit for hit in top_hits if hit not in weak]
    notice = "; ".join(filter(None, (found.notice, unjudged)))
    lost = Lost(left, far, missing_candidates)
    return Result(tuple(top_hits), lost, notice, by_meaning=not found.notice)


_WEAK = "below half of the best score"


def _weak(hits: Sequence[Hit], waiting: frozenset[str]) -> list[Hit]:
    """The records with less than half of the best record's relevance, if all of them have their vectors. On a set of
    stated beliefs (PrecisionMemBench) leaving these out raises precision from 61 to 81 % and costs 1.2 points of
    recall. Not turns of a session: a question often has several answers among them, of unequal score.
    """
    records = [hit for hit in hits if hit.record is not None and hit.kind != EPISODE]
    if any(hit.id in waiting for hit in records):
        return []
    best = max((hit.relevance for hit in records), default=0.0)
    return [hit for hit in records if hit.relevance < best / 2]


def _damped(candidates: Sequence[Candidate], embedded: float) -> list[Candidate]:
    """The candidates, best first, with the meaning part of code reduced to the `embedded` share."""

    def damped(part: ScorePart) -> ScorePart:
        return part.with_amount(part.amount * embedded) if part.name == DENSE else part

    found = [
        Candidate(one.id, one.kind, tuple(map(damped, one.parts))) if one.kind == CODE else one
        for one in candidates
    ]
    return sorted(found, key=lambda one: (-round(one.score, 9), one.id))


def _recipe(query: Query) -> Recipe:
    return RECIPES.get(query.kinds[0], PROSE) if len(query.kinds) == 1 else PROSE


def _askings(question: str) -> list[str]:
    first, _, rest = question.strip().partition("\n")
    return [first, question] if first.strip() and rest.strip() else [question]


def _summed(lists: Sequence[list[Match]]) -> list[Match]:
    """Documents by the sum of their BM25 scores over all queries."""
    if len(lists) == 1:
        return lists[0]
    kinds = {match.id: match.kind for found in lists for match in found}
    scores = dict.fromkeys(kinds, 0.0)
    for found in lists:
        for match in found:
            scores[match.id] += match.score
    summed = [Match(id_, kinds[id_], score) for id_, score in scores.items()]
    return sorted(summed, key=lambda m: (-round(m.score, 9), m.id))[:DEPTH]


def _vector(embedder: Embedder, asked: Sequence[str]) -> Vector:
    mean: Vector = embedder.embed(asked).mean(axis=0)
    return mean / np.float32(np.linalg.norm(mean) or 1.0)


def _weights(
    recipe: Recipe, question: str, lexical: Sequence[Match], asked: int
) -> dict[str, float]:
    """The weights of words and meaning for this query.

    A bare name relies on words; a query with identifiers weighs words and meaning equally. Words count less
    if even the best document shares only common ones.
    """
    if len(question.split()) == 1:
        return {LEXICAL: recipe.lexical, DENSE: min(recipe.dense, 0.5)}
    best = lexical[0].score if lexical else 0.0
    dense = min(recipe.dense, 1.0) if _NAMES_CODE.search(question) else recipe.dense
    return {LEXICAL: recipe.lexical * min(1.0, best / (FAIR * asked)), DENSE: dense}


def _relevant(
    pairs: list[Pair],
    asked: Asked,
    *,
    strict: bool,
    lexical_only: bool,
    floor: float,
    past: Past | None,
    waiting: frozenset[str],
    bias: LanguageBias | None,
) -> tuple[list[Pair], list[Candidate]]:
    """The relevant pairs, and the candidates that are too far from the query. Texts `waiting` for their
    vector are judged by words. `bias` corrects the similarities of texts in another language than English.
    """

    def reaches(least: float, pair: Pair) -> bool:
        cosine = pair[0].part(DENSE).raw
        if bias is None and cosine >= least:
            return True
        # A label is no reason to inject a record.
        shared = len(asked.shared_with(pair[1].text) if strict else asked.shared_by(pair[1]))
        # One more than the query's words, so that the only word of a short prompt does not decide alone.
        most = shared / (asked.count + strict) > 0.5 if asked.count else False
        share = shared / (asked.count + 1)
        if bias is not None:
            return most or bias.searched(pair[1].text, cosine, share, OVERLAP) >= least
        return most or cosine + OVERLAP * share >= least

    if lexical_only:
        matches = [pair for pair in pairs if asked.count and (not strict or reaches(STRICT, pair))]
    elif strict:
        matches = [pair for pair in pairs if reaches(STRICT, pair)]
    elif past is not None:
        matches = _code_kept(pairs, asked, past, reaches, floor)
    elif any(reaches(floor, pair) for pair in pairs):
        matches = [pair for pair in pairs if pair[0].part(LEXICAL).rank or reaches(floor, pair)]
    else:
        matches = []
    if waiting and not strict:
        given = {c.id for c, _ in matches}
        matches = [p for p in pairs if p[0].id in given or _says_enough(p, asked, waiting)]
    ids = {c.id for c, _ in matches}
    return matches, [c for c, _ in pairs if c.id not in ids]


_SHARED, _AMONG_FIRST = 2, 10
"""How many query words a text without a vector must contain, and its lowest allowed rank by words."""


def _says_enough(pair: Pair, asked: Asked, waiting: frozenset[str]) -> bool:
    candidate, content = pair
    if candidate.id not in waiting or not 0 < candidate.part(LEXICAL).rank <= _AMONG_FIRST:
        return False
    return len(asked.shared_by(content)) >= min(_SHARED, asked.count or 1)


def _compared(hits: Sequence[Hit], asked: Asked) -> list[Hit]:
    """The hits with their relevance: the best relevance of all, scaled by score, so that it falls with the
    score and still shows how good the first one is.
    """
    if not hits:
        return []
    best = max(_weighed(hit.content, asked, hit.part(DENSE).raw) for hit in hits)
    top = max(hits[0].score, LEAST)
    shares = [min(1.0, max(LEAST, best * hit.score / top)) for hit in hits]
    return [hit.with_relevance(share) for hit, share in zip(hits, shares, strict=True)]


def relevance(question: str, content: Texted, cosine: float) -> float:
    """How relevant a text is to a query; see `RELEVANT`. Without a cosine, the share of the query's words."""
    return _weighed(content, Asked(question), cosine)


def _weighed(content: Texted, asked: Asked, cosine: float) -> float:
    found = asked.shared_by(content)
    if isinstance(content, Chunk):
        found = found.union(asked.words.intersection(words(f"{content.path} {content.symbol}")))
    shared = len(found) / (asked.count + 1)
    return max(LEAST, cosine + OVERLAP * shared if cosine else shared)


def _code_kept(
    pairs: list[Pair],
    asked: Asked,
    past: Past,
    reaches: Callable[[float, Pair], bool],
    floor: float,
) -> list[Pair]:
    """The pairs that a file search returns; none if none is an answer."""
    past_pairs = [pair for pair in pairs if _voice(pair, past)]
    if not any(_voice(pair, past) >= LOUD for pair in past_pairs):
        if asked.count and not is_answered(pairs, asked):
            return []
        if not asked.count and not any(reaches(SURE, pair) for pair in pairs):
            return []
    named = [pair for pair in pairs if is_named(pair, asked) and reaches(NAMED, pair)]
    fair = {pair[0].id for pair in (*past_pairs, *named)}
    near = [p for p in pairs if p[0].part(LEXICAL).rank or p[0].id in fair or reaches(floor, p)]
    return near or pairs


def _voice(pair: Pair, past: Past) -> float:
    """The total votes for a piece's file."""
    if not isinstance(pair[1], Chunk):
        return 0.0
    return sum(part.raw for part in past.alike.get(pair[1].path, ()))


__all__ = ["Hit", "Result", "find", "relevance", "search"]
