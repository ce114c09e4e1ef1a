"""A model on loopback that says what a script tells it, in the wire forms of four vendors, and keeps every
request it was sent. Whatever an agent program puts before its model can be read there.
"""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import wire_anthropic
import wire_chat
import wire_gemini
import wire_responses
from wire import Called, Tool, Wire

WIRES: dict[str, Wire] = {
    "/messages": wire_anthropic.WIRE,
    "/responses": wire_responses.WIRE,
    "/chat/completions": wire_chat.WIRE,
    "generateContent": wire_gemini.WIRE,
    "GenerateContent": wire_gemini.WIRE,
}
"""The form of a request by how its path ends."""

BY_THE_WAY = "Work on the shop"
"""What a request without tools gets: agent programs ask for titles and summaries like that."""


@dataclass(frozen=True)
class Use:
    """A use of one of contextd's operations that the model asks for."""

    operation: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class Turn:
    """One answer of the model."""

    says: str
    uses: tuple[Use, ...] = ()


LAST = Turn("That is all.")


@dataclass(frozen=True)
class Asked:
    """One request of an agent program for its main conversation."""

    body: Mapping[str, Any]
    tools: tuple[Tool, ...]

    @property
    def text(self) -> str:
        """Every text in it, whatever it hangs on."""
        return "\n".join(_texts(self.body))


Caller = Callable[[Use, Sequence[Tool]], Called]
"""How a model calls a tool of contextd in an agent program."""


def find_tool(operation: str, tools: Iterable[Tool]) -> Tool | None:
    """The tool that stands for an operation, whatever the program puts before its name."""
    found = [
        tool
        for tool in tools
        if tool.name == operation
        or (tool.name.endswith(operation) and not tool.name.removesuffix(operation)[-1].isalnum())
    ]
    # A program may have a tool of its own that goes by the same name.
    found.sort(key=lambda tool: "contextd" not in tool.group + tool.name)
    return found[0] if found else None


def by_its_name(use: Use, tools: Sequence[Tool]) -> Called:
    """As a tool among the others. One that is not listed is called by the name it would have."""
    tool = find_tool(use.operation, tools) or Tool(f"mcp__contextd__{use.operation}")
    return Called(tool, use.arguments)


class ScriptedModel:
    """The running model. A conversation's requests are answered turn by turn."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._lock = threading.Lock()
        self._turns: list[Turn] = []
        self._call: Caller = by_its_name
        self.asked: list[Asked] = []

    def begin(self, turns: Sequence[Turn], call: Caller = by_its_name) -> None:
        """Forget what was, and answer the next conversation with these turns."""
        with self._lock:
            self._turns, self._call, self.asked = list(turns), call, []

    def answer(self, wire: Wire, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """The next turn for a request that offers tools; a few words for any other one."""
        tools = tuple(wire.offered(body))
        if not tools:
            return wire.reply(body, BY_THE_WAY, ())
        with self._lock:
            self.asked.append(Asked(body, tools))
            turn = self._turns.pop(0) if self._turns else LAST
            calls = [self._call(use, tools) for use in turn.uses]
        return wire.reply(body, turn.says, calls)


@contextmanager
def scripted_model() -> Iterator[ScriptedModel]:
    """A model that listens on a port of its own."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Requests)
    server.daemon_threads = True
    model = ScriptedModel(f"http://127.0.0.1:{server.server_port}")
    server.model = model  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield model
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Requests(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments: Any) -> None:
        """Nothing: what was asked can be read in `asked`."""

    def do_GET(self) -> None:
        model = {"id": "scripted", "object": "model", "type": "model", "display_name": "Scripted"}
        self._send_json({"object": "list", "data": [model], "models": [model], "has_more": False})

    do_HEAD = do_GET

    def do_POST(self) -> None:
        try:
            self._post()
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def _post(self) -> None:
        body = self._body()
        path = self.path.partition("?")[0]
        wire = next((wire for end, wire in WIRES.items() if path.endswith(end)), None)
        if wire is None:
            self._send_json({"input_tokens": 100, "totalTokens": 100})
            return
        reply = self.server.model.answer(wire, body)  # type: ignore[attr-defined]
        if body.get("stream") or "stream" in path:
            self._send_events(wire.events(reply))
        else:
            self._send_json(reply)

    def _body(self) -> dict[str, Any]:
        raw = b"".join(self._chunks())
        if self.headers.get("content-encoding") == "gzip":
            raw = gzip.decompress(raw)
        try:
            body = json.loads(raw or b"{}")
        except ValueError:
            return {}
        return body if isinstance(body, dict) else {}

    def _chunks(self) -> Iterator[bytes]:
        if "chunked" not in self.headers.get("transfer-encoding", ""):
            yield self.rfile.read(int(self.headers.get("content-length") or 0))
            return
        while size := int(self.rfile.readline().strip() or b"0", 16):
            yield self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()

    def _send_json(self, value: Any) -> None:
        content = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _send_events(self, events: Iterable[tuple[str, Any]]) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True
        for name, data in events:
            line = data if isinstance(data, str) else json.dumps(data)
            self.wfile.write((f"event: {name}\n" if name else "").encode())
            self.wfile.write(f"data: {line}\n\n".encode())
        self.wfile.flush()


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _texts(part)
    elif isinstance(value, list):
        for part in value:
            yield from _texts(part)
