"""The tool call an agent is about to make, in one form for all clients."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from contextd_code.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A command to be run, or a file to be written: with a whole new `content`, or by `replacements` of one
    text by another.
    """

    command: str = ""
    path: str = ""
    content: str | None = None
    replacements: tuple[tuple[str, str], ...] = ()


def tool_use(tool_input: Any) -> ToolUse | None:
    """The requested command or write; None for a tool that does neither."""
    if not isinstance(tool_input, Mapping):
        return None
    command = _text(tool_input, "command")
    path = (
        _text(tool_input, "file_path")
        or _text(tool_input, "notebook_path")
        or _text(tool_input, "path")
    )
    if command:
        return ToolUse(command=command)
    several = tool_input.get("edits")
    edits = (
        [one for one in several if isinstance(one, Mapping)] if isinstance(several, list) else []
    )
    pairs = [
        (_text(one, "old_string"), _text(one, "new_string"))
        for one in (tool_input, *edits)
        if "new_string" in one
    ]
    content = tool_input.get("content", tool_input.get("new_source"))
    if not path or (not pairs and not isinstance(content, str)):
        return None
    return ToolUse(
        path=path,
        content=_clean(content) if isinstance(content, str) and not pairs else None,
        replacements=tuple(pairs),
    )


def _text(tool_input: Mapping[Any, Any], name: str) -> str:
    value = tool_input.get(name)
    return _clean(value) if isinstance(value, str) else ""


def _clean(text: str) -> str:
    # A client that cuts a text between the halves of a character leaves one half.
    return text.encode("utf-8", "replace").decode()
