"""Whether the code that knowledge cites lasted: a signal of how sure to be of it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from contextd.code.git.cited import Standing
from contextd.domain.confidence import apply
from contextd.domain.records import Record
from contextd.operations.anchors import citations, standings
from contextd.operations.background import Task, job
from contextd.operations.writing import change
from contextd.runtime import Runtime

STABLE_AFTER = timedelta(days=7)

_KINDS = ("discovery", "memory", "remediation", "anti_pattern", "context")
_PAGE = 200


@job
def check_stability(runtime: Runtime, task: Task) -> Mapping[str, int]:
    """Trust knowledge more whose cited code lasted a week, and less where it was reverted; daily."""
    told = {"stable": 0, "reverted": 0}
    if runtime.project is None or runtime.root is None:
        return told
    cursor = ""
    while True:
        page = runtime.store.records.find(
            runtime.query(*_KINDS, reach="project", limit=_PAGE, cursor=cursor)
        )
        cited = [record for record in page.records if record.anchor.commit]
        standing = standings(runtime, cited)
        for record in cited:
            signal, why = _signal(runtime, record, standing.get(record.id, Standing()))
            if signal and not _given(runtime, record, signal):
                after = record.with_(confidence=apply(record.confidence, signal))
                change(runtime, after, action="signal", reason=f"{signal}: {why}")
                told["stable" if signal == "code_stable" else "reverted"] += 1
        cursor = page.cursor
        if not cursor:
            return told


def _signal(runtime: Runtime, record: Record, standing: Standing) -> tuple[str, str]:
    """The signal a record's code gives, and why; empty when it gives none. A note that names no file
    was only written when the commit was the latest: its revert says nothing of it.
    """
    commit = record.anchor.commit
    known = citations(runtime.checkout)
    if standing.reverted and (record.anchor.paths or record.trust == "extracted"):
        return "reverted", f"commit {commit[:8]} was reverted"
    if standing.elsewhere or standing.lost:
        return "", ""
    if standing.changed and known.came_back(record.anchor):
        files = ", ".join(standing.changed[:3])
        return "reverted", f"{files} is again as it was before"
    old = runtime.clock.now() - record.created_at >= STABLE_AFTER
    if old and record.anchor.paths and known.in_history(commit):
        return "code_stable", f"commit {commit[:8]} is still in the history after 7 days"
    return "", ""


def _given(runtime: Runtime, record: Record, signal: str) -> bool:
    """Whether the record had this signal before: each counts once."""
    history = runtime.store.records.history(record.id)
    return any(one.action == "signal" and one.reason.startswith(signal) for one in history)
