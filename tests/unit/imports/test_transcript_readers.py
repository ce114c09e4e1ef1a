"""Whatever client wrote a session down, it tells the same."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import apsw
import pytest

from contextd.domain.sessions import Event
from contextd.imports.importers import IMPORTERS, ImportBatch, importer_for
from contextd.imports.importers.documents import LARGEST
from contextd.imports.importers.tool_calls import common_call, exit_told
from contextd_common.errors import Invalid, NotFound, TooLarge
from support.transcripts import (
    ANSWER,
    COMMAND,
    CWD,
    FILE,
    OUTPUT,
    PROMPT,
    SESSION,
    WRITERS,
    cline_task,
    codex,
    codex_rows,
    copilot,
    cursor,
    gemini,
    gemini_rows,
    lines_to,
    opencode,
    qwen,
    specstory,
)


def read(path: Path) -> ImportBatch:
    reader = importer_for(path)
    ids = [one.id for one in reader.sessions(path)]
    return reader.read(path, session=SESSION if SESSION in ids else ids[-1])


def of(batch: ImportBatch, type: str, role: str = "") -> list[Event]:
    return [e for e in batch.events if e.type == type and (not role or e.role == role)]


@pytest.mark.parametrize("name", [*WRITERS, "cline-task"])
def test_a_session_tells_the_same_whoever_wrote_it_down(name: str, tmp_path: Path) -> None:
    path = {**WRITERS, "cline-task": cline_task}[name](tmp_path)
    assert importer_for(path).name == name.removesuffix("-task")
    batch = read(path)
    assert batch.external_id == SESSION
    assert batch.cwd.endswith(CWD)
    assert [e.text for e in of(batch, "message", "user")] == [PROMPT]
    assert [e.text for e in of(batch, "message", "assistant")] == [ANSWER]
    ran = next(e for e in of(batch, "tool_call") if e.data["tool"] == "Bash")
    assert ran.text == f"Bash: {COMMAND}"
    answer = next(e for e in of(batch, "tool_result") if e.data["id"] == ran.data["id"])
    assert OUTPUT in answer.text
    assert answer.data["exit_code"] == 2
    written = [e.data["path"] for e in of(batch, "file_access") if e.data["mode"] == "write"]
    assert [Path(path).name for path in written] == [Path(FILE).name]
    keys = [e.key for e in batch.events]
    assert len(keys) == len(set(keys))
    assert [e.key for e in read(path).events] == keys
    assert batch.done


@pytest.mark.parametrize("name", list(WRITERS))
def test_nothing_of_a_secret_is_handed_out(name: str, tmp_path: Path) -> None:
    path = WRITERS[name](tmp_path)
    reader = importer_for(path)
    hidden = reader.read(
        path,
        redact=lambda text: (text.replace("loaves", "*"), text.count("loaves")),
        session=SESSION,
    )
    assert "loaves" not in repr(hidden.events)
    assert hidden.counts["redacted"] >= 2


@pytest.mark.parametrize("name", list(WRITERS))
def test_a_damaged_file_is_read_as_far_as_it_goes_or_refused(name: str, tmp_path: Path) -> None:
    path = WRITERS[name](tmp_path)
    reader, whole = importer_for(path), path.read_bytes()
    for damaged in (whole[: len(whole) // 2], b'{"a":[' + whole[200:], b"\xff\xfe" * 40, b""):
        path.write_bytes(damaged)
        with suppress(Invalid, NotFound):
            batch = reader.read(path, session=SESSION)
            assert batch.next_offset <= len(damaged)


def test_no_reader_takes_the_file_of_another(tmp_path: Path) -> None:
    for name, write in WRITERS.items():
        folder = tmp_path / name
        folder.mkdir()
        path = write(folder)
        assert importer_for(path).name == name


def test_a_rollout_that_was_put_away_compressed_reads_the_same(tmp_path: Path) -> None:
    zstd = pytest.importorskip("backports.zstd")
    plain = codex(tmp_path)
    packed = plain.with_name(plain.name + ".zst")
    packed.write_bytes(zstd.compress(plain.read_bytes()))
    assert importer_for(packed).name == "codex"
    assert read(packed).events == read(plain).events
    packed.write_bytes(packed.read_bytes()[:-20])
    with pytest.raises(NotFound):
        importer_for(packed).read(packed)


def test_a_rollout_of_codex_counts_its_tokens_once_and_knows_a_sub_agent(tmp_path: Path) -> None:
    assert read(codex(tmp_path)).usage == {"input_tokens": 70, "output_tokens": 9}
    rows = codex_rows()
    spawned = {"subagent": {"thread_spawn": {"parent_thread_id": "the-parent"}}}
    rows[0]["payload"]["source"] = spawned
    batch = read(lines_to(tmp_path / "rollout-sub.jsonl", rows))
    assert (batch.parent, batch.headless) == ("the-parent", True)
    assert all(event.data["sidechain"] for event in batch.events)


def test_steps_that_only_their_completion_tells_of_are_read_too(tmp_path: Path) -> None:
    kept = ("session_meta", "event_msg")
    rows = [row for row in codex_rows() if row["type"] in kept]
    ran = {
        "type": "CommandExecution", "id": "c1", "command": ["bash", "-lc", COMMAND],
        "aggregated_output": OUTPUT, "exit_code": 2,
    }  # fmt: skip
    done = {"type": "item_completed", "item": ran}
    rows.append({"timestamp": "2026-04-07T08:00:08Z", "type": "event_msg", "payload": done})
    batch = read(lines_to(tmp_path / "rollout-new.jsonl", rows))
    assert [e.text for e in of(batch, "message")] == [PROMPT, ANSWER]
    assert [e.data["exit_code"] for e in of(batch, "tool_result")] == [2]


def test_old_rollouts_without_an_envelope_are_read(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"id": SESSION, "timestamp": "2025-05-01T10:00:00Z", "instructions": "", "git": {}},
        {"record_type": "state"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": PROMPT}]},
    ]
    batch = read(lines_to(tmp_path / "rollout-old.jsonl", rows))
    assert (batch.external_id, [e.text for e in of(batch, "message")]) == (SESSION, [PROMPT])


def test_a_compaction_leaves_its_summary(tmp_path: Path) -> None:
    row = {"timestamp": "2026-04-07T08:00:07Z", "type": "compacted",
           "payload": {"message": "Six loaves; the counter is fixed."}}  # fmt: skip
    batch = read(lines_to(tmp_path / "rollout-c.jsonl", [*codex_rows(), row]))
    [summary] = [e for e in batch.events if e.data.get("origin") == "summary"]
    assert summary.text == "Six loaves; the counter is fixed."


def test_a_command_that_the_user_rejected_in_cursor_was_not_run(tmp_path: Path) -> None:
    path = cursor(tmp_path)
    call = {"toolCallId": "t9", "name": "run_terminal_cmd", "status": "rejected",
            "rawArgs": json.dumps({"command": "make publish"}), "result": "{}"}  # fmt: skip
    database = apsw.Connection(str(path))
    ask, put = (
        "SELECT value FROM cursorDiskKV WHERE key = ?", "INSERT OR REPLACE INTO cursorDiskKV VALUES (?, ?)"
    )  # fmt: skip
    key = f"composerData:{SESSION}"
    [(value,)] = list(database.execute(ask, (key,)))
    composer = json.loads(value)
    composer["fullConversationHeadersOnly"].append({"bubbleId": "b9", "type": 2})
    database.execute("DELETE FROM cursorDiskKV WHERE key = ?", (key,))
    database.execute(put, (key, json.dumps(composer)))
    bubble = {"bubbleId": "b9", "type": 2, "text": "", "toolFormerData": call}
    database.execute(put, (f"bubbleId:{SESSION}:b9", json.dumps(bubble)))
    database.close()
    batch = read(path)
    assert "t9" not in {e.data["id"] for e in of(batch, "tool_result")}
    assert batch.counts["rejected"] == 1


def test_a_call_of_copilot_without_success_failed_with_its_message(tmp_path: Path) -> None:
    path = copilot(tmp_path)
    call = {"type": "tool.execution_start", "id": "x", "data": {"toolCallId": "t9", "toolName": "view",
            "arguments": {"path": "/x"}}}  # fmt: skip
    done = {"type": "tool.execution_complete", "id": "y", "data": {"toolCallId": "t9", "success": False,
            "error": {"message": "no such file"}}}  # fmt: skip
    with path.open("a", encoding="utf-8") as file:
        file.writelines(f"{json.dumps(line)}\n" for line in (call, done))
    failed = {e.data["id"]: e.text for e in of(read(path), "tool_result") if e.data["is_error"]}
    assert failed["t9"] == "no such file"
    assert "t2" not in failed


def test_chats_of_gemini_have_their_sub_agents_in_a_folder_of_the_session(tmp_path: Path) -> None:
    main = gemini(tmp_path)
    header, *rest = gemini_rows()
    sub = lines_to(
        main.parent / SESSION / "sub1.jsonl",
        [{**header, "sessionId": "sub1", "kind": "subagent"}, *rest],
    )
    reader = IMPORTERS["gemini-cli"]
    assert list(reader.beside(main)) == [sub]
    assert list(reader.beside(sub)) == []
    assert reader.read(sub).parent == SESSION


def test_a_chat_of_qwens_is_not_taken_for_claude_codes(tmp_path: Path) -> None:
    path = qwen(tmp_path)
    head = path.read_text("utf-8").splitlines()
    assert not IMPORTERS["claude-code"].detects(path, head)


def test_a_result_in_opencodes_database_has_the_time_at_which_the_tool_ended(
    tmp_path: Path,
) -> None:
    events = read(opencode(tmp_path)).events
    called = next(one for one in events if one.type == "tool_call")
    result = next(one for one in events if one.type == "tool_result")
    assert (result.at - called.at).total_seconds() == 1


def test_a_document_beyond_the_limit_is_named_and_skipped(tmp_path: Path) -> None:
    path = tmp_path / "export.json"
    with path.open("wb") as file:
        file.truncate(LARGEST + 1)
    with pytest.raises(TooLarge, match=r"export\.json has \d+ MB"):
        IMPORTERS["opencode-export"].read(path)


def test_a_database_is_read_without_a_trace_and_by_session(tmp_path: Path) -> None:
    path = opencode(tmp_path)
    before = sorted(p.name for p in tmp_path.iterdir()), path.read_bytes()
    reader = IMPORTERS["opencode"]
    assert [(one.id, one.cwd) for one in reader.sessions(path)] == [
        (SESSION, CWD),
        ("other", "/srv/dairy"),
    ]
    assert [e.text for e in reader.read(path, session="other").events] == ["milk"]
    with pytest.raises(NotFound):
        reader.read(path, session="nobody")
    assert (sorted(p.name for p in tmp_path.iterdir()), path.read_bytes()) == before


def test_a_database_is_read_while_its_client_writes_to_it(tmp_path: Path) -> None:
    path = opencode(tmp_path)
    client = apsw.Connection(str(path))
    client.execute("PRAGMA journal_mode=WAL")
    said = json.dumps({"type": "text", "text": "And the rolls?"})
    client.execute("INSERT INTO part VALUES ('p6', 'msg1', ?, ?)", (SESSION, said))
    files = sorted(p.name for p in tmp_path.iterdir())
    assert "And the rolls?" in [e.text for e in of(read(path), "message", "user")]
    assert sorted(p.name for p in tmp_path.iterdir()) == files
    client.execute("BEGIN IMMEDIATE")
    assert "And the rolls?" in [e.text for e in of(read(path), "message", "user")]
    client.execute("ROLLBACK")
    client.close()


def test_a_copy_of_a_history_has_the_same_keys(tmp_path: Path) -> None:
    path = specstory(tmp_path)
    copy = path.with_name("2026-04-07_08-00-00Z.md")
    text = path.read_text("utf-8").replace("2026-04-07 08:00:06Z", "2026-04-07 10:00:06+0200")
    asked = "_**User (2026-04-07T08:00:01.000Z)**_\n"
    copy.write_text(text.replace(asked, f"{asked}<!-- message-id: u1 -->\n"), "utf-8")
    assert [e.key for e in read(copy).events] == [e.key for e in read(path).events]


@pytest.mark.parametrize(
    "who", ["(copilot/auto)", "(model copilot/auto)", "(x 2026-04-07 08:00:02Z)", "()", ""]
)
def test_a_histories_agent_is_never_the_user(tmp_path: Path, who: str) -> None:
    path = specstory(tmp_path)
    said = f"\n\n---\n\n_**Agent {who}**_\n\nThe rolls are counted too.\n".replace(" **_", "**_")
    path.write_text(path.read_text("utf-8") + said, "utf-8")
    events = read(path).events
    assert "The rolls are counted too." in [e.text for e in of(read(path), "message", "assistant")]
    assert not any("rolls are counted" in e.text for e in events if e.role == "user")


def test_calls_of_older_histories_are_no_words_of_the_agent(tmp_path: Path) -> None:
    path = specstory(tmp_path)
    call = "Tool use: **list_dir**\n\n<details>\n<summary>Listed src • **2** results</summary>\n\n| Name |\n|---|\n| `a.py` |\n</details>"
    said = f"\n\n---\n\n_**Assistant**_\n\nI look first.\n\n---\n\n{call}\n\n---\n\nRead file: src/a.py\n\nIt counts rolls.\n"
    path.write_text(path.read_text("utf-8") + said, "utf-8")
    assert of(read(path), "message", "assistant")[-1].text == "I look first.\n\nIt counts rolls."


END = "  "
AIDER = f"""
# aider chat started at 2026-04-06 09:00:00

> Aider v0.86
#### /add src/milk.ts{END}
#### Count the bottles.{END}

#### Bottles
There are four.

# aider chat started at 2026-04-07 08:00:01

#### /ask {PROMPT}{END}

{ANSWER}

> Applied edit to {FILE}
> Commit 0a1b2c3 fix: count loaves from zero
#### /run {COMMAND}{END}
"""


def test_aiders_history_is_told_by_session(tmp_path: Path) -> None:
    path = tmp_path / ".aider.chat.history.md"
    path.write_text(AIDER, "utf-8")
    reader = importer_for(path)
    first, second = reader.sessions(path)
    assert (reader.name, first.cwd) == ("aider", str(tmp_path))
    old = reader.read(path, session=first.id)
    assert [e.text for e in of(old, "message")] == [
        "Count the bottles.",
        "#### Bottles\nThere are four.",
    ]
    batch = reader.read(path, session=second.id)
    assert [e.text for e in of(batch, "message")] == [PROMPT, ANSWER]
    assert [e.data["path"] for e in of(batch, "file_access")] == [FILE]
    [commit] = of(batch, "note")
    assert (commit.data["sha"], commit.text) == ("0a1b2c3", "fix: count loaves from zero")
    assert f"Bash: {COMMAND}" in [e.text for e in of(batch, "tool_call")]


def test_a_heading_of_aiders_agent_is_no_prompt_and_a_prompt_of_several_lines_is_one(
    tmp_path: Path,
) -> None:
    path = tmp_path / ".aider.chat.history.md"
    lines = (
        "# aider chat started at 2026-04-06 09:00:00",
        f"#### Count the bottles.{END}",
        f"#### And the corks.{END}",
        "#### Bottles",
        "",
        f"#### Use a list:{END}",
        "> Tokens: 3k sent",
        ">>>>>>> REPLACE",
        f"#### /drop src/milk.ts{END}",
        f"#### Keep{END}",
        "#### both",
        f"#### of them.{END}",
    )
    path.write_text("\n".join(lines) + "\n", "utf-8")
    batch = read(path)
    assert [(e.role, e.text) for e in of(batch, "message")] == [
        ("user", "Count the bottles."),
        ("user", "And the corks."),
        ("assistant", "#### Bottles"),
        ("user", "Use a list:"),
        ("assistant", ">>>>>>> REPLACE"),
        ("user", "Keep"),
        ("user", "both\nof them."),
    ]
    assert (batch.counts["command"], batch.counts["junk"], batch.counts["read"]) == (1, 1, 11)


def test_a_header_of_gemini_names_the_session_once_and_its_folder(tmp_path: Path) -> None:
    header, *rest = gemini_rows()
    patch = {"$set": {"sessionId": "other", "summary": "Loaves", "directories": [1, "/b", "/c"]}}
    odd = {"id": "i1", "timestamp": "2026-04-07T08:00:07Z", "type": "info", "content": "x"}
    batch = IMPORTERS["gemini-cli"].read(
        lines_to(tmp_path / "chat.jsonl", [header, patch, *rest, odd])
    )
    assert (batch.external_id, batch.title, batch.cwd, batch.parent) == (
        SESSION,
        "Loaves",
        "/b",
        "",
    )
    assert batch.counts["type:info"] == 1
    nowhere = IMPORTERS["gemini-cli"].read(lines_to(tmp_path / "other.jsonl", [header, *rest]))
    assert (nowhere.cwd, nowhere.title) == ("", "")


def test_a_small_trajectory_is_read_from_its_messages(tmp_path: Path) -> None:
    messages = [
        {"role": "system", "content": "You solve tasks."},
        {"role": "user", "content": PROMPT},
        {"role": "assistant", "content": f"Let us see.\n\n```bash\n{COMMAND}\n```"},
        {"role": "user", "content": f"<returncode>2</returncode>\n<output>\n{OUTPUT}\n</output>"},
    ]
    path = tmp_path / "task-7.traj.json"
    path.write_text(json.dumps({"info": {}, "messages": messages}), "utf-8")
    batch = read(path)
    assert (batch.external_id, batch.headless) == ("task-7", True)
    assert [e.data["exit_code"] for e in of(batch, "tool_result")] == [2]
    times = [{}, {"timestamp": 1_775_548_801}, {"extra": {"timestamp": 1_775_548_802}}, {}]
    dated = [{**message, **time} for message, time in zip(messages, times, strict=True)]
    path.write_text(json.dumps({"info": {}, "messages": dated}), "utf-8")
    assert [e.at.second for e in read(path).events] == [1, 2, 2, 2]


def test_a_row_finds_its_clients_files_below_a_home(tmp_path: Path) -> None:
    deep = tmp_path / ".codex" / "sessions" / "2026" / "04" / "07"
    deep.mkdir(parents=True)
    path = codex(deep)
    reader = IMPORTERS["codex"]
    assert list(reader.found(tmp_path)) == [path]
    assert list(reader.found(tmp_path, {"CODEX_HOME": str(tmp_path / "elsewhere")})) == []


def test_a_session_is_located_by_its_id_and_by_nothing_else(tmp_path: Path) -> None:
    path = WRITERS["copilot-cli"](tmp_path)
    reader = IMPORTERS["copilot-cli"]
    assert reader.located(tmp_path, SESSION) == path
    assert reader.located(tmp_path, f"../session-state/{SESSION}") is None
    assert reader.located(tmp_path, "") is None


CALLS: list[tuple[str, Any, tuple[str, dict[str, Any]]]] = [
    ("shell", {"command": ["bash", "-lc", "ls"]}, ("Bash", {"command": "ls"})),
    ("run_commands", {"commands": ["a", "b"]}, ("Bash", {"command": "a && b"})),
    ("view", {"path": "/x"}, ("Read", {"file_path": "/x"})),
    ("write_file", '{"path": "x", "contents": "y"}', ("Write", {"file_path": "x", "content": "y"})),
    ("mcp__shop__edit_order", {"path": "x"}, ("mcp__shop__edit_order", {"path": "x"})),
    ("exec_command", "not json", ("Bash", {"command": "not json"})),
]


@pytest.mark.parametrize(("tool", "given", "expected"), CALLS)
def test_a_call_goes_by_one_name(
    tool: str, given: Any, expected: tuple[str, dict[str, Any]]
) -> None:
    name, arguments = common_call(tool, given)
    assert name == expected[0]
    assert expected[1].items() <= dict(arguments).items()


@pytest.mark.parametrize(
    ("output", "code"),
    [
        ("Process exited with code 3\nOutput:\nx", 3),
        ("[Command exited with code 4]\nx", 4),
        ("x\nExit Code: 0\nSignal: (none)", 0),
        ("all good", None),
        ("the docs say a process exits with code 3 then", None),
    ],
)
def test_an_exit_code_is_what_the_client_tells_of_it(output: str, code: int | None) -> None:
    assert exit_told(output)[1] == code
