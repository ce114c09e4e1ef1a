"""The lines of a Claude Code transcript, one after the other, as events."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from contextd.domain.origins import marked
from contextd.domain.records import digest
from contextd.domain.sessions import Event, EventType
from contextd.domain.time import parse_instant
from contextd.interop.importers.artefacts import (
    TASK_TOOLS,
    FinishedCall,
    Tasks,
    artefacts,
    refusal_reason,
)
from contextd.interop.importers.batch import Redact, unredacted
from contextd.interop.importers.injected import CONTINUED, INTERRUPTED, command_words, own_words
from contextd.interop.importers.pasted import set_apart
from contextd.interop.importers.tools import (
    accessed_file,
    call_text,
    exit_code,
    kept_text,
    output_text,
    trimmed,
)
from contextd.interop.importers.typed_ahead import TypedAhead

LONGEST_TEXT = 50_000


def message_text(content: Any) -> str:
    """The words of a message, whether it is a string or blocks."""
    if isinstance(content, str):
        return content.strip()
    blocks = content if isinstance(content, list) else []
    texts = [b.get("text") for b in blocks if isinstance(b, dict) and b.get("type") == "text"]
    return "\n".join(text for text in texts if isinstance(text, str)).strip()


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


@dataclass(slots=True)
class ClaudeLines:
    """What is known so far of the transcript being read, and the events of its lines."""

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
    entrypoint: str = ""
    calls: dict[str, tuple[str, Mapping[str, Any]]] = field(
        default_factory=dict[str, tuple[str, Mapping[str, Any]]]
    )
    tasks: Tasks = field(default_factory=Tasks)
    queue: TypedAhead = field(default_factory=TypedAhead)
    branches: dict[str, int] = field(default_factory=dict[str, int])
    prompted: set[str] = field(default_factory=set[str])
    billed: set[str] = field(default_factory=set[str])
    line: Mapping[str, Any] = field(default_factory=dict[str, Any])
    key: str = ""
    looking_back: bool = False

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
        elif line.get("isCompactSummary") and not line.get("isSidechain"):
            self._summarised(message_text(message.get("content")))
        elif line.get("isMeta") or line.get("isCompactSummary") or line.get("isApiErrorMessage"):
            self.counts["junk"] += 1
        else:
            self._message(kind, message)

    def look_back(self, line: Mapping[str, Any], raw: bytes) -> None:
        """Take from a line that was read before what later ones depend on, and no events: those are
        kept already, and making them free of secrets is most of the work.
        """
        self.looking_back = True
        self.take(line, raw)
        self.looking_back = False
        self.counts.clear()
        self.usage.clear()

    def _note_surroundings(self) -> None:
        line, session = self.line, _text(self.line.get("sessionId"))
        if session and (not self.session or session == self.stem):
            self.session = session
        self.cwd = self.cwd or _text(line.get("cwd"))
        self.git_branch = _text(line.get("gitBranch")) or self.git_branch
        self.entrypoint = self.entrypoint or _text(line.get("entrypoint"))[:100]
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
        elif kind == "queue-operation":
            text = _text(line.get("content"))
            self._queued(self.queue.operate(_text(line.get("operation")), text, self.key))
        elif kind == "attachment" and isinstance(line.get("attachment"), dict):
            self._attached(line["attachment"])
        else:
            self.counts["junk"] += 1

    def _attached(self, attachment: Mapping[str, Any]) -> None:
        if attachment.get("type") != "queued_command":
            self.counts["junk"] += 1
            return
        if attachment.get("commandMode") in (None, "", "prompt"):
            text = message_text(attachment.get("prompt"))
            self._queued(self.queue.attached(text, self.key) if text else None)

    def _queued(self, arrived: tuple[str, str] | None) -> None:
        if arrived is None:
            return
        text, key = arrived
        here, self.key = self.key, f"{key}:queued"
        self._told_by_user(0, text, 0, "queued")
        self.key = here

    def _summarised(self, text: str) -> None:
        if text:
            data = marked("summary", {"summary": True, "compact": True})
            self._add("note", 0, "assistant", text[:LONGEST_TEXT], data)

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
        if role == "user":
            self._told_by_user(index, text, branch, "prompt")
            return
        words = own_words(text)
        if words != text.strip():
            self.counts["injected"] += 1
        if words:
            self._add("message", index, role, words[:LONGEST_TEXT], marked("assistant"), branch)

    def _told_by_user(self, index: int, text: str, branch: int, origin: str) -> None:
        if text.lstrip().startswith(INTERRUPTED):
            self._add("note", index, "user", INTERRUPTED + "]", {"interrupted": True}, branch)
            return
        if text.lstrip().startswith(CONTINUED):
            self._summarised(text.strip())
            return
        words = own_words(text)
        if words != text.strip():
            self.counts["injected"] += 1
            command = command_words(text)
            if command is not None:
                data = marked(origin, {"command": command[0]})
                self._add("message", index, "user", command[1], data, branch, suffix=":command")
        if not words:
            return
        prose, material = set_apart(words)
        if prose:
            data = marked(origin, {"material": True} if material else {})
            self._add("message", index, "user", prose[:LONGEST_TEXT], data, branch)
        if material:
            cut, apart = material[:LONGEST_TEXT], marked("material")
            self._add("note", index, "user", cut, apart, branch, suffix=":material")

    def _called(self, index: int, block: Mapping[str, Any], branch: int) -> None:
        name, call = _text(block.get("name")), _text(block.get("id"))
        given = block.get("input")
        arguments: Mapping[str, Any] = given if isinstance(given, dict) else {}
        self.calls[call] = (name, arguments)
        if self.looking_back:
            return
        data = {"tool": name, "id": call, "input": trimmed(arguments)}
        self._add("tool_call", index, "assistant", call_text(name, arguments), data, branch)
        path, mode = accessed_file(name, arguments, _text(self.line.get("cwd")) or self.cwd)
        if path:
            data = {"path": path, "mode": mode, "tool": name, "id": call}
            self._add("file_access", index, "assistant", "", data, branch, suffix=":file")

    def _answered(self, index: int, block: Mapping[str, Any], branch: int) -> None:
        id, content = _text(block.get("tool_use_id")), block.get("content")
        name, arguments = self.calls.get(id, ("", {}))
        if self.looking_back and name not in TASK_TOOLS:
            # Of what was answered before only the list of tasks matters later.
            self.calls[id] = (name, {})
            return
        text, failed = output_text(content), bool(block.get("is_error"))
        result = self.line.get("toolUseResult")
        data: dict[str, Any] = {"tool": name, "id": id, "is_error": failed}
        code = exit_code(name, text, failed, result)
        if code is not None:
            data["exit_code"] = code
        if refusal_reason(text) is not None:
            data["rejected"] = True
        shown = kept_text(name, text, failed=failed)
        self._add("tool_result", index, "tool", shown, data, branch)
        call = FinishedCall(
            tool=name, arguments=arguments, content=content, result=result,
            failed=failed or bool(code), cwd=_text(self.line.get("cwd")) or self.cwd,
        )  # fmt: skip
        for told in artefacts(call, self.tasks):
            self._add(told.type, index, told.role, told.text, told.data, branch, told.suffix)
        if id in self.calls:
            # An answer comes once; what the call was given can be large.
            self.calls[id] = (name, {})

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
        if self.looking_back:
            return
        marks: dict[str, Any] = {"sidechain": True} if self.line.get("isSidechain") else {}
        if branch:
            marks["branch"] = branch
        clean = {**self._clean(data or {}), **marks}
        self.events.append(
            Event(type=kind, key=key, at=self.last, role=role, text=self._clean(text), data=clean)
        )

    def _clean(self, value: Any) -> Any:
        """A text, or plain data with all texts in it, without secrets and storable."""
        # Nearly always there is nothing to find, and one look at all texts costs a tenth of many.
        _, found = self.redact(_whole("\n\n".join(_texts(value))))
        return self._each(value, self.redact if found else unredacted)

    def _each(self, value: Any, redact: Redact) -> Any:
        if isinstance(value, str):
            text, found = redact(_whole(value))
            self.counts["redacted"] += found
            return text.replace("\0", "\ufffd")
        if isinstance(value, Mapping):
            return {
                str(self._each(name, redact)): self._each(item, redact)
                for name, item in value.items()
            }
        if isinstance(value, list | tuple):
            return [self._each(item, redact) for item in value]
        return value


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, item in value.items():
            yield str(name)
            yield from _texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)


def _whole(text: str) -> str:
    """The text with lone surrogates replaced: nothing can store them."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
