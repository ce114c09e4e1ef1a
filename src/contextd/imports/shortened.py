"""Rewinds in transcripts that a client rewrites as a whole: the turns since are gone from the document."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from contextd.domain.origins import origin_of
from contextd.domain.records import digest
from contextd.domain.rewinds import entry_of, left_entries, rewind
from contextd.domain.sessions import Event


def shortened(stored: Sequence[Event], document: Sequence[Event]) -> list[Event]:
    """A note of the turns that a document has no longer, or has again; empty if it has all. `stored` are the events
    read from it before.

    Only an end that was cut off was rewound: clients also shorten a document at its beginning or in the middle.
    """
    left_before = left_entries(stored)
    known, present = _prompts(stored), set(_prompts(document))
    live = [entry for entry in known if entry not in left_before]
    cut = next((at for at, entry in enumerate(live) if entry not in present), len(live))
    left = live[cut:] if cut and not present.intersection(live[cut:]) else []
    again = [entry for entry in known if entry in left_before and entry in present]
    if not (left or again):
        return []
    at = max(event.at for event in (*stored, *document))
    key = digest("\n".join((*left, "", *again, str(len(stored)))))
    data = rewind(left, again)
    return [Event(type="note", key=f"{key}:rewind", at=at, text=_WENT_BACK, data=data)]


_WENT_BACK = "the user went back to an earlier message"


def _prompts(events: Iterable[Event]) -> list[str]:
    """The entries of a transcript that began turns, in order."""
    found = (
        entry_of(event.key)
        for event in events
        if event.type == "message" and event.role == "user" and origin_of(event) == "prompt"
        if not event.data.get("sidechain")
    )
    return list(dict.fromkeys(found))
