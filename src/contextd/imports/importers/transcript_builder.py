"""Build events from a transcript: the part shared by all readers.

A reader turns the entries of its format into calls of `Transcript`. This module decides for all clients which
text is injected or pasted, which file a call touches, what a command committed, what must be redacted, and
how events are named.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from contextd.domain.origins import marked
from contextd.domain.rewinds import rewind
from contextd.domain.sessions import Event, EventType
from contextd.domain.speech import set_apart
from contextd.domain.time import parse_instant
from contextd.imports.importers.call_artefacts import (
    TASK_TOOLS,
    FinishedCall,
    Tasks,
    artefacts,
    refusal_reason,
)
from contextd.imports.importers.importer import ImportBatch, Redact, unredacted
from contextd.imports.importers.injected_text import (
    CONTINUED,
    INTERRUPTED,
    command_words,
    own_words,
)
from contextd.imports.importers.live_turns import Step
from contextd.imports.importers.tool_calls import (
    accessed_file,
    call_text,
    common_call,
    exit_code,
    exit_told,
    kept_text,
    output_text,
    patched_files,
    relative_path,
    trimmed,
)
from contextd.redaction.cutting import beginning
from contextd_common.dataclass import dataclass

LONGEST_TEXT = 50_000
_WENT_BACK = "the user went back to an earlier message"
_MILLISECONDS = 100_000_000_000
"""Larger numbers are milliseconds: as seconds they would be dates after 5138."""


def text_of(value: Any) -> str:
    """A text, or the empty string for any other type."""
    return value if isinstance(value, str) else ""


def mapping_of(value: Any) -> Mapping[str, Any]:
    """An object, or an empty one for any other type."""
    return value if isinstance(value, dict) else {}


def list_of(value: Any) -> list[Any]:
    """A list, or an empty one for any other type."""
    return value if isinstance(value, list) else []


@dataclass(slots=True, kw_only=True)
class Transcript:
    """The state of the transcript being read, and its events.

    `key` identifies the current entry and must not contain a colon; `marks` are added to all of its events.
    `cwd` is where the session began, `here` its current directory; `open` holds pending calls of a tool whose
    answers only name the tool. With `looking_back`, only the state that later entries depend on is kept.
    """

    path: Path
    redact: Redact
    last: datetime
    session: str = ""
    parent: str = ""
    cwd: str = ""
    here: str = ""
    git_branch: str = ""
    title: str = ""
    entrypoint: str = ""
    events: list[Event] = field(default_factory=list[Event])
    counts: Counter[str] = field(default_factory=Counter[str])
    usage: Counter[str] = field(default_factory=Counter[str])
    keys: set[str] = field(default_factory=set[str])
    calls: dict[str, tuple[str, Mapping[str, Any]]] = field(
        default_factory=dict[str, tuple[str, Mapping[str, Any]]]
    )
    open: dict[str, str] = field(default_factory=dict[str, str])
    tasks: Tasks = field(default_factory=Tasks)
    billed: set[str] = field(default_factory=set[str])
    key: str = ""
    marks: dict[str, Any] = field(default_factory=dict[str, Any])
    looking_back: bool = False

    def dated(self, moment: Any) -> bool:
        """Set the time of the current entry: ISO, or seconds or milliseconds since 1970. Without one it
        has the time of the previous entry.
        """
        try:
            if isinstance(moment, int | float) and not isinstance(moment, bool):
                seconds = moment / 1000 if moment >= _MILLISECONDS else moment
                self.last = datetime.fromtimestamp(seconds, UTC)
            else:
                self.last = parse_instant(text_of(moment))
        except (ValueError, OverflowError, OSError):
            return False
        return True

    def titled(self, text: str) -> None:
        """Set the client's title of the session."""
        self.title = self.redact(beginning(text, 300))[0]

    def by_user(self, text: str, index: int = 0, origin: str = "prompt") -> None:
        """A user message: the user's own words and pasted material, without what the client or a hook
        inserted.
        """
        if text.lstrip().startswith(INTERRUPTED):
            self.interrupted(index)
            return
        if text.lstrip().startswith(CONTINUED):
            self.summarised(text.strip())
            return
        words = own_words(text)
        if words != text.strip():
            self.counts["injected"] += 1
            command = command_words(text)
            if command is not None:
                data = marked(origin, {"command": command[0]})
                self.add("message", index, "user", command[1], data, suffix=":command")
        if not words:
            return
        prose, material = set_apart(words)
        if prose:
            data = marked(origin, {"material": True} if material else {})
            self.add("message", index, "user", beginning(prose, LONGEST_TEXT), data)
        if material:
            cut = beginning(material, LONGEST_TEXT)
            self.add("note", index, "user", cut, marked("material"), suffix=":material")

    def by_agent(self, text: str, index: int = 0) -> None:
        """A message of the agent."""
        words = own_words(text)
        if words != text.strip():
            self.counts["injected"] += 1
        if words:
            self.add(
                "message", index, "assistant", beginning(words, LONGEST_TEXT), marked("assistant")
            )

    def interrupted(self, index: int = 0) -> None:
        """The user interrupted the agent."""
        self.add("note", index, "user", INTERRUPTED + "]", {"interrupted": True})

    def went_back(self, step: Step) -> None:
        """The user went on from an earlier message. What was said since stays in the history alone."""
        if step:
            self.counts["rewound"] += len(step.left)
            data = rewind(step.left, step.taken_up)
            self.add("note", 0, text=_WENT_BACK, data=data, suffix=":rewind")

    def compacted(self) -> None:
        """The window was compacted."""
        self.add("note", 0, text="context compacted", data={"compact": True})

    def summarised(self, text: str) -> None:
        """The summary carried over a compaction."""
        if text:
            data = marked("summary", {"summary": True, "compact": True})
            self.add("note", 0, "assistant", beginning(text, LONGEST_TEXT), data)

    def called(self, id: str, tool: str, arguments: Any, index: int = 0) -> None:
        """A tool call, by the client's name for it."""
        name, given = common_call(tool, arguments)
        self.calls[id] = (name, given)
        if self.looking_back:
            return
        data: dict[str, Any] = {"tool": name, "id": id, "input": trimmed(given)}
        if name != tool:
            data["called"] = tool
        self.add("tool_call", index, "assistant", call_text(name, given), data)
        here = self.here or self.cwd
        path, mode = accessed_file(name, given, here)
        paths = [path] if path else []
        if "patch" in given or name == "Bash":
            paths += [relative_path(one, here) for one in patched_files(given)]
            mode = mode or "write"
        for place, one in enumerate(dict.fromkeys(paths)):
            data = {"path": one, "mode": mode, "tool": name, "id": id}
            suffix = f":file{place}" if place else ":file"
            self.add("file_access", index, "assistant", "", data, suffix=suffix)

    def answered(
        self,
        id: str,
        content: Any,
        *,
        failed: bool = False,
        result: Any = None,
        index: int = 0,
        silent: bool = False,
    ) -> None:
        """The answer to a call. `result` is additional data from the client. `silent` says that the client
        reports no exit codes, so only failures are known.
        """
        name, arguments = self.calls.get(id, ("", {}))
        if self.looking_back and name not in TASK_TOOLS:
            # Of earlier answers, only the task list matters later.
            self.calls[id] = (name, {})
            return
        text = output_text(content)
        data: dict[str, Any] = {"tool": name, "id": id, "is_error": failed}
        code = None if silent and not failed else exit_code(name, text, failed, result)
        if code is not None:
            data["exit_code"] = code
        if refusal_reason(text) is not None:
            data["rejected"] = True
        self.add("tool_result", index, "tool", kept_text(name, text, failed=failed), data)
        call = FinishedCall(
            tool=name, arguments=arguments, content=content, result=result,
            failed=failed or bool(code), cwd=self.here or self.cwd,
        )  # fmt: skip
        for artefact in artefacts(call, self.tasks):
            self.add(
                artefact.type, index, artefact.role, artefact.text, artefact.data, artefact.suffix
            )
        if id in self.calls:
            # There is one answer per call, and a call's input can be large.
            self.calls[id] = (name, {})

    def ran(self, id: str, output: str, *, failed: bool = False, index: int = 0) -> None:
        """The answer to a call, of a client that writes exit codes into the text."""
        text, code = exit_told(output)
        shell = self.calls.get(id, ("", {}))[0] == "Bash"
        result = {"exitCode": code} if code is not None and shell else None
        silent = shell and code is None
        self.answered(id, text, failed=failed, result=result, index=index, silent=silent)

    def used(self, usage: Mapping[str, Any], billed: str = "") -> None:
        """The tokens of one answer, as counted by the client. `billed` identifies the answer; a repeated
        one counts once.
        """
        if billed and billed in self.billed:
            return
        self.billed.add(billed)
        for name, value in usage.items():
            if isinstance(value, int) and not isinstance(value, bool):
                self.usage[name] += value

    def batch(self, next_offset: int, *, done: bool = True) -> ImportBatch:
        """Everything read so far."""
        times = [event.at for event in self.events]
        self.counts["events"] = len(self.events)
        return ImportBatch(
            external_id=self.session,
            parent=self.parent,
            cwd=self.cwd,
            branch=self.git_branch,
            entrypoint=self.entrypoint,
            title=self.title,
            started=min(times, default=None),
            ended=max(times, default=None),
            events=tuple(self.events),
            next_offset=next_offset,
            done=done,
            counts=dict(self.counts),
            usage=dict(self.usage),
        )

    def begin_batch(self) -> None:
        """Drop the events and counts so far, and keep the state that later entries depend on."""
        self.events.clear()
        self.counts.clear()
        self.usage.clear()

    def add(
        self,
        kind: EventType,
        index: int,
        role: str = "",
        text: str = "",
        data: Mapping[str, Any] | None = None,
        suffix: str = "",
    ) -> None:
        """Add an event of the current entry, redacted; a repeated key is ignored."""
        key = f"{self.key}:{index}{suffix}"
        if key in self.keys:
            self.counts["duplicate"] += 1
            return
        self.keys.add(key)
        if self.looking_back:
            return
        clean = {**self._clean(data or {}), **self.marks}
        self.events.append(
            Event(type=kind, key=key, at=self.last, role=role, text=self._clean(text), data=clean)
        )

    def _clean(self, value: Any) -> Any:
        """A redacted and storable text, or plain data with all texts in it redacted."""
        # Usually there are no secrets, and one check of all texts together costs a tenth of separate ones.
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
    """The text with lone surrogates replaced, since they cannot be stored."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
