"""Transcripts of one JSON object per line, which clients append to while a session runs.

Everything that has to be right about a growing file is here: half a last line waits, a line too long
to hold is passed over, and what calls before the offset left open is known when their answers come.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from contextd.domain.errors import NotFound
from contextd.imports.importers.batch import ImportBatch, Redact, unredacted
from contextd.imports.importers.compressed import COMPRESSED, opened
from contextd.imports.importers.importer import Read
from contextd.imports.importers.telling import Telling

LONGEST_LINE = 16 * 1024 * 1024
MOST_EVENTS = 20_000
MOST_BYTES = 32 * 1024 * 1024
"""One batch holds at most so much. Its events are in memory until they are stored, and what they were
made of is not; with these figures reading takes the same memory for a file of any size.
"""

LOOK_BACK = 4 * 1024 * 1024
"""How much before the offset is read again, for what it left open: calls without an answer, queued
messages, the list of tasks. It takes about 50 ms and holds hours of work.
"""


class Lines(Protocol):
    """What makes events of a format's lines."""

    def take(self, line: Mapping[str, Any], raw: bytes) -> None:
        """Turn one line into events."""
        ...


def line_reader(lines_of: Callable[[Telling], Lines]) -> Read:
    """A reader of a format whose lines `lines_of` turns into events.

    Reading on from `next_offset`, or again from 0, gives the same events with the same keys. An
    offset past the end means the file was rewritten: it is read from the start. Raises `NotFound`.
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
                transcript = Telling(path=path, redact=redact, last=modified)
                lines = lines_of(transcript)
                if offset:
                    _look_back(stream, offset, transcript, lines)
                stream.seek(offset)
                return _read(stream, offset, transcript, lines)
        except OSError as error:
            raise NotFound(f"cannot read {path}: {error.strerror}", "check the path") from error

    return read


def _look_back(stream: BinaryIO, offset: int, transcript: Telling, lines: Lines) -> None:
    """Take from the lines before the offset what they leave open, and no events: those are kept
    already, and making them free of secrets is most of the work.
    """
    transcript.looking_back = True
    # What a session is stands at its beginning.
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
    transcript.counts.clear()
    transcript.usage.clear()


def _read(stream: BinaryIO, offset: int, transcript: Telling, lines: Lines) -> ImportBatch:
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
    return transcript.batch(offset, done=done)


def complete_lines(
    stream: BinaryIO, offset: int, counts: Counter[str]
) -> Iterator[tuple[bytes, int]]:
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


def parsed(raw: bytes | str) -> Any:
    """The JSON of a line; None where it is none."""
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return None
