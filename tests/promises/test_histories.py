"""Whatever is done to it, every store answers as the in-memory reference does."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conftest import Ticking, address
from contextd.domain.awareness import Contradiction
from contextd.domain.errors import ContextdError
from contextd.domain.query import Match, Page
from contextd.domain.sessions import Event, Observation, Session
from contextd.domain.words import query_words
from contextd.ports import Store
from contextd.stores import STORES, open_store
from strategies import EPOCH, SCOPES, documents, ids, moments, queries, records, texts, vector

Step = Callable[[Store], object]
OTHERS = [scheme for scheme in STORES if scheme != "memory"]


def step(
    function: Callable[..., object], **drawn: st.SearchStrategy[object]
) -> st.SearchStrategy[Step]:
    return st.fixed_dictionaries(drawn).map(lambda values: partial(function, **values))


def index(store: Store, documents, embedded):
    chosen = {d.digest: vector(d.text) for d in documents[:embedded]}
    store.index.put(documents, chosen, "m")


def search(store: Store, text, query):
    found = store.index.lexical(query_words(text), query, query.limit)
    return [found, store.index.dense(vector(text), "m", query, query.limit)]


def resolve(store: Store, prefix):
    return store.records.resolve(prefix, frozenset(SCOPES[:3]))


def failed_transaction(store: Store, record, document):
    try:
        with store.transaction():
            store.records.put(record, actor="a", action="write")
            index(store, [document], 1)
            search(store, document.text, None or _everything())
            raise KeyError
    except KeyError:
        return "rolled back"


def _everything():
    from contextd.domain.query import Query

    return Query(scopes=frozenset(SCOPES), statuses=())


def append(store: Store, session, key, text, at):
    store.sessions.save(Session(id="s", scope=SCOPES[0], started_at=at, last_seen_at=at))
    return store.sessions.append(session, [Event(type="note", key=key, at=at, text=text)])


def observe(store: Store, action, query, at, scope):
    store.observations.append(
        [Observation(at=at, action=action, operation="x", type="t", query=query, scope=scope)]
    )


def disagree(store: Store, one, other, reason, at):
    found = Contradiction(a=one, b=other, kind="value", reason=reason, found_at=at)
    store.contradictions.put([found])
    return store.contradictions.find(frozenset(SCOPES[:3]), states=())


steps = st.one_of(
    step(lambda s, record: s.records.put(record, actor="a", action="write"), record=records()),
    step(lambda s, id_: s.records.undo(id_, actor="b"), id_=ids),
    step(lambda s, ids_, at: s.records.touch(ids_, at), ids_=st.lists(ids, max_size=3), at=moments),
    step(lambda s, query: s.records.find(query), query=queries()),
    step(lambda s, query: s.records.count(query), query=queries()),
    step(resolve, prefix=ids | ids.map(lambda id_: id_[:4])),
    step(index, documents=st.lists(documents(), max_size=4), embedded=st.integers(0, 4)),
    step(lambda s, ids_: s.index.delete(ids_), ids_=st.lists(ids, max_size=3)),
    step(search, text=texts, query=queries(indexed=True)),
    step(lambda s, text: s.index.attach({documents_digest(text): vector(text)}, "m"), text=texts),
    step(lambda s, n: (s.index.pending("m", n), s.index.stats("m")), n=st.integers(0, 5)),
    step(lambda s: s.index.refresh()),
    step(failed_transaction, record=records(), document=documents()),
    step(
        append,
        session=st.sampled_from(["s", "t"]),
        key=st.sampled_from("ab"),
        text=texts,
        at=moments,
    ),
    step(
        observe,
        action=st.sampled_from(["read", "write", "miss"]),
        query=texts,
        at=moments,
        scope=st.sampled_from([None, *SCOPES[:2]]),
    ),
    step(disagree, one=ids, other=ids, reason=texts, at=moments),
    step(
        lambda s, one, other, note: s.contradictions.dismiss(one, other, note),
        one=ids,
        other=ids,
        note=texts,
    ),
    step(lambda s, one, other: s.contradictions.remove([(one, other)]), one=ids, other=ids),
)


def documents_digest(text: str) -> str:
    from contextd.domain.records import digest

    return digest(text)


def outcome(store: Store, act: Step) -> object:
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


def end(store: Store) -> list[object]:
    """Everything that can be read back."""
    every = _everything()
    page: Page = store.records.find(every)
    history = [store.records.history(f"{letter * 4}-{n}") for letter in "ab" for n in range(4)]
    dense = store.index.dense(vector("q"), "m", every, 50)
    asked = store.index.lexical(["upload", "retry", "the"], every, 50)
    known = [store.sessions.events("s"), store.observations.recent(), store.observations.summary()]
    here = frozenset(SCOPES[:1])
    known += [store.observations.recent(scopes=here), store.observations.summary(scopes=here)]
    known.append(store.contradictions.find(frozenset(SCOPES), states=()))
    known.append(store.survey.tally(every, recent=EPOCH, stale=EPOCH))
    return [page, history, dense, asked, known, store.index.pending("m", 50)]


def compare(scheme: str, history: list[Step]) -> None:
    with TemporaryDirectory() as folder:
        reference = open_store("memory://", clock=Ticking())
        other = open_store(address(scheme, Path(folder)), clock=Ticking())
        try:
            for number, act in enumerate(history):
                expected, got = outcome(reference, act), outcome(other, act)
                assert same(got, expected), (number, act)
            assert same(end(other), end(reference))
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
@bounded(50)
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
    from contextd.domain.query import Document

    put = [
        Document(id=f"{n:03}", kind="memory", scope=SCOPES[0], text=text, near=near)
        for n, (text, near) in enumerate(corpus)
    ]
    everything = _everything()
    compare(
        scheme,
        [
            lambda s: s.index.put(put, {}, ""),
            lambda s: s.index.delete(["001"]),
            lambda s: s.index.lexical(query_words(asked), everything, 50),
            lambda s: s.index.lexical(["upload", "cach", "日本"], everything, 3),
        ],
    )
