"""Codex rollouts: `{timestamp, type, payload}` per line, appended while a session runs.

Model input and output is in `response_item` lines. Newer rollouts also report each complete step
(`item_completed`); such a line counts if no other line reported its step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any

from contextd.domain.records import digest
from contextd.imports.importers.injected_text import is_said
from contextd.imports.importers.json_lines import line_reader, parsed
from contextd.imports.importers.live_turns import LiveTurns
from contextd.imports.importers.transcript_builder import Transcript, list_of, mapping_of, text_of
from contextd_common.dataclass import dataclass

_ITEMS = frozenset(
    {
        "message", "function_call", "function_call_output", "custom_tool_call",
        "custom_tool_call_output", "local_shell_call", "reasoning", "web_search_call",
    }
)  # fmt: skip
_TYPES = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})
_ASKED = "## My request for Codex:"
"""An editor's extension writes the user's words after this line and the open files before it."""


def detects(path: Path, head: Sequence[str]) -> bool:
    """Whether the first lines look like a Codex rollout."""
    if ".jsonl" not in path.suffixes[-2:]:
        return False
    for text in head:
        line = parsed(text)
        if isinstance(line, dict):
            if line.get("type") in _TYPES and isinstance(line.get("payload"), dict):
                return True
            if "record_type" in line or ("instructions" in line and "git" in line):
                return True
    return False


@dataclass(slots=True)
class CodexLines:
    """State across the lines of a rollout."""

    transcript: Transcript
    asked: set[str] = field(default_factory=set[str])
    recorded: bool = False
    turns: LiveTurns = field(default_factory=LiveTurns)

    def take(self, line: Mapping[str, Any], raw: bytes) -> None:
        """Convert one line to events."""
        transcript, kind = self.transcript, text_of(line.get("type"))
        payload = mapping_of(line.get("payload"))
        transcript.key = digest(raw.decode("utf-8", "replace"))
        transcript.marks = {"sidechain": True} if transcript.parent else {}
        transcript.dated(line.get("timestamp") or payload.get("timestamp"))
        if kind in _ITEMS and not payload:
            # Rollouts of early 2025 have no envelope.
            kind, payload = "response_item", line
        if kind == "response_item":
            self._item(payload)
        elif kind == "event_msg":
            self._happened(payload)
        elif kind == "session_meta" or ("instructions" in line and not transcript.session):
            self._began(payload or line)
        elif kind == "turn_context":
            transcript.here = text_of(payload.get("cwd")) or transcript.here
            transcript.cwd = transcript.cwd or transcript.here
        elif kind == "compacted":
            transcript.compacted()
            transcript.key += "-summary"
            transcript.summarised(text_of(payload.get("message")).strip())
        elif kind == "token_usage_record":
            self.recorded = True
            transcript.used(mapping_of(payload.get("usage")), text_of(payload.get("response_id")))
        else:
            transcript.counts[f"type:{kind or 'none'}"] += 1
            transcript.counts["junk"] += 1

    def _began(self, about: Mapping[str, Any]) -> None:
        transcript = self.transcript
        if transcript.session:
            # A forked session repeats the beginning of its parent.
            return
        transcript.session = text_of(about.get("id")) or text_of(about.get("session_id"))
        transcript.cwd = transcript.here = text_of(about.get("cwd"))
        transcript.git_branch = text_of(mapping_of(about.get("git")).get("branch"))
        source = about.get("source")
        transcript.entrypoint = text_of(source)[:100] or text_of(about.get("originator"))[:100]
        delegated = mapping_of(source).get("subagent") or mapping_of(source).get("subAgent")
        if delegated:
            spawned = mapping_of(mapping_of(delegated).get("thread_spawn"))
            transcript.parent = text_of(spawned.get("parent_thread_id")) or "unknown"

    def _item(self, item: Mapping[str, Any]) -> None:
        transcript, kind, call = (
            self.transcript,
            text_of(item.get("type")),
            text_of(item.get("call_id")),
        )
        if kind == "message":
            self._message(item)
        elif kind in ("function_call", "custom_tool_call"):
            space, name = text_of(item.get("namespace")), text_of(item.get("name"))
            given = item.get("arguments", item.get("input"))
            transcript.called(call, f"{space}__{name}" if space else name, given)
        elif kind in ("function_call_output", "custom_tool_call_output"):
            self._answered(call, item.get("output"))
        elif kind == "local_shell_call":
            action = mapping_of(item.get("action"))
            transcript.called(call or text_of(item.get("id")), "local_shell", dict(action))
        elif kind == "web_search_call":
            transcript.called(transcript.key, kind, mapping_of(item.get("action")))
        else:
            transcript.counts["junk"] += 1

    def _message(self, item: Mapping[str, Any]) -> None:
        transcript, role = self.transcript, text_of(item.get("role"))
        about = mapping_of(item.get("internal_chat_message_metadata_passthrough"))
        kinds = list_of(about.get("content_item_kinds"))
        named = text_of(item.get("id"))
        transcript.key = named or transcript.key
        for place, block in enumerate(list_of(item.get("content"))):
            text = text_of(mapping_of(block).get("text"))
            kind = text_of(kinds[place]) if place < len(kinds) else ""
            if role == "assistant":
                transcript.by_agent(text, place)
            elif role == "user" and kind in ("", "unknown", "user.text"):
                self._asked(text, place)
            elif text:
                transcript.counts["injected"] += 1

    def _asked(self, text: str, place: int) -> None:
        if _ASKED in text:
            text = text.partition(_ASKED)[2]
        self.asked.add(text.strip())
        self.transcript.by_user(text, place)
        if is_said(text):
            self.turns.begun(self.transcript.key)

    def _answered(self, call: str, output: Any) -> None:
        transcript, failed = self.transcript, False
        if isinstance(output, str) and output.startswith('{"'):
            # Rollouts of 2025 wrap a command's output in JSON.
            wrapped = parsed(output)
            if isinstance(wrapped, dict) and isinstance(wrapped.get("metadata"), dict):
                code = wrapped["metadata"].get("exit_code")
                transcript.answered(call, text_of(wrapped.get("output")), result={"exitCode": code})
                return
        if isinstance(output, dict):
            failed, output = output.get("success") is False, output.get("content")
        if isinstance(output, list):
            transcript.answered(call, output, failed=failed)
        else:
            transcript.ran(call, text_of(output), failed=failed)

    def _happened(self, about: Mapping[str, Any]) -> None:
        transcript, kind = self.transcript, text_of(about.get("type"))
        if kind == "item_completed":
            self._completed(mapping_of(about.get("item")))
        elif kind == "turn_aborted":
            transcript.interrupted()
        elif kind == "thread_rolled_back":
            count = about.get("num_turns")
            if isinstance(count, int):
                transcript.went_back(self.turns.without_last(count))
        elif kind == "token_count" and not self.recorded:
            transcript.used(mapping_of(mapping_of(about.get("info")).get("last_token_usage")))
        else:
            transcript.counts[f"event:{kind or 'none'}"] += 1

    def _completed(self, item: Mapping[str, Any]) -> None:
        transcript, kind, named = (
            self.transcript,
            text_of(item.get("type")),
            text_of(item.get("id")),
        )
        texts = [text_of(mapping_of(block).get("text")) for block in list_of(item.get("content"))]
        transcript.key = named or transcript.key
        if kind == "UserMessage":
            text = "\n".join(texts)
            if text.strip() not in self.asked:
                self._asked(text, 0)
        elif kind == "AgentMessage":
            for place, text in enumerate(texts):
                transcript.by_agent(text, place)
        elif named in transcript.calls:
            return
        elif kind == "CommandExecution":
            transcript.called(named, "exec_command", {"command": list_of(item.get("command"))})
            result = {"exitCode": item.get("exit_code")}
            transcript.answered(
                named, text_of(item.get("aggregated_output")), result=result, index=1
            )
        elif kind == "FileChange":
            for place, path in enumerate(mapping_of(item.get("changes"))):
                transcript.called(f"{named}.{place}", "Edit", {"file_path": path}, place)
        else:
            transcript.counts[f"item:{kind or 'none'}"] += 1


read = line_reader(CodexLines)
