"""Gemini CLI chats: one message per line, repeated when it gains tool calls; older ones are one JSON
document.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any

from contextd.domain.records import digest
from contextd.imports.importers.documents import document_reader
from contextd.imports.importers.gemini_parts import answered_part, parts_text, tokens_of
from contextd.imports.importers.injected_text import is_said
from contextd.imports.importers.json_lines import line_reader, lines_like, parsed
from contextd.imports.importers.live_turns import LiveTurns
from contextd.imports.importers.transcript_builder import Transcript, list_of, mapping_of, text_of
from contextd_common.dataclass import dataclass
from contextd_common.files.guarded import open_file, read_file

_SETTLED = frozenset({"success", "error", "cancelled"})
_FOLDER = re.compile(r"Workspace Director(?:y|ies):\*\*\s*(?:\n\s*-\s*)?(/[^\n]+)")


detects = lines_like(lambda line: "sessionId" in line and "projectHash" in line, most=3)


def detects_json(path: Path, head: Sequence[str]) -> bool:
    """Whether a file looks like a chat of an older version: one object with all messages."""
    beginning = "".join(head)[:2_000]
    return path.suffix == ".json" and '"sessionId"' in beginning and '"projectHash"' in beginning


def beside(path: Path) -> Iterable[Path]:
    """The chats of a session's sub-agents, in a folder named by its id."""
    with open_file(path) as stream:
        header = mapping_of(parsed(stream.readline(65_536)))
    id = text_of(header.get("sessionId"))
    if header.get("kind") == "subagent" or not re.fullmatch(r"[\w-]+", id):
        return ()
    return sorted(path.parent.glob(f"{id}/*.jsonl"))


@dataclass(slots=True)
class GeminiLines:
    """Converts the lines of a chat."""

    transcript: Transcript
    turns: LiveTurns = field(default_factory=LiveTurns)

    def take(self, line: Mapping[str, Any], raw: bytes) -> None:
        """Convert one line to events."""
        if "$set" in line:
            self.header(mapping_of(line["$set"]))
        elif "$rewindTo" in line:
            self._rewound(text_of(line["$rewindTo"]))
        elif "id" in line:
            self.message(line)
        elif "sessionId" in line:
            self.header(line)
        else:
            self.transcript.counts["type:none"] += 1
        del raw

    def header(self, about: Mapping[str, Any]) -> None:
        """Session facts from a header, a patch of it or an older file."""
        transcript = self.transcript
        transcript.session = transcript.session or text_of(about.get("sessionId"))
        if about.get("kind") == "subagent":
            transcript.parent = transcript.path.parent.name
        folders = [one for one in list_of(about.get("directories")) if isinstance(one, str)]
        transcript.cwd = (
            transcript.cwd or _folder_of(transcript.path) or (folders[0] if folders else "")
        )
        if text_of(about.get("summary")):
            transcript.titled(text_of(about.get("summary")))
        for message in list_of(about.get("messages")):
            if isinstance(message, dict):
                self.message(message)

    def message(self, message: Mapping[str, Any]) -> None:
        """One message, in its current version."""
        transcript, kind = self.transcript, text_of(message.get("type"))
        named = text_of(message.get("id")) or digest(json.dumps(message, sort_keys=True))
        transcript.key = named.replace(":", "-")
        transcript.marks = {"sidechain": True} if transcript.parent else {}
        transcript.dated(message.get("timestamp"))
        text = parts_text(message.get("content"))
        if kind == "user":
            found = _FOLDER.search(text) if not transcript.cwd else None
            transcript.cwd = found[1].strip() if found else transcript.cwd
            if text:
                transcript.by_user(text)
            if is_said(text):
                self.turns.begun(transcript.key)
        elif kind == "gemini":
            if text:
                transcript.by_agent(text)
            transcript.used(tokens_of(mapping_of(message.get("tokens"))), transcript.key)
            for call in list_of(message.get("toolCalls")):
                self._called(mapping_of(call))
        else:
            transcript.counts[f"type:{kind or 'none'}"] += 1

    def _rewound(self, named: str) -> None:
        """The chat goes on before this message: it and all after it are left."""
        entry = named.replace(":", "-")
        self.transcript.key = entry
        self.transcript.marks = {}
        self.transcript.went_back(self.turns.without_from(entry))

    def _called(self, call: Mapping[str, Any]) -> None:
        transcript, id, status = (
            self.transcript,
            text_of(call.get("id")),
            text_of(call.get("status")),
        )
        if status not in _SETTLED:
            # It is repeated once it is final.
            return
        transcript.key = (id or transcript.key).replace(":", "-")
        transcript.called(id, text_of(call.get("name")), call.get("args"))
        transcript.dated(call.get("timestamp"))
        answers = [mapping_of(p).get("functionResponse") for p in list_of(call.get("result"))]
        answer = next((dict(one) for one in answers if isinstance(one, dict)), {})
        answered_part(
            transcript, {**answer, "id": id}, failed=status == "error", result={}, index=1
        )


def _folder_of(chat: Path) -> str:
    """The directory of a chat: its folder's name is a key in the client's list."""
    folder = next((one.parent for one in chat.parents if one.name == "chats"), None)
    if folder is None:
        return ""
    try:
        listed = parsed(read_file(folder.parents[1] / "projects.json").decode())
    except (OSError, ValueError, IndexError):
        return ""
    known = mapping_of(mapping_of(listed).get("projects")) or mapping_of(listed)
    return next((path for path, name in known.items() if name == folder.name), "")


def _whole(transcript: Transcript, document: Any) -> None:
    GeminiLines(transcript).header(mapping_of(document))


read = line_reader(GeminiLines)
read_json = document_reader(_whole)
