"""The turns of a session: what the user asks, until the agent's last words before the next."""

from __future__ import annotations

from collections.abc import Sequence

from contextd.domain.origins import origin_of
from contextd.domain.sessions import Event


def opens_turn(event: Event) -> bool:
    """Whether the user hands the word to the agent with this event.

    What is typed ahead, answered or refused reaches the agent within its turn.
    """
    if event.data.get("sidechain"):
        return False
    origin = origin_of(event)
    return origin == "prompt" or (origin == "material" and event.role == "user")


def turn_ends(events: Sequence[Event]) -> set[str]:
    """Keys of the agent's last message before each next prompt, and before the end."""
    ends: set[str] = set()
    last = ""
    for event in events:
        if opens_turn(event):
            ends.add(last)
            last = ""
        elif origin_of(event) == "assistant" and not event.data.get("sidechain"):
            last = event.key
    ends.add(last)
    ends.discard("")
    return ends
