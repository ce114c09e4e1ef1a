"""Bringing a session up to what its client's transcript says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

from contextd.domain.errors import NotFound
from contextd.domain.sessions import Session, SessionChange
from contextd.governance.redact import redact
from contextd.interop.clients import client_named
from contextd.interop.importers import IMPORTERS, Importer, importer_for
from contextd.runtime import Runtime

HEADLESS = "headless"
"""Marks a session that a program ran: it takes no other session's place, and nothing is learned in it."""


def unread(session: Session, transcript: str = "") -> int:
    """How many bytes of a session's transcript were not read yet."""
    path = Path(transcript or str(session.data.get("transcript") or ""))
    return max(0, _size(path) - int(session.data.get("transcript_offset", 0)))


def _size(path: Path) -> int:
    try:
        return path.stat().st_size if path.is_file() else 0
    except OSError:
        return 0


def catch_up(
    runtime: Runtime,
    session: Session,
    *,
    transcript: str = "",
    check: Callable[[], None] = lambda: None,
) -> dict[str, int]:
    """Read what is new in the client's transcript into the session's events; counts of what was read.
    `check` is called between its parts, and may raise to leave the rest for later.
    """
    path = Path(transcript or str(session.data.get("transcript") or ""))
    importer = _importer(session, path) if path.is_file() else None
    if importer is None:
        return {}
    offset = int(session.data.get("transcript_offset", 0))
    if offset == _size(path) and session.data.get("transcript") == str(path):
        # Finding that out costs a look at what came before: four megabytes.
        return {}
    counts: Counter[str] = Counter()
    while True:
        batch = importer.read(path, offset, redact=lambda text: scrubbed(runtime, text))
        offset = batch.next_offset
        check()
        told = {"transcript": str(path), "transcript_offset": offset}
        marks = {HEADLESS: True} if batch.headless else {}
        change = SessionChange(id=session.id, events=batch.events, data={**told, **marks})
        done = runtime.commit(sessions=[change])
        counts.update(batch.counts)
        counts["new"] += len(done.events.get(session.id, ()))
        if batch.done:
            return dict(counts)


def _importer(session: Session, path: Path) -> Importer | None:
    """What reads the transcripts of the session's client; None where nothing does: then what the hooks
    saw is learned from.
    """
    try:
        name = client_named(session.client).transcripts
    except NotFound:
        return importer_for(path)
    return IMPORTERS.get(name)


def scrubbed(runtime: Runtime, text: str) -> tuple[str, int]:
    """A text without secrets, and how many there were."""
    redacted = redact(text, runtime.redaction_key)
    return redacted.text, len(redacted.findings)
