"""What earlier work says of the files a question may be about: records, and the commits here."""

from __future__ import annotations

from collections.abc import Mapping

from contextd.code.git import history
from contextd.domain.errors import Corrupt, Unavailable
from contextd.operations.knowledge import ATTACHED
from contextd.retrieval.files import Past
from contextd.retrieval.hits import Part
from contextd.retrieval.votes import commit_votes, file_votes
from contextd.runtime import Runtime

_NEAREST = 60
_PATIENCE, _LONG = 0.5, 10.0
"""Seconds a call waits for git's history, and what reading it may take after the answer."""


def past_of(runtime: Runtime, question: str) -> Past:
    """What records and commits like the question add to the scores of the files they are about, and
    which files were changed lately.
    """
    alike: dict[str, list[Part]] = {}
    recent: Mapping[str, float] = {}
    told = [_of_records(runtime, question)]
    if runtime.root is not None and runtime.settings.number("recall.history"):
        root = runtime.root
        known = history.past(root, patience=_PATIENCE)
        if known is None:
            runtime.sinks.later(lambda: _learn(runtime))
        else:
            told.append(commit_votes(known.alike(question)))
            recent = known.recent
    for votes in told:
        for path, part in votes.items():
            alike.setdefault(path, []).append(part)
    return Past(alike, recent)


def _learn(runtime: Runtime) -> None:
    if runtime.root is not None and history.past(runtime.root, patience=_LONG) is None:
        history.give_up(runtime.root)


def _of_records(runtime: Runtime, question: str) -> Mapping[str, Part]:
    """Nothing without an embedder: shared words alone do not make two tasks alike."""
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
