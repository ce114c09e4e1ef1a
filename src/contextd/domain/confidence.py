"""How confident the store is in a record, and what changes that."""

from __future__ import annotations

from datetime import datetime, timedelta

from contextd.domain.directives import is_directive
from contextd.domain.records import Record

START = {"human": 0.8, "agent": 0.6, "extracted": 0.5, "imported": 0.5, "external": 0.4}
"""Initial confidence, by trust."""

SIGNALS = {
    "helpful": +0.3,
    "unhelpful": -0.3,
    "seen_again": +0.1,
    "used": 0.0,
    "proved": +0.1,
    "refuted": -0.3,
    "unused": -0.1,
    "reverted": -0.3,
}
"""What each signal adds (seed 003; unhelpful and reverted mirror helpful).

`used` raises nothing: shared names made the most certain record of a project one that no longer held. It stops the
record from counting as unused. `proved` and `refuted` are outcomes: a command that the record names ran, or does not exist.

An agent's verdict that its session went well adds nothing either: it is about the session, and what was told in it would
rise by being told.

Code that survives a week adds nothing: readers found 22% of 109 records raised that way useful, about the
same as all others. An injection changes confidence by its outcome: three injections without use take an
agent's record below the injection threshold.
"""

DECAY_PER_30_DAYS = 0.05
"""Subtracted when confidence is read and never stored, so reading a record twice gives the same value."""


def apply(confidence: float, signal: str) -> float:
    """`confidence` after `signal`, clamped to [0, 1]."""
    return round(min(1.0, max(0.0, confidence + SIGNALS[signal])), 4)


def rated(record: Record, *, useful: bool) -> Record:
    """The record after a report whether it helped."""
    return record.with_(
        confidence=apply(record.confidence, "helpful" if useful else "unhelpful"),
        helpful=record.helpful + useful,
        unhelpful=record.unhelpful + (not useful),
    )


def decayed(confidence: float, last_used: datetime, now: datetime) -> float:
    """`confidence` after a time without use since `last_used`: −0.05 for each full 30 days, at least 0."""
    periods = max(0, (now - last_used) // timedelta(days=30))
    return round(max(0.0, confidence - DECAY_PER_30_DAYS * periods), 4)


def confidence_at(record: Record, now: datetime) -> float:
    """The confidence of a record today. It decays with the time since the record was last used or changed
    here. Time before an import does not count, because the record was not available then. Directives do
    not decay.
    """
    moments = (record.last_used_at, record.updated_at, record.created_at, record.arrived_at)
    sure = decayed(record.confidence, max(filter(None, moments)), now)
    # Most records were used recently, so their words need not be read.
    return record.confidence if sure < record.confidence and is_directive(record) else sure


FLOOR = 0.35
"""Records with less confidence are not injected. A record from an agent (0.6) drops below it after three
unused injections, an extracted one (0.5) after two.
"""


def is_sure(record: Record, now: datetime) -> bool:
    """Whether a record may be injected: its confidence is above the floor, a person wrote it, or it is a
    directive.
    """
    return confidence_at(record, now) >= FLOOR or record.trust == "human" or is_directive(record)
