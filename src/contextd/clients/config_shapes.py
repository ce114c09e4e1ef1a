"""The shapes of MCP server and hook entries in clients' configurations, built from a command line."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

from contextd.clients.client import HookEvent

_STARTS = re.compile(r"""(?:^|[\s/\\"'])contextd(?:\.\w+)?["']?\s+(?=(\w+)(?!\S))""")


def plain_server(line: Sequence[str]) -> dict[str, Any]:
    """Program and arguments, the most common form of a server."""
    return {"command": line[0], "args": list(line[1:])}


def stdio_server(line: Sequence[str]) -> dict[str, Any]:
    """The same, with the transport named."""
    return {"type": "stdio", **plain_server(line)}


def in_a_shell(line: Sequence[str]) -> str:
    """A command line quoted for this platform's shell."""
    return subprocess.list2cmdline(line) if sys.platform == "win32" else shlex.join(line)


def starts_contextd(line: str, command: str) -> bool:
    """Whether a command line runs this command of ours, with any path and quoting."""
    return any(one[1] == command for one in _STARTS.finditer(line))


def shell_hook(line: Sequence[str], event: HookEvent) -> dict[str, Any]:
    """One line for a shell, with the seconds the client waits."""
    return {"type": "command", "command": in_a_shell(line), "timeout": event.timeout}


def shell_hook_in_ms(line: Sequence[str], event: HookEvent) -> dict[str, Any]:
    """One line for a shell under a name, with the milliseconds the client waits."""
    return {**shell_hook(line, event), "name": "contextd", "timeout": event.timeout * 1000}
