"""What is remembered of words is what the store says, whoever changed it, and bounded."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

import pytest

from contextd.domain.query import Document, Match, Query
from contextd.domain.scope import Scope
from contextd.stores import lexicons, postings
from contextd.stores.sqlite_words import Fts5Words
from support.stores import Whole, address, opened

HERE, BESIDE = Scope("local", "default", "shop"), Scope("local", "default", "blog")
WORDS = ["upload", "retri", "cach", "chunk", "lock", "nowhere"]
ASKED = [["upload", "retri"], ["cach", "nowhere"], ["chunk", "lock", "upload"]]
FILTERS = [
    {},
    {"tags": ("a",)},
    {"tags": ("seldom",)},
    {"tags": ("a", "b")},
    {"kinds": ("memory",)},
    {"statuses": ("archived",)},
    {"min_confidence": 0.5},
    {"kinds": ("event", "code")},
]


@pytest.fixture
def stores(tmp_path) -> Iterator[list[Whole]]:
    """Two processes at one store, as far as one process can be two."""
    both = [opened(address("sqlite", tmp_path)) for _ in range(2)]
    yield [Whole(store, [HERE, BESIDE]) for store in both]
    for store in both:
        store.close()


def answers(store: Whole) -> list[list[Match]]:
    scopes = ({HERE}, {BESIDE}, {HERE, BESIDE})
    queries = [Query(scopes=frozenset(s), **{"statuses": (), **f}) for s in scopes for f in FILTERS]
    return [store.index.lexical(words, query, 9) for query in queries for words in ASKED]


def anew(tmp_path) -> list[list[Match]]:
    """What somebody finds who never asked before."""
    store = opened(address("sqlite", tmp_path))
    try:
        return answers(Whole(store, [HERE, BESIDE]))
    finally:
        store.close()


def drawn(numbers: random.Random, id_: int) -> Document:
    words = numbers.choices(["upload", "retry", "cache", "chunk", "lock", "plain"], k=7)
    return Document(
        id=str(id_),
        kind=numbers.choice(["memory", "decision", "event", "code"]),
        scope=numbers.choice([HERE, BESIDE]),
        text=" ".join(words[:4]),
        near=" ".join(words[4:]),
        status=numbers.choice(["active", "archived"]),
        facets=tuple(f"tag={tag}" for tag in ("a", "b") if numbers.random() < 0.6)
        + (("tag=seldom",) if numbers.random() < 0.04 else ()),
        confidence=numbers.random(),
    )


@pytest.mark.parametrize("limits", ["as shipped", "tight"])
def test_cached_postings_equal_the_store_whichever_store_writes(
    stores, tmp_path, monkeypatch, limits
):
    if limits == "tight":
        for name, value in {"MOST_BYTES": 900, "_APART": 2, "_MOST_RANGES": 2, "_FEW": 2}.items():
            monkeypatch.setattr(postings, name, value)
        for name, value in {"_DEAR": 0, "_ENOUGH": 1, "MOST_NAMED": 20}.items():
            monkeypatch.setattr(lexicons, name, value)
    numbers = random.Random(7)
    stores[0].index_put([drawn(numbers, n) for n in range(160)], {}, "")
    assert answers(stores[0]) == answers(stores[1]) == anew(tmp_path)
    for step in range(8):
        writer = stores[step % 2]
        changed = [drawn(numbers, numbers.randrange(200)) for _ in range(numbers.randrange(1, 5))]
        writer.index_put(changed, {}, "")
        if step % 3 == 0:
            writer.commit(forget={scope: [str(numbers.randrange(200))] for scope in (HERE, BESIDE)})
        assert answers(stores[0]) == answers(stores[1]) == anew(tmp_path)


def test_after_so_many_changes_that_all_is_read_anew_nothing_is_missing(
    stores, tmp_path, monkeypatch
):
    monkeypatch.setattr(postings, "_APART", 2)
    numbers = random.Random(8)
    first = [replace(drawn(numbers, n), scope=HERE) for n in range(60)]
    stores[0].index_put(first, {}, "")
    answers(stores[0])
    stores[1].index_put([replace(doc, text="cache lock") for doc in first[::3]], {}, "")
    assert answers(stores[0]) == anew(tmp_path)


@pytest.fixture
def seldom(stores, monkeypatch):
    """Asks for a word of many with a tag of two; what of it was read whole, and what looked for among the few."""
    monkeypatch.setattr(lexicons, "_DEAR", 1)
    documents = [
        Document(id=str(n), kind="memory", scope=HERE, text=f"upload {n}") for n in range(90)
    ]
    documents += [replace(one, id=f"t{one.id}", facets=("tag=seldom",)) for one in documents[:2]]
    stores[0].index_put(documents, {}, "")
    read, looked = [], []
    whole, few = Fts5Words.holders, Fts5Words.occurring
    monkeypatch.setattr(Fts5Words, "holders", lambda *asked: read.append(asked[2]) or whole(*asked))
    monkeypatch.setattr(
        Fts5Words, "occurring", lambda *asked: looked.append(asked[3]) or few(*asked)
    )

    def ask():
        query = Query(scopes=frozenset({HERE}), tags=("seldom",))
        return [match.id for match in stores[0].index.lexical(["upload"], query, 9)]

    return ask, read, looked


def test_a_word_is_looked_for_once_with_a_seldom_tag_while_nothing_changes(seldom):
    ask, read, looked = seldom
    assert [ask() for _ in range(20)] == [["t0", "t1"]] * 20
    assert (read, looked) == ([], [["upload"]])


def test_a_word_that_is_looked_for_again_and_again_is_read(seldom, stores):
    ask, read, looked = seldom
    for n in range(20):
        fresh = Document(id=f"late{n}", kind="memory", scope=HERE, text="upload")
        stores[0].index_put([fresh], {}, "")
        assert ask() == ["t0", "t1"]
    assert (read, len(looked)) == (["upload"], 8)


def test_postings_that_take_too_much_memory_are_given_up(stores, monkeypatch):
    monkeypatch.setattr(postings, "MOST_BYTES", 2_000)
    numbers = random.Random(9)
    stores[0].index_put([replace(drawn(numbers, n), scope=HERE) for n in range(300)], {}, "")
    answers(stores[0])
    known = stores[0].index._caches.lexicons._known  # type: ignore[attr-defined]
    kept = [one.postings for one in known.values()]
    assert kept
    assert all(one._bytes <= 2_000 or len(one._known) == 1 for one in kept)
    assert all(one._bytes == sum(p.bytes for p in one._known.values()) for one in kept)
