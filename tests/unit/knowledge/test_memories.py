from __future__ import annotations

import pytest

from contextd_common.errors import Invalid


def lesson(desk, title, content, **more):
    arguments = {"title": title, "description": "when it applies", "content": content}
    return desk("memory_record", **{**arguments, "outcome": "success", **more})


def test_a_recorded_lesson_is_found_by_meaning(desk):
    made = lesson(desk, "Pool sizing", "Give the database pool as many connections as workers.")
    lesson(desk, "Button colour", "Primary buttons are blue in every dialog of the shop.")
    found = desk("memory_search", query="how big should the DB connection pool be")["memories"]
    assert found[0]["id"] == made["id"]
    assert found[0]["why"]


def test_without_an_embedder_search_goes_by_words_and_says_so(words_only):
    made = lesson(
        words_only, "Cache keys", "Prefix cache keys with the tenant to avoid collisions."
    )
    found = words_only("memory_search", query="cache keys tenant")
    assert found["memories"][0]["id"] == made["id"]
    assert "words only" in found["note"]


def test_outcome_filters_before_the_limit(desk):
    for i in range(4):
        lesson(desk, f"Works {i}", f"Retry the upload endpoint with backoff variant {i}.")
    bad = lesson(desk, "Fails", "Retrying the upload without backoff fails.", outcome="failure")
    found = desk("memory_search", query="retry upload backoff", outcome="failure", limit=1)
    assert [m["id"] for m in found["memories"]] == [bad["id"]]


def test_a_lesson_that_partly_worked_is_kept_as_such_and_found_among_all(desk):
    made = lesson(
        desk, "Sharding", "Sharding by tenant helped reads and hurt joins.", outcome="mixed"
    )
    assert [m["id"] for m in desk("memory_search", query="sharding tenant")["memories"]] == [
        made["id"]
    ]
    only = desk("memory_search", query="sharding tenant", outcome="success")
    assert only["memories"] == []


def test_feedback_moves_confidence_and_keeps_the_reason(desk):
    made = lesson(desk, "Timeouts", "Set the gateway timeout above the slowest upstream call.")
    before = desk("memory_search", query="gateway timeout upstream")["memories"][0]["confidence"]
    after = desk("memory_feedback", memory_id=made["id"], helpful=True, comment="saved an hour")
    assert after["new_confidence"] == pytest.approx(min(1.0, before + 0.3))
    last = desk.as_owner("history", id=made["id"])["changes"][-1]
    assert last["reason"] == "helpful: saved an hour"


def test_feedback_makes_a_memory_no_newer(desk, home):
    made = lesson(desk, "Timeouts", "Set the gateway timeout above the slowest upstream call.")
    written = desk.record(made["id"]).updated_at
    home.clock.move(days=30)
    desk("memory_feedback", memory_id=made["id"], helpful=True)
    after = desk.record(made["id"])
    assert (after.helpful, after.updated_at) == (1, written)


def test_helpful_feedback_moves_a_memory_up(desk):
    first = lesson(desk, "Log level", "Use the debug log level in staging deployments.")
    second = lesson(desk, "Log target", "Use the stdout log target in staging deployments.")
    before = [m["id"] for m in desk("memory_search", query="log staging deployments")["memories"]]
    loser = before[-1]
    for _ in range(3):
        desk("memory_feedback", memory_id=loser, helpful=True)
    after = [m["id"] for m in desk("memory_search", query="log staging deployments")["memories"]]
    assert {first["id"], second["id"]} == set(before)
    assert after[0] == loser


def test_nothing_relevant_is_an_empty_answer_and_a_miss(desk):
    lesson(desk, "Indexes", "Add an index before filtering large tables by status.")
    found = desk("memory_search", query="birthday cake recipe")
    assert found["memories"] == []
    assert "gap" in found["note"]


def test_recording_what_was_just_handed_out_names_the_memory_that_has_it(desk):
    made = lesson(desk, "Migrations", "Run every schema migration inside one transaction per file.")
    desk("memory_search", query="schema migration transaction")
    again = lesson(
        desk, "Migrations", "Run every schema migration inside one transaction per file."
    )
    assert again["id"] == made["id"]
    assert again["message"].startswith("already known")


def test_scope_narrows_to_the_level_asked_for(desk):
    made = lesson(desk, "Naming", "Name feature branches after the ticket they belong to.")
    inside = desk("memory_search", query="feature branches ticket", scope="project")["memories"]
    outside = desk("memory_search", query="feature branches ticket", scope="org")["memories"]
    assert [m["id"] for m in inside] == [made["id"]]
    assert outside == []


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"title": "t", "description": "d", "content": "c d e f", "outcome": "maybe"}, "outcome"),
        ({"title": "", "description": "d", "content": "c d e f", "outcome": "success"}, "title"),
        ({"query": "x"}, "title"),
    ],
)
def test_bad_input_names_what_is_wrong(desk, arguments, named):
    with pytest.raises(Invalid) as caught:
        desk("memory_record", **arguments)
    assert named in caught.value.message
