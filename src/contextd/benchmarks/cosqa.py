"""CoSQA: which Python function answers a question typed into a web search.

Huang et al. 2021, https://github.com/Jun-jie-Huang/CoCLR, MIT: `cosqa/` under the data folder. One
right function per question, among 6,267; the other functions that would do count as wrong.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TextIO

from contextd.benchmarks.bm25 import PlainBM25
from contextd.benchmarks.data import checksum, data_file, hardware, report, score
from contextd.benchmarks.scratch import scratch_store
from contextd.domain.access import OWNER
from contextd.domain.changes import Changes
from contextd.domain.query import CODE, Document, Query
from contextd.domain.scope import Scope
from contextd.embedders import open_embedder
from contextd.ports import Embedder, View
from contextd.retrieval.search import search

SCOPE = Scope("local", "cosqa", "functions")
_LIMIT, _BATCH = 100, 500


def run(data: Path, *, out: TextIO, file: str = "", store: str = "sqlite") -> dict[str, Any]:
    """Measure recall@10 and MRR over all functions, beside plain BM25; on another `file` of questions
    than the development split when one is named. Embeds for a minute.
    """
    questions_path = data_file(data, "cosqa", file or "cosqa-retrieval-dev-500.json")
    functions_path = data_file(data, "cosqa", "code_idx_map.txt")
    places = json.loads(functions_path.read_text("utf-8"))
    functions = [code for code, _ in sorted(places.items(), key=lambda item: int(item[1]))]
    questions = [
        (asked["doc"], int(asked["retrieval_idx"]))
        for asked in json.loads(questions_path.read_text("utf-8"))
    ]
    embedder = open_embedder("minilm")
    with scratch_store(store) as opened:
        view = opened.view(OWNER.grant([SCOPE]))
        began = time.process_time()
        _index(view, embedder, functions)
        indexing = time.process_time() - began
        query = Query(scopes=frozenset({SCOPE}), kinds=(CODE,))
        began = time.process_time()
        rankings = [
            [int(c.id) for c in search(view.index, embedder, text, query).candidates]
            for text, _ in questions
        ]
        asking = time.process_time() - began
    baseline = PlainBM25(functions)
    right = [place for _, place in questions]
    systems = {
        "plain BM25": [baseline.ranking(text, _LIMIT) for text, _ in questions],
        "contextd": rankings,
    }
    rows = {name: _measured(found, right) for name, found in systems.items()}
    facts = {
        "data": questions_path.name,
        "questions": len(questions),
        "functions": len(functions),
        "data sha256": checksum(questions_path, functions_path),
        "hardware": hardware(),
        "store": store,
        "CPU": f"{len(functions) / indexing:.0f} functions indexed a second, "
        f"{1e3 * asking / len(questions):.1f} ms a question",
    }
    table = {
        name: {measure: score(values) for measure, values in row.items()}
        for name, row in rows.items()
    }
    report(out, "CoSQA: the function that answers a question", facts, table)
    return {
        **facts,
        **{
            name: {measure: each.as_dict() for measure, each in row.items()}
            for name, row in table.items()
        },
    }


def _index(view: View, embedder: Embedder, functions: Sequence[str]) -> None:
    for start in range(0, len(functions), _BATCH):
        documents = [
            Document(id=str(place), kind=CODE, scope=SCOPE, text=text)
            for place, text in enumerate(functions[start : start + _BATCH], start)
        ]
        rows = embedder.embed([document.text for document in documents])
        vectors = {doc.digest: row for doc, row in zip(documents, rows, strict=True)}
        view.commit(Changes(documents=documents, vectors={SCOPE: vectors}, model=embedder.model))


def _measured(rankings: Sequence[Sequence[int]], right: Sequence[int]) -> dict[str, list[float]]:
    """Measure → one value per question."""
    ranks = [
        found.index(place) + 1 if place in found else 0
        for found, place in zip(rankings, right, strict=True)
    ]
    return {
        "recall@10": [float(0 < rank <= 10) for rank in ranks],
        "MRR": [1 / rank if rank else 0.0 for rank in ranks],
        "recall@1": [float(rank == 1) for rank in ranks],
    }
