"""What past work says about files relevant to a query: records, and this repository's commits."""

from __future__ import annotations

from collections.abc import Mapping
from operator import attrgetter
from pathlib import Path

from contextd.domain.kinds import kinds_that
from contextd.runtime.caches import Cache
from contextd.runtime.runtime import Runtime
from contextd.search.file_ranking import Past
from contextd.search.file_votes import commit_votes, file_votes
from contextd.search.hits import ScorePart
from contextd_code.git import history
from contextd_common.errors import Corrupt, Unavailable

_NEAREST = 60
_CHECKOUTS = 24
"""Cached histories, at most 2 MB each: more checkouts than anybody has open at once. With eight, the ninth
window evicted the first.
"""

_PATIENCE, _LONG, _LONGEST = 0.5, 30.0, 120.0
"""Seconds a call waits for git's history, and the timeouts for reading it after the answer, first and on
retry: 2,000 commits in a repository of 7,500 files take 0.9 s on an idle machine, and many times that
under load.
"""


def past_of(runtime: Runtime, question: str) -> Past:
    """What similar records and commits add to the scores of their files, and how recently files changed."""
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
    """The cached commits of the checkout; None if they cannot be read within the timeout."""
    cache = _histories(runtime)
    before = cache.get(runtime.root) or history.NOTHING
    past = history.past(runtime.root, before, patience=patience)
    if past is not None:
        cache.put(runtime.root, past)
    return past


def _histories(runtime: Runtime) -> Cache[Path, history.CommitLog]:
    return runtime.organisation.caches.of("git history", _CHECKOUTS, weigh=attrgetter("weight"))


def _read_whole_past(runtime: Runtime) -> None:
    """Read the history with a longer timeout each time, letting others run in between; finally give up."""
    caches, root = runtime.organisation.caches, runtime.root
    patience = caches.of("git timeouts", _CHECKOUTS).made(root, lambda: _LONG)
    if _known_past(runtime, patience) is not None:
        return
    if patience < _LONGEST:
        caches.of("git timeouts", _CHECKOUTS).put(root, 2 * patience)
        runtime.sinks.prepare("git history", root, lambda: _read_whole_past(runtime))
    else:
        _histories(runtime).put(root, history.unknowable(root))


def _of_records(runtime: Runtime, question: str) -> Mapping[str, ScorePart]:
    """Nothing without an embedder: shared words alone do not make two tasks similar."""
    embedder = runtime.embedder
    if not embedder.model or not question.strip():
        return {}
    query = runtime.query(*kinds_that("attached"), level="project", valid_at=runtime.clock.now())
    try:
        vector = embedder.embed([question])[0]
        near = runtime.view.index.dense(vector, embedder.model, query, _NEAREST)
    except (Unavailable, Corrupt):
        return {}
    records = {one.id: one for one in runtime.view.records.get([match.id for match in near])}
    return file_votes((records[m.id], m.score) for m in near if m.id in records)
