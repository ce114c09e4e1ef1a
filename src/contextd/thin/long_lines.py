"""Split a stream into lines without buffering one that is too long. Standard library only, and light: every
agent window waits for these imports.
"""

from __future__ import annotations

from contextd.thin.plain_json import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LINE_LIMIT = 16 << 20
"""Maximum bytes of a line, with its newline."""

_KEPT = 1 << 16
"""Bytes of the beginning and of the end of a long line that are searched for its id."""
_MOST_TRIES = 20
_INVALID_REQUEST = -32600


class LongLine:
    """A line that was too long to be kept: its size in bytes, and the id of its request if the first or last
    64 KiB contain it.
    """

    def __init__(self, size: int, id: str | int | None) -> None:
        self.size, self.id = size, id

    def refusal(self) -> bytes:
        """The JSON-RPC error that answers it, as a line."""
        data = {"code": "too_large", "hint": "send less at once"}
        text = f"too_large: a line may have {LINE_LIMIT} bytes, this one has {self.size}. Send less at once"
        error = {"code": _INVALID_REQUEST, "message": text, "data": data}
        return dumps({"jsonrpc": "2.0", "id": self.id, "error": error}).encode() + b"\n"


class LineCutter:
    """Splits the pieces of a stream into lines. Buffers at most `most` bytes and one piece."""

    def __init__(self, most: int = LINE_LIMIT) -> None:
        self._most = most
        self._partial = bytearray()
        self._is_long = False
        self._dropped = 0
        self._head = b""

    @property
    def is_partial(self) -> bool:
        """Whether a line is incomplete."""
        return bool(self._partial)

    @property
    def begun(self) -> int:
        """Bytes of the incomplete line."""
        return self._dropped + len(self._partial)

    def feed(self, data: bytes) -> list[bytes | LongLine]:
        """The lines that end in `data`, each with its newline."""
        found: list[bytes | LongLine] = []
        *whole, rest = data.split(b"\n")
        for piece in whole:
            found.append(self._end(piece + b"\n"))
        self._keep(rest)
        return found

    def _end(self, piece: bytes) -> bytes | LongLine:
        self._keep(piece)
        line: bytes | LongLine = bytes(self._partial)
        if self._is_long:
            tail = bytes(self._partial)
            line = LongLine(self._dropped + len(tail), request_id(self._head, tail))
        self._partial.clear()
        self._is_long, self._dropped, self._head = False, 0, b""
        return line

    def _keep(self, piece: bytes) -> None:
        self._partial += piece
        if not self._is_long and len(self._partial) > self._most:
            self._is_long, self._head = True, bytes(self._partial[:_KEPT])
        if self._is_long and len(self._partial) > _KEPT:
            surplus = len(self._partial) - _KEPT
            self._dropped += surplus
            del self._partial[:surplus]


def request_id(head: bytes, tail: bytes) -> str | int | None:
    """The id of a JSON-RPC request of which only the beginning and the end are available; None if neither
    contains it. A nested `id` is ignored.
    """
    at = head.find(b'"id"')
    for _ in range(_MOST_TRIES):
        if at < 0:
            break
        end = _value_end(head, at + 4)
        # With a brace in place of the rest this is an object only if the key is at the top level.
        found = _id_of(head[:end] + b"}") if end else None
        if found is not None:
            return found
        at = head.find(b'"id"', at + 4)
    at = tail.rfind(b'"id"')
    for _ in range(_MOST_TRIES):
        if at < 0:
            break
        found = _id_of(b"{" + tail[at:])
        if found is not None:
            return found
        at = tail.rfind(b'"id"', 0, at)
    return None


def _value_end(text: bytes, at: int) -> int:
    """The end of a string or a number that follows a colon; 0 if there is none."""
    rest = text[at : at + 300].lstrip()
    if not rest.startswith(b":"):
        return 0
    rest = rest[1:].lstrip()
    start = text.find(rest[:20], at)
    if rest.startswith(b'"'):
        end = rest.find(b'"', 1)
        return start + end + 1 if end > 0 else 0
    digits = len(rest) - len(rest.lstrip(b"-0123456789"))
    return start + digits if digits else 0


def _id_of(text: bytes) -> str | int | None:
    try:
        message: Any = loads(text)
    except (ValueError, RecursionError):
        return None
    id = message.get("id") if isinstance(message, dict) else None
    return id if isinstance(id, str | int) and not isinstance(id, bool) else None
