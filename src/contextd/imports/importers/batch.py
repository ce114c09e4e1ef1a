"""The result of an importer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from datetime import datetime
from typing import Any

from contextd.domain.sessions import Event
from contextd_code.dataclass import dataclass

Redact = Callable[[str], tuple[str, int]]
"""Redacts a text; returns it and the number of secrets."""

RedactItem = Callable[[Mapping[str, Any]], tuple[dict[str, Any], int]]
"""Redacts all texts of one item together; returns it and the number of secrets."""


def unredacted(text: str) -> tuple[str, int]:
    """The unchanged text, for callers with clean input."""
    return text, 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportBatch:
    """A section of a transcript as redacted events.

    `next_offset` is the byte to continue from; `done` says that no complete entry is left. `counts` has
    `read` (lines), `events`, `duplicate`, `redacted`, `junk`, `bad`, `oversize`, and `type:<name>` for every
    type of line without conversation. `usage` sums the tokens reported by the client. `entrypoint` is how the
    client says it was started: `cli`, `sdk-py`, … `parent` is the parent session of a sub-agent, if
    sub-agents have sessions of their own.
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
        """Whether a program ran the session, not a person: `claude -p`, the SDKs and `codex exec` report
        it, and a sub-agent is run by another agent.
        """
        return bool(self.parent) or self.entrypoint.startswith(("sdk", "exec"))
