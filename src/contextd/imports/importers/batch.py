"""What an importer hands over."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from datetime import datetime
from typing import Any

from contextd.domain.dataclass import dataclass
from contextd.domain.sessions import Event

Redact = Callable[[str], tuple[str, int]]
"""Takes secrets out of a text; returns it and how many there were."""

RedactItem = Callable[[Mapping[str, Any]], tuple[dict[str, Any], int]]
"""Takes secrets out of all texts of one thing together; returns it and how many there were."""


def unredacted(text: str) -> tuple[str, int]:
    """The text as it is, for callers that hold it to be clean already."""
    return text, 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportBatch:
    """A stretch of a transcript as events, already free of secrets.

    `next_offset` is the byte to go on from; `done` says that nothing complete is left. `counts`
    has `read` (lines), `events`, `duplicate`, `redacted`, `junk`, `bad`, `oversize`, and
    `type:<name>` for every kind of line that carries no conversation. `usage` sums the tokens the
    client itself reported. `entrypoint` is how the client says it was started: `cli`, `sdk-py`, …
    `parent` is the session whose sub-agent this one is, where sub-agents are sessions of their own.
    """

    external_id: str = ""
    parent: str = ""
    cwd: str = ""
    branch: str = ""
    entrypoint: str = ""
    title: str = ""
    started: datetime | None = None
    ended: datetime | None = None
    events: tuple[Event, ...] = ()
    next_offset: int = 0
    done: bool = True
    counts: Mapping[str, int] = field(default_factory=dict[str, int])
    usage: Mapping[str, int] = field(default_factory=dict[str, int])

    @property
    def headless(self) -> bool:
        """Whether a program ran the session, not a person: `claude -p`, the SDKs and `codex exec` say so,
        and a sub-agent is run by another agent.
        """
        return bool(self.parent) or self.entrypoint.startswith(("sdk", "exec"))
