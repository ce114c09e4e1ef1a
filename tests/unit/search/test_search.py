"""From a question to hits, through a real index."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from contextd.domain.documents import AROUND, message_documents
from contextd.domain.query import CODE, EVENT, Document, Query, Vector
from contextd.domain.sessions import Event
from contextd.embedders import open_embedder
from contextd.embedders.none import NoEmbedder
from contextd.search.search import DEPTH, SearchSource, find, search
from contextd_common.errors import Unavailable
from support.shop_store import QUERY, SCOPE, TopicEmbedder, record, view_of, view_of_documents

CACHE = record("Use redis as the cache, with a ttl of ten minutes", title="Cache")
LOGIN = record("The login form posts the password to the auth service")
DEPLOY = record("We ship every Friday after the rollout check")
PARROT = record("A parrot lives in the office kitchen")
ALL = (CACHE, LOGIN, DEPLOY, PARROT)
VIEW = view_of(*ALL)


class BrokenEmbedder:
    model = "broken"

    def embed(self, texts: Sequence[str]) -> Vector:
        raise Unavailable("the embedding model is damaged", "reinstall")


def ask(question: str, view=VIEW, embedder=None, **options):
    return find(
        SearchSource(
            view.index,
            embedder or TopicEmbedder(),
            lambda ids: {r.id: r for r in view.records.get(ids)},
            embedded=options.pop("embedded", 1.0),
        ),
        question,
        options.pop("query", QUERY),
        **options,
    )


def test_words_and_meaning_are_both_told():
    found = search(VIEW.index, TopicEmbedder(), "redis cache ttl", QUERY)
    best = found.candidates[0]
    assert best.id == CACHE.id
    assert (best.part("words").rank, best.part("meaning").rank) == (1, 1)
    assert best.part("meaning").raw == pytest.approx(1.0, abs=1e-3)
    assert found.notice == ""


def test_meaning_finds_what_shares_no_word():
    assert [hit.id for hit in ask("how do we release").hits] == [DEPLOY.id]


def test_a_word_finds_what_means_something_else():
    assert ask("who lives with the parrot").hits[0].id == PARROT.id


@pytest.mark.parametrize(
    ("embedder", "reason"), [(NoEmbedder(), "no embedder"), (BrokenEmbedder(), "damaged")]
)
def test_without_vectors_words_answer_and_the_notice_says_so(embedder, reason: str):
    result = ask("redis cache", embedder=embedder)
    assert [hit.id for hit in result.hits] == [CACHE.id]
    assert "words only" in result.notice
    assert reason in result.notice


@pytest.mark.parametrize("embedder", [TopicEmbedder(), NoEmbedder()])
def test_an_irrelevant_question_finds_nothing(embedder):
    assert ask("why is the sky blue at noon", embedder=embedder).hits == ()


@pytest.mark.parametrize("question", ["", "   ", "?!…", "\n\n"])
def test_a_question_without_words_finds_nothing_and_says_so(question: str):
    result = ask(question)
    assert result.hits == ()
    assert "no words" in result.notice


def test_a_question_of_stop_words_finds_nothing():
    assert ask("what is it", embedder=NoEmbedder()).hits == ()


def test_hits_too_far_from_the_question_are_left_out_with_the_reason():
    result = ask("redis cache kitchen")
    assert CACHE.id in [hit.id for hit in result.hits]
    reasons = {left.id: left.reason for left in ask("release").left_out}
    assert reasons[PARROT.id] == "not close enough to the question"


def test_strict_drops_hits_that_share_only_a_word():
    loose = ask("redis cache in the office")
    strict = ask("redis cache in the office", strict=True)
    assert (PARROT.id, "below half of the best score") in [
        (one.id, one.reason) for one in loose.left_out
    ]
    assert [hit.id for hit in strict.hits] == [CACHE.id]


def test_a_record_that_is_gone_is_left_out():
    result = find(SearchSource(VIEW.index, TopicEmbedder(), lambda ids: {}), "redis cache", QUERY)
    assert result.hits == ()
    assert "no longer there" in {left.reason for left in result.left_out}


def test_the_limit_holds_and_says_what_lost():
    view = view_of(*(record(f"redis cache note {word}") for word in ("one", "two", "three")))
    result = ask("redis cache", view=view, limit=2)
    assert len(result.hits) == 2
    assert [left.reason for left in result.left_out] == ["below the limit"]


def test_other_scopes_are_not_seen():
    query = Query(scopes=frozenset({type(SCOPE)("local", "default", "other")}))
    assert ask("redis cache", query=query).hits == ()


def test_a_long_question_is_asked_by_its_first_line_too():
    body = "\n".join(f"unrelated parrot line {i}" for i in range(30))
    assert CACHE.id in [hit.id for hit in ask(f"redis cache\n{body}", limit=2).hits]


def test_a_huge_question_is_cut_short():
    assert [hit.id for hit in ask("redis cache " + "x" * 1_000_000).hits] == [CACHE.id]


def test_a_name_leans_on_words_in_code():
    texts = {"exact": "def flush_all(): pass", "close": "def drop(): redis cache evict"}
    documents = [Document(id=i, kind=CODE, scope=SCOPE, text=t) for i, t in texts.items()]
    embedder = TopicEmbedder()
    view = view_of_documents(documents, embedder)
    query = Query(scopes=frozenset({SCOPE}), kinds=(CODE,))
    found = search(view.index, embedder, "flush_all", query).candidates
    assert found[0].id == "exact"
    assert found[0].part("words").amount > 2 * found[0].part("meaning").amount * 0.9


def test_messages_are_found_by_what_was_said_around_them():
    said = ["Which queue do we use?", "Rabbit, since March.", "Fine.", "Lunch at noon?"]
    at = CACHE.created_at
    events = [
        Event(type="message", key=str(i), at=at, role="user", text=text, seq=i)
        for i, text in enumerate(said, 1)
    ]
    view = view_of_documents(message_documents(SCOPE, "s", events), NoEmbedder())
    query = Query(scopes=frozenset({SCOPE}), kinds=(EVENT,))
    found = search(view.index, NoEmbedder(), "which queue", query).candidates
    assert [candidate.id for candidate in found][:2] == ["s#1", "s#2"]


def test_a_long_neighbour_lends_a_message_only_what_stands_next_to_it():
    said = ["Which queue do we use?", f"A queue it is. {'Filler. ' * 200}", "Fine.", "Yes."]
    events = [
        Event(type="message", key=str(i), at=CACHE.created_at, role="user", text=text, seq=i)
        for i, text in enumerate(said, 1)
    ]
    [first, _, fine, yes] = message_documents(SCOPE, "s", events)
    assert "A queue it is." in first.near
    assert len(first.near) < 2 * AROUND + 50
    assert "A queue it is." not in fine.near
    # What lies beyond a short one counts as well.
    assert "Fine." in yes.near
    assert "Filler." in yes.near


def test_candidates_are_bounded():
    view = view_of(*(record(f"redis note {i}") for i in range(DEPTH + 30)))
    assert len(search(view.index, TopicEmbedder(), "redis", QUERY).candidates) == DEPTH


def test_a_single_word_finds_what_holds_it():
    assert [hit.id for hit in ask("parrot").hits] == [PARROT.id]


@pytest.mark.parametrize("embedder", [TopicEmbedder(), NoEmbedder()])
def test_one_shared_word_of_a_short_prompt_brings_up_nothing_unasked(embedder):
    assert ask("kitchen", embedder=embedder, strict=True).hits == ()


def test_strict_without_vectors_asks_for_most_of_the_words():
    found = ask("parrot office kitchen", embedder=NoEmbedder(), strict=True)
    assert [hit.id for hit in found.hits] == [PARROT.id]


def test_a_text_that_waits_for_its_vector_is_found_by_two_words_but_not_injected():
    pending = [record("A parrot lives in the office kitchen")]
    view = view_of(*pending, embedder=NoEmbedder())
    question = "has the parrot of the kitchen learned the song about trains and rivers"
    found = ask(question, view=view, embedded=0.5)
    assert [hit.id for hit in found.hits] == [pending[0].id]
    assert ask(question, view=view, embedded=0.5, strict=True).hits == ()


def test_the_shipped_model_finds_notes_by_meaning_and_stays_silent_otherwise():
    embedder = open_embedder("minilm")
    notes = [
        record("The payment webhook must verify the Stripe signature before parsing the body"),
        record("All dates are stored in UTC and shown in the zone of the user"),
        record("Images are resized with libvips because Pillow used too much memory"),
    ]
    view = view_of(*notes, embedder=embedder)
    for question, note in {
        "handle the stripe events endpoint": notes[0],
        "which timezone should created_at use": notes[1],
        "thumbnail generation runs out of memory": notes[2],
    }.items():
        assert ask(question, view=view, embedder=embedder).hits[0].id == note.id
    for prompt in ("ok continue", "what is the capital of France", "make the button blue"):
        assert ask(prompt, view=view, embedder=embedder, strict=True).hits == ()
