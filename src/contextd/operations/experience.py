"""What is remembered of earlier work on the files a question may be about."""

from __future__ import annotations

from collections.abc import Mapping

from contextd.domain.errors import Corrupt, Unavailable
from contextd.operations.knowledge import ATTACHED
from contextd.retrieval.hits import Part
from contextd.retrieval.votes import file_votes
from contextd.runtime import Runtime

_NEAREST = 60


def votes_for(runtime: Runtime, question: str) -> Mapping[str, Part]:
    """What records like the question add to the scores of the files they are about.

    Nothing without an embedder: shared words alone do not make two tasks alike.
    """
    embedder = runtime.embedder
    if not embedder.model or not question.strip():
        return {}
    query = runtime.query(*ATTACHED, reach="project", valid_at=runtime.clock.now())
    try:
        vector = embedder.embed([question])[0]
        near = runtime.store.index.dense(vector, embedder.model, query, _NEAREST)
    except (Unavailable, Corrupt):
        return {}
    records = {one.id: one for one in runtime.store.records.get([match.id for match in near])}
    return file_votes((records[m.id], m.score) for m in near if m.id in records)
