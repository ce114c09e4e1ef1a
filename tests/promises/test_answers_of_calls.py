"""A call with a key and its answer are committed together: a retry runs it anew, or gets the first answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any

import apsw
import pytest
from psycopg.conninfo import conninfo_to_dict

from contextd.domain.access import OWNER
from contextd.domain.changes import Changes, KnowledgeChanges, Put, WorkChanges
from contextd.domain.records import Record
from contextd.domain.sessions import Session, SessionChange
from contextd.domain.usage import ByProducts, HandedOut, Observation, RecordUse
from contextd.stores import postgres_connection
from contextd_common.errors import Conflict, ContextdError, Denied
from support import postgres_server
from support.network_proxy import NetworkProxy
from support.roles import caller_with
from support.stores import EVERY_STORE, Whole, address, opened
from support.strategies import EPOCH, SCOPES

SHOP, BLOG = SCOPES[2], SCOPES[3]
TOLD = "d" * 32
FIRST, ANEW = "the first answer", "the answer of a call that ran anew"
MOST_STATEMENTS = 200


def changes_of(key: str) -> Changes:
    """What a call writes: a record, a session's event, a use, an entry of the usage log, a sentence it showed."""
    record = Record(id=key, kind="memory", scope=SHOP, content=f"what {key} wrote")
    seen = Observation(at=EPOCH, action="write", operation="remember", agent=key, scope=SHOP)
    return Changes(
        actor="ada",
        knowledge=KnowledgeChanges(records=[Put(record, "create")]),
        work=WorkChanges(sessions=[SessionChange(id="s", calls=1)]),
        beside=ByProducts(
            observations=[seen],
            uses=[RecordUse(SHOP, "used")],
            handed_out=[HandedOut(SHOP, key, TOLD)],
        ),
    )


def prepared(store: Whole) -> Whole:
    store.put(Record(id="used", kind="memory", scope=SHOP, content="a record that is used"))
    store.open(Session(id="s", scope=SHOP, started_at=EPOCH))
    return store


def state(store: Whole, key: str) -> tuple[object, ...]:
    """What is stored of a call."""
    session = store.sessions.get("s")
    [used] = store.records.get(["used"])
    assert session is not None
    return (
        store.view.answered(key),
        [one.action for one in store.records.history(key)],
        store.observations.summary(frozenset({SHOP})).agent_frequency.get(key, 0),
        store.sessions.handed_out(SHOP, key, [TOLD]),
        session.tool_calls,
        used.usage_count,
    )


def whole(answer: str, calls: int) -> tuple[object, ...]:
    return (answer, ["create"], 1, {TOLD}, calls, calls)


def nothing(calls: int) -> tuple[object, ...]:
    return (None, [], 0, set(), calls, calls)


def called(store: Whole, key: str) -> str:
    """Call, and on a failure call again as a client does; the answer."""
    for _ in range(20):
        known = store.view.answered(key)
        if known is not None:
            return known
        try:
            store.view.commit(changes_of(key), call=key, answer=ANEW)
        except ContextdError:
            continue
        return ANEW
    raise AssertionError(f"{key} was never answered")


def test_a_call_its_answer_and_its_by_products_are_one_commit(store):
    prepared(store)
    assert state(store, "k") == nothing(0)
    store.view.commit(changes_of("k"), call="k", answer=FIRST)
    assert state(store, "k") == whole(FIRST, 1)
    with pytest.raises(Conflict):
        store.view.commit(changes_of("k"), call="k", answer="another answer")
    assert state(store, "k") == whole(FIRST, 1)


@pytest.mark.parametrize("scheme", EVERY_STORE)
def test_an_answer_is_scrubbed_and_another_callers_is_not_seen(scheme, tmp_path):
    store = Whole(opened(address(scheme, tmp_path), scrub=lambda t: t.replace("hunter2", "[gone]")))
    store.view.commit(Changes(), call="k", answer="the password is hunter2")
    assert store.view.answered("k") == "the password is [gone]"
    reader = caller_with("team_member", SHOP.org, (SHOP.team,), (BLOG.project,))
    foreign = store.store.view(reader.grant([BLOG]))
    assert foreign.answered("k") is None
    foreign.commit(Changes(), call="k", answer="an answer of their own")
    assert store.view.answered("k") == "the password is [gone]"
    store.close()


def test_by_products_are_only_noted_where_the_caller_reads(store):
    mine = store.store.view(OWNER.grant([SHOP]))
    for beside in (
        ByProducts(handed_out=[HandedOut(BLOG, "s", TOLD)]),
        ByProducts(uses=[RecordUse(BLOG, "x")]),
        ByProducts(observations=[Observation(at=EPOCH, action="read", operation="x", scope=BLOG)]),
    ):
        with pytest.raises(Denied):
            mine.commit(Changes(beside=beside))
    assert store.sessions.handed_out(BLOG, "s", [TOLD]) == set()


def test_a_failure_between_any_two_statements_leaves_all_of_a_call_or_nothing(tmp_path):
    store = prepared(Whole(opened(address("sqlite", tmp_path))))
    database: Any = store.store.queue
    connection = database._database.connection
    for place in range(MOST_STATEMENTS):
        key, seen = f"k{place}", count()

        def run(
            cursor: object, sql: str, bindings: object, seen: Any = seen, at: int = place
        ) -> bool:
            return next(seen) != at

        connection.exec_trace = run
        try:
            store.view.commit(changes_of(key), call=key, answer=FIRST)
            failed = False
        except (ContextdError, apsw.Error):
            failed = True
        connection.exec_trace = None
        if not failed:
            assert place > 10
            break
        assert state(store, key) == nothing(place)
        assert called(store, key) == ANEW
        assert state(store, key) == whole(ANEW, place + 1)
    assert store.check() == []
    store.close()


@pytest.fixture
def proxy() -> Iterator[NetworkProxy]:
    settings = conninfo_to_dict(postgres_server.url())
    with NetworkProxy(Path(str(settings["host"])) / ".s.PGSQL.5432") as one:
        yield one


@pytest.mark.long
@pytest.mark.parametrize(("at_once", "messages", "least"), [(1, 12, 6), (100, 5, 0)])
def test_a_connection_cut_after_any_message_also_the_commit_leaves_one_answer(
    proxy, tmp_path, monkeypatch, at_once, messages, least
):
    """The server carries the last message out, and its answer is lost: after `COMMIT` nobody knows. Statements are sent one
    by one, and as many in a message as a call does: then no message is left between the first, after which nothing has
    happened yet, and the commit.
    """
    monkeypatch.setattr(postgres_connection, "_STATEMENTS_AT_ONCE", at_once)
    _, _, organisation = address("postgresql", tmp_path).partition("#")
    url = f"postgresql://postgres@127.0.0.1:{proxy.port}/postgres#{organisation}"
    # A connection that is lost at the beginning of a transaction is replaced, and nobody hears of it.
    cuts = [Counted(place) for place in range(3, 3 + messages)]
    cuts += [lambda data: data.startswith(b"Q") and b"COMMIT" in data] * 5
    with closing(prepared(Whole(opened(url)))) as store:
        answers = [cut_off(store, proxy, cut, calls) for calls, cut in enumerate(cuts, 1)]
        assert answers[-5:] == [FIRST] * 5
        assert answers.count(ANEW) >= least, answers
        assert store.check() == []


def cut_off(store: Whole, proxy: NetworkProxy, cut: Callable[[bytes], bool], calls: int) -> str:
    """Lose the connection in a call and repeat the call; return the answer of the repetition."""
    key, refused = f"k{calls}", False
    store.view.answered(key)
    proxy.cuts = cut
    try:
        store.view.commit(changes_of(key), call=key, answer=FIRST)
    except ContextdError as error:
        refused = bool(error.hint)
        assert refused
    proxy.cuts = None
    answer = called(store, key)
    # The cut may have met another connection, which the pool was opening again after the last one.
    assert answer == FIRST or refused
    assert state(store, key) == whole(answer, calls)
    return answer


class Counted:
    """Accepts the message at one place, counted from 1."""

    def __init__(self, place: int) -> None:
        self.left = place

    def __call__(self, data: bytes) -> bool:
        self.left -= 1
        return not self.left
