"""Origins: where the words of a session come from, and how useful such words have been."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from contextd.domain.records import Trust
from contextd.domain.sessions import Event
from contextd_common.dataclass import dataclass

Speaker = Literal["user", "assistant", "program"]


@dataclass(frozen=True, slots=True)
class Origin:
    """One origin of words: who speaks, how far to trust it, and what share of such words is worth storing.

    `worth` runs from 0 to 1.
    """

    name: str
    speaker: Speaker
    trust: Trust
    worth: float
    description: str


# Worth is the share of sampled sentences from real sessions that a reader judged useful and true: memory
# files 75 %, answers 57, commits 53, pull requests 42, turn ends 26, raw user text 18. Origins that were not
# sampled take the value of the most similar one.
ORIGINS: dict[str, Origin] = {
    row.name: row
    for row in (
        Origin("prompt", "user", "human", 0.3, "what the user wrote, without pasted text"),
        Origin("queued", "user", "human", 0.35, "what the user typed while the agent worked"),
        Origin("refusal", "user", "human", 0.5, "the reason the user gave for refusing a call"),
        Origin("answer", "user", "human", 0.57, "a question the agent asked, and the answer"),
        Origin("summary", "assistant", "agent", 0.3, "a summary carried over a compaction"),
        Origin("plan", "assistant", "agent", 0.4, "a plan the user approved"),
        Origin("todo", "assistant", "agent", 0.1, "a to-do list with states"),
        Origin("turn_end", "assistant", "agent", 0.26, "the agent's last message in a turn"),
        Origin("assistant", "assistant", "agent", 0.1, "other messages of the agent"),
        Origin("commit", "assistant", "agent", 0.53, "a commit message"),
        Origin("pull_request", "assistant", "agent", 0.42, "a pull request's text"),
        Origin(
            "instructions",
            "assistant",
            "agent",
            0.6,
            "what was added to an instruction file for agents",
        ),
        Origin("memory_file", "assistant", "agent", 0.75, "what an agent added to its own memory"),
        Origin("material", "program", "external", 0.05, "pasted or generated text in a message"),
    )
}
"""Every origin, by name."""


def origin_of(event: Event) -> str:
    """The origin of an event's words; empty for events without words.

    Hook events have no origin: their role separates the user's words from the agent's.
    """
    origin = event.data.get("origin")
    if isinstance(origin, str) and origin in ORIGINS:
        return origin
    if event.type not in ("message", "query") or not event.text:
        return ""
    return {"user": "prompt", "assistant": "assistant"}.get(event.role, "")


def marked(origin: str, data: Mapping[str, object] | None = None) -> dict[str, object]:
    """Return `data` with the origin of the words added."""
    return {**(data or {}), "origin": ORIGINS[origin].name}
