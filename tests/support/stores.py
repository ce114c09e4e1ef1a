"""Stores for tests, and a store seen whole."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from contextd.domain.access import OWNER
from contextd.domain.changes import (
    Changes,
    Committed,
    Decision,
    KnowledgeChanges,
    NewJob,
    Put,
    Removal,
    WorkChanges,
)
from contextd.domain.checkout_keys import CheckoutKey
from contextd.domain.documents import record_document
from contextd.domain.query import Document, Query, Vector
from contextd.domain.records import Change, Record, last_undoable
from contextd.domain.scope import Scope
from contextd.domain.sessions import Event, Session, SessionChange
from contextd.ports.store import Store, View
from contextd.ports.upkeep import Clock
from contextd.stores import STORES, open_store
from contextd_common.errors import NotFound
from reference_store import WITHOUT_CODE
from support import postgres_server
from support.strategies import SCOPES, vector

WITH_CODE = [name for name in STORES if name not in (*WITHOUT_CODE, "postgresql")]
"""The stores with code indexes, which a store for a team need not have."""

EVERY_STORE = [
    pytest.param(name, marks=pytest.mark.long) if name == "postgresql" else name for name in STORES
]
"""Parameters of a promise."""

with_code = pytest.mark.parametrize("store", WITH_CODE, indirect=True)
"""Runs a promise on these only."""


def plain(text: str) -> str:
    """The scrub of a store that is given no secrets."""
    return text


def address(scheme: str, folder: Path) -> str:
    """Where a test may open a store of this scheme. A new row of STORES needs one here. Behind a `#` stands its
    organisation, if not `local`.
    """
    if scheme == "postgresql":
        return f"{postgres_server.url()}#{postgres_server.organisation()}"
    return f"sqlite://{folder}/contextd.db" if scheme == "sqlite" else f"{scheme}://"


def opened(url: str, clock: Clock | None = None, scrub: Any = plain, **options: Any) -> Store:
    """The store at `url`."""
    url, _, organisation = url.partition("#")
    store = open_store(url, organisation or "local", scrub=scrub, clock=clock, **options)
    if organisation:
        postgres_server.watch(store, organisation)
    return store


class Whole:
    """A store as its owner sees it, with a verb for each sort of change."""

    def __init__(
        self, store: Store, scopes: Iterable[Scope] = SCOPES, code: CheckoutKey | None = None
    ) -> None:
        self.store = store
        self.view: View = store.view(OWNER.grant(scopes), code)
        self.records, self.survey = self.view.records, self.view.survey
        self.contradictions, self.index = self.view.contradictions, self.view.index
        self.files, self.sessions = self.view.files, self.view.sessions
        self.originals = self.view.originals
        self.observations, self.jobs = self.view.observations, self.view.jobs
        self.queue, self.upkeep, self.directory = store.queue, store.upkeep, store.directory
        self.replicas, self.signals = store.replicas, store.signals

    def commit(self, **changes: Any) -> Committed:
        """Commit one unit of work, given by the fields of its parts."""
        return self.view.commit(_by_port(changes))

    def stored(self, scope: Scope, record_id: str) -> Record | None:
        """The record of exactly this scope."""
        view = self.store.view(OWNER.grant([scope]))
        found = view.records.get([record_id])
        return found[0] if found else None

    def put(
        self, record: Record, *, actor: str = "ada", action: str = "write", reason: str = ""
    ) -> Change:
        """Write a record over whatever state of it there is."""
        before = self.stored(record.scope, record.id)
        version = before.version if before else 0
        put = Put(record.with_(version=version), action, reason)
        return self.commit(actor=actor, records=[put]).changes[0]

    def undo(self, record_id: str, *, actor: str = "bo") -> Change:
        """Take the latest change of a record back, as the operation does."""
        history = self.records.history(record_id)
        undone = last_undoable(history)
        if undone is None:
            raise NotFound(
                f"nothing left to undo for {record_id!r}", "its history shows what was done"
            )
        named = undone.after or undone.before
        assert named is not None
        now = self.stored(named.scope, record_id)
        version = now.version if now else 0
        reason = f"undo of {undone.action}"
        change: Put | Removal = (
            Removal((now or named).with_(version=version), "undo", reason, undone.seq)
            if undone.before is None
            else Put(undone.before.with_(version=version), "undo", reason, undoes=undone.seq)
        )
        return self.commit(actor=actor, records=[change]).changes[0]

    def embed(self, *records: Record) -> None:
        """Give records their vectors."""
        by_scope: dict[Scope, dict[str, Vector]] = {}
        for record in records:
            document = record_document(record)
            by_scope.setdefault(record.scope, {})[document.digest] = vector(document.text)
        self.commit(vectors=by_scope, model="m")

    def index_put(
        self, documents: Sequence[Document], vectors: Mapping[str, Vector], model: str
    ) -> None:
        """Index documents that no record stands behind."""
        by_scope = {document.scope: vectors for document in documents} if vectors else {}
        self.commit(documents=documents, vectors=by_scope, model=model)

    def index_forget(self, ids: Sequence[str]) -> None:
        """Take documents out of every scope's index."""
        self.commit(forget={scope: list(ids) for scope in SCOPES})

    def open(self, session: Session) -> None:
        """Open a session."""
        self.commit(open=[session])

    def change(self, session_id: str, **changes: Any) -> Session:
        """Change a session; what it is then."""
        done = self.commit(sessions=[SessionChange(id=session_id, **changes)])
        return done.sessions[session_id]

    def append(self, session_id: str, events: Sequence[Event]) -> list[Event]:
        """Append events; those that are new."""
        change = SessionChange(id=session_id, events=tuple(events))
        return list(self.commit(sessions=[change]).events[session_id])

    def enqueue(self, name: str, **fields: Any) -> str:
        """Queue a job."""
        return self.queue.add([NewJob(name=name, **fields)])[0]

    def decide(self, one: str, other: str, state: Any, note: str = "") -> bool:
        """Decide about a pair."""
        return bool(self.commit(decide=[Decision(one, other, state, note)]).decided)

    def check(self) -> list[str]:
        """What is wrong with the store."""
        return self.upkeep.check()

    def close(self) -> None:
        """Close the store."""
        self.store.close()


def _by_port(changes: dict[str, Any]) -> Changes:
    """A unit of work of the fields of its parts."""
    parts: dict[str, Any] = {}
    for name, part in (("knowledge", KnowledgeChanges), ("work", WorkChanges)):
        its = {field.name for field in fields(part)} & changes.keys()
        parts[name] = part(**{field: changes.pop(field) for field in sorted(its)})
    return Changes(**parts, **changes)


def everything() -> Query:
    """A query of all scopes and statuses."""
    return Query(scopes=frozenset(SCOPES), statuses=())
