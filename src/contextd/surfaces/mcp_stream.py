"""MCP over a pair of byte streams: one JSON-RPC message per line, as on stdio."""

from __future__ import annotations

import json
import math
from contextlib import suppress
from typing import Any, Protocol, TypeAlias

import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from contextd.surfaces.agent_options import AgentOptions
from contextd.surfaces.calls import Calls, Peer
from contextd.surfaces.line_reader import LineReader
from contextd.surfaces.mcp import build_server
from contextd.thin.long_lines import LongLine

Incoming: TypeAlias = SessionMessage | Exception
_DRAIN_SECONDS = 8.0
_NOTICES = "notifications/"


class LineWriter(Protocol):
    """The output stream, with the interface of `asyncio.StreamWriter`."""

    def write(self, data: bytes) -> None:
        """Buffer some bytes."""

    async def drain(self) -> None:
        """Return once more bytes can be written."""

    def is_closing(self) -> bool:
        """Whether the reading side is gone."""


async def serve_peer(
    calls: Calls,
    options: AgentOptions,
    peer: Peer,
    lines: LineReader,
    writer: LineWriter,
) -> None:
    """Serve one peer with its options; see `serve_stream`."""
    await serve_stream(build_server(calls, options, lambda _: peer), lines, writer)


async def serve_stream(server: Server[Any], lines: LineReader, writer: LineWriter) -> None:
    """Serve one client, in the protocol version it opens with, until it closes the stream.

    A line that is not a JSON-RPC message, or is too long, is answered with an error; a blank line is skipped.
    Requests that run when the client stops sending are still answered.
    """
    inbound, read_stream = anyio.create_memory_object_stream[Incoming](0)
    write_stream, outbound = anyio.create_memory_object_stream[SessionMessage](0)
    pending: set[str | int] = set()
    answered = anyio.Event()
    wrote_at = anyio.current_time()

    async def read() -> None:
        async with inbound:
            while (line := await _line(lines)) is not None:
                message = _parse(line)
                if writer.is_closing():
                    return
                if isinstance(message, bytes):
                    await _send(writer, message)
                    continue
                if isinstance(message, types.JSONRPCRequest):
                    pending.add(message.id)
                try:
                    await inbound.send(SessionMessage(message))
                except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                    return
            began = anyio.current_time()
            while (
                pending
                and (left := max(began, wrote_at) + _DRAIN_SECONDS - anyio.current_time()) > 0
            ):
                with anyio.move_on_after(left):
                    await answered.wait()

    async def write() -> None:
        nonlocal wrote_at
        async with outbound:
            async for item in outbound:
                message = item.message
                if isinstance(message, types.JSONRPCResponse | types.JSONRPCError):
                    pending.discard(message.id)
                text = message.model_dump_json(by_alias=True, exclude_unset=True)
                await _send(writer, text.encode() + b"\n")
                wrote_at = anyio.current_time()
                if not pending and lines.has_ended:
                    answered.set()

    async with anyio.create_task_group() as group:
        group.start_soon(read)
        group.start_soon(write)
        await server.run(read_stream, write_stream, server.create_initialization_options())
        group.cancel_scope.cancel()


async def _line(lines: LineReader) -> bytes | LongLine | None:
    """The next line that is not blank; None at the end."""
    try:
        line = await lines.next()
        while isinstance(line, bytes) and line.isspace():
            line = await lines.next()
    except (ConnectionError, TimeoutError):
        return None
    return line


async def _send(writer: LineWriter, line: bytes) -> None:
    # A disconnected client is noticed when its lines are read.
    with suppress(ConnectionError):
        writer.write(line)
        await writer.drain()


def _parse(line: bytes | LongLine) -> types.JSONRPCMessage | bytes:
    """The message, or the error to answer with."""
    if isinstance(line, LongLine):
        return line.refusal()
    try:
        message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
        if not lacks_id(message):
            return message
    except ValidationError:
        pass
    return refusal(line) + b"\n"


def lacks_id(message: types.JSONRPCMessage) -> bool:
    """Whether a message is a request with a missing or invalid id, such as a list: the SDK mistakes it for a
    notification and sends no answer, and its client waits forever.
    """
    return isinstance(message, types.JSONRPCNotification) and not message.method.startswith(
        _NOTICES
    )


def refusal(line: bytes | str) -> bytes:
    """The error for a line that is not a message, with its id if that is a string or a number."""
    try:
        content = json.loads(line)
    except (ValueError, RecursionError):
        return _error(None, types.PARSE_ERROR, "Parse error")
    key = content.get("id") if isinstance(content, dict) else None
    number = isinstance(key, int | float) and not isinstance(key, bool) and math.isfinite(key)
    usable = isinstance(key, str) or number
    return _error(key if usable else None, types.INVALID_REQUEST, "Invalid request")


def _error(key: Any, code: int, message: str) -> bytes:
    error = {"code": code, "message": message}
    return json.dumps({"jsonrpc": "2.0", "id": key, "error": error}).encode()
