"""Rebuild the documents behind index entries from canonical data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from contextd.domain.documents import (
    code_documents,
    message_documents,
    message_place,
    record_document,
)
from contextd.domain.query import CODE, EVENT, Document, Pending
from contextd.domain.scope import Scope
from contextd.ports.store import View
from contextd.runtime.runtime import Runtime


def documents_behind(runtime: Runtime, entries: Iterable[Pending]) -> list[Document]:
    """The documents of these entries, without those whose source is gone.

    Each scope is queried alone: two scopes may have a record of the same id.
    """
    by_scope: dict[Scope, list[Pending]] = {}
    for one in entries:
        by_scope.setdefault(one.scope, []).append(one)
    found: list[Document] = []
    for scope, mine in by_scope.items():
        view = runtime.organisation.view(runtime.caller, [scope])
        kinds = {one.id: one.kind for one in mine}
        records = [id for id, kind in kinds.items() if kind not in (CODE, EVENT)]
        found += [record_document(record) for record in view.records.get(records)]
        found += _code(view, scope, {id for id, kind in kinds.items() if kind == CODE})
        found += _messages(view, scope, [id for id, kind in kinds.items() if kind == EVENT])
    return found


def _code(view: View, scope: Scope, ids: set[str]) -> list[Document]:
    if view.files is None:
        return []
    # Two contents of one path may share a piece.
    found = {
        document.id: document
        for file in view.files.holding(scope, sorted(ids))
        for document in code_documents(scope, file)
        if document.id in ids
    }
    return list(found.values())


def _messages(view: View, scope: Scope, ids: Sequence[str]) -> list[Document]:
    wanted = set(ids)
    sessions = dict.fromkeys(place[0] for id in ids if (place := message_place(id)))
    return [
        document
        for session_id in sessions
        for document in message_documents(
            scope, session_id, view.sessions.events(session_id, types=("message",))
        )
        if document.id in wanted
    ]
