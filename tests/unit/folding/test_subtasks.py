"""Subtasks through the operations: their budget, their end, and what of them others see."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from contextd.domain.subtasks import subtasks_of
from contextd_common.errors import Conflict, Invalid, NotFound, TooLarge
from contextd_common.text.tokens import count_tokens
from support.desks import Desk

PROMPT = "Find out where the refresh token is renewed, and who calls it."


@pytest.fixture
def agent(words_only: Desk) -> Desk:
    words_only("codebase_index")
    return words_only.connected("one")


def branched(agent: Desk, **more: Any) -> Any:
    return agent("branch", description="explore auth", prompt=PROMPT, **more)


def session_of(agent: Desk) -> str:
    [session] = [one for one in agent.sessions() if one.external_id == agent.connection]
    return session.id


def test_a_subtask_is_charged_for_served_content_and_leaves_its_message(agent):
    opened = branched(agent)
    assert (opened["budget"], opened["used"]) == (8_000, 0)
    read = agent.answer("read_file", path="src/auth/guard.ts")
    agent("codebase_search", query="refreshToken")
    ended = agent("return", message="renewed in src/auth/token.ts")
    assert ended["success"] is True
    assert ended["subtask_id"] == opened["subtask_id"]
    assert ended["used"] >= len(read.text) // 8
    [subtask] = subtasks_of(
        session_of(agent), agent.view.sessions.events(session_of(agent), types=("subtask",))
    )
    assert [one.operation for one in subtask.served] == ["read_file", "codebase_search"]
    assert [one.about for one in subtask.served] == ["src/auth/guard.ts", "refreshToken"]
    assert subtask.spent == ended["used"]
    assert subtask.message == "renewed in src/auth/token.ts"


def test_before_and_after_a_subtask_nothing_is_charged(agent):
    agent("read_file", path="src/auth/guard.ts")
    assert agent("branch", description="d", prompt=PROMPT)["used"] == 0
    assert agent("return", message="done")["used"] == 0
    assert agent.answer("read_file", path="src/auth/guard.ts").notices == ()


def test_near_the_budget_a_warning_rides_along_and_past_it_calls_are_refused(agent):
    branched(agent, budget=200, inject_memories=False)
    told = []
    while not told or not told[-1].notices or told[-1].notices[-1].facts["used"] < 200:
        told.append(agent.answer("read_file", path="src/auth/guard.ts"))
    with pytest.raises(TooLarge) as refused:
        agent("read_file", path="src/auth/guard.ts")
    [*_, last] = [notice for answer in told for notice in answer.notices]
    assert (last.name, last.facts["total"]) == ("budget_warning", 200)
    assert "return" in last.text
    assert all(notice.facts["used"] >= 160 for answer in told for notice in answer.notices)
    assert "return now" in refused.value.hint
    for name, arguments in (("memory_search", {"query": "tokens"}), ("tools_list", {})):
        with pytest.raises(TooLarge):
            agent(name, **arguments)
    assert agent("context_window")["tokens"] > 0
    agent("return", message="the guard always answers true")
    agent("read_file", path="src/auth/guard.ts")


def test_subtasks_are_one_level_deep(agent):
    first = branched(agent)
    with pytest.raises(Conflict) as refused:
        branched(agent)
    assert "one level deep" in refused.value.message
    assert first["subtask_id"] in refused.value.hint
    with pytest.raises(Conflict):
        agent("session_start", task_description="something else")
    agent("return", message="done")
    assert branched(agent)["subtask_id"] != first["subtask_id"]


def test_there_are_ten_in_a_session(open_desk):
    agent = open_desk(embedder_name="none").connected("one")
    for number in range(10):
        branched(agent, inject_memories=False)
        agent("return", message=f"done {number}")
    with pytest.raises(TooLarge) as refused:
        branched(agent)
    assert "10 subtasks" in refused.value.message


def test_messages_of_ended_subtasks_reduce_the_budget_of_further_ones(open_desk):
    agent = open_desk(embedder_name="none", folding_parent_tokens=1000).connected("one")
    assert branched(agent, inject_memories=False)["budget"] == 1000
    agent("return", message="word " * 700)
    assert branched(agent, inject_memories=False)["budget"] == 1000 - count_tokens("word " * 700)
    agent("return", message="word " * 200)
    with pytest.raises(TooLarge):
        branched(agent)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"description": " ", "prompt": PROMPT}, Invalid),
        ({"description": "d", "prompt": ""}, Invalid),
        ({"description": "d", "prompt": PROMPT, "budget": 40_000}, TooLarge),
        ({"description": "d", "prompt": PROMPT, "budget": -1}, Invalid),
        ({"description": "d", "prompt": PROMPT, "session_id": "nobody's"}, NotFound),
    ],
)
def test_a_subtask_that_cannot_be_opened_is_refused_and_leaves_nothing_open(
    agent, arguments, error
):
    with pytest.raises(error):
        agent("branch", **arguments)
    with pytest.raises(NotFound):
        agent("return", message="m")


def test_a_message_must_be_shorter_than_what_it_folds(agent):
    branched(agent, budget=200, inject_memories=False)
    with pytest.raises(TooLarge):
        agent("return", message="word " * 300)
    with pytest.raises(Invalid):
        agent("return", message=" ")
    assert agent("return", message="short")["success"]


def test_a_subtask_returns_once(agent):
    opened = branched(agent)
    agent("return", message="done")
    with pytest.raises(Conflict):
        agent("return", message="again", subtask_id=opened["subtask_id"])
    with pytest.raises(NotFound):
        agent("return", message="again")
    for unknown in ("x", "x.1", opened["subtask_id"][:-1] + "7", "."):
        with pytest.raises(NotFound):
            agent("return", message="again", subtask_id=unknown)


def test_of_two_who_open_or_return_at_once_one_is_told_so(agent):
    agent("session_start", task_description="explore")
    for operation, arguments in (
        ("branch", {"description": "d", "prompt": PROMPT, "inject_memories": False}),
        ("return", {"message": "done"}),
    ):
        done: list[Any] = []
        errors: list[Exception] = []

        def call(name: str = operation, given: Any = arguments) -> None:
            try:
                done.append(agent(name, **given))  # noqa: B023
            except (Conflict, NotFound) as error:
                errors.append(error)  # noqa: B023

        threads = [threading.Thread(target=call) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert (len(done), len(errors)) == (1, 3)


def test_a_subtask_closes_with_its_session(agent):
    opened = branched(agent)
    agent("session_end", outcome="success")
    with pytest.raises(Conflict) as closed:
        agent("return", message="late", subtask_id=opened["subtask_id"])
    assert "closed with its session" in closed.value.message
    # The connection goes on in another session, which has no subtask.
    agent("read_file", path="src/auth/guard.ts")
    assert branched(agent)["subtask_id"] != opened["subtask_id"]


def test_two_sessions_of_a_project_each_have_their_own(agent):
    other = agent.connected("two")
    mine, theirs = branched(agent, budget=200), branched(other)
    assert mine["subtask_id"] != theirs["subtask_id"]
    other("read_file", path="src/auth/guard.ts")
    assert other("return", message="done")["used"] > 0
    assert agent("return", message="done")["used"] == mine["used"]


def test_nobody_else_reaches_a_subtask(agent, neighbour):
    opened = branched(agent)
    colleague = neighbour.desk(agent.host).by("project_dev", neighbour.scope.project)
    with pytest.raises(NotFound):
        colleague("return", message="mine now", subtask_id=opened["subtask_id"])
    assert agent("return", message="done")["success"]


def test_another_process_finds_it_open(agent, home):
    opened = branched(agent, budget=200, inject_memories=False)
    agent.host.close()
    again = Desk(home.host(embedder_name="none"), agent.root).connected("one")
    with pytest.raises(Conflict):
        branched(again)
    again("read_file", path="src/auth/guard.ts")
    ended = again("return", message="done", subtask_id=opened["subtask_id"])
    assert ended["used"] > 0


def test_without_a_connection_a_subtask_is_named_by_its_id(words_only):
    terminal = words_only.on("cli")
    opened = terminal("branch", description="d", prompt=PROMPT)
    assert terminal("return", message="m", subtask_id=opened["subtask_id"])["success"]


def test_its_message_becomes_a_memory_that_waits(agent):
    said = "Refresh tokens are renewed in src/auth/token.ts when they have less than five minutes left."
    branched(agent)
    ended = agent("return", message=said, extract_memory=True)
    record = agent.record(ended["memory_id"])
    assert (record.kind, record.status, record.content) == ("memory", "candidate", said)
    assert record.session == session_of(agent)
    branched(agent)
    assert agent("return", message=said, extract_memory=True)["memory_id"] == record.id


def test_a_message_that_says_nothing_makes_no_memory(agent):
    branched(agent)
    ended = agent("return", message="ok", extract_memory=True)
    assert (ended["success"], ended["memory_id"]) == (True, "")
    assert "no memory" in ended["memory"]


def test_secrets_are_kept_nowhere(agent):
    secret = "ghp_" + "a1B2" * 9
    branched(agent)
    agent("codebase_search", query=f"who uses {secret}")
    agent("return", message=f"the token is {secret}", extract_memory=True)
    events = agent.view.sessions.events(session_of(agent))
    assert secret not in str(events)


def test_matching_memories_are_injected_into_a_subtask_and_charged(agent):
    agent(
        "memory_record", title="Renewing", description="d", outcome="success",
        content="The refresh token is renewed in src/auth/token.ts before it runs out.",
    )  # fmt: skip
    opened = branched(agent)
    assert "src/auth/token.ts" in opened["injected_context"][0]
    assert opened["used"] > 0
    agent("return", message="done")
    assert branched(agent, inject_memories=False)["injected_context"] == []


def test_a_checkpoint_tells_what_was_under_way(agent):
    branched(agent)
    saved = agent("session_checkpoint", summary="Looked at the guard.")
    agent("session_end")
    resumed = agent("session_resume", checkpoint_id=saved["checkpoint_id"])
    assert "A subtask was under way: explore auth" in resumed["restored_context"]
