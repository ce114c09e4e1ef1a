"""A client's status line: there is only one, so a user's own stays."""

from __future__ import annotations

from typing import Any

from contextd.clients.client import Calling, Edit, HookEvent
from contextd.clients.codec import Codec, Place
from contextd.clients.config_shapes import in_a_shell, starts_contextd
from contextd_code.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class StatusLineEntry:
    """The command below `key` that prints our line, for users who ask for it."""

    codec: Codec
    key: str = "statusLine"
    executable: bool = False
    events: tuple[HookEvent, ...] = ()

    @property
    def empty(self) -> str:
        """The content assumed for an empty file."""
        return self.codec.empty

    def add(self, text: str, calling: Calling) -> Edit:
        """`text` with our status line, if the user asked for it or it already exists, and no other one does."""
        present = self.codec.members(text).get(self.key)
        ours = _is_ours(present)
        if not (calling.status_line or ours):
            return text, []
        if present is not None and not ours:
            return text, ["kept your own status line"]
        wanted = {"type": "command", "command": in_a_shell([*calling.command, "statusline"])}
        if present == wanted:
            return text, []
        verb = "updated" if ours else "added"
        return self.codec.put(text, (self.key,), wanted), [f"{verb} the status line"]

    def without(self, text: str, client: str, keep: frozenset[Place] = frozenset()) -> Edit:
        """`text` without our status line."""
        del client, keep
        if not _is_ours(self.codec.members(text).get(self.key)):
            return text, []
        return self.codec.remove(text, (self.key,)), ["removed the status line"]

    def containers(self, text: str) -> frozenset[Place]:
        """None: the entry has no container."""
        del text
        return frozenset()


def _is_ours(entry: Any) -> bool:
    command = entry.get("command") if isinstance(entry, dict) else None
    return isinstance(command, str) and starts_contextd(command, "statusline")
