"""Recorded sessions of Claude Code: their lines, and the moments at which its hooks would have run."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from contextd.domain.time import parse_instant
from contextd_bench.data import data_file

MOST_PROMPTS = 40
"""Prompts of one session that are replayed, as in the study whose labels are used."""

_NOT_TYPED = re.compile(
    r"\s*(?:<(?:command-|local-command|bash-|system-reminder|task-notification|user-prompt-submit-hook"
    r"|ide_|teammate)|\[Request interrupted|Caveat: |This session is being continued"
    r"|Stop hook feedback|\[Image)",
    re.IGNORECASE,
)
_EDITS = ("Edit", "Write", "MultiEdit", "NotebookEdit")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$")

Hook = Literal["start", "prompt", "stop", "compact", "end"]


@dataclass(slots=True)
class PromptedTurn:
    """A prompt and its result: lines `first` to `last` of the transcript, the latter excluded.

    `over` is the line after the last message, which was written at `ended`.
    """

    prompt: str
    at: datetime
    first: int
    id: str = ""
    last: int = 0
    over: int = 0
    ended: datetime | None = None
    answers: list[str] = field(default_factory=list[str])
    edited: set[str] = field(default_factory=set[str])
    interrupted: bool = False

    @property
    def answer(self) -> str:
        """The agent's last words, empty when it said none."""
        return self.answers[-1] if self.answers else ""


@dataclass(frozen=True, slots=True)
class Compaction:
    """The window was compacted at line `first`; from line `last` on the session goes on."""

    at: datetime
    first: int
    last: int
    trigger: str
    summary: str


@dataclass(slots=True, eq=False)
class Recording:
    """One stretch of a session, from its start or a later resumption on: what lines before `begins`
    say was said in an earlier recording. `name` is what labels call it.
    """

    project: str
    name: str
    external: str
    lines: list[str]
    times: list[datetime]
    begins: int = 0
    exchanges: list[PromptedTurn] = field(default_factory=list[PromptedTurn])
    compactions: list[Compaction] = field(default_factory=list[Compaction])

    @property
    def started(self) -> datetime:
        """When its first own line was written."""
        return self.times[self.begins]

    @property
    def ended(self) -> datetime:
        """When its last line was written."""
        return self.times[-1]

    @property
    def edited(self) -> set[str]:
        """The files its agent wrote to."""
        return {path for one in self.exchanges for path in one.edited}


@dataclass(frozen=True, slots=True)
class HookMoment:
    """A hook is to run when the transcript holds so many lines. `number` counts the prompts."""

    at: datetime
    hook: Hook
    written: int
    number: int = 0


def recordings(data: Path, project: str, most: int | None = None) -> list[Recording]:
    """The recordings of a project in their order, the first `most` of them."""
    folder = data / "transcripts" / project
    order = json.loads(data_file(folder, "order.json").read_text("utf-8"))
    seen: dict[str, list[str]] = {}
    found: list[Recording] = []
    read = [(name, _lines(data_file(folder, f"{name}.gz"))) for name in order]
    # Of two recordings of one session the shorter one is told first.
    for name, lines in sorted(read, key=lambda pair: len(pair[1])):
        stem = name.removesuffix(".jsonl")
        match = _UUID.search(stem)
        external = match[0] if match else stem
        known = seen.get(external, [])
        own = _shared(lines, known)
        if known and not own:
            external = stem  # Another session under the same id.
        one = parsed(project, stem, external, lines, own)
        if one is not None:
            seen[external] = lines
            found.append(one)
    found.sort(key=lambda one: (one.started, order.index(f"{one.name}.jsonl")))
    return found[:most]


def parsed(
    project: str, name: str, external: str, lines: Sequence[str], begins: int = 0
) -> Recording | None:
    """A recording from the lines of a transcript; None when nothing was said from line `begins` on."""
    rows = [row_of(line) for line in lines]
    times = _times(rows)
    if not times or begins >= len(lines):
        return None
    one = Recording(project, name, external, list(lines), times, begins)
    for index in range(begins, len(rows)):
        _take(one, index, rows)
    _close(one, len(rows))
    return one if one.exchanges else None


def moments(one: Recording) -> Iterator[HookMoment]:
    """When hooks run in a recording, in order."""
    found: list[tuple[int, int, HookMoment]] = []
    for number, each in enumerate(one.exchanges[:MOST_PROMPTS]):
        found.append((each.first, 2, HookMoment(each.at, "prompt", each.first, number)))
        if each.answer and not each.interrupted:
            stop = HookMoment(each.ended or each.at, "stop", each.over, number)
            found.append((each.over, 0, stop))
    for number, cut in enumerate(one.compactions):
        found.append((cut.first, 1, HookMoment(cut.at, "compact", cut.first, number)))
    yield HookMoment(one.started, "start", one.begins)
    for _, _, moment in sorted(found, key=lambda each: each[:2]):
        yield moment
    yield HookMoment(one.ended, "end", len(one.lines))


def _lines(path: Path) -> list[str]:
    with gzip.open(path, "rt", encoding="utf-8", errors="replace") as stream:
        return stream.read().splitlines()


def _shared(lines: Sequence[str], known: Sequence[str]) -> int:
    """How many lines at the start both have, if `lines` goes on where `known` ends."""
    return len(known) if list(lines[: len(known)]) == list(known) else 0


def row_of(line: str) -> Mapping[str, Any]:
    """A line of a transcript; empty when it is broken."""
    try:
        row = json.loads(line)
    except ValueError:
        return {}
    return row if isinstance(row, dict) else {}


def _times(rows: Sequence[Mapping[str, Any]]) -> list[datetime]:
    """When each line was written: never before the one above it."""
    known: list[datetime | None] = []
    for row in rows:
        try:
            known.append(parse_instant(str(row.get("timestamp"))))
        except ValueError:
            known.append(None)
    latest = next((at for at in known if at is not None), None)
    times: list[datetime] = []
    for at in known:
        if latest is None:
            return []
        latest = max(latest, at) if at is not None else latest
        times.append(latest)
    return times


def said(row: Mapping[str, Any]) -> str:
    """The text of a line of talk."""
    message = row.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        return content.strip()
    blocks = content if isinstance(content, list) else []
    texts = [b.get("text") for b in blocks if isinstance(b, dict) and b.get("type") == "text"]
    return "\n".join(text for text in texts if isinstance(text, str)).strip()


def blocks_of(row: Mapping[str, Any], kind: str) -> list[Mapping[str, Any]]:
    """The blocks of one type in a line of talk."""
    message = row.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    blocks = content if isinstance(content, list) else []
    return [block for block in blocks if isinstance(block, dict) and block.get("type") == kind]


def edits_of(row: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The files a line of talk has written, each with the arguments of the call."""
    for call in blocks_of(row, "tool_use"):
        given = call.get("input")
        if call.get("name") in _EDITS and isinstance(given, dict):
            path = given.get("file_path") or given.get("notebook_path")
            if isinstance(path, str):
                yield path, given


def _take(one: Recording, index: int, rows: Sequence[Mapping[str, Any]]) -> None:
    row = rows[index]
    kind = row.get("type")
    if row.get("subtype") == "compact_boundary" or row.get("isCompactSummary"):
        _cut(one, index, rows)
    elif (
        kind not in ("user", "assistant")
        or row.get("isMeta")
        or row.get("isApiErrorMessage")
        or row.get("isSidechain")
    ):
        return
    else:
        _talk(one, index, row)


def _talk(one: Recording, index: int, row: Mapping[str, Any]) -> None:
    kind = row.get("type")
    typed = kind == "user" and not blocks_of(row, "tool_result")
    if one.exchanges and not typed:
        one.exchanges[-1].over, one.exchanges[-1].ended = index + 1, one.times[index]
    if kind == "assistant" and one.exchanges:
        if text := said(row):
            one.exchanges[-1].answers.append(text)
        one.exchanges[-1].edited.update(path for path, _ in edits_of(row))
    elif typed:
        text = said(row)
        if text.startswith("[Request interrupted") and one.exchanges:
            one.exchanges[-1].interrupted = True
        elif text and not _NOT_TYPED.match(text):
            _close(one, index)
            one.exchanges.append(
                PromptedTurn(text, one.times[index], index, str(row.get("uuid", "")))
            )


def _cut(one: Recording, index: int, rows: Sequence[Mapping[str, Any]]) -> None:
    """Note a compaction: a boundary and the summary after it, or either alone."""
    if one.compactions and index < one.compactions[-1].last:
        return
    near = range(index, min(index + 6, len(rows)))
    summary = next((i for i in near if rows[i].get("isCompactSummary")), index)
    about = rows[index].get("compactMetadata")
    trigger = str(about.get("trigger", "auto")) if isinstance(about, dict) else "auto"
    text = said(rows[summary]) if rows[summary].get("isCompactSummary") else ""
    one.compactions.append(Compaction(one.times[index], index, summary + 1, trigger, text))


def _close(one: Recording, index: int) -> None:
    if one.exchanges and not one.exchanges[-1].last:
        one.exchanges[-1].last = index
