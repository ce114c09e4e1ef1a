"""Show what is stored, indexed and running."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import field
from datetime import datetime

from contextd import __version__
from contextd.codebase.freshness import not_indexed
from contextd.domain.jobs import Job
from contextd.domain.kinds import KINDS
from contextd.domain.time import age
from contextd.domain.trust import APART, UNTRUSTED
from contextd.projects.project_model import unheeded
from contextd.projects.project_news import take_news
from contextd.runtime.operation import operation
from contextd.runtime.runtime import Runtime
from contextd.thin.set_aside import set_aside_in
from contextd_common.dataclass import dataclass

_LATEST = 200
"""Finished jobs that are examined."""

_MENDED = 3
"""Repairs that are shown."""

_PLACES = 5
"""Folders with events that wait, which are shown."""

_ROUNDS = 10
"""Embedding runs that the speed is computed from."""


@dataclass(frozen=True, slots=True)
class Status:
    """The state of contextd in this project."""

    version: str
    home: str
    project: str
    records: dict[str, int]
    indexed: int
    vectors: int
    pending: int
    files: int
    active_sessions: int
    jobs: dict[str, int]
    problems: list[str] = field(default_factory=list[str])
    percent: int = 100
    note: str = ""
    per_second: float = 0.0
    seconds_left: int | None = None
    mended: list[str] = field(default_factory=list[str])
    not_indexed: str = ""
    memory: str = ""
    news: list[str] = field(default_factory=list[str])

    def as_text(self) -> str:
        """One line per fact."""
        known = (
            ", ".join(f"{n} {kind}" for kind, n in sorted(self.records.items())) or "nothing yet"
        )
        rate = f" ({self.per_second:.0f} a second" if self.pending and self.per_second else ""
        rate += (
            f", about {max(1, round(self.seconds_left / 60))} min left)"
            if rate and self.seconds_left is not None
            else ""
        )
        index = f"{self.indexed} texts, {self.percent}% with vectors, {self.pending} waiting{rate}"
        index = index if self.indexed else "empty"
        lines = [
            f"contextd {self.version}",
            f"Project: {self.project or 'none here' + self.note}",
        ]
        if self.project:
            lines += [
                f"Known: {known}",
                f"Code: {self.files} files" + (f"; {self.not_indexed}" if self.not_indexed else ""),
                f"Index: {index}",
                f"Sessions: {self.active_sessions} active",
            ]
        else:
            lines.append(f"Index of all projects: {index}")
        if self.jobs:
            lines.append("Jobs: " + ", ".join(f"{n} {state}" for state, n in self.jobs.items()))
        if self.memory:
            lines.append(f"Kept in memory: {self.memory}")
        lines += [f"Mended {what}" for what in self.mended]
        lines += [f"New: {what}" for what in self.news]
        return "\n".join(lines + [f"! {problem}" for problem in self.problems])


@operation("GET /api/status", audience="owner", needs="machine")
def status(runtime: Runtime) -> Status:
    """Show what is stored and indexed, and what is running."""
    here = runtime.project is not None
    view = runtime.view if here else runtime.everywhere().view
    stats = view.index.stats(runtime.embedder.model)
    active = 0
    if here:
        scopes = frozenset({runtime.scope})
        found = view.sessions.find(scopes, statuses=("active",), limit=1_000)
        active = sum(session.ended_at is None for session in found)
    done = view.jobs.list(states=("done",), limit=_LATEST)
    rate = _embedding_rate(done) if here else 0.0
    return Status(
        version=__version__,
        home=str(runtime.settings.home),
        project=str(runtime.scope) if here else "",
        records=view.records.count(runtime.query(*KINDS)) if here else {},
        indexed=stats.documents,
        vectors=stats.vectors,
        pending=stats.pending,
        files=view.files.of(runtime.scope).count() if here and view.files else 0,
        active_sessions=active,
        jobs=view.jobs.count(),
        problems=[
            *map(str, runtime.settings.problems),
            *((UNTRUSTED,) if unheeded(runtime) else ()),
            *((APART,) if runtime.is_apart else ()),
            *(
                f"job {job.name} failed: {job.error}"
                for job in view.jobs.list(states=("failed",), limit=5)
            ),
            *(_set_aside(runtime) if runtime.has_person else ()),
        ],
        percent=100 * stats.vectors // stats.documents if stats.documents else 100,
        note=runtime.nowhere,
        per_second=round(rate, 1),
        seconds_left=round(stats.pending / rate) if rate else None,
        not_indexed=not_indexed(runtime) if here else "",
        memory=runtime.organisation.memory_use().line,
        news=take_news(runtime, by_owner=True) if runtime.surface == "cli" else [],
        mended=[line for job in done if (line := _mended(job, runtime.clock.now()))][:_MENDED],
    )


def _set_aside(runtime: Runtime) -> list[str]:
    """The events of hooks that wait for their project."""
    waiting = set_aside_in(runtime.settings.home)
    return [f"events set aside: {one.told(time.time())}" for one in waiting[:_PLACES]]


def _mended(job: Job, now: datetime) -> str:
    """What a finished job repaired, for the index's owner; empty if nothing."""
    found = job.result.get("found")
    if job.name != "mend_index" or not found or job.finished_at is None:
        return ""
    return f"{age(job.finished_at, now)}: {'; '.join(map(str, found))}"


def _embedding_rate(done: Sequence[Job]) -> float:
    """Texts embedded per second in recent runs; 0.0 if unknown."""
    rounds = [
        job.result for job in done if job.name == "embed_pending" and job.result.get("embedded")
    ][:_ROUNDS]
    seconds = sum(float(one.get("seconds", 0)) for one in rounds)
    return sum(int(one["embedded"]) for one in rounds) / seconds if seconds else 0.0
