"""One small session as each client would have written it down: asked, tried, edited, answered."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import apsw

SESSION = "0198aaaa-1111-7222-8333-944455556666"
CWD = "/srv/bakery"
PROMPT = "The invoice shows seven loaves where six were sold, find out why."
COMMAND = "npm test -- invoice"
OUTPUT = "1 failed, 4 passed"
FILE = "src/invoice.ts"
ANSWER = "The counter started at one; it starts at zero now and the invoice shows six loaves."
TIME = "2026-04-07T08:00:0{}Z"


def lines_to(path: Path, rows: Iterable[Any]) -> Path:
    """A file of one JSON object per line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def codex_rows() -> list[dict[str, Any]]:
    """A rollout of today, with what Codex tells twice."""

    def item(second: int, **payload: Any) -> dict[str, Any]:
        return {"timestamp": TIME.format(second), "type": "response_item", "payload": payload}

    def said(second: int, role: str, text: str, kind: str, **more: Any) -> dict[str, Any]:
        about = {"content_item_kinds": [kind]}
        return item(
            second, type="message", role=role, content=[{"type": "input_text", "text": text}],
            internal_chat_message_metadata_passthrough=about, **more,
        )  # fmt: skip

    patch = f"*** Begin Patch\n*** Update File: {FILE}\n@@\n-let n = 1\n+let n = 0\n*** End Patch"
    done = {"type": "AgentMessage", "id": "m9", "content": [{"type": "Text", "text": ANSWER}]}
    asked = {"type": "UserMessage", "id": "u9", "content": [{"type": "text", "text": PROMPT}]}
    meta = {"id": SESSION, "cwd": CWD, "source": "cli", "git": {"branch": "main"}}
    usage = {"input_tokens": 70, "output_tokens": 9}
    return [
        {"timestamp": TIME.format(0), "type": "session_meta", "payload": meta},
        said(0, "developer", "Be brief.", "permissions.instructions"),
        said(0, "user", "<environment_context>x</environment_context>", "environments.context"),
        said(1, "user", PROMPT, "user.text", id="m1"),
        {"timestamp": TIME.format(1), "type": "event_msg",
         "payload": {"type": "item_completed", "item": asked}},
        item(2, type="function_call", name="exec_command", call_id="c1",
             arguments=json.dumps({"cmd": COMMAND})),
        {"timestamp": TIME.format(2), "type": "token_usage_record",
         "payload": {"response_id": "r1", "usage": usage}},
        {"timestamp": TIME.format(2), "type": "event_msg", "payload":
         {"type": "token_count", "info": {"last_token_usage": usage}}},
        item(3, type="function_call_output", call_id="c1", output=(
            f"Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 2\nOutput:\n{OUTPUT}")),
        item(4, type="custom_tool_call", name="apply_patch", call_id="c2", input=patch),
        item(5, type="custom_tool_call_output", call_id="c2", output="Success."),
        {"timestamp": TIME.format(6), "type": "event_msg",
         "payload": {"type": "item_completed", "item": done}},
        said(6, "assistant", ANSWER, "unknown", id="m9"),
    ]  # fmt: skip


def codex(folder: Path) -> Path:
    """A Codex rollout."""
    return lines_to(folder / f"rollout-2026-04-07T08-00-00-{SESSION}.jsonl", codex_rows())


def gemini_rows() -> list[dict[str, Any]]:
    """A Gemini CLI chat: a message is told again when it gained calls."""

    def call(id: str, name: str, given: dict[str, Any], output: str, status: str) -> dict[str, Any]:
        answer = {"id": id, "name": name, "response": {"output": output}}
        return {
            "id": id, "name": name, "args": given, "status": status,
            "timestamp": TIME.format(3), "result": [{"functionResponse": answer}],
        }  # fmt: skip

    ran = call("t1", "run_shell_command", {"command": COMMAND},
               f"<untrusted_context>\nOutput: {OUTPUT}\nExit Code: 2\n</untrusted_context>", "error")  # fmt: skip
    edit = {"file_path": f"{CWD}/{FILE}", "old_string": "let n = 1", "new_string": "let n = 0"}
    edited = call("t2", "replace", edit, "Successfully modified file", "success")
    spoke = {"id": "g1", "timestamp": TIME.format(2), "type": "gemini", "content": ""}
    pending = {**ran, "status": "executing", "result": None}
    prompt = f"<hook_context>Always answer in verse.</hook_context>\n\n{PROMPT}"
    return [
        {"sessionId": SESSION, "projectHash": "ab", "startTime": TIME.format(0), "kind": "main"},
        {"id": "u1", "timestamp": TIME.format(1), "type": "user", "content": [{"text": prompt}]},
        {"$set": {"lastUpdated": TIME.format(1)}},
        {**spoke, "toolCalls": [pending]},
        {**spoke, "toolCalls": [ran, edited]},
        {"id": "g2", "timestamp": TIME.format(6), "type": "gemini", "content": ANSWER},
    ]


def gemini(folder: Path) -> Path:
    """A Gemini CLI chat below a home that says which directory it is about."""
    home = folder / ".gemini"
    path = lines_to(home / "tmp" / "bakery" / "chats" / "session-2026-04-07.jsonl", gemini_rows())
    (home / "projects.json").write_text(json.dumps({"projects": {CWD: "bakery"}}), "utf-8")
    return path


def gemini_json(folder: Path) -> Path:
    """A chat as older versions kept it."""
    gemini(folder)
    header, *rows = gemini_rows()
    path = folder / ".gemini" / "tmp" / "bakery" / "chats" / "session-2025.json"
    messages = [row for row in rows if "id" in row]
    path.write_text(json.dumps({**header, "messages": messages}, indent=2), "utf-8")
    return path


def qwen(folder: Path) -> Path:
    """A Qwen Code chat."""

    def row(id: str, kind: str, second: int, part: dict[str, Any], **more: Any) -> dict[str, Any]:
        return {
            "uuid": id, "sessionId": SESSION, "timestamp": TIME.format(second), "type": kind,
            "cwd": CWD, "gitBranch": "main", "message": {"role": "model", "parts": [part]}, **more,
        }  # fmt: skip

    def asked(id: str, name: str, given: dict[str, Any]) -> dict[str, Any]:
        return {"functionCall": {"id": id, "name": name, "args": given}}

    def told(id: str, output: str) -> dict[str, Any]:
        return {"functionResponse": {"id": id, "response": {"output": output}}}

    edit = {"file_path": f"{CWD}/{FILE}", "old_string": "1", "new_string": "0"}
    shown = {"status": "error", "resultDisplay": {"type": "shell_result", "exitCode": 2}}
    rows = [
        row("a", "user", 1, {"text": PROMPT}, provenance="real_user"),
        row("b", "user", 1, {"text": "Use tabs."}, provenance="system_reminder"),
        row("c", "assistant", 2, asked("t1", "run_shell_command", {"command": COMMAND})),
        row("d", "tool_result", 3, told("t1", OUTPUT), toolCallResult=shown),
        row("e", "assistant", 4, asked("t2", "edit", edit)),
        row("f", "tool_result", 5, told("t2", "done"), toolCallResult={"status": "success"}),
        row("g", "assistant", 6, {"text": ANSWER}),
    ]
    return lines_to(folder / f"{SESSION}.jsonl", rows)


def copilot(folder: Path) -> Path:
    """The events of a Copilot CLI session."""

    def row(id: str, kind: str, second: int, **data: Any) -> dict[str, Any]:
        return {"type": kind, "id": id, "timestamp": TIME.format(second), "data": data}

    edit = {"path": f"{CWD}/{FILE}", "old_str": "1", "new_str": "0"}
    rows = [
        row("a", "session.start", 0, sessionId=SESSION, context={"cwd": CWD, "branch": "main"}),
        row("b", "user.message", 1, content=PROMPT, transformedContent="…", delivery="idle"),
        row("c", "tool.execution_start", 2, toolCallId="t1", toolName="bash",
            arguments={"command": COMMAND}),
        row("d", "tool.execution_complete", 3, toolCallId="t1", success=True,
            result={"content": f"{OUTPUT}\n<shellId: 1 completed with exit code 2>"}),
        row("e", "tool.execution_start", 4, toolCallId="t2", toolName="edit", arguments=edit),
        row("f", "tool.execution_complete", 5, toolCallId="t2", success=True,
            result={"content": "updated"}),
        row("g", "assistant.message", 6, content=ANSWER, toolRequests=[]),
        row("h", "session.shutdown", 7),
    ]  # fmt: skip
    return lines_to(folder / ".copilot" / "session-state" / SESSION / "events.jsonl", rows)


def opencode_parts() -> list[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """Messages with their parts, as database and export hold them."""

    def tool(id: str, name: str, given: dict[str, Any], **metadata: Any) -> dict[str, Any]:
        state = {
            "status": "completed", "input": given, "output": OUTPUT, "metadata": metadata,
            "time": {"start": 1775548802000, "end": 1775548803000},
        }  # fmt: skip
        return {"type": "tool", "id": id, "callID": id, "tool": name, "state": state}

    asked = {"id": "msg1", "role": "user", "time": {"created": 1775548801000}}
    times = {"created": 1775548802000, "completed": 1775548806000}
    answered = {"id": "msg2", "role": "assistant", "time": times, "path": {"cwd": CWD}}
    edit = {"filePath": f"{CWD}/{FILE}", "oldString": "1", "newString": "0"}
    return [
        (asked, [
            {"type": "text", "id": "p1", "text": f'"{PROMPT}"'},
            {"type": "text", "id": "p2", "text": "Use tabs.", "synthetic": True},
        ]),
        (answered, [
            tool("p3", "bash", {"command": COMMAND}, exit=2),
            tool("p4", "edit", edit),
            {"type": "text", "id": "p5", "text": ANSWER, "time": {"start": 1775548805000}},
        ]),
    ]  # fmt: skip


def opencode_export(folder: Path) -> Path:
    """What `opencode export` prints."""
    about = {"id": SESSION, "projectID": "p", "directory": CWD, "time": {"created": 1775548800000}}
    messages = [{"info": info, "parts": parts} for info, parts in opencode_parts()]
    path = folder / "export.json"
    path.write_text(json.dumps({"info": about, "messages": messages}, indent=1), "utf-8")
    return path


def opencode(folder: Path) -> Path:
    """OpenCode's database, with a session of another project beside it."""
    path = folder / "opencode.db"
    database = apsw.Connection(str(path))
    database.execute(
        "CREATE TABLE session (id TEXT, parent_id TEXT, directory TEXT, title TEXT, time_created INT);"
        "CREATE TABLE message (id TEXT, session_id TEXT, time_created INT, data TEXT);"
        "CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, data TEXT);"
        f"INSERT INTO session VALUES ('{SESSION}', NULL, '{CWD}', 'loaves', 1775548800000),"
        " ('other', NULL, '/srv/dairy', 'milk', 1775548900000);"
        "INSERT INTO message VALUES ('m0', 'other', 1, '{\"role\":\"user\"}');"
        "INSERT INTO part VALUES ('p0', 'm0', 'other', '{\"type\":\"text\",\"text\":\"milk\"}');"
    )
    for info, parts in opencode_parts():
        row = (info["id"], SESSION, info["time"]["created"], json.dumps(info))
        database.execute("INSERT INTO message VALUES (?, ?, ?, ?)", row)
        for part in parts:
            values = (part["id"], info["id"], SESSION, json.dumps(part))
            database.execute("INSERT INTO part VALUES (?, ?, ?, ?)", values)
    database.close()
    return path


def cline(folder: Path) -> Path:
    """The messages of a Cline session, with what it says of the session beside them."""

    def row(id: str, role: str, *blocks: dict[str, Any], **more: Any) -> dict[str, Any]:
        return {"id": id, "role": role, "content": list(blocks), "ts": 1775548801000, **more}

    def use(id: str, name: str, given: dict[str, Any]) -> dict[str, Any]:
        return {"type": "tool_use", "id": id, "name": name, "input": given}

    def back(id: str, content: Any) -> dict[str, Any]:
        return {"type": "tool_result", "tool_use_id": id, "content": content}

    failed = [
        {"query": COMMAND, "result": f"[Command exited with code 2]\n{OUTPUT}", "success": False}
    ]
    edit = {"path": f"{CWD}/{FILE}", "old_text": "1", "new_text": "0"}
    shown = {"type": "text", "text": "<hook_context source='x'>Use tabs.</hook_context>"}
    messages = [
        row("a", "user", {"type": "text", "text": f'<user_input mode="act">{PROMPT}</user_input>'}),
        row("b", "assistant", use("t1", "run_commands", {"commands": [COMMAND]})),
        row("c", "user", back("t1", failed)),
        row("d", "user", shown, metadata={"displayRole": "system"}),
        row("e", "assistant", use("t2", "editor", edit)),
        row("f", "user", back("t2", "edited")),
        row("g", "assistant", {"type": "text", "text": ANSWER}),
    ]
    path = folder / f"{SESSION}.messages.json"
    whole = {"version": 1, "agent": "lead", "sessionId": SESSION, "messages": messages}
    path.write_text(json.dumps(whole, indent=1), "utf-8")
    about = {"session_id": SESSION, "cwd": CWD, "metadata": {"git": {"branch": "main"}}}
    path.with_name(f"{SESSION}.json").write_text(json.dumps(about), "utf-8")
    return path


def cline_task(folder: Path) -> Path:
    """A task of Cline's extension, whose calls are XML among the words."""
    run = f"<execute_command>\n<command>{COMMAND}</command>\n</execute_command>"
    edit = f"<replace_in_file>\n<path>{FILE}</path>\n<diff>x</diff>\n</replace_in_file>"
    here = (
        f"<environment_details>\n# Current Working Directory ({CWD}) Files\n</environment_details>"
    )
    end = f"<attempt_completion>\n<result>{ANSWER}</result>\n</attempt_completion>"

    def row(role: str, *texts: str) -> dict[str, Any]:
        return {"role": role, "content": [{"type": "text", "text": text} for text in texts]}

    rows = [
        row("user", f"<task>\n{PROMPT}\n</task>", here),
        row("assistant", f"<thinking>hm</thinking>\n{run}"),
        row("user", f"[execute_command for '{COMMAND}'] Result:\nExit code: 2\n{OUTPUT}", here),
        row("assistant", edit),
        row("user", f"[replace_in_file for '{FILE}'] Result:\nsaved", here),
        row("assistant", end),
    ]
    path = folder / SESSION / "api_conversation_history.json"
    path.parent.mkdir()
    path.write_text(json.dumps(rows), "utf-8")
    return path


def continue_dev(folder: Path) -> Path:
    """A session of Continue, with the list that says when it began."""

    def call(id: str, name: str, given: dict[str, Any]) -> dict[str, Any]:
        return {
            "id": id,
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(given)},
        }

    def state(id: str, status: str, text: str) -> dict[str, Any]:
        return {"toolCallId": id, "status": status, "output": [{"content": text}]}

    edit = {"filepath": f"{CWD}/{FILE}", "old_string": "1", "new_string": "0"}
    calls = [call("t1", "Bash", {"command": COMMAND}), call("t2", "edit_existing_file", edit)]
    ran = f"Error executing tool Bash: Error (exit code 2): {OUTPUT}"
    states = [state("t1", "errored", ran), state("t2", "done", "edited")]
    history = [
        {"message": {"role": "user", "content": PROMPT}},
        {
            "message": {"role": "assistant", "content": "", "toolCalls": calls},
            "toolCallStates": states,
        },
        {"message": {"role": "assistant", "content": ANSWER}},
    ]
    path = folder / f"{SESSION}.json"
    whole = {"sessionId": SESSION, "title": "loaves", "workspaceDirectory": f"file://{CWD}"}
    path.write_text(json.dumps({**whole, "history": history}, indent=1), "utf-8")
    listed = [{"sessionId": SESSION, "dateCreated": "1775548800000"}]
    (folder / "sessions.json").write_text(json.dumps(listed), "utf-8")
    return path


def cursor(folder: Path) -> Path:
    """Cursor's databases: the global one with the bubbles, and one of a workspace."""
    edit = {"target_file": f"{CWD}/{FILE}", "instructions": "count from zero"}
    bubbles: list[dict[str, Any]] = [
        {"bubbleId": "b1", "type": 1, "text": PROMPT, "createdAt": TIME.format(1)},
        {"bubbleId": "b2", "type": 2, "text": "", "createdAt": TIME.format(2), "toolFormerData": {
            "toolCallId": "t1", "name": "run_terminal_cmd", "status": "completed",
            "rawArgs": json.dumps({"command": COMMAND}),
            "result": json.dumps({"output": OUTPUT, "exitCodeV2": 2}),
        }},
        {"bubbleId": "b3", "type": 2, "text": "", "createdAt": TIME.format(4), "toolFormerData": {
            "toolCallId": "t2", "name": "edit_file", "status": "completed",
            "rawArgs": json.dumps(edit), "result": "{}",
        }},
        {"bubbleId": "b4", "type": 2, "text": ANSWER, "createdAt": TIME.format(6)},
    ]  # fmt: skip
    headers = [{"bubbleId": one["bubbleId"], "type": one["type"]} for one in bubbles]
    composer = {
        "name": "loaves",
        "createdAt": 1775548800000,
        "fullConversationHeadersOnly": headers,
    }
    rows = {f"composerData:{SESSION}": composer, "composerData:empty": {"name": "nothing said"}}
    rows |= {f"bubbleId:{SESSION}:{one['bubbleId']}": one for one in bubbles}
    path = folder / "User" / "globalStorage" / "state.vscdb"
    _key_values(path, "cursorDiskKV", rows)
    workspace = folder / "User" / "workspaceStorage" / "w1"
    known = {"allComposers": [{"composerId": SESSION}]}
    _key_values(workspace / "state.vscdb", "ItemTable", {"composer.composerData": known})
    (workspace / "workspace.json").write_text(json.dumps({"folder": f"file://{CWD}"}), "utf-8")
    return path


def _key_values(path: Path, table: str, rows: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True)
    database = apsw.Connection(str(path))
    database.execute(f"CREATE TABLE {table} (key TEXT UNIQUE, value BLOB)")
    for key, value in rows.items():
        values = (key, json.dumps(value).encode())
        database.execute(f"INSERT INTO {table} VALUES (?, ?)", values)
    database.close()


def specstory(folder: Path) -> Path:
    """A SpecStory history of a session of Claude Code's."""
    text = f"""<!-- Generated by SpecStory, Markdown v2.1.0 -->

# 2026-04-07 08:00:00Z

<!-- Claude Code Session {SESSION} (2026-04-07 08:00:00Z) -->

_**User (2026-04-07T08:00:01.000Z)**_

{PROMPT}

---

_**Agent (some-model 2026-04-07T08:00:02.000Z)**_

<think><details><summary>Thought Process</summary>
Off by one, perhaps.
</details></think>

_**Agent (some-model 2026-04-07 08:00:03Z)**_

<tool-use data-tool-type="shell" data-tool-name="Bash"><details>
<summary>Tool use: **Bash**</summary>
Run the tests

`{COMMAND}`
```
Exit code 2
{OUTPUT}
_**User (2026-04-07T08:00:03.000Z)**_
```
</details></tool-use>

_**Agent (some-model 2026-04-07 08:00:04Z)**_

<tool-use data-tool-type="write" data-tool-name="Edit"><details>
<summary>Tool use: **Edit**</summary>
```
The file {CWD}/{FILE} has been updated successfully.
```
</details></tool-use>

_**Agent (some-model 2026-04-07 08:00:06Z)**_

{ANSWER}
"""
    path = folder / CWD.strip("/") / ".specstory" / "history" / "2026-04-07_08-00-00Z-loaves.md"
    path.parent.mkdir(parents=True)
    path.write_text(text, "utf-8")
    return path


def swe_agent(folder: Path) -> Path:
    """A trajectory of SWE-agent."""
    state = json.dumps({"working_dir": CWD})
    steps = [
        {"thought": "", "action": COMMAND, "observation": f"{OUTPUT}\nExit code: 2", "state": state},
        {"thought": "", "action": f"str_replace_editor str_replace {CWD}/{FILE} --old_str 1",
         "observation": "edited", "state": state},
        {"thought": ANSWER, "action": "submit", "observation": "", "state": state},
    ]  # fmt: skip
    history = [
        {"role": "system", "content": "You are a helpful engineer."},
        {"role": "user", "content": "an example", "is_demo": True},
        {"role": "user", "content": PROMPT},
    ]
    path = folder / f"{SESSION}.traj"
    path.write_text(json.dumps({"trajectory": steps, "history": history, "info": {}}), "utf-8")
    return path


WRITERS: dict[str, Callable[[Path], Path]] = {
    "codex": codex,
    "gemini-cli": gemini,
    "gemini-cli-json": gemini_json,
    "qwen-code": qwen,
    "copilot-cli": copilot,
    "opencode": opencode,
    "opencode-export": opencode_export,
    "cline": cline,
    "continue": continue_dev,
    "cursor": cursor,
    "specstory": specstory,
    "swe-agent": swe_agent,
}
"""How the session is written down, by the name of the reader that must take it."""
