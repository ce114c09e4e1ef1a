"""Cache of the first answers to every agent: those to `initialize` and `tools/list`, and available
subscriptions.

The shim answers from it while the daemon is still loading. The answers are the same for every agent of a
profile. The daemon is asked as well, and if its answer differs, the agent is notified. Standard library only.
"""

from __future__ import annotations

import os

from contextd.thin.home import read_object, write_object
from contextd.thin.plain_json import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from contextd.thin.home import PlainPath

LISTEN = "subscriptions/listen"
"""Answered only when it ends, but acknowledged at once, and some clients send no request before."""

GREETINGS = ("initialize", "server/discover", "tools/list", "prompts/list", LISTEN)
"""Methods whose answers are cached; they are the same for all agents."""

RESOURCES = "resources/list"
"""Answers that contain names of the project, so they are cached per directory."""

_LARGEST = 1 << 20
_MOST = 60
"""Answers per file: those of these methods in every version of the protocol, and those of several
directories.
"""


class Greetings:
    """The answers to one command line in one home, for agents that work in `place`: per profile, and per
    `manner` of serving a client. An unreadable or read-only file is not an error: the daemon answers as well,
    but later.
    """

    def __init__(self, home: PlainPath, profile: str, place: str, *manner: str) -> None:
        named = (
            "".join(c for c in part if c.isalnum()) for part in (profile or "default", *manner)
        )
        self._path = home / "ready" / f"mcp-{'-'.join(filter(None, named))}.json"
        self._results = read_object(self._path, _LARGEST) or {}
        self._place = place
        self._protocol = ""

    def key(self, message: Mapping[str, Any]) -> str:
        """The cache key of a request; empty for one that is not cached."""
        method, parameters = message.get("method"), message.get("params")
        parameters = parameters if isinstance(parameters, dict) else {}
        if method not in (*GREETINGS, RESOURCES) or parameters.get("cursor"):
            return ""
        about = parameters.get("_meta")
        meta = about if isinstance(about, dict) else {}
        spoken = meta.get("io.modelcontextprotocol/protocolVersion")
        if method == LISTEN:
            wanted = parameters.get("notifications")
            if not isinstance(wanted, dict) or wanted.get("resourceSubscriptions"):
                # Only the daemon knows the subscriptions of a project.
                return ""
            spoken = f"{spoken} {dumps(dict(sorted(wanted.items())))}"
        if method == RESOURCES:
            return f"{method} {spoken or self._protocol} {self._place}"
        if method == "initialize":
            spoken = self._protocol = str(parameters.get("protocolVersion", ""))
        return f"{method} {spoken or self._protocol}"

    def answer(self, key: str) -> dict[str, Any] | None:
        """The result cached under a key."""
        found = self._results.get(key)
        return found if isinstance(found, dict) else None

    def keep(self, key: str, result: Any) -> bool:
        """Cache a result. Returns whether it differs from the previous one."""
        before = self.answer(key)
        if not isinstance(result, dict) or result == before:
            return False
        self._results[key] = result
        while len(self._results) > _MOST:
            del self._results[next(iter(self._results))]
        try:
            os.makedirs(os.path.dirname(self._path), mode=0o700, exist_ok=True)
            write_object(self._path, self._results)
        except OSError:
            pass
        return before is not None
