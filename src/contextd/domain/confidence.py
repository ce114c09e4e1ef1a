"""How sure we are of a record, and what moves it."""

from __future__ import annotations

from datetime import datetime, timedelta

from contextd.domain.directives import is_directive
from contextd.domain.records import Record

START = {"human": 0.8, "agent": 0.6, "extracted": 0.5, "imported": 0.5, "external": 0.4}
"""Where confidence starts, by trust."""

SIGNALS = {
    "helpful": +0.3,
    "unhelpful": -0.3,
    "self_judgment": +0.1,
    "seen_again": +0.1,
    "used": +0.1,
    "unused": -0.1,
    "reverted": -0.3,
}
"""What each signal adds (seed 003, with unhelpful and reverted as mirror images of helpful).

`used` is the seed's implicit success: what was told shows in what was done. `self_judgment` is the word of
an agent that its session went well; it speaks for what was used there and for nothing else.

Code that lasts a week adds nothing: of 109 records it had raised in real sessions a reader held 22 in a
hundred useful, about as many as of all others. Being told to an agent moves confidence by what came of
it: three showings without use take from what an agent recorded what makes it worth showing.
"""

DECAY_PER_30_DAYS = 0.05
"""Taken off when confidence is read, never in the store: the same record read twice is as sure both times."""


def apply(confidence: float, signal: str) -> float:
    """`confidence` after `signal`, clamped to [0, 1]."""
    return round(min(1.0, max(0.0, confidence + SIGNALS[signal])), 4)


def decayed(confidence: float, last_used: datetime, now: datetime) -> float:
    """`confidence` after resting unused since `last_used`: −0.05 for each full 30 days, not below 0."""
    periods = max(0, (now - last_used) // timedelta(days=30))
    return round(max(0.0, confidence - DECAY_PER_30_DAYS * periods), 4)


def confidence_at(record: Record, now: datetime) -> float:
    """How sure we are of a record today: less, the longer it was neither used nor changed here. Time before an
    import does not count: nobody could use the record then. A directive keeps its confidence.
    """
    moments = (record.last_used_at, record.updated_at, record.created_at, record.arrived_at)
    sure = decayed(record.confidence, max(filter(None, moments)), now)
    # Most records were used lately: their words need not be read.
    return record.confidence if sure < record.confidence and is_directive(record) else sure


FLOOR = 0.35
"""Confidence below which a record is not injected. What an agent recorded (0.6) gets there by three
showings that nobody used, what was extracted (0.5) by two.
"""


def is_sure(record: Record, now: datetime) -> bool:
    """Whether a record may be injected: it stands above the floor, a person wrote it, or it directs."""
    return confidence_at(record, now) >= FLOOR or record.trust == "human" or is_directive(record)
