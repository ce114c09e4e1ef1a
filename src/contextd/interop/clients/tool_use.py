"""What an agent is about to do with a tool, whatever its client calls the tool."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from contextd.domain.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A command to be run, or a file to be written: with a whole new `content`, or by `replacements` of
    one text by another.
    """

    command: str = ""
    path: str = ""
    content: str | None = None
    replacements: tuple[tuple[str, str], ...] = ()


def tool_use(given: Any) -> ToolUse | None:
    """What the input of a tool asks for; None for one that neither runs nor writes anything."""
    if not isinstance(given, Mapping):
        return None
    command = _text(given, "command")
    path = _text(given, "file_path") or _text(given, "notebook_path") or _text(given, "path")
    if command:
        return ToolUse(command=command)
    several = given.get("edits")
    edits = (
        [one for one in several if isinstance(one, Mapping)] if isinstance(several, list) else []
    )
    pairs = [
        (_text(one, "old_string"), _text(one, "new_string"))
        for one in (given, *edits)
        if "new_string" in one
    ]
    content = given.get("content", given.get("new_source"))
    if not path or (not pairs and not isinstance(content, str)):
        return None
    return ToolUse(
        path=path,
        content=_clean(content) if isinstance(content, str) and not pairs else None,
        replacements=tuple(pairs),
    )


def _text(given: Mapping[Any, Any], name: str) -> str:
    value = given.get(name)
    return _clean(value) if isinstance(value, str) else ""


def _clean(text: str) -> str:
    # A client that cuts a text between the halves of a character leaves one half.
    return text.encode("utf-8", "replace").decode()
