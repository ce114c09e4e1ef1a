"""JSON-RPC messages as the shim sees them: lines, whose ids and methods it notes. Standard library only."""

from __future__ import annotations

import sys

from contextd.thin.plain_json import dumps, object_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_INTERNAL_ERROR = -32603


def refusal(key: str | int, why: str, advice: str) -> bytes:
    """The JSON-RPC error that answers a request while no daemon can run, as a line."""
    data = {"code": "unavailable", "message": why, "hint": advice or "run `contextd doctor`"}
    error = {"code": _INTERNAL_ERROR, "message": f"contextd is unavailable: {why}", "data": data}
    return dumps({"jsonrpc": "2.0", "id": key, "error": error}).encode() + b"\n"


def refuse_all(why: str, advice: str) -> None:
    """Answer every request on stdin with the reason, until the agent closes it."""
    for line in sys.stdin.buffer:
        message = message_of(line)
        key = id_in(message, "id")
        if key is not None and "method" in message:
            sys.stdout.buffer.write(refusal(key, why, advice))
            sys.stdout.buffer.flush()


def lines_in(partial: bytearray, data: bytes) -> list[bytes]:
    """The complete lines, each with its newline; the rest stays in `partial`."""
    partial += data
    if b"\n" not in data:
        return []
    end = partial.rindex(b"\n")
    whole = bytes(partial[:end])
    del partial[: end + 1]
    return [line + b"\n" for line in whole.split(b"\n")]


def message_of(line: bytes) -> Mapping[str, Any]:
    """The message in a line; empty if it has none."""
    return object_in(line) or {}


def as_object(value: Any) -> Mapping[str, Any]:
    """The value if it is an object, otherwise an empty one."""
    return value if isinstance(value, dict) else {}


def id_in(message: Any, name: str) -> str | int | None:
    """The id of a message under `name`; None for an invalid id, because the field may hold any JSON."""
    key = message.get(name) if isinstance(message, dict) else None
    return key if isinstance(key, str | int) and not isinstance(key, bool) else None
