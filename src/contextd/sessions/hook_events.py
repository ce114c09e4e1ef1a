"""Session events made from hooks."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from datetime import datetime

from contextd.clients.hook_event import Occurrence
from contextd.domain.origins import marked
from contextd.domain.sessions import HOOKED, MATERIAL, Event
from contextd.domain.speech import set_apart
from contextd.redaction.redact import redact
from contextd.runtime.runtime import Runtime

_PROMPT_KEPT, _ANSWER_KEPT = 4_000, 20_000


def prompt_events(occurrence: Occurrence, at: datetime, clean: str) -> tuple[Event, ...]:
    """The user's own words of a prompt that is redacted, and what they pass on beside them; either may be missing."""
    key = occurrence.prompt_id or hashlib.blake2b(clean.encode(), digest_size=12).hexdigest()
    own, material = set_apart(clean)
    asked = Event(type="query", key=f"{HOOKED}{key}", at=at, role="user", text=own[:_PROMPT_KEPT])
    passed_on = Event(
        type="note",
        key=f"{HOOKED}{key}{MATERIAL}",
        at=at,
        role="user",
        text=material[:_PROMPT_KEPT],
        data=marked("material"),
    )
    if not own:
        return (passed_on,)
    return (replace(asked, data={"material": True}), passed_on) if material else (asked,)


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
