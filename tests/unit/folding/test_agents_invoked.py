"""A stored agent in a subtask: its brief, what its searches return, and who it is not."""

from __future__ import annotations

from typing import Any

import pytest

from contextd_common.errors import Conflict, Invalid, NotFound
from contextd_common.text.tokens import count_tokens
from support.desks import Desk


def remember(desk: Desk, kind: str, content: str, **data: Any) -> Any:
    return desk.on("cli")("remember", content=content, kind=kind, fields=data)


@pytest.fixture
def agent(words_only: Desk) -> Desk:
    words_only("codebase_index")
    remember(
        words_only, "agent", "Reviews changes against the standards.",
        name="code-reviewer", system_prompt="You review changes. Name the rule each finding breaks.",
        skills=["review-checklist", "no-such-skill"],
        collections_access=["coding_standards", "policies"],
    )  # fmt: skip
    remember(
        words_only, "agent", "Does everything.", name="generalist", system_prompt="Do it.",
    )  # fmt: skip
    remember(
        words_only, "skill", "How a review goes.", name="review-checklist",
        steps=["read the diff", "check the tests"],
    )  # fmt: skip
    remember(
        words_only, "coding_standard", "Refresh tokens are passed by value, never stored in a module.",
        rule="pass refresh tokens by value",
    )  # fmt: skip
    words_only(
        "memory_record", title="Renewing", description="d", outcome="success",
        content="The refresh token is renewed in src/auth/token.ts before it runs out.",
    )  # fmt: skip
    return words_only.connected("one")


def kinds_found(desk: Desk, query: str = "refresh token") -> set[str]:
    return {
        hit["type"].replace(" ", "_")
        for hit in desk("context_search", query=query, limit=20)["results"]
    }


def test_its_brief_holds_instructions_task_context_and_skills(agent):
    given = agent(
        "agent_invoke", agent_name="code-reviewer", task="Review auth", context="It leaks."
    )
    brief = given["brief"]
    for part in ("You review changes.", "Task: Review auth", "It leaks.", "2. check the tests"):
        assert part in brief
    assert given["notes"] == ["skill 'no-such-skill' not found"]
    assert given["collections"] == ["coding_standards", "policies"]
    ended = agent("return", message="two findings", subtask_id=given["subtask_id"])
    assert ended["used"] == count_tokens(brief)


def test_inside_it_searches_return_what_the_agent_may_see(agent):
    everything = kinds_found(agent)
    assert {"coding_standard", "memory", "code"} <= everything
    agent("agent_invoke", agent_name="code-reviewer", task="Review auth")
    assert kinds_found(agent) == {"coding_standard"}
    memories = agent("memory_search", query="refresh token")["memories"]
    assert {one["kind"] for one in memories} == {"coding_standard"}
    assert agent("codebase_search", query="refresh token")["results"] == []
    # Another connection is in no subtask.
    assert kinds_found(agent.connected("two")) == everything
    agent("return", message="two findings")
    assert kinds_found(agent) == everything


def test_an_agent_that_may_see_little_is_told_to_return_before_another_is_invoked(agent):
    agent("agent_invoke", agent_name="code-reviewer", task="Review auth")
    with pytest.raises(Conflict) as nested:
        agent("agent_invoke", agent_name="generalist", task="Review more")
    assert "return" in nested.value.hint


def test_a_search_limited_to_the_collections_of_a_stored_agent_leaves_no_gap(agent):
    agent("agent_invoke", agent_name="code-reviewer", task="Review auth")
    memories = agent("memory_search", query="when is the refresh token renewed")["memories"]
    assert {one["kind"] for one in memories} <= {"coding_standard"}
    assert agent.usage().missed_queries == {}
    agent("return", message="done")


def test_an_agent_without_a_list_sees_everything(agent):
    given = agent("agent_invoke", agent_name="generalist", task="Review auth")
    assert given["collections"] == []
    assert {"coding_standard", "memory", "code"} <= kinds_found(agent)


def test_names_of_no_collection_open_nothing(agent):
    remember(
        agent, "agent", "Sees nothing.", name="blind", system_prompt="x",
        collections_access=["codingstandards"],
    )  # fmt: skip
    given = agent("agent_invoke", agent_name="blind", task="Review auth")
    assert "did you mean 'coding_standards'?" in given["notes"][0]
    assert kinds_found(agent) == set()


def test_an_unknown_agent_is_not_found_with_the_nearest_name(agent, neighbour):
    with pytest.raises(NotFound) as unknown:
        agent("agent_invoke", agent_name="code-review", task="x")
    assert "code-reviewer" in unknown.value.hint
    with pytest.raises(Invalid):
        agent("agent_invoke", agent_name="generalist", task=" ")
    with pytest.raises(NotFound) as elsewhere:
        neighbour.desk(agent.host)("agent_invoke", agent_name="generalist", task="x")
    assert "no agents stored yet" in elsewhere.value.hint


def test_it_is_a_subtask_like_any_other(agent):
    agent("agent_invoke", agent_name="generalist", task="Review auth")
    with pytest.raises(Conflict):
        agent("agent_invoke", agent_name="generalist", task="Review more")
    with pytest.raises(Conflict):
        agent("branch", description="d", prompt="p")
