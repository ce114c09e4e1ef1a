"""What `View.commit` promises of everything it writes together."""

from __future__ import annotations

import pytest

from contextd.domain.changes import Changes, CodeChange, KnowledgeChanges, NewJob, Put
from contextd.domain.query import Document, Query
from contextd.domain.records import Record
from contextd.domain.sessions import Session, SessionChange
from contextd_common.errors import Conflict, ContextdError, Denied, Invalid, NotFound
from support.stores import EVERY_STORE, Whole, address, opened, plain
from support.strategies import EPOCH, SCOPES

SHOP = SCOPES[2]
HERE = Query(scopes=frozenset({SHOP}))


def record(id_: str, **fields: object) -> Record:
    return Record(id=id_, kind="memory", scope=SHOP, content=f"text {id_}", **fields)


def stored(store: Whole) -> list[str]:
    records = sorted(r.id for r in store.records.find(HERE).records)
    assert records == sorted(m.id for m in store.index.lexical(["text"], HERE, 100))
    assert store.check() == []
    return records


FAILING: list[tuple[dict, type[ContextdError]]] = [
    ({"records": [Put(record("kept"), "write")]}, Conflict),
    ({"records": [Put(record("two", data={"x": float("inf")}), "write")]}, Invalid),
    ({"sessions": [SessionChange(id="nobody")]}, NotFound),
    ({"jobs": [NewJob(name="x", scope=SHOP, arguments={"x": object()})]}, Invalid),
    ({"code": [CodeChange(scope=SHOP.__class__("rival", "x"))]}, Denied),
    ({"documents": [Document(id="d", kind="event", scope=SHOP, text="\ud800")]}, Invalid),
]


@pytest.mark.parametrize(("wrong", "error"), FAILING)
def test_a_commit_that_fails_anywhere_leaves_nothing(store, wrong, error):
    store.put(record("kept"))
    right = {
        "records": [Put(record("lost"), "write")],
        "documents": [Document(id="e", kind="event", scope=SHOP, text="text")],
        "open": [Session(id="s", scope=SHOP, started_at=EPOCH)],
        "jobs": [NewJob(name="x", scope=SHOP)],
    }
    both = {name: [*right.get(name, []), *wrong.get(name, [])] for name in {*right, *wrong}}
    with pytest.raises(error) as refusal:
        store.commit(**both)
    assert refusal.value.hint
    assert stored(store) == ["kept"]
    assert store.records.history("lost") == []
    assert store.sessions.get("s") is None
    assert store.jobs.list() == []
    assert store.index.stats("").documents == 1


def test_a_commit_tells_what_became_of_each_part(store):
    store.open(Session(id="s", scope=SHOP, started_at=EPOCH))
    done = store.commit(
        actor="ada",
        records=[Put(record("one"), "create", "why"), Put(record("two"), "create")],
        sessions=[SessionChange(id="s", calls=1)],
        jobs=[NewJob(name="x", scope=SHOP)],
    )
    assert [(c.record_id, c.actor, c.reason) for c in done.changes] == [
        ("one", "ada", "why"),
        ("two", "ada", ""),
    ]
    assert done.sessions["s"].tool_calls == 1
    assert [job.id for job in store.jobs.list()] == list(done.jobs)


def test_a_call_commits_once_whatever_is_repeated(store):
    changes = Changes(knowledge=KnowledgeChanges(records=[Put(record("one"), "create")]))
    assert store.view.answered("k") is None
    store.view.commit(changes, call="k")
    assert store.view.answered("k") == ""
    with pytest.raises(Conflict):
        store.view.commit(
            Changes(knowledge=KnowledgeChanges(records=[Put(record("two"), "create")])), call="k"
        )
    store.view.keep_answer("k", "recorded as one")
    store.view.keep_answer("nobody", "nothing")
    assert store.view.answered("k") == "recorded as one"
    assert store.view.answered("nobody") is None
    assert stored(store) == ["one"]


@pytest.mark.parametrize("scheme", EVERY_STORE)
def test_every_text_that_enters_is_scrubbed_whatever_column_it_goes_to(scheme, tmp_path):
    store = Whole(opened(address(scheme, tmp_path), scrub=lambda t: t.replace("hunter2", "[gone]")))
    secret = "the password is hunter2"
    store.put(
        record("one", title=secret, tags=(secret,), data={secret: {"deep": [secret]}}),
        actor=secret,
        reason=secret,
    )
    [found] = store.records.get(["one"])
    assert "hunter2" not in repr(found)
    assert "[gone]" in repr(found.data)
    assert "hunter2" not in repr(store.records.history("one"))
    store.close()


@pytest.mark.parametrize("scheme", EVERY_STORE)
def test_a_name_of_a_field_that_is_the_only_secret_is_scrubbed(scheme, tmp_path):
    store = Whole(opened(address(scheme, tmp_path), scrub=lambda t: t.replace("hunter2", "[gone]")))
    store.put(record("one", title="a", data={"fields": {"hunter2": {"hunter2": 1}}}))
    [found] = store.records.get(["one"])
    assert found.data == {"fields": {"[gone]": {"[gone]": 1}}}
    assert "hunter2" not in repr(store.records.history("one"))
    store.close()


def test_an_address_no_store_has_is_refused_with_the_nearest():
    for wrong in ("sqlit:///x", "nonsense", "", "sqlite://relative.db"):
        with pytest.raises(Invalid) as refusal:
            opened(wrong, scrub=plain)
        assert refusal.value.hint
