from __future__ import annotations

import json
import uuid
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from contextd.domain.records import Record
from contextd.domain.sessions import Event
from contextd.search.hits import Hit, ScorePart
from contextd.search.operations.search import SearchHit, shown
from contextd.sessions.handles import session_named
from contextd_common.errors import Invalid, NotFound
from contextd_common.text.tokens import count_tokens


def test_a_session_starts_with_a_briefing_inside_its_budget(desk):
    started = desk("session_start", task_description="renew tokens")
    assert started["session_id"]
    assert started["tokens"] <= 600
    assert count_tokens(started["briefing"]) == started["tokens"]
    assert "shop" in started["briefing"]


def test_statements_of_one_session_are_in_the_next_briefing_with_source_and_age(desk):
    first = desk("session_start")["session_id"]
    say = lambda role, text: desk("session_log", session_id=first, role=role, text=text)  # noqa: E731
    say("user", "Please fix the refresh. Rule: refresh tokens must never be logged.")
    say(
        "assistant",
        "We decided to keep refresh tokens in httpOnly cookies because scripts cannot read them.",
    )
    desk("session_end", session_id=first, outcome="success")
    desk.host.work_off()
    second = desk("session_start")
    [said] = [line for line in second["briefing"].splitlines() if "httpOnly" in line]
    assert said.startswith("- Said last: ")
    [rule] = [line for line in second["briefing"].splitlines() if "[rule " in line]
    assert "refresh tokens must never be logged" in rule
    assert "just now" in rule
    assert second["injected"]


def test_a_session_belongs_to_the_client_that_began_it_and_to_no_other(desk):
    desk("session_start", task_description="renew tokens")
    replace(desk, client="cursor").connected("c1")("session_start")
    listed = desk.as_owner("list_sessions")["sessions"]
    assert sorted(one["client"] for one in listed) == ["cursor", "test-client"]


def test_learning_twice_changes_nothing(desk):
    session = desk("session_start")["session_id"]
    text = "From now on store amounts as integers of cents, because floats lose money."
    desk("session_log", session_id=session, role="user", text=text)
    desk("session_end", session_id=session)
    desk.host.work_off()
    counts = desk.as_owner("status")["records"]
    desk("session_end", session_id=session)
    desk.host.work_off()
    assert desk.as_owner("status")["records"] == counts
    assert counts["discovery"] == 1


def test_session_messages_are_searchable_after_the_session(desk):
    session = desk("session_start")["session_id"]
    desk(
        "session_log", session_id=session, role="user", text="The kangaroo importer chokes on tabs"
    )
    desk("session_end", session_id=session)
    desk.host.work_off()
    found = desk("context_search", query="kangaroo importer", type="session")["results"]
    assert "kangaroo" in found[0]["text"]
    assert found[0]["source"].startswith("session ")


def test_a_message_is_shown_with_its_session_once_its_place_and_its_day(desk):
    found = SearchHit(
        f"{uuid.UUID(int=7)}#12",
        "session",
        "Ana: I sold it.",
        "session 00000000",
        "8 May 2023",
        0.5,
        "w",
    )
    assert found.as_text() == "Ana: I sold it.\n  (session 00000000#12 · 8 May 2023)"


@pytest.mark.parametrize(("days", "told"), [(0, "just now"), (400, "8 May 2023")])
def test_the_day_of_a_message_is_told_where_it_is_not_from_today(days: int, told: str):
    at = datetime(2023, 5, 8, 12, tzinfo=UTC)
    event = Event(type="message", key="1", at=at, role="Ana", text="I sold it yesterday.", seq=1)
    found = Hit(f"{uuid.UUID(int=7)}#1", "event", (ScorePart("words", 0.5, 1),), event)
    assert shown(found, frozenset(), at + timedelta(days=days), {}).date == told


def test_a_checkpoint_restores_summary_files_and_task(desk):
    session = desk("session_start", task_description="split the invoice module")["session_id"]
    point = desk(
        "session_checkpoint", summary="Parser done, writer open.", session_id=session, tags=["wip"]
    )
    resumed = desk("session_resume", checkpoint_id=point["checkpoint_id"][:8])
    assert "Parser done, writer open." in resumed["restored_context"]
    assert resumed["session_id"] != session


def test_ending_no_session_and_unknown_sessions_are_clear_errors(desk):
    with pytest.raises(NotFound) as none:
        desk("session_end")
    assert "session_start" in none.value.hint
    with pytest.raises(NotFound):
        desk("session_log", session_id="nope", role="user", text="hello")


def test_budget_zero_injects_next_to_nothing_and_negative_is_refused(desk):
    assert desk("session_start", budget=0)["injected"] == []
    with pytest.raises(Invalid):
        desk("session_start", budget=-1)


def hook(desk, event, session, **payload):
    body = {"session_id": session, "cwd": str(desk.root), "hook_event_name": event, **payload}
    return desk.on("hook")("hook_event", event=event, payload=body)["output"]


def transcript(path, session, turns):
    lines = []
    parent = None
    for i, (role, text) in enumerate(turns):
        unique = str(uuid.uuid4())
        content = text if role == "user" else [{"type": "text", "text": text}]
        lines.append(
            {
                "type": role,
                "uuid": unique,
                "parentUuid": parent,
                "sessionId": session,
                "timestamp": f"2026-11-20T10:0{i}:00Z",
                "cwd": "/somewhere",
                "isSidechain": False,
                "message": {"role": role, "content": content},
            }
        )
        parent = unique
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def test_hooks_carry_a_session_from_start_to_learning(desk, tmp_path):
    session = str(uuid.uuid4())
    path = tmp_path / f"{session}.jsonl"
    turns = [
        ("user", "Exports time out. Rule: exports must always run in the worker."),
        ("assistant", "I moved it. We went with a background queue instead of threads."),
    ]
    transcript(path, session, turns)
    started = hook(desk, "SessionStart", session, source="startup")
    assert started["hookSpecificOutput"]["hookEventName"] == "SessionStart"
    hook(desk, "UserPromptSubmit", session, prompt=turns[0][1])
    hook(desk, "SessionEnd", session, reason="other", transcript_path=str(path))
    desk.host.work_off()
    context = hook(desk, "SessionStart", str(uuid.uuid4()))["hookSpecificOutput"][
        "additionalContext"
    ]
    assert "background queue" in context


def test_a_prompt_nothing_is_known_about_injects_nothing(desk):
    desk("save_context", content="Deploys go through the blue pipeline on Fridays")
    hook(desk, "SessionStart", "s1")
    assert hook(desk, "UserPromptSubmit", "s1", prompt="Which prime numbers are even?") == {}


def test_a_prompt_gets_what_bears_on_it_once_and_within_budget(desk):
    hook(desk, "SessionStart", "s2")
    desk("save_context", content="Deploys go through the blue pipeline on Fridays")
    first = hook(desk, "UserPromptSubmit", "s2", prompt="Start the deploys pipeline on Fridays now")
    text = first["hookSpecificOutput"]["additionalContext"]
    assert "blue pipeline" in text
    assert "briefing" not in text
    assert count_tokens(text) <= 300
    again = hook(desk, "UserPromptSubmit", "s2", prompt="And the deploys pipeline Fridays again?")
    assert again == {}


def test_a_session_whose_start_was_not_seen_is_briefed_with_its_first_prompt(desk):
    desk("save_context", content="Deploys go through the blue pipeline on Fridays")
    first = hook(desk, "UserPromptSubmit", "s3", prompt="Which prime numbers are even?")
    assert "blue pipeline" in first["hookSpecificOutput"]["additionalContext"]
    assert hook(desk, "UserPromptSubmit", "s3", prompt="Which odd numbers are prime?") == {}


def test_injected_text_in_a_transcript_is_not_learned_again(desk, tmp_path):
    desk("memory_record", title="Cookies", description="auth", outcome="success",
         content="We decided to keep sessions in signed cookies for all web clients.")  # fmt: skip
    session = str(uuid.uuid4())
    context = hook(desk, "SessionStart", session)["hookSpecificOutput"]["additionalContext"]
    assert "signed cookies" in context
    path = tmp_path / "t.jsonl"
    transcript(
        path,
        session,
        [("assistant", "We decided to keep sessions in signed cookies for all web clients.")],
    )
    hook(desk, "SessionEnd", session, transcript_path=str(path))
    desk.host.work_off()
    assert desk.as_owner("status")["records"].get("discovery", 0) == 0


def test_a_checkpoint_restores_what_was_decided_since_the_session_began_and_nothing_older(
    desk, home
):
    def decided(content: str) -> None:
        home.clock.move(minutes=1)
        data = {"type": "decision"}
        now = home.clock.now()
        desk.put(
            Record(kind="discovery", scope=desk.scope, content=content, data=data, created_at=now)
        )

    desk.as_owner("init")
    decided("We read orders from Kafka.")
    home.clock.move(minutes=1)
    session = desk("session_start", task_description="Move the queue")["session_id"]
    decided("We read orders from Postgres.")
    saved = desk("session_checkpoint", text="Queue moved.", session_id=session)
    decided("We drain the queue at noon.")
    context = desk("session_resume", checkpoint_id=saved["checkpoint_id"])["restored_context"]
    _, _, decisions = context.partition("Decisions:")
    assert decisions.count("We read orders from Postgres.") == 1
    assert "We drain the queue at noon." in decisions
    assert "Kafka" not in context


def test_an_unknown_hook_event_is_refused_and_one_outside_a_project_is_ignored(desk):
    with pytest.raises(NotFound):
        hook(desk, "Nonsense", "s")
    nowhere = desk.at(Path("/"))
    assert hook(nowhere, "SessionStart", "x") == {}


def test_idle_sessions_end_and_are_learned_from(desk, home):
    desk.configure("sessions:\n  timeout_minutes: 5\n")
    session = desk("session_start")["session_id"]
    text = "Remember that support for the legacy XML feed was dropped."
    desk("session_log", session_id=session, role="user", text=text)
    home.clock.move(minutes=4)
    desk.work_on("end_idle_sessions")
    assert desk.view.sessions.get(session).status == "active"
    home.clock.move(minutes=2)
    desk.work_on("end_idle_sessions")
    assert desk.view.sessions.get(session).status == "completed"
    assert desk.as_owner("status")["records"]["discovery"] == 1


def test_calls_of_a_connection_are_tracked_in_one_session_that_ends_with_it(desk):
    agent = desk.connected("abc")
    agent("context_search", query="where are the tokens renewed")
    agent("read_file", path="src/auth/token.ts")
    [session] = desk.sessions()
    assert session.tool_calls == 2
    assert [f.path for f in session.files] == ["src/auth/token.ts"]
    assert session.topics == ("where are the tokens renewed",)
    agent("connection_closed")
    desk.host.work_off()
    assert [s.status for s in desk.sessions()] == ["completed"]


def test_a_second_start_on_a_connection_ends_the_first_session(desk):
    agent = desk.connected("abc")
    first = agent("session_start", task_description="renew the tokens")["session_id"]
    other = desk.connected("def")("session_start", task_description="mail the shop")["session_id"]
    second = agent("session_start", task_description="resize the pool")["session_id"]
    agent("context_search", query="how big is the pool")
    desk.host.work_off()
    states = {one.id: one for one in desk.sessions()}
    assert {id: one.status for id, one in states.items()} == {
        first: "completed",
        other: "active",
        second: "active",
    }
    assert states[first].ended_at is not None
    assert (states[first].tool_calls, states[second].tool_calls) == (0, 1)


def test_status_counts_a_session_until_it_ends_learned_from_or_not(desk):
    first, second = desk.connected("abc"), desk.connected("def")
    first("session_start", task_description="renew the tokens")
    second("session_start", task_description="mail the shop")
    assert desk.as_owner("status")["active_sessions"] == 2
    first("session_end")
    assert desk.as_owner("status")["active_sessions"] == 1
    desk.host.work_off()
    assert desk.as_owner("status")["active_sessions"] == 1


def test_sessions_started_over_http_with_one_token_stay_open_beside_each_other(desk):
    program = desk.on("rest").connected("token")
    for task in ("renew the tokens", "resize the pool"):
        program("session_start", task_description=task)
    assert [one.status for one in desk.sessions()] == ["active", "active"]


def test_a_connection_joins_the_session_its_clients_hook_began(desk):
    payload = {"session_id": "h1", "cwd": str(desk.root)}
    begun = desk.on("hook")(
        "hook_event",
        event="SessionStart",
        payload=payload,
        client="claude-code",
        ancestors=[7, 4242, 1],
    )["session_id"]
    agent = desk.connected("abc", process=4242)
    agent("context_search", query="where are the tokens renewed")
    started = agent.answer("session_start", task_description="renew")
    assert (started.value["session_id"], started.value["briefing"]) == (begun, "")
    assert count_tokens(started.text) <= 40
    assert [(s.id, s.tool_calls, s.task) for s in desk.sessions()] == [(begun, 1, "renew")]


def test_a_spooled_start_begins_the_session_but_injects_nothing(desk):
    desk("save_context", content="Deploys go through the blue pipeline on Fridays")
    payload = {"session_id": "s9", "contextd_spooled_at": "2026-11-20T10:00:00Z"}
    answer = desk.on("hook")("hook_event", event="SessionStart", payload=payload)
    assert answer["output"] == {}
    assert desk.view.sessions.get(answer["session_id"]).injected == ()


def test_spooled_events_of_an_ended_session_open_no_second_session(desk, tmp_path):
    def late(event, at):
        desk.on("hook")("hook_event", event=event, payload={**payload, "contextd_spooled_at": at})

    external, path = str(uuid.uuid4()), tmp_path / "t.jsonl"
    transcript(path, external, [("user", "Rule: every export must carry a checksum.")])
    payload = {"session_id": external, "cwd": str(desk.root), "transcript_path": str(path)}
    before = datetime.now(UTC).isoformat()
    hook(desk, "SessionStart", external, transcript_path=str(path))
    hook(desk, "SessionEnd", external, transcript_path=str(path))
    late("SessionStart", before)
    [session] = desk.sessions()
    assert session.ended_at is not None, "what came before the end does not take it back"
    desk.host.work_off()
    late("SessionStart", before)
    late("SessionEnd", (session.ended_at + timedelta(seconds=2)).isoformat())
    assert [s.status for s in desk.sessions()] == ["completed"]


def test_a_resumed_session_goes_on_or_is_continued_and_never_turns_back(desk, tmp_path):
    def start():
        payload = {"session_id": external}
        return desk.on("hook")("hook_event", event="SessionStart", payload=payload)["session_id"]

    external = str(uuid.uuid4())
    path = tmp_path / "t.jsonl"
    transcript(path, external, [("user", "Rule: every export must carry a checksum.")])
    first = start()
    hook(desk, "SessionEnd", external, transcript_path=str(path))
    assert start() == first
    hook(desk, "SessionEnd", external, transcript_path=str(path))
    desk.host.work_off()
    sessions = desk.view.sessions
    assert sessions.get(first).status == "completed"
    third = start()
    assert third != first
    assert sessions.get(first).status == "completed"
    hook(desk, "SessionEnd", external, transcript_path=str(path))
    desk.host.work_off()
    assert sessions.events(third, types=("message",)) == []
    assert desk.as_owner("status")["records"]["discovery"] == 1


def test_the_end_of_a_session_stores_first_what_its_calls_left_behind(desk):
    note = desk("save_context", content="Parcels are labelled by the depot at six.")["id"]
    desk.host.work_off()
    agent = desk.connected("one")
    session = agent("session_start", task_description="label parcels")["session_id"]
    agent("recall_context", query="who labels parcels")
    agent("session_end", session_id=session)
    assert desk.record(note).usage_count == 1
    assert "query" in [event.type for event in desk.view.sessions.events(session)]


@pytest.mark.parametrize("length", [8, 36])
def test_the_id_of_a_session_of_another_project_is_unknown_whole_or_short(desk, neighbour, length):
    theirs = neighbour.desk(desk.host).sessions()[0].id[:length]
    with pytest.raises(NotFound):
        desk("session_log", session_id=theirs, role="user", text="Weed the beds.")
    with pytest.raises(NotFound):
        session_named(desk.runtime(), theirs)


def test_a_session_is_named_by_four_characters_of_its_id_and_no_fewer(desk):
    id = desk("session_start")["session_id"]
    assert session_named(desk.runtime(), id[:4]).id == id
    with pytest.raises(NotFound):
        session_named(desk.runtime(), id[:3])
