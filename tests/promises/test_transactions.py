"""What `Store` promises of its parts together."""
# ruff: noqa: PT012 - what is tested is a block that fails at its end

from __future__ import annotations

import pytest

from contextd.domain.errors import Invalid, NotFound
from contextd.domain.query import Document, Query
from contextd.domain.records import Record
from contextd.domain.sessions import Observation, Session
from contextd.stores import open_store
from strategies import EPOCH, SCOPES

SHOP = SCOPES[2]
HERE = Query(scopes=frozenset({SHOP}))


def put(store, id_: str, **fields: object) -> None:
    record = Record(id=id_, kind="memory", scope=SHOP, content=f"text {id_}", **fields)
    store.records.put(record, actor="ada", action="write")
    store.index.put([Document(id=id_, kind="memory", scope=SHOP, text=record.text)], {}, "")


def stored(store) -> list[str]:
    records = sorted(r.id for r in store.records.find(HERE).records)
    assert records == sorted(m.id for m in store.index.lexical(["text"], HERE, 100))
    assert store.check() == []
    return records


def test_every_part_takes_back_what_a_failed_transaction_wrote(store):
    put(store, "kept")
    with pytest.raises(KeyError), store.transaction():
        put(store, "lost")
        store.records.undo("kept", actor="ada")
        store.sessions.save(Session(id="s", scope=SHOP))
        store.observations.append([Observation(at=EPOCH, action="read", operation="x")])
        store.jobs.enqueue("x", {})
        store.index.refresh()
        raise KeyError
    assert stored(store) == ["kept"]
    assert len(store.records.history("kept")) == 1
    assert store.records.history("lost") == []
    assert store.sessions.get("s") is None
    assert store.observations.summary().reads == 0
    assert store.jobs.list() == []


def test_a_transaction_sees_its_own_writes(store):
    with store.transaction():
        put(store, "one")
        assert stored(store) == ["one"]
        assert store.records.history("one")[0].seq == 1
    assert stored(store) == ["one"]


def test_inner_transactions_join_the_outer_one(store):
    with pytest.raises(KeyError), store.transaction():
        with store.transaction():
            put(store, "inner")
        put(store, "outer")
        raise KeyError
    assert stored(store) == []


def test_a_failed_inner_transaction_takes_back_only_its_own_writes(store):
    with store.transaction():
        put(store, "before")
        with pytest.raises(KeyError), store.transaction():
            put(store, "inner")
            with store.transaction():
                put(store, "innermost")
            raise KeyError
        put(store, "after")
    assert stored(store) == ["after", "before"]


def test_a_refused_write_leaves_the_rest_of_its_transaction_alone(store):
    with store.transaction():
        put(store, "one")
        with pytest.raises(NotFound):
            store.records.undo("nobody", actor="ada")
        with pytest.raises(Invalid):
            put(store, "two", data={"x": float("inf")})
    assert stored(store) == ["one"]


def test_an_address_no_store_has_is_refused_with_the_nearest():
    for wrong in ("sqlit:///x", "nonsense", "", "sqlite://relative.db"):
        with pytest.raises(Invalid) as refusal:
            open_store(wrong)
        assert refusal.value.hint
