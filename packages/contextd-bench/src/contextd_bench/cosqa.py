"""CoSQA: find the Python function that answers a web search query.

Huang et al. 2021, https://github.com/Jun-jie-Huang/CoCLR, MIT: `cosqa/` under the data folder. One
right function per question, among 6,267; other suitable functions count as wrong.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TextIO

from contextd.domain.access import OWNER
from contextd.domain.changes import Changes, KnowledgeChanges
from contextd.domain.query import CODE, Document, Query
from contextd.domain.scope import Scope
from contextd.embedders import open_embedder
from contextd.ports.knowledge import Embedder
from contextd.ports.store import View
from contextd.search.file_ranking import Past, by_file
from contextd.search.hits import Candidate, Hit
from contextd.search.search import DEPTH, search
from contextd_bench.bm25 import PlainBM25
from contextd_bench.data import (
    as_dicts,
    checksum,
    data_file,
    fitted_on,
    hardware,
    report,
    rows_of,
    scored,
)
from contextd_bench.scratch import scratch_store
from contextd_code.values.source import Chunk

SCOPE = Scope("local", "cosqa", "functions")
QUESTIONS, FUNCTIONS = "cosqa-retrieval-dev-500.json", "code_idx_map.txt"
_LIMIT, _BATCH = 100, 500


def run(data: Path, *, out: TextIO, file: str = "", store: str = "sqlite") -> dict[str, Any]:
    """Measure recall@10 and MRR over all functions, beside plain BM25: of the bare search, and of the order
    in which code is shown. On another `file` of questions than the development split when one is named.
    Embeds for a minute.
    """
    questions_path = data_file(data, "cosqa", file or QUESTIONS)
    functions_path = data_file(data, "cosqa", FUNCTIONS)
    questions, functions = load(questions_path, functions_path)
    embedder = open_embedder("minilm")
    with scratch_store(store) as opened:
        view = opened.view(OWNER.grant([SCOPE]))
        began = time.process_time()
        keep(view, embedder, functions)
        indexing = time.process_time() - began
        query = Query(scopes=frozenset({SCOPE}), kinds=(CODE,))
        began = time.process_time()
        proposed = [
            search(view.index, embedder, text, query, limit=2 * DEPTH).candidates
            for text, _ in questions
        ]
        rankings = [[int(c.id) for c in found[:_LIMIT]] for found in proposed]
        asking = time.process_time() - began
    baseline = PlainBM25(functions)
    right = [place for _, place in questions]
    systems = {
        "plain BM25": [baseline.ranking(text, _LIMIT) for text, _ in questions],
        "contextd": rankings,
        "contextd, as codebase_search": [
            [int(hit.id) for hit in by_file(function_hits(found, functions), text, Past())]
            for (text, _), found in zip(questions, proposed, strict=True)
        ],
    }
    rows = {name: measured(found, right) for name, found in systems.items()}
    facts = {
        "data": questions_path.name,
        "questions": len(questions),
        "functions": len(functions),
        "data sha256": checksum(questions_path, functions_path),
        **fitted_on(file),
        "hardware": hardware(),
        "store": store,
        "CPU": f"{len(functions) / indexing:.0f} functions indexed a second, "
        f"{1e3 * asking / len(questions):.1f} ms a question",
    }
    table = scored(rows)
    report(out, "CoSQA: the function that answers a question", facts, table)
    return {**facts, **as_dicts(table)}


def load(questions: Path, functions: Path) -> tuple[list[tuple[str, int]], list[str]]:
    """(question, number of its function), and the functions by number."""
    places = json.loads(functions.read_text("utf-8"))
    asked = rows_of(questions, "doc", "retrieval_idx")
    return (
        [(one["doc"], int(one["retrieval_idx"])) for one in asked],
        [code for code, _ in sorted(places.items(), key=lambda item: int(item[1]))],
    )


def function_hits(found: Iterable[Candidate], functions: Sequence[str]) -> list[Hit]:
    """Candidates as code is found: each function is the only piece of a file named by its number."""
    hits: list[Hit] = []
    for one in found:
        text = functions[int(one.id)]
        piece = Chunk(
            id=one.id, path=one.id, start_line=1, end_line=text.count("\n") + 1, text=text
        )
        hits.append(Hit(one.id, one.kind, one.parts, piece))
    return hits


def keep(view: View, embedder: Embedder, functions: Sequence[str], scope: Scope = SCOPE) -> None:
    """Index the functions in a scope, each by its number."""
    for start in range(0, len(functions), _BATCH):
        documents = [
            Document(id=str(place), kind=CODE, scope=scope, text=text)
            for place, text in enumerate(functions[start : start + _BATCH], start)
        ]
        rows = embedder.embed([document.text for document in documents])
        vectors = {doc.digest: row for doc, row in zip(documents, rows, strict=True)}
        view.commit(
            Changes(
                knowledge=KnowledgeChanges(
                    documents=documents, vectors={scope: vectors}, model=embedder.model
                )
            )
        )


def measured(rankings: Sequence[Sequence[int]], right: Sequence[int]) -> dict[str, list[float]]:
    """Measure → one value per question; `right` is the number of each one's function."""
    ranks = [
        found.index(place) + 1 if place in found else 0
        for found, place in zip(rankings, right, strict=True)
    ]
    return {
        "recall@10": [float(0 < rank <= 10) for rank in ranks],
        "MRR": [1 / rank if rank else 0.0 for rank in ranks],
        "recall@1": [float(rank == 1) for rank in ranks],
    }
