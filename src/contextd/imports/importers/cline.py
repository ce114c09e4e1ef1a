"""Cline: the messages of a session or task as one JSON document, in blocks like Claude's API."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from contextd.imports.importers.documents import document_reader, entry_key
from contextd.imports.importers.injected_text import unwrapped
from contextd.imports.importers.json_lines import parsed
from contextd.imports.importers.transcript_builder import Transcript, list_of, mapping_of, text_of
from contextd_common.files.guarded import read_file

_TASK = "api_conversation_history.json"
_XML_TOOLS = (
    "execute_command|write_to_file|replace_in_file|apply_diff|read_file|search_files|list_files"
    "|list_code_definition_names|use_mcp_tool|ask_followup_question|attempt_completion|new_task"
    "|plan_mode_respond"
)
_XML_CALL = re.compile(rf"<(?P<tool>{_XML_TOOLS})>(?P<given>.*?)</(?P=tool)>", re.S)
_GIVEN = re.compile(r"<(\w+)>\n?(.*?)\n?</\1>", re.S)
_RESULT = re.compile(rf"\A\[(?P<tool>{_XML_TOOLS})\b[^\n]*\] Result:\s*", re.S)
_HERE = re.compile(r"# Current Working Directory \((.+?)\)")
_SAID = frozenset({"attempt_completion", "plan_mode_respond", "ask_followup_question"})
_INSTRUCTIONS = re.compile(r"\[ERROR\] You did not use a tool|^# TODO LIST|\ATODO LIST ", re.M)


def detects(path: Path, head: Sequence[str]) -> bool:
    """Whether a file looks like the messages of a Cline session or task."""
    beginning = "".join(head)[:4_000]
    if path.name == _TASK:
        return '"role"' in beginning and '"content"' in beginning
    return path.name.endswith(".messages.json") or (
        path.suffix == ".json" and '"messages"' in beginning and '"agent"' in beginning
        and '"sessionId"' in beginning
    )  # fmt: skip


def _tell(transcript: Transcript, document: Any) -> None:
    about = mapping_of(document)
    messages = list_of(document) or list_of(about.get("messages"))
    transcript.session = text_of(about.get("sessionId")) or (
        transcript.path.parent.name
        if transcript.path.name == _TASK
        else transcript.path.name.partition(".")[0]
    )
    if transcript.session[:13].isdigit():
        # The id begins with the start time of the session.
        transcript.dated(int(transcript.session[:13]))
    if about.get("agent") not in (None, "lead"):
        transcript.marks = {"sidechain": True, "agent": text_of(about.get("agent"))}
    _surroundings(transcript)
    seen: Counter[str] = Counter()
    for message in list(messages):
        if isinstance(message, dict):
            _message(transcript, message, seen)


def _surroundings(transcript: Transcript) -> None:
    """Session facts from the file beside the messages."""
    for beside in (
        transcript.path.with_name(f"{transcript.session}.json"),
        transcript.path.with_name("session.json"),
    ):
        try:
            about = mapping_of(parsed(read_file(beside).decode()))
        except (OSError, ValueError):
            continue
        metadata = mapping_of(about.get("metadata"))
        transcript.cwd = text_of(about.get("cwd"))
        transcript.git_branch = text_of(mapping_of(metadata.get("git")).get("branch"))
        transcript.titled(text_of(metadata.get("title")))
        if about.get("interactive") is False:
            transcript.entrypoint = "exec"
        return


def _message(transcript: Transcript, message: Mapping[str, Any], seen: Counter[str]) -> None:
    content = message.get("content")
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else list_of(content)
    transcript.key = text_of(message.get("id")) or entry_key(
        seen, {"r": message.get("role"), "c": content}
    )
    transcript.dated(message.get("ts"))
    role = text_of(message.get("role"))
    if mapping_of(message.get("metadata")).get("displayRole") == "system":
        transcript.counts["injected"] += 1
        return
    for place, block in enumerate(map(mapping_of, blocks)):
        kind, text = text_of(block.get("type")), text_of(block.get("text"))
        if kind == "text" and role == "assistant":
            _said(transcript, text, place)
        elif kind == "text":
            _asked(transcript, text, place)
        elif kind == "tool_use":
            id, name = text_of(block.get("id")), text_of(block.get("name"))
            transcript.called(id, name, block.get("input"), place)
        elif kind == "tool_result":
            _answered(transcript, block, place)
        else:
            transcript.counts[f"block:{kind or 'none'}"] += 1
    metrics = mapping_of(message.get("metrics"))
    names = {"inputTokens": "input_tokens", "outputTokens": "output_tokens"}
    transcript.used({name: metrics.get(called, 0) for called, name in names.items()})


def _said(transcript: Transcript, text: str, place: int) -> None:
    """The agent's words; older tasks have their calls in the text as XML."""
    calls = list(_XML_CALL.finditer(text))
    words = re.sub(r"<thinking>.*?</thinking>", "", _XML_CALL.sub("", text), flags=re.S)
    transcript.by_agent(words.strip(), place)
    for nth, call in enumerate(calls):
        given = dict(_GIVEN.findall(call["given"]))
        index = 100 * (place + 1) + nth
        if call["tool"] in _SAID:
            transcript.by_agent(
                given.get("result") or given.get("response") or given.get("question") or "", index
            )
        else:
            transcript.called(_xml_id(transcript, call["tool"]), call["tool"], given, index)


def _xml_id(transcript: Transcript, tool: str) -> str:
    """An id for a call without one: the next message has its answer and names the tool."""
    id = f"{transcript.key}-{tool}"
    transcript.open[tool] = id
    return id


def _asked(transcript: Transcript, text: str, place: int) -> None:
    if not transcript.cwd and (found := _HERE.search(text)):
        transcript.cwd = found[1]
    result = _RESULT.match(text)
    if result is not None:
        words = unwrapped("\n".join(re.findall(r"<feedback>(.*?)</feedback>", text, re.S)))
        id = transcript.open.pop(result["tool"], "")
        if id:
            transcript.ran(id, text[result.end() :], index=place)
        if words.strip():
            transcript.by_user(words, 100 + place)
    elif _INSTRUCTIONS.search(text):
        transcript.counts["injected"] += 1
    else:
        transcript.by_user(unwrapped(text), place)


def _answered(transcript: Transcript, block: Mapping[str, Any], place: int) -> None:
    content = block.get("content")
    failed = bool(block.get("is_error"))
    rows = [mapping_of(row) for row in list_of(content)]
    if rows and any("result" in row for row in rows):
        failed = failed or any(row.get("success") is False for row in rows)
        content = "\n".join(text_of(row.get("result")) or text_of(row.get("error")) for row in rows)
    elif rows:
        content = "\n".join(text_of(row.get("text")) for row in rows)
    elif isinstance(content, str) and content.startswith('{"content":['):
        answer = mapping_of(parsed(content))
        failed = failed or answer.get("isError") is True
        content = "\n".join(_texts(answer)) or content
    transcript.ran(text_of(block.get("tool_use_id")), _text(content), failed=failed, index=place)


def _texts(answer: Mapping[str, Any]) -> Iterator[str]:
    for block in list_of(answer.get("content")):
        yield text_of(mapping_of(block).get("text"))


def _text(content: Any) -> str:
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)


read = document_reader(_tell)
