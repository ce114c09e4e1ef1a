"""A store with short notes of one project, for tests that break it."""

from __future__ import annotations

from pathlib import Path

from contextd.domain.access import OWNER
from contextd.domain.changes import Changes, KnowledgeChanges, Put
from contextd.domain.query import Query
from contextd.domain.records import Record
from contextd.domain.scope import Scope
from contextd.ports.store import Store, View
from support.stores import address

SHOP = Scope("acme", "web", "shop")
HERE = Query(scopes=frozenset({SHOP}), limit=1_000_000)


def at(folder: Path) -> str:
    """The address of the store in a folder."""
    return address("sqlite", folder)


def view_of(store: Store) -> View:
    """What the owner sees of the shop."""
    return store.view(OWNER.grant([SHOP]))


def note(id_: str, text: str = "upload") -> Record:
    """A new record."""
    return Record(id=id_, kind="memory", scope=SHOP, content=f"{text} {id_}")


def put(store: Store, id_: str, text: str = "upload") -> None:
    """Write a note down."""
    view_of(store).commit(
        Changes(actor="w", knowledge=KnowledgeChanges(records=[Put(note(id_, text), "write")]))
    )


def stored(store: Store) -> list[str]:
    """The ids of all notes."""
    return sorted(record.id for record in view_of(store).records.find(HERE).records)
