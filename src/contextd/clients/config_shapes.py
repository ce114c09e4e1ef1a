"""The shapes of MCP server and hook entries in clients' configurations, built from a command line."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Sequence
from typing import Any, Literal

from contextd.clients.client import Calling, HookEvent

Shell = Literal["sh", "cmd", "powershell"]
"""A shell by its rules of quoting: `sh` stands for bash, zsh and Git Bash on Windows too."""

OPEN = " || exit 1"
"""What a command line ends with that no client takes for a refusal."""

_STARTS = re.compile(r"""(?:^|[\s/\\"'])contextd(?:\.\w+)?["']?\s+(?=(\w+)(?!\S))""")
_PLAIN = re.compile(r"[\w@%+=:,./\\-]+", re.ASCII)
"""A word that no shell changes."""


def plain_server(line: Sequence[str]) -> dict[str, Any]:
    """Program and arguments, the most common form of a server."""
    return {"command": line[0], "args": list(line[1:])}


def stdio_server(line: Sequence[str]) -> dict[str, Any]:
    """The same, with the transport named."""
    return {"type": "stdio", **plain_server(line)}


def in_a_shell(line: Sequence[str], shell: Shell = "sh") -> str:
    """A command line quoted for a shell."""
    if shell == "cmd":
        return subprocess.list2cmdline(line)
    if shell == "powershell":
        words = [word if _PLAIN.fullmatch(word) else _in_powershell(word) for word in line]
        # A quoted word alone would be a text, not a program.
        return " ".join(words if words[0] == line[0] else ["&", *words])
    return shlex.join(line)


def _in_powershell(word: str) -> str:
    return "'" + word.replace("'", "''") + "'"


def hook_line(calling: Calling, on_windows: Shell = "cmd") -> str:
    """The hook's command line for the shell in which a client runs it."""
    return calling.line or client_line(calling.hook, on_windows)


def client_line(line: Sequence[str], on_windows: Shell, platform: str = sys.platform) -> str:
    """A command line for the shell of a platform; clients differ on Windows only."""
    if platform != "win32":
        return in_a_shell(line)
    if on_windows == "sh":
        # Git Bash drops backslashes; unquoted, PowerShell, in which Claude Code runs hooks where there
        # is no Git Bash, reads the same words.
        line = [line[0].replace("\\", "/"), *line[1:]]
    return in_a_shell(line, on_windows)


def starts_contextd(line: str, command: str) -> bool:
    """Whether a command line runs this command of ours, with any path and quoting."""
    return any(one[1] == command for one in _STARTS.finditer(line))


def shell_hook(calling: Calling, event: HookEvent, on_windows: Shell = "cmd") -> dict[str, Any]:
    """One line for a shell, with the seconds the client waits. Every version of every client knows this form;
    Claude Code before 2.1.139 runs `command` without `args`.
    """
    line = hook_line(calling, on_windows)
    return {"type": "command", "command": line, "timeout": event.timeout}


def shell_hook_in_ms(calling: Calling, event: HookEvent) -> dict[str, Any]:
    """One line for a shell under a name, with the milliseconds the client waits.

    Gemini CLI and Qwen Code refuse a prompt for any exit code but 0 and 1, also for the 127 of a program that is
    gone. On Windows, PowerShell ends with 1 then.
    """
    hook = shell_hook(calling, event, "powershell")
    line: str = hook["command"]
    if sys.platform != "win32":
        line = line.removesuffix(OPEN) + OPEN
    return {**hook, "command": line, "name": "contextd", "timeout": event.timeout * 1000}
