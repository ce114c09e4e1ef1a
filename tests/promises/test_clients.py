"""What a client's adapter promises, on hook payloads that released clients sent (`tests/fixtures/hooks`). Those of VS Code
and Cursor were written after their documentation: neither runs without a screen.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from contextd.clients import CLIENTS, client_running
from contextd.clients.hook_event import ANSWERED
from support.verdicts import act, agrees

FIXTURES = Path(__file__).parents[1] / "fixtures" / "hooks"
RECORDED: dict[str, list[dict[str, Any]]] = {
    path.stem: [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for path in sorted(FIXTURES.glob("*.jsonl"))
}
EVERY = [
    pytest.param(name, row, id=f"{name}-{row['case']}")
    for name, rows in RECORDED.items()
    for row in rows
]
MOMENTS = {
    "SessionStart": "started",
    "TaskStart": "started",
    "UserPromptSubmit": "prompted",
    "BeforeAgent": "prompted",
    "PostToolUse": "answered",
    "AfterTool": "answered",
    "tool_result": "answered",
    "PostToolUseFailure": "failed",
    "Stop": "stopped",
    "AfterAgent": "stopped",
    "SubagentStart": "delegating",
    "SubagentStop": "delegated",
    "PreCompact": "compacting",
    "PostCompact": "compacted",
    "SessionEnd": "ended",
    "TaskComplete": "ended",
    "sessionStart": "started",
    "beforeSubmitPrompt": "prompted",
    "afterAgentResponse": "stopped",
    "preCompact": "compacting",
    "sessionEnd": "ended",
}
"""What each event means that is acted on, whichever client sends it. Gemini CLI's PreCompress is not: it
comes before every turn.
"""


a_payload = act(
    "tests/fixtures/hooks/{name}.jsonl",
    "this payload is not read as what it means: correct `payloads`, `marks` or `fields` of the row {name} below "
    "src/contextd/clients, or the recorded line",
)


def meaning(name: str, event: str) -> str | None:
    """What an event of a client means; what comes before a tool only where its client takes an answer."""
    if event == "PreToolUse" and CLIENTS[name].acting is not None:
        return "acting"
    return MOMENTS.get(event)


def test_every_client_was_recorded() -> None:
    agrees(
        [name for name, row in CLIENTS.items() if row.payloads.moments],
        RECORDED,
        "tests/fixtures/hooks, as NAME.jsonl",
        'one line for each event that it sends: {"case": "a name", "event": "…", "environment": ["NAMES"], "payload": '
        "{what its hook gets}}, recorded from a released version, or written after its documentation",
    )
    for name, rows in RECORDED.items():
        file = f"tests/fixtures/hooks/{name}.jsonl"
        moments = {MOMENTS.get(row["event"]) for row in rows}
        assert "started" in moments, f"{file}: add the event with which a session starts"
        # What our own module tells is all acted on.
        ignored = None in CLIENTS[name].payloads.moments.values()
        assert not ignored or None in moments, (
            f"{file}: add an event whose moment in its row is None"
        )
        assert ignored or None not in moments, (
            f"{file}: an event has no meaning in MOMENTS of tests/promises/test_clients.py: add what it means"
        )


@a_payload
@pytest.mark.parametrize(("name", "row"), EVERY)
def test_a_client_is_known_by_what_its_hook_brings(name: str, row: dict[str, Any]) -> None:
    assert client_running(name, row["environment"], row["payload"]).name == name
    if CLIENTS[name].marks:
        # Some of them run the hooks of another client too, whose name is in the command then.
        assert client_running("claude-code", row["environment"], row["payload"]).name == name


@a_payload
@pytest.mark.parametrize(("name", "row"), EVERY)
def test_an_event_is_read_as_what_it_means(name: str, row: dict[str, Any]) -> None:
    reading = CLIENTS[name].payloads
    assert reading.knows(row["event"])
    occurrence = reading.decode(row["event"], row["payload"])
    meant = meaning(name, row["event"])
    if meant is None:
        assert occurrence is None
        return
    assert occurrence is not None
    assert occurrence.moment == meant
    sent = row["payload"]
    names_of_sessions = ("session_id", "sessionId", "conversation_id")
    named = next((sent[name] for name in names_of_sessions if name in sent), None)
    assert occurrence.session == (named or sent["sessionContext"]["rootSessionId"])
    if meant == "prompted":
        assert occurrence.prompt == sent["prompt"]
    if meant in ("stopped", "compacted"):
        fields = ("last_assistant_message", "compact_summary", "prompt_response", "text")
        assert occurrence.answer == next((sent[name] for name in fields if name in sent), "")
    if meant == "failed":
        assert occurrence.output == sent["error"]
    if meant == "answered":
        assert occurrence.output or sent["tool_name"] == "Agent"
    if meant == "delegated":
        told = (occurrence.agent, occurrence.agent_transcript, occurrence.answer)
        names = ("agent_id", "agent_transcript_path", "last_assistant_message")
        assert told == tuple(sent[name] for name in names)
    if "transcript_path" in sent:
        assert occurrence.transcript == (sent["transcript_path"] or "")


@a_payload
@pytest.mark.parametrize(("name", "row"), EVERY)
def test_an_event_stays_an_event_whatever_its_fields_hold(name: str, row: dict[str, Any]) -> None:
    reading = CLIENTS[name].payloads
    meant = meaning(name, row["event"])
    for field in row["payload"]:
        for odd in (None, [], {}, 3.5, True, "\ud800", "x" * 10_000):
            occurrence = reading.decode(row["event"], {**row["payload"], field: odd})
            assert (occurrence.moment if occurrence else None) == meant


@act("src/contextd/clients", "correct `answer` of the row {name}")
@pytest.mark.parametrize("name", CLIENTS)
@pytest.mark.parametrize("moment", sorted(ANSWERED))
def test_an_answer_is_the_clients_own_json_and_holds_the_whole_text(name: str, moment: Any) -> None:
    if moment not in CLIENTS[name].payloads.moments.values() or moment not in CLIENTS[name].shown:
        pytest.skip("it has no such event, or shows nothing at it")
    text = 'a "briefing"\nwith 日本 in it'
    answer = CLIENTS[name].answer(moment, text)
    assert json.loads(json.dumps(answer)) == answer
    (inner,) = answer.values()
    if isinstance(inner, dict):
        # These clients drop an answer that names another event than the one they wait for.
        named = inner["hookEventName"]
        assert CLIENTS[name].payloads.moments[named] == moment
        inner = inner["additionalContext"]
    assert inner == text


@act("src/contextd/clients", "correct `acting` of the row {name}")
@pytest.mark.parametrize("name", [name for name, row in CLIENTS.items() if row.acting])
def test_only_a_refusal_decides_for_the_client(name: str) -> None:
    say = CLIENTS[name].acting
    assert say is not None
    told = say("warn", "mind it")["hookSpecificOutput"]
    assert told == {"hookEventName": "PreToolUse", "additionalContext": "mind it"}
    refused = say("deny", "no")["hookSpecificOutput"]
    assert (refused["permissionDecision"], refused["permissionDecisionReason"]) == ("deny", "no")


@act("src/contextd/clients", "correct `payloads` of the row {name}")
@pytest.mark.parametrize("name", CLIENTS)
def test_an_event_that_is_not_known_is_told_from_one_that_is_left(name: str) -> None:
    reading = CLIENTS[name].payloads
    assert not reading.knows("BrandNewEvent")
    assert reading.decode("BrandNewEvent", {"session_id": "s"}) is None
