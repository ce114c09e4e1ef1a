"""What an import may decide, and what only the importer may.

A file can claim anything of itself: that a person said it, that it was confirmed, that it is a rule. Only the
person who imports it can say that this holds here. Without that word its records are knowledge of unknown
worth, its rules await review, and its conversations are those of others.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from contextd.claims.write_gate import RANK
from contextd.domain.confidence import START
from contextd.domain.directives import is_directive
from contextd.domain.imported_records import IMPORT
from contextd.domain.kinds import kinds_that
from contextd.domain.records import Record, Source
from contextd.domain.sessions import Session
from contextd.imports.sessions import IMPORTED
from contextd.imports.transcripts import HEADLESS

_INSTRUCTING = ("skill", "agent")
"""Kinds whose content is instructions for agents."""

_SAID_BY_A_PERSON = ("rule", "correction")
"""Types of learned records that state what a user demanded."""

_CONFERRING = frozenset({"pinned", "verified"})
"""Tags and fields that let a record win over others."""


def awaits_review(record: Record) -> bool:
    """Whether agents would follow a record: it needs the importer's yes."""
    return (
        is_directive(record)
        or record.kind in (*kinds_that("binding"), *_INSTRUCTING)
        or record.data.get("type") in _SAID_BY_A_PERSON
    )


def without_authority(record: Record, import_id: str, now: datetime) -> Record:
    """A record of a file as one of others: it says the same, and decides nothing here."""
    trust = record.trust if RANK[record.trust] <= RANK["imported"] else "imported"
    waits = record.status in ("active", "candidate") and awaits_review(record)
    return record.with_(
        trust=trust,
        status="inbox" if waits else record.status,
        confidence=min(record.confidence, START[trust]),
        usage_count=0,
        helpful=0,
        unhelpful=0,
        last_used_at=None,
        tags=tuple(tag for tag in record.tags if tag.casefold() not in _CONFERRING),
        data=_plain(record.data),
        source=Source(record.source.agent, record.source.client, IMPORT, import_id),
        arrived_at=now,
    )


def _plain(data: Mapping[str, Any]) -> dict[str, Any]:
    fields = {name: value for name, value in data.items() if name not in _CONFERRING}
    if fields.get("speaker") == "user":
        # Whoever spoke was not the user of this machine.
        del fields["speaker"]
    return fields


def session_of_others(session: Session, import_id: str) -> Session:
    """A session of a file as one of others: its history can be searched, and nothing is learned from it."""
    return session.with_(
        status="completed" if session.status == "active" else session.status,
        ended_at=session.ended_at or session.last_seen_at,
        injected=(),
        data={HEADLESS: True, IMPORTED: import_id},
    )
