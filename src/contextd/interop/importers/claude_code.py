"""Claude Code transcripts: one JSON object per line, appended while a session runs.

The vendor calls the format internal, so everything is optional here: what is not understood is
counted and passed over. Lines are linked by `parentUuid` into a tree; every user and assistant text
is kept, marked `sidechain` for a subagent's and `branch` for what was said after a rewind.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO

from contextd.domain.errors import NotFound
from contextd.interop.importers.batch import ImportBatch, Redact, unredacted
from contextd.interop.importers.claude_lines import ClaudeLines

LONGEST_LINE = 16 * 1024 * 1024
MOST_EVENTS = 50_000
LOOK_BACK = 4 * 1024 * 1024
"""How much before the offset is read again, for what it left open: calls without an answer, queued
messages, the list of tasks. It takes about 50 ms and holds hours of work.
"""


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
    path: Path,
    offset: int = 0,
    *,
    redact: Redact = unredacted,
    session: str = "",
    limit: int = MOST_EVENTS,
) -> ImportBatch:
    """The events of the complete lines from byte `offset` on, about `limit` of them at most.

    Reading on from `next_offset`, or again from 0, gives the same events with the same keys. An
    offset past the end means the file was rewritten: it is read from the start. Raises `NotFound`.
    """
    del session
    try:
        with path.open("rb") as stream:
            size = stream.seek(0, 2)
            offset = offset if 0 <= offset <= size else 0
            modified = datetime.fromtimestamp(path.stat().st_mtime, UTC)
            state = ClaudeLines(path.stem, redact, modified)
            if offset:
                _look_back(stream, offset, state)
            stream.seek(offset)
            return _read(stream, offset, limit, state)
    except OSError as error:
        raise NotFound(f"cannot read {path}: {error.strerror}", "check the path") from error


def _look_back(stream: BinaryIO, offset: int, state: ClaudeLines) -> None:
    """Let `state` know what the lines before the offset leave open, without their events."""
    position = max(0, offset - LOOK_BACK)
    stream.seek(position)
    if position:
        position += len(stream.readline(LONGEST_LINE))
    for raw, end in _lines(stream, position, Counter()):
        if end > offset:
            break
        line = _parsed(raw) if raw else None
        if isinstance(line, dict):
            state.look_back(line, raw)


def _read(stream: BinaryIO, offset: int, limit: int, state: ClaudeLines) -> ImportBatch:
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
        entrypoint=state.entrypoint,
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
