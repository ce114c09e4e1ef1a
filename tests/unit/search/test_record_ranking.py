"""What a record is moves it where somebody asked, and every move is told."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from contextd.domain.access import OWNER
from contextd.domain.changes import Changes, KnowledgeChanges, Put
from contextd.domain.documents import record_document
from contextd.domain.records import Record
from contextd.domain.scope import Scope
from contextd.domain.sessions import Event
from contextd.ports.store import View
from contextd.search.boosts import Standpoint
from contextd.search.hits import DENSE, LEXICAL, Hit, ScorePart
from contextd.search.ranking_weights import RECORDS, weights
from contextd.search.record_ranking import SIGNALS, by_record, is_task, signals
from contextd.search.search import Result, SearchSource, find
from support.shop_store import QUERY, SCOPE, TopicEmbedder, record, view_of
from support.stores import opened

NOW = datetime(2026, 6, 1, tzinfo=UTC)
TASK = "Let the cache evict what is oldest"
MANY = "The cache evicts what is oldest, since what was read once is seldom read again by anybody else."


def hit(text: str, score: float, days: int = 400, kind: str = "context") -> Hit:
    one = record(text, kind=kind, updated_at=NOW - timedelta(days=days))
    parts = (ScorePart(LEXICAL, score / 2, 1, 3.0), ScorePart(DENSE, score / 2, 1, 0.5))
    return Hit(one.id, kind, parts, one)


def order(*hits: Hit, asked: str = TASK) -> list[str]:
    return [one.id for one in by_record(hits, asked, NOW)]


def test_a_task_goes_on_with_what_was_written_lately():
    before, lately = hit(MANY, 0.7), hit(MANY, 0.6, days=1)
    assert order(before, lately) == [lately.id, before.id]
    # Not where that answers much worse.
    far = hit(MANY, 0.4, days=1)
    assert order(before, far) == [before.id, far.id]


@pytest.mark.parametrize(
    "asked",
    [
        "Why does the cache evict what is oldest?",
        "how does the cache evict",
        "Cache: oldest first?",
    ],
)
def test_a_question_asks_about_any_time(asked: str):
    before, lately = hit(MANY, 0.7), hit(MANY, 0.6, days=1)
    assert order(before, lately, asked=asked) == [before.id, lately.id]


@pytest.mark.parametrize(
    ("asked", "task"),
    [
        ("Fix the flaky login test", True),
        ("can you add a test for the login?", True),
        ("Could we drop Python 3.9?\nIt is old.", True),
        ("ttl of the cache", True),
        ("should list print JSON by default", False),
        ("Is Windows supported?", False),
        ("Can I use it without a password?", False),
        ("the cache is empty, why?", False),
        ("", True),
    ],
)
def test_prompts_that_ask_for_work_are_distinguished_from_questions_for_a_reason(
    asked: str, task: bool
):
    assert is_task(asked) is task


def test_the_best_so_far_keeps_its_score_and_parts_add_up():
    hits = [hit(MANY, 0.8), hit(MANY, 0.5, days=2)]
    found = {one.id: one for one in by_record(hits, TASK, NOW)}
    assert found[hits[0].id] == hits[0]
    moved = found[hits[1].id]
    assert moved.score == pytest.approx(sum(part.amount for part in moved.parts))
    assert moved.parts[-1].name == "current"
    assert "from current work" in moved.why


def test_hits_other_than_records_and_a_record_alone_keep_their_score():
    said = Event(type="message", key="1", at=NOW, role="user", text="The cache.", seq=1)
    message = Hit("s#1", "event", (ScorePart("words", 0.4),), said)
    alone = [hit(MANY, 0.5, days=1), message]
    assert by_record(alone, TASK, NOW) == alone
    assert by_record([], TASK, NOW) == []


def test_without_a_time_age_tells_nothing_and_tomorrow_is_no_newer_than_now():
    records = [record(MANY, updated_at=NOW), record(MANY, updated_at=NOW - timedelta(days=90))]
    assert signals(records, TASK, None)["current"] == [0.0, 0.0]
    late = [replace(records[0], updated_at=NOW + timedelta(days=1))]
    assert signals(late, TASK, NOW)["current"] == [1.0]


def test_every_signal_has_a_weight():
    assert set(weights(RECORDS)) == set(SIGNALS)


NOTES = [
    record("the redis cache evicts the oldest", updated_at=NOW - timedelta(days=300)),
    record("the redis cache was made to evict the oldest first", updated_at=NOW),
]


def looked_for(view: View, asked: str = "redis cache evict", *, strict: bool = False) -> Result:
    return find(
        SearchSource(
            view.index, TopicEmbedder(), lambda ids: {one.id: one for one in view.records.get(ids)}
        ),
        asked,
        QUERY,
        standing=Standpoint(SCOPE.cascade, now=NOW),
        strict=strict,
    )


def test_a_strict_search_is_scored_without_ranking_signals():
    view = view_of(*NOTES)
    asked, unasked = looked_for(view), looked_for(view, strict=True)
    assert any(part.name in SIGNALS for one in asked.hits for part in one.parts)
    assert unasked.hits
    assert not any(part.name in SIGNALS for one in unasked.hits for part in one.parts)


def test_a_project_beside_it_changes_no_score():
    other = Scope("local", "default", "bakery")
    beside = [
        replace(record(f"the redis cache evicts loaf {n}", updated_at=NOW), scope=other)
        for n in range(40)
    ]
    alone, shared = view_of(*NOTES), _of_two_projects([*NOTES, *beside], other)
    before, after = looked_for(alone), looked_for(shared)
    assert [(one.id, one.parts) for one in before.hits] == [
        (one.id, one.parts) for one in after.hits
    ]


def _of_two_projects(records: list[Record], other: Scope) -> View:
    view = opened("memory://").view(OWNER.grant([SCOPE, other]))
    documents = {one.id: record_document(one) for one in records}
    rows = TopicEmbedder().embed([one.text for one in documents.values()])
    vectors: dict[Scope, dict[str, object]] = {SCOPE: {}, other: {}}
    for one, row in zip(records, rows, strict=True):
        vectors[one.scope][documents[one.id].digest] = row
    puts = [Put(one, "add") for one in records]
    view.commit(
        Changes(
            actor="test", knowledge=KnowledgeChanges(records=puts, vectors=vectors, model="topics")
        )
    )  # type: ignore[arg-type]
    return view
