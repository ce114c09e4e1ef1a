"""Claude Code transcripts: one JSON object per line, appended while a session runs.

The vendor calls the format internal, so everything is optional here: unknown entries are counted and skipped.
Lines form a tree by `parentUuid`. Every user and assistant text is kept, marked `sidechain` for a sub-agent's. A
prompt that follows an earlier message than the last tells that the user rewound.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any

from contextd.domain.records import digest
from contextd.imports.importers.injected_text import is_said
from contextd.imports.importers.json_lines import line_reader, parsed
from contextd.imports.importers.live_turns import EntryTree
from contextd.imports.importers.transcript_builder import Transcript, mapping_of, text_of
from contextd_common.dataclass import dataclass


@dataclass(slots=True)
class TypedAhead:
    """The client's queue.

    A message taken out with `remove` reached the agent in the middle of its turn and appears nowhere else in
    older transcripts; newer ones repeat it as an attachment. A dequeued one follows as an ordinary prompt.
    """

    waiting: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    delivered: list[str] = field(default_factory=list[str])
    ahead: int = 0

    def operate(self, operation: str, text: str, key: str) -> tuple[str, str] | None:
        """Process one queue operation. Returns text and key of a message that was delivered."""
        if operation == "enqueue":
            self.waiting.append((text, key))
        elif operation == "popAll":
            self.waiting.clear()
        elif operation == "dequeue":
            self._taken(text)
        elif operation == "remove":
            if self.ahead and not text:
                self.ahead -= 1
                return None
            taken = self._taken(text)
            if taken is not None:
                self.delivered.append(taken[0])
            return taken
        return None

    def attached(self, text: str, key: str) -> tuple[str, str] | None:
        """A message in an attachment; None if `remove` reported it already."""
        if text in self.delivered:
            self.delivered.remove(text)
            return None
        for one in self.waiting:
            if one[0] == text:
                self.waiting.remove(one)
                self.ahead += 1
                return one
        return text, key

    def _taken(self, text: str) -> tuple[str, str] | None:
        for one in self.waiting:
            if not text or one[0] == text:
                self.waiting.remove(one)
                return one
        return None


def message_text(content: Any) -> str:
    """The text of a message, from a string or from blocks."""
    if isinstance(content, str):
        return content.strip()
    blocks = content if isinstance(content, list) else []
    texts = [b.get("text") for b in blocks if isinstance(b, dict) and b.get("type") == "text"]
    return "\n".join(text for text in texts if isinstance(text, str)).strip()


@dataclass(slots=True)
class ClaudeLines:
    """State across lines: the tree of messages and the client's queue."""

    transcript: Transcript
    queue: TypedAhead = field(default_factory=TypedAhead)
    tree: EntryTree = field(default_factory=EntryTree)
    line: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def take(self, line: Mapping[str, Any], raw: bytes) -> None:
        """Convert one line to events."""
        transcript = self.transcript
        self.line = line
        transcript.key = text_of(line.get("uuid")) or digest(raw.decode("utf-8", "replace"))
        transcript.marks = {"sidechain": True} if line.get("isSidechain") else {}
        self._note_surroundings()
        kind, message = text_of(line.get("type")), line.get("message")
        if line.get("uuid") and not line.get("isSidechain"):
            self._place(kind, mapping_of(message).get("content"))
        if kind not in ("user", "assistant"):
            self._other(kind)
        elif not isinstance(message, dict):
            transcript.counts["bad"] += 1
        elif line.get("isCompactSummary") and not line.get("isSidechain"):
            transcript.summarised(message_text(message.get("content")))
        elif line.get("isMeta") or line.get("isCompactSummary") or line.get("isApiErrorMessage"):
            transcript.counts["junk"] += 1
        else:
            self._message(kind, message)

    def _note_surroundings(self) -> None:
        transcript, line, session = self.transcript, self.line, text_of(self.line.get("sessionId"))
        if session and (not transcript.session or session == transcript.path.stem):
            transcript.session = session
        transcript.here = text_of(line.get("cwd"))
        transcript.cwd = transcript.cwd or transcript.here
        transcript.git_branch = text_of(line.get("gitBranch")) or transcript.git_branch
        transcript.entrypoint = transcript.entrypoint or text_of(line.get("entrypoint"))[:100]
        if not transcript.dated(line.get("timestamp")) and "message" in line:
            transcript.counts["undated"] += 1

    def _other(self, kind: str) -> None:
        transcript, line = self.transcript, self.line
        transcript.counts[f"type:{kind or 'none'}"] += 1
        if kind == "summary" and text_of(line.get("summary")):
            transcript.titled(text_of(line.get("summary")))
            transcript.key = f"summary:{text_of(line.get('leafUuid')) or digest(transcript.title)}"
            transcript.add("note", 0, text=text_of(line.get("summary")), data={"summary": True})
        elif kind == "ai-title" and text_of(line.get("aiTitle")):
            transcript.titled(text_of(line.get("aiTitle")))
        elif kind == "system" and line.get("subtype") == "compact_boundary":
            transcript.compacted()
        elif kind == "queue-operation":
            text = text_of(line.get("content"))
            self._queued(self.queue.operate(text_of(line.get("operation")), text, transcript.key))
        elif kind == "attachment" and isinstance(line.get("attachment"), dict):
            self._attached(line["attachment"])
        else:
            transcript.counts["junk"] += 1

    def _attached(self, attachment: Mapping[str, Any]) -> None:
        if attachment.get("type") != "queued_command":
            self.transcript.counts["junk"] += 1
            return
        if attachment.get("commandMode") in (None, "", "prompt"):
            text = message_text(attachment.get("prompt"))
            self._queued(self.queue.attached(text, self.transcript.key) if text else None)

    def _queued(self, arrived: tuple[str, str] | None) -> None:
        if arrived is None:
            return
        text, key = arrived
        here, self.transcript.key = self.transcript.key, f"{key}:queued"
        self.transcript.by_user(text, origin="queued")
        self.transcript.key = here

    def _message(self, role: str, message: Mapping[str, Any]) -> None:
        transcript, content = self.transcript, message.get("content")
        blocks = content if isinstance(content, list) else [content]
        before = len(transcript.events)
        for index, block in enumerate(blocks):
            if isinstance(block, str):
                self._said(role, index, block)
            elif isinstance(block, dict):
                self._block(role, index, block)
        if len(transcript.events) == before:
            transcript.counts["junk"] += 1
        # One answer spans several lines, each with the usage of the whole answer.
        tokens = {n: v for n, v in mapping_of(message.get("usage")).items() if n.endswith("tokens")}
        if tokens:
            transcript.used(tokens, text_of(message.get("id")))

    def _said(self, role: str, index: int, text: str) -> None:
        if role == "user":
            self.transcript.by_user(text, index)
        else:
            self.transcript.by_agent(text, index)

    def _block(self, role: str, index: int, block: Mapping[str, Any]) -> None:
        kind = text_of(block.get("type"))
        if kind == "text":
            self._said(role, index, text_of(block.get("text")))
        elif kind == "tool_use":
            given = mapping_of(block.get("input"))
            self.transcript.called(
                text_of(block.get("id")), text_of(block.get("name")), given, index
            )
        elif kind == "tool_result":
            self.transcript.answered(
                text_of(block.get("tool_use_id")),
                block.get("content"),
                failed=bool(block.get("is_error")),
                result=self.line.get("toolUseResult"),
                index=index,
            )
        else:
            self.transcript.counts[f"block:{kind or 'none'}"] += 1

    def _place(self, kind: str, content: Any) -> None:
        """Add the line to the tree."""
        line, key = self.line, self.transcript.key
        parent = text_of(line.get("parentUuid"))
        blocks = content if isinstance(content, list) else [content]
        answers = any(isinstance(b, dict) and b.get("type") == "tool_result" for b in blocks)
        text = message_text(content)
        command = text.startswith("<command-")
        machines = line.get("isMeta") or line.get("isCompactSummary") or answers
        if kind != "user" or machines or not (command or is_said(text)):
            agents = kind == "assistant" and not line.get("isApiErrorMessage")
            self.tree.entered(key, parent, agents=agents)
            return
        self.transcript.went_back(self.tree.prompted(key, parent, command=command))


read = line_reader(ClaudeLines)


def detects(path: Path, head: Sequence[str]) -> bool:
    """Whether the first lines look like a Claude Code transcript."""
    if path.suffix != ".jsonl":
        return False
    for text in head:
        line = parsed(text)
        if isinstance(line, dict) and ("provenance" in line or "projectHash" in line):
            # Clients that adopted the envelope use other contents.
            return False
        if isinstance(line, dict) and "sessionId" in line and ("uuid" in line or "type" in line):
            return True
        if isinstance(line, dict) and line.get("type") in ("file-history-snapshot", "summary"):
            return True
    return False


def beside(path: Path) -> Iterable[Path]:
    """The transcripts of a session's sub-agents, including those of workflows: they are in a folder named
    after the session. Nested sub-agents' transcripts are found with their session.
    """
    return sorted(path.with_suffix("").glob("subagents/**/agent-*.jsonl"))
