"""What `Index` promises."""

from __future__ import annotations

import numpy as np
import pytest

from contextd.domain.changes import Put
from contextd.domain.conditions import Compare
from contextd.domain.documents import record_document
from contextd.domain.query import Document, IndexStats, Pending, Query
from contextd.domain.records import Record
from contextd.stores import ranking
from contextd_common.errors import Corrupt, Invalid
from contextd_common.text.words import query_words
from support.strategies import AWKWARD, EPOCH, SCOPES, vector

SHOP = SCOPES[2]
HERE = Query(scopes=frozenset({SHOP}))


def doc(id_: str, text: str = "retry the upload", **fields: object) -> Document:
    return Document(**(dict(id=id_, kind="memory", scope=SHOP, text=text) | fields))  # type: ignore[arg-type]


def put(store, *documents: Document, model: str = "m") -> None:
    store.index_put(documents, {d.digest: vector(d.text) for d in documents}, model)


def pending(store, model: str, limit: int) -> list[str]:
    return [one.id for one in store.index.pending(model, limit)]


def lexical(store, text: str, query: Query = HERE, limit: int = 10) -> list[str]:
    return [match.id for match in store.index.lexical(query_words(text), query, limit)]


def dense(store, text: str, query: Query = HERE, model: str = "m") -> list[str]:
    return [match.id for match in store.index.dense(vector(text), model, query, 10)]


def test_records_found_both_ways_are_those_of_its_parts(store):
    texts = {f"r{n}": f"{n} is a number, upload {'retried' * (n % 2)}" for n in range(8)}
    records = [
        Record(id=id_, kind="memory", scope=SHOP, content=text, data={"signatures": [f"of {id_}"]})
        for id_, text in texts.items()
    ]
    vectors = {record_document(one).digest: vector(one.text) for one in records}
    puts = [Put(one, "create") for one in records]
    store.commit(records=puts, vectors={SHOP: vectors}, model="m")
    asked, meant = query_words("upload retried"), vector(records[3].text)
    shared = [m.id for m in store.index.lexical(asked, HERE, 4)]
    close = {m.id: m.score for m in store.index.dense(meant, "m", HERE, 5) if m.score >= 0.1}
    both = store.view.alike(asked, meant, "m", HERE, by_words=4, by_meaning=5, least=0.1)
    assert {one.id: score for one, score in both} == {i: close[i] for i in shared if i in close}
    assert [score for _, score in both] == sorted((s for _, s in both), reverse=True)
    assert both[0][0] == store.records.get(["r3"])[0]
    none = store.view.alike(asked, meant, "m", HERE, by_words=4, by_meaning=5, least=1.1)
    assert none == []
    other = [m.id for m in store.index.lexical(["0"], HERE, 2)]
    found = store.view.sharing([asked, ["0"], []], HERE, 2)
    assert [one.id for one in found] == list(dict.fromkeys([*shared[:2], *other]))
    assert store.view.sharing([], HERE, 2) == []
    meets = Compare(("signatures",), "=", "of r6")
    assert [r.id for r in store.view.sharing([], HERE, 2, also=meets)] == ["r6"]
    found = store.view.sharing([asked], HERE, 8, also=meets)
    assert [one.id for one in found][:1] == ["r6"]
    every = [m.id for m in store.index.lexical(asked, HERE, 8) if m.id != "r6"]
    assert [one.id for one in found][1:] == every, "each once"
    elsewhere = Query(scopes=frozenset({SCOPES[1]}))
    assert store.view.sharing([asked], elsewhere, 8, also=meets) == []


@pytest.mark.parametrize("text", AWKWARD)
def test_any_text_can_be_indexed_and_asked_for(store, text):
    put(store, doc("one", text), doc("two", "unrelated"))
    assert lexical(store, text) == (["one"] if query_words(text) else [])
    assert dense(store, text)[0] == "one"


@pytest.mark.parametrize(
    "words",
    [
        ['"'],
        ["a b"],
        ["NEAR(a b)"],
        ["text:upload"],
        ["upload*"],
        ['x" OR "upload'],
        ["\x00"],
        [""],
        ["\ud800"],
    ],
)
def test_words_are_never_read_as_query_syntax(store, words):
    put(store, doc("one", "a b upload"))
    assert store.index.lexical(words, HERE, 10) == []


def test_operators_are_words_like_others(store):
    put(store, doc("one", "not or and near"), doc("two", "upload"))
    assert [m.id for m in store.index.lexical(["not"], HERE, 5)] == ["one"]


def test_an_identifier_is_found_whole_and_in_parts(store):
    put(store, doc("one", "retry_upload_now parseHTTPResponse"), doc("two", "retry upload now"))
    assert lexical(store, "retry_upload_now")[0] == "one"
    assert lexical(store, "response") == ["one"]
    assert [m.id for m in store.index.lexical(["retry_upload_now"], HERE, 5)] == ["one"]


def test_neighbouring_text_counts_but_less(store):
    put(store, doc("far", "other", near="upload"), doc("own", "upload", near="other"))
    put(store, *(doc(f"x{n}", "filler") for n in range(8)))
    assert lexical(store, "upload") == ["own", "far"]


def test_filters_hold_in_both_searches(store):
    put(
        store,
        doc("good", facets=("tag=a", "tag=b", "type=x", "session=s"), confidence=0.8),
        doc("tag", facets=("tag=a", "type=x", "session=s")),
        doc("type", facets=("tag=a", "tag=b", "type=xx", "session=s")),
        doc("session", facets=("tag=a", "tag=b", "type=x")),
        doc("unsure", facets=("tag=a", "tag=b", "type=x", "session=s"), confidence=0.1),
        doc("over", facets=("tag=a", "tag=b", "type=x", "session=s"), valid_to=EPOCH),
        doc(
            "early",
            facets=("tag=a", "tag=b", "type=x", "session=s"),
            valid_from=EPOCH.replace(year=2027),
        ),
        doc("kind", facets=("tag=a", "tag=b", "type=x", "session=s"), kind="context"),
        doc("scope", facets=("tag=a", "tag=b", "type=x", "session=s"), scope=SCOPES[3]),
        doc("status", facets=("tag=a", "tag=b", "type=x", "session=s"), status="inbox"),
    )
    query = Query(
        scopes=frozenset({SHOP}),
        kinds=("memory",),
        tags=("a", "b"),
        where={"type": "x"},
        session="s",
        min_confidence=0.5,
        valid_at=EPOCH,
    )
    assert lexical(store, "upload", query) == ["good"]
    assert dense(store, "upload", query) == ["good"]


def test_a_text_is_valid_from_its_first_moment_until_just_before_its_last(store):
    put(
        store,
        doc("begins", valid_from=EPOCH),
        doc("ends", valid_to=EPOCH),
        doc("always"),
    )
    now = Query(scopes=frozenset({SHOP}), valid_at=EPOCH)
    assert sorted(lexical(store, "upload", now)) == ["always", "begins"]
    assert sorted(dense(store, "upload", now)) == ["always", "begins"]


def test_no_kinds_means_every_kind_but_code_and_events(store):
    put(store, *(doc(kind, kind=kind) for kind in ("memory", "x_mine", "code", "event")))
    code = Query(scopes=frozenset({SHOP}), kinds=("code", "event"))
    for search in (lexical, dense):
        assert sorted(search(store, "upload")) == ["memory", "x_mine"]
        assert sorted(search(store, "upload", code)) == ["code", "event"]


def test_a_condition_named_twice_or_met_by_nothing_is_no_trouble(store):
    put(store, doc("one"), doc("two", status="inbox"), doc("three", kind="context"))
    twice = Query(
        scopes=frozenset({SHOP}), kinds=("memory", "memory"), statuses=("active", "active")
    )
    nothing = Query(scopes=frozenset({SHOP}), kinds=("nobody",))
    for search in (lexical, dense):
        assert search(store, "upload", twice) == ["one"]
        assert search(store, "upload", nothing) == []
        assert search(store, "upload", Query(scopes=frozenset())) == []


def test_equal_scores_go_by_id(store):
    put(store, *(doc(f"id-{n:02}") for n in reversed(range(40))))
    assert lexical(store, "upload") == dense(store, "upload") == [f"id-{n:02}" for n in range(10)]


def test_put_replaces_and_delete_forgets(store):
    put(store, doc("one", "upload"), doc("two", "upload"))
    put(store, doc("one", "download"))
    assert (lexical(store, "upload"), lexical(store, "download")) == (["two"], ["one"])
    store.index_forget(["two", "nobody"])
    assert lexical(store, "upload") == []
    assert dense(store, "upload") == ["one"]
    assert store.index.stats("m") == IndexStats(1, 1, 0)
    for scope in SCOPES:
        store.upkeep.rebuild(scope)
    assert store.index.stats("m") == IndexStats(0, 0, 0)
    assert dense(store, "upload") == []
    put(store, doc("one", "download"))
    assert dense(store, "upload") == lexical(store, "download") == ["one"]


def test_equal_text_is_embedded_once_and_its_vector_outlives_the_document(store):
    put(store, doc("one", "same words"))
    store.index_put([doc("two", "same words"), doc("three", "other words")], {}, "")
    assert pending(store, "m", 10) == ["three"]
    assert sorted(dense(store, "x")) == ["one", "two"]
    store.index_forget(["one", "two"])
    store.index_put([doc("four", "same words")], {}, "")
    assert dense(store, "x") == ["four"]


def test_pending_is_newest_first_and_ends_when_vectors_are_attached(store):
    documents = [doc(f"d{n}", f"text {n}") for n in range(3)]
    store.index_put(documents, {}, "")
    store.index_put([doc("d0", "text 0", confidence=0.9)], {}, "")
    assert pending(store, "m", 2) == ["d0", "d2"]
    assert dense(store, "text 1") == []
    store.commit(vectors={SHOP: {documents[1].digest: vector("text 1")}}, model="m")
    assert pending(store, "m", 5) == ["d0", "d2"]
    assert dense(store, "text 1") == ["d1"]
    assert store.index.stats("m") == IndexStats(3, 1, 2)
    assert store.index.pending("", 5) == []


def test_pending_documents_name_their_scope_and_records_and_messages_precede_code(store):
    there = doc("two", "theirs", scope=SCOPES[0], kind="code")
    store.index_put([doc("one", "mine"), there, doc("three", "said", kind="event")], {}, "")
    assert store.index.pending("m", 5) == [
        Pending("memory", "one", SHOP),
        Pending("event", "three", SHOP),
        Pending("code", "two", SCOPES[0]),
    ]
    assert store.index.pending("m", 5, among=["two", "nobody"]) == [
        Pending("code", "two", SCOPES[0])
    ]


def test_nothing_pending_is_not_the_last_word(store):
    put(store, doc("one"))
    assert pending(store, "m", 5) == pending(store, "m", 0) == []
    store.index_put([doc("two", "two")], {}, "")
    assert pending(store, "m", 5) == ["two"]
    assert store.index.stats("m") == IndexStats(2, 1, 1)
    store.index_put([doc("one", "changed")], {}, "")
    assert pending(store, "m", 5) == ["one", "two"]
    assert pending(store, "other", 1) == ["one"]


def test_a_document_put_again_unchanged_keeps_its_place_in_the_pending_order(store):
    store.index_put([doc("one"), doc("two", "other")], {}, "")
    store.index_put([doc("one")], {}, "")
    assert pending(store, "m", 5) == ["two", "one"]
    store.index_put([doc("one", confidence=0.5)], {}, "")
    assert pending(store, "m", 5) == ["one", "two"]


def test_models_are_never_mixed(store):
    put(store, doc("one", "old model"), model="m")
    put(store, doc("two", "new model"), model="n")
    assert (dense(store, "x", model="m"), dense(store, "x", model="n")) == (["one"], ["two"])
    assert store.index.dense(vector("x", 16), "m", HERE, 5) == []
    with pytest.raises(Invalid):
        put(store, doc("three"), model="")
    with pytest.raises(Invalid):
        store.commit(vectors={SHOP: {"d": np.array([np.nan, 1.0], np.float32)}}, model="m")


def test_scores_are_cosines(store):
    put(store, doc("one", "some text"))
    [match] = store.index.dense(3 * vector("some text"), "m", HERE, 5)
    assert match.score == pytest.approx(1.0, abs=2e-3)
    [match] = store.index.dense(-vector("some text"), "m", HERE, 5)
    assert match.score == pytest.approx(-1.0, abs=2e-3)


def test_words_in_most_documents_are_not_asked_for_when_others_are(store, monkeypatch):
    monkeypatch.setattr(ranking, "COMMON_FROM", 1_000)
    rare = [doc(f"r{n:04}", f"common rare{n}") for n in range(1001)]
    store.index_put([*rare, doc("z", "rare7")], {}, "")
    words = ["common", "rare7"]
    assert [m.id for m in store.index.lexical(words, HERE, 50)] == ["z", "r0007"]
    assert len(store.index.lexical(["common"], HERE, 50)) == 50


def test_words_of_one_family_or_scope_say_nothing_of_how_rare_they_are_in_another(store):
    asked = ["upload", "retri"]
    alone = [doc("one", "upload the file"), doc("two", "retry it now")]
    put(store, *alone)
    before = store.index.lexical(asked, HERE, 5)
    noise = [doc(f"n{n}", "upload upload", scope=SCOPES[3]) for n in range(30)]
    noise += [doc(f"c{n}", "upload upload", kind="code") for n in range(30)]
    noise += [doc(f"m{n}", "retry retry", kind="event") for n in range(30)]
    put(store, *noise)
    assert store.index.lexical(asked, HERE, 5) == before


def test_equal_text_in_two_scopes_needs_a_vector_in_each(store):
    put(store, doc("one", "same words"))
    store.index_put([doc("two", "same words", scope=SCOPES[3])], {}, "")
    assert store.index.pending("m", 5) == [Pending("memory", "two", SCOPES[3])]
    assert dense(store, "same words") == ["one"]


def test_vectors_are_given_of_records_that_have_one_of_the_model(store):
    put(store, doc("one", "retry the upload"), doc("two", "cache keys"))
    put(store, doc("other", "cache keys", scope=SCOPES[1]), doc("said", "retry", kind="event"))
    put(store, doc("foreign", "another model"), model="n")
    store.index_put([doc("bare", "not embedded")], {}, "m")
    asked = ["two", "bare", "one", "said", "other", "foreign", "nobody", "two"]
    ids, rows = store.index.vectors(SHOP, asked, "m")
    assert ids == ["two", "one"]
    for row, text in zip(rows, ("cache keys", "retry the upload"), strict=True):
        unit = vector(text) / np.linalg.norm(vector(text))
        assert np.allclose(row, unit, atol=2e-3)
    assert store.index.vectors(SCOPES[1], asked, "m")[0] == ["other"]
    assert store.index.vectors(SHOP, [], "m")[0] == []
    assert store.index.vectors(SHOP, asked, "unknown")[0] == []


def test_a_vector_of_another_size_is_left_out(store):
    put(store, doc("one", "retry the upload"), doc("two", "cache keys"))
    short = doc("short", "three numbers")
    store.index_put([short], {short.digest: np.ones(3, np.float32)}, "m")
    ids, rows = store.index.vectors(SHOP, ["short", "one", "two"], "m")
    assert ids == ["one", "two"]
    assert rows.shape == (2, len(vector("x")))


def test_vectors_of_another_size_are_told_until_they_are_dropped(store):
    put(store, doc("one", "retry the upload"), doc("two", "cache keys"))
    foreign = doc("foreign", "retry the upload", scope=SCOPES[1])
    put(store, foreign)
    short = doc("short", "three numbers")
    store.index_put([short], {short.digest: np.ones(3, np.float32)}, "m")
    asked = vector("retry the upload")
    elsewhere = Query(scopes=frozenset({SCOPES[1]}))
    assert pending(store, "m", 9) == []
    with pytest.raises(Corrupt, match="of 1 texts"):
        store.index.rankings([["upload"]], asked, "m", HERE, 5)
    store.index.rankings([["upload"]], asked, "other", HERE, 5)
    store.index.rankings([["upload"]], asked, "m", elsewhere, 5)
    store.upkeep.drop_vectors("other", len(asked))
    assert pending(store, "m", 9) == []
    store.upkeep.drop_vectors("m", len(asked))
    assert pending(store, "m", 9) == ["short"]
    _, near = store.index.rankings([["upload"]], asked, "m", HERE, 5)
    assert [match.id for match in near] == dense(store, "retry the upload") != []
    store.index_put([short], {short.digest: vector("three numbers")}, "m")
    assert pending(store, "m", 9) == []
    assert "short" in dense(store, "three numbers")
