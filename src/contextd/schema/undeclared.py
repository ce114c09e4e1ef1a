"""Leftovers: entries saved under a type that was not declared at the time. They are adopted when it is."""

from __future__ import annotations

from functools import partial

from contextd.domain.conditions import AllOf, AnyOf, Compare, Condition, Not
from contextd.domain.kinds import area_of
from contextd.jobs.table import new_job
from contextd.runtime.runtime import Runtime
from contextd.schema.model import FIELDS, SAVED_AS, TYPE, Schema

_PROJECTS = 64


def leftovers_for(schema: Schema) -> Condition:
    """The query for leftovers that a type may match: those that store its name, and older ones without a
    stored name.
    """
    known = [Compare((SAVED_AS,), "=", name) for name in schema.types]
    unnamed = AllOf((Compare((SAVED_AS,), "=", None), Not(Compare((FIELDS,), "=", None))))
    return AllOf((Compare((TYPE,), "=", None), AnyOf((*known, unnamed))))


def expect_adoption(runtime: Runtime, schema: Schema) -> None:
    """Queue a check of the project's leftovers, once per state of its schema files."""
    if runtime.project is None or runtime.checkout is None or not schema.types:
        return
    scope, state = runtime.scope, tuple(file.etag for file in schema.files)
    looked = runtime.organisation.caches.of("schemas checked for leftovers", _PROJECTS)
    if looked.get(scope) == state or not runtime.caller.may("write", scope, area_of("context")):
        return
    looked.put(scope, state)
    runtime.sinks.later("leftovers", partial(_queue_adoption, runtime.aside(), schema))


def _queue_adoption(runtime: Runtime, schema: Schema) -> None:
    query = runtime.query("context", level="project", filter=leftovers_for(schema), limit=1)
    if runtime.view.records.find(query).records:
        runtime.queue(new_job("adopt_leftovers", runtime.scope, runtime.place, once=""))
