"""Events of sessions, written down as briefly as tests want them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from contextd.domain.origins import marked
from contextd.domain.sessions import Event, EventType

START = datetime(2026, 3, 1, 10, tzinfo=UTC)


class Talk:
    """A session that is being told: each call adds events, ten seconds apart."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def add(self, type: EventType, role: str, text: str, key: str = "", **data: Any) -> Talk:
        """One event."""
        place = len(self.events)
        at = START + timedelta(seconds=10 * place)
        key = key or f"e{place}:0"
        self.events.append(
            Event(type=type, key=key, at=at, role=role, text=text, data=data, seq=place + 1)
        )
        return self

    def asks(self, text: str, key: str = "") -> Talk:
        """The user's prompt, as a transcript tells it."""
        return self.add("message", "user", text, key, **marked("prompt"))

    def hooked(self, text: str) -> Talk:
        """The user's prompt, as a hook tells it."""
        return self.add("query", "user", text, f"prompt:{len(self.events)}")

    def answers(self, text: str, **data: Any) -> Talk:
        """What the agent says."""
        return self.add("message", "assistant", text, **marked("assistant", data))

    def told(self, origin: str, text: str, role: str = "user", **data: Any) -> Talk:
        """Words of another origin."""
        return self.add("note", role, text, **marked(origin, data))

    def writes(self, path: str) -> Talk:
        """The agent writes a file."""
        return self.add("file_access", "assistant", "", path=path, mode="write", tool="Edit")

    def runs(self, command: str, output: str = "", code: int = 0) -> Talk:
        """The agent runs a command."""
        call = f"call{len(self.events)}"
        self.add("tool_call", "assistant", f"Bash: {command}", tool="Bash", id=call)
        return self.add(
            "tool_result", "", output, tool="Bash", id=call, exit_code=code, is_error=bool(code)
        )
