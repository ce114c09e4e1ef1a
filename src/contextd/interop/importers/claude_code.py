"""Claude Code transcripts: one JSON object per line, appended while a session runs.

The vendor calls the format internal, so everything is optional here: what is not understood is
counted and passed over. Lines are linked by `parentUuid` into a tree; every user and assistant text
is kept, marked `sidechain` for a subagent's and `branch` for what was said after a rewind.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO

from contextd.domain.errors import NotFound
from contextd.domain.records import digest
from contextd.domain.sessions import Event, EventType
from contextd.domain.time import parse_instant
from contextd.interop.importers.batch import ImportBatch, Redact, unredacted
from contextd.interop.importers.injected import INTERRUPTED, own_words
from contextd.interop.importers.tools import (
    accessed_file,
    call_text,
    exit_code,
    output_text,
    trimmed,
)

LONGEST_LINE = 16 * 1024 * 1024
LONGEST_TEXT = 50_000
MOST_EVENTS = 50_000


def detects(path: Path, head: Sequence[str]) -> bool:
    """Whether the first lines look like a Claude Code transcript."""
    if path.suffix != ".jsonl":
        return False
    for text in head:
        line = _parsed(text)
        if isinstance(line, dict) and "sessionId" in line and ("uuid" in line or "type" in line):
            return True
        if isinstance(line, dict) and line.get("type") in ("file-history-snapshot", "summary"):
            return True
    return False


def read(
    path: Path, offset: int = 0, *, redact: Redact = unredacted, limit: int = MOST_EVENTS
) -> ImportBatch:
    """The events of the complete lines from byte `offset` on, about `limit` of them at most.

    Reading on from `next_offset`, or again from 0, gives every event the same key. An offset past
    the end means the file was rewritten: it is read from the start. Raises `NotFound`.
    """
    try:
        with path.open("rb") as stream:
            size = stream.seek(0, 2)
            offset = offset if 0 <= offset <= size else 0
            stream.seek(offset)
            state = _Reading(path.stem, redact, datetime.fromtimestamp(path.stat().st_mtime, UTC))
            return _read(stream, offset, limit, state)
    except OSError as error:
        raise NotFound(f"cannot read {path}: {error.strerror}", "check the path") from error


def _read(stream: BinaryIO, offset: int, limit: int, state: _Reading) -> ImportBatch:
    done = True
    for raw, end in _lines(stream, offset, state.counts):
        line = _parsed(raw) if raw else None
        if raw and not raw.endswith(b"\n") and not isinstance(line, dict):
            break
        offset = end
        state.counts["read"] += 1
        if isinstance(line, dict):
            state.take(line, raw)
        elif raw.strip():
            state.counts["bad"] += 1
        if len(state.events) >= limit:
            done = False
            break
    times = [event.at for event in state.events]
    state.counts["events"] = len(state.events)
    return ImportBatch(
        external_id=state.session,
        cwd=state.cwd,
        branch=state.git_branch,
        title=state.title,
        started=min(times, default=None),
        ended=max(times, default=None),
        events=tuple(state.events),
        next_offset=offset,
        done=done,
        counts=dict(state.counts),
        usage=dict(state.usage),
    )


def _lines(stream: BinaryIO, offset: int, counts: Counter[str]) -> Iterator[tuple[bytes, int]]:
    """Every line with the offset after it; an oversize one comes as b"" and is not held."""
    while raw := stream.readline(LONGEST_LINE):
        offset += len(raw)
        if len(raw) < LONGEST_LINE or raw.endswith(b"\n"):
            yield raw, offset
            continue
        while raw and not raw.endswith(b"\n"):
            raw = stream.readline(LONGEST_LINE)
            offset += len(raw)
        if not raw:
            return
        counts["oversize"] += 1
        yield b"", offset


def _parsed(raw: bytes | str) -> Any:
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


@dataclass(slots=True)
class _Reading:
    """What is known so far of the transcript being read."""

    stem: str
    redact: Redact
    last: datetime
    session: str = ""
    cwd: str = ""
    git_branch: str = ""
    title: str = ""
    events: list[Event] = field(default_factory=list[Event])
    counts: Counter[str] = field(default_factory=Counter[str])
    usage: Counter[str] = field(default_factory=Counter[str])
    keys: set[str] = field(default_factory=set[str])
    tools: dict[str, str] = field(default_factory=dict[str, str])
    branches: dict[str, int] = field(default_factory=dict[str, int])
    prompted: set[str] = field(default_factory=set[str])
    billed: set[str] = field(default_factory=set[str])
    line: Mapping[str, Any] = field(default_factory=dict[str, Any])
    key: str = ""

    def take(self, line: Mapping[str, Any], raw: bytes) -> None:
        """Turn one line into events."""
        self.line = line
        self.key = _text(line.get("uuid")) or digest(raw.decode("utf-8", "replace"))
        self._note_surroundings()
        kind, message = _text(line.get("type")), line.get("message")
        if kind not in ("user", "assistant"):
            self._other(kind)
        elif not isinstance(message, dict):
            self.counts["bad"] += 1
        elif line.get("isMeta") or line.get("isCompactSummary") or line.get("isApiErrorMessage"):
            self.counts["junk"] += 1
        else:
            self._message(kind, message)

    def _note_surroundings(self) -> None:
        line, session = self.line, _text(self.line.get("sessionId"))
        if session and (not self.session or session == self.stem):
            self.session = session
        self.cwd = self.cwd or _text(line.get("cwd"))
        self.git_branch = _text(line.get("gitBranch")) or self.git_branch
        try:
            self.last = parse_instant(_text(line.get("timestamp")))
        except ValueError:
            if "message" in line:
                self.counts["undated"] += 1

    def _other(self, kind: str) -> None:
        self.counts[f"type:{kind or 'none'}"] += 1
        line = self.line
        if kind == "summary" and _text(line.get("summary")):
            self.title = self.redact(_text(line.get("summary"))[:300])[0]
            self.key = f"summary:{_text(line.get('leafUuid')) or digest(self.title)}"
            self._add("note", 0, text=_text(line.get("summary")), data={"summary": True})
        elif kind == "ai-title" and _text(line.get("aiTitle")):
            self.title = self.redact(_text(line.get("aiTitle"))[:300])[0]
        elif kind == "system" and line.get("subtype") == "compact_boundary":
            self._add("note", 0, text="context compacted", data={"compact": True})
        else:
            self.counts["junk"] += 1

    def _message(self, role: str, message: Mapping[str, Any]) -> None:
        content = message.get("content")
        blocks = content if isinstance(content, list) else [content]
        prompt = role == "user" and not any(
            isinstance(b, dict) and b.get("type") == "tool_result" for b in blocks
        )
        branch = self._branch(prompt)
        before = len(self.events)
        for index, block in enumerate(blocks):
            if isinstance(block, str):
                self._said(role, index, block, branch)
            elif isinstance(block, dict):
                self._block(role, index, block, branch)
        if len(self.events) == before:
            self.counts["junk"] += 1
        self._count_usage(message)

    def _block(self, role: str, index: int, block: Mapping[str, Any], branch: int) -> None:
        kind = _text(block.get("type"))
        if kind == "text":
            self._said(role, index, _text(block.get("text")), branch)
        elif kind == "tool_use":
            self._called(index, block, branch)
        elif kind == "tool_result":
            self._answered(index, block, branch)
        else:
            self.counts[f"block:{kind or 'none'}"] += 1

    def _said(self, role: str, index: int, text: str, branch: int) -> None:
        if role == "user" and text.lstrip().startswith(INTERRUPTED):
            self._add("note", index, role, INTERRUPTED + "]", {"interrupted": True}, branch)
            return
        words = own_words(text)
        if words != text.strip():
            self.counts["injected"] += 1
        if words:
            self._add("message", index, role, words[:LONGEST_TEXT], {}, branch)

    def _called(self, index: int, block: Mapping[str, Any], branch: int) -> None:
        name, call = _text(block.get("name")), _text(block.get("id"))
        given = block.get("input")
        arguments: Mapping[str, Any] = given if isinstance(given, dict) else {}
        self.tools[call] = name
        data = {"tool": name, "id": call, "input": trimmed(arguments)}
        self._add("tool_call", index, "assistant", call_text(name, arguments), data, branch)
        cwd = _text(self.line.get("cwd")) or self.cwd
        path, mode = accessed_file(name, arguments, cwd)
        if path:
            data = {"path": path, "mode": mode, "tool": name, "id": call}
            self._add("file_access", index, "assistant", "", data, branch, suffix=":file")

    def _answered(self, index: int, block: Mapping[str, Any], branch: int) -> None:
        call = _text(block.get("tool_use_id"))
        name, text = self.tools.get(call, ""), output_text(block.get("content"))
        failed = bool(block.get("is_error"))
        data: dict[str, Any] = {"tool": name, "id": call, "is_error": failed}
        code = exit_code(name, text, failed, self.line.get("toolUseResult"))
        if code is not None:
            data["exit_code"] = code
        if failed and "doesn't want to proceed" in text:
            data["rejected"] = True
        self._add("tool_result", index, "tool", text, data, branch)

    def _branch(self, prompt: bool) -> int:
        """0 on the first line of talk; a new number once a prompt follows a message that already
        has another prompt after it, as after a rewind.
        """
        parent = _text(self.line.get("parentUuid"))
        branch = self.branches.get(parent, 0)
        if prompt and parent and not self.line.get("isSidechain"):
            if parent in self.prompted and self.key not in self.branches:
                branch = max(self.branches.values(), default=0) + 1
            self.prompted.add(parent)
        self.branches.setdefault(self.key, branch)
        return branch

    def _count_usage(self, message: Mapping[str, Any]) -> None:
        usage, billed = message.get("usage"), _text(message.get("id"))
        # One answer is written as several lines, each with the usage of the whole.
        if not isinstance(usage, dict) or billed in self.billed:
            return
        self.billed.add(billed)
        for name, value in usage.items():
            if isinstance(value, int) and name.endswith("tokens"):
                self.usage[name] += value

    def _add(
        self,
        kind: EventType,
        index: int,
        role: str = "",
        text: str = "",
        data: Mapping[str, Any] | None = None,
        branch: int = 0,
        suffix: str = "",
    ) -> None:
        key = f"{self.key}:{index}{suffix}"
        if key in self.keys:
            self.counts["duplicate"] += 1
            return
        self.keys.add(key)
        marks: dict[str, Any] = {"sidechain": True} if self.line.get("isSidechain") else {}
        if branch:
            marks["branch"] = branch
        clean = {**self._clean(data or {}), **marks}
        self.events.append(
            Event(type=kind, key=key, at=self.last, role=role, text=self._clean(text), data=clean)
        )

    def _clean(self, value: Any) -> Any:
        if isinstance(value, str):
            text, found = self.redact(value.encode("utf-8", "replace").decode("utf-8"))
            self.counts["redacted"] += found
            return text.replace("\0", "\ufffd")
        if isinstance(value, Mapping):
            return {str(self._clean(name)): self._clean(item) for name, item in value.items()}
        if isinstance(value, list | tuple):
            return [self._clean(item) for item in value]
        return value
