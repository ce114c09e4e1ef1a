"""What a search costs beside stores of several sizes, and what a durable record does."""

from __future__ import annotations

import random
import resource
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import apsw
import numpy as np

from contextd.domain.changes import Changes, KnowledgeChanges, Put
from contextd.domain.documents import record_document
from contextd.domain.kinds import kinds_that
from contextd.domain.query import Query
from contextd.domain.records import FOUND, Record
from contextd.runtime.operation import OPERATIONS
from contextd.runtime.runtime import Runtime
from contextd.search.search import DEPTH
from contextd_bench.scratch import Bench, opened
from contextd_bench.speed import SEED, VOCABULARY, Figure, temporary_home, timed
from contextd_common.text.words import query_words

SIZES = (600, 10_000, 100_000)
LARGE = 500_000
"""Takes 3 GB of memory, 2 GB of disk and some eight minutes of CPU, half of it to make the store."""

_AT_ONCE = 1_000
"""Records in a commit: what fills a store at once pays for one flush to the disk, not for each record."""

_ONE_OF, _FEWER = 100, 20
"""Of so many records one has the tag that is asked for, and of so many one is archived, one of another kind,
and one no longer valid.
"""

_TAG, _KIND, _LATELY = "seldom", "discovery", timedelta(days=1)

_FILTERS: dict[str, dict[str, Any]] = {
    f"a tag of 1 in {_ONE_OF}": {"tags": (_TAG,)},
    f"a kind of 1 in {_FEWER}": {"kinds": (_KIND,)},
    f"a status of 1 in {_FEWER}": {"statuses": ("archived",)},
}
"""Whatever else a row asks for: the search itself asks for what is valid now."""


@dataclass(frozen=True, slots=True)
class Amount:
    """Something measured once that is no time, beside the figures of searches."""

    name: str
    text: str

    def row(self) -> str:
        """A line of a Markdown table."""
        return f"| {self.name} | 1 | | | {self.text} |"


def bench_store(sizes: Sequence[int] = SIZES, n: int = 100) -> Iterator[Figure | Amount]:
    """Searches beside so many records, what of each is the engine, the memory that takes, and one durable,
    searchable record.
    """
    for size in sizes:
        with temporary_home() as home:
            place = home.parent / "project"
            place.mkdir()
            with opened(place) as bench:
                bench.call("init")
                bench.host.warm()
                texts = _texts(size)
                began = time.process_time()
                _fill(bench.runtime, texts)
                spent = time.process_time() - began
                yield Amount(f"{size:,} records: to write them all", f"{spent:.1f} s")
                yield from _searches(bench, home, texts, n)
                yield Amount(f"{size:,} records: most memory so far", _most_memory())
                yield _naive_search(home, texts, questions_of(texts, n))
                if size == sizes[0]:
                    yield timed("memory_record, durable and searchable", n, partial(_record, bench))
                    yield _bare_insert(home, n)


def _searches(bench: Bench, home: Path, texts: list[str], n: int) -> Iterator[Figure]:
    """What searches cost. The engine is `Index.rankings` for the words and the vector of a question. What a
    whole search spends beyond it is the difference of two rows: both ask the same questions, when their
    vectors are made and their words were asked for before.
    """
    every = questions_of(texts, 2 * n + 5)
    questions, narrow, fresh = every[:n], every[n : 2 * n], every[2 * n :]
    for question in fresh:
        bench.call("memory_search", query=question)
    size = f"{len(texts):,} records"
    embedder, index = bench.runtime.embedder, bench.runtime.view.index
    yield timed(f"{size}: the question's vector", n, lambda i: embedder.embed([questions[i]]))
    embedder.embed(narrow)

    def rank(query: Query, among: list[str], i: int) -> None:
        vector = embedder.embed([among[i]])[0]
        index.rankings([query_words(among[i])], vector, embedder.model, query, DEPTH)

    everything = _query(bench.runtime)
    engine = f"{size}: its engine, words and meaning"
    yield timed(f"{engine}, of words never asked for", n, partial(rank, everything, questions))
    yield timed(
        f"{size}: memory_search, its vector made",
        n,
        lambda i: bench.call("memory_search", query=questions[i]),
    )
    yield timed(engine, n, partial(rank, everything, questions))
    yield timed(
        f"{size}: of it meaning",
        n,
        lambda i: index.dense(embedder.embed([questions[i]])[0], embedder.model, everything, DEPTH),
    )
    for name, filters in _FILTERS.items():
        some = replace(everything, **filters)
        filtered = f"{size}: the engine with a filter, {name}"
        yield timed(f"{filtered}, first", n, partial(rank, some, narrow))
        yield timed(filtered, n, partial(rank, some, narrow))


def questions_of(texts: list[str], n: int) -> list[str]:
    """What is asked: the first words of texts."""
    asked = random.Random(SEED + 1)
    return [" ".join(asked.choice(texts).split()[:6]) for _ in range(n)]


def _most_memory() -> str:
    """Of this process, with the texts it made: 0.3 kB for each record."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return f"{peak / (1e6 if sys.platform == 'darwin' else 1e3):.0f} MB"


def _query(runtime: Runtime) -> Query:
    """What `memory_search` asks the index for."""
    return runtime.query(*kinds_that("strategy"), statuses=FOUND, valid_at=runtime.clock.now())


def _record(bench: Bench, i: int) -> None:
    spoken = " ".join(op.description for op in OPERATIONS.values()).split()
    content = " ".join(random.Random(SEED + 100 + i).choices(spoken, k=30)) + f" case {i}"
    bench.call(
        "memory_record",
        title=f"Lesson {i}",
        description="when needed",
        content=content,
        outcome="success",
    )


def _naive_search(home: Path, rows: list[str], questions: list[str]) -> Figure:
    """FTS5 as its manual shows it: one OR query, ranked by bm25, joined with the records."""
    db = apsw.Connection(str(home / "naive.db"))
    db.execute("CREATE TABLE r(id INTEGER PRIMARY KEY, content TEXT)")
    db.execute("CREATE VIRTUAL TABLE f USING fts5(content, tokenize='porter')")
    with db:
        db.executemany("INSERT INTO r(content) VALUES (?)", ((row,) for row in rows))
        db.execute("INSERT INTO f(rowid, content) SELECT id, content FROM r")
    sql = (
        "SELECT r.content FROM f JOIN r ON r.id = f.rowid WHERE f MATCH ? ORDER BY bm25(f) LIMIT 5"
    )

    def ask(i: int) -> None:
        terms = " OR ".join(f'"{word}"' for word in questions[i].split())
        list(db.execute(sql, (terms,)))

    name = f"{len(rows):,} records: baseline, naive FTS5, words only"
    measured = timed(name, len(questions), ask)
    db.close()
    return measured


def _bare_insert(home: Path, n: int) -> Figure:
    db = apsw.Connection(str(home / "bare.db"))
    db.execute("PRAGMA journal_mode=WAL")
    db.execute("PRAGMA synchronous=FULL")
    db.execute("CREATE TABLE r(id INTEGER PRIMARY KEY, content TEXT)")
    sql = "INSERT INTO r(content) VALUES (?)"
    measured = timed(
        "baseline: bare durable SQLite insert", n, lambda i: db.execute(sql, (f"row {i}",))
    )
    db.close()
    return measured


def _texts(count: int) -> list[str]:
    words = random.Random(SEED)
    weights = [1 / (rank + 1) for rank in range(len(VOCABULARY))]
    return [" ".join(words.choices(VOCABULARY, weights, k=40)) + f" item {i}" for i in range(count)]


def _fill(runtime: Runtime, texts: list[str]) -> None:
    """Records with vectors drawn at random: embedding 10,000 texts would take minutes and the time
    of a search does not depend on what the vectors say.
    """
    numbers = np.random.default_rng(SEED)
    for start in range(0, len(texts), _AT_ONCE):
        rows = enumerate(texts[start : start + _AT_ONCE])
        records = [_made(runtime, i, text) for i, text in rows]
        documents = [record_document(record) for record in records]
        vectors = numbers.standard_normal((len(documents), 384)).astype(np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        by_digest = {d.digest: v for d, v in zip(documents, vectors, strict=True)}
        runtime.view.commit(
            Changes(
                actor="bench",
                knowledge=KnowledgeChanges(
                    records=[Put(record, "create") for record in records],
                    vectors={runtime.scope: by_digest},
                    model=runtime.embedder.model,
                ),
            )
        )


def _made(runtime: Runtime, i: int, text: str) -> Record:
    of_few = i % _FEWER
    return Record(
        kind=_KIND if of_few == 1 else "memory",
        scope=runtime.scope,
        content=text,
        title=" ".join(text.split()[:4]),
        tags=(_TAG,) if i % _ONE_OF == 0 else (),
        status="archived" if of_few == 2 else "active",
        valid_to=runtime.clock.now() - _LATELY if of_few == 3 else None,
    )
