"""A search hands a fact of a session out once, however many records and messages tell it."""

from __future__ import annotations

import pytest

FACT = "Remember to pass the scope with every pending chunk because one database holds all projects"


def talk(desk, *said: str) -> str:
    session = desk("session_start", task_description="Embed job")["session_id"]
    for text in said:
        desk("session_log", session_id=session, role="user", text=text)
    desk("session_end", session_id=session, outcome="success")
    desk.host.work_off()
    return session


def found(desk, question: str) -> list[dict]:
    return desk("context_search", query=question, limit=5)["results"]


def test_a_rule_and_its_message_are_one_hit_and_the_record_at_that(desk):
    talk(desk, f"{FACT}.")
    kinds = {one["kind"] for one in desk.as_owner("list_records", limit=50)["records"]}
    assert "discovery" in kinds
    hits = found(desk, "pass the scope with every pending chunk")
    telling = [hit for hit in hits if "pending chunk" in hit["text"]]
    assert len(telling) == 1
    assert telling[0]["type"] != "session"


@pytest.mark.parametrize(
    "opposite",
    [
        FACT.replace("Remember to", "Remember not to"),
        FACT.replace("all projects", "all 12 projects"),
    ],
)
def test_facts_that_differ_in_a_negation_or_a_number_are_both_found(desk, opposite):
    talk(desk, f"{FACT}.", f"{opposite}.")
    texts = [hit["text"] for hit in found(desk, "pass the scope with every pending chunk")]
    for fact in (FACT, opposite):
        assert any(fact.removeprefix("Remember ")[3:] in text for text in texts)


def test_the_same_words_of_two_sessions_and_a_longer_message_stay(desk):
    talk(desk, f"{FACT}.")
    long = (
        f"{FACT}. The queue now keeps a row per chunk. A worker takes twenty of them at once. "
        "Chunks whose file is gone are dropped by the next scan. The vector goes in with its model."
    )
    talk(desk, long)
    texts = [
        hit["text"] for hit in found(desk, "a worker takes twenty chunks of the queue at once")
    ]
    assert any("takes twenty" in text for text in texts)


def test_scores_say_how_relevant_the_best_hit_is_and_fall_from_there(desk):
    desk("save_context", content="Invoices are numbered without gaps per calendar year")
    desk("save_context", content="The office coffee machine is cleaned on Mondays")
    exact = found(desk, "are invoices numbered without gaps per calendar year")
    vague = found(desk, "how are bills counted in our shop")
    scores = [hit["score"] for hit in exact]
    assert scores == sorted(scores, reverse=True)
    assert all(0 < hit["score"] <= 1 for hit in (*exact, *vague))
    assert exact[0]["score"] > 0.8
    assert all(hit["score"] < 0.7 for hit in vague)


def test_code_is_as_old_as_its_file(desk, home):
    desk.as_owner("init")
    desk.host.work_off()
    home.clock.move(hours=72)
    [hit] = [one for one in found(desk, "refresh token lifetime") if "token.ts" in one["source"]]
    assert hit["date"] == "3 days ago"
