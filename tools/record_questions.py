"""What `fit_ranking.py` fits the weights of records on: what developers wrote, and asked later."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from contextd.domain.query import Query
from contextd.embedders import open_embedder
from contextd.search import record_ranking as records
from contextd.search.boosts import Standpoint, in_order, ranked
from contextd.search.search import search
from contextd_bench.project_notes import read_notes
from contextd_bench.records import asked_in_time, kind_of
from contextd_bench.scratch import scratch_store
from contextd_common.errors import NotFound

PROPOSED = 30
"""Records that a search for ten looks at."""

Numbers = NDArray[np.float64]


def record_questions(
    repositories: Sequence[Path],
) -> Iterator[tuple[str, str, Numbers, Numbers, int]]:
    """(sort of question, repository, signals of its candidates with the score so far first, which of them
    are right, how many are) of each question that these repositories ask.
    """
    embedder = open_embedder("minilm")
    with scratch_store() as store:
        for number, repository in enumerate(repositories, 1):
            try:
                every = read_notes(repository)
            except NotFound as error:
                print(f"{repository}: {error.message}")
                continue
            for notes in every:
                name = f"project-{number}"
                for view, scope, question in asked_in_time(store, embedder, name, notes):
                    query = Query(scopes=frozenset({scope}), kinds=(kind_of(notes),))
                    proposed = search(
                        view.index, embedder, question.text, query, limit=PROPOSED
                    ).candidates
                    known = {r.id: r for r in view.records.get([one.id for one in proposed])}
                    standing = Standpoint((scope,), now=question.at)
                    hits = in_order(ranked(one, known[one.id], standing) for one in proposed)
                    found = [known[hit.id] for hit in hits]
                    told = records.signals(found, question.text, question.at)
                    columns = [[hit.score for hit in hits], *(told[n] for n in records.SIGNALS)]
                    right = [float(hit.id in question.right) for hit in hits]
                    if hits:
                        yield (
                            question.sort,
                            str(repository),
                            np.array(columns).T,
                            np.array(right),
                            len(question.right),
                        )
