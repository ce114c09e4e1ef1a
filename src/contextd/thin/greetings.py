"""What every agent asks for first, kept from the last time: the answers to `initialize` and `tools/list`, and
what it may listen to.

The shim gives them while the daemon still loads. They are the same for every agent of a profile; the
daemon is asked all the same, and where it answers otherwise the agent is told. Standard library only.
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
"""Answered at its end only, but acknowledged at once, and some clients ask for nothing before."""

GREETINGS = ("initialize", "server/discover", "tools/list", "prompts/list", LISTEN)
"""Methods whose answers are kept, and nobody's alone."""

RESOURCES = "resources/list"
"""Answered with names of the project, so kept for the directory that was asked from."""

_LARGEST = 1 << 20
_MOST = 60
"""Answers in a file: of these methods in every version of the protocol there is, and of the directories one
works in.
"""


class Greetings:
    """The answers to one command line in one home, to agents that work in `place`: to a profile, and to a
    client that is served in a `manner` of its own. A file that cannot be read or written is no error: the
    daemon answers as well, later.
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
        """Under which name the answer to a request is kept; empty for one that is not."""
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
                # What may be listened to of a project is for the daemon to say.
                return ""
            spoken = f"{spoken} {dumps(dict(sorted(wanted.items())))}"
        if method == RESOURCES:
            return f"{method} {spoken or self._protocol} {self._place}"
        if method == "initialize":
            spoken = self._protocol = str(parameters.get("protocolVersion", ""))
        return f"{method} {spoken or self._protocol}"

    def answer(self, key: str) -> dict[str, Any] | None:
        """The result kept under a name."""
        found = self._results.get(key)
        return found if isinstance(found, dict) else None

    def keep(self, key: str, result: Any) -> bool:
        """Keep a result for the next time. Whether it is another one than before."""
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
