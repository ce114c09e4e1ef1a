"""What a sub-agent is asked and says stands aside in every client's transcripts: it is no word of the user's."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest

from contextd.imports.importers import importer_for
from support.transcripts import (
    ANSWER,
    PROMPT,
    SESSION,
    cline,
    codex,
    codex_rows,
    copilot,
    gemini,
    gemini_rows,
    lines_to,
    opencode,
    qwen,
    specstory,
)

TASK, REPORT = "Count every loaf in the shop.", "The shop has nine loaves."
AT = "2026-04-07T08:00:05Z"


def lines_after(path: Path, *lines: dict[str, Any]) -> Path:
    with path.open("a", encoding="utf-8") as file:
        file.writelines(f"{json.dumps(line)}\n" for line in lines)
    return path


def of_copilot(folder: Path, place: str) -> Path:
    above = {"agentId": "a1"} if place == "line" else {}
    inside = {} if above else {"parentToolCallId": "t1"}
    rows = [
        {"type": f"{role}.message", "id": role, "timestamp": AT, **above,
         "data": {"content": said, **inside}}
        for role, said in (("user", TASK), ("assistant", REPORT))
    ]  # fmt: skip
    return lines_after(copilot(folder), *rows)


def of_qwen(folder: Path, **mark: Any) -> Path:
    rows = [
        {"uuid": role, "sessionId": SESSION, "timestamp": AT, "type": role, **mark,
         "message": {"role": role, "parts": [{"text": said}]}}
        for role, said in (("user", TASK), ("assistant", REPORT))
    ]  # fmt: skip
    return lines_after(qwen(folder), *rows)


def of_opencode(folder: Path) -> Path:
    path = opencode(folder)
    database = apsw.Connection(str(path))
    database.execute("INSERT INTO session VALUES ('sub', ?, '/', 'sub', 1775548802000)", (SESSION,))
    for role, said in (("user", TASK), ("assistant", REPORT)):
        about = {"role": role, "time": {"created": 1775548802000, "completed": 1775548803000}}
        part = {"type": "text", "text": said, "time": {"start": 1775548802000}}
        database.execute(
            "INSERT INTO message VALUES (?, 'sub', 1775548802000, ?)", (f"sub-{role}", json.dumps(about))
        )  # fmt: skip
        database.execute(
            "INSERT INTO part VALUES (?, ?, 'sub', ?)", (f"p-{role}", f"sub-{role}", json.dumps(part))
        )  # fmt: skip
    database.close()
    return path


def of_specstory(folder: Path) -> Path:
    path = specstory(folder)
    said = (
        f"\n\n---\n\n_**User - sidechain (2026-04-07 08:00:05Z)**_\n\n{TASK}\n\n---\n\n"
        f"_**Agent - sidechain (model 2026-04-07 08:00:06Z)**_\n\n{REPORT}\n"
    )
    path.write_text(path.read_text("utf-8") + said, "utf-8")
    return path


BESIDE: dict[str, Callable[[Path], Path]] = {
    "copilot, the line": lambda folder: of_copilot(folder, "line"),
    "copilot, its data": lambda folder: of_copilot(folder, "data"),
    "qwen, a side chain": lambda folder: of_qwen(folder, isSidechain=True),
    "qwen, an agent": lambda folder: of_qwen(folder, agentId="a1"),
    "opencode": of_opencode,
    "specstory": of_specstory,
}
"""Clients that write down a sub-agent among the messages of its session."""


@pytest.mark.parametrize("name", list(BESIDE))
def test_the_task_and_report_of_a_sub_agent_are_not_words_of_the_user(
    name: str, tmp_path: Path
) -> None:
    path = BESIDE[name](tmp_path)
    events = importer_for(path).read(path, session=SESSION).events
    messages = [event for event in events if event.type == "message"]
    aside = {event.text for event in messages if event.data.get("sidechain")}
    assert aside == {TASK, REPORT}
    assert {event.text for event in messages} - aside == {PROMPT, ANSWER}


def a_file_of_gemini(folder: Path) -> Path:
    main = gemini(folder)
    header, *rest = gemini_rows()
    about = {**header, "sessionId": "sub1", "kind": "subagent"}
    return lines_to(main.parent / SESSION / "sub1.jsonl", [about, *rest])


def a_file_of_codex(folder: Path) -> Path:
    path = codex(folder)
    about, *rest = codex_rows()
    about["payload"]["source"] = {"subagent": {"thread_spawn": {"parent_thread_id": "above"}}}
    return lines_to(path, [about, *rest])


def a_file_of_cline(folder: Path) -> Path:
    path = cline(folder)
    whole = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps({**whole, "agent": "researcher"}), "utf-8")
    return path


@pytest.mark.parametrize("write", [a_file_of_gemini, a_file_of_codex, a_file_of_cline])
def test_a_file_of_a_sub_agents_own_has_no_word_of_the_user(
    write: Callable[[Path], Path], tmp_path: Path
) -> None:
    path = write(tmp_path)
    events = importer_for(path).read(path).events
    assert any(event.type == "message" and event.role == "user" for event in events)
    assert all(event.data.get("sidechain") for event in events if event.type == "message")
