"""A session that hooks follow is the client's: begun, briefed and ended by it, each once."""

from __future__ import annotations

import json
import re
import threading
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from contextd.clients import CLIENTS
from contextd.clients.hook_event import Occurrence
from contextd.clients.install import Launch, install
from contextd.clients.plugins import plugin_files
from contextd.sessions.duplicate_hooks import is_echo
from contextd.surfaces.mcp import client_sessions
from contextd_common.text.tokens import count_tokens
from support.clients import CodingClient
from support.desks import Desk, Home
from support.repositories import SHOP, committed

NOTE = "Deploys go through the green pipeline on Mondays"
AGENT = 4242
FIXTURES = Path(__file__).parents[2] / "fixtures" / "hooks"


@pytest.fixture
def client(words_only: Desk, tmp_path: Path) -> CodingClient:
    words_only("save_context", content=NOTE)
    return CodingClient(words_only, tmp_path)


def begun(desk: Desk, session: str, process: int, **payload: Any) -> str:
    """A session begins in a client with this process; what its agent is told."""
    body = {"session_id": session, "cwd": str(desk.root), "source": "startup", **payload}
    given = {"event": "SessionStart", "payload": body, "client": "claude-code"}
    answer = desk.on("hook")("hook_event", **given, ancestors=[process + 1, process])
    return str(answer["output"].get("hookSpecificOutput", {}).get("additionalContext", ""))


def test_starting_it_says_so_and_briefs_nobody_twice(
    words_only: Desk, client: CodingClient
) -> None:
    desk = words_only
    assert NOTE in begun(desk, "s-1", AGENT)
    # Its first call, of all calls.
    started = desk.connected("one", AGENT).answer("session_start", task_description="renew tokens")
    [session] = desk.sessions()
    assert (session.task, session.external_id) == ("renew tokens", "s-1")
    assert session.id[:8] in started.text
    assert NOTE not in started.text
    assert count_tokens(started.text) <= 40
    other = desk.connected("two", process=77).answer("session_start", task_description="other")
    assert NOTE in other.text
    assert len(desk.sessions()) == 2


def test_of_two_windows_of_one_process_the_one_that_was_asked_is_the_one_that_calls(
    words_only: Desk, home: Home
) -> None:
    desk = words_only
    for window in ("s-1", "s-2"):
        begun(desk, window, AGENT)
        home.clock.move(minutes=1)
    payload = {"session_id": "s-1", "cwd": str(desk.root), "prompt": "Which pipeline is it?"}
    desk.on("hook")("hook_event", event="UserPromptSubmit", payload=payload, client="claude-code")
    for window, connection in (("s-1", "one"), ("s-2", "two")):
        desk.connected(connection, AGENT)("session_start", task_description=f"task of {window}")
    tasks = {one.external_id: one.task for one in desk.sessions()}
    assert tasks == {"s-1": "task of s-1", "s-2": "task of s-2"}


def test_a_client_that_names_its_session_with_a_call_is_in_that_one(
    words_only: Desk, home: Home, tmp_path: Path
) -> None:
    desk = words_only
    bakery = Desk(desk.host, committed(tmp_path / "bakery", {"bakery.py": "A = 1\n"}))
    bakery("init")
    # Two threads of one process over one connection; the last one belongs to another project.
    for where, window in ((desk, "t-1"), (desk, "t-2"), (bakery, "t-3")):
        begun(where, window, AGENT)
        home.clock.move(minutes=1)
    agent = desk.connected("one", AGENT)

    def call(operation: str, *told: str, **arguments: Any) -> Any:
        request = replace(agent.request(), client_sessions=told)
        return desk.host.call(operation, request, arguments).value

    for window in ("t-1", "t-2", "t-1"):
        call("session_start", window, task_description=f"task of {window}")
        call("remember", window, content=f"What {window} found out about the pool")
    # A sub-agent's thread is unknown; that of its parent is named after it.
    call("remember", "sub", "t-2", content="What a helper found out about locks")
    sessions = {one.external_id: one for one in desk.sessions()}
    assert {id: one.task for id, one in sessions.items()} == {
        "t-1": "task of t-1",
        "t-2": "task of t-2",
    }
    payload = {"session_id": "t-1", "cwd": str(desk.root), "reason": "other"}
    desk.on("hook")("hook_event", event="SessionEnd", payload=payload, client="claude-code")
    over = {one.external_id: one.ended_at is not None for one in desk.sessions()}
    assert over == {"t-1": True, "t-2": False}
    # One of another project is nobody's here.
    call("session_start", "t-3", task_description="task of whom")
    assert [one.task for one in bakery.sessions()] == [""]


@pytest.mark.parametrize(
    ("meta", "told"),
    [
        ({"threadId": "t", "x-codex-turn-metadata": {"session_id": "s"}}, ("t", "s")),
        ({"x-codex-turn-metadata": '{"thread_id": "t", "session_id": "s"}'}, ("t", "s")),
        ({"ai.opencode/sessionID": "ses_1", "progressToken": 3}, ("ses_1",)),
        ({"threadId": 7, "x-codex-turn-metadata": "no json"}, ()),
        (None, ()),
    ],
)
def test_clients_say_in_their_own_ways_whose_a_call_is(meta: object, told: tuple[str, ...]) -> None:
    assert client_sessions(meta) == told


def test_an_agent_whose_hook_was_not_heard_gets_its_briefing_when_it_starts(
    words_only: Desk, client: CodingClient
) -> None:
    desk = words_only
    assert begun(desk, "s-1", AGENT, contextd_spooled_at="2026-11-20T10:00:00Z") == ""
    assert NOTE in desk.connected("one", AGENT).answer("session_start").text
    client.session = "s-1"
    assert NOTE not in client.asks("Which prime numbers are even?")
    assert len(desk.sessions()) == 1


def test_it_ends_when_its_client_ends_it(words_only: Desk, client: CodingClient) -> None:
    desk, agent = words_only, words_only.connected("one", AGENT)
    begun(desk, "s-1", AGENT)
    told = agent.answer("session_end", session_id=agent("session_start")["session_id"][:8])
    assert count_tokens(told.text) <= 30
    plain = desk.connected("two")
    plain("session_end", session_id=plain("session_start")["session_id"])
    for outcome in ("failure", "success"):
        agent("session_end", outcome=outcome)
    agent("list_contexts")
    agent("connection_closed")
    states = {one.external_id: (one.ended_at is None, one.outcome) for one in desk.sessions()}
    assert states.pop("s-1") == (True, "success")
    assert [open for open, _ in states.values()] == [False]
    client.session = "s-1"
    client.ends()
    desk.host.work_off()
    assert {one.status for one in desk.sessions()} == {"completed"}


def test_a_session_reopened_only_to_be_read_stays_completed_until_its_first_prompt(
    client: CodingClient,
) -> None:
    client.starts("startup")
    client.asks("Which prime numbers are even?")
    client.hook("SessionEnd", reason="other")
    client.desk.host.work_off()
    client.starts("resume")
    assert [one.status for one in client.desk.sessions()] == ["completed"]
    client.asks("Which odd numbers are prime?")
    assert [one.status for one in client.desk.sessions()] == ["active"]


@pytest.mark.parametrize("learned", [False, True])
def test_there_is_one_briefing_for_each_window(client: CodingClient, learned: bool) -> None:
    assert NOTE in client.starts("startup")
    client.asks("Which prime numbers are even?")
    client.hook("SessionEnd", reason="other")
    if learned:
        client.desk.host.work_off()
    assert client.starts("resume") == ""
    assert NOTE not in client.asks("Which odd numbers are prime?")
    client.hook("PreCompact", trigger="auto")
    assert "Which odd numbers" in client.starts("compact") or learned
    cleared = CodingClient(client.desk, client.folder)
    assert cleared.starts("clear")


def test_simultaneous_session_start_hooks_are_answered_with_one_briefing(
    client: CodingClient, home: Home
) -> None:
    told: list[str] = []
    together = threading.Barrier(3)

    def starts() -> None:
        together.wait()
        told.append(client.starts())

    hooks = [threading.Thread(target=starts) for _ in range(3)]
    for one in hooks:
        one.start()
    for one in hooks:
        one.join()
    assert sorted(NOTE in text for text in told) == [False, False, True]
    assert len(client.desk.sessions()) == 1
    another = CodingClient(client.desk, client.folder)
    assert NOTE in another.starts(), "another session says the same for itself"
    home.clock.move(seconds=11)
    assert NOTE in client.starts(), "a window that was opened anew"


def test_two_projects_may_be_told_the_same_at_once(client: CodingClient, tmp_path: Path) -> None:
    elsewhere = client.desk.at(committed(tmp_path / "elsewhere", SHOP))
    elsewhere("save_context", content="Labels are printed in the depot")
    twin = CodingClient(elsewhere, tmp_path, session=client.session)
    assert NOTE in client.starts()
    assert "depot" in twin.starts()


def test_a_denied_tool_call_is_denied_again_at_once(desk: Desk, tmp_path: Path) -> None:
    desk.configure("policies:\n  hook: true\n")
    rule = desk.root / ".context" / "policies" / "no-force.yaml"
    rule.parent.mkdir(parents=True)
    rule.write_text(
        "requirement: Never push by force\ncommands: ['git push --force']\nenforce: deny\n"
    )
    client = CodingClient(desk, tmp_path)
    given = {"tool_name": "Bash", "tool_input": {"command": "git push --force"}}
    for _ in range(2):
        said = client.hook("PreToolUse", **given).get("hookSpecificOutput", {})
        assert said.get("permissionDecision") == "deny"


@pytest.mark.parametrize("name", ["claude-code", "codex", "gemini-cli", "copilot-cli"])
def test_a_plugin_beside_an_installation_briefs_nobody_twice(
    words_only: Desk, tmp_path: Path, name: str
) -> None:
    desk = words_only
    desk("save_context", content=NOTE)
    install(name, tmp_path, None, launch=Launch(["contextd"]))
    files = plugin_files([CLIENTS[name]])
    commands = [*files.values(), *(path.read_text() for path in tmp_path.rglob("*.json"))]
    named = [re.findall(r'"?hook"?,?\s+"?--client"?,?\s+"?([\w-]+)', text) for text in commands]
    clients = [found[0] for found in named if found]
    assert len(clients) == 2
    rows = (FIXTURES / f"{name}.jsonl").read_text().splitlines()
    start = next(row for row in map(json.loads, rows) if row["event"] == "SessionStart")
    payload = {**start["payload"], "cwd": str(desk.root)}
    told = [
        desk.on("hook")("hook_event", event="SessionStart", payload=payload, client=client)
        for client in clients
    ]
    assert [NOTE in json.dumps(one["output"]) for one in told] == [True, False]
    assert told[1]["output"] == {}
    assert len(desk.sessions()) == 1


def test_two_modules_of_a_client_that_run_one_after_the_other_brief_once(
    words_only: Desk,
) -> None:
    desk = words_only
    desk("save_context", content=NOTE)
    start = ("SessionStart", {"source": "startup"})
    prompt = ("UserPromptSubmit", {"prompt": NOTE, "prompt_id": "m1"})
    stop = ("Stop", {"last_assistant_message": "Done."})

    def told(event: str, more: dict[str, str]) -> bool:
        payload = {"session_id": "ses_1", "cwd": str(desk.root), **more}
        on = desk.on("hook")
        answer = on("hook_event", event=event, payload=payload, client="opencode")
        return NOTE in json.dumps(answer["output"])

    assert [told(*event) for event in (start, prompt, start, prompt)] == [True, False, False, False]
    again = ("UserPromptSubmit", {"prompt": "Go on.", "prompt_id": "m2"})
    for event in (stop, stop, again, again):
        told(*event)
    [session] = desk.sessions()
    queries = [one.text for one in desk.view.sessions.events(session.id) if one.type == "query"]
    assert queries == [NOTE, "Go on."]


def test_the_same_words_in_the_next_turn_are_no_echo(words_only: Desk) -> None:
    runtime, at = words_only.runtime(), datetime.now(UTC)
    prompt = Occurrence(moment="prompted", session="quick", prompt="Go on.")
    for number in range(2):
        stop = Occurrence(moment="stopped", session="quick", answer=f"Done {number}.")
        echoes = [is_echo(runtime, one, at) for one in (prompt, prompt, stop, stop)]
        assert echoes == [False, True, False, True]


def test_events_that_come_at_once_open_one_session(words_only: Desk) -> None:
    desk = words_only
    together = threading.Barrier(6)

    def tell(number: int) -> None:
        payload = {"session_id": "cold", "cwd": str(desk.root), "prompt": f"Question {number}"}
        together.wait()
        desk.on("hook")("hook_event", event="UserPromptSubmit", payload=payload, client="codex")

    for _ in range(3):
        threads = [threading.Thread(target=tell, args=(number,)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert [one.external_id for one in desk.sessions()] == ["cold"]
