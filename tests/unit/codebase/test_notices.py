"""What rides on answers: the memory that says nearly what is searched for, and broken policies."""

from __future__ import annotations

import pytest

from support.repositories import SHOP, committed

LESSON = {
    "title": "Renew the refresh token before it expires",
    "description": "When the refresh token of a session is about to expire",
    "content": "Renew the refresh token one minute before it expires; renewing it later logs users out.",
    "outcome": "success",
}
QUESTION = "renew the refresh token before it expires"


@pytest.fixture
def agent(desk):
    desk.as_owner("init")
    desk("memory_record", **LESSON)
    return desk.connected("a conversation")


def test_it_is_told_once_in_a_session_and_the_session_knows(agent):
    (notice,) = agent.answer("codebase_search", query=QUESTION).notices
    assert notice.name == "memory_match"
    assert notice.facts["memory"]["title"] == LESSON["title"]
    assert notice.facts["relevance"] >= 0.7
    agent.host.flush()
    assert agent.answer("codebase_search", query=QUESTION).notices == ()
    (session,) = agent.sessions()
    assert session.injected == (notice.facts["memory"]["id"],)
    assert (
        len(
            agent.connected("another conversation")
            .answer("codebase_search", query=QUESTION)
            .notices
        )
        == 1
    )


def test_a_call_passed_on_brings_it_too(agent):
    asked = {"name": "codebase_search", "arguments": {"query": QUESTION}}
    (notice,) = agent.answer("tool_call", **asked).notices
    assert notice.name == "memory_match"


@pytest.mark.parametrize(
    "query", ["chart colours of the sales report", "refreshToken", "parse yaml"]
)
def test_a_memory_that_only_resembles_the_query_is_not_attached_to_an_answer(agent, query):
    assert agent.answer("codebase_search", query=query).notices == ()


def test_another_project_and_other_surfaces_are_told_nothing(agent, tmp_path):
    other = agent.at(committed(tmp_path / "other", SHOP)).connected("elsewhere")
    assert other.answer("codebase_search", query=QUESTION).notices == ()
    for surface in ("cli", "web", "rest"):
        assert agent.on(surface).answer("codebase_search", query=QUESTION).notices == ()


def test_a_broken_policy_is_a_warning_notice_for_the_client(desk, tmp_path):
    policy = desk.root / ".context" / "policies" / "no-rm.yaml"
    policy.parent.mkdir(parents=True)
    policy.write_text("requirement: Nothing is removed\nseverity: high\ncommands: ['rm *']\n")
    answer = desk.answer("policy_check", action="rm -rf build")
    [notice] = answer.notices
    assert (notice.name, notice.answered) == ("policy_warning", True)
    assert notice.facts["violation"] in answer.text
    assert notice.facts["policy"]["severity"] == "high"
    other = desk.at(committed(tmp_path / "other", SHOP))
    assert other.answer("policy_check", action="rm -rf build").notices == ()
