"""Conversations: when a session begins, goes on and ends, and calls that come twice."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from contextd.app import load_operations
from contextd.domain.query import Query
from contextd.domain.records import STATUSES
from contextd.domain.sessions import Session
from contextd.invocation.invoke import PASSING_ON
from contextd.runtime.operation import OPERATIONS, Answer
from contextd_common.errors import Conflict, ContextdError
from support.desks import Desk, Home, Neighbour

load_operations()

NOTE = "Deploys of the shop go through the green pipeline on Mondays"


def latest(desk: Desk) -> Session:
    return desk.sessions()[0]


def test_a_session_begins_with_the_first_call_of_a_connection(words_only: Desk) -> None:
    agent = words_only.connected("one")
    for name in ("session_current", "connection_closed"):
        agent(name)
    assert words_only("list_contexts")["entries"] == []
    assert words_only.sessions() == []
    agent("list_contexts")
    [session] = words_only.sessions()
    assert (session.client, session.tool_calls, session.status) == ("test-client", 1, "active")
    assert agent("session_current")["session"]["id"] == session.id


def test_starting_the_session_that_calls_began_names_its_task(words_only: Desk) -> None:
    agent = words_only.connected("one")
    agent("list_contexts")
    [begun] = words_only.sessions()
    started = agent("session_start", task_description="renew tokens")
    assert started["session_id"] == begun.id
    assert [(s.id, s.task) for s in words_only.sessions()] == [(begun.id, "renew tokens")]
    again = agent("session_start", task_description="something else")
    assert again["session_id"] != begun.id


@pytest.mark.parametrize("surface", ["cli", "web", "hook", "python"])
def test_calls_from_surfaces_without_an_agent_begin_no_session(
    words_only: Desk, surface: Any
) -> None:
    words_only("list_contexts")
    person = words_only.on(surface).connected("one")
    person("list_contexts")
    person("save_context", content=NOTE)
    assert words_only.sessions() == []


def test_two_connections_of_one_client_have_a_session_each(words_only: Desk) -> None:
    for connection in ("one", "two"):
        for _ in range(2):
            words_only.connected(connection)("list_contexts")
    assert [session.tool_calls for session in words_only.sessions()] == [2, 2]


def test_a_conversation_goes_on_in_its_session_when_contextd_starts_again(
    open_desk: Callable[..., Desk], home: Home
) -> None:
    open_desk(embedder_name="none").connected("one")("list_contexts")
    home.close()
    desk = open_desk(embedder_name="none")
    desk.connected("one")("list_contexts")
    assert [session.tool_calls for session in desk.sessions()] == [2]


@pytest.mark.parametrize("noticed", [True, False])
def test_a_connection_that_paused_past_the_timeout_goes_on_in_a_new_session(
    words_only: Desk, home: Home, noticed: bool
) -> None:
    desk = words_only
    desk.configure("sessions:\n  timeout_minutes: 5\n")
    agent = desk.connected("one")
    agent("list_contexts")
    [before] = desk.sessions()
    home.clock.move(minutes=4)
    agent("list_contexts")
    [same] = desk.sessions()
    assert (same.id, same.tool_calls) == (before.id, 2)
    home.clock.move(minutes=6)
    if noticed:
        # A machine that slept may not have looked meanwhile.
        desk.work_on("end_idle_sessions")
    agent("list_contexts")
    later, earlier = desk.sessions()
    assert earlier.id == before.id
    assert earlier.ended_at == same.last_seen_at
    assert later.data["continues"] == before.id
    assert later.tool_calls == 1
    desk.host.work_off()
    assert [session.status for session in desk.sessions()] == ["active", "completed"]


def test_a_connection_that_closes_right_after_its_calls_ends_its_session(words_only: Desk) -> None:
    agent = words_only.connected("one")
    agent("save_context", content=NOTE)
    agent("search_contexts", query="which pipeline for deploys")
    [ended] = agent("connection_closed")["ended"]
    [session] = words_only.sessions()
    assert session.id == ended
    assert session.ended_at is not None
    assert session.tool_calls == 2
    assert session.topics == ("which pipeline for deploys",)


def test_closing_one_connection_leaves_the_others_where_they_are(words_only: Desk) -> None:
    one, two = words_only.connected("one"), words_only.connected("two")
    one("list_contexts")
    two("list_contexts")
    one("connection_closed")
    two("list_contexts")
    counts = {session.external_id: session for session in words_only.sessions()}
    assert counts["one"].ended_at is not None
    assert counts["two"].ended_at is None
    assert counts["two"].tool_calls == 2


def test_a_connection_that_worked_in_two_projects_ends_its_sessions_in_both(
    words_only: Desk, neighbour: Neighbour, tmp_path: Any
) -> None:
    other = words_only.at(tmp_path / "other")
    (tmp_path / "other" / ".context").mkdir(parents=True)
    words_only.connected("one")("list_contexts")
    other.connected("one")("list_contexts")
    words_only.connected("one")("connection_closed")
    for desk in (words_only, other):
        assert [session.ended_at is None for session in desk.sessions()] == [False]
    at_home = neighbour.desk(words_only.host).sessions()
    assert [session.ended_at is None for session in at_home].count(True) == 1


@pytest.mark.parametrize("where", ["project", "home"])
def test_a_changed_timeout_holds_at_once(words_only: Desk, home: Home, where: str) -> None:
    desk = words_only

    def timeout(minutes: int) -> None:
        text = f"sessions:\n  timeout_minutes: {minutes}\n"
        if where == "project":
            desk.configure(text)
        else:
            (home.path / "config.yaml").write_text(text)

    timeout(10)
    desk.connected("one")("list_contexts")
    desk.host.flush()
    home.clock.move(minutes=20)
    timeout(1_000)
    desk.work_on("end_idle_sessions")
    assert latest(desk).ended_at is None
    timeout(15)
    desk.work_on("end_idle_sessions")
    assert latest(desk).ended_at is not None


def hook(desk: Desk, event: str, session: str, **payload: Any) -> Any:
    body = {"session_id": session, "cwd": str(desk.root), "hook_event_name": event, **payload}
    return desk.on("hook")("hook_event", event=event, payload=body)["output"]


def test_a_briefing_that_was_missed_comes_with_the_next_prompt_and_once(words_only: Desk) -> None:
    desk = words_only
    desk("save_context", content=NOTE)
    late = {"contextd_spooled_at": "2026-11-20T10:00:00Z"}
    assert hook(desk, "SessionStart", "s", **late) == {}
    assert hook(desk, "UserPromptSubmit", "s", prompt="Which prime is even?", **late) == {}
    first = hook(desk, "UserPromptSubmit", "s", prompt="Which prime numbers are even?")
    assert "green pipeline" in first["hookSpecificOutput"]["additionalContext"]
    assert hook(desk, "UserPromptSubmit", "s", prompt="Which odd numbers are prime?") == {}


def keyed(desk: Desk, name: str, /, *, repeated: bool, key: str = "", **given: Any) -> Answer:
    """A call that may come twice."""
    request = replace(desk.request(), key=key or f"key of {name}", repeated=repeated)
    return desk.host.call(name, request, given)


def _candidate(desk: Desk) -> str:
    """The id of something learned that waits for a second witness."""
    session = desk("session_start")["session_id"]
    said = "Parcels must always be weighed before their label is printed."
    desk("session_log", session_id=session, role="user", text=said)
    desk("session_end", session_id=session)
    desk.host.work_off()
    [waiting] = desk.as_owner("list_records", kind="discovery", status="candidate")["records"]
    return str(waiting["id"])


def _contradiction(desk: Desk) -> dict[str, Any]:
    for word in ("always", "never"):
        desk("save_context", content=f"Exports {word} run in the worker process.")
    desk.host.flush()
    [pair] = desk("list_contradictions")["contradictions"]
    return dict(pair)


REMEDY = {
    "title": "Restart the scale",
    "problem": "ScaleError: no weight within 3 s",
    "root_cause": "The scale sleeps.",
    "solution": "Wake it before weighing.",
}


@pytest.fixture
def writes(words_only: Desk) -> dict[str, dict[str, Any]]:
    """A call of every tool that changes something."""
    desk = words_only
    note = desk("save_context", content=NOTE)["id"]
    gone = desk("save_context", content="The depot opens at six on weekdays.")["id"]
    bubble = desk("create_bubble", name="payments")["id"]
    empty = desk("create_bubble", name="empty")["id"]
    memory = {
        "title": "Label before weighing",
        "description": "packing",
        "content": "Labels must be printed before the parcel is weighed.",
        "outcome": "success",
    }
    known = desk("memory_record", **{**memory, "content": "Weigh twice when the scale is cold."})
    pair = _contradiction(desk)
    session = desk("session_start")["session_id"]
    candidate = _candidate(desk)
    desk.as_owner("init")
    point = desk("session_checkpoint", summary="Parser done.", session_id=session)
    types = {"types": {"endpoint": {"fields": {"path": {"type": "string", "required": True}}}}}
    desk.as_owner("schema_put", **types)
    desk("recall_context", query="who waters the plants of the office")
    looking = {"description": "Look around", "prompt": "Where are labels printed?"}
    subtask = desk.connected("another")("branch", **looking)["subtask_id"]
    missing = next(gap for gap in desk("get_gaps")["gaps"] if gap["kind"] == "module")
    return {
        "save_context": {"content": "Invoices are sent by the night worker."},
        "update_context": {"id": note, "content": f"{NOTE}, at noon"},
        "delete_context": {"id": gone},
        "create_bubble": {"name": "infra"},
        "update_bubble": {"id": bubble, "description": "All about money"},
        "delete_bubble": {"id": empty},
        "remember": {"content": "Returns are paid back within ten days."},
        "save_typed_context": {"type": "endpoint", "data": {"path": "/orders"}},
        "memory_record": memory,
        "remediation_record": REMEDY,
        "memory_feedback": {"memory_id": known["id"], "helpful": True},
        "report_usefulness": {"context_ids": [note], "useful": True},
        "dismiss_gap": {"id": missing["id"]},
        "resolve_contradiction": {"id": pair["id"], "keep": "a"},
        "settle_candidates": {"keep_ids": [candidate]},
        "place_in_model": {"id": known["id"], "module": "auth"},
        "codebase_index": {},
        "session_start": {"task_description": "renew tokens"},
        "knowledge_promote": {
            "item_id": known["id"],
            "item_type": "memory",
            "target_scope": "team",
        },
        "consolidation_trigger": {"collection": "memories"},
        "digest": {"text": "one line\n" * 2_000, "budget": 200},
        "session_log": {"session_id": session, "role": "user", "text": "Say it once."},
        "session_checkpoint": {"summary": "Writer done.", "session_id": session},
        "session_resume": {"checkpoint_id": point["checkpoint_id"]},
        "session_end": {"session_id": session},
        # Last: no session begins or ends while one is open.
        "return": {"message": "In the packing room.", "subtask_id": subtask},
        "branch": {"description": "Look around", "prompt": "Where are parcels weighed?"},
    }


TRIED_ELSEWHERE = frozenset({"unmerge", "agent_invoke", "settle_candidate"})
"""A merge needs meaning: `test_consolidation.py`. An agent is invoked as a subtask is opened. One candidate is settled as
several are.
"""


def everything(desk: Desk) -> Any:
    sessions, all_of_it = desk.sessions(), Query(scopes=frozenset({desk.scope}), statuses=STATUSES)
    records = desk.view.records.find(replace(all_of_it, limit=1_000)).records
    history = [desk.view.records.history(record.id) for record in records]
    events = [desk.view.sessions.events(session.id) for session in sessions]
    jobs = sorted((job.name, job.id) for job in desk.view.jobs.list(limit=1_000))
    return records, history, sessions, events, jobs


def test_a_call_that_comes_twice_writes_once_and_gets_the_first_answer(
    words_only: Desk, writes: dict[str, dict[str, Any]]
) -> None:
    changing = {op.name for op in OPERATIONS.values() if op.tool and op.effect != "read"}
    assert set(writes) == changing - PASSING_ON - TRIED_ELSEWHERE, "every other one is tried"
    for name, given in writes.items():
        first = keyed(words_only, name, repeated=False, **given)
        before = everything(words_only)
        for _ in range(2):
            assert keyed(words_only, name, repeated=True, **given) == first, name
        assert everything(words_only) == before, name


def test_an_answer_too_long_to_keep_is_said_to_be_lost_and_nothing_is_done_twice(
    words_only: Desk,
) -> None:
    given = {"content": "\n".join(f"Row {n} of the table of tides." for n in range(1_000))}
    first = keyed(words_only, "save_context", repeated=False, **given)
    assert len(first.text) > 20_000
    with pytest.raises(Conflict, match="its answer is lost"):
        keyed(words_only, "save_context", repeated=True, **given)
    assert len(words_only.view.records.find(words_only.runtime().query("context")).records) == 1


def test_a_call_that_comes_again_at_once_gets_the_first_answer(words_only: Desk) -> None:
    given = {"name": "infra"}
    first = keyed(words_only, "create_bubble", repeated=True, **given)
    assert keyed(words_only, "create_bubble", repeated=True, **given) == first


def test_a_call_that_comes_again_while_it_is_under_way_waits_for_its_answer(
    words_only: Desk,
) -> None:
    desk = words_only
    desk("list_contexts")
    told: list[Answer] = []
    together = threading.Barrier(6)

    def call() -> None:
        together.wait()
        told.append(keyed(desk, "session_checkpoint", repeated=True, summary="Parser done."))

    callers = [threading.Thread(target=call) for _ in range(6)]
    for one in callers:
        one.start()
    for one in callers:
        one.join()
    assert len(told) == 6
    assert len({answer.value["checkpoint_id"] for answer in told}) == 1
    assert len(desk.view.records.find(desk.runtime().query("checkpoint")).records) == 1


def test_a_call_that_comes_again_after_a_restart_gets_the_first_answer(
    open_desk: Callable[..., Desk], home: Home
) -> None:
    given = {"content": NOTE}
    first = keyed(open_desk(embedder_name="none"), "save_context", repeated=False, **given)
    home.close()
    desk = open_desk(embedder_name="none")
    assert keyed(desk, "save_context", repeated=True, **given) == first
    assert len(desk("list_contexts")["entries"]) == 1


def test_a_call_that_failed_may_come_again_and_is_carried_out(words_only: Desk) -> None:
    wanted = {"content": f"{NOTE}, at noon"}
    missing = str(uuid.uuid4())
    with pytest.raises(ContextdError):
        keyed(words_only, "update_context", repeated=True, key="k", id=missing, **wanted)
    note = words_only("save_context", content=NOTE)["id"]
    keyed(words_only, "update_context", repeated=True, key="k", id=note, **wanted)
    assert words_only.record(note).content == wanted["content"]


def test_a_briefing_that_came_too_late_to_be_seen_comes_again(words_only: Desk) -> None:
    desk = words_only
    desk("save_context", content=NOTE)
    prompt = {"prompt": "Which prime is even?", "prompt_id": "p1"}
    seen = hook(desk, "UserPromptSubmit", "s", **prompt)
    assert "green pipeline" in seen["hookSpecificOutput"]["additionalContext"]
    # The hook gave up before it had the answer, and left the event to the spool.
    late = {"contextd_spooled_at": "2026-11-20T10:00:00Z"}
    assert hook(desk, "UserPromptSubmit", "s", **prompt, **late) == {}
    again = hook(desk, "UserPromptSubmit", "s", prompt="Which odd numbers are prime?")
    assert "green pipeline" in again["hookSpecificOutput"]["additionalContext"]
    assert hook(desk, "UserPromptSubmit", "s", prompt="And which even ones are not?", **late) == {}
    assert hook(desk, "UserPromptSubmit", "s", prompt="How many are there below ten?") == {}


def test_context_lost_by_a_compaction_is_injected_again_once(desk: Desk) -> None:
    desk("save_context", content="Deploys go through the blue pipeline on Fridays")
    hook(desk, "SessionStart", "s")
    prompt = "Start the deploys pipeline on Fridays now"
    assert hook(desk, "UserPromptSubmit", "s", prompt=prompt) == {}
    hook(desk, "PreCompact", "s", trigger="manual")
    first = hook(desk, "UserPromptSubmit", "s", prompt=prompt)
    assert "blue pipeline" in first["hookSpecificOutput"]["additionalContext"]
    assert hook(desk, "UserPromptSubmit", "s", prompt=prompt) == {}
