"""Transcripts in a single document that the client rewrites on every change."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from contextd.domain.records import digest
from contextd.imports.importers.importer import ImportBatch, Read, Redact, unredacted
from contextd.imports.importers.json_lines import parsed
from contextd.imports.importers.transcript_builder import Transcript
from contextd_common.errors import Invalid, NotFound, TooLarge
from contextd_common.files.guarded import read_file
from contextd_common.text.encodings import text_in

LARGEST = 128 * 1024 * 1024
"""Maximum bytes of a document: as objects it takes several times as much memory."""


def entry_key(seen: Counter[str], entry: Any) -> str:
    """A key for an entry without an id, from its content: positions shift when a history is shortened."""
    key = digest(json.dumps(entry, sort_keys=True, default=str))
    seen[key] += 1
    return f"{key}-{seen[key]}"


def document_reader(tell: Callable[[Transcript, Any], None]) -> Read:
    """A reader of a JSON document that passes it to `tell`."""

    def tell_json(transcript: Transcript, text: str) -> None:
        document = parsed(text)
        if document is None:
            raise Invalid(
                f"{transcript.path.name} is not complete JSON",
                "check whether the file is truncated",
            )
        tell(transcript, document)

    return text_reader(tell_json)


def text_reader(tell: Callable[[Transcript, str], None]) -> Read:
    """A reader of a text that passes it to `tell`. It reads the whole text each time: entries have stable
    keys. Raises `NotFound`, `Invalid` or `TooLarge`.
    """

    def read(
        path: Path, offset: int = 0, *, redact: Redact = unredacted, session: str = ""
    ) -> ImportBatch:
        del offset, session
        try:
            size, modified = path.stat().st_size, path.stat().st_mtime
            if size > LARGEST:
                raise TooLarge(f"{path.name} has {size // 1_000_000} MB", "it was skipped")
            text = text_in(read_file(path, LARGEST))
        except OSError as error:
            raise NotFound(f"cannot read {path}: {error.strerror}", "check the path") from error
        if text is None:
            raise Invalid(f"{path.name} is not a readable text file", "save it as UTF-8")
        transcript = Transcript(
            path=path, redact=redact, last=datetime.fromtimestamp(modified, UTC)
        )
        tell(transcript, text)
        transcript.counts["read"] += 1
        return transcript.batch(size)

    return read
