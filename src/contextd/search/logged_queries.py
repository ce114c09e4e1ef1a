"""Log queries, detect knowledge gaps, and find later answers to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from contextd.domain.awareness import STANDING
from contextd.domain.kinds import KINDS, kinds_that
from contextd.domain.query import CODE, EVENT, Query, Vector
from contextd.domain.records import Record, stored_at
from contextd.domain.scope import Scope
from contextd.runtime.runtime import Runtime
from contextd.search.embedding_progress import embedding_progress
from contextd.search.query_sanity import makes_sense
from contextd.search.search import relevance
from contextd_common.errors import Unavailable
from contextd_common.text.words import query_words

_MOST_WORDS = 16
_MOST_EMBEDDED, _VECTORS_KEPT = 40, 500
_PER_QUERY = 400
"""Bytes of a query's text and of its place in the cache."""
_ASKED, _LOOKED_AT = 3, 5

ANSWERS = 0.45
"""Minimum relevance of a later record that closes a gap. Of 20 questions with a differently worded answer,
0.45 closes 11, as does 0.35; of 380 pairs with another question's answer it closes 4, two of them
correctly. Notes with the question's words and no answer close it half of the time (10 of 20; at 0.35
17), but a search would find them too. The pairs were written for this test, so the figures are only
indicative.
"""


def asked(
    runtime: Runtime, query: str, ids: Sequence[str], *, type: str, narrowed: bool = False
) -> bool:
    """Log a query and the ids of its results; return whether it is a knowledge gap. It is no gap if
    filters or permissions narrowed the search, if it has no meaningful words, or while any text of the
    project awaits its vector. Without an embedder, words alone decide.
    """
    narrowed = narrowed or runtime.among is not None
    if not ids and not runtime.trace.by_words:
        runtime.trace.by_words = embedding_progress(runtime).note
    waits = bool(runtime.trace.by_words and runtime.embedder.model)
    vain = not ids and not narrowed and not waits and _is_question(runtime, query)
    runtime.trace.read(ids, type=type, query=query, narrowed=not vain)
    return vain


def unanswered(runtime: Runtime, nothing: str, *, noted: bool) -> str:
    """Append to `nothing` whether the unanswered query was logged as a gap. While texts await vectors, the
    answer says how many have one instead. A call outside any project says so, too.
    """
    why = runtime.trace.by_words
    parts = [_BY_WORDS, why] if why else [nothing]
    if noted:
        parts.append("logged as a gap")
    if runtime.nowhere:
        parts.append(f"searched without a project{runtime.nowhere}")
    return "; ".join(filter(None, parts))


_BY_WORDS = "no text has these words"
"""What an empty answer means while some texts are only found by words."""


def _is_question(runtime: Runtime, query: str) -> bool:
    """Whether a query has a meaningful word, if only in this project."""
    if makes_sense(query):
        return True
    anything = runtime.query(*KINDS, EVENT, CODE)
    return bool(runtime.view.index.lexical(query_words(query)[:_MOST_WORDS], anything, 1))


def answered_since(
    runtime: Runtime,
    scopes: frozenset[Scope],
    latest: Sequence[Record],
    questions: Sequence[str],
    since: datetime | None,
) -> bool:
    """Whether a record saved since answers one of these queries, in any wording. `latest` are the latest
    records.
    """
    if since is not None and all(stored_at(record) < since for record in latest):
        return False
    vectors = embedded(runtime, questions[:_ASKED])
    query = Query(scopes=scopes, kinds=kinds_that("entry"), statuses=STANDING)
    for question, vector in vectors.items():
        for record, cosine in runtime.view.near(vector, runtime.embedder.model, query, _LOOKED_AT):
            new = since is None or stored_at(record) >= since
            if new and relevance(question, record, cosine) >= ANSWERS:
                return True
    return False


def embedded(runtime: Runtime, texts: Sequence[str]) -> Mapping[str, Vector]:
    """Vectors of queries. At most 40 are computed per call, the first ones first, and cached."""
    model = runtime.embedder.model
    if not model:
        return {}
    cache = runtime.organisation.caches.of(
        "query vectors", _VECTORS_KEPT, weigh=lambda vector: _PER_QUERY + vector.nbytes
    )
    known: dict[str, Vector] = {}
    for text in texts:
        vector = cache.get((model, text))
        if vector is not None:
            known[text] = vector
    missing = [text for text in texts if text not in known][:_MOST_EMBEDDED]
    try:
        rows = runtime.embedder.embed(missing) if missing else ()
    except Unavailable:
        return {}
    for text, row in zip(missing, rows, strict=True):
        known[text] = row
        cache.put((model, text), row)
    return known
