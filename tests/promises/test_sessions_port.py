"""What `Sessions` promises, and what a change of a session does."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from threading import Thread

import pytest

from contextd.domain.access import OWNER
from contextd.domain.changes import Changes, WorkChanges
from contextd.domain.context_items import ContextItem, Serving
from contextd.domain.sessions import Event, FileAccess, Fold, Seat, Session, SessionChange
from contextd.domain.upkeep import Ages
from contextd.domain.usage import ByProducts, HandedOut
from contextd_common.errors import Conflict, Denied, NotFound, Stale
from support.strategies import AWKWARD, EPOCH, SCOPES

SHOP = SCOPES[2]
HERE = frozenset({SHOP})
HOUR = timedelta(hours=1)


def event(key: str, text: str = "hello", type: str = "message") -> Event:
    return Event(type=type, key=key, at=EPOCH, role="user", text=text, data={"n": 1})


def session(id_: str, hours: int = 0, **fields: object) -> Session:
    at = EPOCH + hours * HOUR
    return Session(**(dict(id=id_, scope=SHOP, started_at=at, last_seen_at=at) | fields))


def access(path: str, count: int = 1, hours: int = 0) -> FileAccess:
    at = EPOCH + hours * HOUR
    return FileAccess(path=path, count=count, first_at=at, last_at=at)


def test_a_client_has_one_open_session_under_its_own_id(store):
    store.open(session("s1", client="claude", external_id="x"))
    with pytest.raises(Stale, match="has an open session 'x' already"):
        store.open(session("s2", client="claude", external_id="x"))
    store.open(session("s3", client="cursor", external_id="x"))
    store.open(session("s4", client="claude", external_id="x", scope=SCOPES[3]))
    store.open(session("s5", client="claude", external_id="x", ended_at=EPOCH))
    store.change("s1", ended_at=EPOCH + HOUR)
    store.open(session("s6", client="claude", external_id="x"))
    store.open(session("s7"))
    store.open(session("s8"))
    assert store.sessions.get("s2") is None


@pytest.mark.parametrize("text", AWKWARD)
def test_a_session_comes_back_as_it_was_opened(store, text):
    opened = session(
        "s", task=text, files=(access(text, 2),), topics=(text,), data={"x": [text]}, cwd=text
    )
    store.open(opened)
    assert store.sessions.get("s") == opened
    assert store.sessions.get("t") is None


def test_a_session_is_opened_once_in_its_scope(store):
    store.open(session("s"))
    store.open(session("s", scope=SCOPES[3]))
    with pytest.raises(Conflict):
        store.open(session("s", hours=3))
    assert len(store.sessions.find(frozenset(SCOPES))) == 2


def test_a_client_finds_its_own_latest_session(store):
    store.open(session("s1", client="claude", external_id="x"))
    store.open(session("s2", hours=1, client="cursor", external_id="x"))
    store.open(session("s3", hours=2, client="claude", external_id="x", scope=SCOPES[3]))
    assert store.sessions.by_external("cursor", "x").id == "s2"
    assert store.sessions.by_external("claude", "x").id == "s3"
    assert store.sessions.by_external("claude", "y") is None


def test_sessions_are_found_by_scope_status_and_beginning_latest_first(store):
    for n in range(4):
        store.open(session(f"s{n}", hours=n))
    for n in (0, 2):
        store.change(f"s{n}", ended_at=EPOCH, completed=True)
    store.open(session("other", scope=SCOPES[3]))
    ids = lambda **wanted: [s.id for s in store.sessions.find(HERE, **wanted)]  # noqa: E731
    assert ids() == ["s3", "s2", "s1", "s0"]
    assert ids(statuses=("active",), limit=1) == ["s3"]
    assert ids(prefix="s1") == ["s1"]
    assert ids(prefix="%") == []


def test_a_change_adds_to_what_is_there(store):
    store.open(session("s", task="", files=(access("a.py"),)))
    store.change("s", first_task="one", calls=2, tokens=10, topics=("t",), injected=("r1",))
    store.change("s", first_task="two", calls=1, tokens=5, topics=("u", "t"), injected=("r1", "r2"))
    store.change("s", files=(access("b.py"), access("a.py", 2, 1)), data={"x": 1}, counts={"n": 2})
    now = store.change("s", data={"y": 2}, counts={"n": 3}, seen_at=EPOCH - HOUR)
    assert (now.task, now.tool_calls, now.tokens_served) == ("one", 3, 15)
    assert (now.topics, now.injected) == (("t", "u"), ("r1", "r2"))
    assert [(f.path, f.count) for f in now.files] == [("b.py", 1), ("a.py", 3)]
    assert now.data == {"x": 1, "y": 2, "n": 5}
    assert now.last_seen_at == EPOCH
    assert store.change("s", task="three", seen_at=EPOCH + HOUR).last_seen_at == EPOCH + HOUR
    assert store.sessions.get("s").task == "three"


def test_a_session_only_moves_forward_until_its_client_resumes_it(store):
    store.open(session("s"))
    assert store.change("s", completed=True, archived=True).status == "active", "it has not ended"
    assert store.change("s", ended_at=EPOCH + HOUR).ended_at == EPOCH + HOUR
    assert store.change("s", ended_at=EPOCH + 2 * HOUR).ended_at == EPOCH + HOUR
    assert store.change("s", resumed=True).ended_at is None
    over = store.change("s", ended_at=EPOCH + HOUR, completed=True)
    assert over.status == "completed"
    assert store.change("s", seen_at=EPOCH + 9 * HOUR).last_seen_at == EPOCH
    assert store.change("s", archived=True).status == "archived"
    assert store.change("s", completed=True).status == "archived"
    resumed = store.change("s", resumed=True, seen_at=EPOCH + 9 * HOUR)
    assert (resumed.status, resumed.ended_at) == ("active", None)
    assert resumed.last_seen_at == EPOCH + 9 * HOUR
    store.change("s", withdrawn=True)
    assert store.change("s", resumed=True).status == "withdrawn"


def test_a_withdrawn_session_is_kept_and_comes_back(store):
    store.open(session("s"))
    store.open(session("other"))
    withdrawn = store.change("s", withdrawn=True)
    assert (withdrawn.status, withdrawn.ended_at) == ("withdrawn", withdrawn.last_seen_at)
    assert [one.id for one in store.sessions.find(HERE)] == ["other"]
    assert store.sessions.get("s") == withdrawn
    [found] = store.sessions.find(HERE, statuses=("withdrawn",))
    assert found == withdrawn
    assert store.change("s", readmitted=True).status == "completed"
    assert store.change("other", readmitted=True).status == "active"


def test_a_fold_of_events_applied_twice_counts_once_in_its_session(store):
    store.open(session("s", hours=2, files=(access("a.py", 3, 2),), tool_calls=4))
    fold = Fold(
        started_at=EPOCH,
        seen_at=EPOCH + 5 * HOUR,
        ended_at=EPOCH + 4 * HOUR,
        files=(access("a.py", 2, 1), access("b.py")),
        topics=("t",),
        calls=2,
        outcome="success",
    )
    for _ in range(2):
        now = store.change("s", fold=fold)
    assert (now.started_at, now.last_seen_at, now.ended_at) == (EPOCH, EPOCH + 5 * HOUR, None)
    assert [(f.path, f.count) for f in now.files] == [("b.py", 1), ("a.py", 3)]
    assert (now.tool_calls, now.topics, now.outcome) == (4, ("t",), "success")
    assert store.change("s", ended_at=EPOCH + 9 * HOUR, fold=fold).ended_at == EPOCH + 9 * HOUR
    assert store.change("s", fold=fold).ended_at == EPOCH + 4 * HOUR


def test_steps_of_one_session_at_once_lose_nothing_of_each_other(store):
    store.open(session("s"))

    def calls() -> None:
        for n in range(25):
            store.change("s", calls=1, files=(access("a.py"),), events=(event(f"c{n}"),))

    def prompts() -> None:
        for n in range(25):
            store.change("s", injected=(f"r{n}",), events=(event(f"p{n}"),))

    threads = [Thread(target=calls), Thread(target=prompts)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    now = store.sessions.get("s")
    assert (now.tool_calls, now.files[0].count, len(now.injected)) == (25, 25, 25)
    assert [e.seq for e in store.sessions.events("s")] == list(range(1, 51))


def test_an_event_that_arrives_twice_is_there_once(store):
    store.open(session("s"))
    first = store.append("s", [event("a"), event("a"), event("b", "", "note")])
    assert [(e.key, e.seq) for e in first] == [("a", 1), ("b", 2)]
    again = store.append("s", [event("b"), event("c", "日本\x00")])
    assert again == [replace(event("c", "日本\x00"), seq=3)]
    assert [e.key for e in store.sessions.events("s")] == ["a", "b", "c"]
    assert [e.key for e in store.sessions.events("s", types=("message",), after=1)] == ["c"]
    assert [e.key for e in store.sessions.events("s", limit=2)] == ["a", "b"]
    asked = [("s", 3), ("s", 9), ("nobody", 1), ("s", 1)]
    assert [(s, e.key) for s, e in store.sessions.messages(asked)] == [("s", "c"), ("s", "a")]


def test_appending_events_to_an_unknown_session_is_refused_and_stores_nothing(store):
    with pytest.raises(NotFound) as refusal:
        store.append("nobody", [event("a")])
    assert refusal.value.hint
    assert store.sessions.events("nobody") == []
    assert store.sessions.items("nobody") == []


def test_a_window_counts_what_is_served_and_lets_go_of_what_is_archived(timed, clock):
    store = timed
    store.open(session("s"))
    store.open(session("t"))
    store.change("s", servings=(Serving("file", "a", 5), Serving("file", "a", 4)))
    store.change("t", servings=(Serving("file", "a", 1),))
    clock.move(hours=1)
    store.change("s", servings=(Serving("file", "a", 3), Serving("module", "a", 2)))
    [file, module] = sorted(store.sessions.items("s"), key=lambda item: item.type)
    assert (file.tokens, file.count, file.first_at) == (9, 2, clock.at - HOUR)
    assert (file.last_at, module.count) == (clock.at, 1)
    archived = file.with_(status="archived", score=0.25, reason="full")
    store.change("s", rescored=(archived, ContextItem(**{**_plain(), "source": "no such"})))
    assert store.sessions.items("s")[0] == archived
    clock.move(hours=1)
    store.change("s", servings=(Serving("file", "a", 1),))
    store.change("s", rescored=(archived,))
    again = next(i for i in store.sessions.items("s") if i.type == "file")
    assert (again.status, again.count, again.reason) == ("active", 3, "")
    assert [i.count for i in store.sessions.items("t")] == [1]


def _plain() -> dict[str, object]:
    return dict(type="file", source="a", tokens=1, count=1, first_at=EPOCH, last_at=EPOCH)


@pytest.mark.parametrize("text", AWKWARD)
def test_any_source_can_be_served(store, text):
    store.open(session("s"))
    store.change("s", servings=(Serving("file", text, 1),))
    assert [item.source for item in store.sessions.items("s")] == [text]


def test_handed_out_texts_are_remembered_for_their_session_and_scope_only(store):
    told = [HandedOut(SHOP, "s", "a"), HandedOut(SHOP, "s", "a"), HandedOut(SHOP, "", "b")]
    store.upkeep.note(ByProducts(handed_out=told))
    assert store.sessions.handed_out(SHOP, "s", ["a", "b", "c"]) == {"a"}
    assert store.sessions.handed_out(SHOP, "", ["a", "b"]) == {"b"}
    assert store.sessions.handed_out(SCOPES[3], "s", ["a"]) == set()


def test_sessions_without_activity_are_found_in_every_scope(store):
    store.open(session("early"))
    store.open(session("late", hours=5, scope=SCOPES[3]))
    store.open(session("over", hours=1))
    store.change("over", ended_at=EPOCH)
    found = store.upkeep.idle_sessions(EPOCH + 9 * HOUR, 10)
    assert [(s.id, s.scope) for s in found] == [("early", SHOP), ("late", SCOPES[3])]
    assert store.upkeep.idle_sessions(EPOCH + HOUR, 10) == found[:1]
    store.change("over", completed=True)
    assert [s.id for s in store.upkeep.rested_sessions(EPOCH + 2 * HOUR, 10)] == ["over"]


def test_a_seat_is_the_connections_last_and_leaves_with_it(store):
    shop, blog = SHOP, SCOPES[3]
    for scope, id_ in ((shop, "s"), (shop, "t"), (blog, "u")):
        store.commit(open=[Session(id=id_, scope=scope, started_at=EPOCH)])
    store.commit(seats=[Seat(shop, "c", "s"), Seat(blog, "c", "u"), Seat(shop, "d", "t")])
    found = store.sessions.seated(shop, "c")
    assert (found and found.id, store.sessions.seated(shop, "x")) == ("s", None)
    store.commit(seats=[Seat(shop, "c", "t")])
    both = frozenset({shop, blog})
    assert store.sessions.seats(both, "c") == sorted(
        [Seat(shop, "c", "t"), Seat(blog, "c", "u")], key=lambda one: str(one.scope)
    )
    narrow = store.store.view(OWNER.grant([blog]))
    assert narrow.sessions.seated(shop, "c") is None
    assert narrow.sessions.seats(both) == [Seat(blog, "c", "u")]
    with pytest.raises(Denied):
        narrow.commit(Changes(work=WorkChanges(seats=[Seat(shop, "c", "u")])))
    # A connection leaves only where the view may write.
    narrow.commit(Changes(work=WorkChanges(left=["c"])))
    assert store.sessions.seats(both) == [Seat(shop, "c", "t"), Seat(shop, "d", "t")]


def test_a_seat_goes_once_it_is_old_and_its_session_over(timed, clock):
    for id_ in ("over", "open"):
        timed.commit(open=[Session(id=id_, scope=SHOP, started_at=EPOCH)])
    timed.commit(seats=[Seat(SHOP, "c", "over"), Seat(SHOP, "d", "open")])
    timed.commit(sessions=[SessionChange(id="over", ended_at=EPOCH, completed=True)])
    assert timed.upkeep.retire(Ages(calls=clock.now() - timedelta(days=1))) == {}
    assert timed.upkeep.retire(Ages(calls=clock.now() + timedelta(days=1))) == {"seats": 1}
    assert timed.sessions.seats(frozenset({SHOP})) == [Seat(SHOP, "d", "open")]
