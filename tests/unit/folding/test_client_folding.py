"""What a client folds by itself, counted from its own figures, and never where nothing was measured."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from contextd_common.text.tokens import count_tokens
from support.clients import CodingClient
from support.desks import Desk

OUTPUT = "\n".join(f"src/module_{n}.py: def handler_{n}(request)" for n in range(800))
RESULT = "The handlers stand in src/module_*.py; number 417 misses its guard."


@pytest.fixture
def client(words_only: Desk, tmp_path: Path) -> CodingClient:
    folder = tmp_path / "transcripts"
    folder.mkdir()
    made = CodingClient(words_only, folder)
    made.starts()
    made.asks("Which handler misses its guard?")
    return made


def savings(client: CodingClient) -> dict[str, Any]:
    found: dict[str, Any] = client.desk("savings")
    return found


def sub_agent(client: CodingClient, name: str) -> Path:
    """A sub-agent's own transcript: its prompt, a call, the output, the result."""
    use = {"type": "tool_use", "id": "t", "name": "Grep", "input": {"pattern": "handler"}}
    back = {"type": "tool_result", "tool_use_id": "t", "content": OUTPUT}
    path = client.folder / f"agent-{name}.jsonl"
    messages = [
        ("user", "Find the handlers. " * 50),
        ("assistant", [{"type": "thinking", "thinking": "hm " * 500}, use]),
        ("user", [back]),
        ("assistant", [{"type": "text", "text": RESULT}]),
    ]
    rows = [
        {"type": role, "isSidechain": True, "message": {"role": role, "content": content}}
        for role, content in messages
    ]
    path.write_text("\n".join(["half a li", *map(json.dumps, rows)]))
    return path


def stops(client: CodingClient, name: str, path: Path | str, said: str = RESULT) -> None:
    client.hook(
        "SubagentStop", agent_id=name, agent_type="Explore", agent_transcript_path=str(path),
        last_assistant_message=said, stop_hook_active=False,
    )  # fmt: skip


def requests(client: CodingClient, cached: int, **more: Any) -> None:
    """A request of the main conversation, with the client's own figures of it."""
    usage = {"input_tokens": 8, "cache_read_input_tokens": cached, "output_tokens": 2, **more}
    content = [{"type": "text", "text": "so far"}]
    message = {"role": "assistant", "content": content, "usage": usage}
    client.writes_down("assistant", content, message=message)


def compacts(client: CodingClient, **about: Any) -> None:
    client.hook("PreCompact", trigger="auto")
    client.writes_down(
        "system", "", type="system", subtype="compact_boundary", compactMetadata=about
    )
    client.hook("PostCompact", trigger="auto", compact_summary="Handlers were looked at.")


def test_a_sub_agent_is_counted_once_by_what_it_took_in(client):
    path = sub_agent(client, "one")
    stops(client, "one", path)
    stops(client, "one", path)
    found = savings(client)
    [row] = found["rows"]
    assert (row["level"], row["source"], row["times"]) == ("subagent", "sub-agent", 1)
    assert row["kept"] == count_tokens(RESULT)
    # Neither its prompt nor its thoughts would have stood in the window.
    assert abs(row["raw"] - count_tokens(OUTPUT) - count_tokens(RESULT)) < 20
    assert found["levels"]["subagent"] == row["raw"] - row["kept"] > 5_000
    stops(client, "two", sub_agent(client, "two"))
    assert savings(client)["rows"][0]["times"] == 2


def test_a_sub_agent_without_a_transcript_counts_nothing(client, tmp_path):
    (tmp_path / "empty.jsonl").write_text("")
    for path in ("", "/nowhere/agent.jsonl", str(tmp_path), tmp_path / "empty.jsonl"):
        stops(client, "x", path)
    assert savings(client)["rows"] == []


def test_a_sub_agent_that_only_talked_saves_nothing(client, tmp_path):
    row = {"type": "assistant", "message": {"role": "assistant", "content": RESULT}}
    (tmp_path / "talk.jsonl").write_text(json.dumps(row))
    stops(client, "talk", tmp_path / "talk.jsonl")
    assert savings(client)["saved"] == 0


def test_a_late_stop_does_not_bring_a_session_back(client):
    client.ends()
    stops(client, "one", sub_agent(client, "one"))
    assert client.desk.sessions()[0].status == "completed"


def test_a_compaction_is_counted_by_the_clients_own_figures(client):
    requests(client, 150_000)
    compacts(client, preTokens=155_000)
    client.stops("nothing was asked since")
    assert savings(client)["levels"]["reset"] == 0
    requests(client, 34_000, cache_creation_input_tokens=16_000)
    client.stops("going on")
    client.stops("and on")
    [row] = savings(client)["rows"]
    assert (row["source"], row["raw"], row["kept"], row["times"]) == (
        "compaction",
        155_000,
        50_010,
        1,
    )
    compacts(client)
    requests(client, 20_000)
    client.stops("again")
    [row] = savings(client)["rows"]
    # Where the client does not tell, what its last request held counts.
    assert (row["raw"], row["times"]) == (155_000 + 50_010, 2)


def test_a_session_that_goes_on_from_a_checkpoint_in_a_new_window(client):
    desk = client.desk
    requests(client, 30_000)
    requests(client, 90_000)
    session = desk.sessions()[0].id
    saved = desk("session_checkpoint", summary="Guard 417 is missing.", session_id=session)
    desk("session_resume", checkpoint_id=saved["checkpoint_id"])
    # The window is there still.
    assert savings(client)["levels"]["reset"] == 0
    client.ends()
    desk("session_resume", checkpoint_id=saved["checkpoint_id"])
    [row] = savings(client)["rows"]
    assert (row["source"], row["raw"]) == ("resumption", 90_010)
    assert 30_010 < row["kept"] < 30_300


def test_a_session_without_a_transcript_saves_nothing_by_going_on(client):
    agent = client.desk.connected("one")
    agent("session_start", task_description="x")
    saved = agent("session_checkpoint", summary="Guard 417 is missing.")
    agent("session_end")
    agent("session_resume", checkpoint_id=saved["checkpoint_id"])
    assert savings(client)["levels"]["reset"] == 0
