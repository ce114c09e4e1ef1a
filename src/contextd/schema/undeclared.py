"""Leftovers: entries saved under a type that was not declared then. They wait for it."""

from __future__ import annotations

from functools import partial

from contextd.domain.conditions import AllOf, AnyOf, Compare, Condition, Not
from contextd.domain.kinds import area_of
from contextd.jobs.table import new_job
from contextd.runtime.runtime import Runtime
from contextd.schema.model import FIELDS, SAVED_AS, TYPE, Schema

_PROJECTS = 64


def leftovers_for(schema: Schema) -> Condition:
    """What finds the leftovers that a type of the schema may fit: those that remember its name, and
    those from before names were remembered.
    """
    known = [Compare((SAVED_AS,), "=", name) for name in schema.types]
    unnamed = AllOf((Compare((SAVED_AS,), "=", None), Not(Compare((FIELDS,), "=", None))))
    return AllOf((Compare((TYPE,), "=", None), AnyOf((*known, unnamed))))


def expect_adoption(runtime: Runtime, schema: Schema) -> None:
    """Have the project's leftovers looked through, once for every state of its schema files."""
    if runtime.project is None or runtime.checkout is None or not schema.types:
        return
    scope, state = runtime.scope, tuple(file.etag for file in schema.files)
    looked = runtime.organisation.caches.of("schemas looked at for leftovers", _PROJECTS)
    if looked.get(scope) == state or not runtime.caller.may("write", scope, area_of("context")):
        return
    looked.put(scope, state)
    runtime.sinks.later("leftovers", partial(_queue_adoption, runtime.aside(), schema))


def _queue_adoption(runtime: Runtime, schema: Schema) -> None:
    query = runtime.query("context", reach="project", filter=leftovers_for(schema), limit=1)
    if runtime.view.records.find(query).records:
        runtime.queue(new_job("adopt_leftovers", runtime.scope, runtime.place, once=""))
