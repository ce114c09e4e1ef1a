"""What a transcript says of its end and of itself: failed calls, compactions, interruptions, titles and tokens."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from contextd.domain.sessions import Event
from contextd.imports.importers import ImportBatch, importer_for
from support.transcripts import (
    SESSION,
    codex_rows,
    continue_dev,
    copilot,
    lines_to,
    opencode_export,
    qwen,
    specstory,
)


def read(path: Path) -> ImportBatch:
    return importer_for(path).read(path, session=SESSION)


def of(batch: ImportBatch, type: str, role: str = "") -> list[Event]:
    return [e for e in batch.events if e.type == type and (not role or e.role == role)]


def of_codex(folder: Path, *payloads: dict[str, Any]) -> ImportBatch:
    """A rollout of Codex with these items at its end."""
    rows = [
        {"timestamp": f"2026-04-07T08:01:0{n}Z", "type": "response_item", "payload": payload}
        for n, payload in enumerate(payloads)
    ]
    return read(lines_to(folder / "rollout-more.jsonl", [*codex_rows(), *rows]))


CALL = {"type": "function_call", "name": "shell", "call_id": "c9", "arguments": '{"command": "x"}'}
ENDED: list[tuple[Any, bool]] = [
    ({"success": False, "content": "no such file"}, True),
    ({"success": True, "content": "done"}, False),
    ({"success": False, "content": [{"type": "input_text", "text": "no such file"}]}, True),
    ('{"output": "no such file", "metadata": {"exit_code": 1}}', True),
    ('{"output": "done", "metadata": {"exit_code": 0}}', False),
]


@pytest.mark.parametrize(("output", "failed"), ENDED)
def test_a_call_of_codex_failed_if_its_output_says_so(
    output: Any, failed: bool, tmp_path: Path
) -> None:
    answer = {"type": "function_call_output", "call_id": "c9", "output": output}
    [result] = [
        e for e in of(of_codex(tmp_path, CALL, answer), "tool_result") if e.data["id"] == "c9"
    ]
    assert bool(result.data["is_error"] or result.data.get("exit_code")) is failed
    assert "metadata" not in result.text
    assert ("no such file" if failed else "done") in result.text


def test_a_shell_call_of_codex_of_2025_is_a_command(tmp_path: Path) -> None:
    action = {"type": "exec", "command": ["bash", "-lc", "make publish"]}
    batch = of_codex(tmp_path, {"type": "local_shell_call", "call_id": "c9", "action": action})
    assert "Bash: make publish" in [e.text for e in of(batch, "tool_call")]


def test_what_comes_after_the_request_in_a_file_of_an_editor_is_what_the_user_said(
    tmp_path: Path,
) -> None:
    text = "# Context from my IDE setup:\n\n## Active file: a.py\n\n## My request for Codex:\nRound up."
    said = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}
    assert of(of_codex(tmp_path, said), "message", "user")[-1].text == "Round up."


def test_a_tool_of_specstory_whose_output_is_an_error_failed(tmp_path: Path) -> None:
    path = specstory(tmp_path)
    whole = path.read_text("utf-8")
    for first, failed in (
        ("Error: no such file", True),
        ("Exit code 0", False),
        ("All good", False),
    ):
        path.write_text(whole.replace("Exit code 2", first), "utf-8")
        batch = read(path)
        ran = next(e for e in of(batch, "tool_call") if e.data["tool"] == "Bash")
        [result] = [e for e in of(batch, "tool_result") if e.data["id"] == ran.data["id"]]
        assert bool(result.data["is_error"]) is failed


def put_in_document(path: Path, change: Callable[[Any], Any]) -> Path:
    whole = json.loads(path.read_text("utf-8"))
    change(whole)
    path.write_text(json.dumps(whole), "utf-8")
    return path


def with_lines(path: Path, *rows: dict[str, Any]) -> Path:
    with path.open("a", encoding="utf-8") as file:
        file.writelines(f"{json.dumps(row)}\n" for row in rows)
    return path


def row_of_qwen(kind: str, **payload: Any) -> dict[str, Any]:
    about = {"type": "system", "subtype": kind, "systemPayload": payload}
    return {"uuid": kind, "sessionId": SESSION, "timestamp": "2026-04-07T08:00:09Z", **about}


def row_of_copilot(kind: str, **data: Any) -> dict[str, Any]:
    return {"type": kind, "id": kind, "timestamp": "2026-04-07T08:00:09Z", "data": data}


def message_of_opencode(id: str, *parts: dict[str, Any], **info: Any) -> dict[str, Any]:
    times = {"created": 1775548807000, "completed": 1775548808000}
    return {"info": {"id": id, "time": times, **info}, "parts": list(parts)}


SUMMARY = "Six loaves; the counter is fixed."


def compacted_in_qwen(folder: Path) -> Path:
    return with_lines(qwen(folder), row_of_qwen("chat_compression", summary=SUMMARY))


def compacted_in_copilot(folder: Path) -> Path:
    row = row_of_copilot("session.compaction_complete", summaryContent=SUMMARY)
    return with_lines(copilot(folder), row)


def compacted_in_codex(folder: Path) -> Path:
    row = {
        "timestamp": "2026-04-07T08:00:09Z",
        "type": "compacted",
        "payload": {"message": SUMMARY},
    }
    return lines_to(folder / "rollout-compacted.jsonl", [*codex_rows(), row])


def compacted_in_continue(folder: Path) -> Path:
    item = {"message": {"role": "user", "content": "And?"}, "conversationSummary": SUMMARY}
    return put_in_document(continue_dev(folder), lambda whole: whole["history"].append(item))


def compacted_in_opencode(folder: Path) -> Path:
    text = {"type": "text", "id": "p8", "text": SUMMARY}
    messages = [
        message_of_opencode("msg8", {"type": "compaction", "id": "p7"}, role="user"),
        message_of_opencode("msg9", text, role="assistant", summary=True),
    ]
    return put_in_document(opencode_export(folder), lambda w: w["messages"].extend(messages))


@pytest.mark.parametrize(
    "made",
    [
        compacted_in_codex,
        compacted_in_qwen,
        compacted_in_copilot,
        compacted_in_continue,
        compacted_in_opencode,
    ],
)
def test_a_compaction_leaves_its_summary_which_nobody_said_whoever_wrote_it(
    made: Callable[[Path], Path], tmp_path: Path
) -> None:
    batch = read(made(tmp_path))
    assert [e.text for e in batch.events if e.data.get("origin") == "summary"] == [SUMMARY]
    marked = [e.text for e in batch.events if e.data.get("compact")]
    assert marked == ["context compacted", SUMMARY]
    assert SUMMARY not in [e.text for e in of(batch, "message", "user")]
    assert len({e.key for e in batch.events}) == len(batch.events)


def test_that_the_user_stopped_the_agent_is_noted(tmp_path: Path) -> None:
    aborted = {"timestamp": "2026-04-07T08:00:09Z", "type": "event_msg", "payload": {"type": "turn_aborted"}}  # fmt: skip
    stopped = [
        lines_to(tmp_path / "rollout-stopped.jsonl", [*codex_rows(), aborted]),
        with_lines(copilot(tmp_path), row_of_copilot("abort")),
    ]
    for path in stopped:
        last = read(path).events[-1]
        assert (last.type, last.data.get("interrupted")) == ("note", True)


def test_a_session_has_the_title_and_the_tokens_that_its_client_states(tmp_path: Path) -> None:
    usage = {"inputTokens": 70, "outputTokens": 9, "cacheReadTokens": 5}
    rows = [
        row_of_copilot("session.title_changed", title="Loaves"),
        row_of_copilot("session.usage_record", usage=usage),
    ]
    batch = read(with_lines(copilot(tmp_path), *rows))
    assert batch.title == "Loaves"
    counted = {"input_tokens": 70, "output_tokens": 9}
    assert counted.items() <= batch.usage.items()
    named = row_of_qwen("custom_title", customTitle="Loaves")
    assert read(with_lines(qwen(tmp_path), named)).title == "Loaves"
    tokens = {"input": 70, "output": 9, "cache": {"read": 5}}
    answered = message_of_opencode("msg9", role="assistant", tokens=tokens)
    path = put_in_document(opencode_export(tmp_path), lambda w: w["messages"].append(answered))
    assert counted.items() <= read(path).usage.items()
