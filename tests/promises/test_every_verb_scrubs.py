"""Whatever verb a text comes by, no file of the database holds its secret."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from contextd.domain.awareness import Contradiction
from contextd.domain.changes import Decision, NewJob, Put
from contextd.domain.context_items import Serving
from contextd.domain.jobs import LANES
from contextd.domain.originals import Original
from contextd.domain.projects import Project
from contextd.domain.query import Document
from contextd.domain.records import Record
from contextd.domain.sessions import Event, Session, SessionChange
from contextd.domain.usage import ByProducts, Observation
from support.stores import Whole, opened
from support.strategies import EPOCH, SCOPES

SHOP = SCOPES[2]
SECRET = "the password is hunter2"


def record(id: str, **fields: object) -> Record:
    return Record(id=id, kind="memory", scope=SHOP, content=f"text {id}", **fields)


def records(store: Whole) -> None:
    one = record("one", title=SECRET, tags=(SECRET,), data={SECRET: [SECRET]})
    store.commit(actor=SECRET, records=[Put(one, "write", SECRET)])
    store.undo("one", actor=SECRET)


def documents(store: Whole) -> None:
    store.index_put([Document(id="d", kind="event", scope=SHOP, text=SECRET)], {}, "")


def contradictions(store: Whole) -> None:
    store.put(record("aaaa"))
    store.put(record("bbbb"))
    pair = Contradiction(a="aaaa", b="bbbb", kind="value", reason=SECRET, found_at=EPOCH)
    store.commit(disagree=[pair])
    store.commit(decide=[Decision("aaaa", "bbbb", "dismissed", SECRET)])


def originals(store: Whole) -> None:
    one = Original(scope=SHOP, id="o", about=SECRET, text=SECRET, tokens=3, at=EPOCH)
    store.commit(originals=[one])


def sessions(store: Whole) -> None:
    store.open(Session(id="s", scope=SHOP, task=SECRET, branch=SECRET, data={"x": SECRET}))
    change = SessionChange(
        id="s", task=SECRET, external_id=SECRET, topics=(SECRET,), data={"y": {SECRET: SECRET}},
        events=(Event(type="message", key="k", at=EPOCH, role="user", text=SECRET, data={"z": SECRET}),),
        servings=(Serving("file", SECRET, 3),),
    )  # fmt: skip
    store.commit(sessions=[change])


def first_task(store: Whole) -> None:
    store.open(Session(id="s", scope=SHOP))
    store.change("s", first_task=SECRET)


def usage(store: Whole) -> None:
    store.upkeep.note(ByProducts(observations=[observation()]))


def usage_of_a_call(store: Whole) -> None:
    store.commit(beside=ByProducts(observations=[observation()]))


def observation() -> Observation:
    return Observation(
        at=EPOCH, action="miss", operation="search", type="memory", scope=SHOP, query=SECRET,
        agent=SECRET,
    )  # fmt: skip


def jobs(store: Whole) -> None:
    store.commit(jobs=[NewJob(name="x", scope=SHOP, arguments={"q": SECRET})])
    store.enqueue("y", scope=SHOP, arguments={SECRET: [SECRET]})


def work(store: Whole) -> None:
    for end in (
        lambda id: store.queue.finish(id, "w", {"done": SECRET}),
        lambda id: store.queue.fail(id, "w", SECRET, None),
    ):
        store.enqueue("y", scope=SHOP)
        job = store.queue.claim("w", 60, lanes=LANES, place="")
        assert job is not None
        store.queue.keep_progress(job.id, "w", {"at": SECRET})
        end(job.id)


def projects(store: Whole) -> None:
    known = store.directory.register(
        Project(identity="git:1", scope=SHOP, name=SECRET, aliases=(SECRET,))
    )
    store.directory.save(known)


@pytest.mark.parametrize(
    "write",
    [
        records, documents, contradictions, originals, sessions, first_task, usage,
        usage_of_a_call, jobs, work, projects,
    ],
    ids=lambda one: one.__name__,
)  # fmt: skip
def test_a_database_holds_no_secret_that_comes_by(write: Callable[[Whole], None], tmp_path: Path):
    url = f"sqlite://{tmp_path}/contextd.db"
    store = Whole(opened(url, scrub=lambda text: text.replace("hunter2", "[gone]")))
    write(store)
    store.close()
    held = b"".join(path.read_bytes() for path in tmp_path.iterdir() if path.is_file())
    assert b"hunter2" not in held
    # The index of words has no brackets.
    assert b"gone" in held
