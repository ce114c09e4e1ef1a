"""What earlier work says of the files a question may be about: records, and the commits here."""

from __future__ import annotations

from collections.abc import Mapping

from contextd.code.git import history
from contextd.domain.errors import Corrupt, Unavailable
from contextd.domain.kinds import kinds_that
from contextd.runtime.runtime import Runtime
from contextd.search.files import Past
from contextd.search.hits import ScorePart
from contextd.search.votes import commit_votes, file_votes

_NEAREST = 60
_CHECKOUTS = 24
"""Histories that are remembered, of 2 MB each at most: more checkouts than anybody has open at once. With
eight, the ninth window made the first one's searches forget what its commits say.
"""

_PATIENCE, _LONG, _LONGEST = 0.5, 30.0, 120.0
"""Seconds a call waits for git's history, and what reading it may take after the answer, at first and when
that was not enough: 2,000 commits in a repository of 7,500 files take 0.9 s alone, and many times
that beside other work.
"""


def past_of(runtime: Runtime, question: str) -> Past:
    """What records and commits like the question add to the scores of the files they are about, and
    which files were changed lately.
    """
    alike: dict[str, list[ScorePart]] = {}
    recent: Mapping[str, float] = {}
    sources = [_of_records(runtime, question)]
    if runtime.checkout is not None and runtime.settings.flag("recall.history"):
        past = _known_past(runtime, _PATIENCE)
        if past is None:
            runtime.sinks.prepare("git history", runtime.root, lambda: _read_whole_past(runtime))
        else:
            sources.append(commit_votes(past.alike(question)))
            recent = past.recent
    for votes in sources:
        for path, part in votes.items():
            alike.setdefault(path, []).append(part)
    return Past(alike, recent)


def _known_past(runtime: Runtime, patience: float) -> history.CommitLog | None:
    """The commits of the checkout, remembered; None when they cannot be read that fast."""
    cache = runtime.organisation.caches.of("git history", _CHECKOUTS)
    before = cache.get(runtime.root) or history.NOTHING
    past = history.past(runtime.root, before, patience=patience)
    if past is not None:
        cache.put(runtime.root, past)
    return past


def _read_whole_past(runtime: Runtime) -> None:
    """Read it with more patience each time; others have their turn between. In the end it is unknowable."""
    caches, root = runtime.organisation.caches, runtime.root
    patience = caches.of("patience with git", _CHECKOUTS).made(root, lambda: _LONG)
    if _known_past(runtime, patience) is not None:
        return
    if patience < _LONGEST:
        caches.of("patience with git", _CHECKOUTS).put(root, 2 * patience)
        runtime.sinks.prepare("git history", root, lambda: _read_whole_past(runtime))
    else:
        caches.of("git history", _CHECKOUTS).put(root, history.unknowable(root))


def _of_records(runtime: Runtime, question: str) -> Mapping[str, ScorePart]:
    """Nothing without an embedder: shared words alone do not make two tasks alike."""
    embedder = runtime.embedder
    if not embedder.model or not question.strip():
        return {}
    query = runtime.query(*kinds_that("attached"), reach="project", valid_at=runtime.clock.now())
    try:
        vector = embedder.embed([question])[0]
        near = runtime.view.index.dense(vector, embedder.model, query, _NEAREST)
    except (Unavailable, Corrupt):
        return {}
    records = {one.id: one for one in runtime.view.records.get([match.id for match in near])}
    return file_votes((records[m.id], m.score) for m in near if m.id in records)
