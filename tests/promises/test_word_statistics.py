"""What is asked is scored as if nothing else were there: other projects, other kinds, other tags."""

from __future__ import annotations

from dataclasses import replace

import pytest

from contextd.domain.query import Document, Query
from contextd.domain.scope import Scope
from contextd.stores import ranking
from support.stores import Whole
from support.strategies import EPOCH, SCOPES

A, ALONE = SCOPES[2], SCOPES[3]
ASKED = ["upload", "retri", "cach", "chunk"]
TEXTS = [
    "retry the upload twice",
    "the upload is cut into chunks, and every chunk of the upload has a checksum",
    "cache keys carry the locale",
    "retry with a longer pause",
    "upload",
]


def documents(scope: Scope, prefix: str = "", **fields: object) -> list[Document]:
    return [
        replace(Document(id=f"{prefix}{n}", kind="memory", scope=scope, text=text), **fields)  # type: ignore[arg-type]
        for n, text in enumerate(TEXTS)
    ]


def found(store, scope: Scope, *more: Scope, words=ASKED, **fields: object) -> list[tuple]:
    """Texts' numbers and scores, best first."""
    query = Query(scopes=frozenset({scope, *more}), **fields)  # type: ignore[arg-type]
    return [(m.id[-1], m.score) for m in store.index.lexical(words, query, 9)]


def test_twenty_projects_beside_it_change_no_score(store):
    store.index_put(documents(A), {}, "")
    alone = found(store, A)
    assert len(alone) == 5
    for n in range(20):
        other = Scope("local", "default", f"other-{n}")
        noise = ("upload retry chunk cache " * (n + 1)).strip()
        some = [
            Document(id=f"{n}-{i}", kind=kind, scope=other, text=noise)
            for i, kind in enumerate(("memory", "decision", "code", "event"))
        ]
        Whole(store.store, [other]).index_put(some, {}, "")
    assert found(store, A) == alone


@pytest.mark.parametrize(
    ("hidden", "asked"),
    [
        ({"kind": "decision"}, {"kinds": ("memory",)}),
        ({"status": "inbox"}, {}),
        ({"confidence": 0.2}, {"min_confidence": 0.5}),
        ({"valid_to": EPOCH}, {"valid_at": EPOCH}),
        ({"facets": ("tag=b",)}, {"tags": ("a",)}),
    ],
)
def test_documents_hidden_by_a_filter_change_no_score(store, monkeypatch, hidden, asked):
    shown = {"facets": ("tag=a",)}
    noise = [doc for n in range(3) for doc in documents(A, f"x{n}", **hidden)]
    store.index_put([*documents(A, **shown), *noise], {}, "")
    store.index_put(documents(ALONE, "y", **shown), {}, "")
    assert found(store, A, **asked) == found(store, ALONE) != found(store, A, statuses=())
    # Nor which words are too common to be asked for: here it is "upload", in three of five.
    monkeypatch.setattr(ranking, "COMMON_FROM", 3)
    monkeypatch.setattr(ranking, "COMMON_SHARE", 0.5)
    assert found(store, A, **asked) == found(store, ALONE)
    assert len(found(store, A, **asked)) == 4


def test_a_filter_that_leaves_few_ranks_as_if_those_were_alone(store):
    mine = [replace(doc, facets=("tag=a", "session=s"), near="chunk retry") for doc in documents(A)]
    others = [doc for n in range(50) for doc in documents(A, f"x{n}", facets=("tag=b",))]
    half = documents(A, "z", facets=("tag=a",))
    store.index_put([*mine, *others, *half], {}, "")
    store.index_put([replace(doc, scope=ALONE) for doc in mine], {}, "")
    store.index_put([replace(doc, scope=ALONE, id=f"h{doc.id}") for doc in half], {}, "")
    for asked in ({"tags": ("a",)}, {"tags": ("a",), "session": "s"}):
        few, alone = found(store, A, **asked), found(store, ALONE, **asked)
        assert few == alone
    assert len(few) == 5
    store.index_forget([mine[0].id])
    assert len(found(store, A, **asked)) == 4
    assert found(store, A, words=["nowhere"], tags=("a",)) == []


def test_a_seldom_tag_ranks_as_if_alone_again_and_again_and_after_every_change(store):
    """What was found among the few with a tag is remembered, whatever else is asked of them next."""
    mine = [replace(doc, facets=("tag=a",), near="chunk retry") for doc in documents(A)[:3]]
    mine[1] = replace(mine[1], confidence=0.3)
    others = [doc for n in range(60) for doc in documents(A, f"x{n}", facets=("tag=b",))]
    store.index_put([*mine, *others], {}, "")
    store.index_put([replace(doc, scope=ALONE) for doc in mine], {}, "")

    def same(**asked):
        here, alone = (found(store, scope, tags=("a",), **asked) for scope in (A, ALONE))
        assert here == alone
        return here

    for _ in range(2):
        assert len(same()) == 3
        assert len(same(min_confidence=0.5)) == 2
        assert len(same(words=["upload"])) == 2
        assert len(same(words=["upload", "checksum"])) == 2
        assert found(store, A, words=["upload"], tags=("a", "b")) == []
    for number, text in enumerate(("upload upload", "a checksum")):
        fresh = replace(mine[0], id=f"y{number}", text=text)
        store.index_put([fresh, replace(fresh, scope=ALONE)], {}, "")
        assert len(same(words=["upload", "checksum"])) == 3 + number
    store.index_forget([mine[0].id])
    assert len(same(words=["upload", "checksum"])) == 3


def test_two_projects_asked_together_are_scored_as_one(store):
    store.index_put(documents(A)[:2], {}, "")
    store.index_put(documents(SCOPES[1])[2:], {}, "")
    store.index_put(documents(ALONE), {}, "")
    assert found(store, A, SCOPES[1]) == found(store, ALONE)


def test_a_word_of_most_notes_counts_where_there_are_few(store):
    store.index_put(documents(A)[:2], {}, "")
    assert found(store, A, words=["upload"])[0][1] > 0.1


def test_scores_follow_every_change(store):
    store.index_put(documents(A), {}, "")
    before = found(store, A)
    extra = Document(id="z", kind="memory", scope=A, text="upload " * 200, near="chunk " * 150)
    store.index_put([extra], {}, "")
    assert found(store, A) != before
    store.index_put([replace(extra, status="archived")], {}, "")
    assert found(store, A) == before
    store.index_forget(["z"])
    assert found(store, A) == before


def test_which_words_are_common_follows_every_change(store, monkeypatch):
    monkeypatch.setattr(ranking, "COMMON_FROM", 3)
    monkeypatch.setattr(ranking, "COMMON_SHARE", 0.5)
    more = [Document(id=f"m{n}", kind="memory", scope=A, text=f"parse {n}") for n in range(3)]
    store.index_put(documents(A), {}, "")
    before = found(store, A)
    store.index_put(more, {}, "")
    store.index_put([*documents(ALONE), *(replace(doc, scope=ALONE) for doc in more)], {}, "")
    assert found(store, A) == found(store, ALONE) != before
    store.index_forget([doc.id for doc in more])
    assert found(store, A) == before


def test_a_word_is_no_more_common_for_what_a_filter_hides(store, monkeypatch):
    """It stands in one document of five that are asked, and in all that are hidden."""
    monkeypatch.setattr(ranking, "COMMON_FROM", 3)
    monkeypatch.setattr(ranking, "COMMON_SHARE", 0.5)
    texts = ["upload", "cache keys", "retry now", "retry later", "chunk"]
    shown = [
        Document(id=f"{n}", kind="memory", scope=A, text=text, facets=("tag=a",))
        for n, text in enumerate(texts)
    ]
    hidden = [
        Document(id=f"x{n}", kind="memory", scope=A, text="upload", facets=("tag=b",))
        for n in range(20)
    ]
    store.index_put([*shown, *hidden], {}, "")
    found_ids = [id for id, _ in found(store, A, words=["upload", "cach"], tags=("a",))]
    assert sorted(found_ids) == ["0", "1"]
