"""Notices: facts an agent should see beside the answer it asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal

from contextd_common.dataclass import dataclass

NoticeName = Literal[
    "memory_match", "policy_warning", "budget_warning", "settings_warning", "argument_warning"
]


@dataclass(frozen=True, slots=True)
class Notice:
    """One fact that comes with an answer: its name, its data as JSON, and a one-line text.

    MCP clients get it as the notification `contextd/NAME`. It is repeated in the result unless the client
    declares that it shows such notifications, or the answer contains it already (`answered`).
    """

    name: NoticeName
    text: str
    facts: Mapping[str, Any] = field(default_factory=dict[str, Any])
    answered: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {"notice": self.name, "text": self.text, **self.facts}
