"""Whatever is done to it, every store answers as the in-memory reference does."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contextd.domain.awareness import Contradiction
from contextd.domain.changes import CodeChange, NewJob, Put
from contextd.domain.context_items import Serving
from contextd.domain.jobs import LANES, Schedule
from contextd.domain.projects import Project
from contextd.domain.query import Document, Match, Page
from contextd.domain.sessions import Event, Session, SessionChange
from contextd.domain.upkeep import Ages, Balance
from contextd.domain.usage import ByProducts, HandedOut, Observation, RecordUse
from contextd_common.errors import ContextdError
from contextd_common.text.words import query_words
from support.clocks import Standing
from support.stores import WITH_CODE, Whole, address, everything, opened
from support.strategies import (
    EPOCH,
    SCOPES,
    documents,
    ids,
    moments,
    queries,
    records,
    source_files,
    texts,
    vector,
)

Step = Callable[[Whole], object]
OTHERS = [scheme for scheme in WITH_CODE if scheme != "memory"]
HISTORIES = int(os.environ.get("CONTEXTD_HISTORIES", "30"))
"""How many. `-m slow` has a thousand, and longer ones."""

scopes = st.sampled_from(SCOPES)


def step(
    function: Callable[..., object], **drawn: st.SearchStrategy[object]
) -> st.SearchStrategy[Step]:
    return st.fixed_dictionaries(drawn).map(lambda values: partial(function, **values))


def index(store: Whole, documents, embedded):
    chosen = {d.digest: vector(d.text) for d in documents[:embedded]}
    store.index_put(documents, chosen, "m")


def search(store: Whole, text, query):
    found = store.index.lexical(query_words(text), query, query.limit)
    return [found, store.index.dense(vector(text), "m", query, query.limit)]


def refused(store: Whole, record, document):
    """A commit that fails at its end leaves nothing of its beginning."""
    return store.commit(
        records=[Put(record.with_(id="fresh", version=0), "write"), Put(record, "write")],
        documents=[document],
        sessions=[SessionChange(id="nobody")],
    )


def open_session(store: Whole, session, scope, at):
    store.open(Session(id=session, scope=scope, started_at=at, last_seen_at=at))


def change_session(store: Whole, session, key, text, at):
    changed = store.commit(
        sessions=[
            SessionChange(
                id=session,
                seen_at=at,
                first_task=text,
                calls=1,
                tokens=3,
                topics=(text,),
                counts={"learned": 1},
                events=(Event(type="note", key=key, at=at, text=text),),
                servings=(Serving("file", text, 5), Serving("file", text, 2)),
            )
        ]
    )
    return [changed.sessions, changed.events]


def end_session(store: Whole, session, at, archived):
    change = SessionChange(id=session, ended_at=at, completed=True, archived=archived)
    return store.commit(sessions=[change]).sessions


def observe(store: Whole, action, query, at, scope):
    one = Observation(at=at, action=action, operation="x", type="t", query=query, scope=scope)
    store.upkeep.note(ByProducts(observations=[one]))


def disagree(store: Whole, one, other, reason, at):
    found = Contradiction(a=one, b=other, kind="value", reason=reason, found_at=at)
    store.commit(disagree=[found])
    return store.contradictions.find(frozenset(SCOPES[:3]), states=())


def scan(store: Whole, scope, files, removed):
    if store.files is None:
        return []
    store.commit(code=[CodeChange(scope=scope, put=files, remove=removed)])
    return [store.files.of(scope).stamps(), store.files.of(scope).all()]


def work(store: Whole, scope, key, priority, lane):
    jobs = [NewJob(name="x", scope=scope, unique_key=key, priority=priority, lane=lane)]
    store.commit(jobs=jobs)
    store.queue.schedule(Schedule(job="y", scope=scope, due_at=EPOCH, every=timedelta(hours=1)))
    taken = store.queue.claim("w", 60, lanes=LANES, place="here")
    if taken is not None:
        store.queue.fail(taken.id, "w", "why", 5)
    came = store.queue.come_round({"y": NewJob(name="y")})
    seen = [(j.name, j.scope, j.state, j.lane, j.priority, j.error) for j in store.jobs.list()]
    return [came, seen, store.jobs.count()]


def register(store: Whole, identity, root):
    project = Project(
        identity=identity, scope=SCOPES[2], name=root, roots=(root,), created_at=EPOCH
    )
    return [store.directory.register(project), store.directory.all()]


steps = st.one_of(
    step(lambda s, record: s.put(record), record=records()),
    step(lambda s, id_: s.undo(id_), id_=ids),
    step(
        lambda s, id_, scope: s.upkeep.note(ByProducts(uses=[RecordUse(scope, id_)])),
        id_=ids,
        scope=scopes,
    ),
    step(lambda s, query: s.records.find(query), query=queries()),
    step(lambda s, query: s.records.count(query), query=queries()),
    step(lambda s, prefix: s.records.resolve(prefix), prefix=ids | ids.map(lambda i: i[:4])),
    step(index, documents=st.lists(documents(), max_size=4), embedded=st.integers(0, 4)),
    step(lambda s, ids_: s.index_forget(ids_), ids_=st.lists(ids, max_size=3)),
    step(search, text=texts, query=queries(indexed=True)),
    step(
        lambda s, text, scope: s.commit(
            vectors={scope: {documents_digest(text): vector(text)}}, model="m"
        ),
        text=texts,
        scope=scopes,
    ),
    step(lambda s, n: (s.index.pending("m", n), s.index.stats("m")), n=st.integers(0, 5)),
    step(lambda s, scope: s.upkeep.rebuild(scope), scope=scopes),
    step(lambda s, n: s.upkeep.drop_vectors("m", n), n=st.sampled_from([3, len(vector(""))])),
    step(refused, record=records(), document=documents()),
    step(open_session, session=st.sampled_from(["s", "t"]), scope=scopes, at=moments),
    step(
        change_session,
        session=st.sampled_from(["s", "t"]),
        key=st.sampled_from("ab"),
        text=texts,
        at=moments,
    ),
    step(end_session, session=st.sampled_from(["s", "t"]), at=moments, archived=st.booleans()),
    step(
        observe,
        action=st.sampled_from(["read", "write", "miss"]),
        query=texts,
        at=moments,
        scope=st.sampled_from([None, *SCOPES[:2]]),
    ),
    step(
        lambda s, scope, digest: s.upkeep.note(
            ByProducts(handed_out=[HandedOut(scope, "s", digest)])
        ),
        scope=scopes,
        digest=st.sampled_from("ab"),
    ),
    step(disagree, one=ids, other=ids, reason=texts, at=moments),
    step(
        lambda s, one, other, note: s.decide(one, other, "dismissed", note),
        one=ids,
        other=ids,
        note=texts,
    ),
    step(lambda s, one, other: s.commit(agree=[(one, other)]), one=ids, other=ids),
    step(
        scan,
        scope=scopes,
        files=st.lists(source_files(), max_size=2, unique_by=lambda f: f.path),
        removed=st.lists(st.sampled_from(["a.py", "b.py"]), max_size=1),
    ),
    step(
        work,
        scope=st.none() | scopes,
        key=st.sampled_from(["", "k", "l"]),
        priority=st.integers(0, 1),
        lane=st.sampled_from(LANES),
    ),
    step(register, identity=st.sampled_from(["one", "two"]), root=st.sampled_from(["/a", "/b"])),
    step(
        lambda s, at: s.upkeep.retire(
            Ages(jobs=at, events=at, changes=at, handed_out=at, calls=at)
        ),
        at=moments,
    ),
)


def documents_digest(text: str) -> str:
    from contextd.domain.records import digest

    return digest(text)


def outcome(store: Whole, act: Step) -> object:
    try:
        return act(store)
    except ContextdError as refusal:
        return (refusal.code, refusal.message, refusal.hint, refusal.details)


def same(mine: object, theirs: object) -> bool:
    """Equal, where scores may differ in their last digits."""
    if isinstance(mine, Match) and isinstance(theirs, Match):
        close = mine.score == pytest.approx(theirs.score, rel=1e-6, abs=2.1e-6)
        return (mine.id, mine.kind) == (theirs.id, theirs.kind) and close
    if isinstance(mine, list) and isinstance(theirs, list):
        return len(mine) == len(theirs) and all(map(same, mine, theirs))
    return mine == theirs


def end(store: Whole) -> list[object]:
    """Everything that can be read back."""
    every = everything()
    page: Page = store.records.find(every)
    history = [store.records.history(f"{letter * 4}-{n}") for letter in "ab" for n in range(4)]
    dense = store.index.dense(vector("q"), "m", every, 50)
    asked = store.index.lexical(["upload", "retry", "the"], every, 50)
    all_scopes = frozenset(SCOPES)
    known = [store.observations.recent(all_scopes), store.observations.summary(all_scopes)]
    known += [store.sessions.find(all_scopes), store.directory.all()]
    known += [[store.sessions.events(s), store.sessions.items(s)] for s in ("s", "t")]
    known += [store.sessions.handed_out(scope, "s", ["a", "b"]) for scope in SCOPES]
    known.append(store.contradictions.find(all_scopes, states=()))
    known.append(store.survey.tally(every, recent=EPOCH, stale=EPOCH))
    known.append(store.upkeep.waiting("m"))
    known.append([[s.id for s in store.upkeep.rested_sessions(EPOCH + timedelta(days=9), 9)]])
    for scope in SCOPES if store.files else ():
        known.append([store.files.of(scope).all(), store.files.of(scope).get(["a.py", "b.py"])])
    return [page, history, dense, asked, known, store.index.pending("m", 50)]


def balance(store: Whole) -> list[Balance]:
    """Counts of both sides. A store without code counts no documents of code."""
    every = store.upkeep.balance()
    return every if store.files else [replace(one, code_documents=0) for one in every]


def compare(scheme: str, history: list[Step]) -> None:
    with TemporaryDirectory() as folder:
        clock = Standing()
        without = "" if scheme in WITH_CODE else "-without-code"
        reference = Whole(opened(f"memory{without}://", clock))
        other = Whole(opened(address(scheme, Path(folder)), clock))
        try:
            for number, act in enumerate(history):
                clock.move(seconds=1)
                expected, got = outcome(reference, act), outcome(other, act)
                assert same(got, expected), (number, act)
            assert same(end(other), end(reference))
            assert balance(other) == balance(reference)
        finally:
            other.close()


def bounded(examples: int) -> settings:
    return settings(
        max_examples=examples,
        deadline=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )


@pytest.mark.parametrize("scheme", OTHERS)
@bounded(HISTORIES)
@given(history=st.lists(steps, min_size=5, max_size=25))
def test_any_history_ends_as_in_the_reference(scheme, history):
    compare(scheme, history)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("scheme", OTHERS)
@bounded(1_000)
@given(history=st.lists(steps, min_size=5, max_size=60))
def test_a_thousand_long_histories_end_as_in_the_reference(scheme, history):
    compare(scheme, history)


@pytest.mark.parametrize("scheme", OTHERS)
@bounded(25)
@given(corpus=st.lists(st.tuples(texts, texts), min_size=3, max_size=40), asked=texts)
def test_words_score_as_bm25_is_defined(scheme, corpus, asked):
    put = [
        Document(id=f"{n:03}", kind="memory", scope=SCOPES[0], text=text, near=near)
        for n, (text, near) in enumerate(corpus)
    ]
    every = everything()
    compare(
        scheme,
        [
            lambda s: s.index_put(put, {}, ""),
            lambda s: s.index_forget(["001"]),
            lambda s: s.index.lexical(query_words(asked), every, 50),
            lambda s: s.index.lexical(["upload", "cach", "日本"], every, 3),
        ],
    )
