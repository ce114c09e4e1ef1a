"""A language server on a pipe."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

At = tuple[int, int]
"""A line and a column, from 0."""


def _places(between: dict[str, dict[str, int]]) -> tuple[At, At]:
    start, end = between["start"], between["end"]
    return (start["line"], start["character"]), (end["line"], end["character"])


class Server:
    """A language server on a pipe, asked one question after the other."""

    def __init__(
        self, command: list[str], root: Path, options: dict[str, Any] | None = None
    ) -> None:
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.last = 0
        here = {"uri": root.as_uri(), "name": root.name}
        self.ask(
            "initialize",
            {
                "processId": None,
                "rootUri": root.as_uri(),
                "workspaceFolders": [here],
                "initializationOptions": options or {},
                "capabilities": {"textDocument": {"definition": {"linkSupport": False}}},
            },
        )
        self.tell("initialized", {})

    def tell(self, method: str, params: dict[str, Any]) -> None:
        """Send what has no answer."""
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    def ask(self, method: str, params: dict[str, Any]) -> Any:
        """The answer to a question; what the server asks meanwhile gets none."""
        self.last += 1
        self._send({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params})
        while True:
            message = self._receive()
            if "method" in message and "id" in message:
                items = message.get("params", {}).get("items", [])
                self._send({"jsonrpc": "2.0", "id": message["id"], "result": [{} for _ in items]})
            elif message.get("id") == self.last:
                return message.get("result")

    def wait_for(self, method: str) -> None:
        """Until the server says something by itself."""
        while self._receive().get("method") != method:
            pass

    def definitions(self, uri: str, line: int, column: int) -> list[tuple[Path, At, At]]:
        """The files that say what a place means, and from where to where there."""
        place = {"line": line, "character": column}
        found = self.ask(
            "textDocument/definition", {"textDocument": {"uri": uri}, "position": place}
        )
        listed = found if isinstance(found, list) else [found] if found else []
        return [
            (Path(unquote(urlparse(one["uri"]).path)), *_places(one["range"])) for one in listed
        ]

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps(message).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def _receive(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        length = 0
        while line := self.process.stdout.readline().strip():
            name, _, given = line.partition(b":")
            length = int(given) if name.lower() == b"content-length" else length
        return dict(json.loads(self.process.stdout.read(length)))
