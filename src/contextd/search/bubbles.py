"""Find the notes of a bubble."""

from __future__ import annotations

from contextd.domain.limits import SHORTEST_ID
from contextd.domain.query import Query
from contextd.domain.records import Record
from contextd.domain.scope import Scope
from contextd.runtime.runtime import Runtime
from contextd.search.find_records import resolve
from contextd_common.errors import Conflict, NotFound

_EVERYTHING = 10_000


def bubble_named(runtime: Runtime, id: str) -> Record:
    """The bubble with this name, id or id prefix. Raises `NotFound` or `Conflict`."""
    named = runtime.query("bubble", where={"name": id}, limit=1)
    found = runtime.view.records.find(named).records
    if not found and len(id.strip()) < SHORTEST_ID:
        raise NotFound(f"no bubble {id!r}", "list_bubbles shows them")
    return found[0] if found else resolve(runtime, id, "bubble")


def bubble_in(runtime: Runtime, id: str, scope: Scope) -> Record:
    """The bubble found by `bubble_named`, for a record stored in `scope`.

    Raises `Conflict` if the bubble belongs to a project and `scope` does not: others would miss its name.
    """
    bubble = bubble_named(runtime, id)
    if not bubble.scope.contains(scope):
        raise Conflict(
            f"the bubble {bubble.data.get('name') or id} belongs to {bubble.scope}",
            "omit the bubble for records with a wider scope",
        )
    return bubble


def in_bubble(runtime: Runtime, bubble: Record) -> Query:
    """A filter for the notes of a bubble."""
    return runtime.query("context", where={"bubbleId": bubble.id}, limit=_EVERYTHING)


def members_of(runtime: Runtime, bubble: Record) -> list[Record]:
    """The notes of a bubble, newest first."""
    return runtime.view.records.find(in_bubble(runtime, bubble)).records
