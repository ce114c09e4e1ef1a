"""A home moves to PostgreSQL and back, and answers as before."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from contextd.domain.awareness import Contradiction
from contextd.domain.changes import Changes, KnowledgeChanges, NewJob
from contextd.domain.context_items import Serving
from contextd.domain.documents import message_documents
from contextd.domain.jobs import Schedule
from contextd.domain.originals import Original
from contextd.domain.projects import Project
from contextd.domain.records import Record
from contextd.domain.sessions import Event, Seat, Session
from contextd.domain.usage import ByProducts, HandedOut, Observation, RecordUse
from contextd.stores import move_store
from contextd.stores.move import MOVED
from contextd.stores.postgres_migrate import migrations
from contextd_common.errors import Conflict
from promises.test_histories import end, same
from support.clocks import Standing
from support.stores import Whole, address, opened
from support.strategies import EPOCH, SCOPES

SHOP = SCOPES[2]


def filled(store: Whole) -> None:
    """Rows in every canonical table, with values that databases store differently."""
    store.directory.register(
        Project(identity="i", scope=SHOP, name="shop", roots=("/a",), sightings=("git:a/b",))
    )
    for number, content in enumerate(
        ("how uploads are retried", "nul \0 and \uf8f0", "日本 \U0001f600")
    ):
        scope = SCOPES[number]
        one = Record(
            id=f"{'ab'[number % 2] * 4}-{number}",
            kind="memory",
            scope=scope,
            title=f"upload {number}",
            content=content,
            tags=("a", "b\0"),
            data={"n": 1.5, "deep": {"x": [None, True, 2**53]}},
            created_at=EPOCH + timedelta(microseconds=number),
        )
        store.put(one)
        store.put(one.with_(content=content + " again"))
        store.embed(one.with_(content=content + " again"))
    store.put(Record(id="aaaa-3", kind="memory", scope=SHOP, content="gone"))
    store.undo("aaaa-3")
    for name in ("s", "t"):
        store.open(Session(id=name, scope=SHOP, client="c", external_id=name, started_at=EPOCH))
        events = tuple(
            Event(type="message", key=f"{n}", at=EPOCH, role="user", text=f"why retry {n}?")
            for n in range(3)
        )
        store.change(name, events=events, servings=(Serving("file", "a.py", 5),), calls=1)
        documents = message_documents(SHOP, name, store.sessions.events(name))
        store.commit(documents=documents)
    found = Contradiction(a="aaaa-0", b="bbbb-1", kind="value", reason="r", found_at=EPOCH)
    store.commit(disagree=[found])
    store.decide("aaaa-0", "bbbb-1", "dismissed", "both hold")
    store.queue.add([NewJob(name=n, scope=SHOP, unique_key=n, arguments={"a": 1}) for n in "xyz"])
    store.queue.finish(store.queue.claim("w", 60, lanes=["upkeep"], place="").id, "w", {"n": 1})
    store.queue.schedule(Schedule(job="y", scope=SHOP, due_at=EPOCH, every=timedelta(hours=1)))
    seen = [
        Observation(
            at=EPOCH, action=action, operation="o", type="t", query="q", agent="c", scope=SHOP
        )
        for action in ("read", "write", "miss")
    ]
    store.commit(seats=[Seat(SHOP, "c", "s")])
    told = [HandedOut(SHOP, "s", "a")]
    store.upkeep.note(
        ByProducts(observations=seen, handed_out=told, uses=[RecordUse(SHOP, "aaaa-2")])
    )
    original = Original(scope=SHOP, id="o", about="log", text="text\0", tokens=2, at=EPOCH)
    changes = Changes(knowledge=KnowledgeChanges(originals=[original]))
    store.view.commit(changes, call="key")
    store.view.keep_answer("key", "the answer")
    database: Any = store.store
    with database.database.write() as connection:
        connection.execute("INSERT INTO shared_values (name, value) VALUES (?, ?)", ("k", "v"))


def whole(store: Whole) -> list[Any]:
    """Everything that can be read back, and what `end` leaves out."""
    more = [store.jobs.list(), store.jobs.count(), store.view.answered("key")]
    more.append(store.sessions.seats(frozenset({SHOP})))
    more += [store.originals.get("o"), store.queue.next_due(["upkeep"], ""), store.check()]
    more += [store.records.history(id_) for id_ in ("aaaa-0", "bbbb-1", "aaaa-2", "aaaa-3")]
    more += [store.upkeep.balance(), repr(store.index.stats("m"))]
    *some, known, pending = end(store)
    # PostgreSQL has no code indexes, and there are none here.
    known = known[: -len(SCOPES)] if store.files else known
    return [*some, *known, pending, *more]


def name(url: str) -> tuple[str, str]:
    plain, _, organisation = url.partition("#")
    return plain, organisation or "local"


@pytest.mark.long
def test_a_home_moves_to_postgresql_and_back_and_answers_as_before(tmp_path: Path):
    home, back = address("sqlite", tmp_path / "home"), address("sqlite", tmp_path / "back")
    postgres, organisation = name(address("postgresql", tmp_path))
    clock = Standing()
    store = Whole(opened(home, clock))
    filled(store)
    expected = whole(store)
    store.close()
    counts = move_store(home, postgres, organisation)
    assert all(counts.values()), counts
    with pytest.raises(Conflict, match="not empty"):
        move_store(home, postgres, organisation)
    assert move_store(postgres, back, organisation) == counts
    for url in (f"{postgres}#{organisation}", back, home):
        moved = Whole(opened(url, clock))
        got = whole(moved)
        for at, (mine, theirs) in enumerate(zip(got, expected, strict=True)):
            assert same(mine, theirs), (url, at)
        # It goes on from where it was: numbers of new rows meet no old ones.
        moved.put(Record(id="new", kind="memory", scope=SHOP, content="after the move"))
        moved.change("s", events=(Event(type="message", key="new", at=EPOCH, text="x"),))
        moved.queue.add([NewJob(name="new", scope=SHOP)])
        assert moved.check() == []
        moved.close()


def test_every_canonical_column_of_both_schemas_is_moved():
    """A table or column added to a schema has to be moved, or is named here as derived."""
    derived = {"parts", "docs", "loose_postings", "packed_postings", "vectors", "forgotten"}
    derived |= {"record_tags", "organisations", "places", "due"}
    # A home has no members, and the organisation of one person is on no server.
    derived |= {"members", "assignments", "tokens", "revoked"}
    made = {"org", "no", "seq", "session", "context_type", "reports", "trust", "source"}
    moved = {table.name: set(table.columns.replace(" ", "").split(",")) for table in MOVED}
    scripts = "\n".join(migrations())
    added: dict[str, set[str]] = {}
    for table, column in re.findall(r"ALTER TABLE (\w+) ADD COLUMN (\w+)", scripts):
        added.setdefault(table, set()).add(column)
    for table, body in re.findall(r"CREATE TABLE (\w+) \((.*?)\n\)", scripts, re.DOTALL):
        if table not in derived:
            columns = set(re.findall(r"^    ([a-z]\w*) +\w", body, re.MULTILINE))
            columns |= added.get(table, set())
            assert columns - moved[table] <= made, table
            moved.pop(table)
    assert not moved
