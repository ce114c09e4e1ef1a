"""Initialise a repository, and update its project.yaml and index."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from contextd.briefing.prepared_briefings import keep_ready
from contextd.codebase.scanning import Initialised, initialise
from contextd.domain.trust import APART
from contextd.jobs.table import Task
from contextd.projects.project_lookup import make_known, remember_sighting
from contextd.projects.project_news import take_news
from contextd.runtime.operation import in_steps, operation
from contextd.runtime.runtime import Runtime


@operation("POST /api/init", effect="write", audience="owner", idempotent=True, needs="checkout")
@in_steps
def init(runtime: Runtime, anyway: bool = False) -> Initialised:
    """Scan the repository, write .context/project.yaml and CONTEXT.md, and index the code.

    A second run merges: comments, hand edits and learned knowledge stay.

    Args:
        anyway: Also where a project is not expected: a home, a temporary or a very large folder.
    """
    here = make_known(runtime, asked=True, anyway=anyway)
    done = initialise(here)
    remember_sighting(here, here.root)
    news = take_news(here, by_owner=here.surface == "cli")
    return replace(done, news=[*([APART] if here.is_apart else []), *news])


@operation("POST /api/scan", effect="write", audience="owner", idempotent=True, needs="checkout")
@in_steps
def scan_(runtime: Runtime) -> Initialised:
    """Scan again and bring project.yaml and the index up to date."""
    return initialise(runtime)


def rescan_project(runtime: Runtime, task: Task) -> Mapping[str, object]:
    """Bring project.yaml and the index up to date, where the project was initialised."""
    checkout = runtime.checkout
    if checkout is None or not checkout.initialised:
        return {"skipped": "not initialised"}
    done = initialise(runtime)
    keep_ready(runtime)
    return {"type": done.type, "stack": done.stack}
