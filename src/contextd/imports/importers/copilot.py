"""GitHub Copilot CLI: the events of a session, one per line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from contextd.domain.records import digest
from contextd.imports.importers.json_lines import line_reader, lines_like
from contextd.imports.importers.transcript_builder import Transcript, mapping_of, text_of
from contextd_common.dataclass import dataclass

_OURS = ("session.", "user.", "assistant.", "tool.", "hook.", "system.", "subagent.")


detects = lines_like(
    lambda line: text_of(line.get("type")).startswith(_OURS) and isinstance(line.get("data"), dict)
)


@dataclass(slots=True)
class CopilotLines:
    """Converts the client's events."""

    transcript: Transcript

    def take(self, line: Mapping[str, Any], raw: bytes) -> None:
        """Convert one line to events."""
        transcript, kind, data = (
            self.transcript,
            text_of(line.get("type")),
            mapping_of(line.get("data")),
        )
        transcript.key = text_of(line.get("id")) or digest(raw.decode("utf-8", "replace"))
        agent = text_of(line.get("agentId")) or text_of(data.get("parentToolCallId"))
        transcript.marks = {"sidechain": True, "agent": agent} if agent else {}
        transcript.dated(line.get("timestamp"))
        call = text_of(data.get("toolCallId"))
        match kind:
            case "session.start" | "session.resume":
                self._began(data)
            case "session.context_changed":
                transcript.here = text_of(data.get("cwd")) or transcript.here
            case "user.message":
                queued = data.get("delivery") not in (None, "", "idle")
                transcript.by_user(
                    text_of(data.get("content")), origin="queued" if queued else "prompt"
                )
            case "assistant.message":
                transcript.by_agent(text_of(data.get("content")))
            case "tool.execution_start":
                transcript.called(call, text_of(data.get("toolName")), data.get("arguments"))
            case "tool.execution_complete":
                self._answered(call, data)
            case "session.compaction_complete":
                transcript.compacted()
                transcript.key += "-summary"
                transcript.summarised(text_of(data.get("summaryContent")).strip())
            case "session.title_changed":
                transcript.titled(text_of(data.get("title")))
            case "session.usage_record":
                self._used(mapping_of(data.get("usage")))
            case "abort":
                transcript.interrupted()
            case _:
                transcript.counts[f"type:{kind or 'none'}"] += 1

    def _began(self, data: Mapping[str, Any]) -> None:
        transcript, context = self.transcript, mapping_of(data.get("context"))
        transcript.session = transcript.session or text_of(data.get("sessionId"))
        transcript.here = text_of(context.get("cwd"))
        transcript.cwd = transcript.cwd or transcript.here
        transcript.git_branch = text_of(context.get("branch")) or transcript.git_branch

    def _answered(self, call: str, data: Mapping[str, Any]) -> None:
        result, error = mapping_of(data.get("result")), mapping_of(data.get("error"))
        text = text_of(result.get("content")) or text_of(error.get("message"))
        self.transcript.ran(call, text, failed=data.get("success") is False)

    def _used(self, usage: Mapping[str, Any]) -> None:
        names = {
            "inputTokens": "input_tokens",
            "outputTokens": "output_tokens",
            "cacheReadTokens": "cache_read_input_tokens",
        }
        counted = {name: usage.get(key, 0) for key, name in names.items()}
        self.transcript.used(counted, text_of(usage.get("apiCallId")))


read = line_reader(CopilotLines)
