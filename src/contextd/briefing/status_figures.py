"""Figures of a project for a client's status line."""

from __future__ import annotations

from contextd.domain.kinds import KINDS, kinds_that
from contextd.knowledge.record_lists import statuses_of
from contextd.runtime.runtime import Runtime
from contextd_common.dataclass import dataclass

_RULES = kinds_that("binding")
_MEMORIES = tuple(name for name in kinds_that("entry") if name not in _RULES)
_WAIT = tuple(name for name in KINDS if name not in kinds_that("recalled"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """How many records a project can show an agent, and how many are awaiting review (`waits`)."""

    project: str
    memories: int
    rules: int
    waits: int


def figures_of(runtime: Runtime) -> Figures | None:
    """The figures of the call's project; None if the call is in no project."""
    if runtime.project is None:
        return None
    count = runtime.view.records.count
    return Figures(
        project=runtime.project.name,
        memories=sum(count(runtime.query(*_MEMORIES)).values()),
        rules=sum(count(runtime.query(*_RULES)).values()),
        waits=sum(count(runtime.query(*_WAIT, statuses=statuses_of("waiting"))).values()),
    )
