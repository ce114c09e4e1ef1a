"""Session events made from hooks."""

from __future__ import annotations

import hashlib
from datetime import datetime

from contextd.clients.hook_event import Occurrence
from contextd.domain.sessions import Event
from contextd.redaction.redact import redact
from contextd.runtime.runtime import Runtime

_PROMPT_KEPT, _ANSWER_KEPT = 4_000, 20_000


def question(occurrence: Occurrence, at: datetime, clean: str) -> Event:
    """The user's prompt, redacted."""
    key = occurrence.prompt_id or hashlib.blake2b(clean.encode(), digest_size=12).hexdigest()
    return Event(type="query", key=f"prompt:{key}", at=at, role="user", text=clean[:_PROMPT_KEPT])


def statement(
    runtime: Runtime, occurrence: Occurrence, at: datetime, origin: str
) -> tuple[Event, ...]:
    """The agent's message, as the client reports it."""
    clean = redact(occurrence.answer, runtime.redaction_key).text[:_ANSWER_KEPT]
    if not clean.strip():
        return ()
    key = hashlib.blake2b(clean.encode(), digest_size=12).hexdigest()
    return (
        Event(
            type="note",
            key=f"{origin}:{key}",
            at=at,
            role="assistant",
            text=clean,
            data={"origin": origin},
        ),
    )
