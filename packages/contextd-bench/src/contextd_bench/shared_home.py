"""What other projects in the same home cost: conversations and functions asked about where they are alone,
and where each other's texts lie beside them, among them the very same under another project.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from contextd.domain.access import OWNER
from contextd.domain.query import CODE, Query, Vector
from contextd.domain.scope import Scope
from contextd.embedders import open_embedder
from contextd.ports.knowledge import Embedder
from contextd.ports.store import Store
from contextd.search.file_ranking import Past, by_file
from contextd.search.search import DEPTH, search
from contextd_bench import cosqa, locomo
from contextd_bench.conversations import keep, measure
from contextd_bench.data import (
    as_dicts,
    checksum,
    data_file,
    fitted_on,
    hardware,
    report,
    scored,
)
from contextd_bench.scratch import scratch_store

MINE = 2_000
"""Functions that are asked about, the first ones; the others are another project's."""

Values = dict[str, list[float]]


class _Remembering:
    """An embedder that makes each vector once: every text is indexed in several homes here."""

    def __init__(self, embedder: Embedder) -> None:
        self.model, self.sends_to = embedder.model, embedder.sends_to
        self._embedder, self._known = embedder, dict[str, Vector]()

    def embed(self, texts: Sequence[str]) -> Vector:
        """See `Embedder.embed`."""
        missing = [text for text in dict.fromkeys(texts) if text not in self._known]
        if missing:
            self._known.update(zip(missing, self._embedder.embed(missing), strict=True))
        rows: Vector = np.vstack([self._known[text] for text in texts])
        return rows


def run(data: Path, *, out: TextIO, file: str = "", store: str = "sqlite") -> dict[str, Any]:
    """Measure LoCoMo, of another `file` when one is named, and CoSQA's questions about the first functions:
    each conversation and the functions alone in a home, then all of it in one. Embeds for some minutes.
    """
    spoken = data_file(data, "locomo", file or "locomo-dev.json")
    asked, coded = (data_file(data, "cosqa", n) for n in (cosqa.QUESTIONS, cosqa.FUNCTIONS))
    conversations = list(locomo.load(spoken))
    questions, functions = cosqa.load(asked, coded)
    mine = [(text, place) for text, place in questions if place < MINE]
    embedder = _Remembering(open_embedder("minilm"))
    alone: list[Values] = []
    for conversation in conversations:
        with scratch_store(store) as opened:
            alone.append(measure(opened, embedder, [conversation])["contextd"])
    with scratch_store(store) as opened:
        code_alone = _functions(opened, embedder, mine, functions[:MINE])
    with scratch_store(store) as opened:
        for conversation in conversations:
            scope = Scope("local", "others", conversation.name)
            keep(opened.view(OWNER.grant([scope])), embedder, scope, conversation)
        others = Scope("local", "others", "functions")
        cosqa.keep(opened.view(OWNER.grant([others])), embedder, functions, others)
        code_shared = _functions(opened, embedder, mine, functions[:MINE])
        shared = measure(opened, embedder, conversations)["contextd"]
    rows = scored(
        {
            "LoCoMo, each conversation alone": _together(alone),
            "LoCoMo, all in one home": shared,
            "CoSQA, the functions alone": code_alone,
            "CoSQA, all in one home": code_shared,
        }
    )
    facts = {
        "data": f"{spoken.name}, {asked.name}",
        "questions": f"{len(shared['MRR'])} of conversations, {len(mine)} of {MINE} functions",
        "beside them": f"{len(functions)} functions and all conversations again, of other projects",
        "data sha256": checksum(spoken, asked, coded),
        **fitted_on(file),
        "hardware": hardware(),
        "store": store,
    }
    report(out, "One home for all: what the others cost", facts, rows)
    return {**facts, **as_dicts(rows)}


def _functions(
    store: Store,
    embedder: Embedder,
    questions: Sequence[tuple[str, int]],
    functions: Sequence[str],
) -> Values:
    """Keep the functions and ask about them, as `codebase_search` does; measure → a value per question."""
    view = store.view(OWNER.grant([cosqa.SCOPE]))
    cosqa.keep(view, embedder, functions)
    query = Query(scopes=frozenset({cosqa.SCOPE}), kinds=(CODE,))
    rankings = []
    for text, _ in questions:
        found = search(view.index, embedder, text, query, limit=2 * DEPTH).candidates
        hits = by_file(cosqa.function_hits(found, functions), text, Past())
        rankings.append([int(hit.id) for hit in hits])
    return cosqa.measured(rankings, [place for _, place in questions])


def _together(parts: Iterable[Values]) -> Values:
    """The values of all questions, by named."""
    together: Values = {}
    for part in parts:
        for named, values in part.items():
            together.setdefault(named, []).extend(values)
    return together
