"""Qwen Code chats: the envelope of Claude Code with messages in the form of Gemini's API."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from contextd.domain.records import digest
from contextd.imports.importers.gemini_parts import answered_part, parts_text, tokens_of
from contextd.imports.importers.injected_text import is_said
from contextd.imports.importers.json_lines import line_reader, lines_like
from contextd.imports.importers.live_turns import EntryTree
from contextd.imports.importers.transcript_builder import Transcript, list_of, mapping_of, text_of
from contextd_common.dataclass import dataclass

# Messages have parts instead of content.
detects = lines_like(
    lambda line: (
        "sessionId" in line and ("parts" in mapping_of(line.get("message")) or "provenance" in line)
    )
)


@dataclass(slots=True)
class QwenLines:
    """Converts the lines of a chat."""

    transcript: Transcript
    tree: EntryTree = field(default_factory=EntryTree)

    def take(self, line: Mapping[str, Any], raw: bytes) -> None:
        """Convert one line to events."""
        transcript, kind = self.transcript, text_of(line.get("type"))
        transcript.key = text_of(line.get("uuid")) or digest(raw.decode("utf-8", "replace"))
        transcript.session = transcript.session or text_of(line.get("sessionId"))
        transcript.here = text_of(line.get("cwd"))
        transcript.cwd = transcript.cwd or transcript.here
        transcript.git_branch = text_of(line.get("gitBranch")) or transcript.git_branch
        transcript.marks = (
            {"sidechain": True} if line.get("isSidechain") or line.get("agentId") else {}
        )
        transcript.dated(line.get("timestamp"))
        parts = list_of(mapping_of(line.get("message")).get("parts"))
        if line.get("uuid") and not transcript.marks:
            self._place(kind, line, parts)
        if kind == "system":
            self._noted(line)
        elif kind in ("user", "assistant", "tool_result"):
            for index, part in enumerate(parts):
                self._part(kind, index, mapping_of(part), line)
            transcript.used(tokens_of(mapping_of(line.get("usageMetadata"))))
        else:
            transcript.counts[f"type:{kind or 'none'}"] += 1

    def _place(self, kind: str, line: Mapping[str, Any], parts: list[Any]) -> None:
        """Add the line to the tree."""
        key, parent = self.transcript.key, text_of(line.get("parentUuid"))
        text = parts_text(parts)
        person = kind == "user" and line.get("provenance", "real_user") == "real_user"
        if person and is_said(text):
            self.transcript.went_back(self.tree.prompted(key, parent))
        else:
            self.tree.entered(key, parent, agents=kind == "assistant")

    def _part(
        self, kind: str, index: int, part: Mapping[str, Any], line: Mapping[str, Any]
    ) -> None:
        transcript, text = self.transcript, text_of(part.get("text"))
        call, answer = (
            mapping_of(part.get("functionCall")),
            mapping_of(part.get("functionResponse")),
        )
        if call:
            transcript.called(
                text_of(call.get("id")), text_of(call.get("name")), call.get("args"), index
            )
        elif answer:
            about = mapping_of(line.get("toolCallResult"))
            shown = mapping_of(about.get("resultDisplay"))
            failed = about.get("status") == "error"
            answered_part(transcript, answer, failed=failed, result=shown, index=index)
        elif part.get("thought") or not text:
            transcript.counts["junk"] += 1
        elif kind == "assistant":
            transcript.by_agent(text, index)
        elif line.get("provenance", "real_user") == "real_user":
            transcript.by_user(text, index)
        else:
            transcript.counts["injected"] += 1

    def _noted(self, line: Mapping[str, Any]) -> None:
        transcript, kind = self.transcript, text_of(line.get("subtype"))
        about = mapping_of(line.get("systemPayload"))
        if kind == "chat_compression":
            transcript.compacted()
            transcript.key += "-summary"
            transcript.summarised(text_of(about.get("summary")).strip())
        elif kind == "custom_title":
            transcript.titled(text_of(about.get("customTitle")) or text_of(about.get("title")))
        else:
            transcript.counts[f"system:{kind or 'none'}"] += 1


read = line_reader(QwenLines)
