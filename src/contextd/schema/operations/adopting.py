"""The job that assigns undeclared entries to their type."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from contextd.domain.records import Record
from contextd.jobs.table import Task
from contextd.knowledge.typed_entries import in_step, structured, with_type
from contextd.knowledge.writing import Changed, change_all
from contextd.runtime.runtime import Runtime
from contextd.schema.active_schema import schema_of
from contextd.schema.model import SAVED_AS, Schema
from contextd.schema.text import content_of
from contextd.schema.undeclared import leftovers_for
from contextd_common.errors import Invalid

_AT_ONCE = 200


def adopt_leftovers(runtime: Runtime, task: Task) -> Mapping[str, Any]:
    """Assign entries to the type they were saved under, if their fields now match it."""
    schema = schema_of(runtime)
    query = runtime.query("context", level="project", filter=leftovers_for(schema), limit=_AT_ONCE)
    adopted, unfit = 0, 0
    for page in runtime.pages(query):
        task.hold.check()
        changes: list[Changed] = []
        for record in page:
            name = _type_of(record, schema)
            if not name:
                continue
            try:
                after = in_step(record, with_type(record, name, {}, schema))
            except Invalid:
                unfit += 1
                continue
            changes.append(Changed(record, after, "update", f"the type {name} is now declared"))
        if changes:
            change_all(runtime, changes)
        adopted += len(changes)
    return {"adopted": adopted, "unfit": unfit}


def _type_of(record: Record, schema: Schema) -> str:
    """The type a leftover was saved under; older ones state it in their text."""
    named = str(record.data.get(SAVED_AS, ""))
    if named:
        return named if named in schema.types else ""
    fields = structured(record)
    return next((n for n in schema.types if record.content == content_of(n, fields)), "")
