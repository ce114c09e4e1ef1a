"""Hooks in Cursor's form: below `hooks` a list of commands per event, and the format's version."""

from __future__ import annotations

from typing import Any

from contextd.clients.client import Calling, Edit, HookEvent
from contextd.clients.codec import Codec, Place
from contextd.clients.config_entries import dropped
from contextd.clients.config_shapes import in_a_shell, starts_contextd
from contextd_code.dataclass import dataclass
from contextd_code.errors import Invalid

_KEY, _VERSION = "hooks", "version"


@dataclass(frozen=True, slots=True)
class ListedHooks:
    """Our hooks, one command per event."""

    codec: Codec
    events: tuple[HookEvent, ...]
    version: int = 1
    executable: bool = False

    @property
    def empty(self) -> str:
        """The content assumed for an empty file."""
        return self.codec.empty

    def add(self, text: str, calling: Calling) -> Edit:
        """`text` with one hook of ours per event, and none on any other event. Raises `Invalid` when the hooks
        have an unexpected form.
        """
        changes: list[str] = []
        if _VERSION not in self.codec.members(text):
            text = self.codec.put(text, (_VERSION,), self.version)
        for event in self.events:
            hook = {"command": in_a_shell(calling.hook), "timeout": event.timeout}
            listed = self._listed(text).get(event.name, [])
            if not isinstance(listed, list):
                raise Invalid(f"{_KEY}.{event.name} is not a list", "correct it, try again")
            mine = [number for number, one in enumerate(listed) if _is_ours(one)]
            if mine and listed[mine[0]] == hook:
                continue
            place: Place = (_KEY, event.name)
            if mine:
                text = self.codec.put(text, (*place, mine[0]), hook)
            elif event.name in self._listed(text):
                text = self.codec.put(text, (*place, len(listed)), hook)
            else:
                text = self.codec.put(text, place, [hook])
            changes.append(f"{'updated the' if mine else 'added a'} hook on {event.name}")
        served = {event.name for event in self.events}
        for place in reversed(self.places(text)):
            if place[1] not in served:
                text = dropped(self.codec, text, place, frozenset())
                changes.append(f"removed the hook on {place[1]}")
        return text, changes

    def without(self, text: str, client: str, keep: frozenset[Place] = frozenset()) -> Edit:
        """`text` without any hook of ours."""
        del client
        changes: list[str] = []
        for place in reversed(self.places(text)):
            text = dropped(self.codec, text, place, keep)
            changes.append(f"removed the hook on {place[1]}")
        members = self.codec.members(text)
        if changes and (_VERSION,) not in keep and _KEY not in members and _VERSION in members:
            text = self.codec.remove(text, (_VERSION,))
        return text, changes

    def containers(self, text: str) -> frozenset[Place]:
        """The containers of our hooks that already exist."""
        members = self.codec.members(text)
        found: set[Place] = {(name,) for name in (_VERSION, _KEY) if name in members}
        hooks = members.get(_KEY)
        if isinstance(hooks, dict):
            found |= {(_KEY, event) for event in hooks}
        return frozenset(found)

    def places(self, text: str) -> list[Place]:
        """The paths of our hooks: key, event, index in its list."""
        hooks = self.codec.members(text).get(_KEY)
        return [
            (_KEY, event, number)
            for event, listed in (hooks.items() if isinstance(hooks, dict) else ())
            for number, one in enumerate(listed if isinstance(listed, list) else ())
            if _is_ours(one)
        ]

    def _listed(self, text: str) -> dict[str, Any]:
        hooks = self.codec.members(text).get(_KEY, {})
        if not isinstance(hooks, dict):
            raise Invalid(f"{_KEY} is not an object", "correct it and try again")
        return hooks


def _is_ours(hook: Any) -> bool:
    line = hook.get("command") if isinstance(hook, dict) else None
    return isinstance(line, str) and starts_contextd(line, "hook") and "--client cursor" in line
