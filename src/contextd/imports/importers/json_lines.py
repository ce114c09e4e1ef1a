"""Transcripts with one JSON object per line, which clients append to while a session runs.

This module handles growing files: an incomplete last line waits, an overlong line is skipped, and calls left
open before the offset are known when their answers arrive.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from contextd.imports.importers.compressed import COMPRESSED, opened
from contextd.imports.importers.importer import ImportBatch, Read, Redact, unredacted
from contextd.imports.importers.transcript_builder import Transcript
from contextd_common.errors import NotFound

LONGEST_LINE = 16 * 1024 * 1024
MOST_EVENTS = 20_000
MOST_BYTES = 32 * 1024 * 1024
"""Maximum bytes of a batch. Its events stay in memory until stored, its input does not; so memory use does
not depend on the file's size.
"""

LOOK_BACK = 4 * 1024 * 1024
"""How much before the offset is read again to restore open state: unanswered calls, queued messages, the
task list. It takes about 50 ms and covers hours of work.
"""


def lines_like(
    fits: Callable[[Mapping[str, Any]], object], most: int | None = None
) -> Callable[[Path, Sequence[str]], bool]:
    """A test whether one of a `.jsonl` file's first lines is an object that `fits`."""

    def detects(path: Path, head: Sequence[str]) -> bool:
        lines = (parsed(text) for text in head[:most]) if path.suffix == ".jsonl" else ()
        return any(isinstance(line, dict) and fits(line) for line in lines)

    return detects


class Lines(Protocol):
    """Converts a format's lines to events."""

    def take(self, line: Mapping[str, Any], raw: bytes) -> None:
        """Convert one line to events."""
        ...


def line_reader(lines_of: Callable[[Transcript], Lines]) -> Read:
    """A reader of a format whose lines `lines_of` converts.

    Continuing from `next_offset`, or restarting from 0, gives the same events with the same keys. An offset
    past the end means the file was rewritten: it is read from the start. Raises `NotFound`.
    """

    def read(
        path: Path, offset: int = 0, *, redact: Redact = unredacted, session: str = ""
    ) -> ImportBatch:
        del session
        try:
            with opened(path) as stream:
                about = path.stat()
                appended = path.suffix != COMPRESSED
                offset = 0 if offset < 0 or (appended and offset > about.st_size) else offset
                modified = datetime.fromtimestamp(about.st_mtime, UTC)
                transcript = Transcript(path=path, redact=redact, last=modified)
                lines = lines_of(transcript)
                if offset:
                    _look_back(stream, offset, transcript, lines)
                stream.seek(offset)
                return _read(stream, offset, transcript, lines)
        except OSError as error:
            raise _unread(path, error) from error

    return read


def _unread(path: Path, error: OSError) -> NotFound:
    return NotFound(f"cannot read {path}: {error.strerror}", "check the path")


def _look_back(stream: BinaryIO, offset: int, transcript: Transcript, lines: Lines) -> None:
    """Restore open state from the lines before the offset, without events: those are stored already, and
    redaction is most of the work.
    """
    transcript.looking_back = True
    # Session facts are at the beginning.
    position = max(0, offset - LOOK_BACK)
    if position:
        for raw, end in complete_lines(stream, 0, Counter()):
            if end > position or end > LOOK_BACK:
                break
            line = parsed(raw) if raw else None
            if isinstance(line, dict):
                lines.take(line, raw)
                break
        stream.seek(position)
        position += len(stream.readline(LONGEST_LINE))
    for raw, end in complete_lines(stream, position, Counter()):
        if end > offset:
            break
        line = parsed(raw) if raw else None
        if isinstance(line, dict):
            lines.take(line, raw)
    transcript.looking_back = False
    transcript.begin_batch()


def _read(stream: BinaryIO, offset: int, transcript: Transcript, lines: Lines) -> ImportBatch:
    done, start = True, offset
    for raw, end in complete_lines(stream, offset, transcript.counts):
        line = parsed(raw) if raw else None
        if raw and not raw.endswith(b"\n") and not isinstance(line, dict):
            break
        offset = end
        transcript.counts["read"] += 1
        if isinstance(line, dict):
            lines.take(line, raw)
        elif raw.strip():
            transcript.counts["bad"] += 1
        if len(transcript.events) >= MOST_EVENTS or offset - start >= MOST_BYTES:
            done = False
            break
    batch = transcript.batch(offset, done=done)
    transcript.begin_batch()
    return replace(batch, onward=_onward(offset, transcript, lines))


def _onward(offset: int, transcript: Transcript, lines: Lines) -> Callable[[Redact], ImportBatch]:
    """Reads on from `offset` with the open state of the lines before."""

    def onward(redact: Redact) -> ImportBatch:
        transcript.redact = redact
        try:
            with opened(transcript.path) as stream:
                stream.seek(offset)
                return _read(stream, offset, transcript, lines)
        except OSError as error:
            raise _unread(transcript.path, error) from error

    return onward


def complete_lines(
    stream: BinaryIO, offset: int, counts: Counter[str]
) -> Iterator[tuple[bytes, int]]:
    """Every line with the offset after it; an oversize one is returned as b"" and not loaded."""
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


def parsed(raw: bytes | str) -> Any:
    """The JSON of a line; None if invalid."""
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return None
