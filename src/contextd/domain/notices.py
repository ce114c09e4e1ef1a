"""What an agent should know beside the answer it asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal

from contextd.domain.dataclass import dataclass

NoticeName = Literal["memory_match", "policy_warning", "budget_warning", "settings_warning"]


@dataclass(frozen=True, slots=True)
class Notice:
    """One fact that comes with an answer: its name, its facts as JSON, and the same in one line.

    Clients of MCP get it as the notification `contextd/NAME` and, unless they declare that they show those or
    the answer says it already (`answered`), with the result as well.
    """

    name: NoticeName
    text: str
    facts: Mapping[str, Any] = field(default_factory=dict[str, Any])
    answered: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {"notice": self.name, "text": self.text, **self.facts}
