"""Check whether cited code was reverted, which lowers a record's confidence."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from contextd.domain.confidence import apply
from contextd.domain.kinds import kinds_that
from contextd.domain.records import Record
from contextd.jobs.table import Task
from contextd.knowledge.citations import AnchorStanding
from contextd.knowledge.git_anchors import citations, standings
from contextd.knowledge.writing import change
from contextd.runtime.runtime import Runtime
from contextd_common.errors import Stale

_PAGE = 200


def check_stability(runtime: Runtime, task: Task) -> Mapping[str, int]:
    """Lower the confidence of records whose cited code was reverted; daily."""
    counts = {"reverted": 0}
    if runtime.project is None or runtime.checkout is None:
        return counts
    query = runtime.query(*kinds_that("stable"), level="project", limit=_PAGE)
    for page in runtime.pages(query):
        cited = [record for record in page if record.anchor.commit]
        standing = standings(runtime, cited)
        for record in cited:
            task.hold.check()
            signal, why = _signal(runtime, record, standing.get(record.id, AnchorStanding()))
            if signal and not _given(runtime, record, signal):
                after = record.with_(confidence=apply(record.confidence, signal))
                with suppress(Stale):
                    # The record changed meanwhile: the next run retries it.
                    change(runtime, record, after, action="signal", reason=f"{signal}: {why}")
                    counts["reverted"] += 1
    return counts


def _signal(runtime: Runtime, record: Record, standing: AnchorStanding) -> tuple[str, str]:
    """The signal from a record's code, and the reason; empty if there is none. A note that cites no file was
    merely written when the commit was the latest, so its revert means nothing.
    """
    commit = record.anchor.commit
    known = citations(runtime)
    if standing.reverted and (record.anchor.paths or record.trust == "extracted"):
        return "reverted", f"commit {commit[:8]} was reverted"
    if standing.elsewhere or standing.lost:
        return "", ""
    if standing.changed and known.came_back(record.anchor):
        files = ", ".join(standing.changed[:3])
        return "reverted", f"{files} is again as it was before"
    return "", ""


def _given(runtime: Runtime, record: Record, signal: str) -> bool:
    """Whether the record had this signal before: each signal counts once."""
    history = runtime.view.records.history(record.id)
    return any(one.action == "signal" and one.reason.startswith(signal) for one in history)
