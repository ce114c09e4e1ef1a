"""The jobs: what contextd does behind its callers' backs. Adding one is a function with a row."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from contextd.domain.errors import Invalid, nearest
from contextd.runtime import Runtime

Checkpoint = Callable[[Mapping[str, Any]], None]
"""Keeps how far a job came, for the attempt after a crash."""


@dataclass(frozen=True, slots=True)
class Task:
    """What a job is given: its arguments, what the last attempt kept, and where to keep more."""

    arguments: Mapping[str, Any]
    kept: Mapping[str, Any]
    keep: Checkpoint


@dataclass(frozen=True, slots=True)
class JobKind:
    """A row of the table. Running one twice must change nothing more than running it once."""

    name: str
    run: Callable[[Runtime, Task], Mapping[str, Any]]
    description: str


JOBS: dict[str, JobKind] = {}
"""Every job by name."""


def job(
    run: Callable[[Runtime, Task], Mapping[str, Any]],
) -> Callable[[Runtime, Task], Mapping[str, Any]]:
    """Add a function to the table under its own name."""
    JOBS[run.__name__] = JobKind(run.__name__, run, (run.__doc__ or "").strip().split("\n")[0])
    return run


def job_named(name: str) -> JobKind:
    """The job called `name`. Raises `Invalid` with the nearest one."""
    if name not in JOBS:
        raise Invalid(f"no job {name!r}", nearest(name, list(JOBS)))
    return JOBS[name]
