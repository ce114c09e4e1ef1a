"""Extract facts from a coding agent's tool calls and their answers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

_FILE_TOOLS = {
    "Read": "read",
    "NotebookRead": "read",
    "Edit": "write",
    "MultiEdit": "write",
    "Write": "write",
    "NotebookEdit": "write",
}
SHELLS = ("Bash", "Shell", "shell", "PowerShell")
_EXIT = re.compile(
    r"\A\s*(?:Error:\s*)?(?:Command failed with )?[Ee]xit(?:ed)? (?:code|status):? (\d{1,3})"
)
_LONGEST_INPUT = 600
_MOST_ITEMS = 50
_HEAD, _TAIL = 800, 800
"""Characters stored of an answer: errors are at one of its ends. With three times as many, answers took
half of a session's space.
"""


def accessed_file(tool: str, arguments: Mapping[str, Any], cwd: str) -> tuple[str, str]:
    """The file a call touches, relative to `cwd` if inside it, and `read` or `write`."""
    mode = _FILE_TOOLS.get(tool, "")
    path = arguments.get("file_path") or arguments.get("notebook_path")
    if not mode or not isinstance(path, str) or not path or "\0" in path:
        return "", ""
    return relative_path(path, cwd), mode


def relative_path(path: str, cwd: str) -> str:
    """A path as stored in events: relative to `cwd` if inside it."""
    path, root = path.replace("\\", "/"), cwd.replace("\\", "/").rstrip("/")
    if root and path.startswith(root + "/"):
        path = path[len(root) + 1 :]
    return str(PurePosixPath(path[:1000]))


def call_text(tool: str, arguments: Mapping[str, Any]) -> str:
    """A call in one line: the command, the path, the query, or the tool's name."""
    for name in ("command", "file_path", "notebook_path", "pattern", "query", "url", "description"):
        value = arguments.get(name)
        if isinstance(value, str) and value:
            return f"{tool}: {value[:500]}"
    return tool


def exit_code(tool: str, text: str, failed: bool, result: Any) -> int | None:
    """The exit status of a shell call; None if there is none or it is unknown."""
    if isinstance(result, Mapping):
        for name in ("exitCode", "exit_code", "returnCode"):
            status = result.get(name)
            if isinstance(status, int) and not isinstance(status, bool):
                return status
    match = _EXIT.match(text)
    if match:
        return int(match[1])
    if tool not in SHELLS:
        return None
    if isinstance(result, Mapping) and result.get("interrupted"):
        return 130
    return 1 if failed else 0


def output_text(content: Any) -> str:
    """The text of a tool's answer; beginning and end if it is long."""
    if isinstance(content, list):
        parts = [b.get("text", "") if isinstance(b, dict) else b for b in content]
        content = "\n".join(part for part in parts if isinstance(part, str) and part)
    if not isinstance(content, str):
        return ""
    if len(content) <= _HEAD + _TAIL:
        return content
    return f"{content[:_HEAD]}\n… {len(content) - _HEAD - _TAIL} characters …\n{content[-_TAIL:]}"


def kept_text(tool: str, text: str, *, failed: bool) -> str:
    """The part of an answer to store: of a read, the beginning, since the files have the rest; of a write,
    one line, since the call has the text.
    """
    if failed:
        return text
    return text[: _GLIMPSES.get(tool, len(text))]


_GLIMPSES = {
    **dict.fromkeys(("Read", "Grep", "Glob", "LS", "WebFetch", "WebSearch", "NotebookRead"), 300),
    **dict.fromkeys(("Edit", "MultiEdit", "Write", "NotebookEdit", "TodoWrite"), 120),
}
"""Tools that show content stored elsewhere, and how many characters of it to store."""


def trimmed(value: Any, depth: int = 0) -> Any:
    """Arguments with long strings and lists shortened, nested at most four levels deep."""
    if isinstance(value, str):
        return value if len(value) <= _LONGEST_INPUT else value[:_LONGEST_INPUT] + "…"
    if isinstance(value, Mapping):
        if depth >= 4:
            return {}
        return {str(k)[:200]: trimmed(v, depth + 1) for k, v in list(value.items())[:_MOST_ITEMS]}
    if isinstance(value, list):
        return [] if depth >= 4 else [trimmed(item, depth + 1) for item in value[:_MOST_ITEMS]]
    return value if isinstance(value, bool | int | float) or value is None else str(value)[:200]
