"""What a user rewound: the notes in a session that say which turns its conversation left, and which it took up again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from contextd.domain.sessions import HOOKED, MATERIAL, Event

_LEFT, _TAKEN_UP = "left", "taken_up"


def rewind(left: Sequence[str], taken_up: Sequence[str] = ()) -> dict[str, Any]:
    """The data of a note that the conversation went on elsewhere. It left the turns that these entries of the
    transcript began, and took up others again.
    """
    return {_LEFT: list(left), _TAKEN_UP: list(taken_up)}


def is_rewind(data: Mapping[str, Any]) -> bool:
    """Whether this is the data of such a note."""
    return _LEFT in data and _TAKEN_UP in data


def entry_of(key: str) -> str:
    """The entry of a transcript that an event was read from; for a hook's prompt, its key."""
    return key.removesuffix(MATERIAL) if key.startswith(HOOKED) else key.partition(":")[0]


def left_entries(events: Iterable[Event]) -> frozenset[str]:
    """The entries whose turns a session's conversation has left by now."""
    left: set[str] = set()
    notes = [event for event in events if event.type == "note" and is_rewind(event.data)]
    for note in sorted(notes, key=lambda note: note.seq):
        left |= set(note.data[_LEFT])
        left -= set(note.data[_TAKEN_UP])
    return frozenset(left)
