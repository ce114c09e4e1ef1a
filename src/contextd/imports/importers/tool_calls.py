"""A coding agent's tool calls and their answers: common names for the tools of all clients, and the facts in a call.

Readers of events use the names of Claude Code. An equivalent tool of another client is a row of `_SAME`; other tools
keep their names.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from contextd.redaction.cutting import beginning, ending

_SAME = {
    "Bash": (
        "bash", "shell", "exec_command", "exec", "local_shell", "local_shell_call", "run_shell_command",
        "execute_command", "run_command", "run_commands", "run_terminal_cmd",
        "run_terminal_command_v2", "run_terminal_command", "runTerminalCommand", "powershell",
        "container.exec",
    ),
    "Read": (
        "read", "read_file", "read_files", "read_many_files", "view", "view_file", "open_file",
        "read_file_v2", "readFile", "str_replace_editor:view",
    ),
    "Write": (
        "write", "write_file", "write_to_file", "create", "create_file", "create_new_file",
        "writeFile", "str_replace_editor:create",
    ),
    "Edit": (
        "edit", "edit_file", "edit_file_v2", "replace", "replace_in_file", "apply_diff", "editor",
        "str_replace", "str_replace_editor", "str_replace_editor:str_replace",
        "str_replace_editor:insert", "search_replace", "edit_existing_file",
        "single_find_and_replace", "apply_patch", "insert_edit_into_file", "patch",
    ),
    "MultiEdit": ("multi_edit", "multiedit", "multi_edit_file"),
    "Grep": (
        "grep", "grep_search", "search_file_content", "ripgrep", "ripgrep_raw_search", "rg",
        "codebase_search", "search_files", "search_codebase", "semantic_search_full",
    ),
    "Glob": (
        "glob", "list", "ls", "list_directory", "list_files", "list_dir", "list_dir_v2",
        "file_search", "file_glob_search", "glob_file_search", "find_file", "search_dir",
    ),
    "WebFetch": ("webfetch", "web_fetch", "fetch", "fetch_url_content", "fetch_web_content"),
    "WebSearch": ("websearch", "web_search", "web_search_call", "google_web_search", "search_web"),
    "TodoWrite": ("todowrite", "todo_write", "write_todos", "update_todo_list", "todo"),
}  # fmt: skip
_COMMON = {native: common for common, names in _SAME.items() for native in names}

_PATHS = (
    "file_path", "path", "filePath", "filepath", "absolute_path", "target_file", "targetFile",
    "relative_workspace_path", "relativeWorkspacePath", "file", "notebook_path",
)  # fmt: skip
_CALLED = {
    "old_string": ("oldString", "old_str", "oldText", "old_text", "search"),
    "new_string": ("newString", "new_str", "newText", "new_text", "insert_text"),
    "content": ("contents", "file_text", "text", "new_content"),
}
_LONGEST_PATCH = 200_000


def common_call(tool: str, arguments: Any) -> tuple[str, Mapping[str, Any]]:
    """A call under the common names. Arguments may be the text of a JSON object."""
    given = _object(arguments)
    command = given.get("command")
    named = f"{tool}:{command}" if tool == "str_replace_editor" else tool
    name = _COMMON.get(named) or _COMMON.get(tool) or tool
    if name == "Bash":
        return name, {**_without(given, ("cmd", "commands")), "command": _command(given)}
    if name in ("Read", "Write", "Edit", "MultiEdit"):
        return name, _of_file(name, tool, given)
    return name, given


def _object(arguments: Any) -> Mapping[str, Any]:
    if isinstance(arguments, str):
        text = arguments.strip()
        if text.startswith("*** Begin Patch"):
            return {"patch": beginning(text, _LONGEST_PATCH)}
        try:
            arguments = json.loads(text)
        except (ValueError, RecursionError):
            return {"input": text} if text else {}
    return arguments if isinstance(arguments, Mapping) else {}


def _without(tool_input: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: value for name, value in tool_input.items() if name not in names}


def _command(tool_input: Mapping[str, Any]) -> str:
    """The command of a shell call, given as a text, a list of words, or several of them."""
    wanted = (
        tool_input.get("command")
        or tool_input.get("cmd")
        or tool_input.get("commands")
        or tool_input.get("input")
    )
    if isinstance(wanted, list):
        words = [str(one) for one in wanted if isinstance(one, str | int)]
        if "commands" in tool_input and "command" not in tool_input:
            return " && ".join(words)
        if len(words) == 3 and words[1] in ("-c", "-lc"):
            return words[2]
        return " ".join(words)
    return wanted if isinstance(wanted, str) else ""


def _of_file(name: str, tool: str, tool_input: Mapping[str, Any]) -> Mapping[str, Any]:
    found: dict[str, Any] = dict(tool_input)
    # A patch under `input`, `patch` or `patchText` names its files itself.
    patch = next(
        (v for v in tool_input.values() if isinstance(v, str) and "*** Begin Patch" in v), ""
    )
    if patch:
        return {"patch": beginning(patch, _LONGEST_PATCH), "file_path": next(_patched(patch), "")}
    path = next((tool_input[one] for one in _PATHS if isinstance(tool_input.get(one), str)), "")
    if path:
        found = {**_without(found, tuple(one for one in _PATHS if one != "file_path"))}
        found["file_path"] = path
    for common, others in _CALLED.items():
        value = next(
            (tool_input[one] for one in others if isinstance(tool_input.get(one), str)), None
        )
        if value is not None and common not in found and name != "Read":
            found[common] = value
    return found


_PATCHED = re.compile(
    r"^\*\*\* (?:Update|Add|Delete) File: (.+?)\s*$|^\*\*\* Move to: (.+?)\s*$", re.M
)


def _patched(patch: str) -> Iterator[str]:
    for match in _PATCHED.finditer(patch):
        yield match[1] or match[2]


def patched_files(tool_input: Mapping[str, Any]) -> list[str]:
    """The files that a patch changes, also one that a command passes to `apply_patch`."""
    for name in ("patch", "command"):
        text = tool_input.get(name)
        if isinstance(text, str) and "*** Begin Patch" in text:
            return list(dict.fromkeys(_patched(text[:_LONGEST_PATCH])))[:100]
    return []


_EXIT_TOLD = re.compile(
    r"^\W{0,2}(?:(?:Process|Command)? ?exited with (?:exit )?code|Exit code|exit code)(?:\s*[:=])?\s+(-?\d{1,5})\b"
    r"|\(exit code (\d{1,5})\)|completed with exit code (\d{1,5})>",
    re.M | re.I,
)
_WRAPPED = re.compile(
    r"\A(?:(?:Chunk ID|Wall time|Process exited with code|Original token count|Exit code|Command|Directory|Total output lines)\b[^\n]*\n)+Output: ?\n?",
    re.I,
)
_ENDS = 1_500


def exit_told(output: str) -> tuple[str, int | None]:
    """A shell's answer without the client's wrapping, and its exit code; None if unknown."""
    ends = output if len(output) <= 2 * _ENDS else f"{output[:_ENDS]}\n{output[-_ENDS:]}"
    match = _EXIT_TOLD.search(ends)
    code = int(match[1] or match[2] or match[3]) if match else None
    while wrapped := _WRAPPED.match(output):
        output = output[wrapped.end() :]
    return output, code


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
            return f"{tool}: {beginning(value, 500)}"
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
    head, tail = beginning(content, _HEAD), ending(content, _TAIL)
    return f"{head}\n… {len(content) - len(head) - len(tail)} characters …\n{tail}"


def kept_text(tool: str, text: str, *, failed: bool) -> str:
    """The part of an answer to store: of a read, the beginning, since the files have the rest; of a write,
    one line, since the call has the text.
    """
    if failed:
        return text
    return beginning(text, _GLIMPSES.get(tool, len(text)))


_GLIMPSES = {
    **dict.fromkeys(("Read", "Grep", "Glob", "LS", "WebFetch", "WebSearch", "NotebookRead"), 300),
    **dict.fromkeys(("Edit", "MultiEdit", "Write", "NotebookEdit", "TodoWrite"), 120),
}
"""Tools that show content stored elsewhere, and how many characters of it to store."""


def trimmed(value: Any, depth: int = 0) -> Any:
    """Arguments with long strings and lists shortened, nested at most four levels deep."""
    if isinstance(value, str):
        return value if len(value) <= _LONGEST_INPUT else beginning(value, _LONGEST_INPUT) + "…"
    if isinstance(value, Mapping):
        if depth >= 4:
            return {}
        return {
            beginning(str(k), 200): trimmed(v, depth + 1)
            for k, v in list(value.items())[:_MOST_ITEMS]
        }
    if isinstance(value, list):
        return [] if depth >= 4 else [trimmed(item, depth + 1) for item in value[:_MOST_ITEMS]]
    return (
        value
        if isinstance(value, bool | int | float) or value is None
        else beginning(str(value), 200)
    )
